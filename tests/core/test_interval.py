from __future__ import annotations

import math
import statistics
from collections import Counter
from fractions import Fraction
from functools import cache
from math import comb

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ragtui.core.interval import (
    Interval,
    Resolution,
    _words,
    padded_half_width,
    padded_t,
    padded_t_clustered,
    pooled_difference,
    resolve,
)
from ragtui.core.signflip import PValue

Deltas = dict[Fraction, int]

unit_fractions = st.integers(1, 6).flatmap(
    lambda den: st.integers(-den, den).map(lambda num: Fraction(num, den))
)
distributions = st.dictionaries(unit_fractions, st.integers(1, 40), min_size=1, max_size=8)
groupings = st.lists(
    st.dictionaries(unit_fractions, st.integers(1, 4), min_size=1, max_size=3),
    min_size=1,
    max_size=25,
)
confidences = st.sampled_from([0.8, 0.9, 0.95, 0.99, 0.999])


@cache
def t_by_angle(confidence: float, degrees: int) -> float:
    """The two-sided t quantile by bisecting finite sums of cosines (A&S 26.7.3 and 26.7.4)."""
    low, high = 0.0, math.pi / 2
    for _ in range(60):
        angle = (low + high) / 2
        first, start = (math.cos(angle), 2) if degrees % 2 else (1.0, 1)
        terms = [first] if degrees > 1 else []
        for k in range(start, degrees - 2, 2):
            terms.append(terms[-1] * math.cos(angle) ** 2 * k / (k + 1))
        inside = math.sin(angle) * math.fsum(terms)
        if degrees % 2:
            inside = (inside + angle) * 2 / math.pi
        low, high = (angle, high) if inside < confidence else (low, angle)
    return math.sqrt(degrees) * math.tan(low)


def spread_out(deltas: Deltas) -> list[Fraction]:
    """List every difference as often as it occurs."""
    return [d for d, count in deltas.items() for _ in range(count)]


def negated(deltas: Deltas) -> Deltas:
    """Swap A and B."""
    return {-d: count for d, count in deltas.items()}


def merged(groups: list[Deltas]) -> Deltas:
    """Forget the groups."""
    total: Counter[Fraction] = Counter()
    for group in groups:
        total.update(group)
    return dict(total)


def about(interval: Interval, low: float, high: float) -> bool:
    """Say whether both limits agree to 1e-9."""
    return math.isclose(interval.low, low, abs_tol=1e-9) and math.isclose(
        interval.high, high, abs_tol=1e-9
    )


# The padded t interval.


@given(distributions, confidences)
def test_the_padded_interval_is_a_t_interval_with_two_imaginary_values(
    deltas: Deltas, confidence: float
) -> None:
    """Pad the sample with +1 and -1, take its standard error, keep its own mean."""
    values = [float(d) for d in spread_out(deltas)]
    padded = [*values, 1.0, -1.0]
    t = t_by_angle(confidence, len(padded) - 1)
    half = t * statistics.stdev(padded) / math.sqrt(len(padded))
    mean = statistics.fmean(values)
    interval = padded_t(deltas, confidence)
    assert about(interval, max(-1.0, mean - half), min(1.0, mean + half))
    assert math.isclose(padded_half_width(deltas, confidence), half, abs_tol=1e-9)
    assert (interval.confidence, interval.note) == (confidence, None)


@given(distributions, confidences)
def test_swapping_the_runs_mirrors_the_interval_exactly(deltas: Deltas, confidence: float) -> None:
    """B - A and A - B have mirrored limits, bit for bit."""
    there, back = padded_t(deltas, confidence), padded_t(negated(deltas), confidence)
    assert (there.low, there.high) == (-back.high, -back.low)


def test_thirty_unchanged_questions_leave_a_margin_of_9_hundredths() -> None:
    """That nothing changed on 30 questions does not say that nothing would."""
    interval = padded_t({Fraction(0): 30})
    assert interval.low == -interval.high
    assert math.isclose(interval.high, 0.0916, abs_tol=5e-5)


@pytest.mark.parametrize(
    ("margin", "smallest"), [(0.10, 28), (0.05, 56), (0.03, 93), (0.02, 139), (0.01, 277)]
)
def test_a_margin_needs_a_smallest_number_of_questions(margin: float, smallest: int) -> None:
    """Even if nothing changes, a margin cannot be met below a certain n."""
    assert padded_half_width({Fraction(0): smallest}) < margin
    assert padded_half_width({Fraction(0): smallest - 1}) >= margin


@pytest.mark.parametrize("n", [10, 20, 40])
def test_a_rare_loss_is_covered_at_least_925_times_in_a_thousand(n: int) -> None:
    """Coverage summed over all outcomes: *lost* of n questions fall from 1 to 0, chance *risk*."""
    for percent in range(1, 51):
        risk = percent / 100
        covered = 0.0
        for lost in range(n + 1):
            interval = padded_t({Fraction(-1): lost, Fraction(0): n - lost})
            if interval.low <= -risk <= interval.high:
                covered += comb(n, lost) * risk**lost * (1 - risk) ** (n - lost)
        assert covered >= 0.925, percent


def test_a_million_questions_are_no_more_work_than_ten() -> None:
    """Only distinct differences are visited."""
    interval = padded_t({Fraction(0): 900_000, Fraction(1, 3): 60_000, Fraction(-1, 3): 40_000})
    assert 0.006 < interval.low < 0.0067 < interval.high < 0.007


def test_an_interval_of_no_questions_is_refused() -> None:
    """There is no mean to put an interval around."""
    with pytest.raises(ValueError, match="no paired questions"):
        padded_t({})
    with pytest.raises(ValueError, match="no paired questions"):
        padded_t_clustered([{}])


# Clusters.


@given(groupings, confidences)
def test_the_clustered_interval_is_what_its_formula_says(
    groups: list[Deltas], confidence: float
) -> None:
    """Group by group, with the imaginary differences as two more groups."""
    values = spread_out(merged(groups))
    padded_n = len(values) + 2
    centre = math.fsum(values) / padded_n
    everything = [*groups, {Fraction(1): 1}, {Fraction(-1): 1}]
    sums = [math.fsum(float(d) - centre for d in spread_out(group)) for group in everything]
    count = len(everything)
    variance = count / (count - 1) * math.fsum(u * u for u in sums) / padded_n**2
    half = t_by_angle(confidence, count - 1) * math.sqrt(variance)
    mean = math.fsum(values) / len(values)
    interval = padded_t_clustered(groups, confidence)
    assert about(interval, max(-1.0, mean - half), min(1.0, mean + half))


@given(distributions, confidences)
def test_clusters_of_one_question_change_nothing(deltas: Deltas, confidence: float) -> None:
    """With every question a cluster of its own both forms are equal, bit for bit."""
    singles = [{d: 1} for d in spread_out(deltas)]
    assert padded_t_clustered(singles, confidence) == padded_t(deltas, confidence)
    assert resolve(deltas, groups=singles) == resolve(deltas)


@given(groupings)
def test_swapping_the_runs_mirrors_the_clustered_interval_exactly(groups: list[Deltas]) -> None:
    """Clusters keep the mirror, bit for bit."""
    there = padded_t_clustered(groups)
    back = padded_t_clustered([negated(group) for group in groups])
    assert (there.low, there.high) == (-back.high, -back.low)


def test_empty_clusters_do_not_count() -> None:
    """A cluster whose questions have no difference adds no degree of freedom."""
    groups = [{Fraction(1, 2): 2, Fraction(0): 1}, {Fraction(0): 1}]
    assert padded_t_clustered([{}, *groups, {Fraction(1): 0}]) == padded_t_clustered(groups)


# Pooled ratios.

pairs_of_ratios = st.dictionaries(
    st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(0, 4), st.integers(0, 4)).filter(
        lambda key: key[0] <= key[1] and key[2] <= key[3]
    ),
    st.integers(1, 9),
    max_size=6,
)


@given(pairs_of_ratios, confidences)
def test_the_pooled_interval_is_what_its_formula_says(
    pairs: dict[tuple[int, int, int, int], int], confidence: float
) -> None:
    """Question by question in floats, as the formula is written."""
    rows = [key for key, count in pairs.items() for _ in range(count) if key[1] or key[3]]
    assume(any(row[1] for row in rows) and any(row[3] for row in rows))
    mean_a, mean_b = statistics.fmean(r[1] for r in rows), statistics.fmean(r[3] for r in rows)
    ratio_a = sum(row[0] for row in rows) / sum(row[1] for row in rows)
    ratio_b = sum(row[2] for row in rows) / sum(row[3] for row in rows)
    departures = [
        (row[2] - ratio_b * row[3]) / mean_b - (row[0] - ratio_a * row[1]) / mean_a for row in rows
    ]
    n = len(rows) + 2
    squares = math.fsum(e * e for e in departures)
    half = t_by_angle(confidence, n - 1) * math.sqrt((squares + 2) / ((n - 1) * n))
    found = pooled_difference(pairs, confidence)
    assert found is not None
    difference, interval = found
    assert math.isclose(difference, ratio_b - ratio_a, abs_tol=1e-12)
    middle = ratio_b - ratio_a
    assert about(interval, max(-1.0, middle - half), min(1.0, middle + half))


@given(pairs_of_ratios)
def test_swapping_the_runs_mirrors_the_pooled_difference_exactly(
    pairs: dict[tuple[int, int, int, int], int],
) -> None:
    """Swapped pairs give mirrored limits, bit for bit, or None on both sides."""
    swapped = {(key[2], key[3], key[0], key[1]): count for key, count in pairs.items()}
    there, back = pooled_difference(pairs), pooled_difference(swapped)
    if there is None or back is None:
        assert there is back
    else:
        assert there[0] == -back[0]
        assert (there[1].low, there[1].high) == (-back[1].high, -back[1].low)


@given(distributions)
def test_with_equal_denominators_the_pooled_interval_is_that_of_the_mean_difference(
    deltas: Deltas,
) -> None:
    """All denominators 60: e is d minus the mean, so only the padding differs, by the centre."""
    pairs = {
        (max(0, -int(d * 60)), 60, max(0, int(d * 60)), 60): count for d, count in deltas.items()
    }
    found = pooled_difference(pairs)
    assert found is not None
    values = spread_out(deltas)
    mean = sum(values, Fraction(0)) / len(values)
    assert found[0] == mean
    # Padding round the mean itself instead of c = sum(d)/N takes 2 n mean^2/N from the squares.
    n = len(values) + 2
    spare = 2 * len(values) * mean * mean / n
    t = t_by_angle(0.95, n - 1)
    squares = float((padded_half_width(deltas) / t) ** 2 * (n - 1) * n - spare)
    half = t * math.sqrt(squares / ((n - 1) * n))
    low, high = max(-1.0, float(mean) - half), min(1.0, float(mean) + half)
    assert about(found[1], low, high)


def test_a_side_without_denominators_has_no_pooled_difference() -> None:
    """A ratio over nothing is no ratio."""
    assert pooled_difference({}) is None
    assert pooled_difference({(0, 0, 0, 0): 5}) is None
    assert pooled_difference({(0, 0, 1, 2): 5}) is None
    assert pooled_difference({(1, 2, 0, 0): 5}) is None


def test_pairs_with_both_denominators_zero_are_left_out() -> None:
    """They add nothing to n."""
    pairs = {(1, 2, 2, 2): 7, (0, 0, 1, 1): 3}
    assert pooled_difference({**pairs, (0, 0, 0, 0): 40}) == pooled_difference(pairs)


# Words.


def test_the_support_of_release_desk_is_too_few_questions() -> None:
    """Three pairs give a mean, and no interval and no p."""
    assert resolve({Fraction(-1, 2): 1, Fraction(0): 1, Fraction(1): 1}) == Resolution(
        n=3,
        n_changed=2,
        mean=Fraction(1, 6),
        interval=None,
        p=None,
        words="too few questions",
        notes=("3 paired questions, 10 are needed",),
    )


def test_no_questions_have_nothing_to_say() -> None:
    """Without a pair there is no mean and no note either."""
    nothing = Resolution(0, 0, None, None, None, "no paired questions", ())
    assert resolve({}) == nothing
    assert resolve({Fraction(1): 0}) == nothing
    assert resolve({}, groups=[]) == nothing


def test_no_change_comes_before_too_few() -> None:
    """Nine unchanged questions or fewer are unchanged first, and then too few."""
    resolution = resolve({Fraction(0): 4})
    assert (resolution.words, resolution.interval, resolution.p) == ("no change", None, None)
    assert resolution.mean == 0
    assert resolution.notes == ("4 paired questions, 10 are needed",)
    assert resolve({Fraction(0): 1}).notes == ("1 paired question, 10 are needed",)


def test_no_change_on_ten_questions_has_an_interval_and_a_p_of_one() -> None:
    """Ten unchanged questions still bound what others may do."""
    resolution = resolve({Fraction(0): 10})
    assert resolution.words == "no change"
    assert resolution.interval == padded_t({Fraction(0): 10})
    assert resolution.p == PValue(1.0, "exact", floor=False)


CHANGED = "fewer than 6 changed: at least 6 are needed before a direction could be called"
LARGE = "10,000 questions or more: hold the size of the difference against the policy's margin"


@pytest.mark.parametrize(
    ("up", "unchanged", "words", "notes"),
    [
        (9, 0, "too few questions", ("9 paired questions, 10 are needed",)),
        (10, 0, "higher in B", ("small sample",)),
        (6, 23, "higher in B", ("small sample",)),
        (5, 24, "not resolved", ("small sample", CHANGED)),
        (5, 25, "not resolved", (CHANGED,)),
        (6, 24, "higher in B", ()),
        (6, 9_993, "higher in B", ()),
        (6, 9_994, "higher in B", (LARGE,)),
        (0, 30, "no change", (CHANGED,)),
    ],
)
def test_words_and_notes_turn_at_their_counts(
    up: int, unchanged: int, words: str, notes: tuple[str, ...]
) -> None:
    """At 10, 30 and 10,000 pairs and at 6 changes, in either direction."""
    there = resolve({Fraction(1): up, Fraction(0): unchanged})
    back = resolve({Fraction(-1): up, Fraction(0): unchanged})
    assert (there.words, there.notes) == (words, notes)
    assert (back.words, back.notes) == (words.replace("higher", "lower"), notes)


def test_a_direction_needs_both_the_interval_and_the_p() -> None:
    """Either alone leaves it not resolved."""
    interval_only = resolve({Fraction(1): 5, Fraction(0): 12})
    assert interval_only.interval is not None
    assert interval_only.interval.low > 0
    assert interval_only.words == "not resolved"
    p_only = resolve({Fraction(1, 20): 6, Fraction(0): 24})
    assert p_only.p == PValue(0.03125, "exact", floor=False)
    assert p_only.words == "not resolved"


@given(distributions, confidences)
def test_swapping_the_runs_mirrors_everything(deltas: Deltas, confidence: float) -> None:
    """Words change sides, the mean its sign, nothing else changes."""
    there = resolve(deltas, confidence=confidence)
    back = resolve(negated(deltas), confidence=confidence)
    mirrored = {"higher in B": "lower in B", "lower in B": "higher in B"}
    assert back.words == mirrored.get(there.words, there.words)
    assert (back.p, back.notes, back.n_changed) == (there.p, there.notes, there.n_changed)
    assert there.mean is not None
    assert back.mean == -there.mean


@given(distributions, confidences)
def test_a_direction_is_called_exactly_when_interval_and_p_agree(
    deltas: Deltas, confidence: float
) -> None:
    """The words say what the two numbers say."""
    found = resolve(deltas, confidence=confidence)
    called = found.words in {"higher in B", "lower in B"}
    if found.interval is None or found.p is None:
        assert not called
        assert found.n < 10
    else:
        outside = found.interval.low > 0 or found.interval.high < 0
        assert called == (outside and found.p.value <= 1 - confidence + 1e-12)


def test_a_level_is_met_when_p_equals_it() -> None:
    """As floats, 1 - 0.9375 is exact and 1 - 0.9 less than 0.1: the level is the one written."""
    assert resolve({Fraction(1): 5, Fraction(0): 40}, confidence=0.9375).words == "higher in B"
    tenth = PValue(0.1, "sampled", floor=False)
    outside = Interval(0.01, 0.2, 0.9)
    assert 1 - 0.9 < tenth.value
    assert _words(40, 9, interval=outside, p=tenth) == "higher in B"


# Words over clusters.


def test_twelve_paraphrases_of_one_question_are_too_few() -> None:
    """One cluster is one unit, however many questions it has."""
    deltas: Deltas = {Fraction(1): 12}
    assert resolve(deltas).words == "higher in B"
    resolution = resolve(deltas, groups=[deltas])
    assert (resolution.words, resolution.interval, resolution.p) == (
        "too few questions",
        None,
        None,
    )
    assert (resolution.n, resolution.n_changed) == (12, 12)
    assert resolution.notes == ("12 paired questions in 1 cluster, 10 are needed",)


def test_clusters_are_flipped_as_a_whole() -> None:
    """Six clusters that rose have 2 of 64 patterns, whatever their questions."""
    group: Deltas = {Fraction(1, 2): 2, Fraction(1): 1}
    groups = [group] * 6 + [{Fraction(0): 2}] * 30
    resolution = resolve(merged(groups), groups=iter(groups))
    assert resolution.p == PValue(0.03125, "exact", floor=False)
    assert resolution.interval == padded_t_clustered(groups)
    assert (resolution.n, resolution.n_changed) == (78, 18)
    assert resolution.words == "higher in B"
    assert resolution.notes == ()


def test_clusters_are_what_notes_count() -> None:
    """Eight changed questions in one cluster are one change."""
    groups: list[Deltas] = [{Fraction(1): 8}] + [{Fraction(0): 3}] * 11
    resolution = resolve(merged(groups), groups=groups)
    assert resolution.notes == (
        "small sample",
        "fewer than 6 clusters changed: at least 6 are needed before a direction could be called",
    )


def test_ten_thousand_questions_in_few_clusters_are_not_many() -> None:
    """The reservations about size count clusters."""
    groups: list[Deltas] = [{Fraction(0): 200, Fraction(1): 2}] * 50
    assert resolve(merged(groups), groups=groups).notes == ()
    many: list[Deltas] = [{Fraction(1): 2}] * 10_000
    assert resolve(merged(many), groups=many).notes == (LARGE.replace("questions", "clusters"),)


@given(groupings)
def test_no_order_of_clusters_shows(groups: list[Deltas]) -> None:
    """Clusters in another order give the same resolution."""
    assert resolve(merged(groups), groups=groups) == resolve(merged(groups), groups=groups[::-1])


def test_groups_that_are_not_the_same_differences_are_refused() -> None:
    """Groups must part the differences they come with."""
    with pytest.raises(ValueError, match="do not add up"):
        resolve({Fraction(1): 2}, groups=[{Fraction(1): 1}])
    with pytest.raises(ValueError, match="do not add up"):
        resolve({Fraction(1): 2}, groups=[{Fraction(1): 1}, {Fraction(0): 1}])
