"""
Reading files that strangers may have written.

Only regular files are read, without waiting for a pipe; what is hashed is what is parsed; a file
that changes while it is read is an error.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

from ragtui.errors import Fault, InputError, UsageError
from ragtui.files.descriptors import (
    BOM,
    GZIP,
    Stamp,
    changed,
    open_regular,
    read_block,
    stamp_of,
    unreadable,
    wrong_kind,
)
from ragtui.files.lines import Lines, RandomLines
from ragtui.files.values import describe

__all__ = [
    "ROOT_MARKS",
    "Lines",
    "RandomLines",
    "Stamp",
    "decode_text",
    "find_root",
    "read_bytes",
    "resolve_path",
    "shown_path",
]

ROOT_MARKS: Final = ("ragtui.toml", "pyproject.toml", ".git")
"""What marks the folder that paths inside files may not leave."""

_CONFLICT: Final = re.compile(rb"^<<<<<<< .*?^=======\r?$.*?^>>>>>>> ", re.MULTILINE | re.DOTALL)
_CONFLICT_LINE: Final = re.compile(rb"<<<<<<< |=======$|>>>>>>> |\|\|\|\|\|\|\| ")


def shown_path(path: Path) -> str:
    """
    Return *path* as the user would write it: relative when it is below the working folder.

    >>> shown_path(Path.cwd() / "fixtures" / "set.toml")
    'fixtures/set.toml'
    """
    try:
        return str(Path(os.path.abspath(path)).relative_to(Path.cwd()))  # noqa: PTH100  resolve() would follow links
    except (OSError, ValueError):
        return str(path)


def find_root(start: Path, root: Path | None = None) -> Path:
    """
    Return the folder that paths written in the file *start* may not leave, links resolved.

    That is *root* where given, else the nearest folder from the file's own upwards that holds one
    of `ROOT_MARKS`, else the file's own folder. Raises UsageError when *root* is not a folder.
    """
    if root is not None:
        if not root.is_dir():
            raise UsageError(Fault(message="the root is not a folder", file=shown_path(root)))
        return root.resolve()
    folder = _resolve(start if start.is_dir() else start.parent, shown_path(start))
    for candidate in (folder, *folder.parents):
        if any((candidate / mark).exists() for mark in ROOT_MARKS):
            return candidate
    return folder


def resolve_path(written: str, *, base: Path, root: Path, file: str, key: str) -> Path:
    """
    Return the real path of *written*, which stands under *key* in *file* in the folder *base*.

    Raises InputError unless it is relative, printable and, links resolved, below *root*.
    """

    def refused(message: str, hint: str | None = None) -> InputError:
        return InputError(
            Fault(message=message, file=file, key=key, found=describe(written), hint=hint)
        )

    if not written or not written.isprintable():
        raise refused("the path is empty or holds characters that cannot be printed")
    if Path(written).is_absolute():
        raise refused("the path is absolute", "write it relative to this file")
    try:
        path = (base / written).resolve()
    except (OSError, RuntimeError, ValueError) as error:
        raise refused("the path cannot be followed") from error
    if not path.is_relative_to(_resolve(root, file)):
        raise refused(
            "the path leads out of the root folder",
            "keep the file below the folder that holds ragtui.toml, or name another with --root",
        )
    return path


def read_bytes(path: Path, *, limit: int, shown: str, gzip: bool = False) -> bytes:
    """
    Return the whole regular file at *path*, at most *limit* bytes; *gzip* allows compressed ones.

    Raises InputError when it is missing, no regular file, too large, changes meanwhile, or is
    compressed, UTF-16, a Git LFS pointer or an unfinished merge.
    """
    descriptor, stamp = open_regular(path, shown)
    try:
        if stamp.size > limit:
            raise InputError(_too_large(shown, stamp.size, limit))
        blocks = []
        size = 0
        while size <= limit and (block := read_block(descriptor, shown)):
            blocks.append(block)
            size += len(block)
        if size != stamp.size or stamp_of(descriptor) != stamp:
            raise InputError(changed(shown))
    finally:
        os.close(descriptor)
    data = b"".join(blocks)
    if gzip and data.startswith(GZIP):
        return data
    if wrong := wrong_kind(data) or _merge(data):
        raise InputError(wrong.at(file=shown))
    return data


def decode_text(data: bytes, shown: str) -> str:
    r"""
    Return *data* as text: strict UTF-8, a byte-order mark left out, line ends kept.

    >>> decode_text(b"\xef\xbb\xbfa\r\n", "a.toml")
    'a\r\n'
    """
    try:
        return data.removeprefix(BOM).decode()
    except UnicodeDecodeError as error:
        raise InputError(_not_utf8(data, error).at(file=shown)) from error


def conflict_mark(line: bytes) -> Fault | None:
    """Return what to say when *line* is a mark that git leaves in an unfinished merge."""
    return _conflict() if _CONFLICT_LINE.match(line) else None


def _resolve(path: Path, shown: str) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError, ValueError) as error:
        raise InputError(unreadable(shown, error)) from error


def _too_large(shown: str, size: int, limit: int) -> Fault:
    return Fault(
        message="the file is too large",
        file=shown,
        found=f"{size:,} bytes",
        expected=f"at most {limit:,}",
    )


def _merge(data: bytes) -> Fault | None:
    found = _CONFLICT.search(data) if b"\n>>>>>>> " in data else None
    if found is None:
        return None
    return _conflict().at(line=data.count(b"\n", 0, found.start()) + 1)


def _conflict() -> Fault:
    return Fault(
        message="the file holds a git conflict mark",
        hint="finish the merge first",
    )


def _not_utf8(data: bytes, error: UnicodeDecodeError) -> Fault:
    body = data.removeprefix(BOM)
    return Fault(
        message="the text is not UTF-8",
        line=body.count(b"\n", 0, error.start) + 1,
        found=f"byte 0x{body[error.start]:02x}",
        expected="UTF-8",
        hint="save the file as UTF-8",
    )
