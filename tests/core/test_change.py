"""Verdicts on sets, causes, severities and flags of one question."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtui.core.change import Cause, Change, Flag, Severity, Verdict
from ragtui.core.model import Access, Claim, Question, Record, Retrieved
from ragtui.core.scorer import Scorer, measures_for
from tests import oracle

Said = tuple[str, list[str]]


class Answer(NamedTuple):
    """What one run retrieved and claimed; `None` where it was not recorded."""

    ranked: list[str] | None = None
    claims: list[Said] | None = None
    error: str | None = None

    def record(self) -> Record:
        """Return the record of this answer."""
        return Record(
            question="q",
            retrieved=None if self.ranked is None else tuple(map(Retrieved, self.ranked)),
            claims=None
            if self.claims is None
            else tuple(Claim(claim, tuple(cited)) for claim, cited in self.claims),
            error=self.error,
        )


def asked(
    relevant: list[str] | None = None,
    support: dict[str, list[str]] | None = None,
    *,
    critical: bool = False,
) -> Question:
    """Build a question whose claims are each supported by single documents."""
    return Question(
        id="q",
        critical=critical,
        relevant=None if relevant is None else tuple(relevant),
        support=None
        if support is None
        else {c: tuple(frozenset({d}) for d in many) for c, many in support.items()},
    )


def compared(
    question: Question,
    a: Answer | None,
    b: Answer | None,
    *,
    cutoff: int = 2,
    claims_match: bool = True,
    access: Access | None = None,
) -> Change:
    """Score both answers and compare them."""
    scorer = Scorer(
        cutoff=cutoff,
        access=access,
        claims_match=claims_match,
        measures=measures_for(graded=False, judged=False, permissions=access is not None),
    )
    scored = scorer.score(question, a and a.record(), b and b.record())
    return scorer.change(question, scored)


def signals(change: Change) -> tuple[list[str], list[str]]:
    """Return plus and minus as files write them."""
    return [str(s) for s in change.plus], [str(s) for s in change.minus]


TWO = asked(["a", "b"], {"one": ["a"], "two": ["b"]})
NONE = asked([], {})
BOTH_CLAIMS: list[Said] = [("one", ["a"]), ("two", ["b"])]
FULL = Answer(["a", "b"], BOTH_CLAIMS)
SILENT = Answer([], [])


def test_a_swap_behind_an_equal_ratio_is_mixed_and_flagged() -> None:
    """A supports one claim, B the other: coverage is equal, one claim was lost."""
    change = compared(
        TWO, Answer(["a", "b"], [("one", ["a"])]), Answer(["a", "b"], [("two", ["b"])])
    )
    assert (["claim-gained:two"], ["claim-lost:one"]) == signals(change)
    assert (Verdict.MIXED, Severity.S3, (Flag.SWAP,)) == (
        change.verdict,
        change.severity,
        change.flags,
    )


def test_a_document_swap_is_seen_behind_equal_recall() -> None:
    """One relevant document replaces another: recall is equal, evidence was lost."""
    change = compared(TWO, Answer(["a", "z"], []), Answer(["b", "z"], []))
    assert (["doc-in:b"], ["doc-out:a"]) == signals(change)
    assert Verdict.MIXED is change.verdict
    assert {Flag.RETRIEVAL_ONLY, Flag.SWAP} == set(change.flags)
    assert ("precision", "recall") == change.swaps
    assert (Cause.EVIDENCE_LOST,) == change.causes


def test_a_swap_of_unsupported_claims_is_seen_behind_equal_support() -> None:
    """One unsupported claim gave way to another: support is equal, and coverage hides nothing."""
    a = Answer(["a", "b"], [*BOTH_CLAIMS, ("old", ["a"])])
    b = Answer(["a", "b"], [*BOTH_CLAIMS, ("new", ["a"])])
    assert ("support",) == compared(TWO, a, b).swaps


def test_an_added_unsupported_claim_regresses_though_nothing_was_lost() -> None:
    """One more unsupported claim on an answerable question is severity S2."""
    change = compared(TWO, FULL, Answer(["a", "b"], [*BOTH_CLAIMS, ("bonus", ["a"])]))
    assert ([], ["new-unsupported:bonus"]) == signals(change)
    assert (Verdict.REGRESSED, Severity.S2) == (change.verdict, change.severity)
    assert (Cause.UNSUPPORTED_CLAIM_ADDED,) == change.causes
    assert (Verdict.REGRESSED, Verdict.UNCHANGED, None) == change.stages


def test_abstention_decides_and_support_becoming_na_does_not() -> None:
    """Stopping to answer an unanswerable question improves it; support turning n/a is a flag."""
    change = compared(NONE, Answer(["z"], [("guess", ["z"])]), SILENT)
    assert (["resolved:guess", "abstention"], []) == signals(change)
    assert (Verdict.IMPROVED, None, (Flag.NA_SHIFT,)) == (
        change.verdict,
        change.severity,
        change.flags,
    )


def test_answering_the_unanswerable_is_severity_one() -> None:
    """Abstention yes to no is S1 even on a question that is not critical."""
    change = compared(NONE, SILENT, Answer(["z"], [("guess", ["z"])]))
    assert (Verdict.REGRESSED, Severity.S1) == (change.verdict, change.severity)
    assert {Cause.ANSWERED_UNANSWERABLE, Cause.UNSUPPORTED_CLAIM_ADDED} == set(change.causes)


def test_another_unsupported_claim_on_an_unanswerable_question_is_severity_three() -> None:
    """Where A answered too, one more unsupported claim is S3."""
    one: list[Said] = [("guess", ["z"])]
    change = compared(NONE, Answer(["z"], one), Answer(["z"], [*one, ("more", [])]))
    assert Severity.S3 is change.severity


@pytest.mark.parametrize(
    ("b", "causes", "severity"),
    [
        (Answer(["a", "b"], [("one", ["a"])]), {Cause.CLAIM_DROPPED}, Severity.S3),
        (
            Answer(["a", "b"], [("one", ["a"]), ("two", ["a"])]),
            {Cause.CITATION_BROKEN},
            Severity.S2,
        ),
        (Answer(["a", "b"], []), {Cause.CLAIM_DROPPED, Cause.OVER_ABSTAINED}, Severity.S2),
        (
            Answer(["a", "z", "b"], [("one", ["a"]), ("two", ["b"])]),
            {Cause.EVIDENCE_LOST, Cause.BEYOND_CUTOFF, Cause.CITATION_BROKEN},
            Severity.S2,
        ),
        (
            Answer(["z", "a"], [("one", ["a"])]),
            {Cause.EVIDENCE_LOST, Cause.DOC_MOVED_DOWN, Cause.CLAIM_DROPPED},
            Severity.S3,
        ),
    ],
)
def test_each_loss_names_its_causes(b: Answer, causes: set[Cause], severity: Severity) -> None:
    """What B lost is explained by rule, and several rules may hold."""
    change = compared(TWO, FULL, b)
    assert (causes, severity) == (set(change.causes), change.severity)


def test_a_critical_question_is_severity_one_on_any_answer_minus() -> None:
    """One claim lost on a critical question is S1, not S3."""
    critical = asked(["a", "b"], {"one": ["a"], "two": ["b"]}, critical=True)
    change = compared(critical, FULL, Answer(["a", "b"], [("one", ["a"])]))
    assert Severity.S1 is change.severity


def test_a_retrieval_minus_behind_an_equal_answer_is_severity_four() -> None:
    """Losing a document that no claim needed is the mildest severity, marked retrieval only."""
    said: list[Said] = [("one", ["a"])]
    change = compared(TWO, Answer(["a", "b"], said), Answer(["a", "z"], said))
    assert (Verdict.REGRESSED, Severity.S4) == (change.verdict, change.severity)
    assert (Flag.RETRIEVAL_ONLY,) == change.flags


def test_a_better_answer_outweighs_worse_retrieval() -> None:
    """The answer decides before retrieval does, and no severity is given."""
    change = compared(TWO, Answer(["a", "b"], [("one", [])]), Answer(["a", "z"], [("one", ["a"])]))
    assert (Verdict.IMPROVED, None) == (change.verdict, change.severity)
    assert (Verdict.IMPROVED, Verdict.REGRESSED, None) == change.stages


def test_equal_scores_with_other_evidence_are_flagged() -> None:
    """Unchanged is not identical: another irrelevant document in the context is said."""
    change = compared(TWO, Answer(["a", "y"], []), Answer(["a", "z"], []))
    assert (Verdict.UNCHANGED, (Flag.EVIDENCE_CHANGED,)) == (change.verdict, change.flags)


@pytest.mark.parametrize("broken", [None, Answer(error="timeout")])
def test_a_missing_side_is_not_comparable(broken: Answer | None) -> None:
    """Missing and failed questions are neither regressions nor abstentions, on either side."""
    for pair in ((FULL, broken), (broken, FULL)):
        change = compared(TWO, *pair)
        assert (Verdict.NOT_COMPARABLE, None, ()) == (change.verdict, change.severity, change.minus)
        assert (None, None, None) == change.stages


def test_a_stage_that_was_not_recorded_is_null() -> None:
    """Without claims only retrieval is compared; without anything nothing is."""
    change = compared(TWO, Answer(["a", "b"]), Answer(["a", "z"]))
    assert (None, Verdict.REGRESSED, None) == change.stages
    assert Verdict.REGRESSED is change.verdict
    assert Verdict.NOT_COMPARABLE is compared(TWO, Answer(["a"]), Answer(None, [])).verdict
    assert Verdict.NOT_COMPARABLE is compared(asked(), FULL, FULL).verdict


def test_abstention_is_compared_where_the_context_was_not_recorded() -> None:
    """Whether a claim was made needs no context; whether it is supported does."""
    change = compared(NONE, Answer(None, []), Answer(None, [("guess", ["z"])]))
    assert ([], ["abstention"]) == signals(change)


def test_own_sentences_are_counted_and_never_matched() -> None:
    """With run-made claim ids only the number of unsupported claims is compared."""
    a = Answer(["a"], [("s1", ["a"])])
    b = Answer(["a"], [("s1", ["a"]), ("s2", [])])
    change = compared(TWO, a, b, claims_match=False)
    assert ([], ["unsupported-more:1"]) == signals(change)
    assert 1 == change.new_unsupported
    assert (["unsupported-fewer:1"], []) == signals(compared(TWO, b, a, claims_match=False))


CLOSED = Access({d: frozenset({"public"}) for d in "ab"} | {"secret": frozenset({"hr"})})
LEAK = Answer(["secret", "a"], [("one", ["a"])])
SAFE = Answer(["a", "b"], [("one", ["a"])])
SAFE_FULL = Answer(["a", "b"], BOTH_CLAIMS)
LEAK_FULL = Answer(["a", "b"], [*BOTH_CLAIMS, ("leak", ["secret"])])


@pytest.mark.parametrize(
    ("a", "b", "verdict", "severity"),
    [
        (SAFE, LEAK, Verdict.REGRESSED, Severity.S0),
        (LEAK, LEAK, Verdict.UNCHANGED, Severity.S0),
        (LEAK, SAFE, Verdict.IMPROVED, None),
        (LEAK, Answer(["a", "b"], []), Verdict.MIXED, Severity.S2),
        (LEAK, LEAK_FULL, Verdict.MIXED, Severity.S0),
        (LEAK_FULL, LEAK, Verdict.MIXED, Severity.S0),
        (SAFE, LEAK_FULL, Verdict.REGRESSED, Severity.S0),
        (SAFE, SAFE_FULL, Verdict.IMPROVED, None),
    ],
)
def test_disclosure_is_never_offset(
    a: Answer, b: Answer, verdict: Verdict, severity: Severity | None
) -> None:
    """Restricted material in B is S0, begun is a regression, and no answer makes up for it."""
    change = compared(TWO, a, b, access=CLOSED)
    assert (verdict, severity) == (change.verdict, change.severity)
    assert (Cause.DISCLOSURE in change.causes) == (severity is Severity.S0)


DOCUMENTS = st.lists(st.sampled_from("abz"), unique=True, max_size=3)
CLAIMS = st.lists(
    st.tuples(
        st.sampled_from(["one", "two", "bonus"]),
        st.lists(st.sampled_from("abz"), max_size=2, unique=True),
    ),
    unique_by=lambda claim: claim[0],
    max_size=3,
)
ANSWERS = st.builds(Answer, DOCUMENTS, CLAIMS, st.none())
OPPOSITE = {
    Verdict.REGRESSED: Verdict.IMPROVED,
    Verdict.IMPROVED: Verdict.REGRESSED,
}


@given(ANSWERS, ANSWERS, st.sampled_from([TWO, NONE]), st.booleans())
def test_swapping_a_and_b_mirrors_everything(
    a: Answer, b: Answer, question: Question, claims_match: bool
) -> None:
    """Every verdict turns round, and what spoke for B speaks for A."""
    there = compared(question, a, b, claims_match=claims_match)
    back = compared(question, b, a, claims_match=claims_match)
    assert OPPOSITE.get(there.verdict, there.verdict) is back.verdict
    assert (len(there.plus), len(there.minus)) == (len(back.minus), len(back.plus))
    assert set(there.flags) == set(back.flags)


@given(ANSWERS, ANSWERS, st.sampled_from([TWO, NONE]))
def test_stage_verdicts_follow_from_the_sets(a: Answer, b: Answer, question: Question) -> None:
    """The answer stage is what an independent reading of both sets of claims gives."""
    support = {c: [sorted(one) for one in many] for c, many in (question.support or {}).items()}
    good = [
        {
            claim
            for claim, cited in answer.claims or []
            if oracle.claim_is_supported(
                cited, support.get(claim), oracle.context(answer.ranked or [], 2)
            )
        }
        for answer in (a, b)
    ]
    bad = [
        {claim for claim, _ in answer.claims or []} - kept
        for answer, kept in zip((a, b), good, strict=True)
    ]
    expected = set(support)
    plus = [*((good[1] - good[0]) & expected), *(bad[0] - bad[1])]
    minus = [*((good[0] - good[1]) & expected), *(bad[1] - bad[0])]
    if not expected and bool(a.claims) != bool(b.claims):
        (plus if a.claims else minus).append("abstention")
    answer = compared(question, a, b).stages.answer
    assert answer is not None
    assert oracle.verdict(plus, minus) == answer.value


@given(ANSWERS, st.sampled_from([TWO, NONE]))
def test_a_run_against_itself_is_unchanged(answer: Answer, question: Question) -> None:
    """Equal records give no signal, no cause, no severity and no flag."""
    change = compared(question, answer, answer)
    assert (Verdict.UNCHANGED, (), (), (), None, ()) == (
        change.verdict,
        change.plus,
        change.minus,
        change.causes,
        change.severity,
        change.flags,
    )
