"""What is left when the program itself is at fault: one line, and a report without any text."""

from __future__ import annotations

import os
import platform
import tempfile
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from traceback import walk_tb

from platformdirs import user_state_path

__all__ = ["crash_line", "crash_report", "write_report"]


def crash_report(error: BaseException) -> str:
    """
    Return where *error* came from: types, files, lines, functions; no message, no variable.

    Messages and variables may hold the wording of questions and answers, so they stay out.
    """
    lines = [
        "ragtui ended because of a fault in ragtui itself.",
        "This report holds no text of questions, documents, answers or file names of yours.",
        "",
        f"ragtui {_version('ragtui')}, textual {_version('textual')}, rich {_version('rich')}",
        f"Python {platform.python_version()} on {platform.system()}",
    ]
    link: BaseException | None = error
    seen: set[int] = set()
    while link is not None and id(link) not in seen:
        seen.add(id(link))
        lines += ["", f"{type(link).__module__}.{type(link).__qualname__}"]
        lines += [f"  {place}" for place in _places(link)]
        link = link.__cause__ or link.__context__
    return "\n".join(lines) + "\n"


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"


def _places(error: BaseException) -> list[str]:
    found = []
    for frame, line in walk_tb(error.__traceback__):
        code = frame.f_code
        path = Path(code.co_filename)
        shown = "/".join(path.parts[-3:]) if path.is_absolute() else path.name
        found.append(f"{shown}:{line} in {code.co_qualname}")
    return found


def write_report(error: BaseException, folder: Path | None = None) -> Path | None:
    """
    Write the report where only the user can read it; `None` when that is not possible.

    It goes to *folder*, by default the user's state folder.
    """
    try:
        where = user_state_path("ragtui", appauthor=False) if folder is None else folder
        where.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix="crash-", suffix=".txt", dir=where)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(crash_report(error))
    except OSError:
        return None
    return Path(name)


def crash_line(error: BaseException, report: Path | None) -> str:
    """
    Return the one line that is printed.

    >>> crash_line(ValueError("secret"), None)
    'ragtui: internal error (ValueError); no report could be written'
    """
    told = f"ragtui: internal error ({type(error).__name__})"
    return f"{told}; report: {report}" if report else f"{told}; no report could be written"
