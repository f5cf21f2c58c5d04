from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtui.core.change import Cause, Flag, Severity, Verdict
from ragtui.core.evidence import Side
from ragtui.core.explain import expected_lines, explain, measure_line
from ragtui.core.measures import MEASURES, Form
from ragtui.core.model import Document, Question
from ragtui.core.value import NotAvailable
from tests.builders import (
    Case,
    comparison_of,
    question,
    questions_with_records,
    record,
    release_desk,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ragtui.core.explain import Explanation
    from ragtui.core.model import Record

ORDERS = question("q", relevant=["a", "b"], support={"x": ["a"], "y": ["b"]})
OPEN = question("q", relevant=[], support={})


def _explained(asked: Question, a: Record | None, b: Record | None, cutoff: int = 2) -> Explanation:
    comparison = comparison_of(
        [asked],
        [a] if a else [],
        [b] if b else [],
        cutoff=cutoff,
    )
    return explain(comparison, comparison.detail(0))


def _causes(explanation: Explanation) -> Mapping[Cause, Iterable[str]]:
    found: dict[Cause, list[str]] = {}
    for cause, words in explanation.causes:
        found.setdefault(cause, []).append(words)
    return found


def _of(explanation: Explanation, key: str) -> tuple[str, str, str]:
    """Return the short line and the two derivations of one measure."""
    found = next(m for m in explanation.measures if m.line.measure.key == key)
    return found.line.text, found.baseline.words, found.candidate.words


def test_ranks_are_those_of_items_where_k_cuts_and_of_documents_where_rr_counts() -> None:
    """A chunk beyond k is named by its own rank, whatever was folded before it."""
    cut = _explained(ORDERS, record("q", ["a", "b"]), record("q", ["z", "z", "z", "a", "b"]), 3)
    (beyond,) = _causes(cut)[Cause.BEYOND_CUTOFF]
    assert beyond == "retrieved but beyond the cutoff: a at rank 4, b at rank 5, k 3"
    moved = _explained(ORDERS, record("q", ["z", "z", "a"]), record("q", ["z", "y", "a"]), 3)
    (down,) = _causes(moved)[Cause.DOC_MOVED_DOWN]
    assert down == "relevant document moved down: a from document rank 2 to document rank 3"


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("launch", "regressed: new unsupported: bonus"),
        ("rollback", "improved: smoke gained, checklist entered the context"),
        ("owner", "improved: aurora gained, first relevant document up"),
        ("region", "improved: unsupported claim resolved: region, abstention no→yes"),
    ],
)
def test_a_verdict_says_what_it_rests_on(name: str, sentence: str) -> None:
    """The four questions of the reference table, each in one sentence."""
    comparison = release_desk()
    index = comparison.index_of(name)
    assert index is not None
    assert explain(comparison, comparison.detail(index)).sentence == sentence


def test_a_measure_is_derived_on_both_sides() -> None:
    """Launch: A supports its one claim; B states a second one that no label supports."""
    comparison = release_desk()
    launch = explain(comparison, comparison.detail(0))
    assert _of(launch, "support") == (
        "support  A 1/1 = 1.00   B 1/2 = 0.50   Δ −0.50",
        "1 of 1 generated claims supported: monday",
        (
            "1 of 2 generated claims supported: monday;"
            " unsupported: bonus (no label supports this claim)"
        ),
    )
    assert launch.severity is Severity.S2
    assert launch.severity_words == "a new unsupported claim on an answerable question"
    assert _causes(launch) == {
        Cause.UNSUPPORTED_CLAIM_ADDED: [
            "unsupported claim added: bonus cites launch, but no label supports this claim"
        ]
    }


def test_what_is_not_visible_and_not_stated_is_named() -> None:
    """Rollback in A lacks the checklist and the claim that needs it."""
    comparison = release_desk()
    rollback = explain(comparison, comparison.detail(1))
    assert _of(rollback, "recall")[1] == (
        "1 of 2 relevant documents visible: rollback; not visible: checklist"
    )
    assert _of(rollback, "precision")[1] == "hits 1 of k 2, 1 returned: rollback"
    assert _of(rollback, "coverage")[1] == (
        "1 of 2 expected claims supported: switch; not stated: smoke"
    )


def test_a_value_that_is_absent_is_explained_by_its_reason() -> None:
    """Region: abstention moves from no to yes, support loses its value."""
    comparison = release_desk()
    region = explain(comparison, comparison.detail(3))
    assert _of(region, "abstention_correct") == (
        "abstention  A no   B yes   Δ no→yes",
        "a claim is made: region",
        "no claim is made",
    )
    assert _of(region, "support")[2] == NotAvailable.NO_CLAIMS.words
    assert region.flags == ("n/a shift: support became n/a",)


def test_a_lost_document_is_tied_to_the_claim_that_depended_on_it() -> None:
    """B pushes the document of y beyond the cutoff and no longer states y."""
    found = _explained(
        ORDERS,
        record("q", ["a", "b"], {"x": ["a"], "y": ["b"]}),
        record("q", ["a", "c", "b"], {"x": ["a"]}),
    )
    assert _causes(found) == {
        Cause.EVIDENCE_LOST: ["evidence lost from the context: b; y depended on it"],
        Cause.BEYOND_CUTOFF: ["retrieved but beyond the cutoff: b at rank 3, k 2"],
        Cause.CLAIM_DROPPED: ["claim no longer stated: y"],
    }
    assert found.severity_words == "a claim lost, others are still supported"


def test_claims_that_depended_on_different_documents_are_told_apart() -> None:
    """With several documents gone each claim names its own."""
    found = _explained(
        ORDERS,
        record("q", ["a", "b"], {"x": ["a"], "y": ["b"]}),
        record("q", ["c"], {}),
    )
    assert _causes(found)[Cause.EVIDENCE_LOST] == [
        "evidence lost from the context: a, b; x depended on a, y depended on b"
    ]
    assert _causes(found)[Cause.OVER_ABSTAINED] == [
        "abstained though answerable: B makes no claim, A stated x, y"
    ]
    assert found.severity_words == "a claim lost, and no expected claim is left with support"


@pytest.mark.parametrize(
    ("cited", "words"),
    [
        ([], "x cites nothing"),
        (["b"], "x cites b, which does not support it"),
        (["b", "zz"], "x cites b, zz, which do not support it"),
        (["c"], "x cites c, which is outside the visible context"),
    ],
)
def test_a_broken_citation_says_how(cited: list[str], words: str) -> None:
    """The claim stays, its citation does not hold any more."""
    asked = question("q", relevant=["a", "b", "c"], support={"x": ["a", "c"]})
    found = _explained(
        asked, record("q", ["a", "b"], {"x": ["a"]}), record("q", ["a", "b"], {"x": cited})
    )
    assert _causes(found)[Cause.CITATION_BROKEN] == [f"citation broken: {words}"]


def test_joint_evidence_says_what_is_needed_whole() -> None:
    """Two documents that support a claim only together are named together."""
    joint = Question(id="q", relevant=("a", "b"), support={"x": (frozenset({"a", "b"}),)})
    found = _explained(
        joint, record("q", ["a", "b"], {"x": ["a", "b"]}), record("q", ["a", "b"], {"x": ["a"]})
    )
    assert _causes(found)[Cause.CITATION_BROKEN] == [
        "citation broken: x cites a, but needs a with b whole"
    ]


def test_a_document_that_moved_down_says_from_where_to_where() -> None:
    """Only the rank of the first relevant document changed: severity S4, retrieval only."""
    asked = question("q", relevant=["a"], support={"x": ["a"]})
    found = _explained(
        asked, record("q", ["a", "b"], {"x": ["a"]}), record("q", ["b", "a"], {"x": ["a"]})
    )
    assert _causes(found)[Cause.DOC_MOVED_DOWN] == [
        "relevant document moved down: a from rank 1 to rank 2"
    ]
    assert found.sentence == "regressed: first relevant document down (retrieval only)"
    assert found.severity is Severity.S4


def test_an_unanswerable_question_that_is_answered_names_the_claims() -> None:
    """A abstained, B states something: severity S1."""
    found = _explained(OPEN, record("q", [], {}), record("q", ["a"], {"w": ["a"]}))
    assert _causes(found)[Cause.ANSWERED_UNANSWERABLE] == [
        "answered though unanswerable: B states w"
    ]
    assert found.severity_words == ("an unanswerable question is answered that A left unanswered")


def test_a_disclosure_names_what_got_out_and_how() -> None:
    """A restricted document is visible and cited in B only."""
    case = Case(
        (question("q", relevant=["a"], support={"x": ["a"]}),),
        (record("q", ["a"], {"x": ["a"]}),),
        (record("q", ["a", "s"], {"x": ["a", "s"]}),),
        documents=(
            Document(id="a", text="open", groups=("public",)),
            Document(id="s", text="closed", groups=("hr",)),
        ),
    )
    comparison = case.compare()
    found = explain(comparison, comparison.detail(0))
    assert _causes(found)[Cause.DISCLOSURE] == [
        "restricted material disclosed in B: s visible, s cited"
    ]
    assert found.severity_words == "B discloses restricted material"
    assert _of(found, "disclosures")[2] == "restricted documents visible: s; cited: s"


@pytest.mark.parametrize(
    ("a", "b", "sentence"),
    [
        (record("q", error="timeout"), None, "A failed on this question, B has no record"),
        (record("q"), record("q"), "no stage has labels and records of both runs"),
    ],
)
def test_a_question_that_cannot_be_compared_says_why(
    a: Record | None, b: Record | None, sentence: str
) -> None:
    """The reason stands where otherwise the signals would."""
    found = _explained(ORDERS, a, b)
    assert found.verdict is Verdict.NOT_COMPARABLE
    assert found.sentence.startswith(f"not comparable: {sentence}")


def test_a_swap_behind_an_equal_score_is_said() -> None:
    """A supports x, B supports y: coverage is one half both times, and a claim is lost."""
    found = _explained(
        ORDERS, record("q", ["a", "b"], {"x": ["a"]}), record("q", ["a", "b"], {"y": ["b"]})
    )
    assert found.sentence == "mixed: x lost, yet y gained"
    assert found.flags == (
        "swap: one claim or document took another's place behind an equal ratio",
    )


def test_an_expected_claim_is_stated_with_or_without_support_or_not() -> None:
    """Each expected claim says what the run made of it and what would support it."""
    comparison = comparison_of(
        [ORDERS], [record("q", ["a", "b"], {"x": ["b"]})], [record("q", ["a"], {"x": ["a"]})]
    )
    detail = comparison.detail(0)
    a, b = (expected_lines(detail.question, detail.outcome(side)) for side in Side)
    assert [line.made for line in a] == ["stated without support", "not stated"]
    assert [line.made for line in b] == ["supported", "not stated"]
    assert [line.support for line in a] == ["a", "b"]


# ---------------------------------------------------------------- for any two runs


@given(questions_with_records(max_size=4, permissions=True))
def test_every_question_is_explained(case: Case) -> None:
    """There is a sentence, a derivation of each value in use, and words for each cause and flag."""
    comparison = case.compare()
    for index in range(len(comparison)):
        detail = comparison.detail(index)
        found = explain(comparison, detail)
        assert found.sentence.startswith(found.verdict.value.split("-")[0])
        assert {cause for cause, _ in found.causes} == set(detail.change.causes)
        assert (found.severity_words is None) == (detail.change.severity is None)
        assert [m.line.measure for m in found.measures] == list(comparison.measures)
        assert all(m.baseline.words and m.candidate.words for m in found.measures)
        assert len(found.flags) == len(detail.change.flags)
        assert not any(words.rstrip().endswith(":") for _, words in found.causes)
        assert (Flag.NA_SHIFT in detail.change.flags) == any(
            words.startswith("n/a shift: ") and len(words) > len("n/a shift: ")
            for words in found.flags
        )


@given(questions_with_records(max_size=3), st.sampled_from(MEASURES))
def test_a_line_states_the_values_of_the_comparison(case: Case, measure: object) -> None:
    """What the line shows of A and B is what the columns hold, and its change is theirs."""
    comparison = case.compare()
    for used in (m for m in comparison.measures if m is measure and m.form is not Form.REAL):
        for index in range(len(comparison)):
            line = measure_line(comparison, comparison.detail(index), used)
            assert line.change is comparison.measure_change(used, index)
            for side, text in zip(Side, (line.a, line.b), strict=True):
                value = comparison.value(side, used, index)
                assert (text == "n/a") == isinstance(value, NotAvailable)
                if used.form is Form.RATIO and not isinstance(value, NotAvailable):
                    assert text == f"{value.num}/{value.den} = {value.real:.2f}"


@given(questions_with_records(max_size=3))
def test_swapping_the_runs_swaps_the_derivations(case: Case) -> None:
    """A's words become B's when the runs change places."""
    there, back = case.compare(), case.swapped().compare()
    for index in range(len(there)):
        one, other = explain(there, there.detail(index)), explain(back, back.detail(index))
        for left, right in zip(one.measures, other.measures, strict=True):
            assert (left.baseline, left.candidate) == (right.candidate, right.baseline)
        assert one.claims == other.claims[::-1]
