"""
Disputed labels: one question under its main labels and under each review.

All judgements stay. A and B are scored under the *same* labels each time, never one run under the
main labels and the other under a review; so a disputed question has a range of values and, where
its verdict depends on who is right, more than one verdict.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from ragtui.core.change import Verdict
from ragtui.core.model import Status
from ragtui.core.value import NotAvailable, delta

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from fractions import Fraction

    from ragtui.core.change import Change, Severity
    from ragtui.core.contract import Counts
    from ragtui.core.evidence import Side
    from ragtui.core.measures import Facts, Measure
    from ragtui.core.model import Question, Review
    from ragtui.core.scorer import Kept, Scored, Scorer
    from ragtui.core.value import Value

__all__ = ["Dispute", "Labelling", "Range", "dispute_of", "reviewed"]


class Range(NamedTuple):
    """The lowest and the highest value over several labellings."""

    low: Fraction | None
    """`None` when no labelling gives a value."""
    high: Fraction | None
    absent: tuple[NotAvailable, ...]
    """Why some labellings give no value, each reason once."""

    @property
    def is_single(self) -> bool:
        """Whether every labelling says the same."""
        return self.low == self.high and len(self.absent) + (self.low is not None) == 1


class Labelling(NamedTuple):
    """One question scored in A and in B under the same labels."""

    reviewer: str | None
    """Whose labels; `None`: the main ones."""
    verdict: Verdict
    severity: Severity | None
    facts: Facts
    counts: tuple[Counts, Counts]
    """What was counted in A and in B."""

    def value(self, side: Side, measure: Measure, cutoff: int) -> Value:
        """Return one measure of one run under these labels."""
        return measure.value(self.facts, self.counts[side], cutoff)

    def delta(self, measure: Measure, cutoff: int) -> Fraction | None:
        """Return B minus A under these labels, `None` unless defined in both."""
        a, b = (measure.value(self.facts, counts, cutoff) for counts in self.counts)
        return delta(a, b)


class Dispute(NamedTuple):
    """A disputed question under all its labellings: the main one first, then each review's."""

    labellings: tuple[Labelling, ...]

    @property
    def reviewed(self) -> bool:
        """Whether anybody's review says what else the labels might be."""
        return len(self.labellings) > 1

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """Every verdict that some labelling gives, each once, in the order of `Verdict`."""
        found = {labelling.verdict for labelling in self.labellings}
        return tuple(verdict for verdict in Verdict if verdict in found)

    @property
    def is_open(self) -> bool:
        """Whether the verdict depends on the choice of labels."""
        return len(self.verdicts) > 1

    def values(self, side: Side, measure: Measure, cutoff: int) -> Range:
        """Return the range of one measure of one run over all labellings."""
        return _range(found.value(side, measure, cutoff) for found in self.labellings)

    def deltas(self, measure: Measure, cutoff: int) -> tuple[Fraction, Fraction] | None:
        """Return the range of B minus A over the labellings that define it in both runs."""
        found = [
            moved
            for labelling in self.labellings
            if (moved := labelling.delta(measure, cutoff)) is not None
        ]
        return (min(found), max(found)) if found else None


def _range(values: Iterable[Value]) -> Range:
    found: list[Fraction] = []
    absent: dict[NotAvailable, None] = {}
    for value in values:
        if isinstance(value, NotAvailable):
            absent[value] = None
        else:
            found.append(value.fraction)
    ordered = tuple(reason for reason in NotAvailable if reason in absent)
    return Range(min(found, default=None), max(found, default=None), ordered)


def dispute_of(
    scorer: Scorer,
    question: Question,
    records: tuple[Kept, ...],
    main: tuple[Scored, Change],
) -> Dispute | None:
    """
    Score a disputed question under each review as well; `None` for any other question.

    *records* are those of A and B, *main* is what they were scored under the main labels.

    >>> from ragtui.core.model import Claim, Question, Record, Retrieved, Review, Status
    >>> from ragtui.core.scorer import Scorer
    >>> launch = (frozenset({"launch"}),)
    >>> question = Question(
    ...     id="launch", relevant=("launch",), support={"monday": launch}, status=Status.DISPUTED,
    ...     reviews=(Review(reviewer="r1", support={"monday": launch, "bonus": launch}),),
    ... )
    >>> context, monday = (Retrieved("launch"),), Claim("monday", ("launch",))
    >>> records = (
    ...     Record(question="launch", retrieved=context, claims=(monday,)),
    ...     Record(question="launch", retrieved=context,
    ...            claims=(monday, Claim("bonus", ("launch",)))),
    ... )
    >>> scorer = Scorer(cutoff=2)
    >>> scored = scorer.score(question, *records)
    >>> found = dispute_of(scorer, question, records, (scored, scorer.change(question, scored)))
    >>> [verdict.value for verdict in found.verdicts]
    ['regressed', 'improved']
    """
    if question.status is not Status.DISPUTED:
        return None
    labellings = [_labelling(None, *main)]
    for review in question.reviews:
        variant = reviewed(question, review)
        scored = scorer.score(variant, *records)
        labellings.append(_labelling(review.reviewer, scored, scorer.change(variant, scored)))
    return Dispute(tuple(labellings))


def _labelling(reviewer: str | None, scored: Scored, change: Change) -> Labelling:
    a, b = scored.outcomes
    return Labelling(reviewer, change.verdict, change.severity, scored.facts, (a.counts, b.counts))


def reviewed(question: Question, review: Review) -> Question:
    """
    Return *question* with the labels of one review for main labels.

    A part that the review leaves out stays the main label's. Where the review disagrees on a
    document, its grade is the review's too: 1 when relevant, none when not; a document that only
    the main labels call relevant was judged and found not relevant. An accepted claim that the
    review expects is expected.

    >>> from ragtui.core.model import Question, Review
    >>> question = Question(id="q", relevant=("a", "b"), grades={"a": 2, "b": 3, "c": 0})
    >>> found = reviewed(question, Review(reviewer="r1", relevant=("a", "c")))
    >>> found.relevant, found.not_relevant, found.grades
    (('a', 'c'), ('b',), {'a': 2})
    """
    relevant = question.relevant if review.relevant is None else review.relevant
    support = question.support if review.support is None else review.support
    found = msgspec.structs.replace(
        question,
        relevant=relevant,
        support=support,
        not_relevant=_not_relevant(question, review),
        grades=_grades(question, review),
    )
    if question.accepted is None:
        return found
    accepted = {} if found.answerable is False else question.accepted
    kept = {c: alternatives for c, alternatives in accepted.items() if c not in (support or {})}
    return msgspec.structs.replace(found, accepted=kept)


def _not_relevant(question: Question, review: Review) -> tuple[str, ...] | None:
    if review.relevant is None:
        return question.not_relevant
    judged = (*(question.not_relevant or ()), *(question.relevant or ()))
    found = tuple(document for document in judged if document not in review.relevant)
    return found if found or question.not_relevant is not None else None


def _grades(question: Question, review: Review) -> Mapping[str, int] | None:
    if review.relevant is None or question.grades is None:
        return question.grades
    differing = frozenset(question.relevant or ()).symmetric_difference(review.relevant)
    return {doc: grade for doc, grade in question.grades.items() if doc not in differing}
