"""The manifest of one run: what was run, on which set, with which records."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ragtui.core.model import MAX_CUTOFF, Annotation, ClaimIds, Requests, RunInfo, Unit
from ragtui.errors import InputError
from ragtui.files.canonical import canonical, sha256_hex
from ragtui.files.ids import check_name
from ragtui.files.limits import MAX_TOML_BYTES
from ragtui.files.record_rules import read_record
from ragtui.files.records import RecordsFile
from ragtui.files.shape import Faults, Table, describe, flatten
from ragtui.files.sources import find_root, resolve_path, shown_path
from ragtui.files.toml import load_toml

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ragtui.core.model import Record

__all__ = ["RUN_SCHEMA", "Manifest", "load_manifest", "outline_manifest"]

RUN_SCHEMA: Final = "ragtui/run@1"
"""What a manifest says it is."""

_SHA256: Final = re.compile(r"[0-9a-f]{64}")


class _ClaimsBy(StrEnum):
    HUMAN = "human"
    JUDGE = "judge"
    BOTH = "both"
    IMPORT = "import"


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """One run manifest as it was read; the files it names are allowed, but not opened yet."""

    info: RunInfo
    """What the run says about itself; `records_sha256` is known here for inline records only."""
    path: Path
    shown: str
    """The path as the user would write it."""
    root: Path
    """The folder that no path in the file may leave."""
    sha256: str
    """Digest of the manifest's own bytes."""
    set_path: Path
    set_version: str | None
    set_sha256: str | None
    """Digest of the set that the run is pinned to."""
    records_path: Path | None
    """`None`: the records are inline."""
    records_sha256: str | None
    """Digest that the records are pinned to, as written."""
    inline: tuple[Record, ...] | None
    written: tuple[Mapping[str, object], ...] = ()
    """The inline records as they stand in the file."""

    def open_records(self) -> RecordsFile:
        """Return the records, not yet read."""
        if self.records_path is None:
            digest = self.info.records_sha256
            return RecordsFile(
                None, self.shown, inline=self.inline or (), written=self.written, sha256=digest
            )
        shown = shown_path(self.records_path)
        return RecordsFile(self.records_path, shown, sha256=self.records_sha256 or "")


def load_manifest(path: Path, *, root: Path | None = None) -> Manifest:
    """
    Read the manifest at *path*; paths in it stay below the root, see `find_root`.

    Raises InputError with everything that is wrong with it.
    """
    file = load_toml(path, limit=MAX_TOML_BYTES)
    faults = Faults(file.shown)
    table = Table(file.data, faults)
    place = _Place(base=path.parent, root=find_root(path, root))
    pin, records, info = _read_manifest(table, place)
    if faults or pin.path is None:
        raise faults.error()
    return Manifest(
        info=info,
        path=path,
        shown=file.shown,
        root=place.root,
        sha256=file.sha256,
        set_path=pin.path,
        set_version=pin.version,
        set_sha256=pin.sha256,
        records_path=records.path,
        records_sha256=records.sha256,
        inline=records.inline,
        written=records.written,
    )


def outline_manifest(table: Table) -> None:
    """Ask *table* for everything that a manifest may hold."""
    here = Path()
    _read_manifest(table, _Place(base=here, root=here))


def _read_manifest(table: Table, place: _Place) -> tuple[_Pin, _Records, RunInfo]:
    _read_schema(table)
    pin = _read_set(table, place)
    records = _read_records(table, place)
    info = _read_info(table, pinned=pin.sha256 is not None, records_sha256=records.digest)
    table.done()
    return pin, records, info


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """Where paths in the file start, and what they may not leave."""

    base: Path
    root: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pin:
    """The `[set]` table."""

    path: Path | None = None
    version: str | None = None
    sha256: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Records:
    """The `[records]` table, or the `[[record]]` tables in its place."""

    path: Path | None = None
    sha256: str | None = None
    inline: tuple[Record, ...] | None = None
    written: tuple[Mapping[str, object], ...] = ()
    digest: str = ""
    """Digest of the inline records."""


def _read_schema(table: Table) -> None:
    """Check the schema; a file of another kind is not looked at any further."""
    schema = table.need_text("schema")
    if schema and schema != RUN_SCHEMA:
        table.fault(
            "schema",
            "this is not a run manifest of a known version",
            found=describe(schema),
            expected=f'"{RUN_SCHEMA}"',
        )
        raise table.faults.error()


def _read_info(table: Table, *, pinned: bool, records_sha256: str) -> RunInfo:
    cutoff, unit = _read_context(table)
    return RunInfo(
        id=_name(table, "id") or "",
        cutoff=cutoff,
        unit=unit,
        created=table.moment("created"),
        note=table.text("note"),
        pipeline=table.free("pipeline"),
        environment=table.free("environment"),
        requests=_read_requests(table),
        annotation=_read_annotation(table),
        records_sha256=records_sha256,
        pinned=pinned,
    )


def _name(table: Table, key: str, *, needed: bool = True) -> str | None:
    name = table.need_text(key) if needed else table.text(key)
    stands = isinstance(table.data.get(key), str)  # else there is a fault already
    if name is not None and stands and (wrong := check_name(name)):
        table.fault(key, f"the name {wrong}", found=describe(name))
    return name


def _needed(table: Table, key: str) -> Table:
    """Return the table at *key*, empty after a fault when there is none."""
    table.need(key, "the table is missing", hint=f"add [{key}]")
    found = table.table(key)
    return Table({}, Faults(table.faults.file), path=key) if found is None else found


def _read_context(table: Table) -> tuple[int, Unit]:
    context = _needed(table, "context")
    cutoff = context.need_whole("cutoff", least=1, most=MAX_CUTOFF)
    unit = context.choice("unit", Unit) or Unit.DOCUMENT
    context.done()
    return cutoff, unit


def _read_set(table: Table, place: _Place) -> _Pin:
    told = _needed(table, "set")
    pin = _Pin(
        path=_path(told, place),
        version=_name(told, "version", needed=False),
        sha256=_sha256(told),
    )
    told.done()
    return pin


def _read_records(table: Table, place: _Place) -> _Records:
    told = table.table("records")
    rows = table.tables("record")
    records = None if told is None else _read_named(told, place)
    inline = None if rows is None else _read_inline(rows)
    if records is not None and inline is not None:
        table.fault("record", "there are records here and in a file", hint="keep one of the two")
    if not table.has("records") and not table.has("record"):
        hint = "add [records] with a path, or [[record]] tables"
        table.fault("records", "the run has no records", hint=hint)
    return records or inline or _Records()


def _read_named(told: Table, place: _Place) -> _Records:
    records = _Records(path=_path(told, place), sha256=_sha256(told))
    told.done()
    return records


def _read_inline(rows: Sequence[Table]) -> _Records:
    written = tuple(row.data for row in rows)
    digest = sha256_hex(canonical(written))
    return _Records(inline=tuple(map(read_record, rows)), written=written, digest=digest)


def _path(table: Table, place: _Place) -> Path | None:
    written = table.need_text("path")
    if not isinstance(table.data.get("path"), str):
        return None
    key = table.path_of("path")
    try:
        return resolve_path(
            written, base=place.base, root=place.root, file=table.faults.file, key=key
        )
    except InputError as error:
        table.faults.add(*error.faults)
        return None


def _sha256(table: Table) -> str | None:
    digest = table.text("sha256")
    if digest is None or _SHA256.fullmatch(digest):
        return digest
    table.fault(
        "sha256",
        "this is no digest",
        found=describe(digest),
        expected="64 digits 0-9a-f",
        hint="leave the key out and run `ragtui pin`",
    )
    return None


def _read_requests(table: Table) -> Requests:
    told = table.table("requests")
    if told is None:
        return Requests()
    requests = Requests(
        sent=told.whole("sent", least=0),
        retried=told.whole("retried", least=0),
        failed=told.whole("failed", least=0),
    )
    told.done()
    return requests


def _read_annotation(table: Table) -> Annotation:
    told = table.table("annotation")
    if told is None:
        return Annotation()
    annotation = Annotation(
        claims_by=told.choice("claims_by", _ClaimsBy),
        by=told.texts("by") or (),
        claim_ids=told.choice("claim_ids", ClaimIds) or ClaimIds.RUBRIC,
        details={**_read_reviewed(told), **_read_options(told)},
    )
    told.done()
    return annotation


def _read_options(table: Table) -> dict[str, object]:
    """Return what was chosen knowingly when the run was imported; free keys."""
    options = table.table("options")
    return {} if options is None else flatten({"options": options.data})


def _read_reviewed(table: Table) -> dict[str, object]:
    """Return how many of a judge's decisions people checked, and the share they agreed with."""
    told = table.table("reviewed")
    if told is None:
        return {}
    told.whole("sample", least=0)
    share = told.number("agreement", least=0)
    if share is not None and share > 1:
        told.fault("agreement", "a share is at most 1", found=f"{share:g}")
    told.done()
    return flatten({"reviewed": told.data})
