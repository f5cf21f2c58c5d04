"""The rule on how many questions of each sort a set must have to decide anything."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from ragtui.core.policy import Finding, Outcome
from ragtui.core.rules.keys import Form, Key, Kind
from ragtui.text import plural, quote

if TYPE_CHECKING:
    from ragtui.core.policy import Rule, Term, Trial

__all__ = ["SAMPLE", "sample"]


def sample(rule: Rule, trial: Trial, waived: frozenset[int]) -> Finding:
    """Demand that the set has as many questions for each term as `min_questions` says."""
    del waived
    needed = rule.counts("min_questions")
    found = {term: len(trial.selected(replace(rule, where=(term,)))) for term in needed}
    short = [term for term, n in found.items() if n < needed[term]]
    return Finding(
        outcome=Outcome.INCONCLUSIVE if short else Outcome.PASS,
        figure=", ".join(f"{_words(term)} {n:,}" for term, n in found.items()),
        bound=", ".join(f"{_words(term)} ≥ {n:,}" for term, n in needed.items()),
        why=f"too few questions for {plural(len(short), 'term')}" if short else "",
    )


def _words(term: Term) -> str:
    """Return a term, the tag of a file between quotes."""
    if term.tag is None:
        return str(term)
    return f"{str(term).removesuffix(term.tag)}{quote(term.tag)}"


SAMPLE: Final = Kind(sample, (Key("min_questions", Form.COUNTS),))
