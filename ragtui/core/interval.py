"""
How sure a difference between two paired runs is: intervals, and the words that go with them.

All of it speaks of other questions like these, if the set is a fair sample of them; it says
nothing about wrong labels. Differences are B - A, in [-1, 1], and come as a distribution, the
number of questions by difference: they take few distinct values, whatever the number of
questions. Sums are exact up to the final square root, so no order of questions shows in a result,
and negating all differences mirrors every result.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from ragtui.core.quantile import t_quantile
from ragtui.core.signflip import sign_flip

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ragtui.core.signflip import PValue

__all__ = [
    "LARGE_FROM",
    "MIN_CHANGED",
    "MIN_PAIRS",
    "SMALL_BELOW",
    "Interval",
    "Number",
    "Resolution",
    "Words",
    "padded_half_width",
    "padded_t",
    "padded_t_clustered",
    "pooled_difference",
    "resolve",
]

MIN_PAIRS: Final = 10
"""Paired questions below which there is neither an interval nor a p value."""
MIN_CHANGED: Final = 6
"""Changed questions below which no sign-flip p reaches 0.05: five give 2/32 at best."""
SMALL_BELOW: Final = 30
"""Paired questions below which a sample is called small."""
LARGE_FROM: Final = 10_000
"""Paired questions from which nearly any difference is resolved and its size is what matters."""

Number: TypeAlias = int | Fraction
"""A count, or a mean of counts over repeats."""

_Counts: TypeAlias = tuple[int, int, int, int]
_Sums: TypeAlias = tuple[Number, Number, Number, Number]

Words = Literal[
    "no paired questions",
    "no change",
    "too few questions",
    "higher in B",
    "lower in B",
    "not resolved",
]


@dataclass(frozen=True, slots=True)
class Interval:
    """A two-sided confidence interval of a difference, inside [-1, 1]."""

    low: float
    high: float
    confidence: float
    """Such as 0.95."""
    note: str | None = None
    """What a reader must know beside the numbers, or None."""


@dataclass(frozen=True, slots=True)
class Resolution:
    """What paired differences allow to say, in numbers and in fixed words."""

    n: int
    """Paired questions."""
    n_changed: int
    """Those whose difference is not 0."""
    mean: Fraction | None
    """The mean paired difference, exact; None without questions."""
    interval: Interval | None
    """None below `MIN_PAIRS` questions (or clusters)."""
    p: PValue | None
    """The sign-flip p; None where *interval* is."""
    words: Words
    notes: tuple[str, ...]
    """Reservations to print beside the words, the weightiest first."""


class _Moments(NamedTuple):
    """Sums over differences, or over the groups they belong to, with nothing imaginary in them."""

    units: int
    """Independent units: questions, or clusters of them."""
    n: int
    """Questions."""
    total: Fraction
    """Sum of all differences."""
    squares: Fraction
    """Sum over units of the squared sum of a unit."""
    cross: Fraction
    """Sum over units of its number of questions times its sum."""
    sizes: int
    """Sum over units of its squared number of questions."""


def padded_t(deltas: Mapping[Fraction, int], confidence: float = 0.95) -> Interval:
    """
    Return the padded t interval of a mean paired difference, clipped to [-1, 1].

    One imaginary difference of +1 and one of -1 are added to the spread only, never to the mean.
    It generalises what Bonett and Price (2012) do for paired proportions, and keeps its coverage
    where a single rare loss decides, as the plain t interval and bootstraps do not. Without
    questions it raises `ValueError`.

    >>> interval = padded_t({Fraction(0): 30})
    >>> round(interval.low, 4), round(interval.high, 4)
    (-0.0916, 0.0916)
    >>> interval = padded_t({Fraction(0): 8, Fraction(1, 2): 1, Fraction(1): 3})
    >>> round(interval.low, 4), round(interval.high, 4)
    (-0.0433, 0.6266)
    """
    return _around_mean(_moments(deltas), confidence)


def padded_half_width(deltas: Mapping[Fraction, int], confidence: float = 0.95) -> float:
    """
    Return half the width of `padded_t` before it is clipped.

    With N = n + 2 and c = sum(d)/N: s^2 = (sum(d^2) + 2 - N c^2)/(N - 1), and the half-width is
    t(1 - alpha/2; N - 1) sqrt(s^2/N). Of n unchanged questions it is the least margin a rule of
    non-inferiority can ever be given.

    >>> round(padded_half_width({Fraction(0): 28}), 4)
    0.0981
    """
    return _half_width(_moments(deltas), confidence)


def padded_t_clustered(
    groups: Iterable[Mapping[Fraction, int]], confidence: float = 0.95
) -> Interval:
    """
    Return the padded t interval where questions come in groups that share a source.

    A question without a cluster is a group of its own; groups without a question are skipped.
    With c = sum(d)/N, N = n + 2, and u_g the sum of d - c over group g, the two imaginary
    differences being two more groups, G in all: the variance of the mean is
    G/(G - 1) sum(u_g^2)/N^2, with t at G - 1 degrees of freedom. Where every group has one
    question this is `padded_t`. Without questions it raises `ValueError`.

    Twelve questions in four groups that moved together say less than twelve questions:

    >>> up, down = {Fraction(1, 2): 3}, {Fraction(-1, 2): 3}
    >>> interval = padded_t_clustered([up, up, up, down])
    >>> round(interval.low, 4), round(interval.high, 4)
    (-0.3496, 0.8496)
    """
    return _around_mean(_grouped_moments(_group_totals(groups)), confidence)


def pooled_difference(
    pairs: Mapping[_Counts, int] | Mapping[_Sums, int], confidence: float = 0.95
) -> tuple[Fraction, Interval] | None:
    """
    Return the difference of two pooled ratios, B - A, with its padded interval.

    *pairs* maps (numerator in A, denominator in A, numerator in B, denominator in B) to a number
    of questions. Those with both denominators 0 are left out; None where a side has nothing left
    to divide by. With R = sum(y)/sum(x) on each side, a question departs from it by
    e = (y_B - R_B x_B)/mean(x_B) - (y_A - R_A x_A)/mean(x_A), and the half-width is
    t(1 - alpha/2; N - 1) sqrt((sum(e^2) + 2)/((N - 1) N)), N = n + 2: the delta method for a
    ratio, padded as `padded_t`. It gives an interval for any n; whoever shows it holds n against
    `MIN_PAIRS`.

    `release-desk`, support of its three answerable questions: 2/3 against 4/5.

    >>> result = pooled_difference({(1, 1, 1, 2): 1, (0, 1, 1, 1): 1, (1, 1, 2, 2): 1})
    >>> difference, interval = result
    >>> difference, round(interval.low, 4), round(interval.high, 4)
    (Fraction(2, 15), -0.9612, 1.0)
    """
    counted: dict[_Sums, int] = {
        key: count for key, count in pairs.items() if count and (key[1] or key[3])
    }
    n = sum(counted.values())
    sum_y_a, sum_x_a, sum_y_b, sum_x_b = (
        sum(key[place] * count for key, count in counted.items()) for place in range(4)
    )
    if not (sum_x_a and sum_x_b):
        return None
    # Departures times (sum_x_a sum_x_b)^2 / n, so that their squares are summed as integers.
    squares = Fraction(
        sum(
            count
            * (
                (y_b * sum_x_b - sum_y_b * x_b) * sum_x_a**2
                - (y_a * sum_x_a - sum_y_a * x_a) * sum_x_b**2
            )
            ** 2
            for (y_a, x_a, y_b, x_b), count in counted.items()
        )
        * n**2,
        (sum_x_a * sum_x_b) ** 4,
    )
    difference = Fraction(sum_y_b, sum_x_b) - Fraction(sum_y_a, sum_x_a)
    variance = (squares + 2) / ((n + 1) * (n + 2))
    half = t_quantile((1 + confidence) / 2, n + 1) * math.sqrt(variance)
    return difference, _clipped(difference, half, confidence)


def resolve(
    deltas: Mapping[Fraction, int],
    *,
    confidence: float = 0.95,
    groups: Iterable[Mapping[Fraction, int]] | None = None,
) -> Resolution:
    """
    Say what paired differences show: the first that holds of the fixed words, with its numbers.

    A direction is called only when the interval excludes 0 and the sign-flip p is at most
    1 - *confidence*. *groups* are the same differences parted by cluster, a question without one
    being a group of its own; then clusters are what is counted and flipped, and the interval is
    `padded_t_clustered`. Groups that do not add up to *deltas* raise `ValueError`.

    `release-desk`, support:

    >>> resolution = resolve({Fraction(-1, 2): 1, Fraction(0): 1, Fraction(1): 1})
    >>> resolution.mean, resolution.words, resolution.notes
    (Fraction(1, 6), 'too few questions', ('3 paired questions, 10 are needed',))
    >>> resolve({Fraction(1, 2): 9, Fraction(0): 21}).words
    'higher in B'
    """
    moments = _moments(deltas)
    sums: Mapping[Fraction, int] = deltas
    if groups is not None:
        totals = _group_totals(groups)
        grouped = _grouped_moments(totals)
        if (grouped.n, grouped.total) != (moments.n, moments.total):
            raise ValueError(
                f"{grouped.n} differences in groups do not add up to {moments.n} in all"
            )
        moments, sums = grouped, _sums(totals)
    n_changed = sum(count for delta, count in deltas.items() if delta)
    enough = moments.units >= MIN_PAIRS
    interval = _around_mean(moments, confidence) if enough else None
    p = sign_flip(sums) if enough else None
    return Resolution(
        n=moments.n,
        n_changed=n_changed,
        mean=moments.total / moments.n if moments.n else None,
        interval=interval,
        p=p,
        words=_words(moments.n, n_changed, interval=interval, p=p),
        notes=_notes(moments, units_changed=sum(count for total, count in sums.items() if total)),
    )


def _words(n: int, n_changed: int, *, interval: Interval | None, p: PValue | None) -> Words:
    if n == 0:
        return "no paired questions"
    if n_changed == 0:
        return "no change"
    if interval is None or p is None:
        return "too few questions"
    # 1 - 0.9 is a little less than 0.1: the level is what was written.
    if p.value <= round(1 - interval.confidence, 12):
        if interval.low > 0:
            return "higher in B"
        if interval.high < 0:
            return "lower in B"
    return "not resolved"


def _notes(moments: _Moments, *, units_changed: int) -> tuple[str, ...]:
    clustered = moments.units != moments.n
    if moments.n == 0:
        return ()
    if moments.units < MIN_PAIRS:
        found = f"{moments.n} paired question{'' if moments.n == 1 else 's'}"
        if clustered:
            found += f" in {moments.units} cluster{'' if moments.units == 1 else 's'}"
        return (f"{found}, {MIN_PAIRS} are needed",)
    notes = []
    if moments.units < SMALL_BELOW:
        notes.append("small sample")
    if units_changed < MIN_CHANGED:
        notes.append(
            f"fewer than {MIN_CHANGED}{' clusters' if clustered else ''} changed: "
            f"at least {MIN_CHANGED} are needed before a direction could be called"
        )
    if moments.units >= LARGE_FROM:
        notes.append(
            f"{LARGE_FROM:,} {'clusters' if clustered else 'questions'} or more: "
            "hold the size of the difference against the policy's margin"
        )
    return tuple(notes)


def _moments(deltas: Mapping[Fraction, int]) -> _Moments:
    """Take every question as a unit of its own."""
    return _grouped_moments({(1, delta): count for delta, count in deltas.items()})


def _group_totals(groups: Iterable[Mapping[Fraction, int]]) -> Mapping[tuple[int, Fraction], int]:
    """Count groups by (number of questions, sum of differences), empty ones left out."""
    # Most groups hold one question, and hashing integers is several times faster than fractions.
    counts: Counter[tuple[int, int, int]] = Counter()
    for group in groups:
        size = sum(group.values())
        if not size:
            continue
        if len(group) == 1:
            (delta,) = group
            counts[size, delta.numerator * size, delta.denominator] += 1
        else:
            total = sum((delta * count for delta, count in group.items()), Fraction(0))
            counts[size, total.numerator, total.denominator] += 1
    totals: Counter[tuple[int, Fraction]] = Counter()
    for (size, numerator, denominator), count in counts.items():
        totals[size, Fraction(numerator, denominator)] += count
    return totals


def _sums(totals: Mapping[tuple[int, Fraction], int]) -> Mapping[Fraction, int]:
    """Forget how many questions a group has."""
    sums: Counter[Fraction] = Counter()
    for (_, total), count in totals.items():
        sums[total] += count
    return sums


def _grouped_moments(totals: Mapping[tuple[int, Fraction], int]) -> _Moments:
    """Sum over groups counted by (number of questions, sum of differences), exactly."""
    scale = math.lcm(*(total.denominator for _, total in totals))
    whole = [
        (size, total.numerator * (scale // total.denominator), count)
        for (size, total), count in totals.items()
    ]
    return _Moments(
        units=sum(totals.values()),
        n=sum(size * count for size, _, count in whole),
        total=Fraction(sum(total * count for _, total, count in whole), scale),
        squares=Fraction(sum(total * total * count for _, total, count in whole), scale**2),
        cross=Fraction(sum(size * total * count for size, total, count in whole), scale),
        sizes=sum(size * size * count for size, _, count in whole),
    )


def _half_width(moments: _Moments, confidence: float) -> float:
    n, units = moments.n + 2, moments.units + 2
    centre = moments.total / n
    # The sum of squares of every group's departure from the centre, those of the groups +1 and -1
    # being 2 + 2 centre^2.
    departures = moments.squares - 2 * centre * moments.cross + centre**2 * (moments.sizes + 2) + 2
    variance = Fraction(units, units - 1) * departures / n**2
    return t_quantile((1 + confidence) / 2, units - 1) * math.sqrt(variance)


def _around_mean(moments: _Moments, confidence: float) -> Interval:
    if not moments.n:
        raise ValueError("no paired questions, no interval")
    half = _half_width(moments, confidence)
    return _clipped(moments.total / moments.n, half, confidence)


def _clipped(centre: Fraction, half: float, confidence: float) -> Interval:
    middle = float(centre)
    return Interval(max(-1.0, middle - half), min(1.0, middle + half), confidence)
