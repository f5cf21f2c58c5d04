"""Taking out of a text what names a machine or a person's folders."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from ragtui.notes.document import data, text

if TYPE_CHECKING:
    from ragtui.core.evidence import RecordPlace
    from ragtui.notes.document import Text

__all__ = ["place_text", "setting_text", "setting_value", "without_places"]

_ADDRESS: Final = re.compile(r"\b([A-Za-z][A-Za-z0-9+.-]*)://[^\s\"'<>]*")
_REMOTE: Final = re.compile(r"\b[\w.-]+@[\w.-]+:")
_PERSON: Final = re.compile(
    r"(?<!\w)(?:~[\w.-]+|/(?:home|Users)/[^\s\"'/]+|[A-Za-z]:\\Users\\[^\s\"'\\]+)"
)
"""A folder that is called as its owner is."""
_FOLDERS: Final = re.compile(
    r"(?<![\w.…/\\])(?!//…)(?:[~…]|[A-Za-z]:)?[/\\]{1,2}(?:[^\s\"'/\\]+[/\\])*([^\s\"'/\\]+)"
)


def without_places(told: str) -> str:
    """
    Return *told* with addresses and absolute paths cut down to what names no machine.

    >>> without_places("/home/jo/index-7 or http://gpu-07:8000/v1")
    '…/index-7 or http://…'
    >>> without_places("bm25/okapi")
    'bm25/okapi'
    """
    cut = _REMOTE.sub("…:", _ADDRESS.sub(r"\1://…", told))
    return _FOLDERS.sub(r"…/\1", _PERSON.sub("…", cut))


def setting_value(value: object) -> object:
    """
    Return a recorded setting as a note holds it: a JSON type, and no place on a machine.

    >>> setting_value(0.5), setting_value("/srv/prompts/p-12.txt")
    (0.5, '…/p-12.txt')
    """
    if value is None or isinstance(value, (bool, int, float)):
        return value
    return without_places(str(value))


def setting_text(value: object) -> Text:
    """Return a recorded setting as a note shows it."""
    kept = setting_value(value)
    return text("not recorded") if kept is None else text(data(str(kept)))


def place_text(place: RecordPlace | None) -> Text:
    """Return the file and line of a record; the file's name alone."""
    if place is None:
        return text("no record")
    name = place.path.replace("\\", "/").rsplit("/", 1)[-1]
    return text(data(name), f" line {place.line:,}")
