"""Disputed labels as text: each question under every labelling, and how far reviewers agree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ragtui.cli.layout import Column, paragraph, table
from ragtui.cli.output import Span, line
from ragtui.core.dispute_words import (
    agreement_words,
    endings_words,
    marginal_words,
    open_words,
    range_lines,
    verdicts_words,
)
from ragtui.text import plural

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ragtui.cli.layout import Cell
    from ragtui.cli.output import Line
    from ragtui.core.comparison import Comparison
    from ragtui.core.labels import Dispute

__all__ = ["ATTENTION", "dispute_lines", "labelling_lines"]

ATTENTION: Final = "mixed"
"""The role of what hangs on the choice of labels."""

MOST: Final = 100
"""Disputed questions written out, those that hang on the choice first."""


def dispute_lines(comparison: Comparison, indexes: Iterable[int], width: int) -> Iterator[Line]:
    """Yield the disputed ones among *indexes*, then how far the reviewers of the set agree."""
    disputes = comparison.disputes
    found = sorted(
        (index for index in indexes if index in disputes), key=lambda i: not disputes[i].is_open
    )
    columns = [Column("", most=40, shrinks=True), Column("", wraps=True)]
    rows = (row for index in found[:MOST] for row in _rows(comparison, index))
    yield from table(columns, rows, width)
    if len(found) > MOST:
        yield line(f"  {plural(len(found) - MOST, 'question')} more; --json flags them all")
    for agreement in comparison.agreements:
        told = f"{agreement_words(agreement)}; {marginal_words(agreement)}"
        yield from paragraph(told, width, indent=2)


def _rows(comparison: Comparison, index: int) -> Iterator[Sequence[Cell]]:
    dispute = comparison.disputes[index]
    name = Span(comparison.ids[index], "strong")
    if dispute.is_open:
        yield name, Span(open_words(dispute), ATTENTION)
    else:
        yield name, f"{verdicts_words(dispute)}, whoever is right about the labels"
    yield "", endings_words(dispute)
    for found in range_lines(dispute, comparison.measures, comparison.cutoff):
        if found.depends:
            yield "", f"{found.written}: A {found.a}, B {found.b}, Δ {found.moved}"


def labelling_lines(comparison: Comparison, dispute: Dispute, width: int) -> Iterator[Line]:
    """Yield one disputed question: how it ends under whose labels, and every measure's range."""
    if dispute.is_open:
        yield line("  ", Span(open_words(dispute), ATTENTION))
    yield from paragraph(endings_words(dispute), width, indent=2)
    columns = [Column("measure"), Column("A"), Column("B"), Column("Δ")]
    lines = range_lines(dispute, comparison.measures, comparison.cutoff)
    yield from table(columns, ((f.written, f.a, f.b, f.moved) for f in lines), width)
