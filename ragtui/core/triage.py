"""
What a reviewer decided about the changes between two runs, and whether it still holds.

A decision is about a *change*, so it is bound to everything the change was worked out from. When
any of that is another now, the decision is stale: shown and kept, never counted.
"""

from __future__ import annotations

from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from ragtui.core.model import Unit
from ragtui.core.query import NONE, UNDECIDED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ragtui.core.change import Severity
    from ragtui.core.comparison import Comparison

__all__ = [
    "MAX_NAME",
    "MAX_NOTE",
    "SETTLED",
    "Binding",
    "Choice",
    "Counts",
    "Decision",
    "Standing",
    "Triage",
    "binding_of",
    "changed_since",
    "needs_decision",
    "standing",
]

MAX_NOTE: Final = 20_000
"""Longest note, in characters."""

MAX_NAME: Final = 500
"""Longest owner, follow-up or name of a decider, in characters."""


class Choice(StrEnum):
    """What was decided about a change."""

    ACCEPT = "accept"
    """The change is known and may be released."""
    BLOCK = "block"
    """The change must not be released."""
    INVESTIGATE = "investigate"
    """Somebody is at work on it: the change stays undecided."""
    DISPUTE = "dispute"
    """The label is wrong or open, not the answer."""


SETTLED: Final = frozenset({Choice.ACCEPT, Choice.BLOCK, Choice.DISPUTE})
"""The choices after which a change needs no further decision."""


class Standing(StrEnum):
    """Whether a decision is about the change as it is now."""

    CURRENT = "current"
    STALE = "stale"


class Binding(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Everything a change was worked out from; digests are SHA-256 in 64 hexadecimal digits."""

    question: str
    """Digest of the question with its labels."""
    baseline: str
    """Digest of the records that A has of it."""
    candidate: str
    """Digest of the records that B has of it."""
    cutoff: int
    unit: Unit
    contract: str


class Decision(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What somebody decided about one question."""

    question: str
    """Question id."""
    choice: Choice
    note: str | None = None
    """Why; may have several lines."""
    owner: str | None = None
    """Who takes care of it."""
    follow_up: str | None = None
    """What happens next, such as the number of a ticket."""
    who: str | None = None
    """Who decided; `None`: unsigned."""
    when: str
    """RFC 3339 text, given from outside."""
    binding: Binding

    def says_the_same(self, other: Decision | None) -> bool:
        """Tell whether *other* decides the same with the same words about the same change."""
        return other is not None and other == msgspec.structs.replace(
            self, who=other.who, when=other.when
        )


class Counts(NamedTuple):
    """How far a triage has come, in questions."""

    decided: int
    """Changes with a severity and a current decision that settles them."""
    undecided: int
    """Changes that need a decision."""
    stale: int
    """Decisions that are not about the change as it is now, of questions no longer asked too."""

    @property
    def total(self) -> int:
        """Changes that have a severity."""
        return self.decided + self.undecided


def standing(decision: Decision, binding: Binding | None) -> Standing:
    """Say whether *decision* is about the change that *binding* describes; `None` is none."""
    return Standing.CURRENT if decision.binding == binding else Standing.STALE


def changed_since(decision: Decision, binding: Binding) -> tuple[str, ...]:
    """Return in words what is another now than when *decision* was made; nothing: it is current."""
    then = decision.binding
    return tuple(
        words
        for words, same in (
            ("the question or its labels changed", then.question == binding.question),
            ("run A was replaced", then.baseline == binding.baseline),
            ("run B was replaced", then.candidate == binding.candidate),
            (f"k was {then.cutoff}", then.cutoff == binding.cutoff),
            (f"the unit was {then.unit.value}", then.unit == binding.unit),
            ("the contract is another", then.contract == binding.contract),
        )
        if not same
    )


def needs_decision(
    severity: Severity | None, decision: Decision | None, stands: Standing | None
) -> bool:
    """
    Tell whether a change needs a decision: it has a severity and no current one that settles it.

    *stands* is the standing of *decision*, `None` where there is none.
    """
    if severity is None:
        return False
    settled = decision is not None and decision.choice in SETTLED
    return not (settled and stands is Standing.CURRENT)


def binding_of(comparison: Comparison, index: int) -> Binding:
    """Return what a decision about a question made now is bound to; reads it and its records."""
    question, baseline, candidate = comparison.evidence.digests(index)
    return Binding(
        question=question,
        baseline=baseline,
        candidate=candidate,
        cutoff=comparison.cutoff,
        unit=comparison.baseline.info.unit,
        contract=comparison.set_info.contract,
    )


class Triage:
    """
    Decisions held against one comparison.

    Only questions with a decision are read, once each. *decisions* may change between calls.
    """

    def __init__(self, comparison: Comparison, decisions: Mapping[str, Decision]) -> None:
        """
        Hold *decisions*, by question id, against a complete comparison.

        None counts while nobody was shown the questions: whether one does would tell of its change.
        """
        self.comparison = comparison
        self.decisions = {} if comparison.unopened else decisions
        self._bindings: dict[int, Binding] = {}
        self._places: dict[str, int | None] = {}

    def binding(self, index: int) -> Binding:
        """Return what a decision about a question made now is bound to."""
        found = self._bindings.get(index)
        if found is None:
            found = self._bindings[index] = binding_of(self.comparison, index)
            self._places[self.comparison.ids[index]] = index
        return found

    def decision(self, index: int) -> Decision | None:
        """Return the decision about a question, current or stale."""
        return self.decisions.get(self.comparison.ids[index])

    def standing(self, index: int) -> Standing | None:
        """Return how the decision about a question stands, `None` where there is none."""
        decision = self.decision(index)
        return None if decision is None else standing(decision, self.binding(index))

    def needs_decision(self, index: int) -> bool:
        """Tell whether a question has a severity and no current decision that settles it."""
        severity = self.comparison.changes[index].severity
        if severity is None:
            return False
        return needs_decision(severity, self.decision(index), self.standing(index))

    def state(self, index: int) -> str:
        """
        Return where a question stands, as one of `ragtui.core.query.TRIAGE_STATES`.

        That is `stale`, else what was decided, else `undecided` or, without a severity, `none`.
        """
        decision = self.decision(index)
        if decision is not None:
            stale = self.standing(index) is Standing.STALE
            return Standing.STALE.value if stale else decision.choice.value
        return NONE if self.comparison.changes[index].severity is None else UNDECIDED

    @property
    def orphans(self) -> tuple[Decision, ...]:
        """Decisions about questions that the set no longer holds, by question id; all stale."""
        places = self._located()
        return tuple(self.decisions[q] for q in sorted(self.decisions) if places[q] is None)

    def indexes(self) -> list[int]:
        """Return the questions with a decision, current or stale, in the set's order."""
        places = self._located()
        found = (places[question] for question in self.decisions)
        return sorted(index for index in found if index is not None)

    def _located(self) -> Mapping[str, int | None]:
        """Return where the questions with a decision stand; a large set is not indexed for it."""
        missing = self.decisions.keys() - self._places.keys()
        if missing:
            self._places.update(dict.fromkeys(missing))
            for index, question in enumerate(self.comparison.ids):
                if question in missing:
                    self._places[question] = index
        return self._places

    @cached_property
    def _total(self) -> int:
        changes = self.comparison.changes.count()
        return sum(n for row, n in changes.items() if row.severity is not None)

    def counts(self) -> Counts:
        """Count decided, undecided and stale changes; never filtered."""
        decided = stale = 0
        changes = self.comparison.changes
        for index in self.indexes():
            stale += self.standing(index) is Standing.STALE
            decided += changes[index].severity is not None and not self.needs_decision(index)
        return Counts(decided, self._total - decided, stale + len(self.orphans))
