"""The rules of one comparison, applied to one question at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from ragtui.core.change import Change, change_of
from ragtui.core.contract import Labels, Outcome, labels_of, score
from ragtui.core.measures import MEASURES, Facts, Measure, facts_of
from ragtui.core.model import ClaimIds
from ragtui.core.repeats import combined

if TYPE_CHECKING:
    from typing import TypeAlias

    from ragtui.core.model import Access, Question, Record, RunInfo

    Kept: TypeAlias = Record | tuple[Record, ...] | None
    """What a run holds for a question: one record, several by their numbers, or none."""

__all__ = ["Scored", "Scorer", "claims_match", "measures_for"]


class Scored(NamedTuple):
    """One question scored for one or two runs."""

    labels: Labels
    facts: Facts
    outcomes: tuple[Outcome, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scorer:
    """The rules under which all questions of one comparison are scored."""

    cutoff: int
    access: Access | None = None
    claims_match: bool = True
    """Whether a claim id means the same proposition in both runs."""
    measures: tuple[Measure, ...] = ()

    def score(self, question: Question, *records: Kept) -> Scored:
        """Score one question for each run: one record, several by their numbers, or none."""
        labels = labels_of(question)
        facts = facts_of(labels, permissions=self.access is not None)
        outcomes = tuple(
            self._repeats(question, labels, record)
            if isinstance(record, tuple)
            else score(question, labels, record, cutoff=self.cutoff, access=self.access)
            for record in records
        )
        return Scored(labels, facts, outcomes)

    def _repeats(self, question: Question, labels: Labels, records: tuple[Record, ...]) -> Outcome:
        """Score each record, and put the outcomes together."""
        outcomes = [
            score(question, labels, record, cutoff=self.cutoff, access=self.access)
            for record in records or (None,)
        ]
        return combined(labels, outcomes)

    def change(self, question: Question, scored: Scored) -> Change:
        """Compare the two outcomes of *scored*."""
        a, b = scored.outcomes
        return change_of(
            scored.labels,
            scored.facts,
            a,
            b,
            critical=question.critical,
            claims_match=self.claims_match,
            measures=self.measures,
        )


def measures_for(*, graded: bool, judged: bool, permissions: bool) -> tuple[Measure, ...]:
    """
    Return the measures in use: the six of the contract, and those that the labels make possible.

    >>> [m.key for m in measures_for(graded=True, judged=False, permissions=False)][-1]
    'ndcg'
    """
    possible = {"ndcg": graded, "judged": judged, "disclosures": permissions}
    return tuple(m for m in MEASURES if possible.get(m.key, True))


def claims_match(baseline: RunInfo, candidate: RunInfo) -> bool:
    """Tell whether a claim id means the same proposition in both runs."""
    ids = {baseline.annotation.claim_ids, candidate.annotation.claim_ids}
    return ClaimIds.RUN not in ids
