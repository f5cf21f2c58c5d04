"""`ragtui import FORMAT …`: other tools' files into a question set and run manifests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import click

from ragtui.cli.options import PATH, debug_option
from ragtui.cli.output import Output, line

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["command"]


@click.group("import")
def command() -> None:
    """
    Turn other tools' files into a question set and run manifests.

    Nothing is invented: a part that the files do not hold stays absent.
    """


@command.command("trec")
@click.option("--qrels", type=PATH, required=True, metavar="QRELS", help="The judgements.")
@click.option(
    "--run",
    "runs",
    type=PATH,
    multiple=True,
    required=True,
    metavar="RUN",
    help="A run; give it twice for a pair.",
)
@click.option(
    "--queries",
    type=PATH,
    metavar="QUERIES",
    help="The texts of the topics: topic, tab, text; or JSON lines with _id and text.",
)
@click.option("--out", type=PATH, required=True, metavar="DIR", help="The new folder.")
@click.option("--cutoff", type=int, default=10, show_default=True, metavar="K", help="k.")
@click.option(
    "--min-grade",
    type=int,
    default=1,
    show_default=True,
    metavar="GRADE",
    help="The least grade that counts as relevant.",
)
@click.option(
    "--order",
    type=click.Choice(["score", "file"]),
    default="score",
    show_default=True,
    help="Rank by score as trec_eval does, or as the file has it.",
)
@debug_option
def trec(
    *,
    qrels: Path,
    runs: Sequence[Path],
    queries: Path | None,
    out: Path,
    cutoff: int,
    min_grade: int,
    order: Literal["score", "file"],
) -> None:
    """
    Import TREC qrels and runs, also BEIR tsv and gzip.

    Without --queries the questions have ids and labels, but no text.
    """
    from ragtui.files.importers.trec import import_trec  # noqa: PLC0415 - the chosen format only

    report = import_trec(
        qrels=qrels,
        runs=runs,
        queries=queries,
        out=out,
        cutoff=cutoff,
        min_grade=min_grade,
        order=order,
    )
    Output().text(line(text) for text in report.lines())
