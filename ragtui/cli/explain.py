"""`ragtui explain A.toml B.toml QUESTION`: every score of one question, derived."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ragtui.cli.explain_text import explanation_lines
from ragtui.cli.looking import look_at, open_option
from ragtui.cli.options import (
    cutoff_option,
    debug_option,
    no_color_option,
    pair_of_manifests,
    restricted_option,
    root_option,
)
from ragtui.cli.output import Output
from ragtui.errors import Fault, UsageError
from ragtui.files.loading import load_comparison
from ragtui.text import nearest

if TYPE_CHECKING:
    from pathlib import Path

    from ragtui.core.comparison import Comparison

__all__ = ["command"]


@click.command("explain")
@pair_of_manifests
@click.argument("question")
@root_option
@cutoff_option
@open_option
@restricted_option
@no_color_option
@debug_option
def command(
    *,
    baseline: Path,
    candidate: Path,
    question: str,
    root: Path | None,
    cutoff: int | None,
    opens: bool,
    shows_restricted: bool,
    no_color: bool,
) -> None:
    """
    Derive every score of one question in words and numbers.

    Prints what was retrieved in rank order, each claim with its citations and the reason for its
    judgement, and how each measure comes about in A and in B.
    """
    look = look_at(opens=opens, needs="`explain`")
    comparison = load_comparison(baseline, candidate, root=root, cutoff=cutoff, look=look)
    index = comparison.index_of(question)
    if index is None:
        raise UsageError(_unknown(comparison, question))
    comparison.shows_restricted = shows_restricted
    output = Output(no_color=no_color)
    output.text(explanation_lines(comparison, comparison.detail(index), output.width))


def _unknown(comparison: Comparison, question: str) -> Fault:
    close = nearest(question, comparison.ids)
    return Fault(
        message="the set has no such question",
        found=f'"{question}"',
        hint=None if close is None else f'did you mean "{close}"?',
    )
