"""
The steps of one session of triage, each safely on disk before anybody says so.

::

    crc H {"schema":"ragtui/journal@1",…}    what the session started from
    crc E {"seq":1,"kind":"decide",…}        one step, whole in one line
    crc F {"sha256":"…"}                     the triage file of this digest holds the steps so far

Each line begins with the CRC-32 of what follows the first space, in 8 hexadecimal digits. The file
stands while a session is open, and after a crash until the session goes on.
"""

from __future__ import annotations

import os
import stat
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeAlias
from zlib import crc32

import msgspec

from ragtui.core.history import Entry
from ragtui.errors import Fault, InputError, OutputError
from ragtui.files.atomic import write_atomic
from ragtui.files.descriptors import unreadable
from ragtui.files.limits import MAX_JOURNAL_BYTES, MAX_LINE_BYTES
from ragtui.files.sources import shown_path
from ragtui.files.triage_file import decision_faults

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["JOURNAL_SCHEMA", "FileMark", "Found", "Header", "Journal", "read_journal"]

JOURNAL_SCHEMA: Final = "ragtui/journal@1"
"""What the first line of a journal says it is."""

_ASIDE: Final = 1000
"""Damaged journals kept beside one triage file at most."""


class Header(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a session started from."""

    schema: str = JOURNAL_SCHEMA
    set: str
    """Digest of the question set."""
    base: str | None
    """Digest of the triage file when the session began; `None`: there was none."""
    since: str
    """RFC 3339 text."""


class FileMark(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The triage file with this digest holds the steps so far; written before the file is."""

    sha256: str


Line: TypeAlias = Header | Entry | FileMark

_LETTERS: Final[dict[type[Line], bytes]] = {Header: b"H", Entry: b"E", FileMark: b"F"}
_TYPES: Final[dict[bytes, type[Line]]] = {letter: kind for kind, letter in _LETTERS.items()}


def encode_line(line: Line) -> bytes:
    r"""
    Return *line* as it stands in the file, with its line end.

    >>> encode_line(FileMark("ab"))
    b'2435e2ae F {"sha256":"ab"}\n'
    """
    body = b"%s %s" % (_LETTERS[type(line)], msgspec.json.encode(line))
    return b"%08x %s\n" % (crc32(body), body)


def decode_line(raw: bytes) -> Line:
    """Return what *raw*, without its line end, says. Raises ValueError unless it is intact."""
    body = raw[9:]
    if raw[:9] != b"%08x " % crc32(body) or len(raw) > MAX_LINE_BYTES:
        raise ValueError("the line is damaged")
    kind = _TYPES.get(body[:1])
    if kind is None:
        raise ValueError("the line is of an unknown kind")
    try:
        line: Line = msgspec.json.decode(body[2:], type=kind)
        written = encode_line(line)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise ValueError("the line does not hold what it should") from error
    if written[:-1] != raw:
        raise ValueError("the line is not written as it should be")
    if isinstance(line, Entry):
        _check_decisions(line)
    return line


def _check_decisions(entry: Entry) -> None:
    for edit in entry.edits:
        for decision in (edit.old, edit.new):
            if decision is not None and (fault := next(decision_faults(decision), None)):
                raise ValueError(fault.message)


# ---------------------------------------------------------------- reading


@dataclass(frozen=True, kw_only=True)
class Found:
    """What a journal holds, as far as it is intact."""

    header: Header | None = None
    lines: list[Entry | FileMark] = field(default_factory=list)
    torn: int = 0
    """Bytes of a last line that was not written to its end."""
    damage: Fault | None = None
    """What is wrong where the intact part ends; what stands behind it is not read."""

    def before(self, count: int, why: str, shown: str) -> Found:
        """Return only the first *count* lines, with *why* the next one cannot be true."""
        return Found(
            header=self.header, lines=self.lines[:count], damage=_damage(count + 2, why, shown)
        )


def read_journal(path: Path) -> Found | None:
    """
    Return what the journal at *path* holds, `None` when there is none. Changes nothing.

    Raises InputError when it cannot be read at all or is of another version of this program.
    """
    shown = shown_path(path)
    raw = _read_all(path, shown)
    if raw is None:
        return None
    *whole, torn = raw.split(b"\n")
    lines: list[Entry | FileMark] = []
    header: Header | None = None
    for number, written in enumerate(whole, 1):
        try:
            line = _line_at(number, written)
        except ValueError as error:
            return Found(header=header, lines=lines, damage=_damage(number, str(error), shown))
        if isinstance(line, Header):
            header = _known(line, shown)
        else:
            lines.append(line)
    return Found(header=header, lines=lines, torn=len(torn))


def _line_at(number: int, written: bytes) -> Line:
    line = decode_line(written)
    if isinstance(line, Header) is not (number == 1):
        raise ValueError("the line stands in the wrong place")
    return line


def _known(header: Header, shown: str) -> Header:
    if header.schema == JOURNAL_SCHEMA:
        return header
    raise InputError(
        Fault(
            message="the journal is of another version of this program",
            file=shown,
            line=1,
            found=f'"{header.schema[:80]}"',
            expected=f'"{JOURNAL_SCHEMA}"',
            hint="go on with that version, which puts it away at the end",
        )
    )


def _damage(number: int, why: str, shown: str) -> Fault:
    return Fault(message=why, file=shown, line=number)


def _read_all(path: Path, shown: str) -> bytes | None:
    """Return all bytes of a regular file that is no link, `None` when nothing stands there."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        descriptor = os.open(path, flags)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(unreadable(shown, error)) from error
    with os.fdopen(descriptor, "rb") as file:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode) or found.st_size > MAX_JOURNAL_BYTES:
            raise InputError(
                Fault(
                    message="this is not a journal",
                    file=shown,
                    expected=f"a regular file of at most {MAX_JOURNAL_BYTES:,} bytes",
                    hint="move it away",
                )
            )
        try:
            return file.read(MAX_JOURNAL_BYTES + 1)
        except OSError as error:
            raise InputError(unreadable(shown, error)) from error


# ---------------------------------------------------------------- writing


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
        found = _read_all(self.path, shown_path(self.path))
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
        if _read_all(self.path, str(self.path)) != content:
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


_APPEND: Final = os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def _sync(descriptor: int) -> None:
    if sys.platform == "darwin":
        os.fsync(descriptor)
    else:
        os.fdatasync(descriptor)


def _unwritten(path: Path, error: OSError) -> Fault:
    return Fault(
        message="the journal cannot be written", file=shown_path(path), found=error.strerror
    )
