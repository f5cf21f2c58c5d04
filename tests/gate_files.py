"""A frozen question set with two pinned runs and a policy as files, for tests of the gate."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import tomli_w

from ragtui.files.locks import freeze
from ragtui.files.pins import pin
from tests.written_sets import write_lines, write_set

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    Plain = dict[str, object]

__all__ = ["Pair", "write_policy"]

PIPELINE = {
    "code": {"revision": "8f2c1e0"},
    "prompt": {"revision": "p-12"},
    "generation": {"model": "brook-7b", "temperature": 0.0},
    "retrieval": {"top_k": 10},
}
DOCUMENTS = [{"id": "plan", "text": "The plan."}, {"id": "pay", "text": "What is paid."}]


@dataclass(kw_only=True)
class Pair:
    """
    Two runs over *n* answerable questions `q000` …, and two unanswerable ones, `none-0` and `-1`.

    Both runs answer everything right, from the document `plan`, until a test says otherwise.
    """

    n: int = 20
    critical: bool = False
    permissions: bool = False
    disputed: bool = False
    """Whether a reviewer of q000 finds another document relevant and claims unsupported."""
    a: dict[str, Plain | None] = field(default_factory=dict)
    """What A has of some questions in place of the right record; `None`: nothing."""
    b: dict[str, Plain | None] = field(default_factory=dict)
    manifest_a: Plain = field(default_factory=dict)
    manifest_b: Plain = field(default_factory=dict)
    frozen: bool = True

    def questions(self) -> list[Plain]:
        """Return the questions with their labels."""
        found: list[Plain] = [
            {"id": f"q{i:03}", "relevant": ["plan"], "support": {"c": ["plan"]}, "tags": ["plan"]}
            for i in range(self.n)
        ]
        if self.critical:
            found[0]["critical"] = True
        if self.disputed:
            found[0]["status"] = "disputed"
            found[0]["review"] = [
                {"reviewer": "r1", "support": {"c": ["plan"]}},
                {"reviewer": "r2", "relevant": ["plan", "pay"], "support": {"c": ["pay"]}},
            ]
        found += [{"id": f"none-{i}", "relevant": [], "support": {}} for i in range(2)]
        return found

    def write(self, folder: Path) -> Path:
        """Write everything into *folder*, which is returned."""
        documents: list[Plain] = [dict(document) for document in DOCUMENTS]
        if self.permissions:
            documents[0]["groups"], documents[1]["groups"] = ["public"], ["hr"]
        path = write_set(folder, self.questions(), documents)
        if self.frozen:
            freeze(path)
        for name, changed, more in (("a", self.a, self.manifest_a), ("b", self.b, self.manifest_b)):
            records = {q: right(q) for q in self._ids()} | changed
            lines = [{"question": q, **one} for q, one in records.items() if one is not None]
            write_lines(folder / f"{name}.jsonl", lines)
            manifest = {
                "schema": "ragtui/run@1",
                "id": f"run-{name}",
                "created": "2026-11-27T09:30:00Z",
                "set": {"path": "set.toml"},
                "context": {"cutoff": 2},
                "pipeline": PIPELINE,
                "records": {"path": f"{name}.jsonl"},
                **more,
            }
            (folder / f"{name}.toml").write_text(tomli_w.dumps(manifest), encoding="utf-8")
            if self.frozen:
                pin(folder / f"{name}.toml")
        return folder

    def _ids(self) -> list[str]:
        return [str(question["id"]) for question in self.questions()]


def right(question: str) -> Plain:
    """Return what a run that does everything right records."""
    if question.startswith("none"):
        return {"retrieved": ["plan"], "claims": []}
    return {"retrieved": ["plan"], "claims": [{"id": "c", "citations": ["plan"]}]}


SILENT: Plain = {"retrieved": ["plan"], "claims": []}
INVENTED: Plain = {
    "retrieved": ["plan"],
    "claims": [{"id": "c", "citations": ["plan"]}, {"id": "new", "citations": ["plan"]}],
}
LEAKED: Plain = {"retrieved": ["plan", "pay"], "claims": [{"id": "c", "citations": ["plan"]}]}
FAILED: Plain = {"error": "timeout"}


def each(record: Mapping[str, object], *places: int) -> dict[str, Plain | None]:
    """Return *record* for the answerable questions at *places*."""
    return {f"q{place:03}": dict(record) for place in places}


def write_policy(folder: Path, *rules: Plain, name: str = "p.toml", **more: Any) -> Path:  # noqa: ANN401 - any key
    """Write a policy of *rules* into *folder*."""
    numbered = [{"id": f"r{n}", **one} for n, one in enumerate(rules)]
    data = {"schema": "ragtui/policy@1", "id": "gate", **more, "rule": numbered}
    path = folder / name
    path.write_text(tomli_w.dumps(data), encoding="utf-8")
    return path
