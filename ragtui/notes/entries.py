"""The note for programs: every figure, what it was counted from, and every decision."""

from __future__ import annotations

from math import isinf
from typing import TYPE_CHECKING, Final

from ragtui.core.entries import (
    absence_entry,
    aggregate_entries,
    change_entry,
    measure_entries,
    run_entry,
    set_entry,
    slice_entry,
    standing_entries,
    verdict_counts,
)
from ragtui.core.evidence import Side
from ragtui.core.model import CONTRACT
from ragtui.core.pairing import HELD_CONSTANT
from ragtui.core.triage import Standing
from ragtui.notes.definitions import NOT_MEASURED
from ragtui.notes.disputes import agreement_entries, labelling_entries
from ragtui.notes.policy import ruling_entry
from ragtui.notes.privacy import setting_value, without_places

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragtui.core.columns import ChangeRow
    from ragtui.core.comparison import SideRun
    from ragtui.core.entries import Entry
    from ragtui.core.measures import Measure
    from ragtui.core.pairing import Setting
    from ragtui.core.triage import Decision
    from ragtui.notes.operations import Operations, Spent, Taken
    from ragtui.notes.subject import Subject
    from ragtui.notes.texts import Texts

__all__ = ["SCHEMA", "note_entries"]

SCHEMA: Final = "ragtui/note@1"


def note_entries(subject: Subject, texts: Texts, operations: Operations) -> Entry:
    """Return the whole note as JSON types; no filter leaves anything out of it."""
    comparison = subject.comparison
    counts = subject.triage.counts()
    closed = comparison.withholds_questions
    absences = () if closed else comparison.absences
    orphans = () if closed else subject.triage.orphans
    entries: Entry = {
        "schema": SCHEMA,
        "ragtui": subject.request.version,
        "contract": comparison.set_info.contract,
        "program_contract": CONTRACT,
        "k": comparison.cutoff,
        "unit": comparison.baseline.info.unit.value,
        "set": {
            **set_entry(comparison.set_info),
            "split": comparison.set_info.split.value,
            "rubric": comparison.set_info.rubric,
            "corpus_version": comparison.set_info.corpus_version,
        },
        "baseline": _run(comparison.baseline),
        "candidate": _run(comparison.candidate),
        "exploratory": comparison.exploratory,
        "notices": [without_places(notice) for notice in comparison.notices],
        "held_constant": list(HELD_CONSTANT),
        "changed": _settings(comparison.settings),
        "annotation": _settings(comparison.annotation),
        "environment_keys": [setting.key for setting in comparison.environment],
        "totals": {"questions": len(comparison), **verdict_counts(comparison.totals)},
        "order": [] if closed else [comparison.ids[index] for index in comparison.order],
        "questions": [
            {**_question(subject, texts, index), **_taken_entry(operations.taken[index])}
            for index in range(0 if closed else len(comparison))
        ],
        "measures": aggregate_entries(comparison.aggregates),
        "slices": [slice_entry(part) for part in comparison.slices],
        "na": [absence_entry(comparison, row) for row in absences],
        "agreement": agreement_entries(comparison),
        "operations": _operations(operations),
        "policy": ruling_entry(subject.ruling),
        "triage": {"decided": counts.decided, "undecided": counts.undecided, "stale": counts.stale},
        "orphaned_decisions": [_decision(found, None) for found in orphans],
        "definitions": [_definition(measure, comparison.cutoff) for measure in comparison.measures],
        "not_measured": list(NOT_MEASURED),
        "evidence": texts.level.value,
        "withheld": texts.withheld,
        "dated": subject.request.dated,
        **standing_entries(comparison.standing),
    }
    if subject.request.indexes is not None:
        entries["filter"] = {
            "text": subject.request.filter_text,
            "questions": [comparison.ids[index] for index in subject.request.indexes],
            "measures": aggregate_entries(comparison.aggregates_of(subject.request.indexes)),
        }
    return entries


def _run(side: SideRun) -> Entry:
    info = side.info
    return {
        **run_entry(side),
        "created": info.created,
        "note": None if info.note is None else without_places(info.note),
        "records": side.recorded.records,
        "failed": side.recorded.failed,
        "folded": side.recorded.folded,
        "other_versions": side.recorded.other_versions,
        "claims_by": info.annotation.claims_by,
        "claim_ids": info.annotation.claim_ids.value,
    }


def _settings(settings: Sequence[Setting]) -> list[Entry]:
    return [
        {"key": s.key, "a": setting_value(s.baseline), "b": setting_value(s.candidate)}
        for s in settings
    ]


def _question(subject: Subject, texts: Texts, index: int) -> Entry:
    comparison = subject.comparison
    labels, row = comparison.labels[index], comparison.changes[index]
    facts = comparison.facts(index)
    rows = [(facts, comparison.counts(side, index)) for side in Side]
    decision = subject.triage.decision(index)
    entry: Entry = {
        "question": comparison.ids[index],
        "tags": list(labels.tags),
        "critical": labels.critical,
        "cluster": labels.cluster,
        "disputed": labels.disputed,
        "answerable": facts.answerable,
        "states": [counts.state.word for _, counts in rows],
        **change_entry(row),
        **_signals(subject, index, row),
        "measures": measure_entries(comparison, *rows),
        "group": subject.group(index).value,
        "decision": None
        if decision is None
        else _decision(decision, subject.triage.standing(index)),
    }
    if index in comparison.disputes:
        entry["labellings"] = labelling_entries(comparison, index)
    if index in texts.found:
        entry["texts"] = texts.found[index]
    return entry


def _taken_entry(taken: tuple[Taken, Taken]) -> Entry:
    return {
        "latency_ms": [side.latency_ms for side in taken],
        "cost_usd": [side.cost_usd for side in taken],
    }


def _signals(subject: Subject, index: int, row: ChangeRow) -> Entry:
    """Name what speaks for B and against it; records are read only where anything does."""
    if all(verdict in {None, "unchanged"} for verdict in row.stages):
        return {"plus": [], "minus": []}
    change = subject.comparison.detail(index).change
    return {"plus": list(map(str, change.plus)), "minus": list(map(str, change.minus))}


def _decision(decision: Decision, stands: Standing | None) -> Entry:
    binding = decision.binding
    return {
        "question": decision.question,
        "choice": decision.choice.value,
        "standing": (stands or Standing.STALE).value,
        "note": decision.note,
        "owner": decision.owner,
        "follow_up": decision.follow_up,
        "who": decision.who,
        "when": decision.when,
        "binding": {
            "question_sha256": binding.question,
            "baseline_sha256": binding.baseline,
            "candidate_sha256": binding.candidate,
            "k": binding.cutoff,
            "unit": binding.unit.value,
            "contract": binding.contract,
        },
    }


def _operations(found: Operations) -> Entry:
    return {
        "a": _spent(found.baseline),
        "b": _spent(found.candidate),
        "latency_ratio": {"median": found.latency_ratio, "n": found.n_latency_pairs},
        "cost_ratio": {"median": found.cost_ratio, "n": found.n_cost_pairs},
    }


def _spent(side: Spent) -> Entry:
    requests = side.requests
    rate = side.failure_rate
    return {
        "requests": {
            "sent": requests.sent,
            "retried": requests.retried,
            "failed": requests.failed,
            "failure_rate": None if rate is None else float(rate),
        },
        "latency_ms": {
            "n": side.n_latencies,
            "p50": _finite(side.p50_ms),
            "p95": _finite(side.p95_ms),
        },
        "cost_usd": {
            "n": side.n_costs,
            "sum": side.cost_sum_usd if side.n_costs else None,
            "per_question": side.cost_per_question_usd,
        },
    }


def _finite(value: float | None) -> float | str | None:
    return "failed" if value is not None and isinf(value) else value


def _definition(measure: Measure, cutoff: int) -> Entry:
    return {
        "key": measure.key,
        "written": measure.written(cutoff),
        "definition": measure.definition,
        "numerator": measure.numerator,
        "denominator": measure.denominator,
        "na_when": None if measure.na_when is None else measure.na_when.value,
    }
