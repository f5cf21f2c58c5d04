"""The table of slices, and what an average over all questions would hide."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragtui.cli.layout import Column, paragraph, table
from ragtui.cli.output import Span
from ragtui.core.change import Verdict
from ragtui.core.figures import NONE, VERDICT_GLYPH, count_of, signed, signed_count
from ragtui.core.measures import Form
from ragtui.core.slices import MIN_TESTED, against_total, reversals, surviving
from ragtui.text import plural

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ragtui.cli.layout import Cell
    from ragtui.cli.output import Line
    from ragtui.core.aggregate import Aggregate
    from ragtui.core.comparison import Comparison
    from ragtui.core.slices import Slice

__all__ = ["slice_lines"]

_COUNTED = (Verdict.REGRESSED, Verdict.MIXED, Verdict.IMPROVED, Verdict.UNCHANGED)


def slice_lines(comparison: Comparison, width: int) -> Iterator[Line]:
    """Yield a row a slice with the paired difference of each measure, then what to beware of."""
    slices = comparison.slices
    if not slices:
        return
    measures = [measure for measure in comparison.measures if measure.has_mean]
    columns = [
        Column("slice", shrinks=True),
        Column("questions", align="right"),
        *(Column(VERDICT_GLYPH[verdict], align="right") for verdict in _COUNTED),
        *(Column(m.written(comparison.cutoff), align="right") for m in measures),
    ]
    marked, tested = surviving(slices)
    yield from table(columns, (_row(part, marked) for part in slices), width)
    for sentence in _sentences(comparison, tested):
        yield from paragraph(sentence, width, indent=2)


def _row(part: Slice, marked: frozenset[tuple[str, str]]) -> Sequence[Cell]:
    return (
        part.name,
        count_of(part.questions),
        *(count_of(part.verdicts[verdict]) for verdict in _COUNTED),
        *(_moved(part, found, marked) for found in part.aggregates if found.measure.has_mean),
    )


def _moved(part: Slice, found: Aggregate, marked: frozenset[tuple[str, str]]) -> Cell:
    """Return a paired difference, in brackets where few questions stand behind it."""
    moved = found.paired.delta
    if moved is None:
        return Span(NONE, "faint")
    text = signed(moved)
    if found.measure.form is Form.YES_NO:
        text = signed_count(int(moved * found.paired.n))
    if found.paired.n < MIN_TESTED:
        return Span(f"({text})", "faint")
    sign = "•" if (part.name, found.measure.key) in marked else ""
    return Span(f"{sign}{text}", "better" if moved > 0 else "worse" if moved < 0 else "faint")


def _sentences(comparison: Comparison, tested: int) -> Iterator[str]:
    slices = comparison.slices
    few = any(
        found.paired.n < MIN_TESTED and found.paired.delta is not None
        for part in slices
        for found in part.aggregates
    )
    if few:
        yield f"( ) fewer than {MIN_TESTED} paired questions"
    if tested:
        yield f"• survives a correction for {plural(tested, 'test')}"
    if comparison.tags_overlap:
        yield "tags overlap: counts do not add up"
    for total in comparison.aggregates:
        words = _against(total, slices, comparison.cutoff)
        if words:
            yield words
    yield from reversals(comparison.aggregates, slices)


def _against(total: Aggregate, slices: Sequence[Slice], cutoff: int) -> str:
    """Name the slices that move the other way than all questions do."""
    found = against_total(total, slices)
    if not found or total.paired.delta is None:
        return ""
    rose = total.paired.delta > 0
    overall, others = ("improved", "regressed") if rose else ("regressed", "improved")
    named = ", ".join(f"{part.name} (n {own.paired.n:,})" for part, own in found)
    return f"{total.measure.written(cutoff)} {overall} overall, {others} in: {named}"
