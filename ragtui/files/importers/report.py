"""What an import read, joined, skipped and could not know; printed and stored."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import tomli_w

from ragtui.text import plural

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

__all__ = ["REPORT_SCHEMA", "Changed", "ImportReport", "ReadFile", "RunJoin", "some"]

REPORT_SCHEMA = "ragtui/import-report@1"

EXAMPLES = 5
"""Ids shown of each kind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadFile:
    """One file that was read."""

    role: str
    """`qrels`, `queries`, or `run` with its id."""
    name: str
    sha256: str
    dialect: str
    used: int
    """Lines, or cells of a JSON object, that hold a judgement, a retrieved document, a text."""
    skipped: Mapping[str, int]
    """Why lines were passed over, and how many."""
    changed: Mapping[str, int]
    """What is kept in another form than it was written, and how often."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunJoin:
    """How one run and the labels fit together."""

    run: str
    joined: int
    """Questions that are labelled and retrieved for."""
    only_labelled: tuple[str, ...]
    """Topics without a line in the run: missing questions."""
    only_retrieved: tuple[str, ...]
    """Topics without a judgement: absent labels."""
    top: int
    """Documents within the cutoff, on labelled questions."""
    unjudged_top: int
    """Those of them that nobody judged."""
    labelled: int
    """Labelled documents of joined questions."""
    labelled_retrieved: int
    """Those of them that the run retrieved at any depth."""
    relevant: int
    """Relevant documents of joined questions."""
    relevant_retrieved: int
    """Those of them that the run retrieved at any depth."""


@dataclass(frozen=True, slots=True)
class Changed:
    """An id that had to be written in another way."""

    what: str
    found: str
    written: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportReport:
    """The report of one import."""

    out: Path
    files: tuple[ReadFile, ...]
    options: Mapping[str, str | int]
    questions: int
    labelled: int
    """Questions with labels."""
    duplicates: int
    """Judgements that only said again what the same judge had said."""
    joins: tuple[RunJoin, ...]
    absent: tuple[str, ...]
    """Parts that the files do not hold."""
    changed: tuple[Changed, ...] = ()
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    manifests: tuple[Path, ...] = field(default=())
    """Where the runs were written, in the order they were given."""

    def to_toml(self) -> str:
        """Return the report as the text of `import-report.toml`."""
        return tomli_w.dumps(
            {
                "schema": REPORT_SCHEMA,
                "questions": self.questions,
                "labelled": self.labelled,
                "duplicate_judgements": self.duplicates,
                "absent": list(self.absent),
                "notes": list(self.notes),
                "warnings": list(self.warnings),
                "options": dict(self.options),
                "changed": [
                    {"what": one.what, "from": one.found, "to": one.written} for one in self.changed
                ],
                "file": [_file(file) for file in self.files],
                "run": [_join(join) for join in self.joins],
            }
        )

    def lines(self) -> list[str]:
        """Return the report as people read it, with ids and names as raw text."""
        told = [line for file in self.files for line in _file_lines(file)]
        told.append(f"{plural(self.questions, 'question')}, {self.labelled:,} labelled")
        if self.duplicates:
            told.append(f"{plural(self.duplicates, 'judgement')} said twice, folded")
        told += [line for join in self.joins for line in _join_lines(join)]
        told += [f"{one.what} {one.found} is written {one.written}" for one in self.changed]
        told += [f"absent: {', '.join(self.absent)}"] if self.absent else []
        return [*told, *self.notes, *(f"warning: {warning}" for warning in self.warnings)]


def some(ids: Iterable[str], n: int) -> str:
    """
    Return the first of *n* ids.

    >>> some(["a", "b"], 2), some("abcdefg", 7)
    ('a, b', 'a, b, c, d, e, …')
    """
    first = [text for text, _ in zip(ids, range(EXAMPLES), strict=False)]
    return ", ".join(first) + (", …" if n > EXAMPLES else "")


def _file(file: ReadFile) -> dict[str, object]:
    return {
        "role": file.role,
        "name": file.name,
        "sha256": file.sha256,
        "dialect": file.dialect,
        "used": file.used,
        "skipped": dict(file.skipped),
        "changed": dict(file.changed),
    }


def _join(join: RunJoin) -> dict[str, object]:
    return {
        "id": join.run,
        "joined": join.joined,
        "only_labelled": list(join.only_labelled),
        "only_retrieved": list(join.only_retrieved),
        "retrieved_in_cutoff": join.top,
        "unjudged_in_cutoff": join.unjudged_top,
        "labelled": join.labelled,
        "labelled_retrieved": join.labelled_retrieved,
        "relevant": join.relevant,
        "relevant_retrieved": join.relevant_retrieved,
    }


def _file_lines(file: ReadFile) -> list[str]:
    return [
        f"read {file.role} {file.name} ({file.dialect}, {file.used:,} used)",
        *(f"  skipped {plural(n, 'line')}: {why}" for why, n in file.skipped.items()),
        *(f"  {what}: {n:,}" for what, n in file.changed.items()),
    ]


def _join_lines(join: RunJoin) -> list[str]:
    joined = (
        f"{join.run}: {plural(join.joined, 'question')} joined"
        f"; missing {_named(join.only_labelled)}"
        f"; without labels {_named(join.only_retrieved)}"
    )
    documents = (
        f"  {join.relevant_retrieved:,} of their {join.relevant:,} relevant documents were ever"
        f" retrieved; {join.unjudged_top:,} of {join.top:,} within the cutoff are unjudged"
    )
    return [joined, documents]


def _named(ids: tuple[str, ...]) -> str:
    return f"{len(ids):,} ({some(ids, len(ids))})" if ids else "0"
