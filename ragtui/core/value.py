"""A score with its numerator and denominator, or the reason why there is none."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from ragtui.core.words import Word

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "ENOUGH_REPEATS",
    "Absence",
    "NotAvailable",
    "Score",
    "Spread",
    "Value",
    "delta",
    "is_noisy",
    "is_weak",
    "mean_of",
]

ENOUGH_REPEATS = 4
"""Repeats a run needs before its being apart from the other's means much."""


class Absence(Word):
    """The three kinds of "no value"."""

    STRUCTURAL = "structural"
    """The question cannot have one, whatever a run does."""
    BEHAVIOURAL = "behavioural"
    """This run's behaviour leaves nothing to measure."""
    MISSING = "missing"
    """Somebody did not record or label it."""


class NotAvailable(Word):
    """Why a measure has no value on a question; never 0, never 1, never in a mean."""

    FAILED = "failed"
    MISSING = "missing"
    UNANSWERABLE = "unanswerable"
    ANSWERABLE = "answerable"
    RETRIEVAL_NOT_RECORDED = "retrieval-not-recorded"
    CLAIMS_NOT_RECORDED = "claims-not-recorded"
    LABELS_ABSENT = "labels-absent"
    NO_CLAIMS = "no-claims"
    NO_PERMISSIONS = "no-permissions"
    NO_GRADES = "no-grades"
    NOTHING_RETRIEVED = "nothing-retrieved"

    @property
    def words(self) -> str:
        """
        The reason as people read it.

        >>> NotAvailable.CLAIMS_NOT_RECORDED.words
        'claims were not recorded'
        """
        return _WORDS[self]

    @property
    def absence(self) -> Absence:
        """
        Which kind of "no value" this is.

        >>> NotAvailable.NO_CLAIMS.absence.value
        'behavioural'
        """
        return _ABSENCE.get(self, Absence.MISSING)


_WORDS = {
    NotAvailable.FAILED: "the run failed on this question",
    NotAvailable.MISSING: "the run has no record of this question",
    NotAvailable.UNANSWERABLE: "no relevant documents are labelled: the question is unanswerable",
    NotAvailable.ANSWERABLE: "the question is answerable",
    NotAvailable.RETRIEVAL_NOT_RECORDED: "retrieval was not recorded",
    NotAvailable.CLAIMS_NOT_RECORDED: "claims were not recorded",
    NotAvailable.LABELS_ABSENT: "the labels this measure needs are absent",
    NotAvailable.NO_CLAIMS: "the answer makes no claims",
    NotAvailable.NO_PERMISSIONS: "the set declares no permissions",
    NotAvailable.NO_GRADES: "no grades are labelled",
    NotAvailable.NOTHING_RETRIEVED: "nothing was retrieved",
}

_ABSENCE = {
    NotAvailable.UNANSWERABLE: Absence.STRUCTURAL,
    NotAvailable.ANSWERABLE: Absence.STRUCTURAL,
    NotAvailable.NO_PERMISSIONS: Absence.STRUCTURAL,
    NotAvailable.NO_CLAIMS: Absence.BEHAVIOURAL,
    NotAvailable.NOTHING_RETRIEVED: Absence.BEHAVIOURAL,
}


class Spread(NamedTuple):
    """The repeats behind a mean."""

    defined: int
    """Repeats that have a value."""
    recorded: int
    """Repeats that were recorded, failed ones included."""
    low: Fraction
    """The lowest value of a repeat."""
    high: Fraction
    """The highest value of a repeat."""
    num: Fraction
    """Mean numerator of the repeats that have a value, for pooled ratios."""
    den: Fraction
    """Mean denominator of the repeats that have a value."""


class Score(NamedTuple):
    """
    A defined value; *num* and *den* stay as counted, they are not reduced.

    Over several repeats they are those of the mean, in lowest terms.
    """

    num: int | float
    """Numerator; a float only for a measure that is no ratio of counts."""
    den: int = 1
    """Denominator, at least 1."""
    over: Spread | None = None
    """The repeats that the value is the mean of; `None`: one record."""

    @property
    def fraction(self) -> Fraction:
        """
        The exact value.

        >>> Score(2, 4).fraction
        Fraction(1, 2)
        """
        return Fraction(self.num) / self.den

    @property
    def real(self) -> float:
        """
        The value as a float, for display and JSON only.

        >>> Score(1, 2).real
        0.5
        """
        return self.num / self.den

    @property
    def counted(self) -> tuple[int | float | Fraction, int | Fraction]:
        """
        Numerator and denominator as a pooled ratio adds them up.

        >>> mean_of([Score(1, 2), Score(2, 4)]).counted
        (Fraction(3, 2), Fraction(3, 1))
        """
        return (self.num, self.den) if self.over is None else (self.over.num, self.over.den)

    @property
    def least(self) -> Fraction:
        """The lowest value of any repeat; the value itself for one record."""
        return self.fraction if self.over is None else self.over.low

    @property
    def most(self) -> Fraction:
        """The highest value of any repeat; the value itself for one record."""
        return self.fraction if self.over is None else self.over.high

    @property
    def repeats(self) -> int:
        """How many repeats have a value."""
        return 1 if self.over is None else self.over.defined


Value: TypeAlias = Score | NotAvailable
"""What one measure says about one question in one run."""


def delta(baseline: Value, candidate: Value) -> Fraction | None:
    """
    Return candidate minus baseline, exactly; `None` unless both are defined.

    >>> delta(Score(1, 1), Score(1, 2))
    Fraction(-1, 2)
    >>> delta(Score(0, 1), NotAvailable.NO_CLAIMS) is None
    True
    """
    if isinstance(baseline, NotAvailable) or isinstance(candidate, NotAvailable):
        return None
    return candidate.fraction - baseline.fraction


def mean_of(values: Sequence[Value]) -> Value:
    """
    Return the mean over the repeats that have a value; without any, the first reason that holds.

    That a repeat failed is a reason only where nothing else is.

    >>> found = mean_of([Score(1, 1), Score(1, 2), NotAvailable.FAILED])
    >>> found.fraction, found.over.defined, found.over.recorded
    (Fraction(3, 4), 2, 3)
    >>> mean_of([NotAvailable.FAILED, NotAvailable.NO_CLAIMS]).value
    'no-claims'
    """
    scores = [value for value in values if isinstance(value, Score)]
    if not scores:
        reasons = {value for value in values if isinstance(value, NotAvailable)}
        told = reasons - {NotAvailable.FAILED} or reasons
        return next(reason for reason in NotAvailable if reason in told)
    n = len(scores)
    exact = [score.fraction for score in scores]
    mean = sum(exact, Fraction(0)) / n
    spread = Spread(
        defined=n,
        recorded=len(values),
        low=min(exact),
        high=max(exact),
        num=sum((Fraction(score.num) for score in scores), Fraction(0)) / n,
        den=Fraction(sum(score.den for score in scores), n),
    )
    if any(isinstance(score.num, float) for score in scores):
        return Score(float(mean), 1, spread)
    return Score(mean.numerator, mean.denominator, spread)


def _apart(baseline: Value, candidate: Value) -> bool | None:
    """Tell whether the repeats are apart; `None` without repeats or where nothing moved."""
    if isinstance(baseline, NotAvailable) or isinstance(candidate, NotAvailable):
        return None
    if baseline.over is None and candidate.over is None:
        return None
    if baseline.fraction == candidate.fraction:
        return None
    return baseline.most < candidate.least or candidate.most < baseline.least


def is_noisy(baseline: Value, candidate: Value) -> bool:
    """
    Tell whether a difference is one of repeats that overlap.

    >>> half = mean_of([Score(0, 1), Score(1, 1)])
    >>> is_noisy(half, Score(1, 1)), is_noisy(Score(0, 1), Score(1, 1))
    (True, False)
    """
    return _apart(baseline, candidate) is False


def is_weak(baseline: Value, candidate: Value) -> bool:
    """
    Tell whether repeats are apart, but fewer than 4 against 4.

    >>> is_weak(mean_of([Score(0, 1)] * 4), mean_of([Score(1, 1)] * 3))
    True
    """
    if not _apart(baseline, candidate):
        return False
    sides = (baseline, candidate)
    return any(isinstance(side, Score) and side.repeats < ENOUGH_REPEATS for side in sides)
