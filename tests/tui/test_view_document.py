from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from ragtui.core.model import Document, Record, Retrieved
from ragtui.tui.spans import plain
from ragtui.tui.views.document import document_lines, document_title
from ragtui.tui.views.texts import texts_differ
from tests.builders import comparison_of, question, record, release_desk
from tests.strategies import hostile_text
from tests.tui.views import assert_fits, roles_of, shown

if TYPE_CHECKING:
    from ragtui.core.comparison import Comparison

MONDAY = "The release starts on Monday at nine."
FRIDAY = "The release starts on Friday at nine."


def _given(a: str | None, b: str | None, *documents: Document) -> Comparison:
    told = [
        Record(
            question="q",
            retrieved=(Retrieved("plan", text=text, version="7", score=0.5),),
            claims=(),
        )
        for text in (a, b)
    ]
    asked = question("q", relevant=["plan"], support={"x": ["plan"]})
    return comparison_of([asked], told[:1], told[1:], documents=documents)


def _text(
    comparison: Comparison, document: str, *, difference: bool = False, width: int = 80
) -> str:
    return shown(
        document_lines(
            comparison, comparison.detail(0), document, width=width, difference=difference
        )
    )


def test_a_document_says_where_it_comes_from_and_where_it_stood() -> None:
    """Title, source, version, rank and score in both runs; the text once when it is the same."""
    text = _text(release_desk(), "launch")
    assert "title     Launch plan" in text
    assert "source    docs/launch.md" in text
    assert "in A      rank 1 · version 2026-11 · score 1" in text
    assert "supports  monday" in text
    assert "cited in  B for monday, bonus" in text
    assert "delivered, the same in A and B" in text
    assert text.count("Traffic moves over") == 1


def test_different_text_under_one_id_is_seen_side_by_side() -> None:
    """Each run's own text under its letter."""
    comparison = _given(MONDAY, FRIDAY)
    assert texts_differ(comparison.detail(0), "plan")
    row = next(line for line in _text(comparison, "plan").splitlines() if "Monday" in line)
    left, right = row.split(" │ ")
    assert "Monday" in left
    assert "Friday" in right


def test_different_text_under_one_id_is_seen_word_by_word() -> None:
    """Signs mark what differs, so that no colour is needed."""
    comparison = _given(MONDAY, FRIDAY)
    text = _text(comparison, "plan", difference=True)
    assert "The release starts on [−Monday−]{+Friday+} at nine." in text
    lines = document_lines(comparison, comparison.detail(0), "plan", width=80, difference=True)
    assert roles_of(lines, "[−Monday−]") == ["muted strike"]
    assert roles_of(lines, "{+Friday+}") == ["strong underline"]


def test_a_text_that_no_run_recorded_comes_from_the_corpus_and_says_so() -> None:
    """Nobody is to think that the run delivered it."""
    comparison = _given(None, None, Document(id="plan", text=MONDAY, title="Plan"))
    text = _text(comparison, "plan")
    assert "from the corpus, not recorded" in text
    assert MONDAY in text
    assert "its text was not recorded" in _text(_given(None, None), "plan")


def test_the_text_of_a_restricted_document_is_never_shown() -> None:
    """Neither the delivered one nor the corpus's."""
    secret = Document(
        id="plan", text="canary-c", title="canary-t", source="canary-s", groups=("hr",)
    )
    comparison = _given("canary-a", "canary-b", secret)
    for difference in (False, True):
        text = _text(comparison, "plan", difference=difference)
        assert "canary" not in text
        assert "restricted for caller public: its text is not shown" in text
    comparison.shows_restricted = True
    text = _text(comparison, "plan")
    assert all(f"canary-{part}" in text for part in "abts")


def test_chunks_of_one_document_are_shown_in_rank_order() -> None:
    """All of them, with their ids, whether visible or not."""
    items = tuple(Retrieved("plan", f"c{n}", text=f"part {n}") for n in (1, 2, 3))
    told = Record(question="q", retrieved=items, claims=())
    comparison = comparison_of([question("q", relevant=[], support={})], [told], [told])
    text = _text(comparison, "plan")
    assert "rank 3, not visible · chunk c3" in text
    assert text.index("part 1") < text.index("part 2") < text.index("part 3")


def test_a_document_that_was_not_retrieved_can_be_read_too() -> None:
    """The label names it, the corpus has it."""
    comparison = comparison_of(
        [question("q", relevant=["plan"], support={})],
        [record("q", [], {})],
        [record("q", [], {})],
        documents=[Document(id="plan", text=MONDAY)],
    )
    text = _text(comparison, "plan")
    assert text.count("not retrieved") == 2
    title = document_title(comparison.detail(0), "plan")
    assert plain(title) == "plan · ● relevant · q"


@settings(max_examples=40)
@given(hostile_text(max_pieces=3), hostile_text(max_pieces=3), st.integers(1, 100), st.booleans())
def test_no_text_of_a_file_acts_on_the_screen(a: str, b: str, width: int, difference: bool) -> None:
    """Texts, titles, versions and sources are shown, never obeyed, at any width."""
    comparison = _given(
        a, b, Document(id="plan", text=a, title=b, source=a, version=b, groups=(a, "public"))
    )
    detail = comparison.detail(0)
    lines = document_lines(comparison, detail, "plan", width=width, difference=difference)
    assert_fits(lines, width)
