"""Other tools' files as bytes: unpacked where they are packed, and checked to be text."""

from __future__ import annotations

import zlib
from gzip import BadGzipFile, GzipFile
from hashlib import sha256
from io import BytesIO
from typing import TYPE_CHECKING, Final, NamedTuple

from ragtui.errors import Fault, InputError
from ragtui.files.descriptors import BLOCK, BOM, GZIP, wrong_kind
from ragtui.files.limits import MIB
from ragtui.files.sources import decode_text, read_bytes, shown_path

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["MAX_IMPORT_BYTES", "Opened", "file_name", "open_input"]

MAX_IMPORT_BYTES: Final = 1024 * MIB
"""Largest file that is read, and largest content that a packed file may unfold to, in bytes."""


class Opened(NamedTuple):
    """The content of one file."""

    data: bytes
    """Valid UTF-8 without a byte-order mark, line ends as they are."""
    shown: str
    """The path as the user would write it."""
    sha256: str
    """Digest of the file's own bytes, packed or not."""
    packed: bool
    """Whether the file was compressed with gzip."""


def open_input(path: Path) -> Opened:
    """
    Read the file at *path*, unpack it when its content is gzip, and check that it is UTF-8.

    Raises InputError with the line of what is no UTF-8, and for everything `read_bytes` refuses.
    """
    shown = shown_path(path)
    data = read_bytes(path, limit=MAX_IMPORT_BYTES, shown=shown, gzip=True)
    digest = sha256(data).hexdigest()
    packed = data.startswith(GZIP)
    if packed:
        data = _unfold(data, shown)
        if wrong := wrong_kind(data):
            raise InputError(wrong.at(file=shown))
    if not data.isascii():
        decode_text(data, shown)
    return Opened(data.removeprefix(BOM), shown, digest, packed)


def file_name(path: Path) -> str:
    r"""
    Return the name of the file at *path* as text that can be written as UTF-8.

    >>> from pathlib import Path
    >>> file_name(Path("runs") / "a\udcff.run")
    'a\ufffd.run'
    """
    return path.name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _unfold(data: bytes, shown: str) -> bytes:
    """Return what all members of a gzip file hold, never more than the limit."""
    blocks: list[bytes] = []
    size = 0
    try:
        with GzipFile(fileobj=BytesIO(data)) as packed:
            while block := packed.read(BLOCK):
                blocks.append(block)
                size += len(block)
                if size > MAX_IMPORT_BYTES:
                    raise InputError(_too_much(shown))
    except EOFError as error:
        message, hint = "the gzip data end too early", "fetch the file again"
        raise InputError(Fault(message=message, file=shown, hint=hint)) from error
    except (BadGzipFile, zlib.error) as error:
        raise InputError(
            Fault(message="the gzip data are damaged", file=shown, found=str(error))
        ) from error
    return b"".join(blocks)


def _too_much(shown: str) -> Fault:
    return Fault(
        message="the compressed file unfolds to too much",
        file=shown,
        expected=f"at most {MAX_IMPORT_BYTES // MIB:,} MiB",
    )
