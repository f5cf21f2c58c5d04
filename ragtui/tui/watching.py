"""Looking at the input files in a thread of its own: a slow disk must not hold up a key."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from ragtui.files.watching import Changed, Watch

__all__ = ["EVERY_S", "Watching"]

EVERY_S: Final = 0.5
"""Seconds between two looks; a file that was written to in between has not come to rest."""


class Watching:
    """Looks at regular times until it is stopped, and says each time what has changed."""

    def __init__(self, watch: Watch, heard: Callable[[Changed], None], *, every_s: float) -> None:
        """Look through *watch*; *heard* is called from the thread."""
        self.watch = watch
        self._heard = heard
        self._every_s = every_s
        self._stop = threading.Event()
        # A daemon: leaving must not wait for a slow disk.
        self._thread = threading.Thread(target=self._run, name="ragtui-watching", daemon=True)

    def start(self) -> None:
        """Begin to look."""
        self._thread.start()

    def stop(self) -> None:
        """Look no more."""
        self._stop.set()

    def _run(self) -> None:
        while not self._stop.wait(self._every_s):
            changed = self.watch.poll()
            if changed is not None:
                self._heard(changed)
