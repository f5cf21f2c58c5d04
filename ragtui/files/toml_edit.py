"""
Setting single values in a TOML file that people wrote, and touching nothing else of it.

Comments, order, spacing and line ends stay. What an edit did is proved by parsing both texts: they
must be equal but for the value set, else the edit is refused.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


__all__ = ["CannotEditError", "set_text"]

_STRING: Final = (
    r'"""(?:[^"\\]|\\.|"(?!""))*"{3,5}'
    r"|'''(?:[^']|'(?!''))*'{3,5}"
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|'[^'\n]*'"
)
_TOKEN: Final = re.compile(rf"{_STRING}|\#[^\n]*|\n|[\[\]{{}}]|[^\"'#\n\[\]{{}}]+", re.DOTALL)
_PART: Final = r"""(?:[A-Za-z0-9_-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')"""
_KEY: Final = re.compile(rf"(?P<key>{_PART}(?:[ \t]*\.[ \t]*{_PART})*)(?P<equals>[ \t]*=[ \t]*)")
_BLANK: Final = re.compile(r"(?:[ \t\r\n]+|#[^\n]*)*")


class CannotEditError(ValueError):
    """The file is written in a way that this editor does not handle."""


@dataclass(frozen=True, slots=True)
class _Statement:
    """One `key = value` of the text."""

    path: tuple[str, ...]
    """Whole key path, the table's included."""
    written: str
    """The key as written."""
    start: int
    """Where the key begins."""
    value: int
    """Where the value begins."""
    end: int
    """Where the value ends."""


def set_text(text: str, path: Sequence[str], value: str) -> str:
    r"""
    Return *text* with the key at *path* set to the string *value*, which needs no escapes.

    Raises CannotEditError when that cannot be done without touching anything else.

    >>> set_text('[set]\npath = "a"  # where\n', ("set", "sha256"), "0f")
    '[set]\npath = "a"  # where\nsha256 = "0f"\n'
    """
    wanted = tomllib.loads(text)
    _put(wanted, path, value)
    edited = _edit(text, tuple(path), f'"{value}"')
    try:
        found = tomllib.loads(edited)
    except tomllib.TOMLDecodeError as error:
        raise CannotEditError(str(error)) from error
    if found != wanted:
        raise CannotEditError("another value would change too")
    return edited


def _put(data: dict[str, object], path: Sequence[str], value: str) -> None:
    """Set the value in the parsed *data*."""
    table = data
    for part in path[:-1]:
        inner = table.setdefault(part, {})
        if not isinstance(inner, dict):
            raise CannotEditError(f"{part} is no table")
        table = inner
    table[path[-1]] = value


def _edit(text: str, path: tuple[str, ...], value: str) -> str:
    statements = list(_statements(text))
    for statement in statements:
        if statement.path == path:
            return text[: statement.value] + value + text[statement.end :]
    for statement in statements:
        if statement.path == path[:-1] and text[statement.value] == "{":
            return _edit_inline(text, statement, path[-1], value)
    siblings = [statement for statement in statements if statement.path[:-1] == path[:-1]]
    if not siblings:
        raise CannotEditError(f"there is no table {'.'.join(path[:-1])}")
    return _insert_after(text, siblings[-1], path[-1], value)


def _edit_inline(text: str, table: _Statement, key: str, value: str) -> str:
    """Set *key* inside `{ … }`."""
    inner = text[table.value : table.end]
    for found in _KEY.finditer(inner):
        if found["key"] == key:
            old = _TOKEN.match(inner, found.end())
            end = old.end() if old else found.end()
            inner = inner[: found.end()] + value + inner[end:]
            return text[: table.value] + inner + text[table.end :]
    body = inner[1:-1].rstrip(" \t")
    space = " " if body.startswith(" ") else ""
    comma = ", " if body.strip() else ""
    return f"{text[: table.value]}{{{body}{comma}{key} = {value}{space}}}{text[table.end :]}"


def _insert_after(text: str, sibling: _Statement, key: str, value: str) -> str:
    """Add a line below *sibling* in its style: indent, dotted prefix and place of `=`."""
    line_start = text.rfind("\n", 0, sibling.start) + 1
    indent = text[line_start : sibling.start]
    prefix, dot, _ = sibling.written.rpartition(".")
    equals = text[sibling.start + len(sibling.written) : sibling.value]
    gap = equals.index("=")
    written = f"{prefix}{dot}{key}"
    width = len(sibling.written) + gap
    if gap and len(written) >= width:
        width = len(written) + 1
    line = f"{indent}{written.ljust(width)}{equals[gap:]}{value}"
    newline = text.find("\n", sibling.end)
    if newline < 0:
        ending = "\r\n" if "\r\n" in text else "\n"
        return f"{text}{ending}{line}"
    ending = "\r\n" if text[newline - 1] == "\r" else "\n"
    return f"{text[: newline + 1]}{line}{ending}{text[newline + 1 :]}"


def _statements(text: str) -> Iterator[_Statement]:
    """Give every `key = value` outside inline tables; *text* is valid TOML."""
    table: tuple[str, ...] = ()
    at = 0
    while (at := _skip(text, at)) < len(text):
        if text[at] == "[":
            end = _end_of_value(text, at)
            table = _path(text[at:end])
            at = end
            continue
        found = _KEY.match(text, at)
        if found is None:
            raise CannotEditError(f"unexpected text: {text[at : at + 20]!r}")
        end = _end_of_value(text, found.end())
        path = table + _path(f"{found['key']} = 0")
        yield _Statement(path, found["key"], at, found.end(), end)
        at = end


def _skip(text: str, at: int) -> int:
    """Return where the next statement begins: behind white space and comments."""
    found = _BLANK.match(text, at)
    return found.end() if found else at


def _end_of_value(text: str, at: int) -> int:
    """Return where the value (or table header) that begins at *at* ends."""
    depth = 0
    end = at
    for token in _TOKEN.finditer(text, at):
        piece = token.group()
        if depth == 0 and (piece == "\n" or piece.startswith("#")):
            break
        depth += (piece in "[{") - (piece in "]}")
        end = token.end()
    return at + len(text[at:end].rstrip())


def _path(header_or_key: str) -> tuple[str, ...]:
    """Return the key path of a table header or of `key = 0`; the standard parser knows it best."""
    parts = []
    data: object = tomllib.loads(header_or_key)
    while isinstance(data, dict | list) and data:
        if isinstance(data, list):
            # Statements of `[[…]]` belong to no single path.
            parts.append("[]")
            data = data[0]
        else:
            ((part, data),) = data.items()
            parts.append(part)
    return tuple(parts)
