"""Where the release note goes, and how much text it holds."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen

from ragtui.notes.subject import EvidenceLevel
from ragtui.notes.writers import FORMATS
from ragtui.text import clean, nearest
from ragtui.tui.actions import ACTIONS, Scope, bindings
from ragtui.tui.spans import Line, Span, span
from ragtui.tui.widgets.fields import ChoiceRow, CleanInput, Option
from ragtui.tui.widgets.key_bar import KeyBar
from ragtui.tui.widgets.one_line import OneLine

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.app import ComposeResult
    from textual.binding import BindingType

__all__ = ["ExportScreen", "Order"]

_LEVELS: Final = {
    EvidenceLevel.IDS: "ids only",
    EvidenceLevel.EXCERPTS: "excerpts",
    EvidenceLevel.FULL: "full texts",
}


@dataclass(frozen=True, slots=True)
class Order:
    """The note that was asked for."""

    path: Path
    evidence: EvidenceLevel = EvidenceLevel.IDS
    filtered: bool = False
    """Whether it lists only the questions shown."""


class ExportScreen(ModalScreen[Order | None], inherit_bindings=False):
    """Enter writes, Escape does not; a file that exists is replaced only when asked twice."""

    DEFAULT_CSS = """
    ExportScreen {
        align: center middle;
        background: $background 60%;
    }
    ExportScreen #export {
        width: 84;
        max-width: 98%;
        height: auto;
        max-height: 98%;
        padding: 0 1;
        border: round $rule-focus;
        border-title-color: $foreground;
        background: $background;
    }
    ExportScreen CleanInput, ExportScreen ChoiceRow { margin-bottom: 1; }
    ExportScreen KeyBar { background: $background; }
    """

    AUTO_FOCUS = "#path"
    BINDINGS: ClassVar[list[BindingType]] = [
        *(b for b in bindings(Scope.EXPORT, priority=True) if b.id != "export.write"),
        *(b for b in bindings(Scope.EXPORT) if b.id == "export.write"),
    ]

    def __init__(self, path: str, keymap: Mapping[str, str], *, shown: str = "") -> None:
        """Take the path to offer, and in words what the filter shows, if there is one."""
        super().__init__()
        self._path = path
        self._user_keys = keymap
        self._shown = shown
        self._asked_about: str | None = None

    def compose(self) -> ComposeResult:
        """Make the fields."""
        with Vertical(id="export") as box:
            box.border_title = Content("Export the release note")
            yield OneLine(
                (Span("file", "muted"), Span(f", its format by its suffix: {' '.join(FORMATS)}"))
            )
            yield CleanInput(id="path")
            yield OneLine(
                (Span("texts of answers and documents", "muted"), Span("; restricted ones never"))
            )
            options = [Option(level.value, words) for level, words in _LEVELS.items()]
            yield ChoiceRow(options, EvidenceLevel.IDS.value, id="texts")
            if self._shown:
                yield OneLine((Span("questions listed; totals are never filtered", "muted"),))
                listed = [Option("all", "all"), Option("shown", f"only {clean(self._shown)}")]
                yield ChoiceRow(listed, "all", id="listed")
            yield OneLine()
            yield KeyBar()

    def on_mount(self) -> None:
        """Offer the path, the cursor before its suffix."""
        field = self.query_one("#path", CleanInput)
        field.value = self._path
        field.cursor_position = len(self._path) - len(Path(self._path).suffix)
        shown = [a for a in ACTIONS if a.bar is not None and Scope.EXPORT in a.scopes]
        self.query_one(KeyBar).show(shown, self._user_keys)

    def _say(self, words: str) -> None:
        line: Line = (Span("! ", "attention bold"), span(words, "attention"))
        self.query(OneLine).last(OneLine).show(line)

    def on_input_submitted(self) -> None:
        """Write the note."""
        self.action_export_write()

    def action_export_write(self) -> None:
        """Give back what is asked for, if it can be."""
        written = self.query_one("#path", CleanInput).value.strip()
        path = Path(written).expanduser()
        problem = _problem(written, path)
        if problem is not None:
            self._say(problem)
        elif path.exists() and self._asked_about != written:
            self._asked_about = written
            self._say("the file exists: Enter again replaces it")
        else:
            self.dismiss(self._order(path))

    def _order(self, path: Path) -> Order:
        listed = self.query("#listed").results(ChoiceRow)
        return Order(
            path,
            EvidenceLevel(self.query_one("#texts", ChoiceRow).value),
            filtered=any(row.value == "shown" for row in listed),
        )

    def action_dialog_next(self) -> None:
        """Go to the next field."""
        self.focus_next()

    def action_dialog_previous(self) -> None:
        """Go to the field before."""
        self.focus_previous()

    def action_dialog_cancel(self) -> None:
        """Write nothing."""
        self.dismiss(None)


def _problem(written: str, path: Path) -> str | None:
    """Say why nothing can be written there, as far as that is known before."""
    if not written or not path.name:
        return "name a file"
    if path.suffix not in FORMATS:
        close = nearest(path.suffix, FORMATS)
        hint = f"; did you mean {close}?" if close else f"; one of {' '.join(FORMATS)}"
        return f"a note has no format {path.suffix or 'without a suffix'}{hint}"
    if path.is_dir():
        return "that is a folder"
    if not path.parent.is_dir():
        return "there is no such folder"
    return None
