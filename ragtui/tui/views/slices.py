"""The same measures by tag and built-in group, and which of them an average would hide."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragtui.core.change import Verdict
from ragtui.core.figures import (
    percent,
    signed,
    signed_amount,
    signed_count,
)
from ragtui.core.measures import Form
from ragtui.core.slices import (
    ANSWERABLE,
    CRITICAL,
    MIN_TESTED,
    SUGGESTED_TAGS,
    UNANSWERABLE,
    against_total,
    reversals,
    surviving,
)
from ragtui.text import plural
from ragtui.tui.spans import BLANK, Line, Span, line_width, span
from ragtui.tui.views.figures import VERDICT_GLYPH, VERDICT_ROLE
from ragtui.tui.views.layout import LABEL_WIDTH, Column, Page, flow, labelled, table
from ragtui.tui.views.summary import interval_text, resolved_role
from ragtui.tui.views.targets import slice_target

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragtui.core.aggregate import Aggregate
    from ragtui.core.comparison import Comparison
    from ragtui.core.measures import Measure
    from ragtui.core.slices import Slice
    from ragtui.tui.spans import Meta

__all__ = ["slice_query", "slices_page"]

_SHOWN_VERDICTS = (Verdict.REGRESSED, Verdict.MIXED, Verdict.IMPROVED, Verdict.UNCHANGED)

_BUILTIN_WORDS = {
    ANSWERABLE: "some document is relevant",
    UNANSWERABLE: "no document is relevant",
    CRITICAL: "marked as critical by the set",
}


def slice_query(part: Slice) -> str:
    """
    Return the filter that shows the questions of a slice.

    >>> from ragtui.core.slices import Slice
    >>> slice_query(Slice("tag:a b", "a b", 1, {}, ()))
    'tag:"a b"'
    """
    if part.tag is not None:
        quoted = f'"{part.tag}"' if " " in part.tag else part.tag
        return f"tag:{quoted}"
    builtin = {ANSWERABLE: "na:answerable", UNANSWERABLE: "na:unanswerable"}
    return builtin.get(part.name, "critical:yes")


def slices_page(
    comparison: Comparison, measure: Measure, *, width: int, selected: Meta | None = None
) -> Page:
    """
    Return one row a slice: questions, verdicts, and per measure the paired difference with its n.

    The measure looked at comes first, with its interval, where not all of them find room.
    """
    slices = comparison.slices
    if not slices:
        return Page(flow([Span("no tags: there are no slices", "muted")], width))
    kept, tested = surviving(slices, alpha=comparison.alpha)
    against = _against(comparison, slices)
    columns = [*_leading(slices), *_measures(comparison, slices, measure, kept, against, width)]
    targets = [slice_target(part.name) for part in slices]
    lines = table(columns, width, targets=targets)
    notes = _notes(comparison, measure, tested, bool(kept), width)
    return Page([*lines[1:], BLANK, *_explained(slices, selected, width), *notes], [lines[0]]).cut(
        width
    )


def _leading(slices: Sequence[Slice]) -> list[Column]:
    columns = [
        Column((Span("slice", "header"),), [_name(part) for part in slices], most=20),
        Column((Span("n", "header"),), [_number(p.questions) for p in slices], right=True),
    ]
    for verdict in _SHOWN_VERDICTS:
        role = VERDICT_ROLE[verdict]
        cells: list[Line] = [
            (Span(f"{n:,}", role if n else "faint"),)
            for part in slices
            for n in (part.verdicts.get(verdict, 0),)
        ]
        head = (Span(VERDICT_GLYPH[verdict], role),)
        columns.append(Column(head, cells, right=True, least=2))
    return columns


def _name(part: Slice) -> Line:
    role = "plain" if part.tag is not None else "muted italic"
    return (span(part.name, role),)


def _number(n: int) -> Line:
    return (Span(f"{n:,}", "muted"),)


def _against(comparison: Comparison, slices: Sequence[Slice]) -> frozenset[tuple[str, str]]:
    return frozenset(
        (part.name, total.measure.key)
        for total in comparison.aggregates
        for part, _ in against_total(total, slices)
    )


def _measures(
    comparison: Comparison,
    slices: Sequence[Slice],
    measure: Measure,
    kept: frozenset[tuple[str, str]],
    against: frozenset[tuple[str, str]],
    width: int,
) -> list[Column]:
    """Return the columns of differences, all in order or the selected measure first."""

    def column(shown: Measure) -> Column:
        chosen = shown.key == measure.key
        head = Span(
            shown.written(comparison.cutoff), "accent bold underline" if chosen else "header"
        )
        cells = [_cell(part, shown.key, kept, against) for part in slices]
        return Column((head,), cells, right=True, least=6)

    columns = {m.key: column(m) for m in comparison.measures}
    leading = sum(c.width + 2 for c in _leading(slices))
    if leading + sum(c.width + 2 for c in columns.values()) <= width:
        return list(columns.values())
    intervals = Column(
        (Span(f"{percent(comparison.confidence)} % int.", "header"),),
        [_interval(part.of(measure.key)) for part in slices],
        right=True,
    )
    first = [columns.pop(measure.key)]
    if any(line_width(cell) for cell in intervals.cells):
        first.append(intervals)
    return [*first, *columns.values()]


def _cell(
    part: Slice, key: str, kept: frozenset[tuple[str, str]], against: frozenset[tuple[str, str]]
) -> Line:
    """Return the paired difference, its n, and the marks of what it shows."""
    found = part.of(key)
    if found is None or not found.paired.n:
        return (Span("–    ", "faint"),)
    small = found.is_small
    role = "muted" if small else resolved_role(found)
    cell = (part.name, key)
    marks = ("⇄" if cell in against else "") + ("•" if cell in kept else "")
    return (
        Span(marks, "attention"),
        Span(_difference(found), role),
        Span(f" {found.paired.n:>3}", "faint"),
    )


def _difference(found: Aggregate) -> str:
    if found.measure.form is Form.COUNT:
        return signed_count(found.paired.up - found.paired.down)
    if found.measure.form is Form.YES_NO and found.paired.delta is not None:
        return signed_amount(found.paired.delta * found.paired.n)
    return signed(found.paired.delta)


def _interval(found: Aggregate | None) -> Line:
    if found is None or found.resolution is None or found.resolution.interval is None:
        return BLANK
    return (Span(interval_text(found.resolution.interval), "faint"),)


def _explained(slices: Sequence[Slice], selected: Meta | None, width: int) -> list[Line]:
    """Say what the slice under the cursor holds."""
    part = next((p for p in slices if slice_target(p.name) == selected), None)
    if part is None:
        return []
    known = _BUILTIN_WORDS.get(part.name) if part.tag is None else SUGGESTED_TAGS.get(part.tag)
    words = f"{known or 'questions with this tag'} · Enter shows its questions"
    return labelled(
        "slice",
        flow([span(part.name, "strong"), Span(f" · {words}", "muted")], width - LABEL_WIDTH),
    )


def _notes(
    comparison: Comparison, measure: Measure, tested: int, any_kept: object, width: int
) -> list[Line]:
    """Return what an average would hide, and how the table is to be read."""
    room = width - LABEL_WIDTH
    lines: list[Line] = []
    hidden = _hidden(comparison, measure)
    if hidden:
        lines += labelled("⇄ against", flow([span(hidden, "attention")], room), role="attention")
    for sentence in reversals(comparison.aggregates, comparison.slices):
        lines += labelled("⇄ reversal", flow([span(sentence, "attention")], room))
    read = []
    if comparison.tags_overlap:
        read.append("tags overlap: counts do not add up")
    read.append(f"under {MIN_TESTED} paired questions muted and never tested")
    if tested:
        survives = "•" if any_kept else "• none"
        read.append(f"{survives} survives Holm over {plural(tested, 'cell')}")
    return [*lines, *labelled("read", flow([Span(" · ".join(read), "faint")], room))]


def _hidden(comparison: Comparison, measure: Measure) -> str:
    """Name the slices that move against the total of the selected measure."""
    total = next(a for a in comparison.aggregates if a.measure.key == measure.key)
    found = against_total(total, comparison.slices)
    if not found or not total.paired.delta:
        return ""
    up = (total.paired.delta > 0) != total.measure.lower_is_better
    named = ", ".join(f"{part.name} (n {own.paired.n})" for part, own in found)
    words = ("improved", "regressed") if up else ("regressed", "improved")
    return f"{measure.written(comparison.cutoff)} {words[0]} overall, {words[1]} in: {named}"
