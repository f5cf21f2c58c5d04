"""
Judgements and runs written line by line.

Judgements have four columns (topic, iteration, document, grade), or the three tab-separated ones
of BEIR with or without a header. Runs have six (topic, Q0, document, rank, score, tag); whatever
follows is passed over, as trec_eval does. Columns end at ASCII white space only. Lines whose first
character is `#` are comments; anywhere else the sign belongs to an id.
"""

from __future__ import annotations

import math
import re
from io import BytesIO
from typing import TYPE_CHECKING, Final

from ragtui.errors import Fault
from ragtui.files.importers.trec_files import (
    NO_RANK,
    Judgements,
    Listing,
    grade_fault,
    id_of,
    score_fault,
)
from ragtui.files.question_rules import MAX_GRADE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ragtui.files.importers.trec_files import QrelsFile, RunFile, Source
    from ragtui.files.shape import Faults

__all__ = ["content_lines", "read_qrels_lines", "read_run_lines"]

_HEADER: Final = [b"query-id", b"corpus-id", b"score"]
_QRELS_COLUMNS: Final = 4
_BEIR_COLUMNS: Final = 3
_RUN_COLUMNS: Final = 6
_GRADE: Final = re.compile(rb"([+-]?[0-9]{1,9})(\.0*)?")
_RANK: Final = re.compile(rb"[+-]?[0-9]{1,18}")


def read_qrels_lines(data: bytes, file: QrelsFile, faults: Faults) -> None:
    """Read judgements into *file*; what is wrong becomes faults with their line."""
    names = _Names(faults)
    grades = _Grades(file.source, faults)
    beir: bool | None = None
    for number, line in content_lines(data, file.source, faults):
        if beir is None:
            beir, header = _dialect(line, file.source)
            if header:
                continue
        cells = line.rstrip(b"\r\n").split(b"\t") if beir else line.split()
        if len(cells) != (_BEIR_COLUMNS if beir else _QRELS_COLUMNS):
            faults.add(_no_judgement(len(cells), tabs=beir), line=number)
            continue
        judge = "" if beir else names.of(cells[1], number)
        topic = names.of(cells[0], number)
        document = id_of(cells[-2].decode(), faults, line=number)
        judged = file.topics.get(topic) or file.topics.setdefault(topic, Judgements())
        judged.add(document, judge, grades.of(cells[-1], number))
        file.source.used += 1


def read_run_lines(data: bytes, file: RunFile, faults: Faults) -> None:
    """Read retrieved documents into *file*; what is wrong becomes faults with their line."""
    file.source.dialect = "TREC run"
    names = _Names(faults)
    tags: dict[bytes, None] = {}
    for number, line in content_lines(data, file.source, faults):
        cells = line.split(None, _RUN_COLUMNS)
        if len(cells) < _RUN_COLUMNS:
            faults.add(_no_run_line(len(cells)), line=number)
            continue
        file.wide_lines += len(cells) > _RUN_COLUMNS
        tags[cells[5]] = None
        topic = names.of(cells[0], number)
        listing = file.topics.get(topic) or file.topics.setdefault(topic, Listing())
        listing.add(
            id_of(cells[2].decode(), faults, line=number),
            _score(cells[4], faults, number),
            _rank(cells[3], file.rank_faults, number),
            number,
        )
        file.source.used += 1
    file.tags = dict.fromkeys(tag.decode() for tag in tags)


def content_lines(data: bytes, source: Source, faults: Faults) -> Iterator[tuple[int, bytes]]:
    """Yield (line number, line) of what is no comment and not blank."""
    for number, line in enumerate(BytesIO(data), 1):
        if line.startswith(b"#"):
            source.skip("comment")
        elif line.isspace():
            source.skip("blank")
        elif b"\r" in line and b"\r" in line.rstrip(b"\r\n"):
            faults.add(
                Fault(
                    message="a carriage return stands inside the line",
                    expected="lines that end in LF or CRLF",
                ),
                line=number,
            )
        else:
            yield number, line


def _dialect(line: bytes, source: Source) -> tuple[bool, bool]:
    """Tell from the first line whether this is BEIR's form, and whether the line is its header."""
    cells = line.rstrip(b"\r\n").split(b"\t")
    if len(cells) != _BEIR_COLUMNS:
        source.dialect = "TREC qrels"
        return False, False
    header = [cell.strip().lower() for cell in cells] == _HEADER
    source.dialect = "BEIR tsv" if header else "BEIR tsv without a header"
    if header:
        source.skip("header")
    return True, header


class _Names:
    """Ids that come again and again, each decoded and checked once."""

    def __init__(self, faults: Faults) -> None:
        self._faults = faults
        self._known: dict[bytes, str] = {}

    def of(self, cell: bytes, line: int) -> str:
        known = self._known.get(cell)
        if known is None:
            known = self._known[cell] = id_of(cell.decode(), self._faults, line=line)
        return known


class _Grades:
    """Grades, of which a file has few different ones."""

    def __init__(self, source: Source, faults: Faults) -> None:
        self._source = source
        self._faults = faults
        self._known: dict[bytes, int] = {}

    def of(self, cell: bytes, line: int) -> int:
        known = self._known.get(cell)
        return self._read(cell, line) if known is None else known

    def _read(self, cell: bytes, line: int) -> int:
        found = _GRADE.fullmatch(cell.strip())
        grade = int(found[1]) if found else 0
        if found is None or abs(grade) > MAX_GRADE:
            self._faults.add(grade_fault(cell.decode()), line=line)
        elif found[2]:
            self._source.change("grades with a decimal point, kept as whole numbers")
        else:
            self._known[cell] = grade
        return grade


def _score(cell: bytes, faults: Faults, line: int) -> float:
    try:
        score = float(cell)
    except ValueError:
        score = math.nan
    if not math.isfinite(score) or b"_" in cell:
        faults.add(score_fault(cell.decode()), line=line)
        return 0.0
    return score


def _rank(cell: bytes, faults: Faults, line: int) -> int:
    if _RANK.fullmatch(cell):
        return int(cell)
    faults.add(
        Fault(message="this is no rank", found=cell.decode()[:80], expected="a whole number"),
        line=line,
    )
    return NO_RANK


def _no_judgement(columns: int, *, tabs: bool) -> Fault:
    expected = (
        "topic, document, grade with tabs between, as in the lines before"
        if tabs
        else "topic, iteration, document, grade; or topic, document, grade with tabs between"
    )
    return Fault(message="the line is no judgement", found=f"{columns} columns", expected=expected)


def _no_run_line(columns: int) -> Fault:
    return Fault(
        message="the line is no run line",
        found=f"{columns} columns",
        expected="topic, Q0, document, rank, score, tag",
    )
