"""
Disputed labels in words: what hangs on the choice, every measure as a range, how far people agree.

Plain text with the raw names of reviewers in it: whoever shows it cleans it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from ragtui.core.agreement import Part
from ragtui.core.change_words import alternatives_words, named, verdict_words
from ragtui.core.evidence import Side
from ragtui.core.figures import (
    MINUS,
    NA,
    signed,
    signed_amount,
    value_text,
)
from ragtui.core.measures import Form
from ragtui.core.value import Score

if TYPE_CHECKING:
    from collections.abc import Iterable
    from fractions import Fraction

    from ragtui.core.agreement import Agreement
    from ragtui.core.labels import Dispute, Labelling, Range
    from ragtui.core.measures import Measure
    from ragtui.core.model import Review

__all__ = [
    "JUDGED",
    "MAIN",
    "UNREVIEWED",
    "RangeLine",
    "agreement_words",
    "endings",
    "endings_words",
    "labelling_words",
    "marginal_words",
    "open_words",
    "range_lines",
    "range_text",
    "review_words",
    "verdicts_words",
]

MAIN: Final = "main labels"
"""What the labels are called that no single reviewer made."""

UNREVIEWED: Final = "no review is recorded"
"""Why a disputed question has no range."""

JUDGED: Final = {
    Part.RELEVANCE: "relevance, of pairs of a question and a document",
    Part.SUPPORT: "support, of triples of a question, a claim and a document",
}
"""What reviewers judged, in words."""


def verdicts_words(dispute: Dispute) -> str:
    """Return every verdict that some labels give: `regressed or improved`."""
    return " or ".join(map(verdict_words, dispute.verdicts))


def open_words(dispute: Dispute) -> str:
    """Return the same with what it means: `regressed or improved: label open`."""
    return f"{verdicts_words(dispute)}: label open"


def labelling_words(labelling: Labelling) -> str:
    """Say how the question ends under one labelling: `S2 regressed`."""
    word = verdict_words(labelling.verdict)
    return word if labelling.severity is None else f"{labelling.severity.name} {word}"


def endings(dispute: Dispute) -> dict[str, list[str | None]]:
    """Return how the question ends, in words, and under whose labels; `None`: the main ones."""
    found: dict[str, list[str | None]] = {}
    for labelling in dispute.labellings:
        found.setdefault(labelling_words(labelling), []).append(labelling.reviewer)
    return found


def endings_words(dispute: Dispute) -> str:
    """Say how the question ends under whose labels: `S2 regressed under the main labels; …`."""
    told = "; ".join(
        f"{ending} under {named(f'the {MAIN}' if one is None else one for one in reviewers)}"
        for ending, reviewers in endings(dispute).items()
    )
    return told if dispute.reviewed else f"{told}; {UNREVIEWED}"


def review_words(review: Review) -> str:
    """
    Write one review out.

    >>> from ragtui.core.model import Review
    >>> review_words(Review(reviewer="r1", relevant=("launch",), note="see the plan"))
    'r1 · relevant: launch · see the plan'
    """
    parts = [review.reviewer]
    if review.relevant is not None:
        parts.append(f"relevant: {named(review.relevant) or 'none'}")
    for claim, alternatives in (review.support or {}).items():
        parts.append(f"{claim} is supported by {alternatives_words(alternatives)}")
    if review.support is not None and not review.support:
        parts.append("no claim is expected")
    if review.note:
        parts.append(review.note)
    return " · ".join(parts)


class RangeLine(NamedTuple):
    """One measure of a disputed question over all its labellings."""

    measure: Measure
    written: str
    """The measure as screens write it, `P@2`."""
    a: str
    b: str
    moved: str
    """B minus A, each time under the same labels."""
    depends: bool
    """Whether the labels make a difference in A or in B."""


def range_lines(
    dispute: Dispute, measures: Iterable[Measure], cutoff: int
) -> tuple[RangeLine, ...]:
    """Return every measure as a range."""
    return tuple(_range_line(dispute, measure, cutoff) for measure in measures)


def _range_line(dispute: Dispute, measure: Measure, cutoff: int) -> RangeLine:
    a, b = (dispute.values(side, measure, cutoff) for side in Side)
    return RangeLine(
        measure,
        measure.written(cutoff),
        range_text(a, measure),
        range_text(b, measure),
        _moved(dispute, measure, cutoff),
        not (a.is_single and b.is_single),
    )


def range_text(found: Range, measure: Measure) -> str:
    """
    Write a range as a screen shows it.

    >>> from fractions import Fraction
    >>> from ragtui.core.labels import Range
    >>> from ragtui.core.measures import measure_named
    >>> from ragtui.core.value import NotAvailable
    >>> range_text(Range(Fraction(1, 2), Fraction(1), ()), measure_named("support"))
    '0.50 to 1.00'
    >>> unanswerable = (NotAvailable.UNANSWERABLE,)
    >>> range_text(Range(Fraction(1), Fraction(1), unanswerable), measure_named("recall"))
    'n/a or 1.00'
    """
    if found.low is None or found.high is None:
        return NA
    ends = [_exact_text(end, measure) for end in (found.low, found.high)]
    told = _between(ends, " or " if measure.form is Form.YES_NO else " to ")
    return f"{NA} or {told}" if found.absent else told


def _exact_text(value: Fraction, measure: Measure) -> str:
    return value_text(Score(value.numerator, value.denominator), measure)


def _between(ends: list[str], joint: str) -> str:
    return joint.join(dict.fromkeys(ends))


def _moved(dispute: Dispute, measure: Measure, cutoff: int) -> str:
    ends = dispute.deltas(measure, cutoff)
    if ends is None:
        return NA
    told = _between([_signed(end, measure) for end in ends], " to ")
    partly = any(one.delta(measure, cutoff) is None for one in dispute.labellings)
    return f"{NA} or {told}" if partly else told


def _signed(moved: Fraction, measure: Measure) -> str:
    if measure.form is Form.COUNT:
        return signed_amount(moved, zero="0")
    return signed(moved, zero="0")


def marginal_words(agreement: Agreement) -> str:
    """Say how often each reviewer said yes: `yes from r1 25 of 50, r2 30 of 50`."""
    parts = (f"{one.reviewer} {one.yes:,} of {one.judged:,}" for one in agreement.marginals)
    return f"yes from {named(parts)}"


def agreement_words(agreement: Agreement) -> str:
    """
    Say how far reviewers agree on one part of the labels, without their names.

    >>> from fractions import Fraction
    >>> from ragtui.core.agreement import Agreement
    >>> kappa = "Cohen's kappa"
    >>> agreement_words(Agreement(Part.RELEVANCE, 50, Fraction(7, 10), kappa, Fraction(2, 5), ()))
    "agreement on relevance, of pairs of a question and a document: raw 0.70, \
Cohen's kappa 0.40, n 50"
    """
    value = "undefined, as every judgement is the same"
    if agreement.value is not None:
        value = f"{float(agreement.value):.2f}".replace("-", MINUS)
    return (
        f"agreement on {JUDGED[agreement.part]}: raw {float(agreement.raw):.2f},"
        f" {agreement.statistic} {value}, n {agreement.n:,}"
    )
