"""
Decisions as a file that people read, compare and merge.

::

    <baseline id>..<candidate id>.triage.toml     beside the candidate's manifest
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Final

import msgspec
import tomli_w

from ragtui.core.model import MAX_CUTOFF, Unit
from ragtui.core.triage import MAX_NAME, MAX_NOTE, Binding, Choice, Decision
from ragtui.errors import Fault, InputError
from ragtui.files.limits import MAX_ID_LENGTH, MAX_TRIAGE_BYTES
from ragtui.files.shape import RFC3339, Faults, Table, describe, first_repeat
from ragtui.files.toml import has_comments, load_toml, parse_toml

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

__all__ = [
    "TRIAGE_SCHEMA",
    "TriageFile",
    "decision_faults",
    "load_decisions",
    "load_triage",
    "parse_triage",
    "read_triage",
    "render_size",
    "render_triage",
    "triage_path",
]

TRIAGE_SCHEMA: Final = "ragtui/triage@1"
"""What a triage file says it is."""

_DIGEST: Final = re.compile(r"[0-9a-f]{64}")
_SHORT_NAME: Final = 90
"""Longest part of a file name, so that the names made from it stay below 255 bytes."""


def triage_path(manifest: Path, baseline: str, candidate: str) -> Path:
    """
    Return where decisions about two runs stand: beside the candidate's *manifest*.

    *baseline* and *candidate* are the ids of the runs; long ones are cut and told apart by digest.

    >>> from pathlib import Path
    >>> str(triage_path(Path("manifests/b.toml"), "main", "chunk-256"))
    'manifests/main..chunk-256.triage.toml'
    """
    return manifest.with_name(f"{_short(baseline)}..{_short(candidate)}.triage.toml")


def _short(name: str) -> str:
    if len(name) <= _SHORT_NAME:
        return name
    return f"{name[: _SHORT_NAME - 13]}-{sha256(name.encode()).hexdigest()[:12]}"


@dataclass(frozen=True)
class TriageFile:
    """A triage file as it was read, or the absence of one."""

    decisions: Mapping[str, Decision]
    """By question id."""
    sha256: str | None = None
    """Digest of the bytes; `None`: there is no such file."""
    raw: bytes = b""

    @cached_property
    def has_comments(self) -> bool:
        """Whether somebody wrote comments into it, which rewriting would lose."""
        return has_comments(self.raw)


def load_triage(path: Path) -> TriageFile:
    """Read the triage file at *path*; one that is absent holds nothing. Raises InputError."""
    if not _stands(path):
        return TriageFile({})
    file = load_toml(path, limit=MAX_TRIAGE_BYTES)
    return TriageFile(_read(file.data, file.shown), file.sha256, file.raw)


def _stands(path: Path) -> bool:
    """Tell whether anything stands at *path*; what cannot be told is left to the reader."""
    try:
        path.lstat()
    except FileNotFoundError:
        return False
    except (OSError, ValueError):
        return True
    return True


def load_decisions(path: Path) -> dict[str, Decision]:
    """Return the decisions in the file at *path*, by question id. Raises InputError."""
    return dict(load_triage(path).decisions)


def parse_triage(raw: bytes, shown: str) -> dict[str, Decision]:
    """Return the decisions in the content of a file called *shown*. Raises InputError."""
    return _read(parse_toml(raw, shown), shown)


# ---------------------------------------------------------------- reading


def _read(data: Mapping[str, object], shown: str) -> dict[str, Decision]:
    faults = Faults(shown)
    decisions = read_triage(Table(data, faults))
    if again := first_repeat(decision.question for decision in decisions):
        faults.add(
            Fault(
                message="the question is decided twice",
                question=again,
                hint="keep one of the two decisions",
            )
        )
    faults.raise_any()
    return {decision.question: decision for decision in decisions}


def read_triage(table: Table) -> list[Decision]:
    """Return the decisions in *table* that are sound; what is wrong goes to its faults."""
    schema = table.need_text("schema")
    if schema and schema != TRIAGE_SCHEMA:
        table.fault(
            "schema",
            "this is not a triage file of a known version",
            found=describe(schema),
            expected=f'"{TRIAGE_SCHEMA}"',
        )
        raise table.faults.error()
    _digest_at(table, "set")
    read = [_read_decision(entry) for entry in table.tables("decision") or ()]
    table.done()
    return [decision for decision in read if decision is not None]


def _read_decision(table: Table) -> Decision | None:
    before = table.faults.count
    question = table.need_text("question")
    table.question = question or None
    choice = table.choice("choice", Choice)
    table.need("choice")
    when = table.moment("when")
    table.need("when")
    decision = Decision(
        question=question,
        choice=choice or Choice.INVESTIGATE,
        note=table.text("note"),
        owner=table.text("owner"),
        follow_up=table.text("follow_up"),
        who=table.text("who"),
        when=when or "",
        binding=_read_binding(table),
    )
    table.done()
    if table.faults.count == before:
        table.faults.add(*decision_faults(decision))
    return decision if table.faults.count == before else None


def _read_binding(table: Table) -> Binding:
    table.need("binding", "the table is missing", hint="add [decision.binding]")
    told = table.table("binding") or Table({}, Faults(table.faults.file))
    unit = told.choice("unit", Unit)
    told.need("unit")
    binding = Binding(
        question=_digest_at(told, "question"),
        baseline=_digest_at(told, "baseline"),
        candidate=_digest_at(told, "candidate"),
        cutoff=told.need_whole("cutoff", least=1, most=MAX_CUTOFF),
        unit=unit or Unit.DOCUMENT,
        contract=told.need_text("contract"),
    )
    told.done()
    return binding


def _digest_at(table: Table, key: str) -> str:
    digest = table.need_text(key)
    if isinstance(table.data.get(key), str) and not _DIGEST.fullmatch(digest):
        table.fault(key, "this is no digest", found=describe(digest), expected="64 digits 0-9a-f")
    return digest


# ---------------------------------------------------------------- what a decision may hold


def decision_faults(decision: Decision) -> Iterator[Fault]:
    """Yield what no file could hold or give back: odd texts, digests, numbers and dates."""
    question = decision.question if _is_text(decision.question) else None
    for key, wrong, expected in (*_odd_texts(decision), *_odd_binding(decision.binding)):
        yield Fault(message=wrong, key=key, question=question, expected=expected)


def _odd_texts(decision: Decision) -> Iterator[tuple[str, str, str | None]]:
    limits = {"question": MAX_ID_LENGTH, "note": MAX_NOTE}
    for key in ("question", "note", "owner", "follow_up", "who"):
        text: str | None = getattr(decision, key)
        limit = limits.get(key, MAX_NAME)
        if text is None:
            continue
        if not text:
            yield key, "the text is empty", "a text, or no such key"
        elif len(text) > limit:
            yield key, "the text is too long", f"at most {limit:,} characters"
        elif not _is_text(text):
            yield key, "the text holds half of a surrogate pair", None
    if not RFC3339.fullmatch(decision.when):
        yield "when", "this is no date and time", "such as 2026-11-20T09:30:00Z"


def _odd_binding(binding: Binding) -> Iterator[tuple[str, str, str | None]]:
    for key in ("question", "baseline", "candidate"):
        if not _DIGEST.fullmatch(getattr(binding, key)):
            yield f"binding.{key}", "this is no digest", "64 digits 0-9a-f"
    if not 1 <= binding.cutoff <= MAX_CUTOFF:
        yield "binding.cutoff", "the cutoff is out of range", f"from 1 to {MAX_CUTOFF}"
    if not 1 <= len(binding.contract) <= MAX_NAME or not _is_text(binding.contract):
        yield "binding.contract", "this is no name of a contract", None


def _is_text(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


# ---------------------------------------------------------------- writing


def render_triage(decisions: Iterable[Decision], *, set_digest: str) -> bytes:
    """
    Return the file that holds *decisions*, sorted by question id; the same bytes for the same.

    It was read back and compared. Raises InputError when that gives something else.
    """
    ordered = sorted(decisions, key=lambda decision: decision.question)
    data: dict[str, object] = {"schema": TRIAGE_SCHEMA, "set": set_digest}
    if ordered:
        data["decision"] = [_plain(decision) for decision in ordered]
    raw = tomli_w.dumps(data).encode()
    if len(raw) > MAX_TRIAGE_BYTES:
        raise InputError(
            Fault(
                message="the decisions are too long for one file",
                found=f"{len(raw):,} bytes",
                expected=f"at most {MAX_TRIAGE_BYTES:,}",
                hint="shorten the notes",
            )
        )
    if list(parse_triage(raw, "the triage file").values()) != ordered:
        raise InputError("the triage file would not give back what was written")
    return raw


def render_size(decision: Decision) -> int:
    """Return how many bytes *decision* takes in the file."""
    return len(tomli_w.dumps({"decision": [_plain(decision)]}).encode()) + 1


def _plain(decision: Decision) -> dict[str, object]:
    plain: dict[str, object] = msgspec.to_builtins(decision)
    return {key: value for key, value in plain.items() if value is not None}
