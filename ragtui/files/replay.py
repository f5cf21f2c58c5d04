"""What a triage file and the journal of an open or crashed session come to together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragtui.core.history import Entry, History
from ragtui.errors import InputError
from ragtui.files.journal_lines import FileMark, read_journal
from ragtui.files.sources import shown_path
from ragtui.files.triage_file import load_triage

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from ragtui.core.triage import Decision
    from ragtui.files.journal_lines import Found
    from ragtui.files.triage_file import TriageFile

__all__ = ["Replayed", "beside", "read_decisions", "replay"]


def read_decisions(path: Path) -> dict[str, Decision]:
    """
    Return the decisions of the triage file at *path* and of a session that is open or crashed.

    Takes no lock and changes nothing. Raises InputError for files that cannot be read.
    """
    file, found = load_triage(path), read_journal(beside(path, "journal"))
    return dict(file.decisions if found is None else replay(file, found, path).history.decisions)


@dataclass(frozen=True, kw_only=True)
class Replayed:
    """What a journal comes to on top of the triage file."""

    history: History
    found: Found
    known: dict[str | None, Mapping[str, Decision]]
    """
    Digest of the file as it was written last, and of those that perhaps were written since; the
    decisions in each.
    """


def replay(file: TriageFile, found: Found, path: Path) -> Replayed:
    """
    Take the steps of a journal that builds on *file*, as far as they are possible.

    About the questions that the journal speaks of it decides alone, from what it says stood there
    first; about the others the file does.
    """
    start = dict(file.decisions)
    for question, old in _first_olds(found).items():
        if old is None:
            start.pop(question, None)
        else:
            start[question] = old
    history = History(start)
    began = file.sha256 if found.header is None else found.header.base
    known: dict[str | None, Mapping[str, Decision]] = {began: start}
    for count, line in enumerate(found.lines):
        if isinstance(line, FileMark):
            if line.written:
                known.clear()
            known[line.sha256] = dict(history.decisions)
            continue
        try:
            history.apply(line)
        except InputError as error:
            shown = shown_path(beside(path, "journal"))
            return replay(file, found.before(count, str(error), shown), path)
    return Replayed(history=history, found=found, known=known)


def _first_olds(found: Found) -> dict[str, Decision | None]:
    olds: dict[str, Decision | None] = {}
    for line in found.lines:
        if isinstance(line, Entry):
            for edit in line.edits:
                olds.setdefault(edit.question, edit.old)
    return olds


def beside(path: Path, kind: str) -> Path:
    """Return the hidden file of this kind beside the triage file."""
    return path.with_name(f".{path.name}.{kind}")
