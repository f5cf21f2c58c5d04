"""Several records of one question in one run: means, frequencies, noise, and what stays equal."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtui.core.change import Flag, Severity, SignalKind, Verdict
from ragtui.core.contract import State
from ragtui.core.entries import value_entry
from ragtui.core.evidence import Side
from ragtui.core.explain import explain
from ragtui.core.figures import arithmetic, change_text, value_text
from ragtui.core.model import ClaimIds, Document
from ragtui.core.operations import operations_of
from ragtui.core.policy import Outcome
from ragtui.core.value import NotAvailable, Score, is_noisy, is_weak, mean_of
from tests import oracle
from tests.builders import (
    Case,
    comparison_of,
    disputed_desk,
    question,
    questions_with_records,
    record,
    release_desk,
    release_desk_case,
    run_info,
)
from tests.policies import result_of, rule

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ragtui.core.comparison import Comparison
    from ragtui.core.model import Record

LAUNCH = question("launch", relevant=["launch"], support={"monday": ["launch"]})
REGION = question("region", relevant=[], support={})


def numbered(*records: Record) -> tuple[Record, ...]:
    """Number records from 1 as the repeats of their question."""
    return tuple(
        msgspec.structs.replace(item, repeat=number) for number, item in enumerate(records, 1)
    )


def repeated(records: Iterable[Record], times: int) -> tuple[Record, ...]:
    """Write every record down several times, as repeats."""
    return tuple(copy for item in records for copy in numbered(*[item] * times))


def monday(supported: str) -> tuple[Record, ...]:
    """Return repeats of launch that state its claim with support, `+`, or without, `-`."""
    return numbered(
        *(
            record("launch", ["launch"], {"monday": ["launch"] if sign == "+" else []})
            for sign in supported
        )
    )


def launch(a: Sequence[Record], b: Sequence[Record]) -> Comparison:
    """Compare two runs on launch alone."""
    return comparison_of([LAUNCH], a, b)


def test_a_value_is_the_mean_over_the_repeats_that_have_one() -> None:
    """Three of four repeats are defined; a failed one counts as recorded and in no mean."""
    a = (*monday("++-"), record("launch", error="timeout"))
    comparison = launch(numbered(*a), monday("+"))
    measure = comparison.measure("coverage")
    value = comparison.value(Side.BASELINE, measure, 0)
    assert isinstance(value, Score)
    assert Fraction(2, 3) == value.fraction
    assert "0.67, 3 of 4 defined" == arithmetic(value, measure)
    assert {"value": 2 / 3, "defined": 3, "recorded": 4} == value_entry(measure, value)
    assert 1 == comparison.aggregate_of(measure).paired.n
    assert State.SCORED is comparison.counts(Side.BASELINE, 0).state


@given(questions_with_records(max_size=3), st.data())
def test_the_mean_is_that_of_each_record_scored_alone(case: Case, data: st.DataObject) -> None:
    """Whatever records a question has, its value is the plain mean of what each would score."""
    pools = {
        asked.id: [r for r in (*case.records_a, *case.records_b) if r.question == asked.id]
        for asked in case.questions
    }
    chosen = {
        name: data.draw(st.lists(st.sampled_from(pool), min_size=2, max_size=4))
        for name, pool in pools.items()
        if pool
    }
    records = [item for found in chosen.values() for item in numbered(*found)]
    whole = comparison_of(case.questions, records, records, cutoff=case.cutoff)
    for index, asked in enumerate(case.questions):
        alone = [
            comparison_of(case.questions, [item], [item], cutoff=case.cutoff)
            for item in chosen.get(asked.id, [])
        ]
        for measure in whole.measures:
            values = [one.value(Side.BASELINE, measure, index) for one in alone]
            known = [value.fraction for value in values if isinstance(value, Score)]
            found = whole.value(Side.BASELINE, measure, index)
            if known:
                assert isinstance(found, Score)
                assert float(sum(known) / len(known)) == pytest.approx(found.real, abs=1e-15)
            else:
                assert isinstance(found, NotAvailable)


def test_a_question_failed_only_when_all_repeats_failed() -> None:
    """One repeat that worked is enough to compare."""
    failed = record("launch", error="timeout")
    all_failed = launch(numbered(failed, failed), monday("+"))
    assert State.FAILED is all_failed.counts(Side.BASELINE, 0).state
    assert Verdict.NOT_COMPARABLE is all_failed.changes[0].verdict
    one_worked = launch(numbered(failed, monday("+")[0]), monday("+"))
    assert Verdict.UNCHANGED is one_worked.changes[0].verdict


def test_signals_compare_frequencies() -> None:
    """A claim supported in 3 of 4 and in 1 of 4 repeats is lost; the same share is no change."""
    lost = launch(monday("+++-"), monday("-+--")).detail(0)
    assert [(SignalKind.CLAIM_LOST, "monday"), (SignalKind.NEW_UNSUPPORTED, "monday")] == [
        tuple(signal) for signal in lost.change.minus
    ]
    assert () == lost.change.plus
    told = explain(launch(monday("+"), monday("+")), lost).frequencies
    assert "monday supported in A 3 of 4, B 1 of 4" == told[0]
    same = launch(monday("+-"), monday("-++-"))
    assert Verdict.UNCHANGED is same.changes[0].verdict


def test_documents_come_and_go_by_the_share_of_repeats_that_show_them() -> None:
    """A document visible in one of two repeats leaves when no repeat shows it."""
    seen, unseen = record("launch", ["launch"], {}), record("launch", ["archive"], {})
    detail = launch(numbered(seen, unseen), numbered(unseen, unseen)).detail(0)
    assert ["doc-out:launch", "rr-down"] == [str(signal) for signal in detail.change.minus]
    risen = launch(numbered(seen, unseen), numbered(seen, seen)).detail(0)
    assert ["doc-in:launch", "rr-up"] == [str(signal) for signal in risen.change.plus]


def test_an_abstention_given_up_in_any_repeat_is_s1() -> None:
    """B answers the unanswerable question in one of three repeats."""
    silent, talks = record("region", [], {}), record("region", ["archive"], {"r": ["archive"]})
    comparison = comparison_of(
        [REGION], numbered(silent, silent, silent), numbered(silent, talks, silent)
    )
    assert Severity.S1 is comparison.changes[0].severity
    measure = comparison.measure("abstention_correct")
    a, b = (comparison.value(side, measure, 0) for side in Side)
    assert ("3 of 3", "2 of 3") == (value_text(a, measure), value_text(b, measure))
    assert "3 of 3, in every repeat" == arithmetic(a, measure)
    assert "3/3→2/3~" == change_text(a, b, measure)


def test_a_critical_question_is_s1_when_one_repeat_loses_a_claim() -> None:
    """The mean hides nothing."""
    critical = msgspec.structs.replace(LAUNCH, critical=True)
    a, b = monday("++++"), monday("++-+")
    assert Severity.S1 is comparison_of([critical], a, b).changes[0].severity


def test_one_repeat_that_discloses_is_a_disclosure() -> None:
    """S0 whatever the other repeats do, begun when no repeat of A disclosed."""
    documents = [
        Document(id="launch", text="x", groups=("public",)),
        Document(id="secret", text="x", groups=("board",)),
    ]
    clean, leaky = record("launch", ["launch"], {}), record("launch", ["launch", "secret"], {})
    comparison = comparison_of(
        [LAUNCH], numbered(clean, clean), numbered(clean, leaky), documents=documents
    )
    assert Severity.S0 is comparison.changes[0].severity
    assert Verdict.REGRESSED is comparison.changes[0].verdict
    assert 1 == comparison.counts(Side.CANDIDATE, 0).disclosed


@pytest.mark.parametrize(
    ("a", "b", "noisy", "weak"),
    [
        ("++++", "----", False, False),
        ("++++", "---", False, True),
        ("++++", "---+", True, False),
        ("+-", "-+", False, False),
        ("+", "----", False, True),
        ("+", "+-", True, False),
    ],
)
def test_overlap_is_noise_and_few_repeats_apart_are_weak(
    a: str, b: str, *, noisy: bool, weak: bool
) -> None:
    """The flags of a question say what its measures say; swapping A and B says the same."""
    left, right = monday(a), monday(b)
    for pair in ((left, right), (right, left)):
        flags = launch(*pair).changes[0].flags
        assert (noisy, weak) == (Flag.NOISY in flags, Flag.WEAK in flags)


def test_two_single_records_are_neither_noisy_nor_weak() -> None:
    """There is nothing to overlap."""
    assert not is_noisy(Score(1, 1), Score(0, 1))
    assert not is_weak(Score(1, 1), Score(0, 1))


def test_noisy_changes_come_last_among_equals() -> None:
    """Two questions lose as much; the one whose repeats overlap stands behind, whatever its id."""
    noisy = msgspec.structs.replace(LAUNCH, id="a-noisy")
    clear = question(
        "b-clear", relevant=["launch"], support={"monday": ["launch"], "nine": ["launch"]}
    )
    both = record("b-clear", ["launch"], {"monday": ["launch"], "nine": ["launch"]})
    one = record("b-clear", ["launch"], {"monday": ["launch"], "nine": []})

    def named(records: Iterable[Record]) -> list[Record]:
        return [msgspec.structs.replace(item, question="a-noisy") for item in records]

    comparison = comparison_of(
        [noisy, clear], [*named(monday("++")), both], [*named(monday("+-")), one]
    )
    first, second = (comparison.changes[index] for index in (0, 1))
    assert (first.severity, first.new_unsupported) == (second.severity, second.new_unsupported)
    coverage = comparison.measure("coverage")
    assert comparison.delta(coverage, 0) == comparison.delta(coverage, 1) == Fraction(-1, 2)
    assert [1, 0] == list(comparison.order)


def test_claims_of_a_run_s_own_are_counted_on_average() -> None:
    """Half an unsupported claim more on average is at least one more somewhere."""
    own = run_info("own", claim_ids=ClaimIds.RUN)
    comparison = comparison_of([LAUNCH], monday("+"), monday("+-"), candidate=own)
    assert ["unsupported-more:1"] == [str(s) for s in comparison.detail(0).change.minus]


def test_a_question_that_is_put_again_counts_its_reviews_once() -> None:
    """Further records may turn up after the first was scored; the reviewers said it once."""
    once, again = disputed_desk(), disputed_desk()
    for index in range(len(again)):
        asked = again.evidence.question(index)
        again.put(index, asked, *(again.evidence.repeats(side, index) for side in Side))
    assert once.agreements == again.agreements
    assert once.disputes == again.disputes
    assert list(once.changes.codes) == list(again.changes.codes)


# ---------------------------------------------------------------- rules


@pytest.mark.parametrize(
    ("b", "repeats", "outcome"),
    [
        ("++-+", "every", Outcome.FAIL),
        ("++-+", "mean", Outcome.PASS),
        ("++++", "every", Outcome.PASS),
        ("+--+", "mean", Outcome.FAIL),
        ("++-+", None, Outcome.FAIL),
    ],
)
def test_a_floor_holds_for_every_repeat_or_for_their_mean(
    b: str, repeats: str | None, outcome: Outcome
) -> None:
    """Three of four repeats reach a mean of .75, and one of them no floor."""
    told = {} if repeats is None else {"repeats": repeats}
    one = rule("each_at_least", measure="coverage", min="0.75", keys=told)
    assert outcome is result_of(launch(monday("+"), monday(b)), one).outcome


def test_a_floor_for_every_repeat_is_open_where_one_failed() -> None:
    """The mean has a value all the same."""
    after = numbered(*monday("++"), record("launch", error="timeout"))
    comparison = launch(monday("+"), after)
    for repeats, outcome in (("every", Outcome.INCONCLUSIVE), ("mean", Outcome.PASS)):
        one = rule("each_at_least", measure="coverage", min=1, repeats=repeats)
        assert outcome is result_of(comparison, one).outcome


def test_a_disclosure_in_one_repeat_breaks_the_rule_and_a_failed_one_leaves_it_open() -> None:
    """Nothing but whole records of every repeat shows that nothing got out."""
    documents = [
        Document(id="launch", text="x", groups=("public",)),
        Document(id="secret", text="x", groups=("board",)),
    ]
    clean, leaky = record("launch", ["launch"], {}), record("launch", ["launch", "secret"], {})
    for after, outcome in (
        ((clean, clean), Outcome.PASS),
        ((clean, leaky), Outcome.FAIL),
        ((clean, record("launch", error="timeout")), Outcome.INCONCLUSIVE),
        ((clean, record("launch", ["launch"])), Outcome.INCONCLUSIVE),
    ):
        comparison = comparison_of([LAUNCH], [clean], numbered(*after), documents=documents)
        assert outcome is result_of(comparison, rule("no_disclosure")).outcome


@pytest.mark.parametrize(
    ("a", "b", "keys", "outcome"),
    [
        ("..", "..", {"min_correct": 1}, Outcome.PASS),
        ("..", ".x", {"min_correct": 1}, Outcome.FAIL),
        (".x", "x.", {"max_new_answers": 0}, Outcome.PASS),
        (".x", "xx", {"max_new_answers": 0}, Outcome.FAIL),
        (".x", "x!.", {"max_new_answers": 0}, Outcome.INCONCLUSIVE),
        ("..", "..!", {"min_correct": 1}, Outcome.INCONCLUSIVE),
    ],
)
def test_abstention_is_held_to_every_repeat(
    a: str, b: str, keys: dict[str, object], outcome: Outcome
) -> None:
    """Correct is who abstains each time; a smaller share than in A is a new answer."""
    said = {
        ".": record("region", [], {}),
        "x": record("region", [], {"r": []}),
        "!": record("region", error="timeout"),
    }
    sides = [numbered(*(said[sign] for sign in side)) for side in (a, b)]
    comparison = comparison_of([REGION], *sides)
    assert outcome is result_of(comparison, rule("abstention", keys=keys)).outcome


def test_one_repeat_that_abstains_is_over_abstained() -> None:
    """An answerable question must be answered each time."""
    silent = record("launch", ["launch"], {})
    comparison = launch(monday("++"), numbered(*monday("+"), silent))
    one = rule("abstention", max_over_abstained=0)
    assert Outcome.FAIL is result_of(comparison, one).outcome


# ---------------------------------------------------------------- what duplicates must not change


def fingerprint(comparison: Comparison) -> list[object]:
    """Return what must not depend on how often a record was written down."""
    told: list[object] = [list(comparison.order)]
    for found in comparison.aggregates:
        resolution = found.resolution
        told += [found.measure.key, found.paired, dict(found.deltas), found.pooled_ratios]
        told += [resolution and (resolution.interval, resolution.p, resolution.words)]
    for row in comparison.changes.map(lambda row: row):
        flags = [flag for flag in row.flags if flag is not Flag.WEAK]
        told += [row.verdict, row.severity, row.stages, row.causes, row.swaps, flags]
        told += [row.new_unsupported]
    for index in range(len(comparison)):
        change = comparison.detail(index).change
        told += [change.plus, change.minus]
    return told


@given(questions_with_records(permissions=True), st.integers(1, 3), st.integers(1, 3))
def test_duplicates_as_repeats_change_no_interval_no_p_and_no_verdict(
    case: Case, in_a: int, in_b: int
) -> None:
    """Writing every record down several times changes nothing but the mark of too few repeats."""
    copies = case._replace(
        records_a=repeated(case.records_a, in_a), records_b=repeated(case.records_b, in_b)
    )
    assert fingerprint(case.compare()) == fingerprint(copies.compare())


@given(questions_with_records(permissions=True))
def test_one_record_with_a_number_is_one_record(case: Case) -> None:
    """`repeat = 1` on every record gives the same rows, bit by bit."""
    plain = case.compare()
    one = case._replace(
        records_a=repeated(case.records_a, 1), records_b=repeated(case.records_b, 1)
    ).compare()
    for side in Side:
        assert plain.run(side).columns.rows.values == one.run(side).columns.rows.values
        assert plain.run(side).columns.rows.codes == one.run(side).columns.rows.codes
    assert plain.changes.values == one.changes.values
    assert plain.changes.codes == one.changes.codes
    assert plain.aggregates == one.aggregates


def repeats_of(case: Case, picks: Sequence[int]) -> Case:
    """Let each run repeat its records, mixed with the other run's of the same question."""

    def mixed(own: Sequence[Record], other: Sequence[Record]) -> tuple[Record, ...]:
        foreign = {item.question: item for item in other}
        found: list[Record] = []
        for place, item in enumerate(own):
            pool = [item, foreign.get(item.question, item)]
            choices = picks[place : place + 3] or [0]
            found += numbered(*(pool[pick] for pick in choices))
        return tuple(found)

    return case._replace(
        records_a=mixed(case.records_a, case.records_b),
        records_b=mixed(case.records_b, case.records_a),
    )


_MIRROR = {
    Verdict.IMPROVED: Verdict.REGRESSED,
    Verdict.REGRESSED: Verdict.IMPROVED,
}


@given(questions_with_records(), st.lists(st.integers(0, 1), min_size=1, max_size=8))
def test_swapping_the_runs_mirrors_repeats(case: Case, picks: list[int]) -> None:
    """Deltas change their sign, verdicts their direction, noise stays."""
    mixed = repeats_of(case, picks)
    forth, back = mixed.compare(), mixed.swapped().compare()
    for index in range(len(forth)):
        one, other = forth.changes[index], back.changes[index]
        assert _MIRROR.get(one.verdict, one.verdict) is other.verdict
        assert (Flag.NOISY in one.flags) == (Flag.NOISY in other.flags)
        assert (Flag.WEAK in one.flags) == (Flag.WEAK in other.flags)
        for measure in forth.measures:
            a, b = forth.delta(measure, index), back.delta(measure, index)
            assert (a is None) == (b is None)
            assert a is None or b is None or a == -b


@given(questions_with_records(permissions=True), st.lists(st.integers(0, 1), max_size=8))
def test_every_change_of_repeats_can_be_explained(case: Case, picks: list[int]) -> None:
    """Each question has its words, whatever its repeats are, and so does each repeat."""
    comparison = repeats_of(case, picks).compare()
    for index in range(len(comparison)):
        detail = comparison.detail(index)
        found = explain(comparison, detail)
        assert {cause for cause, _ in found.causes} <= set(detail.change.causes)
        for position in range(detail.repeats):
            one = detail.repeat(position)
            assert found == explain(comparison, one)
            for side in Side:
                assert not one.outcome(side).repeats


# ---------------------------------------------------------------- aggregates and operations


def test_sums_of_repeats_are_sums_of_means() -> None:
    """A question with many repeats weighs as much as one with a single record."""
    case = release_desk_case()
    many = case._replace(records_a=(*repeated(case.records_a[:1], 7), *case.records_a[1:]))
    plain, found = (c.compare().aggregates for c in (case, many))
    assert [one.pooled for one in plain] == [one.pooled for one in found]


def test_an_interval_of_repeats_is_that_of_the_question_means() -> None:
    """The deltas that the sign-flip test sees are the differences of means, one a question."""
    asked = [msgspec.structs.replace(LAUNCH, id=f"q{n}") for n in range(10)]

    def of(supported: str) -> list[Record]:
        return [msgspec.structs.replace(r, question=q.id) for q in asked for r in monday(supported)]

    found = comparison_of(asked, of("++"), of("+-")).aggregate_of(
        release_desk().measure("coverage")
    )
    assert {Fraction(-1, 2): 10} == found.deltas
    assert found.resolution is not None
    assert found.resolution.p is not None
    assert float(oracle.sign_flip_p([Fraction(-1, 2)] * 10)) == found.resolution.p.value


def test_operations_count_records_and_pair_question_means() -> None:
    """Latencies are those of all records; the ratio of a question is that of its means."""
    a = numbered(record("launch", [], {}, latency_ms=100), record("launch", [], {}, latency_ms=300))
    b = numbered(record("launch", [], {}, latency_ms=400), record("launch", error="timeout"))
    found = operations_of(launch(a, b))
    assert (2, 2) == (found.baseline.n_latencies, found.candidate.n_latencies)
    assert 100 == found.baseline.p50_ms
    assert 2 == found.latency_ratio
    assert 1 == found.baseline.questions


@given(st.lists(st.sampled_from([Score(0, 1), Score(1, 2), Score(1, 1)]), min_size=1))
def test_no_order_of_repeats_matters(values: list[Score]) -> None:
    """The mean lies between the lowest and the highest, in any order."""
    found, back = mean_of(values), mean_of(values[::-1])
    assert found == back
    assert isinstance(found, Score)
    assert found.least <= found.fraction <= found.most
