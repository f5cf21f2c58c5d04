"""Where measures have no value, why, and on which side of the change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragtui.core.contract import State
from ragtui.core.evidence import Side
from ragtui.core.value import Absence, NotAvailable
from ragtui.tui.spans import BLANK, Line, Span
from ragtui.tui.views.layout import Column, Page, flow, table
from ragtui.tui.views.targets import absence_target

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragtui.core.comparison import Comparison
    from ragtui.core.measures import Measure

__all__ = ["absences_page"]

_SIDES = ("became", "defined", "both")
_ROLE = {Absence.STRUCTURAL: "faint", Absence.BEHAVIOURAL: "plain", Absence.MISSING: "attention"}

_Row = tuple["Measure", NotAvailable, tuple[int, ...]]


def absences_page(comparison: Comparison, measure: Measure, *, width: int) -> Page:
    """Return one row a measure and reason, with the number of questions on each side."""
    rows = _rows(comparison)
    states = _states(comparison, width)
    if not rows:
        return Page([*flow([Span("every measure has a value on every question", "muted")], width),
                     *states])  # fmt: skip
    lines = table(_columns(comparison, rows, measure), width)
    read = (
        "→ n/a: only B has none · n/a →: only A has none · never 0, never 1, never in a mean"
        " · Enter shows the questions"
    )
    return Page([*lines[1:], BLANK, *states, *flow([Span(read, "faint")], width)], [lines[0]])


def _rows(comparison: Comparison) -> list[_Row]:
    """Return measure, reason and the three counts; structural reasons last within a measure."""
    counted: dict[tuple[str, NotAvailable], dict[str, int]] = {}
    for row in comparison.absences:
        counted.setdefault((row.measure.key, row.code), {})[row.side] = row.n
    rows = [
        (comparison.measure(key), code, tuple(sides.get(side, 0) for side in _SIDES))
        for (key, code), sides in counted.items()
    ]
    order = [m.key for m in comparison.measures]
    return sorted(rows, key=lambda r: (r[1].absence is Absence.STRUCTURAL, order.index(r[0].key)))


def _columns(comparison: Comparison, rows: Sequence[_Row], measure: Measure) -> list[Column]:
    names: list[Line] = []
    reasons: list[Line] = []
    for shown, code, _ in rows:
        meta, role = absence_target(shown.key, code.value), _ROLE[code.absence]
        chosen = "accent bold underline" if shown.key == measure.key else role
        names.append((Span(shown.written(comparison.cutoff), chosen, meta),))
        reasons.append((Span(code.words, role, meta),))
    counts = [
        Column(_head(head), [_count(row, position) for row in rows], right=True)
        for position, head in enumerate(("→ n/a", "n/a →", "both"))
    ]
    return [Column(_head("measure"), names), *counts, Column(_head("reason"), reasons)]


def _head(text: str) -> Line:
    return (Span(text, "header"),)


def _count(row: _Row, position: int) -> Line:
    shown, code, counts = row
    n = counts[position]
    moved = "attention" if position < len(_SIDES) - 1 else _ROLE[code.absence]
    return (Span(f"{n:,}", moved if n else "faint", absence_target(shown.key, code.value)),)


def _states(comparison: Comparison, width: int) -> list[Line]:
    """Say how many questions each run answered, failed on, or has no record of."""
    lines: list[Line] = []
    for side in Side:
        states = comparison.states(side)
        failed, missing = states.get(State.FAILED, 0), states.get(State.MISSING, 0)
        parts = [
            Span(f"{side.letter} ", "title"),
            Span(f"scored {states.get(State.SCORED, 0):,}", "muted"),
        ]
        parts.append(Span(f" · failed {failed:,}", "attention" if failed else "faint"))
        parts.append(Span(f" · no record {missing:,}", "attention" if missing else "faint"))
        lines += flow(parts, width)
    return lines
