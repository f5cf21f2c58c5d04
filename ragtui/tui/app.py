"""The application: starts, listens to the reading thread, and always leaves the terminal whole."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
import threading
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final

from textual.command import CommandPalette
from textual.message import Message

from ragtui.errors import Fault, OutputError, RagtuiError
from ragtui.files.ledger import Look
from ragtui.files.loading import Progress
from ragtui.files.watching import Inputs, Watch
from ragtui.session import Session
from ragtui.text import clean, plural
from ragtui.tui.actions import Scope, bindings
from ragtui.tui.config import load_config
from ragtui.tui.crash import crash_line, write_report
from ragtui.tui.following import FollowingApp
from ragtui.tui.keeping import Keeping
from ragtui.tui.loading import Ended, Failed, Loaded, Loading, Opened, Source
from ragtui.tui.palette import Commands
from ragtui.tui.saving import Adopted, Ready, Refused, Saved, Trouble
from ragtui.tui.screens.ask import Answer, Ask
from ragtui.tui.screens.main import MainScreen
from ragtui.tui.theme import THEMES, next_theme, starting_theme

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from textual.app import App
    from textual.binding import BindingType
    from textual.events import Key

    from ragtui.core.comparison import Comparison
    from ragtui.core.policy import Policy
    from ragtui.tui.loading import Event
    from ragtui.tui.saving import Event as SavingEvent
    from ragtui.tui.saving import Saving, Unfinished

__all__ = ["RagtuiApp", "run_app"]

INTERNAL_ERROR: Final = 70

_RETRY_S: Final = 0.1
"""Seconds until what was read is offered again to a screen on which somebody writes."""

_FIRST_LOOK_S: Final = 0.25
"""Seconds the screen waits for a refusal, so that a pair that may not be compared opens none."""


class RagtuiApp(FollowingApp, inherit_bindings=False):
    """Compares two runs on one screen."""

    CSS_PATH = "ragtui.tcss"
    TITLE = "ragtui"
    ENABLE_COMMAND_PALETTE = False
    """Its key comes from the registry of actions like every other."""
    COMMANDS: ClassVar = {Commands}
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Scope.ANYWHERE)]

    class Reported(Message):
        """The reading thread has something to say."""

        def __init__(self, loading: Loading, event: Event) -> None:
            """Carry what happened, and in which reading."""
            super().__init__()
            self.loading = loading
            self.event = event

    class Kept(Message):
        """The thread that keeps decisions has something to say."""

        def __init__(self, event: SavingEvent) -> None:
            """Carry what happened."""
            super().__init__()
            self.event = event

    def __init__(
        self,
        loading: Loading,
        *,
        filter_text: str = "",
        keymap: Mapping[str, str] | None = None,
        keeping: Keeping | None = None,
    ) -> None:
        """
        Take a reading that may have begun already, and where decisions are kept.

        Without *keeping* nothing can be decided.
        """
        # Without colours Textual would turn them into greys; the terminal's own are left out whole.
        super().__init__(ansi_color=True if "NO_COLOR" in os.environ else None)
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = starting_theme(os.environ, colours=_colours(self))
        self._reading = loading
        self._user_keys = dict(keymap or {})
        self._filter_text = filter_text
        self._keeping = keeping
        self._comparison: Comparison | None = None
        self._last_session: Session | None = None
        self.saving: Saving | None = None
        """The thread that keeps decisions, once the runs have been read."""
        self.failure: Exception | None = None
        """The error that ended the program, for whoever started it."""

    def on_mount(self) -> None:
        """Show the empty screen, then begin to listen."""
        self.set_keymap(self._user_keys)
        self._watch_signals()
        self.push_screen(MainScreen(keymap=self._user_keys, filter_text=self._filter_text))
        self.call_after_refresh(self._listen, self._reading)

    def _listen(self, loading: Loading) -> None:
        def report(event: Event) -> None:
            self.post_message(self.Reported(loading, event))

        loading.listen(report)

    def _watch_signals(self) -> None:
        """Restore the terminal when somebody ends the program or closes the window."""
        if threading.current_thread() is not threading.main_thread():
            return
        loop = asyncio.get_running_loop()
        for name in ("SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            if number is not None:
                with contextlib.suppress(NotImplementedError):
                    loop.add_signal_handler(number, self._end, 128 + number)

    def _end(self, code: int) -> None:
        self._reading.cancel()
        self.exit(return_code=code)

    # ------------------------------------------------------------ reading

    @property
    def _main(self) -> MainScreen | None:
        found = (screen for screen in self.screen_stack if isinstance(screen, MainScreen))
        return next(found, None)

    @property
    def _now_read(self) -> Loading:
        return self._reading

    def on_ragtui_app_reported(self, message: RagtuiApp.Reported) -> None:
        """Pass on what the reading thread found."""
        main = self._main
        if message.loading is not self._reading or main is None:
            return
        if main.session is not None and isinstance(message.event, Loaded | Failed):
            if self._is_busy(main):
                # What somebody writes is about what was on screen: it is not replaced meanwhile.
                again = self.Reported(message.loading, message.event)
                self.set_timer(_RETRY_S, partial(self.post_message, again))
                return
            self._is_reading = False
        match message.event:
            case Progress(what, done, total):
                main.show_progress(what, done, total)
            case Opened(comparison):
                main.show_opened(comparison)
            case Loaded(comparison, policy):
                self._loaded(main, comparison, policy)
            case Failed() as failed:
                self._failed(main, failed)
            case Ended():
                pass

    def _loaded(self, main: MainScreen, comparison: Comparison, policy: Policy | None) -> None:
        """Show what was read; the first time, when its decisions have been read, too."""
        self._comparison = comparison
        main.judge_by(policy, None if self._keeping is None else self._keeping.read)
        undecidable = self._keeping is None or comparison.withholds_questions
        if main.session is not None and (undecidable or self.saving is not None):
            main.show_comparison(comparison)
            if self.saving is not None:
                self.saving.save()
        elif self._keeping is None or undecidable:
            main.show_session(Session(comparison))
            self._follow()
        elif self.saving is None:
            main.show_progress("decisions", 1, 1)
            self.saving = self._keeping.saving(comparison)
            self.saving.start(self._heard)

    def _heard(self, event: SavingEvent) -> None:
        """Pass on what the keeping thread says; called from it."""
        with contextlib.suppress(RuntimeError):  # the screen may be gone already
            self.post_message(self.Kept(event))

    def on_ragtui_app_kept(self, message: RagtuiApp.Kept) -> None:
        """Show what became of decisions."""
        main = self._main
        if main is None:
            return
        match message.event:
            case Ready(session, notices):
                self._begin(main, session, notices)
            case Saved(entry):
                main.show_saved(entry)
            case Adopted(entries):
                main.show_adopted(entries)
            case Trouble() as trouble:
                main.show_trouble(trouble)
            case Refused(error):
                self.failure = error
                self.exit(return_code=getattr(error, "exit_code", INTERNAL_ERROR))

    def _begin(self, main: MainScreen, session: Session, notices: tuple[str, ...]) -> None:
        place = None if self._keeping is None else self._keeping.place
        self._last_session = session
        main.show_session(session, self.saving, notices=notices, place=place)
        self._follow()
        if self._comparison is not None and session.comparison is not self._comparison:
            main.show_comparison(self._comparison)

    def _failed(self, main: MainScreen, failed: Failed) -> None:
        error = failed.error
        if isinstance(error, (RagtuiError, OSError)) and main.session is not None:
            main.show_reload_failed(error, policy=failed.policy, in_policy=failed.in_policy)
            self._stay_closed()
            return
        self.failure = error
        self.exit(return_code=getattr(error, "exit_code", INTERNAL_ERROR))

    def action_app_reload(self) -> None:
        """Read the files again."""
        main = self._main
        if main is not None and main.session is not None:
            self._read(self._reading.again())

    def on_main_screen_opening_asked(self) -> None:
        """Read a held-out set again, with its questions, once that is written down."""
        self._read(self._reading.again(self._reading.source.opening(opens=True)))

    def _stay_closed(self) -> None:
        """Forget that questions were asked for which could not be opened."""
        if self._comparison is not None and self._comparison.withholds_questions:
            self._reading = self._reading.again(self._reading.source.opening(opens=False))

    def _read(self, reading: Loading) -> None:
        self._reading.cancel()
        self._is_reading = True
        self._reading = reading
        self._listen(reading)
        reading.start()

    @property
    def saved_session(self) -> Session | None:
        """What was looked at last, also when the program has ended."""
        return self._last_session

    def finish(self) -> Unfinished | None:
        """Put everything on disk, when the screen is gone; a fault does not end the session."""
        return None if self.saving is None else self.saving.finish(end=self.failure is None)

    # ------------------------------------------------------------ actions

    def on_key(self, event: Key) -> None:
        """Note the key, directly before its action runs: the screen wants to know held ones."""
        if (main := self._main) is not None:
            main.note_key(event.key, event.time)

    def action_app_leave(self) -> None:
        """Leave; while decisions cannot be written, only when asked twice."""
        main = self._main
        session = None if main is None else main.session
        if main is None or session is None or not session.pending or main.trouble.problem is None:
            self._end(0)
            return
        count = plural(len(session.pending), "step")
        told = [f"{count} of yours are not on disk: {main.trouble.problem}"]
        answers = [Answer("stay and try again", False), Answer("leave: they are lost", True)]  # noqa: FBT003 - the value of an answer
        self.push_screen(Ask("Leave without them?", told, answers), self._left)

    def _left(self, yes: bool | None) -> None:  # noqa: FBT001 - Textual's own form of a callback
        if yes:
            self._end(0)
        elif self.saving is not None:
            self.saving.retry()

    def action_app_palette(self) -> None:
        """Search all commands."""
        if not isinstance(self.screen, CommandPalette):
            self.push_screen(CommandPalette(id="--command-palette"))

    def action_app_theme(self) -> None:
        """Take the next theme."""
        self.theme = next_theme(self.theme)

    # ------------------------------------------------------------ faults

    def _handle_exception(self, error: Exception) -> None:
        """
        End the program without printing what it held.

        Textual would print local variables, questions and answers among them. It has no public way
        to change that.
        """
        self._return_code = INTERNAL_ERROR
        self.failure = self.failure or error
        if self._exception is None:
            self._exception = error
            self._exception_event.set()
        self._close_messages_no_wait()


def _colours(app: App[None]) -> int:
    """Return how many colours the terminal is said to have."""
    named = {"standard": 16, "windows": 16, "256": 256, "truecolor": 1 << 24}
    return named.get(app.console.color_system or "standard", 256)


def run_app(  # noqa: PLR0913 - one argument an option of the command line
    baseline: Path,
    candidate: Path,
    *,
    root: Path | None = None,
    cutoff: int | None = None,
    filter_text: str = "",
    triage: Path | None = None,
    who: str | None = None,
    look: Look | None = None,
    shows_restricted: bool = False,
    policy: Path | None = None,
    watched: bool = False,
) -> int:
    """
    Show two runs until the user leaves; return the exit code.

    Decisions stand at *triage*, by default beside the candidate's manifest, and are signed by
    *who*, by default the name in the user's config. *look* is what is shown of a held-out set, by
    default its aggregates. *shows_restricted* shows texts that a question's caller may not read.
    *policy* is what the runs are held against; *watched* input files are read again when they
    change.
    Raises RagtuiError when the files are not what they should be or may not be compared; the
    terminal is whole again by then. The caller makes sure that there is a terminal.
    """
    loading = Loading(
        Source(
            baseline,
            candidate,
            root,
            cutoff,
            look or Look(),
            shows_restricted=shows_restricted,
            policy=policy,
            watch=Watch(Inputs(baseline, candidate, root, policy)) if watched else None,
        )
    )
    loading.start()
    config = load_config()
    keeping = Keeping(baseline, candidate, triage=triage, who=who or config.name)
    loading.decided(_FIRST_LOOK_S)
    if loading.error is not None:
        return _told(loading.error)
    app = RagtuiApp(loading, filter_text=filter_text, keymap=config.keys, keeping=keeping)
    app.run()
    loading.cancel()
    if app.saved_session is not None and app.failure is None:
        keeping.remember(app.saved_session)  # a place that ends the program is not one to return to
    unfinished = app.finish()
    if app.failure is not None:
        return _told(app.failure)
    return _left_behind(unfinished, app.return_code or 0)


def _left_behind(unfinished: Unfinished | None, code: int) -> int:
    """Say what is not on disk. Raises OutputError unless a signal ended the program."""
    if unfinished is None or unfinished.problem is None:
        return code
    names = dict.fromkeys(name for entry in unfinished.lost for name in entry.questions)
    lost = f"{plural(len(unfinished.lost), 'step')} not on disk: {', '.join(names)}"
    kept = "the decisions are in the journal, the triage file is not up to date"
    error = OutputError([Fault(message=lost if names else kept), Fault(message=unfinished.problem)])
    if not code:
        raise error
    sys.stderr.write("".join(f"ragtui: {clean(line)}\n" for line in error.lines))
    return code


def _told(error: Exception) -> int:
    """Raise what the caller can explain; report what nobody can."""
    if isinstance(error, RagtuiError):
        raise error
    sys.stderr.write(crash_line(error, write_report(error)) + "\n")
    return INTERNAL_ERROR
