"""Who reads the texts behind a question: the core asks, the files answer."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from ragtui.core.model import Document, Question, Record

__all__ = ["Evidence", "RecordPlace", "Side"]


class Side(IntEnum):
    """One of the two runs; A and B on screen."""

    BASELINE = 0
    CANDIDATE = 1

    @property
    def letter(self) -> str:
        """The side as screens and files call it, in capitals."""
        return "AB"[self]


class RecordPlace(NamedTuple):
    """Where a record stands, for an editor."""

    path: str
    line: int


class Evidence(Protocol):
    """Reads the texts behind one question when somebody looks at them."""

    def question(self, index: int) -> Question:
        """Return the question with its labels and wording."""

    def record(self, side: Side, index: int) -> Record | None:
        """Return the whole record of one run, the first of several, `None` where there is none."""

    def repeats(self, side: Side, index: int) -> tuple[Record, ...]:
        """Return all whole records of one run, by their repeat numbers."""

    def document(self, document_id: str) -> Document | None:
        """Return a document of the corpus, `None` for an unknown id or an open corpus."""

    def place(self, side: Side, index: int, repeat: int = 0) -> RecordPlace | None:
        """Return where the record stands; *repeat* is its position among several."""

    def digests(self, index: int) -> tuple[str, str, str]:
        """
        Return the digests of the question and of its records in A and B, to bind a decision to.

        SHA-256 of canonical JSON: of what the set says of the question, labels included, and of the
        list of records as they were written, `[]` where there are none.
        """
