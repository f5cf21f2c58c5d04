"""
The JSON documents of `score` and `compare`: what each key holds, and nothing about how it looks.

Questions are encoded one by one. What depends on a row of columns alone is encoded once per
distinct row, and records are read again only where a signal names claims or documents.
"""

from __future__ import annotations

import json
from array import array
from typing import TYPE_CHECKING, Final

from ragtui.cli.output import Elements, encode, encode_text
from ragtui.core.change import SignalKind, Verdict
from ragtui.core.entries import (
    absence_entry,
    aggregate_entries,
    change_entry,
    move_entry,
    own_entry,
    run_entry,
    set_entry,
    slice_entry,
    standing_entries,
    value_entry,
    verdict_counts,
)
from ragtui.core.measures import Form
from ragtui.core.pairing import HELD_CONSTANT
from ragtui.core.triage import Triage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from ragtui.cli.filtering import Listed
    from ragtui.core.columns import ChangeRow
    from ragtui.core.comparison import Comparison
    from ragtui.core.contract import Outcome
    from ragtui.core.gate import Ruling
    from ragtui.core.kernel import Spoken
    from ragtui.core.measures import Measure
    from ragtui.core.moves import Move
    from ragtui.core.pairing import Setting
    from ragtui.core.run import QuestionScore, ScoredRun
    from ragtui.errors import IncomparableError

__all__ = [
    "COMPARISON_SCHEMA",
    "KeptSignals",
    "QuestionEncoder",
    "comparison_document",
    "refusal_document",
    "score_document",
]

SCORE_SCHEMA: Final = "ragtui/score@1"
COMPARISON_SCHEMA: Final = "ragtui/comparison@1"

Entry = dict[str, object]


# ---------------------------------------------------------------- one run


def score_document(run: ScoredRun) -> Mapping[str, object]:
    """Return the document of one scored run, its questions read while it is written."""
    return {
        "schema": SCORE_SCHEMA,
        "contract": run.set_info.contract,
        "k": run.cutoff,
        "set": set_entry(run.set_info),
        "run": run_entry(run.run),
        "notices": list(run.notices),
        "exploratory": run.exploratory,
        "questions": Elements(_scored(run)),
        "own": {measure.key: own_entry(run.own(measure)) for measure in run.measures},
        **standing_entries(run.standing),
    }


def _scored(run: ScoredRun) -> Iterator[str]:
    if not run.withholds_questions:
        yield from (encode(_scored_entry(run, found)) for found in run.questions())


def _scored_entry(run: ScoredRun, found: QuestionScore) -> Entry:
    counts = found.outcome.counts
    return {
        "question": found.question.id,
        "state": counts.state.word,
        "repeats": found.repeats,
        "measures": {
            measure.key: value_entry(measure, measure.value(found.facts, counts, run.cutoff))
            for measure in run.measures
        },
        "claims": _claim_entries(found.outcome),
    }


def _claim_entries(outcome: Outcome) -> list[Entry] | None:
    """
    Return each claim and its judgement, which is `None` where nothing can be judged.

    Of several repeats each claim says which one stated it.
    """
    if outcome.repeats:
        from ragtui.core.explain import repeat_number  # noqa: PLC0415 - few runs have repeats

        return [
            {**entry, "repeat": repeat_number(outcome, position)}
            for position, one in enumerate(outcome.repeats)
            for entry in _claim_entries(one) or ()
        ]
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
    comparison: Comparison,
    shown: Listed,
    kept: KeptSignals | None = None,
    *,
    triage: Triage | None = None,
    ruling: Ruling | None = None,
) -> Mapping[str, object]:
    """Return the document of two compared runs; *shown* restricts the questions listed."""
    encoder = QuestionEncoder(comparison, kept)
    counts = (triage or Triage(comparison, {})).counts()
    document = {
        "schema": COMPARISON_SCHEMA,
        "contract": comparison.set_info.contract,
        "k": comparison.cutoff,
        "set": set_entry(comparison.set_info),
        "baseline": run_entry(comparison.baseline),
        "candidate": run_entry(comparison.candidate),
        "comparable": True,
        "notices": list(comparison.notices),
        "exploratory": comparison.exploratory,
        "held_constant": list(HELD_CONSTANT),
        "changed": [_setting_entry(setting) for setting in comparison.settings],
        "totals": {"questions": len(comparison), **verdict_counts(comparison.totals)},
        "order": Elements(_ids_in_order(comparison, shown)),
        "questions": Elements(map(encoder.encoded, shown.indexes)),
        "measures": aggregate_entries(comparison.aggregates),
        "slices": Elements(encode(slice_entry(part)) for part in comparison.slices),
        "na": Elements(_absences(comparison)),
        "policy": _policy_entry(ruling),
        "triage": counts._asdict(),
        **standing_entries(comparison.standing),
    }
    if shown.is_filtered:
        document["filter"] = shown.filter_text
    return document


def _policy_entry(ruling: Ruling | None) -> Mapping[str, object] | None:
    if ruling is None:
        return None
    from ragtui.core.policy_words import policy_entry  # noqa: PLC0415 - not without a policy

    return policy_entry(ruling)


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


def _ids_in_order(comparison: Comparison, shown: Listed) -> Iterator[str]:
    kept = None if len(shown.indexes) == len(comparison) else frozenset(shown.indexes)
    for index in comparison.order:
        if kept is None or index in kept:
            yield encode_text(comparison.ids[index])


_OPENINGS: Final = {kind: f'"{kind}:' for kind in SignalKind}
"""How the text of a signal with a subject begins; the words of kinds need no escapes."""


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
        comparison.on_signals = self._keep

    def encoded(self, index: int) -> tuple[str, str]:
        """Return the signals of one question, for B and against it, as JSON lists."""
        start = self._starts[index]
        if start < 0:
            return "[]", "[]"
        end = self._text.index(b"\n", start)
        plus, _, minus = self._text[start:end].decode("ascii").partition("\t")
        return plus, minus

    def _keep(self, index: int, plus: Sequence[Spoken], minus: Sequence[Spoken]) -> None:
        self._starts[index] = -1
        if plus or minus:
            self._starts[index] = len(self._text)
            self._text += f"{_encoded(plus)}\t{_encoded(minus)}\n".encode("ascii")


def _encoded(signals: Sequence[Spoken]) -> str:
    """Encode signals as files write them."""
    texts = [
        f'"{kind}"' if subject is None else f"{_OPENINGS[kind]}{encode_text(subject)[1:]}"
        for kind, subject in signals
    ]
    return f"[{','.join(texts)}]"


class QuestionEncoder:
    """Encodes the questions of one comparison, each distinct row once."""

    def __init__(self, comparison: Comparison, kept: KeptSignals | None = None) -> None:
        """Encode what rows of changes say and the moves of every measure."""
        self._comparison = comparison
        self._kept = kept
        self._changes = [_change_parts(row) for row in comparison.changes.values]
        measures = sorted(comparison.measures, key=lambda measure: measure.key)
        self._measures = [_measure_texts(comparison, measure) for measure in measures]
        self._pairs = comparison.row_pairs.codes

    def encoded(self, index: int) -> str:
        """Return one question as a JSON object with sorted keys."""
        comparison = self._comparison
        before, after = self._changes[comparison.changes.codes[index]]
        plus, minus = self._signals(index)
        code = self._pairs[index]
        measures = ",".join([of(index) if at is None else at[code] for at, of in self._measures])
        return (
            f'{{{before},"measures":{{{measures}}},"minus":{minus},"plus":{plus},'
            f'"question":{encode_text(comparison.ids[index])},{after}}}'
        )

    def signals(self, index: int) -> tuple[list[str], list[str]]:
        """Return what speaks for B and against it; records are read only where it was not kept."""
        plus, minus = map(json.loads, self._signals(index))
        return plus, minus

    def _signals(self, index: int) -> tuple[str, str]:
        if self._kept is not None:
            return self._kept.encoded(index)
        stages = self._comparison.changes[index].stages
        if all(verdict in {None, Verdict.UNCHANGED} for verdict in stages):
            return "[]", "[]"
        change = self._comparison.detail(index).change
        return _encoded(change.plus), _encoded(change.minus)


def _measure_texts(
    comparison: Comparison, measure: Measure
) -> tuple[list[str] | None, Callable[[int], str]]:
    """
    Return how to encode one measure with its key: by distinct pair of rows, or by question.

    A measure that is no ratio of counts has no text by pair of rows.
    """

    def text(move: Move) -> str:
        return f"{encode(measure.key)}:{encode(move_entry(measure, move))}"

    by_pair = None
    if measure.form is not Form.REAL:
        moves = comparison.moves(measure)
        texts = list(map(text, moves.distinct))
        by_pair = [texts[place] for place in moves.places]
    return by_pair, lambda index: text(comparison.move(measure, index))


def _change_parts(row: ChangeRow) -> tuple[str, str]:
    """Return what a row says, as the entries before and after a question's own."""
    found = change_entry(row)
    before = {key: found.pop(key) for key in ("causes", "flags")}
    return encode(before)[1:-1], encode(found)[1:-1]


def _absences(comparison: Comparison) -> Iterator[str]:
    for row in () if comparison.withholds_questions else comparison.absences:
        yield encode(absence_entry(comparison, row))
