"""The judgements of a topic as the labels of a question."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ragtui.errors import Fault
from ragtui.files.limits import MAX_IDS_OPEN

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ragtui.files.importers.trec_files import Judgements, QrelsFile
    from ragtui.files.shape import Faults

__all__ = ["Labels", "labels_by_topic", "labels_of", "question_of"]


@dataclass(frozen=True, slots=True)
class Labels:
    """What is known of one topic."""

    grades: Mapping[str, int]
    """Document to its highest grade, in order of first appearance."""
    reviews: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """Judge to document to grade; empty unless a document was judged more than once."""
    folded: int = 0
    """Lines that only said again what the same judge had said."""

    def relevant(self, least: int) -> list[str]:
        """Return the documents with a grade of *least* or more."""
        return [document for document, grade in self.grades.items() if grade >= least]


def labels_by_topic(file: QrelsFile, faults: Faults) -> dict[str, Labels]:
    """Return the labels of every judged topic; lists that are too long become faults."""
    topics = {topic: labels_of(judged) for topic, judged in file.topics.items()}
    for topic, labels in topics.items():
        if len(labels.grades) > MAX_IDS_OPEN:
            faults.add(
                Fault(
                    message="more documents are judged than one question can hold",
                    question=topic,
                    found=f"{len(labels.grades):,}",
                    expected=f"at most {MAX_IDS_OPEN:,}",
                )
            )
    return topics


def labels_of(judged: Judgements) -> Labels:
    """Return the labels of one topic; where a document was judged twice, also as reviews."""
    grades = dict(zip(judged.documents, judged.grades, strict=True))
    if len(grades) == len(judged.documents):
        return Labels(grades)
    reviews: dict[str, dict[str, int]] = {}
    folded = 0
    for document, judge, grade in zip(judged.documents, judged.judges, judged.grades, strict=True):
        grades[document] = max(grade, grades[document])
        folded += not _keep(reviews, judge or "judge", document, grade)
    several = len(reviews) > 1 and len(judged.documents) - folded > len(grades)
    return Labels(grades, reviews if several else {}, folded)


def _keep(reviews: dict[str, dict[str, int]], judge: str, document: str, grade: int) -> bool:
    """Put a judgement down, a judge's second opinion as one of its own; `False`: known already."""
    name, reading = judge, 1
    while (known := reviews.setdefault(name, {}).get(document)) is not None:
        if known == grade:
            return False
        reading += 1
        name = f"{judge} (reading {reading})"
    reviews[name][document] = grade
    return True


def question_of(
    topic: str, labels: Labels | None, min_grade: int, *, text: str | None = None
) -> dict[str, object]:
    """
    Return the question of one topic, relevant from *min_grade* up; unjudged: without any label.

    *text* is its own, where it is known.

    >>> question_of("q", Labels({"a": 2, "b": 0}), 1)["relevant"]
    ['a']
    >>> question_of("q", None, 1)
    {'id': 'q'}
    """
    named: dict[str, object] = {"id": topic} if text is None else {"id": topic, "text": text}
    if labels is None or not labels.grades:
        return named
    relevant = labels.relevant(min_grade)
    question = {
        **named,
        "relevant": relevant,
        "not_relevant": [d for d, grade in labels.grades.items() if grade < min_grade],
        "grades": {d: grade for d, grade in labels.grades.items() if grade > 0},
    }
    if labels.reviews:
        reviews = _reviews(labels, relevant, min_grade)
        question["review"] = reviews
        if any(set(_relevant(review)) != set(relevant) for review in reviews):
            question["status"] = "disputed"
    return question


def _reviews(labels: Labels, relevant: Sequence[str], min_grade: int) -> list[dict[str, object]]:
    """Return one review a judge; what a judge did not see stays as in the main label."""
    return [
        {
            "reviewer": judge,
            "relevant": [
                *(d for d in relevant if d not in grades),
                *(d for d, grade in grades.items() if grade >= min_grade),
            ],
        }
        for judge, grades in labels.reviews.items()
    ]


def _relevant(review: Mapping[str, object]) -> Sequence[str]:
    found = review["relevant"]
    return found if isinstance(found, list) else []
