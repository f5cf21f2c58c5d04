"""`ragtui pin RUN.toml`: write into a manifest which set and records it stands for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ragtui.cli.messages import say
from ragtui.cli.options import debug_option, path_argument, root_option
from ragtui.cli.output import Output, line
from ragtui.files.pins import pin
from ragtui.files.sources import shown_path

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ragtui.cli.output import Line
    from ragtui.files.pins import PinResult

__all__ = ["command"]


@click.command("pin")
@path_argument("path", "RUN.toml")
@root_option
@debug_option
def command(*, path: Path, root: Path | None) -> None:
    """
    Write the digests of its set and records into a manifest.

    Every other byte of the file stays as it is.
    """
    done = pin(path, root=root)
    Output().text(_lines(done))
    if not done.frozen:
        say("the set is not frozen: freeze it, or this pin may soon be outdated")


def _lines(done: PinResult) -> Iterator[Line]:
    changed = f"wrote {', '.join(done.changed)}" if done.changed else "nothing to change"
    yield line(f"pinned {shown_path(done.path)}: {changed}")
    yield line(f"set     sha256 {done.set_sha256}")
    if done.records_sha256 is not None:
        yield line(f"records sha256 {done.records_sha256}")
