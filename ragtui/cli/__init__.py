"""
The command line: `ragtui COMMAND …`.

A command's module is imported when the command is chosen. Results go to standard output through
`ragtui.cli.output`, messages to standard error through `ragtui.cli.messages`, which also decides
the exit code.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]

_COMPLETION: Final = "_RAGTUI_COMPLETE"
"""Set by a shell that asks for completions; click answers it."""


def main(args: Sequence[str] | None = None) -> int:
    """Run one command line, the process's own by default, and return its exit code."""
    from ragtui.cli.app import cli, invoke  # noqa: PLC0415 - importing this package loads no click
    from ragtui.cli.messages import guarded  # noqa: PLC0415 - as above

    given = list(sys.argv[1:] if args is None else args)
    if _COMPLETION in os.environ:
        cli.main(given, prog_name="ragtui", complete_var=_COMPLETION)
    return guarded(lambda: invoke(given), given)
