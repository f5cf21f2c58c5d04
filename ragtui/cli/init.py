"""`ragtui init DIR`: a small set, two runs and a policy to start from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ragtui.cli.options import debug_option, path_argument
from ragtui.cli.output import Output, line
from ragtui.files.sources import shown_path
from ragtui.files.starter import POLICY, RUNS, init

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["command"]


@click.command("init")
@path_argument("directory", "DIR")
@debug_option
def command(*, directory: Path) -> None:
    """Lay out a small commented set, two runs and a policy in an empty or new folder."""
    written = init(directory)
    first, second, policy = (shown_path(directory / name) for name in (*RUNS, POLICY))
    Output().text(
        [
            *(line(f"wrote {shown_path(path)}") for path in written),
            line(f"gate  ragtui check {first} {second} --policy {policy}"),
            line(f"next  ragtui compare {first} {second}"),
        ]
    )
