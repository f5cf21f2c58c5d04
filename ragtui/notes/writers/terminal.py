"""The note for a terminal, in the colours that it has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ragtui.notes.document import Tone
from ragtui.notes.layout import lines

if TYPE_CHECKING:
    from ragtui.notes.document import Document

__all__ = ["write"]

STYLES: Final = {
    Tone.PLAIN: "",
    Tone.WORSE: "bold dark_orange",
    Tone.BETTER: "dodger_blue1",
    Tone.MIXED: "medium_purple1",
    Tone.ABSENT: "yellow",
    Tone.FAINT: "dim",
    Tone.STRONG: "bold",
}
"""Orange is worse and blue is better everywhere; a sign or a word says it too."""


def write(document: Document, width: int) -> str:
    """Return the note for the terminal that standard output is, *width* columns wide."""
    # rich takes a fifth of a second to import: only a terminal pays for it.
    from io import StringIO  # noqa: PLC0415

    from rich.console import Console  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    held = StringIO()
    console = Console(
        file=held,
        force_terminal=True,
        width=width,
        markup=False,
        highlight=False,
        emoji=False,
        legacy_windows=False,
    )
    for line in lines(document, width):
        told = Text()
        for piece in line:
            told.append(piece.text, STYLES[piece.tone])
        told.rstrip()
        console.print(told, soft_wrap=True)
    return held.getvalue()
