"""Writing a file so that a reader sees the old or the new one, never a mix, also after a crash."""

from __future__ import annotations

import os
import secrets
import stat
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from ragtui.errors import Fault, OutputError
from ragtui.files.sources import shown_path

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["create_new", "remove_leftovers", "write_atomic"]

_STEM: Final = 200
_RANDOM: Final = 6
_SUFFIX: Final = ".tmp"


def write_atomic(path: Path, data: bytes, *, new_mode: int | None = None) -> None:
    """
    Put *data* at *path* in one step; the permissions of a file that stood there are kept.

    *new_mode* are those of a file that did not; without it the user's umask says. Raises
    OutputError naming *path*; the old file is then whole.
    """
    try:
        _replace(path, data, new_mode)
    except (OSError, ValueError) as error:
        raise OutputError(_unwritten(path, error)) from error


def create_new(path: Path, data: bytes) -> None:
    """
    Put *data* at *path*, where nothing may stand yet.

    Raises OutputError naming *path*, also when something stands there.
    """
    try:
        temporary = _write_beside(path, data, mode=None)
        try:
            os.link(temporary, path)
        finally:
            temporary.unlink()
        _sync_folder(path.parent)
        _check(path, data)
    except FileExistsError as error:
        raise OutputError(
            Fault(
                message="the file exists already and is not replaced",
                file=shown_path(path),
                hint="choose another name, or move the file away",
            )
        ) from error
    except (OSError, ValueError) as error:
        raise OutputError(_unwritten(path, error)) from error


def remove_leftovers(path: Path) -> None:
    """
    Remove what a program that was killed while it wrote *path* left in its folder.

    For whoever knows that nobody else writes *path* now. What cannot be removed stays.
    """
    start = f".{path.name[:_STEM]}."
    length = len(start) + 2 * _RANDOM + len(_SUFFIX)
    with suppress(OSError):
        for other in path.parent.iterdir():
            name = other.name
            if len(name) == length and name.startswith(start) and name.endswith(_SUFFIX):
                with suppress(OSError):
                    other.unlink()


def _replace(path: Path, data: bytes, new_mode: int | None) -> None:
    found = _mode(path)
    temporary = _write_beside(path, data, mode=new_mode if found is None else found)
    try:
        temporary.replace(path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
    _sync_folder(path.parent)
    _check(path, data)


def _mode(path: Path) -> int | None:
    """Return the permissions of the file at *path*; only a regular file may be replaced."""
    try:
        found = path.lstat()
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(found.st_mode):
        raise ValueError("what stands there is not a regular file")
    return stat.S_IMODE(found.st_mode)


def _write_beside(path: Path, data: bytes, *, mode: int | None) -> Path:
    """Write *data* to a new file in the folder of *path* and return it, safely on disk."""
    temporary = path.with_name(f".{path.name[:_STEM]}.{secrets.token_hex(_RANDOM)}{_SUFFIX}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    descriptor = os.open(temporary, flags, 0o666 if mode is None else mode & 0o600)
    try:
        try:
            if mode is not None:
                os.fchmod(descriptor, mode)
            _write_all(descriptor, data)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
    return temporary


def _write_all(descriptor: int, data: bytes) -> None:
    """Write on after a short write; one call may take only a part without an error."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _check(path: Path, data: bytes) -> None:
    if path.read_bytes() != data:
        raise ValueError("reading it back gives other bytes")


def _unwritten(path: Path, error: Exception) -> Fault:
    told = error.strerror if isinstance(error, OSError) else str(error)
    return Fault(message="the file cannot be written", file=shown_path(path), found=told)
