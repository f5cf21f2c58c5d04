"""Rules that count what got worse: claims, answers, disclosures, changes by severity."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Final

from ragtui.core.change import Severity, Verdict
from ragtui.core.contract import State
from ragtui.core.evidence import Side
from ragtui.core.figures import count_of
from ragtui.core.measures import MEASURES
from ragtui.core.policy import Finding, Outcome
from ragtui.core.rules.keys import Form, Key, Kind
from ragtui.core.rules.wording import decimal, nothing_selected
from ragtui.core.value import Absence, NotAvailable
from ragtui.text import plural

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ragtui.core.comparison import Comparison
    from ragtui.core.measures import Measure
    from ragtui.core.policy import Rule, Trial

__all__ = [
    "ABSTENTION",
    "NEW_UNSUPPORTED",
    "NO_DISCLOSURE",
    "REGRESSIONS",
    "abstention",
    "new_unsupported",
    "no_disclosure",
    "regressions",
]

_BY_KEY: Final = {measure.key: measure for measure in MEASURES}
_SUPPORT: Final = _BY_KEY["support"]
_DISCLOSURES: Final = _BY_KEY["disclosures"]


def _is_missing(
    comparison: Comparison, measure: Measure, index: int, sides: Iterable[Side]
) -> bool:
    """Tell whether a run failed, or recorded or labelled too little for *measure*."""
    values = (comparison.value(side, measure, index) for side in sides)
    return any(isinstance(v, NotAvailable) and v.absence is Absence.MISSING for v in values)


# ---------------------------------------------------------------- unsupported claims


def new_unsupported(rule: Rule, trial: Trial, waived: frozenset[int]) -> Finding:
    """
    Allow at most `max` claims that are unsupported in B and were not in A.

    More fail; at most that many, with a selected question whose claims one run lacks, are
    inconclusive.
    """
    most = rule.whole("max")
    bound = f"at most {count_of(most)}"
    selected = trial.selected(rule)
    if not selected:
        return nothing_selected(bound)
    judged = [index for index in selected if index not in waived]
    rows = trial.comparison.changes
    n = sum(rows[index].new_unsupported for index in judged)
    figure = plural(n, "new unsupported claim")
    if n > most:
        found = tuple(index for index in judged if rows[index].new_unsupported)
        return Finding(outcome=Outcome.FAIL, figure=figure, bound=bound, questions=found)
    missing = [i for i in judged if _is_missing(trial.comparison, _SUPPORT, i, Side)]
    return _unless_missing(figure, bound, missing)


def _unless_missing(figure: str, bound: str, missing: Sequence[int]) -> Finding:
    """Pass where nothing is missing."""
    if not missing:
        return Finding(outcome=Outcome.PASS, figure=figure, bound=bound)
    return Finding(
        outcome=Outcome.INCONCLUSIVE,
        figure=figure,
        bound=bound,
        questions=tuple(sorted(missing)),
        why=f"{plural(len(missing), 'question')} missing",
    )


NEW_UNSUPPORTED: Final = Kind(
    new_unsupported, (Key("max", Form.COUNT),), has_where=True, waivable=True
)


# ---------------------------------------------------------------- abstention


class _Abstained:
    """Who abstained where, questions that are waived left out."""

    def __init__(self, comparison: Comparison, waived: frozenset[int]) -> None:
        self.comparison = comparison
        kept = [index for index in range(len(comparison)) if index not in waived]
        answerable = {index: comparison.facts(index).answerable for index in kept}
        self.unanswerable = [index for index in kept if answerable[index] is False]
        self.answerable = [index for index in kept if answerable[index]]
        self.unlabelled = [index for index in kept if answerable[index] is None]

    def by(self, side: Side, index: int) -> bool | None:
        """Tell whether a run made no claim; `None`: not recorded."""
        counts = self.comparison.counts(side, index)
        known = counts.state is State.SCORED and counts.claims_recorded
        return counts.claims == 0 if known else None


def abstention(rule: Rule, trial: Trial, waived: frozenset[int]) -> Finding:
    """
    Hold B to every bound given on when it must answer and when not.

    `min_correct`: unanswerable questions on which B abstains, a count or a share of them all;
    `max_new_answers`: those that A abstained on and B answers; `max_over_abstained`: answerable
    questions on which B makes no claim. A broken bound fails, whatever the missing ones would be.
    """
    found = _Abstained(trial.comparison, waived)
    parts = list(_abstention_parts(rule, found))
    figure = ", ".join(part.figure for part in parts)
    bound = ", ".join(part.bound for part in parts)
    outcome = min((part.outcome for part in parts), key=list(Outcome).index)
    blamed = [part for part in parts if part.outcome is outcome]
    return Finding(
        outcome=outcome,
        figure=figure,
        bound=bound,
        questions=tuple(sorted({index for part in blamed for index in part.questions})),
        why="; ".join(dict.fromkeys(part.why for part in blamed if part.why)),
    )


def _abstention_parts(rule: Rule, found: _Abstained) -> Iterator[Finding]:
    if "min_correct" in rule.keys:
        yield _correct(rule, found)
    if "max_new_answers" in rule.keys:
        yield _new_answers(rule.whole("max_new_answers"), found)
    if "max_over_abstained" in rule.keys:
        yield _over_abstained(rule.whole("max_over_abstained"), found)


_NO_UNANSWERABLE: Final = "no unanswerable question"


def _correct(rule: Rule, found: _Abstained) -> Finding:
    least = rule.keys["min_correct"]
    total = len(found.unanswerable)
    is_share = isinstance(least, Fraction)
    needed = rule.fraction("min_correct") * (total if is_share else 1)
    bound = f"at least {decimal(rule.fraction('min_correct')) if is_share else least} correct"
    said = {index: found.by(Side.CANDIDATE, index) for index in found.unanswerable}
    correct = sum(abstained is True for abstained in said.values())
    figure = f"{correct:,} of {total:,} abstentions correct"
    missing = [i for i, abstained in said.items() if abstained is None] + found.unlabelled
    if correct + len(missing) < needed and total:
        wrong = tuple(i for i, abstained in said.items() if abstained is False)
        return Finding(outcome=Outcome.FAIL, figure=figure, bound=bound, questions=wrong)
    return _with_unanswerable(figure, bound, missing, total)


def _with_unanswerable(figure: str, bound: str, missing: Sequence[int], total: int) -> Finding:
    """Pass where an unanswerable question was there and none is missing."""
    if total or missing:
        return _unless_missing(figure, bound, missing)
    return Finding(outcome=Outcome.INCONCLUSIVE, figure=figure, bound=bound, why=_NO_UNANSWERABLE)


def _new_answers(most: int, found: _Abstained) -> Finding:
    said = {
        i: (found.by(Side.BASELINE, i), found.by(Side.CANDIDATE, i)) for i in found.unanswerable
    }
    new = tuple(index for index, sides in said.items() if sides == (True, False))
    figure, bound = f"{len(new):,} newly answered", f"at most {most:,} newly answered"
    if len(new) > most:
        return Finding(outcome=Outcome.FAIL, figure=figure, bound=bound, questions=new)
    missing = [index for index, sides in said.items() if None in sides] + found.unlabelled
    return _with_unanswerable(figure, bound, missing, len(said))


def _over_abstained(most: int, found: _Abstained) -> Finding:
    said = {index: found.by(Side.CANDIDATE, index) for index in found.answerable}
    over = tuple(index for index, abstained in said.items() if abstained)
    figure, bound = f"{len(over):,} over-abstained", f"at most {most:,} over-abstained"
    if len(over) > most:
        return Finding(outcome=Outcome.FAIL, figure=figure, bound=bound, questions=over)
    missing = [index for index, abstained in said.items() if abstained is None] + found.unlabelled
    if not said and not missing:
        return Finding(
            outcome=Outcome.INCONCLUSIVE, figure=figure, bound=bound, why="no answerable question"
        )
    return _unless_missing(figure, bound, missing)


ABSTENTION: Final = Kind(
    abstention,
    (
        Key("min_correct", Form.COUNT_OR_SHARE, required=False),
        Key("max_new_answers", Form.COUNT, required=False),
        Key("max_over_abstained", Form.COUNT, required=False),
    ),
    any_of=("min_correct", "max_new_answers", "max_over_abstained"),
    waivable=True,
)


# ---------------------------------------------------------------- disclosures


def no_disclosure(rule: Rule, trial: Trial, waived: frozenset[int]) -> Finding:
    """
    Demand that B lets no restricted document into a context or a citation.

    A set that declares no permissions is inconclusive, and so is a question whose record could not
    show a disclosure.
    """
    del rule, waived
    comparison, bound = trial.comparison, "none"
    if comparison.scorer.access is None:
        why = "the set declares no permissions"
        return Finding(outcome=Outcome.INCONCLUSIVE, figure="not known", bound=bound, why=why)
    disclosed = {i: comparison.counts(Side.CANDIDATE, i).disclosed for i in range(len(comparison))}
    breached = tuple(index for index, n in disclosed.items() if n)
    figure = plural(sum(disclosed.values()), "disclosure")
    if breached:
        return Finding(outcome=Outcome.FAIL, figure=figure, bound=bound, questions=breached)
    missing = [i for i in disclosed if _is_missing(comparison, _DISCLOSURES, i, [Side.CANDIDATE])]
    return _unless_missing(figure, bound, missing)


NO_DISCLOSURE: Final = Kind(no_disclosure)


# ---------------------------------------------------------------- changes by severity


def regressions(rule: Rule, trial: Trial, waived: frozenset[int]) -> Finding:
    """
    Allow at most `max` changes of the severity named or worse.

    More fail; where questions that could not be compared in full might make them more, it is
    inconclusive.
    """
    worst, most = rule.severity, rule.whole("max")
    bound = f"at most {count_of(most)} of {worst.name} or worse"
    rows = trial.comparison.changes
    judged = [index for index in range(len(rows)) if index not in waived]
    counted = [i for i in judged if _is_at_least(rows[i].severity, worst)]
    figure = f"{plural(len(counted), 'change')} of {worst.name} or worse"
    if len(counted) > most:
        return Finding(outcome=Outcome.FAIL, figure=figure, bound=bound, questions=tuple(counted))
    unseen = [
        index
        for index in judged
        if not _is_at_least(rows[index].severity, worst)
        and _may_hide(trial.comparison, index, worst)
    ]
    exceeds = len(counted) + len(unseen) > most
    return _unless_missing(figure, bound, unseen if exceeds else ())


def _is_at_least(severity: Severity | None, worst: Severity) -> bool:
    return severity is not None and severity <= worst


def _may_hide(comparison: Comparison, index: int, worst: Severity) -> bool:
    """Tell whether what was not recorded or labelled could be a change of *worst* or worse."""
    row = comparison.changes[index]
    if row.verdict is Verdict.NOT_COMPARABLE:
        return True
    if row.stages.answer is None and worst > Severity.S0:
        return True
    if row.stages.access is None and comparison.scorer.access is not None:
        return True
    looks_at_retrieval = worst is Severity.S4 and comparison.facts(index).answerable is not False
    return looks_at_retrieval and row.stages.retrieval is None


REGRESSIONS: Final = Kind(
    regressions, (Key("severity", Form.SEVERITY), Key("max", Form.COUNT)), waivable=True
)
