"""Each kind of rule: what passes, what fails, what nobody can say."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import betainc, findroot, mp

from ragtui.core.change import FLAGS, Flag
from ragtui.core.evidence import Side
from ragtui.core.measures import structural
from ragtui.core.model import Document, Question, Requests, Status
from ragtui.core.policy import Outcome, Waiver, parse_term
from ragtui.core.rules import KINDS
from ragtui.core.rules.means import holm_steps, smallest_n
from ragtui.core.signflip import holm
from ragtui.core.triage import Choice, Decision, binding_of
from ragtui.core.value import Absence, NotAvailable
from tests.builders import (
    comparison_of,
    question,
    questions_with_records,
    record,
    release_desk,
    run_info,
)
from tests.policies import result_of, rule, ruling_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragtui.core.comparison import Comparison
    from ragtui.core.model import Record
    from ragtui.core.policy import Rule

PASS, FAIL, OPEN = Outcome.PASS, Outcome.FAIL, Outcome.INCONCLUSIVE
DESK = release_desk()

cases = questions_with_records() | questions_with_records(permissions=True)


def ended(comparison: Comparison, one: Rule) -> tuple[Outcome, tuple[str, ...]]:
    """Return how a rule ended and the questions it blames."""
    found = result_of(comparison, one)
    assert (found.why == "") is (found.outcome is not OPEN)
    assert found.bound
    assert found.figure
    return found.outcome, found.questions


def asked(n: int, *, tags: tuple[str, ...] = ()) -> list[Question]:
    return [question(f"q{i:03}", relevant=["d"], support={"c": ["d"]}, tags=tags) for i in range(n)]


def told(n: int, claims: dict[str, list[str]] | None = None, **more: object) -> list[Record]:
    said = {"c": ["d"]} if claims is None else claims
    return [record(f"q{i:03}", ["d"], said, **more) for i in range(n)]  # type: ignore[arg-type]  # passed on


def alike(n: int) -> Comparison:
    """Return n questions that nothing changed."""
    return comparison_of(asked(n), told(n), told(n))


def lost(n: int, worse: int, *, without: int = 0) -> Comparison:
    """Return n questions of which B states nothing on the first, and failed on the last."""
    after = [record(f"q{i:03}", ["d"], {}) for i in range(worse)] + told(n)[worse:]
    for i in range(n - without, n):
        after[i] = record(f"q{i:03}", error="timeout")
    return comparison_of(asked(n), told(n), after)


def test_there_are_thirteen_kinds() -> None:
    assert len(KINDS) == 13
    assert KINDS.keys() > {"comparable", "each_at_least", "superior", "sample"}


# ---------------------------------------------------------------- where


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], 4),
        (["answerable"], 3),
        (["not:answerable"], 1),
        (["unanswerable"], 1),
        (["tag:lookup"], 2),
        (["tag:lookup", "unanswerable"], 0),
        (["not:tag:lookup", "answerable"], 1),
        (["critical"], 0),
        (["not:critical"], 4),
    ],
)
def test_all_terms_select_together(words: list[str], expected: int) -> None:
    terms = [parse_term(word) for word in words]
    columns = [term.column(DESK) for term in terms if term is not None]
    n = sum(all(column[i] for column in columns) for i in range(4))
    assert len(columns) == len(words)
    assert n == expected


@pytest.mark.parametrize("word", ["", "tag:", "not:", "not:not:critical", "answered", "Critical"])
def test_what_is_no_term_is_none(word: str) -> None:
    assert parse_term(word) is None


@pytest.mark.parametrize(
    "one",
    [
        rule("each_at_least", measure="coverage", min=0, where=["tag:none"]),
        rule("each_at_least", measure="coverage", min=0, where=["unanswerable"]),
        rule("new_unsupported", max=9, where=["tag:none"]),
        rule("non_inferior", measure="support", margin=1, where=["tag:none"]),
        rule("superior", measure="support", min_gain=0, where=["tag:none"]),
        rule("mean_at_least", measure="support", average="macro", min=0, where=["tag:none"]),
        rule("mean_at_least", measure="recall", average="pooled", min=0, where=["unanswerable"]),
    ],
    ids=lambda one: f"{one.kind} {one.where[0]}",
)
def test_a_selection_that_matches_nothing_is_never_a_pass(one: Rule) -> None:
    assert ended(DESK, one) == (OPEN, ())


# ---------------------------------------------------------------- floors


@given(case=cases, num=st.integers(0, 4), key=st.sampled_from(["support", "coverage", "recall"]))
def test_a_floor_is_what_counting_by_hand_says(case: object, num: int, key: str) -> None:
    """One below fails; one without a value and none below is open; else it passes."""
    comparison: Comparison = case.compare()  # type: ignore[attr-defined]  # a Case
    one = rule("each_at_least", measure=key, min=Fraction(num, 4))
    measure = one.measure
    below, absent, n = [], [], 0
    for index, name in enumerate(comparison.ids):
        if structural(measure, comparison.facts(index)):
            continue
        n += 1
        value = comparison.value(Side.CANDIDATE, measure, index)
        if isinstance(value, NotAvailable):
            absent.append(name)
        elif 4 * value.num < num * value.den:
            below.append(name)
    expected = (FAIL, below) if below else (OPEN, absent) if absent or not n else (PASS, [])
    assert ended(comparison, one) == (expected[0], tuple(expected[1]))


def test_a_floor_is_held_exactly() -> None:
    """Nine tenths reach a floor of 0.9, whatever a float makes of it."""
    claims = {f"c{i}": ["d"] for i in range(10)}
    ask = question("q", relevant=["d"], support=claims)
    answer = record("q", ["d"], {f"c{i}": ["d"] for i in range(9)})
    comparison = comparison_of([ask], [answer], [answer])
    assert ended(comparison, rule("each_at_least", measure="coverage", min="0.9"))[0] is PASS
    over = rule("each_at_least", measure="coverage", min="0.9000000001")
    assert ended(comparison, over) == (FAIL, ("q",))


# ---------------------------------------------------------------- counts


def test_new_unsupported_claims_are_counted_not_questions() -> None:
    """Launch has one; a limit of one allows it."""
    assert ended(DESK, rule("new_unsupported", max=0)) == (FAIL, ("launch",))
    assert ended(DESK, rule("new_unsupported", max=1)) == (PASS, ())
    assert ended(DESK, rule("new_unsupported", max=0, where=["unanswerable"])) == (PASS, ())


def test_a_missing_question_hides_new_unsupported_claims() -> None:
    assert ended(lost(5, 0, without=1), rule("new_unsupported", max=3)) == (OPEN, ("q004",))


@given(case=cases, most=st.integers(0, 3))
def test_new_unsupported_claims_are_what_sets_say(case: object, most: int) -> None:
    """Counted anew from the claims of both records of each question."""
    comparison: Comparison = case.compare()  # type: ignore[attr-defined]  # a Case
    n, missing = 0, False
    for index in range(len(comparison)):
        detail = comparison.detail(index)
        a, b = detail.baseline, detail.candidate
        judged = all(
            o.counts.state.word == "scored" and o.claims is not None and o.counts.claims_recorded
            for o in (a, b)
        )
        labelled = detail.question.support is not None or detail.question.accepted is not None
        judged = judged and (labelled or detail.question.answerable is False)
        missing = missing or not judged
        n += len(b.unsupported - a.unsupported) if judged else 0
    outcome = result_of(comparison, rule("new_unsupported", max=most)).outcome
    expected = FAIL if n > most else OPEN if missing or not len(comparison) else PASS
    assert outcome is expected


@pytest.mark.parametrize(
    ("severity", "most", "expected"),
    [
        ("S2", 0, (FAIL, ("launch",))),
        ("S4", 0, (FAIL, ("launch",))),
        ("S1", 0, (PASS, ())),
        ("S2", 1, (PASS, ())),
    ],
)
def test_changes_count_from_their_severity_up(
    severity: str, most: int, expected: tuple[Outcome, tuple[str, ...]]
) -> None:
    assert ended(DESK, rule("regressions", severity=severity, max=most)) == expected


def test_missing_questions_matter_where_they_could_exceed_the_limit() -> None:
    """Two lost and one failed: at most two may be three, at most three cannot be more."""
    comparison = lost(6, 2, without=1)
    assert ended(comparison, rule("regressions", severity="S2", max=1)) == (FAIL, ("q000", "q001"))
    assert ended(comparison, rule("regressions", severity="S2", max=2)) == (OPEN, ("q005",))
    assert ended(comparison, rule("regressions", severity="S2", max=3)) == (PASS, ())


def test_runs_without_claims_cannot_pass_a_limit_on_bad_answers() -> None:
    """Nobody saw an answer, so nobody can say that none got worse."""
    asks = [question("q", relevant=["d"])]
    comparison = comparison_of(asks, [record("q", ["d"])], [record("q", ["d"])])
    assert ended(comparison, rule("regressions", severity="S2", max=0)) == (OPEN, ("q",))


ABSTAINING = [
    question("no-1", relevant=[], support={}),
    question("no-2", relevant=[], support={}),
    question("yes", relevant=["d"], support={"c": ["d"]}),
]


def abstained(b: list[Record]) -> Comparison:
    a = [record("no-1", [], {}), record("no-2", [], {"x": []}), record("yes", ["d"], {"c": ["d"]})]
    return comparison_of(ABSTAINING, a, b)


ALL_WELL = [record("no-1", [], {}), record("no-2", [], {}), record("yes", ["d"], {"c": ["d"]})]
ANSWERS_ANEW = [record("no-1", [], {"x": []}), *ALL_WELL[1:]]
SILENT = [*ALL_WELL[:2], record("yes", ["d"], {})]


@pytest.mark.parametrize(
    ("keys", "records", "expected"),
    [
        ({"min_correct": 2}, ALL_WELL, (PASS, ())),
        ({"min_correct": "1.0"}, ALL_WELL, (PASS, ())),
        ({"min_correct": 2}, ANSWERS_ANEW, (FAIL, ("no-1",))),
        ({"min_correct": "0.5"}, ANSWERS_ANEW, (PASS, ())),
        ({"min_correct": "0.51"}, ANSWERS_ANEW, (FAIL, ("no-1",))),
        ({"min_correct": 2}, ALL_WELL[1:], (OPEN, ("no-1",))),
        ({"min_correct": 3}, ALL_WELL[1:], (FAIL, ())),
        ({"max_new_answers": 0}, ALL_WELL, (PASS, ())),
        ({"max_new_answers": 0}, ANSWERS_ANEW, (FAIL, ("no-1",))),
        ({"max_new_answers": 1}, ANSWERS_ANEW, (PASS, ())),
        ({"max_new_answers": 0}, ALL_WELL[1:], (OPEN, ("no-1",))),
        ({"max_over_abstained": 0}, ALL_WELL, (PASS, ())),
        ({"max_over_abstained": 0}, SILENT, (FAIL, ("yes",))),
        ({"max_over_abstained": 0}, ALL_WELL[:2], (OPEN, ("yes",))),
        ({"max_over_abstained": 0, "min_correct": 2}, [*ANSWERS_ANEW[:2]], (FAIL, ("no-1",))),
        ({"max_over_abstained": 0, "min_correct": 1}, [*ANSWERS_ANEW[:2]], (OPEN, ("yes",))),
    ],
)
def test_every_bound_on_abstention_must_hold(
    keys: dict[str, object], records: list[Record], expected: tuple[Outcome, tuple[str, ...]]
) -> None:
    assert ended(abstained(records), rule("abstention", keys=keys)) == expected


def test_a_waived_answer_counts_as_correct_in_a_number_of_abstentions() -> None:
    """Two were demanded; one of the two was answered, and is waived."""
    one = rule("abstention", min_correct=2, waivable=True)
    waived = Waiver(rule=one.id, question="no-1", who="Jo", reason="known", expires="2027-01-01")
    found = ruling_of(abstained(ANSWERS_ANEW), one, waivers=[waived])
    assert (found.outcome, found.waived) == (PASS, (waived,))


def test_abstention_needs_an_unanswerable_question_where_it_is_about_one() -> None:
    assert ended(alike(3), rule("abstention", min_correct=0))[0] is OPEN
    assert ended(alike(3), rule("abstention", max_new_answers=0))[0] is OPEN
    assert ended(alike(3), rule("abstention", max_over_abstained=0))[0] is PASS


OPENED = Document(id="d", text="open", groups=("public",))
CLOSED = Document(id="hr", text="closed", groups=("hr",))


def test_a_disclosure_fails_even_where_a_had_it_too() -> None:
    asks = [question("q", relevant=["d"], support={"c": ["d"]})]
    clean, leak = record("q", ["d"], {"c": ["d"]}), record("q", ["d", "hr"], {"c": ["d"]})

    def compared(a: Record, b: Record) -> Comparison:
        return comparison_of(asks, [a], [b], documents=[OPENED, CLOSED])

    one = rule("no_disclosure")
    assert ended(compared(leak, clean), one) == (PASS, ())
    assert ended(compared(leak, leak), one) == (FAIL, ("q",))
    assert ended(compared(clean, record("q", None, {"c": ["d"]})), one) == (OPEN, ("q",))
    assert ended(DESK, one) == (OPEN, ())


# ---------------------------------------------------------------- means


def test_thirty_unchanged_questions_are_too_few_for_a_margin_of_five_hundredths() -> None:
    """Their interval is ±0.0916; sixty are enough."""
    one = rule("non_inferior", measure="coverage", margin="0.05")
    found = result_of(alike(30), one)
    assert found.outcome is OPEN
    assert "−0.0916 to +0.0916" in found.figure
    assert ended(alike(60), one) == (PASS, ())
    assert ended(alike(30), rule("non_inferior", measure="coverage", margin="0.1")) == (PASS, ())


def test_a_loss_beyond_the_margin_fails() -> None:
    assert ended(lost(60, 40), rule("non_inferior", measure="coverage", margin="0.05"))[0] is FAIL


def test_what_pulls_a_mean_down_is_named() -> None:
    """The questions below the floor of an average, or lower in B than in A."""
    comparison = lost(60, 3)
    below = ("q000", "q001", "q002")
    floor = rule("mean_at_least", measure="coverage", average="macro", min="0.96")
    assert ended(comparison, floor) == (FAIL, below)
    for one in (
        rule("non_inferior", measure="coverage", margin="0.05"),
        rule("superior", measure="coverage", min_gain="0.01"),
    ):
        assert ended(comparison, one) == (OPEN, below)
    assert ended(lost(60, 40), rule("superior", measure="coverage", min_gain=0))[1][:3] == below


def test_clusters_too_few_for_a_margin_are_warned_of() -> None:
    """30 pairs are enough for .1, in 10 clusters they are not: sqrt(2 · 12/11) · t(11) / 32."""
    half = t_quantile(0.975, 11) * math.sqrt(12 / 11 * 2) / 32
    assert half > 0.1
    one = rule("non_inferior", measure="coverage", margin="0.1")
    for size, warned in ((3, True), (2, False), (1, False)):
        asks = [
            msgspec.structs.replace(q, cluster=f"c{i // size}") for i, q in enumerate(asked(30))
        ]
        comparison = comparison_of(asks, told(30), told(30))
        words = "30 paired questions in 10 clusters even if nothing changed"
        assert any(words in told for told in ruling_of(comparison, one).warnings) is warned
        assert ended(comparison, one)[0] is (OPEN if warned else PASS)


@pytest.mark.parametrize(("n", "least", "expected"), [(9, 0, OPEN), (60, 61, OPEN), (60, 60, PASS)])
def test_too_few_questions_are_never_enough(n: int, least: int, expected: Outcome) -> None:
    one = rule("non_inferior", measure="coverage", margin="0.5", min_n=least)
    assert ended(alike(n), one)[0] is expected


def t_quantile(p: float, degrees: int) -> float:
    """Solve for a quantile of Student's t with an outside library."""
    mp.dps = 30

    def tail(t: float) -> object:
        x = degrees / (degrees + t * t)
        return betainc(degrees / 2, 0.5, 0, x, regularized=True) / 2 - (1 - p)

    return float(findroot(tail, 2))


@pytest.mark.parametrize("percent", [2, 3, 5, 10])
def test_the_smallest_number_for_a_margin_is_the_first_whose_interval_fits(percent: int) -> None:
    """Half-width of n unchanged questions: t sqrt(2 / ((n + 1)(n + 2)))."""
    n = smallest_n(Fraction(percent, 100), Fraction(1, 20))

    def half(m: int) -> float:
        return t_quantile(0.975, m + 1) * math.sqrt(2 / ((m + 1) * (m + 2)))

    assert half(n) < percent / 100 <= half(n - 1)


@given(
    st.dictionaries(st.sampled_from("abcdefg"), st.floats(0.0001, 1), min_size=1),
    st.integers(1, 30),
)
def test_levels_are_shared_by_holm(p_values: dict[str, float], percent: int) -> None:
    """A rule passes its level and is reached exactly where Holm rejects."""
    alpha = Fraction(percent, 100)
    steps = holm_steps(p_values, alpha)
    rejected = holm(list(p_values.values()), float(alpha))
    ours = [steps[k].is_reached and p_values[k] <= float(steps[k].alpha) for k in p_values]
    if len(set(p_values.values())) == len(p_values):
        assert tuple(ours) == rejected
    assert {step.alpha for step in steps.values()} == {
        alpha / k for k in range(1, len(p_values) + 1)
    }


def gained(n: int, better: int) -> Comparison:
    """Return n questions of which B answers the first and A did not."""
    before = [record(f"q{i:03}", ["d"], {}) for i in range(better)] + told(n)[better:]
    return comparison_of(asked(n), before, told(n))


def test_superior_needs_a_gain_an_interval_and_a_p() -> None:
    one = rule("superior", measure="coverage", min_gain=0)
    assert ended(gained(40, 20), one)[0] is PASS
    assert ended(gained(40, 5), one)[0] is OPEN
    assert ended(lost(40, 20), one)[0] is FAIL
    assert ended(gained(9, 9), one)[0] is OPEN


def test_a_second_superior_rule_makes_the_first_harder() -> None:
    """Six gained of forty: p = 1/32 passes 0.05 alone, not 0.025 beside another rule."""
    comparison = gained(40, 6)
    one = rule("superior", "one", measure="coverage", min_gain=0)
    other = rule("superior", "other", measure="recall", min_gain=0)
    interval = result_of(comparison, one)
    assert "p 0.031 exact" in interval.figure
    both = ruling_of(comparison, one, other).results
    assert "p ≤ 0.025" in both[0].bound
    assert both[0].outcome is not PASS


@given(case=cases, num=st.integers(0, 4), average=st.sampled_from(["macro", "pooled"]))
def test_an_average_is_open_exactly_where_the_missing_could_move_it(
    case: object, num: int, average: str
) -> None:
    """Fill in every missing question with nothing and with everything, and look at both ends."""
    comparison: Comparison = case.compare()  # type: ignore[attr-defined]  # a Case
    least = Fraction(num, 4)
    one = rule("mean_at_least", measure="coverage", average=average, min=least)
    known, hidden, n = [], [], 0
    for index in range(len(comparison)):
        facts = comparison.facts(index)
        if structural(one.measure, facts):
            continue
        n += 1
        value = comparison.value(Side.CANDIDATE, one.measure, index)
        if not isinstance(value, NotAvailable):
            known.append((int(value.num), value.den))
        elif value.absence is Absence.MISSING:
            hidden.append(facts.expected)

    def mean(rows: list[tuple[int, int]]) -> Fraction:
        if average == "macro":
            return sum((Fraction(*row) for row in rows), Fraction(0)) / len(rows)
        return Fraction(sum(a for a, _ in rows), sum(b for _, b in rows))

    outcome = result_of(comparison, one).outcome
    if not known:
        assert outcome is OPEN
        return
    if average == "pooled" and any(size is None for size in hidden):
        ends = [Fraction(0), Fraction(1)]
    else:
        sizes = [size or 1 for size in hidden]
        ends = [mean(known + [(f * s, s) for s in sizes]) for f in (0, 1)]
    reached = {end >= least for end in ends}
    if not hidden:
        reached = {mean(known) >= least}
    assert outcome is (OPEN if len(reached) > 1 else PASS if reached == {True} else FAIL)


def test_macro_and_pooled_are_told_apart() -> None:
    """Support of B on the desk: 0.8333 over three questions, 4/5 pooled."""
    macro = rule("mean_at_least", measure="support", average="macro", min="0.81")
    pooled = rule("mean_at_least", measure="support", average="pooled", min="0.81")
    assert ended(DESK, macro)[0] is PASS
    assert ended(DESK, pooled)[0] is FAIL
    assert result_of(DESK, pooled).figure == "0.80 (n 3)"


# ---------------------------------------------------------------- comparability, sample


def changed(a: dict[str, object] | None, b: dict[str, object] | None, **more: object) -> Comparison:
    full = {
        "code.r": 1,
        "prompt.r": 1,
        "generation.model": "m",
        "generation.t": 0,
        "retrieval.k": 2,
    }
    runs = [
        msgspec.structs.replace(
            run_info(name), pipeline={**full, **part} if part is not None else {}, **more
        )
        for name, part in (("a", a), ("b", b))
    ]
    return comparison_of(asked(2), told(2), told(2), baseline=runs[0], candidate=runs[1])


@pytest.mark.parametrize(
    ("a", "b", "most", "expected"),
    [
        ({}, {}, 0, PASS),
        ({"retrieval.k": 3}, {}, 1, PASS),
        ({"retrieval.k": 3}, {}, 0, FAIL),
        ({"retrieval.k": 3, "prompt.r": 2}, {}, 1, FAIL),
        ({"retrieval.depth": 3}, {}, 0, OPEN),
        ({"retrieval.depth": 3}, {}, 5, OPEN),
        (None, {}, 0, OPEN),
        (None, None, 0, OPEN),
    ],
)
def test_more_settings_than_allowed_fail_and_unrecorded_ones_are_open(
    a: dict[str, object] | None, b: dict[str, object] | None, most: int, expected: Outcome
) -> None:
    assert ended(changed(a, b), rule("comparable", max_changes=most))[0] is expected


def test_other_annotators_leave_it_open() -> None:
    runs = [changed({}, {}).run(side).info for side in Side]
    other = msgspec.structs.replace(
        runs[1], annotation=msgspec.structs.replace(runs[1].annotation, claims_by="judge")
    )
    comparison = comparison_of(asked(2), told(2), told(2), baseline=runs[0], candidate=other)
    assert ended(comparison, rule("comparable", max_changes=3))[0] is OPEN


def test_a_sample_is_never_failed_only_too_small() -> None:
    enough = rule("sample", min_questions={"answerable": 3, "unanswerable": 1, "tag:lookup": 2})
    short = rule("sample", min_questions={"answerable": 3, "unanswerable": 2})
    assert ended(DESK, enough)[0] is PASS
    assert ended(DESK, short)[0] is OPEN
    assert result_of(DESK, short).figure == "answerable 3, unanswerable 1"


# ---------------------------------------------------------------- operations


def timed(
    ms: Sequence[float | None], *, sent: int | None = 100, failed: int | None = 0
) -> Comparison:
    """Return a run B with these latencies beside an A of 100 ms each; the 19th of 20 is p95."""
    n = len(ms)
    b = [record(f"q{i:03}", ["d"], {"c": ["d"]}, latency_ms=value) for i, value in enumerate(ms)]
    info = msgspec.structs.replace(run_info("b"), requests=Requests(sent=sent, failed=failed))
    return comparison_of(asked(n), told(n, latency_ms=100.0), b, candidate=info)


@pytest.mark.parametrize(
    ("comparison", "keys", "expected"),
    [
        (
            timed([50.0] * 19 + [900.0]),
            {"p95_ms": 50},
            PASS,
        ),  # the 19th of 20 is the 95th percentile
        (timed([50.0] * 18 + [900.0] * 2), {"p95_ms": 50}, FAIL),
        (timed([50.0] * 19 + [None]), {"p95_ms": 50}, OPEN),
        (timed([900.0] * 19 + [None]), {"p95_ms": 50}, FAIL),  # broken whatever the last one took
        (timed([900.0] * 18 + [None] * 2), {"p95_ms": 900}, OPEN),
        (timed([None] * 20), {"p95_ms": 50}, OPEN),
        (timed([150.0] * 20), {"p95_ratio": "1.5"}, PASS),
        (timed([150.0] * 20), {"p95_ratio": "1.49"}, FAIL),
        (timed([None] * 20), {"p95_ratio": 9}, OPEN),
        (timed([1.0], failed=1), {"max_failure_rate": "0.01"}, PASS),
        (timed([1.0], failed=2), {"max_failure_rate": "0.01"}, FAIL),
        (timed([1.0], failed=None), {"max_failure_rate": 1}, OPEN),
        (timed([1.0], sent=19), {"p95_ms": 50}, OPEN),
        (timed([1.0], sent=20), {"p95_ms": 50}, PASS),
        (timed([1.0], sent=None), {"p95_ms": 50}, OPEN),
        (timed([1.0], sent=4), {"p95_ms": 50, "min_requests": 4}, PASS),
        (timed([99.0], failed=None), {"p95_ms": 50, "max_failure_rate": 1}, FAIL),
        (timed([1.0]), {"max_cost_per_question": 1}, OPEN),
    ],
)
def test_what_b_takes_is_held_to_each_bound(
    comparison: Comparison, keys: dict[str, object], expected: Outcome
) -> None:
    assert ended(comparison, rule("operations", keys=keys))[0] is expected


def test_costs_add_up_as_they_are_written() -> None:
    """Ten times 0.1 is 1 exactly: 0.1 a question, which floats would miss."""
    b = [msgspec.structs.replace(one, cost_usd=0.1) for one in told(10)]
    info = msgspec.structs.replace(run_info("b"), requests=Requests(sent=100, failed=0))
    comparison = comparison_of(asked(10), told(10), b, candidate=info)
    assert ended(comparison, rule("operations", max_cost_per_question="0.1"))[0] is PASS
    assert ended(comparison, rule("operations", max_cost_per_question="0.09"))[0] is FAIL


def test_a_failed_record_counts_as_infinitely_slow() -> None:
    comparison = timed([50.0] * 20)
    b = [record(f"q{i:03}", ["d"], {"c": ["d"]}, latency_ms=50.0) for i in range(20)]
    b[0] = b[1] = record("q000", error="timeout")
    b[1] = record("q001", error="timeout")
    failed = comparison_of(
        asked(20),
        told(20, latency_ms=100.0),
        b,
        candidate=comparison.candidate.info,
    )
    assert ended(failed, rule("operations", p95_ms=10**9))[0] is FAIL


def test_failed_records_break_a_bound_where_nobody_took_the_time() -> None:
    """Two of twenty never ended: the 95th percentile is no time at all."""
    info = timed([50.0] * 20).candidate.info
    b = [record(f"q{i:03}", error="timeout") for i in range(2)] + told(20)[2:]
    comparison = comparison_of(asked(20), told(20), b, candidate=info)
    assert ended(comparison, rule("operations", p95_ms=10**9))[0] is FAIL
    one_failed = comparison_of(asked(20), told(20), [b[0], *told(20)[1:]], candidate=info)
    assert ended(one_failed, rule("operations", p95_ms=10**9))[0] is OPEN


# ---------------------------------------------------------------- labels, triage


def disputed(*, is_open: bool) -> Comparison:
    """Return a comparison of one agreed question and one in dispute, q001."""
    asks = asked(2)
    asks[1] = msgspec.structs.replace(asks[1], status=Status.DISPUTED)
    comparison = comparison_of(asks, told(2), told(2))
    row = comparison.changes[1]
    bit = 1 << FLAGS.index(Flag.LABEL_OPEN)
    comparison.changes[1] = row._replace(flag_bits=bit if is_open else 0)
    return comparison


@pytest.mark.parametrize(
    ("is_open", "keys", "expected"),
    [
        (False, {"max_unresolved": 1}, (PASS, ())),
        (False, {"max_unresolved": 0}, (FAIL, ("q001",))),
        (True, {"max_unresolved": 0}, (FAIL, ("q001",))),
        (True, {"max_unresolved": 1}, (OPEN, ("q001",))),
        (True, {"max_unresolved": 1, "robust": False}, (PASS, ())),
    ],
)
def test_a_verdict_that_depends_on_a_dispute_is_open(
    is_open: bool, keys: dict[str, object], expected: tuple[Outcome, tuple[str, ...]]
) -> None:
    assert ended(disputed(is_open=is_open), rule("labels", keys=keys)) == expected


def decided(choice: Choice, *, is_stale: bool = False) -> dict[str, Decision]:
    """Return a decision about launch, the one change of the desk with a severity."""
    binding = binding_of(DESK, DESK.ids.index("launch"))
    if is_stale:
        binding = msgspec.structs.replace(binding, cutoff=3)
    made = Decision(question="launch", choice=choice, when="2026-11-27T10:00:00Z", binding=binding)
    return {"launch": made}


@pytest.mark.parametrize(
    ("decisions", "expected"),
    [
        ({}, OPEN),
        (decided(Choice.ACCEPT), PASS),
        (decided(Choice.BLOCK), FAIL),
        (decided(Choice.INVESTIGATE), OPEN),
        (decided(Choice.DISPUTE), OPEN),
        (decided(Choice.ACCEPT, is_stale=True), OPEN),
        (decided(Choice.BLOCK, is_stale=True), OPEN),
    ],
)
def test_only_a_current_acceptance_of_every_change_passes(
    decisions: dict[str, Decision], expected: Outcome
) -> None:
    found = result_of(DESK, rule("triage", severity="S2"), decisions=decisions)
    assert found.outcome is expected
    assert found.questions == (() if expected is PASS else ("launch",))


def test_changes_below_the_severity_need_nobody() -> None:
    assert result_of(DESK, rule("triage", severity="S1")).outcome is PASS
