from __future__ import annotations

import json

from hypothesis import given

from ragtui.cli.documents import (
    KeptSignals,
    QuestionEncoder,
    comparison_document,
)
from ragtui.cli.filtering import Listed
from ragtui.cli.output import json_document
from ragtui.core.change import Verdict
from ragtui.core.entries import value_entry
from ragtui.core.evidence import Side
from tests.builders import Case, questions_with_records


@given(questions_with_records(max_size=5, permissions=True))
def test_an_encoded_question_says_what_its_records_say(case: Case) -> None:
    """Rows are encoded once each, yet every entry is that of the question read and scored anew."""
    comparison = case.compare()
    encoder = QuestionEncoder(comparison)
    for index in range(len(comparison)):
        entry = json.loads(encoder.encoded(index))
        detail = comparison.detail(index)
        change = detail.change
        assert list(entry) == sorted(entry)
        assert entry["question"] == detail.question.id
        assert entry["verdict"] == change.verdict.value
        assert entry["severity"] == (change.severity.name if change.severity is not None else None)
        assert entry["plus"] == [str(signal) for signal in change.plus]
        assert entry["minus"] == [str(signal) for signal in change.minus]
        assert entry["causes"] == [cause.value for cause in change.causes]
        assert entry["flags"] == [flag.value for flag in change.flags]
        for measure in comparison.measures:
            for side in Side:
                value = measure.value(detail.facts, detail.outcome(side).counts, comparison.cutoff)
                told = entry["measures"][measure.key]["ab"[side]]
                assert told == value_entry(measure, value)


@given(questions_with_records(max_size=5))
def test_signals_that_were_kept_are_those_that_are_read(case: Case) -> None:
    """Keeping them while loading spares a second reading and changes no byte."""
    read, filled = case.compare(), case.compare()
    kept = KeptSignals()
    kept.attach(filled)
    for index, question in enumerate(case.questions):
        filled.put(index, question, *(filled.evidence.record(side, index) for side in Side))
    everything = Listed("", range(len(read)), len(read))
    documents = (
        comparison_document(read, everything),
        comparison_document(filled, everything, kept),
    )
    texts = ["".join(json_document(document)) for document in documents]
    assert texts[0] == texts[1]


@given(questions_with_records(max_size=6))
def test_totals_of_a_document_add_up(case: Case) -> None:
    """Every question has one verdict, every measure accounts for every question."""
    comparison = case.compare()
    everything = Listed("", range(len(comparison)), len(comparison))
    document = json.loads("".join(json_document(comparison_document(comparison, everything))))
    totals = document["totals"]
    assert sum(totals[verdict.value.replace("-", "_")] for verdict in Verdict) == len(comparison)
    assert sorted(document["order"]) == sorted(comparison.ids)
    needing = [q for q in document["questions"] if q["severity"] is not None]
    assert document["triage"] == {"decided": 0, "undecided": len(needing), "stale": 0}
    for measure in document["measures"].values():
        paired = measure["paired"]
        ways = ("up", "down", "equal", "became_na", "became_defined", "na_both", "missing")
        assert sum(paired[way] for way in ways) == len(comparison)
        assert paired["n"] == paired["up"] + paired["down"] + paired["equal"]
        for side in ("a", "b"):
            own = measure["own"][side]
            assert own["n"] + own["na"] + own["missing"] == len(comparison)
    for absence in document["na"]:
        assert absence["questions"]
