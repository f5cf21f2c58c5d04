"""Whether a decision still holds, and which changes need one."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtui.core.change import Severity
from ragtui.core.model import Unit
from ragtui.core.triage import (
    Choice,
    Counts,
    Decision,
    Standing,
    Triage,
    binding_of,
    needs_decision,
    standing,
)
from tests.builders import Case, MemoryEvidence, comparison_of, record, release_desk_case
from tests.builders import questions_with_records as cases
from tests.triage_data import AT, binding, decision

CASE = release_desk_case()


def about(case: Case, question: str, choice: Choice = Choice.ACCEPT) -> Decision:
    """Return a decision about the change as *case* has it now."""
    comparison = case.compare()
    index = comparison.index_of(question)
    assert index is not None
    return decision(question, choice, bound=binding_of(comparison, index))


@pytest.mark.parametrize(
    ("choice", "stands", "needed"),
    [
        (None, None, True),
        (Choice.ACCEPT, Standing.CURRENT, False),
        (Choice.BLOCK, Standing.CURRENT, False),
        (Choice.DISPUTE, Standing.CURRENT, False),
        (Choice.INVESTIGATE, Standing.CURRENT, True),
        (Choice.ACCEPT, Standing.STALE, True),
        (Choice.INVESTIGATE, Standing.STALE, True),
    ],
)
def test_a_change_needs_a_decision_until_a_current_one_settles_it(
    choice: Choice | None, stands: Standing | None, needed: bool
) -> None:
    said = None if choice is None else decision(choice=choice)
    assert needs_decision(Severity.S4, said, stands) is needed
    assert needs_decision(None, said, stands) is False


def test_a_decision_is_bound_to_everything_the_change_comes_from() -> None:
    said = decision(bound=binding())
    assert standing(said, binding()) is Standing.CURRENT
    assert standing(said, None) is Standing.STALE
    for key, other in (
        ("question", "0" * 64),
        ("baseline", "0" * 64),
        ("candidate", "0" * 64),
        ("cutoff", 3),
        ("unit", Unit.CHUNK),
        ("contract", "strict-citation/2"),
    ):
        changed = msgspec.structs.replace(binding(), **{key: other})
        assert standing(said, changed) is Standing.STALE, key


def test_a_new_run_or_label_or_cutoff_makes_only_its_own_decisions_stale() -> None:
    decisions = {q: about(CASE, q) for q in ("launch", "rollback")}
    other = record("launch", ["launch"], {"monday": ["launch"]})
    kept = tuple(found for found in CASE.records_b if found.question != "launch")
    changed_run = CASE._replace(records_b=(*kept, other))
    relabelled = tuple(
        msgspec.structs.replace(asked, critical=True) if asked.id == "launch" else asked
        for asked in CASE.questions
    )
    cutoff = CASE._replace(cutoff=1)
    for case, stale in (
        (CASE, set()),
        (changed_run, {"launch"}),
        (CASE._replace(questions=relabelled), {"launch"}),
        (cutoff, {"launch", "rollback"}),
    ):
        triage = Triage(case.compare(), decisions)
        found = {
            q
            for q in decisions
            if triage.standing(case.compare().index_of(q) or 0) is Standing.STALE
        }
        assert found == stale


def test_the_state_of_a_question_is_its_decision_while_that_is_current() -> None:
    decisions = {
        "launch": about(CASE, "launch", Choice.INVESTIGATE),
        "owner": about(CASE, "owner", Choice.ACCEPT),
        "region": decision("region", Choice.BLOCK),
        "gone": decision("gone"),
    }
    comparison = CASE.compare()
    triage = Triage(comparison, decisions)
    found = {q: triage.state(index) for index, q in enumerate(comparison.ids)}
    assert found == {
        "launch": "investigate",
        "owner": "accept",
        "region": "stale",
        "rollback": "none",
    }
    assert Triage(comparison, {}).state(comparison.ids.index("launch")) == "undecided"
    assert [said.question for said in triage.orphans] == ["gone"]
    assert triage.counts() == Counts(decided=0, undecided=1, stale=2)


def test_settling_the_only_regression_leaves_nothing_undecided() -> None:
    triage = Triage(CASE.compare(), {"launch": about(CASE, "launch", Choice.BLOCK)})
    assert triage.counts() == (1, 0, 0)
    assert triage.counts().total == 1


@given(cases(), st.lists(st.sampled_from(Choice), min_size=8, max_size=8))
def test_counts_agree_with_the_questions_one_by_one(case: Case, choices: list[Choice]) -> None:
    comparison = case.compare()
    decisions = {}
    for index, (q, choice) in enumerate(zip(comparison.ids, choices, strict=False)):
        bound = binding_of(comparison, index) if index % 3 else binding()
        if index % 4 != 3:
            decisions[q] = decision(q, choice, bound=bound)
    triage = Triage(comparison, decisions)
    counts = triage.counts()
    every = range(len(comparison))
    severe = [i for i in every if comparison.changes[i].severity is not None]
    assert counts.undecided == sum(map(triage.needs_decision, every))
    assert counts.total == len(severe)
    assert counts.stale == sum(triage.standing(i) is Standing.STALE for i in every)
    for index in every:
        open_state = triage.state(index) in {"undecided", "investigate", "stale"}
        assert triage.needs_decision(index) is (index in severe and open_state)


def test_only_questions_with_a_decision_are_read_and_each_once() -> None:
    asked: list[int] = []

    class Watched(MemoryEvidence):
        def digests(self, index: int) -> tuple[str, str, str]:
            asked.append(index)
            return super().digests(index)

    comparison = comparison_of(CASE.questions, CASE.records_a, CASE.records_b)
    comparison.evidence = Watched(CASE.questions, ({}, {}), {})
    triage = Triage(comparison, {"launch": decision("launch")})
    for index in range(len(comparison)):
        triage.state(index)
    triage.counts()
    assert asked == [comparison.ids.index("launch")]


def test_the_same_words_by_another_hand_say_the_same() -> None:
    said = decision(note="why")
    assert said.says_the_same(msgspec.structs.replace(said, who="Ann", when=f"{AT[:-1]}.5Z"))
    assert not said.says_the_same(msgspec.structs.replace(said, note=None))
    assert not said.says_the_same(None)
