"""`ragtui note A.toml B.toml -o NOTE.md`: the release note, in the format of the file's suffix."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from ragtui import __version__
from ragtui.cli.decisions import read_triage, triage_option
from ragtui.cli.looking import look_at, open_option
from ragtui.cli.messages import say
from ragtui.cli.options import (
    PATH,
    cutoff_option,
    debug_option,
    filter_option,
    no_color_option,
    pair_of_manifests,
    root_option,
)
from ragtui.cli.output import Output, is_terminal
from ragtui.cli.policies import policy_option, read_policy, with_policy
from ragtui.errors import Fault, UsageError
from ragtui.notes.subject import EvidenceLevel
from ragtui.notes.writers import FORMATS
from ragtui.text import nearest

if TYPE_CHECKING:
    from ragtui.core.query import Query
    from ragtui.core.triage import Triage
    from ragtui.notes.document import Document
    from ragtui.notes.subject import Request

__all__ = ["command"]

STANDARD_OUTPUT: Final = Path("-")


@click.command("note")
@pair_of_manifests
@click.option(
    "-o",
    "--output",
    "target",
    type=PATH,
    default=STANDARD_OUTPUT,
    metavar="NOTE",
    help=f"The file to write, its format by its suffix ({' '.join(FORMATS)}); - for the terminal.",
)
@policy_option
@triage_option
@click.option(
    "--evidence",
    type=click.Choice([level.value for level in EvidenceLevel]),
    default=EvidenceLevel.IDS.value,
    help="How much text of answers and documents the note holds; restricted ones never.",
)
@click.option("--dated", is_flag=True, help="Say when the note was written.")
@filter_option
@open_option
@cutoff_option
@root_option
@no_color_option
@debug_option
def command(  # noqa: PLR0913 - click gives every option by name
    *,
    baseline: Path,
    candidate: Path,
    target: Path,
    policy: Path | None,
    triage: Path | None,
    evidence: str,
    dated: bool,
    filter_text: str,
    opens: bool,
    cutoff: int | None,
    root: Path | None,
    no_color: bool,
) -> None:
    """
    Write the release note of two runs, A and B, and of the decisions about them.

    Its beginning says the verdict of the policy, if one is named, how it ended and what still needs
    a decision; its end defines every number. The same files give the same bytes. Totals are never
    filtered.
    """
    from ragtui.cli.filtering import read_filter  # noqa: PLC0415 - not for `note --help`
    from ragtui.files.loading import load_comparison  # noqa: PLC0415 - as above
    from ragtui.notes.build import build  # noqa: PLC0415 - as above

    _check_format(target)
    query = read_filter(filter_text)
    rules = read_policy(policy)
    look = with_policy(
        look_at(opens=opens, needs="--filter" if filter_text.strip() else None), rules
    )
    comparison = load_comparison(baseline, candidate, root=root, cutoff=cutoff, look=look)
    decided = read_triage(comparison, candidate, triage)
    request = _request(decided, query, evidence=evidence, dated=dated)
    document = build(comparison, decided.decisions, replace(request, policy=rules))
    if target == STANDARD_OUTPUT:
        _print(document, no_color=no_color)
    else:
        _write(document, target)


def _check_format(target: Path) -> None:
    """Refuse a suffix that is no format before anything is loaded."""
    if target == STANDARD_OUTPUT or target.suffix in FORMATS:
        return
    close = nearest(target.suffix, FORMATS)
    raise UsageError(
        Fault(
            message="a note has no such format",
            key="--output",
            found=target.suffix or "no suffix",
            expected=" ".join(FORMATS),
            hint=None if close is None else f"did you mean {close}?",
        )
    )


def _request(
    decided: Triage,
    query: Query,
    *,
    evidence: str,
    dated: bool,
) -> Request:
    from ragtui.cli.filtering import listed  # noqa: PLC0415 - not for `note --help`
    from ragtui.notes.subject import Request  # noqa: PLC0415 - as above

    indexes = listed(decided.comparison, query, decided).indexes if query.terms else None
    return Request(
        version=__version__,
        evidence=EvidenceLevel(evidence),
        dated=_now() if dated else None,
        filter_text=query.text,
        indexes=indexes,
    )


def _now() -> str:
    from datetime import UTC, datetime  # noqa: PLC0415 - only where a date was asked for

    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _print(document: Document, *, no_color: bool) -> None:
    output = Output(no_color=no_color)
    plain = no_color or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    if is_terminal(sys.stdout) and not plain:
        from ragtui.notes.writers.terminal import write  # noqa: PLC0415 - only for a terminal

        output.raw([write(document, output.width)])
        return
    from ragtui.notes.writers.plain_text import write as write_plain  # noqa: PLC0415 - as above

    output.raw([write_plain(document, output.width)])


def _write(document: Document, target: Path) -> None:
    from ragtui.files.atomic import write_atomic  # noqa: PLC0415 - not for the terminal
    from ragtui.files.sources import shown_path  # noqa: PLC0415 - as above
    from ragtui.notes.writers import render  # noqa: PLC0415 - as above

    write_atomic(target, render(document, target.suffix))
    say(f"wrote {shown_path(target)}")
