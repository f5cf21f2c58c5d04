"""What the runs took: requests, latency, cost, from what manifests and records say."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, inf
from statistics import median
from typing import TYPE_CHECKING, Final

from ragtui.core.evidence import Side
from ragtui.core.figures import NONE, count_of
from ragtui.notes.document import Column, Heading, Paragraph, Table, Tone, text, words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ragtui.core.comparison import Comparison
    from ragtui.core.model import Record, Requests
    from ragtui.notes.document import Block, Text

__all__ = ["Operations", "Spent", "nearest_rank", "operation_blocks", "operations_of"]


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
    cost_sum_usd: float
    questions: int

    @property
    def failure_rate(self) -> Fraction | None:
        """Failed requests by requests sent."""
        sent, failed = self.requests.sent, self.requests.failed
        return Fraction(failed, sent) if sent and failed is not None else None

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


def nearest_rank(values: Sequence[float], share: Fraction) -> float | None:
    """
    Return the smallest value that at least *share* of all values do not exceed.

    >>> nearest_rank([30, 10, 20, inf], Fraction(1, 2)), nearest_rank([], Fraction(1, 2))
    (20, None)
    """
    ordered = sorted(values)
    return ordered[max(0, ceil(share * len(ordered)) - 1)] if ordered else None


class _Gathered:
    """Numbers of one run, question by question."""

    def __init__(self) -> None:
        self.latencies: list[float] = []
        self.costs: list[float] = []
        self.any_latency = False

    def add(self, record: Record | None) -> None:
        if record is None:
            return
        if record.error is not None:
            self.latencies.append(inf)
        elif record.latency_ms is not None:
            self.any_latency = True
            self.latencies.append(record.latency_ms)
        if record.cost_usd is not None:
            self.costs.append(record.cost_usd)

    def spent(self, requests: Requests, questions: int) -> Spent:
        known = self.latencies if self.any_latency else []
        return Spent(
            requests=requests,
            n_latencies=len(known),
            p50_ms=nearest_rank(known, Fraction(1, 2)),
            p95_ms=nearest_rank(known, Fraction(19, 20)),
            n_costs=len(self.costs),
            cost_sum_usd=float(sum(map(Fraction, self.costs))),
            questions=questions,
        )


def operations_of(comparison: Comparison) -> Operations:
    """Read every record once and sum up what it took."""
    sides = _Gathered(), _Gathered()
    latencies: list[float] = []
    costs: list[float] = []
    for index in range(len(comparison)):
        a, b = (comparison.evidence.record(side, index) for side in Side)
        for gathered, record in zip(sides, (a, b), strict=True):
            gathered.add(record)
        if a is None or b is None or a.error is not None or b.error is not None:
            continue
        if a.latency_ms and b.latency_ms is not None:
            latencies.append(b.latency_ms / a.latency_ms)
        if a.cost_usd and b.cost_usd is not None:
            costs.append(b.cost_usd / a.cost_usd)
    spent = [
        gathered.spent(comparison.run(side).info.requests, len(comparison))
        for gathered, side in zip(sides, Side, strict=True)
    ]
    return Operations(
        baseline=spent[0],
        candidate=spent[1],
        n_latency_pairs=len(latencies),
        latency_ratio=median(latencies) if latencies else None,
        n_cost_pairs=len(costs),
        cost_ratio=median(costs) if costs else None,
    )


# ---------------------------------------------------------------- as a table

_COLUMNS: Final = (
    Column(""),
    Column("A", is_number=True),
    Column("B", is_number=True),
    Column("median B / A", is_number=True),
)


def operation_blocks(found: Operations) -> Iterator[Block]:
    """Yield what the runs took; a sentence where nothing of it was recorded."""
    yield Heading(text("Operations"))
    rows = [row for row in _rows(found) if any(cell[0].text != NONE for cell in row[1:])]
    if not rows:
        yield Paragraph(text("Neither requests nor latency nor cost was recorded."))
        return
    yield Table(_COLUMNS, tuple(rows))
    yield Paragraph(
        text(
            "Latency over the n records that have one, by nearest rank, failed ones as infinite;"
            " cost is the sum over the n records that have one, by the questions of the set;"
            " B / A over the n questions that have both."
        ),
        Tone.FAINT,
    )


def _rows(found: Operations) -> Iterator[tuple[Text, ...]]:
    both = found.baseline, found.candidate
    for label, name in (
        ("requests sent", "sent"),
        ("requests retried", "retried"),
        ("requests failed", "failed"),
    ):
        yield _row(label, [_count(getattr(side.requests, name)) for side in both])
    yield _row("failed / sent", [_rate(side) for side in both])
    ratio = _ratio(found.latency_ratio, found.n_latency_pairs)
    yield _row("latency p50", [_latency(side.p50_ms, side) for side in both], ratio)
    yield _row("latency p95", [_latency(side.p95_ms, side) for side in both])
    ratio = _ratio(found.cost_ratio, found.n_cost_pairs)
    yield _row("cost a question", [_cost(side) for side in both], ratio)


def _row(label: str, cells: Sequence[str], ratio: str = NONE) -> tuple[Text, ...]:
    return (text(words(label, Tone.STRONG)), *(text(cell) for cell in (*cells, ratio)))


def _count(n: int | None) -> str:
    return NONE if n is None else count_of(n)


def _rate(side: Spent) -> str:
    rate = side.failure_rate
    return NONE if rate is None else f"{float(rate):.1%}"


def _latency(value: float | None, side: Spent) -> str:
    if value is None:
        return NONE
    told = "failed" if value == inf else f"{value:,.0f} ms"
    return f"{told} (n {side.n_latencies:,})"


def _cost(side: Spent) -> str:
    cost = side.cost_per_question_usd
    return NONE if cost is None else f"${cost:,.4f} (n {side.n_costs:,})"


def _ratio(value: float | None, n: int) -> str:
    return NONE if value is None else f"{value:.2f} (n {n:,})"
