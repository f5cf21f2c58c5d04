"""What hurts most first: the default order of questions."""

from __future__ import annotations

from array import array
from fractions import Fraction
from typing import TYPE_CHECKING

from ragtui.core.change import Severity, Verdict
from ragtui.core.value import delta

if TYPE_CHECKING:
    from ragtui.core.columns import ChangeRow
    from ragtui.core.comparison import Comparison

__all__ = ["delta_ranks", "triage_order"]

_WITHOUT_SEVERITY = {
    Verdict.NOT_COMPARABLE: 0,
    Verdict.MIXED: 1,
    Verdict.REGRESSED: 1,
    Verdict.IMPROVED: 1,
    Verdict.UNCHANGED: 2,
}


def _rank(row: ChangeRow) -> tuple[int, int, int]:
    level = len(Severity) if row.severity is None else int(row.severity)
    kind = _WITHOUT_SEVERITY[row.verdict] if row.severity is None else 0
    return level, kind, -row.new_unsupported


def delta_ranks(comparison: Comparison, key: str) -> list[int]:
    """Return each question's position among the distinct deltas of a measure, n/a counting as 0."""
    measure = comparison.measure(key)
    keys_a, places_a = comparison.baseline.columns.coded(measure, comparison.cutoff)
    keys_b, places_b = comparison.candidate.columns.coded(measure, comparison.cutoff)
    cells = list(zip(places_a, places_b, strict=True))
    moved = {(a, b): delta(keys_a[a][1], keys_b[b][1]) or Fraction(0) for a, b in set(cells)}
    rank = {value: position for position, value in enumerate(sorted(set(moved.values())))}
    ranks = {cell: rank[value] for cell, value in moved.items()}
    return [ranks[cell] for cell in cells]


def triage_order(comparison: Comparison) -> array[int]:
    """
    Sort by severity, then kind, new unsupported claims, coverage delta, RR delta, id.

    Stable sorts by one key at a time, last key first: no tuple is built per question.
    """
    order = sorted(range(len(comparison)), key=comparison.ids.__getitem__)
    order.sort(key=delta_ranks(comparison, "rr").__getitem__)
    order.sort(key=delta_ranks(comparison, "coverage").__getitem__)
    order.sort(key=comparison.changes.map(_rank).__getitem__)
    return array("I", order)
