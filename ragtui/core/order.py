"""What hurts most first: the default order of questions."""

from __future__ import annotations

from array import array
from fractions import Fraction
from itertools import chain
from typing import TYPE_CHECKING

from ragtui.core.change import Flag, Severity, Verdict
from ragtui.core.columns import paired
from ragtui.core.value import delta

if TYPE_CHECKING:
    from typing import TypeAlias

    from ragtui.core.columns import ChangeRow
    from ragtui.core.comparison import Comparison
    from ragtui.core.contract import Counts
    from ragtui.core.measures import Facts

    Row: TypeAlias = tuple[Facts, Counts]

__all__ = ["triage_order"]

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


def triage_order(comparison: Comparison) -> array[int]:
    """
    Sort by severity, then kind, new unsupported claims, coverage delta, RR delta, noise, id.

    All but the id is worked out once per distinct row.
    """
    rows = paired(comparison.changes, comparison.row_pairs)
    moved = {key: _deltas(comparison, key) for key in ("coverage", "rr")}
    keys = [
        (*_rank(change), *(deltas[pair] for deltas in moved.values()), Flag.NOISY in change.flags)
        for change, pair in rows.values
    ]
    place = {key: position for position, key in enumerate(sorted(set(keys)))}
    places = [place[key] for key in keys]
    buckets: list[list[int]] = [[] for _ in place]
    for index in sorted(range(len(comparison)), key=comparison.ids.__getitem__):
        buckets[places[rows.codes[index]]].append(index)
    return array("I", chain.from_iterable(buckets))


def _deltas(comparison: Comparison, key: str) -> dict[tuple[Row, Row], Fraction]:
    """Return the delta of a measure by pair of rows, n/a counting as 0."""
    measure, cutoff = comparison.measure(key), comparison.cutoff
    return {
        pair: delta(*(measure.value(*row, cutoff) for row in pair)) or Fraction(0)
        for pair in comparison.row_pairs.values
    }
