from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from ragtui.core.model import Document
from ragtui.errors import InputError
from ragtui.files.canonical import sha256_hex
from ragtui.files.corpus import OPEN_CORPUS, load_corpus
from tests.written_sets import write_lines

if TYPE_CHECKING:
    from pathlib import Path

A = {"id": "a", "text": "Text: of a."}
B = {"id": "b", "text": "é \u2028 x", "title": "B", "version": "2", "source": "https://x/b"}


def refused(path: Path) -> InputError:
    """Return the error that loading *path* ends in."""
    with pytest.raises(InputError) as caught:
        load_corpus(path, "lab")
    assert caught.value.exit_code == 3
    return caught.value


def test_documents_are_read_again_by_id(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "c.jsonl", [A, B])
    corpus = load_corpus(path, "lab")
    assert (len(corpus), "a" in corpus, "c" in corpus) == (2, True, False)
    assert list(corpus.ids) == ["a", "b"]
    assert corpus.document("a") == Document(id="a", text="Text: of a.")
    found = corpus.document("b")
    assert found is not None
    assert (found.title, found.version, found.source) == ("B", "2", "https://x/b")
    assert corpus.document("c") is None
    assert corpus.versions == {"b": "2"}
    assert corpus.access is None
    assert corpus.sha256 == sha256_hex(path.read_bytes())


@pytest.mark.parametrize(
    "layout",
    ["\ufeff{a}\n{b}\n", "{a}\r\n\r\n{b}\r\n", "\n\n{a}\n   \n{b}"],
    ids=["bom", "crlf", "end"],
)
def test_marks_line_ends_and_blank_lines_do_not_matter(tmp_path: Path, layout: str) -> None:
    path = tmp_path / "c.jsonl"
    text = layout.replace("{a}", json.dumps(A)).replace("{b}", json.dumps(B))
    path.write_bytes(text.encode())
    corpus = load_corpus(path, "lab")
    assert corpus.document("a") == Document(id="a", text="Text: of a.")
    assert corpus.document("b") is not None


def test_one_document_with_groups_closes_all_that_say_nothing(tmp_path: Path) -> None:
    rows = [
        A,
        {"id": "b", "text": "b", "groups": ["public"]},
        {"id": "c", "text": "c", "groups": []},
    ]
    access = load_corpus(write_lines(tmp_path / "c.jsonl", rows), "lab").access
    assert access is not None
    assert [access.restricted(name, ("public",)) for name in ("a", "b", "c", "zz")] == [
        True,
        False,
        True,
        False,
    ]


@pytest.mark.parametrize(
    ("row", "key"),
    [
        ({"id": "b", "text": ""}, "text"),
        ({"id": "b", "text": " \n\t"}, "text"),
        ({"id": "B", "text": "t"}, "id"),
        ({"id": "a", "text": "t"}, "id"),
        ({"text": "t"}, "id"),
        ({"id": "b"}, "text"),
        ({"id": 1, "text": "t"}, "id"),
        ({"id": "b", "text": "t", "groups": "public"}, "groups"),
        ({"id": "b", "text": "t", "groups": ["x", "x"]}, "groups"),
        ({"id": "b", "text": "t", "groups": ["\n"]}, "groups"),
        ({"id": "b", "text": "t", "titel": "T"}, "titel"),
    ],
)
def test_each_fault_names_line_and_key(tmp_path: Path, row: dict[str, object], key: str) -> None:
    fault = refused(write_lines(tmp_path / "c.jsonl", [A, row])).faults[0]
    assert (fault.line, fault.key) == (2, key)


def test_all_faults_of_the_file_are_told_at_once(tmp_path: Path) -> None:
    rows = [{"id": "X", "text": ""}, {"id": 1, "txt": "t"}, A, A]
    assert len(refused(write_lines(tmp_path / "c.jsonl", rows)).faults) == 6


def test_thousands_of_faults_end_in_a_count(tmp_path: Path) -> None:
    error = refused(write_lines(tmp_path / "c.jsonl", [{"id": n} for n in range(3000)]))
    assert error.lines[-1] == f"and {len(error.faults) - 20} more"
    assert len(error.faults) >= 3000


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n\n",
        b'[{"id": "a", "text": "t"}]\n',
        b'{"id": "a", "text": "t", "text": "u"}\n',
        b'{"id": "a", "text": "\\udc00"}\n',
        b'{"id": "a", "text": "\xc0\xaf"}\n',
        b'{"id": "a", "text": "t"}\n{"id": "b", "te',
        b'{"id": "a", "text": "t", "x": ' + b"[" * 200_000 + b"]" * 200_000 + b"}\n",
        b"\x1f\x8b\x08\x00",
        b"version https://git-lfs.github.com/spec/v1\n",
        '{"id": "a", "text": "t"}\n'.encode("utf-16"),
        b"<<<<<<< HEAD\n",
    ],
)
def test_what_is_no_jsonl_of_documents_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "c.jsonl"
    path.write_bytes(data)
    assert str(refused(path))


def test_a_file_that_changed_after_loading_is_not_read_on(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "c.jsonl", [A, B])
    corpus = load_corpus(path, "lab")
    write_lines(path, [B, A, A])
    with pytest.raises(InputError):
        corpus.document("a")


def test_an_open_corpus_holds_every_id_and_no_text() -> None:
    assert "anything" in OPEN_CORPUS
    assert OPEN_CORPUS.document("anything") is None
    assert (OPEN_CORPUS.is_open, OPEN_CORPUS.access, OPEN_CORPUS.sha256) == (True, None, "open")
