from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtui.core.change import CAUSES, FLAGS, Change, Severity, Stages, Verdict
from ragtui.core.columns import Coded, Pairs, SideColumns, change_row
from ragtui.core.contract import Counts, State
from ragtui.core.evidence import Side
from ragtui.core.measures import MEASURES, Facts
from ragtui.core.value import NotAvailable, Score
from tests.builders import Case, questions_with_records, random_comparison

writes = st.lists(st.tuples(st.integers(0, 5), st.sampled_from("abc")), max_size=12)


def filled(puts: list[tuple[int, str]]) -> tuple[Coded[str], list[str]]:
    column, model = Coded(6, "-"), ["-"] * 6
    for index, value in puts:
        column[index] = value
        model[index] = value
    return column, model


@given(writes)
def test_a_column_reads_like_a_list_and_keeps_each_value_once(puts: list[tuple[int, str]]) -> None:
    column, model = filled(puts)
    assert [column[index] for index in range(len(column))] == model
    assert column.map(str.upper) == [value.upper() for value in model]
    assert len(set(column.values)) == len(column.values)


@given(writes, st.none() | st.lists(st.integers(0, 5), unique=True))
def test_a_column_counts_all_values_or_those_at_some_places(
    puts: list[tuple[int, str]], indexes: list[int] | None
) -> None:
    column, model = filled(puts)
    wanted = range(6) if indexes is None else indexes
    assert column.count(indexes) == Counter(model[index] for index in wanted)


def test_a_function_is_called_once_for_each_distinct_value() -> None:
    column, _ = filled([(0, "a"), (1, "a"), (2, "b")])
    called: list[str] = []
    column.map(called.append)
    assert sorted(called) == ["-", "a", "b"]


@given(writes, writes)
def test_pairs_of_two_columns_are_those_of_two_lists(
    left: list[tuple[int, str]], right: list[tuple[int, str]]
) -> None:
    (a, model_a), (b, model_b) = filled(left), filled(right)
    pairs = Pairs(a, b)
    assert [pairs[index] for index in range(6)] == list(zip(model_a, model_b, strict=True))
    assert len(set(pairs.values)) == len(pairs.values)


def test_columns_of_different_sizes_do_not_pair() -> None:
    with pytest.raises(ValueError, match="shorter"):
        Pairs(Coded(3, "a"), Coded(2, "b"))


def test_no_questions_have_no_pairs() -> None:
    assert list(Pairs(Coded(0, "a"), Coded(0, "b")).codes) == []


FACTS = Facts(
    answerable=True,
    relevant=2,
    expected=1,
    judges_claims=True,
    judged=True,
    graded=True,
    permissions=False,
)


def counts(hits: int, ndcg: float = 0.0) -> Counts:
    return Counts(
        State.SCORED,
        retrieval_recorded=True,
        claims_recorded=True,
        visible=2,
        hits=hits,
        first_hit=min(hits, 1),
        ndcg=ndcg,
    )


def test_an_unread_question_is_missing_and_stands_nowhere() -> None:
    columns = SideColumns(2, graded=False)
    assert columns.counts(1).state is State.MISSING
    assert columns.states() == {State.MISSING: 2}
    assert list(columns.offsets) == [-1, -1]
    assert all(columns.value(m, 0, 2) is NotAvailable.MISSING for m in MEASURES)


def test_ndcg_is_kept_for_each_question_and_multiplies_no_rows() -> None:
    columns = SideColumns(3, graded=True)
    for index, ndcg in enumerate([0.25, 0.5, 0.0]):
        columns.put(index, FACTS, counts(1, ndcg))
    assert [columns.counts(index).ndcg for index in range(3)] == [0.25, 0.5, 0.0]
    assert len(columns.rows.values) == 2
    measure = next(m for m in MEASURES if m.key == "ndcg")
    assert [columns.value(measure, index, 2) for index in range(3)] == [
        Score(0.25),
        Score(0.5),
        Score(0.0),
    ]


def test_a_set_without_grades_keeps_no_ndcg() -> None:
    columns = SideColumns(1, graded=False)
    columns.put(0, FACTS, counts(1, 0.5))
    assert columns.counts(0) == counts(1)


@given(questions_with_records(), st.data())
def test_coded_values_are_the_values_of_each_question(case: Case, data: st.DataObject) -> None:
    comparison = case.compare()
    every = list(range(len(comparison)))
    indexes = data.draw(st.none() | st.permutations(every).map(lambda order: order[:3]))
    for side in Side:
        columns = comparison.run(side).columns
        for measure in comparison.measures:
            distinct, places = columns.coded(measure, comparison.cutoff, indexes)
            assert [distinct[place] for place in places] == [
                (columns.facts(i), columns.value(measure, i, comparison.cutoff))
                for i in (every if indexes is None else indexes)
            ]
            assert len(set(distinct)) == len(distinct)


@given(questions_with_records())
def test_states_count_what_each_run_holds(case: Case) -> None:
    comparison = case.compare()
    for side, records in zip(Side, (case.records_a, case.records_b), strict=True):
        failed = sum(record.error is not None for record in records)
        found = comparison.run(side).columns.states()
        assert found[State.FAILED] == failed
        assert found[State.SCORED] == len(records) - failed
        assert found[State.MISSING] == len(case.questions) - len(records)


@given(
    st.lists(st.sampled_from(CAUSES), unique=True),
    st.lists(st.sampled_from(FLAGS), unique=True),
    st.sampled_from([None, *Severity]),
)
def test_a_row_keeps_causes_flags_and_severity_of_a_change(
    causes: list[object], flags: list[object], severity: Severity | None
) -> None:
    change = Change(
        verdict=Verdict.MIXED,
        stages=Stages(Verdict.MIXED, None, None),
        plus=(),
        minus=(),
        causes=tuple(cause for cause in CAUSES if cause in causes),
        severity=severity,
        flags=tuple(flag for flag in FLAGS if flag in flags),
        new_unsupported=2,
        swaps=("coverage",),
    )
    row = change_row(change)
    assert row.swaps == ("coverage",)
    assert (row.causes, row.flags) == (change.causes, change.flags)
    assert (row.verdict, row.severity, row.new_unsupported, row.stages) == (
        change.verdict,
        severity,
        2,
        change.stages,
    )


def test_many_questions_share_few_rows() -> None:
    comparison = random_comparison(5000, 1)
    assert len(comparison.baseline.columns.rows.values) < 100
    assert comparison.baseline.columns.rows.codes.itemsize == 4
