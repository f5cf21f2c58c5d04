"""What hurts most first: the default order of questions."""

from __future__ import annotations

from array import array
from fractions import Fraction
from itertools import chain
from typing import TYPE_CHECKING

from ragtui.core.change import Flag, Severity, Verdict
from ragtui.core.columns import Pairs

if TYPE_CHECKING:
    from ragtui.core.columns import ChangeRow
    from ragtui.core.comparison import Comparison

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
    rows = Pairs(comparison.changes, comparison.row_pairs)
    ranks = [(_rank(change), Flag.NOISY in change.flags) for change in comparison.changes.values]
    coverage, rr = (_delta_ranks(comparison, key) for key in ("coverage", "rr"))
    keys = [
        (ranks[change][0], coverage[pair], rr[pair], ranks[change][1])
        for change, pair in rows.sides
    ]
    place = {key: position for position, key in enumerate(sorted(set(keys)))}
    places = [place[key] for key in keys]
    buckets: list[list[int]] = [[] for _ in place]
    for index in sorted(range(len(comparison)), key=comparison.ids.__getitem__):
        buckets[places[rows.codes[index]]].append(index)
    return array("I", chain.from_iterable(buckets))


def _delta_ranks(comparison: Comparison, key: str) -> list[int]:
    """Return the place of a measure's delta by distinct pair of rows, n/a counting as 0."""
    moves = comparison.moves(comparison.measure(key))
    deltas = [move.delta or Fraction(0) for move in moves.distinct]
    rank = {moved: position for position, moved in enumerate(sorted(set(deltas)))}
    ranks = [rank[moved] for moved in deltas]
    return [ranks[place] for place in moves.places]
