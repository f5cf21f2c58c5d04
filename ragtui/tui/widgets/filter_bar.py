"""Where a filter is written, with what is not understood said while it is written."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from textual.containers import Vertical
from textual.message import Message
from textual.widgets import Input

from ragtui.tui.actions import Scope, bindings
from ragtui.tui.spans import Line, Span, span
from ragtui.tui.widgets.fields import CleanInput
from ragtui.tui.widgets.one_line import OneLine

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType

__all__ = ["FilterBar", "fault_line", "hint_line"]

_EXAMPLES: Final = "tag:lookup  verdict:regressed  delta.recall<=-0.1  na:no-claims  critical:yes"


def hint_line(shown: str) -> Line:
    """Return what stands under the filter while it is sound."""
    return (span(f" {shown}   ", "plain"), Span(_EXAMPLES, "faint"))


def fault_line(message: str, hint: str | None) -> Line:
    """Return what stands under the filter when it is not understood."""
    line: Line = (Span(" ! ", "attention bold"), span(message, "attention"))
    return (*line, span(f"  {hint}", "muted")) if hint else line


class FilterBar(Vertical):
    """The input, and one line about what it says; hidden until somebody filters."""

    DEFAULT_CSS = """
    FilterBar { height: 2; display: none; background: $panel; }
    FilterBar.-open { display: block; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Scope.FILTER)]

    class Edited(Message):
        """The text changed."""

        def __init__(self, text: str) -> None:
            """Carry the text as it stands."""
            super().__init__()
            self.text = text

    class Submitted(Edited):
        """The text was confirmed."""

    class Cancelled(Message):
        """The filter is to be as it was."""

    def compose(self) -> ComposeResult:
        """Make the input and the line below it."""
        yield CleanInput(
            placeholder="filter: words, tag:…, verdict:…, delta.support<0  (Enter keeps it)"
        )
        yield OneLine(over="panel")

    @property
    def is_open(self) -> bool:
        """Whether the bar is shown."""
        return self.has_class("-open")

    def open(self, text: str) -> None:
        """Show the bar with *text* in it and go there."""
        self.add_class("-open")
        field = self.query_one(CleanInput)
        with field.prevent(Input.Changed):
            field.value = text
        field.cursor_position = len(text)
        field.focus()

    def close(self) -> None:
        """Hide the bar."""
        self.remove_class("-open")

    def show_result(self, words: str) -> None:
        """Say what the filter shows."""
        self.query_one(OneLine).show(hint_line(words))

    def show_fault(self, message: str, hint: str | None) -> None:
        """Say what is not understood, where, and what may have been meant."""
        self.query_one(OneLine).show(fault_line(message, hint))

    def on_input_changed(self, event: Input.Changed) -> None:
        """Pass the text on."""
        event.stop()
        self.post_message(self.Edited(event.value))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Pass the confirmed text on."""
        event.stop()
        self.post_message(self.Submitted(event.value))

    def action_filter_keep(self) -> None:
        """Confirm the text, also with another key than the input's own."""
        self.post_message(self.Submitted(self.query_one(CleanInput).value))

    def action_filter_cancel(self) -> None:
        """Ask for the old filter back."""
        self.post_message(self.Cancelled())
