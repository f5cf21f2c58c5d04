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
        self.n_waived = sum(comparison.facts(index).answerable is False for index in waived)
        answerable = {index: comparison.facts(index).answerable for index in kept}
        self.unanswerable = [index for index in kept if answerable[index] is False]
        self.answerable = [index for index in kept if answerable[index]]
        self.unlabelled = [index for index in kept if answerable[index] is None]

    def by(self, side: Side, index: int) -> bool | None:
        """Tell whether a run made no claim, in any repeat; `None`: not recorded."""
        told = self.told(side, index)
        if False in told:
            return False
        return None if None in told else True

    def told(self, side: Side, index: int) -> list[bool | None]:
        """Tell of each record whether it makes no claim; `None`: not recorded."""
        return [
            counts.claims == 0 if counts.state is State.SCORED and counts.claims_recorded else None
            for counts in self.comparison.counts(side, index).each
        ]

    def answers_more(self, index: int) -> bool | None:
        """Tell whether B abstains in fewer of its records than A; `None`: not recorded."""
        told = [self.told(side, index) for side in Side]
        known = [[abstained for abstained in side if abstained is not None] for side in told]
        if not all(known):
            return None
        a, b = (Fraction(sum(side), len(side)) for side in known)
        return True if b < a else None if any(None in side for side in told) else False


def abstention(rule: Rule, trial: Trial, waived: frozenset[int]) -> Finding:
    """
    Hold B to every bound given on when it must answer and when not.

    `min_correct`: unanswerable questions on which B abstains, a count or a share of them all;
    `max_new_answers`: those that A abstained on and B answers; `max_over_abstained`: answerable
    questions on which B makes no claim. A broken bound fails, whatever the missing ones would be.
    Of several records of a question all must abstain to be correct, one that abstains is
    over-abstained, and a smaller share that abstains is a new answer.
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
    asked = rule.fraction("min_correct")
    needed = asked * total if is_share else asked - found.n_waived
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
    said = {index: found.answers_more(index) for index in found.unanswerable}
    new = tuple(index for index, more in said.items() if more)
    figure, bound = f"{len(new):,} newly answered", f"at most {most:,} newly answered"
    if len(new) > most:
        return Finding(outcome=Outcome.FAIL, figure=figure, bound=bound, questions=new)
    missing = [index for index, more in said.items() if more is None] + found.unlabelled
    return _with_unanswerable(figure, bound, missing, len(said))


def _over_abstained(most: int, found: _Abstained) -> Finding:
    said = {index: found.told(Side.CANDIDATE, index) for index in found.answerable}
    over = tuple(index for index, told in said.items() if True in told)
    figure, bound = f"{len(over):,} over-abstained", f"at most {most:,} over-abstained"
    if len(over) > most:
        return Finding(outcome=Outcome.FAIL, figure=figure, bound=bound, questions=over)
    missing = [index for index, told in said.items() if None in told] + found.unlabelled
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
    missing = [index for index in disclosed if not _shows_disclosures(comparison, index)]
    return _unless_missing(figure, bound, missing)


def _shows_disclosures(comparison: Comparison, index: int) -> bool:
    """Tell whether every record that B has of a question could show a disclosure."""
    value = comparison.value(Side.CANDIDATE, _DISCLOSURES, index)
    if isinstance(value, NotAvailable):
        return value.absence is not Absence.MISSING
    return value.over is None or value.over.defined == value.over.recorded


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
