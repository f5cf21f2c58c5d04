from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ragtui.errors import InputError
from ragtui.files.locks import freeze
from ragtui.files.pins import pin
from ragtui.files.triage_file import render_triage
from ragtui.files.validation import validate
from tests.triage_data import SET, decision
from tests.written_sets import DOCUMENTS, QUESTIONS, RECORDS, write_lines, write_run, write_set

if TYPE_CHECKING:
    from pathlib import Path


def test_a_set_is_known_by_its_schema(tmp_path: Path) -> None:
    report = validate(write_set(tmp_path))
    assert (report.kind, report.summary) == ("set", "4 questions, 5 documents")
    assert report.warnings == ("not frozen: there is no lock of 1.0.0",)
    freeze(tmp_path / "set.toml")
    assert validate(tmp_path / "set.toml").warnings == ()


def test_a_run_is_checked_with_its_set_and_records(tmp_path: Path) -> None:
    freeze(write_set(tmp_path))
    path = write_run(tmp_path)
    report = validate(path)
    assert (report.kind, report.summary) == ("run", "2 records, 4 questions, 5 documents")
    assert [warning.split(":")[0] for warning in report.warnings] == ["not pinned"]
    pin(path)
    assert validate(path).warnings == ()


@pytest.mark.parametrize("toml", [True, False])
def test_parts_of_a_set_are_checked_under_its_rules(tmp_path: Path, *, toml: bool) -> None:
    write_set(tmp_path, toml=toml)
    questions = tmp_path / ("questions.toml" if toml else "questions.jsonl")
    assert validate(questions).kind == "questions"
    assert validate(questions).warnings == ()
    assert validate(tmp_path / "corpus.jsonl").summary == "5 documents"
    write_set(tmp_path, [QUESTIONS[0] | {"relevant": ["nope"]}], toml=toml)
    with pytest.raises(InputError):
        validate(questions)


def test_parts_without_a_set_are_told_apart_by_their_keys(tmp_path: Path) -> None:
    report = validate(write_lines(tmp_path / "c.jsonl", DOCUMENTS))
    assert report.kind == "corpus"
    assert report.warnings
    report = validate(write_lines(tmp_path / "q.jsonl", QUESTIONS))
    assert report.kind == "questions"
    assert report.warnings


def test_a_lock_is_checked_line_by_line(tmp_path: Path) -> None:
    path = freeze(write_set(tmp_path)).path
    assert validate(path).summary == "4 questions"
    path.write_bytes(path.read_bytes() + b"x\n")
    with pytest.raises(InputError):
        validate(path)


def test_records_alone_are_checked_and_the_rest_is_left_to_their_manifest(tmp_path: Path) -> None:
    report = validate(write_lines(tmp_path / "r.jsonl", RECORDS))
    assert (report.kind, report.summary) == ("records", "2 records of 2 questions")
    (told,) = report.warnings
    assert "cutoff" in told
    assert "validate the run manifest" in told


def _faults_of(path: Path) -> list[tuple[int | None, str | None, str | None]]:
    with pytest.raises(InputError) as caught:
        validate(path)
    return [(fault.line, fault.question, fault.key) for fault in caught.value.faults]


def test_every_fault_of_records_alone_is_told_with_its_line_and_question(tmp_path: Path) -> None:
    """Keys, types, ids, a list that no cutoff could give, a repeat twice, a line that is torn."""
    path = write_lines(
        tmp_path / "r.jsonl",
        [
            {"question": "a", "retreived": ["d"]},
            {"question": "b", "retrieved": "d"},
            {"question": "c", "retrieved": ["d", "d"]},
            {"question": "d", "retrieved": ["x", "y"], "delivered": ["y"]},
            {"question": "e", "repeat": 1},
            {"question": "e", "repeat": 1, "retrieved": [{"id": "d", "chunk": "d#1"}, "e"]},
            {"retrieved": ["d"]},
        ],
    )
    path.write_bytes(path.read_bytes() + b'{"question": \n')
    assert sorted(_faults_of(path), key=str) == sorted(
        [
            (1, "a", "retreived"),
            (2, "b", "retrieved"),
            (3, "c", "retrieved[1]"),
            (4, "d", "delivered"),
            (6, "e", "repeat"),
            (7, None, "question"),
            (8, None, None),
        ],
        key=str,
    )


def test_any_prefix_may_have_been_delivered_where_the_cutoff_is_not_known(tmp_path: Path) -> None:
    """And chunks of one document, where the unit is not."""
    items = [{"id": "d", "chunk": "d#1"}, {"id": "d", "chunk": "d#2"}, "e"]
    rows = [
        {"question": f"q{n}", "retrieved": items, "delivered": ["d", "d", "e"][:n]}
        for n in range(4)
    ]
    rows.append({"question": "q4", "retrieved": items, "delivered": ["d#1"]})
    assert validate(write_lines(tmp_path / "r.jsonl", rows)).summary.startswith("5 records")


@pytest.mark.parametrize(
    ("rows", "wrong"),
    [
        (DOCUMENTS, {"id": "x", "text": 5}),
        (QUESTIONS, {"id": "x", "relevant": "d", "support": {}}),
        (RECORDS, {"question": "x", "claims": {}}),
    ],
)
def test_a_broken_first_line_does_not_hide_the_faults_of_the_others(
    tmp_path: Path, rows: list[object], wrong: object
) -> None:
    path = write_lines(tmp_path / "x.jsonl", [*rows, wrong])
    path.write_bytes(b"{,}\n" + path.read_bytes())
    assert [line for line, *_ in _faults_of(path)] == [1, len(rows) + 2]


def test_a_file_without_one_whole_line_is_told_every_line(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"{,}\n[]\n")
    assert [line for line, *_ in _faults_of(path)] == [1, 2]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('schema = "ragtui/sett@1"', 'did you mean "ragtui/set@1"?'),
        ('schema = "ragtui/set@2"', "unknown schema"),
        ("schema = 5", "unknown schema"),
        ("x = 1", "does not say what it is"),
        ("", "does not say what it is"),
        ("x = ", "this is not TOML"),
    ],
)
def test_other_files_are_told_what_is_known(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "x.toml"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        validate(path)
    assert told in str(caught.value)


def test_an_empty_jsonl_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="empty"):
        validate(write_lines(tmp_path / "x.jsonl", []))


def test_a_run_pinned_to_another_set_is_refused(tmp_path: Path) -> None:
    freeze(write_set(tmp_path))
    path = write_run(tmp_path)
    pin(path)
    freeze(write_set(tmp_path, QUESTIONS[:1] + QUESTIONS[3:], version="1.1.0"))
    with pytest.raises(InputError) as caught:
        validate(path)
    assert [fault.key for fault in caught.value.faults] == ["set.version", "set.sha256"]


def test_two_records_of_one_question_need_distinct_repeats(tmp_path: Path) -> None:
    write_set(tmp_path)
    path = write_run(tmp_path, [*RECORDS, RECORDS[0]])
    with pytest.raises(InputError) as caught:
        validate(path)
    assert (caught.value.faults[0].question, caught.value.faults[0].line) == ("launch", 3)
    repeated = [{**RECORDS[0], "repeat": number} for number in (1, 2)]
    assert validate(write_run(tmp_path, repeated)).summary.startswith("2 records")


def test_broken_records_are_refused_with_line_and_question(tmp_path: Path) -> None:
    write_set(tmp_path)
    path = write_run(tmp_path, [RECORDS[0], {"question": "owner", "retrieved": ["nope"]}])
    with pytest.raises(InputError) as caught:
        validate(path)
    assert (caught.value.faults[0].question, caught.value.faults[0].line) == ("owner", 2)


def test_a_triage_file_is_known_by_its_schema(tmp_path: Path) -> None:
    path = tmp_path / "a..b.triage.toml"
    path.write_bytes(render_triage([decision("launch")], set_digest=SET))
    report = validate(path)
    assert (report.kind, report.summary) == ("triage", "1 decision")


def test_a_ledger_is_checked_for_its_chain(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"ledger\.jsonl"):
        validate(tmp_path / "ledger.jsonl")
    freeze(write_set(tmp_path, split="held-out"))
    report = validate(tmp_path / "ledger.jsonl")
    assert report.kind == "ledger"
    assert report.summary.startswith("1 line, head ")
    (tmp_path / "ledger.jsonl").write_bytes(b"{}\n")
    with pytest.raises(InputError, match=r"ledger\.jsonl:1: the line is no event of a ledger"):
        validate(tmp_path / "ledger.jsonl")
