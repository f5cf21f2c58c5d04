"""Three panes on one screen: which is focused, which has all the room, which keys work there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import Screen

from ragtui.text import clean
from ragtui.tui.actions import ACTIONS, Scope
from ragtui.tui.widgets.banner import Banner
from ragtui.tui.widgets.evidence import EvidencePane
from ragtui.tui.widgets.filter_bar import FilterBar
from ragtui.tui.widgets.header import ComparisonHeader, NoticeBar
from ragtui.tui.widgets.key_bar import KeyBar
from ragtui.tui.widgets.lower_tabs import LowerPane, Tab
from ragtui.tui.widgets.questions import QuestionsTable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.app import ComposeResult
    from textual.events import DescendantFocus
    from textual.widget import Widget

    from ragtui.tui.actions import Action

__all__ = ["PanedScreen"]

_PANES: Final = ("questions", "lower", "evidence")


class PanedScreen(Screen[None], inherit_bindings=False):
    """The arrangement of the panes; it knows nothing of what they show."""

    AUTO_FOCUS = "#questions"
    HORIZONTAL_BREAKPOINTS = [  # noqa: RUF012 - the base class declares it for instances
        (0, "-narrow"),
        (120, "-wide"),
    ]

    def __init__(self, user_keys: Mapping[str, str]) -> None:
        """Take the user's own keys by action id."""
        super().__init__()
        self._user_keys = user_keys
        self._pane = "questions"

    def compose(self) -> ComposeResult:
        """Make the panes."""
        yield ComparisonHeader()
        yield Banner()
        yield NoticeBar()
        with Horizontal(id="body"):
            with Vertical(id="left"):
                yield QuestionsTable(id="questions")
                yield LowerPane(id="lower")
            yield EvidencePane(id="evidence")
        yield FilterBar()
        yield KeyBar()

    def on_mount(self) -> None:
        """Say which keys work."""
        self._table.border_title = Content("Questions")
        self._arrange()
        self._show_keys()

    @property
    def _table(self) -> QuestionsTable:
        return self.query_one(QuestionsTable)

    @property
    def _header(self) -> ComparisonHeader:
        return self.query_one(ComparisonHeader)

    def say(self, message: str, *, warning: bool = False) -> None:
        """Tell the user something once."""
        severity = "warning" if warning else "information"
        self.app.notify(clean(message), severity=severity, markup=False)  # type: ignore[arg-type] # two of its literals

    def _run(self, method: str) -> None:
        """Run an action where it is active: in the focused pane, here, or in the app."""
        for node in (self.focused, self, self.app):
            found = getattr(node, f"action_{method}", None)
            if found is not None:
                self.call_later(found)
                return

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        """Follow the focus: keys, zoom and, on a narrow screen, which pane is there."""
        pane = next((p for p in _PANES if self._is_in(event.widget, p)), None)
        if pane is not None and pane != self._pane:
            self._pane = pane
            self._arrange()
        self._show_keys()

    def _is_in(self, widget: Widget, pane: str) -> bool:
        return any(getattr(node, "id", None) == pane for node in widget.ancestors_with_self)

    def _arrange(self) -> None:
        for pane in _PANES:
            self.set_class(self._pane == pane, f"-at-{pane}")

    def _panes(self) -> tuple[str, ...]:
        """Return the panes one may go to; a closed set has no evidence to show."""
        return tuple(p for p in _PANES if p != "evidence" or not self.has_class("-closed"))

    def _go_to(self, pane: str) -> None:
        if pane not in self._panes():
            return
        self._pane = pane
        self._arrange()
        found = self.query_one(f"#{pane}")
        target = found if found.can_focus else next(w for w in found.query("*") if w.can_focus)
        target.focus()

    def _show_keys(self) -> None:
        if self.query_one(FilterBar).is_open:
            scopes = {Scope.FILTER}
        else:
            pane = Scope.TABLE if self._pane == "questions" else Scope.LINES
            scopes = {Scope.MAIN, Scope.ANYWHERE, pane}
        shown = [a for a in ACTIONS if scopes.intersection(a.scopes) and self._is_of_use(a)]
        first = self._next_actions() if Scope.MAIN in scopes else ()
        self.query_one(KeyBar).show(shown, self._user_keys, first)

    def _is_of_use(self, action: Action) -> bool:
        """Tell whether a key that works here has anything to work on."""
        del action
        return True

    def _next_actions(self) -> tuple[str, ...]:
        """Return the ids of the actions that come next here."""
        return ()

    def action_pane_next(self) -> None:
        """Go to the next pane."""
        panes = self._panes()
        self._go_to(panes[(panes.index(self._pane) + 1) % len(panes)])

    def action_pane_previous(self) -> None:
        """Go to the previous pane."""
        panes = self._panes()
        self._go_to(panes[panes.index(self._pane) - 1])

    def action_pane_zoom(self) -> None:
        """Give the pane the whole screen, or take it back."""
        self.toggle_class("-zoomed")

    def _tab(self, tab: Tab) -> None:
        self.query_one(LowerPane).select_tab(tab)
        self._go_to("lower")

    def action_tab_summary(self) -> None:
        """Show the summary."""
        self._tab(Tab.SUMMARY)

    def action_tab_slices(self) -> None:
        """Show the slices."""
        self._tab(Tab.SLICES)

    def action_tab_absences(self) -> None:
        """Show where measures have no value."""
        self._tab(Tab.ABSENCES)

    def action_tab_policy(self) -> None:
        """Show how the runs fare under the acceptance policy."""
        self._tab(Tab.POLICY)

    def action_tab_changes(self) -> None:
        """Show what changed between the runs."""
        self._tab(Tab.CHANGES)
