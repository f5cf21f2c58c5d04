"""The notes that are kept; `python -m tests.notes.rewrite` writes them anew."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from ragtui.core.triage import Choice
from ragtui.files.loading import load_comparison
from ragtui.notes.subject import EvidenceLevel
from ragtui.notes.writers import FORMATS, render
from tests.notes.notes import decide, note

if TYPE_CHECKING:
    from ragtui.core.triage import Decision
    from ragtui.notes.document import Document

__all__ = ["NOTES", "golden_path", "note_named"]

ROOT: Final = Path(__file__).resolve().parents[2]

NOTES: Final = {
    "release-desk": ("manifests/baseline.toml", "manifests/candidate.toml"),
    "release-desk-decided": ("manifests/baseline.toml", "manifests/candidate.toml"),
}
"""Name of a kept note to the manifests of its runs."""


def golden_path(name: str, suffix: str) -> Path:
    """Return where a note is kept."""
    return ROOT / "tests" / "golden" / "notes" / f"{name}{suffix}"


def note_named(name: str) -> Document:
    """Build one of the kept notes; a decided one holds decisions and excerpts."""
    a, b = (ROOT / path for path in NOTES[name])
    comparison = load_comparison(a, b)
    if not name.endswith("-decided"):
        return note(comparison)
    decisions: dict[str, Decision] = {}
    choices = [Choice.BLOCK, Choice.ACCEPT, Choice.DISPUTE, Choice.INVESTIGATE, Choice.ACCEPT]
    needing = [i for i in comparison.order if comparison.changes[i].severity is not None]
    for index, choice in zip(needing, choices, strict=False):
        decisions |= decide(
            comparison,
            comparison.ids[index],
            choice,
            note="Nobody promised that.\nThe prompt must say so.",
            owner="Mira",
            follow_up="T-12",
            who="Kay",
            is_stale=len(decisions) == len(choices) - 1,
        )
    return note(comparison, decisions, evidence=EvidenceLevel.EXCERPTS)


def _rewrite() -> None:
    for name in NOTES:
        document = note_named(name)
        for suffix in FORMATS:
            golden_path(name, suffix).parent.mkdir(exist_ok=True)
            golden_path(name, suffix).write_bytes(render(document, suffix))


if __name__ == "__main__":
    _rewrite()
