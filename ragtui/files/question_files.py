"""
The questions of a set in memory: all of them from TOML, only ids and offsets from JSONL.

A million questions take the memory of their ids and eight bytes each; a question is decoded again
when somebody asks for it.
"""

from __future__ import annotations

from array import array
from functools import cached_property
from typing import TYPE_CHECKING, Protocol, TypeAlias

from ragtui.errors import Fault, InputError
from ragtui.files.limits import MAX_QUESTIONS_TOML_BYTES
from ragtui.files.question_reader import QuestionReader, decode_question
from ragtui.files.questions import question_digest, to_plain, to_question
from ragtui.files.shape import Faults, Table
from ragtui.files.sources import Lines, RandomLines, shown_path
from ragtui.files.toml import load_toml

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from ragtui.core.kernel import PlainQuestion
    from ragtui.core.model import Question
    from ragtui.files.question_rules import QuestionRules
    from ragtui.files.questions import RawQuestion
    from ragtui.files.sources import Stamp


__all__ = ["Progress", "QuestionFile", "load_questions", "outline_questions"]

Progress: TypeAlias = "Callable[[int, int], None]"
"""Called now and then with bytes read and bytes in all."""

_PROGRESS_EVERY = 4096


class QuestionFile(Protocol):
    """What a set asks of the file that holds its questions."""

    ids: list[str]
    """In the order of the file."""
    sha256: str
    has_grades: bool
    has_not_relevant: bool

    def question(self, place: int) -> Question:
        """Return question number *place*, from 0."""

    def plain(self, place: int) -> PlainQuestion | None:
        """Return question number *place* in the form scored fastest, `None` if it has none."""

    def digest(self, place: int) -> bytes:
        """Return the digest of the content of question number *place*, 32 bytes."""

    def digests(self) -> bytes | bytearray:
        """Return the digest of the content of each question, 32 bytes each, in one block."""


def load_questions(
    path: Path,
    rules: QuestionRules,
    progress: Progress | None = None,
    *,
    keep_digests: bool = False,
) -> QuestionFile:
    """
    Read and check the questions at *path*, TOML or JSONL by suffix.

    *keep_digests* spares whoever is going to ask for the digests a second pass over the file.
    Raises InputError with all faults of the file.
    """
    if path.suffix == ".jsonl":
        return LineQuestions(path, rules, progress, keep_digests=keep_digests)
    return TableQuestions(path, rules)


def outline_questions(table: Table) -> list[Table]:
    """Return the questions in *table*, which holds nothing else."""
    tables = table.tables("question") or []
    table.done()
    return tables


class TableQuestions:
    """Questions written as TOML."""

    def __init__(self, path: Path, rules: QuestionRules) -> None:
        """Read and check them all."""
        file = load_toml(path, limit=MAX_QUESTIONS_TOML_BYTES)
        faults = Faults(file.shown)
        tables = outline_questions(Table(file.data, faults))
        reader = QuestionReader(rules, faults)
        read = [reader.table(entry.data, place) for place, entry in enumerate(tables)]
        raws = [raw for raw in read if raw is not None]
        self.ids = [raw.id for raw in raws]
        _check_ids(self.ids, faults)
        faults.raise_any()
        self.sha256 = file.sha256
        self.has_grades = any(raw.grades is not None for raw in raws)
        self.has_not_relevant = any(raw.not_relevant is not None for raw in raws)
        self._raws: Sequence[RawQuestion] = raws
        self._questions = [to_question(raw) for raw in raws]

    def question(self, place: int) -> Question:
        """Return question number *place*, from 0."""
        return self._questions[place]

    def plain(self, place: int) -> PlainQuestion | None:
        """Return question number *place* in the form scored fastest, `None` if it has none."""
        return to_plain(self._raws[place])

    def digest(self, place: int) -> bytes:
        """Return the digest of the content of question number *place*."""
        return question_digest(self._raws[place])

    def digests(self) -> bytes:
        """Return the digest of the content of each question."""
        return b"".join(map(question_digest, self._raws))


class LineQuestions:
    """Questions written as one JSON object a line."""

    def __init__(
        self,
        path: Path,
        rules: QuestionRules,
        progress: Progress | None = None,
        *,
        keep_digests: bool = False,
    ) -> None:
        """Read and check them all, keep ids and offsets; the digests until somebody wants them."""
        self._path = path
        self._shown = shown_path(path)
        self.ids: list[str] = []
        self.has_grades = self.has_not_relevant = False
        self._offsets = array("Q")
        self._digests = bytearray() if keep_digests else None  # joined: no object for each
        faults = Faults(self._shown)
        with Lines(path, self._shown) as lines:
            self._read(lines, QuestionReader(rules, faults), progress)
            self._stamp: Stamp = lines.stamp
        self.sha256 = lines.sha256
        _check_ids(self.ids, faults, self._lines_of)
        faults.raise_any()

    def _read(self, lines: Lines, reader: QuestionReader, progress: Progress | None) -> None:
        for number, offset, line in lines:
            raw = reader.line(line, number)
            if raw is None:
                continue
            self.ids.append(raw.id)
            self._offsets.append(offset)
            if self._digests is not None:
                self._digests += question_digest(raw)
            if raw.grades is not None:
                self.has_grades = True
            if raw.not_relevant is not None:
                self.has_not_relevant = True
            if progress is not None and number % _PROGRESS_EVERY == 0:
                progress(lines.bytes_read, lines.size)

    def question(self, place: int) -> Question:
        """Decode question number *place*, from 0."""
        return to_question(self._raw(place))

    def plain(self, place: int) -> PlainQuestion | None:
        """Decode question number *place* in the form scored fastest, `None` if it has none."""
        return to_plain(self._raw(place))

    def digest(self, place: int) -> bytes:
        """Return the digest of the content of question number *place*."""
        return question_digest(self._raw(place))

    def _raw(self, place: int) -> RawQuestion:
        return decode_question(self._random.line_at(self._offsets[place]))

    def digests(self) -> bytearray:
        """Return the digest of the content of each question, kept or from a pass over the file."""
        kept, self._digests = self._digests, None
        if kept is not None:
            return kept
        digests = bytearray()
        with Lines(self._path, self._shown) as lines:
            for _, _, line in lines:
                digests += question_digest(decode_question(line))
        if lines.sha256 != self.sha256:
            raise InputError(
                Fault(message="the file changed while it was in use", file=self._shown)
            )
        return digests

    @cached_property
    def _random(self) -> RandomLines:
        return RandomLines(self._path, self._shown, self._stamp)

    def _lines_of(self, places: set[int]) -> dict[int, int]:
        """Return the line number of the questions at *places*, in a pass over the file."""
        wanted = {self._offsets[place]: place for place in places}
        with Lines(self._path, self._shown) as lines:
            return {wanted[offset]: number for number, offset, _ in lines if offset in wanted}


def _check_ids(
    ids: list[str],
    faults: Faults,
    lines_of: Callable[[set[int]], dict[int, int]] | None = None,
) -> None:
    """Report an empty file and ids that stand twice."""
    if not ids and not faults:
        faults.add(Fault(message="there are no questions", expected="at least one"))
    if len(set(ids)) == len(ids):
        return
    first: dict[str, int] = {}
    again = [
        (place, name) for place, name in enumerate(ids) if first.setdefault(name, place) != place
    ]
    numbers = lines_of({place for place, _ in again}) if lines_of is not None else {}
    for place, name in again:
        faults.add(
            Fault(
                message="another question has the same id",
                question=name,
                key="id",
                hint="give each question an id of its own",
            ),
            line=numbers.get(place),
        )
