"""Orders other than "what hurts most first", for the columns of a table."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Final

from ragtui.core.change import Verdict
from ragtui.core.measures import Form
from ragtui.core.value import delta

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from fractions import Fraction

    from ragtui.core.comparison import Comparison
    from ragtui.core.measures import Measure

__all__ = ["DEFAULT_SORT", "SORT_KEYS", "sort_order"]

DEFAULT_SORT: Final = "triage"
"""What hurts most first."""

SORT_KEYS: Final = (DEFAULT_SORT, "question", "tags", "severity", "verdict")
"""What rows can be sorted by besides the delta of each measure in use."""

_VERDICTS: Final = tuple(Verdict)


def sort_order(comparison: Comparison, key: str, *, reverse: bool = False) -> array[int]:
    """
    Return all question indexes sorted by one of `SORT_KEYS` or by the delta of a measure.

    The worst comes first. Ties keep the default order, and questions without what is sorted by (a
    delta, a severity, a tag) come last, whether *reverse* or not. `KeyError` for another key.
    """
    default = comparison.order
    if key == DEFAULT_SORT:
        return array("I", reversed(default)) if reverse else default
    if key == "question":
        ids = comparison.ids
        return array("I", sorted(default, key=ids.__getitem__, reverse=reverse))
    ranks = _ranks(comparison, key)
    buckets: list[list[int]] = [[] for _ in range(max(ranks, default=0) + 2)]
    for index in default:
        buckets[ranks[index]].append(index)
    # The last bucket, of rank -1, holds the questions without a rank.
    ranked = reversed(buckets[:-1]) if reverse else buckets[:-1]
    return array("I", (index for bucket in (*ranked, buckets[-1]) for index in bucket))


def _ranks(comparison: Comparison, key: str) -> list[int]:
    """Return each question's place among the distinct values of *key*, -1 where it has none."""
    if key == "tags":
        tags = sorted({row.tags for row in comparison.labels.values if row.tags})
        place = {names: position for position, names in enumerate(tags)}
        return comparison.labels.map(lambda row: place.get(row.tags, -1))
    if key == "severity":
        return comparison.changes.map(lambda row: -1 if row.severity is None else row.severity)
    if key == "verdict":
        return comparison.changes.map(lambda row: _VERDICTS.index(row.verdict))
    return _delta_ranks(comparison, comparison.measure(key))


def _delta_ranks(comparison: Comparison, measure: Measure) -> list[int]:
    deltas: Sequence[Fraction | None]
    if measure.form is Form.REAL:
        deltas = [comparison.delta(measure, index) for index in range(len(comparison))]
        rank = _worst_first(measure, deltas)
        return [rank[moved] for moved in deltas]
    pairs, cutoff = comparison.row_pairs, comparison.cutoff
    deltas = [delta(*(measure.value(*row, cutoff) for row in pair)) for pair in pairs.values]
    rank = _worst_first(measure, deltas)
    ranks = [rank[moved] for moved in deltas]
    return list(map(ranks.__getitem__, pairs.codes))


def _worst_first(measure: Measure, deltas: Iterable[Fraction | None]) -> dict[Fraction | None, int]:
    distinct = {moved for moved in deltas if moved is not None}
    ordered = sorted(distinct, reverse=measure.lower_is_better)
    return {None: -1, **{moved: position for position, moved in enumerate(ordered)}}
