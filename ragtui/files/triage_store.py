"""
The decisions about two runs on disk: a readable file, and a journal while a session is open.

A decision is on disk before `TriageStore.append` returns. A session ends with `close`, which puts
everything into the readable file; one that ended otherwise goes on when the store is opened again.
"""

from __future__ import annotations

from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from ragtui.core.history import Conflict, Entry, History, merge
from ragtui.errors import Fault, InputError, OutputError, RagtuiError
from ragtui.files.atomic import remove_leftovers, write_atomic
from ragtui.files.canonical import sha256_hex
from ragtui.files.descriptors import unreadable
from ragtui.files.journal import Journal
from ragtui.files.journal_lines import FileMark, Header, read_journal
from ragtui.files.limits import MAX_TRIAGE_BYTES
from ragtui.files.replay import beside, read_decisions, replay
from ragtui.files.session_lock import HeldError, Holder, SessionLock
from ragtui.files.sources import shown_path
from ragtui.files.triage_file import (
    TriageFile,
    decision_faults,
    load_triage,
    render_size,
    render_triage,
)
from ragtui.text import plural

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from ragtui.core.triage import Decision
    from ragtui.files.journal_lines import Found
    from ragtui.files.replay import Replayed

__all__ = ["Holder", "TriageStore", "read_decisions"]

_SAVE_EVERY: Final = 1000
"""Steps after which the readable file is brought up to date."""

_READ_ONLY_BITS: Final = 0o222


class TriageStore:
    """
    The decisions of one pair of runs, and the session that may add to them.

    Not for several threads at once. `problem` says why the last thing that was to be written is
    not; nothing that was appended is ever lost by it.
    """

    def __init__(self, path: Path, *, set_digest: str, holder: Holder) -> None:
        """Prepare a store; `open` reads it."""
        self.path = path
        self.read_only: str | None = None
        """Why nothing can be decided here, in words; `None`: it can."""
        self.problem: str | None = None
        """Why the last thing that was to be written is not on disk; `None`: it is."""
        self.notices: tuple[str, ...] = ()
        """What a person must know about how the files were found; raw text."""
        self.conflicts: tuple[Conflict, ...] = ()
        """Questions decided here and otherwise outside; `save` waits until they are resolved."""
        self.history = History()
        """The steps that are on disk; take a copy to go ahead of it."""
        self._set_digest = set_digest
        self._holder = holder
        self._lock: SessionLock | None = None
        self._journal: Journal | None = None
        self._file = TriageFile({})
        self._known: dict[str | None, Mapping[str, Decision]] = {}
        self._resolved: dict[str, _Resolved] = {}
        self._adopted: list[Entry] = []
        self._unsaved = 0
        self._size = 0

    @classmethod
    def open(cls, path: Path, *, set_digest: str, holder: Holder) -> TriageStore:
        """
        Open the decisions at *path*, in a session of *holder* about the set of *set_digest*.

        A session that did not end goes on. Where another one is at work the store is read-only,
        where the folder cannot be written `problem` says so and `append` tries again. Raises
        InputError for files that cannot be read; nothing is changed then.
        """
        store = cls(path, set_digest=set_digest, holder=holder)
        try:
            store._lock = store._take_lock()
        except HeldError as error:
            store.read_only = f"open in another session: {error.holder.words}"
        except OutputError as error:
            store.problem = str(error)
        try:
            store._read()
            if store._lock is not None:
                store._sweep()
        except BaseException:
            store.abandon()
            raise
        return store

    @property
    def decisions(self) -> Mapping[str, Decision]:
        """The decisions that are on disk, by question id."""
        return self.history.decisions

    def append(self, entry: Entry) -> None:
        """
        Take the next step; it is on disk when this returns.

        Its number is given here. Raises OutputError, and nothing was taken: the same entry may be
        tried again, also when a disk was full or a folder read-only.
        """
        with self._telling():
            entry = msgspec.structs.replace(entry, seq=self.history.seq + 1)
            self._add(entry)
        self._unsaved += 1
        if self._unsaved % _SAVE_EVERY == 0:
            self._try_to_save(entry.at)

    def save(self, *, at: str) -> None:
        """
        Bring the readable file up to date; the session goes on.

        What was changed in it outside meanwhile is taken over, see `adopted`. Raises OutputError
        when it cannot be written, holds comments, or when `conflicts` must be resolved first; the
        journal keeps everything.
        """
        with self._telling():
            self._hold()
            self._save(at)
            self._unsaved = 0
            self._resolved.clear()

    def resolve(self, question: str, *, theirs: bool) -> None:
        """Settle one of the conflicts for what was written outside, or for what stands here."""
        for conflict in self.conflicts:
            if conflict.question == question:
                self._resolved[question] = _Resolved(conflict.theirs, theirs=theirs)
        self.conflicts = tuple(c for c in self.conflicts if c.question not in self._resolved)

    def adopted(self) -> tuple[Entry, ...]:
        """Return the steps that took over changes from outside since this was last called."""
        entries, self._adopted = tuple(self._adopted), []
        return entries

    def close(self, *, at: str) -> None:
        """
        End the session: everything is in the readable file, the journal and the lock are gone.

        A session in which nothing was decided writes nothing. Raises OutputError as `save` does;
        the session is open still, and goes on at the next start if it is abandoned.
        """
        if self.read_only is None and self._journal is not None:
            if not self._journal.is_empty:
                self.save(at=at)
            self._journal.drop()
            self._journal = None
        self.abandon()

    def abandon(self) -> None:
        """Let others work and leave the journal where it is; the session goes on next time."""
        if self._journal is not None:
            self._journal.close()
        if self._lock is not None:
            self._lock.release()
        self._lock = None
        self.read_only = self.read_only or "the session has ended"

    # ------------------------------------------------------------ opening

    def _read(self) -> None:
        if self.path.is_symlink():
            raise InputError(
                Fault(
                    message="the triage file is a link and would not be replaced",
                    file=shown_path(self.path),
                    hint="name the file itself with --triage",
                )
            )
        self._file = file = load_triage(self.path)
        found = read_journal(beside(self.path, "journal"))
        self._size = len(file.raw)
        if found is None:
            self.history = History(file.decisions)
            self._known = {file.sha256: file.decisions}
            return
        replayed = replay(file, found, self.path)
        self.history, self._known = replayed.history, replayed.known
        if self.read_only is None:
            self._go_on(replayed)

    def _go_on(self, replayed: Replayed) -> None:
        """Go on with a session that did not end."""
        found = replayed.found
        self.notices = tuple(self._found_words(found))
        self._journal = Journal.resume(beside(self.path, "journal"), self._header(), found)
        if self._lock is None:
            return
        try:
            aside = self._journal.repair()
        except OutputError as error:
            self.problem = str(error)
            return
        if aside is not None:
            self.notices += (f"the damaged journal is kept as {aside.name}",)
        if self._file.sha256 not in self._known:
            self._try_to_save(self._holder.since)

    def _found_words(self, found: Found) -> Iterator[str]:
        steps = sum(isinstance(line, Entry) for line in found.lines)
        if steps:
            yield f"{plural(steps, 'step')} of a session that did not end: it goes on"
        if found.torn:
            yield "the last step was not written to its end and is not counted"
        if found.damage is not None:
            yield f"the journal is damaged, and is read only as far as here: {found.damage}"
        if found.header is not None and found.header.set != self._set_digest:
            yield "the question set is another than when the session began"
        if self._file.sha256 is None and None not in self._known:
            yield "the triage file is gone: only what the session decided is known"

    def _sweep(self) -> None:
        """Remove what a killed session left half written."""
        for path in (self.path, *(beside(self.path, kind) for kind in ("journal", "bak"))):
            remove_leftovers(path)

    def _header(self) -> Header:
        return Header(set=self._set_digest, base=self._file.sha256, since=self._holder.since)

    # ------------------------------------------------------------ holding

    def _take_lock(self) -> SessionLock:
        path = beside(self.path, "lock")
        try:
            return SessionLock.take(path, self._holder)
        except OSError as error:
            raise OutputError(
                Fault(
                    message="decisions cannot be kept here",
                    file=shown_path(path),
                    found=error.strerror or str(error),
                    hint="name another place with --triage",
                )
            ) from error

    def _hold(self) -> None:
        """Make sure that nobody else works on the file. Raises OutputError."""
        if self.read_only is not None:
            raise OutputError(Fault(message=self.read_only, file=shown_path(self.path)))
        if self._lock is not None and self._lock.holds:
            return
        try:
            lock = self._take_lock()
        except HeldError as error:
            raise OutputError(
                Fault(
                    message=f"open in another session: {error.holder.words}",
                    file=shown_path(self.path),
                )
            ) from error
        try:
            undisturbed = self._is_undisturbed()
        except InputError:
            lock.release()
            raise
        if not undisturbed:
            lock.release()
            raise OutputError(
                Fault(
                    message="another session was at work here meanwhile",
                    file=shown_path(self.path),
                    hint="open the comparison again",
                )
            )
        if self._lock is not None:
            self._lock.release()
        self._lock = lock

    def _is_undisturbed(self) -> bool:
        if self._journal is not None:
            return self._journal.is_ours
        return Journal(beside(self.path, "journal"), self._header()).is_absent

    @contextmanager
    def _telling(self) -> Iterator[None]:
        """Keep what went wrong for whoever shows it."""
        try:
            yield
        except OutputError as error:
            self.problem = str(error)
            raise
        except InputError as error:
            self.problem = str(error)
            raise OutputError(error.faults) from error
        except OSError as error:  # whatever a disk can refuse besides reading and writing
            fault = unreadable(shown_path(self.path), error)
            self.problem = str(fault)
            raise OutputError(fault) from error
        self.problem = None

    def _try_to_save(self, at: str) -> None:
        """Save where that is not what was asked for: `problem` says what went wrong."""
        try:
            self.save(at=at)
        except RagtuiError:
            return

    # ------------------------------------------------------------ writing

    def _add(self, entry: Entry) -> None:
        """Check a step, put it on disk, then count it."""
        self._hold()
        self.history.check(entry)
        size = self._size
        for edit in entry.edits:
            size -= 0 if edit.old is None else render_size(edit.old)
            if edit.new is not None:
                if fault := next(decision_faults(edit.new), None):
                    raise InputError(fault)
                size += render_size(edit.new)
        if size > MAX_TRIAGE_BYTES:
            raise OutputError(
                Fault(
                    message="the decisions would be too long for one file",
                    file=shown_path(self.path),
                    expected=f"at most {MAX_TRIAGE_BYTES:,} bytes",
                    hint="shorten the notes",
                )
            )
        self._writable_journal().append(entry)
        self.history.apply(entry)
        self._size = size

    def _writable_journal(self) -> Journal:
        if self._journal is None:
            self._journal = Journal(beside(self.path, "journal"), self._header())
        return self._journal

    def _save(self, at: str) -> None:
        theirs = load_triage(self.path)
        changes = self._changes_outside(theirs)
        wanted = {**self.decisions, **changes}
        wanted = {question: said for question, said in wanted.items() if said is not None}
        is_up_to_date = wanted == theirs.decisions
        if not is_up_to_date:
            self._check_replaceable(theirs)
        if changes:
            entry = self.history.outside(changes, at=at)
            self._add(entry)
            self._adopted.append(entry)
        if not is_up_to_date:
            self._write(theirs)
        elif theirs.sha256 is not None and list(self._known) != [theirs.sha256]:
            self._confirm(theirs.sha256)

    def _changes_outside(self, theirs: TriageFile) -> Mapping[str, Decision | None]:
        """Return what to take over from the file. Raises OutputError where people must choose."""
        if theirs.sha256 is None and None not in self._known:
            return {}  # the file is gone: nobody decided otherwise
        known = self._known
        # A file that nobody here wrote is taken to come from the latest one that surely was.
        base = dict(known.get(theirs.sha256, next(iter(known.values()))))
        for question, settled in self._resolved.items():
            if settled.said != theirs.decisions.get(question):
                continue
            start = self.decisions.get(question) if settled.theirs else settled.said
            if start is None:
                base.pop(question, None)
            else:
                base[question] = start
        merged = merge(base, self.decisions, theirs.decisions)
        self.conflicts = merged.conflicts
        if merged.conflicts:
            raise OutputError(
                Fault(
                    message="decided here, and otherwise in the file, which changed meanwhile",
                    file=shown_path(self.path),
                    question=conflict.question,
                    hint="choose one of the two",
                )
                for conflict in merged.conflicts
            )
        return merged.changes

    def _check_replaceable(self, theirs: TriageFile) -> None:
        fault = Fault(message="the file is read-only", file=shown_path(self.path))
        if theirs.has_comments:
            raise OutputError(
                Fault(
                    message="the file holds comments, which would be lost",
                    file=shown_path(self.path),
                    hint="put them into notes, or take them out; the journal keeps the decisions",
                )
            )
        if theirs.sha256 is not None and not self.path.lstat().st_mode & _READ_ONLY_BITS:
            raise OutputError(fault)

    def _write(self, theirs: TriageFile) -> None:
        raw = render_triage(self.decisions.values(), set_digest=self._set_digest)
        digest = sha256_hex(raw)
        # Said first: if the program ends in between, the next one knows the file for its own.
        self._writable_journal().append(FileMark(digest, written=False))
        self._known[digest] = dict(self.decisions)
        if theirs.sha256 is not None:
            write_atomic(beside(self.path, "bak"), theirs.raw, new_mode=0o600)
        write_atomic(self.path, raw, new_mode=0o600)
        self._size = len(raw)
        self._confirm(digest)

    def _confirm(self, digest: str) -> None:
        """Note that the file, which has this digest, surely holds what is decided now."""
        self._known = {digest: dict(self.decisions)}
        with suppress(OutputError):  # the decisions are safe, and the next save tells as much
            self._writable_journal().append(FileMark(digest, written=True))


class _Resolved(NamedTuple):
    """How a person settled a conflict."""

    said: Decision | None
    """What was written outside; the answer holds only for that."""
    theirs: bool
