"""
How decisions came about: one entry a step, undo and redo as steps of their own.

An entry says for each question what stood before and what stands after it, so that a history can
be checked while it is replayed, and nothing is taken back that is no longer there.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from ragtui.core.triage import Decision
from ragtui.errors import Fault, InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["Conflict", "Edit", "Entry", "History", "Kind", "Merged", "fold", "merge"]


class Kind(StrEnum):
    """What a step does."""

    DECIDE = "decide"
    UNDO = "undo"
    """Takes back the latest step that was not taken back yet."""
    REDO = "redo"
    """Does again what the latest undo took back."""
    OUTSIDE = "outside"
    """Takes over what somebody else wrote into the file meanwhile; cannot be undone."""


class Edit(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """What happened to the decision about one question."""

    question: str
    old: Decision | None
    new: Decision | None

    @property
    def inverse(self) -> Edit:
        """The edit that takes this one back."""
        return Edit(self.question, self.new, self.old)


class Entry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One step: what it did to one or several questions at once."""

    seq: int
    """1 for the first step of a session, then one more each."""
    kind: Kind
    edits: tuple[Edit, ...]
    at: str
    """RFC 3339 text, given from outside; the order of steps is that of *seq*, whatever it says."""

    @property
    def questions(self) -> tuple[str, ...]:
        """Ids of the questions concerned, each once."""
        return tuple(edit.question for edit in self.edits)


class History:
    """
    The decisions as they stand, and the steps that can be undone or done again.

    `decide`, `undo`, `redo` and `outside` return the next step and change nothing; `apply` takes
    it.
    """

    def __init__(self, decisions: Mapping[str, Decision] | None = None) -> None:
        """Start a session with *decisions*, by question id, as they were left."""
        self._decisions = dict(decisions or {})
        self._done: list[tuple[Edit, ...]] = []
        self._undone: list[tuple[Edit, ...]] = []
        self._seq = 0

    @property
    def decisions(self) -> Mapping[str, Decision]:
        """Question id to the decision about it; the same object after every step."""
        return self._decisions

    @property
    def seq(self) -> int:
        """The number of the latest step, 0 before the first."""
        return self._seq

    @property
    def can_undo(self) -> int:
        """How many steps can be undone."""
        return len(self._done)

    @property
    def can_redo(self) -> int:
        """How many steps can be done again."""
        return len(self._undone)

    def copy(self) -> History:
        """Return a history that goes its own way from here."""
        other = History(self._decisions)
        other._done, other._undone, other._seq = [*self._done], [*self._undone], self._seq
        return other

    def decide(self, decisions: Iterable[Decision], *, at: str) -> Entry:
        """Return the step that makes *decisions*, each about another question."""
        return self._entry(
            Kind.DECIDE,
            (Edit(new.question, self._decisions.get(new.question), new) for new in decisions),
            at,
        )

    def undo(self, *, at: str) -> Entry | None:
        """Return the step that takes back the latest one; `None` at the session's start."""
        if not self._done:
            return None
        return self._entry(Kind.UNDO, (edit.inverse for edit in self._done[-1]), at)

    def redo(self, *, at: str) -> Entry | None:
        """Return the step that does again what was undone last; `None` when nothing was."""
        return self._entry(Kind.REDO, self._undone[-1], at) if self._undone else None

    def outside(self, found: Mapping[str, Decision | None], *, at: str) -> Entry:
        """Return the step that takes over what somebody else decided, `None`: withdrew."""
        order = sorted(found)
        return self._entry(
            Kind.OUTSIDE, (Edit(q, self._decisions.get(q), found[q]) for q in order), at
        )

    def _entry(self, kind: Kind, edits: Iterable[Edit], at: str) -> Entry:
        return Entry(seq=self._seq + 1, kind=kind, edits=tuple(edits), at=at)

    def check(self, entry: Entry) -> None:
        """Raise InputError unless *entry* is a possible next step."""
        if entry.seq != self._seq + 1:
            raise _impossible("a step is missing", found=entry.seq, expected=self._seq + 1)
        if not entry.edits or len(set(entry.questions)) != len(entry.edits):
            raise _impossible("a step is about no question, or twice about one", seq=entry.seq)
        for edit in entry.edits:
            if edit.old != self._decisions.get(edit.question):
                raise _impossible("the step before is another", question=edit.question)
            if any(said and said.question != edit.question for said in (edit.old, edit.new)):
                raise _impossible("a decision is about another question", question=edit.question)
        if entry.kind is Kind.UNDO and not self._takes_back(entry.edits):
            raise _impossible("an undo takes back what was not the latest step", seq=entry.seq)
        if entry.kind is Kind.REDO and self._undone[-1:] != [entry.edits]:
            raise _impossible("a redo does what was not undone last", seq=entry.seq)

    def _takes_back(self, edits: tuple[Edit, ...]) -> bool:
        return self._done[-1:] == [tuple(edit.inverse for edit in edits)]

    def apply(self, entry: Entry) -> None:
        """Take the next step. Raises InputError, with nothing changed, when it is not possible."""
        self.check(entry)
        self._seq = entry.seq
        for edit in entry.edits:
            if edit.new is None:
                self._decisions.pop(edit.question, None)
            else:
                self._decisions[edit.question] = edit.new
        self._move(entry)

    def _move(self, entry: Entry) -> None:
        """Keep what can be undone and done again."""
        if entry.kind is Kind.UNDO:
            self._undone.append(self._done.pop())
        elif entry.kind is Kind.REDO:
            self._done.append(self._undone.pop())
        elif entry.kind is Kind.DECIDE:
            self._done.append(entry.edits)
            self._undone.clear()
        else:
            self._done = _still_possible(self._done, set(entry.questions))
            self._undone.clear()

    def forget(self) -> None:
        """Begin a new session: nothing before can be undone, and steps count from 1."""
        self._done.clear()
        self._undone.clear()
        self._seq = 0


def _still_possible(steps: list[tuple[Edit, ...]], changed: set[str]) -> list[tuple[Edit, ...]]:
    """Return the *steps* that can be undone although somebody else *changed* some questions."""
    kept = []
    for step in reversed(steps):
        questions = {edit.question for edit in step}
        if questions.isdisjoint(changed):
            kept.append(step)
        else:  # it stays done, and so does every earlier step about any of its questions
            changed |= questions
    return kept[::-1]


def _impossible(
    message: str,
    *,
    seq: int | None = None,
    question: str | None = None,
    found: int | None = None,
    expected: int | None = None,
) -> InputError:
    return InputError(
        Fault(
            message=message if seq is None else f"{message} (step {seq})",
            question=question,
            found=None if found is None else f"step {found}",
            expected=None if expected is None else f"step {expected}",
        )
    )


def fold(entries: Iterable[Entry], decisions: Mapping[str, Decision] | None = None) -> History:
    """
    Take all steps one after the other, from the decisions a session started with.

    Raises InputError at the first step that is not possible.

    >>> fold([]).can_undo
    0
    """
    history = History(decisions)
    for entry in entries:
        history.apply(entry)
    return history


class Conflict(NamedTuple):
    """A question that was decided here and otherwise elsewhere since the same start."""

    question: str
    base: Decision | None
    ours: Decision | None
    theirs: Decision | None


class Merged(NamedTuple):
    """What three states of the decisions come to."""

    changes: Mapping[str, Decision | None]
    """What to take over from theirs; `None`: withdrawn there."""
    conflicts: tuple[Conflict, ...]
    """Questions that only a person can settle, by id; ours stands until then."""


def merge(
    base: Mapping[str, Decision], ours: Mapping[str, Decision], theirs: Mapping[str, Decision]
) -> Merged:
    """
    Merge two states of the decisions that started from *base*, question by question.

    What only one side changed is taken from there; what both changed alike is no conflict.

    >>> merge({}, {}, {})
    Merged(changes={}, conflicts=())
    """
    changes: dict[str, Decision | None] = {}
    conflicts = []
    for question in sorted({*base, *ours, *theirs}):
        start, mine, other = base.get(question), ours.get(question), theirs.get(question)
        if other in (mine, start):
            continue
        if mine == start:
            changes[question] = other
        else:
            conflicts.append(Conflict(question, start, mine, other))
    return Merged(changes, tuple(conflicts))
