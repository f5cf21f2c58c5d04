from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ragtui.tui.views.worddiff import Kind, Piece, word_diff
from tests.strategies import hostile_text

SENTENCES = st.lists(st.sampled_from(["the", "router", "is", "switched", ",", "\n", "日本"])).map(
    " ".join
)


@given(SENTENCES | hostile_text(), SENTENCES | hostile_text())
def test_the_pieces_give_both_texts_back(a: str, b: str) -> None:
    """Without what only the other says, each text is whole again."""
    pieces = word_diff(a, b)
    assert "".join(p.text for p in pieces if p.kind is not Kind.ONLY_B) == a
    assert "".join(p.text for p in pieces if p.kind is not Kind.ONLY_A) == b


@given(SENTENCES | hostile_text())
def test_equal_texts_differ_nowhere(text: str) -> None:
    """One piece, or none of an empty text."""
    assert word_diff(text, text) == ([Piece(Kind.BOTH, text)] if text else [])


def test_only_the_words_that_differ_are_named() -> None:
    """Common words before, between and after stay common."""
    pieces = word_diff("It starts on Monday at nine.", "It starts on Friday at ten.")
    assert [p.text for p in pieces if p.kind is Kind.ONLY_A] == ["Monday", "nine"]
    assert [p.text for p in pieces if p.kind is Kind.ONLY_B] == ["Friday", "ten"]


def test_texts_too_long_to_compare_differ_as_a_whole_between_their_common_ends() -> None:
    """Time stays bounded: what lies between is one piece a side."""
    a = "start " + "left " * 3_000 + "end"
    b = "start " + "right " * 3_000 + "end"
    kinds = [piece.kind for piece in word_diff(a, b)]
    assert kinds == [Kind.BOTH, Kind.ONLY_A, Kind.ONLY_B, Kind.BOTH]
