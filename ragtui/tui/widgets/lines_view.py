"""A pane of lines: scrolled, and with a cursor over what can be chosen in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final, TypeAlias

from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from ragtui.tui.actions import Scope, bindings
from ragtui.tui.paint import painter_for
from ragtui.tui.spans import BLANK, meta_at
from ragtui.tui.views.layout import Page

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual import events
    from textual.binding import BindingType

    from ragtui.tui.spans import Line, Meta

__all__ = ["Build", "LinesPane", "LinesView", "Page"]


Build: TypeAlias = "Callable[[int], Page]"
"""Makes a page for a width in cells; called again when the width changes."""


_NEAR: Final = 2
"""Lines out of sight at which a target is still jumped to instead of scrolled towards."""


class LinesPane(ScrollView, can_focus=True, inherit_bindings=False):
    """
    Shows lines of spans; spans that carry a meta are targets the cursor moves over.

    Spans with equal metas are one target, wherever they stand: all of them are marked together.
    """

    DEFAULT_CSS = """
    LinesPane {
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-gutter: stable;
        scrollbar-size-vertical: 1;
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Scope.LINES)]

    class Highlighted(Message):
        """The cursor was moved to a target."""

        def __init__(self, view: LinesPane, meta: Meta) -> None:
            """Say which view and what the target stands for."""
            super().__init__()
            self.view = view
            self.meta = meta

        @property
        def control(self) -> LinesPane:
            """The view it happened in."""
            return self.view

    class Chosen(Highlighted):
        """A target was opened, with Enter or a second click."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002 - Textual's name
        """Start empty."""
        super().__init__(id=id, classes=classes)
        self._build: Build = lambda _: Page(())
        self._page = Page(())
        self._built_for = -1
        self._targets: list[Meta] = []
        self._row_of: dict[Meta, int] = {}
        self._current: Meta | None = None

    # ------------------------------------------------------------ what is shown

    @property
    def current(self) -> Meta | None:
        """The target under the cursor."""
        return self._current

    @property
    def page(self) -> Page:
        """What is shown now."""
        return self._page

    def show_lines(
        self,
        content: Sequence[Line] | Build,
        *,
        keep_position: bool = False,
        current: Meta | None = None,
    ) -> None:
        """
        Show lines, or what a function makes of the width.

        With *keep_position* the scroll position and the cursor stay where they still exist;
        *current* puts the cursor there without a message.
        """
        self._build = content if callable(content) else _fixed(content)
        wanted = current if current is not None else (self._current if keep_position else None)
        self._rebuild(wanted)
        if not keep_position:
            self.scroll_to(y=0, animate=False)

    def _rebuild(self, wanted: Meta | None) -> None:
        width = self.scrollable_content_region.width
        self._built_for = width
        self._page = self._build(width) if width > 0 else Page(())
        self._row_of = {}
        for row, line in enumerate(self._page.lines):
            for part in line:
                if part.meta is not None:
                    self._row_of.setdefault(part.meta, row)
        self._targets = list(self._row_of)
        self._current = wanted if wanted in self._row_of or width <= 0 else None
        self.virtual_size = Size(width, len(self._page.header) + len(self._page.lines))
        self.refresh()

    def on_resize(self) -> None:
        """Lay the lines out anew when the width changed."""
        if self.scrollable_content_region.width != self._built_for:
            self._rebuild(self._current)

    def notify_style_update(self) -> None:
        """Draw anew in the colours of another theme."""
        super().notify_style_update()
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """Draw one line of the screen."""
        header = self._page.header
        row = y - len(header) + round(self.scroll_offset.y)
        width = self.scrollable_content_region.width
        painter = painter_for(self.app)
        if y < len(header):
            strip = painter.strip(header[y], width)
        elif row < len(self._page.lines):
            strip = painter.strip(self._marked(self._page.lines[row]), width)
        else:
            strip = Strip.blank(width)
        return strip.apply_style(self.rich_style)

    def _marked(self, line: Line) -> Line:
        current = self._current
        if current is None or all(part.meta != current for part in line):
            return line or BLANK
        role = "cursor" if self.has_focus else "quiet-cursor"
        return tuple(
            part._replace(role=f"{part.role} {role}") if part.meta == current else part
            for part in line
        )

    # ------------------------------------------------------------ moving

    def _body_height(self) -> int:
        return max(1, self.scrollable_content_region.height - len(self._page.header))

    def put_cursor(self, meta: Meta) -> None:
        """Move the cursor to a target and say so; nothing happens where it does not exist."""
        if meta not in self._row_of:
            return
        self._current = meta
        self.cursor_moved(meta)
        self._reveal(self._row_of[meta])
        self.refresh()
        self.post_message(self.Highlighted(self, meta))

    def cursor_moved(self, meta: Meta) -> None:
        """Let a pane that shows more of what is under the cursor build its page anew."""

    def header_clicked(self, meta: Meta) -> None:
        """Let a pane with targets in its header answer a click on one."""

    def rebuild(self) -> None:
        """Build the page anew at the same place."""
        self._rebuild(self._current)

    def _reveal(self, row: int) -> None:
        top, height = round(self.scroll_offset.y), self._body_height()
        if row < top:
            self.scroll_to(y=row, animate=False)
        elif row >= top + height:
            self.scroll_to(y=row - height + 1, animate=False)

    def _scroll_by(self, lines: int) -> None:
        self.scroll_to(y=round(self.scroll_offset.y) + lines, animate=False)

    def action_move_down(self) -> None:
        """Move to the next target, or scroll a line down."""
        self._step(1)

    def action_move_up(self) -> None:
        """Move to the target before, or scroll a line up."""
        self._step(-1)

    def action_move_page_down(self) -> None:
        """Scroll a page down."""
        self._turn(1)

    def action_move_page_up(self) -> None:
        """Scroll a page up."""
        self._turn(-1)

    def action_move_first(self) -> None:
        """Go to the top."""
        self._go_to_edge(-1)

    def action_move_last(self) -> None:
        """Go to the end."""
        self._go_to_edge(1)

    def _step(self, by: int) -> None:
        """Move to the next target if it is in sight, else scroll a line towards it."""
        target = self._beyond(by)
        if target is None:
            self._scroll_by(by)
            return
        distance = self._row_of[target] - round(self.scroll_offset.y)
        if -_NEAR <= distance <= self._body_height() + _NEAR - 1:
            self.put_cursor(target)
        else:
            self._scroll_by(by)

    def _beyond(self, by: int) -> Meta | None:
        """Return the target after or before the cursor; without one, the first in sight."""
        if not self._targets:
            return None
        if self._current is None or not self._in_sight(self._current):
            return self._first_in_sight() or self._targets[0 if by > 0 else -1]
        position = self._targets.index(self._current) + by
        return self._targets[position] if 0 <= position < len(self._targets) else None

    def _in_sight(self, meta: Meta) -> bool:
        row = self._row_of[meta] - round(self.scroll_offset.y)
        return 0 <= row < self._body_height()

    def _first_in_sight(self) -> Meta | None:
        return next((meta for meta in self._targets if self._in_sight(meta)), None)

    def _turn(self, by: int) -> None:
        """Scroll a page; where all lines are in sight, go to the first or last target."""
        if self._targets and len(self._page.lines) <= self._body_height():
            self.put_cursor(self._targets[0 if by < 0 else -1])
            return
        self._scroll_by(by * max(1, self._body_height() - 1))

    def _go_to_edge(self, by: int) -> None:
        self.scroll_to(y=0 if by < 0 else len(self._page.lines), animate=False)
        target = self._targets[0 if by < 0 else -1] if self._targets else None
        if target is not None and self._in_sight(target):
            self.put_cursor(target)

    def action_row_open(self) -> None:
        """Open the target under the cursor."""
        if self._current is not None:
            self.post_message(self.Chosen(self, self._current))

    def on_click(self, event: events.Click) -> None:
        """Move the cursor to what was clicked; a second click opens it."""
        place = event.get_content_offset(self)
        if place is None:
            return
        header = self._page.header
        if place.y < len(header):
            self._clicked_header(meta_at(header[place.y], place.x))
            return
        row = place.y - len(header) + round(self.scroll_offset.y)
        meta = meta_at(self._page.lines[row], place.x) if row < len(self._page.lines) else None
        if meta is None:
            return
        event.stop()
        if meta == self._current:
            self.action_row_open()
        else:
            self.put_cursor(meta)

    def _clicked_header(self, meta: Meta | None) -> None:
        if meta is not None:
            self.header_clicked(meta)


class LinesView(LinesPane):
    """Shows the lines it is given, for panes that need nothing more."""

    def show(self, content: Sequence[Line] | Build, *, keep_position: bool = False) -> None:
        """Show lines, or what a function makes of the width."""
        self.show_lines(content, keep_position=keep_position)


def _fixed(lines: Sequence[Line]) -> Build:
    return lambda _: Page(lines)
