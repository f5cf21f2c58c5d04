"""`ragtui freeze SET.toml`: write the lock of a question set."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ragtui.cli.options import debug_option, path_argument, root_option
from ragtui.cli.output import Output, line
from ragtui.files.locks import freeze
from ragtui.files.sources import shown_path
from ragtui.text import plural

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["command"]


@click.command("freeze")
@path_argument("path", "SET.toml")
@root_option
@debug_option
def command(*, path: Path, root: Path | None) -> None:
    """
    Freeze a question set.

    Checks the set and writes locks/VERSION.lock beside it, for a held-out set a line of its ledger,
    and nothing else. A version that was frozen with another content is refused.
    """
    done = freeze(path, root=root)
    verb = "was frozen before in" if done.already else "frozen in"
    words = f"{plural(done.questions, 'question')} {verb} {shown_path(done.path)}"
    past = [line(each.words) for each in done.inherited]
    Output().text([line(words), line(f"sha256 {done.sha256}"), *past])
