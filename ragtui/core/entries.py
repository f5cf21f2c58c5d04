"""
What scores, changes and aggregates are in JSON: plain dictionaries under the keys that files use.

Values are JSON types; an exact number becomes a float, what is not available is `None` with its
reason beside it.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from ragtui.core.change import Verdict
from ragtui.core.measures import Form, structural
from ragtui.core.moves import Move
from ragtui.core.value import NotAvailable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import TypeAlias

    from ragtui.core.aggregate import Aggregate, Own, PooledDifference
    from ragtui.core.columns import ChangeRow
    from ragtui.core.comparison import AbsenceRow, Comparison, SideRun
    from ragtui.core.contract import Counts
    from ragtui.core.interval import Interval
    from ragtui.core.measures import Facts, Measure
    from ragtui.core.model import SetInfo
    from ragtui.core.signflip import PValue
    from ragtui.core.slices import Slice
    from ragtui.core.standing import Standing
    from ragtui.core.value import Value

    Entry: TypeAlias = dict[str, object]

__all__ = [
    "absence_entry",
    "aggregate_entries",
    "aggregate_entry",
    "change_entry",
    "measure_entries",
    "move_entry",
    "number",
    "own_entry",
    "run_entry",
    "set_entry",
    "slice_entry",
    "standing_entries",
    "value_entry",
    "verdict_counts",
]


def number(value: Fraction | None) -> float | None:
    """
    Return an exact number as JSON holds it.

    >>> from fractions import Fraction
    >>> number(Fraction(1, 6)), number(None)
    (0.16666666666666666, None)
    """
    return None if value is None else float(value)


def value_entry(measure: Measure, value: Value) -> Entry:
    """
    Return one value with what it was counted from, or the reason why there is none.

    >>> from ragtui.core.measures import measure_named
    >>> from ragtui.core.value import Score
    >>> value_entry(measure_named("rr"), Score(1, 2))
    {'value': 0.5, 'num': 1, 'den': 2}
    >>> value_entry(measure_named("support"), NotAvailable.NO_CLAIMS)
    {'value': None, 'na': 'no-claims'}
    >>> value_entry(measure_named("abstention"), Score(1))
    {'value': True}
    >>> from ragtui.core.value import mean_of
    >>> value_entry(measure_named("abstention"), mean_of([Score(1), Score(0), Score(1), Score(1)]))
    {'value': 0.75, 'defined': 4, 'recorded': 4}
    """
    if isinstance(value, NotAvailable):
        return {"value": None, "na": value.value}
    if value.over is not None:
        return {
            "value": value.real,
            "defined": value.over.defined,
            "recorded": value.over.recorded,
        }
    if measure.form is Form.YES_NO:
        return {"value": bool(value.num)}
    if measure.form is Form.REAL:
        return {"value": value.real}
    if measure.form is Form.COUNT:
        return {"value": value.num}
    return {"value": value.real, "num": value.num, "den": value.den}


def set_entry(info: SetInfo) -> Entry:
    """Return which question set it is."""
    return {
        "id": info.id,
        "version": info.version,
        "sha256": info.sha256,
        "frozen": info.frozen,
    }


def standing_entries(standing: Standing | None) -> Entry:
    """Return how a held-out set stands under the key `held_out`; nothing of a development set."""
    if standing is None:
        return {}
    entry = {
        "state": standing.state.value,
        "spent_because": standing.spent_because,
        "number": standing.number,
        "candidates": standing.candidates,
        "budget": standing.budget,
        "depth": standing.depth.value,
        "policy_before": standing.policy_before,
        "inherited": [found.words for found in standing.inherited],
        "ledger": {
            "lines": standing.lines,
            "head": standing.head,
            "broken": None if standing.broken is None else standing.broken.words,
        },
    }
    return {"held_out": entry}


def run_entry(side: SideRun) -> Entry:
    """Return which run it is."""
    return {
        "id": side.info.id,
        "pinned": side.info.pinned,
        "records_sha256": side.info.records_sha256,
    }


def verdict_counts(counted: Mapping[Verdict, int]) -> Entry:
    """Return numbers of questions by verdict."""
    return {verdict.value.replace("-", "_"): counted[verdict] for verdict in Verdict}


# ---------------------------------------------------------------- one question


def change_entry(row: ChangeRow) -> Entry:
    """Return what is said about one question, without the ids behind it."""
    return {
        "verdict": row.verdict.value,
        "severity": None if row.severity is None else row.severity.name,
        "stages": {
            name: None if verdict is None else verdict.value
            for name, verdict in row.stages._asdict().items()
        },
        "causes": [cause.value for cause in row.causes],
        "flags": [flag.value for flag in row.flags],
    }


def move_entry(measure: Measure, move: Move) -> Entry:
    """Return one measure of one question in A and in B."""
    return {
        "a": value_entry(measure, move.baseline),
        "b": value_entry(measure, move.candidate),
        "change": move.change(measure).value,
        "delta": number(move.delta),
    }


def measure_entries(
    comparison: Comparison, row_a: tuple[Facts, Counts], row_b: tuple[Facts, Counts]
) -> Entry:
    """Return every measure of one question, from what each run counted on it."""
    found: Entry = {}
    for measure in comparison.measures:
        a, b = (measure.value(*row, comparison.cutoff) for row in (row_a, row_b))
        found[measure.key] = move_entry(measure, Move(structural(measure, row_a[0]), a, b))
    return found


# ---------------------------------------------------------------- aggregates


def own_entry(own: Own) -> Entry:
    """Return one run's own mean with its counts and bounds."""
    return {
        "mean": number(own.mean),
        "n": own.n,
        "na": own.na,
        "missing": own.missing,
        "bounds": None if own.low is None else [number(own.low), number(own.high)],
    }


def aggregate_entries(aggregates: Sequence[Aggregate]) -> Entry:
    """Return aggregates by the key of their measure."""
    return {found.measure.key: aggregate_entry(found) for found in aggregates}


def aggregate_entry(found: Aggregate) -> Entry:
    """Return everything said about one measure over some questions."""
    paired, resolution = found.paired, found.resolution
    return {
        "own": {"a": own_entry(found.own_baseline), "b": own_entry(found.own_candidate)},
        "paired": {
            "a": number(paired.baseline),
            "b": number(paired.candidate),
            "delta": number(paired.delta),
            "n": paired.n,
            "changed": paired.changed,
            "up": paired.up,
            "down": paired.down,
            "equal": paired.equal,
            "became_na": paired.became_na,
            "became_defined": paired.became_defined,
            "na_both": paired.na_both,
            "missing": paired.missing,
        },
        "pooled": None
        if found.pooled is None
        else {
            "a": _pooled_entry(found.pooled.baseline),
            "b": _pooled_entry(found.pooled.candidate),
        },
        "pooled_difference": _difference_entry(found.pooled_difference),
        "interval": None if resolution is None else _interval_entry(resolution.interval),
        "p": None if resolution is None else _p_entry(resolution.p),
        "words": None if resolution is None else resolution.words,
        "notes": [] if resolution is None else list(resolution.notes),
    }


def _pooled_entry(sums: tuple[int | Fraction, int | Fraction]) -> Entry:
    num, den = (float(n) if isinstance(n, Fraction) else n for n in sums)
    return {"num": num, "den": den}


def _difference_entry(found: PooledDifference | None) -> Entry | None:
    if found is None:
        return None
    return {
        "value": float(found.value),
        "n": found.n,
        "interval": _interval_entry(found.interval),
    }


def _interval_entry(interval: Interval | None) -> Entry | None:
    if interval is None:
        return None
    return {
        "low": interval.low,
        "high": interval.high,
        "confidence": interval.confidence,
        "note": interval.note,
    }


def _p_entry(p: PValue | None) -> Entry | None:
    return None if p is None else {"value": p.value, "method": p.method, "floor": p.floor}


def slice_entry(part: Slice) -> Entry:
    """Return one slice."""
    return {
        "slice": part.name,
        "questions": part.questions,
        **verdict_counts(part.verdicts),
        "measures": aggregate_entries(part.aggregates),
    }


def absence_entry(comparison: Comparison, row: AbsenceRow) -> Entry:
    """Return the questions on which one measure has no value for one reason."""
    return {
        "measure": row.measure.key,
        "code": row.code.value,
        "side": row.side,
        "questions": [comparison.ids[index] for index in comparison.absent_questions(row)],
    }
