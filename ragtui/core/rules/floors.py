"""Rules that hold every question to a floor, so that no mean can hide one."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Final

from ragtui.core.policy import Finding, Outcome
from ragtui.core.rules.keys import Form, Key, Kind
from ragtui.core.rules.wording import decimal, nothing_selected, of_questions
from ragtui.core.value import NotAvailable
from ragtui.text import plural

if TYPE_CHECKING:
    from ragtui.core.policy import Rule, Trial
    from ragtui.core.value import Value

__all__ = ["EACH_AT_LEAST", "each_at_least"]

EVERY: Final = "every"
"""Each record of a question is held to the floor: what a rule means that says nothing."""

MEAN: Final = "mean"
"""The mean over the records of a question is held to the floor."""


def each_at_least(rule: Rule, trial: Trial, waived: frozenset[int]) -> Finding:
    """
    Demand a measure of at least `min` on every selected question of B.

    Questions whose labels leave the measure without a value are not selected. One below fails; one
    without a value, and none below, is inconclusive. Of several records of a question every one is
    held to the floor, or with `repeats = "mean"` their mean.
    """
    floor = rule.fraction("min")
    bound = f"{rule.measure.written(trial.comparison.cutoff)} ≥ {decimal(floor)} on each"
    selected = trial.measurable(rule)
    if not selected:
        return nothing_selected(bound)
    judged = [index for index in selected if index not in waived]
    columns = trial.comparison.candidate.columns
    distinct, places = columns.coded(rule.measure, trial.comparison.cutoff, judged)
    every = rule.keys.get("repeats", EVERY) == EVERY
    held = [_holds(value, floor, every=every) for _, value in distinct]
    absent = tuple(i for i, place in zip(judged, places, strict=True) if held[place] is None)
    below = tuple(i for i, place in zip(judged, places, strict=True) if held[place] is False)
    figure = f"{of_questions(len(below), len(judged))} below"
    if below:
        return Finding(outcome=Outcome.FAIL, figure=figure, bound=bound, questions=below)
    if absent:
        why = f"{plural(len(absent), 'question')} without a value"
        return Finding(
            outcome=Outcome.INCONCLUSIVE, figure=figure, bound=bound, questions=absent, why=why
        )
    return Finding(outcome=Outcome.PASS, figure=figure, bound=bound)


def _holds(value: Value, floor: Fraction, *, every: bool) -> bool | None:
    """Tell whether a value, or each of its repeats, reaches the floor; `None`: not known."""
    if isinstance(value, NotAvailable):
        return None
    if (value.least if every else value.fraction) < floor:
        return False
    lacks = value.over is not None and value.over.defined < value.over.recorded
    return None if every and lacks else True


EACH_AT_LEAST: Final = Kind(
    each_at_least,
    (
        Key("measure", Form.MEASURE),
        Key("min", Form.NUMBER, most=Fraction(1)),
        Key("repeats", Form.WORD, required=False, words=(EVERY, MEAN)),
    ),
    has_where=True,
    waivable=True,
)
