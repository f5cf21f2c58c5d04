"""The acceptance policy in a session: judged aside, by what is on disk."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragtui.core.history import History
from ragtui.core.policy import Outcome
from ragtui.core.triage import Choice
from ragtui.session import Session
from tests.builders import release_desk
from tests.policies import policy_of, rule

if TYPE_CHECKING:
    from ragtui.core.history import Entry

AT = "2026-11-27T10:00:00Z"
POLICY = policy_of(rule("triage", severity="S4"))


def started() -> Session:
    return Session(release_desk(), history=History(), clock=lambda: AT, policy=POLICY)


def verdict(session: Session) -> Outcome | None:
    return None if session.ruling is None else session.ruling.outcome


def accepted(session: Session) -> Entry:
    index = session.comparison.ids.index("launch")
    entry = session.decide(Choice.ACCEPT, indexes=[index])
    assert entry is not None
    return entry


def test_nothing_is_ruled_before_the_work_is_done() -> None:
    session = started()
    assert session.ruling is None
    session.judging()()
    assert verdict(session) is Outcome.INCONCLUSIVE


def test_a_decision_counts_for_the_verdict_when_it_is_on_disk() -> None:
    session = started()
    session.judging()()
    entry = accepted(session)
    assert verdict(session) is Outcome.INCONCLUSIVE
    session.saved(entry)
    assert session.ruling is None
    session.judging()()
    assert verdict(session) is Outcome.PASS


def test_work_that_was_overtaken_is_not_taken_for_what_stands_now() -> None:
    session = started()
    late = session.judging()
    session.saved(accepted(session))
    late()
    assert session.ruling is None


def test_another_comparison_is_judged_anew() -> None:
    session = started()
    session.judging()()
    session.replace(release_desk())
    assert session.ruling is None
    session.judging()()
    assert verdict(session) is Outcome.INCONCLUSIVE


def test_without_a_policy_there_is_never_a_verdict() -> None:
    session = Session(release_desk())
    session.judging()()
    assert session.ruling is None
