"""
TREC files that other tools wrote, scored as those tools score them.

Two judges stand outside: the official outputs of trec_eval that lie beside its samples, and
`ir_measures`. The latter gets strictly falling scores made from an order that is worked out here,
so that no tie and no 32-bit score decides.
"""

from __future__ import annotations

import csv
import gzip
import json
import random
from collections import defaultdict
from typing import TYPE_CHECKING, Final, NamedTuple

import ir_measures
import pytest

from ragtui.core.evidence import Side
from ragtui.core.value import Score
from ragtui.files.importers.trec import import_trec
from ragtui.files.loading import load_comparison, load_run

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

Grades = dict[str, dict[str, int]]
Ranking = dict[str, list[str]]

DEPTHS: Final = (5, 10, 15, 20, 30, 100)


class Case(NamedTuple):
    """Judgements and a run of the samples."""

    qrels: str
    run: str
    min_grade: int = 1

    def __str__(self) -> str:
        """Return the case as a test id."""
        return f"{self.qrels} {self.run} {self.min_grade}"


TREC_EVAL: Final = "trec/trec_eval"
ROBUST: Final = "trec/robust03"
CASES: Final = (
    Case(f"{ROBUST}/robust03_qrels.txt.gz", f"{ROBUST}/input.humR03dc.gz"),
    Case(f"{ROBUST}/robust03_qrels.txt.gz", f"{ROBUST}/input.NLPR03vb10.gz"),
    Case(f"{ROBUST}/robust03_qrels.txt.gz", f"{ROBUST}/input.humR03dc.gz", 2),
    Case(f"{TREC_EVAL}/qrels.test", f"{TREC_EVAL}/results.test"),
    Case(f"{TREC_EVAL}/qrels.test", f"{TREC_EVAL}/results.trunc"),
    Case(f"{TREC_EVAL}/qrels.test.with-comments", f"{TREC_EVAL}/results.test"),
    Case(f"{TREC_EVAL}/qrels.rel_level", f"{TREC_EVAL}/results.test", 2),
    Case(f"{TREC_EVAL}/qrels.123", f"{TREC_EVAL}/results.test"),
    Case(
        f"{TREC_EVAL}/qrels.comment.test",
        f"{TREC_EVAL}/results.comment.test.31-judged-topics",
    ),
    Case("trec/ir_measures/compat.qrels", "trec/ir_measures/compat.run"),
    Case("ranx/qrels.json", "ranx/run.json"),
    Case("ranx/qrels.trec", "ranx/run.trec"),
    Case("ranx/qrels.trec.gz", "ranx/run.trec.gz"),
)


def content(path: Path) -> str:
    data = path.read_bytes()
    return (gzip.decompress(data) if path.suffix == ".gz" else data).decode()


def rows(path: Path, columns: int) -> Iterable[list[str]]:
    for line in content(path).splitlines():
        if not line.startswith("#"):
            yield line.split()[:columns]


def read_grades(path: Path) -> Grades:
    """Read judgements in a way of its own; the highest grade counts."""
    if path.suffix == ".json":
        found: Grades = json.loads(content(path))
        return found
    grades: Grades = defaultdict(dict)
    for topic, _, document, grade in rows(path, 4):
        grades[topic][document] = max(int(grade), grades[topic].get(document, -9))
    return grades


def read_ranking(path: Path) -> Ranking:
    """Read a run in a way of its own, ordered as trec_eval orders it."""
    scores: dict[str, dict[str, float]] = defaultdict(dict)
    if path.suffix == ".json":
        scores = json.loads(content(path))
    else:
        for topic, _, document, _, score, _ in rows(path, 6):
            scores[topic][document] = float(score)
    ranking = {}
    for topic, found in scores.items():
        by_name = sorted(found, key=str.encode, reverse=True)
        ranking[topic] = sorted(by_name, key=lambda name: -found[name])
    return ranking


def outside(
    grades: Grades, ranking: Ranking, cutoff: int, min_grade: int
) -> dict[tuple[str, str], float]:
    """Return what `ir_measures` says by (measure, topic) of topics that are judged and ranked."""
    names = {
        "precision": f"P(rel={min_grade})@{cutoff}",
        "recall": f"R(rel={min_grade})@{cutoff}",
        "rr": f"RR(rel={min_grade})@{cutoff}",
        "ndcg": f"nDCG@{cutoff}",
        "judged": f"Judged@{cutoff}",
    }
    keys = {ir_measures.parse_measure(name): key for key, name in names.items()}
    qrels = [ir_measures.Qrel(t, d, g) for t, row in grades.items() for d, g in row.items()]
    run = [
        ir_measures.ScoredDoc(topic, document, float(len(documents) - place))
        for topic, documents in ranking.items()
        for place, document in enumerate(documents)
    ]
    return {
        (keys[found.measure], found.query_id): found.value
        for found in ir_measures.iter_calc(list(keys), qrels, run)
        if found.query_id in ranking
    }


def ours(manifest: Path, cutoff: int) -> dict[tuple[str, str], float | str]:
    """Return our values by (measure, topic); a text says why there is none."""
    run = load_run(manifest, cutoff=cutoff)
    values: dict[tuple[str, str], float | str] = {}
    for found in run.questions():
        for measure in run.measures:
            value = measure.value(found.facts, found.outcome.counts, cutoff)
            values[measure.key, found.question.id] = (
                value.real if isinstance(value, Score) else value.value
            )
    return values


def assert_equal_outside(
    manifest: Path, grades: Grades, ranking: Ranking, *, min_grade: int
) -> None:
    """Check every topic and measure at several cutoffs."""
    empty = {t for t, row in grades.items() if all(g < min_grade for g in row.values())}
    for cutoff in (1, 5, 10, 20, 100):
        found = ours(manifest, cutoff)
        expected = outside(grades, ranking, cutoff, min_grade)
        assert {topic for _, topic in expected} == grades.keys() & ranking.keys()
        for (key, topic), value in expected.items():
            if topic in empty and key != "judged":
                assert found[key, topic] == "unanswerable"
                assert value == 0 or key == "ndcg"
            else:
                assert found[key, topic] == pytest.approx(value, abs=1e-12), (key, topic, cutoff)
        assert {found["recall", topic] for topic in grades.keys() - ranking.keys()} <= {"missing"}
        alone = {found["recall", topic] for topic in ranking.keys() - grades.keys()}
        assert alone <= {"labels-absent"}


@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_topic_scores_as_ir_measures_says(samples: Path, tmp_path: Path, case: Case) -> None:
    qrels, run = samples / case.qrels, samples / case.run
    report = import_trec(qrels=qrels, runs=[run], out=tmp_path / "out", min_grade=case.min_grade)
    grades, ranking = read_grades(qrels), read_ranking(run)
    assert report.joins[0].joined == len(grades.keys() & ranking.keys()) > 0
    assert_equal_outside(report.manifests[0], grades, ranking, min_grade=case.min_grade)


@pytest.mark.parametrize("domain", ["clapnq", "cloud"])
def test_beir_judgements_with_a_header_score_as_ir_measures_says(
    samples: Path, tmp_path: Path, domain: str
) -> None:
    path = samples / "mtrag" / "retrieval_tasks" / domain / "qrels" / "dev.tsv"
    grades: Grades = defaultdict(dict)
    with path.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines, delimiter="\t"):
            grades[row["query-id"]][row["corpus-id"]] = int(row["score"])
    assert any("<::>" in topic for topic in grades)
    assert_made_up_run_agrees(path, grades, tmp_path, "BEIR tsv")


def test_tabbed_judgements_with_crlf_score_as_ir_measures_says(
    samples: Path, tmp_path: Path
) -> None:
    path = samples / "beir" / "nfcorpus-qrels.tsv"
    assert_made_up_run_agrees(path, read_grades(path), tmp_path, "TREC qrels")


def assert_made_up_run_agrees(path: Path, grades: Grades, folder: Path, dialect: str) -> None:
    """Check real judgements with a run made up from them and from documents nobody judged."""
    chance = random.Random(7)
    ranking: Ranking = {}
    for topic, row in grades.items():
        known = chance.sample(sorted(row), chance.randint(0, min(len(row), 30)))
        documents = [*known, *(f"unjudged {n}" for n in range(chance.randint(1, 20)))]
        ranking[topic] = chance.sample(documents, len(documents))
    scores = {t: {d: -float(n) for n, d in enumerate(row)} for t, row in ranking.items()}
    (folder / "run.json").write_text(json.dumps(scores), encoding="utf-8")
    report = import_trec(qrels=path, runs=[folder / "run.json"], out=folder / "out")
    assert report.files[0].dialect == dialect
    assert_equal_outside(report.manifests[0], grades, ranking, min_grade=1)


def test_ragtime_runs_score_as_ir_measures_says(samples: Path, tmp_path: Path) -> None:
    """The nugget bank names documents; each counts once for every answer it supports."""
    folder = samples / "trec-ragtime"
    grades: Grades = {}
    for line in content(folder / "T3_run_1.jsonl").splitlines():
        row = json.loads(line)
        named = grades.setdefault(row["metadata"]["topic_id"], {})
        for nugget in row["nugget_bank"]:
            for answer in nugget["answers"]:
                for document in answer["references"]:
                    named[document] = named.get(document, 0) + 1
    grades = {topic: row for topic, row in grades.items() if row}
    qrels = tmp_path / "qrels.json"
    qrels.write_text(json.dumps(grades), encoding="utf-8")
    runs = [folder / "T2_run_1.txt", folder / "T2_run_2.txt"]
    report = import_trec(qrels=qrels, runs=runs, out=tmp_path / "out")
    for path, manifest in zip(runs, report.manifests, strict=True):
        assert_equal_outside(manifest, grades, read_ranking(path), min_grade=1)
    comparison = load_comparison(*report.manifests)
    assert len(comparison) == 103
    assert (
        comparison.baseline.columns.states().keys() == comparison.candidate.columns.states().keys()
    )


class Official(NamedTuple):
    """One output of trec_eval and what it was made from."""

    output: str
    qrels: str
    run: str
    min_grade: int = 1


@pytest.mark.parametrize(
    "official",
    [
        Official("out.test.aq", "qrels.test", "results.test"),
        Official("out.test.aqc", "qrels.test", "results.trunc"),
        Official("out.test.aql", "qrels.rel_level", "results.test", 2),
    ],
    ids=lambda official: official.output,
)
def test_every_topic_scores_as_the_official_output_says(
    samples: Path, tmp_path: Path, official: Official
) -> None:
    folder = samples / TREC_EVAL
    report = import_trec(
        qrels=folder / official.qrels,
        runs=[folder / official.run],
        out=tmp_path / "out",
        min_grade=official.min_grade,
    )
    told = read_output(folder / official.output)
    topics = {topic for _, topic in told} - {"all"}
    assert topics == {"301", "302", "303"}
    for cutoff in DEPTHS:
        found = ours(report.manifests[0], cutoff)
        for topic in topics:
            for key, name in (("precision", f"P_{cutoff}"), ("recall", f"recall_{cutoff}")):
                assert_as_told(found[key, topic], told[name, topic])
    found = ours(report.manifests[0], 100)
    for topic in topics:
        rank = told["recip_rank", topic]
        assert_as_told(found["rr", topic], rank if float(rank) >= 0.01 else "0.0000")


def assert_as_told(value: float | str, told: str) -> None:
    """Compare with four printed digits; what is missing here was counted as 0 there."""
    assert (value == "missing" and float(told) == 0) or f"{value:.4f}" == told


def read_output(path: Path) -> dict[tuple[str, str], str]:
    """Return what trec_eval printed by (measure, topic)."""
    found = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        measure, topic, value = line.split("\t")
        found[measure.strip(), topic] = value.strip()
    return found


def test_the_sums_of_the_comment_test_are_the_official_ones(samples: Path, tmp_path: Path) -> None:
    """The topic without a relevant document is n/a here and 0 in the official means."""
    folder = samples / TREC_EVAL
    report = import_trec(
        qrels=folder / "qrels.comment.test",
        runs=[folder / "results.comment.test.31-judged-topics"],
        out=tmp_path / "out",
    )
    assert "1 topic without a relevant document: unanswerable" in report.notes
    told = read_output(folder / "out.comment.test")
    topics = int(told["num_q", "all"])
    assert report.questions == report.labelled == topics == 31
    for cutoff in DEPTHS:
        found = ours(report.manifests[0], cutoff)
        assert mean(found, "precision", topics) == told[f"P_{cutoff}", "all"]
    assert mean(found, "rr", topics) == told["recip_rank", "all"]


def mean(found: Mapping[tuple[str, str], float | str], measure: str, topics: int) -> str:
    """Return the sum of the defined values over all *topics*, as printed."""
    defined = [v for (key, _), v in found.items() if key == measure and isinstance(v, float)]
    return f"{sum(defined) / topics:.4f}"


def test_the_robust_pair_opens_as_one_comparison(samples: Path, tmp_path: Path) -> None:
    folder = samples / ROBUST
    report = import_trec(
        qrels=folder / "robust03_qrels.txt.gz",
        runs=[folder / "input.humR03dc.gz", folder / "input.NLPR03vb10.gz"],
        out=tmp_path / "robust03",
    )
    assert report.warnings == ()
    assert (
        "input.NLPR03vb10: on 15 topics the rank column gives another order than the scores;"
        " the scores count"
    ) in report.notes
    assert "input.NLPR03vb10: 21 tied scores, ordered by document id, high to low" in report.notes
    comparison = load_comparison(*report.manifests)
    assert len(comparison) == 100
    absences = [row for row in comparison.absences if row.measure.key in {"support", "coverage"}]
    assert {(row.code.words, row.side, row.n) for row in absences} == {
        ("claims were not recorded", "both", 100)
    }
    assert all(
        comparison.evidence.record(side, index) is not None for side in Side for index in range(100)
    )


def test_a_topic_that_the_right_run_lacks_is_missing_there(samples: Path, tmp_path: Path) -> None:
    folder = samples / TREC_EVAL
    report = import_trec(
        qrels=folder / "qrels.test",
        runs=[folder / "results.test", folder / "results.trunc"],
        out=tmp_path / "out",
    )
    assert report.joins[1].only_labelled == ("302",)
    assert "results.trunc: 5 lines longer than six columns, rest passed over" in report.notes
    comparison = load_comparison(*report.manifests)
    records = {
        (side.letter, name): comparison.evidence.record(side, index) is not None
        for side in Side
        for index, name in enumerate(comparison.ids)
    }
    assert [place for place, there in records.items() if not there] == [("B", "302")]
    assert "1 question missing in B" in comparison.notices
