"""
The texts of topics, which judgements and runs do not hold.

They come as a topic and its text with a tab between, or, as BEIR has them, as one JSON object a
line: `{"_id": "q1", "text": "…"}`, whose other keys are passed over. Texts are kept as written.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from ragtui.errors import Fault, InputError
from ragtui.files.importers.trec_files import id_of, open_source, refuse_nothing
from ragtui.files.importers.trec_json import looks_like_json
from ragtui.files.importers.trec_lines import content_lines
from ragtui.files.json_lines import parse_object
from ragtui.files.values import describe

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ragtui.files.importers.trec_files import Source
    from ragtui.files.shape import Faults

__all__ = ["QueriesFile", "read_queries"]

_ID_KEYS: Final = ("_id", "id")
_HEADERS: Final = frozenset({"_id", "id", "qid", "query-id", "query_id", "topic", "topic_id"})
"""What stands above the topics, where a file of two columns names them."""
_TEXT_HEADERS: Final = frozenset({"text", "query", "question", "title"})


@dataclass(kw_only=True)
class QueriesFile:
    """Texts by topic, topics in order of first appearance."""

    source: Source
    texts: dict[str, str] = field(default_factory=dict)


def read_queries(path: Path) -> QueriesFile:
    """Read texts of topics. Raises InputError with file and line of everything that is wrong."""
    source, data, faults = open_source(path)
    file = QueriesFile(source=source)
    as_json = looks_like_json(data)
    source.dialect = "JSON lines" if as_json else "tsv"
    entries = _objects if as_json else _columns
    for number, topic, text in entries(data, source, faults):
        _take(file, topic, text, faults, number)
    faults.raise_any()
    refuse_nothing(source, "text of a topic", empty=not file.texts)
    return file


def _take(file: QueriesFile, topic: str, text: str, faults: Faults, number: int) -> None:
    """Keep one text; said again it is passed over, another one for the same topic is a fault."""
    id_of(topic, faults, line=number)
    if not text.strip():
        file.source.skip("without a text")
    elif file.texts.setdefault(topic, text) != text:
        faults.add(
            Fault(
                message="the topic has another text before",
                question=topic,
                found=describe(text),
                hint="keep one of the two",
            ),
            line=number,
        )
    else:
        file.source.used += 1


def _columns(data: bytes, source: Source, faults: Faults) -> Iterator[tuple[int, str, str]]:
    first = True
    for number, line in content_lines(data, source, faults):
        topic, tab, text = line.decode().rstrip("\r\n").partition("\t")
        is_header = first and topic.lower() in _HEADERS and text.lower() in _TEXT_HEADERS
        first = False
        if is_header:
            source.skip("header")
        elif not tab:
            expected = "a topic and its text with a tab between, or JSON lines"
            faults.add(Fault(message="the line has no tab", expected=expected), line=number)
        else:
            yield number, topic, text


def _objects(data: bytes, source: Source, faults: Faults) -> Iterator[tuple[int, str, str]]:
    for number, line in content_lines(data, source, faults):
        try:
            row = parse_object(line, file=faults.file, number=number)
        except InputError as error:
            faults.add(*error.faults)
            continue
        topic = next((row[key] for key in _ID_KEYS if row.get(key) is not None), None)
        if type(topic) is int:
            source.change("topics written as numbers, kept as text")
            topic = str(topic)
        text = row.get("text")
        for key, value in (("_id", topic), ("text", text)):
            if not isinstance(value, str):
                _complain(key, value, faults, number)
        if isinstance(topic, str) and isinstance(text, str):
            yield number, topic, text


def _complain(key: str, value: object, faults: Faults, number: int) -> None:
    if value is None:
        faults.add(Fault(message="the key is missing", key=key, hint="add it"), line=number)
        return
    fault = Fault(
        message="the value has another type", key=key, found=describe(value), expected="text"
    )
    faults.add(fault, line=number)
