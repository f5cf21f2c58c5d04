"""
A document as lines of text, by terminal cells: what the terminal, text files and pictures share.

Every span is cleaned here, once; the spans of a line are all that a writer has to write.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from ragtui.notes.document import (
    Card,
    Facts,
    Fence,
    Heading,
    Listing,
    Paragraph,
    Span,
    Strip,
    Table,
    Tone,
    plain,
    shown,
    shown_body,
    text,
    words,
)
from ragtui.text import cell_width, wrap

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import TypeAlias

    from ragtui.notes.document import Block, Document, Row, Text

    Line: TypeAlias = "tuple[Piece, ...]"

__all__ = ["FILE_WIDTH", "Piece", "inert", "lines"]

FILE_WIDTH: Final = 100
"""Columns of a note in a file."""

GAP: Final = 2
LEAST: Final = 10
"""Cells that a column of text keeps before the table is written as lists."""
LABEL: Final = 14
"""Cells of the longest label beside which text still stands."""

# A CI runner obeys `::command::` at the start of a line and `##[command]`, `##vso[`, `##teamcity[`
# anywhere in it, when somebody prints the file into its log.
_RUNNER: Final = re.compile(r"^(\s*):(?=:)|#(?=#)")


class Piece(NamedTuple):
    """Cleaned text in one tone."""

    text: str
    tone: Tone = Tone.PLAIN


def inert(line: str) -> str:
    """
    Break what the runner of a continuous integration service would take for a command.

    >>> inert("  ::error::forged"), inert("a ##[group]")
    ('  <U+003A>:error::forged', 'a <U+0023>#[group]')
    """
    return _RUNNER.sub(lambda found: f"{found[1] or ''}<U+{ord(found[0][-1]):04X}>", line)


def lines(document: Document, width: int) -> Iterator[Line]:
    """Yield the whole note in lines of at most *width* cells, where words allow."""
    yield from _flow(_toned(document.title, Tone.STRONG), width)
    for block in document.blocks:
        if not isinstance(block, Strip):
            yield ()
        yield from _block(block, width)


def _block(block: Block, width: int) -> Iterator[Line]:
    match block:
        case Heading():
            yield from _heading(block, width)
        case Paragraph():
            yield from _flow(_toned(block.text, block.tone), width)
        case Strip():
            yield from _flow(_strip(block), width)
        case Facts():
            yield from _facts(block.rows, width, indent=GAP)
        case Listing():
            for item in block.items:
                yield from _flow(item, width, first="  - ")
        case Table():
            yield from _table(block, width)
        case Card():
            yield from _flow(block.head, width, first="  ")
            yield from _facts(block.rows, width, indent=2 * GAP)
        case Fence():
            yield from _fence(block, width)


def _heading(block: Heading, width: int) -> Iterator[Line]:
    head = _toned(block.text, Tone.STRONG)
    if block.level > 2:  # noqa: PLR2004 - a part of a section
        yield from _flow(head, width)
        return
    across = min(width, cell_width(plain(block.text)))
    yield from _flow(head, width)
    yield (Piece("─" * across, Tone.FAINT),)


def _strip(block: Strip) -> Text:
    parts: list[Span] = []
    for count in block.counts:
        tone = count.tone if count.n else Tone.FAINT
        parts += [Span("   ")] if parts else []
        parts.append(words(f"{count.glyph} {count.n:,} {count.word}", tone))
    return tuple(parts)


def _fence(block: Fence, width: int) -> Iterator[Line]:
    yield from _flow(_toned(text(block.title, ":"), Tone.FAINT), width, first="    ")
    for piece in wrap(shown_body(block.body), max(LEAST, width - 6)):
        yield Piece("    │ ", Tone.FAINT), Piece(piece)


def _toned(line: Text, tone: Tone) -> Text:
    return tuple(span if span.tone else span._replace(tone=tone) for span in line)


# ---------------------------------------------------------------- lines that wrap


def _flow(line: Text, width: int, *, first: str = "") -> Iterator[Line]:
    """Yield a line wrapped to *width*; *first* stands before it, spaces before the rest."""
    left = first
    for pieces in _wrapped(line, max(LEAST, width - cell_width(first))):
        yield (Piece(left), *pieces) if left else pieces
        left = " " * cell_width(left)


def _wrapped(line: Text, width: int) -> Iterator[Line]:
    """Break a line of spans where its plain text breaks."""
    spans = [Piece(shown(span), span.tone) for span in line]
    whole = "".join(span.text for span in spans)
    at = 0
    for piece in wrap(whole, width):
        start = whole.index(piece, at)
        at = start + len(piece)
        yield tuple(_sliced(spans, start, at))


def _sliced(spans: Sequence[Piece], start: int, stop: int) -> Iterator[Piece]:
    at = 0
    for span in spans:
        low, high = max(start - at, 0), min(stop - at, len(span.text))
        if low < high:
            yield Piece(span.text[low:high], span.tone)
        at += len(span.text)


def _facts(rows: Sequence[Row], width: int, *, indent: int) -> Iterator[Line]:
    across = min(LABEL, max((cell_width(row.label) for row in rows), default=0))
    for row in rows:
        label = row.label + " " * (across - cell_width(row.label))
        first = True
        for pieces in _wrapped(row.text, max(LEAST, width - indent - across - GAP)):
            head = label if first else " " * cell_width(label)
            yield Piece(" " * indent + head + " " * GAP, Tone.FAINT), *pieces
            first = False


# ---------------------------------------------------------------- tables


def _table(table: Table, width: int) -> Iterator[Line]:
    if not table.rows:
        return
    widths = _widths(table, width - GAP)
    if widths is None:
        yield from _in_parts(table, width)
        return
    titles = tuple(text(words(column.title, Tone.FAINT)) for column in table.columns)
    yield from _table_row(table, titles, widths)
    for row in table.rows:
        yield from _table_row(table, row, widths)


def _widths(table: Table, room: int) -> list[int] | None:
    """Return the cells of each column, columns of text giving way; `None` if they cannot."""
    cells = [tuple(text(column.title) for column in table.columns), *table.rows]
    widths = [max(cell_width(plain(row[n])) for row in cells) for n in range(len(table.columns))]
    least = [
        across if column.is_number else min(across, max(LEAST, _longest_word(cells, n)))
        for n, (across, column) in enumerate(zip(widths, table.columns, strict=True))
    ]
    gaps = GAP * (len(widths) - 1)
    if sum(least) + gaps > room:
        return None
    while (excess := sum(widths) + gaps - room) > 0:
        widest = max(
            (n for n in range(len(widths)) if widths[n] > least[n]), key=widths.__getitem__
        )
        second = max(
            (w for n, w in enumerate(widths) if n != widest and w > least[n]), default=least[widest]
        )
        step = max(1, min(excess, widths[widest] - max(second, least[widest])))
        widths[widest] -= step
    return widths


def _longest_word(cells: Sequence[Sequence[Text]], column: int) -> int:
    """Return the cells of the longest word of a column, as far as one should stay whole."""
    found = (cell_width(word) for row in cells for word in plain(row[column]).split(" "))
    return min(24, max(found, default=0))


def _table_row(table: Table, row: Sequence[Text], widths: Sequence[int]) -> Iterator[Line]:
    columns = [list(_wrapped(cell, across)) for cell, across in zip(row, widths, strict=True)]
    for n in range(max(map(len, columns))):
        yield tuple(_table_line(table, [c[n] if n < len(c) else () for c in columns], widths))


def _table_line(table: Table, cells: Sequence[Line], widths: Sequence[int]) -> Iterator[Piece]:
    yield Piece(" " * GAP)
    last = max((n for n, cell in enumerate(cells) if cell), default=0)
    for n, (cell, across) in enumerate(zip(cells[: last + 1], widths, strict=False)):
        gap = " " * max(0, across - sum(cell_width(piece.text) for piece in cell))
        yield from (Piece(gap), *cell) if table.columns[n].is_number else cell
        if n < last:
            yield Piece((" " * GAP) if table.columns[n].is_number else gap + " " * GAP)


def _in_parts(table: Table, width: int) -> Iterator[Line]:
    """Yield a table that is too wide as several, each with the first column; else as lists."""
    places = range(1, len(table.columns))
    taken: list[list[int]] = []
    for place in places:
        if taken and _widths(_columns(table, [0, *taken[-1], place]), width - GAP) is not None:
            taken[-1].append(place)
        else:
            taken.append([place])
    parts = [_columns(table, [0, *part]) for part in taken]
    if len(parts) < 2 or any(_widths(part, width - GAP) is None for part in parts):  # noqa: PLR2004 - nothing to part
        yield from _as_lists(table, width)
        return
    for number, part in enumerate(parts):
        if number:
            yield ()
        yield from _table(part, width)


def _columns(table: Table, places: Sequence[int]) -> Table:
    return Table(
        tuple(table.columns[place] for place in places),
        tuple(tuple(row[place] for place in places) for row in table.rows),
    )


def _as_lists(table: Table, width: int) -> Iterator[Line]:
    """Yield a table that is too wide for the page: each row as its first cell and a list."""
    for row in table.rows:
        yield from _flow(_toned(row[0], Tone.STRONG), width, first="  ")
        told: list[Span] = []
        for column, cell in zip(table.columns[1:], row[1:], strict=True):
            told += [Span(" · ")] if told else []
            told += [words(f"{column.title} ", Tone.FAINT), *cell]
        yield from _flow(tuple(told), width, first="    ")
