"""What the runs took, as a table of a note."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Final

from ragtui.core.figures import NONE, count_of
from ragtui.core.operations import Operations, Spent, Taken, nearest_rank, operations_of
from ragtui.notes.document import Column, Heading, Paragraph, Table, Tone, text, words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ragtui.notes.document import Block, Text

__all__ = ["Operations", "Spent", "Taken", "nearest_rank", "operation_blocks", "operations_of"]

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
