"""Notes for tests: decisions, requests, and documents full of text that wants to act."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec
from hypothesis import strategies as st

from ragtui.core.triage import Choice, Decision, binding_of
from ragtui.notes.build import build
from ragtui.notes.document import (
    Card,
    Column,
    Count,
    Document,
    Facts,
    Fence,
    Heading,
    Listing,
    Paragraph,
    Row,
    Span,
    Strip,
    Table,
    Tone,
    data,
)
from ragtui.notes.subject import EvidenceLevel, Request
from tests.strategies import hostile_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ragtui.core.comparison import Comparison
    from ragtui.notes.document import Block, Text

__all__ = [
    "WORDS",
    "data_of",
    "decide",
    "documents",
    "fences_of",
    "note",
    "spans_of",
    "with_data",
]

WORDS: Final = ("unsupported claim added: ", ", and ", " (−0.50) ", "P@2 1/2 = 0.50 → n/a")
"""Words as sections write them around the data."""

_BINDING_OF_NOTHING: Final = "0" * 64


def decide(
    comparison: Comparison,
    question: str,
    choice: Choice,
    *,
    note: str | None = None,
    owner: str | None = None,
    follow_up: str | None = None,
    who: str | None = None,
    is_stale: bool = False,
) -> dict[str, Decision]:
    """Decide about one question of *comparison*; a stale decision is about another record of B."""
    index = comparison.index_of(question)
    assert index is not None
    binding = binding_of(comparison, index)
    if is_stale:
        binding = msgspec.structs.replace(binding, candidate=_BINDING_OF_NOTHING)
    decision = Decision(
        question=question,
        choice=choice,
        note=note,
        owner=owner,
        follow_up=follow_up,
        who=who,
        when="2026-11-28T10:00:00Z",
        binding=binding,
    )
    return {question: decision}


def note(
    comparison: Comparison,
    decisions: Mapping[str, Decision] | None = None,
    *,
    evidence: EvidenceLevel = EvidenceLevel.IDS,
    **request: object,
) -> Document:
    """Build the note of a comparison."""
    asked = Request(version="0.0.0", evidence=evidence)
    for name, value in request.items():
        object.__setattr__(asked, name, value)
    return build(comparison, decisions or {}, asked)


# ---------------------------------------------------------------- documents of hostile text

_tones = st.sampled_from(list(Tone))
_data = st.builds(data, hostile_text(max_pieces=3), _tones)
_words = st.builds(Span, st.sampled_from(WORDS), tone=_tones)
_lines = st.lists(st.one_of(_data, _data, _words), min_size=1, max_size=4).map(tuple)
_rows = st.builds(Row, st.sampled_from(["question", "cause", "owner"]), _lines)


@st.composite
def _tables(draw: st.DrawFn) -> Table:
    columns = tuple(
        Column(title, is_number=is_number)
        for title, is_number in draw(
            st.lists(
                st.tuples(st.sampled_from(["measure", "→n/a", "="]), st.booleans()),
                min_size=1,
                max_size=4,
            )
        )
    )
    rows = st.tuples(*(_lines for _ in columns))
    return Table(columns, tuple(draw(st.lists(rows, min_size=1, max_size=3))))


_blocks: Final[st.SearchStrategy[Block]] = st.one_of(
    st.builds(Heading, _lines, st.sampled_from([2, 3])),
    st.builds(Paragraph, _lines, _tones),
    st.just(
        Strip((Count("▼", 3, "regressed", Tone.WORSE), Count("=", 0, "unchanged", Tone.FAINT)))
    ),
    st.builds(Facts, st.lists(_rows, min_size=1, max_size=3).map(tuple)),
    st.builds(Listing, st.lists(_lines, min_size=1, max_size=3).map(tuple)),
    _tables(),
    st.builds(Card, _lines, _tones, st.lists(_rows, min_size=1, max_size=3).map(tuple)),
    st.builds(Fence, _lines, hostile_text()),
)


def documents() -> st.SearchStrategy[Document]:
    """Documents of every kind of block, whose data is text that wants to act."""
    return st.builds(
        lambda title, blocks: Document(title, tuple(blocks), {"title": [s.text for s in title]}),
        _lines,
        st.lists(_blocks, max_size=5),
    )


# ---------------------------------------------------------------- reading and changing documents


def lines_of(document: Document) -> list[Text]:
    """Return every line of spans, in the order in which a page shows them."""
    found = [document.title]
    for block in document.blocks:
        match block:
            case Heading() | Paragraph():
                found.append(block.text)
            case Facts():
                found += [row.text for row in block.rows]
            case Listing():
                found += block.items
            case Table():
                found += [cell for row in block.rows for cell in row]
            case Card():
                found += [block.head, *(row.text for row in block.rows)]
            case Fence():
                found.append(block.title)
    return found


def spans_of(document: Document) -> list[Span]:
    """Return every span, in the order in which a page shows them."""
    return [span for line in lines_of(document) for span in line]


def data_of(document: Document) -> list[Span]:
    """Return every span that a file wrote."""
    return [span for span in spans_of(document) if span.is_data]


def fences_of(document: Document) -> list[str]:
    """Return every quoted text."""
    return [block.body for block in document.blocks if isinstance(block, Fence)]


def with_data(document: Document, change: Callable[[str], str]) -> Document:
    """Return the same document with other data in it."""

    def line(spans: Text) -> Text:
        return tuple(s._replace(text=change(s.text)) if s.is_data else s for s in spans)

    def rows(found: tuple[Row, ...]) -> tuple[Row, ...]:
        return tuple(row._replace(text=line(row.text)) for row in found)

    def block(found: Block) -> Block:
        match found:
            case Heading() | Paragraph():
                return found._replace(text=line(found.text))
            case Facts():
                return Facts(rows(found.rows))
            case Listing():
                return Listing(tuple(map(line, found.items)))
            case Table():
                return found._replace(rows=tuple(tuple(map(line, row)) for row in found.rows))
            case Card():
                return found._replace(head=line(found.head), rows=rows(found.rows))
            case Fence():
                return Fence(line(found.title), change(found.body))
            case _:
                return found

    return Document(line(document.title), tuple(map(block, document.blocks)), document.entries)


def told(document: Document) -> str:
    """Return all lines of a document as plain text, one a line."""
    return "\n".join("".join(span.text for span in line) for line in lines_of(document))
