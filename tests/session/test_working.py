"""Deciding by hand: at once in memory, called decided only when it is on disk."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from ragtui.core.history import History, Kind
from ragtui.core.triage import MAX_NOTE, Choice, Counts, Standing
from ragtui.errors import UsageError
from ragtui.files.triage_store import TriageStore
from ragtui.session import Session, View
from tests.builders import comparison_of, random_comparison, record, release_desk, release_desk_case
from tests.triage_data import HOLDER, NAME, SET, decision

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ragtui.core.comparison import Comparison

CASE = release_desk_case()


def ticking() -> Callable[[], str]:
    seconds = count()
    return lambda: f"2026-11-27T10:00:{next(seconds) % 60:02}Z"


def working(comparison: Comparison | None = None, history: History | None = None) -> Session:
    return Session(comparison or release_desk(), history=history or History(), clock=ticking())


def busy() -> Session:
    """Return a session over a comparison with many changes that need a decision."""
    return working(random_comparison(60, seed=3))


def needing(session: Session) -> list[int]:
    return [index for index in session.rows if session.needs_decision(index)]


def at(session: Session, question: str) -> int:
    index = session.comparison.index_of(question)
    assert index is not None
    return index


# ---------------------------------------------------------------- one decision


def test_decisions_on_disk_are_those_without_the_pending_ones() -> None:
    session = working()
    launch = at(session, "launch")
    entry = session.decide(Choice.ACCEPT, indexes=[launch])
    assert entry is not None
    before = session.decisions_on_disk
    assert before == {}
    session.saved(entry)
    assert before == {}
    assert session.decisions_on_disk == session.decisions
    assert set(session.decisions) == {"launch"}
    assert Session(release_desk()).decisions_on_disk is None


def test_a_decision_stands_at_once_and_is_pending_until_it_is_on_disk() -> None:
    session = working()
    launch = at(session, "launch")
    assert session.progress == (0, 1)
    entry = session.decide(Choice.BLOCK, note=" why\n", owner="Ann")
    assert entry is not None
    assert list(session.pending) == [entry]
    assert (session.triage_state(launch), session.is_saved(launch)) == ("block", False)
    session.saved(entry)
    assert list(session.pending) == []
    assert (session.triage_state(launch), session.is_saved(launch)) == ("block", True)
    said = session.decision(launch)
    assert said is not None
    assert (said.note, said.owner, said.who, said.when) == (
        "why",
        "Ann",
        None,
        "2026-11-27T10:00:00Z",
    )
    assert session.standing(launch) is Standing.CURRENT
    assert (session.progress, session.counts) == ((1, 1), Counts(1, 0, 0))
    assert not session.move_on()


def test_saying_the_same_again_is_no_step() -> None:
    session = working()
    assert session.decide(Choice.ACCEPT, note="why") is not None
    assert session.decide(Choice.ACCEPT) is None
    assert session.decide(Choice.ACCEPT, note="why") is None
    assert len(session.pending) == 1


def test_words_stay_until_others_are_said_or_they_are_taken_back() -> None:
    session = working()
    launch = at(session, "launch")
    session.decide(Choice.INVESTIGATE, note="why", owner="Ann", follow_up="T-1")
    session.decide(Choice.BLOCK, owner="")
    said = session.decision(launch)
    assert said is not None
    assert (said.note, said.owner, said.follow_up) == ("why", None, "T-1")


def test_only_words_leave_the_choice_and_an_undecided_change_is_under_investigation() -> None:
    session = working()
    launch = at(session, "launch")
    session.annotate(note="looks odd")
    assert session.triage_state(launch) == "investigate"
    assert session.needs_decision(launch)
    session.decide(Choice.ACCEPT)
    session.annotate(note="fine")
    said = session.decision(launch)
    assert said is not None
    assert (said.choice, said.note) == (Choice.ACCEPT, "fine")


def test_words_do_not_make_a_stale_decision_current() -> None:
    session = working(history=History({"launch": decision("launch")}))
    launch = at(session, "launch")
    assert session.triage_state(launch) == "stale"
    session.annotate(note="was about another run")
    assert session.triage_state(launch) == "stale"
    session.decide(Choice.ACCEPT)
    assert session.triage_state(launch) == "accept"


def test_who_decides_signs_and_odd_texts_are_made_writable() -> None:
    session = Session(release_desk(), history=History(), clock=ticking(), who=" Ann\udcff ")
    session.decide(Choice.ACCEPT, note="   ", follow_up="x\ud800")
    said = session.decision(at(session, "launch"))
    assert said is not None
    assert (said.who, said.note, said.follow_up) == ("Ann?", None, "x?")
    with pytest.raises(UsageError, match=f"at most {MAX_NOTE:,}"):
        session.decide(Choice.ACCEPT, note="x" * (MAX_NOTE + 1))


def test_undo_and_redo_are_steps_of_their_own() -> None:
    session = working()
    launch = at(session, "launch")
    session.decide(Choice.ACCEPT)
    session.decide(Choice.BLOCK)
    assert (session.can_undo, session.can_redo) == (True, False)
    session.undo()
    assert session.triage_state(launch) == "accept"
    session.undo()
    assert session.triage_state(launch) == "undecided"
    assert session.undo() is None
    redone = session.redo()
    assert redone is not None
    assert redone.kind is Kind.REDO
    assert session.triage_state(launch) == "accept"
    assert [entry.seq for entry in session.pending] == [1, 2, 3, 4, 5]


# ---------------------------------------------------------------- where nothing can be decided


def exploratory() -> Comparison:
    return comparison_of(CASE.questions, CASE.records_a, CASE.records_b, exploratory=True)


@pytest.mark.parametrize(
    ("session", "reason"),
    [
        (Session(release_desk()), "no place to keep decisions"),
        (Session(release_desk(), history=History()), "no place to keep decisions"),
        (working(exploratory()), "the cutoff is exploratory"),
        (
            Session(release_desk(), history=History(), clock=ticking(), read_only="open elsewhere"),
            "open elsewhere",
        ),
    ],
    ids=["no store", "no clock", "exploratory", "second session"],
)
def test_where_nothing_can_be_decided_it_says_why(session: Session, reason: str) -> None:
    assert reason in (session.read_only or "")
    acts: list[Callable[[], object]] = [
        lambda: session.decide(Choice.ACCEPT),
        lambda: session.annotate(note="x"),
        session.undo,
        session.redo,
    ]
    for act in acts:
        with pytest.raises(UsageError, match=reason):
            act()
    assert (session.pending, session.can_undo, session.can_redo) == ((), False, False)
    assert session.progress == (0, 1)


def test_a_question_that_is_not_shown_cannot_be_decided() -> None:
    session = working()
    session.set_view(View.IMPROVED)
    with pytest.raises(UsageError, match='question "launch": the question is not shown'):
        session.decide(Choice.ACCEPT, indexes=[at(session, "launch")])
    session.set_filter("nothing-like-this")
    assert session.decide(Choice.ACCEPT) is None
    assert session.pending == ()


# ---------------------------------------------------------------- several at once, and going on


def test_the_selected_questions_are_decided_in_one_step_and_undone_in_one() -> None:
    session = busy()
    wanted = needing(session)[:3]
    for index in wanted:
        session.toggle_selected(index)
    session.toggle_selected(wanted[0])
    session.toggle_selected(wanted[0])
    assert session.targets() == tuple(wanted)
    entry = session.decide(Choice.ACCEPT)
    assert entry is not None
    assert entry.questions == tuple(session.comparison.ids[index] for index in wanted)
    assert session.selected == frozenset()
    session.undo()
    assert all(session.triage_state(index) == "undecided" for index in wanted)


def test_what_is_selected_but_not_shown_is_not_decided() -> None:
    session = working()
    for question in ("launch", "owner"):
        session.toggle_selected(at(session, question))
    session.set_view(View.IMPROVED)
    assert session.targets() == (at(session, "owner"),)
    session.decide(Choice.ACCEPT)
    assert session.decision(at(session, "launch")) is None


def test_moving_on_visits_every_change_once_until_nothing_is_left() -> None:
    session = busy()
    total = session.counts.undecided
    assert total > 5
    visited = []
    session.set_view(View.NEEDS_DECISION)
    assert session.move_on()
    for _ in range(total):
        assert session.current is not None
        visited.append(session.current)
        session.decide(Choice.ACCEPT)
        more = session.move_on()
        assert more is (len(visited) < total)
    assert len(set(visited)) == total
    assert session.counts == Counts(total, 0, 0)
    assert len(session.rows) == 0


def test_filters_and_views_follow_what_is_decided() -> None:
    session = busy()
    first, second = needing(session)[:2]
    session.decide(Choice.ACCEPT, indexes=[first])
    session.decide(Choice.BLOCK, indexes=[second])
    session.set_filter("triage:accept")
    assert list(session.rows) == [first]
    session.set_filter("-triage:accept")
    session.set_view(View.NEEDS_DECISION)
    assert not {first, second} & set(session.rows)


# ---------------------------------------------------------------- reloading, and what others did


def test_a_new_run_makes_its_decisions_stale_and_keeps_the_selection() -> None:
    session = working()
    session.decide(Choice.ACCEPT)
    session.toggle_selected(at(session, "owner"))
    other = record("launch", ["archive"], {"bonus": ["launch"]})
    kept = [found for found in CASE.records_b if found.question != "launch"]
    session.replace(comparison_of(CASE.questions[::-1], CASE.records_a, [*kept, other]))
    launch = at(session, "launch")
    assert (session.triage_state(launch), session.counts) == ("stale", Counts(0, 1, 1))
    assert session.selected == {at(session, "owner")}
    session.undo()
    assert session.triage_state(launch) == "undecided"


def test_what_others_decided_is_taken_over_beneath_what_is_pending() -> None:
    session = busy()
    first, second, third = needing(session)[:3]
    ids = session.comparison.ids
    session.decide(Choice.ACCEPT, indexes=[first])
    session.decide(Choice.ACCEPT, indexes=[second])
    session.undo()
    outside = History().outside({ids[third]: decision(ids[third], Choice.BLOCK)}, at="2026-11-27")
    session.taken(outside)
    assert session.decision(third) == decision(ids[third], Choice.BLOCK)
    assert session.triage_state(first) == "accept"
    assert session.triage_state(second) == "undecided"
    assert [entry.kind for entry in session.pending] == [Kind.DECIDE, Kind.DECIDE, Kind.UNDO]
    for entry in session.pending:
        session.saved(entry)
    assert session.pending == ()


class WithStore(RuleBasedStateMachine):
    """A session before its store: the store may lag, never differ."""

    folder: Path

    @initialize()
    def start(self) -> None:
        self.store = TriageStore.open(self.folder / NAME, set_digest=SET, holder=HOLDER)
        self.session = Session(
            random_comparison(12, seed=5), history=self.store.history, clock=ticking()
        )

    def teardown(self) -> None:
        self.store.abandon()
        for path in self.folder.iterdir():
            path.unlink()

    @rule(index=st.integers(0, 11), choice=st.sampled_from(Choice), note=st.none() | st.text())
    def decide(self, index: int, choice: Choice, note: str | None) -> None:
        self.session.decide(choice, note=note, indexes=[index])

    @rule(back=st.booleans())
    def undo_or_redo(self, back: bool) -> None:
        _ = self.session.undo() if back else self.session.redo()

    @rule()
    def write(self) -> None:
        for entry in self.session.pending[:2]:
            self.store.append(entry)
            self.session.saved(entry)

    @invariant()
    def nothing_is_called_saved_that_is_not(self) -> None:
        for index, question in enumerate(self.session.comparison.ids):
            if self.session.is_saved(index):
                assert self.session.decision(index) == self.store.decisions.get(question)

    @invariant()
    def the_store_catches_up(self) -> None:
        history = self.store.history.copy()
        for entry in self.session.pending:
            history.apply(entry)
        ids = self.session.comparison.ids
        standing = {q: self.session.decision(i) for i, q in enumerate(ids)}
        assert {q: said for q, said in standing.items() if said} == history.decisions


def test_the_session_and_its_store_agree(tmp_path: Path) -> None:
    class Here(WithStore):
        folder = tmp_path

    case = Here.TestCase
    case.settings = settings(
        max_examples=40, stateful_step_count=25, phases=[Phase.explicit, Phase.generate]
    )
    case("runTest").runTest()


def test_an_undo_of_what_others_changed_is_dropped() -> None:
    """What stands in the file now was never this session's, so it has nothing to take back."""
    session = working()
    first = session.decide(Choice.ACCEPT)
    assert first is not None
    session.saved(first)
    session.undo()
    theirs = decision("launch", Choice.BLOCK)
    history = History()
    history.apply(first)
    session.taken(history.outside({"launch": theirs}, at="2026-11-27"))
    assert session.pending == ()
    assert session.decision(at(session, "launch")) == theirs
