from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
import tomli_w

from ragtui.core.model import Split
from ragtui.errors import InputError
from ragtui.files import question_reader
from ragtui.files.json_lines import parse_object
from ragtui.files.locks import freeze
from ragtui.files.sets import load_set
from tests.written_sets import DOCUMENTS, QUESTIONS, write_lines, write_set

if TYPE_CHECKING:
    from pathlib import Path


def refused(path: Path) -> InputError:
    """Return the error that loading the set at *path* ends in."""
    with pytest.raises(InputError) as caught:
        load_set(path)
    assert caught.value.exit_code == 3
    return caught.value


@pytest.mark.parametrize("toml", [True, False])
def test_a_set_gives_its_questions_in_file_order(tmp_path: Path, *, toml: bool) -> None:
    questions = load_set(write_set(tmp_path, toml=toml))
    assert questions.ids == ["launch", "rollback", "owner", "region"]
    assert [question.id for question in questions] == questions.ids
    assert (questions.index("owner"), questions.index("nobody")) == (2, None)
    assert questions.question(1).relevant == ("rollback", "checklist")
    assert questions.question(3).answerable is False
    assert len(questions) == 4


def test_toml_and_jsonl_hold_the_same_questions(tmp_path: Path) -> None:
    one = load_set(write_set(tmp_path / "toml", toml=True))
    other = load_set(write_set(tmp_path / "jsonl"))
    assert list(one) == list(other)
    assert one.question_digests() == other.question_digests()


def test_the_header_reaches_the_info(tmp_path: Path) -> None:
    info = load_set(write_set(tmp_path, split="held-out", rubric="r-1")).info
    assert (info.id, info.version, info.split, info.rubric) == (
        "desk",
        "1.0.0",
        Split.HELD_OUT,
        "r-1",
    )
    assert (info.open_corpus, info.frozen, info.permissions) == (False, False, False)
    assert info.sha256 == load_set(tmp_path / "set.toml").digest


def test_a_set_without_a_lock_opens_and_says_so(tmp_path: Path) -> None:
    assert load_set(write_set(tmp_path)).warnings[0].startswith("not frozen")


def test_ids_that_differ_only_by_case_are_a_warning(tmp_path: Path) -> None:
    documents = [{"id": "Doc", "text": "t"}, {"id": "doc", "text": "t"}]
    questions = [{"id": "caf\u00e9"}, {"id": "cafe\u0301"}]
    path = write_set(tmp_path, questions, documents, ids="open")
    freeze(path)
    assert [warning.split()[0] for warning in load_set(path).warnings] == ["questions", "documents"]


def test_flags_tell_which_labels_there_are(tmp_path: Path) -> None:
    plain = load_set(write_set(tmp_path / "a"))
    more = [
        {"id": "q", "relevant": ["launch"], "grades": {"launch": 2}, "not_relevant": ["owners"]}
    ]
    rich = load_set(write_set(tmp_path / "b", more))
    assert (plain.has_grades, plain.has_not_relevant) == (False, False)
    assert (rich.has_grades, rich.has_not_relevant) == (True, True)


def test_an_open_corpus_needs_no_documents(tmp_path: Path) -> None:
    questions = load_set(write_set(tmp_path, documents=None))
    assert questions.info.open_corpus
    assert questions.corpus.document("launch") is None


@pytest.mark.parametrize("toml", [True, False])
def test_repeated_question_ids_are_an_error(tmp_path: Path, *, toml: bool) -> None:
    error = refused(write_set(tmp_path, [*QUESTIONS, QUESTIONS[0]], toml=toml))
    assert [fault.question for fault in error.faults] == ["launch"]
    assert error.faults[0].line == (None if toml else 5)


@pytest.mark.parametrize("toml", [True, False])
def test_faults_of_several_questions_are_told_together(tmp_path: Path, *, toml: bool) -> None:
    nope: dict[str, object] = {"id": "x", "relevant": ["nope"]}
    broken: list[dict[str, object]] = [QUESTIONS[0], nope, {"id": "y", "tags": "t"}]
    error = refused(write_set(tmp_path, broken, toml=toml))
    assert [fault.question for fault in error.faults] == ["x", "y"]
    assert [fault.line for fault in error.faults] == ([None] * 2 if toml else [2, 3])


@pytest.mark.parametrize("toml", [True, False])
def test_a_set_without_questions_is_refused(tmp_path: Path, *, toml: bool) -> None:
    assert "no questions" in str(refused(write_set(tmp_path, [], toml=toml)))


@pytest.mark.parametrize(
    ("change", "key"),
    [
        ({"schema": "ragtui/run@1"}, "schema"),
        ({"schema": None}, "schema"),
        ({"id": "a/b"}, "id"),
        ({"id": None}, "id"),
        ({"version": "1..0"}, "version"),
        ({"version": 1}, "version"),
        ({"version": None}, "version"),
        ({"split": "test"}, "split"),
        ({"contract": "strict-citation/2"}, "contract"),
        ({"ids": "strict"}, "ids"),
        ({"corpus": None}, "corpus"),
        ({"corpus": {}}, "corpus.path"),
        ({"corpus": {"open": True, "path": "corpus.jsonl"}}, "corpus.open"),
        ({"corpus": {"open": 1, "path": "corpus.jsonl"}}, "corpus.open"),
        ({"corpus": {"path": "/etc/passwd"}}, "corpus.path"),
        ({"corpus": {"path": "../corpus.jsonl"}}, "corpus.path"),
        ({"corpus": {"path": "a\x1bb"}}, "corpus.path"),
        ({"questions": None}, "questions"),
        ({"questions": {"path": "questions.json"}}, "questions.path"),
        ({"questions": {"path": 3}}, "questions.path"),
        ({"rubrik": "x"}, "rubrik"),
    ],
)
def test_each_fault_of_the_header_names_its_key(
    tmp_path: Path, change: dict[str, object], key: str
) -> None:
    path = write_set(tmp_path / "inner")
    data = {
        "schema": "ragtui/set@1",
        "id": "desk",
        "version": "1.0.0",
        "corpus": {"path": "corpus.jsonl"},
        "questions": {"path": "questions.jsonl"},
    } | change
    path.write_text(
        tomli_w.dumps({name: value for name, value in data.items() if value is not None})
    )
    assert refused(path).faults[0].key == key


def test_all_faults_of_the_header_are_told_at_once(tmp_path: Path) -> None:
    path = write_set(tmp_path, id="a/b", split="x", rubrik="y")
    assert len(refused(path).faults) == 3


@pytest.mark.parametrize("name", ["set.toml", "questions.jsonl", "corpus.jsonl"])
def test_missing_files_and_what_is_no_file_end_in_a_clear_error(tmp_path: Path, name: str) -> None:
    path = write_set(tmp_path)
    target = tmp_path / name
    target.unlink()
    assert refused(path).faults[0].message == "there is no such file"
    target.mkdir()
    assert refused(path).faults[0].found == "a folder"
    target.rmdir()
    os.mkfifo(target)
    assert refused(path).faults[0].found == "a pipe"
    target.unlink()
    target.symlink_to(target)
    assert refused(path).faults[0].file is not None


def test_a_link_out_of_the_root_is_not_followed(tmp_path: Path) -> None:
    path = write_set(tmp_path / "root")
    outside = write_lines(tmp_path / "corpus.jsonl", DOCUMENTS)
    (tmp_path / "root" / "corpus.jsonl").unlink()
    (tmp_path / "root" / "corpus.jsonl").symlink_to(outside)
    assert refused(path).faults[0].key == "corpus.path"
    assert len(load_set(path, root=tmp_path)) == 4


def test_toml_questions_above_the_limit_are_refused(tmp_path: Path) -> None:
    path = write_set(tmp_path, toml=True)
    with (tmp_path / "questions.toml").open("a") as file:
        file.write("# " + "x" * 5_000_000)
    assert "too large" in str(refused(path))


def test_questions_are_the_same_in_any_order_of_asking(tmp_path: Path) -> None:
    written = [{"id": f"q-{number}", "text": "é" * (number % 7) ** 6} for number in range(60)]
    questions = load_set(write_set(tmp_path, written, documents=None))
    order = [*range(60), *reversed(range(60)), 30, 30, 0, 59]
    assert [questions.question(place).text for place in order] == [
        written[place]["text"] for place in order
    ]


def test_progress_is_told_in_bytes(tmp_path: Path) -> None:
    questions = [{"id": f"q-{number}"} for number in range(10_000)]
    path = write_set(tmp_path, questions, documents=None)
    told: list[tuple[int, int]] = []
    load_set(path, progress=lambda done, total: told.append((done, total)))
    size = (tmp_path / "questions.jsonl").stat().st_size
    assert told == sorted(told)
    assert {total for _, total in told} == {size}


def test_only_the_faults_that_are_shown_are_explained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    explained = []

    def count(line: bytes, *, file: str, number: int | None = None) -> dict[str, object]:
        explained.append(number)
        return parse_object(line, file=file, number=number)

    monkeypatch.setattr(question_reader, "parse_object", count)
    lines = [{"id": f"q-{number}", "relevent": []} for number in range(3_000)]
    error = refused(write_set(tmp_path, lines, documents=None))
    assert len(error.faults) == 3_000
    assert error.lines[-1] == "and 2980 more"
    assert len(explained) == 20


def test_a_question_file_that_changes_later_is_not_read_on(tmp_path: Path) -> None:
    questions = load_set(write_set(tmp_path))
    write_lines(tmp_path / "questions.jsonl", reversed(QUESTIONS))
    os.utime(tmp_path / "questions.jsonl", ns=(1, 1))
    with pytest.raises(InputError):
        questions.question(0)


def test_a_question_file_that_changes_later_is_not_read_for_digests(tmp_path: Path) -> None:
    """Those of the pass that checked it are kept for one use; any other would have to read it."""
    path = write_set(tmp_path)
    known, questions = load_set(path).question_digests(), load_set(path)
    write_lines(tmp_path / "questions.jsonl", reversed(QUESTIONS))
    assert questions.question_digests() == known
    with pytest.raises(InputError, match="changed"):
        questions.question_digests()


def test_many_confusable_ids_end_in_a_count(tmp_path: Path) -> None:
    questions = [{"id": f"{letter}{number}"} for number in range(30) for letter in "qQ"]
    warnings = load_set(write_set(tmp_path, questions, documents=None, ids="open")).warnings
    assert len(warnings) == 1 + 20 + 1
    assert warnings[-1] == "10 more pairs of questions differ only so"
