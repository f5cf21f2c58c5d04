"""Equal content has equal bytes, different content has different ones."""

from __future__ import annotations

import json
import tomllib
from datetime import UTC, date, datetime, time, timedelta, timezone
from hashlib import sha256
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtui.files.canonical import canonical, sha256_hex

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def without_nulls(value: object) -> object:
    """Return *value* without keys that hold nothing, written independently of the code."""
    if isinstance(value, dict):
        return {k: without_nulls(v) for k, v in value.items() if v is not None}
    if isinstance(value, list):
        return [without_nulls(v) for v in value]
    return value


@given(value=VALUES)
def test_decoding_gives_the_value_without_empty_keys(value: object) -> None:
    """Nothing else is lost."""
    assert json.loads(canonical(value)) == without_nulls(value)


@given(value=VALUES)
def test_the_bytes_do_not_depend_on_the_order_of_keys(value: object) -> None:
    """Reading and writing again is the same."""

    def turned(inner: object) -> object:
        if isinstance(inner, dict):
            return {k: turned(v) for k, v in reversed(inner.items())}
        return [turned(v) for v in inner] if isinstance(inner, list) else inner

    assert canonical(turned(value)) == canonical(value)


@given(keys=st.lists(st.text(), unique=True, min_size=2))
def test_keys_are_sorted_by_code_point(keys: list[str]) -> None:
    """Not by their UTF-16 code units, as some other canonical forms do."""
    found = list(json.loads(canonical(dict.fromkeys(keys, 1))))
    assert all([ord(c) for c in left] < [ord(c) for c in right] for left, right in pairwise(found))


def test_only_what_must_be_escaped_is() -> None:
    """Everything above U+001F but the quote and the backslash stands as it is."""
    text = "".join(map(chr, range(0x20, 0x250))) + "\u2028\U0001f600"
    inside = text.replace("\\", "\\\\").replace('"', '\\"')
    assert canonical(text).decode() == f'"{inside}"'
    assert canonical("\n\x1f").decode() == '"\\n\\u001f"'


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (datetime(2026, 11, 20, 9, 30, tzinfo=UTC), "2026-11-20T09:30:00Z"),
        (
            datetime(2026, 11, 20, 9, 30, tzinfo=timezone(timedelta(hours=1))),
            "2026-11-20T09:30:00+01:00",
        ),
        (datetime(2026, 11, 20, 9, 30), "2026-11-20T09:30:00"),  # noqa: DTZ001  a local time
        (date(2026, 11, 20), "2026-11-20"),
        (time(9, 30), "09:30:00"),
    ],
)
def test_dates_are_rfc_3339_text(value: object, text: str) -> None:
    """The text is the one TOML would read again."""
    assert canonical({"at": value}) == b'{"at":"%s"}' % text.encode()
    assert tomllib.loads(f"at = {text}") == {"at": value}


def test_true_and_one_are_different() -> None:
    """Python takes them for equal, a file does not."""
    assert len({canonical([value]) for value in (True, 1, 1.0, "1")}) == 4


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "\ud800"])
def test_what_json_cannot_hold_is_refused(value: object) -> None:
    """There is no silent replacement."""
    with pytest.raises(ValueError, match=r"JSON|surrogates"):
        canonical(value)


@pytest.mark.parametrize("value", [{1: 2}, {"a": {1, 2}}, b"bytes"])
def test_other_types_are_refused(value: object) -> None:
    """A set has no order to keep, a key that is no text no place to stand."""
    with pytest.raises(TypeError):
        canonical(value)


@given(data=st.binary())
def test_the_digest_is_sha256_in_hex(data: bytes) -> None:
    """As every tool prints it."""
    assert sha256_hex(data) == sha256(data).hexdigest()
