"""What is wrong now and stays wrong until somebody did something: one line over the panes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.widget import Widget

from ragtui.text import plural
from ragtui.tui.paint import painter_for
from ragtui.tui.spans import Line, Span, cut_line, line_width, span

if TYPE_CHECKING:
    from textual.strip import Strip

__all__ = ["Banner", "trouble_line"]


def trouble_line(problem: str, waiting: int, key: str, width: int, *, conflicts: int = 0) -> Line:
    """
    Return that steps are not on disk, why, and which key helps; the reason is cut, the key never.

    >>> "".join(part.text for part in trouble_line("disk full", 2, "w", 60))
    ' ! 2 steps not on disk: disk full · w tries again'
    """
    if conflicts:
        head = f"{plural(conflicts, 'question')} decided otherwise in the file"
        help_words = " chooses"
    else:
        head = f"{plural(waiting, 'step')} not on disk" if waiting else "trouble keeping decisions"
        help_words = " tries again"
    start: Line = (Span(" ! ", "worse reverse bold"), Span(f"{head}:", "worse bold"))
    end: Line = (Span(" · ", "faint"), Span(key, "key"), Span(help_words, "muted"))
    room = max(0, width - line_width(start) - line_width(end) - 1)
    return (*start, *cut_line((span(f" {problem}", "worse"),), room), *end)


class Banner(Widget):
    """Hidden while all is well."""

    DEFAULT_CSS = """
    Banner { height: 1; width: 1fr; background: $panel; display: none; }
    Banner.-shown { display: block; }
    """

    def __init__(self) -> None:
        """Start hidden."""
        super().__init__()
        self._problem: str | None = None
        self._waiting = 0
        self._key = ""
        self._conflicts = 0

    @property
    def is_shown(self) -> bool:
        """Whether something is wrong."""
        return self._problem is not None

    def show(self, problem: str | None, *, waiting: int, key: str, conflicts: int = 0) -> None:
        """Show a problem and how many steps wait because of it, or hide."""
        self._problem, self._waiting, self._key = problem, waiting, key
        self._conflicts = conflicts
        self.set_class(problem is not None, "-shown")
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """Draw the line."""
        width = self.size.width
        line: Line = ()
        if self._problem is not None and not y:
            line = trouble_line(
                self._problem, self._waiting, self._key, width, conflicts=self._conflicts
            )
        return painter_for(self.app).strip(cut_line(line, width), width, over="panel")
