"""Text in columns: tables, labelled paragraphs, headings."""

from __future__ import annotations

from itertools import chain, islice
from typing import TYPE_CHECKING, Final, NamedTuple

from ragtui.cli.output import BLANK, Line, Span, line
from ragtui.text import cell_width, clean, fit, wrap

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ragtui.text import Align

__all__ = ["GAP", "Cell", "Column", "heading", "labelled", "paragraph", "section", "table"]

GAP: Final = 2
"""Cells between two columns."""
INDENT: Final = 2
_LEAST_ROOM: Final = 12
"""Cells that a column which gives way keeps, however narrow the terminal."""
_PREFERRED_ROOM: Final = 40
"""Cells of a wrapping column before others give way for it."""
_MEASURED: Final = 400
"""Rows that decide how wide the columns of a table are."""

Cell = str | Span


class Column(NamedTuple):
    """One column of a table."""

    title: str
    align: Align = "left"
    least: int = 0
    """Cells it takes at least, for a table that is longer than what is measured."""
    most: int | None = None
    """Cells it may take; longer text is cut. `None`: as wide as its widest cell."""
    shrinks: bool = False
    """Whether it gives way where the table is too wide."""
    wraps: bool = False
    """Whether it takes the rest of the line and goes on below; the last column only."""


def heading(text: str) -> Line:
    """Return the heading of a section."""
    return line(Span(text, "strong"))


def section(title: str, lines: Iterable[Line]) -> Iterator[Line]:
    """Yield a blank line, the heading and the lines; nothing where there are no lines."""
    head = [BLANK, heading(title)]
    for one in lines:
        yield from head
        head = []
        yield one


def paragraph(text: str, width: int, *, indent: int = 0, first: str = "") -> Iterator[Line]:
    """Yield text wrapped to *width*; *first* stands before its first line, spaces before others."""
    left = " " * indent + first
    room = max(_LEAST_ROOM, width - cell_width(left))
    for piece in wrap(clean(text), room):
        yield line(left, piece)
        left = " " * cell_width(left)


def labelled(
    rows: Sequence[tuple[str, str]], width: int, *, indent: int = INDENT
) -> Iterator[Line]:
    """Yield rows of a label and a text that wraps."""
    across = max((cell_width(clean(label)) for label, _ in rows), default=0)
    for label, text in rows:
        yield from paragraph(text, width, indent=indent, first=fit(clean(label), across + GAP))


def table(columns: Sequence[Column], rows: Iterable[Sequence[Cell]], width: int) -> Iterator[Line]:
    """
    Yield a table with its head; nothing where there are no rows.

    Rows are taken one by one: the first few hundred decide how wide the columns are.
    """
    source = ([_clean(cell) for cell in row] for row in rows)
    measured = list(islice(source, _MEASURED))
    if not measured:
        return
    widths = _widths(columns, measured, width)
    if any(column.title for column in columns):
        yield _row([Span(column.title, "faint") for column in columns], columns, widths)
    for row in chain(measured, source):
        yield from _rows(row, columns, widths)


def _clean(cell: Cell) -> Span:
    span = Span(cell) if isinstance(cell, str) else cell
    return span._replace(text=clean(span.text))


def _widths(columns: Sequence[Column], rows: Sequence[Sequence[Span]], width: int) -> list[int]:
    widths = [_width(column, [row[n].text for row in rows]) for n, column in enumerate(columns)]
    if columns[-1].wraps:
        widths[-1] = min(widths[-1], _PREFERRED_ROOM)
    excess = INDENT + sum(widths) + GAP * (len(widths) - 1) - width
    for n, column in enumerate(columns):
        if column.shrinks and excess > 0:
            kept = max(min(_LEAST_ROOM, widths[n]), widths[n] - excess)
            excess -= widths[n] - kept
            widths[n] = kept
    if columns[-1].wraps:
        taken = INDENT + sum(widths[:-1]) + GAP * (len(widths) - 1)
        widths[-1] = max(_LEAST_ROOM, width - taken)
    return widths


def _width(column: Column, texts: Sequence[str]) -> int:
    widest = max(column.least, *(cell_width(text) for text in [column.title, *texts]))
    return widest if column.most is None else min(widest, column.most)


def _rows(row: Sequence[Span], columns: Sequence[Column], widths: Sequence[int]) -> Iterator[Line]:
    if not columns[-1].wraps:
        yield _row(row, columns, widths)
        return
    last = row[-1]
    pieces = wrap(last.text, widths[-1])
    yield _row([*row[:-1], last._replace(text=pieces[0])], columns, widths)
    left = " " * (INDENT + sum(widths[:-1]) + GAP * (len(widths) - 1))
    for piece in pieces[1:]:
        yield line(left, last._replace(text=piece))


def _row(row: Sequence[Span], columns: Sequence[Column], widths: Sequence[int]) -> Line:
    spans = [Span(" " * INDENT)]
    for n, (cell, column, across) in enumerate(zip(row, columns, widths, strict=True)):
        if n:
            spans.append(Span(" " * GAP))
        spans.append(cell._replace(text=fit(cell.text, across, align=column.align)))
    return tuple(spans)
