"""The note as plain text of 100 columns, without a control character but the line feed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragtui.notes.layout import FILE_WIDTH, inert, lines

if TYPE_CHECKING:
    from ragtui.notes.document import Document

__all__ = ["write"]


def write(document: Document, width: int = FILE_WIDTH) -> str:
    """Return the note as text."""
    told = (
        inert("".join(piece.text for piece in line)).rstrip() for line in lines(document, width)
    )
    return "".join(f"{line}\n" for line in told)
