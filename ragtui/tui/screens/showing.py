"""What the session holds, passed down to the panes."""

from __future__ import annotations

from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Final

from textual.content import Content

from ragtui.core.query import QueryError
from ragtui.errors import RagtuiError
from ragtui.session import Sort
from ragtui.text import clean
from ragtui.tui.actions import action_named
from ragtui.tui.memory import return_to
from ragtui.tui.saving import Trouble
from ragtui.tui.screens.panes import PanedScreen
from ragtui.tui.views.decision import on_disk, stand_of
from ragtui.tui.views.header import triage_words
from ragtui.tui.views.policy import ruling_words
from ragtui.tui.widgets.banner import Banner
from ragtui.tui.widgets.evidence import EvidencePane
from ragtui.tui.widgets.header import NoticeBar
from ragtui.tui.widgets.key_bar import shown_keys
from ragtui.tui.widgets.lower_tabs import LowerPane, Tab
from ragtui.tui.widgets.questions import TableState

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from textual.timer import Timer

    from ragtui.core.comparison import Comparison
    from ragtui.session import Session
    from ragtui.tui.actions import Action
    from ragtui.tui.memory import Place
    from ragtui.tui.saving import Saving
    from ragtui.tui.views.policy import Gate

__all__ = ["SORT_WORDS", "SessionScreen"]

_HELD_S: Final = 0.08
"""Seconds between two moves up to which a key counts as held."""

_REST_S: Final = 0.06
"""Seconds without a move after which the evidence follows a held key."""

_DECIDE: Final = (
    "decide.accept",
    "decide.block",
    "decide.investigate",
    "decide.dispute",
    "decide.edit",
)

_ON_QUESTIONS: Final = frozenset(
    {"change", "copy", "decide", "filter", "record", "repeat", "sort", "view"}
)
"""Areas of actions that work on questions."""

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
        self.saving: Saving | None = None
        """Where steps are put on disk; `None`: nowhere."""
        self.seen: int | None = None
        """The question whose evidence has been painted; nothing else may be decided."""
        self._version = 0
        self.trouble = Trouble(None)
        """What is not on disk, and why."""
        self._notices: tuple[str, ...] = ()
        self._gate: Gate | None = None
        self._unread = ""
        """Why the files could not be read again; empty when what is shown was read last."""

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

    def show_session(
        self,
        session: Session,
        saving: Saving | None = None,
        *,
        notices: Sequence[str] = (),
        place: Place | None = None,
    ) -> None:
        """Show a session over a comparison that is complete; go to *place* where it exists."""
        self._session, self.saving, self._notices = session, saving, tuple(notices)
        if place is not None:
            return_to(session, place, filtered=not self._filter_text)
        self._start_filter(session)
        self._show_read(session)

    def show_comparison(self, comparison: Comparison) -> None:
        """Show a comparison that was read anew, at the same question as before."""
        session = self._session
        if session is None:
            return
        self._unread = ""
        if dropped := session.replace(comparison):
            self.say(f"the filter was dropped: {dropped}", warning=True)
        self._version += 1
        self._show_read(session)

    def _show_read(self, session: Session) -> None:
        self.seen = None
        self._make_room(session)
        self._show_notices(session)
        self._header.stop_progress()
        self._show_all()

    def _make_room(self, session: Session) -> None:
        """Give the totals the room that the questions of a closed set leave, and take it back."""
        closed = session.comparison.withholds_questions
        if closed == self.has_class("-closed"):
            return
        self.set_class(closed, "-closed")
        if closed:
            self._tab(Tab.SUMMARY if self._gate is None else Tab.POLICY)
        else:
            self._go_to("questions")

    def _show_notices(self, session: Session) -> None:
        self.query_one(NoticeBar).show((*self._told(session), *session.comparison.notices))

    def _told(self, session: Session) -> tuple[str, ...]:
        """Return what must be known about files, decisions and policy before anything else."""
        unread = (f"not reloaded, so this is older: {self._unread}",) if self._unread else ()
        reason = session.read_only
        read_only = (f"read-only: {reason}",) if reason is not None and self.saving else ()
        ruling = None if self._gate is None else self._gate.ruling
        warnings = () if ruling is None else (f"policy: {told}" for told in ruling.warnings)
        return (*unread, *read_only, *self._notices, *warnings)

    def show_trouble(self, trouble: Trouble) -> None:
        """Say what is not on disk, until it is."""
        self.trouble = trouble
        self._show_banner()

    def _show_banner(self) -> None:
        session, trouble = self._session, self.trouble
        self.query_one(Banner).show(
            trouble.problem,
            waiting=0 if session is None else len(session.pending),
            key=shown_keys(action_named("decide.write"), self._user_keys.get("decide.write")),
            conflicts=len(trouble.conflicts),
        )

    def _start_filter(self, session: Session) -> None:
        if not self._filter_text:
            return
        try:
            session.set_filter(self._filter_text)
        except QueryError as error:
            self.say(f"filter not used: {error}", warning=True)

    def _keep_read(self, why: str) -> None:
        """Keep what is shown, and say why it could not be read again until it can."""
        self._unread = why
        self._header.stop_progress()
        self.say(f"not reloaded: {why}", warning=True)
        if self._session is not None:
            self._show_notices(self._session)
            self._show_all()

    # ------------------------------------------------------------ passing down

    def _show_all(self) -> None:
        session = self._session
        if session is None:
            return
        with self.app.batch_update():
            self._show_stand(session)
            self._show_lower(session)
        self._show_evidence_soon()

    def _show_lower(self, session: Session) -> None:
        self.query_one(LowerPane).show(session, self._told(session), self._gate)

    def _show_stand(self, session: Session) -> None:
        """Show where the decisions stand: header, table, what comes next, what is wrong."""
        closed = session.comparison.withholds_questions
        words = (
            ()
            if closed
            else triage_words(
                on_disk(session),
                waiting=len(session.pending),
                read_only=session.read_only is not None and self.saving is not None,
            )
        )
        self._header.show(session.comparison, session.measure, words, ruling_words(self._gate))
        self._show_table(session)
        self._show_keys()
        self._show_banner()

    def _show_table(self, session: Session) -> None:
        state = TableState(
            comparison=session.comparison,
            rows=session.rows,
            cursor=session.cursor,
            measure=session.measure,
            sort=session.sort,
            words=self._sort_words(session),
            stand=partial(stand_of, session),
            chosen=session.selected,
            version=self._version,
        )
        self._table.show(state)
        self._title_table(session)

    def _title_table(self, session: Session) -> None:
        title = Content.styled("Questions", "bold")
        if session.is_filtered:
            words = f" {session.filter_words} · Esc shows all"
            title = Content.assemble(title, " ·", Content.styled(words, "$warning"))
        if session.selected:
            words = f" {len(session.selected):,} selected"
            title = Content.assemble(title, " ·", Content.styled(words, "$accent bold"))
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
        stand = None if session.current is None else stand_of(session, session.current)
        pane.show(session.comparison, detail, session.measure, stand)
        self._show_keys()
        self.call_after_refresh(self._mark_seen, session.current)
        place = f"{session.cursor + 1:,} of {len(session.rows):,}" if session.rows else ""
        pane.border_subtitle = Content(place)

    def _mark_seen(self, index: int | None) -> None:
        """Note that a question has been painted; what was decided about it since, has not."""
        if self._session is not None and index == self._session.current and self.is_settled:
            self.seen = index

    def _is_of_use(self, action: Action) -> bool:
        """Leave out what needs a question while a held-out set keeps its own."""
        closed = self._session is not None and self._session.comparison.withholds_questions
        return not (closed and action.id.partition(".")[0] in _ON_QUESTIONS)

    def _next_actions(self) -> tuple[str, ...]:
        """Return the actions that come next: decide, go to what is open, or export."""
        session = self._session
        if session is not None and session.comparison.withholds_questions:
            return ("app.palette",)
        if session is None or self.saving is None or session.read_only is not None:
            return ()
        if session.current is not None and session.needs_decision(session.current):
            return _DECIDE
        return ("change.next",) if session.counts.undecided else ("note.export",)

    def _select_measure(self, key: str) -> None:
        session = self._session
        if session is not None and session.measure.key != key:
            session.select_measure(key)
            self._show_all()

    def _move_measure(self, by: int) -> None:
        if self._session is not None:
            self._session.move_measure(by)
            self._show_all()
