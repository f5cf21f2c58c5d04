"""
The ledger of a held-out set: who looked at what, and what may still be said of it.

An event a line, each naming the digest of the line before it. From the lines come the state of the
set, sealed → scored → opened → spent, the number of candidates it has judged, and the confidence
that is left for the next one. Nothing here can prove that nobody looked elsewhere; it holds what
was recorded, and in which order.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from ragtui.text import plural

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

__all__ = [
    "DEFAULT_BUDGET",
    "FIRST",
    "Ancestor",
    "Break",
    "Depth",
    "Event",
    "History",
    "Kind",
    "LedgerLine",
    "State",
    "adds",
    "find_break",
    "history",
    "judged_confidence",
    "policy_stands_before",
]

FIRST: Final = "0" * 64
"""What the first line names instead of the digest of a line before it."""

DEFAULT_BUDGET: Final = 5
"""Candidates that a held-out set may judge where no policy says how many."""


class Kind(StrEnum):
    """What a line records."""

    FREEZE = "freeze"
    POLICY = "policy"
    """A policy was read, ahead of the look that follows."""
    LOOK = "look"
    """A candidate was about to be shown."""
    RETIRE = "retire"
    """The set was given up as held out."""


class Depth(StrEnum):
    """How much of a held-out set is shown."""

    AGGREGATE = "aggregate"
    """Verdict, totals and measures; nothing of a single question."""
    QUESTION = "question"
    """Everything."""


class State(StrEnum):
    """How much of a held-out set is left."""

    SEALED = "sealed"
    """Nobody looked."""
    SCORED = "scored"
    """Only totals were shown."""
    OPENED = "opened"
    """Questions were shown."""
    SPENT = "spent"
    """It can no longer vouch for a new candidate."""

    @property
    def words(self) -> str:
        """
        What every screen and export calls the set.

        >>> State.SCORED.words, State.SPENT.words
        ('held-out (scored)', 'held-out (spent) = development')
        """
        development = " = development" if self is State.SPENT else ""
        return f"held-out ({self.value}){development}"


class Event(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One line of the ledger."""

    kind: Kind
    seq: int
    """0 for the first line, then one more each."""
    prev: str
    """SHA-256 of the line before without its LF; `FIRST` for the first line."""
    at: str
    """RFC 3339 text; the order of events is that of the lines, whatever it says."""
    set: str
    """Digest of the set."""
    candidate: str | None = None
    """Digest of the candidate's records, cutoff and unit; of a look."""
    depth: Depth | None = None
    """Of a look."""
    policy: str | None = None
    """Digest of the policy; of a policy event."""

    def __post_init__(self) -> None:
        """Raise ValueError for an event that lacks what its kind is about."""
        if self.kind is Kind.LOOK and (self.candidate is None or self.depth is None):
            raise ValueError("a look needs a candidate and a depth")
        if self.kind is Kind.POLICY and self.policy is None:
            raise ValueError("a policy event needs a policy")


class LedgerLine(NamedTuple):
    """One line as read."""

    sha256: str
    """Digest of its bytes without LF."""
    event: Event | None
    """`None`: the line is no event."""


# ---------------------------------------------------------------- the chain


class Break(NamedTuple):
    """The first place where the lines do not follow each other."""

    line: int
    """1-based line of the ledger."""
    message: str

    @property
    def words(self) -> str:
        """
        Where it is and what happened there.

        >>> Break(3, "was edited").words
        'ledger line 3 was edited'
        """
        return f"ledger line {self.line} {self.message}"


_EDITED: Final = "is not the one that was written"


def find_break(lines: Sequence[LedgerLine]) -> Break | None:
    """
    Return the first place where a line was edited, removed or inserted; `None` when there is none.

    A last line that was changed and a tail that was cut off leave no trace in the lines.

    >>> find_break([LedgerLine("00", None)])
    Break(line=1, message='is no event of a ledger')
    """
    for place, line in enumerate(lines):
        if line.event is None:
            return Break(place + 1, "is no event of a ledger")
        if not _follows(lines, place) or line.event.seq != place:
            return _break_at(lines, place, line.event)
    return None


def _follows(lines: Sequence[LedgerLine], place: int) -> bool:
    event = lines[place].event
    before = lines[place - 1].sha256 if place else FIRST
    return event is not None and event.prev == before


def _break_at(lines: Sequence[LedgerLine], place: int, event: Event) -> Break:
    """Say what happened at *place*, the first one where something is wrong."""
    if _follows(lines, place):
        return Break(place + 1, _EDITED)
    if event.seq > place:
        return Break(place + 1, f"follows a gap: {plural(event.seq - place, 'line')} missing")
    if event.seq < place:
        return Break(place, "was inserted")
    # A line whose own `prev` was edited is no longer followed either; one that stands before it
    # and was edited leaves this line whole.
    whole = place + 1 == len(lines) or _follows(lines, place + 1)
    return Break(place if whole and place else place + 1, _EDITED)


# ---------------------------------------------------------------- what happened to the questions


class Ancestor(NamedTuple):
    """Another frozen content that events name, held against the set at hand."""

    version: str | None
    """The version it was frozen as; `None`: its lock is gone, so all its questions may be these."""
    shared: int
    """Questions of the set at hand that stood in it unchanged."""


class History(NamedTuple):
    """What was done with the questions of one set, under this version and earlier ones."""

    candidates: tuple[str, ...]
    """Distinct candidates in the order of their first look."""
    opened: bool
    retired: bool
    scored_after_opening: bool
    """Whether a new candidate was looked at after questions had been shown."""

    def state(self, budget: int) -> State:
        """
        Return the state of a set that may judge *budget* candidates.

        >>> History(("c1", "c2", "c3"), False, False, False).state(2)
        <State.SPENT: 'spent'>
        """
        if self.spent_because(budget) is not None:
            return State.SPENT
        if self.opened:
            return State.OPENED
        return State.SCORED if self.candidates else State.SEALED

    def spent_because(self, budget: int) -> str | None:
        """
        Say why the set is spent; `None` when it is not.

        >>> History(("c1", "c2", "c3"), False, False, False).spent_because(2)
        '3 candidates were looked at, 2 are allowed'
        """
        if self.retired:
            return "it was retired"
        if self.scored_after_opening:
            return "a new candidate was scored after its questions had been opened"
        n = len(self.candidates)
        if n > budget:
            return (
                f"{n} candidates were looked at, {budget} {'is' if budget == 1 else 'are'} allowed"
            )
        return None

    def number(self, candidate: str) -> int | None:
        """
        Return which distinct candidate this one is, from 1; `None` when nobody looked at it.

        >>> History(("c1", "c2"), False, False, False).number("c2")
        2
        """
        return self.candidates.index(candidate) + 1 if candidate in self.candidates else None


def history(events: Iterable[Event], sets: Mapping[str, Ancestor]) -> History:
    """
    Fold the events about *sets*, the digests of the set at hand and of those it inherits from.

    The digest of the set at hand stands in *sets*, too; events about other sets are passed over.
    """
    candidates: dict[str, None] = {}
    opened = retired = late = False
    for event in events:
        if not _concerns(event, sets):
            continue
        if event.kind is Kind.RETIRE:
            retired = True
        if event.kind is not Kind.LOOK or event.candidate is None:
            continue
        late = late or (opened and event.candidate not in candidates)
        candidates[event.candidate] = None
        opened = opened or event.depth is not Depth.AGGREGATE
    return History(tuple(candidates), opened, retired, late)


def _concerns(event: Event, sets: Mapping[str, Ancestor]) -> bool:
    found = sets.get(event.set)
    return found is not None and (found.version is None or found.shared > 0)


def adds(events: Iterable[Event], *, set_digest: str, candidate: str, depth: Depth) -> bool:
    """
    Tell whether a look adds anything: looking again at the same candidate is no new look.

    >>> adds([], set_digest="s", candidate="c", depth=Depth.AGGREGATE)
    True
    """
    enough = {Depth.QUESTION} if depth is Depth.QUESTION else set(Depth)
    return not any(
        event.kind is Kind.LOOK
        and (event.set, event.candidate) == (set_digest, candidate)
        and event.depth in enough
        for event in events
    )


def policy_stands_before(
    events: Iterable[Event], sets: Mapping[str, Ancestor], *, policy: str, candidate: str
) -> bool:
    """Tell whether *policy* was recorded ahead of the first look at *candidate*."""
    for event in events:
        if event.kind is Kind.POLICY and event.policy == policy:
            return True
        if event.kind is Kind.LOOK and event.candidate == candidate and _concerns(event, sets):
            return False
    return False


def judged_confidence(confidence: float, number: int) -> float:
    """
    Return the confidence at which the *number*-th distinct candidate is judged: 1 - alpha/k.

    Bonferroni over the candidates of one set, alpha being 1 - *confidence*.

    >>> judged_confidence(0.95, 1), round(judged_confidence(0.95, 2), 12)
    (0.95, 0.975)
    """
    return confidence if number == 1 else 1 - (1 - confidence) / number
