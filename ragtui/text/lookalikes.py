"""Find ids that a reader takes for one another."""

from __future__ import annotations

import unicodedata
from itertools import repeat
from typing import TYPE_CHECKING, Final

from ragtui.text.joiners import ZWJ, ZWNJ

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = ["confusable", "confusable_pairs"]


# Scripts whose letters look alike; a joiner (ZERO WIDTH ...) among such letters is unseen.
_LOOKALIKE: Final = frozenset(
    {
        "LATIN",
        "CYRILLIC",
        "GREEK",
        "COPTIC",
        "ARMENIAN",
        "CHEROKEE",
        "LISU",
        "FULLWIDTH",
        "MATHEMATICAL",
        "ZERO",
    }
)


def confusable(identifier: str) -> bool:
    r"""
    Tell whether one id mixes letters of scripts that look alike, or hides a joiner among them.

    >>> confusable("owner"), confusable("\u043ewner"), confusable("日本-QA")
    (False, True, False)
    """
    if identifier.isascii():
        return False
    scripts = {_script(character) for character in set(identifier)}
    return len(scripts & _LOOKALIKE) > 1


def _script(character: str) -> str:
    if not (character.isalpha() or character in {ZWJ, ZWNJ}):
        return ""
    return unicodedata.name(character, "").partition(" ")[0]


def confusable_pairs(ids: Iterable[str]) -> list[tuple[str, str]]:
    """
    Return the ids that differ but are equal after NFKC and case folding.

    Each id after the first of its kind is paired with that first one, in the order of *ids*.
    Works in about 40 bytes an id, however long the ids are.

    >>> confusable_pairs(["Owner", "owner", "rent", "OWNER"])
    [('Owner', 'owner'), ('Owner', 'OWNER')]
    """
    known = ids if isinstance(ids, (list, tuple)) else list(ids)
    groups: dict[str, dict[str, None]] = {}
    for identifier, folded in _crowded(known):
        groups.setdefault(folded, {})[identifier] = None
    return [
        pair
        for first, *others in map(list, groups.values())
        for pair in zip(repeat(first), others, strict=False)
    ]


def _crowded(ids: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield each id that may have an equal, with its folded form: all that have, and a few more."""
    mask = (1 << max(10, (len(ids) * 16).bit_length())) - 1
    counts = bytearray(mask + 1)
    for identifier in ids:
        slot = hash(_fold(identifier)) & mask
        counts[slot] = min(2, counts[slot] + 1)
    for identifier in ids:
        folded = _fold(identifier)
        if counts[hash(folded) & mask] > 1:
            yield identifier, folded


def _fold(identifier: str) -> str:
    if identifier.isascii():
        return identifier.lower()
    compatible = unicodedata.normalize("NFKC", identifier)
    return unicodedata.normalize("NFKC", compatible.casefold())
