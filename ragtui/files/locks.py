"""Freezing a question set, and comparing locks of different versions."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragtui.errors import Fault, InputError, OutputError
from ragtui.files.atomic import create_new
from ragtui.files.ledger import record_freeze
from ragtui.files.lock_lines import Lock, differing_questions, lock_path, read_head, read_lock
from ragtui.files.sets import load_set, load_unlocked
from ragtui.files.sources import shown_path

if TYPE_CHECKING:
    from pathlib import Path

    from ragtui.core.standing import Inherited
    from ragtui.files.sets import QuestionSet


__all__ = [
    "FreezeResult",
    "Lock",
    "differing_questions",
    "find_lock_by_digest",
    "freeze",
    "lock_bytes",
    "lock_path",
    "read_lock",
]


@dataclass(frozen=True, slots=True)
class FreezeResult:
    """What `freeze` did."""

    path: Path
    """Where the lock stands."""
    sha256: str
    """The digest of the set."""
    questions: int
    already: bool
    """Whether the same set was frozen before, so that no lock was written."""
    inherited: tuple[Inherited, ...] = ()
    """What questions of a held-out set went through in earlier versions."""


def lock_bytes(questions: QuestionSet) -> bytes:
    """Return the lock that the files of the set would have."""
    return b"".join(questions.lock_lines())


def freeze(path: Path, *, root: Path | None = None) -> FreezeResult:
    """
    Check the set at *path* and write its lock, `locks/<version>.lock` beside it.

    A lock that agrees with the files stays as it is; a held-out set's ledger says that it was
    frozen. Raises InputError for a set that is not sound and for a version that was frozen with
    another content, OutputError when something cannot be written.
    """
    questions = load_unlocked(path, root=root)
    lock = lock_path(path, questions.header.version)
    if os.path.lexists(lock):
        frozen = load_set(path, root=root)
        past = record_freeze(frozen)
        return FreezeResult(lock, frozen.digest, len(frozen), already=True, inherited=past)
    data = lock_bytes(questions)
    _make_folder(lock.parent)
    create_new(lock, data)
    past = record_freeze(questions)
    return FreezeResult(lock, questions.digest, len(questions), already=False, inherited=past)


def find_lock_by_digest(folder: Path, sha256: str) -> Lock | None:
    """
    Return the lock with the digest *sha256* among those of the set in *folder*.

    That is how runs pinned to different versions get the list of questions that changed. A lock
    that cannot be read is passed over: it is nobody's pin.
    """
    for path in sorted((folder / "locks").glob("*.lock")):
        try:
            if read_head(path).sha256 == sha256:
                return read_lock(path)
        except InputError:
            continue
    return None


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise OutputError(
            Fault(
                message="the folder cannot be made", file=shown_path(folder), found=error.strerror
            )
        ) from error
