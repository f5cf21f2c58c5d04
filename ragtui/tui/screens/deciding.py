"""Deciding about changes: each step is shown at once, and called decided when it is on disk."""

from __future__ import annotations

from functools import partial
from math import inf
from typing import TYPE_CHECKING, Final

from textual.message import Message

from ragtui.core.triage import Choice
from ragtui.errors import UsageError
from ragtui.text import plural, printable_id
from ragtui.tui.key_guard import DECIDE_GAP_S, STEP_GAP_S, KeyGuard
from ragtui.tui.screens.ask import Answer, Ask
from ragtui.tui.screens.editor import DecisionEditor, Draft
from ragtui.tui.screens.judging import JudgingScreen
from ragtui.tui.views.decision import CHOICE_WORDS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ragtui.core.history import Conflict, Entry
    from ragtui.core.triage import Decision
    from ragtui.session import Session

__all__ = ["DecidingScreen"]

_NAMED: Final = 5
"""Questions named one by one where several are decided together."""


class DecidingScreen(JudgingScreen, inherit_bindings=False):
    """Takes decisions about what is on screen, and nothing else."""

    class InTurn(Message):
        """Something to do after whatever the focused pane has asked for before."""

        def __init__(self, run: Callable[[], None]) -> None:
            """Take what to do."""
            super().__init__()
            self.run = run

    decide_gap_s: float = DECIDE_GAP_S
    step_gap_s: float = STEP_GAP_S

    def __init__(self, user_keys: Mapping[str, str], filter_text: str) -> None:
        """Take the user's own keys by action id, and the filter to start with."""
        super().__init__(user_keys, filter_text)
        self._guard = KeyGuard()
        self._rest = inf
        self._told_held = False
        self._end_due = False

    # ------------------------------------------------------------ what counts as pressed

    def note_key(self, key: str, at: float) -> None:
        """Note how long a key was let alone, pressed at *at* in seconds; its action runs next."""
        self._rest = self._guard.rest(key, at)

    def _run(self, method: str) -> None:
        self._rest = inf  # chosen by a click or a name, which nobody holds down
        super()._run(method)

    def _in_turn(self, run: Callable[[], None]) -> None:
        """
        Do something when the moves of the cursor asked for before it have been made.

        They travel from the focused pane to the screen, so this takes the same way.
        """
        (self.focused or self).post_message(self.InTurn(run))

    def on_deciding_screen_in_turn(self, message: DecidingScreen.InTurn) -> None:
        """Do it."""
        message.stop()
        message.run()

    def _is_held(self, rest: float, gap: float) -> bool:
        if rest >= gap:
            self._told_held = False
            return False
        if not self._told_held:
            self._told_held = True
            self.say("a key that is held or pressed in haste decides once")
        return True

    def _refusal(self, session: Session) -> str | None:
        """Say why nothing can be decided now."""
        if session.read_only is not None:
            return f"read-only: {session.read_only}"
        if session.current != self.seen:
            return "not decided: the question was not on screen yet"
        return None

    def _ready(self, rest: float, gap: float) -> Session | None:
        """Return the session if a decision may be made in it now; say why not otherwise."""
        session = self._session
        if session is None or self._is_held(rest, gap):
            return None
        refusal = self._refusal(session)
        if refusal is not None:
            self.say(refusal, warning=session.read_only is not None)
            return None
        return session

    # ------------------------------------------------------------ deciding

    def action_decide_accept(self) -> None:
        """Accept the change."""
        self._in_turn(partial(self._decide, Choice.ACCEPT, self._rest))

    def action_decide_block(self) -> None:
        """Block the change."""
        self._in_turn(partial(self._decide, Choice.BLOCK, self._rest))

    def action_decide_investigate(self) -> None:
        """Mark the change as being looked into."""
        self._in_turn(partial(self._decide, Choice.INVESTIGATE, self._rest))

    def action_decide_dispute(self) -> None:
        """Dispute the label."""
        self._in_turn(partial(self._decide, Choice.DISPUTE, self._rest))

    def _decide(self, choice: Choice, rest: float) -> None:
        session = self._ready(rest, self.decide_gap_s)
        if session is None:
            return
        targets = session.targets()
        if not targets:
            self.say("no question is shown")
            return
        if not session.selected.isdisjoint(targets):
            self._ask_about(session, choice, targets)
        else:
            self._take(choice, Draft(), self._names(session, targets))

    def _ask_about(self, session: Session, choice: Choice, targets: Sequence[int]) -> None:
        names = self._names(session, targets)
        count = plural(len(names), "question")
        listed = [printable_id(name) for name in names[:_NAMED]]
        if len(names) > _NAMED:
            listed.append(f"and {len(names) - _NAMED:,} more")
        hidden = len(session.selected) - len(targets)
        if hidden:
            listed.append(f"{plural(hidden, 'selected question')} not shown: left out")
        answers = [Answer(f"{CHOICE_WORDS[choice]}: {count}", True), Answer("not now", False)]  # noqa: FBT003 - the value of an answer
        title = f"{CHOICE_WORDS[choice].capitalize()} {count}?"

        def answered(yes: bool | None) -> None:  # noqa: FBT001 - Textual's own form of a callback
            if yes:
                self._take(choice, Draft(), names)

        self.app.push_screen(Ask(title, listed, answers), answered)

    @staticmethod
    def _names(session: Session, indexes: Sequence[int]) -> list[str]:
        return [session.comparison.ids[index] for index in indexes]

    def _indexes(self, session: Session, names: Sequence[str]) -> list[int]:
        """Return where questions are now: files may have been read anew meanwhile."""
        found = (session.comparison.index_of(name) for name in names)
        return [index for index in found if index is not None]

    def _take(self, choice: Choice | None, draft: Draft, names: Sequence[str]) -> None:
        """Decide, or only write beside what was decided; then go on to the next change."""
        session = self._session
        if session is None:
            return
        texts = {"note": draft.note, "owner": draft.owner, "follow_up": draft.follow_up}
        indexes = self._indexes(session, names)
        try:
            if choice is None:
                entry = session.annotate(indexes=indexes, **texts)
            else:
                entry = session.decide(choice, indexes=indexes, **texts)
        except UsageError as error:
            self.say(str(error), warning=True)
            return
        if entry is None:
            self.say("that is decided already")
        else:
            self._keep(entry)
        if choice is not None:
            self._go_on(session, indexes)
        self._show_decided()

    def _go_on(self, session: Session, indexes: Sequence[int]) -> None:
        """Go to the next change that needs a decision, or say that none is left here."""
        before = session.cursor
        session.refresh()
        current = session.current
        if current is None or current in indexes or not session.needs_decision(current):
            moved = session.next_change()
            if not moved:
                self._say_end(session)
            elif session.cursor < before:
                self.say("around the end")

    def _say_end(self, session: Session) -> None:
        left = session.counts.undecided
        if not left:
            self._end_due = True
        elif session.is_filtered:
            self.say(f"nothing is left to decide here; {left:,} elsewhere, Esc shows all")
        else:
            self.say(f"what is left is being looked into: {plural(left, 'change')}")

    def _keep(self, entry: Entry) -> None:
        if self.saving is not None:
            self.saving.put(entry)

    def _show_decided(self) -> None:
        """Show what stands now; nothing more is decided before that is seen."""
        self.seen = None
        self._version += 1
        self._show_all()

    # ------------------------------------------------------------ beside a choice

    def action_decide_edit(self) -> None:
        """Write a note, an owner, what follows."""
        self._in_turn(self._edit)

    def _edit(self) -> None:
        session = self._session
        if session is None or (session.current is None and not session.selected):
            return
        if session.read_only is not None:
            self.say(f"read-only: {session.read_only}", warning=True)
            return
        names = self._names(session, session.targets())
        single = len(names) == 1
        decision = session.decision(session.targets()[0]) if single else None
        about = printable_id(names[0]) if single else plural(len(names), "question")

        def written(draft: Draft | None) -> None:
            if draft is not None:
                self._take(draft.choice, draft, names)

        editor = DecisionEditor(about, decision, self._user_keys, len(names))
        self.app.push_screen(editor, written)

    def action_decide_select(self) -> None:
        """Select the question or no longer, and go one row down."""
        self._in_turn(self._select)

    def _select(self) -> None:
        session = self._session
        if session is None or session.current is None:
            return
        session.toggle_selected()
        session.move(1)
        self._show_all()

    # ------------------------------------------------------------ back and forth

    def action_decide_undo(self) -> None:
        """Take back the latest step."""
        session = self._ready(self._rest, self.step_gap_s)
        if session is not None:
            self._step_back(session, session.undo(), "undone", "this is where the session began")

    def action_decide_redo(self) -> None:
        """Do again what was undone."""
        session = self._ready(self._rest, self.step_gap_s)
        if session is not None:
            self._step_back(session, session.redo(), "done again", "nothing was undone")

    def _step_back(self, session: Session, entry: Entry | None, done: str, none: str) -> None:
        if entry is None:
            self.say(none)
            return
        self._keep(entry)
        self._end_due = False
        session.refresh()
        first = session.comparison.index_of(entry.edits[0].question)
        if first is not None:
            session.select_question(first)
        self.say(f"{done}: {_step_words(entry)}")
        self._show_decided()

    # ------------------------------------------------------------ the disk

    def show_saved(self, entry: Entry) -> None:
        """Call a step decided: it is on disk."""
        session = self._session
        if session is None:
            return
        session.saved(entry)
        self._judge()
        self._version += 1
        self._show_stand(session)
        current = session.current
        if current is not None and session.comparison.ids[current] in entry.questions:
            self._show_evidence_soon()
        if not session.pending:
            self._offer_export(session)

    def show_adopted(self, entries: Sequence[Entry]) -> None:
        """Take over what somebody else decided meanwhile."""
        session = self._session
        if session is None or self.saving is None:
            return
        for entry in entries:
            session.taken(entry)
            self.say(f"taken over from the file: {_step_words(entry)}", warning=True)
        self.saving.put_anew(session.pending)
        self._judge()
        self._show_decided()

    def _offer_export(self, session: Session) -> None:
        """Say that nothing is left to decide, once for each time that comes to pass."""
        if not self._end_due or session.counts.undecided:
            return
        self._end_due = False
        count = plural(session.counts.total, "change")
        answers = [Answer("export the release note", True), Answer("look around", False)]  # noqa: FBT003 - the value of an answer

        def answered(yes: bool | None) -> None:  # noqa: FBT001 - Textual's own form of a callback
            if yes:
                self.action_note_export()

        told = [f"All {count} that needed a decision have one, and it is on disk."]
        self.app.push_screen(Ask("Nothing left to decide", told, answers), answered)

    def action_note_export(self) -> None:
        """Write the release note."""
        raise NotImplementedError

    def action_decide_write(self) -> None:
        """Try again what could not be written, or settle what was decided twice."""
        if self.saving is None:
            self.say("nothing waits for the disk")
        elif self.trouble.conflicts:
            self._settle(self.trouble.conflicts[0])
        elif self.trouble.problem is None:
            self.say("everything is on disk")
        else:
            self.saving.retry()

    def _settle(self, conflict: Conflict) -> None:
        told = [
            f"question {printable_id(conflict.question)}",
            f"here: {_decision_words(conflict.ours)}",
            f"in the file: {_decision_words(conflict.theirs)}",
        ]
        answers = [
            Answer("keep what was decided here", False),  # noqa: FBT003 - the value of an answer
            Answer("take what stands in the file", True),  # noqa: FBT003 - as above
        ]
        title = "Decided here, and otherwise in the file"
        self.app.push_screen(Ask(title, told, answers), partial(self._settled, conflict.question))

    def _settled(self, question: str, theirs: bool | None) -> None:  # noqa: FBT001 - Textual's own form of a callback
        if theirs is None or self.saving is None:
            return
        self.saving.resolve(question, theirs=theirs)
        rest = [c for c in self.trouble.conflicts if c.question != question]
        if rest:
            self.trouble = type(self.trouble)(self.trouble.problem, tuple(rest))
            self._settle(rest[0])


def _step_words(entry: Entry) -> str:
    """Say what a step did, to one question or several."""
    if len(entry.edits) > 1:
        return plural(len(entry.edits), "question")
    edit = entry.edits[0]
    after = "open again" if edit.new is None else CHOICE_WORDS[edit.new.choice]
    return f"{printable_id(edit.question)}: {after}"


def _decision_words(decision: Decision | None) -> str:
    if decision is None:
        return "no decision"
    words = CHOICE_WORDS[decision.choice]
    if decision.who:
        words += f", by {decision.who}"
    return f"{words}: {decision.note}" if decision.note else words
