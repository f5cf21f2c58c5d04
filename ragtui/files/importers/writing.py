"""Writes an imported question set and its runs, frozen and pinned, so that they open at once."""

from __future__ import annotations

import re
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import msgspec
import tomli_w

from ragtui.errors import Fault, InputError, OutputError
from ragtui.files.atomic import create_new
from ragtui.files.limits import MAX_LINE_BYTES
from ragtui.files.locks import freeze
from ragtui.files.pins import pin
from ragtui.files.sources import shown_path

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

__all__ = [
    "VERSION",
    "ImportedRun",
    "distinct_names",
    "encode_lines",
    "new_folder",
    "refuse_occupied",
    "safe_name",
    "write_run",
    "write_set",
]

VERSION: Final = "1.0.0"
"""The version of an imported set."""

_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._+-]+|\.\.+")
_LONGEST: Final = 120
_TAKEN: Final = frozenset({"import-report", "locks", "questions", "ragtui", "set"})
"""Names that the set's own files have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedRun:
    """One run to write."""

    id: str
    cutoff: int
    note: str
    options: Mapping[str, str | int]
    records: bytes
    """The content of its records file."""


def safe_name(text: str, fallback: str) -> str:
    """
    Return *text* as an id of a set or run, other characters replaced by `-`.

    >>> safe_name("run of today", "run"), safe_name("a..b", "run"), safe_name("...", "run")
    ('run-of-today', 'a-b', 'run')
    """
    name = _UNSAFE.sub("-", text).lstrip("._+-")[:_LONGEST]
    return name or fallback


def distinct_names(names: Iterable[str]) -> list[str]:
    """
    Return *names* with a number behind those that the set or a run before has, in any case.

    >>> distinct_names(["run", "Run", "set"])
    ['run', 'Run-2', 'set-2']
    """
    taken = set(_TAKEN)
    given: list[str] = []
    for name in names:
        number, distinct = 1, name
        while distinct.lower() in taken:
            number += 1
            distinct = f"{name}-{number}"
        taken.add(distinct.lower())
        given.append(distinct)
    return given


def refuse_occupied(out: Path) -> None:
    """Raise OutputError unless *out* is free: nothing stands there, or an empty folder."""
    try:
        occupied = any(out.iterdir())
    except FileNotFoundError:
        return
    except (OSError, ValueError) as error:
        raise OutputError(_no_folder(out, error)) from error
    if occupied:
        raise OutputError(
            Fault(
                message="the folder is not empty",
                file=shown_path(out),
                hint="name a new folder, or empty it yourself",
            )
        )


@contextmanager
def new_folder(out: Path) -> Iterator[None]:
    """
    Make the folder *out* and write into it.

    Whatever cannot be written ends in OutputError, which also names the files that stand there
    already: they are not taken away.
    """
    refuse_occupied(out)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise OutputError(_no_folder(out, error)) from error
    try:
        yield
    except OutputError as error:
        raise OutputError([*error.faults, _left_over(out)]) from error


def encode_lines(rows: Iterable[Mapping[str, object]]) -> bytes:
    r"""
    Return *rows* as JSON lines. Raises InputError for a row that is longer than a line may be.

    >>> encode_lines([{"id": "q"}])
    b'{"id":"q"}\n'
    """
    encoder = msgspec.json.Encoder()
    lines = bytearray()
    for row in rows:
        start = len(lines)
        encoder.encode_into(row, lines, -1)
        if len(lines) - start > MAX_LINE_BYTES:
            raise InputError(
                Fault(
                    message="one question holds more than a line may",
                    question=str(row.get("id", row.get("question"))),
                    found=f"{len(lines) - start:,} bytes",
                    expected=f"at most {MAX_LINE_BYTES:,}",
                )
            )
        lines += b"\n"
    return bytes(lines)


def write_set(out: Path, set_id: str, questions: bytes, *, rubric: str) -> None:
    """Write a set over an open corpus into *out* and freeze it."""
    create_new(out / "ragtui.toml", b"")
    create_new(out / "questions.jsonl", questions)
    header = {
        "schema": "ragtui/set@1",
        "id": set_id,
        "version": VERSION,
        "split": "development",
        "contract": "strict-citation/1",
        "rubric": rubric,
        "ids": "open",
        "corpus": {"open": True},
        "questions": {"path": "questions.jsonl"},
    }
    create_new(out / "set.toml", tomli_w.dumps(header).encode())
    freeze(out / "set.toml")


def write_run(out: Path, run: ImportedRun) -> Path:
    """Write one run beside its set and pin it; return the path of its manifest."""
    records = f"{run.id}.jsonl"
    create_new(out / records, run.records)
    manifest = {
        "schema": "ragtui/run@1",
        "id": run.id,
        "note": run.note,
        "set": {"path": "set.toml", "version": VERSION},
        "context": {"cutoff": run.cutoff, "unit": "document"},
        "annotation": {"claims_by": "import", "options": dict(run.options)},
        "records": {"path": records},
    }
    path = out / f"{run.id}.toml"
    create_new(path, tomli_w.dumps(manifest).encode())
    pin(path)
    return path


def _no_folder(out: Path, error: Exception) -> Fault:
    told = error.strerror if isinstance(error, OSError) else str(error)
    return Fault(message="the folder cannot be made", file=shown_path(out), found=told)


def _left_over(out: Path) -> Fault:
    try:
        names = sorted(path.name for path in out.iterdir())
    except OSError:
        names = []
    return Fault(
        message="the import is not complete",
        file=shown_path(out),
        found=", ".join(names) or "nothing",
        hint="remove the folder, then import again",
    )
