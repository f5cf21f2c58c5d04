"""`ragtui retire SET.toml`: give a held-out set up as one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ragtui.cli.options import debug_option, path_argument, root_option
from ragtui.cli.output import Output, line
from ragtui.core.ledger import State
from ragtui.files.ledger import record_retirement
from ragtui.files.sets import load_set
from ragtui.files.sources import shown_path

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["command"]


@click.command("retire")
@path_argument("path", "SET.toml")
@root_option
@debug_option
def command(*, path: Path, root: Path | None) -> None:
    """
    Retire a held-out set.

    Adds a line to its ledger, which cannot be taken back: the set keeps working, and every screen
    and export calls it a development set.
    """
    questions = load_set(path, root=root)
    done = record_retirement(questions)
    info = questions.info
    verb = "was retired before" if done.already else "is retired"
    Output().text(
        [
            line(f"{info.id} {info.version} {verb}: {State.SPENT.words}"),
            line(f"{done.ledger_words} in {shown_path(done.path)}"),
        ]
    )
