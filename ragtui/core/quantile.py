"""Quantiles of Student's t distribution, from the standard library alone."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Final

__all__ = ["t_quantile"]

_GAMMA_UP_TO: Final = 200
_RATIO_SERIES: Final = (1, -1 / 8, 1 / 128, 5 / 1024, -21 / 32768, -399 / 262144)
_MAX_STEPS: Final = 100


def t_quantile(p: float, degrees: int) -> float:
    """
    Return the t with P(T <= t) = *p* for Student's t with *degrees* degrees of freedom.

    *p* lies in [0.5, 1), *degrees* is at least 1, anything else raises `ValueError`. The absolute
    error is below 1e-9 for p up to 0.99999 and up to ten million degrees.

    The tail probability is I_x(degrees/2, 1/2)/2 with x = degrees/(degrees + t^2) (Abramowitz and
    Stegun 26.7.1 and 26.5.27), summed as the hypergeometric series 26.5.4 on whichever side of
    x = 1/2 converges. All its terms are positive, so nothing cancels. The tail is convex for t > 0
    and a t quantile is never below the normal one, so Newton's steps from there rise to the root
    and cannot pass it.

    >>> round(t_quantile(0.975, 31), 4)
    2.0395
    >>> t_quantile(0.5, 7)
    0.0
    """
    if not (0.5 <= p < 1 and degrees >= 1):  # noqa: PLR2004  # the median and the end of the scale
        raise ValueError(f"no t quantile for p={p!r} and {degrees!r} degrees of freedom")
    wanted = 1 - p
    constant = _density_constant(degrees)
    t = NormalDist().inv_cdf(p)
    for _ in range(_MAX_STEPS):
        density = constant * math.exp(-(degrees + 1) / 2 * math.log1p(t * t / degrees))
        step = (_upper_tail(t, degrees, density=density) - wanted) / density
        t += step
        if abs(step) <= 1e-14 * t:
            break
    return t


def _density_constant(degrees: int) -> float:
    """Return the density at 0: Gamma(a + 1/2) / (Gamma(a) sqrt(2 a pi)) with a = degrees/2."""
    half = degrees / 2
    if degrees <= _GAMMA_UP_TO:
        return math.gamma(half + 0.5) / (math.gamma(half) * math.sqrt(degrees * math.pi))
    # A difference of two lgamma would lose every digit that counts at ten million degrees; the
    # expansion of the ratio in 1/a (A&S 6.1.47) errs by less than 1e-15 from 200 degrees on.
    ratio = math.fsum(term / half**power for power, term in enumerate(_RATIO_SERIES))
    return ratio / math.sqrt(2 * math.pi)


def _upper_tail(t: float, degrees: int, *, density: float) -> float:
    """Return P(T > t) for t >= 0, given the density at t."""
    square = t * t
    if square >= degrees:
        share = degrees / (degrees + square)
        series = _series((degrees + 1) / 2, degrees / 2 + 1, x=share)
        return t * density / degrees * series
    return 0.5 - t * density * _series((degrees + 1) / 2, 1.5, x=square / (degrees + square))


def _series(a: float, c: float, *, x: float) -> float:
    """Return the hypergeometric series F(a, 1; c; x), for positive arguments and x < 1."""
    total = term = 1.0
    k = 0
    while True:
        ratio = (a + k) / (c + k) * x
        term *= ratio
        total += term
        k += 1
        # The ratio goes to x from above or below: what is left is at most a geometric series.
        if ratio < 1 and term <= 1e-17 * total * (1 - max(ratio, x)):
            return total
