"""Looking at a comparison and deciding about its changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ragtui.core.triage import Counts, Triage, changed_since
from ragtui.errors import Fault, UsageError
from ragtui.session.deciding import Deciding, Words
from ragtui.session.looking import Looking

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from ragtui.core.comparison import Comparison
    from ragtui.core.history import Entry, History
    from ragtui.core.query import QueryError
    from ragtui.core.triage import Choice, Decision, Standing

__all__ = ["Session"]

_NO_STORE: Final = "there is no place to keep decisions"
_EXPLORATORY: Final = "the cutoff is exploratory, not the one the runs were recorded with"


class Session(Looking):
    """
    The state of one person's work on one comparison.

    Indexes are positions in the set's order, positions are places in `rows`. A step that `decide`,
    `annotate`, `undo` or `redo` returns takes effect at once and is `pending` until the store has
    it on disk and `saved` says so.
    """

    def __init__(
        self,
        comparison: Comparison,
        *,
        triage: Callable[[int], str] | None = None,
        history: History | None = None,
        clock: Callable[[], str] | None = None,
        who: str | None = None,
        read_only: str | None = None,
    ) -> None:
        """
        Start with all questions, what hurts most first, at the first of them.

        The comparison is complete. *history* are the decisions on disk, *clock* gives RFC 3339
        text, *who* signs. Without both of the first, or with a reason why the store is *read_only*,
        nothing can be decided. *triage* says where questions stand when there is no history.
        """
        self._deciding: Deciding | None = None
        if history is not None:
            self._deciding = Deciding(comparison, history, clock=clock or _no_clock, who=who)
            triage = self._deciding.triage.state
        self._reason = read_only or (_NO_STORE if history is None or clock is None else None)
        self._marked: set[int] = set()
        super().__init__(comparison, triage=triage)

    # ------------------------------------------------------------ how questions stand

    @property
    def read_only(self) -> str | None:
        """Why nothing can be decided here, in words; `None`: it can."""
        return self._reason or (_EXPLORATORY if self.comparison.exploratory else None)

    def decision(self, index: int) -> Decision | None:
        """Return the decision about a question, current or stale, on disk or pending."""
        return None if self._deciding is None else self._deciding.triage.decision(index)

    def standing(self, index: int) -> Standing | None:
        """Return whether the decision about a question is current; `None` where there is none."""
        return None if self._deciding is None else self._deciding.triage.standing(index)

    @property
    def decisions(self) -> Mapping[str, Decision]:
        """Question id to the decision about it, stale ones and pending ones included."""
        return {} if self._deciding is None else self._deciding.triage.decisions

    @property
    def decisions_on_disk(self) -> Mapping[str, Decision] | None:
        """The same without pending ones, as they are now; `None`: no store was given."""
        return None if self._deciding is None else dict(self._deciding.on_disk)

    def changed_since(self, index: int) -> tuple[str, ...]:
        """Return in words why the decision about a question is stale; nothing where it is not."""
        decision = self.decision(index)
        if decision is None or self._deciding is None:
            return ()
        return changed_since(decision, self._deciding.triage.binding(index))

    def is_saved(self, index: int) -> bool:
        """Tell whether what stands about a question is on disk: only then it is decided."""
        return self._deciding is None or self._deciding.is_saved(self.comparison.ids[index])

    @property
    def counts(self) -> Counts:
        """How many changes are decided and undecided, how many decisions stale; never filtered."""
        if self._deciding is None:
            return Triage(self.comparison, {}).counts()
        return self._deciding.counts

    @property
    def progress(self) -> tuple[int, int]:
        """How many of the changes with a severity are decided, and how many there are."""
        counts = self.counts
        return counts.decided, counts.total

    # ------------------------------------------------------------ selecting several

    @property
    def selected(self) -> frozenset[int]:
        """The questions selected to be decided together, also those that are not shown now."""
        return frozenset(self._marked)

    def toggle_selected(self, index: int | None = None) -> None:
        """Select a question, by default the current one, or no longer."""
        wanted = self.current if index is None else index
        if wanted is not None:
            self._marked ^= {wanted}

    def clear_selected(self) -> None:
        """Select nothing."""
        self._marked.clear()

    def targets(self) -> tuple[int, ...]:
        """Return what a decision is about: the selected rows in their order, else the current."""
        if self._marked:
            marked = tuple(index for index in self.rows if index in self._marked)
            if marked:
                return marked
        return () if self.current is None else (self.current,)

    # ------------------------------------------------------------ deciding

    def decide(
        self,
        choice: Choice,
        *,
        note: str | None = None,
        owner: str | None = None,
        follow_up: str | None = None,
        indexes: Iterable[int] | None = None,
    ) -> Entry | None:
        """
        Decide about `targets` or the questions at *indexes*, in one step that one undo takes back.

        `None` for a text keeps what was said before, empty text takes it back. Returns `None` when
        all of it stands already. The selection is over afterwards. Raises UsageError when nothing
        can be decided, a question is not shown, or a text is too long.
        """
        deciding, wanted = self._ready(indexes)
        entry = deciding.decide(wanted, choice, Words(note, owner, follow_up))
        self.clear_selected()
        return entry

    def annotate(
        self,
        *,
        note: str | None = None,
        owner: str | None = None,
        follow_up: str | None = None,
        indexes: Iterable[int] | None = None,
    ) -> Entry | None:
        """
        Change note, owner or follow-up and leave the choice: as `decide` otherwise.

        A change nobody decided about is under investigation then; a stale decision stays stale.
        """
        deciding, wanted = self._ready(indexes)
        return deciding.annotate(wanted, Words(note, owner, follow_up))

    def undo(self) -> Entry | None:
        """Take back the latest step; `None` at the session's start. Raises UsageError."""
        return self._ready(())[0].undo()

    def redo(self) -> Entry | None:
        """Do again what was undone last; `None` when nothing was. Raises UsageError."""
        return self._ready(())[0].redo()

    @property
    def can_undo(self) -> bool:
        """Whether `undo` would take a step back."""
        return self.read_only is None and self._deciding is not None and self._deciding.can_undo

    @property
    def can_redo(self) -> bool:
        """Whether `redo` would do a step again."""
        return self.read_only is None and self._deciding is not None and self._deciding.can_redo

    def move_on(self) -> bool:
        """
        Show the rows anew after a decision and go to the next change that needs one.

        That is the current row if it does; `False`, at the same place, when nothing shown does.
        """
        self.refresh()
        if self.current is not None and self.needs_decision(self.current):
            return True
        return self.next_change()

    # ------------------------------------------------------------ the disk

    @property
    def pending(self) -> tuple[Entry, ...]:
        """The steps that are not on disk yet, oldest first: what to give to the store."""
        return () if self._deciding is None else self._deciding.pending

    def saved(self, entry: Entry) -> None:
        """Note that a pending step is on disk; they get there in their order."""
        if self._deciding is not None:
            self._deciding.saved(entry)

    def taken(self, entry: Entry) -> None:
        """
        Take over a step that the store took over from outside, see `TriageStore.adopted`.

        `pending` is another afterwards: give the store what stands there then.
        """
        if self._deciding is not None:
            self._deciding.taken(entry)
            self.triage = self._deciding.triage.state
            self.refresh()

    def replace(self, comparison: Comparison) -> QueryError | None:
        """Look at a comparison that was loaded anew, with the same decisions and selection."""
        ids = self.comparison.ids
        kept = (comparison.index_of(ids[index]) for index in self._marked)
        self._marked = {index for index in kept if index is not None}
        if self._deciding is not None:
            self._deciding.look_at(comparison)
            self.triage = self._deciding.triage.state
        return super().replace(comparison)

    def _decided(self) -> Collection[int] | None:
        return None if self._deciding is None else self._deciding.triage.indexes()

    def _ready(self, indexes: Iterable[int] | None) -> tuple[Deciding, tuple[int, ...]]:
        """Return what to decide with and about. Raises UsageError where that cannot be."""
        if self._deciding is None or self.read_only is not None:
            raise UsageError(f"nothing can be decided here: {self.read_only or _NO_STORE}")
        wanted = self.targets() if indexes is None else tuple(dict.fromkeys(indexes))
        for index in wanted:
            if not self.is_shown(index):
                raise UsageError(
                    Fault(
                        message="the question is not shown, so it cannot be decided",
                        question=self.comparison.ids[index],
                        hint="clear the filter first",
                    )
                )
        return self._deciding, wanted


def _no_clock() -> str:
    raise UsageError("nothing can be decided here: there is no clock")
