"""
Whole-process figures, each as a ratio to a reference run in turn with it on the same machine.

Run as `python -m tests.bench [QUESTIONS …] [--contexts N] [--trec N]`; 10,000 questions by default.
A million questions, or contexts of 100,000 (1.8 GB on disk), are for whoever asks for them. Nothing
is asserted: the figures depend on the machine, their ratios hardly. Every line says what was run,
the median of the ratios, and the peak memory of the larger process.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tests.bench.data import write_pair, write_trec
from tests.bench.timing import Run, alone, paired

HERE = Path(__file__).parent
RAGTUI = [sys.executable, "-c", "import sys; from ragtui.cli import main; sys.exit(main())"]
BARE = [sys.executable, "-c", "import argparse"]
MOST_IN_MEMORY = 200_000
"""Questions up to which the reference, which keeps everything in memory, is run beside."""


def script(name: str, *arguments: object) -> list[str]:
    """Return the command that runs one of the scripts beside this one."""
    return [sys.executable, str(HERE / f"{name}.py"), *map(str, arguments)]


def starting(folder: Path) -> None:
    """Measure what says something without reading anything."""
    for option in ("--version", "--help"):
        paired(f"ragtui {option}, against importing argparse", [*RAGTUI, option], BARE, folder)


def comparing(size: int, folder: Path, *, contexts: bool = False) -> None:
    """Measure loading two runs, and of ids only also printing them."""
    a, b = write_pair(folder / f"{size}-{contexts}", size, contexts=contexts)
    what = f"{size:,} questions, {'with contexts' if contexts else 'ids only'}"
    theirs = script("reference", a.parent)
    printed = [*RAGTUI, "compare", str(a), str(b), "--json"]
    small = size <= MOST_IN_MEMORY
    if small and not contexts:
        paired(f"compare --json, {what}", printed, theirs, folder)
    loaded = script("loading", a, b)
    name = f"loading, {what}"
    found = paired(name, loaded, theirs, folder) if small else alone(name, loaded, folder)
    note(found, size, (folder / "output").read_text(encoding="utf-8"))


def note(found: Run, size: int, told: str) -> None:
    """Print what loading took a question, and what the columns take."""
    sys.stdout.write(f"  {found.seconds / size * 1e6:.0f} µs a question, columns {told}")


def trec(size: int, folder: Path) -> None:
    """Measure P@k, R@k and RR@k of one run, against ir_measures over TREC's files."""
    qrels, run, manifest = write_trec(folder / f"trec-{size}", size)
    theirs = script("trec_reference", qrels, run)
    paired(
        f"P, R, RR of {size:,} topics, against ir_measures",
        script("means", manifest),
        theirs,
        folder,
    )


def main() -> None:
    """Print every figure that was asked for."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench")
    parser.add_argument("sizes", metavar="QUESTIONS", type=int, nargs="*", default=[10_000])
    parser.add_argument("--contexts", metavar="N", type=int, help="questions with contexts")
    parser.add_argument("--trec", metavar="N", type=int, default=10_000, help="topics")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        starting(folder)
        trec(asked.trec, folder)
        for size in asked.sizes:
            comparing(size, folder)
        if asked.contexts:
            comparing(asked.contexts, folder, contexts=True)


if __name__ == "__main__":
    main()
