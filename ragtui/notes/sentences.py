"""
Sentences of the core with the ids in them told apart from the words around them.

The core writes a sentence from the ids of one question. Given the question and its records with a
mark in place of each id, it scores and says the same with marks in it; each mark is then a span of
data again. Marks sort as the ids do, so that the order of a sentence does not change.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Final, overload

import msgspec

from ragtui.core.cause_words import cause_words
from ragtui.core.change_words import severity_words, verdict_sentence, verdict_words
from ragtui.core.comparison import Detail
from ragtui.core.explain import frequency_words
from ragtui.core.model import Access
from ragtui.notes.document import Span, text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from ragtui.core.model import Alternatives, Claim, Question, Record, Retrieved
    from ragtui.core.scorer import Scorer
    from ragtui.notes.document import Text

__all__ = ["RESTRICTED", "Sentences"]

RESTRICTED: Final = " (restricted)"
"""What stands behind the id of a document that not everybody may read."""

_MARK: Final = re.compile("\x01([dc])([0-9]{9})\x02")


class _Marks:
    """The ids of one kind and the mark of each."""

    def __init__(self, letter: str, ids: Iterable[str]) -> None:
        self.ids = sorted(set(ids))
        self._marks = {one: f"\x01{letter}{n:09}\x02" for n, one in enumerate(self.ids)}

    def of(self, one: str) -> str:
        return self._marks[one]

    @overload
    def all(self, ids: Iterable[str]) -> tuple[str, ...]: ...
    @overload
    def all(self, ids: None) -> None: ...
    def all(self, ids: Iterable[str] | None) -> tuple[str, ...] | None:
        return None if ids is None else tuple(map(self.of, ids))

    def set(self, ids: Iterable[str]) -> frozenset[str]:
        return frozenset(map(self.of, ids))


class Sentences:
    """What is said about one question, in spans."""

    def __init__(
        self, detail: Detail, scorer: Scorer, *, is_open: Callable[[str], bool] = lambda _: True
    ) -> None:
        """Take the question; *is_open* says of a document whether everybody may read it."""
        self._documents = _Marks("d", _document_ids(detail))
        self._claims = _Marks("c", _claim_ids(detail))
        self._is_open = is_open
        self._cutoff = scorer.cutoff
        self._detail = self._marked(detail, scorer)

    @property
    def what(self) -> Text:
        """What moved, without the word of the verdict; empty where that word says it all."""
        word = verdict_words(self._detail.change.verdict)
        told = verdict_sentence(self._detail).removeprefix(word)
        return self._spans(told.removeprefix(":").strip())

    @property
    def causes(self) -> tuple[Text, ...]:
        """Why it moved, a sentence a cause."""
        return tuple(self._spans(told) for _, told in cause_words(self._detail, self._cutoff))

    @property
    def frequencies(self) -> tuple[Text, ...]:
        """How often repeats have what moved, a sentence each; nothing without repeats."""
        return tuple(self._spans(told) for told in frequency_words(self._detail))

    @property
    def severity(self) -> str:
        """Which rule gives the severity; empty without one."""
        return severity_words(self._detail) or ""

    def document(self, document: str) -> Text:
        """Return the id of a document, and that it is restricted where it is."""
        return text(
            Span(document, is_data=True), *(() if self._is_open(document) else (RESTRICTED,))
        )

    def _spans(self, sentence: str) -> Text:
        return tuple(self._pieces(sentence))

    def _pieces(self, sentence: str) -> Iterator[Span]:
        at = 0
        for found in _MARK.finditer(sentence):
            if found.start() > at:
                yield Span(sentence[at : found.start()])
            number = int(found[2])
            if found[1] == "d":
                yield from self.document(self._documents.ids[number])
            else:
                yield Span(self._claims.ids[number], is_data=True)
            at = found.end()
        if at < len(sentence):
            yield Span(sentence[at:])

    # ------------------------------------------------------------ marks for ids

    def _marked(self, detail: Detail, scorer: Scorer) -> Detail:
        """Return the question scored again, every id of it a mark."""
        marked = replace(scorer, access=self._access(scorer.access))
        question = self._question(detail.question)
        first, second = (tuple(map(self._record, records)) for records in detail.records)
        scored = marked.score(question, first, second)
        return Detail(
            index=detail.index,
            question=question,
            facts=scored.facts,
            baseline=scored.outcomes[0],
            candidate=scored.outcomes[1],
            records=(first, second),
            change=marked.change(question, scored),
        )

    def _access(self, access: Access | None) -> Access | None:
        if access is None:
            return None
        known = (document for document in self._documents.ids if document in access.groups)
        return Access({self._documents.of(one): access.groups[one] for one in known})

    def _question(self, question: Question) -> Question:
        documents = self._documents
        grades = question.grades
        return msgspec.structs.replace(
            question,
            relevant=documents.all(question.relevant),
            not_relevant=documents.all(question.not_relevant),
            grades=None if grades is None else {documents.of(d): g for d, g in grades.items()},
            support=self._support(question.support),
            accepted=self._support(question.accepted),
        )

    def _support(
        self, support: Mapping[str, Alternatives] | None
    ) -> Mapping[str, Alternatives] | None:
        if support is None:
            return None
        return {
            self._claims.of(claim): tuple(map(self._documents.set, alternatives))
            for claim, alternatives in support.items()
        }

    def _record(self, record: Record) -> Record:
        return msgspec.structs.replace(
            record,
            retrieved=None
            if record.retrieved is None
            else tuple(map(self._item, record.retrieved)),
            claims=None if record.claims is None else tuple(map(self._claim, record.claims)),
        )

    def _item(self, item: Retrieved) -> Retrieved:
        return msgspec.structs.replace(item, id=self._documents.of(item.id))

    def _claim(self, claim: Claim) -> Claim:
        return msgspec.structs.replace(
            claim, id=self._claims.of(claim.id), citations=self._documents.all(claim.citations)
        )


def _document_ids(detail: Detail) -> Iterator[str]:
    question = detail.question
    yield from question.relevant or ()
    yield from question.not_relevant or ()
    yield from question.grades or ()
    for support in (question.support, question.accepted):
        for alternatives in (support or {}).values():
            yield from frozenset[str]().union(*alternatives)
    for record in chain(*detail.records):
        yield from (item.id for item in record.retrieved or ())
        for claim in record.claims or ():
            yield from claim.citations


def _claim_ids(detail: Detail) -> Iterator[str]:
    yield from detail.question.support or ()
    yield from detail.question.accepted or ()
    for record in chain(*detail.records):
        yield from (claim.id for claim in record.claims or ())
