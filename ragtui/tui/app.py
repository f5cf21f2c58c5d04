"""The application: starts, listens to the reading thread, and always leaves the terminal whole."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
import threading
from typing import TYPE_CHECKING, ClassVar, Final

from textual.app import App
from textual.command import CommandPalette
from textual.message import Message

from ragtui.errors import RagtuiError
from ragtui.files.loading import Progress
from ragtui.tui.actions import Scope, bindings
from ragtui.tui.crash import crash_line, write_report
from ragtui.tui.keymap import load_keys
from ragtui.tui.loading import Ended, Failed, Loaded, Loading, Opened, Source
from ragtui.tui.palette import Commands
from ragtui.tui.screens.main import MainScreen
from ragtui.tui.theme import THEMES, next_theme, starting_theme

if TYPE_CHECKING:
    from pathlib import Path

    from textual.binding import BindingType

    from ragtui.tui.loading import Event

__all__ = ["RagtuiApp", "run_app"]

INTERNAL_ERROR: Final = 70

_FIRST_LOOK_S: Final = 0.25
"""Seconds the screen waits for a refusal, so that a pair that may not be compared opens none."""


class RagtuiApp(App[None], inherit_bindings=False):
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

    def __init__(
        self,
        loading: Loading,
        *,
        filter_text: str = "",
        keymap: dict[str, str] | None = None,
    ) -> None:
        """Take a reading that may have begun already."""
        # Without colours Textual would turn them into greys; the terminal's own are left out whole.
        super().__init__(ansi_color=True if "NO_COLOR" in os.environ else None)
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = starting_theme(os.environ, colours=_colours(self))
        self._reading = loading
        self._user_keys = keymap or {}
        self._filter_text = filter_text
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

    def on_ragtui_app_reported(self, message: RagtuiApp.Reported) -> None:
        """Pass on what the reading thread found."""
        main = self._main
        if message.loading is not self._reading or main is None:
            return
        match message.event:
            case Progress(what, done, total):
                main.show_progress(what, done, total)
            case Opened(comparison):
                main.show_opened(comparison)
            case Loaded(comparison):
                main.show_comparison(comparison)
            case Failed(error):
                self._failed(main, error)
            case Ended():
                pass

    def _failed(self, main: MainScreen, error: Exception) -> None:
        if isinstance(error, (RagtuiError, OSError)) and main.session is not None:
            main.show_reload_failed(str(error))
            return
        self.failure = error
        self.exit(return_code=getattr(error, "exit_code", INTERNAL_ERROR))

    def action_app_reload(self) -> None:
        """Read the files again."""
        main = self._main
        if main is None or main.session is None:
            return
        self._reading.cancel()
        self._reading = self._reading.again()
        self._listen(self._reading)
        self._reading.start()

    # ------------------------------------------------------------ actions

    def action_app_leave(self) -> None:
        """Leave."""
        self._end(0)

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


def run_app(
    baseline: Path,
    candidate: Path,
    *,
    root: Path | None = None,
    cutoff: int | None = None,
    filter_text: str = "",
    mouse: bool = True,
) -> int:
    """
    Show two runs until the user leaves; return the exit code.

    Raises RagtuiError when the files are not what they should be or may not be compared; the
    terminal is whole again by then. The caller makes sure that there is a terminal.
    """
    loading = Loading(Source(baseline, candidate, root, cutoff))
    loading.start()
    keymap = load_keys()
    loading.decided(_FIRST_LOOK_S)
    if loading.error is not None:
        return _told(loading.error)
    app = RagtuiApp(loading, filter_text=filter_text, keymap=keymap)
    app.run(mouse=mouse)
    loading.cancel()
    if app.failure is not None:
        return _told(app.failure)
    return app.return_code or 0


def _told(error: Exception) -> int:
    """Raise what the caller can explain; report what nobody can."""
    if isinstance(error, RagtuiError):
        raise error
    sys.stderr.write(crash_line(error, write_report(error)) + "\n")
    return INTERNAL_ERROR
