"""`ragtui validate FILE…`: check any file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ragtui.cli.messages import say_fault_lines
from ragtui.cli.options import PATH, debug_option, root_option
from ragtui.cli.output import Output, line
from ragtui.errors import RagtuiError
from ragtui.files.validation import validate

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ragtui.files.validation import Report

__all__ = ["command"]


@click.command("validate")
@click.argument("paths", type=PATH, nargs=-1, required=True, metavar="FILE…")
@root_option
@debug_option
def command(*, paths: Sequence[Path], root: Path | None) -> int:
    """
    Check any file, and what it refers to; all faults of a file are reported together.

    Files are sets, questions, corpora, run manifests, records, policies, waivers, triage files,
    locks and ledgers. Of records, questions or a corpus alone every line is checked, and it is said
    what only the manifest or the set could tell.
    """
    output = Output()
    worst = 0
    for path in paths:
        try:
            report = validate(path, root=root)
        except RagtuiError as error:
            say_fault_lines(error.lines)
            worst = max(worst, error.exit_code)
            continue
        output.text([line(_words(report))])
        say_fault_lines(f"{report.shown}: {warning}" for warning in report.warnings)
    return worst


def _words(report: Report) -> str:
    return f"sound {report.kind} {report.shown}: {report.summary}"
