"""What the session holds, passed down to the panes."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Final

from textual.content import Content

from ragtui.core.query import QueryError
from ragtui.errors import RagtuiError
from ragtui.session import Session, Sort
from ragtui.text import clean
from ragtui.tui.screens.panes import PanedScreen
from ragtui.tui.widgets.evidence import EvidencePane
from ragtui.tui.widgets.header import NoticeBar
from ragtui.tui.widgets.lower_tabs import LowerPane
from ragtui.tui.widgets.questions import TableState

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.timer import Timer

    from ragtui.core.comparison import Comparison

__all__ = ["SORT_WORDS", "SessionScreen"]

_HELD_S: Final = 0.08
"""Seconds between two moves up to which a key counts as held."""

_REST_S: Final = 0.06
"""Seconds without a move after which the evidence follows a held key."""

SORT_WORDS: Final = {
    "triage": "what hurts most first",
    "question": "by id",
    "tags": "by tags",
    "severity": "by severity",
    "verdict": "by verdict",
}
"""Orders of the table that are no measure's."""


class SessionScreen(PanedScreen, inherit_bindings=False):
    """Shows a session: first what is being read, then the whole comparison."""

    def __init__(self, user_keys: Mapping[str, str], filter_text: str) -> None:
        """Take the user's own keys and the filter to start with."""
        super().__init__(user_keys)
        self._filter_text = filter_text
        self._session: Session | None = None
        self._table_title = Content("Questions")
        self._evidence_due = False
        self._evidence_timer: Timer | None = None
        self._last_move = 0.0

    @property
    def session(self) -> Session | None:
        """What is looked at; `None` while the first reading goes on."""
        return self._session

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
        words = SORT_WORDS.get(key)
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

    def _select_measure(self, key: str) -> None:
        session = self._session
        if session is not None and session.measure.key != key:
            session.select_measure(key)
            self._show_all()

    def _move_measure(self, by: int) -> None:
        if self._session is not None:
            self._session.move_measure(by)
            self._show_all()
