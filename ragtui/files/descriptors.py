"""Opening what may be anything, and telling whether it changed since."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, Final, NamedTuple

from ragtui.errors import Fault, InputError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "BLOCK",
    "BOM",
    "GZIP",
    "Stamp",
    "changed",
    "open_regular",
    "read_block",
    "stamp_of",
    "unreadable",
    "wrong_kind",
]

BLOCK: Final = 256 * 1024
"""Bytes read at once."""

BOM: Final = b"\xef\xbb\xbf"
"""The byte-order mark of UTF-8."""

GZIP: Final = b"\x1f\x8b"
_LFS: Final = b"version https://git-lfs.github.com/spec/"
_UTF16: Final = (b"\xff\xfe", b"\xfe\xff")


class Stamp(NamedTuple):
    """What tells two states of a file apart."""

    size: int
    """Bytes."""
    modified_ns: int
    inode: int


def open_regular(path: Path, shown: str) -> tuple[int, Stamp]:
    """Open the regular file at *path* without waiting. Raises InputError for anything else."""
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK
    try:
        descriptor = os.open(path, flags)
    except FileNotFoundError as error:
        raise InputError(Fault(message="there is no such file", file=shown)) from error
    except (OSError, ValueError) as error:
        raise InputError(unreadable(shown, error)) from error
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode):
        os.close(descriptor)
        raise InputError(
            Fault(
                message="this is not a regular file",
                file=shown,
                found=_kind(found.st_mode),
                expected="a regular file",
            )
        )
    return descriptor, Stamp(found.st_size, found.st_mtime_ns, found.st_ino)


def _kind(mode: int) -> str:
    kinds = (
        (stat.S_ISDIR, "a folder"),
        (stat.S_ISFIFO, "a pipe"),
        (stat.S_ISSOCK, "a socket"),
    )
    return next((name for test, name in kinds if test(mode)), "a device")


def stamp_of(descriptor: int) -> Stamp:
    """Return the state the open file is in."""
    found = os.fstat(descriptor)
    return Stamp(found.st_size, found.st_mtime_ns, found.st_ino)


def read_block(descriptor: int, shown: str) -> bytes:
    """Return the next bytes of an open file, none at its end. Raises InputError."""
    try:
        return os.read(descriptor, BLOCK)
    except OSError as error:
        raise InputError(unreadable(shown, error)) from error


def unreadable(shown: str, error: Exception) -> Fault:
    """Return what to say when the system refuses to read."""
    told = error.strerror if isinstance(error, OSError) else str(error)
    return Fault(message="the file cannot be read", file=shown, found=told)


def changed(shown: str) -> Fault:
    """Return what to say when a file is not what it was."""
    return Fault(
        message="the file changed while it was in use",
        file=shown,
        hint="wait until nothing writes to it, then start again",
    )


def wrong_kind(data: bytes) -> Fault | None:
    """Recognise files of another kind by how they begin."""
    if data.startswith(GZIP):
        return Fault(message="the file is compressed with gzip", hint="unpack it first")
    if data.startswith(_LFS):
        return Fault(
            message="the file is a Git LFS pointer, not the content",
            hint="fetch it with `git lfs pull`",
        )
    if data.startswith(_UTF16) or b"\0" in data[:2]:
        return Fault(
            message="the file is not UTF-8 but looks like UTF-16 or UTF-32",
            expected="UTF-8",
            hint="save it as UTF-8",
        )
    return None
