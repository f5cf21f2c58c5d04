"""One session at a time, and the second one learns of the first."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from ragtui.files.session_lock import HeldError, Holder, SessionLock
from tests.triage_data import AT, HOLDER, names

if TYPE_CHECKING:
    from pathlib import Path


def test_the_second_session_learns_who_works(tmp_path: Path) -> None:
    lock = SessionLock.take(tmp_path / "lock", HOLDER)
    with pytest.raises(HeldError, match="process 12 on desk-02, since 2026-11-27T10:00:00Z"):
        SessionLock.take(tmp_path / "lock", Holder.here(AT))
    lock.release()
    SessionLock.take(tmp_path / "lock", HOLDER).release()
    assert names(tmp_path) == []


def test_releasing_twice_does_no_harm(tmp_path: Path) -> None:
    lock = SessionLock.take(tmp_path / "lock", HOLDER)
    lock.release()
    other = SessionLock.take(tmp_path / "lock", HOLDER)
    lock.release()
    assert (lock.holds, other.holds) == (False, True)
    other.release()


def test_a_killed_holder_holds_nothing(tmp_path: Path) -> None:
    code = (
        "import sys, time; from pathlib import Path\n"
        "from ragtui.files.session_lock import Holder, SessionLock\n"
        "lock = SessionLock.take(Path(sys.argv[1]), Holder.here('now'))\n"
        "print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path / "lock")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"held\n"
        with pytest.raises(HeldError, match=f"process {child.pid} on ") as caught:
            SessionLock.take(tmp_path / "lock", HOLDER)
        assert caught.value.holder.since == "now"
        os.kill(child.pid, signal.SIGKILL)
        child.wait()
        SessionLock.take(tmp_path / "lock", HOLDER).release()


@pytest.mark.parametrize(
    "content", [b"", b"\xff", b'{"pid": 1, "x": ' + b"[" * 900, b'{"pid":"me"}']
)
def test_an_unreadable_signature_is_just_another_session(content: bytes, tmp_path: Path) -> None:
    lock = SessionLock.take(tmp_path / "lock", HOLDER)
    (tmp_path / "lock").write_bytes(content)
    with pytest.raises(HeldError, match="another session"):
        SessionLock.take(tmp_path / "lock", HOLDER)
    lock.release()


def test_a_lock_that_was_removed_is_noticed(tmp_path: Path) -> None:
    lock = SessionLock.take(tmp_path / "lock", HOLDER)
    (tmp_path / "lock").unlink()
    assert not lock.holds
    other = SessionLock.take(tmp_path / "lock", HOLDER)
    lock.release()
    assert other.holds
    other.release()


@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
def test_nothing_but_a_regular_file_is_locked_or_written_to(kind: str, tmp_path: Path) -> None:
    path, target = tmp_path / "lock", tmp_path / "target"
    target.write_text("precious", encoding="utf-8")
    if kind == "link":
        path.symlink_to(target)
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path.mkdir()
    with pytest.raises(OSError, match=r".+"):
        SessionLock.take(path, HOLDER)
    assert target.read_text(encoding="utf-8") == "precious"


def test_only_the_user_may_read_it(tmp_path: Path) -> None:
    lock = SessionLock.take(tmp_path / "lock", HOLDER)
    assert (tmp_path / "lock").stat().st_mode & 0o777 == 0o600
    lock.release()
