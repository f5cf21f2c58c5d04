"""
A question set: its questions, its corpus, and whether they are the frozen ones.

::

    set.toml   questions.toml or .jsonl   corpus.jsonl   locks/<version>.lock
"""

from __future__ import annotations

import os
from functools import cached_property
from operator import eq
from typing import TYPE_CHECKING

from ragtui.core.model import SetInfo
from ragtui.errors import Fault, InputError
from ragtui.files.canonical import canonical, sha256_hex
from ragtui.files.corpus import OPEN_CORPUS, load_corpus
from ragtui.files.lock_lines import (
    Head,
    Lock,
    differing_questions,
    digest_of,
    lock_path,
    lock_pieces,
    read_head,
    read_lock,
    set_content,
)
from ragtui.files.question_files import load_questions
from ragtui.files.question_rules import QuestionRules
from ragtui.files.set_header import load_header
from ragtui.text import confusable_pairs

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

    from ragtui.core.kernel import PlainQuestion
    from ragtui.core.model import Question
    from ragtui.files.corpus import AnyCorpus
    from ragtui.files.question_files import Progress, QuestionFile
    from ragtui.files.set_header import SetHeader


__all__ = ["QuestionSet", "load_set", "load_unlocked"]

_LISTED = 20
"""Ids that a message lists one by one."""


class QuestionSet:
    """One loaded and checked question set."""

    def __init__(self, header: SetHeader, corpus: AnyCorpus, questions: QuestionFile) -> None:
        """Put the three files together; `load_set` reads them."""
        self.header = header
        self.path: Path = header.file.path
        self.shown: str = header.file.shown
        """The path as the user would write it."""
        self.corpus = corpus
        self.ids: list[str] = questions.ids
        """Ids of the questions in the order of the file."""
        self.has_grades = questions.has_grades
        self.has_not_relevant = questions.has_not_relevant
        self.lock: Lock | None = None
        """The lock that these files agree with; `None`: not frozen."""
        self._file = questions

    def __len__(self) -> int:
        """How many questions there are."""
        return len(self.ids)

    def __iter__(self) -> Iterator[Question]:
        """Give the questions in the order of the file."""
        return map(self.question, range(len(self)))

    def question(self, place: int) -> Question:
        """Return question number *place*, from 0."""
        return self._file.question(place)

    def plain(self, place: int) -> PlainQuestion | None:
        """Return question number *place* in the form scored fastest, `None` if it has none."""
        return self._file.plain(place)

    def question_digest(self, place: int) -> str:
        """Return the digest of what the file holds of question number *place*, from 0."""
        return self._file.digest(place).hex()

    def index(self, name: str) -> int | None:
        """Return the place of the question with the id *name*, from 0."""
        return self._places.get(name)

    @property
    def frozen(self) -> bool:
        """Whether a lock of this version stands beside the set."""
        return self.lock is not None

    @cached_property
    def head(self) -> Head:
        """Digests of the three files."""
        return Head(
            sha256_hex(canonical(set_content(self.header.file.data))),
            self.corpus.sha256,
            self._file.sha256,
        )

    @cached_property
    def digest(self) -> str:
        """Digest of the set: that of its lock, or of the lock these files would have."""
        return self.lock.sha256 if self.lock else digest_of(self.lock_lines())

    @cached_property
    def info(self) -> SetInfo:
        """What the core and the screens know of the set."""
        header = self.header
        return SetInfo(
            id=header.id,
            version=header.version,
            split=header.split,
            rubric=header.rubric,
            corpus_version=header.corpus_version,
            open_corpus=self.corpus.is_open,
            sha256=self.digest,
            frozen=self.frozen,
            permissions=self.corpus.access is not None,
        )

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """What people should know and nothing refuses; raw text of ids stands in it."""
        found = [] if self.frozen else [f"not frozen: there is no lock of {self.header.version}"]
        found += _confusable("questions", self.ids)
        found += _confusable("documents", self.corpus.ids or ())
        return tuple(found)

    def question_digests(self) -> dict[str, str]:
        """Return question id to digest of what the file holds of it."""
        digests = self._file.digests()
        return {
            name: digests[start : start + 32].hex()
            for name, start in zip(self.ids, range(0, len(digests), 32), strict=True)
        }

    def lock_lines(self) -> Iterator[bytes]:
        """Give the bytes of the lock these files would have."""
        digests = self._file.digests()
        order = sorted(range(len(self)), key=self.ids.__getitem__)
        questions = ((self.ids[at], digests[32 * at : 32 * at + 32].hex()) for at in order)
        return lock_pieces(self.head, questions)

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self.ids)}


def load_set(
    path: Path, *, root: Path | None = None, progress: Progress | None = None
) -> QuestionSet:
    """
    Read the set at *path*, check it, and compare it with its lock where there is one.

    Raises InputError with all faults of the first file that has any, and when the files are no
    longer what was frozen under this version, naming the questions that differ.
    """
    header = load_header(path, root=root)
    lock = lock_path(header.file.path, header.version)
    if not os.path.lexists(lock):
        return _load(header, progress, keep_digests=True)
    questions = _load(header, progress, keep_digests=False)
    questions.lock = _matching_lock(questions, lock)
    return questions


def load_unlocked(
    path: Path, *, root: Path | None = None, progress: Progress | None = None
) -> QuestionSet:
    """Read and check the set at *path* without a look at its lock. Raises InputError."""
    return _load(load_header(path, root=root), progress, keep_digests=True)


def _load(header: SetHeader, progress: Progress | None, *, keep_digests: bool) -> QuestionSet:
    corpus: AnyCorpus = (
        OPEN_CORPUS if header.corpus is None else load_corpus(header.corpus, header.profile)
    )
    rules = QuestionRules(profile=header.profile, documents=corpus.ids, access=corpus.access)
    questions = load_questions(header.questions, rules, progress, keep_digests=keep_digests)
    return QuestionSet(header, corpus, questions)


def _matching_lock(questions: QuestionSet, path: Path) -> Lock:
    """Return the lock at *path* if *questions* still are what it froze; else raise InputError."""
    lock = read_head(path)
    head = questions.head
    if lock.head == head and lock.count == len(questions):
        return lock
    lock = read_lock(path)
    wrong = [
        f"{what} is not the one that was frozen"
        for what, found, frozen in (
            ("the set.toml", head.set, lock.head.set),
            ("the corpus", head.corpus, lock.head.corpus),
        )
        if found != frozen
    ]
    differing = differing_questions(questions.question_digests(), lock.questions)
    if differing:
        wrong.append(f"{_questions(differing)} not as frozen: {_listed(differing)}")
    if wrong:
        raise InputError(_unlike(message, questions) for message in wrong)
    return lock


def _unlike(message: str, questions: QuestionSet) -> Fault:
    version = questions.header.version
    return Fault(
        message=message,
        file=questions.shown,
        expected=f"what locks/{version}.lock froze",
        hint="raise the version and run `ragtui freeze` again, or take the frozen files back",
    )


def _questions(names: tuple[str, ...]) -> str:
    return "1 question is" if len(names) == 1 else f"{len(names)} questions are"


def _listed(names: tuple[str, ...]) -> str:
    hidden = len(names) - _LISTED
    text = ", ".join(names[:_LISTED])
    return f"{text} and {hidden} more" if hidden > 0 else text


def _confusable(what: str, ids: Collection[str]) -> list[str]:
    if all(map(str.isascii, ids)) and all(map(eq, map(str.lower, ids), ids)):
        return []  # nothing to fold, so equal ones would be the same one
    pairs = confusable_pairs(ids)
    found = [
        f'{what} "{one}" and "{other}" differ only by case or normalisation form'
        for one, other in pairs[:_LISTED]
    ]
    if len(pairs) > _LISTED:
        found.append(f"{len(pairs) - _LISTED} more pairs of {what} differ only so")
    return found
