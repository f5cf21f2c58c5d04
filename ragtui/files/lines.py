"""JSONL files line by line: all of them once, or single ones again."""

from __future__ import annotations

import os
import weakref
from hashlib import sha256
from typing import TYPE_CHECKING, Final, Self

import msgspec

from ragtui.errors import Fault, InputError
from ragtui.files.descriptors import (
    BLOCK,
    BOM,
    changed,
    open_regular,
    read_block,
    stamp_of,
    wrong_kind,
)
from ragtui.files.limits import MAX_LINE_BYTES, MIB

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ragtui.files.descriptors import Stamp

__all__ = ["Lines", "RandomLines"]

_FIRST_READ: Final = 16 * 1024


class Lines:
    """
    The lines of one JSONL file, once: `(number, offset, line)` with number from 1, offset in bytes.

    Lines are cut at LF only and come without their line end; blank lines are skipped, a byte-order
    mark is too. The file is hashed in the same pass. Raises InputError as `read_bytes` does, for a
    line above the limit and for a last line that was cut off.
    """

    def __init__(self, path: Path, shown: str) -> None:
        """Open *path*, called *shown* in errors."""
        self.shown = shown
        self.bytes_read = 0
        """Bytes read so far, for progress."""
        self._descriptor, self.stamp = open_regular(path, shown)
        self._close = weakref.finalize(self, os.close, self._descriptor)
        self._hash = sha256()
        self._finished = False

    @property
    def size(self) -> int:
        """Bytes of the file when it was opened."""
        return self.stamp.size

    @property
    def sha256(self) -> str:
        """Digest of the bytes that were read, once all lines are."""
        if not self._finished:
            raise RuntimeError("the digest is known when all lines were read")
        return self._hash.hexdigest()

    def __enter__(self) -> Self:
        """Return the lines themselves."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file."""
        self.close()

    def close(self) -> None:
        """Close the file; more than once does no harm."""
        self._close()

    def __iter__(self) -> Iterator[tuple[int, int, bytes]]:
        """Read on; see the class."""
        number = 0
        offset = 0
        for lines, has_returns in self._batches():
            for line in lines:
                number += 1
                start = offset
                offset += len(line) + 1
                if number == 1 and line.startswith(BOM):
                    start += len(BOM)
                    line = line.removeprefix(BOM)  # noqa: PLW2901  once a file
                if has_returns and line.endswith(b"\r"):
                    line = line[:-1]  # noqa: PLW2901  only files with CRLF pay for it
                if line and not line.isspace():
                    yield number, start, line
        self._finish()

    def _batches(self) -> Iterator[tuple[list[bytes], bool]]:
        """Yield whole lines, block by block, and whether any may end in CR."""
        pending: list[bytes] = []
        pending_size = 0
        complete = 0
        while block := self._next_block():
            lines = block.split(b"\n")
            tail = lines.pop()
            if lines:
                pending.append(lines[0])
                lines[0] = b"".join(pending)
                self._check_length(len(lines[0]), complete)
                complete += len(lines)
                yield lines, b"\r" in block or lines[0].endswith(b"\r")
                pending, pending_size = [], 0
            pending.append(tail)
            pending_size += len(tail)
            self._check_length(pending_size, complete)
        if last := b"".join(pending):
            self._check_whole(last, complete)
            yield [last], True

    def _next_block(self) -> bytes:
        block = read_block(self._descriptor, self.shown)
        if not self.bytes_read and (wrong := wrong_kind(block)):
            raise InputError(wrong.at(file=self.shown))
        self.bytes_read += len(block)
        self._hash.update(block)
        return block

    def _check_length(self, size: int, complete: int) -> None:
        if size > MAX_LINE_BYTES:
            raise InputError(
                Fault(
                    message="the line is too long",
                    file=self.shown,
                    line=complete + 1,
                    expected=f"at most {MAX_LINE_BYTES // MIB} MiB",
                )
            )

    def _check_whole(self, last: bytes, complete: int) -> None:
        """Refuse a *last* line that was cut off; one that only lacks its line end is whole."""
        if not _is_cut(last.removeprefix(BOM)):
            return
        raise InputError(
            Fault(
                message="the last line is cut off",
                file=self.shown,
                line=complete + 1,
                expected="a whole JSON object and a line end",
                hint="write the file again",
            )
        )

    def _finish(self) -> None:
        if self.bytes_read != self.size or stamp_of(self._descriptor) != self.stamp:
            raise InputError(changed(self.shown))
        self._finished = True


class RandomLines:
    """Single lines of a file by their byte offset, on one descriptor that stays open."""

    def __init__(self, path: Path, shown: str, stamp: Stamp | None = None) -> None:
        """Open *path*; it must still be in the state *stamp* where one is given."""
        self.shown = shown
        self._descriptor, found = open_regular(path, shown)
        self._close = weakref.finalize(self, os.close, self._descriptor)
        self._stamp = stamp or found
        self._counted = 0, 1
        self._window = 0, b""
        if found != self._stamp:
            self.close()
            raise InputError(changed(shown))

    def __enter__(self) -> Self:
        """Return the reader itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file."""
        self.close()

    def close(self) -> None:
        """Close the file; more than once does no harm."""
        self._close()

    def line_at(self, offset: int) -> bytes:
        """
        Return the line that starts at byte *offset*, without its line end.

        Raises InputError when the file has changed since it was opened.
        """
        start, window = self._window
        end = window.find(b"\n", offset - start) if offset >= start else -1
        line = self._read_at(offset) if end < 0 else window[offset - start : end]
        return line.removesuffix(b"\r")

    def _read_at(self, offset: int) -> bytes:
        """Read the line at *offset* and keep what stands behind it, for whoever reads on."""
        if stamp_of(self._descriptor) != self._stamp:
            raise InputError(changed(self.shown))
        window = block = os.pread(self._descriptor, _FIRST_READ, offset)
        self._window = offset, window
        blocks: list[bytes] = []
        size = 0
        while size <= MAX_LINE_BYTES:
            head, newline, _ = block.partition(b"\n")
            blocks.append(head)
            size += len(head)
            if newline or not block:
                break
            block = os.pread(self._descriptor, BLOCK, offset + size)
        return b"".join(blocks)

    def line_number(self, offset: int) -> int:
        """Return the number, from 1, of the line at byte *offset*; cheap for rising offsets."""
        at, number = self._counted
        if offset < at:
            at, number = 0, 1
        while at < offset and (block := os.pread(self._descriptor, min(BLOCK, offset - at), at)):
            number += block.count(b"\n")
            at += len(block)
        self._counted = at, number
        return number


def _is_cut(last: bytes) -> bool:
    if not last or last.isspace():
        return False
    try:
        msgspec.json.decode(last, type=msgspec.Raw)
    except msgspec.DecodeError:
        return True
    except RecursionError:
        return False  # too deep to tell; the reader of the line says so
    return False
