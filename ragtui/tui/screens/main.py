"""The comparison: three linked panes under a header, over a key bar."""

from __future__ import annotations

from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, ClassVar, Final

from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import Screen

from ragtui.core.query import QueryError
from ragtui.errors import RagtuiError
from ragtui.session import Session, Sort, View
from ragtui.text import clean, plural, printable_id
from ragtui.tui.actions import ACTIONS, Scope, bindings
from ragtui.tui.palette import Command, HasCommands
from ragtui.tui.screens.document import DocumentScreen
from ragtui.tui.screens.sheet import Sheet
from ragtui.tui.views.help import help_lines
from ragtui.tui.widgets.evidence import EvidencePane
from ragtui.tui.widgets.filter_bar import FilterBar
from ragtui.tui.widgets.header import ComparisonHeader, NoticeBar
from ragtui.tui.widgets.key_bar import KeyBar, shown_keys
from ragtui.tui.widgets.lower_tabs import LowerPane
from ragtui.tui.widgets.questions import QuestionsTable, TableState

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.events import DescendantFocus
    from textual.timer import Timer
    from textual.widget import Widget

    from ragtui.core.comparison import Comparison

__all__ = ["MainScreen"]

_LIVE_FILTER: Final = 50_000
"""Questions up to which the table follows every letter of a filter."""

_HELD_S: Final = 0.08
"""Seconds between two moves up to which a key counts as held."""

_REST_S: Final = 0.06
"""Seconds without a move after which the evidence follows a held key."""

_PANES: Final = ("questions", "lower", "evidence")

_SORT_WORDS: Final = {
    "triage": "what hurts most first",
    "question": "by id",
    "tags": "by tags",
    "severity": "by severity",
    "verdict": "by verdict",
}


class MainScreen(HasCommands, Screen[None], inherit_bindings=False):
    """Passes what the session holds down to the panes, and takes their messages up."""

    AUTO_FOCUS = "#questions"
    HORIZONTAL_BREAKPOINTS = [  # noqa: RUF012 - the base class declares it for instances
        (0, "-narrow"),
        (120, "-wide"),
    ]
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Scope.MAIN)]

    def __init__(self, *, keymap: dict[str, str] | None = None, filter_text: str = "") -> None:
        """Take the user's keys and the filter to start with."""
        super().__init__()
        self._user_keys = keymap or {}
        self._filter_text = filter_text
        self._session: Session | None = None
        self._pane = "questions"
        self._evidence_due = False
        self._old_filter = ""
        self._table_title = Content("Questions")
        self._last_move = 0.0
        self._evidence_timer: Timer | None = None

    def compose(self) -> ComposeResult:
        """Make the panes."""
        yield ComparisonHeader()
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
        self._table.border_title = self._table_title
        self._arrange()
        self._show_keys()

    @property
    def session(self) -> Session | None:
        """What is looked at; `None` while the first reading goes on."""
        return self._session

    @property
    def _table(self) -> QuestionsTable:
        return self.query_one(QuestionsTable)

    @property
    def _header(self) -> ComparisonHeader:
        return self.query_one(ComparisonHeader)

    # ------------------------------------------------------------ what the app tells

    def show_progress(self, what: str, done: int, total: int) -> None:
        """Show how far reading has come, and the rows read so far."""
        self._header.show_progress(clean(what), done, total)
        if self._session is None and self._table.state is not None:
            self._table.refresh()

    def show_opened(self, comparison: Comparison) -> None:
        """Show a comparison whose rows are still being filled."""
        if self._session is not None:
            return
        self._header.show_opened(comparison)
        self._table.show(
            TableState(
                comparison=comparison,
                rows=range(len(comparison)),
                cursor=0,
                measure=comparison.measures[0],
                sort=Sort("", reverse=False),
                loading=True,
            )
        )

    def show_comparison(self, comparison: Comparison) -> None:
        """Show a comparison that is complete, at the same question as before."""
        if self._session is None:
            self._session = Session(comparison)
            self._start_filter(self._session)
        elif dropped := self._session.replace(comparison):
            self.say(f"the filter was dropped: {dropped}", warning=True)
        self.query_one(NoticeBar).show(comparison.notices)
        self._header.stop_progress()
        self._show_all()

    def _start_filter(self, session: Session) -> None:
        if not self._filter_text:
            return
        try:
            session.set_filter(self._filter_text)
        except QueryError as error:
            self.say(f"filter not used: {error}", warning=True)

    def show_reload_failed(self, message: str) -> None:
        """Keep what is shown and say why it could not be read again."""
        self._header.stop_progress()
        self.say(f"not reloaded: {message}", warning=True)

    def say(self, message: str, *, warning: bool = False) -> None:
        """Tell the user something once."""
        severity = "warning" if warning else "information"
        self.app.notify(clean(message), severity=severity, markup=False)  # type: ignore[arg-type] # two of its literals

    # ------------------------------------------------------------ passing down

    def _show_all(self) -> None:
        session = self._session
        if session is None:
            return
        with self.app.batch_update():
            self._header.show(session.comparison, session.measure)
            self._show_table(session)
            self.query_one(LowerPane).show(session)
        self._show_evidence_soon()

    def _show_table(self, session: Session) -> None:
        state = TableState(
            comparison=session.comparison,
            rows=session.rows,
            cursor=session.cursor,
            measure=session.measure,
            sort=session.sort,
            words=self._sort_words(session),
        )
        self._table.show(state)
        self._title_table(session)

    def _title_table(self, session: Session) -> None:
        title = Content.styled("Questions", "bold")
        if session.is_filtered:
            words = f" {session.filter_words} · Esc shows all"
            title = Content.assemble(title, " ·", Content.styled(words, "$warning"))
        if title != self._table_title:
            # Setting it draws the whole pane anew.
            self._table_title = title
            self._table.border_title = title

    def _sort_words(self, session: Session) -> str:
        key, reverse = session.sort
        words = _SORT_WORDS.get(key)
        if words is None:
            words = f"by {session.comparison.measure(key).written(session.comparison.cutoff)}"
        return f"{words}, reversed" if reverse else words

    def _show_evidence_soon(self) -> None:
        """
        Let the cursor be painted first; while a key is held, wait until it rests.

        So the table scrolls at full speed, and the evidence is read only where somebody stops.
        """
        now = monotonic()
        held, self._last_move = now - self._last_move < _HELD_S, now
        if self._evidence_timer is not None:
            self._evidence_timer.stop()
            self._evidence_timer = None
        if held:
            self._evidence_due = True
            self._evidence_timer = self.set_timer(_REST_S, self._show_evidence)
        elif not self._evidence_due:
            self._evidence_due = True
            self.call_after_refresh(self._show_evidence)

    @property
    def is_settled(self) -> bool:
        """Whether the evidence shown is that of the question under the cursor."""
        return not self._evidence_due

    def _show_evidence(self) -> None:
        self._evidence_due = False
        session = self._session
        if session is None:
            return
        try:
            detail = session.detail()
        except (RagtuiError, OSError) as error:
            self.say(f"the record cannot be read: {error}; r reads the files again", warning=True)
            return
        pane = self.query_one(EvidencePane)
        pane.show(session.comparison, detail, session.measure)
        place = f"{session.cursor + 1:,} of {len(session.rows):,}" if session.rows else ""
        pane.border_subtitle = Content(place)

    # ------------------------------------------------------------ messages of the panes

    def on_questions_table_moved(self, message: QuestionsTable.Moved) -> None:
        """Move the cursor."""
        if self._session is not None:
            self._session.move_to(message.position)
            self._show_table(self._session)
            self._show_evidence_soon()

    def on_questions_table_measure_picked(self, message: QuestionsTable.MeasurePicked) -> None:
        """Select the measure that was clicked."""
        self._select_measure(message.key)

    def on_questions_table_sort_picked(self, message: QuestionsTable.SortPicked) -> None:
        """Sort by the column that was clicked, or the other way round."""
        session = self._session
        if session is None:
            return
        if session.sort.key == message.key:
            session.reverse()
        else:
            session.sort_by(message.key)
        self._show_all()

    def on_questions_table_opened(self) -> None:
        """Go to the evidence."""
        self._go_to("evidence")

    def on_lower_pane_measure_selected(self, message: LowerPane.MeasureSelected) -> None:
        """Select the measure that was chosen in a tab."""
        self._select_measure(message.key)

    def on_lower_pane_slice_selected(self, message: LowerPane.SliceSelected) -> None:
        """Show the questions of a slice."""
        session = self._session
        if session is None:
            return
        members = session.comparison.slice_members
        indexes = next((found for (name, _), found in members.items() if name == message.name), [])
        session.pick(f"slice {message.name}", indexes)
        self._show_all()
        self._go_to("questions")

    def on_lower_pane_absence_selected(self, message: LowerPane.AbsenceSelected) -> None:
        """Show the questions on which a measure has no value for one reason."""
        session = self._session
        if session is None:
            return
        comparison = session.comparison
        rows = [
            row
            for row in comparison.absences
            if (row.measure.key, row.code.value) == (message.measure, message.code)
        ]
        if not rows:
            return
        written = rows[0].measure.written(comparison.cutoff)
        found = {index for row in rows for index in comparison.absent_questions(row)}
        session.pick(f"{written} n/a: {rows[0].code.words}", found)
        self._show_all()
        self._go_to("questions")

    def on_evidence_pane_document_opened(self, message: EvidencePane.DocumentOpened) -> None:
        """Show a document over the screen."""
        session = self._session
        if session is not None and (detail := session.detail()) is not None:
            self.app.push_screen(DocumentScreen(session.comparison, detail, message.document))

    def on_notice_bar_asked(self) -> None:
        """Show the notices whole."""
        self.action_tab_changes()

    def on_key_bar_pressed(self, message: KeyBar.Pressed) -> None:
        """Do what a clicked key does."""
        self._run(message.action.method)

    def _run(self, method: str) -> None:
        """Run an action where it is active: in the focused pane, here, or in the app."""
        for node in (self.focused, self, self.app):
            found = getattr(node, f"action_{method}", None)
            if found is not None:
                self.call_later(found)
                return

    # ------------------------------------------------------------ panes

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

    def _go_to(self, pane: str) -> None:
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
        shown = [a for a in ACTIONS if scopes.intersection(a.scopes)]
        self.query_one(KeyBar).show(shown, self._user_keys)

    def action_pane_next(self) -> None:
        """Go to the next pane."""
        self._go_to(_PANES[(_PANES.index(self._pane) + 1) % len(_PANES)])

    def action_pane_previous(self) -> None:
        """Go to the previous pane."""
        self._go_to(_PANES[_PANES.index(self._pane) - 1])

    def action_pane_zoom(self) -> None:
        """Give the pane the whole screen, or take it back."""
        self.toggle_class("-zoomed")

    def action_go_back(self) -> None:
        """Return to the table; there, end the zoom, then show all questions again."""
        session = self._session
        if self._pane != "questions":
            self._go_to("questions")
        elif self.has_class("-zoomed"):
            self.remove_class("-zoomed")
        elif session is not None and session.is_filtered:
            session.clear_filter()
            session.set_view(View.ALL)
            self._show_all()

    def _tab(self, number: int) -> None:
        self.query_one(LowerPane).select_tab(number)
        self._go_to("lower")

    def action_tab_summary(self) -> None:
        """Show the summary."""
        self._tab(1)

    def action_tab_slices(self) -> None:
        """Show the slices."""
        self._tab(2)

    def action_tab_absences(self) -> None:
        """Show where measures have no value."""
        self._tab(3)

    def action_tab_changes(self) -> None:
        """Show what changed between the runs."""
        self._tab(4)

    # ------------------------------------------------------------ actions on the session

    def _select_measure(self, key: str) -> None:
        session = self._session
        if session is not None and session.measure.key != key:
            session.select_measure(key)
            self._show_all()

    def _move_measure(self, by: int) -> None:
        if self._session is not None:
            self._session.move_measure(by)
            self._show_all()

    def action_measure_next(self) -> None:
        """Select the next measure."""
        self._move_measure(1)

    def action_measure_previous(self) -> None:
        """Select the previous measure."""
        self._move_measure(-1)

    def _next_change(self, direction: int) -> None:
        session = self._session
        if session is None:
            return
        before = session.cursor
        if not session.next_change(direction):
            self.say("no other question shown here got worse")
        elif (session.cursor - before) * direction < 0:
            self.say("around the end" if direction > 0 else "around the start")
        self._show_table(session)
        self._show_evidence_soon()

    def action_change_next(self) -> None:
        """Go to the next question that needs a decision."""
        self._next_change(1)

    def action_change_previous(self) -> None:
        """Go to the previous question that needs a decision."""
        self._next_change(-1)

    def action_view_next(self) -> None:
        """Show the next view that has questions."""
        session = self._session
        if session is None:
            return
        session.next_view()
        while not session.rows and session.view is not View.ALL:
            session.next_view()
        self._show_all()

    def _set_view(self, view: View) -> None:
        if self._session is not None:
            self._session.set_view(view)
            self._show_all()

    def _sort_by(self, key: str) -> None:
        if self._session is not None:
            self._session.sort_by(key)
            self._show_all()

    def action_sort_measure(self) -> None:
        """Sort by the selected measure; when it is so already, by harm again."""
        session = self._session
        if session is not None:
            self._sort_by(
                "triage" if session.sort.key == session.measure.key else session.measure.key
            )

    def action_sort_reverse(self) -> None:
        """Reverse the order."""
        if self._session is not None:
            self._session.reverse()
            self._show_all()

    def action_copy_id(self) -> None:
        """Send the id of the question to the terminal's clipboard."""
        session = self._session
        if session is None or session.current is None:
            return
        name = session.comparison.ids[session.current]
        self.app.copy_to_clipboard(name)
        self.say(f"sent to the terminal's clipboard: {printable_id(name)}")

    def action_app_help(self) -> None:
        """Show all keys and signs."""
        session = self._session
        measures = session.comparison.measures if session else ()
        cutoff = session.comparison.cutoff if session else 0
        self.app.push_screen(
            Sheet(
                "Keys and signs",
                lambda width: help_lines(
                    width, measures=measures, cutoff=cutoff, keymap=self._user_keys
                ),
            )
        )

    # ------------------------------------------------------------ the filter

    def action_filter_edit(self) -> None:
        """Open the filter."""
        session = self._session
        if session is None:
            self.say("the questions are still being read")
            return
        bar = self.query_one(FilterBar)
        self._old_filter = session.filter_text
        bar.open(session.filter_text)
        bar.show_result(self._count_words(session))

    def _count_words(self, session: Session) -> str:
        if session.is_filtered:
            return session.filter_words
        return f"all {plural(len(session.comparison), 'question')}"

    def on_filter_bar_edited(self, message: FilterBar.Edited) -> None:
        """Follow the filter while it is written, unless that would take too long."""
        session = self._session
        if session is not None and len(session.comparison) <= _LIVE_FILTER:
            self._try_filter(session, message.text)

    def _try_filter(self, session: Session, text: str) -> bool:
        bar = self.query_one(FilterBar)
        try:
            session.set_filter(text)
        except QueryError as error:
            bar.show_fault(error.faults[0].message, error.hint)
            return False
        bar.show_result(self._count_words(session))
        self._show_all()
        return True

    def on_filter_bar_submitted(self, message: FilterBar.Submitted) -> None:
        """Keep the filter if it is understood."""
        session = self._session
        if session is not None and self._try_filter(session, message.text):
            self._close_filter()

    def on_filter_bar_cancelled(self) -> None:
        """Return to the old filter."""
        if self._session is not None:
            self._try_filter(self._session, self._old_filter)
        self._close_filter()

    def _close_filter(self) -> None:
        self.query_one(FilterBar).close()
        self._go_to("questions")

    # ------------------------------------------------------------ the palette

    def commands(self) -> Sequence[Command]:
        """Offer every action, and what can be chosen by name."""
        found = [
            Command(
                action.help[:1].upper() + action.help[1:],
                f"{action.label} · key {shown_keys(action, self._user_keys.get(action.id))}",
                partial(self._run, action.method),
            )
            for action in ACTIONS
            if action.palette and action.scopes != (Scope.DOCUMENT,)
        ]
        session = self._session
        if session is not None:
            found += self._choices(session)
        return found

    def _choices(self, session: Session) -> list[Command]:
        comparison = session.comparison
        measures = [
            Command(
                f"Measure: {m.written(comparison.cutoff)}",
                m.definition,
                partial(self._select_measure, m.key),
            )
            for m in comparison.measures
        ]
        views = [
            Command(f"View: {v.value}", "show only these", partial(self._set_view, v)) for v in View
        ]
        sorts = [
            Command(f"Sort: {words}", "order of the table", partial(self._sort_by, k))
            for k, words in _SORT_WORDS.items()
        ]
        return [*measures, *views, *sorts]
