"""Measure cleaned text by terminal cells and lay it out, as rich and Textual measure it."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Final, Literal

from ragtui.text.joiners import ZWJ, ZWNJ

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["Align", "cell_width", "cut", "fit", "sealed", "wrap"]

Align = Literal["left", "right", "center"]
_VS16: Final = "\ufe0f"

# One cell each in every Unicode version rich knows: no table is needed to measure these.
_NARROW: Final = frozenset(
    map(
        chr,
        chain(
            range(0x20, 0x7F),
            range(0xA1, 0xAD),
            range(0xAE, 0x300),
            range(0x370, 0x378),
            range(0x391, 0x3A2),
            range(0x3A3, 0x482),
            range(0x2010, 0x2028),
            range(0x2400, 0x2422),
            range(0x2500, 0x25FD),
        ),
    )
)

# Never the first on a line when the break is made only because a wide character stands before it.
_CLOSING: Final = frozenset("、。，．！？：；）」』】〉》ー々…,.!?:;)]}%")  # noqa: RUF001 - wide ones meant


def cell_width(text: str) -> int:
    """
    Return how many terminal cells one line takes, as rich and Textual measure it.

    >>> cell_width("abc"), cell_width("日本")
    (3, 4)
    """
    if _NARROW.issuperset(text):
        return len(text)
    from rich.cells import cell_len  # noqa: PLC0415 - only for text that needs its tables

    return cell_len(text)


def fit(text: str, width: int, *, align: Align = "left", ellipsis: str = "…") -> str:
    """
    Return one cleaned line in exactly *width* cells: cut with *ellipsis*, or filled with spaces.

    >>> fit("precision", 6), fit("P@2", 6, align="right"), fit("日本語", 4)
    ('preci…', '   P@2', '日… ')
    """
    shown = cut(text, width, ellipsis=ellipsis)
    gap = max(0, width - cell_width(shown))
    left = {"left": 0, "right": gap, "center": gap // 2}[align]
    return f"{' ' * left}{shown}{' ' * (gap - left)}"


def cut(text: str, width: int, *, ellipsis: str = "…") -> str:
    """
    Return one cleaned line in at most *width* cells, ending in *ellipsis* where it was cut.

    A character and what belongs to it (marks, joined emoji, the two halves of a flag) stays whole.

    >>> cut("precision", 6), cut("P@2", 6), cut("日本語", 4), cut("abc", 0)
    ('preci…', 'P@2', '日…', '')
    """
    head = _head(text, width)
    if len(head) == len(text):
        return sealed(head)
    mark = _head(ellipsis, width)
    return sealed(_head(text, width - cell_width(mark))) + mark


def wrap(text: str, width: int) -> list[str]:
    r"""
    Return cleaned text as lines of at most *width* cells: at least one, broken at spaces.

    Line feeds stay breaks, words longer than a line are broken, spaces at a break go. Ideographs
    may be parted from each other. A character of two cells stands alone in a width of one.

    >>> wrap("one two three\nfour", 8)
    ['one two', 'three', 'four']
    >>> wrap("", 8)
    ['']
    """
    return [piece for line in text.split("\n") for piece in _wrap_line(line, max(1, width))]


def _wrap_line(line: str, width: int) -> list[str]:
    if cell_width(line) <= width:
        return [line]
    if _NARROW.issuperset(line):
        return _flow(line, [1] * len(line), width) or [""]
    clusters = list(_clusters(line))
    return _flow([part for part, _ in clusters], [size for _, size in clusters], width) or [""]


def _flow(parts: Sequence[str], sizes: Sequence[int], width: int) -> list[str]:
    """Break a line of *parts*, each *sizes* cells wide; every part is looked at twice at most."""
    lines: list[str] = []
    start = at = used = soft = 0
    while at < len(parts):
        if at == start or used + sizes[at] <= width:
            used += sizes[at]
            at += 1
            soft = at if _may_break(parts, sizes, at) else soft
            continue
        stop = soft if soft > start and parts[at] != " " else at
        lines += _without_end("".join(parts[start:stop]))
        start = soft = _after_spaces(parts, stop)
        at = max(at, start)
        used = sum(sizes[start:at])
    return [*lines, *_without_end("".join(parts[start:]))]


def _without_end(piece: str) -> list[str]:
    """Return a piece without its last spaces, or nothing where spaces are all it is."""
    stripped = piece.rstrip(" ")
    return [stripped] if stripped else []


def _after_spaces(parts: Sequence[str], at: int) -> int:
    while at < len(parts) and parts[at] == " ":
        at += 1
    return at


def _may_break(parts: Sequence[str], sizes: Sequence[int], at: int) -> bool:
    if at == len(parts) or parts[at] == " ":
        return False
    if parts[at - 1] == " ":
        return True
    return (sizes[at - 1] > 1 or sizes[at] > 1) and parts[at] not in _CLOSING


def _head(text: str, width: int) -> str:
    """Return the longest beginning of whole clusters that takes at most *width* cells."""
    if width <= 0:
        return ""
    # One narrow character more proves that nothing is attached to the last one kept.
    if _NARROW.issuperset(text[: width + 1]):
        return text[:width]
    end = used = 0
    for part, size in _clusters(text):
        used += size
        if used > width:
            break
        end += len(part)
    return text[:end]


def sealed(text: str) -> str:
    """Keep a joiner at the end from taking the width of whatever is put after *text*."""
    return text + ZWNJ if text.endswith(ZWJ) else text


def _clusters(text: str) -> Iterator[tuple[str, int]]:
    """
    Yield what must stay together, with its cells; the cells add up to `cell_width(text)`.

    Follows rich's measure: a joiner swallows the next character, U+FE0F widens the one before it.
    """
    from rich.cells import get_character_cell_size  # noqa: PLC0415 - as in cell_width

    start = width = 0
    base, swallow, half_flag = "", False, False
    for index, character in enumerate(text):
        if swallow or character == ZWJ:
            swallow = not swallow
            continue
        if character == _VS16:
            width += _gain(base)
            base = ""
            continue
        size = get_character_cell_size(character)
        if not size:
            continue
        base = character
        is_flag = "\U0001f1e6" <= character <= "\U0001f1ff"
        if is_flag and half_flag:
            width, half_flag = width + size, False
            continue
        if index > start:
            yield text[start:index], width
        start, width, half_flag = index, size, is_flag
    if text:
        yield text[start:], width


def _gain(base: str) -> int:
    """Return the cells that U+FE0F adds to the character before it."""
    return cell_width(base + _VS16) - cell_width(base) if base else 0
