"""
Whole-process figures, each as a ratio to a reference run in turn with it on the same machine.

Run as `python -m tests.bench [QUESTIONS …]` (10,000 by default). Nothing is asserted: the figures
depend on the machine, their ratios hardly. Every line says what was run, the median of the ratios,
and the peak memory of the larger process.
"""

from __future__ import annotations

import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

ROUNDS = 5
ROOT = Path(__file__).resolve().parents[2]
RAGTUI = [sys.executable, "-c", "import sys; from ragtui.cli import main; sys.exit(main())"]
REFERENCE = [sys.executable, str(Path(__file__).with_name("reference.py"))]
BARE = [sys.executable, "-c", "import argparse"]
TAGS = ("lookup", "several-evidence", "near-duplicate", "outdated", "conflicting")


class Run(NamedTuple):
    """What one process took."""

    seconds: float
    peak_mib: float


def timed(command: Sequence[str], output: Path) -> Run:
    """Run *command* with its standard output in a file."""
    before = time.perf_counter()
    with output.open("wb") as stream:
        process = subprocess.Popen(
            command, stdout=stream, env={**os.environ, "PYTHONPATH": str(ROOT)}
        )
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.perf_counter() - before
    if process.returncode:
        message = f"{command} ended with {process.returncode}"
        raise SystemExit(message)
    return Run(seconds, used.ru_maxrss / 1024)


def paired(name: str, measured: Sequence[str], reference: Sequence[str], folder: Path) -> None:
    """Run both in turn and print the median ratio."""
    output = folder / "output"
    rounds = [(timed(measured, output), timed(reference, output)) for _ in range(ROUNDS)]
    ratio = statistics.median(a.seconds / b.seconds for a, b in rounds)
    ours = statistics.median(a.seconds for a, _ in rounds)
    peak = max(a.peak_mib for a, _ in rounds)
    sys.stdout.write(f"{name}: {ratio:.2f} × the reference ({ours:.2f} s, peak {peak:.0f} MiB)\n")
    sys.stdout.flush()


def write_pair(folder: Path, questions: int) -> tuple[Path, Path]:
    """Write a set over an open corpus and two runs of ids only; return the manifests."""
    source = random.Random(questions)
    folder.mkdir()
    (folder / "ragtui.toml").touch()
    (folder / "set.toml").write_text(
        'schema = "ragtui/set@1"\nid = "bench"\nversion = "1.0.0"\n'
        'corpus = { open = true }\nquestions = { path = "questions.jsonl" }\n',
        encoding="utf-8",
    )
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
                stream.write(json.dumps(_record(source, name, documents, support)) + "\n")
    return _manifest(folder, "a"), _manifest(folder, "b")


def _record(
    source: random.Random, name: str, documents: list[str], support: dict[str, list[str]]
) -> dict[str, object]:
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


def main(sizes: Sequence[int]) -> None:
    """Print every figure."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for option in ("--version", "--help"):
            paired(f"ragtui {option}, against importing argparse", [*RAGTUI, option], BARE, folder)
        for size in sizes:
            a, b = write_pair(folder / str(size), size)
            ours = [*RAGTUI, "compare", str(a), str(b), "--json"]
            theirs = [*REFERENCE, str(a.parent)]
            paired(f"compare --json, {size:,} questions, ids only", ours, theirs, folder)
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    sys.stdout.write(f"(this script itself: peak {own:.0f} MiB)\n")


if __name__ == "__main__":
    main([int(size) for size in sys.argv[1:]] or [10_000])
