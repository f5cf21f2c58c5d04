"""
The note as Markdown that renders as itself, on GitHub too.

Text of files stands in code spans and fences sized to it and nowhere else, so that it is no link,
image, mention, reference, HTML or table break.
"""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING, Final

from ragtui.notes.document import (
    Card,
    Facts,
    Fence,
    Heading,
    Listing,
    Paragraph,
    Strip,
    Table,
    Tone,
    shown,
    shown_body,
)
from ragtui.notes.layout import inert

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ragtui.notes.document import Block, Document, Row, Span, Text

__all__ = ["code", "code_cell", "fence", "write"]

_ACTIVE: Final = re.compile(r"([\\`*_\[\]<>|#~&])")
_RUNS: Final = re.compile("`+")


def write(document: Document) -> str:
    """Return the note as Markdown."""
    blocks = chain([f"# {_line(document.title)}"], map(_block, document.blocks))
    return "\n\n".join(block for block in blocks if block) + "\n"


# ---------------------------------------------------------------- text of files


def code(told: str) -> str:
    """
    Return text as a code span that ends where the text does.

    >>> code("a `b` c"), code("`")
    ('``a `b` c``', '`` ` ``')
    """
    told = inert(told)
    ticks = _ticks(told, least=1)
    pad = " " if told.startswith(("`", " ")) or told.endswith(("`", " ")) else ""
    if pad and not told.strip(" "):
        pad = ""  # a code span of spaces keeps them all
    return f"{ticks}{pad}{told}{pad}{ticks}"


def code_cell(told: str) -> str:
    r"""
    Return text as a code span inside a table, where a bar would end the cell.

    >>> code_cell("a|b")
    '`a\\|b`'
    """
    return code(told).replace("|", "\\|")


def fence(body: str) -> str:
    r"""
    Return text of several lines between fences longer than any in it.

    >>> fence("a\n```\nb")
    '````text\na\n```\nb\n````'
    """
    lines = "\n".join(map(inert, shown_body(body).split("\n")))
    ticks = _ticks(lines, least=3)
    return f"{ticks}text\n{lines}\n{ticks}"


def _ticks(told: str, *, least: int) -> str:
    longest = max((len(run) for run in _RUNS.findall(told)), default=0)
    return "`" * max(least, longest + 1)


# ---------------------------------------------------------------- words of ours


def _escaped(told: str) -> str:
    return _ACTIVE.sub(r"\\\1", told)


def _span(span: Span, *, in_table: bool) -> str:
    told = shown(span)
    if not span.is_data:
        told = _escaped(told)
    elif in_table:
        told = code_cell(told)
    else:
        told = code(told)
    return _strong(told) if span.tone is Tone.STRONG else told


def _strong(told: str) -> str:
    """Return text in bold; spaces at its ends would keep it from being that."""
    core = told.strip(" ")
    return told.replace(core, f"**{core}**") if core else told


def _line(line: Text, *, in_table: bool = False) -> str:
    told = ""
    for span in line:
        piece = _span(span, in_table=in_table)
        # Two code spans that touch would be read as one.
        touching = told.endswith(("`", "*")) and piece.startswith(("`", "*"))
        told += f" {piece}" if touching else piece
    return told


def _block(block: Block) -> str:
    match block:
        case Heading():
            return f"{'#' * block.level} {_line(block.text)}"
        case Paragraph():
            return _paragraph(block)
        case Strip():
            return " · ".join(f"{_escaped(c.glyph)} {c.n:,} {c.word}" for c in block.counts)
        case Facts():
            return "\n".join(_rows(block.rows))
        case Listing():
            return "\n".join(f"- {_line(item)}" for item in block.items)
        case Table():
            return "\n".join(_table(block))
        case Card():
            return "\n".join([f"#### {_heading(block.head)}", "", *_rows(block.rows)])
        case Fence():
            return f"{_line(block.title)}:\n\n{fence(block.body)}"


def _paragraph(block: Paragraph) -> str:
    return _strong(_heading(block.text)) if block.tone is Tone.STRONG else _line(block.text)


def _heading(line: Text) -> str:
    """Return a line that is strong as a whole."""
    return _line(tuple(span._replace(tone=Tone.PLAIN) for span in line))


def _rows(rows: Sequence[Row]) -> Iterator[str]:
    for row in rows:
        yield f"- **{_escaped(row.label)}:** {_line(row.text)}"


def _table(table: Table) -> Iterator[str]:
    yield _table_row([_escaped(column.title) for column in table.columns])
    yield _table_row(["---:" if column.is_number else "---" for column in table.columns])
    for row in table.rows:
        yield _table_row([_line(cell, in_table=True) for cell in row])


def _table_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
