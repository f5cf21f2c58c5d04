"""TOML that strangers wrote ends in values or in one clear error, in bounded time."""

from __future__ import annotations

import tomllib
from hashlib import sha256
from typing import TYPE_CHECKING

import pytest
import tomli_w
from hypothesis import given
from hypothesis import strategies as st

from ragtui.errors import InputError
from ragtui.files.limits import MAX_TOML_BYTES
from ragtui.files.toml import load_toml, parse_toml

if TYPE_CHECKING:
    from pathlib import Path

TABLES = st.recursive(
    st.booleans() | st.integers(-(2**63) + 1, 2**63 - 1) | st.text(st.characters(codec="utf-8")),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(st.characters(codec="utf-8")), inner, max_size=3)
    ),
    max_leaves=10,
)


def refusal(data: bytes | str) -> str:
    """Return the one message that *data* is refused with."""
    raw = data.encode() if isinstance(data, str) else data
    with pytest.raises(InputError) as caught:
        parse_toml(raw, "a.toml")
    assert len(caught.value.faults) == 1
    assert "\n" not in str(caught.value)
    return str(caught.value)


@given(data=st.dictionaries(st.text(st.characters(codec="utf-8")), TABLES, max_size=4))
def test_what_a_writer_wrote_is_read_back(data: dict[str, object]) -> None:
    """Any keys and texts go through, whatever brackets, dots and quotes stand in them."""
    assert parse_toml(tomli_w.dumps(data).encode(), "a.toml") == data


@given(text=st.text(alphabet="[]{}\"'\\.,=#\n ab1", max_size=60))
def test_any_text_is_read_as_the_standard_library_reads_it_or_refused(text: str) -> None:
    """The scan before parsing never changes a value and never crashes."""
    try:
        expected = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        assert refusal(text).startswith("a.toml:")
    else:
        assert parse_toml(text.encode(), "a.toml") == expected


@given(data=st.binary(max_size=40))
def test_any_bytes_end_in_values_or_an_input_error(data: bytes) -> None:
    """Nothing else is ever raised."""
    try:
        assert isinstance(parse_toml(data, "a.toml"), dict)
    except InputError as error:
        assert error.faults[0].file == "a.toml"  # noqa: PT017  either outcome is fine


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a = 1\na = 2", "a.toml:2: this is not TOML: cannot overwrite a value (found a = 2"),
        ("a = 1\nb = ", "a.toml:2: this is not TOML: invalid value"),
        ("a = [1", "a.toml:1: this is not TOML: "),
        ("[t]\n[t]", "a.toml:2: this is not TOML: cannot declare"),
        ('a = "\x00"', "a.toml:1: this is not TOML: illegal character"),
        (r'a = "\ud800"', "a.toml:1: this is not TOML: "),
        ("a = " + "9" * 5000, "too large"),
        ("a = 0x" + "f" * 100_000, "a whole number of 400000 bits"),
        ("a = 9223372036854775808", "a.toml: a: the number is too large"),
        ("t.a = 1e999", "a.toml: t.a: the number is not finite (found inf"),
        ("a = nan", "a.toml: a: the number is not finite (found nan"),
        ("a = " + "[" * 33 + "]" * 33, "a.toml:1: the nesting is too deep"),
        ("\n\na = " + "[" * 5000 + "]" * 5000, "a.toml:3: the nesting is too deep"),
        ("a = " + "{b=" * 2000 + "1" + "}" * 2000, "a.toml:1: the nesting is too deep"),
        ("a" + ".a" * 32 + " = 1", "a.toml:1: the dotted key is too long"),
        ("a" + ".a" * 200_000 + " = 1", "a.toml:1: the dotted key is too long"),
        ("[" + "a." * 100_000 + "a]", "a.toml:1: the dotted key is too long"),
        ("'a'" + " . 'a'" * 40 + " = 1", "a.toml:1: the dotted key is too long"),
        ("[" + "a." * 20 + "a]\n" + "b." * 20 + "b = 1", "the nesting is too deep"),
    ],
)
def test_a_bad_file_is_refused_by_line_or_key(text: str, told: str) -> None:
    """Each message names the place, as far as the parser knows it."""
    assert told in refusal(text)


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ("a = 1\nb = 'é'".encode("latin-1"), "a.toml:2: the text is not UTF-8"),
        (b"a = '\xc0\x80'", "a.toml:1: the text is not UTF-8"),
    ],
)
def test_other_encodings_are_refused_by_line(data: bytes, told: str) -> None:
    """The parser itself would give no line."""
    assert told in refusal(data)


def test_the_limits_themselves_are_allowed() -> None:
    """32 levels and 32 parts are fine."""
    assert parse_toml(b"a = " + b"[" * 31 + b"]" * 31, "a.toml")
    assert parse_toml(b"a" + b".a" * 31 + b" = 1", "a.toml")


def test_brackets_and_dots_inside_texts_and_comments_do_not_count() -> None:
    """A note may hold anything."""
    many = "[" * 1000 + "." * 1000 + "{" * 1000
    text = f"a = \"{many}\"\nb = '{many}'\nc = '''\n{many}'''\nd = \"\"\"{many}\"\"\" # {many}\n"
    assert set(parse_toml(text.encode(), "a.toml")) == {"a", "b", "c", "d"}


def test_many_numbers_with_points_are_no_dotted_key() -> None:
    """A list of numbers is not long because its numbers have a point."""
    assert parse_toml(b"a = [" + b"1.5,\n" * 200 + b"]", "a.toml")["a"] == [1.5] * 200


def test_an_empty_file_is_an_empty_table() -> None:
    """What is missing in it is for its reader to say."""
    assert parse_toml(b"# nothing\n", "a.toml") == {}


def test_a_file_comes_with_its_bytes_and_their_digest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bytes that are parsed are the bytes that are hashed."""
    monkeypatch.chdir(tmp_path)
    raw = b"\xef\xbb\xbfa = 1\r\n"
    path = tmp_path / "a.toml"
    path.write_bytes(raw)
    file = load_toml(path, limit=MAX_TOML_BYTES)
    assert (file.path, file.shown, file.data, file.raw) == (path, "a.toml", {"a": 1}, raw)
    assert file.sha256 == sha256(raw).hexdigest()


def test_a_file_above_the_limit_is_not_parsed(tmp_path: Path) -> None:
    """The limit is named."""
    path = tmp_path / "a.toml"
    path.write_bytes(b"#" * (MAX_TOML_BYTES + 1))
    with pytest.raises(InputError, match="expected at most 1,048,576"):
        load_toml(path, limit=MAX_TOML_BYTES)
