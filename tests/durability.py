"""
Prove that a decision called decided is never lost, and that none is invented.

Run as `python -m tests.durability [KILLS [FAILURES]]`; prints figures and exits 1 when any of the
bad ones is not 0. Processes are killed at random moments, system calls fail or write short, and a
journal is cut at every byte and each of its bytes flipped.
"""

from __future__ import annotations

import errno
import os
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Final, NoReturn, Self
from unittest.mock import patch

from ragtui.core.history import History
from ragtui.errors import RagtuiError
from ragtui.files.triage_file import load_decisions
from ragtui.files.triage_store import TriageStore, read_decisions
from tests.triage_data import AT, HOLDER, NAME, SET, decision, random_step

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from ragtui.core.history import Entry
    from ragtui.core.triage import Decision

CALLS: Final = ("open", "write", "fsync", "fdatasync", "replace", "close", "ftruncate", "unlink")
ERRORS: Final = ("ENOSPC", "EIO", "EDQUOT", "EROFS", "EACCES", "EINTR")
STRAYS: Final = (".tmp", ".journal", ".lock")


@dataclass
class Figures:
    """What was tried and what went wrong."""

    tried: Counter[str] = field(default_factory=Counter)
    bad: Counter[str] = field(default_factory=Counter)

    def report(self) -> str:
        """Return the figures, one a line."""
        names = ("lost", "invented", "unreadable", "silent", "strays")
        lines = [f"{n:>7,} {name}" for name, n in self.tried.items()]
        return "\n".join([*lines, *(f"{self.bad[name]:>7,} {name}" for name in names)])

    def judge(self, found: Mapping[str, Decision], allowed: list[dict[str, Decision]]) -> None:
        """Compare what is *found* with the states it may be in, the acknowledged one first."""
        if found in allowed:
            return
        acknowledged = allowed[0]
        self.bad["lost"] += any(found.get(q) != said for q, said in acknowledged.items())
        known = [said for state in allowed for said in state.values()]
        self.bad["invented"] += any(said not in known for said in found.values())
        self.bad["lost"] += not (self.bad["lost"] or self.bad["invented"])


def open_store(folder: Path) -> TriageStore:
    """Open the triage file in *folder*."""
    return TriageStore.open(folder / NAME, set_digest=SET, holder=HOLDER)


# ---------------------------------------------------------------- killed at any moment


def _states(seed: int, start: Mapping[str, Decision]) -> Iterator[dict[str, Decision]]:
    """Give the decisions after each step of a script, which is the same for one seed."""
    rng, history = Random(seed), History(start)
    while True:
        history.apply(random_step(rng, history))
        yield dict(history.decisions)
        if rng.random() < 0.02:  # the script closes the session, so nothing can be undone
            history.forget()


def _work(folder: Path, seed: int, acknowledge: int) -> NoReturn:
    """Take steps until killed, and tell the parent of each that is on disk."""
    store = open_store(folder)
    rng, history = Random(seed), History(store.decisions)
    while True:
        entry = random_step(rng, history)
        store.append(entry)
        os.write(acknowledge, b".")
        history.apply(entry)
        if rng.random() < 0.02:
            history.forget()
            store.close(at=AT)
            store = open_store(folder)
        elif history.seq % 7 == 0:
            store.save(at=AT)


def _kill_once(folder: Path, seed: int, delay: float, *, at_work: bool) -> int:
    """
    Let a process work and kill it; return how many steps it acknowledged.

    *at_work*: the delay, in seconds, begins with the first of them, else with the process.
    """
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        with suppress(BaseException):
            os.close(reader)
            _work(folder, seed, writer)
        os._exit(1)
    os.close(writer)
    acknowledged = len(os.read(reader, 1)) if at_work else 0
    time.sleep(delay)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    with os.fdopen(reader, "rb") as pipe:
        acknowledged += len(pipe.read())
    if not os.WIFSIGNALED(status):
        raise RuntimeError(f"the process ended by itself after {acknowledged} steps")
    return acknowledged


def kills(figures: Figures, folder: Path, count: int, seed: int = 1) -> None:
    """Kill *count* processes, one after the other, on one triage file."""
    rng = Random(seed)
    state: dict[str, Decision] = {}
    for number in range(count):
        # The child must begin a session of its own: otherwise its script could undo other steps.
        acknowledged = _kill_once(
            folder,
            seed * 100_000 + number,
            rng.uniform(0.0, 0.1),
            at_work=rng.random() < 0.8,
        )
        figures.tried["kills at random moments"] += 1
        figures.tried["steps acknowledged before a kill"] += acknowledged
        script = _states(seed * 100_000 + number, state)
        states = [state, *(next(script) for _ in range(acknowledged + 1))]
        try:
            found = read_decisions(folder / NAME)
            store = open_store(folder)
        except RagtuiError:
            figures.bad["unreadable"] += 1
            return
        figures.judge(found, states[acknowledged:])
        figures.judge(store.decisions, states[acknowledged:])
        store.close(at=AT)
        figures.judge(load_decisions(folder / NAME) if found else {}, [dict(found)])
        left = [path.name for path in folder.iterdir() if path.name.endswith(STRAYS)]
        figures.bad["strays"] += len(left)
        state = dict(found)


# ---------------------------------------------------------------- calls that fail or write short


class Failing:
    """Lets one system call on a folder fail, or every write to it be short."""

    def __init__(self, at: int, code: int | None, short: int = 0) -> None:
        """Fail call number *at* with *code*, or let writes take only *short* bytes at once."""
        self.left = at
        self.code = code
        self.short = short
        self.failed: str | None = None

    def __enter__(self) -> Self:
        """Put the failing calls in place."""
        self._patches = ExitStack()
        for name in CALLS:
            self._patches.enter_context(patch.object(os, name, self._wrapped(name)))
        return self

    def __exit__(self, *_: object) -> None:
        """Put the real ones back."""
        self._patches.close()

    def _wrapped(self, name: str) -> Callable[..., object]:
        real: Callable[..., object] = getattr(os, name)

        def call(*args: object, **options: object) -> object:
            self.left -= 1
            if self.left == 0 and self.code is not None:
                self.failed = name
                if name == "close":
                    real(*args, **options)
                raise OSError(self.code, os.strerror(self.code))
            if name == "write" and self.short:
                data = memoryview(args[1])  # type: ignore[arg-type]
                size = self.short if self.short > 0 else max(1, len(data) + self.short)
                return real(args[0], data[:size])
            return real(*args, **options)

        return call


def _prepared(folder: Path, steps: int) -> tuple[TriageStore, History]:
    """Return a session with an older triage file and some steps."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    store = open_store(folder)
    store.append(History().decide([decision("old")], at=AT))
    store.close(at=AT)
    store = open_store(folder)
    history, rng = History(store.decisions), Random(7)
    for _ in range(steps):
        entry = random_step(rng, history)
        store.append(entry)
        history.apply(entry)
    return store, history


_SESSION: Final = ("append", "append", "append", "save", "append", "close")


def _fail_once(figures: Figures, folder: Path, failing: Failing, steps: int) -> bool:
    """
    Let one call fail while a session goes on; what failed is tried again, as a person would.

    Returns whether the call was reached. After each thing done, another process must find exactly
    what was acknowledged.
    """
    store, history = _prepared(folder, steps)
    rng = Random(11)
    for kind in _SESSION:
        entry = random_step(rng, history) if kind == "append" else None
        try:
            with failing:
                _do(store, kind, entry)
        except RagtuiError:
            figures.tried["errors told"] += 1
            figures.bad["silent"] += store.problem is None
            figures.judge(store.decisions, [dict(history.decisions)])
            figures.judge(read_decisions(folder / NAME), [dict(history.decisions)])
            with failing:
                _do(store, kind, entry)
        if entry is not None:
            history.apply(entry)
        figures.judge(read_decisions(folder / NAME), [dict(history.decisions)])
    figures.judge(load_decisions(folder / NAME), [dict(history.decisions)])
    return failing.failed is not None


def _do(store: TriageStore, kind: str, entry: Entry | None) -> None:
    if entry is not None:
        store.append(entry)
    elif kind == "save":
        store.save(at=AT)
    else:
        store.close(at=AT)


def failures(figures: Figures, folder: Path, most: int) -> None:
    """Let each call fail with each error in turn, up to *most* in all, and all writes be short."""
    for steps in (0, 3):
        for short in (1, -1, 7):
            figures.tried["sessions of short writes"] += 1
            _fail_once(figures, folder, Failing(0, None, short), steps)
        for name in ERRORS:
            at = 1
            while figures.tried["system calls that failed"] < most:
                if not _fail_once(figures, folder, Failing(at, getattr(errno, name)), steps):
                    break
                figures.tried["system calls that failed"] += 1
                at += 1


# ---------------------------------------------------------------- a damaged journal


def damage(figures: Figures, folder: Path, steps: int) -> None:
    """Cut the journal of some steps at every byte, and flip each of its bytes."""
    store, _ = _prepared(folder, 0)
    rng, history = Random(5), History(store.decisions)
    prefixes = [dict(history.decisions)]
    for _ in range(steps):
        entry = random_step(rng, history)
        store.append(entry)
        history.apply(entry)
        prefixes.append(dict(history.decisions))
    store.abandon()
    journal = folder / f".{NAME}.journal"
    raw = journal.read_bytes()
    flip = Random(13)
    for at in range(len(raw)):
        whole = max(0, raw[:at].count(b"\n") - 1)
        figures.tried["journals cut at a byte"] += 1
        journal.write_bytes(raw[:at])
        figures.judge(read_decisions(folder / NAME), [prefixes[whole]])
        figures.tried["journals with a byte flipped"] += 1
        other = raw[at] ^ flip.randrange(1, 256)
        journal.write_bytes(raw[:at] + bytes([other]) + raw[at + 1 :])
        figures.judge(read_decisions(folder / NAME), [prefixes[whole]])
    for at in range(0, len(raw), max(1, len(raw) // 60)):
        journal.write_bytes(raw[:at] + bytes([raw[at] ^ 0x20]) + raw[at + 1 :])
        _open_damaged(figures, folder, raw[:at].count(b"\n"), prefixes)


def _open_damaged(
    figures: Figures, folder: Path, lines: int, prefixes: list[dict[str, Decision]]
) -> None:
    """Open a damaged journal for writing: it is kept aside, and what was intact goes on."""
    kept = (folder / f".{NAME}.journal").read_bytes()
    file = (folder / NAME).read_bytes()
    store = open_store(folder)
    figures.tried["damaged journals opened"] += 1
    figures.judge(store.decisions, [prefixes[max(0, lines - 1)]])
    figures.bad["silent"] += not store.notices
    aside = sorted(folder.glob("*.damaged-*"))
    torn = kept.count(b"\n") == lines  # the flipped byte was the last line end
    figures.bad["lost"] += not torn and [path.read_bytes() for path in aside] != [kept]
    store.abandon()
    for path in aside:
        path.unlink()
    (folder / NAME).write_bytes(file)


def main(arguments: list[str]) -> int:
    """Try everything and print the figures."""
    count, most = (*map(int, arguments), *(300, 1000)[len(arguments) :])
    figures = Figures()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "kills").mkdir()
        kills(figures, folder / "kills", count)
        failures(figures, folder / "failures", most)
        damage(figures, folder / "damage", 4 if count < 100 else 50)
    print(figures.report())
    return 1 if figures.bad.total() else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
