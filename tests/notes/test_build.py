"""What a note says, in which order, and what a release manager sees first."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import msgspec
import pytest
from hypothesis import given

from ragtui.core.change import Verdict
from ragtui.core.model import RunInfo, SetInfo, Status
from ragtui.core.triage import Choice
from ragtui.notes.document import Card, Heading, Listing, Table, plain
from ragtui.notes.layout import FILE_WIDTH, lines
from ragtui.notes.subject import Group, Request, Subject
from ragtui.notes.writers import FORMATS, render
from tests.builders import (
    Case,
    comparison_of,
    question,
    questions_with_records,
    random_comparison,
    record,
    release_desk,
    run_info,
)
from tests.notes.notes import decide, note, told

if TYPE_CHECKING:
    from ragtui.core.comparison import Comparison
    from ragtui.core.triage import Decision
    from ragtui.notes.document import Document


def text_of(document: Document) -> str:
    return render(document, ".txt").decode("utf-8")


def headings(document: Document) -> list[str]:
    return [plain(b.text) for b in document.blocks if isinstance(b, Heading) and b.level == 2]


def cards(document: Document) -> list[str]:
    return [plain(block.head) for block in document.blocks if isinstance(block, Card)]


def first_screen(document: Document, height: int = 24) -> str:
    drawn = ["".join(piece.text for piece in line) for line in lines(document, FILE_WIDTH)]
    return "\n".join(drawn[:height])


def busy() -> tuple[Comparison, dict[str, Decision]]:
    """Return a comparison with a decision of every kind, and changes without one."""
    comparison = random_comparison(60, 7)
    needing = [
        comparison.ids[i] for i in comparison.order if comparison.changes[i].severity is not None
    ]
    better = [
        comparison.ids[i]
        for i in comparison.order
        if comparison.changes[i].verdict is Verdict.IMPROVED
    ]
    assert len(needing) > 8
    return comparison, {
        **decide(comparison, needing[0], Choice.BLOCK, note="wrong rate", owner="Mira"),
        **decide(comparison, needing[1], Choice.ACCEPT, note="known", who="kay"),
        **decide(comparison, needing[2], Choice.DISPUTE, note="label is old"),
        **decide(comparison, needing[3], Choice.INVESTIGATE, follow_up="T-7"),
        **decide(comparison, needing[4], Choice.ACCEPT, is_stale=True),
        **decide(comparison, better[0], Choice.ACCEPT),
    }


# ---------------------------------------------------------------- the first screen


def test_the_first_screen_says_how_it_ended_and_what_is_left_to_do() -> None:
    """Outcome, verdicts, and every open change by name and severity, in 24 lines."""
    comparison, decisions = busy()
    document = note(comparison, decisions)
    screen = first_screen(document)
    subject = Subject(comparison=comparison, decisions=decisions, request=Request(version="0"))
    assert "Blocked: 1 change must not be released as it is;" in screen
    for group in (Group.BLOCKED, Group.UNDECIDED, Group.STALE):
        for index in subject.groups[group]:
            assert comparison.ids[index] in screen
    for verdict, n in comparison.totals.items():
        assert f"{n} {verdict.value.replace('-', ' ')}" in screen


def outcome_of(comparison: Comparison, decisions: dict[str, Decision]) -> str:
    return told(note(comparison, decisions)).split("\n")[1]


def test_the_outcome_is_one_line_of_ours() -> None:
    """It follows the decisions, never an average."""
    desk = release_desk()
    assert outcome_of(desk, {}) == "Open: 1 change needs a decision."
    for choice, words in (
        (Choice.ACCEPT, "Decided: 1 change needed a decision, none is left undecided."),
        (Choice.DISPUTE, "Decided: 1 change needed a decision, none is left undecided."),
        (Choice.INVESTIGATE, "Open: 1 change needs a decision."),
        (Choice.BLOCK, "Blocked: 1 change must not be released as it is."),
    ):
        assert outcome_of(desk, decide(desk, "launch", choice)) == words
    stale = decide(desk, "launch", Choice.ACCEPT, is_stale=True)
    assert outcome_of(desk, stale) == "Open: 1 change needs a decision."


def test_where_nothing_got_worse_no_decision_is_asked_for() -> None:
    """Also where nothing was compared at all."""
    empty = comparison_of([], [], [])
    assert outcome_of(empty, {}) == "No change needs a decision."


# ---------------------------------------------------------------- order and completeness


def test_sections_come_in_the_order_in_which_a_reader_needs_them() -> None:
    """What is open before what is settled, figures before definitions, identity last."""
    document = note(*busy())
    assert [heading.partition(":")[0] for heading in headings(document)] == [
        "Before you trust it",
        "Decisions needed",
        "Accepted regressions",
        "Label disputed by the reviewer",
        "Decided, though no decision is needed",
        "Improvements",
        "Not comparable",
        "Measures",
        "Slices",
        "Without a value",
        "Operations",
        "Definitions",
        "Not measured",
        "Identifiers",
    ]


@given(questions_with_records())
def test_every_question_stands_in_exactly_one_place(case: Case) -> None:
    """Whatever was decided: as a card, in a table, or counted as unchanged."""
    comparison = case.compare()
    document = note(comparison)
    named = Counter[str]()
    for block in document.blocks:
        if isinstance(block, Card):
            named[block.head[1].text] += 1
        elif isinstance(block, Table) and block.columns[0].title == "question":
            named.update(row[0][0].text for row in block.rows)
    subject = Subject(comparison=comparison, decisions={}, request=Request(version="0"))
    unchanged = {comparison.ids[index] for index in subject.groups[Group.UNCHANGED]}
    assert named == Counter(id_ for id_ in comparison.ids if id_ not in unchanged)
    if unchanged:
        assert f"Unchanged: {len(unchanged)} question" in told(document)


@given(questions_with_records(permissions=True))
def test_any_comparison_has_a_note_in_every_format(case: Case) -> None:
    """Failures, gaps, half-labelled and restricted questions included; twice the same bytes."""
    comparison = case.compare()
    first, second = note(comparison), note(case.compare())
    for suffix in FORMATS:
        assert render(first, suffix) == render(second, suffix)


def test_a_large_note_counts_what_it_does_not_list() -> None:
    """Changes to act on are all there; of what got better 200 rows and a count."""
    comparison = random_comparison(3000, 3)
    document = note(comparison)
    open_changes = sum(
        n for row, n in comparison.changes.count().items() if row.severity is not None
    )
    assert len(cards(document)) == open_changes
    better = sum(
        row.severity is None and row.verdict is Verdict.IMPROVED
        for row in (comparison.changes[i] for i in range(len(comparison)))
    )
    assert f"{better - 200} questions more; all stand in the note as JSON." in told(document)


# ---------------------------------------------------------------- decisions


def test_a_card_says_who_decided_what_and_why() -> None:
    """The reason, the owner and the follow-up stand with the change."""
    desk = release_desk()
    decision = decide(
        desk,
        "launch",
        Choice.BLOCK,
        note="No bonus exists.",
        owner="Mira",
        follow_up="T-7",
        who="kay",
    )
    drawn = text_of(note(desk, decision))
    for words in (
        "decision  blocked by kay, 2026-11-28T10:00:00Z",
        "reason    No bonus exists.",
        "owner     Mira · follow-up T-7",
        "cause     unsupported claim added: bonus cites launch, but no label supports this claim",
        "measures  support 1/1 = 1.00 → 1/2 = 0.50 (−0.50)",
        "evidence  A run-a.jsonl line 1 sha256 ",
    ):
        assert words in drawn


def test_a_reason_of_several_lines_is_quoted_whole() -> None:
    """Below the card, with its lines."""
    desk = release_desk()
    drawn = text_of(note(desk, decide(desk, "launch", Choice.ACCEPT, note="one\ntwo")))
    assert "    │ one\n    │ two\n" in drawn


def test_a_stale_decision_says_what_changed_since() -> None:
    """It is shown with what was decided, and needs a decision again."""
    desk = release_desk()
    drawn = text_of(note(desk, decide(desk, "launch", Choice.ACCEPT, is_stale=True)))
    assert "stale, was: accepted" in drawn
    assert "changed since: the record of B" in drawn
    assert "0 of 1 change" in drawn


def test_decisions_about_questions_that_are_gone_are_named() -> None:
    """They are kept and not counted."""
    desk = release_desk()
    gone = decide(desk, "launch", Choice.ACCEPT)["launch"]
    drawn = told(note(desk, {"gone": msgspec.structs.replace(gone, question="gone")}))
    assert "1 decision about questions that this set does not hold" in drawn
    assert "Open: 1 change needs a decision." in drawn


# ---------------------------------------------------------------- before it is trusted


def trust(comparison: Comparison, **request: object) -> list[str]:
    document = note(comparison, **request)  # type: ignore[arg-type]
    found = next(block for block in document.blocks if isinstance(block, Listing))
    return list(map(plain, found.items))


def test_a_changed_setting_is_told_with_both_values() -> None:
    """One change is called controlled, several cannot be told apart."""
    one = comparison_of([], [], [], candidate=run_info("b", pipeline={"retrieval.top_k": 9}))
    assert "1 controlled change: retrieval.top_k not recorded → 9." in trust(one)


def test_failed_missing_and_disputed_questions_are_named() -> None:
    """By id: a reader can look them up."""
    asked = [
        question("p", relevant=["a"]),
        question("q", relevant=["a"]),
        msgspec.structs.replace(question("r", relevant=["a"]), status=Status.DISPUTED),
    ]
    comparison = comparison_of(
        asked,
        [record(n, ["a"], {}) for n in "pqr"],
        [record("p", error="x"), record("r", ["a"], {})],
    )
    told_first = trust(comparison)
    assert "Missing in B, counted in every total: q." in told_first
    assert "Failed in B, counted in every total: p." in told_first
    assert "Labels in dispute on 1 question, scored under the main labels: r." in told_first


def test_an_exploratory_cutoff_is_the_first_thing_to_know() -> None:
    """Nothing is decided on it."""
    comparison = comparison_of([], [], [], exploratory=True)
    assert trust(comparison)[0].startswith("Exploratory cutoff: k = 2")


def test_an_unfrozen_set_and_an_unknown_annotation_are_told() -> None:
    """Notices of the comparison are there, what they quote told apart from the words."""
    comparison = comparison_of([], [], [], notices=("not frozen: desk 1.0.0 has no lock",))
    assert "Not frozen: desk 1.0.0 has no lock." in trust(comparison)


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_date_is_there_only_when_it_was_asked_for(suffix: str) -> None:
    """Dates come from the data; the clock's comes from outside."""
    desk = release_desk()
    assert "2026-12-24" not in render(note(desk), suffix).decode("utf-8")
    dated = note(desk, dated="2026-12-24T08:00:00Z")
    assert "2026-12-24T08:00:00Z" in render(dated, suffix).decode("utf-8")


# ---------------------------------------------------------------- filter and figures


def test_a_filter_lists_less_and_changes_no_total() -> None:
    """It is named, what it hides is counted, and the figures of all questions stay."""
    desk = release_desk()
    index = desk.index_of("owner")
    assert index is not None
    whole = told(note(desk))
    part = told(note(desk, filter_text="tag:lookup b.support=1", indexes=[index]))
    assert "Filter tag:lookup b.support=1: questions are listed one by one only for 1 of 4" in part
    assert "1 open change outside the filter, named at the top." in part
    assert "1 question not listed: outside the filter." in part
    measures = whole[whole.index("\nMeasures\n") :]
    paired = measures[: measures.index("Own: ")].rstrip()
    assert paired in part
    assert part.count("Open: 1 change needs a decision.") == 1


def test_own_means_of_different_questions_are_never_subtracted() -> None:
    """Support is 0.50 of 4 and 0.83 of 3 questions: half of +0.33 is region leaving the set."""
    for suffix in FORMATS:
        written = render(note(release_desk()), suffix).decode("utf-8")
        assert "+0.33" not in written
        assert "0.3333" not in written
    assert "support +0.17 (n 3)" in told(note(release_desk()))


def test_the_identity_of_everything_stands_at_the_end() -> None:
    """Set, runs and records by digest, the contract, the program."""
    comparison = comparison_of(
        [],
        [],
        [],
        baseline=_with_digest("a", "1" * 64),
        candidate=_with_digest("b", "2" * 64),
        set_info=SetInfo(id="desk", version="3.1", sha256="5" * 64, frozen=True, rubric="2026-11"),
    )
    tail = told(note(comparison)).partition("\nIdentifiers\n")[2]
    for wanted in ("1" * 64, "2" * 64, "5" * 64, "desk 3.1", "rubric 2026-11", "ragtui 0.0.0"):
        assert wanted in tail
    assert "strict-citation/1" in tail


def _with_digest(name: str, digest: str) -> RunInfo:
    return msgspec.structs.replace(run_info(name), records_sha256=digest)
