"""What a note is about: the comparison, the decisions, what was asked for, and who may read it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING

from ragtui.core.change_words import verdict_words
from ragtui.core.figures import VERDICT_GLYPH
from ragtui.core.gate import judge
from ragtui.core.model import PUBLIC
from ragtui.core.triage import Choice, Standing, Triage
from ragtui.notes.document import Tone
from ragtui.notes.sentences import Sentences

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ragtui.core.change import Verdict
    from ragtui.core.columns import ChangeRow
    from ragtui.core.comparison import Comparison, Detail
    from ragtui.core.gate import Ruling
    from ragtui.core.model import Record
    from ragtui.core.policy import Policy
    from ragtui.core.triage import Decision

__all__ = ["VERDICT_TONE", "EvidenceLevel", "Group", "Request", "Subject", "verdict_text"]


class EvidenceLevel(StrEnum):
    """How much text of documents and answers a note holds."""

    IDS = "ids"
    EXCERPTS = "excerpts"
    FULL = "full"


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What was asked for, apart from the comparison."""

    version: str
    """Of this program."""
    evidence: EvidenceLevel = EvidenceLevel.IDS
    dated: str | None = None
    """When the note was written, RFC 3339; `None`: no clock was read."""
    filter_text: str = ""
    indexes: Sequence[int] | None = None
    """The questions that the filter lets through; `None`: no filter was given."""
    policy: Policy | None = None
    """What the comparison is held against."""


class Group(StrEnum):
    """Where a question that changed, or that was decided about, stands in a note."""

    BLOCKED = "blocked"
    UNDECIDED = "undecided"
    STALE = "stale"
    ACCEPTED = "accepted"
    DISPUTED = "disputed"
    WITHOUT_NEED = "without-need"
    """Decided, though the change needs no decision."""
    MIXED = "mixed"
    NOT_COMPARABLE = "not-comparable"
    IMPROVED = "improved"
    UNCHANGED = "unchanged"


OPEN_GROUPS = (Group.BLOCKED, Group.UNDECIDED, Group.STALE)
"""What somebody must still act on before a release."""

_BY_CHOICE = {
    Choice.BLOCK: Group.BLOCKED,
    Choice.ACCEPT: Group.ACCEPTED,
    Choice.DISPUTE: Group.DISPUTED,
    Choice.INVESTIGATE: Group.UNDECIDED,
}

VERDICT_TONE = {
    "regressed": Tone.WORSE,
    "mixed": Tone.MIXED,
    "improved": Tone.BETTER,
    "unchanged": Tone.FAINT,
    "not-comparable": Tone.ABSENT,
}


def verdict_text(verdict: Verdict) -> str:
    """Return the sign and the word of a verdict."""
    return f"{VERDICT_GLYPH[verdict]} {verdict_words(verdict)}"


@dataclass(kw_only=True)
class Subject:
    """Everything that the sections of one note read."""

    comparison: Comparison
    decisions: Mapping[str, Decision]
    request: Request
    triage: Triage = field(init=False)

    def __post_init__(self) -> None:
        """Hold the decisions against the comparison."""
        self.triage = Triage(self.comparison, self.decisions)

    # ------------------------------------------------------------ who may read what

    def is_open(self, document: str) -> bool:
        """Tell whether everybody may read a document; what is not known is closed."""
        access = self.comparison.scorer.access
        return access is None or PUBLIC in access.groups.get(document, ())

    def record_is_open(self, record: Record) -> bool:
        """Tell whether an answer can quote nothing that not everybody may read."""
        retrieved = (item.id for item in record.retrieved or ())
        cited = (document for claim in record.claims or () for document in claim.citations)
        return all(map(self.is_open, (*retrieved, *(record.delivered or ()), *cited)))

    def sentences(self, detail: Detail) -> Sentences:
        """Return what is said about one question."""
        return Sentences(detail, self.comparison.scorer, is_open=self.is_open)

    # ------------------------------------------------------------ which questions stand where

    def group(self, index: int) -> Group:
        """Say where a question stands."""
        row = self.comparison.changes[index]
        decision = self.triage.decision(index)
        if row.severity is None:
            return Group.WITHOUT_NEED if decision is not None else _without_severity(row)
        if decision is None:
            return Group.UNDECIDED
        if self.triage.standing(index) is Standing.STALE:
            return Group.STALE
        return _BY_CHOICE[decision.choice]

    @cached_property
    def groups(self) -> Mapping[Group, Sequence[int]]:
        """The questions of each group, what hurts most first; never filtered."""
        found: dict[Group, list[int]] = {group: [] for group in Group}
        for index in self.comparison.order:
            found[self.group(index)].append(index)
        return found

    @cached_property
    def _kept(self) -> frozenset[int] | None:
        indexes = self.request.indexes
        return None if indexes is None else frozenset(indexes)

    @cached_property
    def ruling(self) -> Ruling | None:
        """How the comparison fared under the policy, if there is one."""
        policy = self.request.policy
        return None if policy is None else judge(policy, self.triage)

    @property
    def is_filtered(self) -> bool:
        """Whether lists of questions hold only some of them."""
        return self.request.indexes is not None

    def listed(self, indexes: Iterable[int]) -> list[int]:
        """Return those of *indexes* that the filter lets through."""
        kept = self._kept
        return list(indexes) if kept is None else [index for index in indexes if index in kept]

    @property
    def n_open(self) -> int:
        """Changes that somebody must still act on; never filtered."""
        return sum(len(self.groups[group]) for group in OPEN_GROUPS)


def _without_severity(row: ChangeRow) -> Group:
    return {
        "regressed": Group.MIXED,
        "mixed": Group.MIXED,
        "improved": Group.IMPROVED,
        "unchanged": Group.UNCHANGED,
        "not-comparable": Group.NOT_COMPARABLE,
    }[row.verdict.value]
