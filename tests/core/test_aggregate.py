"""The difference of two pooled ratios: over which questions, and how sure."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest

from ragtui.core.aggregate import PooledDifference, aggregate
from ragtui.core.interval import pooled_difference
from ragtui.core.measures import Facts, measure_named, structural
from ragtui.core.moves import Move
from ragtui.core.value import NotAvailable, Score, mean_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ragtui.core.value import Value

FACTS = Facts(
    answerable=True, relevant=2, expected=2, judges_claims=True, judged=True, graded=False,
    permissions=False,
)  # fmt: skip
SILENT, FAILED = NotAvailable.NO_CLAIMS, NotAvailable.FAILED

DESK: list[tuple[Value, Value]] = [
    (Score(1, 1), Score(1, 2)),
    (Score(1, 1), Score(2, 2)),
    (Score(0, 1), Score(1, 1)),
    (Score(0, 1), SILENT),
]
"""Support of the reference questions: 2/4 in A, 4/5 in B."""


def _found(
    pairs: Sequence[tuple[Value, Value]],
    key: str = "support",
    groups: Sequence[Mapping[Fraction, int]] | None = None,
) -> PooledDifference | None:
    measure = measure_named(key)
    assert measure is not None
    moves = Counter(Move(structural(measure, FACTS), a, b) for a, b in pairs)
    return aggregate(measure, moves, groups=groups).pooled_difference


def test_the_difference_comes_with_the_interval_of_the_formula() -> None:
    """An answer without claims adds nothing to its side: 4/5 − 2/4, three times."""
    expected = pooled_difference(
        {(1, 1, 1, 2): 3, (1, 1, 2, 2): 3, (0, 1, 1, 1): 3, (0, 1, 0, 0): 3}
    )
    assert expected is not None
    assert expected[0] == Fraction(3, 10)
    assert _found(DESK * 3) == PooledDifference(expected[0], 12, expected[1])


def test_fewer_than_ten_questions_have_none() -> None:
    """Without its interval it would be believed."""
    assert _found(DESK * 2) is None


def test_a_question_that_one_run_lacks_counts_in_neither() -> None:
    lacking: list[tuple[Value, Value]] = [(Score(0, 9), FAILED), (FAILED, Score(9, 9))]
    assert _found([*DESK * 3, *lacking]) == _found(DESK * 3)
    assert _found([*DESK * 2, *lacking]) is None


def test_questions_without_claims_on_both_sides_are_not_counted() -> None:
    assert _found([*DESK * 3, (SILENT, SILENT)]) == _found(DESK * 3)
    assert _found([*DESK * 2, (SILENT, SILENT), (SILENT, SILENT)]) is None


def test_questions_that_share_a_cluster_have_none() -> None:
    """The formula takes questions to be drawn one by one."""
    paired = {Fraction(0): 3, Fraction(-1, 2): 3, Fraction(1): 3}
    assert _found(DESK * 3, groups=[paired]) is None


def test_repeats_add_their_mean_counts() -> None:
    """1/1 and 1/3 are 1 of 2 claims on average."""
    twice = mean_of([Score(1, 1), Score(1, 3)])
    assert _found([(Score(1, 1), twice)] * 10) == _found([(Score(1, 1), Score(1, 2))] * 10)


@pytest.mark.parametrize("key", ["rr", "abstention_correct"])
def test_measures_without_a_pooled_form_have_none(key: str) -> None:
    assert _found([(Score(1, 1), Score(0, 1))] * 10, key) is None


@pytest.mark.parametrize(("sizes", "is_small"), [([1] * 10, False), ([2] * 9, True), ([9], True)])
def test_clusters_count_instead_of_questions(sizes: Sequence[int], is_small: bool) -> None:
    """Nine clusters of two questions each are as few as nine questions."""
    measure = measure_named("support")
    assert measure is not None
    moves = {Move(None, Score(1, 1), Score(1, 1)): sum(sizes)}
    groups = [{Fraction(0): size} for size in sizes]
    assert aggregate(measure, moves, groups=groups).is_small is is_small
    assert aggregate(measure, moves).is_small is (sum(sizes) < 10)
