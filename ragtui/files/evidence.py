"""Reads questions, records and documents one by one, from where they stand in their files."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ragtui.core.columns import NOWHERE
from ragtui.core.evidence import RecordPlace
from ragtui.files.canonical import canonical, sha256_hex

if TYPE_CHECKING:
    from array import array
    from collections.abc import Mapping, Sequence

    from ragtui.core.evidence import Side
    from ragtui.core.model import Document, Question, Record
    from ragtui.files.records import RecordsFile
    from ragtui.files.sets import QuestionSet

__all__ = ["FileEvidence", "RecordSource"]


@dataclass(frozen=True, slots=True)
class RecordSource:
    """The records of one run and where the record of each question starts."""

    records: RecordsFile
    offsets: array[int]
    path: str
    """The file the records stand in."""
    repeats: Mapping[int, Sequence[tuple[int, int]]] = field(default_factory=dict)
    """(Repeat number, offset) of each record of the questions that have several, by number."""

    def places(self, index: int) -> list[int]:
        """Return the offsets of all records of a question, by their repeat numbers."""
        several = self.repeats.get(index)
        if several is not None:
            return [offset for _, offset in several]
        offset = self.offsets[index]
        return [] if offset == NOWHERE else [offset]


@dataclass(frozen=True, slots=True)
class FileEvidence:
    """The texts behind one or two runs; nothing is kept."""

    questions: QuestionSet
    sources: tuple[RecordSource, ...]

    def question(self, index: int) -> Question:
        """Return the question with its labels and wording."""
        return self.questions.question(index)

    def record(self, side: Side, index: int) -> Record | None:
        """Return the whole record of one run, the first of several, `None` where there is none."""
        source = self.sources[side]
        offset = source.offsets[index]
        return None if offset == NOWHERE else source.records.full(offset)

    def repeats(self, side: Side, index: int) -> tuple[Record, ...]:
        """Return all whole records of one run, by their repeat numbers."""
        source = self.sources[side]
        return tuple(source.records.full(offset) for offset in source.places(index))

    def document(self, document_id: str) -> Document | None:
        """Return a document of the corpus, `None` for an unknown id or an open corpus."""
        return self.questions.corpus.document(document_id)

    def place(self, side: Side, index: int, repeat: int = 0) -> RecordPlace | None:
        """Return where the record stands; *repeat* is its position among several."""
        source = self.sources[side]
        offsets = source.places(index)
        if repeat >= len(offsets):
            return None
        return RecordPlace(source.path, source.records.line_number(offsets[repeat]))

    def digests(self, index: int) -> tuple[str, str, str]:
        """Return the digests of the question and of its records in A and B."""
        baseline, candidate = (self._record_digest(source, index) for source in self.sources)
        return self.questions.question_digest(index), baseline, candidate

    def _record_digest(self, source: RecordSource, index: int) -> str:
        written = [source.records.written(offset) for offset in source.places(index)]
        return sha256_hex(canonical(written))
