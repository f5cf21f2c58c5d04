"""The outputs that are kept; `python -m tests.golden.rewrite` writes them anew."""

from __future__ import annotations

import io
import os
from contextlib import redirect_stdout
from pathlib import Path
from typing import Final

from ragtui.cli import main

__all__ = ["OUTPUTS", "ROOT", "golden_path", "output_of"]

ROOT: Final = Path(__file__).resolve().parents[2]

_A: Final = "manifests/baseline.toml"
_B: Final = "manifests/candidate.toml"

OUTPUTS: Final = {
    "compare.txt": f"compare {_A} {_B} --plain",
    "compare.json": f"compare {_A} {_B} --json",
    "compare-k1.txt": f"compare {_A} {_B} --plain --cutoff 1",
    "compare-filtered.txt": f"compare {_A} {_B} --plain --filter tag:lookup",
    "compare-swapped.txt": f"compare {_B} {_A} --plain",
    "score-a.txt": f"score {_A}",
    "score-b.txt": f"score {_B}",
    "score-a.json": f"score {_A} --json",
    "score-b.csv": f"score {_B} --csv",
    "table.csv": f"table {_A} {_B}",
    "table.jsonl": f"table {_A} {_B} --jsonl",
    "explain-launch.txt": f"explain {_A} {_B} launch",
    "explain-owner.txt": f"explain {_A} {_B} owner",
    "explain-region.txt": f"explain {_A} {_B} region",
    "validate.txt": f"validate {_A} {_B} fixtures/release-desk/set.toml",
    "help.txt": "--help",
}
"""File name to the command line that prints it, in the project's folder."""


def golden_path(name: str) -> Path:
    """Return where the output called *name* is kept."""
    return Path(__file__).parent / "outputs" / name


def output_of(name: str) -> str:
    """Run the command of an output in the current folder, and return what it printed."""
    stream = io.StringIO()
    with redirect_stdout(stream):
        code = main(OUTPUTS[name].split())
    if code:
        raise RuntimeError(f"{OUTPUTS[name]} ended with {code}")
    return stream.getvalue()


def _rewrite() -> None:
    os.chdir(ROOT)
    for name in OUTPUTS:
        golden_path(name).parent.mkdir(exist_ok=True)
        golden_path(name).write_text(output_of(name), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    _rewrite()
