"""
Means, pooled ratios and counts of one measure over a set of questions.

Own means (each run over the questions it is defined on) and paired means (both over the questions
defined in both) are kept apart and never mixed: only the paired mean has a difference.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from ragtui.core.evidence import Side
from ragtui.core.interval import MIN_PAIRS, Interval, Number, Resolution, pooled_difference, resolve
from ragtui.core.measures import structural
from ragtui.core.moves import MeasureChange
from ragtui.core.value import Absence, NotAvailable, Score

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ragtui.core.measures import Facts, Measure
    from ragtui.core.moves import Move
    from ragtui.core.value import Value

__all__ = ["Aggregate", "Own", "Paired", "Pooled", "aggregate", "own_mean", "whole"]


class Own(NamedTuple):
    """One run's mean over the questions on which the measure is defined in it."""

    mean: Fraction | None
    """Macro mean; `None` when nothing is defined."""
    n: int
    na: int
    """Questions without a value for a structural or behavioural reason."""
    missing: int
    """Questions not recorded, not labelled or failed, on which a value was possible."""
    low: Fraction | None
    """The mean if every missing question scored 0."""
    high: Fraction | None
    """The mean if every missing question scored 1."""
    num: int | float | Fraction
    """Sum of numerators; those of a mean over repeats are means."""
    den: int | Fraction
    """Sum of denominators."""


class Paired(NamedTuple):
    """Both runs over the questions on which the measure is defined in both."""

    baseline: Fraction | None
    candidate: Fraction | None
    delta: Fraction | None
    """Mean of candidate minus baseline: the headline."""
    n: int
    up: int
    """Improved questions."""
    down: int
    """Regressed questions."""
    equal: int
    became_na: int
    became_defined: int
    na_both: int
    missing: int

    @property
    def changed(self) -> int:
        """Questions whose value moved."""
        return self.up + self.down


class Pooled(NamedTuple):
    """Sums of numerators over sums of denominators, each run over its own questions."""

    baseline: tuple[int | Fraction, int | Fraction]
    candidate: tuple[int | Fraction, int | Fraction]


class PooledDifference(NamedTuple):
    """
    B's pooled ratio minus A's over the questions that neither run lacks.

    A question may weigh in one run only, so it is never told without its interval.
    """

    value: Fraction
    n: int
    """Questions with a denominator in A or in B."""
    interval: Interval


@dataclass(frozen=True, slots=True)
class Aggregate:
    """Everything said about one measure over some questions."""

    measure: Measure
    own_baseline: Own
    own_candidate: Own
    paired: Paired
    pooled: Pooled | None
    """`None` for a measure that does not pool."""
    resolution: Resolution | None
    """`None` for a measure without a mean."""
    deltas: Mapping[Fraction, int]
    """Distribution of the paired deltas: delta to number of questions."""
    clusters: int | None = None
    """Clusters that the paired questions stand in; `None` where no question shares one."""
    pooled_difference: PooledDifference | None = None
    """`None` where there is no interval: a measure that does not pool, fewer than 10 questions,
    questions that share a cluster."""

    @property
    def is_small(self) -> bool:
        """Whether fewer questions, or clusters of them, are paired than an interval needs."""
        return (self.paired.n if self.clusters is None else self.clusters) < MIN_PAIRS

    @property
    def pooled_ratios(self) -> tuple[Fraction | None, Fraction | None]:
        """The pooled ratio of each run; `None` where the denominator is 0 or nothing pools."""
        if self.pooled is None:
            return None, None
        (num_a, den_a), (num_b, den_b) = self.pooled
        return (
            Fraction(num_a, den_a) if den_a else None,
            Fraction(num_b, den_b) if den_b else None,
        )


def own_mean(measure: Measure, values: Mapping[tuple[Facts, Value], int]) -> Own:
    """
    Return one run's own mean from the distribution of its values.

    With m missing questions beside n defined ones the mean lies in [sum/(n+m), (sum+m)/(n+m)].

    >>> from ragtui.core.measures import Facts, measure_named
    >>> from ragtui.core.value import NotAvailable
    >>> facts = Facts(True, 1, 1, True, True, False, False)
    >>> own = own_mean(
    ...     measure_named("coverage"),
    ...     {(facts, Score(1, 1)): 2, (facts, NotAvailable.FAILED): 1},
    ... )
    >>> own.mean, own.n, own.missing, own.low, own.high
    (Fraction(1, 1), 2, 1, Fraction(2, 3), Fraction(1, 1))
    """
    counted: Counter[_Said] = Counter()
    for (facts, value), weight in values.items():
        counted[structural(measure, facts), value] += weight
    return _own(measure, counted)


_Said: TypeAlias = tuple[NotAvailable | None, "Value"]
"""Why the labels alone leave no value, if they do, and what was measured."""


def _own(measure: Measure, values: Mapping[_Said, int]) -> Own:
    n, na, missing = 0, 0, 0
    num: int | float | Fraction = 0
    den: int | Fraction = 0
    for (absent, value), weight in values.items():
        if isinstance(value, Score):
            top, bottom = value.counted
            n, num, den = n + weight, num + top * weight, den + bottom * weight
        elif value.absence is Absence.MISSING and not absent:
            missing += weight
        else:
            na += weight
    total = _total(
        (_ratio(value), weight) for (_, value), weight in values.items() if isinstance(value, Score)
    )
    possible = n + missing
    known = measure.has_mean and possible > 0
    return Own(
        mean=total / n if n and measure.has_mean else None,
        n=n,
        na=na,
        missing=missing,
        low=total / possible if known else None,
        high=(total + missing) / possible if known else None,
        num=num,
        den=den,
    )


_Ratio: TypeAlias = tuple[int, int]
"""Numerator and denominator, not reduced: whole numbers add up many times faster than fractions."""


def _ratio(score: Score) -> _Ratio:
    if isinstance(score.num, int):
        return score.num, score.den
    return score.fraction.as_integer_ratio()


def _total(weighted: Iterable[tuple[_Ratio, int]]) -> Fraction:
    """
    Add ratios up, each as often as it occurs.

    >>> _total([((1, 2), 3), ((3, 2), 1), ((1, 3), 1)])
    Fraction(10, 3)
    """
    sums: Counter[int] = Counter()
    for (num, den), n in weighted:
        sums[den] += num * n
    scale = lcm(*sums)
    return Fraction(sum(num * (scale // den) for den, num in sums.items()), scale)


def _difference(before: _Ratio, after: _Ratio) -> _Ratio:
    """
    Return *after* minus *before* in lowest terms.

    >>> _difference((1, 2), (2, 6))
    (-1, 6)
    """
    num, den = after[0] * before[1] - before[0] * after[1], before[1] * after[1]
    common = gcd(num, den)
    return num // common, den // common


def _paired(measure: Measure, moves: Mapping[Move, int]) -> tuple[Paired, dict[Fraction, int]]:
    moved: Counter[MeasureChange] = Counter()
    differences: Counter[_Ratio] = Counter()
    both = []
    for move, weight in moves.items():
        moved[move.change(measure)] += weight
        _, a, b = move
        if isinstance(a, Score) and isinstance(b, Score):
            before, after = _ratio(a), _ratio(b)
            differences[_difference(before, after)] += weight
            both.append((before, after, weight))
    deltas = {Fraction(*difference): weight for difference, weight in differences.items()}
    n = differences.total()
    known = n > 0 and measure.has_mean
    sum_a = _total((before, weight) for before, _, weight in both)
    sum_b = _total((after, weight) for _, after, weight in both)
    paired = Paired(
        baseline=sum_a / n if known else None,
        candidate=sum_b / n if known else None,
        delta=(sum_b - sum_a) / n if known else None,
        n=n,
        up=moved[MeasureChange.IMPROVED],
        down=moved[MeasureChange.REGRESSED],
        equal=moved[MeasureChange.UNCHANGED],
        became_na=moved[MeasureChange.BECAME_NA],
        became_defined=moved[MeasureChange.BECAME_DEFINED],
        na_both=moved[MeasureChange.NA_BOTH],
        missing=moved[MeasureChange.MISSING],
    )
    return paired, deltas


def _margin(moves: Mapping[Move, int], side: Side) -> Counter[_Said]:
    found: Counter[_Said] = Counter()
    for (absent, *sides), weight in moves.items():
        found[absent, sides[side]] += weight
    return found


def _counted(own: Own) -> tuple[int | Fraction, int | Fraction]:
    """Return the sums of a measure that pools, whole numbers as such."""
    return whole(Fraction(own.num)), whole(Fraction(own.den))


def whole(number: Fraction) -> int | Fraction:
    """
    Return a whole number as an int, and any other as it is.

    >>> whole(Fraction(4, 2)), whole(Fraction(1, 2))
    (2, Fraction(1, 2))
    """
    return number.numerator if number.denominator == 1 else number


def aggregate(
    measure: Measure,
    moves: Mapping[Move, int],
    *,
    groups: Iterable[Mapping[Fraction, int]] | None = None,
    confidence: float = 0.95,
) -> Aggregate:
    """
    Return everything said about *measure* from the distribution of its moves.

    *groups* are the paired deltas by cluster, for the cluster form of the interval.
    """
    clusters = None if groups is None else list(groups)
    own_a = _own(measure, _margin(moves, Side.BASELINE))
    own_b = _own(measure, _margin(moves, Side.CANDIDATE))
    paired, deltas = _paired(measure, moves)
    return Aggregate(
        measure=measure,
        own_baseline=own_a,
        own_candidate=own_b,
        paired=paired,
        pooled=Pooled(_counted(own_a), _counted(own_b)) if measure.pools else None,
        resolution=resolve(deltas, confidence=confidence, groups=clusters)
        if measure.has_mean
        else None,
        deltas=deltas,
        clusters=None if clusters is None or len(clusters) == paired.n else len(clusters),
        pooled_difference=_pooled_difference(moves, confidence, clustered=groups is not None)
        if measure.pools
        else None,
    )


def _pooled_difference(
    moves: Mapping[Move, int], confidence: float, *, clustered: bool
) -> PooledDifference | None:
    """Compare the pooled ratios of both runs over the questions that neither lacks."""
    if clustered:
        return None
    pairs: Counter[tuple[Number, Number, Number, Number]] = Counter()
    for (_, *sides), weight in moves.items():
        counts = [_sums(value) for value in sides]
        if counts[0] is not None and counts[1] is not None:
            pairs[*counts[0], *counts[1]] += weight
    n = sum(weight for (_, den_a, _, den_b), weight in pairs.items() if den_a or den_b)
    found = pooled_difference(pairs, confidence) if n >= MIN_PAIRS else None
    return None if found is None else PooledDifference(found[0], n, found[1])


def _sums(value: Value) -> tuple[Number, Number] | None:
    """Return what a value adds to numerators and denominators; `None`: that is not known."""
    if isinstance(value, Score):
        num, den = value.counted
        return whole(Fraction(num)), whole(Fraction(den))
    return None if value.absence is Absence.MISSING else (0, 0)
