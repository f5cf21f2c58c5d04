from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtui.core.change import MeasureChange, Severity, Verdict
from ragtui.core.columns import LabelRow, change_row
from ragtui.core.evidence import Side
from ragtui.core.measures import structural
from ragtui.core.model import ClaimIds, Question, Status
from ragtui.core.scorer import claims_match
from ragtui.core.value import Absence, NotAvailable, Score
from tests.builders import (
    Case,
    comparison_of,
    question,
    questions_with_records,
    random_comparison,
    record,
    release_desk,
    run_info,
)

if TYPE_CHECKING:
    from ragtui.core.aggregate import Aggregate, Own
    from ragtui.core.comparison import Comparison

cases = questions_with_records()
cases_with_access = questions_with_records(permissions=True)
any_case = cases | cases_with_access

MIRRORED_VERDICT = {
    Verdict.REGRESSED: Verdict.IMPROVED,
    Verdict.IMPROVED: Verdict.REGRESSED,
}
MIRRORED_CHANGE = {
    MeasureChange.IMPROVED: MeasureChange.REGRESSED,
    MeasureChange.REGRESSED: MeasureChange.IMPROVED,
    MeasureChange.BECAME_NA: MeasureChange.BECAME_DEFINED,
    MeasureChange.BECAME_DEFINED: MeasureChange.BECAME_NA,
}
MIRRORED_WORDS = {"higher in B": "lower in B", "lower in B": "higher in B"}


def aggregate_named(comparison: Comparison, key: str) -> Aggregate:
    return next(found for found in comparison.aggregates if found.measure.key == key)


# ---------------------------------------------------------------- the reference table


def test_the_verdicts_of_the_reference_table() -> None:
    comparison = release_desk()
    said = {comparison.ids[i]: comparison.changes[i] for i in range(4)}
    assert {name: row.verdict.value for name, row in said.items()} == {
        "launch": "regressed",
        "rollback": "improved",
        "owner": "improved",
        "region": "improved",
    }
    assert said["launch"].severity is Severity.S2
    assert [cause.value for cause in said["launch"].causes] == ["unsupported-claim-added"]
    assert [flag.value for flag in said["region"].flags] == ["na-shift"]
    assert [row.severity for row in said.values()].count(None) == 3
    assert comparison.totals == {
        Verdict.REGRESSED: 1,
        Verdict.MIXED: 0,
        Verdict.IMPROVED: 3,
        Verdict.UNCHANGED: 0,
        Verdict.NOT_COMPARABLE: 0,
    }


@pytest.mark.parametrize(
    ("name", "plus", "minus"),
    [
        ("launch", [], ["new-unsupported:bonus"]),
        ("rollback", ["claim-gained:smoke", "doc-in:checklist"], []),
        ("owner", ["claim-gained:aurora", "resolved:aurora", "rr-up"], []),
        ("region", ["resolved:region", "abstention"], []),
    ],
)
def test_the_signals_of_the_reference_table(name: str, plus: list[str], minus: list[str]) -> None:
    comparison = release_desk()
    index = comparison.index_of(name)
    assert index is not None
    change = comparison.detail(index).change
    assert [str(signal) for signal in change.plus] == plus
    assert [str(signal) for signal in change.minus] == minus


def test_support_of_the_reference_table_keeps_own_and_paired_and_pooled_apart() -> None:
    support = aggregate_named(release_desk(), "support")
    assert (support.own_baseline.mean, support.own_baseline.n) == (Fraction(1, 2), 4)
    assert (support.own_candidate.mean, support.own_candidate.n) == (Fraction(5, 6), 3)
    paired = support.paired
    assert (paired.baseline, paired.candidate) == (Fraction(2, 3), Fraction(5, 6))
    assert (paired.delta, paired.n) == (Fraction(1, 6), 3)
    assert support.pooled == ((2, 4), (4, 5))
    assert support.pooled_ratios == (Fraction(1, 2), Fraction(4, 5))
    assert (
        paired.up,
        paired.down,
        paired.equal,
        paired.became_na,
        paired.became_defined,
        paired.na_both,
        paired.missing,
    ) == (1, 1, 1, 1, 0, 0, 0)
    assert support.resolution is not None
    assert support.resolution.words == "too few questions"


def test_the_difference_of_own_means_stands_nowhere() -> None:
    support = aggregate_named(release_desk(), "support")
    assert support.own_baseline.mean is not None
    assert support.own_candidate.mean is not None
    forbidden = support.own_candidate.mean - support.own_baseline.mean
    assert forbidden == Fraction(1, 3)
    assert support.paired.delta != forbidden
    assert support.resolution is not None
    assert support.resolution.mean == support.paired.delta


@pytest.mark.parametrize(
    ("key", "baseline", "candidate", "n", "pooled"),
    [
        ("precision", "1/2", "2/3", 3, ((3, 6), (4, 6))),
        ("recall", "5/6", "1", 3, ((3, 4), (4, 4))),
        ("rr", "5/6", "1", 3, None),
        ("coverage", "1/2", "1", 3, ((2, 4), (4, 4))),
        ("abstention_correct", "0", "1", 1, None),
    ],
)
def test_the_other_means_of_the_reference_table(
    key: str,
    baseline: str,
    candidate: str,
    n: int,
    pooled: tuple[tuple[int, int], tuple[int, int]] | None,
) -> None:
    found = aggregate_named(release_desk(), key)
    assert (found.paired.baseline, found.paired.candidate) == (
        Fraction(baseline),
        Fraction(candidate),
    )
    assert (found.paired.n, found.pooled) == (n, pooled)


def test_abstention_of_the_reference_table_is_counted_0_of_1_then_1_of_1() -> None:
    found = aggregate_named(release_desk(), "abstention_correct")
    assert (found.own_baseline.num, found.own_baseline.den) == (0, 1)
    assert (found.own_candidate.num, found.own_candidate.den) == (1, 1)
    assert found.pooled is None


def test_a_question_that_failed_in_b_leaves_bounds_around_the_mean() -> None:
    comparison = release_desk()
    case = [comparison.evidence.question(index) for index in range(4)]
    records = [[comparison.evidence.record(side, index) for index in range(4)] for side in Side]
    failed = [r for r in records[1] if r is not None and r.question != "owner"]
    failed.append(record("owner", error="timeout"))
    found = comparison_of(case, [r for r in records[0] if r is not None], failed)
    coverage = aggregate_named(found, "coverage").own_candidate
    assert (coverage.mean, coverage.n, coverage.missing) == (Fraction(1), 2, 1)
    assert (coverage.low, coverage.high) == (Fraction(2, 3), Fraction(1))
    assert found.changes[2].verdict is Verdict.NOT_COMPARABLE
    assert found.changes[2].severity is None


# ---------------------------------------------------------------- two roads to one answer


@given(any_case)
def test_columns_keep_what_the_question_read_anew_says(case: Case) -> None:
    comparison = case.compare()
    for index, asked in enumerate(case.questions):
        detail = comparison.detail(index)
        assert change_row(detail.change) == comparison.changes[index]
        assert comparison.labels[index] == LabelRow(
            asked.tags, asked.critical, asked.cluster, disputed=False
        )
        assert detail.facts == comparison.facts(index)
        for side in Side:
            assert detail.outcome(side).counts == comparison.counts(side, index)
            recorded = detail.record(side)
            assert comparison.has_record(side, index) == (recorded is not None)
            assert recorded is None or recorded.question == asked.id


@given(any_case)
def test_aggregates_are_sums_over_questions(case: Case) -> None:
    comparison = case.compare()
    for found in comparison.aggregates:
        values = [
            [comparison.value(side, found.measure, index) for index in range(len(comparison))]
            for side in Side
        ]
        both = [
            (a.fraction, b.fraction)
            for a, b in zip(*values, strict=True)
            if isinstance(a, Score) and isinstance(b, Score)
        ]
        deltas = [b - a for a, b in both]
        assert found.paired.n == len(both)
        assert Counter(found.deltas) == Counter(deltas)
        if both and found.measure.has_mean:
            assert found.paired.delta == sum(deltas, Fraction(0)) / len(both)
            assert found.paired.baseline == sum((a for a, _ in both), Fraction(0)) / len(both)
        else:
            assert found.paired.delta is None
        moved = Counter(
            comparison.measure_change(found.measure, index) for index in range(len(comparison))
        )
        assert moved == Counter(
            {
                MeasureChange.IMPROVED: found.paired.up,
                MeasureChange.REGRESSED: found.paired.down,
                MeasureChange.UNCHANGED: found.paired.equal,
                MeasureChange.BECAME_NA: found.paired.became_na,
                MeasureChange.BECAME_DEFINED: found.paired.became_defined,
                MeasureChange.NA_BOTH: found.paired.na_both,
                MeasureChange.MISSING: found.paired.missing,
            }
        )


@given(any_case)
def test_own_means_bound_what_missing_questions_could_do(case: Case) -> None:
    comparison = case.compare()
    for found in comparison.aggregates:
        for side, own in zip(Side, (found.own_baseline, found.own_candidate), strict=True):
            check_own(comparison, found, side, own)


def check_own(comparison: Comparison, found: Aggregate, side: Side, own: Own) -> None:
    every = range(len(comparison))
    values = [comparison.value(side, found.measure, index) for index in every]
    scores = [value.fraction for value in values if isinstance(value, Score)]
    missing = sum(
        isinstance(value, NotAvailable)
        and value.absence is Absence.MISSING
        and structural(found.measure, comparison.facts(index)) is None
        for index, value in enumerate(values)
    )
    assert (own.n, own.missing) == (len(scores), missing)
    assert own.n + own.na + own.missing == len(comparison)
    if not found.measure.has_mean or own.n + own.missing == 0:
        assert (own.mean, own.low, own.high) == (None, None, None)
        return
    total = sum(scores, Fraction(0))
    assert own.low == total / (own.n + own.missing)
    assert own.high == (total + missing) / (own.n + own.missing)
    if own.n:
        assert own.mean == total / own.n
        assert own.low <= own.mean <= own.high


# ---------------------------------------------------------------- symmetries


@given(cases)
def test_swapping_the_runs_mirrors_verdicts_deltas_and_transitions(case: Case) -> None:
    there, back = case.compare(), case.swapped().compare()
    for index in range(len(there)):
        verdict = there.changes[index].verdict
        assert back.changes[index].verdict is MIRRORED_VERDICT.get(verdict, verdict)
        change, mirrored = there.detail(index).change, back.detail(index).change
        assert len(change.plus) == len(mirrored.minus)
        assert len(change.minus) == len(mirrored.plus)
        assert mirrored.flags == change.flags
        for measure in there.measures:
            moved = there.delta(measure, index)
            assert back.delta(measure, index) == (None if moved is None else -moved)
            kind = there.measure_change(measure, index)
            assert back.measure_change(measure, index) is MIRRORED_CHANGE.get(kind, kind)


@given(cases_with_access)
def test_swapping_the_runs_mirrors_verdicts_where_nothing_is_disclosed(case: Case) -> None:
    there, back = case.compare(), case.swapped().compare()
    for index in range(len(there)):
        if any(there.counts(side, index).disclosed for side in Side):
            continue
        verdict = there.changes[index].verdict
        assert back.changes[index].verdict is MIRRORED_VERDICT.get(verdict, verdict)


@given(any_case)
def test_swapping_the_runs_mirrors_aggregates_and_intervals(case: Case) -> None:
    for a, b in zip(case.compare().aggregates, case.swapped().compare().aggregates, strict=True):
        check_mirrored(a, b)


def check_mirrored(there: Aggregate, back: Aggregate) -> None:
    a, b = there.paired, back.paired
    assert (there.own_baseline, there.own_candidate) == (back.own_candidate, back.own_baseline)
    assert (a.baseline, a.candidate, a.n) == (b.candidate, b.baseline, b.n)
    assert (a.up, a.down, a.equal) == (b.down, b.up, b.equal)
    assert (a.became_na, a.became_defined) == (b.became_defined, b.became_na)
    assert (a.na_both, a.missing) == (b.na_both, b.missing)
    assert a.delta == (None if b.delta is None else -b.delta)
    assert there.pooled == (None if back.pooled is None else back.pooled[::-1])
    left, right = there.resolution, back.resolution
    if left is None or right is None:
        assert left is right
        return
    assert left.words == MIRRORED_WORDS.get(right.words, right.words)
    assert left.p == right.p
    if left.interval is None or right.interval is None:
        assert left.interval is right.interval
        return
    assert (left.interval.low, left.interval.high) == (-right.interval.high, -right.interval.low)


def test_intervals_of_a_large_comparison_are_mirrored_too() -> None:
    there = random_comparison(400, 8)
    questions = [there.evidence.question(index) for index in range(400)]
    a, b = (
        [r for index in range(400) if (r := there.evidence.record(side, index)) is not None]
        for side in Side
    )
    forth = comparison_of(questions, a, b, cutoff=3)
    back = comparison_of(questions, b, a, cutoff=3)
    for left, right in zip(forth.aggregates, back.aggregates, strict=True):
        check_mirrored(left, right)
    assert [found.paired for found in forth.aggregates] == [
        found.paired for found in there.aggregates
    ]
    assert any(found.resolution and found.resolution.interval for found in forth.aggregates)


@given(any_case, st.data())
def test_the_order_of_records_changes_nothing(case: Case, data: st.DataObject) -> None:
    there = case.compare()
    shuffled = case._replace(
        records_a=tuple(data.draw(st.permutations(case.records_a))),
        records_b=tuple(data.draw(st.permutations(case.records_b))),
    ).compare()
    assert shuffled.aggregates == there.aggregates
    assert shuffled.slices == there.slices
    assert shuffled.absences == there.absences
    assert list(shuffled.order) == list(there.order)
    assert shuffled.changes.map(tuple) == there.changes.map(tuple)


@given(any_case, st.data())
def test_the_order_of_questions_changes_no_number(case: Case, data: st.DataObject) -> None:
    there = case.compare()
    questions = tuple(data.draw(st.permutations(case.questions)))
    shuffled = case._replace(questions=questions).compare()
    assert shuffled.aggregates == there.aggregates
    assert shuffled.slices == there.slices
    assert shuffled.totals == there.totals
    assert set(shuffled.absences) == set(there.absences)
    assert [shuffled.ids[i] for i in shuffled.order] == [there.ids[i] for i in there.order]


@given(any_case)
def test_a_run_compared_with_itself_changed_nothing(case: Case) -> None:
    comparison = case._replace(records_b=case.records_a).compare()
    for row in comparison.changes.map(lambda row: row):
        assert row.verdict in {Verdict.UNCHANGED, Verdict.NOT_COMPARABLE}
        assert row.severity in {None, Severity.S0}
        assert row.flags == ()
    for found in comparison.aggregates:
        assert set(found.deltas) <= {0}
        assert (found.paired.up, found.paired.down) == (0, 0)


@given(any_case, st.data())
def test_a_set_merged_from_parts_adds_up(case: Case, data: st.DataObject) -> None:
    comparison = case.compare()
    parts: list[list[int]] = [[], [], []]
    for index in range(len(comparison)):
        parts[data.draw(st.integers(0, 2))].append(index)
    verdicts = Counter[Verdict]()
    for part in parts:
        verdicts.update(comparison.count_verdicts(part))
    assert verdicts == Counter(comparison.totals)
    for measure, whole in zip(comparison.measures, comparison.aggregates, strict=True):
        found = [comparison.aggregate_of(measure, part) for part in parts]
        for name in (
            "n",
            "up",
            "down",
            "equal",
            "became_na",
            "became_defined",
            "na_both",
            "missing",
        ):
            assert sum(getattr(a.paired, name) for a in found) == getattr(whole.paired, name)
        assert sum(a.own_candidate.den for a in found) == whole.own_candidate.den
        if whole.paired.delta is not None:
            total = sum((a.paired.delta or Fraction(0)) * a.paired.n for a in found)
            assert total == whole.paired.delta * whole.paired.n
        if whole.pooled is not None:
            for side in Side:
                tops = sum(a.pooled[side][0] for a in found if a.pooled)
                bottoms = sum(a.pooled[side][1] for a in found if a.pooled)
                assert (tops, bottoms) == whole.pooled[side]


# ---------------------------------------------------------------- absences


@given(any_case)
def test_each_absence_counts_the_questions_behind_it(case: Case) -> None:
    comparison = case.compare()
    for row in comparison.absences:
        found = comparison.absent_questions(row)
        assert row.n == len(found) > 0
        for index in found:
            values = [comparison.value(side, row.measure, index) for side in Side]
            absent = [isinstance(value, NotAvailable) for value in values]
            assert row.code in values or row.code.absence is Absence.STRUCTURAL
            assert (
                absent
                == {
                    "both": [True, True],
                    "became": [False, True],
                    "defined": [True, False],
                }[row.side]
            )


@given(any_case)
def test_every_absence_is_listed_once(case: Case) -> None:
    comparison = case.compare()
    listed = [(row.measure.key, row.code, row.side) for row in comparison.absences]
    assert len(listed) == len(set(listed))
    for measure in comparison.measures:
        rows = [row for row in comparison.absences if row.measure is measure]
        behind = {index for row in rows for index in comparison.absent_questions(row)}
        assert len(behind) == sum(row.n for row in rows)
        absent = {
            index
            for index in range(len(comparison))
            if any(
                isinstance(comparison.value(side, measure, index), NotAvailable) for side in Side
            )
        }
        assert behind == absent


def test_the_absences_of_the_reference_table() -> None:
    rows = {(r.measure.key, r.code.value, r.side): r.n for r in release_desk().absences}
    assert rows == {
        ("precision", "unanswerable", "both"): 1,
        ("recall", "unanswerable", "both"): 1,
        ("rr", "unanswerable", "both"): 1,
        ("support", "no-claims", "became"): 1,
        ("coverage", "unanswerable", "both"): 1,
        ("abstention_correct", "answerable", "both"): 3,
    }


def test_of_two_different_reasons_in_a_and_b_the_first_of_the_contract_counts() -> None:
    asked = question("q", relevant=["a"], support={"x": ["a"]})
    comparison = comparison_of([asked], [record("q", error="timeout")], [])
    rows = {(r.measure.key, r.code.value, r.side): r.n for r in comparison.absences}
    assert rows["recall", "failed", "both"] == 1
    assert ("recall", "missing", "both") not in rows
    assert rows["abstention_correct", "answerable", "both"] == 1
    assert comparison.changes[0].verdict is Verdict.NOT_COMPARABLE


# ---------------------------------------------------------------- particular cases


def test_questions_of_one_cluster_are_counted_as_one_group() -> None:
    asked = [
        question(f"q{n}", relevant=["a"], support={"x": ["a"]}, cluster=f"c{n // 4}")
        for n in range(40)
    ]
    worse = [record(q.id, ["b"], {}) for q in asked]
    better = [record(q.id, ["a"], {"x": ["a"]}) for q in asked]
    comparison = comparison_of(asked, worse, better)
    assert comparison.clustered
    recall = aggregate_named(comparison, "recall")
    assert recall.resolution is not None
    assert recall.resolution.interval is not None
    plain = [
        Question(id=q.id, relevant=q.relevant, support=q.support, critical=q.critical)
        for q in asked
    ]
    alone = comparison_of(plain, worse, better)
    assert not alone.clustered
    other = aggregate_named(alone, "recall").resolution
    assert other is not None
    assert other.interval is not None
    assert recall.resolution.interval.low < other.interval.low


def test_an_equal_ratio_does_not_hide_that_one_claim_took_anothers_place() -> None:
    asked = question("q", relevant=["a", "b"], support={"x": ["a"], "y": ["b"]})
    comparison = comparison_of(
        [asked],
        [record("q", ["a", "b"], {"x": ["a"]})],
        [record("q", ["a", "b"], {"y": ["b"]})],
    )
    row = comparison.changes[0]
    assert comparison.delta(comparison.measure("coverage"), 0) == 0
    assert row.verdict is Verdict.MIXED
    assert [flag.value for flag in row.flags] == ["swap"]
    assert row.severity is Severity.S3


@pytest.mark.parametrize("side", Side)
def test_claims_of_one_run_only_are_matched_with_none_of_the_other(side: Side) -> None:
    ids = [ClaimIds.RUBRIC, ClaimIds.RUBRIC]
    ids[side] = ClaimIds.RUN
    runs = [run_info(f"r{n}", claim_ids=claim_ids) for n, claim_ids in enumerate(ids)]
    assert not claims_match(*runs)
    asked = question("q", relevant=["a"], support={"x": ["a"]})
    comparison = comparison_of(
        [asked],
        [record("q", ["a"], {"x": ["a"], "s1": ["a"]})],
        [record("q", ["a"], {"t1": ["a"], "t2": ["a"], "t3": ["b"]})],
        baseline=runs[0],
        candidate=runs[1],
    )
    change = comparison.detail(0).change
    assert [str(signal) for signal in (*change.plus, *change.minus)] == ["unsupported-more:2"]
    assert change.new_unsupported == 2


def test_indexes_and_ids_lead_to_each_other() -> None:
    comparison = release_desk()
    assert [comparison.index_of(name) for name in comparison.ids] == [0, 1, 2, 3]
    assert comparison.index_of("nowhere") is None


def test_a_measure_that_is_not_in_use_has_no_place() -> None:
    with pytest.raises(KeyError, match="ndcg"):
        release_desk().measure("ndcg")


def test_disputed_labels_are_known_without_reading_the_question() -> None:
    asked = [Question(id="q1", status=Status.DISPUTED), Question(id="q2", status=Status.RESOLVED)]
    comparison = comparison_of(asked, [], [])
    assert [comparison.labels[index].disputed for index in range(2)] == [True, False]


def test_an_empty_set_has_no_numbers_and_no_faults() -> None:
    comparison = comparison_of([], [], [])
    assert len(comparison) == 0
    assert set(comparison.totals.values()) == {0}
    assert (comparison.slices, comparison.absences, list(comparison.order)) == ((), (), [])
    for found in comparison.aggregates:
        assert (found.paired.n, found.paired.delta, found.own_baseline.mean) == (0, None, None)
