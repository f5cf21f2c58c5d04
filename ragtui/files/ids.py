"""
What an id may look like.

Ids are opaque: two ids are equal when their code points are equal. Nothing is stripped, folded or
normalised, so an id that only looks like another one is another one.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from ragtui.files.limits import MAX_IDS_LAB, MAX_IDS_OPEN

if TYPE_CHECKING:
    from collections.abc import Collection


__all__ = ["PROFILES", "Profile", "all_well_formed", "check_id", "check_name", "max_ids"]

Profile: TypeAlias = Literal["lab", "open"]
"""How strict the ids of one question set are."""

PROFILES: Final[tuple[Profile, ...]] = ("lab", "open")

_LAB: Final = re.compile(r"[a-z][a-z0-9-]{0,31}", re.ASCII)
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,127}", re.ASCII)
_MAX_OPEN: Final = 512
_FORBIDDEN: Final = {
    "Cc": "a control character",
    "Cf": "a format or bidi-control character",
    "Cs": "a surrogate",
}


def max_ids(profile: Profile) -> int:
    """
    Return how many ids one list may hold under *profile*.

    >>> max_ids("lab"), max_ids("open")
    (100, 10000)
    """
    return MAX_IDS_LAB if profile == "lab" else MAX_IDS_OPEN


def check_id(text: str, profile: Profile) -> str | None:
    """
    Tell what is wrong with an id under *profile*, `None` when nothing is.

    >>> check_id("Benefits Details.pdf#page=103", "open") is None
    True
    >>> check_id(" a", "open")
    'begins or ends with white space'
    >>> check_id("Launch", "lab")
    'must be a small letter, then up to 31 small letters, digits or hyphens'
    """
    if profile == "lab":
        if _LAB.fullmatch(text):
            return None
        return "must be a small letter, then up to 31 small letters, digits or hyphens"
    if not text:
        return "is empty"
    if len(text) > _MAX_OPEN:
        return f"is longer than {_MAX_OPEN} characters"
    if text[0].isspace() or text[-1].isspace():
        return "begins or ends with white space"
    # Printable text holds none of the forbidden categories; the rest is looked at one by one.
    return None if text.isprintable() else _forbidden(text)


def all_well_formed(ids: Collection[str], profile: Profile) -> bool:
    """
    Tell whether `check_id` finds nothing in any of *ids*; made for very many of them.

    >>> all_well_formed(["a#1", "b#2"], "open"), all_well_formed(["a#1"], "lab")
    (True, False)
    """
    if profile == "lab":
        return all(map(_LAB.fullmatch, ids))
    joined = "".join(ids)
    if len(joined) <= _MAX_OPEN and joined.isprintable() and " " not in joined:
        return all(ids)
    return not any(check_id(text, "open") for text in ids)


def _forbidden(text: str) -> str | None:
    """Name the first forbidden character of *text* by its code point."""
    for char in text:
        what = _FORBIDDEN.get(unicodedata.category(char))
        if what is not None:
            return f"holds {what}, U+{ord(char):04X}"
    return None


def check_name(text: str) -> str | None:
    """
    Tell what is wrong with a version, or with the id of a set, run or policy.

    Such names become file names, hence the narrow alphabet.

    >>> check_name("2026-11-20-baseline") is None, check_name("1..2")
    (True, 'must not hold ".."')
    >>> check_name("a/b")
    'must be 1 to 128 of A-Z a-z 0-9 . _ + - and begin with a letter or digit'
    """
    if not _NAME.fullmatch(text):
        return "must be 1 to 128 of A-Z a-z 0-9 . _ + - and begin with a letter or digit"
    return 'must not hold ".."' if ".." in text else None
