"""The note for programs: one JSON object in ASCII, keys sorted, the same bytes each time."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragtui.notes.document import Document

__all__ = ["write"]


def write(document: Document) -> str:
    """Return the figures of the note, what they were counted from, and every decision."""
    return f"{json.dumps(document.entries, sort_keys=True, indent=1, allow_nan=False)}\n"
