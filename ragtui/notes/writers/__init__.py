"""
The writers: one module a format, one line a format in `FORMATS`.

Each gives the whole note as bytes, UTF-8 with LF ends; nothing is written to a file here.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from ragtui.notes.document import Document

__all__ = ["FORMATS", "render"]

FORMATS: Final = {
    ".md": "markdown",
    ".html": "page",
    ".txt": "plain_text",
    ".svg": "picture",
    ".json": "json_text",
}
"""The suffix of a file and the module that writes it; each has `write(document) -> str`."""


def render(document: Document, suffix: str) -> bytes:
    """
    Return the note in the format of a file's suffix.

    Raises KeyError for a suffix that is not in `FORMATS`.
    """
    module = import_module(f"{__name__}.{FORMATS[suffix]}")
    write: Callable[[Document], str] = module.write
    return write(document).encode("utf-8")
