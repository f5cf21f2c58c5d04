"""TREC files become a set and runs that open at once and say what the files say."""

from __future__ import annotations

import errno
import gzip
import json
import os
import tempfile
import tomllib
from functools import cmp_to_key
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtui.core.evidence import Side
from ragtui.core.model import Status
from ragtui.errors import InputError, OutputError, UsageError
from ragtui.files.importers.trec import import_trec
from ragtui.files.importers.trec_files import Judgements, Listing
from ragtui.files.importers.trec_labels import labels_of
from ragtui.files.importers.trec_ranking import ranked
from ragtui.files.loading import load_comparison, load_run
from ragtui.files.sets import load_set

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from random import Random

    from ragtui.files.importers.report import ImportReport
    from ragtui.files.importers.trec_ranking import Order

Grades = dict[str, dict[str, int]]
Scores = dict[str, dict[str, float]]

QRELS: Final = "q1 0 d1 2\nq1 0 d2 0\nq1 0 d3 1\nq2 0 d9 1\nq3 0 d4 0\n"
RUN_A: Final = "q1 Q0 d2 1 3 a\nq1 Q0 d3 2 2 a\nq3 Q0 d4 1 1 a\nq7 Q0 d1 1 1 a\n"
RUN_B: Final = "q1 Q0 d1 1 3 b\nq2 Q0 d9 1 3 b\nq5 Q0 d1 1 1 b\n"


def imported(
    folder: Path,
    *runs: str,
    qrels: str = QRELS,
    out: str = "out",
    order: Order = "score",
    min_grade: int = 1,
    queries: str | None = None,
) -> ImportReport:
    """Import the texts of judgements and runs, called `run-0.txt` and so on."""
    if queries is not None:
        (folder / "queries").write_text(queries, encoding="utf-8")
    (folder / "qrels.txt").write_text(qrels, encoding="utf-8")
    paths = [folder / f"run-{n}.txt" for n in range(len(runs))]
    for path, text in zip(paths, runs, strict=True):
        path.write_text(text, encoding="utf-8")
    return import_trec(
        qrels=folder / "qrels.txt",
        runs=paths,
        out=folder / out,
        order=order,
        min_grade=min_grade,
        queries=None if queries is None else folder / "queries",
    )


def stored(report: ImportReport) -> dict[str, object]:
    return tomllib.loads((report.out / "import-report.toml").read_text(encoding="utf-8"))


def retrieved(manifest: Path) -> dict[str, list[str]]:
    """Return question id to documents, of the questions that have a record."""
    run = load_run(manifest)
    found = {}
    for index, name in enumerate(run.ids):
        record = run.evidence.record(Side.BASELINE, index)
        if record is not None:
            found[name] = [item.id for item in record.retrieved or ()]
    return found


def test_labels_and_lists_say_what_the_files_say(tmp_path: Path) -> None:
    report = imported(tmp_path, RUN_A, RUN_B)
    questions = {question.id: question for question in load_set(report.out / "set.toml")}
    assert list(questions) == ["q1", "q2", "q3", "q5", "q7"]
    q1 = questions["q1"]
    assert (q1.relevant, q1.not_relevant, q1.grades) == (("d1", "d3"), ("d2",), {"d1": 2, "d3": 1})
    assert (questions["q3"].relevant, questions["q3"].answerable) == ((), False)
    for name in ("q5", "q7"):
        assert (questions[name].relevant, questions[name].not_relevant) == (None, None)
    assert {(q.text, q.support, q.accepted) for q in questions.values()} == {(None, None, None)}
    assert retrieved(report.manifests[0]) == {"q1": ["d2", "d3"], "q3": ["d4"], "q7": ["d1"]}
    assert retrieved(report.manifests[1]) == {"q1": ["d1"], "q2": ["d9"], "q5": ["d1"]}


def test_the_two_runs_open_as_one_comparison_without_claims(tmp_path: Path) -> None:
    report = imported(tmp_path, RUN_A, RUN_B)
    comparison = load_comparison(*report.manifests)
    assert comparison.set_info.frozen
    assert comparison.baseline.info.pinned
    assert comparison.candidate.info.pinned
    assert comparison.baseline.info.cutoff == 10
    support = [row for row in comparison.absences if row.measure.key == "support"]
    assert ("claims were not recorded", "both") in {(r.code.words, r.side) for r in support}


def test_the_report_is_stored_and_tells_what_joined(tmp_path: Path) -> None:
    report = imported(tmp_path, "# from today\n" + RUN_A, RUN_B)
    told = stored(report)
    assert told["schema"] == "ragtui/import-report@1"
    assert (told["questions"], told["labelled"]) == (5, 3)
    assert told["absent"] == ["question texts", "claims", "support", "document texts"]
    assert told["options"] == {"cutoff": 10, "min_grade": 1, "order": "score"}
    files, runs = told["file"], told["run"]
    assert isinstance(files, list)
    assert isinstance(runs, list)
    assert [file["role"] for file in files] == ["qrels", "run run-0", "run run-1"]
    assert files[1]["skipped"] == {"comment": 1}
    assert runs[0] == {
        "id": "run-0",
        "joined": 2,
        "only_labelled": ["q2"],
        "only_retrieved": ["q7"],
        "retrieved_in_cutoff": 3,
        "unjudged_in_cutoff": 0,
        "labelled": 4,
        "labelled_retrieved": 3,
        "relevant": 2,
        "relevant_retrieved": 1,
    }
    assert report.warnings == ()
    assert "run-0: 2 questions joined; missing 1 (q2); without labels 1 (q7)" in report.lines()


def test_either_order_of_the_runs_gives_the_same_set(tmp_path: Path) -> None:
    there = imported(tmp_path, RUN_A, RUN_B, out="one/set").out
    back = imported(tmp_path, RUN_B, RUN_A, out="two/set").out
    for name in ("set.toml", "questions.jsonl", "locks/1.0.0.lock"):
        assert (there / name).read_bytes() == (back / name).read_bytes()


def test_documents_within_the_cutoff_that_nobody_judged_are_counted(tmp_path: Path) -> None:
    lines = "".join(f"q1 Q0 x{n} {n} {20 - n} t\n" for n in range(15))
    join = imported(tmp_path, lines + "q1 Q0 d1 0 99 t\n").joins[0]
    assert (join.top, join.unjudged_top) == (10, 9)


def test_ids_that_hardly_meet_give_a_warning_with_examples_of_both(tmp_path: Path) -> None:
    (warning,) = imported(tmp_path, "q1 Q0 D1 1 1 t\n").warnings
    assert warning == (
        "run-0: 0 of 3 labelled documents were ever retrieved: do the ids differ?"
        " d1, d2, d3 against D1"
    )
    (warning,) = imported(tmp_path, "Q1 Q0 d1 1 1 t\n", out="topics").warnings
    assert warning == (
        "run-0: 0 of 3 labelled topics stand in the run: do the ids differ? q1, q2, q3 against Q1"
    )


def test_few_lines_against_deep_judgements_give_no_warning(tmp_path: Path) -> None:
    qrels = "".join(f"q 0 d{n} 0\n" for n in range(1000))
    assert imported(tmp_path, "q Q0 d5 1 1 t\n", qrels=qrels).warnings == ()


def test_a_document_listed_twice_is_refused_with_both_lines(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        imported(tmp_path, "# x\nq1 Q0 d1 1 2 t\nq2 Q0 d1 1 2 t\nq1 Q0 d1 2 1 t\n")
    (fault,) = caught.value.faults
    assert (fault.line, fault.question, fault.found) == (4, "q1", "d1")
    assert fault.hint == "it stands on line 2 too: keep one line for each document"
    assert not (tmp_path / "out").exists()


def test_lists_longer_than_a_record_are_refused_before_anything_is_written(tmp_path: Path) -> None:
    lines = "".join(f"q1 Q0 d{n} {n} 1 t\n" for n in range(10_001))
    with pytest.raises(InputError, match="the list is longer than one record can hold"):
        imported(tmp_path, lines)
    many = "".join(f"q1 0 d{n} 1\n" for n in range(10_001))
    with pytest.raises(InputError, match="more documents are judged than one question can hold"):
        imported(tmp_path, RUN_A, qrels=many)
    assert not (tmp_path / "out").exists()


class TestOrder:
    LINES: Final = "q1 Q0 low 1 1.0 t\nq1 Q0 a 3 2.0 t\nq1 Q0 b 3 2.0 t\nq1 Q0 top 2 9 t\n"

    def test_scores_count_and_ties_go_by_id_high_to_low(self, tmp_path: Path) -> None:
        report = imported(tmp_path, self.LINES)
        assert retrieved(report.manifests[0]) == {"q1": ["top", "b", "a", "low"]}
        assert report.notes[1:] == (
            (
                "run-0: on 1 topic the rank column gives another order than the scores;"
                " the scores count"
            ),
            "run-0: 1 tied score, ordered by document id, high to low",
        )

    def test_ranks_count_when_asked_for_and_then_the_lines(self, tmp_path: Path) -> None:
        report = imported(tmp_path, self.LINES, order="file")
        assert retrieved(report.manifests[0]) == {"q1": ["low", "top", "a", "b"]}
        assert "the rank column counts" in report.notes[1]
        info = load_run(report.manifests[0]).run.info
        assert info.annotation.details == {"options.order": "file", "options.min_grade": 1}

    def test_in_json_the_order_of_the_file_is_that_of_the_object(self, tmp_path: Path) -> None:
        text = '{"q1": {"low": 1, "a": 2, "b": 2, "top": 9}}'
        report = imported(tmp_path, text, order="file")
        assert retrieved(report.manifests[0]) == {"q1": ["low", "a", "b", "top"]}

    def test_ranks_that_are_no_numbers_matter_only_when_asked_for(self, tmp_path: Path) -> None:
        lines = "q1 Q0 d1 first 1 t\nq1 Q0 d2 second 2 t\n"
        report = imported(tmp_path, lines)
        assert retrieved(report.manifests[0]) == {"q1": ["d2", "d1"]}
        assert not any("rank column" in note for note in report.notes)
        with pytest.raises(InputError) as caught:
            imported(tmp_path, lines, order="file", out="second")
        assert [(f.line, f.found) for f in caught.value.faults] == [(1, "first"), (2, "second")]

    @given(
        st.dictionaries(
            st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1),
            st.sampled_from([-1.5, -0.0, 0.0, 1e-300, 1.0, 2.0]),
            max_size=12,
        ),
        st.randoms(use_true_random=False),
    )
    def test_the_order_does_not_hang_on_the_lines(
        self, scores: Mapping[str, float], random: Random
    ) -> None:
        """Compared with trec_eval's rule written as a comparison of two lines."""

        def before(one: str, other: str) -> int:
            if scores[one] != scores[other]:
                return -1 if scores[one] > scores[other] else 1
            return -1 if one.encode() > other.encode() else 1

        listing = Listing()
        for place, name in enumerate(sorted(scores, key=lambda _: random.random())):
            listing.add(name, scores[name], place, place)
        found = ranked(listing, "score")
        assert found.documents == sorted(scores, key=cmp_to_key(before))
        assert ranked(listing, "file").documents == listing.documents


class TestSeveralJudgements:
    QRELS: Final = "q1 1 a 1\nq1 2 a 0\nq1 1 b 0\nq1 2 b 2\nq1 1 c 1\nq2 1 a 1\nq2 1 a 1\n"

    def test_all_are_kept_as_reviews_and_the_highest_counts(self, tmp_path: Path) -> None:
        report = imported(tmp_path, RUN_A, qrels=self.QRELS)
        q1, q2 = list(load_set(report.out / "set.toml"))[:2]
        assert (q1.relevant, q1.grades) == (("a", "b", "c"), {"a": 1, "b": 2, "c": 1})
        assert q1.status is Status.DISPUTED
        assert {review.reviewer: set(review.relevant or ()) for review in q1.reviews} == {
            "1": {"a", "c"},
            "2": {"b", "c"},
        }
        assert (q2.relevant, q2.reviews, q2.status) == (("a",), (), Status.AGREED)
        assert report.duplicates == 1
        assert report.notes[0].startswith("1 topic judged several times")
        load_run(report.manifests[0])

    def test_judges_who_agree_leave_no_dispute(self, tmp_path: Path) -> None:
        report = imported(tmp_path, RUN_A, qrels="q1 1 a 1\nq1 2 a 2\nq1 1 b 0\n")
        (question, *_) = load_set(report.out / "set.toml")
        assert question.status is Status.AGREED
        assert len(question.reviews) == 2

    def test_a_judge_who_says_two_things_is_kept_twice(self) -> None:
        labels = labels_of(Judgements(["a", "a", "a", "b"], ["1", "1", "1", "1"], [0, 2, 0, 1]))
        assert labels.grades == {"a": 2, "b": 1}
        assert labels.reviews == {"1": {"a": 0, "b": 1}, "1 (reading 2)": {"a": 2}}
        assert labels.folded == 1

    def test_forms_without_a_judge_name_one(self, tmp_path: Path) -> None:
        report = imported(tmp_path, RUN_A, qrels="q1\td1\t0\nq1\td1\t1\n")
        (question, *_) = load_set(report.out / "set.toml")
        assert [review.reviewer for review in question.reviews] == ["judge", "judge (reading 2)"]
        assert question.status is Status.DISPUTED


def test_grades_below_the_wanted_one_are_judged_and_not_relevant(tmp_path: Path) -> None:
    report = imported(tmp_path, RUN_A, qrels="q1 0 a 1\nq1 0 b 2\nq1 0 c -1\n", min_grade=2)
    (question, *_) = load_set(report.out / "set.toml")
    assert (question.relevant, question.not_relevant) == (("b",), ("a", "c"))
    assert question.grades == {"a": 1, "b": 2}
    assert "1 grade below 0 kept as not relevant, without a gain" in report.notes


def test_an_empty_json_list_of_a_topic_is_a_statement_of_the_run_not_of_the_labels(
    tmp_path: Path,
) -> None:
    report = imported(tmp_path, '{"q1": {}, "q2": {"d": 1}}', qrels='{"q1": {}, "q2": {"d": 1}}')
    assert retrieved(report.manifests[0]) == {"q1": [], "q2": ["d"]}
    (q1, _) = load_set(report.out / "set.toml")
    assert q1.relevant is None
    assert (report.labelled, report.joins[0].only_retrieved) == (1, ("q1",))
    assert "1 topic without a judgement: labels absent" in report.notes
    assert "run-0: 1 topic with an empty list: nothing was retrieved" in report.notes


def test_names_of_files_become_ids_and_changes_are_told(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text(QRELS, encoding="utf-8")
    names = ["Ranx run.JSON.gz", "set.txt", "a/ranx-run.tsv", "\u00fc..txt"]
    paths = [tmp_path / name for name in names]
    (tmp_path / "a").mkdir()
    for path in paths:
        path.write_bytes(gzip.compress(RUN_A.encode()))
    report = import_trec(qrels=tmp_path / "qrels", runs=paths, out=tmp_path / "my set!")
    ids = [load_run(manifest).run.info.id for manifest in report.manifests]
    assert ids == ["Ranx-run", "set-2", "ranx-run-2", "run-4"]
    assert [(one.what, one.found, one.written) for one in report.changed] == [
        ("set id", "my set!", "my-set-"),
        ("run id", "Ranx run", "Ranx-run"),
        ("run id", "set", "set-2"),
        ("run id", "ranx-run", "ranx-run-2"),
        ("run id", "\u00fc.", "run-4"),
    ]
    assert report.to_toml() == (report.out / "import-report.toml").read_text(encoding="utf-8")


@pytest.mark.skipif(os.name != "posix", reason="file names are bytes on POSIX only")
def test_a_file_name_that_is_no_utf8_stops_nothing(tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path / "a") + b"\xff.run"))
    try:
        path.write_text(RUN_A, encoding="utf-8")
    except OSError:
        pytest.skip("this file system takes no such name")
    (tmp_path / "qrels").write_text(QRELS, encoding="utf-8")
    out = Path(os.fsdecode(os.fsencode(tmp_path / "out") + b"\xff"))
    report = import_trec(qrels=tmp_path / "qrels", runs=[path], out=out)
    assert report.files[1].name == "a\ufffd.run"
    assert load_run(report.manifests[0]).run.info.id == "a-.run"


def test_only_mapped_fields_reach_our_files(tmp_path: Path) -> None:
    run = "q1 Q0 d1 1 1 tag secret-cookie\n"
    qrels = '{"query-id": "q1", "corpus-id": "d1", "score": 1, "prompt": "secret-cookie"}'
    report = imported(tmp_path, run, qrels=qrels)
    for path in report.out.rglob("*"):
        assert path.is_dir() or b"secret-cookie" not in path.read_bytes()


class TestRefusals:
    @pytest.mark.parametrize(("cutoff", "min_grade"), [(0, 1), (101, 1), (10, 0), (10, 10**9)])
    def test_options_out_of_range_are_refused(
        self, tmp_path: Path, cutoff: int, min_grade: int
    ) -> None:
        with pytest.raises(UsageError, match="out of range"):
            import_trec(
                qrels=tmp_path,
                runs=[tmp_path],
                out=tmp_path / "out",
                cutoff=cutoff,
                min_grade=min_grade,
            )

    def test_an_import_needs_a_run(self, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match="no run"):
            import_trec(qrels=tmp_path, runs=[], out=tmp_path / "out")

    def test_a_folder_that_holds_anything_stays_as_it_is(self, tmp_path: Path) -> None:
        out = tmp_path / "out"
        out.mkdir()
        (out / "mine").touch()
        with pytest.raises(OutputError, match="the folder is not empty") as caught:
            imported(tmp_path, RUN_A)
        assert caught.value.exit_code == 5
        assert [path.name for path in out.iterdir()] == ["mine"]

    def test_an_occupied_folder_is_refused_before_anything_is_read(self, tmp_path: Path) -> None:
        with pytest.raises(OutputError, match="the folder is not empty"):
            import_trec(qrels=tmp_path / "no", runs=[tmp_path / "no"], out=tmp_path.parent)

    def test_a_file_in_the_place_of_the_folder_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "out").touch()
        with pytest.raises(OutputError, match="the folder cannot be made"):
            imported(tmp_path, RUN_A)

    def test_an_empty_folder_is_taken(self, tmp_path: Path) -> None:
        (tmp_path / "out").mkdir()
        assert imported(tmp_path, RUN_A).manifests[0].is_file()

    def test_a_fault_in_the_last_run_means_nothing_is_written(self, tmp_path: Path) -> None:
        with pytest.raises(InputError):
            imported(tmp_path, RUN_A, RUN_B + "broken\n")
        assert sorted(path.name for path in tmp_path.iterdir()) == [
            "qrels.txt",
            "run-0.txt",
            "run-1.txt",
        ]

    def test_a_disk_that_fills_up_ends_in_an_error_that_says_what_is_there(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The n-th write to the disk fails, for every n that an import has."""
        calls = failing = 0

        def full(_: int) -> None:
            nonlocal calls
            calls += 1
            if calls == failing:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        monkeypatch.setattr(os, "fsync", full)
        imported(tmp_path, RUN_A)
        for failing in range(1, calls + 1):
            calls = 0
            with pytest.raises(OutputError) as caught:
                imported(tmp_path, RUN_A, out=f"out-{failing}")
            left = sorted(path.name for path in (tmp_path / f"out-{failing}").iterdir())
            assert caught.value.faults[-1].found == (", ".join(left) or "nothing")
            assert caught.value.faults[-1].hint == "remove the folder, then import again"
            assert not [name for name in left if name.endswith(".tmp")]
        assert failing > 10


class Written(NamedTuple):
    """One form in which the same judgements and scores can be written."""

    qrels: str
    run: str


def _trec(grades: Grades, scores: Scores, gap: str, end: str) -> Written:
    return Written(
        "".join(
            f"{gap.join((topic, '0', document, str(grade)))}{end}"
            for topic, row in grades.items()
            for document, grade in row.items()
        ),
        "".join(
            f"{gap.join((topic, 'Q0', document, '1', repr(score), 'tag'))}{end}"
            for topic, row in scores.items()
            for document, score in row.items()
        ),
    )


def _forms(grades: Grades, scores: Scores) -> list[Written]:
    plain = _trec(grades, scores, " ", "\n")
    beir = "".join(f"{t}\t{d}\t{g}\n" for t, row in grades.items() for d, g in row.items())
    as_json = Written(json.dumps(grades), json.dumps(scores, ensure_ascii=False))
    return [
        plain,
        _trec(grades, scores, "\t", "\r\n"),
        Written("\ufeff# judged\n" + plain.qrels, "\ufeff" + plain.run.rstrip("\n")),
        Written("query-id\tcorpus-id\tscore\n" + beir, as_json.run),
        Written(beir, plain.run),
        as_json,
    ]


IDS: Final = st.text(
    st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=4
).filter(lambda text: text[0] not in "#{[\ufeff")
DOCUMENTS: Final = st.dictionaries(IDS, st.integers(-1, 3), min_size=1, max_size=5)
FLOATS: Final = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from([0.0, 1.0])


@settings(max_examples=25)
@given(data=st.data())
def test_import_then_load_gives_what_the_files_say_in_every_form(data: st.DataObject) -> None:
    grades: Grades = data.draw(st.dictionaries(IDS, DOCUMENTS, min_size=1, max_size=3))
    documents = st.sampled_from([d for row in grades.values() for d in row]) | IDS
    scores: Scores = data.draw(
        st.dictionaries(
            st.sampled_from(list(grades)) | IDS,
            st.dictionaries(documents, FLOATS, min_size=1, max_size=5),
            min_size=1,
            max_size=3,
        )
    )
    form = data.draw(st.sampled_from(_forms(grades, scores)))
    packed = data.draw(st.booleans())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file, text in zip(("qrels", "run"), form, strict=True):
            content = text.encode()
            (folder / file).write_bytes(gzip.compress(content) if packed else content)
        report = import_trec(qrels=folder / "qrels", runs=[folder / "run"], out=folder / "out")
        questions = {question.id: question for question in load_set(folder / "out" / "set.toml")}
        lists = retrieved(report.manifests[0])
    assert list(questions) == [*grades, *sorted(scores.keys() - grades.keys())]
    for topic, question in questions.items():
        _check_labels(question.relevant, question.not_relevant, grades.get(topic))
        assert question.grades == _positive(grades.get(topic))
    assert lists.keys() == scores.keys()
    for topic, found in lists.items():
        best = sorted(scores[topic], key=lambda d: d.encode(), reverse=True)
        assert found == sorted(best, key=lambda d: -scores[topic][d])


def _check_labels(
    relevant: Sequence[str] | None,
    not_relevant: Sequence[str] | None,
    grades: Mapping[str, int] | None,
) -> None:
    if grades is None:
        assert relevant is not_relevant is None
        return
    assert relevant is not None
    assert not_relevant is not None
    assert {d: d in relevant for d in grades} == {d: grade >= 1 for d, grade in grades.items()}
    assert len(relevant) + len(not_relevant) == len(grades)


def _positive(grades: Mapping[str, int] | None) -> Mapping[str, int] | None:
    return None if grades is None else {d: grade for d, grade in grades.items() if grade > 0}


# ---------------------------------------------------------------- texts of topics


def texts_of(report: ImportReport) -> dict[str, str | None]:
    return {question.id: question.text for question in load_set(report.out / "set.toml")}


@pytest.mark.parametrize(
    "queries",
    [
        "q1\tWhat is due?\nq2\tWho asks: a\tb?\nq3\tÄ\n",
        "qid\tquery\r\nq1\tWhat is due?\r\n\r\nq2\tWho asks: a\tb?\r\nq3\tÄ\r\n",
        (
            '{"_id": "q1", "text": "What is due?", "metadata": {"url": 1}}\n'
            '{"id": "q2", "text": "Who asks: a\\tb?"}\n{"_id": "q3", "text": "\\u00c4"}\n'
        ),
    ],
)
def test_questions_get_their_texts_as_written(tmp_path: Path, queries: str) -> None:
    report = imported(tmp_path, "q1 Q0 d1 1 3 b\n", queries=queries)
    assert texts_of(report) == {"q1": "What is due?", "q2": "Who asks: a\tb?", "q3": "Ä"}
    assert report.absent == ("claims", "support", "document texts")
    assert [file["role"] for file in _files(report)] == ["qrels", "queries", "run run-0"]
    assert "text" not in " ".join(report.notes)


def _files(report: ImportReport) -> list[dict[str, object]]:
    files = stored(report)["file"]
    assert isinstance(files, list)
    return files


def test_a_question_without_a_text_and_a_text_without_a_question_are_told(tmp_path: Path) -> None:
    """Topics of runs alone are questions, too."""
    queries = "q1\tone\nq7\tseven\nq8\teight\nq2\t \n"
    report = imported(tmp_path, RUN_A, RUN_B, queries=queries)
    found = {"q1": "one", "q2": None, "q3": None, "q5": None, "q7": "seven"}
    assert texts_of(report) == found
    assert "3 questions without a text: q2, q3, q5" in report.notes
    assert "1 text of topics that are neither judged nor in a run, left out" in report.notes
    assert "question texts" in report.absent
    assert _files(report)[1]["skipped"] == {"without a text": 1}


def test_texts_of_other_ids_are_warned_about(tmp_path: Path) -> None:
    report = imported(tmp_path, RUN_A, queries="Q-1\tone\n")
    assert any(told.startswith("queries: 0 of 4 questions have a text") for told in report.warnings)


def test_a_topic_that_is_a_number_in_json_is_kept_as_text(tmp_path: Path) -> None:
    report = imported(
        tmp_path, "1 Q0 d1 1 3 b\n", qrels="1 0 d1 1\n", queries='{"_id": 1, "text": "one"}\n'
    )
    assert texts_of(report) == {"1": "one"}
    assert _files(report)[1]["changed"] == {"topics written as numbers, kept as text": 1}


def test_packed_texts_are_read(tmp_path: Path) -> None:
    imported(tmp_path, RUN_A)
    (tmp_path / "q.gz").write_bytes(gzip.compress(b"q1\tone\n"))
    report = import_trec(
        qrels=tmp_path / "qrels.txt",
        runs=[tmp_path / "run-0.txt"],
        queries=tmp_path / "q.gz",
        out=tmp_path / "again",
    )
    assert texts_of(report)["q1"] == "one"


@pytest.mark.parametrize(
    ("queries", "faults"),
    [
        ("q1\tone\nq1\tone\nq1\ttwo\n", [(3, "the topic has another text before")]),
        ("q1 one\n", [(1, "the line has no tab")]),
        ("q1\tone\n\ttwo\n", [(2, "the id is empty")]),
        ('{"_id": "q1"}\n{"text": "x"}\n', [(1, "the key is missing"), (2, "the key is missing")]),
        ('{"_id": "q1", "text": 5}\n', [(1, "the value has another type")]),
        ('{"_id": "q1", "text": "x"\n', [(1, "this is not JSON")]),
        ('{"_id": "q1", "text": "\\ud800"}\n', [(1, "half")]),
        ("# nothing\n\n", [(None, "the file holds no text of a topic")]),
    ],
)
def test_faults_of_texts_have_their_line_and_nothing_is_written(
    tmp_path: Path, queries: str, faults: list[tuple[int | None, str]]
) -> None:
    with pytest.raises(InputError) as caught:
        imported(tmp_path, RUN_A, queries=queries)
    found = caught.value.faults
    assert [fault.line for fault in found] == [line for line, _ in faults]
    for fault, (_, words) in zip(found, faults, strict=True):
        assert words in str(fault)
        assert fault.file is not None
        assert fault.file.endswith("queries")
    assert not (tmp_path / "out").exists()


@settings(max_examples=40)
@given(
    texts=st.dictionaries(
        st.sampled_from(["q1", "q2", "q3", "q5"]),
        st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30),
        min_size=1,
    )
)
def test_any_text_in_json_comes_back_from_the_set(texts: dict[str, str]) -> None:
    """Whatever a topic asks, control characters and all, it is asked as written."""
    lines = "".join(f"{json.dumps({'_id': name, 'text': text})}\n" for name, text in texts.items())
    kept = {name: text for name, text in texts.items() if text.strip()}
    if not kept:
        return
    with tempfile.TemporaryDirectory() as folder:
        report = imported(Path(folder), RUN_A, RUN_B, queries=lines)
        found = {name: text for name, text in texts_of(report).items() if text is not None}
        assert found == kept
