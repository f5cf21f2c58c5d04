"""Which files are watched, and when a change counts."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from ragtui.files.watching import Inputs, Watch
from tests.gate_files import Pair, write_policy

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "ragtui.toml").touch()
    write_policy(Pair(n=2).write(tmp_path), {"kind": "new_unsupported", "max": 0})
    return tmp_path


def watching(folder: Path) -> Watch:
    watch = Watch(Inputs(folder / "a.toml", folder / "b.toml", policy=folder / "p.toml"))
    watch.begin()
    return watch


def test_everything_that_is_read_is_watched(folder: Path) -> None:
    found = set(Inputs(folder / "a.toml", folder / "b.toml", policy=folder / "p.toml").files())
    names = {path.resolve().relative_to(folder.resolve()).as_posix() for path in found}
    assert names == {
        "a.toml", "b.toml", "a.jsonl", "b.jsonl", "set.toml", "questions.jsonl", "corpus.jsonl",
        "locks/1.0.0.lock", "p.toml", "p.waivers.toml",
    }  # fmt: skip


@pytest.mark.parametrize(
    "name", ["a.toml", "b.jsonl", "set.toml", "questions.jsonl", "corpus.jsonl", "p.toml"]
)
def test_a_change_counts_when_the_file_has_come_to_rest(name: str, folder: Path) -> None:
    watch = watching(folder)
    assert watch.poll() is None
    path = folder / name
    path.write_bytes(path.read_bytes() + b"\n")
    assert watch.poll() is None
    path.write_bytes(path.read_bytes() + b"\n")
    assert watch.poll() is None
    changed = watch.poll()
    assert changed is not None
    assert changed.words == name
    assert watch.poll() == changed
    watch.begin()
    assert watch.poll() is None


def test_another_file_of_the_same_size_and_age_in_its_place_is_a_change(folder: Path) -> None:
    """As programs write that replace a file in one go."""
    watch = watching(folder)
    path, new = folder / "b.jsonl", folder / "new"
    new.write_bytes(path.read_bytes())
    os.utime(new, ns=(path.stat().st_atime_ns, path.stat().st_mtime_ns))
    new.replace(path)
    watch.poll()
    assert watch.poll() is not None


def test_a_file_that_goes_and_one_that_comes_are_changes(folder: Path) -> None:
    watch = watching(folder)
    (folder / "a.jsonl").unlink()
    (folder / "p.waivers.toml").write_text("x")
    watch.poll()
    changed = watch.poll()
    assert changed is not None
    assert set(changed.words.split(", ")) == {"a.jsonl", "p.waivers.toml"}
    (folder / "p.waivers.toml").unlink()
    watch.poll()
    again = watch.poll()
    assert again is not None
    assert again != changed


def test_a_file_that_is_as_before_again_has_not_changed(folder: Path) -> None:
    watch = watching(folder)
    path = folder / "p.waivers.toml"
    path.touch()
    watch.poll()
    path.unlink()
    assert [watch.poll(), watch.poll()] == [None, None]


def test_what_a_spoilt_manifest_named_is_still_watched(folder: Path) -> None:
    watch = watching(folder)
    (folder / "b.toml").write_text("x = ")
    watch.begin()
    (folder / "b.jsonl").write_text("x")
    watch.poll()
    changed = watch.poll()
    assert changed is not None
    assert changed.words == "b.jsonl"


def test_a_look_that_a_reading_overtakes_says_nothing(folder: Path) -> None:
    """What had changed is being read."""
    watch = watching(folder)
    (folder / "b.jsonl").write_text("x")
    watch.poll()
    changed = watch.poll()
    assert changed is not None
    watch.begin()
    assert (changed.reading, watch.reading) == (1, 2)
