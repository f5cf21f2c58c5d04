"""The bytes of a ledger: its lines as read, and lines added to it under a lock."""

from __future__ import annotations

import fcntl
import os
import stat
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from ragtui.core.ledger import Event, LedgerLine
from ragtui.errors import Fault, OutputError
from ragtui.files.canonical import canonical, sha256_hex
from ragtui.files.limits import MAX_LEDGER_BYTES
from ragtui.files.sources import read_bytes, shown_path

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

__all__ = ["LedgerFile", "append", "encode_event", "read_ledger"]

_OPEN: Final = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_START: Final = b'{"at":"'
"""How every event begins, its keys being sorted."""
_WAIT_S: Final = 10.0
"""Seconds that a writer waits for the others, who need some milliseconds each."""
_PAUSE_S: Final = 0.005


class LedgerFile(NamedTuple):
    """A ledger as it stands on disk."""

    lines: tuple[LedgerLine, ...] = ()
    size: int = 0
    """Bytes of the lines; what stands behind them is the start of an event nobody relied on."""
    ends: bool = True
    """Whether the last line has its LF."""


def encode_event(event: Event) -> bytes:
    """Return one event as canonical JSON, without LF."""
    return canonical(msgspec.to_builtins(event))


def read_ledger(path: Path, *, must_exist: bool = False) -> LedgerFile:
    """
    Read the ledger at *path*; no file is a ledger without lines, unless it *must_exist*.

    Raises InputError when it is no regular file, too large or an unfinished merge, OutputError
    when a writer does not let go of it.
    """
    if not os.path.lexists(path) and not must_exist:
        return LedgerFile()
    if must_exist:
        read_bytes(path, limit=MAX_LEDGER_BYTES, shown=shown_path(path))
    with _locked(path, os.O_RDONLY, fcntl.LOCK_SH):
        return _read(path)


def append(
    path: Path, more: Callable[[tuple[LedgerLine, ...]], list[bytes]]
) -> tuple[LedgerLine, ...]:
    """
    Add the lines that *more* gives for those that stand there; they are on disk on return.

    Nobody else adds a line in between. Returns all lines. Raises OutputError when it
    cannot be written or locked, InputError when what stands there cannot be read.
    """
    with _locked(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, fcntl.LOCK_EX) as descriptor:
        found = _read(path)
        new = more(found.lines)
        if new:
            _write(descriptor, path, found, b"".join(line + b"\n" for line in new))
        return (*found.lines, *map(_line, new))


# ---------------------------------------------------------------- reading


def _read(path: Path) -> LedgerFile:
    data = read_bytes(path, limit=MAX_LEDGER_BYTES, shown=shown_path(path))
    whole, mark, tail = data.rpartition(b"\n")
    lines = [_line(raw) for raw in whole.split(b"\n")] if mark else []
    size = len(whole) + len(mark)
    if not tail or _is_torn(tail):
        return LedgerFile(tuple(lines), size)
    return LedgerFile((*lines, _line(tail)), len(data), ends=False)


def _line(raw: bytes) -> LedgerLine:
    try:
        event = msgspec.json.decode(raw, type=Event)
    except (msgspec.MsgspecError, RecursionError, ValueError):
        event = None
    return LedgerLine(sha256_hex(raw), event)


def _is_torn(tail: bytes) -> bool:
    """
    Tell whether *tail* is what a killed writer left.

    Its command never showed anything, so nothing is lost with it. A whole event without its LF is
    a line, and so is anything that no writer began.
    """
    return _line(tail).event is None and tail[: len(_START)] == _START[: len(tail)]


# ---------------------------------------------------------------- writing


def _write(descriptor: int, path: Path, found: LedgerFile, data: bytes) -> None:
    """Write *data* behind the lines that were found, or leave exactly these."""
    try:
        os.ftruncate(descriptor, found.size)
        try:
            rest = memoryview(data if found.ends else b"\n" + data)
            while rest:
                rest = rest[os.write(descriptor, rest) :]
            os.fsync(descriptor)
            if not found.size:
                _sync_folder(path.parent)
        except BaseException:
            with suppress(OSError):
                os.ftruncate(descriptor, found.size)
            raise
    except OSError as error:
        raise OutputError(_unwritten(path, error.strerror)) from error


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def _locked(path: Path, flags: int, lock: int) -> Iterator[int]:
    """Open the file at *path* and hold its lock; the kernel lets go of it with the process."""
    deadline = time.monotonic() + _WAIT_S
    descriptor = _open_locked(path, flags, lock, deadline)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _open_locked(path: Path, flags: int, lock: int, deadline: float) -> int:
    while True:
        try:
            descriptor = os.open(path, flags | _OPEN, 0o666)
        except OSError as error:
            raise OutputError(_unwritten(path, error.strerror)) from error
        try:
            if _lock(descriptor, path, lock):
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)
        if time.monotonic() > deadline:
            raise OutputError(_unwritten(path, "another process holds its lock"))
        time.sleep(_PAUSE_S)


def _lock(descriptor: int, path: Path, lock: int) -> bool:
    """Lock the open file; `False` when somebody holds it, or when it is gone from *path*."""
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        raise OutputError(_unwritten(path, "what stands there is not a regular file"))
    try:
        fcntl.flock(descriptor, lock | fcntl.LOCK_NB)
        return os.path.samestat(path.lstat(), os.fstat(descriptor))
    except (BlockingIOError, FileNotFoundError):
        return False
    except OSError as error:
        raise OutputError(_unwritten(path, error.strerror)) from error


def _unwritten(path: Path, found: str | None) -> Fault:
    return Fault(
        message="the ledger of looks cannot be written, so nothing is shown",
        file=shown_path(path),
        found=found,
        hint="a look at a held-out set is written down before anything is shown",
    )
