"""
Lines of spans: what every pane shows, before anybody decides on colours.

A span is a piece of text with a role, such as `worse` or `muted bold`; `paint` turns roles into
styles. `span` is the door for text that came from a file: it is cleaned here, once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from ragtui.text import cell_width, clean, cut, wrap

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "BLANK",
    "Line",
    "Meta",
    "Span",
    "beside",
    "cut_line",
    "fit_line",
    "line_of",
    "line_width",
    "meta_at",
    "plain",
    "recoloured",
    "space",
    "span",
    "spread",
    "wrapped",
]

Meta: TypeAlias = tuple[str, ...]
"""What a span stands for, such as `("claim", "smoke")`: returned when it is chosen or clicked."""


class Span(NamedTuple):
    """A piece of cleaned text on one line."""

    text: str
    role: str = "plain"
    """Space-separated names that `paint.Painter` knows, such as `worse bold`."""
    meta: Meta | None = None


Line: TypeAlias = tuple[Span, ...]
"""One line of a pane."""

BLANK: Line = ()


def span(text: str, role: str = "plain", meta: Meta | None = None) -> Span:
    r"""
    Return *text*, which may come from anywhere, as a span of one line.

    >>> span("a\x1bb", "muted").text
    'a␛b'
    """
    return Span(clean(text), role, meta)


def space(width: int = 1) -> Span:
    """Return *width* blank cells, none when negative."""
    return Span(" " * width)


def line_of(*parts: Span | str) -> Line:
    """
    Return a line of spans and plain texts, cleaned, without the empty ones.

    >>> line_of("n ", Span("3", "strong"))
    (Span(text='n ', role='plain', meta=None), Span(text='3', role='strong', meta=None))
    """
    found = (part if isinstance(part, Span) else span(part) for part in parts)
    return tuple(part for part in found if part.text)


def plain(line: Line) -> str:
    """Return the text of a line."""
    return "".join(part.text for part in line)


def line_width(line: Line) -> int:
    """Return how many cells a line takes."""
    return sum(cell_width(part.text) for part in line)


def cut_line(line: Line, width: int) -> Line:
    """
    Return *line* in at most *width* cells, ending in `…` where it was cut.

    >>> plain(cut_line((Span("rollback"), Span(" steps")), 11))
    'rollback s…'
    """
    if line_width(line) <= width:
        return line
    kept: list[Span] = []
    left = width
    for part in line:
        taken = cell_width(part.text)
        if taken < left:
            kept.append(part)
            left -= taken
            continue
        text = cut(part.text + "…", left) if taken == left else cut(part.text, left)
        kept.append(part._replace(text=text))
        break
    return tuple(kept)


def fit_line(line: Line, width: int) -> Line:
    """
    Return *line* in exactly *width* cells, cut or filled with blanks.

    >>> plain(fit_line((Span("ab"),), 4))
    'ab  '
    """
    shown = cut_line(line, width)
    missing = width - line_width(shown)
    return (*shown, space(missing)) if missing > 0 else shown


def spread(left: Line, right: Line, width: int) -> Line:
    """
    Return *left* and *right* at the two ends of *width* cells; *left* is cut when they collide.

    >>> plain(spread((Span("left"),), (Span("right"),), 12))
    'left   right'
    """
    ending = cut_line(right, width)
    gap = min(2, width - line_width(ending)) if ending else 0
    return (*fit_line(left, max(0, width - line_width(ending) - gap)), space(gap), *ending)


def beside(
    left: Iterable[Line], right: Iterable[Line], widths: tuple[int, int], rule: Span
) -> list[Line]:
    """Return two columns of lines with *rule* between them, the shorter one filled with blanks."""
    columns = [list(left), list(right)]
    height = max(map(len, columns))
    for column in columns:
        column.extend([BLANK] * (height - len(column)))
    return [
        (*fit_line(a, widths[0]), rule, *cut_line(b, widths[1]))
        for a, b in zip(*columns, strict=True)
    ]


def wrapped(
    text: str, width: int, role: str = "plain", *, indent: int = 0, meta: Meta | None = None
) -> list[Line]:
    """
    Return *text*, which may have line breaks, as lines of at most *width* cells.

    >>> [plain(line) for line in wrapped("one two three", 9, indent=2)]
    ['  one two', '  three']
    """
    lead = (space(indent),) if indent else ()
    return [(*lead, Span(row, role, meta)) for row in wrap(text, max(1, width - indent))]


def recoloured(line: Line, role: str) -> Line:
    """Return *line* with *role* added to every span."""
    return tuple(part._replace(role=f"{part.role} {role}") for part in line)


def meta_at(line: Line, x: int) -> Meta | None:
    """Return what stands at cell *x* of a line, `None` beside it or where nothing is meant."""
    for part in line:
        x -= cell_width(part.text)
        if x < 0:
            return part.meta
    return None
