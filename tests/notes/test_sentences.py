"""The sentences of a note are the core's own, with every id told apart from the words."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from ragtui.core.cause_words import cause_words
from ragtui.core.change_words import severity_words, verdict_sentence, verdict_words
from ragtui.core.model import Document, Question, Record
from ragtui.notes.sentences import RESTRICTED, Sentences
from tests.builders import (
    Case,
    comparison_of,
    question,
    questions_with_records,
    record,
    release_desk,
)
from tests.strategies import hostile_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from ragtui.core.comparison import Comparison
    from ragtui.notes.document import Text


T = TypeVar("T")
U = TypeVar("U")


def raw(line: Text) -> str:
    return "".join(span.text for span in line)


def sentences(comparison: Comparison, index: int) -> Sentences:
    return Sentences(comparison.detail(index), comparison.scorer)


@given(questions_with_records(permissions=True))
def test_each_sentence_is_the_one_that_every_front_end_shows(case: Case) -> None:
    """What moved, why, and how severe, word for word."""
    comparison = case.compare()
    for index in range(len(comparison)):
        detail = comparison.detail(index)
        said = sentences(comparison, index)
        word = verdict_words(detail.change.verdict)
        assert (
            raw(said.what) == verdict_sentence(detail).removeprefix(word).removeprefix(":").strip()
        )
        wanted = [told for _, told in cause_words(detail, comparison.cutoff)]
        assert list(map(raw, said.causes)) == wanted
        assert said.severity == (severity_words(detail) or "")


@st.composite
def renamed(draw: st.DrawFn) -> tuple[Case, set[str], set[str]]:
    """A case whose ids are text that wants to act, in the same order as before."""
    case = draw(questions_with_records(max_size=2))
    strange = st.lists(hostile_text(max_pieces=2).filter(bool), min_size=9, max_size=9, unique=True)
    documents, claims = sorted(draw(strange)), sorted(draw(strange))
    of_document = dict(zip("abcde", documents, strict=False))
    of_claim = dict(zip("wxyz", claims, strict=False))

    def ask(asked: Question) -> Question:
        def support(found: object) -> object:
            assert isinstance(found, dict) or found is None
            return found and {
                of_claim[claim]: tuple(frozenset(of_document[d] for d in group) for group in groups)
                for claim, groups in found.items()
            }

        return msgspec.structs.replace(
            asked,
            relevant=_each(asked.relevant, of_document.__getitem__),
            support=support(asked.support),
            accepted=support(asked.accepted),
            grades=asked.grades and {of_document[d]: g for d, g in asked.grades.items()},
        )

    def tell(found: Record) -> Record:
        return msgspec.structs.replace(
            found,
            retrieved=_each(
                found.retrieved, lambda i: msgspec.structs.replace(i, id=of_document[i.id])
            ),
            claims=_each(
                found.claims,
                lambda c: msgspec.structs.replace(
                    c, id=of_claim[c.id], citations=tuple(of_document[d] for d in c.citations)
                ),
            ),
        )

    changed = case._replace(
        questions=tuple(map(ask, case.questions)),
        records_a=tuple(map(tell, case.records_a)),
        records_b=tuple(map(tell, case.records_b)),
        documents=(),
    )
    return changed, set(documents), set(claims)


def _each(found: tuple[T, ...] | None, change: Callable[[T], U]) -> tuple[U, ...] | None:
    return None if found is None else tuple(map(change, found))


@given(renamed())
def test_no_id_of_a_file_stands_among_the_words(drawn: tuple[Case, set[str], set[str]]) -> None:
    """Data spans hold whole ids, words hold none, and together they are the core's sentence."""
    case, documents, claims = drawn
    comparison = case.compare()
    for index in range(len(comparison)):
        detail = comparison.detail(index)
        said = sentences(comparison, index)
        for line in (said.what, *said.causes):
            for span in line:
                assert span.text.isprintable() or span.is_data
                assert not span.is_data or span.text in documents | claims
        wanted = [told for _, told in cause_words(detail, comparison.cutoff)]
        assert list(map(raw, said.causes)) == wanted


def test_a_restricted_document_is_called_so_wherever_it_is_named() -> None:
    """Its id stands there, and nothing else of it."""
    asked = question("q", relevant=["a", "b"], support={"x": ["a"]})
    case = comparison_of(
        [asked],
        [record("q", ["a"], {"x": ["a"]})],
        [record("q", ["b"], {})],
        documents=[Document(id=name, text="t", groups=("public",)) for name in "ab"],
    )
    said = Sentences(case.detail(0), case.scorer, is_open=lambda document: document != "a")
    told = raw(said.causes[0])
    assert told == f"evidence lost from the context: a{RESTRICTED}; x depended on it"


def test_the_worked_example_names_the_claim_and_the_document_apart() -> None:
    """`launch` is the question's id and a document's; in the sentence it is the document."""
    desk = release_desk()
    index = desk.index_of("launch")
    assert index is not None
    (cause,) = sentences(desk, index).causes
    assert [span.text for span in cause if span.is_data] == ["bonus", "launch"]
