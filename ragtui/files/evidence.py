"""Reads questions, records and documents one by one, from where they stand in their files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragtui.core.columns import NOWHERE
from ragtui.core.evidence import RecordPlace
from ragtui.files.canonical import canonical, sha256_hex

if TYPE_CHECKING:
    from array import array

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


@dataclass(frozen=True, slots=True)
class FileEvidence:
    """The texts behind one or two runs; nothing is kept."""

    questions: QuestionSet
    sources: tuple[RecordSource, ...]

    def question(self, index: int) -> Question:
        """Return the question with its labels and wording."""
        return self.questions.question(index)

    def record(self, side: Side, index: int) -> Record | None:
        """Return the whole record of one run, `None` where there is none."""
        source = self.sources[side]
        offset = source.offsets[index]
        return None if offset == NOWHERE else source.records.full(offset)

    def document(self, document_id: str) -> Document | None:
        """Return a document of the corpus, `None` for an unknown id or an open corpus."""
        return self.questions.corpus.document(document_id)

    def place(self, side: Side, index: int) -> RecordPlace | None:
        """Return where the record stands."""
        source = self.sources[side]
        offset = source.offsets[index]
        if offset == NOWHERE:
            return None
        return RecordPlace(source.path, source.records.line_number(offset))

    def digests(self, index: int) -> tuple[str, str, str]:
        """Return the digests of the question and of its records in A and B."""
        baseline, candidate = (self._record_digest(source, index) for source in self.sources)
        return self.questions.question_digest(index), baseline, candidate

    def _record_digest(self, source: RecordSource, index: int) -> str:
        offset = source.offsets[index]
        written = [] if offset == NOWHERE else [source.records.written(offset)]
        return sha256_hex(canonical(written))
