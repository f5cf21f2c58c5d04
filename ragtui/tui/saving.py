"""
Keeping decisions on disk in a thread of its own: keys never wait for a disk.

The thread owns the store. It is given the steps of a session in their order and says of each when
it is safe; until then nobody calls it decided.
"""

from __future__ import annotations

import queue
import threading
from collections import deque
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from ragtui.errors import OutputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ragtui.core.history import Conflict, Entry
    from ragtui.files.triage_store import TriageStore
    from ragtui.session import Session

__all__ = [
    "Adopted",
    "Event",
    "Ready",
    "Refused",
    "Saved",
    "Saving",
    "Trouble",
    "Unfinished",
    "now",
]

RETRY_S: Final = 5.0
"""Seconds after which what could not be written is tried again."""

FINISH_S: Final = 5.0
"""Seconds that leaving waits for the disk."""


def now() -> str:
    """Return this moment as RFC 3339 text, in seconds."""
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


@dataclass(frozen=True, slots=True)
class Ready:
    """The decisions have been read, and a session over them stands."""

    session: Session
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Refused:
    """The decisions cannot be read, or the thread itself is at fault."""

    error: Exception


@dataclass(frozen=True, slots=True)
class Saved:
    """A step is on disk."""

    entry: Entry


@dataclass(frozen=True, slots=True)
class Adopted:
    """Steps that somebody else took were taken over; everything pending must be given anew."""

    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Trouble:
    """What could not be written, and why; `None`: it works again."""

    problem: str | None
    conflicts: tuple[Conflict, ...] = ()


Event: TypeAlias = Ready | Refused | Saved | Adopted | Trouble


class Unfinished(NamedTuple):
    """What leaving could not put on disk."""

    lost: tuple[Entry, ...]
    """Steps that are nowhere but in this program."""
    problem: str | None
    """Why they are not on disk, or the readable file is not up to date."""


class Saving:
    """The thread that owns a store, and the steps it has yet to write."""

    def __init__(
        self,
        open_store: Callable[[], TriageStore],
        begin: Callable[[TriageStore], Session],
        *,
        retry_s: float = RETRY_S,
    ) -> None:
        """Prepare to open a store and to *begin* a session over it, both in the thread."""
        self._open_store = open_store
        self._begin = begin
        self._retry_s = retry_s
        self._tasks: queue.SimpleQueue[Callable[[_Worker], bool]] = queue.SimpleQueue()
        self._generation = 0
        self._lock = threading.Lock()
        self._given: list[Entry] = []
        self._problem: str | None = None
        self._listener: Callable[[Event], None] = _nobody
        # A daemon: leaving must not wait for a disk that hangs.
        self._thread = threading.Thread(target=self._run, name="ragtui-saving", daemon=True)

    def start(self, listener: Callable[[Event], None]) -> None:
        """Begin; *listener* is called from the thread."""
        self._listener = listener
        self._thread.start()

    # ------------------------------------------------------------ asked by the session's thread

    def put(self, entry: Entry) -> None:
        """Write the next step; it is tried again until it is on disk."""
        with self._lock:
            self._given.append(entry)
        generation = self._generation
        self._tasks.put(lambda worker: worker.put(entry, generation))

    def put_anew(self, entries: tuple[Entry, ...]) -> None:
        """Write these steps instead of all that are waiting, after `Adopted`."""
        self._generation += 1
        with self._lock:
            self._given.clear()
        for entry in entries:
            self.put(entry)

    def retry(self) -> None:
        """Try at once what could not be written."""
        self._tasks.put(lambda worker: worker.retry())

    def save(self) -> None:
        """Bring the readable file up to date, and take over what was changed in it."""
        self._tasks.put(lambda worker: worker.save())

    def resolve(self, question: str, *, theirs: bool) -> None:
        """Settle a conflict for what stands in the file, or for what was decided here."""
        self._tasks.put(lambda worker: worker.resolve(question, theirs=theirs))

    def finish(self, seconds: float = FINISH_S, *, end: bool = True) -> Unfinished:
        """
        Write what is waiting, put everything into the readable file, and stop.

        Waits at most so many *seconds*. Without *end* the session goes on at the next start.
        """
        if self._thread.ident is None:
            return Unfinished((), None)
        self._tasks.put(lambda worker: worker.stop(end=end))
        self._thread.join(seconds)
        with self._lock:
            problem = self._problem
            if self._thread.is_alive():
                problem = f"the disk did not answer within {seconds:g} seconds"
            return Unfinished(tuple(self._given), problem)

    # ------------------------------------------------------------ the thread

    def report(self, event: Event) -> None:
        """Pass on what happened; called from the thread."""
        with self._lock:
            if isinstance(event, Saved) and event.entry in self._given:
                self._given.remove(event.entry)
            elif isinstance(event, Trouble):
                self._problem = event.problem
        self._listener(event)

    def _run(self) -> None:
        try:
            store = self._open_store()
            store.adopted()  # the history that the session begins with holds them
            event = Ready(self._begin(store), store.notices)
            self.report(event)
            worker = _Worker(store, self)
            worker.begin()
            while self._next(worker):
                pass
        except Exception as error:  # noqa: BLE001 - whatever it is must reach the screen's thread
            self.report(Refused(error))

    def _next(self, worker: _Worker) -> bool:
        """Do the next thing that is asked for; tell whether there may be another."""
        try:
            task = self._tasks.get(timeout=self._retry_s if worker.is_waiting else None)
        except queue.Empty:
            return worker.retry()
        return task(worker)


class _Worker:
    """What the thread does; every method tells whether to go on."""

    def __init__(self, store: TriageStore, saving: Saving) -> None:
        self._store = store
        self._saving = saving
        self._waiting: deque[Entry] = deque()
        self._generation = 0
        self._told = Trouble(None)
        self._words: str | None = None

    @property
    def is_waiting(self) -> bool:
        return bool(self._waiting)

    def begin(self) -> None:
        if self._store.problem is not None:
            self.save()  # which says in few words why it cannot, if it still cannot

    def put(self, entry: Entry, generation: int) -> bool:
        if generation == self._generation:
            self._waiting.append(entry)
            self._write()
        return True

    def retry(self) -> bool:
        if self._waiting:
            self._write()
        elif self._store.problem is not None:
            self.save()
        return True

    def save(self) -> bool:
        if self._store.read_only is None:
            with self._refusing():
                self._store.save(at=now())
            self._take_over()
        self.tell()
        return True

    def resolve(self, question: str, *, theirs: bool) -> bool:
        self._store.resolve(question, theirs=theirs)
        return True if self._store.conflicts else self.save()

    def stop(self, *, end: bool) -> bool:
        self._write()
        if end and not self._waiting:
            with self._refusing():
                self._store.close(at=now())
        self.tell()
        self._store.abandon()
        return False

    def tell(self) -> None:
        """Say what is wrong, or that nothing is any more, once."""
        problem = self._store.problem
        found = Trouble(problem and (self._words or problem), self._store.conflicts)
        if found != self._told:
            self._told = found
            self._saving.report(found)

    @contextmanager
    def _refusing(self) -> Iterator[None]:
        """Keep in a few words why the store refused; it tries again when it is asked again."""
        self._words = None
        try:
            yield
        except OutputError as error:
            self._words = _words(error)

    def _write(self) -> None:
        while self._waiting:
            entry, written = self._waiting[0], False
            with self._refusing():
                self._store.append(entry)
                written = True
            if not written:
                break  # nothing may overtake it
            self._waiting.popleft()
            self._saving.report(Saved(entry))
            self._take_over()
        self.tell()

    def _take_over(self) -> None:
        adopted = self._store.adopted()
        if adopted:
            self._waiting.clear()
            self._generation += 1
            self._saving.report(Adopted(adopted))


def _words(error: OutputError) -> str:
    """
    Return why something is not written, what matters first: a line may have to be cut.

    >>> from ragtui.errors import Fault
    >>> _words(OutputError(Fault(message="unwritten", found="disk full", file="/a/b.toml")))
    'disk full: unwritten (b.toml)'
    """
    fault = error.faults[0]
    words = f"{fault.found}: {fault.message}" if fault.found else fault.message
    if fault.hint:
        words += f"; {fault.hint}"
    return f"{words} ({Path(fault.file).name})" if fault.file else words


def _nobody(event: Event) -> None:
    del event
