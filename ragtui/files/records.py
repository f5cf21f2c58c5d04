"""
The records of one run, streamed once and read again one by one.

Lines are read by `record_lines`, which is fast and vouches for most; the others are read again by
`record_rules`, which is exact and says what is wrong, if anything is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Self, TypeVar

import msgspec

from ragtui.errors import Fault, InputError
from ragtui.files.json_lines import parse_object
from ragtui.files.record_lines import FastReader
from ragtui.files.record_rules import RecordRules, check_record, read_record
from ragtui.files.shape import Faults, Table
from ragtui.files.sources import Lines, RandomLines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from ragtui.core.kernel import PlainRecord
    from ragtui.core.model import Record
    from ragtui.files.sources import Stamp

__all__ = ["RecordRules", "RecordsFile"]

R = TypeVar("R")


class RecordsFile:
    """The records of one run, from a JSONL file or from the manifest itself."""

    def __init__(
        self,
        path: Path | None,
        shown: str,
        *,
        inline: Sequence[Record] | None = None,
        written: Sequence[Mapping[str, object]] = (),
        sha256: str = "",
    ) -> None:
        """
        Take the file at *path*, called *shown* in errors, or *inline* records of the file *shown*.

        *written* are the inline records as they stand in the file. *sha256* is the digest the
        manifest pins them to; for inline records, the digest they have.
        """
        self.shown = shown
        self.sha256 = sha256 if inline is not None else ""
        """Digest of the records, known once they were streamed."""
        self.with_answer = 0
        """Records that hold the answer's text, known once they were streamed."""
        self.with_text = 0
        """Records that hold the text of a retrieved item, known once they were streamed."""
        self._path = path
        self._inline = inline
        self._written = written
        self._pinned = sha256
        self._lines: Lines | None = None
        self._stamp: Stamp | None = None
        self._random: RandomLines | None = None

    @property
    def size(self) -> int:
        """Bytes to read in all, for progress; 0 before streaming and for inline records."""
        return self._lines.size if self._lines else 0

    @property
    def bytes_read(self) -> int:
        """Bytes read so far, for progress."""
        return self._lines.bytes_read if self._lines else 0

    def __enter__(self) -> Self:
        """Return the records themselves."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file."""
        self.close()

    def close(self) -> None:
        """Close what `full` keeps open."""
        if self._random is not None:
            self._random.close()
            self._random = None

    def stream(self, rules: RecordRules) -> Iterator[tuple[int, Record]]:
        """
        Yield each record in file order with its offset, without the text of items, and check it.

        The offset is in bytes (for inline records the index) and is what `full` takes. Raises
        InputError at the end with all faults, or when the digest is not the pinned one.
        """
        fast = FastReader(rules)
        return self._stream(rules, fast, fast.read)

    def stream_plain(self, rules: RecordRules) -> Iterator[tuple[int, Record | PlainRecord]]:
        """Yield what `stream` does, in the form that is scored fastest where it has one."""
        fast = FastReader(rules)
        return self._stream(rules, fast, fast.read_plain)

    def _stream(
        self, rules: RecordRules, fast: FastReader, read: Callable[[bytes], R | None]
    ) -> Iterator[tuple[int, R | Record]]:
        faults = Faults(self.shown)
        if self._path is None:
            yield from self._from_inline(rules, faults)
        else:
            yield from self._from_file(self._path, rules, faults, read)
        self.with_answer += fast.with_answer
        self.with_text += fast.with_text
        faults.raise_any()
        if self._pinned and self.sha256 != self._pinned:
            raise InputError(
                Fault(
                    message="the records are not those the manifest is pinned to",
                    file=self.shown,
                    found=f"sha256 {self.sha256}",
                    expected=self._pinned,
                    hint="restore them, or pin the manifest again",
                )
            )

    def full(self, offset: int) -> Record:
        """Return the record at *offset* with all its texts."""
        if self._inline is not None:
            return self._inline[offset]
        faults = Faults(self.shown)
        line = self._reader().line_at(offset)
        record = read_record(Table(parse_object(line, file=self.shown), faults))
        faults.raise_any()
        return record

    def written(self, offset: int) -> Mapping[str, object]:
        """Return the record at *offset* key by key, as it stands in the file."""
        if self._inline is not None:
            return self._written[offset]
        return parse_object(self._reader().line_at(offset), file=self.shown)

    def line_number(self, offset: int) -> int:
        """Return the line that starts at *offset*, from 1; for inline records their number."""
        return offset + 1 if self._inline is not None else self._reader().line_number(offset)

    def _reader(self) -> RandomLines:
        if self._random is None:
            assert self._path is not None  # noqa: S101  no path means inline records
            self._random = RandomLines(self._path, self.shown, self._stamp)
        return self._random

    def _from_file(
        self,
        path: Path,
        rules: RecordRules,
        faults: Faults,
        read: Callable[[bytes], R | None],
    ) -> Iterator[tuple[int, R | Record]]:
        with Lines(path, self.shown) as lines:
            self._lines = lines
            self._stamp = lines.stamp
            for number, offset, line in lines:
                record: R | Record | None = read(line)
                if record is None:
                    whole = _exact(line, rules, faults, number)
                    if whole is None:
                        continue
                    self._count(whole)
                    record = _lean(whole)
                yield offset, record
            self.sha256 = lines.sha256

    def _from_inline(self, rules: RecordRules, faults: Faults) -> Iterator[tuple[int, Record]]:
        for index, record in enumerate(self._inline or ()):
            faults.add(*check_record(record, rules))
            self._count(record)
            yield index, record

    def _count(self, record: Record) -> None:
        self.with_answer += record.answer is not None
        self.with_text += any(item.text is not None for item in record.retrieved or ())


def _lean(record: Record) -> Record:
    """Return *record* without the texts that nobody scores."""
    items = record.retrieved
    if items is not None:
        items = tuple(msgspec.structs.replace(item, text=None) for item in items)
    claims = record.claims
    if claims is not None:
        claims = tuple(msgspec.structs.replace(claim, text=None) for claim in claims)
    return msgspec.structs.replace(record, retrieved=items, claims=claims, answer=None)


def _exact(line: bytes, rules: RecordRules, faults: Faults, number: int) -> Record | None:
    """Read *line* key by key, say what is wrong with it, and return it when nothing is."""
    before = faults.count
    try:
        data = parse_object(line, file=faults.file, number=number)
    except InputError as error:
        faults.add(*error.faults)
        return None
    record = read_record(Table(data, faults, line=number))
    if faults.count == before:
        faults.add(*check_record(record, rules), line=number)
    return record if faults.count == before else None
