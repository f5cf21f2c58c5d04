"""
How one measure moves between A and B, on one question and over the distinct ones of many.

The rows of counts behind many questions differ more than the values of one measure do: thousands of
pairs of rows come down to some dozens of pairs of values, which is what sums and counts work on.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, NamedTuple

from ragtui.core.measures import structural
from ragtui.core.value import Absence, NotAvailable, delta
from ragtui.core.words import Word

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from fractions import Fraction

    from ragtui.core.columns import Pairs
    from ragtui.core.contract import Counts
    from ragtui.core.measures import Facts, Measure
    from ragtui.core.value import Value

__all__ = ["MeasureChange", "Move", "Moves", "measure_change", "moves_of"]


class MeasureChange(Word):
    """How one measure of one question moved."""

    IMPROVED = "improved"
    REGRESSED = "regressed"
    UNCHANGED = "unchanged"
    BECAME_NA = "became-na"
    BECAME_DEFINED = "became-defined"
    NA_BOTH = "na-both"
    MISSING = "missing"


class Move(NamedTuple):
    """What one measure says of one question in A and in B."""

    structural: NotAvailable | None
    """Why the labels alone leave it without a value; `None`: they do not."""
    baseline: Value
    candidate: Value

    @property
    def delta(self) -> Fraction | None:
        """Candidate minus baseline; `None` unless both are defined."""
        return delta(self.baseline, self.candidate)

    def change(self, measure: Measure) -> MeasureChange:
        """
        Say how *measure* moved.

        A side that was not recorded or labelled makes the pair `missing`, unless the labels leave
        the question without a value whatever a run does.
        """
        a, b = self.baseline, self.candidate
        na_a, na_b = isinstance(a, NotAvailable), isinstance(b, NotAvailable)
        if not na_a and not na_b:
            return _moved(measure, a, b)
        if self.structural:
            return MeasureChange.NA_BOTH
        if any(isinstance(v, NotAvailable) and v.absence is Absence.MISSING for v in (a, b)):
            return MeasureChange.MISSING
        if na_a and na_b:
            return MeasureChange.NA_BOTH
        return MeasureChange.BECAME_NA if na_b else MeasureChange.BECAME_DEFINED


def _moved(measure: Measure, a: Value, b: Value) -> MeasureChange:
    if isinstance(a, NotAvailable) or isinstance(b, NotAvailable):
        message = "both sides must be defined"
        raise TypeError(message)
    left, right = a.num * b.den, b.num * a.den
    if left == right:
        return MeasureChange.UNCHANGED
    better = right < left if measure.lower_is_better else right > left
    return MeasureChange.IMPROVED if better else MeasureChange.REGRESSED


def measure_change(measure: Measure, facts: Facts, a: Value, b: Value) -> MeasureChange:
    """Say how one measure of one question moved, as `Move.change` does."""
    return Move(structural(measure, facts), a, b).change(measure)


class Moves(NamedTuple):
    """Every move of one measure, by distinct pair of rows."""

    distinct: list[Move]
    """In order of appearance."""
    places: array[int]
    """The place among them of each distinct pair of rows."""

    def counted(self, pairs: Mapping[int, int]) -> dict[Move, int]:
        """Return move to number of questions, *pairs* being that by code of the pair of rows."""
        found: dict[int, int] = {}
        for place, n in zip(map(self.places.__getitem__, pairs), pairs.values(), strict=True):
            found[place] = found.get(place, 0) + n
        return {self.distinct[place]: n for place, n in found.items()}


def moves_of(
    measure: Measure,
    pairs: Pairs[tuple[Facts, Counts], tuple[Facts, Counts]],
    cutoff: int,
) -> Moves:
    """Return the moves of *measure* over *pairs* of rows, working out each row's value once."""
    labels = [structural(measure, facts) for facts, _ in pairs.left.values]
    before, after = (
        [measure.value(facts, counts, cutoff) for facts, counts in side.values]
        for side in (pairs.left, pairs.right)
    )
    # Numbers in place of values: there are as many pairs to tell apart as questions, or nearly.
    left = _numbered(list(zip(labels, before, strict=True)))
    right = _numbered(after)
    place: dict[tuple[int, int], int] = {}
    places = array("I")
    distinct: list[Move] = []
    for a, b in pairs.sides:
        at = place.setdefault((left[a], right[b]), len(place))
        if at == len(distinct):
            distinct.append(Move(labels[a], before[a], after[b]))
        places.append(at)
    return Moves(distinct, places)


def _numbered(values: Sequence[object]) -> list[int]:
    """
    Return a number for each of *values*, the same for equal ones.

    >>> _numbered(["a", "b", "a"])
    [0, 1, 0]
    """
    number: dict[object, int] = {}
    return [number.setdefault(value, len(number)) for value in values]
