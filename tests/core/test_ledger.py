"""The chain of a ledger names what was done to it, and its fold says what is left of a set."""

from __future__ import annotations

from hashlib import sha256
from itertools import pairwise
from typing import TYPE_CHECKING

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtui.core.ledger import (
    FIRST,
    Ancestor,
    Depth,
    Event,
    History,
    Kind,
    LedgerLine,
    State,
    adds,
    find_break,
    history,
    judged_confidence,
    policy_stands_before,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

AT = "2026-11-27T10:00:00Z"
SET = "5" * 64
OWN = {SET: Ancestor("1.0.0", 4)}


def look(candidate: str, depth: Depth = Depth.AGGREGATE, *, set_digest: str = SET) -> Event:
    return Event(
        kind=Kind.LOOK, seq=0, prev=FIRST, at=AT, set=set_digest, candidate=candidate, depth=depth
    )


def policy(digest: str) -> Event:
    return Event(kind=Kind.POLICY, seq=0, prev=FIRST, at=AT, set=SET, policy=digest)


def chained(events: Sequence[Event]) -> list[bytes]:
    """Write events as the lines of a ledger."""
    lines: list[bytes] = []
    for seq, event in enumerate(events):
        prev = sha256(lines[-1]).hexdigest() if lines else FIRST
        lines.append(msgspec.json.encode(msgspec.structs.replace(event, seq=seq, prev=prev)))
    return lines


def read(lines: Sequence[bytes]) -> list[LedgerLine]:
    found = []
    for raw in lines:
        try:
            event = msgspec.json.decode(raw, type=Event)
        except msgspec.MsgspecError:
            event = None
        found.append(LedgerLine(sha256(raw).hexdigest(), event))
    return found


LINES = chained([look(f"c{n}") for n in range(6)])


class TestChain:
    def test_lines_that_follow_each_other_have_no_break(self) -> None:
        for n in range(len(LINES) + 1):
            assert find_break(read(LINES[:n])) is None

    @pytest.mark.parametrize("place", range(5))
    @pytest.mark.parametrize(
        "edit", [(b'"c', b'"x'), (b"T10", b"T11"), (b"aggregate", b"question"), (b"at", b"aT")]
    )
    def test_an_edited_line_before_the_last_is_named(
        self, place: int, edit: tuple[bytes, bytes]
    ) -> None:
        lines = LINES.copy()
        lines[place] = lines[place].replace(*edit, 1)
        found = find_break(read(lines))
        assert found is not None
        assert found.line == place + 1

    @pytest.mark.parametrize("place", range(5))
    def test_a_line_whose_own_chain_was_edited_is_named(self, place: int) -> None:
        lines = LINES.copy()
        event = msgspec.json.decode(lines[place], type=Event)
        for edited in (
            msgspec.structs.replace(event, prev="f" * 64),
            msgspec.structs.replace(event, seq=place + 100),
            msgspec.structs.replace(event, seq=-1),
        ):
            lines[place] = msgspec.json.encode(edited)
            found = find_break(read(lines))
            assert found is not None
            assert found.line == place + 1

    @pytest.mark.parametrize("place", range(5))
    def test_a_removed_line_before_the_last_leaves_a_gap_that_is_named(self, place: int) -> None:
        found = find_break(read(LINES[:place] + LINES[place + 1 :]))
        assert found is not None
        assert found == (place + 1, "follows a gap: 1 line missing")

    @pytest.mark.parametrize("place", range(1, 5))
    def test_an_inserted_line_is_named(self, place: int) -> None:
        event = msgspec.structs.replace(
            look("x"), seq=place, prev=sha256(LINES[place - 1]).hexdigest()
        )
        lines = [*LINES[:place], msgspec.json.encode(event), *LINES[place:]]
        found = find_break(read(lines))
        assert found == (place + 1, "was inserted")

    def test_swapped_lines_break_the_chain(self) -> None:
        for place in range(5):
            lines = LINES.copy()
            lines[place], lines[place + 1] = lines[place + 1], lines[place]
            assert find_break(read(lines)) is not None

    def test_a_cut_tail_and_a_changed_last_line_leave_no_trace(self) -> None:
        assert find_break(read(LINES[:3])) is None
        assert find_break(read([*LINES[:-1], LINES[-1].replace(b"c5", b"c6")])) is None

    @given(st.data())
    def test_any_changed_byte_before_the_last_line_is_noticed(self, data: st.DataObject) -> None:
        place = data.draw(st.integers(0, 4))
        at = data.draw(st.integers(0, len(LINES[place]) - 1))
        byte = data.draw(st.integers(0, 255).filter(lambda found: found != LINES[place][at]))
        changed = LINES[place][:at] + bytes([byte]) + LINES[place][at + 1 :]
        assert find_break(read([*LINES[:place], changed, *LINES[place + 1 :]])) is not None


class TestEvent:
    @pytest.mark.parametrize(
        "lacking",
        [
            b'{"kind":"look","seq":0,"prev":"","at":"","set":"s","depth":"question"}',
            b'{"kind":"look","seq":0,"prev":"","at":"","set":"s","candidate":"c"}',
            b'{"kind":"policy","seq":0,"prev":"","at":"","set":"s"}',
            b'{"kind":"peek","seq":0,"prev":"","at":"","set":"s"}',
            b'{"kind":"freeze","seq":0,"prev":"","at":"","set":"s","who":"me"}',
            b'{"kind":"freeze","seq":true,"prev":"","at":"","set":"s"}',
        ],
    )
    def test_an_event_without_what_it_is_about_is_none(self, lacking: bytes) -> None:
        with pytest.raises(msgspec.ValidationError):
            msgspec.json.decode(lacking, type=Event)


class TestStates:
    def test_a_set_nobody_looked_at_is_sealed(self) -> None:
        freeze = Event(kind=Kind.FREEZE, seq=0, prev=FIRST, at=AT, set=SET)
        assert history([freeze, policy("p")], OWN).state(5) is State.SEALED

    def test_aggregates_score_it_and_questions_open_it(self) -> None:
        events = [look("c1")]
        assert history(events, OWN).state(5) is State.SCORED
        events.append(look("c1", Depth.QUESTION))
        assert history(events, OWN).state(5) is State.OPENED

    def test_looking_again_at_a_candidate_spends_nothing(self) -> None:
        events = [look("c1"), look("c2", Depth.QUESTION), look("c1", Depth.QUESTION), look("c2")]
        found = history(events, OWN)
        assert found.candidates == ("c1", "c2")
        assert found.state(2) is State.OPENED

    @pytest.mark.parametrize("depth", Depth)
    def test_a_new_candidate_after_opening_spends_it(self, depth: Depth) -> None:
        found = history([look("c1", Depth.QUESTION), look("c2", depth)], OWN)
        assert found.state(5) is State.SPENT
        assert found.spent_because(5) == (
            "a new candidate was scored after its questions had been opened"
        )

    def test_more_candidates_than_the_budget_spend_it(self) -> None:
        found = history([look("c1"), look("c2"), look("c3")], OWN)
        assert [found.state(budget) for budget in (2, 3)] == [State.SPENT, State.SCORED]
        assert found.spent_because(2) == "3 candidates were looked at, 2 are allowed"

    def test_retiring_spends_it(self) -> None:
        retire = Event(kind=Kind.RETIRE, seq=0, prev=FIRST, at=AT, set=SET)
        assert history([retire], OWN).spent_because(5) == "it was retired"

    def test_events_about_other_questions_do_not_count(self) -> None:
        events = [look("c1", Depth.QUESTION, set_digest="other"), look("c2")]
        assert history(events, OWN | {"other": Ancestor("0.9", 0)}) == History(
            ("c2",), opened=False, retired=False, scored_after_opening=False
        )

    @pytest.mark.parametrize("ancestor", [Ancestor("0.9", 1), Ancestor(None, 4)])
    def test_events_about_the_same_questions_or_unknown_ones_count(
        self, ancestor: Ancestor
    ) -> None:
        events = [look("c1", Depth.QUESTION, set_digest="other"), look("c2")]
        assert history(events, OWN | {"other": ancestor}).state(5) is State.SPENT

    @given(st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from(Depth)), max_size=8))
    def test_a_set_never_comes_back(self, looks: list[tuple[str, Depth]]) -> None:
        order = list(State)
        states = [
            history([look(*each) for each in looks[:n]], OWN).state(3)
            for n in range(len(looks) + 1)
        ]
        assert all(order.index(one) <= order.index(other) for one, other in pairwise(states))

    @given(
        st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from(Depth)), max_size=8),
        st.integers(1, 4),
    )
    def test_the_state_is_what_the_first_looks_of_all_candidates_say(
        self, looks: list[tuple[str, Depth]], budget: int
    ) -> None:
        """Computed from the places of first looks alone, not by going through the events."""
        first = {name: [each for each, _ in looks].index(name) for name, _ in looks}
        opened = [place for place, (_, depth) in enumerate(looks) if depth is Depth.QUESTION]
        expected = State.SCORED if looks else State.SEALED
        if opened:
            expected = State.OPENED
        if len(first) > budget or (opened and max(first.values()) > opened[0]):
            expected = State.SPENT
        found = history([look(*each) for each in looks], OWN)
        assert found.state(budget) is expected
        assert list(found.candidates) == sorted(first, key=first.__getitem__)
        assert [found.number(name) for name in found.candidates] == [*range(1, len(first) + 1)]


class TestLooks:
    def test_only_a_deeper_look_at_the_same_candidate_adds_anything(self) -> None:
        expected = {
            (Depth.AGGREGATE, Depth.AGGREGATE): False,
            (Depth.AGGREGATE, Depth.QUESTION): True,
            (Depth.QUESTION, Depth.AGGREGATE): False,
            (Depth.QUESTION, Depth.QUESTION): False,
        }
        for (before, now), new in expected.items():
            assert adds([look("c", before)], set_digest=SET, candidate="c", depth=now) is new
            assert adds([look("c", before)], set_digest=SET, candidate="d", depth=now)
            assert adds([look("c", before)], set_digest="other", candidate="c", depth=now)

    def test_a_policy_counts_as_written_before_only_ahead_of_the_candidates_look(self) -> None:
        def before(*events: Event) -> bool:
            return policy_stands_before(events, OWN, policy="p", candidate="c")

        assert before(policy("p"), look("c"))
        assert before(look("b"), policy("p"), look("c"))
        assert not before(look("c"), policy("p"))
        assert not before(policy("q"), look("c"), policy("p"), look("c", Depth.QUESTION))
        assert not before(policy("q"))

    @pytest.mark.parametrize(
        ("confidence", "number", "expected"),
        [(0.95, 1, 0.95), (0.95, 2, 0.975), (0.95, 5, 0.99), (0.9, 3, 29 / 30)],
    )
    def test_the_kth_candidate_is_judged_at_one_minus_alpha_over_k(
        self, confidence: float, number: int, expected: float
    ) -> None:
        assert judged_confidence(confidence, number) == pytest.approx(expected, abs=1e-12)
