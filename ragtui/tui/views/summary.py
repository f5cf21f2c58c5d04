"""Every measure over all questions, and the selected one in full."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Final

from ragtui.core.evidence import Side
from ragtui.core.figures import (
    MINUS,
    mean_text,
    percent,
    pooled_difference_text,
    share_text,
    signed,
    signed_amount,
)
from ragtui.core.measures import Form
from ragtui.text import plural
from ragtui.tui.spans import BLANK, Line, Span, line_of
from ragtui.tui.views.layout import (
    LABEL_WIDTH,
    Column,
    Page,
    flow,
    flow_items,
    labelled,
    table,
)
from ragtui.tui.views.targets import measure_target

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragtui.core.aggregate import Aggregate, Own
    from ragtui.core.comparison import Comparison
    from ragtui.core.interval import Interval
    from ragtui.core.measures import Measure

__all__ = ["interval_bar", "interval_text", "resolved_role", "summary_page"]

BAR: Final = 21
"""Cells of the drawn interval, zero in the middle."""
BAR_FROM: Final = 96
"""Width from which intervals are drawn."""
ROOMY: Final = 76
"""Width from which columns stand two cells apart."""
FEW: Final = 12
"""Differences written out one by one when there are too few questions for an interval."""


def summary_page(
    comparison: Comparison,
    measure: Measure,
    *,
    width: int,
    shown: Sequence[Aggregate] | None = None,
    shown_words: str = "",
    answerable: Aggregate | None = None,
) -> Page:
    """
    Return the table of all measures and the selected one in full.

    *shown* are the aggregates of the filtered subset: rows beside the totals, never instead of
    them. *answerable* is support over the answerable questions only, which stands beside it.
    """
    rows = _rows(comparison, shown, answerable)
    targets = [None if name.startswith(" ") else measure_target(a.measure.key) for name, a in rows]
    gap = 2 if width >= ROOMY else 1
    lines = table(_columns(rows, measure, width), width, gap=gap, targets=targets)
    chosen = next(a for a in comparison.aggregates if a.measure.key == measure.key)
    body = [*lines[1:], BLANK]
    if shown is not None:
        body += flow([Span(f"↳ {shown_words}", "attention")], width)
    body += _in_full(comparison, chosen, width)
    return Page(body, [lines[0]]).cut(width)


def _rows(
    comparison: Comparison, shown: Sequence[Aggregate] | None, answerable: Aggregate | None
) -> list[tuple[str, Aggregate]]:
    """Return the rows of the table: what each is called and what it says."""
    found: list[tuple[str, Aggregate]] = []
    for position, total in enumerate(comparison.aggregates):
        found.append((total.measure.written(comparison.cutoff), total))
        if answerable is not None and total.measure.key == answerable.measure.key:
            found.append((" answerable", answerable))
        if shown is not None:
            found.append((" ↳ filtered", shown[position]))
    return found


def _columns(rows: Sequence[tuple[str, Aggregate]], measure: Measure, width: int) -> list[Column]:
    """Return the columns, the weightiest first."""
    scale = _scale([found for _, found in rows])
    level = _level(rows)
    named = [_name(name, found, measure) for name, found in rows]
    columns = [
        Column((Span("measure", "header"),), named, least=10),
        Column(_head("A"), [_mean(found, Side.BASELINE) for _, found in rows], right=True),
        Column(_head("B"), [_mean(found, Side.CANDIDATE) for _, found in rows], right=True),
        Column(_head("Δ"), [_delta(found) for _, found in rows], right=True),
    ]
    if width >= BAR_FROM and scale:
        bars = [_bar(found, scale) for _, found in rows]
        columns.append(Column(_head(f"{level} % interval"), bars, least=BAR))
        columns.append(Column(BLANK, [_numbers(found) for _, found in rows], right=True))
    elif scale:
        numbers = [_numbers(found) for _, found in rows]
        columns.append(Column(_head(f"{level} % int."), numbers, right=True))
    return [*columns, *_counts(rows), *_words(rows)]


def _level(rows: Sequence[tuple[str, Aggregate]]) -> str:
    """Return the confidence of the intervals, which is the same in all, in per cent."""
    resolutions = (found.resolution for _, found in rows)
    intervals = (r.interval for r in resolutions if r is not None and r.interval is not None)
    return percent(next((interval.confidence for interval in intervals), 0.95))


def _head(text: str) -> Line:
    return (Span(text, "header"),)


def _name(name: str, found: Aggregate, measure: Measure) -> Line:
    if name.startswith(" "):
        return (Span(name, "faint"),)
    chosen = found.measure.key == measure.key
    return (Span(name, "accent bold underline" if chosen else "plain"),)


def _mean(found: Aggregate, side: Side) -> Line:
    """Return the paired mean of one run, or its counts where a mean says less."""
    own = found.own_baseline if side is Side.BASELINE else found.own_candidate
    if found.measure.form is Form.YES_NO:
        return (Span(share_text(own) if own.n else "–", "muted"),)
    if found.measure.form is Form.COUNT:
        return (Span(_sum(own.num), "muted"),)
    mean = found.paired.baseline if side is Side.BASELINE else found.paired.candidate
    return (Span(mean_text(mean), "muted"),)


def _delta(found: Aggregate) -> Line:
    role = f"{resolved_role(found)} bold"
    moved = found.paired.delta
    if found.paired.n and found.measure.form is Form.COUNT:
        moved = Fraction(found.own_candidate.num) - Fraction(found.own_baseline.num)
        return (Span(signed_amount(moved), role),)
    if moved is not None and found.measure.form is Form.YES_NO:
        return (Span(signed_amount(moved * found.paired.n), role),)
    return (Span(signed(moved), role),)


def resolved_role(found: Aggregate) -> str:
    """Return the colour of a difference: only a resolved one has a direction."""
    words = None if found.resolution is None else found.resolution.words
    if words == "higher in B":
        return "worse" if found.measure.lower_is_better else "better"
    if words == "lower in B":
        return "better" if found.measure.lower_is_better else "worse"
    return "plain"


def _scale(rows: Sequence[Aggregate]) -> float:
    """Return the largest end of any interval, 0 when there is none."""
    ends = [
        max(abs(found.resolution.interval.low), abs(found.resolution.interval.high))
        for found in rows
        if found.resolution is not None and found.resolution.interval is not None
    ]
    return max(ends, default=0.0)


def interval_bar(interval: Interval, mean: float, scale: float) -> str:
    """
    Return an interval drawn on a line from −*scale* to +*scale*, zero in the middle.

    >>> from ragtui.core.interval import Interval
    >>> interval_bar(Interval(-0.1, 0.3, 0.95), 0.1, 0.5)
    '        ──┼─◆────    '
    """
    half = BAR // 2

    def cell(value: float) -> int:
        return half + max(-half, min(half, round(value / scale * half)))

    cells = [" "] * BAR
    for position in range(cell(interval.low), cell(interval.high) + 1):
        cells[position] = "─"
    cells[half] = "┼" if cells[half] == "─" else "│"
    cells[cell(mean)] = "◆"
    return "".join(cells)


def _bar(found: Aggregate, scale: float) -> Line:
    resolution = found.resolution
    if resolution is None or resolution.interval is None or resolution.mean is None:
        return BLANK
    drawn = interval_bar(resolution.interval, float(resolution.mean), scale)
    role = resolved_role(found)
    return (Span(drawn, "muted" if role == "plain" else role),)


def interval_text(interval: Interval) -> str:
    """
    Return the two ends of an interval.

    >>> from ragtui.core.interval import Interval
    >>> interval_text(Interval(-0.094, 0.13, 0.95))
    '−.09 +.13'
    """
    return " ".join(_short(end) for end in (interval.low, interval.high))


def _short(value: float) -> str:
    text = f"{abs(value):.2f}"
    if text == "0.00":
        return ".00"
    shown = text if text.startswith("1") else text[1:]
    return f"{'+' if value > 0 else MINUS}{shown}"


def _numbers(found: Aggregate) -> Line:
    if found.resolution is None or found.resolution.interval is None:
        return BLANK
    return (Span(interval_text(found.resolution.interval), "muted"),)


def _counts(rows: Sequence[tuple[str, Aggregate]]) -> list[Column]:
    def column(head: Span, numbers: Sequence[tuple[int, str]]) -> Column:
        cells: list[Line] = [(Span(f"{n:,}", role if n else "faint"),) for n, role in numbers]
        return Column((head,), cells, right=True, least=2)

    paired = [found.paired for _, found in rows]
    return [
        column(Span("▲", "better"), [(p.up, "better") for p in paired]),
        column(Span("▼", "worse"), [(p.down, "worse") for p in paired]),
        column(Span("=", "header"), [(p.equal, "muted") for p in paired]),
        column(Span("n", "header"), [(p.n, "muted") for p in paired]),
    ]


def _words(rows: Sequence[tuple[str, Aggregate]]) -> list[Column]:
    words: list[Line] = []
    pooled: list[Line] = []
    for _, found in rows:
        role = resolved_role(found)
        said = "" if found.resolution is None else found.resolution.words
        words.append((Span(said, "faint" if role == "plain" else role),))
        pooled.append((Span(_pooled(found), "faint"),))
    return [Column(_head("words"), words), Column(_head("pooled"), pooled)]


def _pooled(found: Aggregate) -> str:
    if found.pooled is None:
        return ""
    (num_a, den_a), (num_b, den_b) = found.pooled
    return f"{_sum(num_a)}/{_sum(den_a)} → {_sum(num_b)}/{_sum(den_b)}"


def _sum(number: float | Fraction) -> str:
    """Return a sum of counts; one of means over repeats to two places."""
    return str(int(number)) if number == int(number) else f"{float(number):.2f}"


def _in_full(comparison: Comparison, found: Aggregate, width: int) -> list[Line]:
    """Return what the table has no room for: own means, bounds, pooled ratios, p, reservations."""
    room = max(1, width - LABEL_WIDTH)
    name = found.measure.written(comparison.cutoff)
    lines = labelled(
        name, flow([Span(found.measure.definition, "muted")], room), role="accent bold"
    )
    if found.measure.has_mean:
        lines += labelled("macro", flow([_macro(found)], room))
        lines += labelled("own means", flow_items(_own_means(found), room))
    if found.pooled is not None:
        lines += labelled("pooled", flow([Span(_pooled_words(found), "muted")], room))
    lines += labelled("n/a", flow([Span(_absent_words(found), "muted")], room))
    return lines + _certainty(found, room, closed=comparison.withholds_questions)


def _macro(found: Aggregate) -> Span:
    paired = found.paired
    return Span(
        f"A {mean_text(paired.baseline)}  B {mean_text(paired.candidate)}  "
        f"Δ {signed(paired.delta, zero='0.00')}: means over the same "
        f"{plural(paired.n, 'question')} in A and B",
        "plain",
    )


def _own_means(found: Aggregate) -> list[Line]:
    items: list[Line] = []
    for side, own in zip(Side, (found.own_baseline, found.own_candidate), strict=True):
        items.append(
            line_of(
                Span(f"{side.letter} {mean_text(own.mean)} (n {own.n})", "muted"),
                Span(_bounds(own), "attention"),
            )
        )
    items.append((Span("different questions, never subtracted", "faint"),))
    return items


def _bounds(own: Own) -> str:
    if not own.missing:
        return ""
    return f" {own.missing} missing: {mean_text(own.low)} to {mean_text(own.high)}"


def _pooled_words(found: Aggregate) -> str:
    parts = []
    for side, pair in zip(Side, found.pooled or (), strict=False):
        ratio = found.pooled_ratios[side]
        parts.append(f"{side.letter} {_sum(pair[0])}/{_sum(pair[1])} = {mean_text(ratio)}")
    if (difference := found.pooled_difference) is not None:
        parts.append(pooled_difference_text(difference))
    return f"{'   '.join(parts)}   {found.measure.numerator} / {found.measure.denominator}"


def _absent_words(found: Aggregate) -> str:
    paired = found.paired
    return (
        f"became n/a {paired.became_na} · became defined {paired.became_defined} · "
        f"in both {paired.na_both} · missing {paired.missing}"
    )


def _certainty(found: Aggregate, room: int, *, closed: bool) -> list[Line]:
    resolution = found.resolution
    if resolution is None:
        return []
    said = [Span(resolution.words, f"{resolved_role(found)} bold")]
    said += [Span(f" · {note}", "attention") for note in resolution.notes]
    if resolution.p is not None:
        bound = "≤" if resolution.p.floor else "="
        said.append(
            Span(
                f" · sign-flip p {bound} {resolution.p.value:.4g} ({resolution.p.method})", "muted"
            )
        )
    lines = labelled("words", flow(said, room))
    if resolution.interval is None and 0 < found.paired.n <= FEW and not closed:
        lines += labelled("each Δ", flow([Span(_strip(found), "muted")], room))
    return lines


def _strip(found: Aggregate) -> str:
    """Write the differences out, worst first."""
    each = [
        signed(delta, zero="0.00") for delta, n in sorted(found.deltas.items()) for _ in range(n)
    ]
    return "  ".join(each)
