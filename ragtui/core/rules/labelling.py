"""The rule on labels that reviewers do not agree about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ragtui.core.change import Flag
from ragtui.core.policy import Finding, Outcome
from ragtui.core.rules.keys import Form, Key, Kind
from ragtui.text import plural

if TYPE_CHECKING:
    from ragtui.core.policy import Rule, Trial

__all__ = ["LABELS", "labels"]


def labels(rule: Rule, trial: Trial, waived: frozenset[int]) -> Finding:
    """
    Allow at most `max_unresolved` questions with disputed labels.

    Unless `robust = false`, a question whose verdict depends on whose labels are right leaves it
    inconclusive.
    """
    comparison, most = trial.comparison, rule.whole("max_unresolved")
    judged = [index for index in range(len(comparison)) if index not in waived]
    disputed = tuple(index for index in judged if comparison.labels[index].disputed)
    figure, bound = f"{plural(len(disputed), 'question')} disputed", f"at most {most:,}"
    if len(disputed) > most:
        return Finding(outcome=Outcome.FAIL, figure=figure, bound=bound, questions=disputed)
    if not rule.flag("robust", default=True):
        return Finding(outcome=Outcome.PASS, figure=figure, bound=bound)
    still_open = tuple(i for i in judged if Flag.LABEL_OPEN in comparison.changes[i].flags)
    bound += ", no verdict that depends on one"
    if still_open:
        why = f"{plural(len(still_open), 'verdict')} depending on whose labels are right"
        return Finding(
            outcome=Outcome.INCONCLUSIVE,
            figure=figure,
            bound=bound,
            questions=still_open,
            why=why,
        )
    return Finding(outcome=Outcome.PASS, figure=figure, bound=bound)


LABELS: Final = Kind(
    labels,
    (
        Key("max_unresolved", Form.COUNT),
        Key("robust", Form.FLAG, required=False),
        Key("plan", Form.TEXT, required=False),
    ),
    waivable=True,
)
