"""
Each score of one question in words and numbers: what was counted, divided, and why.

Pure text with raw ids in it: whoever shows an explanation cleans it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from ragtui.core.cause_words import cause_words
from ragtui.core.change import SignalKind, measure_change
from ragtui.core.change_words import (
    CHANGE_WORDS,
    alternatives_words,
    claim_words,
    flag_words,
    named,
    severity_words,
    signal_words,
    verdict_sentence,
)
from ragtui.core.contract import labels_of
from ragtui.core.evidence import Side
from ragtui.core.figures import arithmetic, change_text
from ragtui.core.repeats import documents_of, supported_of, unsupported_of
from ragtui.core.value import NotAvailable, Score

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ragtui.core.change import Cause, MeasureChange, Severity, Verdict
    from ragtui.core.comparison import Comparison, Detail
    from ragtui.core.contract import ClaimReason, Labels, Outcome
    from ragtui.core.measures import Facts, Measure
    from ragtui.core.model import Alternatives, Question
    from ragtui.core.value import Value

__all__ = [
    "ClaimLine",
    "Derivation",
    "ExpectedLine",
    "Explanation",
    "MeasureExplanation",
    "MeasureLine",
    "claim_lines",
    "expected_lines",
    "explain",
    "explain_outcome",
    "frequency_words",
    "measure_line",
    "repeat_number",
]


class Derivation(NamedTuple):
    """How one measure of one question came about in one run."""

    value: Value
    figure: str
    """The value with its arithmetic, `1/2 = 0.50`, or `n/a`."""
    words: str
    """What was counted, with the ids; for an n/a the reason."""


class MeasureLine(NamedTuple):
    """One measure of one question in A and B, short: `support  A 1/1 = 1.00 …`."""

    measure: Measure
    written: str
    """The measure as screens write it, `P@2`."""
    a: str
    b: str
    moved: str
    """The difference with its sign, `·` for none, `1.00→n/a`, `no→yes`."""
    change: MeasureChange

    @property
    def text(self) -> str:
        """The whole line as plain text."""
        return f"{self.written}  A {self.a}   B {self.b}   Δ {self.moved}"


class MeasureExplanation(NamedTuple):
    """One measure of one question in A and B, derived."""

    line: MeasureLine
    baseline: Derivation
    candidate: Derivation
    change_words: str


class ClaimLine(NamedTuple):
    """One generated claim, what it cites, and why it is or is not supported."""

    claim: str
    citations: tuple[str, ...]
    supported: bool | None
    """`None`: it cannot be judged."""
    reason: ClaimReason | None
    words: str


class ExpectedLine(NamedTuple):
    """One expected claim and what a run made of it."""

    claim: str
    support: str
    """The documents that support it, in words."""
    made: str
    """
    `supported`, `stated without support`, `not stated` or `cannot be judged`.

    Over several repeats `supported in 3 of 4`.
    """


@dataclass(frozen=True, slots=True)
class Explanation:
    """Everything that is said about one question."""

    question: str
    verdict: Verdict
    sentence: str
    """The verdict and what it rests on."""
    severity: Severity | None
    severity_words: str | None
    worse: tuple[str, ...]
    better: tuple[str, ...]
    causes: tuple[tuple[Cause, str], ...]
    flags: tuple[str, ...]
    frequencies: tuple[str, ...]
    """How often repeats have each claim and document that a signal names; empty without repeats."""
    measures: tuple[MeasureExplanation, ...]
    claims: tuple[tuple[ClaimLine, ...], tuple[ClaimLine, ...]]
    """Generated claims of A and of B, in the order stated."""


def explain(comparison: Comparison, detail: Detail) -> Explanation:
    """Put everything about one question of *comparison* into words and numbers, all repeats."""
    detail = detail.whole or detail
    change = detail.change
    measures = tuple(_measure(comparison, detail, measure) for measure in comparison.measures)
    moved = [(found.line.written, found.line.change) for found in measures]
    return Explanation(
        question=detail.question.id,
        verdict=change.verdict,
        sentence=verdict_sentence(detail),
        severity=change.severity,
        severity_words=severity_words(detail),
        worse=signal_words(change.minus, better=False),
        better=signal_words(change.plus, better=True),
        causes=cause_words(detail, comparison.cutoff),
        flags=flag_words(change.flags, moved),
        frequencies=frequency_words(detail),
        measures=measures,
        claims=(
            claim_lines(detail.question, detail.baseline),
            claim_lines(detail.question, detail.candidate),
        ),
    )


def measure_line(comparison: Comparison, detail: Detail, measure: Measure) -> MeasureLine:
    """Return the short line of one measure: both values with their arithmetic, and the change."""
    k = comparison.cutoff
    a, b = (measure.value(detail.facts, detail.outcome(side).counts, k) for side in Side)
    return MeasureLine(
        measure=measure,
        written=measure.written(k),
        a=arithmetic(a, measure),
        b=arithmetic(b, measure),
        moved=change_text(a, b, measure),
        change=measure_change(measure, detail.facts, a, b),
    )


def _measure(comparison: Comparison, detail: Detail, measure: Measure) -> MeasureExplanation:
    line = measure_line(comparison, detail, measure)
    a, b = (
        explain_outcome(
            measure, detail.question, detail.facts, detail.outcome(side), comparison.cutoff
        )
        for side in Side
    )
    return MeasureExplanation(line, a, b, CHANGE_WORDS[line.change])


def explain_outcome(
    measure: Measure, question: Question, facts: Facts, outcome: Outcome, cutoff: int
) -> Derivation:
    """
    Derive one measure of one question in one run.

    >>> from ragtui.core.contract import score
    >>> from ragtui.core.measures import facts_of, measure_named
    >>> from ragtui.core.model import Question, Record, Retrieved
    >>> owner = Question(id="owner", relevant=("owners",))
    >>> labels = labels_of(owner)
    >>> record = Record(question="owner", retrieved=(Retrieved("archive"), Retrieved("owners")))
    >>> outcome = score(owner, labels, record, cutoff=2)
    >>> facts = facts_of(labels, permissions=False)
    >>> explain_outcome(measure_named("rr"), owner, facts, outcome, 2)[1:]
    ('1/2 = 0.50', 'first relevant document at rank 2: owners')
    """
    value = measure.value(facts, outcome.counts, cutoff)
    if isinstance(value, NotAvailable):
        return Derivation(value, arithmetic(value, measure), value.words)
    if outcome.repeats:
        told = _by_repeat(measure, facts, outcome, cutoff)
        return Derivation(value, arithmetic(value, measure), told)
    case = _Case(question, labels_of(question), outcome, value, cutoff)
    return Derivation(value, arithmetic(value, measure), _WORDS[measure.key](case))


def repeat_number(outcome: Outcome, position: int) -> int:
    """Return the number of a repeat as its record says it, else its place from 1."""
    record = outcome.each[position].record
    return record.repeat if record is not None and record.repeat is not None else position + 1


def _by_repeat(measure: Measure, facts: Facts, outcome: Outcome, cutoff: int) -> str:
    """Return the figure of each repeat."""
    parts = []
    for position, one in enumerate(outcome.repeats):
        value = measure.value(facts, one.counts, cutoff)
        told = arithmetic(value, measure)
        why = f" ({value.words})" if isinstance(value, NotAvailable) else ""
        parts.append(f"repeat {repeat_number(outcome, position)}: {told}{why}")
    return "; ".join(parts)


_COUNTED: Final = {
    SignalKind.CLAIM_GAINED: ("supported", supported_of),
    SignalKind.CLAIM_LOST: ("supported", supported_of),
    SignalKind.RESOLVED: ("unsupported", unsupported_of),
    SignalKind.NEW_UNSUPPORTED: ("unsupported", unsupported_of),
    SignalKind.DOC_IN: ("visible", documents_of),
    SignalKind.DOC_OUT: ("visible", documents_of),
}


def frequency_words(detail: Detail) -> tuple[str, ...]:
    """Say in how many repeats each run has what a signal names; nothing without repeats."""
    if detail.repeats <= 1:
        return ()
    found: dict[str, None] = {}
    for kind, subject in (*detail.change.minus, *detail.change.plus):
        if kind in _COUNTED and subject is not None:
            word, of = _COUNTED[kind]
            sides = [f"{side.letter} {_often(detail.outcome(side), subject, of)}" for side in Side]
            found[f"{subject} {word} in {', '.join(sides)}"] = None
    return tuple(found)


def _often(outcome: Outcome, subject: str, of: Callable[[Outcome], frozenset[str] | None]) -> str:
    known = [ids for one in outcome.each if (ids := of(one)) is not None]
    return f"{sum(subject in ids for ids in known)} of {len(known)}"


# ---------------------------------------------------------------- one measure each


class _Case(NamedTuple):
    """What a derivation looks at; the value is defined."""

    question: Question
    labels: Labels
    outcome: Outcome
    value: Score
    cutoff: int

    @property
    def visible(self) -> tuple[str, ...]:
        return self.outcome.visible or ()

    @property
    def hits(self) -> list[str]:
        """The relevant visible documents, best first."""
        return [doc for doc in self.visible if doc in self.outcome.hits]


def _listed(head: str, ids: list[str]) -> str:
    return f"{head}: {named(ids)}" if ids else head


def _precision(case: _Case) -> str:
    returned = len(case.outcome.visible or ()) + case.outcome.counts.folded
    short = "" if returned >= case.cutoff else f", {returned} returned"
    return _listed(f"hits {len(case.hits)} of k {case.cutoff}{short}", case.hits)


def _recall(case: _Case) -> str:
    relevant = case.question.relevant or ()
    absent = [doc for doc in relevant if doc not in case.outcome.hits]
    told = _listed(f"{len(case.hits)} of {len(relevant)} relevant documents visible", case.hits)
    return f"{told}; not visible: {named(absent)}" if absent else told


def _rr(case: _Case) -> str:
    rank = case.outcome.counts.first_hit
    if not rank:
        return "no relevant document is visible"
    return f"first relevant document at rank {rank}: {case.visible[rank - 1]}"


def _support(case: _Case) -> str:
    claims = case.outcome.claims or ()
    good = [claim.claim for claim in claims if claim.supported]
    told = _listed(f"{len(good)} of {len(claims)} generated claims supported", good)
    bad = [f"{c.claim} ({c.reason.words})" for c in claims if c.reason is not None]
    return f"{told}; unsupported: {named(bad)}" if bad else told


def _coverage(case: _Case) -> str:
    expected = list(case.question.support or ())
    made = {claim: _made(case.outcome, claim) for claim in expected}
    parts = [
        _listed(
            f"{case.value.num} of {len(expected)} expected claims supported",
            [claim for claim in expected if made[claim] == SUPPORTED],
        )
    ]
    for word in (WITHOUT_SUPPORT, NOT_STATED):
        found = [claim for claim in expected if made[claim] == word]
        if found:
            parts.append(f"{word}: {named(found)}")
    return "; ".join(parts)


def _abstention(case: _Case) -> str:
    stated = [claim for claim, _ in case.outcome.stated or ()]
    return _listed("a claim is made", stated) if stated else "no claim is made"


def _ndcg(case: _Case) -> str:
    grades = case.question.grades or {}
    gains = [f"{doc} {grades.get(doc, 1)}" for doc in case.hits]
    return _listed("discounted gain against the ideal order; gains in rank order", gains)


def _judged(case: _Case) -> str:
    known = case.labels.judged or frozenset()
    unjudged = [doc for doc in case.visible if doc not in known]
    told = f"{len(case.visible) - len(unjudged)} of {len(case.visible)} visible documents judged"
    return f"{told}; not judged: {named(unjudged)}" if unjudged else told


def _disclosures(case: _Case) -> str:
    parts = [
        f"{how}: {named(docs)}"
        for how, docs in (
            ("visible", case.outcome.disclosed_visible),
            ("cited", case.outcome.disclosed_cited),
        )
        if docs
    ]
    return f"restricted documents {'; '.join(parts)}" if parts else "nothing restricted got out"


_WORDS: Final[Mapping[str, Callable[[_Case], str]]] = {
    "precision": _precision,
    "recall": _recall,
    "rr": _rr,
    "support": _support,
    "coverage": _coverage,
    "abstention_correct": _abstention,
    "ndcg": _ndcg,
    "judged": _judged,
    "disclosures": _disclosures,
}


# ---------------------------------------------------------------- claims

SUPPORTED: Final = "supported"
WITHOUT_SUPPORT: Final = "stated without support"
NOT_STATED: Final = "not stated"
CANNOT_JUDGE: Final = "cannot be judged"


def _made(outcome: Outcome, claim: str) -> str:
    if outcome.repeats:
        return f"{SUPPORTED} in {_often(outcome, claim, supported_of)}"
    if outcome.stated is None:
        return CANNOT_JUDGE
    if claim in outcome.supported:
        return SUPPORTED
    if claim not in dict(outcome.stated):
        return NOT_STATED
    return CANNOT_JUDGE if outcome.claims is None else WITHOUT_SUPPORT


def expected_lines(question: Question, outcome: Outcome) -> tuple[ExpectedLine, ...]:
    """Return what a run made of every expected claim; empty where none is labelled."""
    return tuple(
        ExpectedLine(claim, alternatives_words(alternatives), _made(outcome, claim))
        for claim, alternatives in (question.support or {}).items()
    )


def claim_lines(question: Question, outcome: Outcome) -> tuple[ClaimLine, ...]:
    """Return every generated claim with its citations and the reason for its judgement."""
    permitted: Mapping[str, Alternatives] = labels_of(question).permitted or {}
    if outcome.repeats:
        told = (line for one in outcome.repeats for line in claim_lines(question, one))
        return tuple(dict.fromkeys(told))
    visible = set(outcome.visible or ())
    if outcome.claims is None:
        return tuple(
            ClaimLine(claim, citations, None, None, CANNOT_JUDGE)
            for claim, citations in outcome.stated or ()
        )
    return tuple(
        ClaimLine(c.claim, c.citations, c.supported, c.reason, claim_words(c, permitted, visible))
        for c in outcome.claims
    )
