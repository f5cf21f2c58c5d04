"""How the lines of a pane are laid out: prose, flowing items, labels, sections, tables."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple

from ragtui.text import clean, sealed, wrap
from ragtui.tui.spans import (
    BLANK,
    Line,
    Span,
    cut_line,
    fit_line,
    line_width,
    space,
    wrapped,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ragtui.tui.spans import Meta

__all__ = [
    "LABEL_WIDTH",
    "Column",
    "Page",
    "flow",
    "flow_items",
    "labelled",
    "prose",
    "section",
    "table",
]

NARROWEST = 12
"""Cells to which the last column of a table may be cut."""

LABEL_WIDTH = 10
"""Cells of the words at the left edge of an explanation."""


def prose(
    text: str,
    width: int,
    role: str = "plain",
    *,
    indent: int = 0,
    meta: Meta | None = None,
    limit: int = 20_000,
) -> list[Line]:
    r"""
    Return text from a file as lines of at most *width* cells; its line breaks stay.

    >>> [line[-1].text for line in prose("one two\nthree\x1b", 7)]
    ['one two', 'three␛']
    """
    shown = clean(text, multiline=True, limit=limit)
    return wrapped(shown, width, role, indent=indent, meta=meta)


def _between(parts: Sequence[Span], start: int, stop: int) -> Line:
    """Return the characters *start* to *stop* of a row of spans."""
    found = []
    at = 0
    for part in parts:
        piece = part.text[max(0, start - at) : max(0, stop - at)]
        if piece:
            found.append(part._replace(text=piece))
        at += len(part.text)
    return tuple(found)


def flow(parts: Iterable[Span], width: int, *, indent: int = 0) -> list[Line]:
    """
    Return spans broken at spaces into lines of at most *width* cells.

    >>> flow([Span("one "), Span("two", "strong")], 4)[1]
    (Span(text='two', role='strong', meta=None),)
    """
    spans = tuple(part._replace(text=sealed(part.text)) for part in parts)
    text = "".join(part.text for part in spans)
    lead = (space(indent),) if indent else ()
    lines: list[Line] = []
    at = 0
    for row in wrap(text, max(1, width - indent)):
        start = text.index(row, at)
        at = start + len(row)
        lines.append((*lead, *_between(spans, start, at)))
    return lines


def flow_items(items: Iterable[Line], width: int, *, gap: int = 3, indent: int = 0) -> list[Line]:
    """
    Return items, each kept whole, in as few lines of *width* cells as they need.

    >>> items = [(Span("a 1"),), (Span("b 2"),), (Span("c 3"),)]
    >>> [sum(len(part.text) for part in line) for line in flow_items(items, 9)]
    [9, 3]
    """
    lead = (space(indent),) if indent else ()
    room = max(1, width - indent)
    lines: list[Line] = []
    row: Line = ()
    for item in items:
        if row and line_width(row) + gap + line_width(item) > room:
            lines.append((*lead, *row))
            row = ()
        row = (*row, space(gap), *item) if row else cut_line(item, room)
    return [*lines, (*lead, *row)] if row else lines


def labelled(label: str, lines: Sequence[Line], *, role: str = "muted") -> list[Line]:
    """
    Return *lines* with a label at the left edge of the first; they must leave it room.

    >>> [part.text for part in labelled("cause", [(Span("moved"),)])[0]]
    ['cause     ', 'moved']
    """
    head = Span(f"{label:<{LABEL_WIDTH}}", role)
    return [((head if row == 0 else space(LABEL_WIDTH)), *line) for row, line in enumerate(lines)]


def section(title: Line, width: int, role: str = "rule") -> Line:
    """
    Return a rule across *width* cells with a title near its left end.

    >>> "".join(part.text for part in section((Span("k = 2"),), 14))
    '── k = 2 ─────'
    """
    head = cut_line(title, max(0, width - 6))
    rest = width - 4 - line_width(head)
    if not head or rest < 0:
        return (Span("─" * max(0, width), role),)
    return (Span("── ", role), *head, Span(" " + "─" * rest, role))


class Page(NamedTuple):
    """What a pane shows at one width."""

    lines: Sequence[Line]
    header: Sequence[Line] = ()
    """Lines that stay at the top while the others scroll."""

    def cut(self, width: int) -> Page:
        """Return the page with no line wider than *width* cells."""
        return Page(
            [cut_line(line, width) for line in self.lines],
            [cut_line(line, width) for line in self.header],
        )


class Column(NamedTuple):
    """One column of a table."""

    head: Line
    cells: Sequence[Line]
    right: bool = False
    """Whether cells stand at the right edge, as numbers do."""
    least: int = 0
    """Cells it takes at least."""
    most: int = 10_000
    """Cells it takes at most; longer cells are cut."""

    @property
    def width(self) -> int:
        """Cells it takes."""
        widest = max((line_width(cell) for cell in (self.head, *self.cells)), default=0)
        return min(self.most, max(self.least, widest))


def _placed(cell: Line, width: int, *, right: bool) -> Line:
    shown = cut_line(cell, width)
    gap = width - line_width(shown)
    if right and gap > 0:
        return (space(gap), *shown)
    return fit_line(shown, width)


def table(
    columns: Sequence[Column],
    width: int,
    *,
    gap: int = 2,
    targets: Sequence[Meta | None] = (),
) -> list[Line]:
    """
    Return a header line and one line a row, no wider than *width* cells.

    *targets* say what each row stands for; a row that stands for something fills the width.
    Columns that do not fit are left out from the right, the last one that has at least
    `NARROWEST` cells left is cut; the caller orders them by weight.

    >>> column = Column((Span("n"),), [(Span("12"),)], right=True)
    >>> ["".join(part.text for part in line) for line in table([column], 10)]
    [' n', '12']
    """
    used = 0
    shown: list[tuple[Column, int]] = []
    for column in columns:
        more = column.width + (gap if shown else 0)
        if shown and used + more > width:
            left = width - used - gap
            if left >= NARROWEST and not column.right:
                shown.append((column, left))
            break
        shown.append((column, column.width))
        used += more
    rows = [
        [column.head for column, _ in shown],
        *(list(row) for row in zip(*(column.cells for column, _ in shown), strict=True)),
    ]
    lines = [cut_line(_row(row, shown, gap), width) for row in rows]
    return [lines[0], *(_meaning(line, meta, width) for line, meta in _paired(lines[1:], targets))]


def _paired(
    lines: Sequence[Line], targets: Sequence[Meta | None]
) -> Iterator[tuple[Line, Meta | None]]:
    return zip_longest(lines, targets[: len(lines)])


def _meaning(line: Line, meta: Meta | None, width: int) -> Line:
    if meta is None:
        return line
    return tuple(part._replace(meta=meta) for part in fit_line(line, width))


def _row(cells: Sequence[Line], shown: Sequence[tuple[Column, int]], gap: int) -> Line:
    line: Line = BLANK
    for position, (cell, (column, size)) in enumerate(zip(cells, shown, strict=True)):
        if position:
            line = (*line, space(gap))
        line = (*line, *_placed(cell, size, right=column.right))
    return line
