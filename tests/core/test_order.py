from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtui.core.change import Severity, Verdict
from ragtui.core.model import Document
from ragtui.core.order import triage_order
from ragtui.core.sorting import SORT_KEYS, sort_order
from tests.builders import (
    Case,
    comparison_of,
    question,
    questions_with_records,
    random_comparison,
    record,
    release_desk,
)

if TYPE_CHECKING:
    from ragtui.core.comparison import Comparison

WITHOUT_SEVERITY = [Verdict.NOT_COMPARABLE, Verdict.IMPROVED, Verdict.UNCHANGED]


def place(comparison: Comparison, index: int) -> tuple[object, ...]:
    """The order of the design as one tuple, from the question read and scored anew."""
    detail = comparison.detail(index)
    change = detail.change

    def moved(key: str) -> Fraction:
        return comparison.delta(comparison.measure(key), index) or Fraction(0)

    if change.severity is None:
        kind = {Verdict.NOT_COMPARABLE: 0, Verdict.UNCHANGED: 2}.get(change.verdict, 1)
        level = len(Severity)
    else:
        kind, level = 0, int(change.severity)
    return level, kind, -change.new_unsupported, moved("coverage"), moved("rr"), detail.question.id


def test_the_reference_table_is_ordered_launch_region_rollback_owner() -> None:
    comparison = release_desk()
    assert [comparison.ids[index] for index in comparison.order] == [
        "launch",
        "region",
        "rollback",
        "owner",
    ]


@given(questions_with_records() | questions_with_records(permissions=True))
def test_the_order_is_that_of_the_sorted_tuples(case: Case) -> None:
    comparison = case.compare()
    expected = sorted(range(len(comparison)), key=lambda index: place(comparison, index))
    assert list(triage_order(comparison)) == expected


def test_a_large_set_is_ordered_in_the_same_way() -> None:
    comparison = random_comparison(900, 3)
    expected = sorted(range(900), key=lambda index: place(comparison, index))
    assert list(comparison.order) == expected


def test_ids_are_ordered_by_code_point() -> None:
    names = ["b", "B", "\xe4", "a", "\U0001f600", "\uffef", "A10", "A9"]
    asked = [question(name, relevant=["a"], support={"x": ["a"]}) for name in names]
    records = [record(name, ["a"], {"x": ["a"]}) for name in names]
    comparison = comparison_of(asked, records, records)
    assert [comparison.ids[index] for index in comparison.order] == [
        "A10",
        "A9",
        "B",
        "a",
        "b",
        "\xe4",
        "\uffef",
        "\U0001f600",
    ]


# ---------------------------------------------------------------- sorting by a column


def value(comparison: Comparison, key: str, index: int) -> object:
    """What a question is sorted by; None when it has nothing to be sorted by."""
    row = comparison.changes[index]
    if key == "tags":
        return comparison.labels[index].tags or None
    if key == "severity":
        return row.severity
    if key == "verdict":
        return list(Verdict).index(row.verdict)
    if key == "question":
        return comparison.ids[index]
    measure = comparison.measure(key)
    moved = comparison.delta(measure, index)
    return -moved if moved is not None and measure.lower_is_better else moved


@given(
    questions_with_records() | questions_with_records(permissions=True), st.data(), st.booleans()
)
def test_rows_are_sorted_worst_first_ties_by_default_and_nothing_last(
    case: Case,
    data: st.DataObject,
    reverse: bool,
) -> None:
    comparison = case.compare()
    keys = [*SORT_KEYS[1:], *(measure.key for measure in comparison.measures)]
    key = data.draw(st.sampled_from(keys))
    default = list(comparison.order)
    ranked = [i for i in default if value(comparison, key, i) is not None]
    ranked.sort(key=lambda i: value(comparison, key, i), reverse=reverse)  # type: ignore[arg-type,return-value] # one type at a time
    expected = ranked + [i for i in default if value(comparison, key, i) is None]
    assert list(sort_order(comparison, key, reverse=reverse)) == expected


def test_the_default_order_can_be_reversed() -> None:
    comparison = release_desk()
    assert list(sort_order(comparison, "triage")) == list(comparison.order)
    assert list(sort_order(comparison, "triage", reverse=True)) == list(comparison.order)[::-1]


@pytest.mark.parametrize("key", ["ndcg", "nothing", ""])
def test_there_is_no_order_by_what_is_not_in_use(key: str) -> None:
    with pytest.raises(KeyError):
        sort_order(release_desk(), key)


def test_more_disclosures_are_worse() -> None:
    secret = Document(id="hr", text="closed", groups=("hr",))
    public = Document(id="a", text="open", groups=("public",))
    asked = [question(name, relevant=["a"], support={"x": ["a"]}) for name in ("q1", "q2", "q3")]
    comparison = comparison_of(
        asked,
        [record("q1", ["hr"], {}), record("q2", ["a"], {}), record("q3", ["a"], {})],
        [record("q1", ["a"], {}), record("q2", ["a"], {}), record("q3", ["hr"], {})],
        documents=[public, secret],
    )
    assert list(sort_order(comparison, "disclosures")) == [2, 1, 0]
    assert list(sort_order(comparison, "disclosures", reverse=True)) == [0, 1, 2]
