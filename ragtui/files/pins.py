"""
Pinning a run: writing into its manifest which set and which records it stands for.

`set.version`, `set.sha256` and `records.sha256` are set; every other byte of the file stays.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragtui.errors import Fault, InputError
from ragtui.files.atomic import write_atomic
from ragtui.files.limits import MAX_TOML_BYTES
from ragtui.files.manifests import load_manifest
from ragtui.files.sets import load_set
from ragtui.files.sources import Lines, decode_text, read_bytes, shown_path
from ragtui.files.toml_edit import CannotEditError, set_text

if TYPE_CHECKING:
    from pathlib import Path


__all__ = ["PinResult", "pin"]

_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True, kw_only=True)
class PinResult:
    """What `pin` did."""

    path: Path
    set_sha256: str
    records_sha256: str | None
    """`None`: the records stand in the manifest itself."""
    frozen: bool
    """Whether the set is frozen; the pin of one that is not may soon be outdated."""
    changed: tuple[str, ...]
    """Dotted keys that got another value; empty: all was pinned before."""


def pin(path: Path, *, root: Path | None = None) -> PinResult:
    """
    Write the digests of the set and of the records into the manifest at *path*.

    Raises InputError when the manifest, its set or its records cannot be read, or when the manifest
    is written in a way that cannot be edited safely; OutputError when it cannot be written.
    """
    manifest = load_manifest(path, root=root)
    questions = load_set(manifest.set_path, root=manifest.root)
    values = {
        ("set", "version"): questions.header.version,
        ("set", "sha256"): questions.digest,
    }
    records = None if manifest.records_path is None else _digest(manifest.records_path)
    if records is not None:
        values["records", "sha256"] = records
    raw = read_bytes(path, limit=MAX_TOML_BYTES, shown=manifest.shown)
    edited = _edited(raw, values, manifest.shown)
    if edited != raw:
        write_atomic(path, edited)
    before = {
        ("set", "version"): manifest.set_version,
        ("set", "sha256"): manifest.set_sha256,
        ("records", "sha256"): manifest.records_sha256,
    }
    return PinResult(
        path=path,
        set_sha256=questions.digest,
        records_sha256=records,
        frozen=questions.frozen,
        changed=tuple(".".join(key) for key, value in values.items() if before[key] != value),
    )


def _digest(path: Path) -> str:
    with Lines(path, shown_path(path)) as lines:
        for _ in lines:
            pass
    return lines.sha256


def _edited(raw: bytes, values: dict[tuple[str, str], str], shown: str) -> bytes:
    """Return the bytes of the manifest with *values* set; a byte-order mark stays."""
    text = decode_text(raw, shown)
    try:
        for key, value in values.items():
            text = set_text(text, key, value)
    except CannotEditError as error:
        wanted = ", ".join(f'{".".join(key)} = "{value}"' for key, value in values.items())
        raise InputError(
            Fault(
                message=f"the file cannot be edited safely: {error}",
                file=shown,
                hint=f"write these by hand: {wanted}",
            )
        ) from error
    return (_BOM if raw.startswith(_BOM) else b"") + text.encode()
