"""`ragtui table A.toml B.toml`: every question of both runs, for other programs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

import click

from ragtui.cli.decisions import read_triage, triage_option
from ragtui.cli.documents import KeptSignals, QuestionEncoder
from ragtui.cli.filtering import listed, read_filter
from ragtui.cli.looking import look_at, open_option
from ragtui.cli.options import (
    cutoff_option,
    debug_option,
    filter_option,
    pair_of_manifests,
    root_option,
)
from ragtui.cli.output import Output, encode
from ragtui.cli.score import count_columns, value_cells
from ragtui.cli.spreadsheet import csv_lines
from ragtui.core.entries import number
from ragtui.core.evidence import Side
from ragtui.core.measures import Form
from ragtui.files.loading import load_comparison

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ragtui.cli.spreadsheet import Cell
    from ragtui.core.comparison import Comparison
    from ragtui.core.triage import Triage

__all__ = ["command"]

DECISION_COLUMNS: Final = ("note", "owner", "follow_up", "who", "when")
"""What stands beside where a decision stands."""


@click.command("table")
@pair_of_manifests
@root_option
@cutoff_option
@triage_option
@filter_option
@open_option
@click.option("--csv", "form", flag_value="csv", default=True, help="One line of CSV a question.")
@click.option("--jsonl", "form", flag_value="jsonl", help="One JSON object a question.")
@debug_option
def command(
    *,
    baseline: Path,
    candidate: Path,
    root: Path | None,
    cutoff: int | None,
    triage: Path | None,
    filter_text: str,
    opens: bool,
    form: str,
) -> None:
    """
    Print the paired table of all questions, in the set's order.

    A value that is n/a is empty in CSV and null in JSONL, with its reason beside it.
    """
    query = read_filter(filter_text)
    kept = KeptSignals()
    look = look_at(opens=opens, needs="`table`")
    comparison = load_comparison(
        baseline, candidate, root=root, cutoff=cutoff, opened=kept.attach, look=look
    )
    decided = read_triage(comparison, candidate, triage)
    indexes = listed(comparison, query, decided).indexes
    encoder = QuestionEncoder(comparison, kept)
    output = Output()
    if form == "jsonl":
        output.raw(_json_line(encoder.encoded(index), decided, index) for index in indexes)
    else:
        cells = _Cells(comparison)
        rows = (list(_row(decided, encoder, cells, index)) for index in indexes)
        output.raw(csv_lines(_head(comparison), rows))


def _head(comparison: Comparison) -> list[str]:
    head = ["question", "tags", "critical", "state_a", "state_b"]
    head += ["verdict", "severity", "causes", "flags", "plus", "minus"]
    head += ["triage", *DECISION_COLUMNS]
    for measure in comparison.measures:
        key = measure.key
        for side in ("a", "b"):
            counts = [name.replace(key, f"{key}_{side}", 1) for name in count_columns(measure)]
            head += [f"{key}_{side}", *counts, f"{key}_{side}_na"]
        head += [f"{key}_delta", f"{key}_change"]
    return head


def _decision_cells(decided: Triage, index: int) -> tuple[str | None, ...]:
    decision = decided.decision(index)
    if decision is None:
        return (None,) * len(DECISION_COLUMNS)
    return decision.note, decision.owner, decision.follow_up, decision.who, decision.when


def _json_line(question: str, decided: Triage, index: int) -> str:
    """Return the question's object with what was decided about it."""
    told = zip(DECISION_COLUMNS, _decision_cells(decided, index), strict=True)
    triage = {"state": decided.state(index), **dict(told)}
    return f"{encode({**json.loads(question), 'triage': triage})}\n"


def _row(decided: Triage, encoder: QuestionEncoder, cells: _Cells, index: int) -> Iterator[Cell]:
    comparison = decided.comparison
    labels, change = comparison.labels[index], comparison.changes[index]
    plus, minus = encoder.signals(index)
    yield comparison.ids[index]
    yield "; ".join(labels.tags)
    yield labels.critical
    for side in Side:
        yield comparison.counts(side, index).state.word
    yield change.verdict.value
    yield None if change.severity is None else change.severity.name
    yield "; ".join(change.causes)
    yield "; ".join(change.flags)
    yield "; ".join(plus)
    yield "; ".join(minus)
    yield decided.state(index)
    yield from _decision_cells(decided, index)
    yield from cells.of(index)


class _Cells:
    """The cells of all measures of a question, made once for each distinct pair of rows."""

    def __init__(self, comparison: Comparison) -> None:
        self._comparison = comparison
        self._made: dict[int, list[Cell]] = {}
        self._by_row = all(measure.form is not Form.REAL for measure in comparison.measures)

    def of(self, index: int) -> list[Cell]:
        code = self._comparison.row_pairs.codes[index] if self._by_row else index
        found = self._made.get(code)
        if found is None:
            found = list(self._measured(index))
            if self._by_row:
                self._made[code] = found
        return found

    def _measured(self, index: int) -> Iterator[Cell]:
        comparison = self._comparison
        for measure in comparison.measures:
            for side in Side:
                yield from value_cells(measure, comparison.value(side, measure, index))
            yield number(comparison.delta(measure, index))
            yield comparison.measure_change(measure, index).value
