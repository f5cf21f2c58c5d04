"""What people write and choose in: no text in it can act on the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NamedTuple

from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, TextArea

from ragtui.text import clean
from ragtui.tui.actions import Scope, bindings
from ragtui.tui.paint import painter_for
from ragtui.tui.spans import Line, Span, cut_line, meta_at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events
    from textual.binding import BindingType
    from textual.strip import Strip

__all__ = ["ChoiceRow", "CleanArea", "CleanInput", "Option"]


class CleanInput(Input):
    """A one-line input that makes every pasted control character visible."""

    DEFAULT_CSS = """
    CleanInput { border: none; height: 1; padding: 0 1; background: $panel; }
    CleanInput:focus { border: none; background: $panel; }
    """

    def __init__(self, *, id: str | None = None, placeholder: str = "") -> None:  # noqa: A002 - Textual's name
        """Start empty."""
        super().__init__(id=id, placeholder=placeholder, select_on_focus=False)
        self.cursor_blink = False

    def validate_value(self, value: str) -> str:
        """Make every control character visible."""
        return clean(value)


class CleanArea(TextArea):
    """A text of several lines that makes every pasted control character visible."""

    DEFAULT_CSS = """
    CleanArea { border: none; padding: 0 1; background: $panel; }
    CleanArea:focus { border: none; background: $panel; }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        """Start empty."""
        super().__init__(id=id, tab_behavior="focus", show_line_numbers=False)
        self.cursor_blink = False

    async def _on_paste(self, event: events.Paste) -> None:
        event.text = clean(event.text, multiline=True)


class Option(NamedTuple):
    """One of the things that can be chosen in a row."""

    value: str
    words: str
    key: str = ""
    """The key that chooses it while the row has the focus."""


class ChoiceRow(Widget, can_focus=True, inherit_bindings=False):
    """One of several things side by side; arrows, its own key or a click choose."""

    DEFAULT_CSS = """
    ChoiceRow { height: 1; width: 1fr; padding: 0 1; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Scope.CHOICE)]

    class Changed(Message):
        """Another one was chosen."""

        def __init__(self, row: ChoiceRow, value: str) -> None:
            """Say which, and in which row."""
            super().__init__()
            self.row = row
            self.value = value

    def __init__(self, options: Sequence[Option], value: str, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        """Take what can be chosen, and what is."""
        super().__init__(id=id)
        self._options = tuple(options)
        self._value = value

    @property
    def value(self) -> str:
        """What is chosen."""
        return self._value

    def choose(self, value: str) -> None:
        """Choose another one."""
        if value != self._value:
            self._value = value
            self.refresh()
            self.post_message(self.Changed(self, value))

    def _line(self) -> Line:
        line: Line = ()
        for option in self._options:
            chosen = option.value == self._value
            meta = (option.value,)
            gap = (Span("   "),) if line else ()
            role = "plain" if not chosen else "selected underline" if self.has_focus else "strong"
            key = (Span(f"{option.key} ", "key", meta),) if option.key else ()
            sign = Span("● " if chosen else "○ ", "accent" if chosen else "faint", meta)
            line = (*line, *gap, sign, *key, Span(option.words, role, meta))
        return line

    def render_line(self, y: int) -> Strip:
        """Draw the row."""
        width = self.size.width
        return painter_for(self.app).strip(() if y else cut_line(self._line(), width), width)

    def _step(self, by: int) -> None:
        values = [option.value for option in self._options]
        position = values.index(self._value) + by
        self.choose(values[max(0, min(position, len(values) - 1))])

    def action_choice_next(self) -> None:
        """Choose the one to the right."""
        self._step(1)

    def action_choice_previous(self) -> None:
        """Choose the one to the left."""
        self._step(-1)

    def on_key(self, event: events.Key) -> None:
        """Choose the one that a key names."""
        for option in self._options:
            if option.key and option.key == event.character:
                event.stop()
                self.choose(option.value)

    def on_click(self, event: events.Click) -> None:
        """Choose what was clicked."""
        place = event.get_content_offset(self)
        meta = None if place is None else meta_at(self._line(), place.x)
        if meta is not None:
            event.stop()
            self.choose(meta[0])
