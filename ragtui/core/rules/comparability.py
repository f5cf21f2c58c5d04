"""The rule on what may differ between the two runs besides what they are compared for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ragtui.core.evidence import Side
from ragtui.core.pairing import unrecorded_facts
from ragtui.core.policy import Finding, Outcome
from ragtui.core.rules.keys import Form, Key, Kind
from ragtui.text import plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ragtui.core.comparison import Comparison
    from ragtui.core.policy import Rule, Trial

__all__ = ["COMPARABLE", "comparable"]


def comparable(rule: Rule, trial: Trial, waived: frozenset[int]) -> Finding:
    """
    Allow at most `max_changes` settings that differ between A and B.

    A key that only one run recorded is not known to differ: it, a setting that a careful run
    records, and a differing annotation are inconclusive where what is known stays in bounds.
    """
    del waived
    comparison, most = trial.comparison, rule.whole("max_changes")
    known = [s for s in comparison.settings if s.baseline is not None and s.candidate is not None]
    figure = f"{plural(len(known), 'setting')} changed"
    bound = f"at most {most:,}"
    if len(known) > most:
        return Finding(outcome=Outcome.FAIL, figure=figure, bound=bound)
    why = "; ".join(_unknown(comparison))
    outcome = Outcome.INCONCLUSIVE if why else Outcome.PASS
    return Finding(outcome=outcome, figure=figure, bound=bound, why=why)


def _unknown(comparison: Comparison) -> Iterator[str]:
    """Yield what leaves it open whether more changed."""
    for side in Side:
        facts = unrecorded_facts(comparison.run(side).info, answers=True, delivered_texts=True)
        if facts:
            yield f"not recorded in {side.letter}: {', '.join(facts)}"
    for side in Side:
        letter = side.letter
        only = [s for s in comparison.settings if (s.candidate, s.baseline)[side] is None]
        if only:
            yield f"{plural(len(only), 'setting')} recorded in {letter} only"
    if comparison.annotation:
        yield "the annotation differs"


COMPARABLE: Final = Kind(comparable, (Key("max_changes", Form.COUNT),))
