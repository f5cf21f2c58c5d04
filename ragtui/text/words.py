"""Words of messages: what was found, in quotes; how many; what was meant."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

from ragtui.text.cells import cut
from ragtui.text.cleaning import clean

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["nearest", "plural", "quote"]

_NEAREST_CANDIDATES: Final = 20_000
_NEAREST_LENGTH: Final = 64
_NEAREST_SHORT: Final = 4


def quote(text: str, limit: int = 80) -> str:
    r"""
    Return *text* cleaned, cut to *limit* cells and in double quotes, for an error message.

    >>> quote("a \"b\"\n")
    '"a \\"b\\"␊"'
    """
    inner = cut(clean(text), limit).replace('"', '\\"')
    return f'"{inner}"'


def plural(n: int, singular: str, plural: str | None = None) -> str:
    """
    Return a count with its noun.

    >>> plural(1, "question"), plural(12_000, "question"), plural(2, "query", "queries")
    ('1 question', '12,000 questions', '2 queries')
    """
    if n == 1:
        return f"1 {singular}"
    return f"{n:,} {plural or singular + 's'}"


def nearest(word: str, known: Iterable[str]) -> str | None:
    """
    Return the known word that *word* was probably meant to be, or None.

    Looks at 20,000 known words of a similar length at most.

    >>> nearest("cutof", ["cutoff", "measure"]), nearest("K", ["k"]), nearest("x", ["k"])
    ('cutoff', 'k', None)
    """
    if not word or len(word) > _NEAREST_LENGTH:
        return None
    reach = max(1, len(word) // 2)
    similar = (other for other in known if abs(len(other) - len(word)) <= reach)
    forms: dict[str, str] = {}
    for other in islice(similar, _NEAREST_CANDIDATES):
        forms.setdefault(other.casefold(), other)
    folded = word.casefold()
    if folded in forms:
        return forms[folded]
    from difflib import get_close_matches  # noqa: PLC0415 - only on the way to an error message

    cutoff = 0.65 if len(word) <= _NEAREST_SHORT else 0.7
    found = get_close_matches(folded, forms, n=1, cutoff=cutoff)
    return forms[found[0]] if found else None
