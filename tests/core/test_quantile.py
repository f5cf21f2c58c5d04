from __future__ import annotations

import math
from statistics import NormalDist

import mpmath
import pytest

from ragtui.core.quantile import t_quantile

LEVELS = (0.5000001, 0.6, 0.75, 0.9, 0.95, 0.975, 0.995, 0.9995, 0.99999)
DEGREES = (
    1,
    2,
    3,
    4,
    7,
    12,
    27,
    29,
    30,
    31,
    99,
    199,
    200,
    201,
    202,
    500,
    1_000,
    12_345,
    10**6,
    10**7,
)


def _error(t: float, *, level: float, degrees: int) -> float:
    """How far t is off: the probability missed, by numerical integration, over the density."""
    with mpmath.workdps(40):
        half = mpmath.mpf(degrees + 1) / 2
        constant = mpmath.exp(mpmath.loggamma(half) - mpmath.loggamma(mpmath.mpf(degrees) / 2))
        constant /= mpmath.sqrt(degrees * mpmath.pi)

        def by_angle(angle: mpmath.mpf) -> mpmath.mpf:
            return constant * mpmath.sqrt(degrees) * mpmath.cos(angle) ** (degrees - 1)

        end = mpmath.atan(mpmath.mpf(t) / mpmath.sqrt(degrees))
        inside = mpmath.quad(by_angle, mpmath.linspace(0, end, 5))
        density = constant * (1 + mpmath.mpf(t) ** 2 / degrees) ** -half
        return float(abs(inside - (mpmath.mpf(level) - 0.5)) / density)


@pytest.mark.parametrize("degrees", DEGREES)
def test_quantiles_agree_with_an_integrated_density_to_1e_9(degrees: int) -> None:
    """A second way to the same number: quadrature in the angle atan(t/sqrt(v)), 40 digits."""
    errors = {p: _error(t_quantile(p, degrees), level=p, degrees=degrees) for p in LEVELS}
    assert max(errors.values()) < 1e-9, errors


@pytest.mark.parametrize("level", LEVELS)
def test_one_and_two_degrees_agree_with_their_closed_forms(level: float) -> None:
    """One degree is Cauchy's tangent, two degrees an algebraic function of p."""
    with mpmath.workdps(30):
        p = mpmath.mpf(level)
        one = mpmath.tan(mpmath.pi * (p - 0.5))
        two = (2 * p - 1) * mpmath.sqrt(2 / (4 * p * (1 - p)))
        assert abs(t_quantile(level, 1) - one) < 1e-9
        assert abs(t_quantile(level, 2) - two) < 1e-9


def test_the_quantile_falls_towards_the_normal_one_as_degrees_grow() -> None:
    """More degrees give a smaller t, never below the normal quantile."""
    falling = [t_quantile(0.975, degrees) for degrees in DEGREES]
    assert falling == sorted(falling, reverse=True)
    assert math.isclose(falling[-1], NormalDist().inv_cdf(0.975), abs_tol=1e-6)


def test_the_median_is_zero() -> None:
    """Half of the probability lies below 0 whatever the degrees."""
    assert t_quantile(0.5, 1) == 0.0
    assert t_quantile(0.5, 10**7) == 0.0


@pytest.mark.parametrize(("p", "degrees"), [(0.49, 5), (1.0, 5), (math.nan, 5), (0.975, 0)])
def test_arguments_off_the_scale_are_refused(p: float, degrees: int) -> None:
    """A level below the median, a level of 1, no number and no degrees have no quantile here."""
    with pytest.raises(ValueError, match="no t quantile"):
        t_quantile(p, degrees)
