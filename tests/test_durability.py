"""A decision called decided is never lost, and none is invented: the small form of the proof."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def test_nothing_is_lost_and_nothing_invented() -> None:
    """Kills, failing and short writes, cut and damaged journals leave every decision as it was."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.durability", "12", "40"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    figures = {name: int(n.replace(",", "")) for n, name in _FIGURE.findall(done.stdout)}
    assert done.returncode == 0, done.stdout + done.stderr
    assert figures["kills at random moments"] == 12
    assert figures["system calls that failed"] == 40
    assert figures["errors told"] > 20
    assert figures["journals with a byte flipped"] > 500
    assert {figures[name] for name in ("lost", "invented", "unreadable", "silent", "strays")} == {0}


_FIGURE = re.compile(r"^ *([\d,]+) (.+)$", re.MULTILINE)
