"""Question sets and runs of any size, the same each time."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["write_pair", "write_trec"]

TAGS = ("lookup", "several-evidence", "near-duplicate", "outdated", "conflicting")
TEXT = 'The release starts on Monday; "smoke" tests run afterwards. ' * 14
"""Delivered text of some 850 characters, with quotes to look out for."""


def _begin_set(folder: Path) -> None:
    """Make *folder* with the head of a set over an open corpus."""
    folder.mkdir()
    (folder / "ragtui.toml").touch()
    (folder / "set.toml").write_text(
        'schema = "ragtui/set@1"\nid = "bench"\nversion = "1.0.0"\n'
        'corpus = { open = true }\nquestions = { path = "questions.jsonl" }\n',
        encoding="utf-8",
    )


def write_pair(folder: Path, questions: int, *, contexts: bool = False) -> tuple[Path, Path]:
    """
    Write a set over an open corpus and two runs; return the manifests.

    The runs hold ids only, or with *contexts* also the text of every retrieved document.
    """
    source = random.Random(questions)
    _begin_set(folder)
    with (
        (folder / "questions.jsonl").open("w", encoding="utf-8") as asked,
        (folder / "a.jsonl").open("w", encoding="utf-8") as a,
        (folder / "b.jsonl").open("w", encoding="utf-8") as b,
    ):
        for number in range(questions):
            documents = [f"doc-{source.randrange(10**6):06d}" for _ in range(14)]
            documents = list(dict.fromkeys(documents))
            relevant = [] if source.random() < 0.1 else documents[: source.randint(1, 4)]
            support = {
                f"c{n}": [source.choice(relevant)]
                for n in range(source.randint(1, 4) if relevant else 0)
            }
            name = f"q-{number:07d}"
            row = {
                "id": name,
                "tags": [source.choice(TAGS)],
                "relevant": relevant,
                "support": support,
            }
            asked.write(json.dumps(row) + "\n")
            for stream in (a, b):
                record = _record(source, name, documents, support)
                if contexts:
                    record["retrieved"] = [
                        {"id": document, "text": f"{document}: {TEXT}"}
                        for document in record["retrieved"]
                    ]
                stream.write(json.dumps(record) + "\n")
    return _manifest(folder, "a"), _manifest(folder, "b")


def _record(
    source: random.Random, name: str, documents: list[str], support: dict[str, list[str]]
) -> dict[str, Any]:
    ranked = source.sample(documents, min(10, len(documents)))
    claims = [
        {"id": claim, "citations": [source.choice(good if source.random() < 0.8 else ranked)]}
        for claim, good in support.items()
        if source.random() < 0.85
    ]
    if source.random() < 0.1:
        claims.append({"id": "bonus", "citations": [source.choice(ranked)]})
    return {"question": name, "retrieved": ranked, "claims": claims, "latency_ms": 812.5}


def _manifest(folder: Path, name: str) -> Path:
    path = folder / f"{name}.toml"
    path.write_text(
        f'schema = "ragtui/run@1"\nid = "{name}"\nset = {{ path = "set.toml" }}\n'
        f'context = {{ cutoff = 5 }}\nrecords = {{ path = "{name}.jsonl" }}\n',
        encoding="utf-8",
    )
    return path


def write_trec(folder: Path, topics: int) -> tuple[Path, Path, Path]:
    """
    Write one run over *topics* with ten documents each, in TREC's files and as a set.

    Returns qrels, run and the manifest of the run; both spellings say the same.
    """
    source = random.Random(topics)
    _begin_set(folder)
    with (
        (folder / "qrels").open("w", encoding="utf-8") as qrels,
        (folder / "run").open("w", encoding="utf-8") as run,
        (folder / "questions.jsonl").open("w", encoding="utf-8") as asked,
        (folder / "a.jsonl").open("w", encoding="utf-8") as records,
    ):
        for number in range(topics):
            name = f"q-{number:07d}"
            documents = [f"doc-{n:06d}" for n in source.sample(range(10**6), 14)]
            relevant = documents[: source.randint(1, 4)]
            ranked = source.sample(documents, 10)
            qrels.writelines(f"{name} 0 {document} 1\n" for document in relevant)
            run.writelines(
                f"{name} Q0 {document} {rank} {100 - rank} bench\n"
                for rank, document in enumerate(ranked, 1)
            )
            asked.write(json.dumps({"id": name, "relevant": relevant}) + "\n")
            records.write(json.dumps({"question": name, "retrieved": ranked}) + "\n")
    return folder / "qrels", folder / "run", _manifest(folder, "a")
