"""Comparison and decisions → document, in the order in which a reader needs it."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from ragtui.notes.definitions import definition_blocks, identity_blocks, unmeasured_blocks
from ragtui.notes.disputes import dispute_blocks
from ragtui.notes.document import Document
from ragtui.notes.entries import note_entries
from ragtui.notes.head import head_blocks, settings_blocks, title, trust_blocks
from ragtui.notes.operations import operation_blocks, operations_of
from ragtui.notes.policy import ruling_blocks, ruling_definitions
from ragtui.notes.questions import decided_blocks, open_blocks, other_blocks
from ragtui.notes.subject import Subject
from ragtui.notes.tables import absence_blocks, measure_blocks, slice_blocks
from ragtui.notes.texts import Texts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ragtui.core.comparison import Comparison
    from ragtui.core.triage import Decision
    from ragtui.notes.subject import Request

__all__ = ["build"]


def build(comparison: Comparison, decisions: Mapping[str, Decision], request: Request) -> Document:
    """
    Return the release note of a complete comparison.

    *decisions* are by question id, stale ones included. The same arguments give the same document:
    no clock and no environment is read.
    """
    subject = Subject(comparison=comparison, decisions=decisions, request=request)
    texts = Texts(subject)
    operations = operations_of(comparison)
    # Questions come before the head: it says how many of their texts were withheld.
    closed = comparison.withholds_questions
    questions = (
        []
        if closed
        else [
            *open_blocks(subject, texts),
            *decided_blocks(subject, texts),
            *other_blocks(subject),
            *dispute_blocks(subject),
        ]
    )
    blocks = chain(
        head_blocks(subject, texts),
        trust_blocks(subject),
        ruling_blocks(subject.ruling),
        questions,
        measure_blocks(subject),
        slice_blocks(comparison),
        () if closed else absence_blocks(comparison),
        operation_blocks(operations),
        settings_blocks(comparison),
        definition_blocks(comparison),
        ruling_definitions(subject.ruling),
        unmeasured_blocks(subject),
        identity_blocks(subject),
    )
    return Document(title(subject), tuple(blocks), note_entries(subject, texts, operations))
