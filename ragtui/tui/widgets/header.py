"""The top of the screen: header, progress while reading, and what must be known first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from textual.message import Message
from textual.widget import Widget

from ragtui.tui.actions import action_named, shown_key
from ragtui.tui.paint import painter_for
from ragtui.tui.spans import Line, Span, cut_line, line_width, span, spread
from ragtui.tui.views.header import header_lines, progress_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.events import Click
    from textual.strip import Strip

    from ragtui.core.comparison import Comparison
    from ragtui.core.measures import Measure

__all__ = ["ComparisonHeader", "NoticeBar", "notice_line"]

_CHANGES: Final = f"Changes ({shown_key(action_named('tab.changes').keys[0])})"
"""The tab that lists every notice, with its key."""


class ComparisonHeader(Widget):
    """Set, runs, what changed between them, verdicts of all questions, deltas of one measure."""

    DEFAULT_CSS = """
    ComparisonHeader { height: 3; width: 1fr; background: $panel; }
    """

    def __init__(self) -> None:
        """Start empty."""
        super().__init__()
        self._comparison: Comparison | None = None
        self._measure: Measure | None = None
        self._triage: Line = ()
        self._verdict: Sequence[Line] = ()
        self._progress: tuple[str, int, int] = ("the manifests", 0, 0)
        self._reading = True

    def show(
        self,
        comparison: Comparison,
        measure: Measure,
        triage: Line = (),
        verdict: Sequence[Line] = (),
    ) -> None:
        """
        Show a comparison that is complete, and how far its *triage* has come.

        *verdict* is that of its policy in several forms, the longest first.
        """
        self._reading, self._verdict = False, verdict
        self._comparison, self._measure, self._triage = comparison, measure, triage
        self.refresh()

    def show_opened(self, comparison: Comparison) -> None:
        """Show what is known before the rows are."""
        self._comparison, self._measure = comparison, None
        self.refresh()

    def show_progress(self, what: str, done: int, total: int) -> None:
        """Show how far reading has come."""
        self._reading = True
        self._progress = (what, done, total)
        self.refresh()

    def stop_progress(self) -> None:
        """Show the verdicts again."""
        self._reading = False
        self.refresh()

    def _lines(self, width: int) -> Sequence[Line]:
        found: list[Line] = [(), (), ()]
        if self._comparison is None:
            found[0] = (Span(" ragtui", "strong"), Span("  comparing two runs", "muted"))
        else:
            found = header_lines(
                self._comparison, self._measure, width, self._triage, self._verdict
            )
        if self._reading:
            found[2] = (Span(" "), *progress_line(*self._progress, width - 2))
        return found

    def render_line(self, y: int) -> Strip:
        """Draw one of the three lines."""
        width = self.size.width
        lines = self._lines(width)
        line = lines[y] if y < len(lines) else ()
        return painter_for(self.app).strip(cut_line(line, width), width, over="panel")


def notice_line(notices: Sequence[str], width: int) -> Line:
    """
    Return as many notices as fit; the others are a count, and the pane that lists them is named.

    >>> "".join(part.text for part in notice_line(["A is not pinned"], 40))
    ' ! A is not pinned'
    """
    line: Line = (Span(" ! ", "attention bold"),)
    for position, notice in enumerate(notices):
        gap = (Span(" · ", "faint"),) if position else ()
        more = (*line, *gap, span(notice, "attention"))
        left = len(notices) - position - 1
        tail = f" +{left} more in {_CHANGES}" if left else ""
        if line_width(more) + len(tail) > width:
            hidden = len(notices) - position
            if position:
                return spread(line, (Span(f" +{hidden} more in {_CHANGES}", "muted"),), width)
            return cut_line(more, width)
        line = more
    return line


class NoticeBar(Widget):
    """What a reader must know before trusting the numbers; hidden when there is nothing."""

    DEFAULT_CSS = """
    NoticeBar { height: 1; width: 1fr; background: $panel; display: none; }
    NoticeBar.-shown { display: block; }
    """

    class Asked(Message):
        """The notices were clicked: somebody wants to see them whole."""

    def __init__(self) -> None:
        """Start hidden."""
        super().__init__()
        self._notices: tuple[str, ...] = ()

    def show(self, notices: Sequence[str]) -> None:
        """Show *notices*, one sentence each."""
        self._notices = tuple(notices)
        self.set_class(bool(notices), "-shown")
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """Draw the line."""
        width = self.size.width
        line = () if y else notice_line(self._notices, width)
        return painter_for(self.app).strip(line, width, over="panel")

    def on_click(self, event: Click) -> None:
        """Ask for the whole list."""
        event.stop()
        self.post_message(self.Asked())
