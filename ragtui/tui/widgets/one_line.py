"""One line of spans, for words between other widgets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.widget import Widget

from ragtui.tui.paint import painter_for
from ragtui.tui.spans import Line, cut_line

if TYPE_CHECKING:
    from textual.strip import Strip

__all__ = ["OneLine"]


class OneLine(Widget):
    """Shows the line it was given last, cut at its width."""

    DEFAULT_CSS = """
    OneLine { height: 1; width: 1fr; }
    """

    def __init__(self, line: Line = (), *, over: str = "") -> None:
        """Start with *line*; the role *over* lies on top of every span."""
        super().__init__()
        self._line = line
        self._over = over

    def show(self, line: Line) -> None:
        """Show another line."""
        self._line = line
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """Draw the line."""
        width = self.size.width
        line = () if y else cut_line(self._line, width)
        return painter_for(self.app).strip(line, width, over=self._over)
