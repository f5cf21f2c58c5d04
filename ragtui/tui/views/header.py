"""The three lines at the top: what is compared, how it differs, how the questions fared."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Final, NamedTuple

from ragtui.core.change import Verdict
from ragtui.text import plural, printable_id
from ragtui.tui.spans import Line, Span, cut_line, line_width, space, span, spread
from ragtui.tui.views.figures import VERDICT_GLYPH, VERDICT_ROLE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ragtui.core.aggregate import Aggregate
    from ragtui.core.comparison import Comparison
    from ragtui.core.measures import Measure
    from ragtui.core.triage import Counts

__all__ = ["Bar", "bars", "header_lines", "progress_line", "triage_words", "verdict_strip"]

_BLOCKS: Final = "▁▂▃▄▅▆▇█"
_MOST_BARS: Final = 48
_LEAST_BARS: Final = 8
_MOST_CELLS: Final = 3
"""Cells of one bar where there are few questions."""
_LEAST_SET: Final = 24
"""Cells that the name of the set is left beside a verdict, where the verdict has a short form."""

_GAP: Final = Span("   ")
_DOT: Final = Span(" · ", "faint")

_WORDS: Final = {
    Verdict.REGRESSED: "regressed",
    Verdict.MIXED: "mixed",
    Verdict.IMPROVED: "improved",
    Verdict.UNCHANGED: "same",
    Verdict.NOT_COMPARABLE: "not comparable",
}


class Bar(NamedTuple):
    """One cell of the strip of deltas."""

    height: int
    """-8 … 8 eighths of a cell; 0: no change."""
    sign: int


def triage_words(counts: Counts, *, waiting: int = 0, read_only: bool = False) -> Line:
    """
    Return how far the triage has come; nothing where no change needs a decision.

    *waiting* steps are not on disk yet, and not counted.

    >>> from ragtui.core.triage import Counts
    >>> "".join(part.text for part in triage_words(Counts(3, 15, 1)))
    '3 of 18 decided · 1 stale'
    """
    line: Line = ()
    if counts.total:
        done = not counts.undecided
        words = f"{counts.decided:,} of {counts.total:,} decided{' ✓' if done else ''}"
        line = (Span(words, "strong" if done else "attention bold"),)
    if counts.stale:
        gap = (_DOT,) if line else ()
        line = (*line, *gap, Span(f"{counts.stale:,} stale", "attention"))
    if waiting:
        gap = (_DOT,) if line else ()
        line = (*line, *gap, Span(f"… {waiting:,} not on disk", "attention"))
    if read_only and line:
        line = (*line, _DOT, Span("read-only", "attention bold"))
    return line


def header_lines(
    comparison: Comparison,
    measure: Measure | None,
    width: int,
    triage: Line = (),
    verdict: Sequence[Line] = (),
) -> list[Line]:
    """
    Return the header; *measure* is `None` while rows are still being read.

    *triage* says how far the decisions have come, and is never cut. *verdict* is that of the policy
    in several forms, of which the longest with room for it is shown.
    """
    strip = () if measure is None else verdict_strip(comparison, measure, width - 2)
    return [
        (space(1), *line)
        for line in (
            _set_line(comparison, width - 2, _ending(verdict, triage, width - 2)),
            _runs_line(comparison, width - 2),
            strip,
        )
    ]


def _ending(verdict: Sequence[Line], triage: Line, width: int) -> Line:
    """Return the verdict of the policy and how far the triage has come."""
    found = triage
    for form in verdict:
        found = (*form, _DOT, *triage) if triage else form
        if line_width(found) + _LEAST_SET <= width:
            break
    return found


def _set_line(comparison: Comparison, width: int, ending: Line) -> Line:
    """Return the set and its facts, the least weighty left out first where room is short."""
    info, standing = comparison.set_info, comparison.standing
    facts = [
        info.split.value if standing is None else standing.state_words,
        plural(len(comparison), "question"),
        f"k = {comparison.cutoff}",
        info.contract,
    ]
    if comparison.exploratory:
        ending = _joined(Span("exploratory k", "attention bold"), ending)
    if not info.frozen:
        ending = _joined(Span("labels not frozen", "attention"), ending)
    left = _facts(comparison, facts)
    frozen = _joined(Span("labels frozen ✓", "muted"), ending)
    if info.frozen and line_width((*left, *frozen)) < width - 1:
        return spread(left, frozen, width)
    while facts and line_width((*left, *ending)) > width - 2:
        facts.pop()
        left = _facts(comparison, facts)
    return spread(left, ending, width)


def _joined(first: Span, rest: Line) -> Line:
    return (first, _GAP, *rest) if rest else (first,)


def _facts(comparison: Comparison, facts: list[str]) -> Line:
    info = comparison.set_info
    line: Line = (span(f"{info.id} ", "strong"), span(info.version, "plain"))
    for fact in facts:
        line = (*line, _DOT, span(fact, "muted"))
    return line


def _runs_line(comparison: Comparison, width: int) -> Line:
    a = printable_id(comparison.baseline.info.id)
    b = printable_id(comparison.candidate.info.id)
    runs: Line = (
        Span("A ", "accent bold"),
        Span(a),
        Span("  →  ", "faint"),
        Span("B ", "accent bold"),
        Span(b),
    )
    held: Line = (Span("set, k, unit held ✓", "muted"),)
    change = _change_words(comparison)
    free = width - line_width(runs) - line_width(held) - 6
    if free < min(line_width(change), 24):
        return cut_line((*runs, _GAP, *change), width)
    return spread((*runs, _GAP, *cut_line(change, free)), held, width)


def _change_words(comparison: Comparison) -> Line:
    only = comparison.controlled
    if only is None:
        return (span(comparison.settings_words, "attention" if comparison.settings else "muted"),)
    return (
        Span("1 controlled change: ", "muted"),
        span(only.key, "plain"),
        span(f" {_said(only.baseline)} → {_said(only.candidate)}", "strong"),
    )


def _said(value: object) -> str:
    return "not recorded" if value is None else str(value)


def verdict_strip(comparison: Comparison, measure: Measure, width: int) -> Line:
    """Return how many questions have each verdict, and the deltas of *measure* as bars."""
    left = _counts(comparison, short=False)
    if comparison.withholds_questions:
        return spread(left, (), width)
    found = next(a for a in comparison.aggregates if a.measure == measure)
    bars_line = _bars_line(comparison, found, width - line_width(left) - 3)
    if not bars_line:
        left = _counts(comparison, short=True)
        bars_line = _bars_line(comparison, found, width - line_width(left) - 3)
    return spread(left, bars_line, width)


def _counts(comparison: Comparison, *, short: bool) -> Line:
    line: Line = ()
    for verdict, n in comparison.totals.items():
        if verdict is Verdict.NOT_COMPARABLE and not n:
            continue
        words = f" {n:,}" if short else f" {n:,} {_WORDS[verdict]}"
        role = f"{VERDICT_ROLE[verdict]} bold" if n else "faint"
        gap = (space(2),) if line else ()
        line = (*line, *gap, Span(VERDICT_GLYPH[verdict] + words, role))
    return line


def _bars_line(comparison: Comparison, found: Aggregate, width: int) -> Line:
    name = found.measure.written(comparison.cutoff)
    total = found.paired.n
    absent = len(comparison) - total
    name_span = span(f"Δ {name}, all {len(comparison):,} ", "muted")
    head = (name_span, Span("▼", "worse"))
    tail = (Span("▲", "better"), Span(f" {absent:,} n/a" if absent else "", "attention"))
    if not total:
        return cut_line((span(f"Δ {name} ", "muted"), Span("n/a in all", "attention")), width)
    room = min(_MOST_BARS, total, width - line_width((*head, *tail)))
    if room < min(_LEAST_BARS, total):
        return ()
    strip = bars(found.deltas, room, lower_is_better=found.measure.lower_is_better)
    cells = max(1, min(_MOST_CELLS, (width - line_width((*head, *tail))) // len(strip)))
    return (*head, *(_bar_span(bar, cells) for bar in strip), *tail)


def _bar_span(bar: Bar, cells: int) -> Span:
    if not bar.sign:
        return Span("·" * cells, "faint")
    return Span(_BLOCKS[abs(bar.height) - 1] * cells, "better" if bar.sign > 0 else "worse")


def bars(deltas: Mapping[Fraction, int], cells: int, *, lower_is_better: bool = False) -> list[Bar]:
    """
    Return the deltas of all questions from worst to best in at most *cells* bars.

    A bar shows the largest change among its questions, so that a single loss is never averaged
    away. The scale is the largest change, at least 1.

    >>> from fractions import Fraction as F
    >>> bars({F(-1, 2): 1, F(0): 2, F(1): 1}, 4)
    [Bar(height=-4, sign=-1), Bar(height=0, sign=0), Bar(height=0, sign=0), Bar(height=8, sign=1)]
    """
    total = sum(deltas.values())
    if not total or cells <= 0:
        return []
    turned = -1 if lower_is_better else 1
    ordered = sorted((delta * turned, n) for delta, n in deltas.items())
    scale = max(Fraction(1), *(abs(delta) for delta, _ in ordered))
    cells = min(cells, total)
    runs = _shown_deltas(ordered, total, cells)
    return [_bar(delta / scale) for delta in runs]


def _shown_deltas(ordered: list[tuple[Fraction, int]], total: int, cells: int) -> list[Fraction]:
    """Return the delta each cell shows: the one farthest from zero among its questions."""
    found = []
    position = start = 0
    ends = []
    for _, n in ordered:
        start += n
        ends.append(start)
    for cell in range(cells):
        low, high = cell * total // cells, (cell + 1) * total // cells
        while ends[position] <= low:
            position += 1
        last = position
        while ends[last] < high:
            last += 1
        found.append(max((ordered[position][0], ordered[last][0]), key=abs))
    return found


def _bar(part: Fraction) -> Bar:
    if not part:
        return Bar(0, 0)
    sign = 1 if part > 0 else -1
    return Bar(sign * max(1, round(abs(float(part)) * len(_BLOCKS))), sign)


def progress_line(what: str, done: int, total: int, width: int) -> Line:
    """
    Return a bar of how far reading has come, in bytes.

    >>> "".join(part.text for part in progress_line("records", 512, 1024, 40))
    'reading records  ━━━━━╌╌╌╌╌  50%'
    """
    share = min(1.0, done / total) if total else 0.0
    head = span(f"reading {what}  ", "muted")
    tail = Span(f"  {share:.0%}", "plain")
    room = max(4, min(40, width - line_width((head, tail)) - 4))
    room -= room % 5
    full = round(share * room)
    return cut_line(
        (head, Span("━" * full, "accent"), Span("╌" * (room - full), "faint"), tail), width
    )
