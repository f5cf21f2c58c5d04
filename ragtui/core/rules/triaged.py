"""The rule that somebody looked at every bad change and accepted it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ragtui.core.policy import Finding, Outcome
from ragtui.core.rules.keys import Form, Key, Kind
from ragtui.core.triage import Choice

if TYPE_CHECKING:
    from ragtui.core.policy import Rule, Trial

__all__ = ["TRIAGE", "triage"]


def triage(rule: Rule, trial: Trial, waived: frozenset[int]) -> Finding:
    """
    Demand that every change of the severity named or worse is accepted, by a current decision.

    A blocked one fails; an undecided, investigated, disputed or stale one is inconclusive.
    """
    rows, worst = trial.comparison.changes, rule.severity
    concerned = [
        index
        for index in range(len(rows))
        if index not in waived and (level := rows[index].severity) is not None and level <= worst
    ]
    states = {index: trial.triage.state(index) for index in concerned}
    accepted = sum(state == Choice.ACCEPT for state in states.values())
    figure = f"{accepted:,} of {len(concerned):,} accepted"
    bound = f"every change of {worst.name} or worse accepted"
    if blocked := tuple(i for i, state in states.items() if state == Choice.BLOCK):
        figure += f", {len(blocked):,} blocked"
        return Finding(outcome=Outcome.FAIL, figure=figure, bound=bound, questions=blocked)
    if waiting := tuple(i for i, state in states.items() if state != Choice.ACCEPT):
        told = sorted({states[index] for index in waiting})
        why = ", ".join(f"{sum(states[i] == state for i in waiting):,} {state}" for state in told)
        return Finding(
            outcome=Outcome.INCONCLUSIVE, figure=figure, bound=bound, questions=waiting, why=why
        )
    return Finding(outcome=Outcome.PASS, figure=figure, bound=bound)


TRIAGE: Final = Kind(triage, (Key("severity", Form.SEVERITY),), waivable=True)
