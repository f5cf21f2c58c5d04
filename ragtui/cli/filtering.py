"""Which questions a command lists."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ragtui.cli.messages import say
from ragtui.core.query import parse, select
from ragtui.core.wordings import Wordings
from ragtui.text import quote

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragtui.core.comparison import Comparison
    from ragtui.core.query import Query
    from ragtui.core.triage import Triage

__all__ = ["Listed", "listed", "read_filter"]


class Listed(NamedTuple):
    """The questions to list, in the set's order, and why these."""

    filter_text: str
    indexes: Sequence[int]
    of: int

    @property
    def is_filtered(self) -> bool:
        """Whether a filter was given, even one that every question passes."""
        return bool(self.filter_text.strip())

    @property
    def words(self) -> str:
        """What is listed, for a heading."""
        return f"filter {quote(self.filter_text)} · {len(self.indexes):,} of {self.of:,} questions"


def read_filter(text: str) -> Query:
    """Understand a filter before anything is loaded; raises `QueryError`."""
    return parse(text)


def listed(comparison: Comparison, query: Query, triage: Triage | None = None) -> Listed:
    """
    Select the questions to list; *triage* says where decisions stand.

    Of a held-out set that was not opened these are none, and a filter is refused before.
    """
    total = len(comparison)
    if comparison.withholds_questions:
        return Listed("", range(0), total)
    if not query.terms:
        return Listed(query.text, range(total), total)
    texts = Wordings(comparison)
    indexes = select(
        comparison, query, texts=texts.find, triage=None if triage is None else triage.state
    )
    if texts.skipped(query.words):
        say("an id holds the word, so the texts of this large set were not searched")
    return Listed(query.text, indexes, total)
