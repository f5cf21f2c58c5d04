"""How a held-out set stands for one candidate, and what a command may therefore show and say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from ragtui.core.ledger import Depth, State, judged_confidence
from ragtui.text import plural

if TYPE_CHECKING:
    from ragtui.core.ledger import Break

__all__ = [
    "MIN_SHOWN_SLICE",
    "Inherited",
    "Standing",
    "confidence_for",
    "ledger_words",
    "withholds_questions",
]

MIN_SHOWN_SLICE: Final = 10
"""Questions below which a slice is withheld with the questions."""

_HEAD: Final = 12
"""Hexadecimal digits of the ledger's head that are shown."""


def ledger_words(lines: int, head: str) -> str:
    """
    Return how long a ledger is and how its last line begins, so that a cut one can be noticed.

    >>> ledger_words(4, "0f3a" * 16)
    'ledger 4 lines, head 0f3a0f3a0f3a…'
    """
    return f"ledger {plural(lines, 'line')}, head {head[:_HEAD]}…"


class Inherited(NamedTuple):
    """What was done with questions of this set while they stood in an earlier version."""

    version: str | None
    """`None`: the lock of that version is gone."""
    shared: int
    of: int
    """Questions of the set at hand."""
    state: State
    """How far the earlier version had come by itself."""

    @property
    def words(self) -> str:
        """
        What happened, as a sentence without a stop.

        >>> Inherited("1.0.0", 38, 40, State.OPENED).words
        '38 of 40 questions were opened under 1.0.0'
        """
        done = "scored" if self.state is State.SCORED else "opened"
        if self.version is None:
            return f"a version whose lock is gone was {done}: all questions count as {done}"
        verb = "was" if self.shared == 1 and self.of == 1 else "were"
        return (
            f"{self.shared:,} of {plural(self.of, 'question')} {verb} {done} under {self.version}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """
    How a held-out set stands for one candidate once the look at it is on disk.

    *number* is k: this is the k-th distinct candidate that the set judges.
    """

    state: State
    spent_because: str | None
    number: int
    candidates: int
    """Distinct candidates looked at so far."""
    budget: int
    depth: Depth
    """What may be shown."""
    lines: int
    """Lines of the ledger."""
    head: str
    """SHA-256 of the ledger's last line, in hexadecimal."""
    inherited: tuple[Inherited, ...] = ()
    unrecorded: tuple[str, ...] = ()
    """What locks beside the set tell and the ledger does not, a sentence each."""
    broken: Break | None = None
    opened: bool = False
    """Whether anybody was shown questions, or gave the set up; else nobody may learn of one."""
    policy_before: bool | None = None
    """Whether the policy was recorded before the first look; `None`: there is no policy."""

    @property
    def state_words(self) -> str:
        """What the set is called: `held-out (scored)`."""
        return self.state.words

    @property
    def candidate_words(self) -> str:
        """How many candidates have been looked at: `2 candidates looked at, 5 allowed`."""
        return f"{plural(self.candidates, 'candidate')} looked at, {self.budget:,} allowed"

    @property
    def ledger_words(self) -> str:
        """Which ledger this is: `ledger 4 lines, head 0f3a…`."""
        return ledger_words(self.lines, self.head)

    @property
    def words(self) -> str:
        """State, candidates and ledger in one line."""
        return f"{self.state_words} · {self.candidate_words} · {self.ledger_words}"

    @property
    def notices(self) -> tuple[str, ...]:
        """What a reader must know of it before trusting a number, a sentence each."""
        return (self.words, *self._reservations(), *self._shown())

    def _reservations(self) -> list[str]:
        found = [f"{self.broken.words}: what the ledger says is not sure"] if self.broken else []
        if self.spent_because is not None:
            found.append(f"the set is spent: {self.spent_because}")
        found += [each.words for each in self.inherited]
        found += self.unrecorded
        if self.policy_before is False:
            found.append("policy recorded after the first look")
        elif self.policy_before:
            found.append("policy recorded before the first look")
        return found

    def _shown(self) -> list[str]:
        found = []
        if self.number > 1:
            found.append(f"candidate {self.number} of this set: alpha is divided by {self.number}")
        if self.depth is Depth.AGGREGATE:
            found.append(
                "only totals and measures are shown; questions, and slices of fewer than"
                f" {MIN_SHOWN_SLICE} questions, are withheld"
            )
        return found

    @property
    def ceiling(self) -> tuple[str, ...]:
        """
        Why no gate may pass, a phrase each; empty when one may.

        Rules are evaluated and shown all the same; the verdict is at best inconclusive.
        """
        found = [self.broken.words] if self.broken else []
        if self.spent_because is not None:
            found.append(f"{self.state_words}: {self.spent_because}")
        if self.policy_before is False:
            found.append("policy recorded after the first look")
        return tuple(found)


def withholds_questions(standing: Standing | None) -> bool:
    """Tell whether nothing of a single question may be shown."""
    return standing is not None and standing.depth is Depth.AGGREGATE


def confidence_for(standing: Standing | None, confidence: float = 0.95) -> float:
    """
    Return the confidence at which the candidate is judged.

    >>> confidence_for(None, 0.9)
    0.9
    """
    return confidence if standing is None else judged_confidence(confidence, standing.number)
