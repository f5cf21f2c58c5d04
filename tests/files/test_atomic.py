"""A reader sees the old file or the new one, whatever fails on the way."""

from __future__ import annotations

import errno
import os
import stat
from typing import TYPE_CHECKING, Any, Self
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtui.errors import OutputError
from ragtui.files.atomic import create_new, remove_leftovers, write_atomic

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

OLD, NEW = b"old\n", b"new content\n"
STEPS = ("open", "fchmod", "write", "fsync", "close", "replace", "link", "unlink")


def names(folder: Path) -> list[str]:
    """Return what stands in *folder*."""
    return sorted(path.name for path in folder.iterdir())


class _FailAt:
    """Lets the k-th system call fail, counting over all of `STEPS`."""

    def __init__(self, k: int, code: int) -> None:
        """Fail call number *k*, from 1, with *code*."""
        self.left = k
        self.code = code
        self.calls: list[str] = []

    def wrap(self, name: str) -> Callable[..., Any]:
        """Return `os.<name>` that may fail."""
        real = getattr(os, name)

        def call(*args: object, **options: object) -> object:
            self.calls.append(name)
            self.left -= 1
            if self.left == 0:
                if name == "close":
                    real(*args)
                raise OSError(self.code, os.strerror(self.code))
            return real(*args, **options)

        return call

    def __enter__(self) -> Self:
        """Replace the system calls."""
        self.patches = [patch.object(os, name, self.wrap(name)) for name in STEPS]
        for each in self.patches:
            each.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Put them back."""
        for each in self.patches:
            each.stop()


@given(data=st.binary(max_size=300))
def test_what_is_written_is_what_is_read(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    """Any bytes go through both ways of writing, and nothing else stays in the folder."""
    folder = tmp_path_factory.mktemp("atomic")
    write_atomic(folder / "a", data)
    create_new(folder / "b", data)
    write_atomic(folder / "b", data + b"!")
    assert (folder / "a").read_bytes() == data
    assert (folder / "b").read_bytes() == data + b"!"
    assert names(folder) == ["a", "b"]


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO, errno.EROFS, errno.EACCES])
@pytest.mark.parametrize("existing", [True, False])
def test_a_failure_at_any_step_leaves_the_old_or_the_new_file(
    tmp_path: Path, code: int, existing: bool
) -> None:
    """The error names the path, and no temporary file is left that could be removed."""
    path = tmp_path / "a"
    for k in range(1, 50):
        path.unlink(missing_ok=True)
        if existing:
            path.write_bytes(OLD)
        error, passed = attempt(path, _FailAt(k, code))
        if passed:
            break
        assert error is None or (str(path) in str(error) and os.strerror(code) in str(error))
        found = path.read_bytes() if path.exists() else None
        assert found in ({OLD, NEW} if existing else {None, NEW})
        assert names(tmp_path) == (["a"] if found is not None else [])
    assert passed
    assert path.read_bytes() == NEW


def attempt(path: Path, failing: _FailAt) -> tuple[OutputError | None, bool]:
    """Write with one call failing; return the error, and whether no call was left to fail."""
    try:
        with failing:
            write_atomic(path, NEW)
    except OutputError as error:
        return error, False
    return None, failing.left > 0


def test_the_file_is_on_disk_before_it_is_named_and_the_folder_after(tmp_path: Path) -> None:
    """A crash of the machine at any moment leaves one of the two."""
    (tmp_path / "a").write_bytes(OLD)
    with _FailAt(0, 0) as seen:
        write_atomic(tmp_path / "a", NEW)
    order = [call for call in seen.calls if call in {"write", "fsync", "replace"}]
    assert order == ["write", "fsync", "replace", "fsync"]


@pytest.mark.parametrize("size", [1, 5])
def test_a_short_write_is_written_on(tmp_path: Path, size: int) -> None:
    """The system may take only a part of what it is given."""
    real = os.write
    with patch.object(os, "write", lambda descriptor, data: real(descriptor, data[:size])):
        write_atomic(tmp_path / "a", NEW)
    assert (tmp_path / "a").read_bytes() == NEW


def test_permissions_of_the_old_file_are_kept(tmp_path: Path) -> None:
    """A private file stays private."""
    path = tmp_path / "a"
    path.write_bytes(OLD)
    path.chmod(0o600)
    write_atomic(path, NEW)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_new_file_follows_the_umask(tmp_path: Path) -> None:
    """Nothing is more open than the user asked for."""
    before = os.umask(0o027)
    try:
        write_atomic(tmp_path / "a", NEW)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o640


@pytest.mark.parametrize("write", [write_atomic, create_new])
def test_links_pipes_and_folders_are_not_replaced(
    tmp_path: Path, write: Callable[[Path, bytes], None]
) -> None:
    """What is no regular file stays what it is."""
    (tmp_path / "target").write_bytes(OLD)
    (tmp_path / "link").symlink_to("target")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    for name in ("link", "folder", "pipe"):
        with pytest.raises(OutputError):
            write(tmp_path / name, NEW)
    assert (tmp_path / "target").read_bytes() == OLD
    assert names(tmp_path) == ["folder", "link", "pipe", "target"]


def test_an_existing_file_is_not_replaced_by_a_new_one(tmp_path: Path) -> None:
    """The message says what to do."""
    path = tmp_path / "a"
    path.write_bytes(OLD)
    with pytest.raises(OutputError, match=r"exists already .*; choose another name"):
        create_new(path, NEW)
    assert path.read_bytes() == OLD
    assert names(tmp_path) == ["a"]


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    """Folders are not made on the way."""
    with pytest.raises(OutputError, match="No such file"):
        write_atomic(tmp_path / "no" / "a", NEW)


def test_what_reads_back_differently_is_an_error(tmp_path: Path) -> None:
    """A disk that lies is noticed."""
    path = tmp_path / "a"
    with (
        patch("pathlib.Path.read_bytes", return_value=b"other"),
        pytest.raises(OutputError, match="reading it back"),
    ):
        write_atomic(path, NEW)


def test_a_new_file_may_be_given_permissions_and_an_old_one_keeps_its_own(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_atomic(path, OLD, new_mode=0o600)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.chmod(0o644)
    write_atomic(path, NEW, new_mode=0o600)
    assert stat.S_IMODE(path.stat().st_mode) == 0o644


def test_only_what_was_left_of_this_file_is_removed(tmp_path: Path) -> None:
    left = f".file.{'0a' * 6}.tmp"
    others = [f".other.{'0a' * 6}.tmp", ".file.tmp", "file", f".file.{'0a' * 6}.tmp~"]
    for name in (left, *others):
        (tmp_path / name).write_bytes(OLD)
    remove_leftovers(tmp_path / "file")
    assert names(tmp_path) == sorted(others)
