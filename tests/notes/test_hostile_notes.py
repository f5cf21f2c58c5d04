"""A note of a comparison in which every text of every file wants to act."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING, Final

import msgspec
import pytest

from ragtui.core.model import Claim, Document, Question, Record, Retrieved, Review, SetInfo, Status
from ragtui.core.triage import Choice
from ragtui.notes.document import Heading, Table
from ragtui.notes.subject import EvidenceLevel
from ragtui.notes.writers import FORMATS, render
from tests.builders import any_of, comparison_of, run_info
from tests.notes.notes import decide, note, spans_of
from tests.notes.test_hostile_writers import (
    ATTRIBUTES,
    FORBIDDEN,
    MENTION,
    RUNNER,
    TAGS,
    acting,
    page_of,
    rendered,
)
from tests.strategies import PAYLOADS

if TYPE_CHECKING:
    from ragtui.notes.document import Document as Note

LEVEL: Final = EvidenceLevel.FULL


def hostile_note(payload: str) -> Note:
    """Return a note in which *payload* is, or stands in, all that a file can say."""
    told = payload.encode("utf-8", "replace").decode("utf-8")[:300]
    doc, claim, tag = f"d{told}", f"c{told}", f"t{told}"
    asked = Question(
        id=told,
        text=told,
        tags=(tag,),
        relevant=(doc, "other"),
        support={claim: (frozenset({doc}),)},
        claims={claim: told},
        status=Status.DISPUTED,
        reviews=(
            Review(reviewer=f"r{told}", relevant=("other",), support={}, note=told),
            Review(reviewer=told, relevant=("other",), support={f"new {told}": any_of("other")}),
        ),
    )
    worse = Record(
        question=told,
        retrieved=(Retrieved("other", text=told),),
        answer=told,
        claims=(Claim(f"new {told}", ("other",), text=told),),
    )
    better = Record(
        question=told,
        retrieved=(Retrieved(doc, text=told),),
        answer=told,
        claims=(Claim(claim, (doc,)),),
    )
    again = msgspec.structs.replace(asked, id=f"2{told}")
    lost = msgspec.structs.replace(asked, id=f"3{told}")
    comparison = comparison_of(
        [asked, again, lost],
        [better, msgspec.structs.replace(worse, question=again.id)],
        [worse, msgspec.structs.replace(better, question=again.id)],
        documents=[
            Document(id=name, text=told, title=told, source=told) for name in (doc, "other")
        ],
        baseline=run_info(told, note=told, pipeline={told: told}),
        candidate=run_info(f"b{told}", note=told, pipeline={f"x.{told}": told}),
        set_info=SetInfo(id=told, version=told, sha256=told, rubric=told, contract=told),
        notices=(f"not frozen: {told} {told} has no lock",),
    )
    decisions = decide(
        comparison, told, Choice.BLOCK, note=told, owner=told, follow_up=told, who=told
    )
    return note(comparison, decisions, evidence=LEVEL, filter_text=told, indexes=[0, 1, 2])


@pytest.mark.parametrize("payload", PAYLOADS.values(), ids=list(PAYLOADS))
def test_whatever_the_files_say_a_note_is_text(payload: str) -> None:
    """In every format, from ids to reasons: nothing acts, links, loads, mentions or commands."""
    document = hostile_note(payload)
    for suffix in FORMATS:
        assert not acting(render(document, suffix).decode("utf-8")), suffix
    for suffix in (".txt", ".md"):
        assert not RUNNER.search(render(document, suffix).decode("utf-8")), suffix
    markdown = rendered(document)
    assert not FORBIDDEN & set(markdown.kinds)
    assert not any(MENTION.search(told) for told in markdown.text)
    page = page_of(document)
    for tag, attributes in page.elements:
        assert TAGS.fullmatch(tag)
        assert all((tag, name) in ATTRIBUTES for name, _ in attributes)
    for suffix in (".html", ".svg"):
        ET.fromstring(render(document, suffix).decode("utf-8"))  # noqa: S314 - written here


def test_no_word_of_a_note_comes_from_a_file() -> None:
    """With a text of letters in every field: it stands in data, never among the words."""
    document = hostile_note("Xyzzy" * 5)
    assert not [span for span in spans_of(document) if not span.is_data and "Xyzzy" in span.text]
    for block in document.blocks:
        if isinstance(block, Table):
            assert not any("Xyzzy" in column.title for column in block.columns)
        if isinstance(block, Heading):
            assert not any(span.is_data for span in block.text)
