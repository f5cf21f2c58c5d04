"""The documents of a run in the order in which they count."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from operator import itemgetter
from typing import TYPE_CHECKING, Literal, TypeAlias

from ragtui.errors import Fault
from ragtui.files.importers.trec_files import NO_RANK
from ragtui.files.limits import MAX_IDS_OPEN
from ragtui.files.shape import Faults

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ragtui.files.importers.trec_files import Listing, RunFile, Source

__all__ = ["Order", "Ranked", "RankedRun", "rank_run", "ranked"]

Order: TypeAlias = Literal["score", "file"]
"""`score`: high to low, ties by document id high to low; `file`: by the rank column."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """The documents of one topic, best first, and what the two orders say of each other."""

    documents: list[str]
    tied: int
    """Documents whose score is that of the one before."""
    agree: bool
    """Whether the rank column gives the order of the scores."""


@dataclass(kw_only=True)
class RankedRun:
    """One run, ranked."""

    source: Source
    tags: tuple[str, ...]
    wide_lines: int
    topics: dict[str, list[str]] = field(default_factory=dict)
    """Topic to documents, best first; empty: nothing was retrieved."""
    tied: int = 0
    """Documents whose score is that of the one before."""
    disagreeing: int = 0
    """Topics whose rank column gives another order than the scores."""


def rank_run(file: RunFile, order: Order) -> RankedRun:
    """
    Rank every topic of *file*, whose lists are given up one by one.

    Raises InputError for a document listed twice, for lists that are too long, and, by *file*
    order, for ranks that are no numbers.
    """
    if order == "file":
        file.rank_faults.raise_any()
    run = RankedRun(source=file.source, tags=tuple(file.tags), wide_lines=file.wide_lines)
    faults = Faults(file.source.shown)
    for topic in list(file.topics):
        listing = file.topics.pop(topic)
        faults.add(*_list_faults(topic, listing))
        found = ranked(listing, order)
        run.topics[topic] = found.documents
        run.tied += found.tied
        run.disagreeing += not found.agree
    faults.raise_any()
    return run


def ranked(listing: Listing, order: Order) -> Ranked:
    """
    Return the documents of one topic, best first.

    By score as trec_eval sorts: score high to low, ties by document id high to low in byte order,
    which in UTF-8 is the order of code points. By file: rank low to high, then as they stand.
    """
    rows = sorted(zip(listing.scores, listing.documents, listing.ranks, strict=True), reverse=True)
    tied = sum(one[0] == other[0] for one, other in pairwise(rows))
    agree = all(one[2] <= other[2] for one, other in pairwise(rows))
    if order == "score":
        return Ranked([row[1] for row in rows], tied, agree or NO_RANK in listing.ranks)
    best_first = sorted(zip(listing.ranks, listing.documents, strict=True), key=itemgetter(0))
    return Ranked([row[1] for row in best_first], tied, agree)


def _list_faults(topic: str, listing: Listing) -> Iterator[Fault]:
    if len(set(listing.documents)) < len(listing.documents):
        yield from _repeated(topic, listing.documents, listing.lines)
    if len(listing.documents) > MAX_IDS_OPEN:
        yield Fault(
            message="the list is longer than one record can hold",
            question=topic,
            found=f"{len(listing.documents):,} documents",
            expected=f"at most {MAX_IDS_OPEN:,}",
            hint="cut the lists of this run first",
        )


def _repeated(topic: str, documents: Sequence[str], lines: Sequence[int]) -> Iterator[Fault]:
    seen: dict[str, int] = {}
    for document, line in zip(documents, lines, strict=True):
        if document not in seen:
            seen[document] = line
            continue
        yield Fault(
            message="the document stands more than once in one list",
            line=line or None,
            question=topic,
            found=document,
            hint=f"it stands on line {seen[document]} too: keep one line for each document",
        )
