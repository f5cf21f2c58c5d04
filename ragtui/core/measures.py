"""
The one table of measures: key, written form, what it counts, when it has no value.

A measure turns the label facts of a question and the counts of one run into a `Value`. A further
measure is one more row of `MEASURES`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from ragtui.core.contract import Counts, State
from ragtui.core.value import NotAvailable, Score, Value, mean_of
from ragtui.core.words import Word

if TYPE_CHECKING:
    from collections.abc import Callable

    from ragtui.core.contract import Labels

__all__ = [
    "CONTRACT_KEYS",
    "MEASURES",
    "Facts",
    "Form",
    "Measure",
    "Stage",
    "facts_of",
    "measure_named",
    "structural",
]


class Stage(Word):
    """Which part of the system a measure looks at."""

    RETRIEVAL = "retrieval"
    ANSWER = "answer"
    ACCESS = "access"


class Form(Word):
    """What kind of number a measure is."""

    RATIO = "ratio"
    """A ratio of counts; it has a pooled form."""
    RECIPROCAL = "reciprocal"
    """One over a rank."""
    YES_NO = "yes-no"
    """Printed as counts, never pooled."""
    REAL = "real"
    """No ratio of counts: no exact test."""
    COUNT = "count"
    """No mean, no interval; lower is better."""


class Facts(NamedTuple):
    """What the labels of one question say, as far as measures need it."""

    answerable: bool | None
    relevant: int | None
    """How many documents are relevant; `None`: not labelled."""
    expected: int | None
    """How many claims are expected; `None`: not labelled."""
    judges_claims: bool
    judged: bool
    """Whether documents carry labels of relevance or irrelevance."""
    graded: bool
    permissions: bool


def facts_of(labels: Labels, *, permissions: bool) -> Facts:
    """Count what *labels* hold; *permissions* says whether the set declares who may read what."""
    return Facts(
        answerable=labels.answerable,
        relevant=None if labels.relevant is None else len(labels.relevant),
        expected=None if labels.expected is None else len(labels.expected),
        judges_claims=labels.judges_claims,
        judged=labels.judged is not None,
        graded=labels.grades is not None,
        permissions=permissions,
    )


ValueOf: TypeAlias = "Callable[[Facts, Counts, int], Value]"


@dataclass(frozen=True, slots=True)
class Measure:
    """One measure, declared once."""

    key: str
    """Its name in files, JSON and code."""
    form_on_screen: str
    """Its written form, with `{k}` for the cutoff."""
    stage: Stage
    form: Form
    numerator: str
    """What the numerator counts, in words."""
    denominator: str
    """What the denominator counts, in words."""
    definition: str
    """The value in one sentence."""
    value_of: ValueOf
    na_when: NotAvailable | None
    """The label fact that leaves no value whatever a run does."""
    optional: bool = False
    """Whether it is shown only when the labels make it possible."""

    def written(self, cutoff: int) -> str:
        """
        Return the written form at a cutoff.

        >>> measure_named("precision").written(2)
        'P@2'
        """
        return self.form_on_screen.format(k=cutoff)

    def value(self, facts: Facts, counts: Counts, cutoff: int) -> Value:
        """
        Return the score, or the first reason that holds why there is none.

        Over several repeats it is the mean of those that have a value.

        >>> facts = Facts(True, 1, 1, True, True, False, False)
        >>> counts = Counts(State.SCORED, True, True, visible=2, hits=1, first_hit=1)
        >>> measure_named("P@2").value(facts, counts, 2)
        Score(num=1, den=2, over=None)
        """
        if counts.state is not _SCORED:
            return _BY_STATE[counts.state]
        if absent := structural(self, facts):
            return absent
        if counts.repeats:
            return mean_of([self.value(facts, one, cutoff) for one in counts.repeats])
        return self.value_of(facts, counts, cutoff)

    @property
    def has_mean(self) -> bool:
        """Whether means, intervals and tests make sense."""
        return self.form is not Form.COUNT

    @property
    def pools(self) -> bool:
        """Whether sums of numerators over sums of denominators make sense."""
        return self.form is Form.RATIO

    @property
    def lower_is_better(self) -> bool:
        """Whether a falling value is an improvement."""
        return self.form is Form.COUNT


# Looking a member up in its class is slow before Python 3.12, and every value asks for these.
_SCORED = State.SCORED
_UNANSWERABLE, _ANSWERABLE = NotAvailable.UNANSWERABLE, NotAvailable.ANSWERABLE
_NO_PERMISSIONS = NotAvailable.NO_PERMISSIONS

_BY_STATE = {State.FAILED: NotAvailable.FAILED, State.MISSING: NotAvailable.MISSING}


def structural(measure: Measure, facts: Facts) -> NotAvailable | None:
    """
    Return the reason when the labels alone leave *measure* without a value.

    >>> facts = Facts(False, 0, 0, True, True, False, False)
    >>> structural(measure_named("recall"), facts)
    <NotAvailable.UNANSWERABLE: 'unanswerable'>
    """
    reason = measure.na_when
    if reason is _UNANSWERABLE:
        return reason if facts.answerable is False else None
    if reason is _ANSWERABLE:
        return reason if facts.answerable is True else None
    if reason is _NO_PERMISSIONS:
        return None if facts.permissions else reason
    return None


def _retrieval(facts: Facts, counts: Counts, score: Callable[[int], Score]) -> Value:
    if not counts.retrieval_recorded:
        return NotAvailable.RETRIEVAL_NOT_RECORDED
    if facts.relevant is None:
        return NotAvailable.LABELS_ABSENT
    return score(facts.relevant)


def _precision(facts: Facts, counts: Counts, cutoff: int) -> Value:
    return _retrieval(facts, counts, lambda _: Score(counts.hits, cutoff))


def _recall(facts: Facts, counts: Counts, cutoff: int) -> Value:
    del cutoff
    return _retrieval(facts, counts, lambda relevant: Score(counts.hits, relevant))


def _rr(facts: Facts, counts: Counts, cutoff: int) -> Value:
    del cutoff
    first = counts.first_hit
    return _retrieval(facts, counts, lambda _: Score(1, first) if first else Score(0, 1))


def _ndcg(facts: Facts, counts: Counts, cutoff: int) -> Value:
    del cutoff
    if counts.retrieval_recorded and facts.relevant is not None and not facts.graded:
        return NotAvailable.NO_GRADES
    return _retrieval(facts, counts, lambda _: Score(counts.ndcg))


def _judged(facts: Facts, counts: Counts, cutoff: int) -> Value:
    del cutoff
    if not counts.retrieval_recorded:
        return NotAvailable.RETRIEVAL_NOT_RECORDED
    if not facts.judged:
        return NotAvailable.LABELS_ABSENT
    return (
        Score(counts.judged, counts.visible) if counts.visible else NotAvailable.NOTHING_RETRIEVED
    )


def _claims_missing(counts: Counts) -> NotAvailable | None:
    if counts.claims and not counts.retrieval_recorded:
        return NotAvailable.RETRIEVAL_NOT_RECORDED
    return None if counts.claims_recorded else NotAvailable.CLAIMS_NOT_RECORDED


def _support(facts: Facts, counts: Counts, cutoff: int) -> Value:
    del cutoff
    if missing := _claims_missing(counts):
        return missing
    if not facts.judges_claims:
        return NotAvailable.LABELS_ABSENT
    return Score(counts.supported, counts.claims) if counts.claims else NotAvailable.NO_CLAIMS


def _coverage(facts: Facts, counts: Counts, cutoff: int) -> Value:
    del cutoff
    if missing := _claims_missing(counts):
        return missing
    return Score(counts.covered, facts.expected) if facts.expected else NotAvailable.LABELS_ABSENT


def _abstention(facts: Facts, counts: Counts, cutoff: int) -> Value:
    del cutoff
    if not counts.claims_recorded:
        return NotAvailable.CLAIMS_NOT_RECORDED
    if facts.answerable is None:
        return NotAvailable.LABELS_ABSENT
    return Score(int(counts.claims == 0))


def _disclosures(facts: Facts, counts: Counts, cutoff: int) -> Value:
    del facts, cutoff
    if counts.disclosed:
        return Score(counts.disclosed)
    if not counts.retrieval_recorded:
        return NotAvailable.RETRIEVAL_NOT_RECORDED
    return Score(0) if counts.claims_recorded else NotAvailable.CLAIMS_NOT_RECORDED


MEASURES: Final = (
    Measure(
        "precision", "P@{k}", Stage.RETRIEVAL, Form.RATIO,
        "relevant documents in the visible context", "the cutoff k, also when fewer were returned",
        "the share of the k context slots that hold a relevant document",
        _precision, NotAvailable.UNANSWERABLE,
    ),
    Measure(
        "recall", "R@{k}", Stage.RETRIEVAL, Form.RATIO,
        "relevant documents in the visible context", "all relevant documents",
        "the share of the relevant documents that are visible",
        _recall, NotAvailable.UNANSWERABLE,
    ),
    Measure(
        "rr", "RR@{k}", Stage.RETRIEVAL, Form.RECIPROCAL,
        "1, or 0 when no relevant document is visible",
        "the rank of the first relevant visible document",
        "one over the rank of the first relevant visible document, 0 when none is visible",
        _rr, NotAvailable.UNANSWERABLE,
    ),
    Measure(
        "support", "support", Stage.ANSWER, Form.RATIO,
        "generated claims that are supported", "generated claims",
        "the share of the generated claims whose citations support them",
        _support, None,
    ),
    Measure(
        "coverage", "coverage", Stage.ANSWER, Form.RATIO,
        "expected claims that are supported", "expected claims",
        "the share of the expected claims that the answer states with support",
        _coverage, NotAvailable.UNANSWERABLE,
    ),
    Measure(
        "abstention_correct", "abstention", Stage.ANSWER, Form.YES_NO,
        "unanswerable questions on which no claim is made", "unanswerable questions",
        "whether no claim is made on an unanswerable question",
        _abstention, NotAvailable.ANSWERABLE,
    ),
    Measure(
        "ndcg", "nDCG@{k}", Stage.RETRIEVAL, Form.REAL,
        "discounted gain of the visible documents", "discounted gain of the ideal context",
        "graded relevance of the visible context, discounted by log2(rank + 1)",
        _ndcg, NotAvailable.UNANSWERABLE, optional=True,
    ),
    Measure(
        "judged", "Judged@{k}", Stage.RETRIEVAL, Form.RATIO,
        "visible documents that carry any label", "visible documents",
        "the share of the visible documents that somebody judged",
        _judged, None, optional=True,
    ),
    Measure(
        "disclosures", "disclosures", Stage.ACCESS, Form.COUNT,
        "restricted documents visible, plus restricted documents cited", "1",
        "how many restricted documents reached the context or a citation",
        _disclosures, NotAvailable.NO_PERMISSIONS, optional=True,
    ),
)  # fmt: skip
"""Every measure, in the order of files and screens."""

CONTRACT_KEYS: Final = tuple(measure.key for measure in MEASURES if not measure.optional)
"""The six measures of the contract."""


def measure_named(text: str) -> Measure | None:
    """
    Find a measure by its key or its written form at any cutoff; `None` when there is none.

    >>> measure_named("nDCG@10").key, measure_named("bleu")
    ('ndcg', None)
    """
    stem, at, cutoff = text.partition("@")
    if at and not cutoff.isdecimal():
        return None
    wanted = stem + "@{k}" if at else text
    return next((m for m in MEASURES if wanted in (m.key, m.form_on_screen)), None)
