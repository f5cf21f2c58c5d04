"""The bundled set support-desk holds what triage needs to be shown, and is made as it says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

import ragtui
from ragtui.core.change import Cause, Flag, MeasureChange, Severity, SignalKind, Verdict
from ragtui.core.contract import State
from ragtui.core.evidence import Side

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ragtui.core.aggregate import Aggregate
    from ragtui.core.columns import ChangeRow
    from ragtui.core.comparison import Comparison

ROOT: Final = Path(__file__).resolve().parents[2]
DESK: Final = ROOT / "fixtures" / "support-desk"
HELD_OUT: Final = ROOT / "fixtures" / "support-desk-held-out"
MANIFESTS: Final = tuple(
    ROOT / "manifests" / f"support-{name}.toml" for name in ("baseline", "candidate")
)
HELD_OUT_MANIFESTS: Final = tuple(
    path.with_name(path.name.replace("support-", "support-held-out-")) for path in MANIFESTS
)
RUNS: Final = ("run-a", "run-b")
RECORDED: Final = [(folder, run) for folder in (DESK, HELD_OUT) for run in RUNS]
REPEATS: Final = 3
TAGS: Final = {
    "lookup": 15,
    "several-evidence": 10,
    "near-duplicate": 8,
    "outdated": 12,
    "conflicting": 5,
    "unanswerable": 6,
    "permission": 6,
}
"""Each tag, and how many questions at least have it."""


def _lines(name: str, folder: Path = DESK) -> list[dict[str, Any]]:
    text = (folder / f"{name}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def _toml(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def _questions(folder: Path = DESK) -> list[dict[str, Any]]:
    questions: list[dict[str, Any]] = _toml(folder / "questions.toml")["question"]
    return questions


def _caller(question: Mapping[str, Any]) -> set[str]:
    return {"public", *question.get("caller", ())}


def _closed_to(question: Mapping[str, Any], notes: Sequence[Mapping[str, Any]]) -> set[str]:
    return {note["id"] for note in notes if _caller(question).isdisjoint(note["groups"])}


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    """Return the two bundled runs, compared."""
    return ragtui.compare(*MANIFESTS)


def _rows(comparison: Comparison) -> list[ChangeRow]:
    return [comparison.changes[index] for index in range(len(comparison))]


def _needing(comparison: Comparison) -> list[int]:
    return [i for i in comparison.order if comparison.changes[i].severity is not None]


def _slice(comparison: Comparison, name: str, key: str) -> Aggregate:
    found = next(part for part in comparison.slices if part.name == name).of(key)
    assert found is not None
    return found


def _subjects(comparison: Comparison, question: str, kind: SignalKind) -> list[str | None]:
    index = comparison.index_of(question)
    assert index is not None
    change = comparison.detail(index).change
    return [signal.subject for signal in (*change.plus, *change.minus) if signal.kind is kind]


def _change(comparison: Comparison, question: str, key: str) -> MeasureChange:
    index = comparison.index_of(question)
    assert index is not None
    return comparison.measure_change(comparison.measure(key), index)


# the notes


def test_the_corpus_has_at_least_60_notes_of_60_to_160_words() -> None:
    """Every note has title, version, route back and readers, and a text worth reading."""
    corpus = _lines("corpus")
    assert len(corpus) >= 60
    for note in corpus:
        assert note.keys() == {"id", "title", "version", "source", "groups", "text"}
        assert 60 <= len(note["text"].split()) <= 160, note["id"]


def test_a_few_notes_are_not_for_everybody() -> None:
    """Most notes are public; some are for leads, the people team or the security team."""
    groups = Counter(group for note in _lines("corpus") for group in note["groups"])
    assert groups.keys() == {"public", "leads", "people", "security"}
    closed = [note for note in _lines("corpus") if note["groups"] != ["public"]]
    assert 4 <= len(closed) <= 10
    assert groups["public"] + len(closed) == len(_lines("corpus"))


def test_the_reindexed_notes_are_later_versions_of_notes_of_the_corpus() -> None:
    """At least two notes stand in the index of B with another version and another text."""
    corpus = {note["id"]: note for note in _lines("corpus")}
    edited = [
        note for note in _lines("reindexed") if note["groups"] == corpus[note["id"]]["groups"]
    ]
    assert len(edited) >= 2
    for note in edited:
        before = corpus[note["id"]]
        assert (note["title"], note["source"]) == (before["title"], before["source"])
        assert note["version"] > before["version"]
        assert note["text"] != before["text"]


def test_one_note_was_indexed_for_the_wrong_readers() -> None:
    """The same note, word for word, stands in the index of B as if everybody might read it."""
    corpus = {note["id"]: note for note in _lines("corpus")}
    opened = [
        note for note in _lines("reindexed") if note["groups"] != corpus[note["id"]]["groups"]
    ]
    assert [note | {"groups": corpus[note["id"]]["groups"]} for note in opened] == [
        corpus["salary-bands"]
    ]
    assert opened[0]["groups"] == ["public"]


# the questions


def test_the_questions_cover_every_tag() -> None:
    """At least 48 questions, enough of each tag, some with two, at least 6 critical."""
    questions = _questions()
    counted = Counter(tag for question in questions for tag in question["tags"])
    assert len(questions) >= 48
    assert counted.keys() == TAGS.keys()
    assert {tag: n for tag, n in TAGS.items() if counted[tag] < n} == {}
    assert sum(len(question["tags"]) == 2 for question in questions) >= 5
    assert sum(question.get("critical", False) for question in questions) >= 6


def test_unanswerable_questions_are_those_without_relevant_notes() -> None:
    """The tag and the labels agree."""
    for question in _questions():
        assert ("unanswerable" in question["tags"]) == (not question["relevant"]), question["id"]


@pytest.mark.parametrize("folder", [DESK, HELD_OUT], ids=lambda path: path.name)
def test_every_labelled_claim_is_worded(folder: Path) -> None:
    """Claims that anybody expects or accepts have a wording, and nothing else has one."""
    for question in _questions(folder):
        reviews = question.get("review", [])
        labelled = question.get("support", {}).keys() | question.get("accepted", {}).keys()
        labelled = labelled.union(*(review.get("support", {}) for review in reviews))
        assert question.get("claims", {}).keys() == labelled, question["id"]


def test_permission_questions_are_asked_by_those_who_may_read_and_by_others() -> None:
    """Each asks for a note that is not for everybody, and only some of the callers may read it."""
    asked = [question for question in _questions() if "permission" in question["tags"]]
    notes = {note["id"]: note for note in _lines("corpus")}
    answerable = [question for question in asked if question["relevant"]]
    assert min(len(answerable), len(asked) - len(answerable)) >= 3
    for question in answerable:
        assert all("public" not in notes[each]["groups"] for each in question["relevant"])


def test_two_reviewers_judged_the_same_questions_and_dispute_some() -> None:
    """Every reviewed question was judged by both; they differ on the disputed ones alone."""
    reviewed = [question for question in _questions() if "review" in question]
    status = Counter(question.get("status", "agreed") for question in reviewed)
    assert len(reviewed) >= 15
    assert status["disputed"] >= 3
    assert status["resolved"] >= 1
    for question in _questions():
        reviewers = [review["reviewer"] for review in question.get("review", [])]
        assert reviewers in ([], ["r1", "r2"])
        main = (question["relevant"], question["support"])
        told = [(review["relevant"], review["support"]) for review in question.get("review", [])]
        differ = any(labels != main for labels in told)
        assert differ == (question.get("status", "agreed") != "agreed"), question["id"]


def test_questions_about_one_subject_share_a_cluster() -> None:
    """Several clusters hold two to four questions; some questions stand alone."""
    sizes = Counter(question.get("cluster") for question in _questions())
    alone = sizes.pop(None)
    assert len(sizes) >= 10
    assert {2, 3, 4} <= set(sizes.values())
    assert alone >= 10


def test_some_labels_are_joint_accepted_or_graded() -> None:
    """A few claims need two notes together, a few are accepted only, a few notes have grades."""
    questions = _questions()
    supports = [s for question in questions for s in question.get("support", {}).values()]
    joint = [s for s in supports if isinstance(s[0], list)]
    assert len(joint) >= 3
    assert sum("accepted" in question for question in questions) >= 5
    assert sum("grades" in question for question in questions) >= 5


def test_outdated_notes_are_judged_not_relevant() -> None:
    """An answerable question with the tag names the old note that must not be used."""
    for question in _questions():
        if "outdated" in question["tags"] and question["relevant"]:
            assert question["not_relevant"], question["id"]


# the records


@pytest.mark.parametrize(("folder", "run"), RECORDED)
def test_retrieved_chunks_are_ranked_and_unique(folder: Path, run: str) -> None:
    """At most 8 chunks a question, no chunk twice, scores never rising."""
    for record in _lines(run, folder):
        chunks = [item["chunk"] for item in record["retrieved"]]
        scores = [item["score"] for item in record["retrieved"]]
        assert len(chunks) == len(set(chunks)) <= 8
        assert scores == sorted(scores, reverse=True)
        assert all(item["chunk"].startswith(f"{item['id']}#") for item in record["retrieved"])


@pytest.mark.parametrize(("folder", "run"), RECORDED)
def test_every_chunk_is_a_piece_of_the_note_in_the_version_it_declares(
    folder: Path, run: str
) -> None:
    """A delivered text stands in the corpus, or in the edited note when the version says so."""
    notes = {(n["id"], n["version"]): n["text"] for n in _lines("corpus") + _lines("reindexed")}
    for record in _lines(run, folder):
        for item in record["retrieved"]:
            assert item["text"] in notes[item["id"], item["version"]]


def test_only_the_candidate_was_given_other_versions() -> None:
    """B was given at least two visible notes in another version and wording, A none."""
    corpus = {note["id"]: note for note in _lines("corpus")}
    other: dict[str, set[str]] = {run: set() for run in RUNS}
    for run in RUNS:
        for record in _lines(run):
            for item in record["retrieved"][:3]:
                note = corpus[item["id"]]
                if item["version"] != note["version"] and item["text"] not in note["text"]:
                    other[run].add(item["id"])
    assert other["run-a"] == set()
    assert len(other["run-b"]) >= 2


@pytest.mark.parametrize(("folder", "run"), RECORDED)
def test_answers_cite_only_what_they_were_shown(folder: Path, run: str) -> None:
    """Each citation names a note among the first three chunks, and stands in the answer."""
    for record in _lines(run, folder):
        shown = {item["id"] for item in record["retrieved"][:3]}
        for claim in record.get("claims", []):
            assert claim["citations"]
            assert set(claim["citations"]) <= shown, record["question"]
            assert all(cited in record["answer"] for cited in claim["citations"])


@pytest.mark.parametrize("folder", [DESK, HELD_OUT], ids=lambda path: path.name)
def test_the_baseline_shows_nobody_what_they_may_not_read(folder: Path) -> None:
    """The filter on readers holds in A for every list; in B one wrongly indexed note slips by."""
    notes = _lines("corpus")
    closed = {question["id"]: _closed_to(question, notes) for question in _questions(folder)}
    slipped = {
        run: {
            i["id"]
            for r in _lines(run, folder)
            for i in r["retrieved"]
            if i["id"] in closed[r["question"]]
        }
        for run in RUNS
    }
    assert slipped == {"run-a": set(), "run-b": {"salary-bands"}}


@pytest.mark.parametrize("run", RUNS)
def test_every_question_was_put_three_times(run: str) -> None:
    """A question has all its repeats or, where its records were lost, none."""
    repeats: dict[str, list[int]] = {}
    for record in _lines(run):
        repeats.setdefault(record["question"], []).append(record["repeat"])
    assert set(map(tuple, repeats.values())) == {tuple(range(1, REPEATS + 1))}


@pytest.mark.parametrize("run", RUNS)
def test_some_answers_differ_from_one_repeat_to_the_next(run: str) -> None:
    """At least ten questions got different claims, or failed only once."""
    told: dict[str, set[str]] = {}
    for record in _lines(run):
        claims = json.dumps(record.get("claims"), sort_keys=True)
        told.setdefault(record["question"], set()).add(claims)
    assert sum(len(each) > 1 for each in told.values()) >= 10


@pytest.mark.parametrize(("folder", "seed"), [(DESK, "0"), (DESK, "1"), (HELD_OUT, "0")])
def test_the_script_makes_the_records_again(folder: Path, seed: str, tmp_path: Path) -> None:
    """The lists of BM25 and the answers joined to them come out byte for byte."""
    subprocess.run(
        [sys.executable, "-B", str(DESK / "retrieve.py"), str(folder), "--out", str(tmp_path)],
        env={**os.environ, "PYTHONHASHSEED": seed},
        check=True,
        capture_output=True,
    )
    for run in RUNS:
        made = (tmp_path / f"{run}.jsonl").read_bytes()
        assert made == (folder / f"{run}.jsonl").read_bytes()


# the two runs


def test_the_runs_differ_in_one_setting_and_are_pinned(comparison: Comparison) -> None:
    """The weight of titles in the index is all that changed; set and records are frozen."""
    assert [setting.key for setting in comparison.settings] == ["retrieval.title_weight"]
    assert [notice for notice in comparison.notices if notice.startswith("not ")] == []


def test_the_requests_count_the_records() -> None:
    """What each manifest says was sent, retried and failed is what the records hold."""
    for path in (*MANIFESTS, *HELD_OUT_MANIFESTS):
        manifest = _toml(path)
        records = _lines(
            Path(manifest["records"]["path"]).stem,
            DESK.parent / Path(manifest["set"]["path"]).parent.name,
        )
        assert manifest["requests"] == {
            "sent": len(records),
            "retried": sum(record["retries"] > 0 for record in records),
            "failed": sum(record["error"] is not None for record in records),
        }


def test_one_question_failed_and_one_is_missing(comparison: Comparison) -> None:
    """A recorded every question; B failed on one and has no record of another."""
    assert comparison.states(Side.BASELINE)[State.SCORED] == len(comparison)
    states = comparison.states(Side.CANDIDATE)
    assert (states[State.FAILED], states[State.MISSING]) == (1, 1)


def test_at_least_twelve_changes_need_a_decision(comparison: Comparison) -> None:
    """They have every severity, and many questions did not change at all."""
    needing = _needing(comparison)
    assert len(needing) >= 12
    severities = {comparison.changes[i].severity for i in needing}
    assert severities == set(Severity)
    assert comparison.totals[Verdict.UNCHANGED] >= 20
    assert comparison.totals[Verdict.IMPROVED] >= 12


def test_the_changes_have_every_cause(comparison: Comparison) -> None:
    """Each cause that a change can have holds somewhere."""
    assert {cause for row in _rows(comparison) for cause in row.causes} == set(Cause)


def test_one_question_discloses_what_its_caller_may_not_read(comparison: Comparison) -> None:
    """B shows and cites a closed note, in two repeats of three; it comes before all else."""
    severe = [i for i in _needing(comparison) if comparison.changes[i].severity is Severity.S0]
    assert [comparison.ids[index] for index in severe] == ["salary-level-3"]
    assert severe[0] == comparison.order[0]
    disclosed = [
        [repeat.disclosed for repeat in comparison.counts(side, severe[0]).repeats] for side in Side
    ]
    assert disclosed == [[0, 0, 0], [2, 1, 2]]


def test_verdicts_depend_on_whose_labels_are_right(comparison: Comparison) -> None:
    """At least three disputed questions would be told otherwise under a reviewer's labels."""
    assert sum(Flag.LABEL_OPEN in row.flags for row in _rows(comparison)) >= 3


def test_repeats_make_some_changes_noisy_and_none_certain(comparison: Comparison) -> None:
    """Where the repeats of A and B overlap a change is noisy; three against three are weak."""
    flags = Counter(flag for row in _rows(comparison) for flag in row.flags)
    assert flags[Flag.NOISY] >= 5
    assert flags[Flag.WEAK] >= 5


@pytest.mark.parametrize("key", ["recall", "coverage", "support"])
def test_the_outdated_slice_moves_against_the_total(key: str, comparison: Comparison) -> None:
    """B is better on the whole and worse where an old version of the note is around."""
    total = comparison.aggregate_of(comparison.measure(key)).paired
    outdated = _slice(comparison, "outdated", key).paired
    assert total.delta is not None
    assert outdated.delta is not None
    assert outdated.delta < 0 < total.delta
    assert outdated.n >= 10


def test_support_becomes_na_and_defined(comparison: Comparison) -> None:
    """Some answers turn into abstentions, and some abstentions into answers."""
    paired = comparison.aggregate_of(comparison.measure("support")).paired
    assert min(paired.became_na, paired.became_defined, paired.na_both) >= 1
    flagged = [row for row in _rows(comparison) if Flag.NA_SHIFT in row.flags]
    assert len(flagged) >= 2


def test_swaps_hide_behind_equal_ratios(comparison: Comparison) -> None:
    """Equal coverage with one claim lost and one gained, equal recall with one note for another."""
    swapped = [i for i in _needing(comparison) if Flag.SWAP in comparison.changes[i].flags]
    assert len(swapped) >= 2
    assert _change(comparison, "incident-posts", "coverage") is MeasureChange.UNCHANGED
    assert _subjects(comparison, "incident-posts", SignalKind.CLAIM_LOST) == ["not-repairer"]
    assert _subjects(comparison, "incident-posts", SignalKind.CLAIM_GAINED) == ["first-thirty"]
    assert _change(comparison, "loan-laptop", "recall") is MeasureChange.UNCHANGED
    assert _subjects(comparison, "loan-laptop", SignalKind.DOC_OUT) == ["laptop-loan"]
    assert _subjects(comparison, "loan-laptop", SignalKind.DOC_IN) == ["laptop-lost"]


def test_a_new_source_version_breaks_a_critical_answer(comparison: Comparison) -> None:
    """B states what the edited note says, which the labels of the frozen corpus do not support."""
    index = comparison.index_of("refund-approval")
    assert index is not None
    detail = comparison.detail(index)
    assert detail.change.severity is Severity.S1
    record = detail.record(Side.CANDIDATE)
    assert record is not None
    shown = [item for item in (record.retrieved or ())[:3] if item.id == "refunds"]
    assert [(item.version, "750 euros" in (item.text or "")) for item in shown] == [
        ("2026-11", True)
    ]


def test_the_build_takes_the_set_along() -> None:
    """The folder of the set and both manifests are copied beside those of release-desk."""
    wheel = _toml(ROOT / "pyproject.toml")["tool"]["hatch"]["build"]["targets"]["wheel"]
    copied = wheel["force-include"]
    for path in (DESK, *MANIFESTS, ROOT / "manifests" / "support-desk.policy.toml"):
        place = path.relative_to(ROOT).as_posix()
        assert copied[place] == f"ragtui/demo_data/{place}"


def test_the_page_about_the_set_counts_right(comparison: Comparison) -> None:
    """Notes, questions and decisions are as many as fixtures/README.md says."""
    page = (ROOT / "fixtures" / "README.md").read_text(encoding="utf-8")
    assert f"{len(_lines('corpus'))} notes of a handbook" in page
    assert f"{len(_questions())} questions to them" in page
    assert f"{len(_needing(comparison))} changes need a decision" in page


# the held-out questions


def test_the_held_out_set_shares_notes_but_no_question() -> None:
    """It is frozen over the same corpus, was not looked at yet, and no wording comes twice."""
    header = _toml(HELD_OUT / "set.toml")
    assert header["split"] == "held-out"
    assert (HELD_OUT / header["corpus"]["path"]).resolve() == DESK / "corpus.jsonl"
    events = [event["kind"] for event in _lines("ledger", HELD_OUT)]
    assert events == ["freeze"]
    ids = [
        {question[key] for question in _questions(folder)}
        for folder in (DESK, HELD_OUT)
        for key in ("id", "text")
    ]
    assert ids[0] & ids[2] == ids[1] & ids[3] == set()


def test_the_held_out_set_is_large_enough_for_its_margin() -> None:
    """At least 28 answerable questions: a margin of .1 can be met where nothing changes."""
    assert sum(bool(question["relevant"]) for question in _questions(HELD_OUT)) >= 28


@pytest.mark.parametrize("name", ["support-desk", "support-held-out"])
def test_each_policy_is_bound_to_the_frozen_set(name: str) -> None:
    """The digest in a policy is the one that the manifests of its runs are pinned to."""
    policy = _toml(ROOT / "manifests" / f"{name}.policy.toml")
    manifests = MANIFESTS if name == "support-desk" else HELD_OUT_MANIFESTS
    assert {policy["set"]} == {f"sha256:{_toml(path)['set']['sha256']}" for path in manifests}
