"""
One session at a time on one triage file.

The lock is the kernel's, on a file of its own, so that it ends with the process, however that
ends, and does not hang on a file that is replaced. What stands in the file is only who holds it.
"""

from __future__ import annotations

import fcntl
import os
import platform
import stat
from contextlib import suppress
from typing import TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["HeldError", "Holder", "SessionLock"]

_MAX_HOLDER: Final = 1024
_TRIES: Final = 100


class Holder(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The process that works on a triage file."""

    pid: int | None = None
    """`None`: not known."""
    host: str = ""
    since: str = ""
    """RFC 3339 text."""

    @classmethod
    def here(cls, since: str) -> Holder:
        """Return this process, at work since the moment *since*."""
        return cls(pid=os.getpid(), host=platform.node(), since=since)

    @property
    def words(self) -> str:
        """
        Who it is, as raw text.

        >>> Holder(pid=12, host="desk-02", since="2026-11-27T10:00:00Z").words
        'process 12 on desk-02, since 2026-11-27T10:00:00Z'
        """
        parts = [f"process {self.pid}" if self.pid is not None else "another session"]
        if self.host:
            parts[0] += f" on {self.host}"
        if self.since:
            parts.append(f"since {self.since}")
        return ", ".join(parts)


class HeldError(Exception):
    """Another session holds the lock."""

    def __init__(self, holder: Holder) -> None:
        """Say which one."""
        super().__init__(holder.words)
        self.holder = holder


class SessionLock:
    """A lock that is held; made by `take`."""

    def __init__(self, path: Path, descriptor: int) -> None:
        """Keep the open *descriptor* of the locked file at *path*."""
        self.path = path
        self._descriptor: int | None = descriptor

    @classmethod
    def take(cls, path: Path, holder: Holder) -> SessionLock:
        """
        Lock *path*, which is made for it, and write down who does.

        Raises HeldError when another session is at work, OSError when it cannot be locked at all.
        """
        for _ in range(_TRIES):
            descriptor = _open(path)
            try:
                if _lock(descriptor, path):
                    _sign(descriptor, holder)
                    return cls(path, descriptor)
            except BaseException:
                os.close(descriptor)
                raise
            os.close(descriptor)  # its last holder removed it between opening and locking
        raise OSError("the lock file keeps disappearing")

    @property
    def holds(self) -> bool:
        """Whether the lock still stands where other sessions look for it."""
        return self._descriptor is not None and _is_at(self._descriptor, self.path)

    def release(self) -> None:
        """Let others work; more than once does no harm."""
        if self._descriptor is None:
            return
        with suppress(OSError):
            if self.holds:
                self.path.unlink()
        descriptor, self._descriptor = self._descriptor, None
        with suppress(OSError):
            os.close(descriptor)


def _open(path: Path) -> int:
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    descriptor = os.open(path, flags, 0o600)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError("the lock is not a regular file")
    return descriptor


def _lock(descriptor: int, path: Path) -> bool:
    """Lock the open file; `False` when it is no longer the one at *path*."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise HeldError(_holder(descriptor)) from error
    return _is_at(descriptor, path)


def _is_at(descriptor: int, path: Path) -> bool:
    try:
        there = path.lstat()
    except OSError:
        return False
    return os.path.samestat(there, os.fstat(descriptor))


def _sign(descriptor: int, holder: Holder) -> None:
    """Write down who holds the lock; on a full disk it holds all the same."""
    with suppress(OSError):
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, msgspec.json.encode(holder), 0)


def _holder(descriptor: int) -> Holder:
    try:
        return msgspec.json.decode(os.pread(descriptor, _MAX_HOLDER, 0), type=Holder)
    except (OSError, msgspec.MsgspecError, RecursionError, ValueError):
        return Holder()
