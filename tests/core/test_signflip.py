from __future__ import annotations

import itertools
import math
import random
import time
from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ragtui.core import signflip
from ragtui.core.signflip import PValue, format_p, holm, sign_flip

Deltas = dict[Fraction, int]

fractions = st.builds(Fraction, st.integers(-12, 12), st.sampled_from([1, 2, 3, 4, 5, 6, 12]))
few = st.dictionaries(fractions, st.integers(1, 3), max_size=4)
many = st.dictionaries(fractions, st.integers(1, 60), min_size=1, max_size=12)


def enumerated(deltas: Deltas) -> Fraction:
    """The p value by its definition: all sign patterns, one by one."""
    changed = [d for d, count in deltas.items() for _ in range(count) if d]
    observed = abs(sum(changed, Fraction(0)))
    sums = [
        sum((sign * d for sign, d in zip(signs, changed, strict=True)), Fraction(0))
        for signs in itertools.product((1, -1), repeat=len(changed))
    ]
    return Fraction(sum(abs(value) >= observed for value in sums), len(sums))


def negated(deltas: Deltas) -> Deltas:
    """Swap A and B."""
    return {-d: count for d, count in deltas.items()}


def simulated(n: int, *, denominators: tuple[int, ...], gain: float, seed: int = 1) -> Deltas:
    """Differences of two random ratios, a share *gain* of them turned towards B."""
    rng = random.Random(seed)
    counts: Counter[Fraction] = Counter()
    for _ in range(n):
        a, b = rng.choice(denominators), rng.choice(denominators)
        delta = Fraction(rng.randint(0, b), b) - Fraction(rng.randint(0, a), a)
        counts[abs(delta) if rng.random() < gain else delta] += 1
    return dict(counts)


# The exact test.


@given(few)
def test_the_exact_p_is_the_share_of_all_sign_patterns(deltas: Deltas) -> None:
    """Enumerating every pattern gives the same p, to the last bit."""
    assume(sum(deltas.values()) <= 10)
    assert sign_flip(deltas) == PValue(float(enumerated(deltas)), "exact", floor=False)


@given(many)
def test_swapping_the_runs_keeps_p(deltas: Deltas) -> None:
    """B - A and A - B have one p."""
    assert sign_flip(negated(deltas)) == sign_flip(deltas)


@given(many, st.randoms())
def test_neither_order_nor_unit_nor_unchanged_questions_matter(
    deltas: Deltas, rng: random.Random
) -> None:
    """Scaling, shuffling and adding zeros leave p as it is."""
    items = [(d * Fraction(3, 7), count) for d, count in deltas.items() if d]
    rng.shuffle(items)
    assert sign_flip({Fraction(0): 500, **dict(items)}) == sign_flip(deltas)


@pytest.mark.parametrize("changed", [1, 2, 5, 6, 20, 200, 900])
def test_changes_all_in_one_direction_leave_two_patterns(changed: int) -> None:
    """Only all up and all down go as far as all up: p = 2/2^m."""
    p = sign_flip({Fraction(1, 3): changed - changed // 2, Fraction(1): changed // 2})
    assert p == PValue(2.0 ** (1 - changed), "exact", floor=False)


def test_equal_sizes_give_the_binomial_sign_test() -> None:
    """With one magnitude the sign-flip test is the sign test."""
    p = sign_flip({Fraction(1, 2): 70, Fraction(-1, 2): 50})
    tail = sum(math.comb(120, k) for k in range(51))
    assert p.value == float(Fraction(2 * tail, 2**120))


def test_nothing_changed_gives_one() -> None:
    """Every pattern is as far from 0 as a sum of 0."""
    assert sign_flip({}) == PValue(1.0, "exact", floor=False)
    assert sign_flip({Fraction(0): 12}) == PValue(1.0, "exact", floor=False)
    assert sign_flip({Fraction(1): 3, Fraction(-1): 3}) == PValue(1.0, "exact", floor=False)


def test_a_p_too_small_for_a_float_is_bounded_and_never_zero() -> None:
    """Below 1e-300 the p value says it is a floor."""
    assert sign_flip({Fraction(1): 2_000}) == PValue(1e-300, "exact", floor=True)
    assert sign_flip({Fraction(1): 100_000}) == PValue(1e-300, "exact", floor=True)
    assert sign_flip({Fraction(1): 90_000, Fraction(-1, 2): 9}) == PValue(
        1e-300, "exact", floor=True
    )


# The Fourier sum that takes over where counts of patterns do not fit.


@pytest.mark.parametrize("denominators", [(1,), (2,), (1, 2, 3, 4, 5), (7, 10)])
@pytest.mark.parametrize("gain", [0.05, 0.1, 0.4, 0.9, 1.0])
@pytest.mark.parametrize("n", [20, 90, 300])
def test_the_fourier_sum_agrees_with_counted_patterns_to_ten_digits(
    n: int, gain: float, denominators: tuple[int, ...]
) -> None:
    """Both see the same distribution, far tails included."""
    flips = signflip._flips(simulated(n, denominators=denominators, gain=gain))
    counted = Fraction(signflip._counted(flips), 2**flips.changed)
    assert flips.observed == 0 or math.isclose(
        signflip._inverted(flips), float(counted), rel_tol=1e-10
    )


@given(many)
def test_the_fourier_sum_agrees_with_counted_patterns_whatever_the_sizes(deltas: Deltas) -> None:
    """Few and many sizes, equal and unequal, give what counting gives."""
    flips = signflip._flips(deltas)
    assume(flips.observed > 0)
    counted = Fraction(signflip._counted(flips), 2**flips.changed)
    assert math.isclose(signflip._inverted(flips), float(counted), rel_tol=1e-10)


def test_the_fourier_sum_agrees_with_the_binomial_at_150_000_changes() -> None:
    """Where counting is out of reach, log-gamma sums of the binomial tail agree."""
    up = 75_400
    p = sign_flip({Fraction(1): up, Fraction(-1): 150_000 - up})
    log_half = 150_000 * math.log(0.5)
    tail = math.fsum(
        math.exp(math.lgamma(150_001) - math.lgamma(k + 1) - math.lgamma(150_001 - k) + log_half)
        for k in range(up, 78_000)
    )
    assert p.method == "exact"
    assert math.isclose(p.value, 2 * tail, rel_tol=1e-8)


# Above the lattice limit.


def test_the_lattice_limit_decides_the_method() -> None:
    """Cells beyond the limit are approximated, or sampled where changes are few."""
    deltas = {Fraction(1, 5): 700, Fraction(-1): 300}
    cells = 700 + 5 * 300 + 1
    assert sign_flip(deltas, cell_limit=cells).method == "exact"
    assert sign_flip(deltas, cell_limit=cells - 1).method == "normal"
    assert sign_flip(deltas, cell_limit=cells - 1, normal_from=1_001).method == "sampled"
    assert sign_flip(deltas).method == "exact"


def test_two_million_cells_are_exact_and_one_more_is_not() -> None:
    """The limit is two million cells, itself included."""
    fits = {Fraction(1): 1, Fraction(1, 1_999_998): 1}
    beyond = {Fraction(1): 1, Fraction(1, 1_999_999): 1}
    assert sign_flip(fits).method == "exact"
    assert sign_flip(beyond).method == "sampled"


@pytest.mark.parametrize("gain", [0.0, 0.03, 0.06])
def test_the_normal_approximation_is_close_to_the_exact_p(gain: float) -> None:
    """From a thousand changes the two differ by less than the second digit."""
    deltas = simulated(3_000, denominators=(3, 4, 5), gain=gain)
    exact, normal = sign_flip(deltas), sign_flip(deltas, cell_limit=0)
    assert (exact.method, normal.method) == ("exact", "normal")
    assert math.isclose(normal.value, exact.value, rel_tol=0.02, abs_tol=5e-5)


def test_the_normal_approximation_never_gives_zero() -> None:
    """Where erfc underflows the p value is a floor."""
    assert sign_flip({Fraction(1): 9_000}, cell_limit=0) == PValue(1e-300, "normal", floor=True)


@pytest.mark.parametrize("gain", [0.0, 0.1, 0.2, 0.3])
@pytest.mark.parametrize("n", [9, 60, 700])
def test_sampled_patterns_come_close_to_the_exact_p(n: int, gain: float) -> None:
    """The sampled p lies within four standard errors of the exact one."""
    deltas = simulated(n, denominators=(1, 2, 3, 4, 5), gain=gain)
    exact, sampled = sign_flip(deltas), sign_flip(deltas, cell_limit=0)
    spread = math.sqrt(exact.value * (1 - exact.value) / 9_999)
    assert (exact.method, sampled.method) == ("exact", "sampled")
    assert abs(sampled.value - exact.value) < 4 * spread + 1e-4


@given(many)
def test_sampling_knows_neither_sides_nor_order(deltas: Deltas) -> None:
    """The same differences, swapped and reordered, meet the same sampled patterns."""
    assume(sum(deltas.values()) < 200)
    backwards = dict(reversed(negated(deltas).items()))
    assert sign_flip(backwards, cell_limit=0) == sign_flip(deltas, cell_limit=0)


def test_a_pattern_never_met_in_sampling_is_one_in_ten_thousand() -> None:
    """No hit in 9,999 flips bounds p by 1/10,000; it is not 0."""
    p = sign_flip({Fraction(1): 40}, cell_limit=0)
    assert p == PValue(0.0001, "sampled", floor=True)
    assert format_p(p) == "p ≤ 1/10,000 sampled"


@pytest.mark.parametrize("count", [1, 3, 7, 8])
def test_a_byte_of_signs_stands_for_every_pattern_equally_often(count: int) -> None:
    """Powers of 3 have distinct signed sums: each must turn up the same number of times."""
    sizes = [3**k for k in range(count)]
    wanted = {
        sum(sign * size for sign, size in zip(signs, sizes, strict=True))
        for signs in itertools.product((1, -1), repeat=len(sizes))
    }
    found = Counter(signflip._sums_by_byte(sizes))
    assert found == dict.fromkeys(wanted, 256 // len(wanted))


# How long it may take.


@pytest.mark.parametrize(("n", "gain", "seconds"), [(10_000, 0.01, 0.3), (1_000_000, 0.0, 2.0)])
def test_the_test_is_quick_at_every_size(n: int, gain: float, seconds: float) -> None:
    """Differences of ratios with denominators up to 5, and of P@2, within the budget."""
    sample = simulated(10_000, denominators=(1, 2, 3, 4, 5), gain=gain)
    deltas = {d: count * (n // 10_000) for d, count in sample.items()}
    start = time.process_time()
    sign_flip(deltas)
    sign_flip({Fraction(1, 2): n // 3, Fraction(-1, 2): n // 3 - n // 500, Fraction(1): n // 50})
    assert time.process_time() - start < seconds


# Words for a p value, and many of them.


@pytest.mark.parametrize(
    ("value", "method", "floor", "text"),
    [
        (1.0, "exact", False, "p 1.000 exact"),
        (0.03125, "exact", False, "p 0.031 exact"),
        (0.001, "normal", False, "p 0.001 normal"),
        (0.00098, "exact", False, "p 0.00098 exact"),
        (0.0002, "sampled", False, "p 0.0002 sampled"),
        (3.14e-20, "exact", False, "p 3.1e-20 exact"),
        (1e-300, "exact", True, "p ≤ 1e-300 exact"),
        (1e-300, "normal", True, "p ≤ 1e-300 normal"),
    ],
)
def test_a_p_value_is_printed_with_its_method(
    *,
    value: float,
    method: signflip.Method,
    floor: bool,
    text: str,
) -> None:
    """Three decimals, two digits below a thousandth, and a sign where it is a bound."""
    assert format_p(PValue(value, method, floor)) == text


@given(st.floats(1e-300, 1.0))
def test_a_p_value_is_never_printed_as_zero(value: float) -> None:
    """However small, the printed number is above 0."""
    assert float(format_p(PValue(value, "exact", floor=False)).split()[1]) > 0


levels = st.lists(st.sampled_from([0.0001, 0.004, 0.01, 0.0125, 0.02, 0.03, 0.05, 0.3, 1.0]))


@given(levels, st.sampled_from([0.01, 0.05, 0.1]))
def test_holm_rejects_what_the_closed_test_of_bonferroni_rejects(
    p_values: list[float], alpha: float
) -> None:
    """Holm's rule is the closure of Bonferroni's: reject i if every set with i is rejected."""
    assume(len(p_values) <= 7)
    indexes = range(len(p_values))
    sets = [s for size in indexes for s in itertools.combinations(indexes, size + 1)]
    closed = tuple(
        all(min(p_values[k] for k in s) <= alpha / len(s) for s in sets if i in s) for i in indexes
    )
    assert holm(p_values, alpha) == closed


def test_holm_of_nothing_is_nothing() -> None:
    """No hypotheses, no rejections."""
    assert holm([], 0.05) == ()
