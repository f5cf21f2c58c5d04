"""
The one writer of standard error, and the place where an exit code is decided.

======== =====================================================
0        done, and for `check`: passed
1        `check` says no; nothing else exits so
2        wrong usage
3        an input is invalid
4        the two runs cannot be compared, or the verdict is inconclusive
5        something could not be written
70       an internal error
128 + n  ended by signal n
======== =====================================================

Every fault is one cleaned line. With `--json` an error is a JSON document on standard output too.
"""

from __future__ import annotations

import os
import sys
from errno import EDQUOT, EFBIG, EIO, ENOSPC, EROFS
from signal import SIGINT, SIGPIPE
from typing import TYPE_CHECKING, Final

from click.exceptions import Abort, ClickException, Exit, NoArgsIsHelpError
from click.exceptions import UsageError as ClickUsageError

from ragtui.cli.output import ClosedPipe, Output, inert
from ragtui.errors import OutputError, RagtuiError, UsageError
from ragtui.text import clean

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from types import TracebackType
    from typing import TextIO

    from ragtui.errors import Fault

__all__ = ["ERROR_SCHEMA", "annotate", "fault_entry", "guarded", "say", "say_fault_lines"]

ERROR_SCHEMA: Final = "ragtui/error@1"
INTERNAL: Final = 70
_SIGNALLED: Final = 128
_LIMIT: Final = 2_000
"""Characters of one message that are shown."""


def say(message: str) -> None:
    """Write one line to standard error; where nobody reads it, it is dropped."""
    if sys.stderr is None:
        return
    try:
        sys.stderr.write(f"{inert(f'ragtui: {clean(message, limit=_LIMIT)}')}\n")
        sys.stderr.flush()
    except (OSError, ValueError):
        return


def say_fault_lines(lines: Iterable[str]) -> None:
    """Write one line a fault."""
    for text in lines:
        say(text)


def annotate(commands: Iterable[str]) -> None:
    """Write workflow commands of a CI service as they are: whoever makes them made them safe."""
    if sys.stderr is None:
        return
    try:
        for told in commands:
            sys.stderr.write(f"{clean(told, limit=_LIMIT)}\n")
        sys.stderr.flush()
    except (OSError, ValueError):
        return


def fault_entry(fault: Fault) -> dict[str, object]:
    """Return a fault as a JSON document holds it: every part, `None` where it is not known."""
    return {
        "message": fault.message,
        "file": fault.file,
        "line": fault.line,
        "key": fault.key,
        "question": fault.question,
        "found": fault.found,
        "expected": fault.expected,
        "hint": fault.hint,
    }


def guarded(run: Callable[[], object], args: Sequence[str]) -> int:
    """
    Run a command and return the exit code, whatever happens.

    *args* is the command line: it says, even where it cannot be parsed, whether `--json` and
    `--debug` were asked for.
    """
    options = args[: args.index("--")] if "--" in args else args
    as_json = "--json" in options
    try:
        _make_encodable(sys.stdout, sys.stderr)
        code = _code_of(run)
        _flush()
    except (ClosedPipe, BrokenPipeError):  # the second from help, which click prints
        return _leave_pipe()
    except (Abort, KeyboardInterrupt):
        return _SIGNALLED + SIGINT
    except NoArgsIsHelpError as asked:
        return _say_help(asked)
    except ClickException as error:
        return _tell(UsageError(_usage_words(error)), as_json=as_json)
    except RagtuiError as error:
        return _tell(error, as_json=as_json)
    except Exception as error:  # noqa: BLE001 - the last line of defence: no traceback for users
        if "--debug" in options:
            _say_traceback(error)
        return _tell(_unforeseen(error), as_json=as_json)
    return code


def _code_of(run: Callable[[], object]) -> int:
    try:
        result = run()
    except Exit as asked:  # help and version
        return asked.exit_code
    return result if isinstance(result, int) else 0


def _unforeseen(error: Exception) -> RagtuiError:
    """Name the kind of error and where it happened; its message may hold a file's text."""
    if isinstance(error, OSError) and error.errno in _FULL:
        return OutputError(f"it could not be written: {error.strerror}")
    words = f"internal error: {type(error).__name__}{_place(error.__traceback__)}"
    return RagtuiError(f"{words}; run it again with --debug for the details")


_FULL: Final = frozenset({EDQUOT, EFBIG, EIO, ENOSPC, EROFS})


def _make_encodable(*streams: TextIO | None) -> None:
    """Let no character of a file be one that a stream refuses to encode."""
    for stream in streams:
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def _flush() -> None:
    if sys.stdout is not None:
        Output().flush()


def _tell(error: RagtuiError, *, as_json: bool) -> int:
    """Say what is wrong on standard error and, where a document is due, in a document."""
    say_fault_lines(error.lines)
    if as_json and not _is_about_stdout(error):
        return _tell_in_json(error)
    return error.exit_code


def _is_about_stdout(error: RagtuiError) -> bool:
    """Tell whether standard output itself failed: what failed elsewhere names a file."""
    return isinstance(error, OutputError) and all(fault.file is None for fault in error.faults)


def _tell_in_json(error: RagtuiError) -> int:
    try:
        output = Output()
        output.document(
            {
                "schema": ERROR_SCHEMA,
                "exit": error.exit_code,
                "errors": [fault_entry(fault) for fault in error.faults],
            }
        )
        output.flush()
    except ClosedPipe:
        return _leave_pipe()
    except OutputError as second:
        say_fault_lines(second.lines)
    return error.exit_code


def _leave_pipe() -> int:
    """Take the reader's place, so that the interpreter's own last flush finds somebody."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
    except (OSError, ValueError):
        # Standard output is no file here, so nothing is flushed behind our back either.
        return _SIGNALLED + SIGPIPE
    os.close(nowhere)
    return _SIGNALLED + SIGPIPE


def _say_help(asked: NoArgsIsHelpError) -> int:
    """Print the help that somebody needs who named no command, where messages go."""
    if sys.stderr is not None:
        sys.stderr.write(f"{asked.format_message()}\n")
    return UsageError.exit_code


def _usage_words(error: ClickException) -> str:
    message = error.format_message().strip().rstrip(".")
    message = message[:1].lower() + message[1:]
    path = error.ctx.command_path if isinstance(error, ClickUsageError) and error.ctx else "ragtui"
    return f"{message}; see `{path} --help`"


def _place(traceback: TracebackType | None) -> str:
    if traceback is None:
        return ""
    while traceback.tb_next is not None:
        traceback = traceback.tb_next
    code = traceback.tb_frame.f_code
    return f" in {os.path.basename(code.co_filename)}:{traceback.tb_lineno}"  # noqa: PTH119 - text only


def _say_traceback(error: Exception) -> None:
    import traceback  # noqa: PLC0415 - only on the way out

    for block in traceback.format_exception(error):
        for text in block.rstrip("\n").split("\n"):
            say(text)
