"""
A small checker of JSON Schema: the keywords that the printed schemas use, and no others.

An unknown keyword is an error, so that no schema can promise what this does not check.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Json", "faults", "is_valid"]

Json: TypeAlias = Any

_SAYS_NOTHING: Final = {"$schema", "$id", "$defs", "title", "description", "default"}


def is_valid(value: Json, schema: Json) -> bool:
    """Tell whether *value* keeps *schema*."""
    return not list(faults(value, schema))


def faults(value: Json, schema: Json, root: Json = None, at: str = "$") -> Iterator[str]:
    """Yield where *value* breaks *schema*."""
    if schema is True or schema is False:
        if not schema:
            yield f"{at} must not be there"
        return
    root = schema if root is None else root
    for keyword, told in schema.items():
        if keyword not in _SAYS_NOTHING:
            yield from _CHECKS[keyword](value, told, schema, root, at)


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_TYPES: Final[dict[str, Any]] = {
    "string": lambda v: isinstance(v, str),
    "object": lambda v: isinstance(v, dict),
    "array": lambda v: isinstance(v, list),
    "boolean": lambda v: isinstance(v, bool),
    "null": lambda v: v is None,
    "number": _is_number,
    "integer": lambda v: _is_number(v) and float(v).is_integer(),
}


def _same(a: Json, b: Json) -> bool:
    return bool(a == b) and isinstance(a, bool) is isinstance(b, bool)


def _type(value: Json, told: Json, schema: Json, root: Json, at: str) -> Iterator[str]:
    del schema, root
    names = [told] if isinstance(told, str) else told
    if not any(_TYPES[name](value) for name in names):
        yield f"{at} is not {told}"


def _ref(value: Json, told: Json, schema: Json, root: Json, at: str) -> Iterator[str]:
    del schema
    yield from faults(value, root["$defs"][told.removeprefix("#/$defs/")], root, at)


def _properties(value: Json, told: Json, schema: Json, root: Json, at: str) -> Iterator[str]:
    del schema
    for key in told.keys() & (value.keys() if isinstance(value, dict) else ()):
        yield from faults(value[key], told[key], root, f"{at}.{key}")


def _additional(value: Json, told: Json, schema: Json, root: Json, at: str) -> Iterator[str]:
    for key in (
        value.keys() - schema.get("properties", {}).keys() if isinstance(value, dict) else ()
    ):
        yield from faults(value[key], told, root, f"{at}.{key}")


def _required(value: Json, told: Json, schema: Json, root: Json, at: str) -> Iterator[str]:
    del schema, root
    if isinstance(value, dict):
        yield from (f"{at}.{key} is missing" for key in told if key not in value)


def _items(value: Json, told: Json, schema: Json, root: Json, at: str) -> Iterator[str]:
    start = len(schema.get("prefixItems", ()))
    for place, item in enumerate(value[start:] if isinstance(value, list) else (), start):
        yield from faults(item, told, root, f"{at}[{place}]")


def _prefix(value: Json, told: Json, schema: Json, root: Json, at: str) -> Iterator[str]:
    del schema
    for place, (item, inner) in enumerate(
        zip(value if isinstance(value, list) else (), told, strict=False)
    ):
        yield from faults(item, inner, root, f"{at}[{place}]")


def _any_of(value: Json, told: Json, schema: Json, root: Json, at: str) -> Iterator[str]:
    del schema
    if all(list(faults(value, each, root, at)) for each in told):
        yield f"{at} keeps none of {len(told)} schemas"


def _one_of(value: Json, told: Json, schema: Json, root: Json, at: str) -> Iterator[str]:
    del schema
    kept = sum(not list(faults(value, each, root, at)) for each in told)
    if kept != 1:
        yield f"{at} keeps {kept} of {len(told)} schemas"


def _simple(holds: Json) -> Json:
    def check(value: Json, told: Json, schema: Json, root: Json, at: str) -> Iterator[str]:
        del schema, root
        if not holds(value, told):
            yield f"{at} breaks {told!r}"

    return check


_CHECKS: Final[dict[str, Any]] = {
    "type": _type,
    "$ref": _ref,
    "properties": _properties,
    "additionalProperties": _additional,
    "required": _required,
    "items": _items,
    "prefixItems": _prefix,
    "anyOf": _any_of,
    "oneOf": _one_of,
    "const": _simple(_same),
    "enum": _simple(lambda v, told: any(_same(v, each) for each in told)),
    "pattern": _simple(lambda v, told: not isinstance(v, str) or re.search(told, v) is not None),
    "minimum": _simple(lambda v, told: not _is_number(v) or v >= told),
    "maximum": _simple(lambda v, told: not _is_number(v) or v <= told),
    "minItems": _simple(lambda v, told: not isinstance(v, list) or len(v) >= told),
    "maxItems": _simple(lambda v, told: not isinstance(v, list) or len(v) <= told),
    "minProperties": _simple(lambda v, told: not isinstance(v, dict) or len(v) >= told),
}
