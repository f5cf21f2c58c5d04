"""The last line of the screen: which keys do something here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from ragtui.tui.actions import Action, shown_key
from ragtui.tui.paint import painter_for
from ragtui.tui.spans import Span, line_width, meta_at, space

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from textual.events import Click

    from ragtui.tui.spans import Line

__all__ = ["KeyBar", "key_line"]

_GAP = 3


def _entry(action: Action, keys: str) -> Line:
    meta = (action.id,)
    return (Span(keys, "key", meta), Span(f" {action.label}", "muted", meta))


def key_line(
    actions: Sequence[Action], keys: Mapping[str, str], width: int, first: Sequence[str] = ()
) -> Line:
    """
    Return as many keys with their meaning as fit, the weightiest staying longest.

    *width* is in cells; *keys* gives what to write for an action's key, by action id. The actions
    named in *first* are what comes next here: they stand in front, in that order. How to leave
    stays longest and stands last.
    """

    def place(action: Action) -> tuple[bool, int, int]:
        leading = action.id in first
        return not leading, first.index(action.id) if leading else 0, action.bar or 0

    shown_here = (action for action in actions if action.bar is not None or action.id in first)
    by_weight = sorted(shown_here, key=lambda a: (a.bar != 0, *place(a)))
    room = width - 1
    kept: set[str] = set()
    for action in by_weight:
        room -= line_width(_entry(action, keys[action.id])) + (_GAP if kept else 0)
        if room < 0:
            break
        kept.add(action.id)
    shown = [action for action in by_weight if action.id in kept]
    shown.sort(key=lambda a: (a.bar == 0, *place(a)))
    line: Line = (space(1),)
    for position, action in enumerate(shown):
        gap = (space(_GAP),) if position else ()
        line = (*line, *gap, *_entry(action, keys[action.id]))
    return line


class KeyBar(Widget):
    """
    The keys that are active in the focused pane.

    Textual's own footer is rebuilt, and leaks, at every change of focus; this is one line of text.
    """

    DEFAULT_CSS = """
    KeyBar { height: 1; width: 1fr; background: $panel; }
    """

    class Pressed(Message):
        """A key was clicked."""

        def __init__(self, action: Action) -> None:
            """Name the action behind it."""
            super().__init__()
            self.action = action

    def __init__(self) -> None:
        """Start empty."""
        super().__init__()
        self._actions: dict[str, Action] = {}
        self._keys: dict[str, str] = {}
        self._first: tuple[str, ...] = ()
        self._line: Line = ()

    def show(
        self, actions: Sequence[Action], keymap: Mapping[str, str], first: Sequence[str] = ()
    ) -> None:
        """
        Show *actions*; *keymap* holds the user's own keys by action id.

        *first* are the ids of those that come next.
        """
        self._first = tuple(first)
        self._actions = {action.id: action for action in actions}
        self._keys = {action.id: shown_keys(action, keymap.get(action.id)) for action in actions}
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """Return the bar."""
        if y:
            return Strip.blank(self.size.width)
        self._line = key_line(
            list(self._actions.values()), self._keys, self.size.width, self._first
        )
        return painter_for(self.app).strip(self._line, self.size.width, over="panel")

    def on_click(self, event: Click) -> None:
        """Do what the clicked key would do."""
        event.stop()
        meta = meta_at(self._line, event.x)
        if meta is not None:
            self.post_message(self.Pressed(self._actions[meta[0]]))


_PAIRS = {"measure.next": "←→"}
"""Actions shown with both keys of a pair."""


def shown_keys(action: Action, mapped: str | None) -> str:
    """
    Return the key to show for an action: the user's own first, else the default.

    >>> from ragtui.tui.actions import action_named
    >>> shown_keys(action_named("filter.edit"), None), shown_keys(action_named("filter.edit"), "f2")
    ('/', 'f2')
    """
    if mapped is None and action.id in _PAIRS:
        return _PAIRS[action.id]
    first = action.keys[0] if mapped is None else mapped.split(",")[0].strip()
    return shown_key(first)
