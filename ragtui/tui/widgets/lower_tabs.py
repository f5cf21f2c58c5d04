"""The pane under the table: what all questions say together, in five tabs."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Final

from textual.message import Message

from ragtui.core.slices import ANSWERABLE, UNANSWERABLE
from ragtui.tui.spans import BLANK, Line, Span
from ragtui.tui.views.absences import absences_page
from ragtui.tui.views.layout import Page, flow
from ragtui.tui.views.policy import first_rule, policy_page, tab_words
from ragtui.tui.views.settings import settings_page
from ragtui.tui.views.slices import slices_page
from ragtui.tui.views.summary import summary_page
from ragtui.tui.views.targets import (
    ABSENCE,
    MEASURE,
    RULE,
    SLICE,
    measure_target,
    rule_target,
)
from ragtui.tui.widgets.lines_view import LinesPane

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragtui.core.aggregate import Aggregate
    from ragtui.core.comparison import Comparison
    from ragtui.session import Session
    from ragtui.tui.spans import Meta
    from ragtui.tui.views.policy import Gate

__all__ = ["LowerPane", "Tab"]

AT_ONCE: Final = 20_000
"""Questions up to which slices are counted while somebody waits; more in a thread."""

_TAB: Final = "tab"


class Tab(IntEnum):
    """The tabs by their key."""

    SUMMARY = 1
    SLICES = 2
    ABSENCES = 3
    POLICY = 4
    CHANGES = 5


class LowerPane(LinesPane):
    """Shows one tab at a time; measures, slices, reasons and rules can be chosen."""

    class MeasureSelected(Message):
        """The cursor was moved to a measure."""

        def __init__(self, key: str) -> None:
            """Name the measure by its key."""
            super().__init__()
            self.key = key

    class SliceSelected(Message):
        """A slice was opened."""

        def __init__(self, name: str, tag: str | None) -> None:
            """Name the slice; *tag* is `None` for a built-in one."""
            super().__init__()
            self.name = name
            self.tag = tag

    class AbsenceSelected(Message):
        """A reason why a measure has no value was opened."""

        def __init__(self, measure: str, code: str) -> None:
            """Name the measure by its key and the reason by its code."""
            super().__init__()
            self.measure = measure
            self.code = code

    class RuleSelected(Message):
        """A rule of the policy was opened."""

        def __init__(self, rule: str) -> None:
            """Name the rule by its id."""
            super().__init__()
            self.rule = rule

    class Counted(Message):
        """The slices of a large set were counted in a thread."""

        def __init__(self, comparison: Comparison) -> None:
            """Name the comparison they are of."""
            super().__init__()
            self.comparison = comparison

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        """Start empty at the summary."""
        super().__init__(id=id)
        self._session: Session | None = None
        self._notices: tuple[str, ...] = ()
        self._gate: Gate | None = None
        self._rule: str | None = None
        self._tab = Tab.SUMMARY
        self._counted: Comparison | None = None
        self._counting: Comparison | None = None
        self._answerable: Aggregate | None = None

    @property
    def tab(self) -> Tab:
        """The tab shown."""
        return self._tab

    def show(self, session: Session, notices: Sequence[str] = (), gate: Gate | None = None) -> None:
        """
        Show the state of a session, and what else must be known; place and cursor stay.

        *gate* is the policy that was applied, if one was.
        """
        self._session, self._notices, self._gate = session, tuple(notices), gate
        self._present(keep_position=True)

    def select_tab(self, number: int) -> None:
        """Show a tab by its number, 1 to 5."""
        changed = self._tab is not Tab(number)
        self._tab = Tab(number)
        self._present(keep_position=not changed)

    def _present(self, *, keep_position: bool) -> None:
        current = None
        if self._session is not None and self._tab is Tab.SUMMARY:
            current = measure_target(self._session.measure.key)
        elif self._tab is Tab.POLICY:
            self._rule = first_rule(self._gate, self._rule)
            current = None if self._rule is None else rule_target(self._rule)
        self.show_lines(self._build_page, keep_position=keep_position, current=current)

    def _build_page(self, width: int) -> Page:
        session = self._session
        if session is None:
            return Page((), [BLANK])
        page = self._page_of(session, width)
        return Page(page.lines, [_strip(session.comparison, self._gate, self._tab), *page.header])

    def _page_of(self, session: Session, width: int) -> Page:
        comparison, measure = session.comparison, session.measure
        if self._tab is Tab.POLICY:
            return policy_page(self._gate, width=width, selected=self._rule)
        if self._tab is Tab.CHANGES:
            return settings_page(comparison, width=width, notices=self._notices)
        if self._tab is Tab.ABSENCES and comparison.withholds_questions:
            return Page(
                flow([Span("withheld: the set is held out and not opened", "muted")], width)
            )
        if self._tab is Tab.ABSENCES:
            return absences_page(comparison, measure, width=width, selected=self.current)
        if self._tab is Tab.SLICES:
            if not self._ready(comparison):
                return Page(flow([Span("counting the slices …", "muted")], width))
            return slices_page(comparison, measure, width=width, selected=self.current)
        self._ready(comparison)
        return summary_page(
            comparison,
            measure,
            width=width,
            shown=session.shown_aggregates,
            shown_words=session.filter_words,
            answerable=self._answerable if self._counted is comparison else None,
        )

    def _ready(self, comparison: Comparison) -> bool:
        """Tell whether the slices are counted; start counting them when they are not."""
        if self._counted is comparison:
            return True
        if len(comparison) <= AT_ONCE:
            self._count(comparison)
            return True
        if self._counting is not comparison:
            self._counting = comparison
            self.run_worker(lambda: self._count_aside(comparison), thread=True, group="slices")
        return False

    def _count(self, comparison: Comparison) -> None:
        by_name = {part.name: part for part in comparison.slices if part.tag is None}
        both = ANSWERABLE in by_name and UNANSWERABLE in by_name
        self._answerable = by_name[ANSWERABLE].of("support") if both else None
        self._counted = comparison

    def _count_aside(self, comparison: Comparison) -> None:
        _ = comparison.slices
        self.post_message(self.Counted(comparison))

    def on_lower_pane_counted(self, message: Counted) -> None:
        """Show what was counted, unless another comparison is shown by now."""
        message.stop()
        if self._session is not None and self._session.comparison is message.comparison:
            self._count(message.comparison)
            self.rebuild()

    def cursor_moved(self, meta: Meta) -> None:
        """Select a measure, or explain the slice, reason or rule, that the cursor came to."""
        if meta[0] == MEASURE:
            self.post_message(self.MeasureSelected(meta[1]))
        elif meta[0] == RULE:
            self._rule = meta[1]
            self.rebuild()
        elif meta[0] in {SLICE, ABSENCE}:
            self.rebuild()

    def header_clicked(self, meta: Meta) -> None:
        """Show the tab that was clicked."""
        if meta[0] == _TAB:
            self.select_tab(int(meta[1]))

    def action_row_open(self) -> None:
        """Open the slice, the reason or the rule under the cursor."""
        meta, session = self.current, self._session
        if meta is None or session is None:
            return
        if meta[0] == SLICE:
            tags = dict(session.comparison.slice_members)
            tag = next((tag for name, tag in tags if name == meta[1]), None)
            self.post_message(self.SliceSelected(meta[1], tag))
        elif meta[0] == ABSENCE:
            self.post_message(self.AbsenceSelected(meta[1], meta[2]))
        elif meta[0] == RULE:
            self.post_message(self.RuleSelected(meta[1]))
        super().action_row_open()


def _strip(comparison: Comparison, gate: Gate | None, shown: Tab) -> Line:
    """Return the line of tabs, with what waits behind each."""
    absences = () if comparison.withholds_questions else comparison.absences
    absent = sum(row.n for row in absences if row.side != "both")
    names = {
        Tab.SUMMARY: "Summary",
        Tab.SLICES: "Slices",
        Tab.ABSENCES: f"n/a {absent}" if absent else "n/a",
        Tab.POLICY: "Policy",
        Tab.CHANGES: f"Changes {len(comparison.settings)}",
    }
    line: Line = ()
    for tab, name in names.items():
        meta = (_TAB, str(tab.value))
        role = "selected" if tab is shown else "muted"
        line = (*line, Span(f" {tab.value} ", "faint", meta), Span(f" {name} ", role, meta))
        if tab is Tab.POLICY and (verdict := tab_words(gate)) is not None:
            told = f"{role} {verdict.role}"
            line = (*line, Span(f"{verdict.text} ", told, meta))
    return line
