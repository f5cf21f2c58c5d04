"""
One pass over the records of one or two runs, joined by question.

Both files are read side by side. A record waits for its partner as an object only while few wait;
beyond that it is read again by its offset. So files in the same order cost one pass and next to no
memory, and any other order still gives the same result.
"""

from __future__ import annotations

import gc
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeAlias

from ragtui.core.columns import NOWHERE
from ragtui.core.comparison import Recorded
from ragtui.core.kernel import PlainRecord
from ragtui.errors import MAX_FAULTS_SHOWN, Fault, InputError

if TYPE_CHECKING:
    from array import array
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from ragtui.core.model import Record
    from ragtui.core.scorer import Kept
    from ragtui.files.records import RecordRules, RecordsFile

__all__ = ["Feed", "NextIndex", "join", "same_repeat", "uncollected", "whole"]

MAX_WAITING: Final = 4096
"""Records of one run kept as objects until their partner comes."""

Held: TypeAlias = "Kept | PlainRecord"
"""What a feed has of a question: records as the core keeps them, or one in its plain form."""

Put: TypeAlias = "Callable[[int, tuple[Held, ...]], object]"


class NextIndex:
    """
    Finds the position of question ids; free of charge while they come in the set's order.

    >>> find = NextIndex(["a", "b"], {"a": 0, "b": 1}.get)
    >>> find("a"), find("b"), find("a"), find("z")
    (0, 1, 0, None)
    """

    def __init__(self, ids: Sequence[str], look_up: Callable[[str], int | None]) -> None:
        """Take the ids in order, and *look_up* for those out of order."""
        self._ids = ids
        self._look_up = look_up
        self._next = 0

    def __call__(self, question: str) -> int | None:
        """Return the position of *question*, `None` when the set does not hold it."""
        index: int | None = self._next
        if self._next >= len(self._ids) or self._ids[self._next] != question:
            index = self._look_up(question)
        if index is not None:
            self._next = index + 1
        return index


@dataclass(kw_only=True)
class Feed:
    """The records of one run on their way into the columns."""

    records: RecordsFile
    rules: RecordRules
    offsets: array[int]
    find: NextIndex
    versions: Mapping[str, str]
    """Source version of each document of the corpus that has one."""
    repeats: dict[int, list[tuple[int, int]]] = field(default_factory=dict)
    """(Repeat number, offset) of each record of the questions that have several."""
    plain: bool = False
    """Whether records may come in their plain form."""
    waiting: dict[int, Record | PlainRecord] = field(default_factory=dict)
    doubled: list[Fault] = field(default_factory=list)
    records_read: int = 0
    failed: int = 0
    other_versions: int = 0

    def stream(self) -> Iterator[tuple[int, Record | PlainRecord]]:
        """
        Yield (question position, record), each question once; raise all faults at the end.

        A question's further records are only noted: a question that has some is put again.
        """
        try:
            for offset, record in self._records():
                index = self.find(record.question)
                if index is None:
                    continue
                self.records_read += 1
                if not isinstance(record, PlainRecord):
                    self.failed += record.error is not None
                    self._count_versions(record)
                if self.offsets[index] != NOWHERE:
                    self._note_repeat(index, record, offset)
                    continue
                self.offsets[index] = offset
                yield index, record
        except InputError as error:
            raise InputError([*error.faults, *self.doubled]) from error
        if self.doubled:
            raise InputError(self.doubled)

    def _records(self) -> Iterator[tuple[int, Record | PlainRecord]]:
        return (self.records.stream_plain if self.plain else self.records.stream)(self.rules)

    def _count_versions(self, record: Record) -> None:
        if not self.versions:
            return
        for item in (record.retrieved or ())[: self.rules.cutoff]:
            if item.version is not None:
                known = self.versions.get(item.id, item.version)
                self.other_versions += item.version != known

    def _note_repeat(self, index: int, record: Record | PlainRecord, offset: int) -> None:
        if isinstance(record, PlainRecord):
            record = record.whole()
        known = self.repeats.get(index)
        if known is None:
            first = self.offsets[index]
            known = self.repeats[index] = [(self.records.full(first).repeat or 0, first)]
        number = record.repeat or 0
        if number not in (other for other, _ in known):
            known.append((number, offset))
        elif len(self.doubled) <= MAX_FAULTS_SHOWN:
            self.doubled.append(same_repeat(record, self.records, offset))

    def settle(self) -> None:
        """Order the records of each question by their repeat numbers, once all were read."""
        for index, known in self.repeats.items():
            known.sort()
            self.offsets[index] = known[0][1]

    def kept(self, index: int) -> Held:
        """Return every record of a question once all were read: one, several, or none."""
        several = self.repeats.get(index)
        if several is None:
            return self.take(index)
        return tuple(self.records.full(offset) for _, offset in several)

    def take(self, index: int) -> Record | PlainRecord | None:
        """Return the record of a question that was read before, `None` when there is none."""
        waiting = self.waiting.pop(index, None)
        if waiting is not None or self.offsets[index] == NOWHERE:
            return waiting
        return self.records.full(self.offsets[index])

    def keep(self, index: int, record: Record | PlainRecord) -> None:
        """Let a record wait for its partner."""
        if len(self.waiting) < MAX_WAITING:
            self.waiting[index] = record

    def recorded(self) -> Recorded:
        """Return what the records hold, in numbers."""
        return Recorded(
            records=self.records_read,
            failed=self.failed,
            answers=self.records.with_answer,
            delivered_texts=self.records.with_text,
            other_versions=self.other_versions,
        )


def whole(held: Held) -> Kept:
    """Return records as the contract path scores them."""
    return held.whole() if isinstance(held, PlainRecord) else held


def same_repeat(record: Record, records: RecordsFile, offset: int) -> Fault:
    """Return the fault of a second record with the same question and repeat number."""
    return Fault(
        message="another record has the same question and repeat",
        file=records.shown,
        line=records.line_number(offset),
        key="repeat",
        question=record.question,
        hint="number the repeats of a question from 1",
    )


@contextmanager
def uncollected() -> Iterator[None]:
    """Switch cyclic garbage collection off: the pass makes millions of objects and no cycle."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def join(feeds: Sequence[Feed], size: int, put: Put, tick: Callable[[], None]) -> None:
    """
    Read all *feeds* and call *put* for each of *size* questions, with one record a feed.

    A question without a record in a feed gets `None` there. A question with several records in one
    is put once more with all of them, by their repeat numbers. *tick* is called after each record;
    it may raise to stop. Raises InputError with the faults of every feed.
    """
    faults: list[Fault] = []
    with uncollected():
        for side, index, record in _alternate(feeds, faults):
            tick()
            if len(feeds) == 1:
                put(index, (record,))
            else:
                _meet(feeds, side, index, record, put)
        if faults:
            raise InputError(faults)
        _put_incomplete(feeds, size, put, tick)
        for feed in feeds:
            feed.settle()
        for index in sorted({index for feed in feeds for index in feed.repeats}):
            tick()
            put(index, tuple(feed.kept(index) for feed in feeds))


def _meet(
    feeds: Sequence[Feed], side: int, index: int, record: Record | PlainRecord, put: Put
) -> None:
    other = feeds[1 - side]
    if other.offsets[index] == NOWHERE:
        feeds[side].keep(index, record)
        return
    partner = other.take(index)
    put(index, (record, partner) if side == 0 else (partner, record))


def _alternate(
    feeds: Sequence[Feed], faults: list[Fault]
) -> Iterator[tuple[int, int, Record | PlainRecord]]:
    """Take one record of each feed in turn; a feed that fails leaves its faults and stops."""
    streams = list(enumerate(feed.stream() for feed in feeds))
    while streams:
        for entry in tuple(streams):
            side, stream = entry
            try:
                index, record = next(stream)
            except StopIteration:
                streams.remove(entry)
            except InputError as error:
                faults.extend(error.faults)
                streams.remove(entry)
            else:
                yield side, index, record


def _put_incomplete(feeds: Sequence[Feed], size: int, put: Put, tick: Callable[[], None]) -> None:
    """Put the questions that at least one feed has no record of."""
    for index in range(size):
        if any(feed.offsets[index] == NOWHERE for feed in feeds):
            tick()
            put(index, tuple(feed.take(index) for feed in feeds))
