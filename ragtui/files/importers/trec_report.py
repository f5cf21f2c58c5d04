"""The report of an import of TREC files: what joined, what did not, and what a reader must know."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragtui.files.importers.opening import file_name
from ragtui.files.importers.report import ReadFile, RunJoin, some
from ragtui.text import plural

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ragtui.files.importers.trec_files import Source
    from ragtui.files.importers.trec_labels import Labels
    from ragtui.files.importers.trec_queries import QueriesFile
    from ragtui.files.importers.trec_ranking import Order, RankedRun

    Topics = Mapping[str, Labels]

__all__ = [
    "all_topics",
    "join_of",
    "join_warnings",
    "label_notes",
    "read_file",
    "run_notes",
    "text_notes",
    "text_warnings",
]


def read_file(role: str, source: Source) -> ReadFile:
    """Return what is reported of one file."""
    return ReadFile(
        role=role,
        name=file_name(source.path),
        sha256=source.sha256,
        dialect=source.dialect + (", gzip" if source.packed else ""),
        used=source.used,
        skipped=source.skipped,
        changed=source.changed,
    )


def join_of(name: str, run: RankedRun, topics: Topics, *, cutoff: int, min_grade: int) -> RunJoin:
    """Count how the run *name* and the labels fit together."""
    judged = {topic: labels for topic, labels in topics.items() if labels.grades}
    both = [topic for topic in judged if topic in run.topics]
    top = unjudged = labelled = labelled_found = relevant = relevant_found = 0
    for topic in both:
        grades, documents = judged[topic].grades, run.topics[topic]
        wanted = set(judged[topic].relevant(min_grade))
        top += len(documents[:cutoff])
        unjudged += sum(document not in grades for document in documents[:cutoff])
        labelled += len(grades)
        labelled_found += sum(document in grades for document in documents)
        relevant += len(wanted)
        relevant_found += len(wanted.intersection(documents))
    return RunJoin(
        run=name,
        joined=len(both),
        only_labelled=tuple(topic for topic in topics if topic not in run.topics),
        only_retrieved=tuple(sorted(run.topics.keys() - judged.keys())),
        top=top,
        unjudged_top=unjudged,
        labelled=labelled,
        labelled_retrieved=labelled_found,
        relevant=relevant,
        relevant_retrieved=relevant_found,
    )


def join_warnings(join: RunJoin, run: RankedRun, topics: Topics) -> Iterator[str]:
    """Say when next to nothing of a run meets the labels, with examples of both."""
    if _near_zero(join.joined, min(len(topics), len(run.topics))):
        yield (
            f"{join.run}: {join.joined:,} of {plural(len(topics), 'labelled topic')} stand in the"
            f" run: do the ids differ? {some(topics, len(topics))} against"
            f" {some(run.topics, len(run.topics))}"
        )
        return
    joined = [topic for topic in topics if topic in run.topics]
    retrieved = sum(len(run.topics[topic]) for topic in joined)
    if retrieved and _near_zero(join.labelled_retrieved, min(join.labelled, retrieved)):
        labelled = some((d for t in joined for d in topics[t].grades), join.labelled)
        listed = some((d for t in joined for d in run.topics[t]), retrieved)
        yield (
            f"{join.run}: {join.labelled_retrieved:,} of"
            f" {plural(join.labelled, 'labelled document')} were ever retrieved:"
            f" do the ids differ? {labelled} against {listed}"
        )


def _near_zero(n: int, most: int) -> bool:
    """
    Tell whether less than one in a hundred of what could have joined did.

    >>> _near_zero(0, 5), _near_zero(1, 101), _near_zero(1, 100), _near_zero(0, 0)
    (True, True, False, False)
    """
    return n * 100 < most


def label_notes(topics: Topics, min_grade: int) -> Iterator[str]:
    """Say what a reader of the labels must know."""
    several = [labels for labels in topics.values() if labels.reviews]
    if several:
        yield (
            f"{plural(len(several), 'topic')} judged several times: all judgements kept as"
            " reviews, the highest grade is the main label"
        )
    if n := sum(grade < 0 for labels in topics.values() for grade in labels.grades.values()):
        yield f"{plural(n, 'grade')} below 0 kept as not relevant, without a gain"
    empty = [topic for topic, labels in topics.items() if not labels.grades]
    if empty:
        yield f"{plural(len(empty), 'topic')} without a judgement: labels absent"
    none = sum(bool(lab.grades) and not lab.relevant(min_grade) for lab in topics.values())
    if none:
        yield f"{plural(none, 'topic')} without a relevant document: unanswerable"


def text_notes(queries: QueriesFile | None, questions: Sequence[str]) -> Iterator[str]:
    """Say which questions have no text, and how many texts are of no question."""
    if queries is None:
        return
    without = [topic for topic in questions if topic not in queries.texts]
    if without:
        told = some(without, len(without))
        yield f"{plural(len(without), 'question')} without a text: {told}"
    if more := len(queries.texts.keys() - set(questions)):
        yield f"{plural(more, 'text')} of topics that are neither judged nor in a run, left out"


def text_warnings(queries: QueriesFile | None, questions: Sequence[str]) -> Iterator[str]:
    """Say when next to no question has a text, with examples of both."""
    if queries is None:
        return
    joined = sum(topic in queries.texts for topic in questions)
    if _near_zero(joined, min(len(questions), len(queries.texts))):
        yield (
            f"queries: {joined:,} of {plural(len(questions), 'question')} have a text: do the ids"
            f" differ? {some(questions, len(questions))} against"
            f" {some(queries.texts, len(queries.texts))}"
        )


def run_notes(name: str, run: RankedRun, order: Order) -> Iterator[str]:
    """Say what a reader of one run must know."""
    if run.wide_lines:
        yield f"{name}: {plural(run.wide_lines, 'line')} longer than six columns, rest passed over"
    if len(run.tags) > 1:
        yield f"{name}: {len(run.tags):,} run tags: {some(run.tags, len(run.tags))}"
    if empty := sum(not documents for documents in run.topics.values()):
        yield f"{name}: {plural(empty, 'topic')} with an empty list: nothing was retrieved"
    if run.disagreeing:
        yield (
            f"{name}: on {plural(run.disagreeing, 'topic')} the rank column gives another order"
            f" than the scores; {_order_words(order)}"
        )
    if run.tied and order == "score":
        yield f"{name}: {plural(run.tied, 'tied score')}, ordered by document id, high to low"


def _order_words(order: Order) -> str:
    return "the scores count" if order == "score" else "the rank column counts"


def all_topics(topics: Topics, runs: Sequence[RankedRun]) -> list[str]:
    """
    Return the questions of the set: judged topics in file order, then the others, sorted.

    The order of the runs does not matter.
    """
    others = {topic for run in runs for topic in run.topics} - topics.keys()
    return [*topics, *sorted(others)]
