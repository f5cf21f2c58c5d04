"""The thread that keeps decisions: in order, tried again, and never said before it is true."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from queue import SimpleQueue
from typing import TYPE_CHECKING

from ragtui.core.triage import Choice
from ragtui.errors import InputError
from ragtui.files.triage_store import TriageStore
from ragtui.session import Session
from ragtui.tui.saving import Adopted, Ready, Refused, Saved, Saving, Trouble
from tests.triage_data import AT, HOLDER, SET
from tests.tui.deciding import notes, regressions

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pytest

    from ragtui.core.history import Entry
    from ragtui.tui.saving import Event

_PATIENCE_S = 20
"""Seconds after which an event that does not come is a failure."""


class Heard:
    """Everything a thread said, one after the other."""

    def __init__(self) -> None:
        """Start to listen."""
        self._events: SimpleQueue[Event] = SimpleQueue()

    def __call__(self, event: Event) -> None:
        """Keep an event."""
        self._events.put(event)

    def next(self) -> Event:
        """Return the next event."""
        return self._events.get(timeout=_PATIENCE_S)

    @property
    def is_quiet(self) -> bool:
        """Whether nothing more was said."""
        return self._events.empty()


def _store(folder: Path) -> TriageStore:
    return TriageStore.open(folder / "a..b.triage.toml", set_digest=SET, holder=HOLDER)


def _begin(store: TriageStore) -> Session:
    return Session(regressions(4), history=store.history, clock=lambda: AT)


@contextmanager
def _saving(folder: Path) -> Iterator[tuple[Saving, Session, Heard]]:
    heard = Heard()
    saving = Saving(lambda: _store(folder), _begin, retry_s=0.01)
    saving.start(heard)
    event = heard.next()
    assert isinstance(event, Ready)
    yield saving, event.session, heard
    saving.finish()


def _decide(session: Session, index: int, choice: Choice = Choice.ACCEPT) -> Entry:
    entry = session.decide(choice, indexes=[index])
    assert entry is not None
    return entry


def test_steps_are_said_to_be_safe_in_their_order(tmp_path: Path) -> None:
    with _saving(tmp_path) as (saving, session, heard):
        entries = [_decide(session, index) for index in range(4)]
        for entry in entries:
            saving.put(entry)
        assert [heard.next() for _ in entries] == [Saved(entry) for entry in entries]
        assert len(notes(tmp_path)) == 4
    assert heard.is_quiet


def test_nothing_overtakes_a_step_that_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is said once, tried again by itself, and all is written in the end."""
    gate = threading.Event()
    tried = threading.Semaphore(0)
    append = TriageStore.append

    def gated(store: TriageStore, entry: Entry) -> None:
        tried.release()
        if not gate.is_set():
            with monkeypatch.context() as patch:
                patch.setattr("ragtui.files.journal.Journal._write", _full)
                patch.setattr("ragtui.files.journal.write_atomic", _full)
                append(store, entry)
        append(store, entry)

    monkeypatch.setattr(TriageStore, "append", gated)
    with _saving(tmp_path) as (saving, session, heard):
        entries = [_decide(session, index) for index in range(3)]
        for entry in entries:
            saving.put(entry)
        trouble = heard.next()
        assert isinstance(trouble, Trouble)
        assert trouble.problem is not None
        assert trouble.problem.startswith("No space left on device: ")
        for _ in range(5):
            assert tried.acquire(timeout=_PATIENCE_S)
        assert heard.is_quiet
        gate.set()
        assert [heard.next() for _ in range(4)] == [*map(Saved, entries), Trouble(None)]
    assert list(notes(tmp_path)) == ["q00", "q01", "q02"]


def _full(*_: object, **__: object) -> None:
    raise OSError(28, "No space left on device")


def test_finishing_puts_everything_into_the_readable_file(tmp_path: Path) -> None:
    with _saving(tmp_path) as (saving, session, _):
        saving.put(_decide(session, 0))
        assert saving.finish() == ((), None)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a..b.triage.toml"]


def test_a_disk_that_hangs_keeps_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gate = threading.Event()
    monkeypatch.setattr(TriageStore, "append", lambda *_: gate.wait(_PATIENCE_S))
    with _saving(tmp_path) as (saving, session, _):
        entry = _decide(session, 0)
        saving.put(entry)
        left = saving.finish(0.05)
        assert left.lost == (entry,)
        assert left.problem == "the disk did not answer within 0.05 seconds"
        gate.set()


def test_an_unfinished_session_goes_on(tmp_path: Path) -> None:
    with _saving(tmp_path) as (saving, session, _):
        saving.put(_decide(session, 0))
        saving.finish(end=False)
    with _saving(tmp_path) as (_, session, _):
        assert session.can_undo
        assert session.counts.decided == 1


def test_steps_built_on_what_somebody_else_changed_are_given_anew(tmp_path: Path) -> None:
    with _saving(tmp_path) as (saving, session, _):
        saving.put(_decide(session, 0))
        saving.finish()
    path = tmp_path / "a..b.triage.toml"
    with _saving(tmp_path) as (saving, session, heard):
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace('"accept"', '"block"'), encoding="utf-8")
        saving.save()
        adopted = heard.next()
        assert isinstance(adopted, Adopted)
        stale = _decide(session, 0, Choice.DISPUTE)
        saving.put(stale)  # by whoever does not know yet
        for entry in adopted.entries:
            session.taken(entry)
        saving.put_anew(session.pending)
        assert isinstance(heard.next(), Saved)
    assert notes(tmp_path) == {"q00": "dispute"}


def test_decisions_that_cannot_be_read_are_said(tmp_path: Path) -> None:
    (tmp_path / "a..b.triage.toml").write_text("schema = 3", encoding="utf-8")
    heard = Heard()
    saving = Saving(lambda: _store(tmp_path), _begin)
    saving.start(heard)
    event = heard.next()
    assert isinstance(event, Refused)
    assert isinstance(event.error, InputError)
    assert saving.finish() == ((), None)


def test_what_never_began_has_nothing_to_finish(tmp_path: Path) -> None:
    assert Saving(lambda: _store(tmp_path), _begin).finish() == ((), None)
