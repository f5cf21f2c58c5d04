"""The tables of measures: paired figures, own and pooled figures, and what may be said."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Final

from ragtui.cli.layout import Column, paragraph, section, table
from ragtui.cli.output import BLANK, Span
from ragtui.cli.score_text import own_text
from ragtui.core.figures import (
    NONE,
    amount,
    count_of,
    mean_text,
    percent,
    pooled_difference_text,
    signed,
    signed_amount,
)
from ragtui.core.measures import Form
from ragtui.core.slices import ANSWERABLE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ragtui.cli.filtering import Listed
    from ragtui.cli.layout import Cell
    from ragtui.cli.output import Line
    from ragtui.core.aggregate import Aggregate, Paired
    from ragtui.core.comparison import Comparison
    from ragtui.core.interval import Interval

__all__ = ["measure_sections"]

PAIRED: Final = "Measures, paired: over the questions that have a value in A and in B"
OWN: Final = "Measures, each run over its own questions: never subtract these"

Named = tuple[str, "Aggregate"]


def measure_sections(comparison: Comparison, shown: Listed, width: int) -> Iterator[Line]:
    """Yield the sections of paired and of own figures; the listed questions stand apart."""
    rows = list(_named(comparison))
    yield from section(PAIRED, _paired_lines(rows, width))
    if shown.is_filtered:
        part = [
            (found.measure.written(comparison.cutoff), found)
            for found in comparison.aggregates_of(shown.indexes)
        ]
        yield BLANK
        yield from paragraph(f"The same for {shown.words}", width, indent=2)
        yield from _paired_lines(part, width)
    yield from section(OWN, _own_lines(rows, width))


def _named(comparison: Comparison) -> Iterator[Named]:
    """Yield each measure; answerable questions apart where support mixes both kinds."""
    answerable = next((s for s in comparison.slices if (s.name, s.tag) == (ANSWERABLE, None)), None)
    for found in comparison.aggregates:
        written = found.measure.written(comparison.cutoff)
        yield written, found
        if found.measure.key == "support" and answerable is not None:
            apart = answerable.of("support")
            if apart is not None and answerable.questions < len(comparison):
                yield f"{written}, answerable", apart


# ---------------------------------------------------------------- paired


def _paired_lines(rows: Sequence[Named], width: int) -> Iterator[Line]:
    columns = (
        Column("measure", shrinks=True),
        Column("A", align="right"),
        Column("B", align="right"),
        Column("Δ", align="right"),
        Column("n", align="right"),
        Column("▲", align="right"),
        Column("▼", align="right"),
        Column("=", align="right"),
        Column("became n/a", align="right"),
        Column("became defined", align="right"),
        Column("missing", align="right"),
        Column("interval"),
        Column("in words", wraps=True),
    )
    cells = [_paired_row(name, found) for name, found in rows]
    told = [
        n
        for n, column in enumerate(columns)
        if column.title not in _LEFT_OUT or any(row[n] not in {"0", ""} for row in cells)
    ]
    yield from table([columns[n] for n in told], ([row[n] for n in told] for row in cells), width)
    yield from _notes(rows, width)


_LEFT_OUT: Final = frozenset({"became n/a", "became defined", "missing", "interval"})
"""Columns that are left out where they say nothing of any measure."""


def _paired_row(name: str, found: Aggregate) -> Sequence[Cell]:
    paired, resolution = found.paired, found.resolution
    a, b, moved = _paired_texts(found)
    interval = resolution and resolution.interval
    return (
        name,
        a,
        b,
        Span(moved, _role(found)),
        count_of(paired.n),
        count_of(paired.up),
        count_of(paired.down),
        count_of(paired.equal),
        count_of(paired.became_na),
        count_of(paired.became_defined),
        count_of(paired.missing),
        _interval_words(interval) if interval else "",
        "counted, not averaged" if resolution is None else resolution.words,
    )


def _role(found: Aggregate) -> str:
    moved = found.paired.delta
    if not moved:
        return "faint"
    return "better" if moved > 0 else "worse"


def _paired_texts(found: Aggregate) -> tuple[str, str, str]:
    """Return both paired figures and their difference; counts of yes where a mean hides them."""
    paired = found.paired
    if not paired.n or not found.measure.has_mean:
        return NONE, NONE, NONE
    if found.measure.form is not Form.YES_NO:
        return mean_text(paired.baseline), mean_text(paired.candidate), signed(paired.delta)
    a, b = _yes(paired.baseline, paired), _yes(paired.candidate, paired)
    return f"{amount(a)}/{paired.n:,}", f"{amount(b)}/{paired.n:,}", signed_amount(b - a)


def _yes(mean: Fraction | None, paired: Paired) -> Fraction:
    return Fraction(0) if mean is None else mean * paired.n


def _interval_words(interval: Interval) -> str:
    low, high = (signed(end, zero="0") for end in (interval.low, interval.high))
    return f"{percent(interval.confidence)}% {low} to {high}"


def _notes(rows: Sequence[Named], width: int) -> Iterator[Line]:
    """Yield each reservation once, with the measures that it is about."""
    said: dict[str, list[str]] = {}
    for name, found in rows:
        for note in found.resolution.notes if found.resolution is not None else ():
            said.setdefault(note, []).append(name)
    for note, names in said.items():
        about = "every measure" if len(names) == len(rows) else "; ".join(names)
        yield from paragraph(f"{about}: {note}", width, indent=2)


# ---------------------------------------------------------------- own and pooled


def _own_lines(rows: Sequence[Named], width: int) -> Iterator[Line]:
    columns = (
        Column("measure", shrinks=True),
        Column("own A", align="right"),
        Column("n", align="right"),
        Column("own B", align="right"),
        Column("n", align="right"),
        Column("pooled A", align="right"),
        Column("pooled B", align="right"),
        Column("", wraps=True),
    )
    yield from table(columns, (_own_row(name, found) for name, found in rows), width)
    told = [
        f"{name} {pooled_difference_text(found.pooled_difference)}"
        for name, found in rows
        if found.pooled_difference is not None
    ]
    if told:
        yield from paragraph(
            f"pooled ratios, over what neither run lacks: {'; '.join(told)}", width, indent=2
        )


def _own_row(name: str, found: Aggregate) -> Sequence[Cell]:
    own_a, own_b = found.own_baseline, found.own_candidate
    pooled = [NONE, NONE]
    if found.pooled is not None:
        pooled = [f"{amount(num)}/{amount(den)}" for num, den in found.pooled]
    return (
        name,
        own_text(own_a, found.measure),
        count_of(own_a.n),
        own_text(own_b, found.measure),
        count_of(own_b.n),
        *pooled,
        _bounds_words(found),
    )


def _bounds_words(found: Aggregate) -> str:
    """Say between what an own mean lies where questions are missing."""
    told = [
        f"{letter} {mean_text(own.low)} to {mean_text(own.high)} with {own.missing:,} missing"
        for letter, own in (("A", found.own_baseline), ("B", found.own_candidate))
        if own.n and own.missing and own.low is not None
    ]
    return "; ".join(told)
