"""TREC relevance judgements and runs as a question set over an open corpus, and its manifests."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from ragtui.core.model import MAX_CUTOFF
from ragtui.errors import Fault, UsageError
from ragtui.files.atomic import create_new
from ragtui.files.importers.opening import file_name
from ragtui.files.importers.report import Changed, ImportReport
from ragtui.files.importers.trec_labels import labels_by_topic, question_of
from ragtui.files.importers.trec_queries import read_queries
from ragtui.files.importers.trec_ranking import rank_run
from ragtui.files.importers.trec_reading import read_qrels, read_run
from ragtui.files.importers.trec_report import (
    all_topics,
    join_of,
    join_warnings,
    label_notes,
    read_file,
    run_notes,
    text_notes,
    text_warnings,
)
from ragtui.files.importers.writing import (
    ImportedRun,
    distinct_names,
    encode_lines,
    new_folder,
    refuse_occupied,
    safe_name,
    write_run,
    write_set,
)
from ragtui.files.question_rules import MAX_GRADE
from ragtui.files.shape import Faults

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from ragtui.files.importers.trec_files import Source
    from ragtui.files.importers.trec_labels import Labels
    from ragtui.files.importers.trec_queries import QueriesFile
    from ragtui.files.importers.trec_ranking import Order, RankedRun

__all__ = ["ABSENT", "import_trec"]

ABSENT: Final = ("question texts", "claims", "support", "document texts")
"""What judgements and runs never hold; question texts may come from a file of their own."""

_SUFFIX: Final = re.compile(r"(?:\.(?:gz|txt|json|jsonl|tsv))+$", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Import:
    """Everything that was read, and the options."""

    qrels: Source
    topics: Mapping[str, Labels]
    runs: Mapping[str, RankedRun]
    """Run id to ranked run, in the order given."""
    questions: Sequence[str]
    cutoff: int
    min_grade: int
    order: Order
    queries: QueriesFile | None = None

    @property
    def texts(self) -> Mapping[str, str]:
        """Topic to its text, as far as there is one."""
        return {} if self.queries is None else self.queries.texts


def import_trec(
    *,
    qrels: Path,
    runs: Sequence[Path],
    out: Path,
    queries: Path | None = None,
    cutoff: int = 10,
    min_grade: int = 1,
    order: Order = "score",
) -> ImportReport:
    """
    Read judgements and runs, and write a frozen set and pinned manifests into the new folder *out*.

    A document is relevant from *min_grade* up. A topic that only a run holds has absent labels; a
    topic that only the judgements hold is a missing question of that run. *queries* holds the texts
    of topics. Nothing is written before everything was read. Raises InputError for files that
    cannot be read, UsageError for options, OutputError when *out* holds anything or cannot be
    written.
    """
    _check_options(cutoff, min_grade, runs)
    refuse_occupied(out)
    judged = read_qrels(qrels)
    faults = Faults(judged.source.shown)
    topics = labels_by_topic(judged, faults)
    faults.raise_any()
    texts = None if queries is None else read_queries(queries)
    ranked = [rank_run(read_run(path), order) for path in runs]
    names = distinct_names(safe_name(_stem(path), f"run-{n}") for n, path in enumerate(runs, 1))
    data = _Import(
        qrels=judged.source,
        topics=topics,
        runs=dict(zip(names, ranked, strict=True)),
        questions=all_topics(topics, ranked),
        cutoff=cutoff,
        min_grade=min_grade,
        order=order,
        queries=texts,
    )
    return _write(data, out)


def _check_options(cutoff: int, min_grade: int, runs: Sequence[Path]) -> None:
    if not 1 <= cutoff <= MAX_CUTOFF:
        raise UsageError(
            Fault(
                message="the cutoff is out of range",
                key="--cutoff",
                found=str(cutoff),
                expected=f"1 to {MAX_CUTOFF}",
            )
        )
    if not 1 <= min_grade <= MAX_GRADE:
        raise UsageError(
            Fault(
                message="the lowest relevant grade is out of range",
                key="--min-grade",
                found=str(min_grade),
                expected=f"1 to {MAX_GRADE}: grade 0 says not relevant",
            )
        )
    if not runs:
        raise UsageError(Fault(message="there is no run to import", hint="name one with --run"))


def _stem(path: Path) -> str:
    """Return the name of a file without what only says how it is stored."""
    name = file_name(path)
    return _SUFFIX.sub("", name) or name


def _write(data: _Import, out: Path) -> ImportReport:
    set_id = safe_name(file_name(out.resolve()), "imported")
    report = _report(data, out, set_id)
    questions = encode_lines(
        question_of(topic, data.topics.get(topic), data.min_grade, text=data.texts.get(topic))
        for topic in data.questions
    )
    rubric = f"TREC judgements, relevant from grade {data.min_grade}"
    with new_folder(out):
        write_set(out, set_id, questions, rubric=rubric)
        manifests = tuple(write_run(out, run) for run in _imported(data))
        create_new(out / "import-report.toml", report.to_toml().encode())
    return replace(report, manifests=manifests)


def _imported(data: _Import) -> Iterator[ImportedRun]:
    """Give the runs to write one by one, each with its records in the set's order."""
    for name, run in data.runs.items():
        tag = f"run tag {next(iter(run.tags))[:80]}" if run.tags else "run tag not recorded"
        yield ImportedRun(
            id=name,
            cutoff=data.cutoff,
            note=f"imported from {file_name(run.source.path)}, {tag}",
            options={"order": data.order, "min_grade": data.min_grade},
            records=encode_lines(
                {"question": topic, "retrieved": run.topics[topic]}
                for topic in data.questions
                if topic in run.topics
            ),
        )


def _report(data: _Import, out: Path, set_id: str) -> ImportReport:
    joins = tuple(
        join_of(name, run, data.topics, cutoff=data.cutoff, min_grade=data.min_grade)
        for name, run in data.runs.items()
    )
    warnings = tuple(
        warning
        for join in joins
        for warning in join_warnings(join, data.runs[join.run], data.topics)
    )
    run_words = (n for name, run in data.runs.items() for n in run_notes(name, run, data.order))
    return ImportReport(
        out=out,
        files=(
            read_file("qrels", data.qrels),
            *([] if data.queries is None else [read_file("queries", data.queries.source)]),
            *(read_file(f"run {name}", run.source) for name, run in data.runs.items()),
        ),
        options={"cutoff": data.cutoff, "min_grade": data.min_grade, "order": data.order},
        questions=len(data.questions),
        labelled=sum(bool(labels.grades) for labels in data.topics.values()),
        duplicates=sum(labels.folded for labels in data.topics.values()),
        joins=joins,
        absent=ABSENT[1:] if data.texts.keys() >= set(data.questions) else ABSENT,
        changed=tuple(_changed(data, out, set_id)),
        notes=(
            *label_notes(data.topics, data.min_grade),
            *text_notes(data.queries, data.questions),
            *run_words,
        ),
        warnings=(*warnings, *text_warnings(data.queries, data.questions)),
    )


def _changed(data: _Import, out: Path, set_id: str) -> Iterator[Changed]:
    """Give the names that could not stay as they were."""
    if set_id != (folder := file_name(out.resolve())):
        yield Changed("set id", folder, set_id)
    for name, run in data.runs.items():
        if name != (stem := _stem(run.source.path)):
            yield Changed("run id", stem, name)
