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
    "support-desk": ("manifests/support-baseline.toml", "manifests/support-candidate.toml"),
}
"""Name of a kept note to the manifests of its runs."""


_NOTES: Final = (
    "The old policy is cited; wait for the new index.",
    None,
    "Seen before.\nThe prompt asks for both answers since March.",
)


def golden_path(name: str, suffix: str) -> Path:
    """Return where a note is kept."""
    return ROOT / "tests" / "golden" / "notes" / f"{name}{suffix}"


def note_named(name: str) -> Document:
    """Build one of the kept notes; that of the support desk holds decisions and excerpts."""
    a, b = (ROOT / path for path in NOTES[name])
    comparison = load_comparison(a, b)
    if name == "release-desk":
        return note(comparison)
    decisions: dict[str, Decision] = {}
    choices = list(Choice) * 2
    needing = [i for i in comparison.order if comparison.changes[i].severity is not None]
    for number, (index, choice) in enumerate(zip(needing, choices, strict=False)):
        decisions |= decide(
            comparison,
            comparison.ids[index],
            choice,
            note=_NOTES[number % len(_NOTES)],
            owner="Mira" if number % 2 else None,
            follow_up="https://tracker.invalid/T-12" if number % 3 else None,
            who="Kay" if number % 2 else None,
            is_stale=number >= len(choices) - 2,
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
