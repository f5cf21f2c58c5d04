"""A sheet of lines over the screen, such as the help."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding
from textual.content import Content
from textual.screen import ModalScreen

from ragtui.tui.actions import Scope, bindings
from ragtui.tui.widgets.lines_view import LinesView, Page

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from ragtui.tui.spans import Line

__all__ = ["Sheet"]


class Sheet(ModalScreen[None], inherit_bindings=False):
    """Lines to read; Escape, q or ? closes them."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings(Scope.SHEET),
        Binding("q,question_mark,enter,ctrl+c", "go_back", "Close", show=False),
    ]

    def __init__(self, title: str, lines: Callable[[int], Sequence[Line]]) -> None:
        """Take a title and what to show for a width in cells."""
        super().__init__()
        self._title = title
        self._build = lines

    def compose(self) -> ComposeResult:
        """Make the one pane."""
        view = LinesView(id="sheet")
        view.border_title = Content(self._title)
        view.border_subtitle = Content("Esc closes")
        yield view

    def on_mount(self) -> None:
        """Show the lines."""
        view = self.query_one(LinesView)
        view.show(lambda width: Page(self._build(width)))
        view.focus()

    def action_go_back(self) -> None:
        """Close the sheet."""
        self.dismiss(None)
