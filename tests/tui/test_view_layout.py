from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ragtui.text import clean
from ragtui.tui.spans import Span, line_width, plain
from ragtui.tui.views.layout import Column, flow, flow_items, prose, section, table
from tests.strategies import ZWNJ, hostile_text
from tests.tui.views import assert_fits

ROLES = ("plain", "worse", "muted")


@st.composite
def _spans(draw: st.DrawFn) -> list[Span]:
    texts = draw(st.lists(hostile_text(max_pieces=3), min_size=1, max_size=4))
    return [Span(clean(text), draw(st.sampled_from(ROLES))) for text in texts]


@given(_spans(), st.integers(2, 30), st.integers(0, 4))
def test_flow_keeps_every_character_but_blanks_and_fits(
    spans: list[Span], width: int, indent: int
) -> None:
    """Broken at spaces, nothing is lost, and each character keeps its role."""
    lines = flow(spans, width + indent, indent=indent)
    assert_fits(lines, width + indent)
    given_characters = [(c, p.role) for p in spans for c in p.text if c != " "]
    kept = [(c, p.role) for line in lines for p in line[bool(indent) :] for c in p.text if c != " "]
    assert [one for one in kept if one[0] != ZWNJ] == [o for o in given_characters if o[0] != ZWNJ]


def test_a_joiner_at_the_end_of_a_span_takes_no_cell_of_the_next() -> None:
    """Drawn as two pieces, they are as wide as they were measured together."""
    spans = [Span(clean("\u0606\u200d")), Span(clean("\x1bP"), "muted")]
    assert_fits(flow(spans, 2), 2)
    assert plain(flow(spans, 2)[0]).startswith("\u0606")


@given(hostile_text(), st.integers(2, 40), st.integers(0, 1))
def test_prose_fits_whatever_a_file_says(text: str, width: int, indent: int) -> None:
    """Texts of any kind become lines of the width."""
    assert_fits(prose(text, width + indent, indent=indent), width + indent)


@given(st.lists(st.integers(1, 12), min_size=1, max_size=8), st.integers(12, 40))
def test_items_stay_whole(sizes: list[int], width: int) -> None:
    """An item that fits into a line is never broken, and the order stays."""
    items = [(Span("x" * size),) for size in sizes]
    lines = flow_items(items, width)
    assert_fits(lines, width)
    assert [part.text for line in lines for part in line if part.text.strip()] == [
        "x" * size for size in sizes
    ]


@given(st.integers(0, 60), hostile_text(max_pieces=2))
def test_a_section_is_as_wide_as_asked(width: int, title: str) -> None:
    """Its title is cut rather than the rule grow."""
    assert line_width(section((Span(clean(title)),), width)) == width


def test_columns_that_do_not_fit_are_left_out_from_the_right() -> None:
    """Numbers are never cut in the middle."""
    columns = [
        Column((Span(head),), [(Span("12345"),)], right=True) for head in ("a", "b", "c", "d")
    ]
    assert [plain(line) for line in table(columns, 13)] == ["    a      b", "12345  12345"]


def test_the_last_column_of_words_is_cut_when_a_useful_rest_remains() -> None:
    """Words may be cut, they are shown whole elsewhere."""
    columns = [
        Column((Span("n"),), [(Span("1"),)], right=True),
        Column((Span("why"),), [(Span("the answer makes no claims"),)]),
    ]
    assert plain(table(columns, 17)[1]) == "1  the answer ma…"
    assert plain(table(columns, 9)[1]) == "1"


def test_a_row_with_a_target_carries_it_over_the_whole_width() -> None:
    """So the cursor is one bar, and a click between two columns counts."""
    column = Column((Span("n"),), [(Span("1"),), (Span("2"),)])
    lines = table([column], 6, targets=[("row", "1")])
    assert {part.meta for part in lines[1]} == {("row", "1")}
    assert line_width(lines[1]) == 6
    assert {part.meta for part in lines[2]} == {None}
