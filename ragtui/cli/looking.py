"""How deep a command may look into a held-out set."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import click

if TYPE_CHECKING:
    from collections.abc import Callable

    from ragtui.files.ledger import Look

__all__ = ["look_at", "open_option"]

F = TypeVar("F", bound="Callable[..., object]")


def open_option(command: F) -> F:
    """Give a command `--open`."""
    return click.option(
        "--open",
        "opens",
        is_flag=True,
        help="Show the questions of a held-out set, which spends it for new candidates.",
    )(command)


def look_at(*, opens: bool, needs: str | None = None) -> Look:
    """
    Return the look of a command without a policy; it matters only for a held-out set.

    *needs* is what of the command shows single questions, if anything does.
    """
    from ragtui.core.ledger import Depth  # noqa: PLC0415 - not for `--help`
    from ragtui.files.ledger import Look  # noqa: PLC0415 - as above

    return Look(depth=Depth.QUESTION if opens else Depth.AGGREGATE, needs=needs)
