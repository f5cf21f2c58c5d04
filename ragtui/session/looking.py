"""What a person is looking at: rows, cursor, measure, view, filter and sort."""

from __future__ import annotations

from array import array
from collections import OrderedDict
from enum import StrEnum
from functools import reduce
from itertools import compress
from operator import and_
from typing import TYPE_CHECKING, Final, NamedTuple

from ragtui.core.change import Verdict
from ragtui.core.query import NONE as NO_DECISION
from ragtui.core.query import UNDECIDED, Query, QueryError, mask, parse
from ragtui.core.sorting import DEFAULT_SORT, SORT_KEYS, sort_order
from ragtui.core.wordings import Wordings
from ragtui.text import clean, cut

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from ragtui.core.aggregate import Aggregate
    from ragtui.core.comparison import Comparison, Detail
    from ragtui.core.measures import Measure

__all__ = ["DETAILS_KEPT", "Looking", "Sort", "View"]

DETAILS_KEPT: Final = 32
"""Details of questions kept for going back and forth."""

_OPEN_STATES: Final = frozenset({UNDECIDED, "investigate", "stale"})
"""States in which a change still needs a decision."""

_MAX_FILTER_SHOWN: Final = 60


class View(StrEnum):
    """Which questions are shown, before any filter."""

    ALL = "all"
    NEEDS_DECISION = "undecided"
    REGRESSED = "regressed"
    MIXED = "mixed"
    IMPROVED = "improved"
    UNCHANGED = "unchanged"
    NOT_COMPARABLE = "not-comparable"


_VIEWS: Final = tuple(View)


class Sort(NamedTuple):
    """By what the rows are sorted, and whether the other way round."""

    key: str = DEFAULT_SORT
    reverse: bool = False


class Subset(NamedTuple):
    """Questions that a pane picked, such as those of a slice or of a rule."""

    words: str
    indexes: frozenset[int]


def _first_measure(comparison: Comparison) -> str:
    """
    Return the measure to start with: support, unless no question has it in both runs.

    Retrieval alone hides what an answer did with it; without claims recall says most.
    """
    keys = ("support", "recall")
    shown = (a.measure.key for a in comparison.aggregates if a.paired.n and a.measure.key in keys)
    return max(shown, key=keys[::-1].index, default=comparison.measures[0].key)


class Looking:
    """
    What of one comparison is shown, and in which order.

    Indexes are positions in the set's order, positions are places in `rows`.
    """

    def __init__(
        self, comparison: Comparison, *, triage: Callable[[int], str] | None = None
    ) -> None:
        """
        Start with all questions, what hurts most first, at the first of them.

        The comparison is complete. *triage* says where the decision about a question stands, as one
        of `ragtui.core.query.TRIAGE_STATES`; without it every change is undecided.
        """
        self._comparison = comparison
        self.triage = triage
        """Where the decision about a question stands; `refresh` after it answers otherwise."""
        self._measure = _first_measure(comparison)
        self._query = Query("", ())
        self._view = View.ALL
        self._sort = Sort()
        self._subset: Subset | None = None
        self._rows: Sequence[int] = array("I")
        self._cursor = 0
        self._selected: int | None = None
        self._order = comparison.order
        self._mask: bytes | None = None
        self._details: OrderedDict[int, Detail] = OrderedDict()
        self._aggregates: tuple[Aggregate, ...] | None = None
        self._texts = Wordings(comparison)
        self._show(None)

    # ------------------------------------------------------------ what is shown

    @property
    def comparison(self) -> Comparison:
        """The comparison that is looked at."""
        return self._comparison

    @property
    def rows(self) -> Sequence[int]:
        """Indexes of the questions shown, in their order."""
        return self._rows

    @property
    def cursor(self) -> int:
        """The position of the cursor, 0 when there are no rows."""
        return self._cursor

    @property
    def current(self) -> int | None:
        """The index of the question under the cursor, `None` when there are no rows."""
        return self._rows[self._cursor] if self._rows else None

    @property
    def measure(self) -> Measure:
        """The selected measure."""
        return self._comparison.measure(self._measure)

    @property
    def filter_text(self) -> str:
        """The filter as it was written; empty when there is none."""
        return self._query.text

    @property
    def view(self) -> View:
        """Which questions are shown, before any filter."""
        return self._view

    @property
    def sort(self) -> Sort:
        """By what the rows are sorted."""
        return self._sort

    @property
    def sort_keys(self) -> tuple[str, ...]:
        """Everything the rows can be sorted by."""
        return (*SORT_KEYS, *(measure.key for measure in self._comparison.measures))

    @property
    def is_filtered(self) -> bool:
        """Whether a view, a filter or a pane's choice may hide questions."""
        wanted = self._query.terms or self._view is not View.ALL or self._subset is not None
        return bool(wanted) and not self._comparison.withholds_questions

    @property
    def filter_words(self) -> str:
        """
        What is shown, such as `filter "tag:lookup" · 3 of 48`; empty when nothing is filtered.

        "ids only" says that the texts of a large set were not searched, see `set_filter`.
        """
        if not self.is_filtered:
            return ""
        parts = [f"view {self._view}"] if self._view is not View.ALL else []
        if self._subset is not None:
            parts.append(clean(self._subset.words))
        if self._query.terms:
            shown = cut(clean(self._query.text.strip()), _MAX_FILTER_SHOWN)
            by_id = " (ids only)" if self._texts.skipped(self._query.words) else ""
            quoted = shown if '"' in shown else f'"{shown}"'
            parts.append(f"filter {quoted}{by_id}")
        parts.append(f"{len(self._rows):,} of {len(self._comparison):,}")
        return " · ".join(parts)

    @property
    def shown_aggregates(self) -> tuple[Aggregate, ...] | None:
        """Every measure over the questions shown, `None` when nothing is filtered."""
        if not self.is_filtered:
            return None
        if self._aggregates is None:
            self._aggregates = self._comparison.aggregates_of(self._rows)
        return self._aggregates

    def is_shown(self, index: int) -> bool:
        """Tell whether a question is among the rows."""
        return self._mask is None or bool(self._mask[index])

    def detail(self, index: int | None = None) -> Detail | None:
        """Return everything about a question, by default the current one; `None` without one."""
        wanted = self.current if index is None else index
        if wanted is None:
            return None
        if wanted not in self._details:
            self._details[wanted] = self._comparison.detail(wanted)
            if len(self._details) > DETAILS_KEPT:
                self._details.popitem(last=False)
        self._details.move_to_end(wanted)
        return self._details[wanted]

    def triage_state(self, index: int) -> str:
        """Return where the decision about a question stands."""
        if self.triage is not None:
            return self.triage(index)
        return NO_DECISION if self._comparison.changes[index].severity is None else UNDECIDED

    def needs_decision(self, index: int) -> bool:
        """Tell whether a question has a severity and no decision that counts."""
        if self._comparison.changes[index].severity is None:
            return False
        return self.triage is None or self.triage(index) in _OPEN_STATES

    # ------------------------------------------------------------ moving

    def move(self, by: int) -> None:
        """Move the cursor down by so many rows (up when negative), no further than the ends."""
        self.move_to(self._cursor + by)

    def move_to(self, position: int) -> None:
        """Move the cursor to a position, or to the end that is nearer."""
        self._cursor = max(0, min(position, len(self._rows) - 1))
        if self._rows:
            self._selected = self._rows[self._cursor]

    def select_question(self, index: int) -> bool:
        """Move the cursor to a question; `False` and no change when it is not shown."""
        try:
            position = self._rows.index(index)
        except ValueError:
            return False
        self.move_to(position)
        return True

    def next_change(self, direction: int = 1) -> bool:
        """
        Move to the next (1) or previous (-1) row that needs a decision, around the end once.

        `False` and no change when no other row does.
        """
        size = len(self._rows)
        for step in range(1, size):
            position = (self._cursor + step * direction) % size
            if self.needs_decision(self._rows[position]):
                self.move_to(position)
                return True
        return False

    def move_measure(self, by: int) -> None:
        """Select a measure so many columns to the right, no further than the ends."""
        keys = [measure.key for measure in self._comparison.measures]
        position = keys.index(self._measure) + by
        self._measure = keys[max(0, min(position, len(keys) - 1))]

    def select_measure(self, key: str) -> None:
        """Select a measure by its key; `KeyError` when it is not in use."""
        self._measure = self._comparison.measure(key).key

    # ------------------------------------------------------------ choosing what is shown

    def set_filter(self, text: str) -> None:
        """
        Show only the questions that a filter selects; `QueryError` leaves everything as it was.

        The current question stays current when it is still shown. Words are looked for in ids and
        texts; in a large set (`Wordings`) texts are read only for a word that no
        id holds, and `filter_words` says so.
        """
        query = parse(text)
        kept = self._kept(query=query)
        self._query = query
        self._show(kept)

    def clear_filter(self) -> None:
        """Drop the filter and what a pane picked; the view stays."""
        self._query, self._subset = Query("", ()), None
        self._show(self._kept())

    def pick(self, words: str, indexes: Iterable[int]) -> None:
        """Show only the questions a pane picked, such as a slice's; *words* say what they are."""
        self._subset = Subset(words, frozenset(indexes))
        self._show(self._kept())

    def set_view(self, view: View) -> None:
        """Show the questions of one view."""
        self._view = view
        self._show(self._kept())

    def next_view(self) -> None:
        """Show the next view, all questions after the last one."""
        self.set_view(_VIEWS[(_VIEWS.index(self._view) + 1) % len(_VIEWS)])

    def sort_by(self, key: str, *, reverse: bool = False) -> None:
        """
        Sort the rows by one of `sort_keys`, ties by the default order; `KeyError` for another.

        The worst comes first; a question without what is sorted by comes last, reversed or not.
        """
        if key not in self.sort_keys:
            raise KeyError(key)
        self._sort = Sort(key, reverse)
        self._order = sort_order(self._comparison, key, reverse=reverse)
        self._show(self._mask)

    def reverse(self) -> None:
        """Sort by the same key the other way round."""
        self.sort_by(self._sort.key, reverse=not self._sort.reverse)

    def refresh(self) -> None:
        """Show the rows anew after decisions changed; the cursor stays at its place."""
        position, selected = self._cursor, self._selected
        self._show(self._kept())
        if self.current != selected:
            self.move_to(position)

    def replace(self, comparison: Comparison) -> QueryError | None:
        """
        Look at a comparison that was loaded anew, with the same question, view, filter and sort.

        A measure no longer in use gives way to the one to start with, a sort by it to the default
        order. A filter that no longer has a meaning is dropped, and returned as the error it is.
        """
        ids = self._comparison.ids
        selected = None if self._selected is None else comparison.index_of(ids[self._selected])
        subset = self._subset and Subset(
            self._subset.words,
            frozenset(
                found
                for index in self._subset.indexes
                if (found := comparison.index_of(ids[index])) is not None
            ),
        )
        self._comparison, self._selected, self._subset = comparison, selected, subset
        self._texts = Wordings(comparison)
        self._details.clear()
        if self._measure not in {measure.key for measure in comparison.measures}:
            self._measure = _first_measure(comparison)
        if self._sort.key not in self.sort_keys:
            self._sort = Sort()
        self._order = sort_order(comparison, self._sort.key, reverse=self._sort.reverse)
        dropped = None
        try:
            kept = self._kept()
        except QueryError as error:
            dropped, self._query = error, Query("", ())
            kept = self._kept()
        self._show(kept)
        return dropped

    # ------------------------------------------------------------ inside

    def _kept(self, *, query: Query | None = None) -> bytes | None:
        """Return one byte a question, 1 where it is shown; `None` when all are."""
        wanted = self._query if query is None else query
        found = []
        if wanted.terms:
            found.append(
                mask(
                    self._comparison,
                    wanted,
                    texts=self._texts.find,
                    triage=self.triage,
                    decided=self._decided(),
                )
            )
        if self._view is not View.ALL:
            found.append(self._view_mask())
        if self._subset is not None:
            found.append(self._subset_mask(self._subset))
        if not found:
            return None
        every = reduce(and_, (int.from_bytes(one, "little") for one in found))
        return every.to_bytes(len(self._comparison), "little")

    def _view_mask(self) -> bytes:
        changes = self._comparison.changes
        if self._view is not View.NEEDS_DECISION:
            wanted = Verdict(self._view.value)
            return bytes(changes.map(lambda row: row.verdict is wanted))
        found = bytearray(changes.map(lambda row: row.severity is not None))
        state, decided = self.triage, self._decided()
        if state is not None:
            for index in range(len(found)) if decided is None else decided:
                found[index] = found[index] and state(index) in _OPEN_STATES
        return bytes(found)

    def _decided(self) -> Collection[int] | None:
        """Return the questions that `triage` need be asked about; `None`: all of them."""
        return None

    def _subset_mask(self, subset: Subset) -> bytes:
        found = bytearray(len(self._comparison))
        for index in subset.indexes:
            found[index] = 1
        return bytes(found)

    def _show(self, kept: bytes | None) -> None:
        """
        Fill the rows, with the question that was selected under the cursor if it is shown.

        A held-out set that was not opened has none, whatever is asked for.
        """
        order = array("I") if self._comparison.withholds_questions else self._order
        self._rows = (
            order if kept is None else array("I", compress(order, map(kept.__getitem__, order)))
        )
        self._mask, self._aggregates = kept, None
        selected = self._selected
        if selected is None or not self.select_question(selected):
            self.move_to(0)
