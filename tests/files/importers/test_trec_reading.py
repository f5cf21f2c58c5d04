"""Judgements and runs in every form in which they are found."""

from __future__ import annotations

import gzip
import json
import os
from typing import TYPE_CHECKING

import pytest

from ragtui.errors import InputError
from ragtui.files.importers import opening
from ragtui.files.importers.trec_reading import read_qrels, read_run
from ragtui.files.sources import shown_path

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ragtui.files.importers.trec_files import QrelsFile, RunFile

GRADES = [("q1", "d1", 1), ("q1", "d2", 0), ("q2", "d-3#x", 2)]
SCORES = [("q1", "d2", 1, 9.5), ("q1", "d1", 2, -0.25), ("q2", "d-3#x", 1, 100.0)]

QRELS = {
    "TREC qrels": (
        b"q1 0 d1 1\nq1 0 d2 0\nq2 0 d-3#x 2\n",
        b"q1\t0\td1\t1\r\nq1\t0\td2\t0\r\nq2\t0\td-3#x\t2\r\n",
        b"  q1   Q0 d1  1 \nq1\tQ0 d2\t0\nq2 Q0 d-3#x +2",
        b"\xef\xbb\xbf# judged by hand\nq1 0 d1 1\n\nq1 0 d2 0\n#\nq2 0 d-3#x 2.0\n",
    ),
    "BEIR tsv": (
        b"query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td2\t0\nq2\td-3#x\t2\n",
        b"\xef\xbb\xbfquery-id\tcorpus-id\tscore\r\nq1\td1\t1\r\nq1\td2\t0\r\nq2\td-3#x\t2",
    ),
    "BEIR tsv without a header": (b"q1\td1\t1\nq1\td2\t0\nq2\td-3#x\t2\n",),
    "JSON qrels": (
        b'{"q1": {"d1": 1, "d2": 0}, "q2": {"d-3#x": 2}}',
        b'\xef\xbb\xbf\r\n{"q1": {"d1": 1, "d2": 0}}\r\n{"q2": {"d-3#x": 2.0}}\r\n',
    ),
    "BEIR JSON lines": (
        (
            b'{"query-id": "q1", "corpus-id": "d1", "score": 1}\n'
            b'{"query-id": "q1", "corpus-id": "d2", "score": 0, "more": {}}\n'
            b'{"query-id": "q2", "corpus-id": "d-3#x", "score": 2}'
        ),
    ),
}
RUNS = {
    "TREC run": (
        b"q1 Q0 d2 1 9.5 tag\nq1 Q0 d1 2 -0.25 tag\nq2 Q0 d-3#x 1 1e2 tag\n",
        b"q1\tQ0\td2\t1\t 9.5\ttag\r\nq1\tQ0\td1\t2\t-.25\ttag\r\nq2\t0\td-3#x\t1\t100\ttag",
        (
            b"# a comment\nq1 Q0 d2 1 9.50 tag and junk\nq1 Q0 d1 2 -25e-2 tag # no comment\n"
            b"q2 Q0 d-3#x 1 +100.0 tag"
        ),
    ),
    "JSON run": (
        b'{"q1": {"d2": 9.5, "d1": -0.25}, "q2": {"d-3#x": 100}}',
        b'\xef\xbb\xbf{"q1": {"d2": 9.5, "d1": -0.25}}\n{"q2": {"d-3#x": 1e2}}\n',
    ),
}


def put(folder: Path, content: bytes, name: str = "file") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def judged(file: QrelsFile) -> list[tuple[str, str, int]]:
    return [
        (topic, document, grade)
        for topic, found in file.topics.items()
        for document, grade in zip(found.documents, found.grades, strict=True)
    ]


def listed(file: RunFile) -> list[tuple[str, str, int, float]]:
    return [
        (topic, *row)
        for topic, found in file.topics.items()
        for row in zip(found.documents, found.ranks, found.scores, strict=True)
    ]


def refusal(read: Callable[[Path], object], path: Path) -> list[str]:
    """Return what reading *path* is refused with, without the name of the file."""
    with pytest.raises(InputError) as caught:
        read(path)
    assert {fault.file for fault in caught.value.faults} == {shown_path(path)}
    return [str(f).removeprefix(shown_path(path)).lstrip(": ") for f in caught.value.faults]


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(
    ("dialect", "content"), [(name, text) for name, texts in QRELS.items() for text in texts]
)
def test_judgements_are_the_same_in_every_form(
    tmp_path: Path, dialect: str, content: bytes, *, packed: bool
) -> None:
    path = put(tmp_path, gzip.compress(content) if packed else content, "misleading.json.txt")
    file = read_qrels(path)
    assert judged(file) == GRADES
    assert (file.source.dialect, file.source.packed, file.source.used) == (dialect, packed, 3)


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(
    ("dialect", "content"), [(name, text) for name, texts in RUNS.items() for text in texts]
)
def test_runs_are_the_same_in_every_form(
    tmp_path: Path, dialect: str, content: bytes, *, packed: bool
) -> None:
    file = read_run(put(tmp_path, gzip.compress(content) if packed else content, "x.gz"))
    assert listed(file) == SCORES
    assert (file.source.dialect, file.source.packed, file.source.used) == (dialect, packed, 3)


def test_all_members_of_a_gzip_file_count(tmp_path: Path) -> None:
    first, second = RUNS["TREC run"][0].split(b"q2", 1)
    packed = gzip.compress(first) + gzip.compress(b"q2" + second) + bytes(512)
    assert listed(read_run(put(tmp_path, packed))) == SCORES


def test_what_was_passed_over_is_counted_with_its_reason(tmp_path: Path) -> None:
    file = read_qrels(put(tmp_path, QRELS["TREC qrels"][3]))
    assert file.source.skipped == {"comment": 2, "blank": 1}
    assert file.source.changed == {"grades with a decimal point, kept as whole numbers": 1}
    file = read_qrels(put(tmp_path, QRELS["BEIR tsv"][0]))
    assert file.source.skipped == {"header": 1}
    run = read_run(put(tmp_path, RUNS["TREC run"][2]))
    assert (run.wide_lines, list(run.tags)) == (2, ["tag"])


def test_a_number_sign_begins_a_comment_only_in_the_first_column(tmp_path: Path) -> None:
    assert refusal(read_run, put(tmp_path, b"q Q0 d 1 1 t\n # not a comment\n"))[0].startswith(
        "2: the line is no run line (found 4 columns"
    )
    file = read_qrels(put(tmp_path, b"#q 0 d 1\nq# 0 #d 1\n"))
    assert judged(file) == [("q#", "#d", 1)]


def test_columns_end_at_ascii_white_space_only(tmp_path: Path) -> None:
    text = "q\u3000a 0 d\u2028b 1\n".replace("\u2028", "\u00e9").encode()
    assert judged(read_qrels(put(tmp_path, text))) == [("q\u3000a", "d\u00e9b", 1)]


def test_ids_with_spaces_survive_tabs(tmp_path: Path) -> None:
    text = b"query-id\tcorpus-id\tscore\nq 1\tBenefits Details.pdf#page=103\t1\n"
    assert judged(read_qrels(put(tmp_path, text))) == [("q 1", "Benefits Details.pdf#page=103", 1)]


def test_whole_numbers_as_ids_become_their_decimal_text(tmp_path: Path) -> None:
    huge = 2**63 + 1
    rows = [
        {"query-id": huge, "corpus-id": 7, "score": 1},
        {"query-id": str(huge), "corpus-id": "007", "score": 0},
    ]
    file = read_qrels(put(tmp_path, "\n".join(map(json.dumps, rows)).encode()))
    assert judged(file) == [(str(huge), "7", 1), (str(huge), "007", 0)]
    assert file.source.changed == {
        "query-id: number kept as text": 1,
        "corpus-id: number kept as text": 1,
    }


def test_an_empty_list_in_json_is_kept_apart_from_no_list(tmp_path: Path) -> None:
    run = read_run(put(tmp_path, b'{"q1": {}, "q2": {"d": 1}}'))
    assert {topic: found.documents for topic, found in run.topics.items()} == {
        "q1": [],
        "q2": ["d"],
    }
    assert read_qrels(put(tmp_path, b'{"q1": {}}')).topics["q1"].documents == []


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"q 0 d 1\nq 0 d\n", "2: the line is no judgement (found 3 columns"),
        (b"q 0 d 1 9\n", "1: the line is no judgement (found 5 columns"),
        (b"q\td\t1\nq\t0\td\t1\n", "2: the line is no judgement (found 4 columns"),
        (b"q 0 d 1.5\n", "1: this is no grade (found 1.5"),
        (b"q 0 d 1_0\n", "1: this is no grade (found 1_0"),
        (b"q 0 d x\n", "1: this is no grade (found x"),
        (b"q 0 d 1000001\n", "1: this is no grade (found 1000001"),
        ("q 0 d \u0661\n".encode(), "1: this is no grade (found \u0661"),
        (b"q 0 d 1\rq 0 e 1\r", "1: a carriage return stands inside the line"),
        (b"q 0 d\x07 1\n", "1: the id holds a control character, U+0007"),
        (b"q\td\t1\nq\td \t1\n", "2: the id begins or ends with white space"),
        (b"q\t\t1\n", "1: the id is empty"),
        (b"q 0 d 1\nq 0 \xe9 1\n", "2: the text is not UTF-8 (found byte 0xe9"),
        (b"", "the file holds no judgement"),
        (b"# nothing\n\n", "the file holds no judgement"),
        (b"{}", "the file holds no judgement"),
        (b'{"q": {"d": true}}', 'question "q": this is no grade (found true'),
        (b'{"q": {"d": "1"}}', 'question "q": this is no grade (found "1"'),
        (b'{"q": {"d": 0.5}}', 'question "q": this is no grade (found 0.5'),
        (b'{"q": {"d": NaN}}', 'question "q": this is no grade (found nan'),
        (b'{"q": {"d": 1, "d": 0}}', 'question "q": the document stands more than once'),
        (b'{"q": {"d": 1}, "q": {}}', 'question "q": the topic stands more than once'),
        (b'{"q": {"d": 1}}\n{"q": {"e": 1}}', 'question "q": the topic stands more than once'),
        (b'{"q": ["d"]}', 'question "q": the topic holds no object (found a list'),
        (b'[["q", "d", 1]]', "1: this is no object (found a list"),
        (b'{"q": {"d": 1}}\n{"q', "2: this is not JSON: unterminated string"),
        (b'{"q": ' + b"[" * 100_000, "1: this is not JSON: it is nested too deep"),
        (b'{"q": {"d": ' + b"9" * 5000 + b"}}", "1: this is not JSON: a number is too long"),
        (b'{"q": {"\\ud800": 1}}', "the id holds a surrogate"),
        (
            b'{"query-id": 1.0, "corpus-id": "d", "score": 1}',
            "1: query-id: this is no id (found 1.0",
        ),
        (
            b'{"query-id": 1, "query-id": 2, "corpus-id": "d", "score": 1}',
            "1: query-id: the key stands more than once",
        ),
        (b"version https://git-lfs.github.com/spec/v1\noid", "the file is a Git LFS pointer"),
        ("q 0 d 1\n".encode("utf-16"), "the file is not UTF-8 but looks like UTF-16"),
        (
            gzip.compress("q 0 d 1\n".encode("utf-16"), mtime=0),
            "the file is not UTF-8 but looks like",
        ),
        (
            gzip.compress(b"q 0 d 1\nq 0 \xff 1", mtime=0),
            "2: the text is not UTF-8 (found byte 0xff",
        ),
        (gzip.compress(b"q 0 d 1\n", mtime=0)[:-9], "the gzip data end too early"),
        (gzip.compress(b"q 0 d 1\n", mtime=0) + b"junk", "the gzip data are damaged"),
        (
            gzip.compress(gzip.compress(b"q 0 d 1\n", mtime=0), mtime=0),
            "the file is compressed with gzip",
        ),
    ],
)
def test_judgements_that_are_none_are_refused_with_their_line(
    tmp_path: Path, content: bytes, told: str
) -> None:
    assert refusal(read_qrels, put(tmp_path, content))[0].startswith(told)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"q Q0 d 1 1\n", "1: the line is no run line (found 5 columns"),
        *(
            (b"q Q0 d 1 %s t\n" % score, f"1: this is no score (found {score.decode()}")
            for score in (b"nan", b"inf", b"-Infinity", b"1e999", b"1_0", b"0x1", b"high")
        ),
        (b'{"q": {"d": NaN}}', 'question "q": this is no score (found nan'),
        (b'{"q": {"d": -Infinity}}', 'question "q": this is no score (found -inf'),
        (b'{"q": {"d": 1e999}}', 'question "q": this is no score (found inf'),
        (b'{"q": {"d": "0.5"}}', 'question "q": this is no score (found "0.5"'),
        (b'{"q": {"d": false}}', 'question "q": this is no score (found false'),
        (b'{"q": {"d": null}}', 'question "q": this is no score (found null'),
        (b"# only a comment", "the file holds no retrieved document"),
        (b"q Q0 d 1 1 t\nq Q0 d 2 \xff t\n", "2: the text is not UTF-8 (found byte 0xff"),
    ],
)
def test_run_lines_that_are_none_are_refused_with_their_line(
    tmp_path: Path, content: bytes, told: str
) -> None:
    assert refusal(read_run, put(tmp_path, content))[0].startswith(told)


def test_all_faults_of_a_file_are_told_the_first_twenty_by_line(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read_run(put(tmp_path, b"q Q0 d\n" * 30))
    lines = caught.value.lines
    assert len(lines) == 21
    assert "file:20: the line is no run line" in lines[19]
    assert lines[20] == "and 10 more"


def test_a_small_file_may_not_unfold_without_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "MAX_IMPORT_BYTES", 1024 * 1024)
    path = put(tmp_path, gzip.compress(b"\n" * 5_000_000))
    assert refusal(read_run, path) == [
        "the compressed file unfolds to too much (expected at most 1 MiB)"
    ]


def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert refusal(read_run, tmp_path / "pipe")[0].startswith("this is not a regular file")
    assert refusal(read_run, tmp_path / "nowhere") == ["there is no such file"]
