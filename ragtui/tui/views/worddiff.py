"""The difference of two texts, word by word."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from enum import Enum
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["Kind", "Piece", "word_diff"]

MOST_WORDS: Final = 4_000
"""Words of both texts that are compared one by one; what differs in longer ones is one piece."""

_WORDS: Final = re.compile(r"\s+|\w+|[^\w\s]")


class Kind(Enum):
    """Where a piece of text stands."""

    BOTH = "both"
    ONLY_A = "only-a"
    ONLY_B = "only-b"


class Piece(NamedTuple):
    """Text that stands in A, in B or in both."""

    kind: Kind
    text: str


def word_diff(a: str, b: str) -> list[Piece]:
    """
    Return both texts as pieces in reading order; joined without one side they give the other.

    >>> [(piece.kind.value, piece.text) for piece in word_diff("on Monday", "on Friday")]
    [('both', 'on '), ('only-a', 'Monday'), ('only-b', 'Friday')]
    """
    left, right = _WORDS.findall(a), _WORDS.findall(b)
    start = _common(left, right)
    end = _common(left[start:][::-1], right[start:][::-1])
    middle = left[start : len(left) - end], right[start : len(right) - end]
    pieces = [
        Piece(Kind.BOTH, "".join(left[:start])),
        *_middle(*middle),
        Piece(Kind.BOTH, "".join(left[len(left) - end :])),
    ]
    return [piece for piece in pieces if piece.text]


def _common(a: Sequence[str], b: Sequence[str]) -> int:
    """Return how many words two texts have in common at their beginning."""
    pairs = enumerate(zip(a, b, strict=False))
    return next((n for n, (x, y) in pairs if x != y), min(len(a), len(b)))


def _middle(a: Sequence[str], b: Sequence[str]) -> Iterator[Piece]:
    if len(a) + len(b) > MOST_WORDS:
        yield Piece(Kind.ONLY_A, "".join(a))
        yield Piece(Kind.ONLY_B, "".join(b))
        return
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if tag == "equal":
            yield Piece(Kind.BOTH, "".join(a[i1:i2]))
            continue
        yield Piece(Kind.ONLY_A, "".join(a[i1:i2]))
        yield Piece(Kind.ONLY_B, "".join(b[j1:j2]))
