"""
The note as one HTML page that loads nothing, runs nothing, and prints.

It is well-formed XML as well, so that a strict parser can tell every element and attribute that
the templates below did not write. Text of files stands between tags only, in no attribute.
"""

from __future__ import annotations

from html import escape
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
    plain,
    shown,
    shown_body,
)
from ragtui.notes.writers.page_style import STYLE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ragtui.notes.document import Block, Document, Row, Span, Text

__all__ = ["POLICY", "write"]

POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'"
"""Nothing is loaded and nothing runs; the page's own style alone counts."""

_HEAD: Final = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<meta http-equiv="Content-Security-Policy" content="{policy}"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<meta name="color-scheme" content="light dark"/>
<meta name="referrer" content="no-referrer"/>
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<main>
"""


def write(document: Document) -> str:
    """Return the note as a page."""
    head = _HEAD.format(policy=escape(POLICY), title=escape(plain(document.title)), style=STYLE)
    parts = [head, f"<header>\n<h1>{_line(document.title)}</h1>\n"]
    parts += _body(document.blocks)
    parts.append("</main>\n</body>\n</html>\n")
    return "".join(parts)


def _body(blocks: Iterable[Block]) -> Iterator[str]:
    """Yield the blocks; what stands before the first heading is the page's header."""
    end = "</header>\n"
    for block in blocks:
        if isinstance(block, Heading) and block.level == 2:  # noqa: PLR2004 - a section
            yield f"{end}<section>\n"
            end = "</section>\n"
        yield from _block(block)
    yield end


# ---------------------------------------------------------------- spans


def _span(span: Span) -> str:
    told = escape(shown(span))
    if span.is_data:
        # Isolated, so that text from right to left reorders nothing around it.
        name = "id" if " " not in told else "said"
        tone = f" {span.tone}" if span.tone else ""
        return f'<bdi class="{name}{tone}">{told}</bdi>'
    return f'<span class="{span.tone}">{told}</span>' if span.tone else told


def _line(line: Text) -> str:
    return "".join(map(_span, line))


# ---------------------------------------------------------------- blocks


def _block(block: Block) -> Iterator[str]:
    match block:
        case Heading():
            yield f"<h{block.level}>{_line(block.text)}</h{block.level}>\n"
        case Paragraph():
            yield f"<p{_class(block.tone)}>{_line(block.text)}</p>\n"
        case Strip():
            yield from _strip(block)
        case Facts():
            yield from _facts(block.rows)
        case Listing():
            yield "<ul>\n"
            yield from (f"<li>{_line(item)}</li>\n" for item in block.items)
            yield "</ul>\n"
        case Table():
            yield from _table(block)
        case Card():
            yield f'<article class="{block.tone or Tone.FAINT}">\n<h4>{_line(block.head)}</h4>\n'
            yield from _facts(block.rows)
            yield "</article>\n"
        case Fence():
            yield f'<div class="quoted"><p>{_line(block.title)}</p>\n'
            yield f"<pre>{escape(shown_body(block.body))}</pre></div>\n"


def _class(tone: Tone) -> str:
    return f' class="{tone}"' if tone else ""


def _strip(block: Strip) -> Iterator[str]:
    """Yield a bar of all questions and, in words, what each part of it is."""
    yield '<div class="bar" aria-hidden="true">'
    yield from (
        f'<i class="{count.tone}" style="flex:{count.n}"></i>' for count in block.counts if count.n
    )
    yield '</div>\n<ul class="counts">\n'
    for count in block.counts:
        tone = count.tone if count.n else Tone.FAINT
        yield f'<li class="{tone}"><b>{count.glyph} {count.n:,}</b> {escape(count.word)}</li>\n'
    yield "</ul>\n"


def _facts(rows: Sequence[Row]) -> Iterator[str]:
    yield "<dl>\n"
    for row in rows:
        yield f"<dt>{escape(row.label)}</dt><dd>{_line(row.text)}</dd>\n"
    yield "</dl>\n"


def _table(table: Table) -> Iterator[str]:
    numbers = [' class="n"' if column.is_number else "" for column in table.columns]
    yield '<div class="wide"><table>\n<thead><tr>'
    for kind, column in zip(numbers, table.columns, strict=True):
        yield f'<th scope="col"{kind}>{escape(column.title)}</th>'
    yield "</tr></thead>\n<tbody>\n"
    for row in table.rows:
        cells = zip(numbers, row, strict=True)
        yield f"<tr>{''.join(f'<td{kind}>{_line(cell)}</td>' for kind, cell in cells)}</tr>\n"
    yield "</tbody>\n</table></div>\n"
