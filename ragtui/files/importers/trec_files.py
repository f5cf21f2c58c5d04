"""Relevance judgements and runs as read, before anything is joined or ranked."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from ragtui.errors import Fault, InputError
from ragtui.files.ids import check_id
from ragtui.files.importers.opening import open_input
from ragtui.files.question_rules import MAX_GRADE
from ragtui.files.shape import Faults

if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "NO_RANK",
    "Judgements",
    "Listing",
    "QrelsFile",
    "RunFile",
    "Source",
    "grade_fault",
    "id_of",
    "open_source",
    "refuse_nothing",
    "score_fault",
]

NO_RANK: Final = -(2**63)
"""Stands for a rank column that holds no whole number."""

_LONGEST: Final = 512


@dataclass(kw_only=True)
class Source:
    """One file and how it was read."""

    path: Path
    shown: str
    sha256: str
    """Digest of the file's own bytes, packed or not."""
    packed: bool
    dialect: str = ""
    used: int = 0
    """Lines, or cells of a JSON object, that hold a judgement or a retrieved document."""
    skipped: dict[str, int] = field(default_factory=dict)
    """Why lines were passed over, and how many."""
    changed: dict[str, int] = field(default_factory=dict)
    """What was written in another way than it is kept, and how often."""

    def skip(self, why: str) -> None:
        """Count a line that was passed over."""
        self.skipped[why] = self.skipped.get(why, 0) + 1

    def change(self, what: str) -> None:
        """Count a value that is kept in another form than it was written."""
        self.changed[what] = self.changed.get(what, 0) + 1


@dataclass(slots=True)
class Judgements:
    """The judgements of one topic, in file order."""

    documents: list[str] = field(default_factory=list)
    judges: list[str] = field(default_factory=list)
    """The second column: a judge's number where several judged, else of no meaning."""
    grades: list[int] = field(default_factory=list)

    def add(self, document: str, judge: str, grade: int) -> None:
        """Take one judgement."""
        self.documents.append(document)
        self.judges.append(judge)
        self.grades.append(grade)


@dataclass(slots=True)
class Listing:
    """The documents retrieved for one topic, in file order."""

    documents: list[str] = field(default_factory=list)
    scores: array[float] = field(default_factory=lambda: array("d"))
    ranks: array[int] = field(default_factory=lambda: array("q"))
    """The rank column, or `NO_RANK`; in JSON the position in the file."""
    lines: array[int] = field(default_factory=lambda: array("Q"))
    """Where each document stands, from 1; 0 when it is not known."""

    def add(self, document: str, score: float, rank: int, line: int) -> None:
        """Take one retrieved document."""
        self.documents.append(document)
        self.scores.append(score)
        self.ranks.append(rank)
        self.lines.append(line)


@dataclass(kw_only=True)
class QrelsFile:
    """Judgements by topic, topics in order of first appearance."""

    source: Source
    topics: dict[str, Judgements] = field(default_factory=dict)


@dataclass(kw_only=True)
class RunFile:
    """Retrieved documents by topic, topics in order of first appearance."""

    source: Source
    rank_faults: Faults
    """Rank columns that hold no whole number: of no matter unless the ranks are asked for."""
    topics: dict[str, Listing] = field(default_factory=dict)
    tags: dict[str, None] = field(default_factory=dict)
    """What the sixth column says, in order of first appearance."""
    wide_lines: int = 0
    """Lines with more than six columns, whose rest was passed over."""


def open_source(path: Path) -> tuple[Source, bytes, Faults]:
    """Open the file at *path*; return what is known of it, its content, and room for faults."""
    opened = open_input(path)
    source = Source(path=path, shown=opened.shown, sha256=opened.sha256, packed=opened.packed)
    return source, opened.data, Faults(opened.shown)


def refuse_nothing(source: Source, what: str, *, empty: bool) -> None:
    """Raise InputError when a file holds nothing that counts."""
    if empty:
        raise InputError(
            Fault(
                message=f"the file holds no {what}",
                file=source.shown,
                hint="name another file",
            )
        )


def id_of(text: str, faults: Faults, *, line: int | None) -> str:
    """Return *text*, an id of a topic, document or judge; what is wrong with it is a fault."""
    if text.isprintable() and " " not in text and 0 < len(text) <= _LONGEST:
        return text
    if wrong := check_id(text, "open"):
        faults.add(Fault(message=f"the id {wrong}", found=text[:80]), line=line)
    return text


def grade_fault(found: str, *, question: str | None = None) -> Fault:
    """Return what to say about a value that is no grade."""
    return Fault(
        message="this is no grade",
        question=question,
        found=found[:80],
        expected=f"a whole number from -{MAX_GRADE} to {MAX_GRADE}",
    )


def score_fault(found: str, *, question: str | None = None) -> Fault:
    """Return what to say about a value that documents cannot be ordered by."""
    return Fault(
        message="this is no score",
        question=question,
        found=found[:80],
        expected="a finite number",
    )
