"""A question to the person at the screen, with its answers listed below it."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final, Generic, NamedTuple, TypeVar

from textual.binding import Binding
from textual.content import Content
from textual.screen import ModalScreen

from ragtui.tui.actions import Scope, bindings
from ragtui.tui.spans import BLANK, Line, Span, span
from ragtui.tui.views.layout import prose
from ragtui.tui.widgets.lines_view import LinesPane, LinesView, Page

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult
    from textual.binding import BindingType

__all__ = ["Answer", "Ask"]

T = TypeVar("T")

_ANSWER: Final = "answer"


class Answer(NamedTuple, Generic[T]):
    """One thing to answer."""

    words: str
    value: T


class Ask(ModalScreen[T | None], inherit_bindings=False):
    """Enter gives the answer under the cursor, Escape none."""

    DEFAULT_CSS = """
    Ask {
        align: center middle;
        background: $background 60%;
    }
    Ask > LinesView {
        width: 72;
        max-width: 96%;
        height: 12;
        max-height: 96%;
        padding: 0 1;
        border: round $rule-focus;
        border-title-color: $foreground;
        border-subtitle-color: $foreground 60%;
        background: $background;
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings(Scope.SHEET),
        Binding("ctrl+c", "go_back", "Close", show=False),
    ]

    def __init__(self, title: str, told: Sequence[str], answers: Sequence[Answer[T]]) -> None:
        """Take what is asked, what must be known for it, and the answers, the likely one first."""
        super().__init__()
        self._asked = title
        self._said = told
        self._answers = answers

    def compose(self) -> ComposeResult:
        """Make the one pane."""
        view = LinesView()
        view.border_title = Content(self._asked)
        view.border_subtitle = Content("Enter answers · Esc closes")
        yield view

    def on_mount(self) -> None:
        """Show the question, with the cursor on the first answer."""
        view = self.query_one(LinesView)
        view.styles.height = len(self._lines(66)) + 2
        view.show_lines(lambda width: Page(self._lines(width)), current=(_ANSWER, "0"))
        view.focus()
        self.call_after_refresh(view.put_cursor, (_ANSWER, "0"))

    def _lines(self, width: int) -> list[Line]:
        lines: list[Line] = []
        for words in self._said:
            lines += prose(words, width)
        if lines:
            lines.append(BLANK)
        for number, answer in enumerate(self._answers):
            lines.append(
                (Span("▸ ", "accent"), span(answer.words, "strong", (_ANSWER, str(number))))
            )
        return lines

    def on_lines_pane_chosen(self, message: LinesPane.Chosen) -> None:
        """Give the answer that was chosen."""
        message.stop()
        self.dismiss(self._answers[int(message.meta[1])].value)

    def action_go_back(self) -> None:
        """Give no answer."""
        self.dismiss(None)
