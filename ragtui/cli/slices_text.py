"""The table of slices, and what an average over all questions would hide."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from ragtui.cli.layout import GAP, Column, paragraph, table
from ragtui.cli.output import Span
from ragtui.core.change import Verdict
from ragtui.core.figures import (
    NONE,
    VERDICT_GLYPH,
    count_of,
    signed,
    signed_amount,
)
from ragtui.core.measures import Form
from ragtui.core.slices import MIN_TESTED, against_total, reversals, surviving
from ragtui.text import cell_width, plural

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ragtui.cli.layout import Cell
    from ragtui.cli.output import Line
    from ragtui.core.aggregate import Aggregate
    from ragtui.core.comparison import Comparison
    from ragtui.core.measures import Measure
    from ragtui.core.slices import Slice
    from ragtui.text import Align

__all__ = ["slice_lines"]

_COUNTED = (Verdict.REGRESSED, Verdict.MIXED, Verdict.IMPROVED, Verdict.UNCHANGED)


def slice_lines(comparison: Comparison, width: int) -> Iterator[Line]:
    """Yield a row a slice with the paired difference of each measure, then what to beware of."""
    slices = comparison.slices
    if not slices:
        return
    marked, tested = surviving(slices, alpha=comparison.alpha)
    counted = [
        _Shown("slice", [part.name for part in slices], "left"),
        _Shown("questions", [count_of(part.questions) for part in slices]),
        *(
            _Shown(VERDICT_GLYPH[verdict], [count_of(part.verdicts[verdict]) for part in slices])
            for verdict in _COUNTED
        ),
    ]
    measured = [
        _Shown(measure.written(comparison.cutoff), _differences(slices, measure, marked))
        for measure in _measured(comparison)
    ]
    for group in _groups(counted, measured, width):
        columns = [
            Column(shown.title, align=shown.align, shrinks=shown.align == "left") for shown in group
        ]
        yield from table(columns, zip(*(shown.cells for shown in group), strict=True), width)
    for sentence in _sentences(comparison, len(marked), tested):
        yield from paragraph(sentence, width, indent=2)


def _measured(comparison: Comparison) -> list[Measure]:
    """Return the measures that have a paired difference in any slice."""
    return [
        measure
        for measure in comparison.measures
        if any((found := part.of(measure.key)) and found.paired.n for part in comparison.slices)
        and measure.has_mean
    ]


class _Shown(NamedTuple):
    """One column with its cells."""

    title: str
    cells: Sequence[Cell]
    align: Align = "right"

    @property
    def width(self) -> int:
        texts = (cell if isinstance(cell, str) else cell.text for cell in self.cells)
        return max(map(cell_width, [self.title, *texts]))


_NAME: Final = 24
"""Cells of a slice's name before measures go to a table of their own."""


def _groups(
    counted: Sequence[_Shown], measured: Sequence[_Shown], width: int
) -> Iterator[Sequence[_Shown]]:
    """Yield the columns of each table: the counts, then as many measures as fit; then the rest."""
    name = counted[0]
    group = list(counted)
    room = width - GAP - min(name.width, _NAME)
    used = sum(shown.width + GAP for shown in counted[1:])
    for shown in measured:
        if used + shown.width + GAP > room:
            yield group
            group, used = [name], 0
        group.append(shown)
        used += shown.width + GAP
    yield group


def _differences(
    slices: Sequence[Slice], measure: Measure, marked: frozenset[tuple[str, str]]
) -> list[Cell]:
    return [
        NONE if (found := part.of(measure.key)) is None else _moved(part, found, marked)
        for part in slices
    ]


def _moved(part: Slice, found: Aggregate, marked: frozenset[tuple[str, str]]) -> Cell:
    """Return a paired difference, in brackets where few questions stand behind it."""
    moved = found.paired.delta
    if moved is None:
        return Span(NONE, "faint")
    text = signed(moved)
    if found.measure.form is Form.YES_NO:
        text = signed_amount(moved * found.paired.n)
    if found.is_small:
        return Span(f"({text})", "faint")
    sign = "•" if (part.name, found.measure.key) in marked else ""
    return Span(f"{sign}{text}", "better" if moved > 0 else "worse" if moved < 0 else "faint")


def _sentences(comparison: Comparison, marked: int, tested: int) -> Iterator[str]:
    slices = comparison.slices
    few = any(
        found.is_small and found.paired.delta is not None
        for part in slices
        for found in part.aggregates
    )
    if few:
        units = "questions, or clusters of them" if comparison.clustered else "questions"
        yield f"( ) fewer than {MIN_TESTED} paired {units}"
    if tested and marked:
        yield f"• survives a correction for {plural(tested, 'test')}"
    elif tested:
        yield f"nothing in a slice survives a correction for {plural(tested, 'test')}"
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
