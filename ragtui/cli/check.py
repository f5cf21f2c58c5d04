"""`ragtui check A.toml B.toml --policy P.toml`: the gate, whose verdict is the exit code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from ragtui.cli.decisions import read_triage, triage_option
from ragtui.cli.looking import look_at, open_option
from ragtui.cli.messages import annotate, say_fault_lines
from ragtui.cli.options import (
    PATH,
    cutoff_option,
    debug_option,
    json_option,
    no_color_option,
    pair_of_manifests,
    root_option,
)
from ragtui.cli.output import Output
from ragtui.cli.policies import with_policy
from ragtui.errors import Fault, IncomparableError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from ragtui.core.gate import Ruling
    from ragtui.core.policy import Policy
    from ragtui.core.triage import Triage

__all__ = ["CHECK_SCHEMA", "command"]

CHECK_SCHEMA: Final = "ragtui/check@1"
TEXT: Final = "text"
GITHUB: Final = "github"


@click.command("check")
@pair_of_manifests
@click.option(
    "--policy",
    "policy",
    type=PATH,
    metavar="FILE",
    required=True,
    help="The acceptance policy to hold the comparison against.",
)
@triage_option
@click.option(
    "--format",
    "form",
    type=click.Choice([TEXT, GITHUB]),
    default=TEXT,
    help="github: a job summary in Markdown, and annotations as messages.",
)
@open_option
@root_option
@cutoff_option
@json_option
@no_color_option
@debug_option
def command(  # noqa: PLR0913 - click gives every option by name
    *,
    baseline: Path,
    candidate: Path,
    policy: Path,
    triage: Path | None,
    form: str,
    opens: bool,
    root: Path | None,
    cutoff: int | None,
    as_json: bool,
    no_color: bool,
) -> int:
    """
    Hold two runs, A and B, against an acceptance policy.

    Exits with the verdict: 0 pass, 1 fail, 4 inconclusive, 3 invalid.
    """
    from ragtui.files.loading import load_comparison  # noqa: PLC0415 - not for `check --help`
    from ragtui.files.policies import load_policy  # noqa: PLC0415 - as above

    _refuse(cutoff)
    rules = load_policy(policy)
    try:
        comparison = load_comparison(
            baseline, candidate, root=root, look=with_policy(look_at(opens=opens), rules)
        )
    except IncomparableError as error:
        return _tell_incomparable(error, as_json=as_json)
    decided = read_triage(comparison, candidate, triage)
    ruling = _judge(rules, decided)
    if as_json:
        _print_json(ruling, decided)
    elif form == GITHUB:
        _print_github(ruling, decided)
    else:
        _print_text(ruling, decided, no_color=no_color)
    return ruling.exit_code


def _refuse(cutoff: int | None) -> None:
    """Refuse to judge at another cutoff than the runs were recorded with."""
    if cutoff is not None:
        raise UsageError(
            Fault(
                message="a gate judges at the cutoff that the runs were recorded with",
                key="--cutoff",
                found=str(cutoff),
                hint="look at other cutoffs with `ragtui compare`",
            )
        )


def _tell_incomparable(error: IncomparableError, *, as_json: bool) -> int:
    if not as_json:
        raise error
    from ragtui.cli.documents import refusal_document  # noqa: PLC0415 - only here

    say_fault_lines(error.lines)
    document = {"schema": CHECK_SCHEMA, "exit": error.exit_code, "policy": None}
    Output().document({**refusal_document(error), **document})
    return error.exit_code


def _judge(policy: Policy, triage: Triage) -> Ruling:
    from ragtui.core.gate import judge  # noqa: PLC0415 - not for `check --help`

    return judge(policy, triage)


def _print_json(ruling: Ruling, triage: Triage) -> None:
    from ragtui.core.entries import (  # noqa: PLC0415 - only here
        run_entry,
        set_entry,
        standing_entries,
        verdict_counts,
    )
    from ragtui.core.policy_words import policy_entry  # noqa: PLC0415 - as above

    comparison = triage.comparison
    Output().document(
        {
            "schema": CHECK_SCHEMA,
            "contract": comparison.set_info.contract,
            "k": comparison.cutoff,
            "set": set_entry(comparison.set_info),
            "baseline": run_entry(comparison.baseline),
            "candidate": run_entry(comparison.candidate),
            "comparable": True,
            "notices": list(comparison.notices),
            "totals": {"questions": len(comparison), **verdict_counts(comparison.totals)},
            "triage": triage.counts()._asdict(),
            "policy": policy_entry(ruling),
            "exit": ruling.exit_code,
            **standing_entries(comparison.standing),
        }
    )


def _print_text(ruling: Ruling, triage: Triage, *, no_color: bool) -> None:
    from ragtui.cli.check_text import check_lines  # noqa: PLC0415 - only here

    output = Output(no_color=no_color)
    output.text(check_lines(ruling, triage.comparison, output.width))


def _print_github(ruling: Ruling, triage: Triage) -> None:
    from ragtui.cli.check_github import summary, workflow_commands  # noqa: PLC0415 - only here

    Output().raw([summary(ruling, triage.comparison)])
    annotate(workflow_commands(ruling))
