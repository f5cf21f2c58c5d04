"""
What the journal of a session of triage says, line by line.

::

    crc H {"schema":"ragtui/journal@1",…}    what the session started from
    crc E {"seq":1,"kind":"decide",…}        one step, whole in one line
    crc F {"sha256":"…","written":false}     the triage file of this digest holds the steps so far

Each line begins with the CRC-32 of what follows the first space, in 8 hexadecimal digits. The file
stands while a session is open, and after a crash until the session goes on.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeAlias
from zlib import crc32

import msgspec

from ragtui.core.history import Entry
from ragtui.errors import Fault, InputError
from ragtui.files.descriptors import unreadable
from ragtui.files.limits import MAX_JOURNAL_BYTES, MAX_LINE_BYTES
from ragtui.files.sources import shown_path
from ragtui.files.triage_file import decision_faults

if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "JOURNAL_SCHEMA",
    "FileMark",
    "Found",
    "Header",
    "decode_line",
    "encode_line",
    "read_journal",
    "read_whole",
]

JOURNAL_SCHEMA: Final = "ragtui/journal@1"
"""What the first line of a journal says it is."""


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
    """The triage file with this digest holds the steps so far."""

    sha256: str
    written: bool
    """False before the file is written: perhaps it never was. True afterwards."""


Line: TypeAlias = Header | Entry | FileMark

_LETTERS: Final[dict[type[Line], bytes]] = {Header: b"H", Entry: b"E", FileMark: b"F"}
_TYPES: Final[dict[bytes, type[Line]]] = {letter: kind for kind, letter in _LETTERS.items()}


def encode_line(line: Line) -> bytes:
    r"""
    Return *line* as it stands in the file, with its line end.

    >>> encode_line(FileMark("ab", written=True))
    b'83aff70c F {"sha256":"ab","written":true}\n'
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
    raw = read_whole(path, shown)
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


def read_whole(path: Path, shown: str) -> bytes | None:
    """Return all bytes of a regular file that is no link, `None` when nothing stands there."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        descriptor = os.open(path, flags)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(unreadable(shown, error)) from error
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode) or found.st_size > MAX_JOURNAL_BYTES:
            raise InputError(_no_journal(shown))
        with os.fdopen(os.dup(descriptor), "rb") as file:
            return file.read(MAX_JOURNAL_BYTES + 1)
    except OSError as error:
        raise InputError(unreadable(shown, error)) from error
    finally:
        os.close(descriptor)


def _no_journal(shown: str) -> Fault:
    return Fault(
        message="this is not a journal",
        file=shown,
        expected=f"a regular file of at most {MAX_JOURNAL_BYTES:,} bytes",
        hint="move it away",
    )
