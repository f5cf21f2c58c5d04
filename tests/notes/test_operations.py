"""What the runs took, from their records."""

from __future__ import annotations

from fractions import Fraction
from math import inf
from typing import TYPE_CHECKING

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtui.core.model import Requests
from ragtui.notes.operations import nearest_rank, operation_blocks, operations_of
from tests.builders import comparison_of, question, record, release_desk, run_info

if TYPE_CHECKING:
    from ragtui.core.model import Record

_SHARES = st.sampled_from([Fraction(1, 2), Fraction(19, 20), Fraction(1)])


@given(st.lists(st.floats(0, 1e6), min_size=1), _SHARES)
def test_a_nearest_rank_is_the_least_value_that_enough_values_do_not_exceed(
    values: list[float], share: Fraction
) -> None:
    """At least the share of all values is no greater, and no smaller value has that."""
    found = nearest_rank(values, share)
    assert found in values
    assert found is not None
    assert sum(v <= found for v in values) >= share * len(values)
    smaller = [v for v in values if v < found]
    assert not smaller or sum(v <= max(smaller) for v in values) < share * len(values)


def took(name: str, latency: float | None, cost: float | None = None) -> Record:
    return msgspec.structs.replace(record(name, ["a"], {}), latency_ms=latency, cost_usd=cost)


def test_a_failed_record_counts_as_infinite_and_a_missing_one_not_at_all() -> None:
    """Two of three answered: the median is known, the 95th percentile is a failure."""
    asked = [question(name, relevant=["a"]) for name in ("p", "q", "r", "s")]
    comparison = comparison_of(
        asked,
        [took("p", 100), took("q", 200), took("r", 300), took("s", 400)],
        [took("p", 300), took("q", 100), record("r", error="timeout")],
    )
    found = operations_of(comparison)
    assert (found.baseline.p50_ms, found.baseline.p95_ms) == (200, 400)
    assert (found.candidate.p50_ms, found.candidate.p95_ms) == (300, inf)
    assert found.candidate.n_latencies == 3
    assert (found.latency_ratio, found.n_latency_pairs) == ((3 + 0.5) / 2, 2)


def test_failures_alone_are_no_latency() -> None:
    """Where nobody took the time there is none, however many records failed."""
    comparison = comparison_of(
        [question("q", relevant=["a"])], [took("q", None)], [record("q", error="timeout")]
    )
    assert operations_of(comparison).candidate.p50_ms is None


def test_cost_is_spread_over_all_questions_of_the_set() -> None:
    """Also over those whose record says nothing of a cost."""
    asked = [question(name, relevant=["a"]) for name in ("p", "q")]
    comparison = comparison_of(asked, [took("p", 1, 0.1), took("q", 1)], [took("p", 1, 0.3)])
    found = operations_of(comparison)
    assert found.baseline.cost_per_question_usd == pytest.approx(0.05)
    assert found.candidate.n_costs == 1
    assert found.cost_ratio == pytest.approx(3)


def test_the_failure_rate_is_failed_by_sent() -> None:
    """Of requests, not of questions: a retried one was sent more than once."""
    sent = msgspec.structs.replace(run_info("b"), requests=Requests(sent=8, retried=3, failed=2))
    comparison = comparison_of([], [], [], candidate=sent)
    assert operations_of(comparison).candidate.failure_rate == Fraction(1, 4)


def test_where_nothing_was_recorded_the_note_says_so() -> None:
    """A sentence, no empty table."""
    bare = msgspec.structs.replace(run_info("b"), requests=Requests())
    comparison = comparison_of([], [], [], baseline=bare, candidate=bare)
    told = [str(block) for block in operation_blocks(operations_of(comparison))]
    assert "Neither requests nor latency nor cost was recorded." in told[-1]


def test_the_worked_example_reads_each_record_once() -> None:
    """Four records a run, all with their latency."""
    found = operations_of(release_desk())
    assert (found.baseline.n_latencies, found.candidate.n_latencies) == (4, 4)
