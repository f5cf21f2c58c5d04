"""Policies written in tests, in memory: what a file would say, without a file."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from ragtui.core.change import Severity
from ragtui.core.gate import judge
from ragtui.core.measures import MEASURES
from ragtui.core.policy import Policy, Rule, Waiver, parse_term
from ragtui.core.triage import Triage

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ragtui.core.comparison import Comparison
    from ragtui.core.gate import RuleResult, Ruling
    from ragtui.core.triage import Decision

__all__ = ["policy_of", "result_of", "rule", "ruling_of"]

_MEASURES = {measure.key: measure for measure in MEASURES}


def rule(
    kind: str,
    rule_id: str = "r",
    *,
    where: Iterable[str] = (),
    required: bool = True,
    waivable: bool = False,
    keys: Mapping[str, object] | None = None,
    **more: object,
) -> Rule:
    """Write one rule; decimals are texts or fractions, so that they are exact."""
    return Rule(
        id=rule_id,
        kind=kind,
        where=tuple(term for word in where if (term := parse_term(word)) is not None),
        keys={key: _typed(key, value) for key, value in {**(keys or {}), **more}.items()},
        required=required,
        waivable=waivable,
    )


def _typed(key: str, value: object) -> object:
    if key == "measure":
        return _MEASURES[str(value)]
    if key == "severity":
        return Severity[str(value)]
    if key == "min_questions":
        assert isinstance(value, dict)
        return {parse_term(word): n for word, n in value.items()}
    numbers = {"min", "margin", "min_gain", "p95_ms", "p95_ratio"}
    if key in numbers or key.startswith(("max_failure", "max_cost")):
        return Fraction(str(value))
    if key == "min_correct" and not isinstance(value, int):
        return Fraction(str(value))
    return value


def policy_of(*rules: Rule, waivers: Iterable[Waiver] = (), **more: object) -> Policy:
    """Write a policy of *rules*."""
    base = Policy(id="gate", rules=rules, sha256="0" * 64, waivers=tuple(waivers))
    return replace(base, **more)  # type: ignore[arg-type]  # any key of a policy


def ruling_of(
    comparison: Comparison,
    *rules: Rule,
    decisions: Mapping[str, Decision] | None = None,
    waivers: Iterable[Waiver] = (),
    **more: object,
) -> Ruling:
    """Hold a policy of *rules* against *comparison*."""
    triage = Triage(comparison, decisions or {})
    return judge(policy_of(*rules, waivers=waivers, **more), triage)


def result_of(
    comparison: Comparison, one: Rule, *, decisions: Mapping[str, Decision] | None = None
) -> RuleResult:
    """Return what became of *one* rule that stands alone."""
    (found,) = ruling_of(comparison, one, decisions=decisions).results
    return found
