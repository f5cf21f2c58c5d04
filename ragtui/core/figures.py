"""
Numbers as people read them: one way to write a score, a difference and a count.

Every front end writes numbers with these functions, so that a figure looks the same on a screen,
in a table and in a note. A difference carries its sign, `−` being U+2212; a value that is not
available is `n/a`, never 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ragtui.core.change import Verdict
from ragtui.core.measures import Form
from ragtui.core.value import NotAvailable, delta, is_noisy

if TYPE_CHECKING:
    from fractions import Fraction

    from ragtui.core.aggregate import Own, PooledDifference
    from ragtui.core.measures import Measure
    from ragtui.core.value import Score, Spread, Value

__all__ = [
    "MINUS",
    "NA",
    "NOISY",
    "NONE",
    "VERDICT_GLYPH",
    "amount",
    "arithmetic",
    "change_text",
    "count_of",
    "mean_text",
    "percent",
    "pooled_difference_text",
    "share_text",
    "signed",
    "signed_amount",
    "signed_count",
    "value_text",
]

MINUS: Final = "−"
NA: Final = "n/a"
NONE: Final = "–"
"""There is no such number, and no reason to give beside it."""

NOISY: Final = "~"
"""The repeats behind a difference overlap."""

VERDICT_GLYPH: Final = {
    Verdict.REGRESSED: "▼",
    Verdict.MIXED: "◆",
    Verdict.IMPROVED: "▲",
    Verdict.UNCHANGED: "=",
    Verdict.NOT_COMPARABLE: "∅",
}
"""One sign a verdict; its word always stands beside it."""


def percent(share: float) -> str:
    """
    Return a level of confidence in per cent, without the sign.

    >>> percent(0.95), percent(0.975), percent(1 - 0.05 / 3)
    ('95', '97.5', '98.33')
    """
    return f"{100 * share:.4g}"


def count_of(n: int) -> str:
    """
    Return a count with its thousands parted.

    >>> count_of(12000)
    '12,000'
    """
    return f"{n:,}"


def mean_text(value: Fraction | float | None) -> str:
    """
    Return a mean or a ratio to two places.

    >>> from fractions import Fraction
    >>> mean_text(Fraction(2, 3)), mean_text(None)
    ('0.67', '–')
    """
    return NONE if value is None else f"{float(value):.2f}"


def signed(value: Fraction | float | None, *, zero: str = "·") -> str:
    """
    Return a difference with its sign; one that would round to 0.00 is not shown as 0.

    >>> from fractions import Fraction
    >>> signed(Fraction(1, 6)), signed(Fraction(-1, 2)), signed(Fraction(0)), signed(None)
    ('+0.17', '−0.50', '·', '–')
    >>> signed(Fraction(1, 1000))
    '+<.01'
    """
    if value is None:
        return NONE
    if value == 0:
        return zero
    sign = "+" if value > 0 else MINUS
    text = f"{abs(float(value)):.2f}"
    return sign + ("<.01" if text == "0.00" else text)


def signed_count(n: int, *, zero: str = "·") -> str:
    """
    Return a difference of counts with its sign.

    >>> signed_count(2), signed_count(-1), signed_count(0)
    ('+2', '−1', '·')
    """
    return zero if n == 0 else f"{'+' if n > 0 else MINUS}{abs(n):,}"


def signed_amount(number: float | Fraction, *, zero: str = "·") -> str:
    """
    Return a difference of counts, or of means of counts to two places, with its sign.

    >>> from fractions import Fraction
    >>> signed_amount(Fraction(-2)), signed_amount(Fraction(2, 3))
    ('−2', '+0.67')
    """
    if number == int(number):
        return signed_count(int(number), zero=zero)
    return signed(number, zero=zero)


def value_text(value: Value, measure: Measure) -> str:
    """
    Return one value without its arithmetic.

    >>> from ragtui.core.measures import measure_named
    >>> from ragtui.core.value import Score
    >>> value_text(Score(1, 2), measure_named("support"))
    '0.50'
    >>> value_text(Score(1), measure_named("abstention"))
    'yes'
    >>> value_text(NotAvailable.NO_CLAIMS, measure_named("support"))
    'n/a'
    """
    if isinstance(value, NotAvailable):
        return NA
    if measure.form is Form.YES_NO:
        return _yes_no(value)
    if measure.form is Form.COUNT:
        return amount(value.fraction)
    return mean_text(value.real)


def _yes_no(value: Score, of: str = " of ") -> str:
    """Return yes or no; over repeats how many of those that tell say yes."""
    if value.over is not None:
        return f"{value.over.num * value.over.defined}{of}{value.over.defined}"
    if value.num in {0, value.den}:
        return "yes" if value.num else "no"
    return mean_text(value.real)  # an end of a range over labellings, itself a mean


def amount(number: float | Fraction) -> str:
    """
    Return a count, or a mean of counts to two places.

    >>> from fractions import Fraction
    >>> amount(12000), amount(Fraction(5, 2))
    ('12,000', '2.50')
    """
    return count_of(int(number)) if number == int(number) else f"{float(number):,.2f}"


def arithmetic(value: Value, measure: Measure) -> str:
    """
    Return one value with the counts it comes from.

    >>> from ragtui.core.measures import measure_named
    >>> from ragtui.core.value import Score
    >>> arithmetic(Score(1, 2), measure_named("support"))
    '1/2 = 0.50'
    >>> from ragtui.core.value import mean_of
    >>> repeats = mean_of([Score(1, 1), Score(1, 2), NotAvailable.NO_CLAIMS])
    >>> arithmetic(repeats, measure_named("support"))
    '0.75, 2 of 3 defined'
    """
    if isinstance(value, NotAvailable):
        return NA
    if value.over is not None:
        return _over_repeats(value, value.over, measure)
    if measure.form not in {Form.RATIO, Form.RECIPROCAL}:
        return value_text(value, measure)
    return f"{value.num}/{value.den} = {mean_text(value.real)}"


def _over_repeats(value: Score, over: Spread, measure: Measure) -> str:
    told = value_text(value, measure)
    if measure.form is not Form.YES_NO:
        if over.defined == over.recorded:
            return f"{told} over {over.recorded} repeats"
        return f"{told}, {over.defined} of {over.recorded} defined"
    if over.defined < over.recorded:
        return f"{told}, {over.recorded} recorded"
    return f"{told}, in every repeat" if over.num == 1 else f"{told} repeats"


def change_text(a: Value, b: Value, measure: Measure) -> str:
    """
    Return how one measure of one question moved, in one short word.

    `~` marks a difference of repeats that overlap.

    >>> from ragtui.core.measures import measure_named
    >>> from ragtui.core.value import Score
    >>> support, abstention = measure_named("support"), measure_named("abstention")
    >>> change_text(Score(1, 1), Score(1, 2), support)
    '−0.50'
    >>> change_text(Score(1, 1), NotAvailable.NO_CLAIMS, support)
    '1.00→n/a'
    >>> change_text(Score(0), Score(1), abstention)
    'no→yes'
    >>> from ragtui.core.value import mean_of
    >>> change_text(Score(1, 1), mean_of([Score(1, 1), Score(0, 1)]), support)
    '−0.50~'
    """
    if isinstance(a, NotAvailable) and isinstance(b, NotAvailable):
        return NA
    moved = delta(a, b)
    mark = NOISY if is_noisy(a, b) else ""
    if measure.form is Form.YES_NO and moved != 0:
        sides = [NA if isinstance(v, NotAvailable) else _yes_no(v, "/") for v in (a, b)]
        return f"{sides[0]}→{sides[1]}{mark}"
    if moved is None:
        return f"{value_text(a, measure)}→{value_text(b, measure)}"
    return (signed_amount(moved) if measure.form is Form.COUNT else signed(moved)) + mark


def share_text(own: Own) -> str:
    """
    Return how many of the questions with a value say yes.

    >>> from ragtui.core.aggregate import Own
    >>> share_text(Own(mean=None, n=1, na=3, missing=0, low=None, high=None, num=0, den=1))
    '0/1'
    """
    return f"{amount(own.num)}/{own.n:,}"


def pooled_difference_text(found: PooledDifference) -> str:
    """
    Return the difference of two pooled ratios, its interval and its n.

    >>> from fractions import Fraction
    >>> from ragtui.core.aggregate import PooledDifference
    >>> from ragtui.core.interval import Interval
    >>> interval = Interval(low=-0.21, high=0.41, confidence=0.95)
    >>> pooled_difference_text(PooledDifference(Fraction(1, 10), 12, interval))
    'Δ +0.10, 95% −0.21 to +0.41, n 12'
    """
    low, high = (signed(end, zero="0.00") for end in (found.interval.low, found.interval.high))
    certain = f"{percent(found.interval.confidence)}%"
    return f"Δ {signed(found.value, zero='0.00')}, {certain} {low} to {high}, n {count_of(found.n)}"
