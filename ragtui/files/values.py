"""Saying what a decoded value is, where it stands, and what no value may be."""

from __future__ import annotations

import math
import re
from datetime import date, datetime, time
from typing import TYPE_CHECKING, Final

from ragtui.errors import Fault
from ragtui.files.canonical import canonical
from ragtui.files.limits import MAX_INTEGER, MAX_NESTING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

__all__ = ["describe", "first_repeat", "flatten", "key_path", "odd_values", "plain"]

_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")
_SHOWN_TEXT: Final = 80


def key_path(path: str, key: str) -> str:
    """
    Return *key* below *path* as TOML writes it, for messages: long keys are cut.

    >>> key_path("support", "switch"), key_path("", "a.b")
    ('support.switch', '"a.b"')
    """
    return _joined(path, _cut(key))


def describe(value: object) -> str:
    """
    Return what *value* is, short, for `found`.

    >>> describe(True), describe("a"), describe([1]), describe(1.5)
    ('true', '"a"', 'a list', '1.5')
    """
    if isinstance(value, str):
        return f'"{_cut(value)}"'
    if isinstance(value, int) and abs(value) > MAX_INTEGER:
        return f"a whole number of {value.bit_length()} bits"
    if isinstance(value, datetime | date | time):
        return f"the date or time {value.isoformat()}"
    if isinstance(value, list | tuple | dict):
        return "a table" if isinstance(value, dict) else "a list"
    words: dict[object, str] = {None: "null", True: "true", False: "false"}
    return words[value] if value is None or isinstance(value, bool) else repr(value)


def first_repeat(values: Iterable[str]) -> str | None:
    """
    Return the first value that stands a second time.

    >>> first_repeat(["a", "b", "a"])
    'a'
    """
    seen: set[str] = set()
    for value in values:
        if value in seen:
            return value
        seen.add(value)
    return None


def flatten(data: Mapping[str, object]) -> dict[str, object]:
    """
    Return nested tables as one with dotted keys; dates become text, lists tuples.

    >>> flatten({"code": {"revision": "8f2c1e0"}, "k": [1, 2]})
    {'code.revision': '8f2c1e0', 'k': (1, 2)}
    """
    flat: dict[str, object] = {}
    stack = [("", data)]
    while stack:
        path, table = stack.pop()
        for key, value in table.items():
            if isinstance(value, dict):
                stack.append((_joined(path, key), value))
            else:
                flat[_joined(path, key)] = plain(value)
    return dict(sorted(flat.items()))


def odd_values(data: object) -> Iterator[Fault]:
    """Yield a fault for each value nested too deep, number out of bounds and lone surrogate."""
    stack: list[tuple[str, object, int]] = [("", data, 0)]
    while stack:
        path, value, depth = stack.pop()
        if depth > MAX_NESTING:
            yield _too_deep(path)
        elif isinstance(value, dict):
            children = [(key_path(path, key), child, depth + 1) for key, child in value.items()]
            stack.extend(reversed(children))
            yield from _odd_keys(path, value)
        elif isinstance(value, list):
            children = [(f"{path}[{i}]", child, depth + 1) for i, child in enumerate(value)]
            stack.extend(reversed(children))
        elif (wrong := _odd_scalar(value)) is not None:
            yield Fault(message=wrong, key=path, found=describe(value))


def _odd_scalar(value: object) -> str | None:
    if isinstance(value, str):
        return "the text holds half of a surrogate pair" if _has_surrogate(value) else None
    if isinstance(value, float):
        return None if math.isfinite(value) else "the number is not finite"
    if isinstance(value, int) and abs(value) > MAX_INTEGER:
        return "the number is too large"
    return None


def _odd_keys(path: str, table: Mapping[str, object]) -> Iterator[Fault]:
    for key in table:
        if _has_surrogate(key):
            yield Fault(message="the key holds half of a surrogate pair", key=key_path(path, key))


def _has_surrogate(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def _too_deep(path: str) -> Fault:
    return Fault(
        message="the nesting is too deep",
        key=_cut(path),
        found=f"more than {MAX_NESTING} levels",
        expected=f"at most {MAX_NESTING}",
    )


def plain(value: object) -> object:
    """Return *value* with dates as RFC 3339 text and lists as tuples."""
    if isinstance(value, datetime | date | time):
        return canonical(value).decode().strip('"')
    if isinstance(value, dict):
        return flatten(value)
    if isinstance(value, list):
        return tuple(plain(item) for item in value)
    return value


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN_TEXT else f"{text[:_SHOWN_TEXT]}…"


def _joined(path: str, key: str) -> str:
    part = key if _BARE.fullmatch(key) else f'"{key}"'
    return f"{path}.{part}" if path else part
