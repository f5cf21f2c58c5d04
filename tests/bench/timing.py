"""Whole processes, timed in turn on one machine."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["ROOT", "Run", "alone", "paired", "timed"]

ROUNDS = 5
ROOT = Path(__file__).resolve().parents[2]


class Run(NamedTuple):
    """What one process took."""

    seconds: float
    peak_mib: float


def timed(command: Sequence[str], folder: Path) -> Run:
    """
    Run *command* with its standard output in a file in *folder*.

    Bytecode is kept in *folder* as an installed package keeps it; otherwise every run would compile
    the whole program again.
    """
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    environment["PYTHONPYCACHEPREFIX"] = str(folder / "bytecode")
    before = time.perf_counter()
    with (folder / "output").open("wb") as stream:
        process = subprocess.Popen(command, stdout=stream, env=environment)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.perf_counter() - before
    if process.returncode:
        message = f"{command} ended with {process.returncode}"
        raise SystemExit(message)
    return Run(seconds, used.ru_maxrss / 1024)


def paired(name: str, measured: Sequence[str], reference: Sequence[str], folder: Path) -> Run:
    """Run both in turn, once unseen to compile them, and print the median ratio."""
    timed(measured, folder)
    rounds = [(timed(reference, folder), timed(measured, folder)) for _ in range(ROUNDS)]
    ratio = statistics.median(ours.seconds / theirs.seconds for theirs, ours in rounds)
    found = _median([ours for _, ours in rounds])
    _say(
        f"{name}: {ratio:.2f} × the reference"
        f" ({found.seconds:.2f} s, peak {found.peak_mib:.0f} MiB)"
    )
    return found


def alone(name: str, measured: Sequence[str], folder: Path) -> Run:
    """Run one three times and print what it took."""
    found = _median([timed(measured, folder) for _ in range(3)])
    _say(f"{name}: {found.seconds:.2f} s, peak {found.peak_mib:.0f} MiB")
    return found


def _median(runs: Sequence[Run]) -> Run:
    return Run(statistics.median(run.seconds for run in runs), max(run.peak_mib for run in runs))


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
