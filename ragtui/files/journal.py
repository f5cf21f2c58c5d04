"""The journal of a session of triage: each step is safely on disk before anybody says so."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from ragtui.errors import Fault, InputError, OutputError
from ragtui.files.atomic import write_atomic
from ragtui.files.journal_lines import encode_line, read_whole
from ragtui.files.limits import MAX_JOURNAL_BYTES, MAX_LINE_BYTES
from ragtui.files.sources import shown_path

if TYPE_CHECKING:
    from pathlib import Path

    from ragtui.core.history import Entry
    from ragtui.files.journal_lines import FileMark, Found, Header

__all__ = ["Journal"]

_APPEND: Final = os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC

_ASIDE: Final = 1000
"""Damaged journals kept beside one triage file at most."""


class Journal:
    """
    The journal of the session that holds the lock.

    What it holds is in memory too: when the file is gone or can no longer be trusted, as after a
    failed fsync, the next line makes it anew.
    """

    def __init__(self, path: Path, header: Header) -> None:
        """Begin a journal at *path*; the file is made with the first line."""
        self.path = path
        self.header = header
        self._lines = [encode_line(header)]
        self._length = len(self._lines[0])
        self._descriptor: int | None = None
        self._damaged = False

    @classmethod
    def resume(cls, path: Path, header: Header, found: Found) -> Journal:
        """
        Go on with the journal *found* at *path*; *header* is for one whose first line is lost.

        Nothing is written before `repair` or the next line.
        """
        journal = cls(path, found.header or header)
        journal._lines += map(encode_line, found.lines)
        journal._length = sum(map(len, journal._lines))
        journal._damaged = found.damage is not None
        return journal

    @property
    def is_empty(self) -> bool:
        """Whether it holds no line but the first."""
        return len(self._lines) == 1

    @property
    def is_absent(self) -> bool:
        """Whether nothing stands at the path."""
        return not os.path.lexists(self.path)

    @property
    def is_ours(self) -> bool:
        """
        Whether the file, if there is one, holds the lines and at most a part of one more.

        Raises InputError when it cannot be read.
        """
        found = read_whole(self.path, shown_path(self.path))
        content = b"".join(self._lines)
        return found is None or found.startswith(content) or content.startswith(found)

    def repair(self) -> Path | None:
        """
        Make the file hold exactly the intact lines, and all of them safely on disk.

        Returns where a damaged one was kept. Raises OutputError.
        """
        aside = self._keep_aside()
        try:
            if self._open_as_it_is():
                return aside
        except OSError as error:
            self.close()
            raise OutputError(_unwritten(self.path, error)) from error
        except InputError as error:
            raise OutputError(error.faults) from error
        self._make()
        return aside

    def append(self, line: Entry | FileMark) -> None:
        """Add *line*; it is on disk when this returns. Raises OutputError, and it is not there."""
        raw = encode_line(line)
        if len(raw) > MAX_LINE_BYTES or self._length + len(raw) > MAX_JOURNAL_BYTES:
            raise OutputError(
                Fault(
                    message="the journal of this session is full",
                    file=shown_path(self.path),
                    expected=f"at most {MAX_JOURNAL_BYTES:,} bytes",
                    hint="leave and open the comparison again, or decide about fewer at once",
                )
            )
        if not self._is_in_place():
            self._put_in_place()
        try:
            self._write(raw)
        except OSError as error:
            raise OutputError(_unwritten(self.path, error)) from error
        self._lines.append(raw)
        self._length += len(raw)

    def close(self) -> None:
        """Close the file and leave it where it is."""
        if self._descriptor is not None:
            descriptor, self._descriptor = self._descriptor, None
            with suppress(OSError):
                os.close(descriptor)

    def drop(self) -> None:
        """
        Close the file and remove it: the triage file holds everything.

        One that cannot be removed does no harm, the next session finds that nothing is missing.
        """
        with suppress(OSError, OutputError):
            self._keep_aside()
            self.path.unlink(missing_ok=True)
        self.close()

    def _put_in_place(self) -> None:
        """Make the file anew, and keep what stands there if it is somebody else's."""
        try:
            self._damaged = self._damaged or not self.is_ours
        except InputError as error:
            raise OutputError(error.faults) from error
        self._keep_aside()
        self._make()

    def _is_in_place(self) -> bool:
        """Tell whether the open file is the one at the path, as long as it was left."""
        if self._descriptor is None:
            return False
        try:
            here, there = os.fstat(self._descriptor), self.path.lstat()
        except OSError:
            there = None
        if there is not None and os.path.samestat(here, there) and here.st_size == self._length:
            return True
        self.close()
        return False

    def _open_as_it_is(self) -> bool:
        """Open the file if it holds exactly the lines; they are safely on disk then."""
        content = b"".join(self._lines)
        if read_whole(self.path, str(self.path)) != content:
            return False
        self._descriptor = os.open(self.path, _APPEND)
        _sync(self._descriptor)
        return True

    def _make(self) -> None:
        """Put a new file with all lines in place, and open it."""
        self.close()
        write_atomic(self.path, b"".join(self._lines), new_mode=0o600)
        try:
            self._descriptor = os.open(self.path, _APPEND)
        except OSError as error:
            raise OutputError(_unwritten(self.path, error)) from error

    def _write(self, raw: bytes) -> None:
        """Write one line to disk, or leave the file as it was."""
        descriptor = self._descriptor
        assert descriptor is not None  # noqa: S101  made just before
        written = False
        try:
            rest = memoryview(raw)
            while rest:
                rest = rest[os.write(descriptor, rest) :]
            written = True
            _sync(descriptor)
        except BaseException:
            # After a failed fsync a second one may report success on pages that are lost: then the
            # file is made anew next time. After a failed write it is enough to cut the part off.
            if not self._cut(descriptor) or written:
                self.close()
            raise

    def _cut(self, descriptor: int) -> bool:
        """Cut off what stands behind the last whole line; tell whether that worked."""
        try:
            os.ftruncate(descriptor, self._length)
        except OSError:
            return False
        return True

    def _keep_aside(self) -> Path | None:
        """Give a damaged file a second name before its first one is used again."""
        if not self._damaged:
            return None
        for number in range(1, _ASIDE):
            aside = self.path.with_name(f"{self.path.name}.damaged-{number}")
            try:
                os.link(self.path, aside, follow_symlinks=False)
            except FileExistsError:
                continue
            except FileNotFoundError:
                break
            except OSError as error:
                raise OutputError(_unwritten(aside, error)) from error
            self._damaged = False
            return aside
        else:
            raise OutputError(
                Fault(
                    message="there are too many damaged journals",
                    file=shown_path(self.path),
                    hint="move them away",
                )
            )
        self._damaged = False
        return None


def _sync(descriptor: int) -> None:
    if sys.platform == "darwin":
        os.fsync(descriptor)
    else:
        os.fdatasync(descriptor)


def _unwritten(path: Path, error: OSError) -> Fault:
    return Fault(
        message="the journal cannot be written", file=shown_path(path), found=error.strerror
    )
