"""A program in a real pseudo-terminal: what it sends, and what a screen would show of it."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import sys
import tempfile
import termios
import time
from typing import TYPE_CHECKING, Final, Self

import pyte

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from types import TracebackType

__all__ = ["Terminal", "python"]

PATIENCE_S: Final = 30.0
"""Seconds after which something that does not happen is a failure."""


def python(code: str, *arguments: str) -> list[str]:
    """Return the command that runs a piece of Python."""
    return [sys.executable, "-c", code, *arguments]


class Terminal:
    """Runs one command; everything it writes is kept."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        size: tuple[int, int] = (120, 40),
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """Start *command* in a terminal of *size* columns and lines."""
        self.written = b""
        self._state = tempfile.TemporaryDirectory()
        self._screen = pyte.Screen(*size)
        self._stream = pyte.ByteStream(self._screen)
        self.pid, self._fd = pty.fork()
        if self.pid == 0:  # pragma: no cover - the child becomes another program at once
            # What one session remembers must not open another one somewhere else.
            forgetful = {"XDG_STATE_HOME": self._state.name}
            whole = {**os.environ, **forgetful, **(environment or {})}
            os.execvpe(command[0], list(command), whole)  # noqa: S606 - this project's own commands
        shape = struct.pack("HHHH", size[1], size[0], 0, 0)
        fcntl.ioctl(self._fd, termios.TIOCSWINSZ, shape)
        self._code: int | None = None

    def __enter__(self) -> Self:
        """Return the terminal itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the program, whatever it does."""
        if self._code is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self._fd)
        self._state.cleanup()

    def read(self, seconds: float) -> bool:
        """Take what is written within *seconds*; tell whether there was anything."""
        ready, _, _ = select.select([self._fd], [], [], seconds)
        if not ready:
            return False
        try:
            found = os.read(self._fd, 65_536)
        except OSError:
            return False
        self.written += found
        self._stream.feed(found)
        return bool(found)

    @property
    def text(self) -> str:
        """What a screen shows now."""
        return "\n".join(line.rstrip() for line in self._screen.display)

    def wait(self, holds: Callable[[str], bool]) -> str:
        """Read until the screen shows what is wanted; return it."""
        end = time.monotonic() + PATIENCE_S
        while not holds(self.text):
            if time.monotonic() > end:
                raise AssertionError(f"waited in vain before:\n{self.text}")
            self.read(0.1)
        return self.text

    def wait_for(self, words: str) -> str:
        """Read until the screen shows *words*."""
        return self.wait(lambda text: words in text)

    def send(self, keys: str) -> None:
        """Type."""
        os.write(self._fd, keys.encode())

    def kill(self, number: int) -> None:
        """Send a signal."""
        os.kill(self.pid, number)

    def exit_code(self) -> int:
        """Read to the end and return the exit code."""
        end = time.monotonic() + PATIENCE_S
        while self._code is None:
            if time.monotonic() > end:
                raise AssertionError(f"it does not end:\n{self.text}")
            self.read(0.05)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self._code = os.waitstatus_to_exitcode(status)
        while self.read(0.05):
            pass
        return self._code
