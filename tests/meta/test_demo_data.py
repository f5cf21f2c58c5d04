"""The demo's files say what the contract's reference table says."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any, Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[2]
DESK: Final = ROOT / "fixtures" / "release-desk"

LABELS: Final = {
    "launch": (["launch"], {"monday": ["launch"]}),
    "rollback": (["rollback", "checklist"], {"switch": ["rollback"], "smoke": ["checklist"]}),
    "owner": (["owners"], {"aurora": ["owners"]}),
    "region": ([], {}),
}

RUNS: Final = {
    "run-a": {
        "launch": (["launch", "archive"], {"monday": ["launch"]}),
        "rollback": (["rollback"], {"switch": ["rollback"]}),
        "owner": (["archive", "owners"], {"aurora": ["archive"]}),
        "region": (["archive"], {"region": ["archive"]}),
    },
    "run-b": {
        "launch": (["launch", "archive"], {"monday": ["launch"], "bonus": ["launch"]}),
        "rollback": (
            ["rollback", "checklist"],
            {"switch": ["rollback"], "smoke": ["checklist"]},
        ),
        "owner": (["owners", "archive"], {"aurora": ["owners"]}),
        "region": ([], {}),
    },
}


def _lines(name: str) -> list[dict[str, Any]]:
    text = (DESK / f"{name}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def _toml(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def test_the_labels_are_the_reference_table_s() -> None:
    """Questions, relevant documents and support stand as in the table, in its order."""
    questions = _toml(DESK / "questions.toml")["question"]
    assert {q["id"]: (q["relevant"], q.get("support", {})) for q in questions} == LABELS
    assert [q["id"] for q in questions] == list(LABELS)


@pytest.mark.parametrize("run", RUNS)
def test_the_records_are_the_reference_table_s(run: str) -> None:
    """Each record retrieves and claims what the table says."""
    told = {
        record["question"]: (
            [item["id"] for item in record["retrieved"]],
            {claim["id"]: claim["citations"] for claim in record["claims"]},
        )
        for record in _lines(run)
    }
    assert told == RUNS[run]


@pytest.mark.parametrize("run", RUNS)
def test_the_delivered_texts_are_the_corpus_s(run: str) -> None:
    """No document was delivered in another wording or version than the corpus holds."""
    corpus = {document["id"]: document for document in _lines("corpus")}
    for record in _lines(run):
        for item in record["retrieved"]:
            document = corpus[item["id"]]
            assert (item["text"], item["version"]) == (document["text"], document["version"])


def test_the_two_runs_differ_in_one_setting() -> None:
    """The manifests are a controlled change: the reranker, and nothing else of the pipeline."""
    a, b = (_toml(ROOT / "manifests" / f"{name}.toml") for name in ("baseline", "candidate"))
    for table in ("set", "context", "environment", "requests", "annotation"):
        assert a[table] == b[table]
    parts = a["pipeline"].keys() | b["pipeline"].keys()
    assert [part for part in parts if a["pipeline"].get(part) != b["pipeline"].get(part)] == [
        "retrieval"
    ]
    changed = a["pipeline"]["retrieval"].items() ^ b["pipeline"]["retrieval"].items()
    assert {key for key, _ in changed} == {"reranker"}
