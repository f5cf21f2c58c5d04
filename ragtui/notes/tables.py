"""The figures of a note: measures, slices, and what has no value."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Final, NamedTuple

from ragtui.core.change import Verdict
from ragtui.core.figures import (
    NONE,
    VERDICT_GLYPH,
    amount,
    count_of,
    mean_text,
    percent,
    share_text,
    signed,
    signed_amount,
)
from ragtui.core.measures import Form
from ragtui.core.slices import ANSWERABLE, MIN_TESTED, against_total, reversals, surviving
from ragtui.notes.document import (
    NOTHING,
    Column,
    Heading,
    Listing,
    Paragraph,
    Table,
    Tone,
    data,
    joined,
    named,
    text,
    words,
)
from ragtui.text import plural

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ragtui.core.aggregate import Aggregate, Own, Paired
    from ragtui.core.comparison import AbsenceRow, Comparison
    from ragtui.core.interval import Interval
    from ragtui.core.slices import Slice
    from ragtui.core.value import NotAvailable
    from ragtui.notes.document import Block, Text
    from ragtui.notes.subject import Subject

__all__ = ["absence_blocks", "measure_blocks", "paired_texts", "slice_blocks", "slice_name"]


class _Named(NamedTuple):
    """One row of a table of measures."""

    name: str
    found: Aggregate


# ---------------------------------------------------------------- measures


def measure_blocks(subject: Subject) -> Iterator[Block]:
    """Yield paired figures, those of the filtered questions, and each run's own."""
    comparison = subject.comparison
    rows = list(_rows(comparison))
    yield Heading(text("Measures"))
    yield Paragraph(
        text("Paired: means over the n questions that have a value in A and in B. Δ is B − A.")
    )
    yield _paired_table(rows)
    yield from _note_blocks(rows)
    if subject.request.indexes is not None:
        part = [
            _Named(measure.written(comparison.cutoff), found)
            for measure, found in zip(
                comparison.measures,
                comparison.aggregates_of(subject.request.indexes),
                strict=True,
            )
        ]
        n = plural(len(subject.request.indexes), "question")
        yield Paragraph(text(f"The same for the {n} of the filter alone:"))
        yield _paired_table(part)
    yield Paragraph(
        text(
            "Own: each run over the questions that have a value in it. These are other questions in"
            " A than in B and are not subtracted. Pooled: sum of numerators / sum of denominators."
        )
    )
    yield _own_table(rows)


def _rows(comparison: Comparison) -> Iterator[_Named]:
    """Yield each measure; answerable questions apart where support mixes both kinds."""
    answerable = next((s for s in comparison.slices if (s.name, s.tag) == (ANSWERABLE, None)), None)
    for found in comparison.aggregates:
        written = found.measure.written(comparison.cutoff)
        yield _Named(written, found)
        apart = answerable and answerable.of(found.measure.key)
        mixes = found.measure.key == "support"
        if apart and mixes and answerable and answerable.questions < len(comparison):
            yield _Named(f"{written}, answerable only", apart)


_INTERVAL: Final = "interval"

_PAIRED_COLUMNS: Final = (
    Column("measure"),
    Column("paired A", is_number=True),
    Column("paired B", is_number=True),
    Column("Δ", is_number=True),
    Column("n", is_number=True),
    Column(_INTERVAL),
    Column("▲", is_number=True),
    Column("▼", is_number=True),
    Column("=", is_number=True),
    Column("→n/a", is_number=True),
    Column("n/a→", is_number=True),
    Column("n/a", is_number=True),
    Column("missing", is_number=True),
    Column("in words"),
)
_LEFT_OUT: Final = frozenset({"→n/a", "n/a→", "n/a", "missing", _INTERVAL})
"""Columns that are left out where they say nothing of any measure."""


def _paired_table(rows: Sequence[_Named]) -> Table:
    cells = [_paired_row(row) for row in rows]
    kept = [
        place
        for place, column in enumerate(_PAIRED_COLUMNS)
        if column.title not in _LEFT_OUT
        or any(row[place][0].text not in {"0", NONE} for row in cells)
    ]
    levels = {i.confidence for _, found in rows if (i := _interval(found)) is not None}
    level = f"{percent(min(levels))}% {_INTERVAL}" if len(levels) == 1 else _INTERVAL
    titles = [_PAIRED_COLUMNS[place] for place in kept]
    return Table(
        tuple(c._replace(title=level) if c.title == _INTERVAL else c for c in titles),
        tuple(tuple(row[place] for place in kept) for row in cells),
    )


def _paired_row(row: _Named) -> tuple[Text, ...]:
    found = row.found
    paired, resolution = found.paired, found.resolution
    a, b, moved = paired_texts(found)
    interval = _interval(found)
    counts = (
        paired.up, paired.down, paired.equal,
        paired.became_na, paired.became_defined, paired.na_both, paired.missing,
    )  # fmt: skip
    return (
        text(words(row.name, Tone.STRONG)),
        text(a),
        text(b),
        text(words(moved, _tone(found))),
        text(count_of(paired.n)),
        text(_interval_words(interval) if interval else NONE),
        *(text(count_of(n)) for n in counts),
        text("counted, not averaged" if resolution is None else resolution.words),
    )


def _tone(found: Aggregate) -> Tone:
    moved = found.paired.delta
    if not moved:
        return Tone.FAINT
    return Tone.BETTER if moved > 0 else Tone.WORSE


def paired_texts(found: Aggregate) -> tuple[str, str, str]:
    """Return both paired figures and their difference; counts of yes where a mean hides them."""
    paired = found.paired
    if not paired.n or not found.measure.has_mean:
        return NONE, NONE, NONE
    if found.measure.form is not Form.YES_NO:
        return (
            mean_text(paired.baseline),
            mean_text(paired.candidate),
            signed(paired.delta, zero="0"),
        )
    a, b = _yes(paired.baseline, paired), _yes(paired.candidate, paired)
    moved = signed_amount(b - a, zero="0")
    return f"{amount(a)}/{paired.n:,}", f"{amount(b)}/{paired.n:,}", moved


def _yes(mean: Fraction | None, paired: Paired) -> Fraction:
    return Fraction(0) if mean is None else mean * paired.n


def _interval(found: Aggregate) -> Interval | None:
    return None if found.resolution is None else found.resolution.interval


def _interval_words(interval: Interval) -> str:
    low, high = (signed(end, zero="0") for end in (interval.low, interval.high))
    return f"{low} to {high}"


def _note_blocks(rows: Sequence[_Named]) -> Iterator[Block]:
    """Yield each reservation once, with the measures that it is about."""
    said: dict[str, list[str]] = {}
    for name, found in rows:
        for note in found.resolution.notes if found.resolution is not None else ():
            said.setdefault(note, []).append(name)
    if said:
        yield Listing(
            tuple(
                text(f"{'every measure' if len(names) == len(rows) else '; '.join(names)}: {note}")
                for note, names in said.items()
            )
        )


_OWN_COLUMNS: Final = (
    Column("measure"),
    Column("own A", is_number=True),
    Column("n", is_number=True),
    Column("own B", is_number=True),
    Column("n", is_number=True),
    Column("pooled A", is_number=True),
    Column("pooled B", is_number=True),
)


def _own_table(rows: Sequence[_Named]) -> Table:
    bounded = any(_bounds(found) for _, found in rows)
    columns = (
        (*_OWN_COLUMNS, Column("if what is missing scored 0 or 1")) if bounded else _OWN_COLUMNS
    )
    return Table(columns, tuple(_own_row(row)[: len(columns)] for row in rows))


def _own_row(row: _Named) -> tuple[Text, ...]:
    found = row.found
    own_a, own_b = found.own_baseline, found.own_candidate
    pooled = [NOTHING, NOTHING]
    if found.pooled is not None:
        pooled = [text(f"{amount(num)}/{amount(den)}") for num, den in found.pooled]
    return (
        text(words(row.name, Tone.STRONG)),
        text(own_text(own_a, found)),
        text(count_of(own_a.n)),
        text(own_text(own_b, found)),
        text(count_of(own_b.n)),
        *pooled,
        text("; ".join(_bounds(found))) if _bounds(found) else NOTHING,
    )


def own_text(own: Own, found: Aggregate) -> str:
    """Return a run's own figure: a mean, the share that says yes, or a sum."""
    if not own.n:
        return NONE
    if found.measure.form is Form.YES_NO:
        return share_text(own)
    return amount(own.num) if found.measure.form is Form.COUNT else mean_text(own.mean)


def _bounds(found: Aggregate) -> list[str]:
    """Say between what an own mean lies where questions are missing."""
    return [
        f"{letter} {mean_text(own.low)} to {mean_text(own.high)}, {own.missing:,} missing"
        for letter, own in (("A", found.own_baseline), ("B", found.own_candidate))
        if own.missing and own.low is not None
    ]


# ---------------------------------------------------------------- slices

_COUNTED: Final = tuple(Verdict)


def slice_blocks(comparison: Comparison) -> Iterator[Block]:
    """Yield what an average hides, then a row a slice."""
    slices = comparison.slices
    if not slices:
        return
    yield Heading(text("Slices"))
    marked, tested = surviving(slices, alpha=comparison.alpha)
    beware = list(_beware(comparison, tested))
    if beware:
        yield Listing(tuple(beware))
    measures = [measure for measure in comparison.measures if measure.has_mean]
    columns = (
        Column("slice"),
        Column("questions", is_number=True),
        *(Column(VERDICT_GLYPH[verdict], is_number=True) for verdict in _COUNTED),
        *(Column(m.written(comparison.cutoff), is_number=True) for m in measures),
    )
    yield Paragraph(
        text(
            "Paired Δ of each measure with its n in brackets."
            f" Under {MIN_TESTED} paired questions nothing is tested."
        )
    )
    yield Table(columns, tuple(_slice_row(part, marked) for part in slices))


def _beware(comparison: Comparison, tested: int) -> Iterator[Text]:
    for total in comparison.aggregates:
        yield from _against(total, comparison.slices, comparison.cutoff)
    for sentence in reversals(comparison.aggregates, comparison.slices):
        yield text(f"{sentence}.")
    if comparison.tags_overlap:
        yield text("Tags overlap: counts of slices do not add up.")
    if tested:
        yield text(f"A figure with • survives a correction for {plural(tested, 'test')}.")


def _against(total: Aggregate, slices: Sequence[Slice], cutoff: int) -> Iterator[Text]:
    """Name the slices that move the other way than all questions do."""
    found = against_total(total, slices)
    if not found or total.paired.delta is None:
        return
    rose = total.paired.delta > 0
    overall, other = ("improved", "regressed") if rose else ("regressed", "improved")
    named_slices = joined(
        text(slice_name(part), f" ({paired_texts(own)[2]}, n {own.paired.n:,})")
        for part, own in found
    )
    tone = Tone.WORSE if rose else Tone.BETTER
    head = f"{total.measure.written(cutoff)} {overall} overall, "
    yield text(head, words(f"{other} in", tone), ": ", named_slices, ".")


def slice_name(part: Slice) -> Text:
    """Return the name of a slice: a word of ours, or a tag of the set."""
    return text(part.name) if part.tag is None else text(data(part.name))


def _slice_row(part: Slice, marked: frozenset[tuple[str, str]]) -> tuple[Text, ...]:
    return (
        slice_name(part),
        text(count_of(part.questions)),
        *(text(count_of(part.verdicts[verdict])) for verdict in _COUNTED),
        *(_moved(part, found, marked) for found in part.aggregates if found.measure.has_mean),
    )


def _moved(part: Slice, found: Aggregate, marked: frozenset[tuple[str, str]]) -> Text:
    if found.paired.delta is None:
        return NOTHING
    sign = "•" if (part.name, found.measure.key) in marked else ""
    few = found.is_small
    tone = Tone.FAINT if few else _tone(found)
    return text(words(f"{sign}{paired_texts(found)[2]} ({found.paired.n:,})", tone))


# ---------------------------------------------------------------- without a value

_WHERE: Final = {"both": "both", "became": "B", "defined": "A"}


def absence_blocks(comparison: Comparison) -> Iterator[Block]:
    """Yield every measure and reason without a value, with the questions behind it."""
    groups: dict[tuple[NotAvailable, str, tuple[int, ...]], list[AbsenceRow]] = {}
    for row in comparison.absences:
        key = row.code, row.side, tuple(comparison.absent_questions(row))
        groups.setdefault(key, []).append(row)
    if not groups:
        return
    yield Heading(text("Without a value"))
    yield Paragraph(text("n/a is never 0, never 1, and in no mean; each has a reason."))
    columns = (
        Column("measure"),
        Column("n/a in"),
        Column("n", is_number=True),
        Column("kind"),
        Column("reason"),
        Column("questions"),
    )
    yield Table(columns, tuple(_absence_row(comparison, rows) for rows in groups.values()))


def _absence_row(comparison: Comparison, rows: Sequence[AbsenceRow]) -> tuple[Text, ...]:
    """Return measures that have no value on the same questions for the same reason."""
    row = rows[0]
    ids = (comparison.ids[index] for index in comparison.absent_questions(row))
    written = ", ".join(each.measure.written(comparison.cutoff) for each in rows)
    return (
        text(words(written, Tone.STRONG)),
        text(_WHERE[row.side]),
        text(count_of(row.n)),
        text(row.code.absence.value),
        text(row.code.words),
        named(ids, 6),
    )
