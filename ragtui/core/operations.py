"""What the runs took: requests, latency, cost, from what manifests and records say."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from math import ceil, inf
from statistics import fmean, median
from typing import TYPE_CHECKING, Final, NamedTuple

from ragtui.core.evidence import Side

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ragtui.core.comparison import Comparison
    from ragtui.core.model import Record, Requests

__all__ = ["Operations", "Spent", "Taken", "nearest_rank", "operations_of"]


class Taken(NamedTuple):
    """What one record says it took, or several of a question on average; `None`: not recorded."""

    latency_ms: float | None
    cost_usd: float | None
    has_failed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What one run took, as far as it was recorded."""

    requests: Requests
    n_latencies: int
    """Records with a latency, failed ones included: they count as infinite."""
    p50_ms: float | None
    """`inf`: more than half of them failed."""
    p95_ms: float | None
    n_costs: int
    cost_sum: Fraction
    """The exact sum of all recorded costs, in USD, of their decimals as written."""
    questions: int
    p95_least_ms: float | None = None
    """The 95th percentile if every record without a latency had taken no time, failed ones for
    ever: whatever was not recorded, it is no smaller."""
    n_untimed: int = 0
    """Records that did not fail and have no latency."""
    n_unpriced: int = 0
    """Records without a cost."""

    @property
    def failure_rate(self) -> Fraction | None:
        """Failed requests by requests sent."""
        sent, failed = self.requests.sent, self.requests.failed
        return Fraction(failed, sent) if sent and failed is not None else None

    @property
    def cost_sum_usd(self) -> float:
        """The sum of all recorded costs."""
        return float(self.cost_sum)

    @property
    def cost_per_question_usd(self) -> float | None:
        """The sum of all recorded costs by the number of questions of the set."""
        return self.cost_sum_usd / self.questions if self.n_costs and self.questions else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Operations:
    """What both runs took, and B against A question by question."""

    baseline: Spent
    candidate: Spent
    n_latency_pairs: int
    latency_ratio: float | None
    """Median over questions of B's latency by A's."""
    n_cost_pairs: int
    cost_ratio: float | None
    """Median over questions of B's cost by A's."""
    taken: Sequence[tuple[Taken, Taken]]
    """What A and B recorded, by question, in the set's order."""


_P95: Final = Fraction(19, 20)


def nearest_rank(values: Sequence[float], share: Fraction) -> float | None:
    """
    Return the smallest value that at least *share* of all values do not exceed.

    >>> nearest_rank([30, 10, 20, inf], Fraction(1, 2)), nearest_rank([], Fraction(1, 2))
    (20, None)
    """
    ordered = sorted(values)
    return ordered[max(0, ceil(share * len(ordered)) - 1)] if ordered else None


def _taken(record: Record) -> Taken:
    return Taken(record.latency_ms, record.cost_usd, has_failed=record.error is not None)


def _of_question(taken: Sequence[Taken]) -> Taken:
    """Return the mean over the repeats of a question that did not fail; one record is itself."""
    if len(taken) == 1:
        return taken[0]
    whole = [one for one in taken if not one.has_failed]
    return Taken(
        _mean([one.latency_ms for one in whole]),
        _mean([one.cost_usd for one in whole]),
        has_failed=bool(taken) and not whole,
    )


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def _latencies(taken: Sequence[Taken]) -> list[float]:
    """Return every latency, infinite ones for failures; none where nobody took the time."""
    if all(one.latency_ms is None for one in taken):
        return []
    whole = [one.latency_ms for one in taken if not one.has_failed and one.latency_ms is not None]
    return [*whole, *(inf for one in taken if one.has_failed)]


def _least(one: Taken) -> float:
    """Return the shortest time that a record may have taken."""
    return inf if one.has_failed else one.latency_ms or 0.0


def _spent(taken: Sequence[Taken], requests: Requests, *, questions: int) -> Spent:
    latencies = _latencies(taken)
    costs = [one.cost_usd for one in taken if one.cost_usd is not None]
    return Spent(
        requests=requests,
        n_latencies=len(latencies),
        p50_ms=nearest_rank(latencies, Fraction(1, 2)),
        p95_ms=nearest_rank(latencies, _P95),
        p95_least_ms=nearest_rank(list(map(_least, taken)), _P95),
        n_costs=len(costs),
        cost_sum=sum(map(_as_written, costs), Fraction(0)),
        questions=questions,
        n_untimed=sum(not one.has_failed and one.latency_ms is None for one in taken),
        n_unpriced=sum(one.cost_usd is None for one in taken),
    )


def _as_written(number: float) -> Fraction:
    """Return the number that the shortest decimals of a float say: 0.1 is a tenth."""
    return Fraction(repr(number))


def _ratios(pairs: Iterable[tuple[float | None, float | None]]) -> list[float]:
    return [b / a for a, b in pairs if a and b is not None]


def operations_of(comparison: Comparison) -> Operations:
    """Read every record once and sum up what it took."""
    evidence = comparison.evidence
    size = len(comparison)
    sides = [[list(map(_taken, evidence.repeats(side, i))) for i in range(size)] for side in Side]
    taken = [(_of_question(a), _of_question(b)) for a, b in zip(*sides, strict=True)]
    spent = [
        _spent(list(chain(*side)), comparison.run(name).info.requests, questions=size)
        for name, side in zip(Side, sides, strict=True)
    ]
    whole = [(a, b) for a, b in taken if not (a.has_failed or b.has_failed)]
    latencies = _ratios((a.latency_ms, b.latency_ms) for a, b in whole)
    costs = _ratios((a.cost_usd, b.cost_usd) for a, b in whole)
    return Operations(
        baseline=spent[Side.BASELINE],
        candidate=spent[Side.CANDIDATE],
        n_latency_pairs=len(latencies),
        latency_ratio=median(latencies) if latencies else None,
        n_cost_pairs=len(costs),
        cost_ratio=median(costs) if costs else None,
        taken=taken,
    )
