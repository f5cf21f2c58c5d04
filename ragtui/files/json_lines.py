"""
Strict JSON, one object a line.

No decoder in use refuses repeated keys; `check_keys` finds them without parsing twice. Whatever a
fast decoder refuses is read again by `parse_object`, which is slow and says exactly what is wrong.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from typing import TYPE_CHECKING, Final, NoReturn

from ragtui.errors import Fault
from ragtui.files.limits import MAX_NESTING
from ragtui.files.shape import Faults, describe, key_path, odd_values
from ragtui.files.sources import conflict_mark
from ragtui.text import nearest

if TYPE_CHECKING:
    from collections.abc import Iterable

    from msgspec import Raw

__all__ = ["check_keys", "parse_object", "proves_keys", "translate", "without_texts"]

_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"|(?P<mark>[\[\]{}])', re.DOTALL)
_SPACED_COLON: Final = re.compile(rb'(?<!\\)"[ \t\r]+:')
_BACKSLASH: Final = 0x5C
_MAX_DIGITS: Final = 400
_AT: Final = re.compile(r" - at `\$\.?(?P<path>.*)`$")
_EXPECTED: Final = re.compile(
    r"Expected `(?P<expected>.+?)`(?P<more>[^`]*)(?:, got `(?P<found>.+)`)?$"
)
_FIELD: Final = re.compile(
    r"Object (?P<what>contains unknown|missing required) field `(?P<key>.*)`$"
)


class _Refused(ValueError):  # noqa: N818  never leaves this module
    """A value the decoder's hooks refuse."""


def parse_object(line: bytes, *, file: str, number: int | None = None) -> dict[str, object]:
    """
    Return the object that *line* number *number* of *file* holds.

    Raises InputError naming each repeated key, number that is not finite or too large, half
    surrogate and too deep nesting; one fault when it is no JSON object at all.

    >>> parse_object(b'{"question": "owner"}', file="a.jsonl")
    {'question': 'owner'}
    """
    faults = Faults(file)
    try:
        text = line.decode()
    except UnicodeDecodeError as error:
        found = f"byte 0x{line[error.start]:02x} at column {error.start + 1}"
        _refuse(faults, number, "the text is not UTF-8", found=found, expected="UTF-8")
    if mark := conflict_mark(line):
        faults.add(mark, line=number)
        raise faults.error()
    if _depth(text) > MAX_NESTING:
        found = f"more than {MAX_NESTING} levels"
        wanted = f"at most {MAX_NESTING}"
        _refuse(faults, number, "the nesting is too deep", found=found, expected=wanted)
    repeated: list[str] = []
    value = _loads(text, repeated, faults, number)
    if not isinstance(value, dict):
        _not_an_object(value, faults, number)
    for key in repeated:
        faults.add(
            Fault(message="the key stands more than once", key=key_path("", key)), line=number
        )
    faults.add(*odd_values(value), line=number)
    faults.raise_any()
    return value


def check_keys(line: bytes, distinct: int, *, file: str, number: int | None = None) -> None:
    """
    Make sure that the valid JSON in *line* has no repeated key.

    *distinct* is how many keys the decoded objects of the line hold in all, each counted once per
    object; where `proves_keys` cannot tell, the line is parsed again. Raises InputError naming the
    key.

    >>> check_keys(b'{"id": "a:b"}', 1, file="a.jsonl")
    """
    if not proves_keys(line, distinct):
        parse_object(line, file=file, number=number)


def proves_keys(line: bytes, distinct: int) -> bool:
    r"""
    Tell whether the valid JSON in *line* surely holds no more than *distinct* keys.

    Every key has one colon of its own, however it is spelled, so that without colons in texts
    counting is proof. Else only colons that follow a quote are counted: inside a text a quote is
    escaped, and no key or text may end in a backslash. False says "perhaps not".

    >>> proves_keys(b'{"id": "a:b"}', 1), proves_keys(rb'{"id": 1, "\u0069d": 2}', 1)
    (True, False)
    """
    if line.count(b":") == distinct:
        return True
    after_quotes = line.count(b'":')
    if b"\\" in line:
        if b'\\\\":' in line:
            return False
        after_quotes -= line.count(b'\\":')
    if after_quotes != distinct:
        return False
    spaced = b" :" in line or b"\t" in line or b"\r" in line
    return not (spaced and _SPACED_COLON.search(line))


def without_texts(line: bytes, key: bytes, texts: Iterable[bytes | Raw]) -> bytes | None:
    r"""
    Return the valid JSON in *line* without *texts*, as they are written, which stand under *key*.

    *key* is written with its quotes; *texts* are in the order of the line. All keys stay, so that
    `proves_keys` need not read long texts. The search only ever starts outside of a text, where a
    quoted key can be nothing else. `None` when a text does not stand where it should.

    >>> without_texts(rb'[{"text": "a: \" b", "id": 1}]', b'"text"', [rb'"a: \" b"'])
    b'[{"text": "", "id": 1}]'
    """
    parts = []
    at = 0
    for text in texts:
        found = line.find(key, at)
        if found < 0:
            return None
        begin = found + len(key)
        begin += line[begin : begin + 1] == b":"
        begin += line[begin : begin + 1] == b" "
        if line[begin : begin + 1] != b'"':
            return None
        parts.append(line[at : begin + 1])
        at = line.find(b'"', begin + 1)
        if line[at - 1] == _BACKSLASH:  # perhaps an escaped quote: only then the text is needed
            if not line.startswith(text, begin):
                return None
            at = begin + memoryview(text).nbytes - 1
    parts.append(line[at:])
    return b"".join(parts)


def translate(error: Exception, *, known: Iterable[str] = ()) -> Fault:
    """
    Return what a msgspec *error* says as a fault; *known* are the keys that may stand there.

    >>> translate(ValueError("Expected `str`, got `int` - at `$.question`")).key
    'question'
    """
    told = str(error)
    place = _AT.search(told)
    key = place["path"] if place else None
    what = told[: place.start()] if place else told
    if field := _FIELD.match(what):
        return _field(field["what"], field["key"], key, list(known))
    if wrong := _EXPECTED.match(what):
        return Fault(
            message="the value has another type",
            key=key,
            found=wrong["found"],
            expected=f"{wrong['expected']}{wrong['more']}",
        )
    return Fault(message=f"this is not valid: {what}", key=key)


def _field(what: str, name: str, path: str | None, known: list[str]) -> Fault:
    key = f"{path}.{name}" if path else name
    if what == "missing required":
        return Fault(message="the key is missing", key=key, hint="add it")
    close = nearest(name, known)
    hint = f'did you mean "{close}"?' if close else f"known here: {', '.join(known)}"
    return Fault(message="unknown key", key=key, hint=hint if known else None)


def _loads(text: str, repeated: list[str], faults: Faults, number: int | None) -> object:
    def pairs(items: list[tuple[str, object]]) -> dict[str, object]:
        table = dict(items)
        if len(table) < len(items):
            counts = Counter(key for key, _ in items)
            repeated.extend(key for key, count in counts.items() if count > 1)
        return table

    try:
        return json.loads(
            text,
            object_pairs_hook=pairs,
            parse_constant=_constant,
            parse_int=_whole,
            parse_float=_real,
        )
    except json.JSONDecodeError as error:
        _not_json(text, error, faults, number)
    except _Refused as error:
        _refuse(faults, number, str(error))
    except RecursionError:
        _refuse(faults, number, "the nesting is too deep")


def _constant(name: str) -> NoReturn:
    raise _Refused(f"{name} is not a number JSON knows")


def _whole(digits: str) -> int:
    if len(digits) > _MAX_DIGITS:
        raise _Refused(f"a number has {len(digits)} digits")
    return int(digits)


def _real(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise _Refused(f"the number {digits[:40]} is too large")
    return value


def _depth(text: str) -> int:
    depth = deepest = 0
    for token in _TOKEN.finditer(text):
        mark = token["mark"]
        if mark is None:
            continue
        depth += 1 if mark in "[{" else -1
        deepest = max(deepest, depth)
    return deepest


def _not_json(
    text: str, error: json.JSONDecodeError, faults: Faults, number: int | None
) -> NoReturn:
    if text.strip() in {"{", "[", "[{"}:
        _refuse(
            faults,
            number,
            "the JSON is spread over several lines",
            expected="one whole object a line",
            hint="write it as JSONL",
        )
    _refuse(
        faults,
        number,
        f"this is not JSON: {error.msg[:1].lower()}{error.msg[1:]}",
        found=f"{describe(text[error.pos : error.pos + 20])} at column {error.colno}",
        expected="one whole object a line",
    )


def _not_an_object(value: object, faults: Faults, number: int | None) -> NoReturn:
    if isinstance(value, list):
        _refuse(
            faults,
            number,
            "this is a JSON array",
            expected="one object a line",
            hint="write each element on a line of its own",
        )
    _refuse(
        faults, number, "this is not an object", found=describe(value), expected="one object a line"
    )


def _refuse(
    faults: Faults,
    number: int | None,
    message: str,
    *,
    found: str | None = None,
    expected: str | None = None,
    hint: str | None = None,
) -> NoReturn:
    fault = Fault(message=message, found=found, expected=expected, hint=hint)
    faults.add(fault, line=number)
    raise faults.error()
