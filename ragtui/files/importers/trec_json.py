"""
Judgements and runs as JSON: topic to document to number, as ranx and BEIR keep them.

A file may hold several such objects one after the other. Judgements may also come as one object a
line with the columns of BEIR: `{"query-id": 1, "corpus-id": "d1", "score": 1}`.
"""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, Final, NamedTuple

from ragtui.errors import Fault
from ragtui.files.importers.trec_files import (
    Judgements,
    Listing,
    grade_fault,
    id_of,
    score_fault,
)
from ragtui.files.question_rules import MAX_GRADE
from ragtui.files.values import describe, first_repeat

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ragtui.files.importers.trec_files import QrelsFile, RunFile, Source
    from ragtui.files.shape import Faults

__all__ = ["looks_like_json", "read_qrels_json", "read_run_json"]

_ROW_KEYS: Final = ("query-id", "corpus-id", "score")
_SPACE: Final = re.compile(r"[ \t\r\n]*")


class _Twice(dict[str, object]):
    """An object in which a key stands more than once."""

    key = ""


class _Cell(NamedTuple):
    """One number of the file and what it belongs to."""

    topic: str
    document: str
    value: object
    position: int
    """Place within the topic, from 1."""
    line: int | None


def looks_like_json(data: bytes) -> bool:
    """
    Tell whether the first character begins a JSON object or array.

    >>> looks_like_json(b' {"q1": {}}'), looks_like_json(b"301 0 d1 1")
    (True, False)
    """
    return data[:1024].lstrip()[:1] in {b"{", b"["}


def read_qrels_json(data: bytes, file: QrelsFile, faults: Faults) -> None:
    """Read judgements into *file*; what is wrong becomes faults."""
    file.source.dialect = "JSON qrels"
    for line, value in _objects(data.decode(), faults):
        if all(key in value for key in _ROW_KEYS):
            file.source.dialect = "BEIR JSON lines"
            cells = _row(value, line, file.source, faults)
        else:
            cells = _cells(value, [topic for topic in value if topic in file.topics], faults)
            for topic in value:
                file.topics.setdefault(topic, Judgements())
        for cell in cells:
            judged = file.topics.setdefault(cell.topic, Judgements())
            judged.add(cell.document, "", _grade(cell, file.source, faults))
            file.source.used += 1


def read_run_json(data: bytes, file: RunFile, faults: Faults) -> None:
    """Read retrieved documents into *file*; what is wrong becomes faults."""
    file.source.dialect = "JSON run"
    for _, value in _objects(data.decode(), faults):
        cells = _cells(value, [topic for topic in value if topic in file.topics], faults)
        for topic in value:
            file.topics.setdefault(topic, Listing())
        for cell in cells:
            score = _score(cell, faults)
            file.topics[cell.topic].add(cell.document, score, cell.position, 0)
            file.source.used += 1


def _objects(text: str, faults: Faults) -> Iterator[tuple[int, dict[str, object]]]:
    """Yield (line, object) of each value of the file; what follows broken JSON is not read."""
    decoder = json.JSONDecoder(object_pairs_hook=_object)
    at = _skip_space(text, 0)
    line, counted = 1, 0
    while at < len(text):
        line += text.count("\n", counted, at)
        counted = at
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            faults.add(_not_json(error), line=getattr(error, "lineno", line))
            return
        at = _skip_space(text, at)
        if isinstance(value, dict):
            yield line, value
        else:
            faults.add(
                Fault(
                    message="this is no object",
                    found=describe(value),
                    expected="topic to document to number",
                ),
                line=line,
            )


def _skip_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    twice = _Twice(found)
    twice.key = first_repeat(key for key, _ in pairs) or ""
    return twice


def _not_json(error: Exception) -> Fault:
    what = error.msg if isinstance(error, json.JSONDecodeError) else "it is nested too deep"
    if isinstance(error, ValueError) and not isinstance(error, json.JSONDecodeError):
        what = "a number is too long"
    return Fault(message=f"this is not JSON: {what[:1].lower()}{what[1:]}")


def _cells(value: Mapping[str, object], again: Sequence[str], faults: Faults) -> Iterator[_Cell]:
    """Yield the numbers of an object of objects; *again* are topics that came earlier."""
    for topic in (*again, *([value.key] if isinstance(value, _Twice) else ())):
        faults.add(Fault(message="the topic stands more than once", question=topic))
    for topic, row in value.items():
        id_of(topic, faults, line=None)
        if not isinstance(row, dict):
            faults.add(
                Fault(
                    message="the topic holds no object",
                    question=topic,
                    found=describe(row),
                    expected="document to number",
                )
            )
            continue
        if isinstance(row, _Twice):
            faults.add(
                Fault(
                    message="the document stands more than once in one list",
                    question=topic,
                    found=row.key,
                )
            )
        for position, (document, number) in enumerate(row.items(), 1):
            yield _Cell(topic, id_of(document, faults, line=None), number, position, None)


def _row(value: Mapping[str, object], line: int, source: Source, faults: Faults) -> Iterator[_Cell]:
    """Yield the one judgement of a row with BEIR's columns; other keys are passed over."""
    ids: list[str] = []
    if isinstance(value, _Twice):
        faults.add(Fault(message="the key stands more than once", key=value.key), line=line)
    for key in _ROW_KEYS[:2]:
        found = value[key]
        if type(found) is int:
            source.change(f"{key}: number kept as text")
            found = str(found)
        if not isinstance(found, str):
            faults.add(
                Fault(
                    message="this is no id",
                    key=key,
                    found=describe(found),
                    expected="a text or a whole number",
                ),
                line=line,
            )
            return
        ids.append(id_of(found, faults, line=line))
    yield _Cell(ids[0], ids[1], value["score"], 1, line)


def _grade(cell: _Cell, source: Source, faults: Faults) -> int:
    value = cell.value
    if type(value) is float and value.is_integer():
        source.change("grades with a decimal point, kept as whole numbers")
        value = int(value)
    if type(value) is int and abs(value) <= MAX_GRADE:
        return value
    faults.add(grade_fault(describe(value), question=cell.topic), line=cell.line)
    return 0


def _score(cell: _Cell, faults: Faults) -> float:
    number = math.nan
    if type(cell.value) in {int, float}:
        try:
            number = float(cell.value)  # type: ignore[arg-type]  # its type was just looked at
        except OverflowError:
            number = math.nan
    if math.isfinite(number):
        return number
    faults.add(score_fault(describe(cell.value), question=cell.topic), line=cell.line)
    return 0.0
