"""
The registry of actions: declared once, read by bindings, help sheet, palette, key bar and key map.

An action has an id `area.verb`; whoever carries it out has a method `action_area_verb`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from textual.binding import Binding

__all__ = ["ACTIONS", "Action", "Group", "Scope", "action_named", "bindings", "shown_key"]


class Scope(StrEnum):
    """Where an action is active."""

    ANYWHERE = "everywhere"
    MAIN = "in the comparison"
    TABLE = "in the table of questions"
    LINES = "in every other pane"
    DOCUMENT = "in an open document"
    FILTER = "while a filter is written"
    SHEET = "in a sheet such as this one"
    EDITOR = "while a note is written"
    EXPORT = "while a release note is exported"
    CHOICE = "where one of several is chosen"


class Group(StrEnum):
    """Under which heading an action is listed."""

    MOVE = "Move"
    LOOK = "Look closer"
    DECIDE = "Decide"
    ORDER = "Filter and sort"
    PROGRAM = "Program"


@dataclass(frozen=True, slots=True)
class Action:
    """One thing a key can do."""

    id: str
    """`area.verb`: the name in a key map and of the method that does it."""
    keys: tuple[str, ...]
    """Default keys as Textual names them."""
    label: str
    """One or two words for the key bar."""
    help: str
    """One line for the help sheet and the palette."""
    group: Group
    scopes: tuple[Scope, ...]
    bar: int | None = None
    """
    Place in the key bar, lower ones stay longest when room is short; `None`: not shown there.

    0 stays longest of all and stands at the end.
    """
    palette: bool = True
    """Whether the palette offers it; moving a cursor is no command."""

    @property
    def method(self) -> str:
        """
        The name Textual calls the action by.

        >>> action_named("change.next").method
        'change_next'
        """
        return self.id.replace(".", "_")


_LISTS: Final = (Scope.TABLE, Scope.LINES, Scope.DOCUMENT, Scope.SHEET)
_MAIN: Final = (Scope.MAIN,)
_DIALOGS: Final = (Scope.EDITOR, Scope.EXPORT)


def _move(name: str, keys: tuple[str, ...], text: str) -> Action:
    return Action(f"move.{name}", keys, name, text, Group.MOVE, _LISTS, palette=False)


ACTIONS: Final = (
    _move("down", ("down", "j"), "one line down"),
    _move("up", ("up", "k"), "one line up"),
    _move("page_down", ("pagedown", "ctrl+f"), "one page down"),
    _move("page_up", ("pageup", "ctrl+b"), "one page up"),
    _move("first", ("g", "home"), "to the first line"),
    _move("last", ("G", "end"), "to the last line"),
    Action(
        "change.next", ("n",), "next change",
        "to the next change that needs a decision, wrapping once",
        Group.MOVE, _MAIN, bar=1,
    ),
    Action(
        "change.previous", ("N",), "previous", "to the previous change that needs a decision",
        Group.MOVE, _MAIN,
    ),
    Action(
        "measure.next", ("right", "l"), "measure", "select the next measure",
        Group.MOVE, _MAIN, bar=4,
    ),
    Action(
        "measure.previous", ("left", "h"), "measure", "select the previous measure",
        Group.MOVE, _MAIN,
    ),
    Action("pane.next", ("tab",), "pane", "to the next pane", Group.MOVE, _MAIN, bar=5),
    Action("pane.previous", ("shift+tab",), "pane", "to the previous pane", Group.MOVE, _MAIN),
    Action("repeat.next", ("right_parenthesis",), "repeat",
           "show the next repeat of the question", Group.LOOK, _MAIN),
    Action("repeat.previous", ("left_parenthesis",), "repeat",
           "show the previous repeat of the question", Group.LOOK, _MAIN),
    Action(
        "row.open", ("enter",), "open",
        "open what the cursor is on: a question's evidence, a document, a slice, a reason, a rule",
        Group.LOOK, (Scope.TABLE, Scope.LINES), bar=3,
    ),
    Action(
        "go.back", ("escape",), "back",
        "back to the table; in the table: show all questions again",
        Group.LOOK, (Scope.MAIN, Scope.DOCUMENT, Scope.SHEET),
    ),
    Action("pane.zoom", ("z",), "zoom", "give this pane the whole screen, or undo that",
           Group.LOOK, _MAIN, bar=9),
    Action("tab.summary", ("1",), "summary", "every measure: A, B, difference, interval, counts",
           Group.LOOK, _MAIN),
    Action("tab.slices", ("2",), "slices", "the same by tag", Group.LOOK, _MAIN),
    Action("tab.absences", ("3",), "n/a", "where a measure has no value, and why",
           Group.LOOK, _MAIN),
    Action("tab.policy", ("4",), "policy", "every rule of the acceptance policy, and who breaks it",
           Group.LOOK, _MAIN),
    Action("tab.changes", ("5",), "changes", "what was held constant and which settings differ",
           Group.LOOK, _MAIN),
    Action("document.difference", ("t",), "difference", "side by side, or word by word",
           Group.LOOK, (Scope.DOCUMENT,), bar=2),
    Action("decide.accept", ("a",), "accept", "accept the change: it may be released",
           Group.DECIDE, _MAIN, bar=10),
    Action("decide.block", ("b",), "block", "block the change: it must not be released",
           Group.DECIDE, _MAIN, bar=11),
    Action("decide.investigate", ("i",), "investigate",
           "mark the change as being looked into; it stays undecided",
           Group.DECIDE, _MAIN, bar=12),
    Action("decide.dispute", ("d",), "dispute", "dispute the label: it is wrong, not the answer",
           Group.DECIDE, _MAIN, bar=13),
    Action("decide.edit", ("e",), "note", "write a note, an owner, what follows",
           Group.DECIDE, _MAIN, bar=14),
    Action("decide.select", ("space",), "select",
           "select this question to be decided together with others, or no longer",
           Group.DECIDE, _MAIN, bar=18),
    Action("decide.undo", ("u",), "undo", "take back the latest step of this session",
           Group.DECIDE, _MAIN, bar=15),
    Action("decide.redo", ("U",), "redo", "do again what was undone", Group.DECIDE, _MAIN),
    Action("decide.write", ("w",), "write again",
           "try again to put on disk what could not be written", Group.DECIDE, _MAIN),
    Action("note.export", ("x",), "export", "write the release note",
           Group.DECIDE, _MAIN, bar=16),
    Action("filter.edit", ("slash",), "filter", "filter the questions", Group.ORDER, _MAIN, bar=2),
    Action("filter.keep", ("enter",), "keep the filter", "keep the filter as it is written",
           Group.ORDER, (Scope.FILTER,), bar=1, palette=False),
    Action("filter.cancel", ("escape",), "keep the old one", "return to the filter as it was",
           Group.ORDER, (Scope.FILTER,), bar=2, palette=False),
    Action("view.next", ("v",), "view", "next view: all, undecided, regressed, mixed, improved …",
           Group.ORDER, _MAIN, bar=6),
    Action("sort.measure", ("s",), "sort", "sort by the selected measure; again: by harm",
           Group.ORDER, _MAIN, bar=7),
    Action("sort.reverse", ("S",), "reverse", "reverse the order", Group.ORDER, _MAIN),
    Action("copy.reference", ("y",), "copy",
           "send the question's id to the terminal's clipboard; in the evidence: where it stands",
           Group.PROGRAM, _MAIN),
    Action("record.open", ("o",), "open record",
           "open the record in $VISUAL or $EDITOR at its line", Group.PROGRAM, _MAIN),
    Action("dialog.next", ("tab",), "next", "to the next field", Group.DECIDE, _DIALOGS,
           palette=False),
    Action("dialog.previous", ("shift+tab",), "previous", "to the field before", Group.DECIDE,
           _DIALOGS, palette=False),
    Action("dialog.cancel", ("escape",), "cancel", "leave everything as it was", Group.DECIDE,
           _DIALOGS, bar=3, palette=False),
    Action("editor.save", ("ctrl+s",), "save", "keep what is written", Group.DECIDE,
           (Scope.EDITOR,), bar=1, palette=False),
    Action("editor.outside", ("ctrl+e",), "$EDITOR", "write the note in $VISUAL or $EDITOR",
           Group.DECIDE, (Scope.EDITOR,), bar=2, palette=False),
    Action("export.write", ("enter",), "write", "write the release note", Group.DECIDE,
           (Scope.EXPORT,), bar=1, palette=False),
    Action("choice.next", ("right", "l"), "right", "choose the one to the right", Group.DECIDE,
           (Scope.CHOICE,), palette=False),
    Action("choice.previous", ("left", "h"), "left", "choose the one to the left", Group.DECIDE,
           (Scope.CHOICE,), palette=False),
    Action("app.reload", ("r",), "reload", "read the files again and stay at this question",
           Group.PROGRAM, (Scope.ANYWHERE,)),
    Action("app.theme", ("T",), "theme", "next theme: dark, light, the terminal's own colours",
           Group.PROGRAM, (Scope.ANYWHERE,)),
    Action("app.palette", ("ctrl+p",), "palette", "search all commands by name", Group.PROGRAM,
           (Scope.ANYWHERE,), palette=False),
    Action("app.help", ("question_mark",), "help", "all keys and signs", Group.PROGRAM, _MAIN,
           bar=0),
    Action("app.leave", ("q", "ctrl+q", "ctrl+c"), "quit", "leave; nothing is lost", Group.PROGRAM,
           (Scope.ANYWHERE,), bar=0),
)  # fmt: skip
"""Every action, in the order of the help sheet."""

_BY_ID: Final = {action.id: action for action in ACTIONS}


def action_named(identifier: str) -> Action:
    """Return the action with this id; `KeyError` when there is none."""
    return _BY_ID[identifier]


def bindings(*scopes: Scope, priority: bool = False) -> list[Binding]:
    """
    Return the bindings of a widget, screen or app that carries out the actions of *scopes*.

    With *priority* they come before those of the focused field.

    >>> [b.key for b in bindings(Scope.DOCUMENT) if b.action == "document_difference"]
    ['t']
    """
    wanted = set(scopes)
    return [
        Binding(
            ",".join(action.keys),
            action.method,
            action.label,
            show=False,
            id=action.id,
            priority=priority,
        )
        for action in ACTIONS
        if wanted.intersection(action.scopes)
    ]


_SHOWN: Final = {
    "down": "↓",
    "up": "↑",
    "left": "←",
    "right": "→",
    "pagedown": "PgDn",
    "pageup": "PgUp",
    "home": "Home",
    "end": "End",
    "slash": "/",
    "left_parenthesis": "(",
    "right_parenthesis": ")",
    "question_mark": "?",
    "escape": "Esc",
    "enter": "Enter",
    "tab": "Tab",
    "space": "Space",
    "shift+tab": "⇧Tab",
}


def shown_key(key: str) -> str:
    """
    Return a key as people write it.

    >>> shown_key("slash"), shown_key("ctrl+p"), shown_key("G")
    ('/', '^p', 'G')
    """
    if key in _SHOWN:
        return _SHOWN[key]
    return f"^{key.removeprefix('ctrl+')}" if key.startswith("ctrl+") else key
