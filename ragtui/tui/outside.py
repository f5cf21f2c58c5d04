"""The user's own editor: how it is called, and how a text goes there and back."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from textual.app import SuspendNotSupported

from ragtui.errors import Fault, InputError, OutputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from textual.app import App

__all__ = ["edit_text", "editor_command", "run_outside", "user_editor"]

_PLUS_LINE: Final = frozenset(
    [
        "vi",
        "vim",
        "nvim",
        "gvim",
        "view",
        "ex",
        "nano",
        "pico",
        "emacs",
        "emacsclient",
        "micro",
        "kak",
        "joe",
        "mg",
        "ne",
        "jed",
        "vis",
    ]
)
"""Editors that go to a line named as `+12` before the file."""

_COLON_LINE: Final = frozenset({"hx", "helix", "subl", "zed"})
"""Editors that go to a line named as `file:12`."""

_GOTO_LINE: Final = frozenset({"code", "codium", "code-insiders", "cursor"})
"""Editors that take `--goto file:12`."""

_MAX_BYTES: Final = 400_000
"""Bytes of a text that are read back from an editor."""


def user_editor(environment: Mapping[str, str]) -> list[str] | None:
    """
    Return the words of the command that $VISUAL, else $EDITOR, names; `None`: neither does.

    >>> user_editor({"VISUAL": "code --wait", "EDITOR": "vi"})
    ['code', '--wait']
    """
    for name in ("VISUAL", "EDITOR"):
        with suppress(ValueError):
            words = shlex.split(environment.get(name, ""))
            if words:
                return words
    return None


def editor_command(editor: Sequence[str], path: Path, line: int | None = None) -> list[str]:
    """
    Return the command that opens a file, at a line where the editor is known to take one.

    >>> editor_command(["vim"], Path("/a/b.jsonl"), 12)
    ['vim', '+12', '/a/b.jsonl']
    >>> editor_command(["code", "--wait"], Path("/a/b.jsonl"), 12)
    ['code', '--wait', '--goto', '/a/b.jsonl:12']
    >>> editor_command(["other"], Path("/a/b.jsonl"), 12)
    ['other', '/a/b.jsonl']
    """
    name = Path(editor[0]).name.removesuffix(".exe")
    file = str(path)
    if line is None:
        return [*editor, file]
    if name in _PLUS_LINE:
        return [*editor, f"+{line}", file]
    if name in _GOTO_LINE:
        return [*editor, "--goto", f"{file}:{line}"]
    return [*editor, f"{file}:{line}" if name in _COLON_LINE else file]


def run_outside(app: App[None], command: Sequence[str]) -> None:
    """
    Give the terminal to another program until it ends.

    Raises OutputError when it cannot be started or says that it failed.
    """
    try:
        with app.suspend():
            code = subprocess.run(command, check=False).returncode  # noqa: S603 - as above
    except OSError as error:
        raise OutputError(Fault(message=f"{command[0]} cannot be run", found=error.strerror)) from (
            error
        )
    except SuspendNotSupported as error:
        raise OutputError("this terminal cannot be given to another program") from error
    if code:
        raise OutputError(Fault(message=f"{command[0]} failed", found=f"exit code {code}"))


def edit_text(app: App[None], editor: Sequence[str], text: str) -> str:
    """
    Let the user's editor change *text* and return what it became.

    The file for it is private and gone afterwards. Raises OutputError or InputError, and nothing
    is changed.
    """
    try:
        handle, name = tempfile.mkstemp(prefix="ragtui-note-", suffix=".txt")
        path = Path(name)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
            run_outside(app, editor_command(editor, path))
            found = path.read_bytes()[: _MAX_BYTES + 1]
        finally:
            path.unlink(missing_ok=True)
    except OSError as error:
        raise OutputError(Fault(message="the note cannot be edited", found=error.strerror)) from (
            error
        )
    if len(found) > _MAX_BYTES:
        raise InputError(
            Fault(message="the note is too long", expected=f"at most {_MAX_BYTES:,} bytes")
        )
    try:
        return found.decode("utf-8").replace("\r\n", "\n").rstrip("\n")
    except UnicodeDecodeError as error:
        raise InputError("the note is not UTF-8 text") from error
