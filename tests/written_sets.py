"""Small question sets and runs as files, for tests that need some on disk."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

import tomli_w

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    Plain = Mapping[str, object]

DOCUMENTS: Final[tuple[dict[str, object], ...]] = tuple(
    {"id": name, "text": f"What {name} says."}
    for name in ("launch", "rollback", "checklist", "owners", "archive")
)

QUESTIONS: Final[tuple[dict[str, object], ...]] = (
    {"id": "launch", "relevant": ["launch"], "support": {"monday": ["launch"]}},
    {
        "id": "rollback",
        "text": "How is a release taken back?",
        "tags": ["several-evidence"],
        "relevant": ["rollback", "checklist"],
        "support": {"switch": ["rollback"], "smoke": ["checklist"]},
    },
    {"id": "owner", "relevant": ["owners"], "support": {"aurora": ["owners"]}},
    {"id": "region", "relevant": [], "support": {}},
)

RECORDS: Final[tuple[dict[str, object], ...]] = (
    {
        "question": "launch",
        "retrieved": ["launch", "archive"],
        "claims": [{"id": "monday", "citations": ["launch"]}],
    },
    {"question": "region", "retrieved": [], "claims": []},
)


def write_lines(path: Path, rows: Iterable[object]) -> Path:
    """Write one JSON object a line."""
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    return path


def write_set(
    folder: Path,
    questions: Sequence[Plain] = QUESTIONS,
    documents: Sequence[Plain] | None = DOCUMENTS,
    *,
    toml: bool = False,
    ids: str = "lab",
    version: str = "1.0.0",
    **header: object,
) -> Path:
    """Write a whole set into *folder* and return its set.toml; no documents: an open corpus."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "ragtui.toml").touch()
    name = "questions.toml" if toml else "questions.jsonl"
    if toml:
        (folder / name).write_text(tomli_w.dumps({"question": list(questions)}), encoding="utf-8")
    else:
        write_lines(folder / name, questions)
    corpus: dict[str, object] = {"open": True}
    if documents is not None:
        write_lines(folder / "corpus.jsonl", documents)
        corpus = {"path": "corpus.jsonl"}
    data = {
        "schema": "ragtui/set@1",
        "id": "desk",
        "version": version,
        "ids": ids,
        "corpus": corpus,
        "questions": {"path": name},
        **header,
    }
    path = folder / "set.toml"
    path.write_text(tomli_w.dumps(data), encoding="utf-8")
    return path


def write_run(folder: Path, records: Sequence[Plain] = RECORDS, **more: object) -> Path:
    """Write a manifest with its records beside the set in *folder*, and return the manifest."""
    write_lines(folder / "run.jsonl", records)
    data = {
        "schema": "ragtui/run@1",
        "id": "run-a",
        "set": {"path": "set.toml"},
        "context": {"cutoff": 2},
        "records": {"path": "run.jsonl"},
        **more,
    }
    path = folder / "run.toml"
    path.write_text(tomli_w.dumps(data), encoding="utf-8")
    return path
