"""Strict JSON, and proof without parsing twice that no key is repeated."""

from __future__ import annotations

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtui.errors import InputError
from ragtui.files.json_lines import (
    check_keys,
    parse_object,
    proves_keys,
    translate,
    without_texts,
)

TEXT = st.text(st.characters(codec="utf-8")) | st.text(alphabet='\\":,{}[] \ta')
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=10,
)
OBJECTS = st.dictionaries(TEXT, VALUES, max_size=4)
SPACES = st.sampled_from(["", " ", "\t", "  "])


def refusal(line: bytes) -> str:
    """Return the one message that *line* is refused with."""
    with pytest.raises(InputError) as caught:
        parse_object(line, file="a.jsonl", number=4)
    assert len(caught.value.faults) == 1
    assert str(caught.value).startswith("a.jsonl:4: ")
    return str(caught.value).removeprefix("a.jsonl:4: ")


def count_keys(value: object) -> int:
    """Count the keys of all objects in *value*."""
    if isinstance(value, dict):
        return len(value) + sum(map(count_keys, value.values()))
    return sum(map(count_keys, value)) if isinstance(value, list) else 0


@given(value=OBJECTS, ascii_only=st.booleans())
def test_valid_objects_are_read_as_they_are(value: dict[str, object], *, ascii_only: bool) -> None:
    """However texts are escaped."""
    line = json.dumps(value, ensure_ascii=ascii_only).encode()
    assert parse_object(line, file="a") == value


@given(line=st.binary(max_size=30) | TEXT.map(str.encode))
def test_any_line_is_an_object_or_an_input_error(line: bytes) -> None:
    """Nothing else is raised, and what passes passes a strict decoder too."""
    try:
        value = parse_object(line, file="a")
    except InputError:
        return
    assert msgspec.json.decode(line) == value


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (b'{"a": 1, "b": {"c": 1, "c": 2}}', "c: the key stands more than once"),
        (b'{"a": 1, "\\u0061": 2}', "a: the key stands more than once"),
        (b'{"a": NaN}', "NaN is not a number"),
        (b'{"a": -Infinity}', "-Infinity is not a number"),
        (b'{"a": 1e999}', "the number 1e999 is too large"),
        (b'{"a": ' + b"9" * 5000 + b"}", "a number has 5000 digits"),
        (b'{"a": 18446744073709551616}', "a: the number is too large"),
        (b'{"a": ["\\ud800"]}', "a[0]: the text holds half of a surrogate pair"),
        (b'{"a": "\\ud800x"}', "a: the text holds half of a surrogate pair"),
        (b'{"\\udfff": 1}', '"\udfff": the key holds half of a surrogate pair'),
        (b'{"a": "\xed\xa0\x80"}', "the text is not UTF-8 (found byte 0xed at column 8"),
        ('{"a": 1}'.encode("utf-16"), "the text is not UTF-8"),
        (b'{"a": "\xff"}', "the text is not UTF-8"),
        (b'{"a": 1', "this is not JSON: "),
        (b'{"a": 1} {"b": 2}', "this is not JSON: extra data"),
        (b'{"a": 1,}', "this is not JSON: "),
        (b'{"a": 1} // no', "this is not JSON: extra data"),
        (b'{"a": "\t"}', "this is not JSON: invalid control character"),
        (b"{'a': 1}", "this is not JSON: "),
        (b"[1, 2]", "this is a JSON array (expected one object a line)"),
        (b"12", "this is not an object (found 12"),
        (b'"text"', 'this is not an object (found "text"'),
        (b"null", "this is not an object (found null"),
        (b"{", "the JSON is spread over several lines"),
        (b"[", "the JSON is spread over several lines"),
        (b"<<<<<<< HEAD", "the file holds a git conflict mark"),
        (b"=======", "the file holds a git conflict mark"),
        (b'{"a": ' + b"[" * 33 + b"]" * 33 + b"}", "the nesting is too deep"),
        (b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "the nesting is too deep"),
        (b'{"a":' * 100_000, "the nesting is too deep"),
    ],
)
def test_a_bad_line_is_refused_by_what_is_wrong(line: bytes, told: str) -> None:
    """With its number and one message."""
    assert refusal(line).startswith(told)


def test_all_repeated_keys_are_named() -> None:
    """One attempt shows everything."""
    with pytest.raises(InputError) as caught:
        parse_object(b'{"a": 1, "a": 1, "b": 1, "b": 1, "c": "\\ud800"}', file="a")
    assert [fault.key for fault in caught.value.faults] == ["a", "b", "c"]


def test_brackets_in_texts_are_not_nested() -> None:
    """A text may hold thousands of them."""
    line = json.dumps({"a": "[{" * 1000 + '"' + "\\" * 7}).encode()
    assert parse_object(line, file="a")


def spell(value: object, gap: str) -> str:
    """Write *value* as JSON with *gap* before and after each colon."""
    if isinstance(value, dict):
        inner = ",".join(f"{json.dumps(k)}{gap}:{gap}{spell(v, gap)}" for k, v in value.items())
        return f"{{{inner}}}"
    if isinstance(value, list):
        return f"[{','.join(spell(v, gap) for v in value)}]"
    return json.dumps(value, ensure_ascii=False)


@given(value=OBJECTS, gap=SPACES)
def test_objects_without_repeated_keys_pass(value: dict[str, object], gap: str) -> None:
    """Whatever colons, quotes and backslashes stand in their texts."""
    check_keys(spell(value, gap).encode(), count_keys(value), file="a")


NAMES = st.dictionaries(st.text("abc", min_size=1, max_size=2), VALUES, min_size=1, max_size=4)


@given(value=NAMES, gap=SPACES, escaped=st.booleans(), again=TEXT)
def test_a_repeated_key_is_always_found(
    value: dict[str, object], gap: str, again: str, *, escaped: bool
) -> None:
    """Whatever the values hold, however the key is spelled the second time."""
    key = next(iter(value))
    spelled = "".join(f"\\u{ord(c):04x}" for c in key) if escaped else key
    line = f'{spell(value, gap)[:-1]},"{spelled}":{json.dumps(again)}}}'.encode()
    value[key] = again
    with pytest.raises(InputError, match="more than once"):
        check_keys(line, count_keys(value), file="a")


def test_lines_with_colons_in_texts_need_no_second_parse() -> None:
    """The usual ways of writing are proven at once."""
    line = json.dumps({"id": "https://x.org:80/a::b", "t": 'He said: "no": "never".'}).encode()
    assert proves_keys(line, 2)
    assert not proves_keys(line, 1)


ITEMS = st.lists(
    st.fixed_dictionaries({"id": TEXT}, optional={"text": TEXT, "score": st.integers(0, 9)}),
    max_size=5,
)


@given(items=ITEMS, compact=st.booleans(), answer=TEXT)
def test_texts_are_taken_out_and_keys_stay(
    items: list[dict[str, object]], answer: str, *, compact: bool
) -> None:
    """What is left decodes to the same value with empty texts."""
    value = {"answer": answer, "items": items}
    line = json.dumps(value, separators=(",", ":") if compact else None).encode()
    texts = [json.dumps(item["text"]).encode() for item in items if "text" in item]
    left = without_texts(line, b'"text"', texts)
    assert left is not None
    for item in items:
        if "text" in item:
            item["text"] = ""
    assert json.loads(left) == value


@pytest.mark.parametrize(
    "line", [b'{"text": null}', b'{"text" : "a"}', b'{"text":  "a"}', b"{}", rb'{"text": "\"x"}']
)
def test_texts_that_do_not_stand_as_expected_are_not_guessed(line: bytes) -> None:
    """The caller then reads the line the slow way."""
    assert without_texts(line, b'"text"', [b'"a"']) is None


class _Typed(msgspec.Struct, forbid_unknown_fields=True):
    id: str
    items: list[int] = []


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (b'{"id": 1}', "id: the value has another type (found int, expected str)"),
        (b"{}", "id: the key is missing; add it"),
        (b'{"id": "a", "itms": []}', 'itms: unknown key; did you mean "items"?'),
        (b'{"id": "a", "items": ["x"]}', "items[0]: the value has another type"),
        (b'{"id": ', "this is not valid: Input data was truncated"),
    ],
)
def test_messages_of_the_typed_decoder_are_translated(line: bytes, told: str) -> None:
    """Key path, found, expected and the nearest known key."""
    with pytest.raises(msgspec.DecodeError) as caught:
        msgspec.json.decode(line, type=_Typed)
    assert str(translate(caught.value, known=["id", "items"])).startswith(told)
