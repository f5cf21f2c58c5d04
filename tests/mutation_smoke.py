"""
Prove that the tests catch the three defects a scorer of citations is most likely to have.

The two of them that the fast kernel could have as well are put there too.

Run as `python -m tests.mutation_smoke`. Each defect is put alone into a copy of the package; the
contract's tests must fail there, and must pass in an unchanged copy. Exits 1 otherwise.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
TESTS = ("tests/core/test_contract.py", "tests/core/test_kernel.py")


@dataclass(frozen=True)
class Defect:
    """One change to one file of the package."""

    name: str
    file: str
    sound: str
    broken: str


DEFECTS = (
    Defect(
        "P@k divides by the number returned",
        "ragtui/core/measures.py",
        "lambda _: Score(counts.hits, cutoff)",
        "lambda _: Score(counts.hits, counts.visible or 1)",
    ),
    Defect(
        "a claim is accepted when any citation is permitted",
        "ragtui/core/contract.py",
        "if not cited <= frozenset().union(*alternatives):",
        "if not cited & frozenset().union(*alternatives):",
    ),
    Defect(
        "the visible context is forgotten",
        "ragtui/core/contract.py",
        "if not cited <= visible:",
        "if not cited <= cited | visible:",
    ),
    Defect(
        "the kernel accepts a claim when any citation is permitted",
        "ragtui/core/kernel.py",
        "if document not in permitted or document not in context:",
        "if set(permitted).isdisjoint(claim.citations) or document not in context:",
    ),
    Defect(
        "the kernel forgets the visible context",
        "ragtui/core/kernel.py",
        "if document not in permitted or document not in context:",
        "if document not in permitted:",
    ),
)


def passes(defect: Defect | None) -> bool:
    """Tell whether the contract's tests pass in a copy that holds *defect*."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        for part in ("ragtui", "tests", "pyproject.toml"):
            source = PROJECT / part
            if source.is_dir():
                shutil.copytree(source, copy / part, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(source, copy / part)
        if defect is not None:
            put(copy / defect.file, defect)
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"]
        ran = subprocess.run(
            [*command, "-n0", *TESTS],
            cwd=copy,
            env={**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        if defect is None and ran.returncode:
            sys.stderr.write(ran.stdout + ran.stderr)
        return ran.returncode == 0


def put(path: Path, defect: Defect) -> None:
    """Put *defect* into one file; the sound code must stand there exactly once."""
    text = path.read_text(encoding="utf-8")
    if text.count(defect.sound) != 1:
        message = f"{defect.file}: {defect.sound!r} must stand there exactly once"
        raise SystemExit(message)
    path.write_text(text.replace(defect.sound, defect.broken), encoding="utf-8")


def main() -> int:
    """Run every defect and report which were caught."""
    if not passes(None):
        sys.stdout.write("the unchanged copy fails its own tests\n")
        return 1
    survivors = [defect for defect in DEFECTS if passes(defect)]
    for defect in DEFECTS:
        sys.stdout.write(f"{'SURVIVED' if defect in survivors else 'caught'}: {defect.name}\n")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
