"""
Holding a whole policy against one comparison: every rule, what is waived, and the verdict.

Required rules combine as invalid > fail > inconclusive > pass. What nobody may overlook (labels
that are not frozen, missing questions, a policy written too late) is a *reservation*: with one, the
verdict is at best inconclusive.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Final

from ragtui.core.contract import State
from ragtui.core.evidence import Side
from ragtui.core.policy import EXIT_CODES, Outcome, Trial, combine
from ragtui.core.rules import KINDS
from ragtui.core.rules.means import resolution_of, smallest_n, unresolving_groups
from ragtui.core.rules.wording import decimal
from ragtui.core.standing import MIN_SHOWN_SLICE
from ragtui.text import plural, quote

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from fractions import Fraction

    from ragtui.core.comparison import Comparison
    from ragtui.core.policy import Finding, Policy, Rule, Waiver
    from ragtui.core.triage import Triage

__all__ = ["RuleResult", "Ruling", "judge", "policy_warnings"]

WITHHELD: Final = f"withheld: fewer than {MIN_SHOWN_SLICE} questions"
NO_FLOOR: Final = (
    "a floor under support can be met by abstaining: add a rule on coverage, or max_over_abstained"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleResult:
    """What became of one rule."""

    rule: Rule
    outcome: Outcome
    figure: str
    """What was found, in words of ours."""
    bound: str
    """What was demanded."""
    why: str
    """Why it is inconclusive."""
    questions: tuple[str, ...]
    """Ids of the questions responsible, in the set's order."""
    waived: tuple[Waiver, ...] = ()
    """Waivers without which it would have ended otherwise."""
    expired: tuple[Waiver, ...] = ()
    """Waivers that no longer count for it, though their question is responsible."""
    is_withheld: bool = False
    """Whether no question of the set may be named, nor those of its waivers."""

    @property
    def words(self) -> str:
        """The outcome, and how many waivers it took."""
        return _with_waivers(self.outcome, len(self.waived))


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """How a comparison fared under a policy."""

    policy: Policy
    outcome: Outcome
    confidence: Fraction
    results: tuple[RuleResult, ...]
    """In the policy's order."""
    invalid: tuple[str, ...] = ()
    """Why the policy may not be held against this comparison at all."""
    reservations: tuple[str, ...] = ()
    """Why the verdict is at best inconclusive, whatever the rules say."""
    warnings: tuple[str, ...] = ()
    """What the author of the policy should look at."""

    @property
    def waived(self) -> tuple[Waiver, ...]:
        """The waivers that required rules needed."""
        return tuple(w for r in self.results if r.rule.required for w in r.waived)

    @property
    def words(self) -> str:
        """The verdict as it is printed: `pass`, or `pass with 1 waiver`."""
        return _with_waivers(self.outcome, len(self.waived))

    @property
    def exit_code(self) -> int:
        """What a command that enforces the policy exits with."""
        return EXIT_CODES[self.outcome]


def _with_waivers(outcome: Outcome, n: int) -> str:
    if outcome is Outcome.PASS and n:
        return f"{outcome.value} with {plural(n, 'waiver')}"
    return outcome.value


def judge(
    policy: Policy,
    triage: Triage,
    *,
    reservations: Sequence[str] = (),
) -> Ruling:
    """
    Hold *policy* against the comparison that *triage* is about.

    The k-th candidate of a held-out set is judged at confidence 1 - alpha/k, and what its ledger
    says may leave the verdict at best inconclusive, as do the sentences in *reservations*.
    """
    comparison = triage.comparison
    alpha = (1 - policy.confidence) / (comparison.standing.number if comparison.standing else 1)
    trial = Trial(comparison=comparison, triage=triage, rules=policy.rules, alpha=alpha)
    waivers = () if comparison.unopened else policy.waivers
    results = tuple(_result(rule, trial, waivers) for rule in policy.rules)
    invalid = tuple(_invalid(policy, comparison))
    held_back = (*_reservations(policy, comparison), *reservations)
    return Ruling(
        policy=policy,
        outcome=combine(
            (
                *(result.outcome for result in results if result.rule.required),
                *([Outcome.INVALID] if invalid else []),
                *([Outcome.INCONCLUSIVE] if held_back else []),
            )
        ),
        confidence=1 - alpha,
        results=results,
        invalid=invalid,
        reservations=held_back,
        warnings=(*policy_warnings(policy), *_warnings(trial, policy)),
    )


# ---------------------------------------------------------------- one rule, with its waivers


def _result(rule: Rule, trial: Trial, waivers: Iterable[Waiver]) -> RuleResult:
    own = [waiver for waiver in waivers if waiver.rule == rule.id and rule.waivable]
    found, used = _waive(rule, trial, own)
    ids = tuple(trial.comparison.ids[index] for index in found.questions)
    dated = trial.comparison.candidate.info.created is not None
    expired = (w for w in own if dated and w.question in ids and not _counts(w, trial))
    is_withheld = trial.comparison.withholds_questions
    return RuleResult(
        rule=rule,
        outcome=found.outcome,
        figure=WITHHELD if is_withheld and _selects_few(rule, trial) else found.figure,
        bound=found.bound,
        why=found.why,
        questions=() if is_withheld else ids,
        waived=tuple(used),
        expired=tuple(expired),
        is_withheld=is_withheld,
    )


def _selects_few(rule: Rule, trial: Trial) -> bool:
    """Tell whether a figure would be that of a slice too small to show."""
    if not rule.where:
        return False
    counted = trial.measurable(rule) if "measure" in rule.keys else trial.selected(rule)
    return len(counted) < MIN_SHOWN_SLICE


def _waive(rule: Rule, trial: Trial, own: Sequence[Waiver]) -> tuple[Finding, list[Waiver]]:
    """Leave out questions that the rule blames and somebody waived, until it blames no more."""
    kind = KINDS[rule.kind]
    found = kind.judge(rule, trial, frozenset())
    used: list[Waiver] = []
    while found.outcome is not Outcome.PASS:
        blamed = {trial.comparison.ids[index] for index in found.questions}
        fresh = [w for w in own if w.question in blamed and _counts(w, trial)]
        if not fresh:
            break
        used += fresh
        found = kind.judge(rule, trial, _indexes(used, trial))
    return found, used


def _indexes(waivers: Iterable[Waiver], trial: Trial) -> frozenset[int]:
    found = (trial.comparison.index_of(waiver.question) for waiver in waivers)
    return frozenset(index for index in found if index is not None)


def _counts(waiver: Waiver, trial: Trial) -> bool:
    """Tell whether the candidate was made before a waiver expired."""
    created = trial.comparison.candidate.info.created
    return created is not None and _is_not_after(created, waiver.expires)


def _is_not_after(moment: str, limit: str) -> bool:
    """
    Tell whether an RFC 3339 moment is not after another; a day lasts until its end.

    Times without an offset are UTC. What is no date is after everything.

    >>> _is_not_after("2026-11-27T23:30:00Z", "2026-11-27")
    True
    >>> _is_not_after("2026-11-27T10:00:00+02:00", "2026-11-27T08:00:00Z")
    True
    >>> _is_not_after("2026-11-28", "2026-11-27"), _is_not_after("2026-13-01", "2027-01-01")
    (False, False)
    """
    try:
        made, last = (datetime.fromisoformat(told.upper()) for told in (moment, limit))
        if len(limit) == len("2026-11-27"):
            return made.date() <= date.fromisoformat(limit)
    except ValueError:
        return False
    made, last = (told if told.tzinfo else told.replace(tzinfo=UTC) for told in (made, last))
    return made <= last


# ---------------------------------------------------------------- the whole policy


def _invalid(policy: Policy, comparison: Comparison) -> Iterator[str]:
    if policy.set_sha256 not in {None, comparison.set_info.sha256}:
        yield "the policy is bound to another question set"
    if not any(rule.required for rule in policy.rules):
        yield "the policy has no required rule"


def _reservations(policy: Policy, comparison: Comparison) -> Iterator[str]:
    if comparison.standing is not None:
        yield from comparison.standing.ceiling
    if comparison.exploratory:
        yield "the cutoff is exploratory"
    if not comparison.set_info.frozen:
        yield "the question set is not frozen"
    for side in Side:
        if not comparison.run(side).info.pinned:
            yield f"{side.letter} is not pinned to the set"
    missing = sum(
        n
        for ((_, a), (_, b)), n in comparison.row_pairs.count().items()
        if State.SCORED is not a.state or State.SCORED is not b.state
    )
    if missing > policy.max_missing:
        yield (
            f"{plural(missing, 'question')} missing or failed,"
            f" {policy.max_missing:,} {'is' if policy.max_missing == 1 else 'are'} allowed"
        )


def policy_warnings(policy: Policy) -> tuple[str, ...]:
    """Return what a policy alone gives reason to warn of."""
    floors = {"each_at_least", "mean_at_least"}
    supports = any(r.kind in floors and r.measure.key == "support" for r in policy.rules)
    answers = any(
        "max_over_abstained" in rule.keys
        or ("measure" in rule.keys and rule.measure.key == "coverage")
        for rule in policy.rules
    )
    return (NO_FLOOR,) if supports and not answers else ()


def _warnings(trial: Trial, policy: Policy) -> Iterator[str]:
    """Yield what the policy gives reason to warn of in front of this set."""
    for rule in policy.rules:
        if rule.kind == "non_inferior":
            yield from _margin_warning(rule, trial)
    if trial.comparison.unopened and policy.waivers:
        yield f"{plural(len(policy.waivers), 'waiver')} not counted: no question was opened yet"
        return
    if policy.waivers and trial.comparison.candidate.info.created is None:
        n = plural(len(policy.waivers), "waiver")
        yield f"{n} not counted: B does not say when it was made"
    known = set(trial.comparison.ids) if policy.waivers else set()
    strange = sum(waiver.question not in known for waiver in policy.waivers)
    if strange:
        yield f"{plural(strange, 'waiver')} of a question that the set does not hold"


def _margin_warning(rule: Rule, trial: Trial) -> Iterator[str]:
    margin, n = rule.fraction("margin"), resolution_of(rule, trial, trial.alpha).n
    if not margin:
        yield f"rule {quote(rule.id)}: a margin of 0 passes only where B is above A"
        return
    told = f"rule {quote(rule.id)}: a margin of {decimal(margin)} cannot pass with"
    pairs = plural(n, "paired question")
    if n < (needed := smallest_n(margin, trial.alpha)):
        yield f"{told} {pairs} even if nothing changed, {needed:,} are needed"
    elif (groups := unresolving_groups(rule, trial)) is not None:
        yield f"{told} {pairs} in {plural(groups, 'cluster')} even if nothing changed"
