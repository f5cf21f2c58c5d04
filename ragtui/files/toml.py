"""TOML files that people wrote: limits first, then the standard parser, every failure named."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from ragtui.errors import Fault, InputError
from ragtui.files.canonical import sha256_hex
from ragtui.files.limits import MAX_DOTTED_PARTS, MAX_NESTING
from ragtui.files.shape import Faults, odd_values
from ragtui.files.sources import decode_text, read_bytes, shown_path

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["TomlFile", "has_comments", "load_toml", "parse_toml"]

# Strings and comments are taken whole, so that what stands in them is not counted.
_TOKEN: Final = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*"""'
    r"|'''(?:[^']|'(?!''))*'''"
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|'[^'\n]*'"
    r"|\#[^\n]*"
    r"|(?P<mark>[\[\]{}.=,\n])",
    re.DOTALL,
)
_PLACE: Final = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


@dataclass(frozen=True, slots=True)
class TomlFile:
    """One parsed file and the very bytes it was parsed from."""

    path: Path
    shown: str
    """The path as the user would write it."""
    data: dict[str, object]
    raw: bytes
    sha256: str


def load_toml(path: Path, *, limit: int) -> TomlFile:
    """Read and parse the file at *path*, at most *limit* bytes. Raises InputError."""
    shown = shown_path(path)
    raw = read_bytes(path, limit=limit, shown=shown)
    return TomlFile(path, shown, parse_toml(raw, shown), raw, sha256_hex(raw))


def parse_toml(raw: bytes, shown: str) -> dict[str, object]:
    """
    Parse the content of a file called *shown*. Raises InputError with the line.

    >>> parse_toml(b"k = 2", "a.toml")
    {'k': 2}
    """
    text = decode_text(raw, shown)
    if fault := _too_nested(text):
        raise InputError(fault.at(file=shown))
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(_syntax(error, text).at(file=shown)) from error
    except (ValueError, RecursionError) as error:
        raise InputError(Fault(message="a value is too large to read", file=shown)) from error
    faults = Faults(shown)
    faults.add(*odd_values(data))
    faults.raise_any()
    return data


def has_comments(raw: bytes) -> bool:
    """
    Tell whether valid TOML holds comments, which no writer here would keep.

    >>> has_comments(b'k = "# text"'), has_comments(b"k = 1 # why")
    (False, True)
    """
    tokens = _TOKEN.finditer(raw.decode())
    return any(token.group().startswith("#") for token in tokens)


def _too_nested(text: str) -> Fault | None:
    """Find brackets or dotted keys the parser would choke on, without parsing."""
    depth = dots = 0
    line = 1
    at = 0
    for token in _TOKEN.finditer(text):
        mark = token["mark"]
        if mark is None:
            continue
        if mark == ".":
            dots += 1
        else:
            dots = 0
            depth = max(0, depth + (mark in "[{") - (mark in "]}"))
        if depth > MAX_NESTING or dots >= MAX_DOTTED_PARTS:
            line += text.count("\n", at, token.start())
            return _nested(depth).at(line=line)
    return None


def _nested(depth: int) -> Fault:
    if depth > MAX_NESTING:
        return Fault(
            message="the nesting is too deep",
            found=f"more than {MAX_NESTING} levels",
            expected=f"at most {MAX_NESTING}",
        )
    return Fault(
        message="the dotted key is too long",
        found=f"more than {MAX_DOTTED_PARTS} parts",
        expected=f"at most {MAX_DOTTED_PARTS}",
    )


def _syntax(error: tomllib.TOMLDecodeError, text: str) -> Fault:
    told = str(error)
    place = _PLACE.search(told)
    lines = text.split("\n")
    number = int(place[1]) if place and place[1] else len(lines)
    what = told[: place.start()] if place else told
    return Fault(
        message=f"this is not TOML: {what[:1].lower()}{what[1:]}",
        line=number,
        found=lines[number - 1].strip()[:80] or None,
        expected=f"valid TOML at column {place[2]}" if place and place[2] else None,
    )
