"""A look is on disk before anything is shown, whoever else writes and whoever is killed."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from ragtui.core.ledger import Depth, State
from ragtui.core.model import Unit
from ragtui.errors import InputError, OutputError
from ragtui.files import ledger_file
from ragtui.files.ledger import (
    Look,
    candidate_digest,
    record_look,
    record_retirement,
)
from ragtui.files.locks import freeze
from ragtui.files.sets import load_set
from tests.written_sets import QUESTIONS, write_set

if TYPE_CHECKING:
    from pathlib import Path

    from ragtui.core.standing import Standing
    from ragtui.files.sets import QuestionSet

OPEN = Look(depth=Depth.QUESTION)


@pytest.fixture
def held(tmp_path: Path) -> Path:
    """Return the folder of a frozen held-out set."""
    freeze(write_set(tmp_path, split="held-out"))
    return tmp_path


def questions(folder: Path) -> QuestionSet:
    return load_set(folder / "set.toml")


def looked(folder: Path, candidate: str, look: Look | None = None) -> Standing:
    return record_look(questions(folder), candidate=candidate * 64, look=look or Look())


def events(folder: Path) -> list[dict[str, Any]]:
    """Read the ledger by the format's description alone, checking that its lines are chained."""
    written = (folder / "ledger.jsonl").read_bytes()
    assert written.endswith(b"\n")
    prev = "0" * 64
    found = []
    for seq, line in enumerate(written.split(b"\n")[:-1]):
        event = json.loads(line)
        assert line.decode() == json.dumps(event, sort_keys=True, separators=(",", ":"))
        assert (event["prev"], event["seq"]) == (prev, seq)
        assert event["at"].endswith("Z")
        prev = hashlib.sha256(line).hexdigest()
        found.append(event)
    return found


def kinds(folder: Path) -> list[str]:
    return [event["kind"] for event in events(folder)]


class TestEvents:
    def test_freezing_begins_the_ledger_once(self, held: Path) -> None:
        freeze(held / "set.toml")
        (event,) = events(held)
        assert (event["kind"], event["set"]) == ("freeze", questions(held).digest)

    def test_a_development_set_has_no_ledger(self, tmp_path: Path) -> None:
        freeze(write_set(tmp_path))
        assert not (tmp_path / "ledger.jsonl").exists()

    def test_a_set_frozen_before_there_were_ledgers_gets_one_when_frozen_again(
        self, held: Path
    ) -> None:
        (held / "ledger.jsonl").unlink()
        freeze(held / "set.toml")
        assert kinds(held) == ["freeze"]

    def test_a_freeze_that_could_not_be_recorded_is_when_it_is_repeated(
        self, tmp_path: Path
    ) -> None:
        path = write_set(tmp_path, split="held-out")
        (tmp_path / "ledger.jsonl").mkdir()
        with pytest.raises(OutputError, match="ledger"):
            freeze(path)
        (tmp_path / "ledger.jsonl").rmdir()
        assert freeze(path).already
        assert kinds(tmp_path) == ["freeze"]

    def test_a_look_names_its_candidate_and_its_depth(self, held: Path) -> None:
        standing = looked(held, "c")
        found = events(held)[-1]
        assert (found["kind"], found["candidate"], found["depth"]) == (
            "look",
            "c" * 64,
            "aggregate",
        )
        last = (held / "ledger.jsonl").read_bytes().split(b"\n")[-2]
        assert standing.head == hashlib.sha256(last).hexdigest()
        assert (standing.lines, standing.state) == (2, State.SCORED)

    def test_a_new_policy_stands_just_before_its_look(self, held: Path) -> None:
        assert looked(held, "c", Look(policy="p" * 64)).policy_before
        assert kinds(held) == ["freeze", "policy", "look"]
        assert looked(held, "d", Look(policy="p" * 64)).policy_before
        assert kinds(held) == ["freeze", "policy", "look", "look"]

    def test_a_policy_edited_after_a_look_is_known_as_such(self, held: Path) -> None:
        looked(held, "c", Look(policy="p" * 64))
        standing = looked(held, "c", Look(policy="q" * 64))
        assert kinds(held) == ["freeze", "policy", "look", "policy"]
        assert standing.ceiling == ("policy recorded after the first look",)

    def test_looking_again_writes_nothing(self, held: Path) -> None:
        first = looked(held, "c", OPEN)
        before = (held / "ledger.jsonl").read_bytes()
        assert looked(held, "c", OPEN) == first
        assert looked(held, "c").state is State.OPENED
        assert (held / "ledger.jsonl").read_bytes() == before

    def test_the_third_candidate_of_two_is_over_the_budget(self, held: Path) -> None:
        standings = [looked(held, c, Look(budget=2)) for c in "cde"]
        assert [each.number for each in standings] == [1, 2, 3]
        assert [each.state for each in standings] == [State.SCORED, State.SCORED, State.SPENT]
        assert standings[2].ceiling == (
            "held-out (spent) = development: 3 candidates were looked at, 2 are allowed",
        )
        assert looked(held, "c", Look(budget=3)).number == 1

    def test_retiring_spends_the_set_once(self, held: Path) -> None:
        done = [record_retirement(questions(held)) for _ in range(2)]
        assert [each.already for each in done] == [False, True]
        assert kinds(held) == ["freeze", "retire"]
        assert looked(held, "c").state is State.SPENT

    def test_a_development_set_cannot_be_retired(self, tmp_path: Path) -> None:
        write_set(tmp_path)
        with pytest.raises(InputError, match="not held out"):
            record_retirement(questions(tmp_path))

    def test_the_candidate_is_its_records_as_they_are_judged(self) -> None:
        digest = candidate_digest("ab", cutoff=2, unit=Unit.CHUNK)
        written = b'{"cutoff":2,"records":"ab","unit":"chunk"}'
        assert digest == hashlib.sha256(written).hexdigest()


class TestInheritance:
    def again(self, folder: Path, changed: int) -> None:
        """Freeze the set anew with so many questions changed."""
        new = [
            {**each, "tags": ["changed"]} if n < changed else each
            for n, each in enumerate(QUESTIONS)
        ]
        freeze(write_set(folder, new, version="1.1.0", split="held-out"))

    def test_unchanged_questions_keep_what_was_done_with_them(self, held: Path) -> None:
        looked(held, "c", OPEN)
        self.again(held, 1)
        standing = looked(held, "d")
        assert [each.words for each in standing.inherited] == [
            "3 of 4 questions were opened under 1.0.0"
        ]
        assert (standing.number, standing.state) == (2, State.SPENT)

    def test_a_set_of_other_questions_starts_sealed(self, held: Path) -> None:
        looked(held, "c", OPEN)
        self.again(held, 4)
        standing = looked(held, "d")
        assert (standing.inherited, standing.number, standing.state) == ((), 1, State.SCORED)

    def test_a_version_whose_lock_is_gone_counts_in_full(self, held: Path) -> None:
        looked(held, "c")
        self.again(held, 4)
        (held / "locks" / "1.0.0.lock").unlink()
        standing = looked(held, "d")
        assert [each.words for each in standing.inherited] == [
            "a version whose lock is gone was scored: all questions count as scored"
        ]
        assert standing.number == 2

    def test_freezing_anew_says_what_its_questions_went_through(self, held: Path) -> None:
        looked(held, "c")
        new = [*QUESTIONS[:3], {**QUESTIONS[3], "tags": ["changed"]}]
        done = freeze(write_set(held, new, version="1.1.0", split="held-out"))
        assert [each.words for each in done.inherited] == [
            "3 of 4 questions were scored under 1.0.0"
        ]

    def test_a_version_that_was_no_held_out_set_is_named(self, tmp_path: Path) -> None:
        freeze(write_set(tmp_path))
        new = [*QUESTIONS[:3], {**QUESTIONS[3], "tags": ["changed"]}]
        freeze(write_set(tmp_path, new, version="1.1.0", split="held-out"))
        assert looked(tmp_path, "c").unrecorded == (
            "3 of 4 questions stood in 1.0.0, which the ledger does not know",
        )

    def test_a_ledger_that_was_removed_leaves_a_lock_behind(self, held: Path) -> None:
        assert looked(held, "c").unrecorded == ()
        (held / "ledger.jsonl").unlink()
        standing = looked(held, "d")
        assert standing.unrecorded == (
            "the ledger does not know that 1.0.0 was frozen: lines of it may be missing",
        )
        assert standing.unrecorded[0] in standing.notices


class TestDamage:
    @pytest.mark.parametrize("line", [1, 2, 3])
    def test_one_changed_byte_of_a_line_before_the_last_names_it(
        self, held: Path, line: int
    ) -> None:
        for candidate in "cde":
            looked(held, candidate)
        path = held / "ledger.jsonl"
        lines = path.read_bytes().split(b"\n")
        lines[line - 1] = lines[line - 1].replace(b"Z", b"z", 1)
        path.write_bytes(b"\n".join(lines))
        standing = looked(held, "e")
        assert standing.broken is not None
        assert standing.ceiling == (f"ledger line {line} is not the one that was written",)

    def test_a_damaged_ledger_is_still_added_to(self, held: Path) -> None:
        path = held / "ledger.jsonl"
        path.write_bytes(b"?" + path.read_bytes())
        standing = looked(held, "c")
        assert standing.broken == (1, "is no event of a ledger")
        assert path.read_bytes().count(b"\n") == 2

    @pytest.mark.parametrize("length", range(1, 300, 23))
    def test_what_a_killed_writer_left_is_cut_off(self, held: Path, length: int) -> None:
        looked(held, "c")
        path = held / "ledger.jsonl"
        whole = path.read_bytes()
        start = whole.split(b"\n")[-2][:length]
        path.write_bytes(whole + start)
        looked(held, "d")
        assert kinds(held) == ["freeze", "look", "look"]
        assert path.read_bytes().startswith(whole)

    def test_a_whole_event_that_lost_its_line_end_counts(self, held: Path) -> None:
        looked(held, "c")
        path = held / "ledger.jsonl"
        path.write_bytes(path.read_bytes().rstrip(b"\n"))
        assert looked(held, "d").number == 2
        assert kinds(held) == ["freeze", "look", "look"]

    def test_a_tail_that_no_writer_began_is_kept_and_named(self, held: Path) -> None:
        path = held / "ledger.jsonl"
        path.write_bytes(path.read_bytes() + b"nobody saw anything")
        standing = looked(held, "c")
        assert standing.broken == (2, "is no event of a ledger")
        assert b"nobody saw anything\n" in path.read_bytes()

    def test_an_unfinished_merge_is_an_error_that_says_so(self, held: Path) -> None:
        path = held / "ledger.jsonl"
        path.write_bytes(b"<<<<<<< ours\n=======\n" + path.read_bytes() + b">>>>>>> theirs\n")
        with pytest.raises(InputError, match="merge"):
            looked(held, "c")


class TestWriting:
    @pytest.mark.parametrize("kind", ["folder", "link", "pipe"])
    def test_only_a_regular_file_is_a_ledger(self, held: Path, kind: str) -> None:
        path = held / "ledger.jsonl"
        path.unlink()
        if kind == "folder":
            path.mkdir()
        elif kind == "link":
            path.symlink_to(held / "elsewhere.jsonl")
        else:
            os.mkfifo(path)
        with pytest.raises(OutputError, match=r"ledger\.jsonl: .*nothing is shown"):
            looked(held, "c")
        assert not (held / "elsewhere.jsonl").exists()

    @pytest.mark.parametrize("call", ["write", "fsync", "ftruncate"])
    def test_a_failed_write_leaves_the_lines_that_stood_there(
        self, held: Path, call: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        before = (held / "ledger.jsonl").read_bytes()

        def fail(*_: object) -> None:
            raise OSError(28, "No space left on device")

        with monkeypatch.context() as patch:
            patch.setattr(os, call, fail)
            with pytest.raises(OutputError, match="No space left"):
                looked(held, "c")
        assert looked(held, "c").lines == 2
        assert (held / "ledger.jsonl").read_bytes().startswith(before)

    def test_short_writes_are_gone_on_with(
        self, held: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        write = os.write
        monkeypatch.setattr(os, "write", lambda fd, data: write(fd, bytes(data[:7])))
        looked(held, "c")
        assert kinds(held) == ["freeze", "look"]

    def test_a_look_is_on_disk_before_the_call_returns(
        self, held: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        calls: list[str] = []
        for name in ("write", "fsync"):
            real = getattr(os, name)

            def told(*args: object, name: str = name, real: Any = real) -> Any:  # noqa: ANN401 - as os does
                calls.append(name)
                return real(*args)

            monkeypatch.setattr(os, name, told)
        looked(held, "c")
        assert calls == ["write", "fsync"]

    def test_a_ledger_that_somebody_holds_is_an_error_after_a_while(
        self, held: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(ledger_file, "_WAIT_S", 0.0)
        with (held / "ledger.jsonl").open("rb") as other:
            fcntl.flock(other, fcntl.LOCK_EX)
            with pytest.raises(OutputError, match="another process holds its lock"):
                looked(held, "c")
        assert kinds(held) == ["freeze"]


WRITER = """
import sys
from pathlib import Path
from ragtui.core.ledger import Depth
from ragtui.files.ledger import Look, record_look
from ragtui.files.sets import load_set

questions = load_set(Path(sys.argv[1]) / "set.toml")
print("ready", flush=True)
sys.stdin.readline()
for n in range(int(sys.argv[3])):
    record_look(questions, candidate=f"{sys.argv[2]}{n:063d}", look=Look())
    print(n, flush=True)
"""


def writer(folder: Path, name: str, n: int) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(folder), name, str(n)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def test_two_processes_lose_no_look_and_break_no_chain(held: Path) -> None:
    with writer(held, "a", 40) as one, writer(held, "b", 40) as other:
        for process in (one, other):
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        for process in (one, other):
            process.communicate()
    found = [event["candidate"] for event in events(held)[1:]]
    assert sorted(found) == [f"{name}{n:063d}" for name in "ab" for n in range(40)]


@pytest.mark.parametrize("after", [1, 5, 17])
def test_a_kill_loses_no_look_that_was_acknowledged(held: Path, after: int) -> None:
    with writer(held, "a", 10_000) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("go\n")
        process.stdin.flush()
        told = [process.stdout.readline() for _ in range(after)]
        process.send_signal(signal.SIGKILL)
        told += process.stdout.readlines()
        process.wait()
    looked(held, "f")  # repairs what the killed one left
    found = [event["candidate"] for event in events(held)[1:-1]]
    acknowledged = [
        f"a{n:063d}" for n in range(len([line for line in told if line.endswith("\n")]))
    ]
    assert found[: len(acknowledged)] == acknowledged
    assert len(found) <= len(acknowledged) + 1
