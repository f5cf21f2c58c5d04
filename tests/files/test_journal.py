"""A journal gives back what was put in it, or says where it cannot."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, Final
from unittest.mock import patch
from zlib import crc32

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtui.core.history import Edit, Entry, Kind
from ragtui.errors import InputError, OutputError
from ragtui.files import journal as module
from ragtui.files.journal import Journal
from ragtui.files.journal_lines import (
    FileMark,
    Header,
    decode_line,
    encode_line,
    read_journal,
)
from tests.triage_data import AT, SET, decision, decisions, names

if TYPE_CHECKING:
    from pathlib import Path

    from ragtui.core.triage import Decision

HEADER: Final = Header(set=SET, base=None, since=AT)


def step(seq: int, note: str = "why") -> Entry:
    """Return one step about a question of its own."""
    said = decision(f"q{seq}", note=note)
    return Entry(seq=seq, kind=Kind.DECIDE, edits=(Edit(f"q{seq}", None, said),), at=AT)


def with_crc(body: bytes) -> bytes:
    return b"%08x %s" % (crc32(body), body)


@given(st.sampled_from(Kind), st.none() | decisions, st.none() | decisions)
def test_every_step_comes_back(kind: Kind, old: Decision | None, new: Decision | None) -> None:
    entry = Entry(seq=1, kind=kind, edits=(Edit("q", old, new),), at=AT)
    raw = encode_line(entry)
    assert raw.count(b"\n") == 1
    assert decode_line(raw[:-1]) == entry


@pytest.mark.parametrize(
    "body",
    [
        b'F {"sha256":"ab","written":true,"sha256":"ab"}',
        b'F {"sha256": "ab","written":true}',
        b'F {"sha256":"ab","written":true,"more":1}',
        b'F {"sha256":"ab","written":1}',
        b'F {"sha256":"ab"}',
        b'X {"sha256":"ab","written":true}',
        b"F",
        b"",
        b'F {"x":' + b"[" * 100_000,
        b"E " + msgspec.json.encode(step(1, note="")),
        b"E " + msgspec.json.encode(step(1, note="x" * 20_001)),
    ],
)
def test_a_line_with_a_right_checksum_is_still_read_strictly(body: bytes) -> None:
    with pytest.raises(ValueError, match=r"the (line|text)"):
        decode_line(with_crc(body))


def test_it_is_made_with_its_first_step_and_only_the_user_may_read_it(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    journal = Journal(path, HEADER)
    assert read_journal(path) is None
    for seq in (1, 2):
        journal.append(step(seq))
    journal.append(FileMark("ab", written=True))
    found = read_journal(path)
    assert found is not None
    assert (found.header, found.torn, found.damage) == (HEADER, 0, None)
    assert found.lines == [step(1), step(2), FileMark("ab", written=True)]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    journal.drop()
    assert names(tmp_path) == []


def test_each_step_is_one_write_and_then_a_sync(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal", HEADER)
    journal.append(step(1))
    calls = []
    write, sync = os.write, module._sync

    def noted_write(descriptor: int, data: bytes) -> int:
        calls.append("write")
        return write(descriptor, data)

    def noted_sync(descriptor: int) -> None:
        calls.append("sync")
        sync(descriptor)

    with patch.object(os, "write", noted_write), patch.object(module, "_sync", noted_sync):
        journal.append(step(2))
    assert calls == ["write", "sync"]
    journal.close()


def test_a_failed_sync_means_a_new_file(tmp_path: Path) -> None:
    """A second sync may report success on pages that are lost."""
    path = tmp_path / "journal"
    journal = Journal(path, HEADER)
    journal.append(step(1))
    before = path.stat().st_ino
    with (
        patch.object(module, "_sync", side_effect=OSError(5, "Input/output error")),
        pytest.raises(OutputError, match="Input/output error"),
    ):
        journal.append(step(2))
    found = read_journal(path)
    assert found is not None
    assert found.lines == [step(1)]
    journal.append(step(2))
    assert path.stat().st_ino != before
    found = read_journal(path)
    assert found is not None
    assert found.lines == [step(1), step(2)]
    journal.close()


def test_a_step_that_was_not_written_to_its_end_is_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    journal = Journal(path, HEADER)
    for seq in (1, 2):
        journal.append(step(seq))
    journal.close()
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])
    found = read_journal(path)
    assert found is not None
    assert found.torn == len(whole.splitlines()[-1])
    again = Journal.resume(path, HEADER, found)
    assert again.repair() is None
    assert path.read_bytes() == b"".join(whole.splitlines(keepends=True)[:-1])
    again.append(step(2))
    assert path.read_bytes() == whole
    again.close()


def test_a_damaged_journal_is_kept_aside_and_its_intact_part_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    journal = Journal(path, HEADER)
    for seq in (1, 2, 3):
        journal.append(step(seq))
    journal.close()
    lines = path.read_bytes().splitlines(keepends=True)
    damaged = b"".join([lines[0], lines[1], lines[2].replace(b"why", b"who"), lines[3]])
    path.write_bytes(damaged)
    found = read_journal(path)
    assert found is not None
    assert found.damage is not None
    assert (found.lines, found.damage.line) == ([step(1)], 3)
    again = Journal.resume(path, HEADER, found)
    aside = again.repair()
    assert aside is not None
    assert aside.read_bytes() == damaged
    again.append(step(2))
    found = read_journal(path)
    assert found is not None
    assert found.lines == [step(1), step(2)]
    again.drop()
    assert names(tmp_path) == ["journal.damaged-1"]


@pytest.mark.parametrize("gone", [True, False])
def test_a_journal_that_was_removed_or_emptied_is_made_anew(gone: bool, tmp_path: Path) -> None:
    path = tmp_path / "journal"
    journal = Journal(path, HEADER)
    journal.append(step(1))
    path.unlink() if gone else path.write_bytes(b"")
    journal.append(step(2))
    found = read_journal(path)
    assert found is not None
    assert found.lines == [step(1), step(2)]
    journal.close()


def test_what_somebody_else_put_there_is_kept_aside(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    journal = Journal(path, HEADER)
    journal.append(step(1))
    path.write_bytes(b"theirs\n")
    journal.append(step(2))
    assert (tmp_path / "journal.damaged-1").read_bytes() == b"theirs\n"
    journal.close()


def test_a_journal_of_another_version_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    path.write_bytes(encode_line(msgspec.structs.replace(HEADER, schema="ragtui/journal@2")))
    with pytest.raises(InputError, match="another version"):
        read_journal(path)


@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
def test_a_journal_that_is_no_regular_file_is_refused(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "journal"
    if kind == "link":
        (tmp_path / "target").write_bytes(encode_line(HEADER))
        path.symlink_to(tmp_path / "target")
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path.mkdir()
    with pytest.raises(InputError, match=r"cannot be read|not a journal"):
        read_journal(path)


def test_lines_that_stand_in_the_wrong_place_are_damage(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    for content, line in (
        (encode_line(step(1)), 1),
        (encode_line(HEADER) * 2, 2),
        (b"\n", 1),
    ):
        path.write_bytes(content)
        found = read_journal(path)
        assert found is not None
        assert found.damage is not None
        assert found.damage.line == line


def test_a_full_journal_takes_no_more(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    journal = Journal(path, HEADER)
    journal.append(step(1))
    with (
        patch.object(module, "MAX_JOURNAL_BYTES", 1000),
        pytest.raises(OutputError, match="is full"),
    ):
        journal.append(step(2, note="x" * 600))
    found = read_journal(path)
    assert found is not None
    assert found.lines == [step(1)]
    journal.close()
