"""One spelling for one value, so that digests compare content and not layout."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from hashlib import sha256
from typing import Final

__all__ = ["canonical", "sha256_hex"]

_ENCODER: Final = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":")
)


def canonical(value: object) -> bytes:
    r"""
    Return *value* as canonical JSON in UTF-8.

    Keys are sorted by code point, separators are `,` and `:`, only what JSON must escape is
    escaped, dates are RFC 3339 text, keys whose value is `None` are left out, lists keep order.
    Raises ValueError for numbers and texts JSON cannot hold, TypeError for other types.

    >>> canonical({"b": [1, None], "a": "é", "c": None}).decode()
    '{"a":"é","b":[1,null]}'
    """
    return _ENCODER.encode(_plain(value)).encode()


def sha256_hex(data: bytes) -> str:
    """
    Return the SHA-256 digest of *data* as 64 hexadecimal digits.

    >>> sha256_hex(b"")[:12]
    'e3b0c44298fc'
    """
    return sha256(data).hexdigest()


def _plain(value: object) -> object:
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, Mapping):
        return {_key(key): _plain(item) for key, item in value.items() if item is not None}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, datetime | date | time):
        return _moment(value)
    raise TypeError(f"{type(value).__name__} has no canonical JSON")


def _key(key: object) -> str:
    if isinstance(key, str):
        return key
    raise TypeError(f"a key must be text, not {type(key).__name__}")


def _moment(value: datetime | date | time) -> str:
    text = value.isoformat()
    if isinstance(value, datetime) and value.utcoffset() == timedelta():
        return text.removesuffix("+00:00") + "Z"
    return text
