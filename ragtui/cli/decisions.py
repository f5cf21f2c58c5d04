"""Decisions that commands read and never write."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import click

from ragtui.cli.options import PATH
from ragtui.errors import Fault, InputError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ragtui.core.comparison import Comparison
    from ragtui.core.triage import Triage

__all__ = ["read_triage", "triage_option"]

F = TypeVar("F", bound="Callable[..., object]")


def triage_option(command: F) -> F:
    """Give a command `--triage`."""
    return click.option(
        "--triage",
        "triage",
        type=PATH,
        metavar="FILE",
        help="Where the decisions stand, if not beside the candidate's manifest.",
    )(command)


def read_triage(comparison: Comparison, candidate: Path, named: Path | None) -> Triage:
    """
    Hold the decisions in *named*, or beside the manifest *candidate*, against *comparison*.

    No file beside the manifest is no decision. Raises InputError when *named* does not exist, and
    for a file that is not what its format says.
    """
    from ragtui.core.triage import Triage  # noqa: PLC0415 - not for `--help`
    from ragtui.files.sources import shown_path  # noqa: PLC0415 - as above
    from ragtui.files.triage_file import triage_path  # noqa: PLC0415 - as above
    from ragtui.files.triage_store import read_decisions  # noqa: PLC0415 - as above

    if named is not None and not named.exists():
        fault = Fault(message="there is no such file of decisions", file=shown_path(named))
        raise InputError(fault)
    runs = comparison.baseline.info.id, comparison.candidate.info.id
    return Triage(comparison, read_decisions(named or triage_path(candidate, *runs)))
