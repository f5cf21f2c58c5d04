from __future__ import annotations

import hashlib
import json
import tomllib
from typing import TYPE_CHECKING

import pytest

from ragtui.errors import InputError, OutputError
from ragtui.files.locks import (
    differing_questions,
    find_lock_by_digest,
    freeze,
    lock_bytes,
    read_lock,
)
from ragtui.files.sets import load_set
from tests.written_sets import QUESTIONS, write_lines, write_set

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def independent_lock(folder: Path) -> bytes:
    """Compute the lock from the format's description alone."""

    def plain(value: object) -> str:
        return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))

    def digest(data: bytes) -> str:
        return hashlib.sha256(data).hexdigest()

    header = tomllib.loads((folder / "set.toml").read_text())
    corpus = header["corpus"]
    path = folder / header["questions"].pop("path")
    written = path.read_bytes()
    if path.suffix == ".toml":
        questions = tomllib.loads(written.decode())["question"]
    else:
        questions = [json.loads(line) for line in written.decode().split("\n") if line.strip()]
    corpus_digest = "open"
    if not corpus.get("open"):
        corpus_digest = digest((folder / corpus.pop("path")).read_bytes())
    lines = [
        "ragtui/lock@1",
        f"set {digest(plain(header).encode())}",
        f"corpus {corpus_digest}",
        f"questions {digest(written)}",
    ]
    lines += [
        f"{digest(plain(question).encode())} {plain(question['id'])}"
        for question in sorted(questions, key=lambda one: one["id"])
    ]
    return "".join(line + "\n" for line in lines).encode()


@pytest.mark.parametrize("toml", [True, False])
@pytest.mark.parametrize("is_open", [True, False])
def test_the_lock_is_what_its_format_says(tmp_path: Path, *, toml: bool, is_open: bool) -> None:
    more = [*QUESTIONS, {"id": 'é\\"x', "text": "ü\u2028\x7f\t", "relevant": []}, {"id": "Z"}]
    documents = {"documents": None} if is_open else {}
    path = write_set(tmp_path, more, toml=toml, ids="open", **documents)  # type: ignore[arg-type]
    questions = load_set(path)
    expected = independent_lock(tmp_path)
    result = freeze(path)
    assert lock_bytes(questions) == expected
    assert result.path.read_bytes() == expected
    assert result.path == tmp_path / "locks" / "1.0.0.lock"
    assert result.sha256 == questions.digest == hashlib.sha256(expected).hexdigest()
    frozen = load_set(path)
    assert frozen.frozen
    assert frozen.info.sha256 == result.sha256


def test_freezing_writes_nothing_else(tmp_path: Path) -> None:
    path = write_set(tmp_path)
    before = {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()}
    freeze(path)
    after = {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()}
    assert after.pop(tmp_path / "locks" / "1.0.0.lock")
    assert after == before


def test_freezing_twice_says_that_it_is_frozen_already(tmp_path: Path) -> None:
    path = write_set(tmp_path)
    first, second = freeze(path), freeze(path)
    assert (first.already, second.already) == (False, True)
    assert first.sha256 == second.sha256


def test_comments_and_line_ends_do_not_unfreeze_a_set(tmp_path: Path) -> None:
    path = write_set(tmp_path, toml=True)
    digest = freeze(path).sha256
    for name in ("questions.toml", "set.toml"):
        file = tmp_path / name
        file.write_bytes(b"# new\r\n" + file.read_bytes().replace(b"\n", b"\r\n"))
    questions = load_set(path)
    assert (questions.frozen, questions.digest) == (True, digest)
    assert freeze(path).already


def test_a_changed_question_is_named_and_the_way_out_is_told(tmp_path: Path) -> None:
    path = write_set(tmp_path)
    freeze(path)
    changed = [QUESTIONS[0], QUESTIONS[1] | {"critical": True}, QUESTIONS[3], {"id": "new"}]
    write_lines(tmp_path / "questions.jsonl", changed)
    for attempt in (load_set, freeze):
        with pytest.raises(InputError) as caught:
            attempt(path)
        assert caught.value.exit_code == 3
        told = str(caught.value)
        assert "new, owner, rollback" in told
        assert "raise the version" in told
    assert read_lock(tmp_path / "locks" / "1.0.0.lock").count == 4


@pytest.mark.parametrize(("name", "word"), [("set.toml", "set.toml"), ("corpus.jsonl", "corpus")])
def test_a_changed_header_or_corpus_is_named(tmp_path: Path, name: str, word: str) -> None:
    path = write_set(tmp_path, rubric="one")
    freeze(path)
    file = tmp_path / name
    file.write_text(file.read_text().replace('"one"', '"two"').replace("What ", "Then "))
    with pytest.raises(InputError, match=f"the {word} is not the one that was frozen"):
        load_set(path)


def test_moving_the_files_of_a_set_keeps_it_frozen(tmp_path: Path) -> None:
    path = write_set(tmp_path)
    freeze(path)
    (tmp_path / "corpus.jsonl").rename(tmp_path / "documents.jsonl")
    path.write_text(path.read_text().replace("corpus.jsonl", "documents.jsonl"))
    assert load_set(path).frozen


def test_older_locks_stay_and_tell_what_changed(tmp_path: Path) -> None:
    old = freeze(write_set(tmp_path))
    changed = [QUESTIONS[0] | {"critical": True}, *QUESTIONS[1:3]]
    new = freeze(write_set(tmp_path, changed, version="1.1.0"))
    one = find_lock_by_digest(tmp_path, old.sha256)
    other = find_lock_by_digest(tmp_path, new.sha256)
    assert one is not None
    assert other is not None
    assert differing_questions(one.questions, other.questions) == ("launch", "region")
    assert find_lock_by_digest(tmp_path, "0" * 64) is None


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "emptied": lambda data: data[:0],
    "cut": lambda data: data[:-1],
    "other version": lambda data: data.replace(b"lock@1", b"lock@2"),
    "tab": lambda data: data.replace(b"corpus ", b"corpus\t"),
    "line lost": lambda data: b"\n".join(data.split(b"\n")[:-2]) + b"\n",
    "line added": lambda data: data + b"not a line\n",
    "line repeated": lambda data: data + data.split(b"\n")[4] + b"\n",
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_lock_is_an_error(tmp_path: Path, damage: str) -> None:
    path = write_set(tmp_path)
    lock = freeze(path).path
    lock.write_bytes(DAMAGES[damage](lock.read_bytes()))
    with pytest.raises(InputError):
        load_set(path)


def test_many_changed_questions_end_in_a_count(tmp_path: Path) -> None:
    questions = [{"id": f"q-{number:03}"} for number in range(50)]
    path = write_set(tmp_path, questions, documents=None)
    freeze(path)
    write_set(tmp_path, [one | {"critical": True} for one in questions], documents=None)
    with pytest.raises(InputError, match="q-019 and 30 more"):
        load_set(path)


def test_a_lock_that_cannot_be_read_is_nobodys_pin(tmp_path: Path) -> None:
    result = freeze(write_set(tmp_path))
    (tmp_path / "locks" / "0.lock").write_text("what?")
    assert find_lock_by_digest(tmp_path, result.sha256) is not None


def test_a_lock_that_cannot_be_written_is_an_output_error(tmp_path: Path) -> None:
    path = write_set(tmp_path)
    (tmp_path / "locks").write_text("a file in the way")
    with pytest.raises(OutputError) as caught:
        freeze(path)
    assert caught.value.exit_code == 5
    (tmp_path / "locks").unlink()
    assert not load_set(path).frozen
