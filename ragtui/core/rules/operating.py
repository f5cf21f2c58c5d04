"""The rule on what B takes: latency, failures, cost."""

from __future__ import annotations

from fractions import Fraction
from math import inf, isinf
from typing import TYPE_CHECKING, Final

from ragtui.core.operations import operations_of
from ragtui.core.policy import Finding, Outcome
from ragtui.core.rules.keys import Form, Key, Kind
from ragtui.core.rules.wording import decimal
from ragtui.text import plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ragtui.core.operations import Operations, Spent
    from ragtui.core.policy import Rule, Trial

__all__ = ["MIN_REQUESTS", "OPERATIONS", "operations"]

MIN_REQUESTS: Final = 20
"""Requests of B below which nothing is said, unless a rule names another number."""

_BOUNDS: Final = ("p95_ms", "p95_ratio", "max_failure_rate", "max_cost_per_question")


def operations(rule: Rule, trial: Trial, waived: frozenset[int]) -> Finding:
    """
    Hold B to every bound given on what it takes.

    `p95_ms`: 95th percentile of latency, failed records being infinite; `p95_ratio`: that by A's;
    `max_failure_rate`: requests failed by requests sent; `max_cost_per_question` in USD. Fewer
    requests than `min_requests`, or a figure that was not recorded, are inconclusive.
    """
    del waived
    found = operations_of(trial.comparison)
    sent, least = found.candidate.requests.sent, rule.whole("min_requests", MIN_REQUESTS)
    parts = list(_parts(rule, found))
    figure = ", ".join(part.figure for part in parts)
    bound = ", ".join(part.bound for part in parts)
    if few := _few_requests(sent, least):
        return Finding(outcome=Outcome.INCONCLUSIVE, figure=figure, bound=bound, why=few)
    outcome = min((part.outcome for part in parts), key=list(Outcome).index)
    why = "; ".join(part.why for part in parts if part.outcome is outcome and part.why)
    return Finding(outcome=outcome, figure=figure, bound=bound, why=why)


def _few_requests(sent: int | None, least: int) -> str:
    """Say why there are too few requests; nothing when there are enough."""
    if not least:
        return ""
    if sent is None:
        return "the number of requests was not recorded"
    return f"{sent:,} requests, {least:,} are needed" if sent < least else ""


def _parts(rule: Rule, found: Operations) -> Iterator[Finding]:
    """Judge every bound that is given."""
    a, b = found.baseline, found.candidate
    for key in _BOUNDS:
        if key not in rule.keys:
            continue
        most = rule.fraction(key)
        if key == "p95_ms":
            yield _latency(b, most)
        elif key == "p95_ratio":
            yield _ratio(a, b, most)
        elif key == "max_failure_rate":
            yield _failure_rate(b, most)
        else:
            yield _cost(b, most)


def _judged(figure: str, bound: str, *, holds: bool, unknown: str = "") -> Finding:
    """Fail what is broken whatever is not known, then ask for what is not known."""
    if not holds:
        return Finding(outcome=Outcome.FAIL, figure=figure, bound=bound)
    outcome = Outcome.INCONCLUSIVE if unknown else Outcome.PASS
    return Finding(outcome=outcome, figure=figure, bound=bound, why=unknown)


def _unknown(what: str, bound: str) -> Finding:
    why = f"{what} was not recorded"
    return Finding(outcome=Outcome.INCONCLUSIVE, figure=f"{what} –", bound=bound, why=why)


def _milliseconds(value: float) -> str:
    return "failed" if isinf(value) else f"{value:,.10g} ms"


def _latency(side: Spent, most: Fraction) -> Finding:
    bound = f"p95 at most {float(most):,.10g} ms"
    if side.n_untimed and side.p95_least_ms is not None and side.p95_least_ms > most:
        figure = f"p95 at least {_milliseconds(side.p95_least_ms)}"
        return _judged(figure, bound, holds=False)
    if side.p95_ms is None:
        return _unknown("latency", bound)
    unknown = _not_recorded("latency", side.n_untimed)
    return _judged(
        f"p95 {_milliseconds(side.p95_ms)}", bound, holds=side.p95_ms <= most, unknown=unknown
    )


def _not_recorded(what: str, n: int) -> str:
    """Say of how many records something is not known; nothing when it is of all."""
    verb = "was" if n == 1 else "were"
    return f"the {what} of {plural(n, 'record')} {verb} not recorded" if n else ""


def _ratio(a: Spent, b: Spent, most: Fraction) -> Finding:
    bound = f"p95 B/A at most {decimal(most)}"
    if a.p95_ms is None or b.p95_ms is None or a.n_untimed or b.n_untimed:
        return _unknown("latency", bound)
    if not a.p95_ms or (isinf(a.p95_ms) and isinf(b.p95_ms)):
        told = f"{_milliseconds(b.p95_ms)} by {_milliseconds(a.p95_ms)}"
        why = "the ratio of the two latencies is not defined"
        return Finding(outcome=Outcome.INCONCLUSIVE, figure=f"p95 B/A {told}", bound=bound, why=why)
    ratio = b.p95_ms / a.p95_ms if isinf(a.p95_ms + b.p95_ms) else None
    exact = Fraction(b.p95_ms) / Fraction(a.p95_ms) if ratio is None else ratio
    told = "failed" if exact == inf else decimal(exact)
    return _judged(f"p95 B/A {told}", bound, holds=exact <= most)


def _failure_rate(side: Spent, most: Fraction) -> Finding:
    bound = f"failure rate at most {decimal(most)}"
    rate = side.failure_rate
    if rate is None:
        return _unknown("failure rate", bound)
    figure = f"failure rate {decimal(rate)} ({side.requests.failed:,} of {side.requests.sent:,})"
    return _judged(figure, bound, holds=rate <= most)


def _cost(side: Spent, most: Fraction) -> Finding:
    bound = f"cost a question at most ${float(most):.10g}"
    cost = side.cost_per_question_usd
    if cost is None:
        return _unknown("cost", bound)
    unknown = _not_recorded("cost", side.n_unpriced)
    figure = f"cost a question ${cost:.4g}"
    return _judged(figure, bound, holds=side.cost_sum <= most * side.questions, unknown=unknown)


OPERATIONS: Final = Kind(
    operations,
    (
        *(Key(name, Form.NUMBER, required=False) for name in _BOUNDS),
        Key("min_requests", Form.COUNT, required=False),
    ),
    any_of=_BOUNDS,
)
