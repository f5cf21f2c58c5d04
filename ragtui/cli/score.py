"""`ragtui score RUN.toml`: one run, question by question."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ragtui.cli.documents import score_document
from ragtui.cli.looking import look_at, open_option
from ragtui.cli.options import (
    cutoff_option,
    debug_option,
    json_option,
    no_color_option,
    path_argument,
    root_option,
)
from ragtui.cli.output import Output
from ragtui.cli.score_text import score_lines
from ragtui.cli.spreadsheet import csv_lines
from ragtui.core.measures import Form
from ragtui.core.value import NotAvailable
from ragtui.errors import UsageError
from ragtui.files.loading import load_run

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ragtui.cli.spreadsheet import Cell
    from ragtui.core.measures import Measure
    from ragtui.core.run import QuestionScore, ScoredRun
    from ragtui.core.value import Value

__all__ = ["command", "count_columns", "value_cells"]


@click.command("score")
@path_argument("manifest", "RUN.toml")
@root_option
@cutoff_option
@json_option
@click.option("--csv", "as_csv", is_flag=True, help="Print one line of CSV a question.")
@open_option
@no_color_option
@debug_option
def command(
    *,
    manifest: Path,
    root: Path | None,
    cutoff: int | None,
    as_json: bool,
    as_csv: bool,
    opens: bool,
    no_color: bool,
) -> None:
    """
    Score one run, question by question.

    Prints a table, the reasons of unsupported claims and the run's own means.
    """
    if as_json and as_csv:
        raise UsageError("--json and --csv exclude each other")
    look = look_at(opens=opens, needs="--csv" if as_csv else None)
    run = load_run(manifest, root=root, cutoff=cutoff, look=look)
    output = Output(no_color=no_color)
    if as_json:
        output.document(score_document(run))
    elif as_csv:
        output.raw(csv_lines(_head(run), (list(_row(run, found)) for found in run.questions())))
    else:
        output.text(score_lines(run, output.width))


def _head(run: ScoredRun) -> list[str]:
    head = ["question", "state", "repeats"]
    for measure in run.measures:
        head += [measure.key, *count_columns(measure), f"{measure.key}_na"]
    return [*head, "unsupported"]


def count_columns(measure: Measure) -> list[str]:
    """Return the columns of numerator and denominator, for a measure that has them."""
    has = measure.form in {Form.RATIO, Form.RECIPROCAL}
    return [f"{measure.key}_num", f"{measure.key}_den"] if has else []


def value_cells(measure: Measure, value: Value) -> list[Cell]:
    """Return the cells of one value: itself, what it was counted from, and why it is n/a."""
    counts = len(count_columns(measure))
    if isinstance(value, NotAvailable):
        return [None, *[None] * counts, value.value]
    if value.over is not None:  # a mean has no counts of its own
        return [value.real, *[None] * counts, None]
    if counts:
        return [value.real, value.num, value.den, None]
    if measure.form is Form.YES_NO:
        return [bool(value.num), None]
    return [value.real if measure.form is Form.REAL else value.num, None]


def _row(run: ScoredRun, found: QuestionScore) -> Iterator[Cell]:
    counts = found.outcome.counts
    yield found.question.id
    yield counts.state.word
    yield found.repeats
    for measure in run.measures:
        yield from value_cells(measure, measure.value(found.facts, counts, run.cutoff))
    unsupported = (
        f"{claim.claim}: {claim.reason.value}"
        for claim in found.outcome.claims or ()
        if claim.reason is not None
    )
    yield "; ".join(dict.fromkeys(unsupported))
