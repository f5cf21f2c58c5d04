"""The rows of the table of questions: which columns fit, and what stands in each cell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from ragtui.core.change import Flag, MeasureChange, Verdict
from ragtui.core.evidence import Side
from ragtui.core.figures import NOISY, signed
from ragtui.core.measures import Form
from ragtui.core.value import NotAvailable, delta
from ragtui.text import cell_width, clean, confusable, fit, printable_id
from ragtui.tui.spans import Line, Span
from ragtui.tui.views.decision import MARK_NARROW, MARK_WIDE
from ragtui.tui.views.figures import VERDICT_GLYPH, VERDICT_ROLE, delta_span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragtui.core.columns import ChangeRow
    from ragtui.core.comparison import Comparison
    from ragtui.core.measures import Measure
    from ragtui.session import Sort

__all__ = [
    "Columns",
    "RowState",
    "cell",
    "columns_for",
    "header_line",
    "natural_id_width",
    "row_line",
]

_LEAD: Final = 6
"""Cells of glyph, severity and the sign of a critical question."""

_LEAST_ID: Final = 12
_MOST_ID: Final = 32
_SAMPLED: Final = 2_000
"""Ids looked at to find a width; longer ones further down are cut."""

_WORST: Final = 15
"""Cells of the column that names the worst delta when not all measures fit."""

_SHORT_HEADS: Final = {
    "coverage": "cover.",
    "abstention_correct": "abst.",
    "disclosures": "discl.",
    "judged": "judged",
}

_RETRIEVAL_ONLY: Final = {
    Verdict.REGRESSED: "▽",
    Verdict.MIXED: "◇",
    Verdict.IMPROVED: "△",
}
"""Glyphs of a verdict that rests on retrieval alone."""


class Columns(NamedTuple):
    """Which columns fit into a width, and how many cells each takes."""

    id: int
    tags: int
    """0: no column of tags."""
    measures: tuple[tuple[Measure, int], ...]
    worst: bool
    """Whether measures are left out, so that the worst delta is named instead."""
    mark: int = MARK_NARROW
    """Cells of the decision."""

    @property
    def width(self) -> int:
        """All cells."""
        numbers = sum(width + 1 for _, width in self.measures)
        tags = self.tags + 1 if self.tags else 0
        worst = _WORST + 1 if self.worst else 0
        return _LEAD + self.id + tags + numbers + worst + 1 + self.mark


def natural_id_width(ids: Sequence[str]) -> int:
    """
    Return the cells that the ids want, within reason.

    >>> natural_id_width(["launch", "q" * 90])
    32
    """
    longest = max((cell_width(printable_id(name)) for name in ids[:_SAMPLED]), default=0)
    return min(_MOST_ID, max(8, longest))


def _head(measure: Measure, cutoff: int) -> str:
    return _SHORT_HEADS.get(measure.key) or measure.written(cutoff)


def _sized(measures: Sequence[Measure], cutoff: int, width: int) -> tuple[tuple[Measure, int], ...]:
    return tuple((m, max(width, cell_width(_head(m, cutoff)) + 1)) for m in measures)


def columns_for(
    measures: Sequence[Measure], cutoff: int, width: int, *, selected: Measure, id_width: int
) -> Columns:
    """
    Return the columns for *width* cells: tags fold first, then measures that are not selected.

    The verdict, the worst delta and the decision always stay.
    """
    short, wide, narrow = min(id_width, _LEAST_ID), MARK_WIDE, MARK_NARROW
    for tags, numbers, ids, mark in (
        (16, 8, id_width, wide), (10, 7, id_width, wide), (10, 6, id_width, wide),
        (0, 7, id_width, wide), (0, 6, id_width, wide), (0, 6, short, wide),
        (0, 6, id_width, narrow), (0, 6, short, narrow),
    ):  # fmt: skip
        found = Columns(ids, tags, _sized(measures, cutoff, numbers), worst=False, mark=mark)
        if found.width <= width:
            return _widened(found, width, id_width)
    return _folded(_sized(measures, cutoff, 6), width, selected, short)


def _widened(columns: Columns, width: int, id_width: int) -> Columns:
    """Give spare cells to the ids, then to the tags."""
    spare = width - columns.width
    ids = min(id_width, columns.id + spare)
    spare -= ids - columns.id
    tags = min(30, columns.tags + spare) if columns.tags else 0
    return columns._replace(id=ids, tags=tags)


def _folded(
    measures: tuple[tuple[Measure, int], ...], width: int, selected: Measure, ids: int
) -> Columns:
    """Keep the selected measure and as many others as fit beside the worst delta."""
    kept = {selected}
    columns = Columns(ids, 0, (), worst=True)
    for measure in (selected, *(m for m, _ in measures)):
        more = tuple(pair for pair in measures if pair[0] in {*kept, measure})
        if columns._replace(measures=more).width <= width:
            kept.add(measure)
    shown = tuple(pair for pair in measures if pair[0] in kept)
    spare = width - columns._replace(measures=shown).width
    return columns._replace(measures=shown, id=max(6, ids + min(0, spare)))


def header_line(columns: Columns, cutoff: int, *, selected: Measure, sort: Sort) -> Line:
    """Return the line of column names; a click on one sorts by it."""
    parts = [
        Span(" " * 2, "header"),
        _named("sev", 4, "severity", sort, right=False),
        _named("question", columns.id, "question", sort, right=False),
    ]
    if columns.tags:
        parts += [Span(" "), _named("tags", columns.tags, "tags", sort, right=False)]
    if columns.worst:
        parts += [Span(" "), _named("worst", _WORST, "triage", sort, right=True)]
    for measure, width in columns.measures:
        role = "strong underline" if measure == selected else "header"
        text = _named(_head(measure, cutoff), width, measure.key, sort, right=True)
        blank = len(text.text) - len(text.text.lstrip())
        parts += [
            Span(" " * (blank + 1)),
            text._replace(text=text.text[blank:], role=role),
        ]
    return (*parts, Span(" "), _mark_head(columns, sort))


def _mark_head(columns: Columns, sort: Sort) -> Span:
    """Return the head of the decisions; the default order is theirs where no worst delta is."""
    if columns.mark == MARK_WIDE:
        return _named(" triage", columns.mark, "triage", sort, right=False)
    shown = _named("t", columns.mark, "triage", sort, right=True)
    return shown._replace(text=" t") if columns.worst else shown


def _named(text: str, width: int, key: str, sort: Sort, *, right: bool) -> Span:
    mark = ("▴" if sort.reverse else "▾") if sort.key == key else ""
    shown = fit(text + mark, width, align="right" if right else "left")
    return Span(shown, "header", ("sort", key))


class RowState(NamedTuple):
    """What a row shows besides the comparison."""

    current: bool = False
    """Whether the cursor is on it."""
    chosen: bool = False
    """Whether it is selected to be decided with others."""
    mark: Span = Span("")
    """Where its decision stands."""


_PLAIN_ROW: Final = RowState()


def row_line(
    comparison: Comparison,
    columns: Columns,
    index: int,
    *,
    selected: Measure,
    state: RowState = _PLAIN_ROW,
) -> Line:
    """Return one question: glyph, severity, sign, id, tags, one cell a measure, its decision."""
    row = comparison.changes[index]
    label = comparison.labels[index]
    quiet = row.verdict is Verdict.UNCHANGED
    role = VERDICT_ROLE[row.verdict]
    level = "" if row.severity is None else row.severity.name
    name = comparison.ids[index]
    parts = [
        Span(_glyph(row), role),
        Span("■" if state.chosen else " ", "accent bold"),
        Span(f"{level:<2}", role),
        Span(_signs(comparison, index), "attention bold"),
        Span(fit(printable_id(name), columns.id), "muted" if quiet else "strong"),
    ]
    if columns.tags:
        parts += [Span(" "), Span(fit(clean(" ".join(label.tags)), columns.tags), "muted")]
    if columns.worst:
        parts += [Span(" "), _worst(comparison, index)]
    for measure, width in columns.measures:
        chosen = measure == selected
        meta = ("measure", measure.key)
        found = cell(comparison, row, measure, index, width=width)
        emphasis = " bold underline" if chosen and state.current else ""
        pad = " " * (1 + width - cell_width(found.text))
        parts += [Span(pad, "plain", meta), found._replace(role=found.role + emphasis, meta=meta)]
    return (*parts, Span(" "), state.mark._replace(text=fit(state.mark.text, columns.mark)))


def _signs(comparison: Comparison, index: int) -> str:
    """
    Return two cells: `!` critical, `?` a verdict that hangs on a label, `≈` a confusable id.

    A sign keeps its cell where there is room; of three the first two stand.
    """
    name = comparison.ids[index]
    found = "!" if comparison.labels[index].critical else ""
    if Flag.LABEL_OPEN in comparison.changes[index].flags:
        found += "?"
    if confusable(name):
        found = found[:2] if len(found) > 1 else f"{found:<1}≈"
    return f"{found:<2}"


def _glyph(row: ChangeRow) -> str:
    if Flag.RETRIEVAL_ONLY in row.flags:
        return _RETRIEVAL_ONLY.get(row.verdict, VERDICT_GLYPH[row.verdict])
    return VERDICT_GLYPH[row.verdict]


def cell(
    comparison: Comparison, row: ChangeRow, measure: Measure, index: int, *, width: int
) -> Span:
    """Return what one measure did on one question in at most *width* cells."""
    a = comparison.value(Side.BASELINE, measure, index)
    b = comparison.value(Side.CANDIDATE, measure, index)
    change = comparison.measure_change(measure, index)
    if measure.key in row.swaps:
        return Span("±swap", "mixed")
    found = delta_span(measure, a, b, change)
    if found.text == "·" and measure.key == "support" and row.new_unsupported:
        return Span(f"+{row.new_unsupported}✗", "worse")
    if found.text in {"·", "n/a"}:
        return Span(found.text, "faint")
    if change is MeasureChange.MISSING and "→" in found.text:
        # One side was not recorded: which one is all that can be said.
        return found._replace(text="→n/a" if found.text.endswith("→n/a") else "n/a→")
    if cell_width(found.text) <= width:
        return found
    if measure.form is Form.YES_NO and (moved := delta(a, b)) is not None:
        return found._replace(text=signed(moved) + (NOISY if found.text.endswith(NOISY) else ""))
    return found._replace(text=_compact(found.text, width))


def _compact(text: str, width: int) -> str:
    """
    Shorten a transition without losing which side has a value.

    >>> _compact("1.00→n/a", 6), _compact("0.50→n/a", 7), _compact("0.50→n/a", 6)
    ('1→n/a', '.50→n/a', '→n/a')
    """
    short = text.replace("1.00", "1").replace("0.00", "0").replace("0.", ".")
    if cell_width(short) <= width:
        return short
    if text.endswith("→n/a"):
        return "→n/a"
    return "n/a→" if text.startswith("n/a→") else fit(short, width)


def _worst(comparison: Comparison, index: int) -> Span:
    """Name the measure that fell most on one question."""
    fallen = [
        (abs(moved), measure)
        for measure in comparison.measures
        if comparison.measure_change(measure, index) is MeasureChange.REGRESSED
        and (moved := _moved(comparison, measure, index)) is not None
    ]
    if not fallen:
        return Span(fit("·", _WORST, align="right"), "faint")
    _, measure = max(fallen, key=lambda pair: pair[0])
    found = cell(comparison, comparison.changes[index], measure, index, width=8)
    text = f"{_head(measure, comparison.cutoff)} {found.text}"
    return Span(fit(text, _WORST, align="right"), "worse")


def _moved(comparison: Comparison, measure: Measure, index: int) -> float | None:
    a = comparison.value(Side.BASELINE, measure, index)
    b = comparison.value(Side.CANDIDATE, measure, index)
    if isinstance(a, NotAvailable) or isinstance(b, NotAvailable):
        return None
    found = delta(a, b)
    return None if found is None else float(found)
