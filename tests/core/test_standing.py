"""What a held-out set may show, what is said of it, and when no gate may pass."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ragtui.core.ledger import Break, Depth, State
from ragtui.core.standing import Inherited, Standing, confidence_for, withholds_questions

SCORED = Standing(
    state=State.SCORED,
    spent_because=None,
    number=1,
    candidates=1,
    budget=5,
    depth=Depth.AGGREGATE,
    lines=2,
    head="abcdef" * 10 + "0123",
)


def test_a_sound_set_lets_a_gate_pass() -> None:
    assert SCORED.ceiling == ()
    assert replace(SCORED, policy_before=True).ceiling == ()


@pytest.mark.parametrize(
    ("standing", "reason"),
    [
        (replace(SCORED, policy_before=False), "policy recorded after the first look"),
        (
            replace(SCORED, state=State.SPENT, spent_because="it was retired"),
            "held-out (spent) = development: it was retired",
        ),
        (replace(SCORED, broken=Break(3, "was inserted")), "ledger line 3 was inserted"),
    ],
)
def test_whatever_makes_a_look_worthless_keeps_a_gate_from_passing(
    standing: Standing, reason: str
) -> None:
    assert standing.ceiling == (reason,)


def test_a_standing_says_state_candidates_and_head() -> None:
    assert SCORED.words == (
        "held-out (scored) · 1 candidate looked at, 5 allowed · ledger 2 lines, head abcdefabcdef…"
    )
    assert SCORED.notices[0] == SCORED.words


def test_what_is_withheld_is_said() -> None:
    assert "withheld" in SCORED.notices[-1]
    assert not any("withheld" in each for each in replace(SCORED, depth=Depth.QUESTION).notices)


def test_inheritance_a_broken_chain_and_the_correction_are_said() -> None:
    found = replace(
        SCORED,
        number=3,
        broken=Break(2, "was inserted"),
        inherited=(Inherited("1.0.0", 38, 40, State.OPENED), Inherited(None, 40, 40, State.SCORED)),
    ).notices
    assert "38 of 40 questions were opened under 1.0.0" in found
    assert "a version whose lock is gone was scored: all questions count as scored" in found
    assert "ledger line 2 was inserted: what the ledger says is not sure" in found
    assert "candidate 3 of this set: alpha is divided by 3" in found


def test_only_aggregates_withhold_questions() -> None:
    assert withholds_questions(SCORED)
    assert not withholds_questions(replace(SCORED, depth=Depth.QUESTION))
    assert not withholds_questions(None)


def test_the_confidence_follows_the_candidates_number() -> None:
    assert confidence_for(SCORED, 0.9) == 0.9
    assert confidence_for(replace(SCORED, number=4), 0.9) == pytest.approx(0.975)
