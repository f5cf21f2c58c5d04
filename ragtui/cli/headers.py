"""What stands above every text: the set, the runs, and what to know before trusting numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragtui.cli.layout import paragraph
from ragtui.text import plural

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ragtui.cli.output import Line
    from ragtui.core.model import RunInfo, SetInfo, Unit
    from ragtui.core.standing import Standing

__all__ = ["notice_lines", "run_words", "set_words"]


def set_words(
    info: SetInfo, questions: int, cutoff: int, unit: Unit, standing: Standing | None = None
) -> str:
    """Return the set, how it stands, its size and what the context is, in one line."""
    split = "" if standing is None else f" · {standing.state_words}"
    return (
        f"set {info.id} {info.version}{split} · {plural(questions, 'question')}"
        f" · k {cutoff} · unit {unit.value}"
    )


def run_words(info: RunInfo) -> str:
    """Return the id of a run with its note."""
    return f"{info.id} · {info.note}" if info.note else info.id


def notice_lines(notices: Iterable[str], width: int) -> Iterator[Line]:
    """Yield every notice after a sign of its own."""
    for notice in notices:
        yield from paragraph(notice, width, indent=2, first="! ")
