"""Only regular files below the root are read, and what is hashed is what is parsed."""

from __future__ import annotations

import gzip
import os
import socket
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtui.errors import InputError, UsageError
from ragtui.files.limits import MAX_LINE_BYTES
from ragtui.files.sources import (
    Lines,
    RandomLines,
    decode_text,
    find_root,
    read_bytes,
    resolve_path,
    shown_path,
)

if TYPE_CHECKING:
    from collections.abc import Callable

BLOCK = "ragtui.files.descriptors.BLOCK"
READ = "os.read"


def read(path: Path) -> bytes:
    """Read a small file as a manifest would be."""
    return read_bytes(path, limit=1000, shown="a.toml")


def write(path: Path, data: bytes) -> Path:
    """Write *data* and return the path."""
    path.write_bytes(data)
    return path


def refusal(act: Callable[[], object]) -> str:
    """Return the one message that *act* is refused with."""
    with pytest.raises(InputError) as caught:
        act()
    assert caught.value.exit_code == 3
    assert len(caught.value.faults) == 1
    return str(caught.value)


class TestRoot:
    """Which folder paths may not leave."""

    @pytest.mark.parametrize("mark", ["ragtui.toml", "pyproject.toml", ".git"])
    def test_is_the_nearest_folder_with_a_mark(self, tmp_path: Path, mark: str) -> None:
        """A mark nearer to the file wins over one further up."""
        inner = tmp_path / "project" / "manifests"
        inner.mkdir(parents=True)
        (tmp_path / "ragtui.toml").touch()
        (tmp_path / "project" / mark).touch()
        assert find_root(inner / "run.toml") == (tmp_path / "project").resolve()

    def test_is_the_own_folder_without_any_mark(self, tmp_path: Path) -> None:
        """Without a mark nothing above the file is open to it."""
        (tmp_path / "deep").mkdir()
        with patch("ragtui.files.sources.ROOT_MARKS", ("no-such-mark",)):
            assert find_root(tmp_path / "deep" / "run.toml") == (tmp_path / "deep").resolve()

    def test_can_be_named_and_must_be_a_folder(self, tmp_path: Path) -> None:
        """A named root counts, and naming a file is wrong usage."""
        file = write(tmp_path / "run.toml", b"")
        assert find_root(file, tmp_path) == tmp_path.resolve()
        with pytest.raises(UsageError, match="not a folder"):
            find_root(file, file)


class TestResolvePath:
    """A path written in a file."""

    def resolve(self, written: str, folder: Path) -> Path:
        """Resolve *written* in `folder/inside` with `folder` as the root."""
        (folder / "inside").mkdir(exist_ok=True)
        return resolve_path(
            written, base=folder / "inside", root=folder, file="run.toml", key="set.path"
        )

    def test_may_go_up_within_the_root(self, tmp_path: Path) -> None:
        """Fixtures may stand beside manifests."""
        assert self.resolve("../set.toml", tmp_path) == (tmp_path / "set.toml").resolve()

    @pytest.mark.parametrize(
        ("written", "reason"),
        [
            ("", "empty"),
            ("a\0b", "cannot be printed"),
            ("a\nb", "cannot be printed"),
            ("a\x1b[2Jb", "cannot be printed"),
            ("\u202eb", "cannot be printed"),
            ("\ud800", "cannot be printed"),
            ("/etc/passwd", "absolute"),
            ("../../set.toml", "leads out"),
            ("../inside/../../x", "leads out"),
        ],
    )
    def test_is_refused_by_name(self, tmp_path: Path, written: str, reason: str) -> None:
        """Each way out is refused with the key it stands under."""
        with pytest.raises(InputError) as caught:
            self.resolve(written, tmp_path)
        [fault] = caught.value.faults
        assert fault.key == "set.path"
        assert fault.file == "run.toml"
        assert reason in fault.message

    def test_does_not_follow_a_link_out(self, tmp_path: Path) -> None:
        """A link is judged by where it leads, also as a folder on the way."""
        root = tmp_path / "root"
        root.mkdir()
        write(tmp_path / "secret", b"")
        (root / "up").symlink_to(tmp_path)
        assert "leads out" in refusal(lambda: self.resolve("../up/secret", root))

    def test_names_a_loop_of_links(self, tmp_path: Path) -> None:
        """Links that lead to each other end in an error, here or when the file is opened."""
        (tmp_path / "a").symlink_to("b")
        (tmp_path / "b").symlink_to("a")

        def follow() -> None:
            read(self.resolve("../a", tmp_path))

        assert refusal(follow)


class TestReadBytes:
    """A small file, read whole."""

    def test_returns_the_very_bytes(self, tmp_path: Path) -> None:
        """Nothing is stripped or translated, for the bytes are hashed."""
        data = b"\xef\xbb\xbfa = 1\r\n"
        assert read(write(tmp_path / "a", data)) == data

    @pytest.mark.parametrize(
        ("data", "reason"),
        [
            (gzip.compress(b"a = 1", mtime=0), "gzip"),
            (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "Git LFS"),
            ("a = 1".encode("utf-16"), "UTF-16"),
            ("a = 1".encode("utf-16-le"), "UTF-16"),
            ("a = 1".encode("utf-16-be"), "UTF-16"),
            ("a = 1".encode("utf-32"), "UTF-16"),
            (b"a = 1\n<<<<<<< HEAD\nb = 1\n=======\nb = 2\n>>>>>>> other\n", "a.toml:2: .*merge"),
            (b"x" * 1001, "too large"),
        ],
    )
    def test_recognises_what_it_is_not(self, tmp_path: Path, data: bytes, reason: str) -> None:
        """Files of another kind are named for what they are."""
        with pytest.raises(InputError, match=reason):
            read(write(tmp_path / "a", data))

    def test_allows_a_heading_underlined_like_a_conflict_mark(self, tmp_path: Path) -> None:
        """Seven equals signs alone are no conflict."""
        data = b'note = """\nTitle\n=======\n"""\n'
        assert read(write(tmp_path / "a", data)) == data

    def test_takes_exactly_the_limit(self, tmp_path: Path) -> None:
        """The limit itself is allowed."""
        assert len(read(write(tmp_path / "a", b"x" * 1000))) == 1000

    def test_names_a_missing_file(self, tmp_path: Path) -> None:
        """The path stands in the message."""
        assert refusal(lambda: read(tmp_path / "no")) == "a.toml: there is no such file"

    def test_does_not_wait_for_a_pipe(self, tmp_path: Path) -> None:
        """A pipe nobody writes to is an error at once."""
        os.mkfifo(tmp_path / "pipe")
        assert "found a pipe" in refusal(lambda: read(tmp_path / "pipe"))

    def test_refuses_folders_and_devices(self, tmp_path: Path) -> None:
        """Only regular files are read."""
        assert "found a folder" in refusal(lambda: read(tmp_path))
        assert "found a device" in refusal(lambda: read(Path("/dev/zero")))

    def test_refuses_a_socket(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """A socket cannot even be opened."""
        monkeypatch.chdir(tmp_path)
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind("s")
            assert "cannot be read" in refusal(lambda: read(Path("s")))

    def test_refuses_a_name_with_nul(self) -> None:
        """The system's ValueError becomes an error of ours."""
        assert "cannot be read" in refusal(lambda: read(Path("a\0b")))

    def test_refuses_a_name_that_is_too_long(self, tmp_path: Path) -> None:
        """A path the system cannot hold is told in its words."""
        assert "name too long" in refusal(lambda: read(tmp_path / ("a" * 5000)))

    @pytest.mark.parametrize("now", [b"a = 2", b"a = 12345", b""])
    def test_notices_a_change_meanwhile(self, tmp_path: Path, now: bytes) -> None:
        """A file that is written while it is read is not believed."""
        path = write(tmp_path / "a", b"a = 1")
        with patch(READ, changing(path, now)):
            assert "changed" in refusal(lambda: read(path))

    def test_names_a_disk_that_fails(self, tmp_path: Path) -> None:
        """An input error of the system is told in its words."""
        path = write(tmp_path / "a", b"a = 1")
        with patch(READ, side_effect=OSError(5, "Input/output error")):
            assert "Input/output error" in refusal(lambda: read(path))


def changing(path: Path, now: bytes) -> Callable[[int, int], bytes]:
    """Return an `os.read` that writes *now* to *path* after the first bytes were read."""
    real = os.read
    done: list[int] = []

    def read_and_change(descriptor: int, size: int) -> bytes:
        data = real(descriptor, size)
        if not done:
            done.append(path.write_bytes(now))
            found = path.stat()
            os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns + 1_000_000))
        return data

    return read_and_change


class TestDecodeText:
    """Bytes as text."""

    def test_leaves_out_the_byte_order_mark_only(self) -> None:
        """Line ends stay what they are."""
        assert decode_text(b"\xef\xbb\xbfa\r\nb", "x") == "a\r\nb"

    @pytest.mark.parametrize("bad", [b"\xff", b"\xc0\x80", b"\xed\xa0\x80", "é".encode("latin-1")])
    def test_names_line_and_byte_of_what_is_not_utf8(self, bad: bytes) -> None:
        """Latin-1, overlong forms and surrogates are all refused."""
        told = refusal(lambda: decode_text(b"a\nb" + bad, "x.toml"))
        assert told.startswith("x.toml:2: the text is not UTF-8 (found byte 0x")


LINES = st.lists(st.binary(max_size=12).map(lambda b: b.replace(b"\n", b"\r")), max_size=8)


class TestLines:
    """A JSONL file, line by line."""

    @given(lines=LINES, block=st.integers(1, 40), bom=st.booleans())
    def test_are_what_splitting_the_whole_file_gives(
        self,
        tmp_path_factory: pytest.TempPathFactory,
        lines: list[bytes],
        block: int,
        bom: bool,
    ) -> None:
        """However the blocks fall, lines, numbers, offsets and digest are the file's."""
        start = b"\xef\xbb\xbf" if bom else b"#"
        data = start + b"".join(line + b"\n" for line in [b"{}", *lines])
        path = write(tmp_path_factory.mktemp("lines") / "a.jsonl", data)
        expected = []
        offset = 0
        for number, line in enumerate(data.split(b"\n")[:-1], 1):
            shift = 3 if bom and number == 1 else 0
            text = line[shift:].removesuffix(b"\r")
            if text.strip(b" \t\n\r\x0b\f"):
                expected.append((number, offset + shift, text))
            offset += len(line) + 1
        with patch(BLOCK, block), Lines(path, "a.jsonl") as found:
            assert list(found) == expected
            assert found.sha256 == sha256(data).hexdigest()
            assert found.bytes_read == found.size == len(data)
            with RandomLines(path, "a.jsonl", found.stamp) as single:
                assert [single.line_at(place) for _, place, _ in expected] == [
                    text for *_, text in expected
                ]
                assert [single.line_number(place) for _, place, _ in expected] == [
                    number for number, *_ in expected
                ]

    def test_are_not_cut_at_other_line_separators(self, tmp_path: Path) -> None:
        """U+2028, U+0085, VT and FF are text."""
        line = '{"a": "\u2028\x85\x0b\x0c"}'.encode()
        with Lines(write(tmp_path / "a", line + b"\n"), "a") as lines:
            assert [found for *_, found in lines] == [line]

    def test_name_a_last_line_that_was_cut_off(self, tmp_path: Path) -> None:
        """Every proper part of a last object is noticed."""
        last = b'{"a": {"b": "c\xc3\xa9"}}'
        for size in range(1, len(last)):
            path = write(tmp_path / "a", b"{}\n" + last[:size])
            with Lines(path, "a.jsonl") as lines:
                assert refusal(lambda: list(lines)).startswith("a.jsonl:2: the last line is cut")

    def test_accept_a_last_object_that_only_lacks_its_line_end(self, tmp_path: Path) -> None:
        """Many tools leave the last line end out, and nothing is lost by it."""
        with Lines(write(tmp_path / "a", b'{}\n{"a": 1}'), "a") as lines:
            assert [line for *_, line in lines] == [b"{}", b'{"a": 1}']

    def test_are_none_in_an_empty_file(self, tmp_path: Path) -> None:
        """An empty file has no lines and the digest of nothing."""
        with Lines(write(tmp_path / "a", b""), "a") as lines:
            assert list(lines) == []
            assert lines.sha256 == sha256(b"").hexdigest()

    @pytest.mark.parametrize("end", [b"", b"\n"])
    def test_have_a_limit(self, tmp_path: Path, end: bytes) -> None:
        """A line above the limit ends in its number, not in the memory it would take."""
        path = write(tmp_path / "a", b"{}\n" + b" " * (MAX_LINE_BYTES + 1) + end)
        with Lines(path, "a") as lines:
            assert refusal(lambda: list(lines)).startswith("a:2: the line is too long")

    def test_name_a_compressed_file(self, tmp_path: Path) -> None:
        """Gzip is recognised before anything is parsed."""
        with Lines(write(tmp_path / "a", gzip.compress(b"{}\n")), "a") as lines:
            assert "gzip" in refusal(lambda: list(lines))

    def test_notice_a_change_meanwhile(self, tmp_path: Path) -> None:
        """A file that grows while it is read is not believed."""
        path = write(tmp_path / "a", b"{}\n" * 10)
        with Lines(path, "a") as lines, patch(READ, changing(path, b"{}\n" * 20)):
            assert "changed" in refusal(lambda: list(lines))
            with pytest.raises(RuntimeError, match="digest"):
                _ = lines.sha256

    def test_do_not_wait_for_a_pipe(self, tmp_path: Path) -> None:
        """Pipes are refused when they are opened."""
        os.mkfifo(tmp_path / "pipe")
        assert "found a pipe" in refusal(lambda: Lines(tmp_path / "pipe", "a"))


class TestRandomLines:
    """One line by its offset."""

    def test_may_be_longer_than_a_block(self, tmp_path: Path) -> None:
        """A long line comes whole and without its line end."""
        long = b"x" * 700_000
        with RandomLines(write(tmp_path / "a", b"{}\n" + long + b"\r\n{}"), "a") as lines:
            assert lines.line_at(3) == long
            assert lines.line_at(3 + len(long) + 2) == b"{}"

    def test_are_refused_when_the_file_changed(self, tmp_path: Path) -> None:
        """An offset means nothing in another file."""
        path = write(tmp_path / "a", b"{}\n")
        lines = RandomLines(path, "a")
        path.write_bytes(b"{}\n{}\n")
        assert "changed" in refusal(lambda: lines.line_at(0))
        lines.close()
        lines.close()

    def test_are_refused_when_the_file_is_not_the_one_that_was_streamed(
        self, tmp_path: Path
    ) -> None:
        """A file replaced between reading and looking is noticed."""
        path = write(tmp_path / "a", b"{}\n")
        with Lines(path, "a") as lines:
            stamp = lines.stamp
        write(tmp_path / "b", b"{}\n").replace(path)
        assert "changed" in refusal(lambda: RandomLines(path, "a", stamp))


def test_paths_below_the_working_folder_are_shown_relative(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Others are shown as they are."""
    monkeypatch.chdir(tmp_path)
    assert shown_path(tmp_path / "x" / "a.toml") == "x/a.toml"
    assert shown_path(Path("x/../a.toml")) == "a.toml"
    assert shown_path(Path("/no/where")) == "/no/where"
