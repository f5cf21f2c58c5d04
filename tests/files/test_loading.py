"""Two manifests become one comparison, or one clear refusal."""

from __future__ import annotations

import random
import shutil
import tomllib
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest
import tomli_w

from ragtui.core.change import Verdict
from ragtui.core.contract import State
from ragtui.core.evidence import Side
from ragtui.core.ledger import Depth
from ragtui.errors import IncomparableError, InputError, OutputError, UsageError
from ragtui.files import joining
from ragtui.files.canonical import canonical, sha256_hex
from ragtui.files.ledger import Look
from ragtui.files.loading import Cancelled, Progress, load_comparison, load_run
from ragtui.files.locks import freeze
from ragtui.files.pins import pin
from tests.written_sets import DOCUMENTS, QUESTIONS, write_lines, write_set

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from ragtui.core.comparison import Comparison

A = (
    {
        "question": "launch",
        "retrieved": ["launch", "archive"],
        "claims": [{"id": "monday", "citations": ["launch"]}],
        "answer": "On Monday.",
    },
    {
        "question": "rollback",
        "retrieved": ["rollback"],
        "claims": [{"id": "switch", "citations": ["rollback"]}],
    },
    {
        "question": "owner",
        "retrieved": ["archive", "owners"],
        "claims": [{"id": "aurora", "citations": ["archive"]}],
    },
    {
        "question": "region",
        "retrieved": ["archive"],
        "claims": [{"id": "region", "citations": ["archive"]}],
    },
)
B = (
    {
        "question": "launch",
        "retrieved": ["launch", "archive"],
        "claims": [
            {"id": "monday", "citations": ["launch"]},
            {"id": "bonus", "citations": ["launch"]},
        ],
    },
    {
        "question": "rollback",
        "retrieved": ["rollback", "checklist"],
        "claims": [
            {"id": "switch", "citations": ["rollback"]},
            {"id": "smoke", "citations": ["checklist"]},
        ],
    },
    {
        "question": "owner",
        "retrieved": ["owners", "archive"],
        "claims": [{"id": "aurora", "citations": ["owners"]}],
    },
    {"question": "region", "retrieved": [], "claims": []},
)


def write_named(
    folder: Path, name: str, records: Sequence[Mapping[str, object]], **more: object
) -> Path:
    """Write a run called *name* beside the set in *folder*."""
    write_lines(folder / f"{name}.jsonl", records)
    data = {
        "schema": "ragtui/run@1",
        "id": name,
        "set": {"path": "set.toml"},
        "context": {"cutoff": 2},
        "records": {"path": f"{name}.jsonl"},
        **more,
    }
    path = folder / f"{name}.toml"
    path.write_text(tomli_w.dumps(data), encoding="utf-8")
    return path


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    """Return the manifests of the reference table, frozen and pinned."""
    freeze(write_set(tmp_path))
    manifests = write_named(tmp_path, "run-a", A), write_named(tmp_path, "run-b", B)
    for manifest in manifests:
        pin(manifest)
    return manifests


def rows(comparison: Comparison) -> list[object]:
    """Return everything the columns say, question by question."""
    return [
        (
            comparison.ids[index],
            comparison.changes[index],
            *(comparison.counts(side, index) for side in Side),
        )
        for index in range(len(comparison))
    ]


def test_the_reference_table_is_read_whole(pair: tuple[Path, Path]) -> None:
    """Launch regressed, three questions improved, and nothing needs to be said first."""
    comparison = load_comparison(*pair)
    assert ["launch", "region", "rollback", "owner"] == [
        comparison.ids[index] for index in comparison.order
    ]
    assert (1, 3) == (
        comparison.totals[Verdict.REGRESSED],
        comparison.totals[Verdict.IMPROVED],
    )
    assert () == comparison.notices
    recorded = comparison.baseline.recorded
    assert (4, 1, 0) == (recorded.records, recorded.answers, recorded.delivered_texts)


@pytest.mark.parametrize("waiting", [0, 1, 4096])
@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_records_does_not_matter(
    pair: tuple[Path, Path], seed: int, waiting: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Any order of either file, and any room for waiting records, gives the same comparison."""
    monkeypatch.setattr(joining, "MAX_WAITING", waiting)
    folder = pair[0].parent
    expected = rows(load_comparison(*pair))
    source = random.Random(seed)
    shuffled = [
        write_named(folder, name, source.sample(records, len(records)))
        for name, records in (("other-a", A), ("other-b", B))
    ]
    found = load_comparison(*shuffled)
    assert expected == rows(found)
    assert [found.ids[i] for i in found.order] == ["launch", "region", "rollback", "owner"]


def test_swapping_the_manifests_mirrors_the_comparison(pair: tuple[Path, Path]) -> None:
    """What improved from A to B regressed from B to A, with deltas of the other sign."""
    there, back = load_comparison(*pair), load_comparison(*reversed(pair))
    mirrored = {Verdict.IMPROVED: Verdict.REGRESSED, Verdict.REGRESSED: Verdict.IMPROVED}
    for index in range(len(there)):
        verdict = there.changes[index].verdict
        assert mirrored.get(verdict, verdict) is back.changes[index].verdict
        for measure in there.measures:
            delta = there.delta(measure, index)
            assert back.delta(measure, index) == (None if delta is None else -delta)


def test_a_detail_read_later_agrees_with_the_columns(pair: tuple[Path, Path]) -> None:
    """Reading two records again by their offsets scores them as the pass did."""
    comparison = load_comparison(*pair)
    for index in range(len(comparison)):
        detail = comparison.detail(index)
        assert comparison.changes[index].verdict is detail.change.verdict
        for side in Side:
            assert comparison.counts(side, index) == detail.outcome(side).counts
    launch = comparison.detail(0)
    (record,) = launch.records[0]
    assert "On Monday." == record.answer


def test_missing_and_failed_questions_are_counted_and_said(tmp_path: Path) -> None:
    """A question without a record and one with an error are no regressions."""
    freeze(write_set(tmp_path))
    failing: list[Mapping[str, object]] = [{"question": "launch", "error": "timeout"}, *B[1:3]]
    manifests = write_named(tmp_path, "a", A), write_named(tmp_path, "b", failing)
    for manifest in manifests:
        pin(manifest)
    comparison = load_comparison(*manifests)
    assert {State.SCORED: 2, State.FAILED: 1, State.MISSING: 1} == dict(
        comparison.states(Side.CANDIDATE)
    )
    assert ("1 question missing in B", "1 question failed in B") == comparison.notices
    assert 2 == comparison.totals[Verdict.NOT_COMPARABLE]
    coverage = next(a for a in comparison.aggregates if a.measure.key == "coverage")
    assert (2, 1) == (coverage.own_candidate.n, coverage.own_candidate.missing)


def test_a_run_against_itself_is_loudly_labelled(pair: tuple[Path, Path]) -> None:
    """Equal records are said first."""
    comparison = load_comparison(pair[0], pair[0])
    assert "A and B have equal records: a run is compared with itself" == comparison.notices[0]
    assert len(comparison) == comparison.totals[Verdict.UNCHANGED]


def test_an_unfrozen_set_and_unpinned_runs_are_said(tmp_path: Path) -> None:
    """Nothing is refused for want of a lock, and nothing is hidden."""
    write_set(tmp_path)
    comparison = load_comparison(write_named(tmp_path, "a", A), write_named(tmp_path, "b", B))
    assert (
        "not frozen: desk 1.0.0 has no lock",
        "not pinned: A does not name the digest of its set",
        "not pinned: B does not name the digest of its set",
    ) == comparison.notices


def refused(*manifests: Path) -> IncomparableError:
    """Return why two runs are not compared."""
    with pytest.raises(IncomparableError) as caught:
        load_comparison(*manifests)
    assert 4 == caught.value.exit_code
    return caught.value


def test_every_reason_against_a_comparison_is_given(tmp_path: Path) -> None:
    """Another cutoff and another unit are both named."""
    write_set(tmp_path)
    a = write_named(tmp_path, "a", A)
    b = write_named(tmp_path, "b", B, context={"cutoff": 3, "unit": "chunk"})
    reasons = refused(a, b).reasons
    assert ["k 2 against 3", "unit document against chunk"] == [r.sentence for r in reasons]
    assert ["cutoff", "unit"] == [reason.what for reason in reasons]


def relabelled(folder: Path, version: str) -> None:
    """Replace the set in *folder* by a frozen version with another label of owner and region."""
    questions = [dict(question) for question in QUESTIONS]
    questions[2]["support"] = {"aurora": ["owners"], "team": ["owners"]}
    questions[3]["text"] = "In which region?"
    freeze(write_set(folder, questions, version=version))


def test_a_run_pinned_to_an_older_version_names_the_questions_that_changed(
    pair: tuple[Path, Path],
) -> None:
    """The old lock tells which labels the older run saw differently."""
    folder = pair[0].parent
    relabelled(folder, "1.1.0")
    newer = write_named(folder, "newer", B)
    pin(newer)
    error = refused(pair[0], newer)
    assert [("owner", "region")] == [reason.questions for reason in error.reasons]
    assert "2 questions differ between 1.0.0 and 1.1.0: owner, region" in error.lines[0]
    with pytest.raises(IncomparableError):
        load_run(pair[0])


def test_two_sets_with_other_labels_are_refused_with_the_questions(
    pair: tuple[Path, Path], tmp_path: Path
) -> None:
    """The same question under other labels is another question."""
    other = tmp_path / "other"
    other.mkdir()
    relabelled(other, "1.0.0")
    reason = refused(pair[0], write_named(other, "b", B)).reasons[0]
    assert ("set", ("owner", "region")) == (reason.what, reason.questions)
    assert "2 questions differ between two copies of 1.0.0: owner, region" == reason.sentence


def test_two_copies_of_one_set_are_one_set(pair: tuple[Path, Path], tmp_path: Path) -> None:
    """Equal digests at two paths are the same set."""
    copy = tmp_path / "copy"
    shutil.copytree(pair[0].parent, copy, ignore=shutil.ignore_patterns("copy"))
    assert 4 == len(load_comparison(pair[0], copy / pair[1].name))


def test_sets_without_a_common_question_say_so(tmp_path: Path) -> None:
    """Both kinds of ids are shown."""
    left, right = tmp_path / "left", tmp_path / "right"
    write_set(left)
    write_set(right, [{"id": "q-001", "relevant": ["launch"]}])
    b = write_named(right, "b", [{"question": "q-001", "retrieved": []}])
    reason = refused(write_named(left, "a", A), b).reasons[0]
    assert "questions" == reason.what
    assert "no question in common: launch, rollback, … against q-001, …" == reason.sentence


def test_two_records_with_one_repeat_number_are_refused(tmp_path: Path) -> None:
    """The question and the line are named; two records without a number are refused too."""
    write_set(tmp_path)
    for numbers in ((2, 2), (None, None)):
        doubled = [{**B[0], **({"repeat": n} if n else {})} for n in numbers]
        with pytest.raises(InputError) as caught:
            load_comparison(
                write_named(tmp_path, "a", A), write_named(tmp_path, "b", [*doubled, *B[1:]])
            )
        (fault,) = caught.value.faults
        assert ("launch", "repeat", 2) == (fault.question, fault.key, fault.line)
        assert "another record has the same question and repeat" == fault.message


def with_repeats(records: Sequence[Mapping[str, object]]) -> list[Mapping[str, object]]:
    """Write every record three times, the second failed, the third without claims."""
    return [
        found
        for item in records
        for found in (
            {**item, "repeat": 1},
            {"question": item["question"], "error": "timeout", "repeat": 2},
            {**item, "claims": [], "repeat": 3},
        )
    ]


@pytest.mark.parametrize("waiting", [0, 1, 4096])
@pytest.mark.parametrize("seed", range(3))
def test_repeats_are_read_in_any_order(
    tmp_path: Path, seed: int, waiting: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However the lines of repeats stand in either file, the comparison is the same."""
    monkeypatch.setattr(joining, "MAX_WAITING", waiting)
    freeze(write_set(tmp_path))
    ordered = load_comparison(
        write_named(tmp_path, "a", with_repeats(A)), write_named(tmp_path, "b", with_repeats(B))
    )
    rng = random.Random(seed)
    sides = [rng.sample(found, len(found)) for found in (with_repeats(A), with_repeats(B))]
    shuffled = load_comparison(
        write_named(tmp_path, "c", sides[0]), write_named(tmp_path, "d", sides[1])
    )
    assert rows(ordered) == rows(shuffled)
    assert 12 == shuffled.baseline.recorded.records
    assert [1, 2, 3] == [record.repeat for record in shuffled.evidence.repeats(Side.BASELINE, 1)]
    for index in range(len(shuffled)):
        assert ordered.evidence.digests(index) == shuffled.evidence.digests(index)
        assert shuffled.changes[index].verdict is shuffled.detail(index).change.verdict


def test_the_digest_of_repeats_is_that_of_their_list_by_number(tmp_path: Path) -> None:
    """SHA-256 of the canonical JSON of all records, so that a change of any of them shows."""
    write_set(tmp_path)
    several = with_repeats(A)
    comparison = load_comparison(
        write_named(tmp_path, "a", several[::-1]), write_named(tmp_path, "b", B)
    )
    _, of_a, of_b = comparison.evidence.digests(0)
    assert sha256_hex(canonical(several[:3])) == of_a
    assert sha256_hex(canonical([B[0]])) == of_b


def test_each_repeat_has_its_place(tmp_path: Path) -> None:
    """The line of each record is found by its position among the repeats."""
    write_set(tmp_path)
    comparison = load_comparison(
        write_named(tmp_path, "a", with_repeats(A)[::-1]), write_named(tmp_path, "b", B)
    )
    places = [comparison.evidence.place(Side.BASELINE, 0, repeat) for repeat in range(4)]
    assert [12, 11, 10, None] == [place and place.line for place in places]


def test_one_numbered_record_a_question_is_read_as_one_without_a_number(
    pair: tuple[Path, Path], tmp_path: Path
) -> None:
    """The numbers and every figure are equal, bit by bit."""
    numbered = [[{**record, "repeat": 1} for record in found] for found in (A, B)]
    plain, one = (
        load_comparison(*pair),
        load_comparison(
            write_named(tmp_path, "c", numbered[0]), write_named(tmp_path, "d", numbered[1])
        ),
    )
    assert rows(plain) == rows(one)
    assert plain.aggregates == one.aggregates
    assert list(plain.order) == list(one.order)


def test_a_single_run_is_scored_over_its_repeats(tmp_path: Path) -> None:
    """The run's own mean is that of the means of its questions, and the repeats are said."""
    write_set(tmp_path)
    run = load_run(write_named(tmp_path, "a", with_repeats(A)))
    coverage = next(measure for measure in run.measures if measure.key == "coverage")
    assert Fraction(1, 2) * Fraction(1 + 0 + Fraction(1, 2), 3) == run.own(coverage).mean
    assert [3, 3, 3, 3] == [found.repeats for found in run.questions()]
    said = "4 questions have several records in the run: values are means over repeats"
    assert said in run.notices


def test_inline_records_may_repeat_a_question(tmp_path: Path) -> None:
    """A manifest that holds its records is read like a file of them."""
    write_set(tmp_path)
    manifest = write_named(tmp_path, "a", A)
    data = tomllib.loads(manifest.read_text(encoding="utf-8"))
    del data["records"]
    manifest.write_text(tomli_w.dumps({**data, "record": with_repeats(A)}), encoding="utf-8")
    inline = load_comparison(manifest, write_named(tmp_path, "b", B))
    read = load_comparison(write_named(tmp_path, "c", with_repeats(A)), tmp_path / "b.toml")
    assert rows(inline) == rows(read)


def test_faults_of_both_files_are_reported_together(tmp_path: Path) -> None:
    """One attempt tells everything that is wrong with A and with B."""
    write_set(tmp_path)
    wrong = {"question": "nobody", "retrieved": []}
    with pytest.raises(InputError) as caught:
        load_comparison(
            write_named(tmp_path, "a", [*A, wrong]), write_named(tmp_path, "b", [*B, wrong])
        )
    assert ["a.jsonl", "b.jsonl"] == sorted(
        (fault.file or "").rsplit("/", 1)[-1] for fault in caught.value.faults
    )


def test_another_cutoff_is_exploratory_and_said(pair: tuple[Path, Path]) -> None:
    """At k = 1 the second claim of rollback in B is not visible any more."""
    comparison = load_comparison(*pair, cutoff=1)
    assert comparison.exploratory
    assert "exploratory cutoff: k = 1, the runs were recorded with k = 2" in comparison.notices
    counts = comparison.counts(Side.CANDIDATE, 1)
    assert (1, 2, 1) == (counts.supported, counts.claims, counts.covered)
    with pytest.raises(UsageError):
        load_comparison(*pair, cutoff=101)


class TestHeldOut:
    """Nothing of a held-out set is there before the look at it is on disk."""

    @pytest.fixture
    def held(self, tmp_path: Path) -> tuple[Path, Path]:
        write_set(tmp_path, split="held-out")
        return write_named(tmp_path, "a", A), write_named(tmp_path, "b", B)

    def test_without_a_look_it_is_refused(self, held: tuple[Path, Path]) -> None:
        with pytest.raises(InputError, match="held out"):
            load_run(held[0])
        with pytest.raises(InputError, match="held out"):
            load_comparison(*held)
        assert not (held[0].parent / "ledger.jsonl").exists()

    def test_the_candidate_of_a_comparison_is_b(self, held: tuple[Path, Path]) -> None:
        there = load_comparison(*held, look=Look()).standing
        again = load_run(held[1], look=Look()).standing
        back = load_comparison(*reversed(held), look=Look()).standing
        assert there is not None
        assert (there.number, there.candidates) == (1, 1)
        assert again == there
        assert back is not None
        assert (back.number, back.candidates) == (2, 2)

    def test_another_cutoff_is_another_candidate(self, held: tuple[Path, Path]) -> None:
        load_comparison(*held, look=Look())
        found = load_comparison(*held, cutoff=1, look=Look()).standing
        assert found is not None
        assert found.number == 2

    def test_what_shows_questions_needs_an_open_set(self, held: tuple[Path, Path]) -> None:
        with pytest.raises(UsageError, match="--filter shows single questions"):
            load_comparison(*held, look=Look(needs="--filter"))
        assert not (held[0].parent / "ledger.jsonl").exists()
        look = Look(depth=Depth.QUESTION, needs="--filter")
        assert not load_comparison(*held, look=look).withholds_questions

    def test_nothing_is_returned_when_the_look_cannot_be_written(
        self, held: tuple[Path, Path]
    ) -> None:
        (held[0].parent / "ledger.jsonl").mkdir()
        with pytest.raises(OutputError, match="nothing is shown"):
            load_comparison(*held, look=Look())
        with pytest.raises(OutputError, match="nothing is shown"):
            load_run(held[1], look=Look())

    def test_slices_under_ten_questions_are_withheld(self, held: tuple[Path, Path]) -> None:
        assert load_comparison(*held, look=Look()).slices == ()
        assert load_comparison(*held, look=Look(depth=Depth.QUESTION)).slices

    def test_a_development_set_keeps_no_ledger(self, pair: tuple[Path, Path]) -> None:
        assert load_comparison(*pair, look=Look(needs="--filter")).standing is None
        assert not (pair[0].parent / "ledger.jsonl").exists()


def test_loading_reports_progress_and_stops_when_asked(pair: tuple[Path, Path]) -> None:
    """Progress is in bytes; a stop leaves nothing half done."""
    told: list[Progress] = []
    load_comparison(*pair, progress=told.append)
    assert {"question set", "records of A and B"} == {progress.what for progress in told}
    assert all(0 <= progress.done <= progress.total for progress in told)
    with pytest.raises(Cancelled):
        load_comparison(*pair, cancelled=lambda: True)


def test_a_single_run_is_scored_question_by_question(pair: tuple[Path, Path]) -> None:
    """The table of one run reads every question anew, in the set's order."""
    run = load_run(pair[1])
    scores = list(run.questions())
    assert [question["id"] for question in QUESTIONS] == [s.question.id for s in scores]
    assert [2, 2, 1, 0] == [score.outcome.counts.claims for score in scores]
    assert 3 == run.own(run.measures[3]).n


def test_restricted_documents_in_b_are_severity_zero(tmp_path: Path) -> None:
    """A document that the caller may not read is seen in context and citation."""
    documents = [
        {**document, "groups": ["hr"] if document["id"] == "archive" else ["public"]}
        for document in DOCUMENTS
    ]
    write_set(tmp_path, documents=documents)
    comparison = load_comparison(write_named(tmp_path, "a", B[1:]), write_named(tmp_path, "b", A))
    owner = comparison.index_of("owner")
    assert owner is not None
    counts = comparison.counts(Side.CANDIDATE, owner)
    assert 2 == counts.disclosed
    assert 0 == comparison.changes[owner].severity
    told = [notice for notice in comparison.notices if notice.startswith("restricted")]
    assert told == [
        "restricted material disclosed in A on 1 question",
        "restricted material disclosed in B on 3 questions",
    ]


def test_items_delivered_in_another_version_are_counted(tmp_path: Path) -> None:
    """A text of another source version than the corpus's, if it stands among the first k."""
    documents = [{**document, "version": "2026-11"} for document in DOCUMENTS]
    write_set(tmp_path, documents=documents)
    old = {"id": "launch", "version": "2025-04", "text": "What launch said."}
    same = {"id": "archive", "version": "2026-11"}
    beyond = {"id": "owners", "version": "2025-04"}
    records: list[Mapping[str, object]] = [{**A[0], "retrieved": [old, same, beyond]}, *A[1:]]
    comparison = load_comparison(write_named(tmp_path, "a", A), write_named(tmp_path, "b", records))
    assert (0, 1) == (
        comparison.baseline.recorded.other_versions,
        comparison.candidate.recorded.other_versions,
    )
    assert any("another version" in notice for notice in comparison.notices)


def test_a_question_without_a_value_counts_once_a_measure(tmp_path: Path) -> None:
    """Two different reasons in A and B count as the first of the contract, in either order."""
    write_set(tmp_path)
    silent: list[Mapping[str, object]] = [{"question": "launch", "retrieved": []}]
    a, b = write_named(tmp_path, "a", silent), write_named(tmp_path, "b", A[1:])
    for pair in ((a, b), (b, a)):
        comparison = load_comparison(*pair)
        coverage = [r for r in comparison.absences if r.measure.key == "coverage"]
        told = {(r.code.value, r.side): r.n for r in coverage if r.side == "both"}
        assert {("missing", "both"): 1, ("unanswerable", "both"): 1} == told
        for row in comparison.absences:
            assert row.n == len(comparison.absent_questions(row))
