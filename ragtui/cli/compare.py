"""`ragtui compare A.toml B.toml`: the interface, the same as text, or as one JSON document."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from ragtui.cli.decisions import read_triage, triage_option
from ragtui.cli.looking import look_at, open_option
from ragtui.cli.messages import say_fault_lines
from ragtui.cli.options import (
    cutoff_option,
    debug_option,
    filter_option,
    json_option,
    no_color_option,
    pair_of_manifests,
    plain_option,
    restricted_option,
    root_option,
    who_option,
)
from ragtui.cli.output import Output, shown_on_terminal
from ragtui.cli.policies import policy_option, read_policy, rule_on, with_policy
from ragtui.errors import Fault, IncomparableError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from ragtui.core.policy import Policy
    from ragtui.files.ledger import Look

__all__ = ["Request", "command", "show"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What to compare and how to show it."""

    baseline: Path
    candidate: Path
    root: Path | None = None
    cutoff: int | None = None
    policy: Path | None = None
    """The acceptance policy to hold the comparison against."""
    triage: Path | None = None
    """Where the decisions stand, if not beside the candidate's manifest."""
    filter_text: str = ""
    as_json: bool = False
    opens: bool = False
    """Whether the questions of a held-out set are shown."""
    shows_restricted: bool = False
    """Whether the interface shows texts that a question's caller may not read."""
    plain: bool = False
    no_color: bool = False
    who: str | None = None
    """Who signs decisions."""
    watched: bool = False
    """Whether the interface reads input files again when they change."""
    kept: Path | None = None
    """Where decisions stand when *triage* names nothing, though nobody may have decided yet."""

    @property
    def readable_triage(self) -> Path | None:
        """The decisions that were named, else those kept elsewhere, if there are any."""
        if self.triage is None and self.kept is not None and self.kept.exists():
            return self.kept
        return self.triage

    @property
    def look(self) -> Look:
        """What is about to be shown, should the set be held out."""
        return look_at(opens=self.opens, needs="--filter" if self.filter_text.strip() else None)


@click.command("compare")
@pair_of_manifests
@root_option
@cutoff_option
@policy_option
@triage_option
@filter_option
@open_option
@restricted_option
@who_option
@click.option(
    "--watch", "watched", is_flag=True, help="Read input files again when they change on disk."
)
@plain_option
@json_option
@no_color_option
@debug_option
def command(  # noqa: PLR0913 - click gives every option by name
    *,
    baseline: Path,
    candidate: Path,
    root: Path | None,
    cutoff: int | None,
    policy: Path | None,
    triage: Path | None,
    filter_text: str,
    opens: bool,
    shows_restricted: bool,
    who: str | None,
    watched: bool,
    plain: bool,
    as_json: bool,
    no_color: bool,
) -> int:
    """
    Compare two runs, A and B, over one question set.

    Opens the interface on a terminal; otherwise, or with --plain, prints the same as text.

    With --watch the interface shows manifests, sets, records and policies anew once they have
    changed and come to rest, at the same question; never while something is being written. A
    held-out set is only said to have changed: to read it again may be a look at a new candidate.
    """
    return show(
        Request(
            baseline=baseline,
            candidate=candidate,
            root=root,
            cutoff=cutoff,
            policy=policy,
            triage=triage,
            filter_text=filter_text,
            opens=opens,
            shows_restricted=shows_restricted,
            plain=plain,
            as_json=as_json,
            no_color=no_color,
            who=who,
            watched=watched,
        )
    )


def show(request: Request) -> int:
    """Show two runs as *request* says, and return the exit code."""
    from ragtui.cli.filtering import read_filter  # noqa: PLC0415 - not for `demo --help`

    read_filter(request.filter_text)
    _check_watched(request)
    policy = read_policy(request.policy)
    if request.as_json:
        return _show_json(request, policy)
    if not request.plain and shown_on_terminal():
        return _show_interface(request)
    return _show_text(request, policy)


def _check_watched(request: Request) -> None:
    """Refuse to watch where there is no interface to keep up to date."""
    if request.watched and (request.as_json or request.plain or not shown_on_terminal()):
        raise UsageError(
            Fault(
                message="only the interface on a terminal can watch files",
                key="--watch",
                hint="leave --watch out, or --plain and --json",
            )
        )


def _show_interface(request: Request) -> int:
    """Open the interface; the only place that imports it."""
    if request.no_color:
        os.environ["NO_COLOR"] = "1"
    from ragtui.tui.app import run_app  # noqa: PLC0415 - only here is textual needed

    return run_app(
        request.baseline,
        request.candidate,
        root=request.root,
        cutoff=request.cutoff,
        filter_text=request.filter_text,
        triage=request.triage or request.kept,
        who=request.who,
        look=request.look,
        shows_restricted=request.shows_restricted,
        policy=request.policy,
        watched=request.watched,
    )


def _show_text(request: Request, policy: Policy | None) -> int:
    from ragtui.cli.comparison_text import comparison_lines  # noqa: PLC0415 - only here
    from ragtui.cli.filtering import listed, read_filter  # noqa: PLC0415 - as above
    from ragtui.files.loading import load_comparison  # noqa: PLC0415 - as above

    comparison = load_comparison(
        request.baseline,
        request.candidate,
        root=request.root,
        cutoff=request.cutoff,
        look=with_policy(request.look, policy),
    )
    triage = read_triage(comparison, request.candidate, request.readable_triage)
    shown = listed(comparison, read_filter(request.filter_text), triage)
    output = Output(no_color=request.no_color)
    ruling = rule_on(policy, triage)
    output.text(comparison_lines(comparison, shown, output.width, triage=triage, ruling=ruling))
    return 0


def _show_json(request: Request, policy: Policy | None) -> int:
    from ragtui.cli.documents import (  # noqa: PLC0415 - as above
        KeptSignals,
        comparison_document,
        refusal_document,
    )
    from ragtui.cli.filtering import listed, read_filter  # noqa: PLC0415 - as above
    from ragtui.files.loading import load_comparison  # noqa: PLC0415 - as above

    output = Output()
    kept = KeptSignals()
    try:
        comparison = load_comparison(
            request.baseline,
            request.candidate,
            root=request.root,
            cutoff=request.cutoff,
            opened=kept.attach,
            look=with_policy(request.look, policy),
        )
    except IncomparableError as error:
        say_fault_lines(error.lines)
        output.document(refusal_document(error))
        return error.exit_code
    triage = read_triage(comparison, request.candidate, request.readable_triage)
    shown = listed(comparison, read_filter(request.filter_text), triage)
    ruling = rule_on(policy, triage)
    output.document(comparison_document(comparison, shown, kept, triage=triage, ruling=ruling))
    return 0
