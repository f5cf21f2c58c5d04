"""Every process collects the same tests, or parallel runs fall apart by chance."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LATER = "import time; time.time = lambda real=time.time: real() + 86_400.0"
COLLECT = "import sys, pytest; sys.exit(pytest.main(sys.argv[1:]))"


def _collected(seed: str, before: str) -> list[str]:
    ran = subprocess.run(
        [
            sys.executable,
            "-c",
            f"{before}\n{COLLECT}",
            "--collect-only",
            "--quiet",
            "-n0",
            "-pno:cacheprovider",
            "tests",
        ],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return [line for line in ran.stdout.splitlines() if "::" in line]


def test_names_of_tests_do_not_depend_on_hash_seed_or_clock() -> None:
    """Two processes a day apart, with other hash seeds, name the same tests in the same order."""
    first, later = _collected("1", "pass"), _collected("2", LATER)
    assert len(first) > 1000
    assert first == later
