"""
The small frozen records that everything else is made of.

*Absent is not empty*: `None` says that a part was not labelled or not recorded, an empty part is a
statement (nothing is relevant; nothing was retrieved; the system abstained).
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final, TypeAlias

import msgspec

__all__ = [
    "CONTRACT",
    "MAX_CUTOFF",
    "PUBLIC",
    "Access",
    "Alternatives",
    "Annotation",
    "Claim",
    "ClaimIds",
    "Document",
    "Question",
    "Record",
    "Requests",
    "Retrieved",
    "Review",
    "RunInfo",
    "SetInfo",
    "Split",
    "Status",
    "Unit",
]

CONTRACT: Final = "strict-citation/1"
"""The scoring contract this program implements."""

MAX_CUTOFF: Final = 100
"""Largest allowed context cutoff k."""

PUBLIC: Final = "public"
"""The group every caller belongs to."""

Alternatives: TypeAlias = tuple[frozenset[str], ...]
"""The document sets that support one claim; each set is needed whole, any one of them is enough."""


class Unit(StrEnum):
    """What the retriever returns."""

    DOCUMENT = "document"
    CHUNK = "chunk"


class Split(StrEnum):
    """What a question set is for."""

    DEVELOPMENT = "development"
    HELD_OUT = "held-out"


class Status(StrEnum):
    """How far the reviewers of one question agree."""

    AGREED = "agreed"
    DISPUTED = "disputed"
    RESOLVED = "resolved"


class ClaimIds(StrEnum):
    """What a claim id of a run means."""

    RUBRIC = "rubric"
    """The same proposition in every run."""
    RUN = "run"
    """A sentence of this run only; never matched with another run's."""


class Review(msgspec.Struct, frozen=True, kw_only=True):
    """One reviewer's judgement of one question; an absent part is the main label's."""

    reviewer: str
    relevant: tuple[str, ...] | None = None
    support: Mapping[str, Alternatives] | None = None
    note: str | None = None


class Question(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One question of the frozen set with its main labels."""

    id: str
    text: str | None = None
    tags: tuple[str, ...] = ()
    critical: bool = False
    """It must not break: losing any part of its answer is severity S1."""
    relevant: tuple[str, ...] | None = None
    """All documents labelled relevant; empty: unanswerable; `None`: not labelled."""
    support: Mapping[str, Alternatives] | None = None
    """Expected claim id to what supports it; `None`: not labelled."""
    accepted: Mapping[str, Alternatives] | None = None
    """Supported but not expected claims; `None`: not labelled."""
    caller: tuple[str, ...] = (PUBLIC,)
    cluster: str | None = None
    status: Status = Status.AGREED
    grades: Mapping[str, int] | None = None
    not_relevant: tuple[str, ...] | None = None
    """Documents judged and found not relevant."""
    claims: Mapping[str, str] = msgspec.field(default_factory=dict)
    """Wording of claim ids, for people."""
    reviews: tuple[Review, ...] = ()

    @property
    def answerable(self) -> bool | None:
        """
        Whether the corpus answers the question, `None` when neither part is labelled.

        >>> Question(id="q", relevant=()).answerable, Question(id="q").answerable
        (False, None)
        """
        if self.relevant is not None:
            return bool(self.relevant)
        return None if self.support is None else bool(self.support)


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """One document of the corpus."""

    id: str
    text: str
    title: str | None = None
    version: str | None = None
    """Which source version the text represents."""
    source: str | None = None
    """The route back to the source; shown and copied, never opened."""
    groups: tuple[str, ...] | None = None
    """Who may read it; `None`: not said."""


class Retrieved(msgspec.Struct, frozen=True, gc=False):
    """One item of a ranked list."""

    id: str
    """Document id."""
    chunk: str | None = None
    version: str | None = None
    text: str | None = None
    """The context actually delivered; `None`: not recorded."""
    score: float | None = None


class Claim(msgspec.Struct, frozen=True, gc=False):
    """One statement of an answer and the document ids it cites."""

    id: str
    citations: tuple[str, ...] = ()
    text: str | None = None


class Record(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What one run recorded for one question."""

    question: str
    repeat: int | None = None
    retrieved: tuple[Retrieved, ...] | None = None
    """Best first; `None`: not recorded."""
    delivered: tuple[str, ...] | None = None
    """Ids the answer stage really got."""
    answer: str | None = None
    claims: tuple[Claim, ...] | None = None
    """In the order stated; empty: abstained; `None`: not recorded."""
    latency_ms: float | None = None
    cost_usd: float | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    retries: int | None = None
    error: str | None = None
    """Set when the system failed on this question."""


class Annotation(msgspec.Struct, frozen=True, kw_only=True):
    """Who turned the answers of a run into claims."""

    claims_by: str | None = None
    by: tuple[str, ...] = ()
    claim_ids: ClaimIds = ClaimIds.RUBRIC
    details: Mapping[str, object] = msgspec.field(default_factory=dict)
    """What else the manifest says about the annotation, flattened to dotted keys."""


class Requests(msgspec.Struct, frozen=True, kw_only=True):
    """How many requests a run sent."""

    sent: int | None = None
    retried: int | None = None
    failed: int | None = None


class RunInfo(msgspec.Struct, frozen=True, kw_only=True):
    """What a run says about itself."""

    id: str
    cutoff: int
    """k: how many retrieved items reached the answer stage."""
    unit: Unit = Unit.DOCUMENT
    created: str | None = None
    """RFC 3339 text."""
    note: str | None = None
    pipeline: Mapping[str, object] = msgspec.field(default_factory=dict)
    """Configuration, flattened to dotted keys."""
    environment: Mapping[str, object] = msgspec.field(default_factory=dict)
    requests: Requests = msgspec.field(default_factory=Requests)
    annotation: Annotation = msgspec.field(default_factory=Annotation)
    records_sha256: str = ""
    """Digest of the records as read; equal digests mean equal records."""
    pinned: bool = False
    """Whether the manifest names the digest of the set it was measured on."""


class SetInfo(msgspec.Struct, frozen=True, kw_only=True):
    """What a question set says about itself."""

    id: str
    version: str
    split: Split = Split.DEVELOPMENT
    contract: str = CONTRACT
    rubric: str | None = None
    corpus_version: str | None = None
    open_corpus: bool = False
    sha256: str | None = None
    """The digest of the lock these files would have."""
    frozen: bool = False
    """Whether a lock of this version stands beside the set."""
    permissions: bool = False
    """Whether any document says who may read it."""


class Access(msgspec.Struct, frozen=True):
    """Who may read which document; documents without groups are restricted for everyone."""

    groups: Mapping[str, frozenset[str]]
    """Every document of the corpus and the groups that may read it."""

    def restricted(self, document: str, caller: tuple[str, ...]) -> bool:
        """
        Tell whether *document* is in the corpus and closed to *caller*; unknown ids are not.

        >>> Access({"a": frozenset({"hr"})}).restricted("a", ("public",))
        True
        """
        groups = self.groups.get(document)
        return groups is not None and groups.isdisjoint(caller)
