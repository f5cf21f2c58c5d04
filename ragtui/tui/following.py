"""The part of the application that reads again by itself when input files have changed."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from textual.app import App
from textual.message import Message

from ragtui.tui.watching import EVERY_S, Watching

if TYPE_CHECKING:
    from ragtui.files.watching import Changed
    from ragtui.tui.loading import Loading
    from ragtui.tui.screens.main import MainScreen

__all__ = ["FollowingApp"]


class FollowingApp(App[None], inherit_bindings=False):
    """Watches the files of a reading that asks for it."""

    class FilesChanged(Message):
        """Input files are not what was read any more."""

        def __init__(self, changed: Changed) -> None:
            """Carry which."""
            super().__init__()
            self.changed = changed

    watch_every_s: float = EVERY_S

    _watching: Watching | None = None
    _told_changed: Changed | None = None
    _is_reading = True
    """Whether files are being read, or what was read is not shown yet."""

    @property
    def _main(self) -> MainScreen | None:
        raise NotImplementedError

    @property
    def _now_read(self) -> Loading:
        """The last reading."""
        raise NotImplementedError

    def action_app_reload(self) -> None:
        """Read the files again."""
        raise NotImplementedError

    def _follow(self) -> None:
        """Begin to watch the files, now that there is something to keep up to date."""
        self._is_reading = False
        watch = self._now_read.source.watch
        if watch is None or self._watching is not None:
            return

        def heard(changed: Changed) -> None:
            with contextlib.suppress(RuntimeError):  # the screen may be gone already
                self.post_message(self.FilesChanged(changed))

        self._watching = Watching(watch, heard, every_s=self.watch_every_s)
        self._watching.start()

    def on_unmount(self) -> None:
        """Look at the files no more."""
        if self._watching is not None:
            self._watching.stop()

    def _is_busy(self, main: MainScreen) -> bool:
        """Tell whether somebody is writing or choosing something over the comparison."""
        return self.screen is not main or main.is_filtering

    def on_following_app_files_changed(self, message: FollowingApp.FilesChanged) -> None:
        """Read again what has changed; while somebody writes, it is said again soon."""
        main, changed = self._main, message.changed
        if self._watching is None or main is None or main.session is None or self._is_reading:
            return
        if changed.reading != self._watching.watch.reading or self._is_busy(main):
            return
        if main.session.comparison.standing is None:
            main.say(f"{changed.words} changed: reading again")
            self.action_app_reload()
        elif changed != self._told_changed:
            self._told_changed = changed
            if not self._watching.watch.policy_files.isdisjoint(changed.files):
                main.show_policy_changed()
            main.say(
                f"{changed.words} changed. The set is held out, and reading again may be a look at"
                " another candidate: r does it",
                warning=True,
            )
