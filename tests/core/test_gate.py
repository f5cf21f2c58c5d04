"""A whole policy: what combines to what, what is waived, what nobody may overlook."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtui.core.gate import judge, policy_warnings
from ragtui.core.ledger import Depth, State
from ragtui.core.model import SetInfo
from ragtui.core.policy import EXIT_CODES, Outcome, Waiver, combine
from ragtui.core.standing import Standing
from ragtui.core.triage import Triage
from tests.builders import Case, comparison_of, question, record, release_desk, run_info
from tests.policies import policy_of, rule, ruling_of

if TYPE_CHECKING:
    from ragtui.core.comparison import Comparison
    from ragtui.core.policy import Rule

PASS, FAIL, OPEN, BAD = Outcome.PASS, Outcome.FAIL, Outcome.INCONCLUSIVE, Outcome.INVALID
DESK = release_desk()

HOLDS = rule("new_unsupported", "holds", max=1)
BREAKS = rule("new_unsupported", "breaks", max=0)
UNSURE = rule("no_disclosure", "unsure")


def advisory(one: Rule) -> Rule:
    return rule(one.kind, one.id + "-advice", required=False, keys=one.keys)


# ---------------------------------------------------------------- combination


@given(st.lists(st.sampled_from(Outcome)))
def test_the_gravest_outcome_decides(outcomes: list[Outcome]) -> None:
    """Invalid before fail before inconclusive before pass, in any order."""
    for grave in (BAD, FAIL, OPEN):
        if grave in outcomes:
            assert combine(outcomes) is grave
            return
    assert combine(outcomes) is PASS


@pytest.mark.parametrize(
    ("rules", "verdict", "code"),
    [
        ([HOLDS], PASS, 0),
        ([HOLDS, BREAKS], FAIL, 1),
        ([HOLDS, UNSURE], OPEN, 4),
        ([UNSURE, BREAKS], FAIL, 1),
        ([HOLDS, advisory(BREAKS), advisory(UNSURE)], PASS, 0),
        ([advisory(HOLDS)], BAD, 3),
        ([], BAD, 3),
    ],
)
def test_required_rules_decide_and_advice_is_only_shown(
    rules: list[Rule], verdict: Outcome, code: int
) -> None:
    found = ruling_of(DESK, *rules)
    assert (found.outcome, found.exit_code) == (verdict, code)
    assert len(found.results) == len(rules)


def test_exit_codes_tell_every_outcome_apart() -> None:
    assert sorted(EXIT_CODES.values()) == [0, 1, 3, 4]


# ---------------------------------------------------------------- reservations


def test_a_policy_of_another_set_is_invalid() -> None:
    assert ruling_of(DESK, HOLDS, set_sha256=DESK.set_info.sha256).outcome is PASS
    found = ruling_of(DESK, HOLDS, set_sha256="f" * 64)
    assert found.outcome is BAD
    assert found.invalid == ("the policy is bound to another question set",)


def small(n: int, gaps: int = 0, **more: Any) -> Comparison:  # noqa: ANN401 - as a comparison takes it
    asks = [question(f"q{i}", relevant=["d"], support={"c": ["d"]}) for i in range(n)]
    told = [record(f"q{i}", ["d"], {"c": ["d"]}) for i in range(n)]
    return comparison_of(asks, told, told[: n - gaps], **more)


LOOSE = rule("regressions", "loose", severity="S0", max=9)


def test_missing_questions_are_held_against_their_own_limit() -> None:
    comparison = small(5, 2)
    assert ruling_of(comparison, LOOSE).outcome is OPEN
    assert ruling_of(comparison, LOOSE, max_missing=1).outcome is OPEN
    assert ruling_of(comparison, LOOSE, max_missing=2).outcome is PASS
    assert (
        "2 questions missing or failed, 0 are allowed" in ruling_of(comparison, LOOSE).reservations
    )


def test_a_rule_that_fails_fails_though_questions_are_missing() -> None:
    one = rule("each_at_least", measure="coverage", min=1)
    asks = [question(f"q{i}", relevant=["d"], support={"c": ["d"]}) for i in range(2)]
    comparison = comparison_of(asks, [], [record("q0", ["d"], {})])
    assert ruling_of(comparison, one).outcome is FAIL


@pytest.mark.parametrize(
    "more",
    [
        {"exploratory": True},
        {"set_info": SetInfo(id="s", version="1", sha256="5e7", frozen=False)},
        {"baseline": run_info("a", pinned=False)},
        {"candidate": run_info("b", pinned=False)},
    ],
    ids=["exploratory", "not frozen", "A not pinned", "B not pinned"],
)
def test_what_was_not_fixed_leaves_the_verdict_open(more: dict[str, Any]) -> None:
    assert ruling_of(small(3), LOOSE).outcome is PASS
    found = ruling_of(small(3, **more), LOOSE)
    assert found.outcome is OPEN
    assert len(found.reservations) == 1


def test_a_reservation_from_outside_leaves_a_pass_open_and_a_fail_failed() -> None:
    late = "policy recorded after the first look"
    for one, verdict in ((HOLDS, OPEN), (BREAKS, FAIL)):
        found = judge(policy_of(one), Triage(DESK, {}), reservations=[late])
        assert (found.outcome, found.reservations) == (verdict, (late,))


def held_out(comparison: Comparison, **more: Any) -> Comparison:  # noqa: ANN401 - as a standing takes it
    told = {
        "state": State.SCORED,
        "spent_because": None,
        "number": 1,
        "candidates": 1,
        "budget": 5,
        "depth": Depth.QUESTION,
        "lines": 2,
        "head": "0" * 64,
        "policy_before": True,
    }
    comparison.standing = Standing(**(told | more))
    return comparison


def test_the_kth_candidate_of_a_held_out_set_is_judged_at_its_share_of_the_level() -> None:
    """Thirty unchanged questions fit a margin of 0.1 at 0.95, not as the fifth candidate."""
    one = rule("non_inferior", measure="coverage", margin="0.1")
    assert ruling_of(held_out(small(30)), one).outcome is PASS
    later = ruling_of(held_out(small(30), number=5), one)
    assert later.confidence == Fraction(99, 100)
    assert later.outcome is OPEN


@pytest.mark.parametrize("more", [{"spent_because": "opened"}, {"policy_before": False}])
def test_what_a_ledger_says_leaves_a_pass_open(more: dict[str, Any]) -> None:
    found = ruling_of(held_out(small(3), **more), LOOSE)
    assert (found.outcome, len(found.reservations)) == (OPEN, 1)


def test_a_look_at_totals_names_no_question_and_no_small_selection() -> None:
    desk = held_out(release_desk(), depth=Depth.AGGREGATE)
    whole = ruling_of(desk, BREAKS).results[0]
    assert (whole.outcome, whole.figure, whole.questions) == (FAIL, "1 new unsupported claim", ())
    part = ruling_of(desk, rule("new_unsupported", max=0, where=["answerable"])).results[0]
    assert (part.outcome, part.questions) == (FAIL, ())
    assert part.figure == "withheld: fewer than 10 questions"


# ---------------------------------------------------------------- waivers


def waiver(rule_id: str = "r", question_id: str = "launch", expires: str = "2026-12-31") -> Waiver:
    return Waiver(rule_id, question_id, "Ann", "known", expires)


WAIVABLE = rule("new_unsupported", max=0, waivable=True)


def test_a_waiver_turns_a_fail_into_a_pass_that_says_so() -> None:
    found = ruling_of(DESK, WAIVABLE, waivers=[waiver()])
    assert found.outcome is PASS
    assert found.words == "pass with 1 waiver"
    assert found.waived == (waiver(),)


@pytest.mark.parametrize(
    ("expires", "counts"),
    [
        ("2026-11-20", True),
        ("2026-11-19", False),
        ("2026-11-20T09:30:00Z", True),
        ("2026-11-20T09:29:59Z", False),
        ("2026-11-20T10:30:00+01:00", True),
        ("2026-11-20T10:29:59+01:00", False),
    ],
)
def test_a_waiver_counts_for_candidates_made_before_it_expires(expires: str, counts: bool) -> None:
    """B was made on 2026-11-20 at 09:30 UTC; a day lasts until its end."""
    assert DESK.candidate.info.created == "2026-11-20T09:30:00Z"
    found = ruling_of(DESK, WAIVABLE, waivers=[waiver(expires=expires)])
    assert found.outcome is (PASS if counts else FAIL)
    assert found.results[0].expired == (() if counts else (waiver(expires=expires),))


def test_a_candidate_without_a_date_has_no_waiver() -> None:
    undated = msgspec.structs.replace(run_info("b"), created=None)
    case = Case((question("q", relevant=["d"], support={"c": ["d"]}),), (), ())
    comparison = comparison_of(
        case.questions,
        [record("q", ["d"], {"c": ["d"]})],
        [record("q", ["d"], {})],
        candidate=undated,
    )
    one = rule("regressions", severity="S4", max=0, waivable=True)
    found = ruling_of(comparison, one, waivers=[waiver(question_id="q")])
    assert (found.outcome, found.results[0].expired) == (FAIL, ())
    assert "1 waiver not counted: B does not say when it was made" in found.warnings


def test_a_waiver_of_another_rule_or_question_changes_nothing() -> None:
    for other in (waiver(rule_id="else"), waiver(question_id="owner"), waiver(question_id="gone")):
        found = ruling_of(DESK, WAIVABLE, waivers=[other])
        assert (found.outcome, found.waived) == (FAIL, ())


def test_a_waiver_that_nobody_needs_is_not_counted() -> None:
    loose = rule("new_unsupported", max=1, waivable=True)
    assert ruling_of(DESK, loose, waivers=[waiver()]).words == "pass"


def test_what_is_not_waivable_is_not_waived() -> None:
    assert ruling_of(DESK, BREAKS, waivers=[waiver("breaks")]).outcome is FAIL


def test_waivers_reach_questions_that_are_blamed_only_afterwards() -> None:
    """One question is below and one missing: both need a waiver, the missing one shows later."""
    one = rule("each_at_least", measure="coverage", min=1, waivable=True)
    asks = [question(f"q{i}", relevant=["d"], support={"c": ["d"]}) for i in range(3)]
    a = [record(f"q{i}", ["d"], {"c": ["d"]}) for i in range(3)]
    comparison = comparison_of(asks, a, [record("q0", ["d"], {}), a[2]])
    waivers = [waiver(question_id=name) for name in ("q0", "q1")]
    assert ruling_of(comparison, one, max_missing=1).results[0].questions == ("q0",)
    half = ruling_of(comparison, one, max_missing=1, waivers=waivers[:1])
    assert (half.outcome, half.results[0].questions) == (OPEN, ("q1",))
    whole = ruling_of(comparison, one, max_missing=1, waivers=waivers)
    assert whole.words == "pass with 2 waivers"


# ---------------------------------------------------------------- warnings


SUPPORT = rule("each_at_least", "support", measure="support", min="0.5")


@pytest.mark.parametrize(
    ("others", "warned"),
    [
        ([], True),
        ([HOLDS], True),
        ([rule("abstention", max_new_answers=0)], True),
        ([rule("abstention", max_over_abstained=0)], False),
        ([rule("each_at_least", measure="coverage", min=1)], False),
        ([rule("non_inferior", measure="coverage", margin="0.1")], False),
    ],
)
def test_a_support_floor_alone_can_be_met_by_silence(others: list[Rule], warned: bool) -> None:
    assert bool(policy_warnings(policy_of(SUPPORT, *others))) is warned
    assert not policy_warnings(policy_of(*others))


def test_a_margin_that_cannot_pass_names_the_smallest_number() -> None:
    one = rule("non_inferior", "small", measure="coverage", margin="0.05")
    (warned,) = ruling_of(small(30), one).warnings
    assert warned.startswith('rule "small": a margin of 0.05 cannot pass with 30 paired questions')
    assert warned.endswith("56 are needed")
    assert ruling_of(small(56), one).warnings == ()


def test_a_margin_of_nothing_asks_for_a_gain() -> None:
    """Nothing changed does not pass, nearly everything better does; the policy's author is told."""
    one = rule("non_inferior", "strict", measure="coverage", margin=0)
    same = ruling_of(small(30), one)
    assert same.outcome is OPEN
    assert same.warnings == ('rule "strict": a margin of 0 passes only where B is above A',)
    asks = [question(f"q{i}", relevant=["d"], support={"c": ["d"]}) for i in range(30)]
    before = [record(f"q{i}", ["d"], {}) for i in range(30)]
    after = [record(f"q{i}", ["d"], {"c": ["d"]}) for i in range(30)]
    assert ruling_of(comparison_of(asks, before, after), one).outcome is PASS
