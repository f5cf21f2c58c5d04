"""A table hands out exact types and collects everything that is wrong."""

from __future__ import annotations

from datetime import UTC, date, datetime
from enum import StrEnum
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtui.errors import MAX_FAULTS_SHOWN, Fault, InputError
from ragtui.files.shape import Faults, Table, describe, first_repeat, flatten, key_path, odd_values

if TYPE_CHECKING:
    from collections.abc import Callable

ODD = [True, 1, 1.0, "a", [1], {"a": 1}, date(2026, 1, 1)]


class _Colour(StrEnum):
    RED = "red"
    GREEN = "green"


def table(data: dict[str, object]) -> Table:
    """Return *data* as a table of `a.toml`."""
    return Table(data, Faults("a.toml"))


def told(read: Table) -> list[str]:
    """Return all messages."""
    return [str(fault) for fault in read.faults.error().faults]


@pytest.mark.parametrize(
    ("reader", "accepted"),
    [
        (lambda t: t.text("k"), {str}),
        (lambda t: t.whole("k", least=0), {int}),
        (lambda t: t.number("k"), {int, float}),
        (lambda t: t.flag("k"), {bool}),
        (lambda t: t.items("k"), {list}),
        (lambda t: t.table("k"), {dict}),
        (lambda t: t.moment("k"), {date}),
    ],
)
def test_each_reader_takes_its_own_type_only(
    reader: Callable[[Table], object], accepted: set[type]
) -> None:
    """True is no number, 1.0 is no count, 1 is no text."""
    for value in ODD:
        read = table({"k": value})
        fits = type(value) in accepted
        assert (reader(read) is not None) == fits
        assert read.faults.count == (0 if fits else 1)
        if not fits:
            assert told(read)[0].startswith("a.toml: k: the value has another type (found ")


def test_absent_and_null_are_nothing_and_no_fault() -> None:
    """An optional key may be left out or be null."""
    read = table({"n": None})
    for key in ("n", "absent"):
        assert read.text(key) is None
        assert read.whole(key, least=0) is None
        assert read.number(key) is None
        assert read.flag(key) is None
        assert read.choice(key, _Colour) is None
        assert read.texts(key) is None
        assert read.table(key) is None
        assert read.tables(key) is None
        assert read.moment(key) is None
        assert read.free(key) == {}
        assert not read.has(key)
    read.done()
    assert not read.faults


def test_what_is_needed_is_missed_by_name() -> None:
    """A stand-in is returned, so that reading goes on."""
    read = table({"b": None})
    assert read.need_text("a") == ""
    assert read.need_whole("b", least=1, most=100) == 1
    assert told(read) == [
        "a.toml: a: the key is missing; add it",
        "a.toml: b: the key is missing; add it",
    ]


@given(value=st.integers(), least=st.integers(-5, 5), more=st.integers(0, 5))
def test_whole_numbers_have_bounds(value: int, least: int, more: int) -> None:
    """Both bounds are allowed values."""
    read = table({"k": value})
    found = read.whole("k", least=least, most=least + more)
    assert found == (value if least <= value <= least + more else None)
    assert bool(read.faults) == (found is None)


@pytest.mark.parametrize("value", [float("inf"), float("nan"), -0.5])
def test_numbers_are_finite_and_have_a_least_value(value: float) -> None:
    """Neither infinity nor a negative duration passes."""
    read = table({"k": value})
    assert read.number("k", least=0) is None
    assert read.faults.count == 1


def test_choices_name_the_known_words() -> None:
    """A near miss is named."""
    read = table({"a": "green", "b": "gren", "c": 1})
    assert read.choice("a", _Colour) is _Colour.GREEN
    assert read.choice("b", _Colour) is None
    assert read.choice("c", _Colour) is None
    assert 'expected "red" or "green"); did you mean "green"?' in told(read)[0]
    assert len(told(read)) == 2


def test_unknown_keys_name_the_nearest_known_one() -> None:
    """A typo does not turn into a default."""
    read = table({"cutof": 2, "zzzz": 1, "unit": "x"})
    read.whole("cutoff", least=1)
    read.text("unit")
    read.done()
    assert told(read) == [
        'a.toml: cutof: unknown key; did you mean "cutoff"?',
        "a.toml: zzzz: unknown key; known here: cutoff, unit",
    ]


def test_lists_name_the_wrong_element_by_its_place() -> None:
    """Texts and tables are counted from 0, as JSON paths do."""
    read = table({"t": ["a", 1, True], "r": [{"x": 1}, 2]})
    assert read.texts("t") is None
    assert len(read.tables("r") or ()) == 1
    assert [fault.key for fault in read.faults.error().faults] == ["t[1]", "t[2]", "r[1]"]


def test_places_are_handed_down_to_inner_tables() -> None:
    """Line, question and the whole key path stand in each fault."""
    faults = Faults("a.jsonl")
    read = Table({"support": {"a b": 1}}, faults, line=7, question="q")
    inner = read.table("support")
    assert inner is not None
    inner.text("a b")
    assert told(read)[0].startswith('a.jsonl:7: question "q": support."a b": ')


def test_free_keys_are_all_known() -> None:
    """A table of claim ids has no unknown key."""
    read = table({"x": 1, "y": 2})
    assert read.entries() == [("x", 1), ("y", 2)]
    read.done()
    assert not read.faults


def test_moments_are_rfc_3339_text_however_written() -> None:
    """TOML has a type for them, JSON only texts."""
    at = datetime(2026, 11, 20, 9, 30, tzinfo=UTC)
    read = table({"a": at, "b": "2026-11-20T09:30:00Z", "c": date(2026, 11, 20), "d": "soon"})
    assert read.moment("a") == read.moment("b") == "2026-11-20T09:30:00Z"
    assert read.moment("c") == "2026-11-20"
    assert read.moment("d") is None
    assert read.faults.count == 1


def test_free_tables_are_flattened_to_dotted_keys() -> None:
    """Dates become text, lists tuples, and a key with a point in it is quoted."""
    data = {"b": {"x.y": 1, "z": {"deep": [1, {"i": 2}]}}, "a": date(2026, 1, 1), "empty": {}}
    expected = {"a": "2026-01-01", 'b."x.y"': 1, "b.z.deep": (1, {"i": 2})}
    assert table({"p": data}).free("p") == flatten(data) == expected
    assert list(flatten(data)) == sorted(expected)
    assert len(flatten({"x" * 200 + "1": 1, "x" * 200 + "2": 2})) == 2


@given(count=st.integers(0, 60))
def test_the_first_faults_are_kept_and_all_are_counted(count: int) -> None:
    """A file with a million faults costs no memory for a million messages."""
    faults = Faults("a.jsonl")
    for number in range(count):
        faults.add(Fault(message=f"m{number}"), line=number + 1)
    assert bool(faults) == (count > 0)
    lines = faults.error().lines
    listed = min(count, MAX_FAULTS_SHOWN)
    assert list(lines[:listed]) == [f"a.jsonl:{n + 1}: m{n}" for n in range(listed)]
    assert list(lines[listed:]) == ([f"and {count - listed} more"] if count > listed else [])


def test_faults_are_raised_together() -> None:
    """Nothing is raised when nothing is wrong."""
    faults = Faults("a")
    faults.raise_any()
    faults.add(Fault(message="one"), Fault(message="two"))
    with pytest.raises(InputError) as caught:
        faults.raise_any()
    assert caught.value.lines == ("a: one", "a: two")


@given(values=st.lists(st.text(max_size=2)))
def test_the_first_repeat_is_the_first_value_seen_before(values: list[str]) -> None:
    """None is returned exactly when all differ."""
    expected = next((v for i, v in enumerate(values) if v in values[:i]), None)
    assert first_repeat(values) == expected


@pytest.mark.parametrize(
    ("data", "path"),
    [
        ({"a": [1, {"b": float("inf")}]}, "a[1].b"),
        ({"a": 2**63}, "a"),
        ({"a": {"b": ["\ud800"]}}, "a.b[0]"),
    ],
)
def test_odd_values_are_named_by_their_path(data: dict[str, object], path: str) -> None:
    """Wherever they stand."""
    assert [fault.key for fault in odd_values(data)] == [path]


def test_deep_values_are_odd_however_deep() -> None:
    """No recursion is needed to find them."""
    deep: object = 1
    for _ in range(50_000):
        deep = [deep]
    [fault] = odd_values({"a": deep})
    assert fault.message == "the nesting is too deep"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (1.0, "1.0"),
        ("x" * 100, '"' + "x" * 80 + '…"'),
        (2**5000, "a whole number of 5001 bits"),
        ({}, "a table"),
        ([], "a list"),
        (date(2026, 1, 1), "the date or time 2026-01-01"),
    ],
)
def test_values_are_described_in_few_words(value: object, text: str) -> None:
    """Also those that would not fit on a line or into a text."""
    assert describe(value) == text


def test_key_paths_quote_what_toml_would_quote() -> None:
    """An id may hold dots and spaces."""
    assert key_path("support", "a.b c") == 'support."a.b c"'
    assert key_path("", "a-b_1") == "a-b_1"
    assert key_path("", "x" * 200) == '"' + "x" * 80 + '…"'
