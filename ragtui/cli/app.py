"""The group of commands: a command's module is imported when the command is chosen."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final, NamedTuple

import click

from ragtui import __version__
from ragtui.errors import Fault, UsageError
from ragtui.text import nearest, quote

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["COMMANDS", "CONTRACT", "cli", "invoke"]

CONTRACT: Final = "strict-citation/1"
"""The scoring contract, spelled out so that `--version` imports no core."""


class Entry(NamedTuple):
    """Where a command is, and what it does in one line."""

    module: str
    help: str


COMMANDS: Final = {
    "compare": Entry("compare", "Compare two runs: the interface, or text, or JSON."),
    "demo": Entry("demo", "Compare the two runs of a bundled example."),
    "check": Entry("check", "Hold two runs against an acceptance policy: the gate for CI."),
    "score": Entry("score", "Score one run, question by question."),
    "table": Entry("table", "Print the paired table of all questions as CSV or JSONL."),
    "explain": Entry("explain", "Derive every score of one question."),
    "note": Entry("note", "Write the release note, for people or as JSON."),
    "validate": Entry("validate", "Check any file."),
    "freeze": Entry("freeze", "Freeze a question set."),
    "retire": Entry("retire", "Give a held-out set up as one: it becomes a development set."),
    "pin": Entry("pin", "Write the digests of its set and records into a manifest."),
    "schema": Entry("schema", "Print the JSON Schema of a file format."),
    "init": Entry("init", "Lay out a small set, two runs and a policy to start from."),
    "import": Entry("importing", "Turn other tools' files into a set and manifests."),
}


class _Commands(click.Group):
    """A group whose commands stand in `COMMANDS`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        del ctx
        entry = COMMANDS.get(cmd_name)
        if entry is None:
            return None
        command = import_module(f"ragtui.cli.{entry.module}").command
        assert isinstance(command, click.Command)  # noqa: S101 - a mistake in this package
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.help) for name, entry in COMMANDS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0] if args else ""
        if name not in COMMANDS and not name.startswith("-") and not ctx.resilient_parsing:
            close = nearest(name, COMMANDS)
            hint = f"did you mean {close}?" if close else "see `ragtui --help`"
            raise UsageError(Fault(message=f"there is no command {quote(name)}", hint=hint))
        return super().resolve_command(ctx, args)


def _print_version(ctx: click.Context, option: click.Parameter, value: bool) -> None:  # noqa: FBT001 - click's own form of a callback
    del option
    if not value or ctx.resilient_parsing:
        return
    click.echo(f"ragtui {__version__}, contract {CONTRACT}")
    ctx.exit()


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_print_version,
    help="Print the version and the scoring contract.",
)
@click.option("--debug", is_flag=True, expose_value=False, help="Show details of internal errors.")
def cli() -> None:
    """
    Compare two recorded RAG runs over one frozen, human-labelled question set.

    Scores come from annotated claim ids. No text is judged by this program.
    """


def invoke(args: Sequence[str]) -> object:
    """Parse *args*, run the command, and return what it returns; click's exceptions pass."""
    with cli.make_context("ragtui", list(args)) as context:
        return cli.invoke(context)
