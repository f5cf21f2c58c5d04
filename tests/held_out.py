"""A held-out set with four candidates, large enough for intervals and a slice of ten."""

from __future__ import annotations

import json
import re
import shutil
import tomllib
from typing import TYPE_CHECKING, Any, Final

import tomli_w

from ragtui.files.locks import freeze
from tests.written_sets import write_lines, write_set

if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "CANDIDATES",
    "QUESTION_IDS",
    "TEXTS",
    "N",
    "hold_out_support_desk",
    "ledger_events",
    "write_held_out",
]

N: Final = 24
"""Questions; the first ten are tagged `many`, the last three `handful`."""

QUESTION_IDS: Final = tuple(f"secret-{n:02d}" for n in range(N))
TEXTS: Final = ("What nobody may read before it is opened", "An answer that stays closed")
"""How every question's and every answer's text begins."""

CANDIDATES: Final = ("base", "one", "two", "three")
"""Runs, each with one more answer right than the one before; manifests are `<name>.toml`."""


def _question(n: int) -> dict[str, object]:
    tags = ["many"] if n < 10 else ["handful"] if n >= N - 3 else []
    return {
        "id": QUESTION_IDS[n],
        "text": f"{TEXTS[0]} {n}",
        "tags": tags,
        "relevant": ["launch"],
        "support": {f"claim-{n:02d}": ["launch"]},
    }


def _record(n: int, *, right: bool) -> dict[str, object]:
    cited = "launch" if right else "archive"
    return {
        "question": QUESTION_IDS[n],
        "retrieved": ["launch", "archive"],
        "claims": [{"id": f"claim-{n:02d}", "citations": [cited]}],
        "answer": f"{TEXTS[1]} {n}",
    }


def write_held_out(folder: Path, *, version: str = "1.0.0", frozen: bool = True) -> Path:
    """Write the set and its runs into *folder*, which is returned."""
    path = write_set(folder, [_question(n) for n in range(N)], split="held-out", version=version)
    pinned = {"sha256": freeze(path).sha256, "version": version} if frozen else {}
    for rank, name in enumerate(CANDIDATES):
        records = [_record(n, right=n % 2 == 0 or n < 4 * rank) for n in range(N)]
        write_lines(folder / f"{name}.jsonl", records)
        manifest = {
            "schema": "ragtui/run@1",
            "id": f"run-{name}",
            "set": {"path": "set.toml", **pinned},
            "context": {"cutoff": 2},
            "records": {"path": f"{name}.jsonl"},
        }
        (folder / f"{name}.toml").write_text(tomli_w.dumps(manifest), encoding="utf-8")
    return folder


def hold_out_support_desk(folder: Path) -> tuple[str, ...]:
    """
    Make the support desk in *folder*, a copy of the demo's files, a held-out set without a lock.

    Returns what must not be seen of it while it is closed: the ids and texts of its questions. It
    has disputes, restricted documents, slices of every size, failed and changed answers.
    """
    path = folder / "fixtures" / "support-desk" / "set.toml"
    written = path.read_text(encoding="utf-8")
    path.write_text(re.sub(r"(?m)^split\b.*$", 'split = "held-out"', written), encoding="utf-8")
    shutil.rmtree(path.parent / "locks", ignore_errors=True)
    for manifest in (folder / "manifests").glob("support-*.toml"):
        pinned = manifest.read_text(encoding="utf-8")
        unpinned = re.sub(r"(?m)^(sha256|version)\b.*$", "", pinned)
        if "policy" in manifest.name:
            unpinned = re.sub(r"(?m)^set\b.*$", "", pinned)
        manifest.write_text(unpinned, encoding="utf-8")
    questions = tomllib.loads((path.parent / "questions.toml").read_text(encoding="utf-8"))
    return tuple(text for each in questions["question"] for text in (each["id"], each["text"]))


def ledger_events(folder: Path) -> list[dict[str, Any]]:
    """Return the events of the ledger in *folder*, in order; none without a ledger."""
    path = folder / "ledger.jsonl"
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="ascii").splitlines()]
