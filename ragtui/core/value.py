"""A score with its numerator and denominator, or the reason why there is none."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple, TypeAlias

from ragtui.core.words import Word

__all__ = ["Absence", "NotAvailable", "Score", "Value", "delta"]


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


class Score(NamedTuple):
    """A defined value; *num* and *den* stay as counted, they are not reduced."""

    num: int | float
    """Numerator; a float only for a measure that is no ratio of counts."""
    den: int = 1
    """Denominator, at least 1."""

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
