"""
The JSON documents of `score` and `compare`: what each key holds, and nothing about how it looks.

Questions are encoded one by one. What depends on a row of columns alone is encoded once per
distinct row, and records are read again only where a signal names claims or documents.
"""

from __future__ import annotations

import json
from array import array
from typing import TYPE_CHECKING, Final

from ragtui.cli.output import Elements, encode
from ragtui.core.change import Verdict, measure_change
from ragtui.core.evidence import Side
from ragtui.core.measures import Form
from ragtui.core.pairing import HELD_CONSTANT
from ragtui.core.value import NotAvailable, delta

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from fractions import Fraction

    from ragtui.cli.filtering import Listed
    from ragtui.core.aggregate import Aggregate, Own
    from ragtui.core.change import Change, Signal
    from ragtui.core.columns import ChangeRow
    from ragtui.core.comparison import AbsenceRow, Comparison, SideRun
    from ragtui.core.contract import Counts, Outcome
    from ragtui.core.interval import Interval
    from ragtui.core.measures import Facts, Measure
    from ragtui.core.model import SetInfo
    from ragtui.core.pairing import Setting
    from ragtui.core.run import QuestionScore, ScoredRun
    from ragtui.core.signflip import PValue
    from ragtui.core.slices import Slice
    from ragtui.core.value import Value
    from ragtui.errors import IncomparableError

__all__ = [
    "COMPARISON_SCHEMA",
    "KeptSignals",
    "QuestionEncoder",
    "comparison_document",
    "number",
    "refusal_document",
    "score_document",
    "value_entry",
]

SCORE_SCHEMA: Final = "ragtui/score@1"
COMPARISON_SCHEMA: Final = "ragtui/comparison@1"

Entry = dict[str, object]


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
    """
    if isinstance(value, NotAvailable):
        return {"value": None, "na": value.value}
    if measure.form is Form.YES_NO:
        return {"value": bool(value.num)}
    if measure.form is Form.REAL:
        return {"value": value.real}
    if measure.form is Form.COUNT:
        return {"value": value.num}
    return {"value": value.real, "num": value.num, "den": value.den}


def _own_entry(own: Own) -> Entry:
    return {
        "mean": number(own.mean),
        "n": own.n,
        "na": own.na,
        "missing": own.missing,
        "bounds": None if own.low is None else [number(own.low), number(own.high)],
    }


def _set_entry(info: SetInfo) -> Entry:
    return {
        "id": info.id,
        "version": info.version,
        "sha256": info.sha256,
        "frozen": info.frozen,
    }


def _run_entry(side: SideRun) -> Entry:
    return {
        "id": side.info.id,
        "pinned": side.info.pinned,
        "records_sha256": side.info.records_sha256,
    }


# ---------------------------------------------------------------- one run


def score_document(run: ScoredRun) -> Mapping[str, object]:
    """Return the document of one scored run, its questions read while it is written."""
    return {
        "schema": SCORE_SCHEMA,
        "contract": run.set_info.contract,
        "k": run.cutoff,
        "set": _set_entry(run.set_info),
        "run": _run_entry(run.run),
        "notices": list(run.notices),
        "exploratory": run.exploratory,
        "questions": Elements(encode(_scored_entry(run, found)) for found in run.questions()),
        "own": {measure.key: _own_entry(run.own(measure)) for measure in run.measures},
    }


def _scored_entry(run: ScoredRun, found: QuestionScore) -> Entry:
    counts = found.outcome.counts
    return {
        "question": found.question.id,
        "state": counts.state.word,
        "repeats": 0 if counts.state.word == "missing" else 1,
        "measures": {
            measure.key: value_entry(measure, measure.value(found.facts, counts, run.cutoff))
            for measure in run.measures
        },
        "claims": _claim_entries(found.outcome),
    }


def _claim_entries(outcome: Outcome) -> list[Entry] | None:
    """Return each claim and its judgement, which is `None` where nothing can be judged."""
    if outcome.stated is None:
        return None
    if outcome.claims is None:
        return [{"claim": c, "supported": None, "reason": None} for c, _ in outcome.stated]
    return [
        {"claim": c.claim, "supported": c.supported, "reason": c.reason and c.reason.value}
        for c in outcome.claims
    ]


# ---------------------------------------------------------------- two runs


def comparison_document(
    comparison: Comparison, shown: Listed, kept: KeptSignals | None = None
) -> Mapping[str, object]:
    """Return the document of two compared runs; *shown* restricts the questions listed."""
    encoder = QuestionEncoder(comparison, kept)
    needing = sum(n for row, n in comparison.changes.count().items() if row.severity is not None)
    document = {
        "schema": COMPARISON_SCHEMA,
        "contract": comparison.set_info.contract,
        "k": comparison.cutoff,
        "set": _set_entry(comparison.set_info),
        "baseline": _run_entry(comparison.baseline),
        "candidate": _run_entry(comparison.candidate),
        "comparable": True,
        "notices": list(comparison.notices),
        "exploratory": comparison.exploratory,
        "held_constant": list(HELD_CONSTANT),
        "changed": [_setting_entry(setting) for setting in comparison.settings],
        "totals": {"questions": len(comparison), **_verdict_counts(comparison.totals)},
        "order": Elements(_ids_in_order(comparison, shown)),
        "questions": Elements(map(encoder.encoded, shown.indexes)),
        "measures": _aggregates(comparison.aggregates),
        "slices": Elements(encode(_slice_entry(part)) for part in comparison.slices),
        "na": Elements(_absences(comparison)),
        "policy": None,
        "triage": {"decided": 0, "undecided": needing, "stale": 0},
    }
    if shown.is_filtered:
        document["filter"] = shown.filter_text
    return document


def refusal_document(error: IncomparableError) -> Mapping[str, object]:
    """Return the document of two runs that may not be compared."""
    return {
        "schema": COMPARISON_SCHEMA,
        "comparable": False,
        "reasons": [
            {
                "what": reason.what,
                "a": reason.baseline,
                "b": reason.candidate,
                "sentence": reason.sentence,
                "questions": list(reason.questions),
            }
            for reason in error.reasons
        ],
    }


def _setting_entry(setting: Setting) -> Entry:
    return {"key": setting.key, "a": setting.baseline, "b": setting.candidate}


def _verdict_counts(counted: Mapping[Verdict, int]) -> Entry:
    return {verdict.value.replace("-", "_"): counted[verdict] for verdict in Verdict}


def _ids_in_order(comparison: Comparison, shown: Listed) -> Iterator[str]:
    kept = None if len(shown.indexes) == len(comparison) else frozenset(shown.indexes)
    for index in comparison.order:
        if kept is None or index in kept:
            yield encode(comparison.ids[index])


class KeptSignals:
    """
    What speaks for B and against it, question by question, kept while a comparison is loaded.

    Kept as text in one block: some hundred bytes of a question that moved, nothing of any other.
    """

    def __init__(self) -> None:
        """Start with nothing."""
        self._text = bytearray()
        self._starts = array("q")

    def attach(self, comparison: Comparison) -> None:
        """Listen to a comparison whose rows are about to be filled."""
        self._starts = array("q", [-1]) * len(comparison)
        comparison.on_change = self._keep

    def of(self, index: int) -> tuple[list[str], list[str]]:
        """Return the signals of one question as files write them."""
        start = self._starts[index]
        if start < 0:
            return [], []
        end = self._text.index(b"\n", start)
        plus, minus = json.loads(self._text[start:end])
        return plus, minus

    def _keep(self, index: int, change: Change) -> None:
        if change.plus or change.minus:
            self._starts[index] = len(self._text)
            sides = [_signal_texts(change.plus), _signal_texts(change.minus)]
            self._text += f"{encode(sides)}\n".encode("ascii")


def _signal_texts(signals: Sequence[Signal]) -> list[str]:
    return [str(signal) for signal in signals]


class QuestionEncoder:
    """Encodes the questions of one comparison, each distinct row once."""

    def __init__(self, comparison: Comparison, kept: KeptSignals | None = None) -> None:
        """Prepare what rows of changes say; the measures are encoded when they are met."""
        self._comparison = comparison
        self._kept = kept
        self._changes = [_change_parts(row) for row in comparison.changes.values]
        self._pairs = comparison.row_pairs
        self._measures: dict[int, str] = {}
        self._by_row = all(measure.form is not Form.REAL for measure in comparison.measures)

    def encoded(self, index: int) -> str:
        """Return one question as a JSON object with sorted keys."""
        comparison = self._comparison
        before, after = self._changes[comparison.changes.codes[index]]
        plus, minus = self.signals(index)
        return (
            f'{{{before},"measures":{self._measured(index)},"minus":{encode(minus)},'
            f'"plus":{encode(plus)},"question":{encode(comparison.ids[index])},{after}}}'
        )

    def signals(self, index: int) -> tuple[list[str], list[str]]:
        """Return what speaks for B and against it; records are read only where it was not kept."""
        if self._kept is not None:
            return self._kept.of(index)
        stages = self._comparison.changes[index].stages
        if all(verdict in {None, Verdict.UNCHANGED} for verdict in stages):
            return [], []
        change = self._comparison.detail(index).change
        return _signal_texts(change.plus), _signal_texts(change.minus)

    def _measured(self, index: int) -> str:
        if not self._by_row:
            rows = [self._row(side, index) for side in Side]
            return encode(_measure_entries(self._comparison, rows[0], rows[1]))
        code = self._pairs.codes[index]
        found = self._measures.get(code)
        if found is None:
            found = encode(_measure_entries(self._comparison, *self._pairs.values[code]))
            self._measures[code] = found
        return found

    def _row(self, side: Side, index: int) -> tuple[Facts, Counts]:
        return self._comparison.facts(index), self._comparison.counts(side, index)


def _change_parts(row: ChangeRow) -> tuple[str, str]:
    """Return what a row says, as the entries before and after a question's own."""
    before = {"causes": [c.value for c in row.causes], "flags": [f.value for f in row.flags]}
    after = {
        "severity": None if row.severity is None else row.severity.name,
        "stages": {
            name: None if verdict is None else verdict.value
            for name, verdict in row.stages._asdict().items()
        },
        "verdict": row.verdict.value,
    }
    return encode(before)[1:-1], encode(after)[1:-1]


def _measure_entries(
    comparison: Comparison, row_a: tuple[Facts, Counts], row_b: tuple[Facts, Counts]
) -> Entry:
    found: Entry = {}
    for measure in comparison.measures:
        a, b = (measure.value(*row, comparison.cutoff) for row in (row_a, row_b))
        found[measure.key] = {
            "a": value_entry(measure, a),
            "b": value_entry(measure, b),
            "change": measure_change(measure, row_a[0], a, b).value,
            "delta": number(delta(a, b)),
        }
    return found


# ---------------------------------------------------------------- aggregates


def _aggregates(aggregates: Sequence[Aggregate]) -> Entry:
    return {found.measure.key: _aggregate_entry(found) for found in aggregates}


def _aggregate_entry(found: Aggregate) -> Entry:
    paired, resolution = found.paired, found.resolution
    return {
        "own": {"a": _own_entry(found.own_baseline), "b": _own_entry(found.own_candidate)},
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
            "a": dict(zip(("num", "den"), found.pooled.baseline, strict=True)),
            "b": dict(zip(("num", "den"), found.pooled.candidate, strict=True)),
        },
        "interval": None if resolution is None else _interval_entry(resolution.interval),
        "p": None if resolution is None else _p_entry(resolution.p),
        "words": None if resolution is None else resolution.words,
        "notes": [] if resolution is None else list(resolution.notes),
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


def _slice_entry(part: Slice) -> Entry:
    return {
        "slice": part.name,
        "questions": part.questions,
        **_verdict_counts(part.verdicts),
        "measures": _aggregates(part.aggregates),
    }


def _absences(comparison: Comparison) -> Iterator[str]:
    for row in comparison.absences:
        yield encode(_absence_entry(comparison, row))


def _absence_entry(comparison: Comparison, row: AbsenceRow) -> Entry:
    return {
        "measure": row.measure.key,
        "code": row.code.value,
        "side": row.side,
        "questions": [comparison.ids[index] for index in comparison.absent_questions(row)],
    }
