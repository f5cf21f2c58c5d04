"""`ragtui table A.toml B.toml`: every question of both runs, for other programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ragtui.cli.documents import KeptSignals, QuestionEncoder
from ragtui.cli.filtering import listed, read_filter
from ragtui.cli.options import (
    cutoff_option,
    debug_option,
    filter_option,
    pair_of_manifests,
    root_option,
)
from ragtui.cli.output import Output
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

__all__ = ["command"]


@click.command("table")
@pair_of_manifests
@root_option
@cutoff_option
@filter_option
@click.option("--csv", "form", flag_value="csv", default=True, help="One line of CSV a question.")
@click.option("--jsonl", "form", flag_value="jsonl", help="One JSON object a question.")
@debug_option
def command(
    *,
    baseline: Path,
    candidate: Path,
    root: Path | None,
    cutoff: int | None,
    filter_text: str,
    form: str,
) -> None:
    """
    Print the paired table of all questions, in the set's order.

    A value that is n/a is empty in CSV and null in JSONL, with its reason beside it.
    """
    query = read_filter(filter_text)
    kept = KeptSignals()
    comparison = load_comparison(baseline, candidate, root=root, cutoff=cutoff, opened=kept.attach)
    indexes = listed(comparison, query).indexes
    encoder = QuestionEncoder(comparison, kept)
    output = Output()
    if form == "jsonl":
        output.raw(f"{encoder.encoded(index)}\n" for index in indexes)
    else:
        cells = _Cells(comparison)
        rows = (list(_row(comparison, encoder, cells, index)) for index in indexes)
        output.raw(csv_lines(_head(comparison), rows))


def _head(comparison: Comparison) -> list[str]:
    head = ["question", "tags", "critical", "state_a", "state_b"]
    head += ["verdict", "severity", "causes", "flags", "plus", "minus"]
    for measure in comparison.measures:
        key = measure.key
        for side in ("a", "b"):
            counts = [name.replace(key, f"{key}_{side}", 1) for name in count_columns(measure)]
            head += [f"{key}_{side}", *counts, f"{key}_{side}_na"]
        head += [f"{key}_delta", f"{key}_change"]
    return head


def _row(
    comparison: Comparison, encoder: QuestionEncoder, cells: _Cells, index: int
) -> Iterator[Cell]:
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
