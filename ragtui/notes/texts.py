"""Texts of answers and documents, as far as they were asked for and everybody may read them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from ragtui.core.evidence import Side
from ragtui.notes.document import Fence, Paragraph, Tone, text
from ragtui.notes.subject import EvidenceLevel
from ragtui.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ragtui.core.comparison import Detail
    from ragtui.core.model import Record
    from ragtui.notes.document import Block, Text
    from ragtui.notes.subject import Subject

__all__ = ["Texts"]

EXCERPT: Final = 280
"""Characters of an excerpt."""


@dataclass
class Texts:
    """Takes the texts out of questions, and counts what it had to leave."""

    subject: Subject
    withheld: int = 0
    """Texts that were asked for and not given."""
    given: int = 0
    found: dict[int, list[dict[str, object]]] = field(default_factory=dict)
    """Texts given by question, for programs."""

    @property
    def level(self) -> EvidenceLevel:
        """How much was asked for."""
        return self.subject.request.evidence

    def blocks(self, detail: Detail) -> Iterator[Block]:
        """Yield the texts of one question: both answers, then the documents they rest on."""
        if self.level is EvidenceLevel.IDS:
            return
        for side in Side:
            yield from self._answers(detail, side)
        for document in _documents(detail):
            yield from self._document(detail, document)

    def _answers(self, detail: Detail, side: Side) -> Iterator[Block]:
        """Yield the answers of one run; one that several repeats gave word for word comes once."""
        records = [record for record in detail.records[side] if record.answer is not None]
        for record in records:
            if not self.subject.record_is_open(record):
                title = text(f"Answer of {side.letter}{_repeats(detail, side, [record])}")
                yield self._withhold(text(title, ": withheld, it may quote a restricted document"))
        shown = [record for record in records if self.subject.record_is_open(record)]
        for answer in dict.fromkeys(record.answer for record in shown):
            same = [record for record in shown if record.answer == answer]
            title = text(f"Answer of {side.letter}{_repeats(detail, side, same)}")
            yield self._give(detail, f"answer-{side.letter.lower()}", None, title, answer or "")

    def _document(self, detail: Detail, document: str) -> Iterator[Block]:
        name = self.subject.sentences(detail).document(document)
        if not self.subject.is_open(document):
            yield self._withhold(text("Document ", name, ": withheld"))
            return
        delivered = [_delivered(detail.records[side], document) for side in Side]
        if delivered[0] is not None and delivered[0] == delivered[1]:
            title = text("Document ", name, ", as delivered to A and B")
            yield self._give(detail, "delivered", document, title, delivered[0])
            return
        for side, told in zip(Side, delivered, strict=True):
            if told is not None:
                title = text("Document ", name, f", as delivered to {side.letter}")
                kind = f"delivered-{side.letter.lower()}"
                yield self._give(detail, kind, document, title, told)
        known = self.subject.comparison.evidence.document(document)
        if delivered == [None, None] and known is not None:
            title = text("Document ", name, ", as it stands in the corpus")
            yield self._give(detail, "corpus", document, title, known.text)

    def _withhold(self, words: Text) -> Paragraph:
        self.withheld += 1
        return Paragraph(words, Tone.ABSENT)

    def _give(
        self, detail: Detail, kind: str, document: str | None, title: Text, told: str
    ) -> Fence:
        self.given += 1
        body = (
            told if self.level is EvidenceLevel.FULL else clean(told, multiline=True, limit=EXCERPT)
        )
        entry: dict[str, object] = {"kind": kind, "document": document, "text": body}
        self.found.setdefault(detail.index, []).append(entry)
        return Fence(title, body)


def _repeats(detail: Detail, side: Side, records: Sequence[Record]) -> str:
    """Return which of several repeats these are, to stand behind a title."""
    numbers = [str(record.repeat) for record in records if record.repeat is not None]
    if len(detail.records[side]) == 1 or not numbers:
        return ""
    return f", {'repeat' if len(numbers) == 1 else 'repeats'} {', '.join(numbers)}"


def _documents(detail: Detail) -> Iterator[str]:
    """Yield what a reader needs to judge both answers: relevant and cited documents."""
    cited = (
        document
        for side in Side
        for _, documents in detail.outcome(side).stated or ()
        for document in documents
    )
    yield from dict.fromkeys((*(detail.question.relevant or ()), *cited))


def _delivered(records: Sequence[Record], document: str) -> str | None:
    """
    Return what a run was given of a document, its chunks in rank order.

    Of several repeats the first that was given any of it stands for all.
    """
    for record in records:
        items = record.retrieved or ()
        found = [item.text for item in items if item.id == document and item.text is not None]
        if found:
            return "\n…\n".join(found)
    return None
