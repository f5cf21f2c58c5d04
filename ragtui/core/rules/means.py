"""Rules on averages: a floor for one, and how far B may be below A or must be above it."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING, Final, NamedTuple

from ragtui.core.aggregate import own_mean
from ragtui.core.evidence import Side
from ragtui.core.interval import MIN_PAIRS, Resolution, padded_half_width, resolve
from ragtui.core.policy import Finding, Outcome
from ragtui.core.rules.keys import Form, Key, Kind
from ragtui.core.rules.wording import decimal, nothing_selected, signed_decimal
from ragtui.core.signflip import format_p
from ragtui.core.value import Absence, Score, delta
from ragtui.text import plural

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ragtui.core.comparison import Comparison
    from ragtui.core.measures import Facts, Measure
    from ragtui.core.policy import Rule, Trial
    from ragtui.core.value import Value

__all__ = [
    "MEAN_AT_LEAST",
    "NON_INFERIOR",
    "SUPERIOR",
    "HolmStep",
    "holm_steps",
    "mean_at_least",
    "non_inferior",
    "resolution_of",
    "smallest_n",
    "superior",
    "unresolving_groups",
]

MACRO: Final = "macro"
POOLED: Final = "pooled"


# ---------------------------------------------------------------- one average of B


def mean_at_least(rule: Rule, trial: Trial, waived: frozenset[int]) -> Finding:
    """
    Demand that the named average of B is at least `min`.

    Where the missing questions could move it across `min`, it is inconclusive.
    """
    del waived
    comparison, measure = trial.comparison, rule.measure
    least, average = rule.fraction("min"), rule.text("average")
    bound = f"{average} {measure.written(comparison.cutoff)} ≥ {decimal(least)}"
    selected = trial.measurable(rule)
    if not selected:
        return nothing_selected(bound)
    columns = comparison.candidate.columns
    distinct, places = columns.coded(measure, comparison.cutoff, selected)
    values = {distinct[place]: n for place, n in Counter(places).items()}
    found = (_macro if average == MACRO else _pooled)(measure, values, comparison.cutoff)
    figure = _average_words(found)
    if found.value is None or found.low < least <= found.high:
        missing = tuple(i for i in selected if _is_missing(comparison, measure, i))
        why = f"{plural(len(missing), 'question')} missing" if missing else "no value"
        return Finding(
            outcome=Outcome.INCONCLUSIVE, figure=figure, bound=bound, questions=missing, why=why
        )
    if found.value >= least:
        return Finding(outcome=Outcome.PASS, figure=figure, bound=bound)
    low = [isinstance(value, Score) and value.fraction < least for _, value in distinct]
    below = tuple(i for i, place in zip(selected, places, strict=True) if low[place])
    return Finding(outcome=Outcome.FAIL, figure=figure, bound=bound, questions=below)


class _Average(NamedTuple):
    """An average and where it would lie if the missing questions were known."""

    value: Fraction | None
    low: Fraction
    high: Fraction
    n: int
    missing: int


def _average_words(found: _Average) -> str:
    if found.value is None:
        return f"no value (n 0, {found.missing:,} missing)"
    told = f"{decimal(found.value)} (n {found.n:,})"
    if found.missing:
        told += f", {decimal(found.low)} to {decimal(found.high)} with {found.missing:,} missing"
    return told


def _macro(measure: Measure, values: Mapping[tuple[Facts, Value], int], cutoff: int) -> _Average:
    del cutoff
    own = own_mean(measure, values)
    low, high = own.low, own.high
    return _Average(
        own.mean,
        Fraction(0) if low is None else low,
        Fraction(1) if high is None else high,
        own.n,
        own.missing,
    )


def _pooled(measure: Measure, values: Mapping[tuple[Facts, Value], int], cutoff: int) -> _Average:
    """
    Pool numerators and denominators.

    A missing question adds its whole denominator and none or all of it on top, where the labels
    say what that is; else nothing bounds the ratio.
    """
    own = own_mean(measure, values)
    num, den = Fraction(own.num), own.den
    hidden = _hidden_denominators(measure, values, cutoff)
    low, high = Fraction(0), Fraction(1)
    if hidden is not None and den + hidden:
        low, high = num / (den + hidden), (num + hidden) / (den + hidden)
    return _Average(num / den if den else None, low, high, own.n, own.missing)


def _hidden_denominators(
    measure: Measure, values: Mapping[tuple[Facts, Value], int], cutoff: int
) -> int | None:
    """Add up the denominators of missing questions; `None` when one is not known."""
    total = 0
    for (facts, value), n in values.items():
        if isinstance(value, Score) or value.absence is not Absence.MISSING:
            continue
        known = {
            "precision": None if facts.relevant is None else cutoff,
            "recall": facts.relevant,
            "coverage": facts.expected,
        }.get(measure.key)
        if known is None:
            return None
        total += known * n
    return total


def _is_missing(comparison: Comparison, measure: Measure, index: int) -> bool:
    value = comparison.value(Side.CANDIDATE, measure, index)
    return not isinstance(value, Score) and value.absence is Absence.MISSING


MEAN_AT_LEAST: Final = Kind(
    mean_at_least,
    (
        Key("measure", Form.MEASURE),
        Key("average", Form.WORD, words=(MACRO, POOLED)),
        Key("min", Form.NUMBER, most=Fraction(1)),
    ),
    has_where=True,
)


# ---------------------------------------------------------------- B against A


def resolution_of(rule: Rule, trial: Trial, alpha: Fraction) -> Resolution:
    """Return what the paired differences of the selected questions show."""
    key = rule.id, alpha
    found = trial.resolutions.get(key)
    if found is None:
        found = trial.resolutions[key] = _resolution(rule, trial, alpha)
    return found


def _resolution(rule: Rule, trial: Trial, alpha: Fraction) -> Resolution:
    comparison, indexes = trial.comparison, trial.measurable(rule)
    deltas: Counter[Fraction] = Counter()
    for (_, a, b), n in comparison.pairs(rule.measure, indexes).items():
        if (moved := delta(a, b)) is not None:
            deltas[moved] += n
    groups = _groups(comparison, rule.measure, indexes) if comparison.clustered else None
    return resolve(deltas, confidence=float(1 - alpha), groups=groups)


def _groups(
    comparison: Comparison, measure: Measure, indexes: Sequence[int]
) -> list[Mapping[Fraction, int]]:
    """Part the differences by cluster, a question without one being a group of its own."""
    found: dict[object, Counter[Fraction]] = {}
    for index in indexes:
        moved = comparison.delta(measure, index)
        if moved is not None:
            name = comparison.labels[index].cluster
            key: object = index if name is None else name
            found.setdefault(key, Counter())[moved] += 1
    return list(found.values())


def _delta_words(found: Resolution) -> str:
    if found.mean is None:
        return "no paired question"
    told = f"Δ {signed_decimal(found.mean)} (n {found.n:,})"
    if found.interval is None:
        return told
    low, high = signed_decimal(found.interval.low), signed_decimal(found.interval.high)
    return f"{told}, {found.interval.confidence:.4g} interval {low} to {high}"


def _few(found: Resolution, least: int) -> str:
    """Say why there are too few questions; nothing when there are enough."""
    if found.interval is None:
        note = found.notes[0] if found.notes else ""
        return note or f"0 paired questions, {MIN_PAIRS} are needed"
    needed = max(MIN_PAIRS, least)
    return f"{found.n:,} paired questions, {needed:,} are needed" if found.n < needed else ""


def non_inferior(rule: Rule, trial: Trial, waived: frozenset[int]) -> Finding:
    """
    Demand that B is not below A by `margin` or more.

    The lower limit of the interval above -margin passes, the upper one below it fails, everything
    else is inconclusive, and so are fewer paired questions than 10 or `min_n`.
    """
    del waived
    margin = rule.fraction("margin")
    name = rule.measure.written(trial.comparison.cutoff)
    bound = f"{name}: lower limit above {signed_decimal(-margin)}"
    if not trial.measurable(rule):
        return nothing_selected(bound)
    found = resolution_of(rule, trial, trial.alpha)
    figure = _delta_words(found)
    few = _few(found, rule.whole("min_n"))
    if few or found.interval is None:
        return Finding(outcome=Outcome.INCONCLUSIVE, figure=figure, bound=bound, why=few)
    if found.interval.low > -margin:
        return Finding(outcome=Outcome.PASS, figure=figure, bound=bound)
    lower = _lower_in_b(rule, trial)
    if found.interval.high < -margin:
        return Finding(outcome=Outcome.FAIL, figure=figure, bound=bound, questions=lower)
    why = "the interval holds the margin"
    return Finding(
        outcome=Outcome.INCONCLUSIVE, figure=figure, bound=bound, questions=lower, why=why
    )


def _lower_in_b(rule: Rule, trial: Trial) -> tuple[int, ...]:
    """Return the selected questions on which B is below A: those that pull the mean down."""
    comparison, indexes = trial.comparison, trial.measurable(rule)
    (told_a, at_a), (told_b, at_b) = (
        comparison.run(side).columns.coded(rule.measure, comparison.cutoff, indexes)
        for side in Side
    )
    moves = {
        pair: delta(told_a[pair[0]][1], told_b[pair[1]][1])
        for pair in set(zip(at_a, at_b, strict=True))
    }
    lower = {pair for pair, moved in moves.items() if moved is not None and moved < 0}
    return tuple(
        i for i, pair in zip(indexes, zip(at_a, at_b, strict=True), strict=True) if pair in lower
    )


NON_INFERIOR: Final = Kind(
    non_inferior,
    (
        Key("measure", Form.MEASURE),
        Key("margin", Form.NUMBER, most=Fraction(1)),
        Key("min_n", Form.COUNT, required=False),
    ),
    has_where=True,
)


def smallest_n(margin: Fraction, alpha: Fraction) -> int:
    """
    Return how few questions `non_inferior` can pass with, if none of them changed.

    >>> [smallest_n(Fraction(n, 100), Fraction(1, 20)) for n in (10, 5, 3, 2, 1)]
    [28, 56, 93, 139, 277]
    """
    if not margin:
        raise ValueError("no number of questions is enough for a margin of 0")
    low, high = MIN_PAIRS - 1, MIN_PAIRS
    while not _is_enough(high, margin, alpha):
        low, high = high, high * 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _is_enough(middle, margin, alpha) else (middle, high)
    return high


def unresolving_groups(rule: Rule, trial: Trial) -> int | None:
    """
    Return in how many clusters the pairs of `non_inferior` stand, if too few for its margin.

    Too few are those whose interval would hold the margin although nothing changed; `None`: they
    are enough, or no question shares a cluster.
    """
    comparison = trial.comparison
    if not comparison.clustered:
        return None
    groups = _groups(comparison, rule.measure, trial.measurable(rule))
    same = [Counter({Fraction(0): sum(group.values())}) for group in groups]
    pairs = Counter({Fraction(0): sum(sum(group.values()) for group in same)})
    found = resolve(pairs, confidence=float(1 - trial.alpha), groups=same).interval
    enough = found is not None and found.low > -rule.fraction("margin")
    return None if enough else len(groups)


def _is_enough(n: int, margin: Fraction, alpha: Fraction) -> bool:
    return padded_half_width({Fraction(0): n}, float(1 - alpha)) < margin


# ---------------------------------------------------------------- B above A


class HolmStep(NamedTuple):
    """The error level of one of several rules, and whether the steps before it were taken."""

    alpha: Fraction
    is_reached: bool


def holm_steps(p_values: Mapping[str, float], alpha: Fraction) -> dict[str, HolmStep]:
    """
    Share the error level *alpha* among rules by Holm's step-down rule (Holm 1979).

    The i-th smallest of m p values is held against alpha/(m - i + 1); the first that is larger
    ends it, and equal ones go by name. *p_values* are by rule id.

    >>> steps = holm_steps({"a": 0.04, "b": 0.01, "c": 0.02}, Fraction(3, 50))
    >>> steps["b"], steps["c"].alpha, steps["a"].is_reached
    (HolmStep(alpha=Fraction(1, 50), is_reached=True), Fraction(3, 100), True)
    """
    steps = {}
    is_reached = True
    for rank, rule in enumerate(sorted(p_values, key=lambda name: (p_values[name], name))):
        level = alpha / (len(p_values) - rank)
        steps[rule] = HolmStep(level, is_reached)
        is_reached = is_reached and p_values[rule] <= float(level)
    return steps


def superior(rule: Rule, trial: Trial, waived: frozenset[int]) -> Finding:
    """
    Demand that B is above A by more than `min_gain`.

    All superior rules of a policy share its error level by Holm's rule: the i-th smallest p of m
    passes at most at alpha/(m - i + 1), with the interval at one minus that as its confidence.
    """
    del waived
    gain = rule.fraction("min_gain")
    family = {other.id: _p(other, trial) for other in trial.rules if other.kind == rule.kind}
    step = holm_steps(family, trial.alpha)[rule.id]
    name = rule.measure.written(trial.comparison.cutoff)
    bound = f"{name}: lower limit above {signed_decimal(gain)}, p ≤ {float(step.alpha):.4g}"
    if not trial.measurable(rule):
        return nothing_selected(bound)
    found = resolution_of(rule, trial, step.alpha)
    figure = _delta_words(found)
    few = _few(found, 0)
    if few or found.interval is None or found.p is None:
        return Finding(outcome=Outcome.INCONCLUSIVE, figure=figure, bound=bound, why=few)
    figure += f", {format_p(found.p)}"
    if found.interval.high < gain:
        lower = _lower_in_b(rule, trial)
        return Finding(outcome=Outcome.FAIL, figure=figure, bound=bound, questions=lower)
    why = _not_superior(found, gain, step)
    if not why:
        return Finding(outcome=Outcome.PASS, figure=figure, bound=bound)
    return Finding(
        outcome=Outcome.INCONCLUSIVE,
        figure=figure,
        bound=bound,
        questions=_lower_in_b(rule, trial),
        why=why,
    )


def _p(rule: Rule, trial: Trial) -> float:
    """Return the sign-flip p of a rule; 1 where there is none."""
    p = resolution_of(rule, trial, trial.alpha).p
    return 1.0 if p is None else p.value


def _not_superior(found: Resolution, gain: Fraction, step: HolmStep) -> str:
    if found.interval is None or found.interval.low <= gain:
        return "the interval holds the gain demanded"
    if found.p is None or found.p.value > float(step.alpha):
        return "the p value is above its level"
    return "" if step.is_reached else "a rule with a smaller p did not pass its level"


SUPERIOR: Final = Kind(
    superior,
    (Key("measure", Form.MEASURE), Key("min_gain", Form.NUMBER)),
    has_where=True,
)
