"""The table's rows and the header as lines, without an app."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtui.core.model import Review, Status
from ragtui.session import Sort
from ragtui.text import cell_width
from ragtui.tui.actions import ACTIONS, Scope
from ragtui.tui.spans import line_width, plain
from ragtui.tui.views.decision import Stand, mark
from ragtui.tui.views.header import bars, header_lines, progress_line
from ragtui.tui.views.help import help_lines
from ragtui.tui.views.questions import (
    RowState,
    columns_for,
    header_line,
    natural_id_width,
    row_line,
)
from ragtui.tui.widgets.header import notice_line
from ragtui.tui.widgets.key_bar import key_line, shown_keys
from tests.builders import (
    Case,
    comparison_of,
    disputed_desk,
    question,
    questions_with_records,
    random_comparison,
    record,
    release_desk,
    run_info,
)
from tests.strategies import hostile_text
from tests.tui.views import assert_fits

if TYPE_CHECKING:
    from ragtui.core.comparison import Comparison
    from ragtui.tui.spans import Line


def _state(comparison: Comparison, index: int) -> RowState:
    """Return the state of a row nobody has decided about, the first one under the cursor."""
    needed = comparison.changes[index].severity is not None
    shown = mark(Stand(needed=needed), narrow=False)
    return RowState(current=index == comparison.order[0], mark=shown)


def _rows(comparison: Comparison, width: int, key: str = "support") -> list[Line]:
    """Return the header and every row in triage order, the first one under the cursor."""
    measure = comparison.measure(key)
    columns = columns_for(
        comparison.measures,
        comparison.cutoff,
        width,
        selected=measure,
        id_width=natural_id_width(comparison.ids),
    )
    head = header_line(columns, comparison.cutoff, selected=measure, sort=Sort())
    return [
        head,
        *(
            row_line(comparison, columns, index, selected=measure, state=_state(comparison, index))
            for index in comparison.order
        ),
    ]


def _texts(comparison: Comparison, width: int, key: str = "support") -> list[str]:
    return [plain(line).rstrip() for line in _rows(comparison, width, key)]


def test_the_reference_table_reads_as_the_design_draws_it() -> None:
    assert _texts(release_desk(), 85) == [
        "  sev question tags             P@2     R@2    RR@2  support  cover.   abst.  triage▾",
        "▼ S2  launch   lookup             ·       ·       ·    −0.50       ·     n/a  ○",
        "▲     region   unanswerable     n/a     n/a     n/a 0.00→n/a     n/a  no→yes",
        "▲     rollback several-evi…   +0.50   +0.50       ·        ·   +0.50     n/a",
        "▲     owner    lookup             ·       ·   +0.50    +1.00   +1.00     n/a",
    ]


def test_a_row_whose_verdict_hangs_on_a_label_has_a_sign_of_its_own() -> None:
    """Beside the sign of a critical question, where that stands."""
    row = _texts(disputed_desk(), 85)[1]
    assert row.startswith("▼ S2? launch")
    asked = question("q", relevant=["a"], critical=True)
    review = Review(reviewer="r", relevant=("b",))
    disputed = msgspec.structs.replace(asked, status=Status.DISPUTED, reviews=(review,))
    found = comparison_of([disputed], [record("q", ["a"], {})], [record("q", ["b"], {})])
    assert _texts(found, 85)[1].startswith("▽ S4!?q")


def test_tags_fold_first_and_verdict_severity_and_worst_delta_never() -> None:
    wide, narrow, tiny = (_texts(release_desk(), width) for width in (100, 62, 40))
    assert "lookup" in wide[1]
    assert "lookup" not in narrow[1]
    assert "−0.50" in narrow[1]
    assert tiny[0].endswith("support  t")
    assert tiny[1].startswith("▼ S2  launch")
    assert "support −0.50" in tiny[1]


@pytest.mark.parametrize("width", [0, 1, 10, 30, 40, 50, 60, 79, 100, 200])
def test_rows_of_wide_screens_fit(width: int) -> None:
    lines = _rows(random_comparison(30, 3), width)
    if width >= 40:
        assert all(line_width(line) <= width for line in lines)


def test_the_numbers_of_one_column_end_at_one_cell() -> None:
    lines = _rows(random_comparison(48, 7), 120)
    ends = {line_width(line) for line in lines}
    assert len(ends) == 1


def test_a_swap_behind_an_equal_score_is_shown() -> None:
    asked = question("q", relevant=["d"], support={"x": ["d"], "y": ["d"]})
    a = record("q", ["d"], {"x": ["d"]})
    b = record("q", ["d"], {"y": ["d"]})
    found = comparison_of([asked], [a], [b])
    assert "±swap" in _texts(found, 100)[1]


def test_a_new_unsupported_claim_behind_an_equal_support_is_shown() -> None:
    asked = question("q", relevant=["d"], support={"x": ["d"]}, accepted={})
    a = record("q", ["d"], {"bad": ["d"]})
    b = record("q", ["d"], {"bad": ["d"], "worse": ["d"]})
    found = comparison_of([asked], [a], [b])
    assert "+1✗" in _texts(found, 100)[1]


def test_a_side_without_a_record_says_which() -> None:
    asked = question("q", relevant=["d"], support={"x": ["d"]})
    found = comparison_of([asked], [record("q", ["d"], {"x": ["d"]})], [])
    row = _texts(found, 100)[1]
    assert row.startswith("∅")
    assert row.count("→n/a") == 5


@given(questions_with_records(max_size=4), st.integers(40, 140), hostile_text())
def test_nothing_in_a_row_acts_or_overflows(case: Case, width: int, text: str) -> None:
    renamed = {q.id: f"{text}{place}" for place, q in enumerate(case.questions)}
    found = comparison_of(
        [
            msgspec.structs.replace(q, id=renamed[q.id], tags=(*q.tags, text))
            for q in case.questions
        ],
        [msgspec.structs.replace(r, question=renamed[r.question]) for r in case.records_a],
        [msgspec.structs.replace(r, question=renamed[r.question]) for r in case.records_b],
        cutoff=case.cutoff,
        notices=(text,),
        baseline=run_info(text, cutoff=case.cutoff, pipeline={text: text}),
        candidate=run_info("b", cutoff=case.cutoff),
    )
    assert_fits(_rows(found, width), width)
    assert_fits(header_lines(found, found.measures[0], width), width)
    assert_fits([notice_line((text, text), width)], width)


def test_the_header_says_what_is_compared_and_what_changed() -> None:
    found = release_desk()
    lines = [plain(line) for line in header_lines(found, found.measure("support"), 140)]
    assert "release-desk 1.0.0 · development · 4 questions · k = 2 · strict-citation/1" in lines[0]
    assert "labels frozen ✓" in lines[0]
    assert "A 2026-11-20-baseline  →  B 2026-11-27-candidate" in lines[1]
    assert "retrieval.reranker none → cross-encoder-2" in lines[1]
    assert "▼ 1 regressed" in lines[2]
    assert "Δ support, all 4" in lines[2]
    assert lines[2].rstrip().endswith("1 n/a")


def test_a_single_loss_among_many_questions_still_has_a_bar() -> None:
    strip = bars({Fraction(-1): 1, Fraction(0): 999_999}, 40)
    assert len(strip) == 40
    assert strip[0].sign == -1
    assert all(bar.sign == 0 for bar in strip[1:])


@given(
    st.dictionaries(
        st.fractions(-1, 1, max_denominator=12), st.integers(1, 50), min_size=1, max_size=9
    ),
    st.integers(1, 60),
)
def test_bars_go_from_worst_to_best_and_mirror(deltas: dict[Fraction, int], cells: int) -> None:
    strip = bars(deltas, cells)
    assert len(strip) == min(cells, sum(deltas.values()))
    heights = [bar.height for bar in strip]
    assert heights == sorted(heights)
    if min(deltas) < 0 and len(strip) > 1 and -min(deltas) >= max(deltas):
        assert strip[0].sign == -1


def test_a_count_where_less_is_better_turns_the_colours() -> None:
    assert bars({Fraction(2): 1}, 1, lower_is_better=True)[0].sign == -1


@pytest.mark.parametrize(("done", "total"), [(0, 0), (0, 10), (5, 10), (11, 10)])
def test_progress_fits(done: int, total: int) -> None:
    for width in (0, 10, 40, 100):
        assert line_width(progress_line("records of A and B", done, total, width)) <= width


def test_keys_that_do_not_fit_leave_the_weightiest() -> None:
    shown = [a for a in ACTIONS if Scope.FILTER not in a.scopes]
    keys = {a.id: shown_keys(a, None) for a in shown}
    assert "q quit" in plain(key_line(shown, keys, 20))
    assert "n next change" in plain(key_line(shown, keys, 40))
    for width in range(120):
        assert line_width(key_line(shown, keys, width)) <= max(1, width)


def test_the_help_fits_and_names_every_key() -> None:
    found = release_desk()
    lines = help_lines(76, measures=found.measures, cutoff=2, keymap={"pane.zoom": "f5"})
    assert_fits(lines, 76)
    text = "\n".join(plain(line) for line in lines)
    assert "f5" in text
    assert all(action.help.split(",")[0][:30] in text for action in ACTIONS)


def test_ids_get_room_within_reason() -> None:
    assert natural_id_width(["a"]) == 8
    assert natural_id_width(["日本" * 5]) == cell_width("日本" * 5)
    assert natural_id_width(["x" * 300]) == 32
