"""Decisions on disk: what was decided is found again, whatever happened in between."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from contextlib import ExitStack
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Final
from unittest.mock import patch

import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from ragtui.core.history import Entry, History
from ragtui.core.triage import Choice
from ragtui.errors import InputError, OutputError
from ragtui.files import triage_store as module
from ragtui.files.triage_file import load_decisions, render_triage
from ragtui.files.triage_store import Holder, TriageStore, read_decisions
from tests.triage_data import AT, HOLDER, NAME, SET, decision, names, random_step

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ragtui.core.triage import Decision

JOURNAL: Final = f".{NAME}.journal"
LOCK: Final = f".{NAME}.lock"


def opened(folder: Path, *, holder: Holder = HOLDER) -> TriageStore:
    return TriageStore.open(folder / NAME, set_digest=SET, holder=holder)


def decide(store: TriageStore, *said: Decision) -> Entry:
    entry = store.history.decide(said, at=AT)
    store.append(entry)
    return entry


def write(folder: Path, said: Iterable[Decision]) -> bytes:
    raw = render_triage(said, set_digest=SET)
    (folder / NAME).write_bytes(raw)
    return raw


def crash(store: TriageStore) -> None:
    """End a session as a kill does: nothing is put away."""
    store.abandon()


LAUNCH, OWNER = decision("launch"), decision("owner", Choice.BLOCK, "why")


# ---------------------------------------------------------------- a session


def test_a_session_in_which_nothing_is_decided_leaves_no_file(tmp_path: Path) -> None:
    store = opened(tmp_path)
    assert (store.decisions, store.read_only, store.problem, store.notices) == ({}, None, None, ())
    store.close(at=AT)
    assert names(tmp_path) == []


def test_a_decision_is_on_disk_at_once_and_readable_at_the_end(tmp_path: Path) -> None:
    store = opened(tmp_path)
    decide(store, LAUNCH, OWNER)
    assert read_decisions(tmp_path / NAME) == {"launch": LAUNCH, "owner": OWNER}
    assert not (tmp_path / NAME).exists()
    store.close(at=AT)
    assert load_decisions(tmp_path / NAME) == {"launch": LAUNCH, "owner": OWNER}
    assert names(tmp_path) == [NAME]
    assert (tmp_path / NAME).stat().st_mode & 0o777 == 0o600


def test_the_last_good_file_is_kept_and_permissions_stay(tmp_path: Path) -> None:
    before = write(tmp_path, [LAUNCH])
    (tmp_path / NAME).chmod(0o640)
    store = opened(tmp_path)
    decide(store, OWNER)
    store.close(at=AT)
    assert (tmp_path / f".{NAME}.bak").read_bytes() == before
    assert (tmp_path / NAME).stat().st_mode & 0o777 == 0o640


def test_the_same_decisions_give_the_same_bytes_whatever_the_way(tmp_path: Path) -> None:
    store = opened(tmp_path)
    decide(store, OWNER)
    decide(store, decision("launch", Choice.DISPUTE))
    decide(store, LAUNCH)
    store.close(at=AT)
    assert (tmp_path / NAME).read_bytes() == render_triage([LAUNCH, OWNER], set_digest=SET)


def test_undo_reaches_back_to_the_start_of_the_session_across_a_crash(tmp_path: Path) -> None:
    write(tmp_path, [OWNER])
    store = opened(tmp_path)
    decide(store, LAUNCH)
    decide(store, decision("owner", Choice.ACCEPT))
    store.save(at=AT)
    crash(store)
    again = opened(tmp_path)
    assert again.notices == ("2 steps of a session that did not end: it goes on",)
    while (entry := again.history.undo(at=AT)) is not None:
        again.append(entry)
    assert again.decisions == {"owner": OWNER}
    again.close(at=AT)
    assert load_decisions(tmp_path / NAME) == {"owner": OWNER}
    last = opened(tmp_path)
    assert (last.history.can_undo, last.history.can_redo) == (0, 0)
    last.close(at=AT)


def test_the_store_gives_the_step_its_number(tmp_path: Path) -> None:
    store, ahead = opened(tmp_path), History()
    for said in (LAUNCH, OWNER):
        entry = ahead.decide([said], at=AT)
        ahead.apply(entry)
    store.append(History().decide([LAUNCH], at=AT))
    store.append(entry)
    assert store.history.seq == 2
    store.close(at=AT)


def test_a_step_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    store = opened(tmp_path)
    decide(store, LAUNCH)
    with pytest.raises(OutputError, match="the step before is another"):
        store.append(History().decide([LAUNCH], at=AT))
    with pytest.raises(OutputError, match="half of a surrogate pair"):
        decide(store, decision("owner", note="\ud800"))
    assert store.decisions == {"launch": LAUNCH}
    store.close(at=AT)


def test_a_long_session_brings_the_readable_file_up_to_date(tmp_path: Path) -> None:
    with patch.object(module, "_SAVE_EVERY", 3):
        store = opened(tmp_path)
        decide(store, LAUNCH)
        decide(store, decision("launch", Choice.BLOCK))
        assert not (tmp_path / NAME).exists()
        decide(store, OWNER)
    assert load_decisions(tmp_path / NAME) == store.decisions
    assert store.history.can_undo == 3
    store.close(at=AT)


# ---------------------------------------------------------------- another session


def test_a_second_session_is_read_only_and_says_who_works(tmp_path: Path) -> None:
    first = opened(tmp_path)
    decide(first, LAUNCH)
    second = opened(tmp_path, holder=Holder.here(AT))
    assert second.read_only == (
        "open in another session: process 12 on desk-02, since 2026-11-27T10:00:00Z"
    )
    assert second.decisions == {"launch": LAUNCH}
    with pytest.raises(OutputError, match="open in another session: process 12"):
        second.append(second.history.decide([OWNER], at=AT))
    second.close(at=AT)
    decide(first, OWNER)
    first.close(at=AT)
    third = opened(tmp_path)
    assert third.read_only is None
    assert set(third.decisions) == {"launch", "owner"}
    third.close(at=AT)


def test_a_session_whose_lock_was_removed_does_not_write_over_another(tmp_path: Path) -> None:
    first = opened(tmp_path)
    decide(first, LAUNCH)
    (tmp_path / LOCK).unlink()
    second = opened(tmp_path)
    decide(second, OWNER)
    with pytest.raises(OutputError, match="open in another session"):
        decide(first, decision("region"))
    second.close(at=AT)
    decide(first, decision("region"))  # nobody else is there now, and what they did is kept
    first.close(at=AT)
    assert set(load_decisions(tmp_path / NAME)) == {"launch", "owner", "region"}


def test_a_session_that_ended_takes_no_more(tmp_path: Path) -> None:
    store = opened(tmp_path)
    store.close(at=AT)
    with pytest.raises(OutputError, match="the session has ended"):
        decide(store, LAUNCH)


# ---------------------------------------------------------------- changed outside


def test_what_was_decided_outside_meanwhile_is_taken_over(tmp_path: Path) -> None:
    write(tmp_path, [LAUNCH])
    store = opened(tmp_path)
    decide(store, OWNER)
    theirs = decision("launch", Choice.BLOCK, "by an editor")
    write(tmp_path, [theirs, decision("region")])
    store.save(at=AT)
    assert store.decisions == {"launch": theirs, "owner": OWNER, "region": decision("region")}
    assert [entry.questions for entry in store.adopted()] == [("launch", "region")]
    assert store.adopted() == ()
    assert load_decisions(tmp_path / NAME) == store.decisions
    crash(store)
    again = opened(tmp_path)
    assert again.decisions == store.decisions
    again.close(at=AT)


def test_a_decision_removed_outside_is_withdrawn(tmp_path: Path) -> None:
    store = opened(tmp_path)
    decide(store, LAUNCH)
    decide(store, OWNER)
    store.save(at=AT)
    write(tmp_path, [OWNER])
    store.close(at=AT)
    assert load_decisions(tmp_path / NAME) == {"owner": OWNER}


def test_an_outside_edit_is_noticed_after_a_crash_too(tmp_path: Path) -> None:
    write(tmp_path, [LAUNCH])
    store = opened(tmp_path)
    decide(store, OWNER)
    crash(store)
    write(tmp_path, [decision("launch", Choice.DISPUTE)])
    again = opened(tmp_path)
    assert again.decisions["launch"].choice is Choice.DISPUTE
    assert again.decisions["owner"] == OWNER
    assert load_decisions(tmp_path / NAME) == again.decisions
    again.close(at=AT)


@pytest.mark.parametrize("after_crash", [False, True])
@pytest.mark.parametrize("theirs", [False, True])
def test_what_both_changed_is_asked_and_nothing_is_overwritten(
    theirs: bool, after_crash: bool, tmp_path: Path
) -> None:
    write(tmp_path, [LAUNCH])
    store = opened(tmp_path)
    ours = decision("launch", Choice.BLOCK, "ours")
    other = decision("launch", Choice.DISPUTE, "theirs")
    decide(store, ours)
    raw = write(tmp_path, [other])
    if after_crash:
        crash(store)
        store = opened(tmp_path)
    for _ in range(2):
        with pytest.raises(OutputError, match='question "launch": decided here, and otherwise'):
            store.close(at=AT)
    assert (tmp_path / NAME).read_bytes() == raw
    (conflict,) = store.conflicts
    assert (conflict.base, conflict.ours, conflict.theirs) == (LAUNCH, ours, other)
    store.resolve("launch", theirs=theirs)
    assert store.conflicts == ()
    store.close(at=AT)
    assert load_decisions(tmp_path / NAME) == {"launch": other if theirs else ours}
    assert ((tmp_path / NAME).read_bytes() == raw) is theirs
    assert set(names(tmp_path)) - {f".{NAME}.bak"} == {NAME}


def test_an_answer_holds_only_for_what_was_asked(tmp_path: Path) -> None:
    store = opened(tmp_path)
    decide(store, LAUNCH)
    write(tmp_path, [decision("launch", Choice.BLOCK)])
    with pytest.raises(OutputError):
        store.save(at=AT)
    store.resolve("launch", theirs=False)
    write(tmp_path, [decision("launch", Choice.DISPUTE)])
    with pytest.raises(OutputError):
        store.save(at=AT)
    assert len(store.conflicts) == 1
    crash(store)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "the key is missing"),
        (b"<<<<<<< a\nx = 1\n=======\nx = 2\n>>>>>>> b\n", "git conflict mark"),
        (b"\xff", "not UTF-8"),
    ],
)
def test_a_file_that_was_broken_outside_is_not_overwritten(
    content: bytes, told: str, tmp_path: Path
) -> None:
    write(tmp_path, [LAUNCH])
    store = opened(tmp_path)
    decide(store, OWNER)
    (tmp_path / NAME).write_bytes(content)
    with pytest.raises(OutputError, match=told):
        store.close(at=AT)
    assert (tmp_path / NAME).read_bytes() == content
    assert store.problem is not None
    write(tmp_path, [LAUNCH])
    store.close(at=AT)
    assert set(load_decisions(tmp_path / NAME)) == {"launch", "owner"}


def test_a_file_with_comments_is_not_rewritten_and_the_journal_keeps_all(tmp_path: Path) -> None:
    raw = b"# keep me\n" + write(tmp_path, [LAUNCH])
    (tmp_path / NAME).write_bytes(raw)
    store = opened(tmp_path)
    decide(store, OWNER)
    with pytest.raises(OutputError, match="holds comments, which would be lost"):
        store.close(at=AT)
    crash(store)
    assert (tmp_path / NAME).read_bytes() == raw
    assert set(read_decisions(tmp_path / NAME)) == {"launch", "owner"}


def test_a_file_that_holds_the_same_is_left_as_it_is_written(tmp_path: Path) -> None:
    raw = b"# keep me\n" + write(tmp_path, [LAUNCH])
    (tmp_path / NAME).write_bytes(raw)
    store = opened(tmp_path)
    decide(store, OWNER)
    store.append(store.history.undo(at=AT) or pytest.fail("nothing to undo"))
    store.close(at=AT)
    assert (tmp_path / NAME).read_bytes() == raw
    assert names(tmp_path) == [NAME]


def test_a_file_made_read_only_is_not_replaced(tmp_path: Path) -> None:
    raw = write(tmp_path, [LAUNCH])
    store = opened(tmp_path)
    decide(store, OWNER)
    (tmp_path / NAME).chmod(0o444)
    with pytest.raises(OutputError, match="the file is read-only"):
        store.close(at=AT)
    assert (tmp_path / NAME).read_bytes() == raw
    crash(store)


@pytest.mark.parametrize("after_crash", [False, True])
def test_a_file_that_is_gone_is_written_anew_with_what_is_known(
    after_crash: bool, tmp_path: Path
) -> None:
    write(tmp_path, [LAUNCH])
    store = opened(tmp_path)
    decide(store, OWNER)
    (tmp_path / NAME).unlink()
    if after_crash:
        crash(store)
        store = opened(tmp_path)
        assert any("the triage file is gone" in notice for notice in store.notices)
    store.close(at=AT)
    known = {"owner": OWNER} if after_crash else {"launch": LAUNCH, "owner": OWNER}
    assert load_decisions(tmp_path / NAME) == known


@pytest.mark.parametrize("after_crash", [False, True])
def test_a_decision_is_not_taken_back_by_a_save_that_failed_before(
    after_crash: bool, tmp_path: Path
) -> None:
    """The file still holds what it held before the failed save; that is nobody's edit."""
    write(tmp_path, [LAUNCH])
    store = opened(tmp_path)
    later = decision("launch", Choice.BLOCK, "later")
    decide(store, later)
    with (
        patch.object(os, "replace", side_effect=OSError(errno.ENOSPC, "No space left on device")),
        pytest.raises(OutputError, match="No space left on device"),
    ):
        store.save(at=AT)
    write(tmp_path, [LAUNCH, OWNER])
    if after_crash:
        crash(store)
        store = opened(tmp_path)
    store.close(at=AT)
    assert load_decisions(tmp_path / NAME) == {"launch": later, "owner": OWNER}


def test_a_link_is_refused_at_once(tmp_path: Path) -> None:
    (tmp_path / "real.toml").write_bytes(render_triage([LAUNCH], set_digest=SET))
    (tmp_path / NAME).symlink_to("real.toml")
    with pytest.raises(InputError, match="is a link"):
        opened(tmp_path)
    assert LOCK not in names(tmp_path)


def test_a_broken_file_opens_nothing_and_leaves_no_lock(tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(b"schema = 1")
    with pytest.raises(InputError, match="another type"):
        opened(tmp_path)
    assert names(tmp_path) == [NAME]


# ---------------------------------------------------------------- disks and folders


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS, errno.EACCES])
def test_a_folder_that_cannot_be_written_is_told_and_tried_again(code: int, tmp_path: Path) -> None:
    write(tmp_path, [LAUNCH])
    real = os.open

    def refusing(path: object, flags: int, *args: object, **options: object) -> int:
        if flags & (os.O_WRONLY | os.O_RDWR):
            raise OSError(code, os.strerror(code))
        return real(path, flags, *args, **options)  # type: ignore[arg-type]

    with patch.object(os, "open", refusing):
        store = opened(tmp_path)
        assert store.read_only is None
        assert os.strerror(code) in (store.problem or "")
        entry = store.history.decide([OWNER], at=AT)
        for _ in range(2):
            with pytest.raises(OutputError, match=os.strerror(code)):
                store.append(entry)
        assert store.decisions == {"launch": LAUNCH}
    store.append(entry)
    assert store.problem is None
    store.close(at=AT)
    assert set(load_decisions(tmp_path / NAME)) == {"launch", "owner"}


@pytest.mark.parametrize("torn", [b"", b"0000"])
def test_a_crashed_session_in_a_folder_that_cannot_be_written_shows_its_decisions(
    torn: bytes, tmp_path: Path
) -> None:
    store = opened(tmp_path)
    decide(store, LAUNCH)
    crash(store)
    journal = tmp_path / JOURNAL
    before = journal.read_bytes() + torn
    journal.write_bytes(before)
    real = os.open

    def refusing(path: object, flags: int, *args: object, **options: object) -> int:
        if flags & (os.O_WRONLY | os.O_RDWR):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))
        return real(path, flags, *args, **options)  # type: ignore[arg-type]

    with patch.object(os, "open", refusing):
        again = opened(tmp_path)
        assert again.decisions == {"launch": LAUNCH}
        assert "Read-only file system" in (again.problem or "")
        with pytest.raises(OutputError, match="Read-only file system"):
            decide(again, OWNER)
    assert journal.read_bytes() == before
    decide(again, OWNER)
    again.close(at=AT)
    assert set(load_decisions(tmp_path / NAME)) == {"launch", "owner"}


def test_a_late_session_does_not_write_over_what_another_left(tmp_path: Path) -> None:
    """It could not lock the folder at first; meanwhile another session worked and crashed."""
    with patch.object(os, "open", side_effect=OSError(errno.EROFS, os.strerror(errno.EROFS))):
        late = TriageStore(tmp_path / NAME, set_digest=SET, holder=HOLDER)
        with pytest.raises(OutputError):
            decide(late, LAUNCH)
    other = opened(tmp_path)
    decide(other, OWNER)
    crash(other)
    with pytest.raises(OutputError, match="another session was at work here"):
        decide(late, LAUNCH)
    assert read_decisions(tmp_path / NAME) == {"owner": OWNER}


def test_the_order_of_a_save_is_write_sync_replace_and_sync_of_the_folder(tmp_path: Path) -> None:
    write(tmp_path, [LAUNCH])
    store = opened(tmp_path)
    decide(store, OWNER)
    calls: list[str] = []
    watched = ("write", "fdatasync", "fsync", "replace", "unlink")
    real = {name: getattr(os, name) for name in watched}

    def noted(name: str) -> Callable[..., object]:
        def call(*args: object, **options: object) -> object:
            calls.append(name)
            return real[name](*args, **options)

        return call

    with ExitStack() as patches:
        for name in watched:
            patches.enter_context(patch.object(os, name, noted(name)))
        store.close(at=AT)
    once = ["write", "fsync", "replace", "fsync"]
    mark = ["write", "fdatasync"]
    assert calls == [*mark, *once, *once, *mark, "unlink", "unlink"]


def test_what_a_killed_session_left_half_written_is_removed(tmp_path: Path) -> None:
    write(tmp_path, [LAUNCH])
    for name in (NAME, JOURNAL, f".{NAME}.bak"):
        (tmp_path / f".{name}.{'0a' * 6}.tmp").write_bytes(b"half")
    (tmp_path / f".other.{'0a' * 6}.tmp").write_bytes(b"theirs")
    opened(tmp_path).close(at=AT)
    assert names(tmp_path) == [f".other.{'0a' * 6}.tmp", NAME]


def test_too_many_long_notes_are_refused_before_they_are_decided(tmp_path: Path) -> None:
    store = opened(tmp_path)
    decide(store, decision("owner", note="x" * 900))
    with (
        patch.object(module, "MAX_TRIAGE_BYTES", 2000),
        pytest.raises(OutputError, match="too long for one file"),
    ):
        decide(store, decision("launch", note="x" * 900))
    assert set(store.decisions) == {"owner"}
    store.close(at=AT)


def test_a_journal_with_impossible_steps_is_read_as_far_as_they_are_possible(
    tmp_path: Path,
) -> None:
    store = opened(tmp_path)
    decide(store, LAUNCH)
    decide(store, OWNER)
    crash(store)
    lines = (tmp_path / JOURNAL).read_bytes().splitlines(keepends=True)
    (tmp_path / JOURNAL).write_bytes(b"".join([lines[0], lines[1], lines[1], lines[2]]))
    again = opened(tmp_path)
    assert again.decisions == {"launch": LAUNCH}
    assert any("a step is missing" in notice for notice in again.notices)
    assert any("damaged-1" in notice for notice in again.notices)
    again.close(at=AT)
    assert names(tmp_path) == [f"{JOURNAL}.damaged-1", NAME]


# ---------------------------------------------------------------- any order of all of it


class Sessions(RuleBasedStateMachine):
    """Decides, saves, crashes and edits the file outside, against dictionaries."""

    @initialize()
    def start(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.rng = Random(1)
        self.ours: dict[str, Decision] = {}
        self.file: dict[str, Decision] = {}
        self.base: dict[str, Decision] = {}
        self.known: bytes | None = None
        """The file as the session knows it; when it is another, somebody edited it."""
        self.count = 0
        self.store = opened(self.folder)

    def teardown(self) -> None:
        self.store.abandon()
        shutil.rmtree(self.folder)

    @rule(seed=st.integers(0, 999))
    def take_a_step(self, seed: int) -> None:
        entry = random_step(Random(seed), self.store.history, questions=4)
        self.store.append(entry)
        for edit in entry.edits:
            _put(self.ours, edit.question, edit.new)

    @rule(n=st.integers(0, 3), remove=st.booleans())
    def edit_outside(self, n: int, remove: bool) -> None:
        self.count += 1
        said = None if remove else decision(f"q{n}", note=f"outside {self.count}")
        _put(self.file, f"q{n}", said)
        if self.file or (self.folder / NAME).exists():
            write(self.folder, self.file.values())

    @rule(theirs=st.booleans())
    def save(self, theirs: bool) -> None:
        self._merge(theirs=theirs)
        self._until_saved(theirs=theirs, close=False)

    @rule(theirs=st.booleans())
    def close_and_open(self, theirs: bool) -> None:
        if not self.store.history.seq:
            return  # nothing was decided: the file is nobody's business
        self._merge(theirs=theirs)
        self._until_saved(theirs=theirs, close=True)
        self.store = opened(self.folder)

    @rule(theirs=st.booleans())
    def crash_and_open(self, theirs: bool) -> None:
        stepped = self.store.history.seq > 0
        crash(self.store)
        self.store = opened(self.folder)
        if not stepped:
            self._settle()
        elif self._raw() not in {self.known, None}:
            self._merge(theirs=theirs)
            self._until_saved(theirs=theirs, close=False)

    @invariant()
    def everything_decided_is_on_disk(self) -> None:
        assert self.store.decisions == self.ours

    def _merge(self, *, theirs: bool) -> None:
        for q in {*self.base, *self.ours, *self.file}:
            other = self.file.get(q)
            if other in (self.base.get(q), self.ours.get(q)):
                continue
            if self.ours.get(q) == self.base.get(q) or theirs:
                _put(self.ours, q, other)
        self.file = dict(self.ours)

    def _raw(self) -> bytes | None:
        path = self.folder / NAME
        return path.read_bytes() if path.exists() else None

    def _settle(self) -> None:
        """Start from the file as it is."""
        self.ours, self.base, self.known = dict(self.file), dict(self.file), self._raw()

    def _until_saved(self, *, theirs: bool, close: bool) -> None:
        act = self.store.close if close else self.store.save
        try:
            act(at=AT)
        except OutputError:
            for conflict in self.store.conflicts:
                self.store.resolve(conflict.question, theirs=theirs)
            act(at=AT)
        assert load_decisions(self.folder / NAME) == self.file
        self._settle()


def _put(decisions: dict[str, Decision], question: str, said: Decision | None) -> None:
    if said is None:
        decisions.pop(question, None)
    else:
        decisions[question] = said


TestSessions = Sessions.TestCase
TestSessions.settings = settings(
    max_examples=60, stateful_step_count=25, phases=[Phase.explicit, Phase.generate]
)  # shrinking would write thousands of files; the seed is printed
