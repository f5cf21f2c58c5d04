"""Choice, note, owner and what follows, written over the comparison."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen

from ragtui.core.triage import MAX_NAME, MAX_NOTE, Choice
from ragtui.errors import InputError, OutputError
from ragtui.text import clean
from ragtui.tui.actions import ACTIONS, Scope, action_named, bindings
from ragtui.tui.outside import edit_text, user_editor
from ragtui.tui.spans import Line, Span, span
from ragtui.tui.views.decision import CHOICE_WORDS
from ragtui.tui.widgets.fields import ChoiceRow, CleanArea, CleanInput, Option
from ragtui.tui.widgets.key_bar import KeyBar, shown_keys
from ragtui.tui.widgets.one_line import OneLine

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from ragtui.core.triage import Decision

__all__ = ["DecisionEditor", "Draft"]

_CHOICES: Final = {
    Choice.ACCEPT: "decide.accept",
    Choice.BLOCK: "decide.block",
    Choice.INVESTIGATE: "decide.investigate",
    Choice.DISPUTE: "decide.dispute",
}
"""Each choice and the action whose key chooses it."""


@dataclass(frozen=True, slots=True)
class Draft:
    """What was written: only what was changed, `None` for the rest."""

    choice: Choice | None = None
    note: str | None = None
    owner: str | None = None
    follow_up: str | None = None


class DecisionEditor(ModalScreen[Draft | None], inherit_bindings=False):
    """Ctrl+S keeps what is written, Escape leaves everything as it was."""

    DEFAULT_CSS = """
    DecisionEditor {
        align: center middle;
        background: $background 60%;
    }
    DecisionEditor #editor {
        width: 84;
        max-width: 98%;
        height: 20;
        max-height: 98%;
        padding: 0 1;
        border: round $rule-focus;
        border-title-color: $foreground;
        background: $background;
    }
    DecisionEditor #note { height: 1fr; }
    DecisionEditor ChoiceRow, DecisionEditor CleanArea { margin-bottom: 1; }
    DecisionEditor CleanInput { margin-bottom: 1; }
    DecisionEditor KeyBar { background: $background; }
    """

    AUTO_FOCUS = "#note"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Scope.EDITOR, priority=True)]

    def __init__(
        self, about: str, decision: Decision | None, keymap: Mapping[str, str], n: int = 1
    ) -> None:
        """Take what the decision is *about*, as it stands, and about how many questions it is."""
        super().__init__()
        self._about = about
        self._user_keys = keymap
        self._n = n
        self._choice = None if decision is None else decision.choice
        texts = (None, None, None) if decision is None else (
            decision.note, decision.owner, decision.follow_up,
        )  # fmt: skip
        self._old = tuple(clean(text or "", multiline=True) for text in texts)
        self._warned = False

    def compose(self) -> ComposeResult:
        """Make the fields."""
        options = [Option(c.value, CHOICE_WORDS[c], self._key(a)) for c, a in _CHOICES.items()]
        start = Choice.INVESTIGATE if self._choice is None else self._choice
        with Vertical(id="editor") as box:
            box.border_title = Content(self._about)
            yield ChoiceRow(options, start.value, id="choice")
            yield OneLine((Span("note: why, so that somebody else can follow it", "muted"),))
            yield CleanArea(id="note")
            yield OneLine((Span("owner", "muted"), Span(": who takes care of it", "faint")))
            yield CleanInput(id="owner")
            yield OneLine((Span("follow-up", "muted"), Span(": a ticket, a date", "faint")))
            yield CleanInput(id="follow-up")
            yield OneLine()
            yield KeyBar()

    def _key(self, action: str) -> str:
        return shown_keys(action_named(action), self._user_keys.get(action))

    def on_mount(self) -> None:
        """Show what was written before."""
        note, owner, follow_up = self._old
        self._note.text = note
        self._note.move_cursor(self._note.document.end)
        self.query_one("#owner", CleanInput).value = owner
        self.query_one("#follow-up", CleanInput).value = follow_up
        shown = [a for a in ACTIONS if a.bar is not None and Scope.EDITOR in a.scopes]
        self.query_one(KeyBar).show(shown, self._user_keys)
        if self._n > 1:
            self._say(f"for all {self._n:,} selected questions; a field left alone changes nothing")

    @property
    def _note(self) -> CleanArea:
        return self.query_one("#note", CleanArea)

    def _say(self, words: str, *, warning: bool = False) -> None:
        line: Line = (span(words, "attention" if warning else "muted"),)
        self.query(OneLine).last(OneLine).show(line)

    def _texts(self) -> tuple[str, ...]:
        return (
            self._note.text,
            self.query_one("#owner", CleanInput).value,
            self.query_one("#follow-up", CleanInput).value,
        )

    def _draft(self) -> Draft:
        changed = [
            None if new == old else new for new, old in zip(self._texts(), self._old, strict=True)
        ]
        choice = Choice(self.query_one("#choice", ChoiceRow).value)
        start = Choice.INVESTIGATE if self._choice is None else self._choice
        return Draft(None if choice is start else choice, *changed)

    def action_editor_save(self) -> None:
        """Give back what was changed, unless it is too long."""
        limits = (MAX_NOTE, MAX_NAME, MAX_NAME)
        for name, text, limit in zip(
            ("note", "owner", "follow-up"), self._texts(), limits, strict=True
        ):
            if len(text.strip()) > limit:
                words = f"the {name} is too long: {len(text):,} characters, at most {limit:,}"
                self._say(words, warning=True)
                return
        draft = self._draft()
        if draft == Draft() and self._choice is None:
            draft = Draft(Choice.INVESTIGATE)
        self.dismiss(None if draft == Draft() else draft)

    def action_editor_outside(self) -> None:
        """Write the note in the user's own editor."""
        editor = user_editor(os.environ)
        if editor is None:
            self._say("neither $VISUAL nor $EDITOR names an editor", warning=True)
            return
        try:
            found = edit_text(self.app, editor, self._note.text)
        except (InputError, OutputError) as error:
            self._say(str(error), warning=True)
            return
        self._note.text = clean(found, multiline=True)
        self._note.move_cursor(self._note.document.end)
        self._note.focus()

    def action_dialog_next(self) -> None:
        """Go to the next field."""
        self.focus_next()

    def action_dialog_previous(self) -> None:
        """Go to the field before."""
        self.focus_previous()

    def action_dialog_cancel(self) -> None:
        """Leave everything as it was; what was written is given up only when asked twice."""
        if self._draft() != Draft() and not self._warned:
            self._warned = True
            self._say("what you wrote is not kept: Esc again to give it up", warning=True)
            return
        self.dismiss(None)

    def on_input_submitted(self) -> None:
        """Enter in a field of one line goes on."""
        self.focus_next()
