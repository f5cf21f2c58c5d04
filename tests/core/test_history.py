"""How decisions came about: steps, undo, redo, and what others did meanwhile."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtui.core.history import Conflict, Edit, Entry, History, Kind, fold, merge
from ragtui.core.triage import Choice
from ragtui.errors import InputError
from tests.triage_data import AT, decision, random_step

if TYPE_CHECKING:
    from ragtui.core.triage import Decision

ACCEPT, BLOCK = decision(choice=Choice.ACCEPT), decision(choice=Choice.BLOCK)
OTHER = decision("owner")


def taken(history: History, *said: Decision) -> Entry:
    """Decide *said* in one step."""
    entry = history.decide(said, at=AT)
    history.apply(entry)
    return entry


def undo(history: History) -> None:
    entry = history.undo(at=AT)
    assert entry is not None
    history.apply(entry)


def redo(history: History) -> None:
    entry = history.redo(at=AT)
    assert entry is not None
    history.apply(entry)


def redo_all(history: History) -> None:
    while history.can_redo:
        redo(history)


def test_planning_a_step_changes_nothing() -> None:
    history = History()
    history.decide([ACCEPT], at=AT)
    assert (history.decisions, history.seq, history.can_undo) == ({}, 0, 0)


def test_undo_goes_back_to_the_start_of_the_session_and_no_further() -> None:
    history = History({"owner": OTHER})
    taken(history, ACCEPT)
    taken(history, BLOCK)
    undo(history)
    assert history.decisions == {"owner": OTHER, "launch": ACCEPT}
    undo(history)
    assert history.decisions == {"owner": OTHER}
    assert history.undo(at=AT) is None
    assert (history.seq, history.can_redo) == (4, 2)


def test_redo_does_again_what_was_undone_until_something_else_is_decided() -> None:
    history = History()
    taken(history, ACCEPT)
    taken(history, BLOCK)
    undo(history)
    undo(history)
    redo(history)
    assert history.decisions == {"launch": ACCEPT}
    taken(history, OTHER)
    assert history.redo(at=AT) is None


def test_several_questions_decided_at_once_are_undone_at_once() -> None:
    history = History()
    assert taken(history, ACCEPT, OTHER).questions == ("launch", "owner")
    undo(history)
    assert not history.decisions


def test_what_others_wrote_is_taken_over_and_not_undone() -> None:
    history = History()
    taken(history, OTHER)
    taken(history, ACCEPT)
    history.apply(history.outside({"launch": BLOCK}, at=AT))
    assert history.decisions["launch"] == BLOCK
    undo(history)  # the step about launch would take back what is no longer there
    assert history.decisions == {"launch": BLOCK}
    assert history.undo(at=AT) is None


def test_a_step_stays_done_when_a_later_one_about_its_question_does() -> None:
    history = History()
    taken(history, decision("region"))
    taken(history, OTHER)
    taken(history, ACCEPT, decision("owner", Choice.ACCEPT))
    history.apply(history.outside({"launch": BLOCK}, at=AT))
    undo(history)
    assert set(history.decisions) == {"launch", "owner"}
    assert history.undo(at=AT) is None


def test_a_copy_goes_its_own_way() -> None:
    history = History()
    taken(history, ACCEPT)
    other = history.copy()
    undo(other)
    assert history.decisions == {"launch": ACCEPT}
    assert history.can_undo == 1
    assert other.can_redo == 1


def entry(kind: Kind, *edits: Edit, seq: int = 2) -> Entry:
    return Entry(seq=seq, kind=kind, edits=edits, at=AT)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (entry(Kind.DECIDE, Edit("owner", None, OTHER), seq=3), "a step is missing"),
        (entry(Kind.DECIDE), "about no question"),
        (entry(Kind.DECIDE, *[Edit("owner", None, OTHER)] * 2), "twice about one"),
        (entry(Kind.DECIDE, Edit("launch", None, BLOCK)), "the step before is another"),
        (entry(Kind.DECIDE, Edit("region", None, OTHER)), "about another question"),
        (entry(Kind.UNDO, Edit("launch", ACCEPT, BLOCK)), "not the latest step"),
        (entry(Kind.REDO, Edit("owner", None, OTHER)), "not undone last"),
    ],
    ids=["seq", "empty", "twice", "old", "mixed up", "undo", "redo"],
)
def test_a_step_that_cannot_be_the_next_is_refused_and_nothing_changes(
    wrong: Entry, told: str
) -> None:
    history = History()
    taken(history, ACCEPT)
    with pytest.raises(InputError, match=told):
        history.apply(wrong)
    assert (history.decisions, history.seq) == ({"launch": ACCEPT}, 1)


@given(st.integers(0, 10_000), st.integers(0, 40))
def test_replaying_all_steps_gives_the_same_state(seed: int, steps: int) -> None:
    rng, history, entries = Random(seed), History(), []
    for _ in range(steps):
        entries.append(random_step(rng, history))
        history.apply(entries[-1])
    again = fold(entries)
    assert again.decisions == history.decisions
    assert (again.seq, again.can_undo, again.can_redo) == (
        history.seq,
        history.can_undo,
        history.can_redo,
    )


@given(st.integers(0, 10_000), st.integers(0, 20))
def test_undoing_everything_gives_the_start_and_redoing_it_the_end(seed: int, steps: int) -> None:
    rng, history = Random(seed), History({"q0": decision("q0")})
    for _ in range(steps):
        history.apply(random_step(rng, history))
    redo_all(history)
    end = dict(history.decisions)
    while history.can_undo:
        undo(history)
    assert history.decisions == {"q0": decision("q0")}
    redo_all(history)
    assert history.decisions == end


# ---------------------------------------------------------------- merging

_sides = st.dictionaries(
    st.sampled_from(["launch", "owner"]), st.sampled_from(Choice), max_size=2
).map(lambda said: {q: decision(q, choice) for q, choice in said.items()})


@given(_sides, _sides, _sides)
def test_merging_takes_what_one_side_changed_and_asks_where_both_did(
    base: dict[str, Decision], ours: dict[str, Decision], theirs: dict[str, Decision]
) -> None:
    merged = merge(base, ours, theirs)
    asked = {conflict.question for conflict in merged.conflicts}
    for q in ("launch", "owner"):
        start, mine, other = base.get(q), ours.get(q), theirs.get(q)
        result = merged.changes.get(q, mine) if q in merged.changes else mine
        if other in (mine, start):
            assert (result, q in asked) == (mine, False)
        elif start == mine:
            assert (result, q in asked) == (other, False)
        else:
            assert Conflict(q, start, mine, other) in merged.conflicts
            assert q not in merged.changes


@given(_sides, _sides)
def test_merging_with_an_unchanged_side_gives_the_other(
    base: dict[str, Decision], other: dict[str, Decision]
) -> None:
    assert not merge(base, other, base).changes
    merged = merge(base, base, other)
    assert not merged.conflicts
    history = History(base)
    if merged.changes:
        history.apply(history.outside(merged.changes, at=AT))
    assert history.decisions == other


def test_an_edit_backwards_and_backwards_again_is_the_edit() -> None:
    edit = Edit("launch", None, ACCEPT)
    assert edit.inverse.inverse == edit
    assert msgspec.json.decode(msgspec.json.encode(edit), type=Edit) == edit
