"""The table of questions, drawn line by line: only what is on screen ever becomes an object."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

from textual.cache import LRUCache
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from ragtui.tui.actions import Scope, bindings
from ragtui.tui.paint import painter_for
from ragtui.tui.spans import Line, Span, cut_line, meta_at
from ragtui.tui.views.decision import MARK_NARROW, Stand, mark
from ragtui.tui.views.questions import (
    RowState,
    columns_for,
    header_line,
    natural_id_width,
    row_line,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.binding import BindingType
    from textual.events import Click

    from ragtui.core.comparison import Comparison
    from ragtui.core.measures import Measure
    from ragtui.session import Sort
    from ragtui.tui.views.questions import Columns

__all__ = ["QuestionsTable", "TableState"]

_EMPTY: Final[Line] = (
    Span("  no question is shown: ", "muted"),
    Span("Esc", "key"),
    Span(" shows all again", "muted"),
)
_CLOSED: Final[Line] = (
    Span("  held out: only totals are shown · ", "muted"),
    Span("^p", "key"),
    Span(" Open held-out questions…", "muted"),
)
_HINT_ROW: Final = 2


def _nowhere(index: int) -> Stand:
    del index
    return Stand()


@dataclass(frozen=True, slots=True, kw_only=True)
class TableState:
    """What the table shows."""

    comparison: Comparison
    rows: Sequence[int]
    """Question indexes in the order shown."""
    cursor: int
    """Position in *rows*."""
    measure: Measure
    sort: Sort
    words: str = ""
    """What is shown and how it is sorted, for the lower border."""
    loading: bool = False
    """Whether rows are still being filled, so that nothing may be remembered."""
    stand: Callable[[int], Stand] = _nowhere
    """Where a question stands, by its index."""
    chosen: frozenset[int] = frozenset()
    """Questions selected to be decided together."""
    version: int = 0
    """Another number after *stand* began to answer otherwise."""


class QuestionsTable(ScrollView, can_focus=True, inherit_bindings=False):
    """
    One line a question; the header and the leading columns stay.

    Rows are a list of indexes that belongs to the session: sort and filtering never touch the
    widget. Strips are kept per question until the columns, the measure or the theme change.
    """

    DEFAULT_CSS = """
    QuestionsTable {
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-gutter: stable;
        scrollbar-size-vertical: 1;
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Scope.TABLE)]

    class Moved(Message):
        """The cursor was asked to another position."""

        def __init__(self, position: int) -> None:
            """Name the position, which may lie outside the rows."""
            super().__init__()
            self.position = position

    class Stepped(Message):
        """The cursor was asked so many rows further; several may be on their way at once."""

        def __init__(self, by: int) -> None:
            """Say how many rows down, or up when negative."""
            super().__init__()
            self.by = by

    class MeasurePicked(Message):
        """A cell of a measure was clicked."""

        def __init__(self, key: str) -> None:
            """Name the measure."""
            super().__init__()
            self.key = key

    class SortPicked(MeasurePicked):
        """The head of a column was clicked."""

    class Opened(Message):
        """The question under the cursor was opened."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        """Start empty."""
        super().__init__(id=id)
        self._state: TableState | None = None
        self._columns: Columns | None = None
        self._strips: LRUCache[tuple[int, int, RowState], Strip] = LRUCache(2_000)

    @property
    def state(self) -> TableState | None:
        """What is shown now."""
        return self._state

    def show(self, state: TableState) -> None:
        """Show rows; when only the cursor moved, two lines are drawn anew."""
        old, self._state = self._state, state
        if old is not None and _only_moved(old, state):
            self.refresh_line(old.cursor + 1)
            self.refresh_line(state.cursor + 1)
        elif old is not None and _only_decided(old, state):
            self.refresh()
        else:
            if old is None or old.comparison is not state.comparison:
                self._columns = None
            self._lay_out()
        if old is None or old.words != state.words:
            # Setting it draws the whole pane anew.
            self.border_subtitle = Content(state.words) if state.words else None
        self._reveal(state.cursor)

    def _lay_out(self) -> None:
        state = self._state
        if state is None:
            return
        width = self.scrollable_content_region.width
        self._columns = columns_for(
            state.comparison.measures,
            state.comparison.cutoff,
            width,
            selected=state.measure,
            id_width=natural_id_width(state.comparison.ids),
        )
        self._strips.clear()
        self.virtual_size = Size(width, len(state.rows) + 1)
        self.refresh()

    def on_resize(self) -> None:
        """Find the columns for another width."""
        self._lay_out()
        if self._state is not None:
            self._reveal(self._state.cursor)

    def notify_style_update(self) -> None:
        """Forget what was drawn in other colours."""
        super().notify_style_update()
        self._strips.clear()

    @property
    def _body_height(self) -> int:
        return max(1, self.scrollable_content_region.height - 1)

    def _reveal(self, row: int) -> None:
        top = round(self.scroll_offset.y)
        if row < top:
            self.scroll_to(y=row, animate=False)
        elif row >= top + self._body_height:
            self.scroll_to(y=row - self._body_height + 1, animate=False)

    # ------------------------------------------------------------ drawing

    def render_line(self, y: int) -> Strip:
        """Draw the header or one question."""
        width = self.scrollable_content_region.width
        state, columns = self._state, self._columns
        painter = painter_for(self.app)
        if state is None or columns is None:
            return Strip.blank(width, painter.style("plain"))
        if y == 0:
            return painter.strip(self._header(state, columns), width)
        row = y - 1 + round(self.scroll_offset.y)
        if row >= len(state.rows):
            empty = _CLOSED if state.comparison.withholds_questions else _EMPTY
            hint = empty if y == _HINT_ROW and not state.rows else ()
            return painter.strip(cut_line(hint, width), width)
        return self._row(state, columns, row, width)

    def _header(self, state: TableState, columns: Columns) -> Line:
        line = header_line(
            columns, state.comparison.cutoff, selected=state.measure, sort=state.sort
        )
        return cut_line(line, self.scrollable_content_region.width)

    def _row(self, state: TableState, columns: Columns, row: int, width: int) -> Strip:
        index = state.rows[row]
        current = row == state.cursor
        mode = (2 if self.has_focus else 1) if current else 0
        shown = RowState(
            current=current,
            chosen=index in state.chosen,
            mark=mark(state.stand(index), narrow=columns.mark == MARK_NARROW),
        )
        strip = self._strips.get((index, mode, shown))
        if strip is None:
            over = ("", "quiet-cursor", "cursor")[mode]
            line = row_line(state.comparison, columns, index, selected=state.measure, state=shown)
            strip = painter_for(self.app).strip(cut_line(line, width), width, over=over)
            if not state.loading:
                self._strips[index, mode, shown] = strip
        return strip

    # ------------------------------------------------------------ moving

    def _go(self, position: int) -> None:
        state = self._state
        if state is not None and state.rows:
            self.post_message(self.Moved(max(0, min(position, len(state.rows) - 1))))

    def _step(self, by: int) -> None:
        if self._state is not None:
            self.post_message(self.Stepped(by))

    def action_move_down(self) -> None:
        """Move one row down."""
        self._step(1)

    def action_move_up(self) -> None:
        """Move one row up."""
        self._step(-1)

    def action_move_page_down(self) -> None:
        """Move one page down."""
        self._step(self._body_height - 1)

    def action_move_page_up(self) -> None:
        """Move one page up."""
        self._step(1 - self._body_height)

    def action_move_first(self) -> None:
        """Move to the first row."""
        self._go(0)

    def action_move_last(self) -> None:
        """Move to the last row."""
        if self._state is not None:
            self._go(len(self._state.rows) - 1)

    def action_row_open(self) -> None:
        """Open the question under the cursor."""
        self.post_message(self.Opened())

    def on_click(self, event: Click) -> None:
        """Select the question and the measure under the pointer, or sort by a column."""
        place = event.get_content_offset(self)
        state, columns = self._state, self._columns
        if place is None or state is None or columns is None:
            return
        event.stop()
        if place.y == 0:
            self._sort_by(meta_at(self._header(state, columns), place.x))
            return
        row = place.y - 1 + round(self.scroll_offset.y)
        if not 0 <= row < len(state.rows):
            return
        line = row_line(state.comparison, columns, state.rows[row], selected=state.measure)
        meta = meta_at(line, place.x)
        self._go(row)
        if meta is not None:
            self.post_message(self.MeasurePicked(meta[1]))
        if event.chain > 1:
            self.post_message(self.Opened())

    def _sort_by(self, meta: tuple[str, ...] | None) -> None:
        if meta is not None:
            self.post_message(self.SortPicked(meta[1]))


def _only_moved(old: TableState, new: TableState) -> bool:
    return _only_decided(old, new) and (old.version, old.chosen) == (new.version, new.chosen)


def _only_decided(old: TableState, new: TableState) -> bool:
    """Tell whether at most the cursor, decisions and what is selected are others."""
    return (
        not new.loading
        and old.comparison is new.comparison
        and old.rows is new.rows
        and old.measure == new.measure
        and old.sort == new.sort
        and old.loading == new.loading
    )
