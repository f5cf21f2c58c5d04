from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtui.core.model import Claim, ClaimIds, Document, Question, Record, Retrieved, Review, Status
from ragtui.tui.spans import plain
from ragtui.tui.views.evidence import evidence_lines, evidence_title
from ragtui.tui.views.evidence_context import COUNTED
from ragtui.tui.views.targets import claim_target
from tests.builders import (
    Case,
    any_of,
    comparison_of,
    disputed_desk,
    question,
    questions_with_records,
    record,
    release_desk,
    run_info,
)
from tests.strategies import hostile_text
from tests.tui.views import assert_fits, roles_of, shown, text_of

if TYPE_CHECKING:
    from ragtui.core.comparison import Comparison
    from ragtui.tui.spans import Line, Meta


SHORT = hostile_text(max_pieces=3)


def _lines(
    comparison: Comparison,
    name: str,
    measure: str = "support",
    *,
    width: int = 74,
    selected: Meta | None = None,
) -> list[Line]:
    index = comparison.index_of(name)
    assert index is not None
    detail = comparison.detail(index)
    return evidence_lines(
        comparison, detail, comparison.measure(measure), width=width, selected=selected
    )


LAUNCH = """\
On which day does the release start?
lookup · 1 relevant document · labels agreed

▼ S2      new unsupported: bonus · a new unsupported claim on an
          answerable question
cause     unsupported claim added: bonus cites launch, but no label
          supports this claim
support   A 1/1 = 1.00   B 1/2 = 0.50   Δ −0.50
          generated claims that are supported / generated claims

A baseline  2026-11-20-baseline     │ B candidate  2026-11-27-candidate
  1 ● launch                        │   1 ● launch
  2 ○ archive                       │   2 ○ archive
── context ends here · k = 2 ─────────────────────────────────────────────

 claims 1 · supported 1             │  claims 2 · supported 1
▎✓ monday  [launch]                 │ ▎✓ monday  [launch]
                                    │ ▎✗ bonus  [launch]
                                    │    no label supports this claim

expected  monday A ✓ B ✓

── claim bonus ───────────────────────────────────────────────────────────
Everyone who upgrades in the first week gets a bonus.
label     no label supports this claim
A         – not stated
B         ✗ no label supports this claim · cites launch (rank 1)
▸ launch · Launch plan · version 2026-11 · as delivered in A and B
  The release starts on Monday at nine. Traffic moves over in three steps.
"""


def test_a_regressed_question_says_what_broke_why_and_on_what_evidence() -> None:
    """The whole first screen of `launch`, as people see it."""
    lines = text_of(_lines(release_desk(), "launch"))
    expected = LAUNCH.splitlines()
    assert lines[: len(expected)] == expected


def test_a_score_is_derived_from_what_was_counted() -> None:
    """With the ids behind the numerator, and the reason where there is no value."""
    text = shown(_lines(release_desk(), "rollback", "recall"))
    assert "R@2       A 1/2 = 0.50   B 2/2 = 1.00   Δ +0.50" in text
    assert "A 1 of 2 relevant documents visible: rollback; not visible:" in text
    assert "B n/a" in shown(_lines(release_desk(), "region"))
    assert "B the answer makes no claims" in shown(_lines(release_desk(), "region"))


def test_the_title_names_verdict_question_and_severity() -> None:
    """A glyph, a word and a level, not a colour alone."""
    comparison = release_desk()
    detail = comparison.detail(0)
    title = evidence_title(comparison, detail, comparison.measures[0])
    assert plain(title) == "▼ launch · S2 regressed"


def _counted(lines: list[Line]) -> list[str]:
    """Return what stands after each sign of a counted thing."""
    found = []
    for line in lines:
        parts = list(line)
        for position, part in enumerate(parts):
            if part.text == COUNTED:
                rest = plain(tuple(parts[position + 1 :])).split("│")[0]
                found.append(rest.strip().split("  ")[0].strip())
    return found


@pytest.mark.parametrize(
    ("measure", "counted"),
    [
        ("precision", ["1 ○ archive", "1 ● owners", "2 ● owners", "2 ○ archive"]),
        ("recall", ["1 ● owners", "2 ● owners"]),
        ("rr", ["1 ● owners", "2 ● owners"]),
        ("support", ["✗ aurora", "✓ aurora"]),
        ("coverage", ["aurora A ✗ B ✓"]),
    ],
)
def test_the_selected_measure_marks_what_it_counts(measure: str, counted: list[str]) -> None:
    """P@k the visible slots, RR@k the first relevant one, support each claim, coverage expected."""
    marked = [
        text.removesuffix(" ↑1") for text in _counted(_lines(release_desk(), "owner", measure))
    ]
    assert sorted(marked) == sorted(counted)


def test_selecting_a_claim_marks_the_documents_it_cites_in_both_columns() -> None:
    """A cites the archive, B the owners: each is marked where it was cited."""
    lines = _lines(release_desk(), "owner", selected=claim_target("aurora"))
    marked = {
        (part.text, plain(line).index("│") > plain(line).index(part.text))
        for line in lines
        for part in line
        if "cited" in part.role.split() and part.text in {"archive", "owners"}
    }
    assert marked == {("archive", True), ("owners", False)}
    assert "cites a document that does not support it · cites archive" in shown(lines)


def test_ranks_say_how_a_document_moved() -> None:
    """Up, down, new and gone, and where it went beyond the cutoff."""
    asked = question("q", relevant=["a", "b"], support={"x": ["a"]})
    comparison = comparison_of(
        [asked],
        [record("q", ["a", "b", "c"], {})],
        [record("q", ["b", "d", "a"], {})],
    )
    text = text_of(_lines(comparison, "q", width=60))
    first = next(n for n, line in enumerate(text) if line.startswith("A baseline"))
    assert text[first + 1 : first + 5] == [
        "  1 ● a                  →3  │   1 ● b                  ↑1",
        "  2 ● b                      │   2 ○ d                 new",
        "── context ends here · k = 2 ───────────────────────────────",
        "  3 ○ c                gone  │   3 ● a                  ↓2",
    ]


def test_a_long_tail_is_counted_and_its_relevant_ranks_are_named() -> None:
    """Ten items beyond the cutoff are shown, the rest is a number."""
    ids = [f"d{n}" for n in range(1, 101)]
    comparison = comparison_of(
        [question("q", relevant=["d57", "d88", "never"], support={})],
        [record("q", ids, {})],
        [record("q", ids, {})],
    )
    text = shown(_lines(comparison, "q", width=90))
    assert "12 ○ d12" in text
    assert "13 ○ d13" not in text
    assert "and 88 more · ● at 57, 88" in text
    assert "– ● never" in text
    assert "not retrieved" in text


def test_every_kind_of_nothing_is_told_apart() -> None:
    """No record, a failure, retrieval not recorded, nothing retrieved, no claims, abstention."""
    questions = [question(f"q{n}", relevant=["a"], support={"x": ["a"]}) for n in range(3)]
    comparison = comparison_of(
        questions,
        [record("q0", error="timeout after 30 s"), record("q1", ["a"], None), record("q2", [], {})],
        [record("q1", None, {"x": ["a"]}), record("q2", ["a"], {"x": ["a"]})],
    )
    text = [shown(_lines(comparison, f"q{n}", width=90)) for n in range(3)]
    assert "failed: timeout after 30 s" in text[0]
    assert "the run has no record of this question" in text[0]
    assert "∅ verdict" in text[0]
    assert "claims were not recorded" in text[1]
    assert "retrieval was not recorded" in text[1]
    assert "cannot be judged" in text[1]
    assert "nothing was retrieved" in text[2]
    assert "no claim made: abstained" in text[2]


def test_a_disputed_question_shows_every_judgement() -> None:
    """All reviews stay beside the main labels."""
    asked = Question(
        id="q",
        relevant=("a",),
        support={"x": any_of("a")},
        status=Status.DISPUTED,
        reviews=(
            Review(
                reviewer="r2", relevant=("a", "b"), support={"x": any_of("b")}, note="b says it too"
            ),
        ),
    )
    comparison = comparison_of([asked], [record("q", ["a"], {})], [record("q", ["a"], {})])
    lines = _lines(comparison, "q", width=90)
    assert "r2 · relevant: a, b · x is supported by b · b says it too" in shown(lines)
    assert roles_of(lines, "labels disputed") == ["attention"]


DISPUTED = """\
labels    regressed or improved: label open
          S2 regressed under the main labels, r1; improved under r2
          support   A 1.00   B 0.50 to 1.00   Δ −0.50 to 0
          coverage   A 0.50 to 1.00   B 1.00   Δ 0 to +0.50
"""


def test_a_verdict_that_hangs_on_a_label_says_on_whose_and_how_the_measures_range() -> None:
    """In the title, and under the causes; measures that no label moves are left out."""
    comparison = disputed_desk()
    text = shown(_lines(comparison, "launch"))
    assert f"\n{DISPUTED}" in text
    assert text.count("label open") == 1
    measure = comparison.measure("support")
    title = plain(evidence_title(comparison, comparison.detail(0), measure))
    assert title == "▼ launch · S2 regressed · label open"
    assert "label" not in plain(evidence_title(comparison, comparison.detail(1), measure))


def test_a_dispute_that_no_verdict_hangs_on_is_said_quietly() -> None:
    """The verdict is the same under every labelling."""
    asked = Question(id="q", relevant=("a",), status=Status.DISPUTED)
    same = [record("q", ["a"], {})]
    lines = _lines(comparison_of([asked], same, same), "q")
    told = "unchanged under the main labels; no review is recorded"
    assert roles_of(lines, told) == ["muted"]


def test_chunks_of_one_document_are_named_and_counted_once() -> None:
    """The second chunk is marked as the same document again."""
    items = (Retrieved("a", "c1"), Retrieved("a", "c2"), Retrieved("b", "c1"))
    told = Record(question="q", retrieved=items, claims=())
    comparison = comparison_of(
        [question("q", relevant=["a"], support={})], [told], [told], cutoff=3
    )
    lines = _lines(comparison, "q", "precision", width=90)
    assert "2 ● a#c2 again" in shown(lines)
    assert _counted(lines) == ["1 ● a#c1", "1 ● a#c1", "3 ○ b#c1", "3 ○ b#c1"]


def test_different_text_under_one_id_is_shown_for_both_runs() -> None:
    """What A read is not what B read: the claim they cite it for may hold in one only."""
    a, b = (
        Record(
            question="q",
            retrieved=(Retrieved("plan", "plan#1", text=text),),
            claims=(Claim("x", ("plan",)),),
        )
        for text in ("up to 500", "up to 750")
    )
    asked = question("q", relevant=["plan"], support={"x": ["plan"]})
    lines = _lines(comparison_of([asked], [a], [b]), "q", selected=claim_target("x"))
    assert "A and B were given different text" in " ".join(shown(lines).split())
    assert "  A up to 500" in text_of(lines)
    assert "  B up to 750" in text_of(lines)
    assert "1 ● plan#1" in shown(lines)


def test_grades_stand_beside_the_mark() -> None:
    """And a document without a grade leaves the place blank."""
    asked = Question(id="q", relevant=("a", "b"), support={}, grades={"a": 2})
    told = record("q", ["a", "b"], {})
    text = shown(_lines(comparison_of([asked], [told], [told]), "q"))
    assert "1 ●2 a" in text
    assert "2 ●  b" in text


def _with_secret() -> Comparison:
    secret = Document(id="pay", text="canary-7731", title="Pay", groups=("hr",))
    open_one = Document(id="faq", text="free to read", groups=("public",))
    told = Record(
        question="q",
        retrieved=(Retrieved("pay", text="canary-7731"), Retrieved("faq", text="free to read")),
        claims=(Claim("x", ("pay",)),),
    )
    asked = question("q", relevant=["pay"], support={"x": ["pay"]})
    return comparison_of([asked], [told], [told], documents=[secret, open_one])


def test_the_text_of_a_restricted_document_is_never_shown() -> None:
    """Its id is, with the word; the text stays where it is."""
    lines = _lines(_with_secret(), "q", "disclosures", selected=claim_target("x"))
    assert "canary" not in shown(lines)
    assert "restricted for caller public: its text is not shown" in shown(lines)
    assert "pay restricted" in shown(lines)


def test_a_mark_tells_a_restricted_document_where_its_word_has_no_room() -> None:
    """⊘ stands before the name at any width."""
    wide, narrow = (shown(_lines(_with_secret(), "q", width=width)) for width in (100, 12))
    assert "⊘ pay restricted" in wide
    assert "pay restricted" not in narrow
    assert "⊘ pay" in narrow


def _quoting() -> Comparison:
    """Return a run whose answer and own claims may quote what only hr may read, and one without."""
    comparison = _with_secret()
    secret, faq = (comparison.evidence.document(name) for name in ("pay", "faq"))
    assert secret is not None
    assert faq is not None
    own = run_info("run", claim_ids=ClaimIds.RUN)
    quoted = Record(
        question="q",
        retrieved=(Retrieved("faq"), Retrieved("pay")),
        answer="canary-answer",
        claims=(Claim("c1", ("faq",), "canary-claim"),),
    )
    plain_one = Record(
        question="q",
        retrieved=(Retrieved("faq"),),
        answer="harmless answer",
        claims=(Claim("c1", ("faq",), "harmless claim"),),
    )
    return comparison_of(
        [question("q", relevant=["faq"], support={"x": ["faq"]})],
        [quoted],
        [plain_one],
        documents=[secret, faq],
        baseline=own,
        candidate=own,
    )


def test_an_answer_that_may_quote_a_restricted_document_is_not_shown_either() -> None:
    """Nor its claims in its own words; the other run's are."""
    text = shown(_lines(_quoting(), "q", width=90))
    assert "canary" not in text
    assert "may quote a restricted document: not shown" in text
    assert "harmless answer" in text
    assert "harmless claim" in text


def test_restricted_text_is_shown_when_somebody_asked_for_it() -> None:
    """Still marked as restricted."""
    comparison = _with_secret()
    comparison.shows_restricted = True
    text = shown(_lines(comparison, "q", "disclosures", selected=claim_target("x")))
    assert "canary-7731" in text
    assert "pay restricted" in text
    quoting = _quoting()
    quoting.shows_restricted = True
    text = shown(_lines(quoting, "q", width=90))
    assert "canary-answer" in text
    assert "canary-claim" in text


def test_claims_of_a_run_are_never_matched_with_the_other_runs() -> None:
    """Two runs' own `c1` are two targets, each with its own wording."""
    asked = question("q", relevant=["a"], support={"x": ["a"]})
    a = Record(question="q", retrieved=(Retrieved("a"),), claims=(Claim("c1", ("a",), "Yes."),))
    b = Record(question="q", retrieved=(Retrieved("a"),), claims=(Claim("c1", ("a",), "No."),))
    own = run_info("run", claim_ids=ClaimIds.RUN)
    comparison = comparison_of([asked], [a], [b], baseline=own, candidate=own)
    lines = _lines(comparison, "q")
    metas = {part.meta for line in lines for part in line if part.text == "c1"}
    assert metas == {claim_target("c1", "A"), claim_target("c1", "B")}
    assert "Yes." in shown(lines)
    assert "No." in shown(lines)


def test_a_narrow_pane_stacks_the_runs() -> None:
    """Under each other, both with their own cutoff line."""
    lines = _lines(release_desk(), "rollback", width=40)
    assert_fits(lines, 40)
    text = shown(lines)
    assert "│" not in text
    assert text.count("context ends here · k = 2") == 2
    assert text.index("A baseline") < text.index("B candidate")


@settings(max_examples=40)
@given(questions_with_records(permissions=True, max_size=3), st.integers(1, 100), st.data())
def test_any_question_fits_any_width(case: Case, width: int, data: st.DataObject) -> None:
    """Labels absent, records missing, everything restricted: lines stay inside the pane."""
    comparison = case.compare()
    for index in range(len(comparison)):
        detail = comparison.detail(index)
        measure = data.draw(st.sampled_from(comparison.measures))
        claims = [claim_target(claim) for claim in ("x", "z")]
        selected = data.draw(st.sampled_from([None, *claims]))
        lines = evidence_lines(comparison, detail, measure, width=width, selected=selected)
        assert_fits(lines, width)


@settings(max_examples=40)
@given(SHORT, SHORT, SHORT, st.integers(1, 90))
def test_no_text_of_a_file_acts_on_the_screen(name: str, text: str, other: str, width: int) -> None:
    """Ids, wordings, answers, errors, notes and documents are shown, never obeyed."""
    document = Document(id=name, text=text, title=other, source=text, version=other)
    asked = Question(
        id=name,
        text=text,
        tags=(other,),
        relevant=(name,),
        support={other: any_of(name)},
        claims={other: text},
        caller=(other,),
        status=Status.RESOLVED,
        reviews=(Review(reviewer=name, relevant=(other,), note=text),),
    )
    told = Record(
        question=name,
        retrieved=(Retrieved(name, chunk=other, text=text, version=other), Retrieved(other)),
        delivered=(other,),
        answer=text,
        claims=(Claim(other, (name,), text), Claim(text, (other,))),
    )
    failed = msgspec.structs.replace(told, error=text)
    for b in (msgspec.structs.replace(told, answer=other), failed):
        comparison = comparison_of([asked], [told], [b], documents=[document])
        lines = _lines(comparison, name, width=width, selected=claim_target(other))
        assert_fits(lines, width)
