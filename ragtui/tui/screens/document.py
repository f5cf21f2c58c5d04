"""One document, opened over the comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual.binding import Binding
from textual.content import Content
from textual.screen import ModalScreen

from ragtui.tui.actions import Scope, bindings
from ragtui.tui.paint import painter_for
from ragtui.tui.views.document import document_lines, document_title
from ragtui.tui.views.texts import texts_differ
from ragtui.tui.widgets.lines_view import LinesView, Page

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from ragtui.core.comparison import Comparison, Detail

__all__ = ["DocumentScreen"]


class DocumentScreen(ModalScreen[None], inherit_bindings=False):
    """Shows a document as A and B were given it: side by side, or word by word."""

    DEFAULT_CSS = """
    DocumentScreen {
        align: center middle;
        background: $background 60%;
    }
    DocumentScreen > LinesView {
        width: 90%;
        height: 85%;
        padding: 0 1;
        border: round $primary;
        border-title-color: $foreground;
        border-subtitle-color: $foreground;
        background: $background;
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings(Scope.DOCUMENT),
        Binding("q,enter,ctrl+c", "go_back", "Close", show=False),
    ]

    def __init__(self, comparison: Comparison, detail: Detail, document: str) -> None:
        """Take the question and the id of the document."""
        super().__init__()
        self._comparison = comparison
        self._detail = detail
        self._document = document
        self._differs = texts_differ(detail, document)
        self._difference = self._differs

    def compose(self) -> ComposeResult:
        """Make the one pane."""
        view = LinesView(id="document")
        painter = painter_for(self.app)
        title = document_title(self._detail, self._document)
        view.border_title = Text.assemble(*((p.text, painter.style(p.role)) for p in title))
        yield view

    def on_mount(self) -> None:
        """Show the text; where A and B were given different text, their difference first."""
        self._present()
        self.query_one(LinesView).focus()

    def _present(self) -> None:
        view = self.query_one(LinesView)
        other = "side by side" if self._difference else "word by word"
        view.border_subtitle = Content(f"t {other} · Esc closes" if self._differs else "Esc closes")
        view.show(self._page, keep_position=True)

    def _page(self, width: int) -> Page:
        return Page(
            document_lines(
                self._comparison,
                self._detail,
                self._document,
                width=width,
                difference=self._difference,
            )
        )

    def action_document_difference(self) -> None:
        """Change between side by side and word by word."""
        if self._differs:
            self._difference = not self._difference
            self._present()

    def action_go_back(self) -> None:
        """Close the document."""
        self.dismiss(None)
