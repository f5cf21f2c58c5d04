"""
Decisions as a person makes them: in memory at once, and pending until they are on disk.

Whoever shows them gives each step to the store, and says `saved` when it is on disk. So keys never
wait for a disk, and nothing is called decided before it is safe.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from ragtui.core.history import History, Kind
from ragtui.core.triage import MAX_NAME, MAX_NOTE, Choice, Decision, Triage
from ragtui.errors import Fault, InputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from ragtui.core.comparison import Comparison
    from ragtui.core.history import Entry
    from ragtui.core.triage import Counts

__all__ = ["Deciding", "Words"]


class Words(NamedTuple):
    """What is said beside a choice; `None` keeps what was said before, empty text takes it back."""

    note: str | None = None
    owner: str | None = None
    follow_up: str | None = None


class Deciding:
    """The decisions about one comparison, ahead of the disk by the steps in `pending`."""

    def __init__(
        self,
        comparison: Comparison,
        history: History,
        *,
        clock: Callable[[], str],
        who: str | None = None,
    ) -> None:
        """Go on from the *history* that is on disk; *clock* gives RFC 3339 text."""
        self._durable = history.copy()
        self._history = history.copy()
        self._clock = clock
        self._who = _written(who, MAX_NAME, "who")
        self._pending: list[Entry] = []
        self.triage = Triage(comparison, self._history.decisions)
        self._counted: tuple[int, Counts] | None = None

    @property
    def pending(self) -> tuple[Entry, ...]:
        """The steps that are not on disk yet, oldest first."""
        return tuple(self._pending)

    @property
    def on_disk(self) -> Mapping[str, Decision]:
        """Question id to the decision about it, as far as steps are on disk."""
        return self._durable.decisions

    @property
    def can_undo(self) -> bool:
        """Whether a step of this session can be undone."""
        return self._history.can_undo > 0

    @property
    def can_redo(self) -> bool:
        """Whether an undone step can be done again."""
        return self._history.can_redo > 0

    @property
    def counts(self) -> Counts:
        """How far the triage has come, pending steps included; never filtered."""
        if self._counted is None or self._counted[0] != self._history.seq:
            self._counted = self._history.seq, self.triage.counts()
        return self._counted[1]

    def look_at(self, comparison: Comparison) -> None:
        """Hold the same decisions against a comparison that was loaded anew."""
        self.triage = Triage(comparison, self._history.decisions)
        self._counted = None

    def is_saved(self, question: str) -> bool:
        """Tell whether what is decided about a question is on disk."""
        return all(question not in entry.questions for entry in self._pending)

    def decide(self, indexes: Iterable[int], choice: Choice, words: Words) -> Entry | None:
        """Decide about questions in one step; `None` when that says what stands already."""
        return self._take(self._decision(index, choice, words) for index in indexes)

    def annotate(self, indexes: Iterable[int], words: Words) -> Entry | None:
        """
        Change only what is said beside the choices, in one step.

        A change nobody decided about is under investigation then; a stale decision stays stale.
        """
        return self._take(self._annotated(index, words) for index in indexes)

    def undo(self) -> Entry | None:
        """Take back the latest step; `None` at the session's start."""
        return self._apply(self._history.undo(at=self._clock()))

    def redo(self) -> Entry | None:
        """Do again what was undone last; `None` when nothing was."""
        return self._apply(self._history.redo(at=self._clock()))

    def saved(self, entry: Entry) -> None:
        """Note that the oldest pending step is on disk; one that is not pending is ignored."""
        if entry in self._pending:
            self._pending.remove(entry)
            self._durable.apply(msgspec.structs.replace(entry, seq=self._durable.seq + 1))

    def taken(self, entry: Entry) -> None:
        """
        Take over a step that the store took over from outside.

        What is pending is built anew upon it; an undo or redo that no longer fits is dropped. The
        steps to give to the store are those of `pending` from now on.
        """
        self._durable.apply(msgspec.structs.replace(entry, seq=self._durable.seq + 1))
        waiting, self._pending = self._pending, []
        self._history = self._durable.copy()
        for step in waiting:
            self._again(step)
        self.look_at(self.triage.comparison)

    def _again(self, step: Entry) -> None:
        if step.kind is Kind.DECIDE:
            said = [edit.new for edit in step.edits if edit.new is not None]
            self._apply(self._history.decide(said, at=step.at) if said else None)
            return
        try:
            self._apply(msgspec.structs.replace(step, seq=self._history.seq + 1))
        except InputError:
            return

    def _take(self, decisions: Iterable[Decision]) -> Entry | None:
        standing = self._history.decisions
        said = [new for new in decisions if not new.says_the_same(standing.get(new.question))]
        return self._apply(self._history.decide(said, at=said[0].when) if said else None)

    def _apply(self, entry: Entry | None) -> Entry | None:
        if entry is not None:
            self._history.apply(entry)
            self._pending.append(entry)
        return entry

    def _decision(self, index: int, choice: Choice, words: Words) -> Decision:
        old = self.triage.decision(index)
        before = Words() if old is None else Words(old.note, old.owner, old.follow_up)
        return Decision(
            question=self.triage.comparison.ids[index],
            choice=choice,
            note=_said(words.note, before.note, MAX_NOTE, "note"),
            owner=_said(words.owner, before.owner, MAX_NAME, "owner"),
            follow_up=_said(words.follow_up, before.follow_up, MAX_NAME, "follow_up"),
            who=self._who,
            when=self._clock(),
            binding=self.triage.binding(index),
        )

    def _annotated(self, index: int, words: Words) -> Decision:
        old = self.triage.decision(index)
        new = self._decision(index, Choice.INVESTIGATE if old is None else old.choice, words)
        return new if old is None else msgspec.structs.replace(new, binding=old.binding)


def _said(new: str | None, old: str | None, limit: int, key: str) -> str | None:
    return old if new is None else _written(new, limit, key)


def _written(text: str | None, limit: int, key: str) -> str | None:
    """Return *text* as a file can hold it, `None` for nothing. Raises UsageError when too long."""
    if text is None:
        return None
    whole = text.strip().encode("utf-8", "replace").decode()
    if len(whole) > limit:
        raise UsageError(
            Fault(
                message="the text is too long",
                key=key,
                found=f"{len(whole):,} characters",
                expected=f"at most {limit:,}",
            )
        )
    return whole or None
