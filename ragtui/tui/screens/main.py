"""The comparison: what people and panes ask for, done on the session and shown."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final

from textual.message import Message

from ragtui.core.query import QueryError
from ragtui.session import View
from ragtui.text import plural
from ragtui.tui.actions import ACTIONS, Scope, bindings
from ragtui.tui.palette import Command, HasCommands
from ragtui.tui.screens.ask import Answer, Ask
from ragtui.tui.screens.document import DocumentScreen
from ragtui.tui.screens.sheet import Sheet
from ragtui.tui.screens.showing import SORT_WORDS
from ragtui.tui.screens.taking_out import TakingOutScreen
from ragtui.tui.views.help import help_lines
from ragtui.tui.widgets.evidence import EvidencePane
from ragtui.tui.widgets.filter_bar import FilterBar
from ragtui.tui.widgets.key_bar import KeyBar, shown_keys

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from textual.binding import BindingType

    from ragtui.session import Session
    from ragtui.tui.widgets.lower_tabs import LowerPane
    from ragtui.tui.widgets.questions import QuestionsTable

__all__ = ["OPEN_WORDS", "MainScreen"]

OPEN_WORDS: Final = "Open held-out questions…"
OPEN_HELP: Final = "asks once: it spends the set for new candidates"

_LIVE_FILTER: Final = 50_000
"""Questions up to which the table follows every letter of a filter."""


class MainScreen(HasCommands, TakingOutScreen, inherit_bindings=False):
    """Takes up the messages of the panes and the keys of the user."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Scope.MAIN)]

    class OpeningAsked(Message):
        """The questions of a held-out set were asked for, and what that spends was read."""

    def __init__(self, *, keymap: Mapping[str, str] | None = None, filter_text: str = "") -> None:
        """Take the user's keys and the filter to start with."""
        super().__init__(keymap or {}, filter_text)
        self._old_filter = ""

    # ------------------------------------------------------------ messages of the panes

    def on_questions_table_moved(self, message: QuestionsTable.Moved) -> None:
        """Move the cursor."""
        if self._session is not None:
            self._session.move_to(message.position)
            self._show_table(self._session)
            self._show_evidence_soon()

    def on_questions_table_stepped(self, message: QuestionsTable.Stepped) -> None:
        """Move the cursor from where it is by then."""
        if self._session is not None:
            self._session.move(message.by)
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
            shown = detail.repeat(self.query_one(EvidencePane).repeat)
            self.app.push_screen(DocumentScreen(session.comparison, shown, message.document))

    def on_notice_bar_asked(self) -> None:
        """Show the notices whole."""
        self.action_tab_changes()

    def on_key_bar_pressed(self, message: KeyBar.Pressed) -> None:
        """Do what a clicked key does."""
        self._run(message.action.method)

    # ------------------------------------------------------------ actions on the session

    def action_go_back(self) -> None:
        """Return to the table; there, end the zoom, select nothing, then show all questions."""
        session = self._session
        if self._pane != "questions":
            self._go_to("questions")
        elif self.has_class("-zoomed"):
            self.remove_class("-zoomed")
        elif session is not None and session.selected:
            session.clear_selected()
            self._show_all()
        elif session is not None and session.is_filtered:
            session.clear_filter()
            session.set_view(View.ALL)
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

    def _step_repeat(self, by: int) -> None:
        if self._session is None or self.query_one(EvidencePane).step_repeat(by):
            return
        self.say("the question has one record in each run")

    def action_repeat_next(self) -> None:
        """Show the next repeat of the question."""
        self._step_repeat(1)

    def action_repeat_previous(self) -> None:
        """Show the previous repeat of the question."""
        self._step_repeat(-1)

    def _next_change(self, direction: int) -> None:
        session = self._session
        if session is None:
            return
        before = session.cursor
        if not session.next_change(direction):
            self.say(self._none_other(session))
        elif (session.cursor - before) * direction < 0:
            self.say("around the end" if direction > 0 else "around the start")
        self._show_table(session)
        self._show_evidence_soon()

    def _none_other(self, session: Session) -> str:
        """Say why there is no other change to go to."""
        left = session.counts.undecided
        if session.is_filtered and left:
            return f"no other change shown here needs a decision; {left:,} in all, Esc shows all"
        return "no other change needs a decision" if left else "nothing is left to decide"

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

    @property
    def is_filtering(self) -> bool:
        """Whether a filter is being written."""
        return self.query_one(FilterBar).is_open

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
        if session is None:
            return found
        if session.comparison.withholds_questions:
            found.insert(0, Command(OPEN_WORDS, OPEN_HELP, self._ask_to_open))
        return [*found, *self._choices(session)]

    def _ask_to_open(self) -> None:
        """Ask once before the questions of a held-out set are shown."""
        session = self._session
        standing = None if session is None else session.comparison.standing
        if standing is None:
            return
        told = [
            f"This set is {standing.words}.",
            "Its questions are shown once that is written to the ledger.",
            "Then the set is opened: the next new candidate makes it a development set.",
            "Nothing takes that back.",
        ]
        answers = [Answer("leave them closed", False), Answer("open the questions", True)]  # noqa: FBT003 - the value of an answer
        self.app.push_screen(Ask("Open the held-out questions?", told, answers), self._open)

    def _open(self, yes: bool | None) -> None:  # noqa: FBT001 - Textual's own form of a callback
        if yes:
            self.post_message(self.OpeningAsked())

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
            for k, words in SORT_WORDS.items()
        ]
        return [*measures, *views, *sorts]
