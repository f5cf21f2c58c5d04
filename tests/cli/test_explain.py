from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from ragtui.cli.explain_text import explanation_lines
from ragtui.core.model import Document, Question, Record, Retrieved
from tests.builders import Case, comparison_of, question, record

if TYPE_CHECKING:
    from collections.abc import Callable

    from ragtui.core.comparison import Comparison
    from tests.cli.conftest import Done

PAIR: Final = "manifests/baseline.toml manifests/candidate.toml"


def _lines(comparison: Comparison, width: int = 100) -> list[str]:
    detail = comparison.detail(0)
    return [
        "".join(span.text for span in spans).rstrip()
        for spans in explanation_lines(comparison, detail, width)
    ]


def _below(lines: list[str], heading: str) -> list[str]:
    """Return the words of each line between a heading and the next blank line."""
    start = lines.index(heading) + 1
    end = lines.index("", start) if "" in lines[start:] else len(lines)
    return [" ".join(line.split()) for line in lines[start:end]]


def test_every_score_of_a_question_is_derived(run: Callable[..., Done]) -> None:
    """Launch: verdict, cause, claims with reasons, and each measure in A and B."""
    done = run(f"explain {PAIR} launch")
    lines = done.out.splitlines()
    assert done.code == 0
    assert "▼ regressed: new unsupported: bonus" in lines
    assert _below(lines, "B stated") == [
        "supported monday cites launch, which supports it",
        "unsupported bonus cites launch, but no label supports this claim",
    ]
    scores = _below(lines, "Scores")
    assert "support A 1/1 = 1.00 1 of 1 generated claims supported: monday" in scores
    assert "Δ −0.50 regressed" in scores
    assert "abstention A B n/a the question is answerable" in scores


def test_documents_stand_in_rank_order_with_their_marks(run: Callable[..., Done]) -> None:
    """Owner in A: the archive first, the relevant owners second."""
    lines = run(f"explain {PAIR} owner").out.splitlines()
    assert _below(lines, "A retrieved") == [
        "rank document",
        "1 archive not labelled relevant; cited by aurora",
        "2 ● owners relevant",
    ]


def test_texts_of_documents_and_answers_are_not_shown(run: Callable[..., Done]) -> None:
    """Ids, labels and counts only: what a run said stays in its records."""
    out = run(f"explain {PAIR} launch").out
    assert "free month" not in out
    assert "Traffic moves" not in out


def test_the_cutoff_parts_what_is_visible_from_what_is_not() -> None:
    """With k = 1 the second document stands below the line."""
    comparison = comparison_of(
        [question("q", relevant=["a"], support={"x": ["a"]})],
        [record("q", ["b", "a"], {"x": ["a"]})],
        [record("q", ["a", "b"], {"x": ["a"]})],
        cutoff=1,
    )
    assert _below(_lines(comparison), "A retrieved") == [
        "rank document",
        "1 b not labelled relevant",
        "── cutoff k 1: what follows is not visible",
        "2 ● a relevant; cited by x",
    ]


def test_what_was_not_recorded_is_said_where_it_would_stand() -> None:
    """A failed question shows its error, a missing one that there is no record."""
    comparison = comparison_of(
        [question("q", relevant=["a"], support={"x": ["a"]})], [record("q", error="timeout")], []
    )
    lines = _lines(comparison)
    assert _below(lines, "A retrieved") == ["failed: timeout"]
    assert _below(lines, "B retrieved") == ["no record of this question"]
    assert _below(lines, "B stated") == ["no record of this question"]


def test_parts_that_are_absent_are_not_called_empty() -> None:
    """Not recorded, nothing retrieved and no claim made are three different things."""
    comparison = comparison_of([Question(id="q")], [record("q")], [record("q", [], {})])
    lines = _lines(comparison)
    assert _below(lines, "A retrieved") == ["retrieval was not recorded"]
    assert _below(lines, "A stated") == ["claims were not recorded"]
    assert _below(lines, "B retrieved") == ["nothing"]
    assert _below(lines, "B stated") == ["no claim"]
    assert _below(lines, "Labels") == ["relevant not labelled"]


def test_claims_without_labels_cannot_be_judged() -> None:
    """A claim on an unlabelled question is neither supported nor unsupported."""
    comparison = comparison_of(
        [Question(id="q")], [record("q", ["a"], {"x": ["a"]})], [record("q", ["a"], {})]
    )
    assert _below(_lines(comparison), "A stated") == ["? x cites a; cannot be judged"]


def test_labels_other_versions_and_restrictions_are_told() -> None:
    """Grades, judged documents, a delivered version and a closed document have their words."""
    asked = Question(
        id="q",
        relevant=("a",),
        support={"x": (frozenset({"a"}),)},
        grades={"a": 2},
        not_relevant=("b",),
        critical=True,
        caller=("public", "hr"),
        tags=("lookup",),
    )
    shown = Record(
        question="q",
        retrieved=(Retrieved("a", version="old"), Retrieved("b"), Retrieved("s")),
    )
    case = Case(
        (asked,),
        (shown,),
        (),
        cutoff=3,
        documents=(
            Document(id="a", text="t", version="new", groups=("public",)),
            Document(id="b", text="t", groups=("hr",)),
            Document(id="s", text="t", groups=("board",)),
        ),
    )
    lines = _lines(case.compare())
    assert _below(lines, "A retrieved")[1:] == [
        "1 ● a relevant, grade 2; delivered in version old, the corpus has new",
        "2 b judged not relevant",
        "3 s restricted; not labelled relevant",
    ]
    labels = _below(lines, "Labels")
    for expected in (
        "not relevant b",
        "grades a 2",
        "critical must not break",
        "caller public, hr",
    ):
        assert expected in labels


@pytest.mark.parametrize("width", [72, 100])
def test_lines_keep_to_the_width(width: int) -> None:
    """Long reasons wrap below themselves."""
    comparison = comparison_of(
        [question("q", text="word " * 60, relevant=["a"], support={"x": ["a"]})],
        [record("q", ["a"], {"x": ["a"]})],
        [record("q", ["a"], {"x": ["b", "c"], "claim-with-a-long-name": []})],
    )
    assert max(map(len, _lines(comparison, width))) <= width


def test_an_unknown_question_names_the_nearest(run: Callable[..., Done]) -> None:
    """A typing mistake is wrong usage and gets a suggestion."""
    done = run(f"explain {PAIR} launhc")
    assert (done.code, done.out) == (2, "")
    assert 'did you mean "launch"?' in done.err
