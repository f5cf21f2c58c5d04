from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

import ragtui.core.wordings
from ragtui.core.change import Verdict
from ragtui.core.query import QueryError, parse, select
from ragtui.session import DETAILS_KEPT, Session, Sort, View
from tests.builders import (
    MemoryEvidence,
    comparison_of,
    question,
    questions_with_records,
    random_comparison,
    record,
    release_desk,
    release_desk_case,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ragtui.core.comparison import Comparison
    from tests.builders import Case


def ids(session: Session) -> list[str]:
    return [session.comparison.ids[index] for index in session.rows]


def current_id(session: Session) -> str | None:
    return None if session.current is None else session.comparison.ids[session.current]


def desk_without(question_id: str) -> Comparison:
    case = release_desk_case()
    return comparison_of(
        [q for q in case.questions if q.id != question_id],
        [r for r in case.records_a if r.question != question_id],
        [r for r in case.records_b if r.question != question_id],
    )


def states(*said: str) -> Callable[[int], str]:
    return said.__getitem__


# ---------------------------------------------------------------- first look, moving


def test_it_starts_at_what_hurts_most_with_nothing_hidden() -> None:
    session = Session(release_desk())
    assert ids(session) == ["launch", "region", "rollback", "owner"]
    assert (session.cursor, current_id(session)) == (0, "launch")
    assert (session.view, session.sort, session.filter_text) == (View.ALL, Sort("triage"), "")
    assert session.measure.key == "support"
    assert not session.is_filtered
    assert session.filter_words == ""
    assert session.shown_aggregates is None


def test_without_claims_it_starts_at_recall() -> None:
    asked = question("q", relevant=["a"])
    session = Session(comparison_of([asked], [record("q", ["a"])], [record("q", ["b"])]))
    assert session.measure.key == "recall"


def test_an_empty_comparison_has_no_current_question() -> None:
    session = Session(comparison_of([], [], []))
    acts: list[Callable[[], None]] = [
        lambda: session.move(1),
        lambda: session.move_to(9),
        lambda: session.sort_by("recall", reverse=True),
        session.next_view,
    ]
    for act in acts:
        act()
        assert (session.cursor, session.current, list(session.rows)) == (0, None, [])
    assert not session.next_change(1)
    assert not session.select_question(0)
    assert session.detail() is None


@pytest.mark.parametrize(
    ("by", "cursor"), [(1, 2), (-1, 0), (2, 3), (9, 3), (-9, 0), (0, 1), (10**9, 3)]
)
def test_the_cursor_stops_at_the_ends(by: int, cursor: int) -> None:
    session = Session(release_desk())
    session.move_to(1)
    session.move(by)
    assert session.cursor == cursor
    assert session.current == session.rows[cursor]


def test_a_question_is_selected_only_where_it_is_shown() -> None:
    session = Session(release_desk())
    assert session.select_question(2)
    assert current_id(session) == "owner"
    session.set_view(View.REGRESSED)
    assert not session.select_question(2)
    assert current_id(session) == "launch"


def test_the_measure_moves_over_the_columns_and_stops_at_the_ends() -> None:
    session = Session(release_desk())
    session.move_measure(-99)
    assert session.measure.key == "precision"
    session.move_measure(3)
    assert session.measure.key == "support"
    session.move_measure(99)
    assert session.measure.key == "abstention_correct"
    session.select_measure("recall")
    assert session.measure.key == "recall"
    with pytest.raises(KeyError):
        session.select_measure("ndcg")
    assert session.measure.key == "recall"


# ---------------------------------------------------------------- next change


def several_changes() -> Comparison:
    asked = [question(f"q{n}", relevant=["a"], support={"x": ["a"]}) for n in range(5)]
    good, bad = {"x": ["a"]}, {"x": ["a"], "extra": ["a"]}
    worse = {1, 3}
    return comparison_of(
        asked,
        [record(q.id, ["a"], good) for q in asked],
        [record(q.id, ["a"], bad if n in worse else good) for n, q in enumerate(asked)],
    )


def test_the_next_change_is_the_next_row_that_needs_a_decision_around_the_end_once() -> None:
    session = Session(several_changes())
    session.sort_by("question")
    session.move_to(0)
    visited = []
    for _ in range(3):
        assert session.next_change(1)
        visited.append(current_id(session))
    assert visited == ["q1", "q3", "q1"]
    assert session.next_change(-1)
    assert current_id(session) == "q3"
    session.select_question(2)
    assert session.next_change(-1)
    assert current_id(session) == "q1"


def test_there_is_no_next_change_where_no_other_row_needs_a_decision() -> None:
    session = Session(release_desk())
    assert current_id(session) == "launch"
    assert not session.next_change(1)
    assert not session.next_change(-1)
    assert session.cursor == 0
    session.move(2)
    assert session.next_change(-1)
    assert current_id(session) == "launch"


def test_a_decided_change_is_not_the_next_one() -> None:
    comparison = several_changes()
    for state, needed in [
        ("undecided", True),
        ("investigate", True),
        ("stale", True),
        ("accept", False),
        ("block", False),
        ("dispute", False),
    ]:
        session = Session(comparison, triage=states("none", state, "none", "none", "none"))
        assert session.needs_decision(1) == needed
        session.sort_by("question")
        session.move_to(0)
        assert session.next_change(1) == needed
        assert session.triage_state(1) == state
    assert Session(comparison).triage_state(1) == "undecided"
    assert Session(comparison).triage_state(0) == "none"


def test_a_question_without_a_severity_needs_no_decision_whatever_is_said_about_it() -> None:
    session = Session(several_changes(), triage=states(*["undecided"] * 5))
    assert [session.needs_decision(index) for index in range(5)] == [
        False,
        True,
        False,
        True,
        False,
    ]


# ---------------------------------------------------------------- filter, view, pick


def test_a_filter_keeps_the_current_question_when_it_is_still_shown() -> None:
    session = Session(release_desk())
    session.select_question(2)
    session.set_filter("tag:lookup")
    assert ids(session) == ["launch", "owner"]
    assert (session.cursor, current_id(session)) == (1, "owner")
    session.set_filter("verdict:regressed")
    assert (session.cursor, current_id(session)) == (0, "launch")


def test_a_question_that_an_empty_list_hid_is_current_again_afterwards() -> None:
    session = Session(release_desk())
    session.select_question(2)
    session.set_filter("nowhere")
    assert (session.current, session.cursor) == (None, 0)
    session.clear_filter()
    assert current_id(session) == "owner"


@pytest.mark.parametrize("mistake", ["tags:lookup", "tag:nowhere", "a.P@3<1", '"', "b.ndcg<1"])
def test_a_mistaken_filter_leaves_everything_as_it_was(mistake: str) -> None:
    session = Session(release_desk())
    session.set_filter("tag:lookup")
    session.move(1)
    before = (list(session.rows), session.cursor, session.filter_text, session.filter_words)
    with pytest.raises(QueryError):
        session.set_filter(mistake)
    assert (
        list(session.rows),
        session.cursor,
        session.filter_text,
        session.filter_words,
    ) == before


def test_words_are_looked_for_in_texts_whatever_their_case() -> None:
    session = Session(release_desk())
    session.set_filter("WHICH")
    assert ids(session) == ["launch", "region", "owner"]
    session.set_filter("region")
    assert ids(session) == ["region"]
    session.set_filter("-which")
    assert ids(session) == ["rollback"]


def test_texts_are_read_once_and_only_for_words() -> None:
    comparison = release_desk()
    assert isinstance(comparison.evidence, MemoryEvidence)
    session = Session(comparison)
    session.set_filter("tag:lookup")
    session.set_view(View.IMPROVED)
    assert comparison.evidence.reads == []
    session.set_filter("day")
    session.set_filter("team")
    assert comparison.evidence.reads == [0, 1, 2, 3]


def test_texts_of_a_large_set_are_read_only_for_a_word_that_no_id_holds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ragtui.core.wordings, "TEXTS_KEPT", 3)
    comparison = release_desk()
    assert isinstance(comparison.evidence, MemoryEvidence)
    session = Session(comparison)
    session.set_filter("LAUNCH")
    assert ids(session) == ["launch"]
    assert session.filter_words == 'filter "LAUNCH" (ids only) · 1 of 4'
    assert comparison.evidence.reads == []
    session.set_filter("which")
    assert ids(session) == ["launch", "region", "owner"]
    assert session.filter_words == 'filter "which" · 3 of 4'
    session.set_filter("-WHICH")
    assert comparison.evidence.reads == [0, 1, 2, 3]


def test_views_go_round_and_show_their_questions() -> None:
    session = Session(release_desk())
    shown = {}
    for _ in View:
        session.next_view()
        shown[session.view] = ids(session)
    assert shown == {
        View.NEEDS_DECISION: ["launch"],
        View.REGRESSED: ["launch"],
        View.MIXED: [],
        View.IMPROVED: ["region", "rollback", "owner"],
        View.UNCHANGED: [],
        View.NOT_COMPARABLE: [],
        View.ALL: ["launch", "region", "rollback", "owner"],
    }
    assert session.view is View.ALL


def test_the_view_of_what_is_undecided_follows_decisions() -> None:
    said = ["none", "undecided", "none", "undecided", "none"]
    session = Session(several_changes(), triage=said.__getitem__)
    session.set_view(View.NEEDS_DECISION)
    assert ids(session) == ["q1", "q3"]
    said[1] = "accept"
    session.refresh()
    assert ids(session) == ["q3"]
    assert (session.cursor, current_id(session)) == (0, "q3")
    said[3] = "block"
    session.refresh()
    assert (ids(session), session.current) == ([], None)


def test_refreshing_leaves_the_cursor_at_its_place_when_its_question_goes() -> None:
    said = ["accept", "undecided", "accept", "block", "none"]
    session = Session(several_changes(), triage=said.__getitem__)
    session.set_filter("-triage:none")
    assert ids(session) == ["q1", "q3", "q0", "q2"]
    session.move_to(1)
    said[3] = "none"
    session.refresh()
    assert (ids(session), session.cursor, current_id(session)) == (["q1", "q0", "q2"], 1, "q0")
    session.move_to(2)
    said[2] = "none"
    session.refresh()
    assert (session.cursor, current_id(session)) == (1, "q0")


def test_refreshing_keeps_the_current_question_when_others_go() -> None:
    said = ["none", "undecided", "none", "undecided", "none"]
    session = Session(several_changes(), triage=said.__getitem__)
    session.set_view(View.NEEDS_DECISION)
    session.move_to(1)
    said[1] = "accept"
    session.refresh()
    assert (session.cursor, current_id(session)) == (0, "q3")


def test_what_a_pane_picks_joins_the_filter_and_both_are_cleared_at_once() -> None:
    session = Session(release_desk())
    session.pick("slice answerable", [0, 1, 2])
    assert ids(session) == ["launch", "rollback", "owner"]
    assert session.filter_words == "slice answerable · 3 of 4"
    session.set_filter("tag:lookup")
    assert ids(session) == ["launch", "owner"]
    assert session.filter_words == 'slice answerable · filter "tag:lookup" · 2 of 4'
    session.set_view(View.IMPROVED)
    assert session.filter_words == (
        'view improved · slice answerable · filter "tag:lookup" · 1 of 4'
    )
    session.clear_filter()
    assert session.filter_words == "view improved · 3 of 4"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("  ", ""),
        (" tag:lookup ", 'filter "tag:lookup" · 2 of 4'),
        ('-"a b"', 'filter -"a b" · 4 of 4'),
        ('-"a\x1b[2Jb"', 'filter -"a␛[2Jb" · 4 of 4'),
        ("-" + "x" * 99, f'filter "-{"x" * 58}…" · 4 of 4'),
    ],
)
def test_the_words_about_the_filter_are_short_and_clean(text: str, words: str) -> None:
    session = Session(release_desk())
    session.set_filter(text)
    assert session.filter_words == words


def test_a_filter_of_spaces_filters_nothing() -> None:
    session = Session(release_desk())
    session.set_filter("   ")
    assert not session.is_filtered
    assert session.shown_aggregates is None


def test_large_numbers_are_grouped() -> None:
    session = Session(random_comparison(1200, 1))
    session.set_view(View.ALL)
    session.set_filter("-tag:unanswerable")
    assert session.filter_words.endswith(f"{len(session.rows):,} of 1,200")
    assert "," in f"{len(session.rows):,}"


# ---------------------------------------------------------------- figures of what is shown


def test_aggregates_of_what_is_shown_stand_beside_the_totals() -> None:
    session = Session(release_desk())
    session.set_filter("tag:lookup")
    shown = session.shown_aggregates
    assert shown is not None
    support = next(found for found in shown if found.measure.key == "support")
    assert (support.paired.n, support.paired.up, support.paired.down) == (2, 1, 1)
    assert len(session.comparison.aggregates[0].deltas) == 2
    assert session.shown_aggregates is shown


def test_sorting_changes_no_figure_and_filtering_computes_them_anew() -> None:
    session = Session(random_comparison(200, 5))
    session.set_view(View.REGRESSED)
    before = session.shown_aggregates
    session.sort_by("recall", reverse=True)
    assert session.shown_aggregates == before
    session.set_filter("critical:yes")
    assert session.shown_aggregates != before


# ---------------------------------------------------------------- sorting


@pytest.mark.parametrize(
    ("key", "order"),
    [
        ("triage", ["launch", "region", "rollback", "owner"]),
        ("question", ["launch", "owner", "region", "rollback"]),
        ("tags", ["launch", "owner", "rollback", "region"]),
        ("severity", ["launch", "region", "rollback", "owner"]),
        ("verdict", ["launch", "region", "rollback", "owner"]),
        ("support", ["launch", "rollback", "owner", "region"]),
        ("rr", ["launch", "rollback", "owner", "region"]),
        ("abstention_correct", ["region", "launch", "rollback", "owner"]),
    ],
)
def test_rows_are_sorted_by_any_column_ties_in_the_default_order(
    key: str, order: list[str]
) -> None:
    session = Session(release_desk())
    session.move(2)
    session.sort_by(key)
    assert ids(session) == order
    assert current_id(session) == "rollback"
    assert session.sort == Sort(key, reverse=False)


def test_reversing_keeps_what_has_no_value_at_the_end() -> None:
    session = Session(release_desk())
    session.sort_by("support")
    session.reverse()
    assert session.sort == Sort("support", reverse=True)
    assert ids(session) == ["owner", "rollback", "launch", "region"]
    session.reverse()
    assert ids(session) == ["launch", "rollback", "owner", "region"]


def test_rows_cannot_be_sorted_by_a_measure_that_is_not_in_use() -> None:
    session = Session(release_desk())
    session.sort_by("question")
    with pytest.raises(KeyError):
        session.sort_by("ndcg")
    assert session.sort == Sort("question")
    assert session.sort_keys[:6] == (
        "triage",
        "question",
        "tags",
        "severity",
        "verdict",
        "precision",
    )


# ---------------------------------------------------------------- details, reload


def test_a_detail_is_read_once_while_it_is_near() -> None:
    comparison = random_comparison(DETAILS_KEPT + 1, 2)
    session = Session(comparison)
    first = session.detail(0)
    assert first is not None
    assert first.question.id == comparison.ids[0]
    for index in range(1, DETAILS_KEPT):
        session.detail(index)
    assert session.detail(0) is first
    second = session.detail(1)
    session.detail(DETAILS_KEPT)
    assert session.detail(0) is first
    for index in range(2, DETAILS_KEPT + 1):
        session.detail(index)
    assert session.detail(1) is not second


def test_the_detail_is_the_current_question_unless_another_is_named() -> None:
    session = Session(release_desk())
    session.move(1)
    here, there = session.detail(), session.detail(2)
    assert here is not None
    assert there is not None
    assert (here.question.id, there.question.id) == ("region", "owner")


def test_a_reload_keeps_what_was_looked_at() -> None:
    session = Session(release_desk())
    session.select_measure("support")
    session.set_view(View.IMPROVED)
    session.set_filter("tag:lookup")
    session.pick("two", [1, 2])
    session.sort_by("support", reverse=True)
    old = session.detail()
    assert current_id(session) == "owner"
    assert session.replace(desk_without("launch")) is None
    assert (session.measure.key, session.view) == ("support", View.IMPROVED)
    assert (session.filter_text, session.sort) == ("tag:lookup", Sort("support", reverse=True))
    assert (ids(session), current_id(session)) == (["owner"], "owner")
    assert session.filter_words == 'view improved · two · filter "tag:lookup" · 1 of 3'
    assert session.detail() is not old


def test_a_reload_reads_details_anew() -> None:
    session = Session(release_desk())
    old = session.detail(0)
    assert session.detail(0) is old
    session.replace(release_desk())
    assert session.detail(0) is not old


def test_a_reload_without_the_current_question_goes_to_the_first_row() -> None:
    session = Session(release_desk())
    session.select_question(2)
    session.replace(desk_without("owner"))
    assert (session.cursor, current_id(session)) == (0, "launch")


def test_a_reload_drops_a_filter_that_lost_its_meaning_and_says_so() -> None:
    session = Session(release_desk())
    session.set_view(View.IMPROVED)
    session.set_filter("tag:several-evidence")
    error = session.replace(desk_without("rollback"))
    assert error is not None
    assert str(error).startswith('no question has the tag "several-evidence"')
    assert (session.filter_text, session.view) == ("", View.IMPROVED)
    assert ids(session) == ["region", "owner"]


def test_a_reload_drops_a_measure_that_is_no_longer_in_use() -> None:
    asked = type(question("q"))(id="q", relevant=("a",), support={}, grades={"a": 1})
    session = Session(comparison_of([asked], [record("q", ["a"])], [record("q", ["a"])]))
    session.select_measure("ndcg")
    session.sort_by("ndcg")
    session.replace(release_desk())
    assert (session.measure.key, session.sort) == ("support", Sort("triage"))


# ---------------------------------------------------------------- any sequence of acts


@settings(max_examples=40, stateful_step_count=25)
class AnyUse(RuleBasedStateMachine):
    """Whatever is done, rows are those that filter, view and pick select, in sort order."""

    def __init__(self) -> None:
        """Start without a choice of a pane."""
        super().__init__()
        self.picked: Sequence[int] | None = None

    @initialize(case=questions_with_records(max_size=7))
    def start(self, case: Case) -> None:
        self.comparison = case.compare()
        self.session = Session(self.comparison)

    @rule(by=st.integers(-9, 9))
    def move(self, by: int) -> None:
        self.session.move(by)

    @rule(text=st.sampled_from(["", "q1", "-q1", "delta.recall<0", "limit", "critical:yes"]))
    def set_filter(self, text: str) -> None:
        before = self.session.current
        self.session.set_filter(text)
        if before in self.session.rows:
            assert self.session.current == before

    @rule(text=st.sampled_from(["tag:nowhere", "x:y", "a.P@99<1"]))
    def mistake(self, text: str) -> None:
        with pytest.raises(QueryError):
            self.session.set_filter(text)

    @rule(data=st.data())
    def pick(self, data: st.DataObject) -> None:
        every = range(len(self.comparison))
        self.picked = data.draw(st.lists(st.sampled_from(every))) if every else []
        self.session.pick("these", self.picked)

    @rule()
    def clear(self) -> None:
        self.session.clear_filter()
        self.picked = None

    @rule(view=st.sampled_from(View))
    def set_view(self, view: View) -> None:
        self.session.set_view(view)

    @rule(data=st.data(), reverse=st.booleans())
    def sort(self, data: st.DataObject, reverse: bool) -> None:
        before = self.session.current
        self.session.sort_by(data.draw(st.sampled_from(self.session.sort_keys)), reverse=reverse)
        assert self.session.current == before

    @rule(direction=st.sampled_from([1, -1]))
    def next_change(self, direction: int) -> None:
        before = self.session.current
        moved = self.session.next_change(direction)
        others = [i for i in self.session.rows if i != before and self.session.needs_decision(i)]
        assert moved == bool(others)
        assert self.session.current in others if moved else self.session.current == before

    @invariant()
    def rows_are_what_is_selected(self) -> None:
        session, comparison = self.session, self.comparison
        wanted = set(
            select(
                comparison,
                parse(session.filter_text),
                texts=lambda word: [
                    index
                    for index in range(len(comparison))
                    if word in (comparison.evidence.question(index).text or "").lower()
                ],
            )
        )
        if session.view is View.NEEDS_DECISION:
            wanted &= {i for i in wanted if comparison.changes[i].severity is not None}
        elif session.view is not View.ALL:
            verdict = Verdict(session.view.value)
            wanted &= {i for i in wanted if comparison.changes[i].verdict is verdict}
        if self.picked is not None:
            wanted &= set(self.picked)
        assert sorted(session.rows) == sorted(wanted)
        assert session.is_filtered or len(session.rows) == len(comparison)

    @invariant()
    def the_cursor_is_on_a_row(self) -> None:
        session = self.session
        if session.rows:
            assert session.current == session.rows[session.cursor]
        else:
            assert (session.cursor, session.current) == (0, None)


TestAnyUse = AnyUse.TestCase
