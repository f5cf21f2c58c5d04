"""What somebody who compares two runs does on the screen, task by task."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from textual.widgets import Input

from ragtui.tui.app import RagtuiApp
from ragtui.tui.widgets.evidence import EvidencePane
from ragtui.tui.widgets.lower_tabs import LowerPane, Tab
from ragtui.tui.widgets.questions import QuestionsTable
from tests.builders import comparison_of, random_comparison, release_desk, release_desk_case
from tests.tui.frames import frame, main_screen, opened, session_of, settle, until

if TYPE_CHECKING:
    from textual.pilot import Pilot


def _app(pilot: Pilot[None]) -> RagtuiApp:
    assert isinstance(pilot.app, RagtuiApp)
    return pilot.app


async def _press(pilot: Pilot[None], *keys: str) -> str:
    await pilot.press(*keys)
    await settle(pilot)
    return frame(_app(pilot))


def _current(pilot: Pilot[None]) -> str:
    session = session_of(_app(pilot))
    assert session.current is not None
    return session.comparison.ids[session.current]


async def test_a_stranger_sees_at_once_what_got_worse_and_why() -> None:
    async with opened(release_desk()) as pilot:
        shown = frame(_app(pilot))
    assert "▼ 1 regressed" in shown
    assert "▲ 3 improved" in shown
    assert "▼ S2  launch" in shown
    assert "launch · S2 regressed" in shown
    assert "On which day does the release start?" in shown
    assert "✗ bonus" in shown
    assert "n next change" in shown
    assert "q quit" in shown


async def test_the_worst_question_stands_first_and_its_order_is_named() -> None:
    async with opened(release_desk()) as pilot:
        state = _app(pilot).screen.query_exactly_one(QuestionsTable).state
        assert state is not None
        assert [state.comparison.ids[i] for i in state.rows] == [
            "launch",
            "region",
            "rollback",
            "owner",
        ]
        assert "what hurts most first" in frame(_app(pilot))


async def test_moving_down_shows_the_next_question_in_the_evidence() -> None:
    async with opened(release_desk()) as pilot:
        shown = await _press(pilot, "j")
        assert "In which region will the release run?" in shown
        assert "2 of 4" in shown
        shown = await _press(pilot, "k", "G")
        assert "Which team owns the release?" in shown
        assert _current(pilot) == "owner"


async def test_the_arrows_change_which_score_is_explained() -> None:
    async with opened(release_desk()) as pilot:
        assert "Δ support, all 4" in frame(_app(pilot))
        assert "B 1/2 = 0.50" in frame(_app(pilot))
        shown = await _press(pilot, "left", "left", "left")
        assert session_of(_app(pilot)).measure.key == "precision"
        assert "Δ P@2, all 4" in shown
        await _press(pilot, "l")
        assert session_of(_app(pilot)).measure.key == "recall"


async def test_n_walks_over_the_questions_that_got_worse_and_wraps_once() -> None:
    async with opened(random_comparison(48, 7)) as pilot:
        session = session_of(_app(pilot))
        worse = sum(
            row.severity is not None
            for row in map(session.comparison.changes.__getitem__, session.rows)
        )
        seen = [_current(pilot)]
        for _ in range(worse):
            await _press(pilot, "n")
            seen.append(_current(pilot))
        assert seen[0] == seen[-1]
        assert len(set(seen)) == worse
        await _press(pilot, "N")
        assert _current(pilot) == seen[-2]


async def test_a_filter_is_written_kept_shown_and_cleared_with_one_key() -> None:
    async with opened(release_desk()) as pilot:
        shown = await _press(pilot, "slash", *"tag:lookup")
        assert 'filter "tag:lookup" · 2 of 4' in shown
        shown = await _press(pilot, "enter")
        assert 'Questions · filter "tag:lookup" · 2 of 4 · Esc shows all' in shown
        assert "rollback" not in shown.split("╭─ ▼")[0].split("Summary")[0].split("A 2026")[0]
        shown = await _press(pilot, "escape")
        assert not session_of(_app(pilot)).is_filtered
        assert "Esc shows all" not in shown


async def test_a_mistake_in_a_filter_is_named_with_its_place_and_the_nearest_word() -> None:
    async with opened(release_desk()) as pilot:
        shown = await _press(pilot, "slash", *"verdikt:regressed")
        assert 'unknown key "verdikt"' in shown
        assert 'did you mean "verdict"' in shown
        await _press(pilot, "enter")
        assert isinstance(_app(pilot).focused, Input)


async def test_escape_while_filtering_returns_to_the_old_filter() -> None:
    async with opened(release_desk(), filter_text="tag:lookup") as pilot:
        assert len(session_of(_app(pilot)).rows) == 2
        await _press(pilot, "slash", *" critical:yes")
        assert len(session_of(_app(pilot)).rows) == 0
        await _press(pilot, "escape")
        assert session_of(_app(pilot)).filter_text == "tag:lookup"
        assert isinstance(_app(pilot).focused, QuestionsTable)


async def test_letters_typed_into_the_filter_do_nothing_else() -> None:
    async with opened(release_desk()) as pilot:
        await _press(pilot, "slash", *"qnvz")
        assert _app(pilot).is_running
        assert _app(pilot).screen.query_exactly_one(Input).value == "qnvz"


async def test_a_start_filter_that_is_not_understood_is_said_and_dropped() -> None:
    async with opened(release_desk(), filter_text="verdikt:x") as pilot:
        assert len(session_of(_app(pilot)).rows) == 4
        assert any("filter not used" in n.message for n in _app(pilot)._notifications)


async def test_v_walks_over_the_views_that_have_questions() -> None:
    async with opened(release_desk()) as pilot:
        views = []
        for _ in range(4):
            await _press(pilot, "v")
            views.append(session_of(_app(pilot)).view.value)
        assert views == ["undecided", "regressed", "improved", "all"]


async def test_s_sorts_by_the_selected_measure_and_again_by_harm() -> None:
    async with opened(release_desk()) as pilot:
        await _press(pilot, "left", "left", "s")
        assert session_of(_app(pilot)).sort.key == "recall"
        assert "by R@2" in frame(_app(pilot))
        shown = await _press(pilot, "S")
        assert "by R@2, reversed" in shown
        await _press(pilot, "s")
        assert session_of(_app(pilot)).sort == ("triage", False)


async def test_enter_goes_to_the_evidence_and_escape_returns() -> None:
    async with opened(release_desk()) as pilot:
        await _press(pilot, "enter")
        assert isinstance(_app(pilot).focused, EvidencePane)
        await _press(pilot, "escape")
        assert isinstance(_app(pilot).focused, QuestionsTable)


async def test_tab_walks_over_three_panes_and_back() -> None:
    async with opened(release_desk()) as pilot:
        kinds = []
        for key in ("tab", "tab", "tab", "shift+tab"):
            await _press(pilot, key)
            kinds.append(type(_app(pilot).focused))
        assert kinds == [LowerPane, EvidencePane, QuestionsTable, EvidencePane]


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("1", "too few"),
        ("2", "unanswerable"),
        ("3", "never 0"),
        ("4", "no acceptance policy"),
        ("5", "held"),
    ],
)
async def test_a_number_shows_a_tab(key: str, words: str) -> None:
    async with opened(release_desk(), size=(160, 50)) as pilot:
        shown = await _press(pilot, key)
        assert isinstance(_app(pilot).focused, LowerPane)
        assert words in shown


async def test_a_slice_filters_the_table_and_the_totals_stay() -> None:
    async with opened(release_desk()) as pilot:
        await _press(pilot, "2", "down", "down", "down", "enter")
        session = session_of(_app(pilot))
        assert 0 < len(session.rows) < 4
        shown = frame(_app(pilot))
        assert "slice " in shown
        assert "▼ 1 regressed" in shown
        assert isinstance(_app(pilot).focused, QuestionsTable)


async def test_a_reason_without_a_value_filters_the_table() -> None:
    async with opened(release_desk()) as pilot:
        await _press(pilot, "3", "down", "enter")
        session = session_of(_app(pilot))
        assert session.is_filtered
        assert [session.comparison.ids[i] for i in session.rows] == ["region"]
        assert "n/a: " in session.filter_words


async def test_zoom_gives_one_pane_the_screen_and_takes_it_back() -> None:
    async with opened(release_desk()) as pilot:
        shown = await _press(pilot, "z")
        assert "Summary" not in shown
        shown = await _press(pilot, "tab")
        assert "Summary" in shown
        assert "question tags" not in shown
        shown = await _press(pilot, "escape", "escape")
        assert "Summary" in shown
        assert "launch · S2 regressed" in shown


async def test_a_narrow_screen_shows_the_evidence_in_place_of_the_table() -> None:
    async with opened(release_desk(), size=(80, 24)) as pilot:
        shown = frame(_app(pilot))
        assert "▼ S2  launch" in shown
        assert "On which day" not in shown
        shown = await _press(pilot, "enter")
        assert "On which day" in shown
        assert "▼ S2  launch" not in shown
        shown = await _press(pilot, "escape")
        assert "▼ S2  launch" in shown


@pytest.mark.parametrize(
    "size", [(1, 1), (20, 6), (40, 10), (60, 20), (80, 24), (119, 30), (300, 90)]
)
async def test_every_size_is_drawn_within_itself(size: tuple[int, int]) -> None:
    async with opened(random_comparison(48, 7), size=size) as pilot:
        await _press(pilot, "j", "n", "right", "2", "enter", "z", "escape")
        lines = [strip.cell_length for strip in _app(pilot).screen._compositor.render_strips()]
        assert len(lines) == size[1]
        assert set(lines) == {size[0]}


async def test_resizing_while_the_evidence_is_open_keeps_it() -> None:
    async with opened(release_desk(), size=(140, 44)) as pilot:
        await _press(pilot, "enter")
        await pilot.resize_terminal(90, 30)
        await settle(pilot)
        assert "On which day" in frame(_app(pilot))


async def test_the_help_names_every_action_and_what_is_not_measured() -> None:
    async with opened(release_desk(), size=(120, 150)) as pilot:
        await pilot.press("question_mark")
        await pilot.pause()
        shown = frame(_app(pilot))
        assert "send the question's id to the terminal's clipboard" in shown
        assert "no text was judged by this program" in shown
        assert "the share of the generated claims" in shown
        await pilot.press("escape")
        await settle(pilot)
        assert "no text was judged" not in frame(_app(pilot))


async def test_the_palette_finds_an_action_by_name_and_offers_no_screenshot() -> None:
    async with opened(release_desk()) as pilot:
        main = main_screen(_app(pilot))
        titles = [command.title for command in main.commands()]
        assert "Measure: support" in titles
        assert not any("screenshot" in title.lower() for title in titles)
        await pilot.press("ctrl+p")
        await pilot.pause()
        await pilot.press(*"measure: support")
        await _app(pilot).workers.wait_for_complete()
        await pilot.pause()
        await pilot.press("enter")
        await until(pilot, lambda: session_of(_app(pilot)).measure.key == "support")


async def test_y_sends_the_id_to_the_clipboard_and_says_so() -> None:
    async with opened(release_desk()) as pilot:
        await _press(pilot, "y")
        assert _app(pilot).clipboard == "launch"
        assert any("launch" in n.message for n in _app(pilot)._notifications)


async def test_r_reads_again_and_stays_at_the_question_measure_and_sort() -> None:
    async with opened(release_desk()) as pilot:
        await _press(pilot, "right", "s", "j", "j")
        before = _current(pilot), session_of(_app(pilot)).sort
        app = _app(pilot)
        app._reading._load = lambda *_, **__: release_desk_case().swapped().compare()
        old = session_of(app).comparison
        await pilot.press("r")
        await until(pilot, lambda: session_of(app).comparison is not old)
        await settle(pilot)
        assert (_current(pilot), session_of(app).sort) == before


async def test_a_click_selects_the_question_and_the_measure() -> None:
    async with opened(release_desk()) as pilot:
        table = _app(pilot).screen.query_exactly_one(QuestionsTable)
        lines = frame(_app(pilot)).split("\n")
        row = next(y for y, line in enumerate(lines) if "▲     rollback" in line)
        column = next(line for line in lines if "sev question" in line).index("cover.")
        await pilot.click(table, offset=(column + 1 - table.region.x, row - table.region.y))
        await settle(pilot)
        assert _current(pilot) == "rollback"
        assert session_of(_app(pilot)).measure.key == "coverage"


async def test_a_click_on_a_head_sorts_and_a_second_one_reverses() -> None:
    async with opened(release_desk()) as pilot:
        table = _app(pilot).screen.query_exactly_one(QuestionsTable)
        lines = frame(_app(pilot)).split("\n")
        row = next(y for y, line in enumerate(lines) if "sev question" in line)
        offset = (lines[row].index("question") - table.region.x, row - table.region.y)
        await pilot.click(table, offset=offset)
        await settle(pilot)
        assert session_of(_app(pilot)).sort == ("question", False)
        await pilot.click(table, offset=offset)
        await settle(pilot)
        assert session_of(_app(pilot)).sort == ("question", True)


async def test_a_click_in_the_key_bar_does_what_the_key_does() -> None:
    async with opened(release_desk()) as pilot:
        line = frame(_app(pilot)).split("\n")[-1]
        await pilot.click(offset=(line.index("z zoom") + 2, 43))
        await settle(pilot)
        assert main_screen(_app(pilot)).has_class("-zoomed")


async def test_notices_stand_over_the_table_and_a_click_shows_them_whole() -> None:
    case = release_desk_case()
    found = comparison_of(
        case.questions,
        case.records_a,
        case.records_b,
        documents=case.documents,
        notices=("not pinned: A does not name the digest of its set", "B repeats A", "x" * 90),
    )
    async with opened(found, size=(120, 40)) as pilot:
        lines = frame(_app(pilot)).split("\n")
        assert lines[3].startswith(" ! not pinned: A")
        assert "more in Changes (5)" in lines[3]
        await pilot.click(offset=(10, 3))
        await settle(pilot)
        assert isinstance(_app(pilot).focused, LowerPane)
        assert _app(pilot).screen.query_exactly_one(LowerPane).tab is Tab.CHANGES


async def test_the_theme_key_walks_over_all_themes() -> None:
    async with opened(release_desk()) as pilot:
        app = _app(pilot)
        seen = {app.theme}
        for _ in range(3):
            await _press(pilot, "T")
            seen.add(app.theme)
        assert len(seen) == 4
        assert "▼ 1 regressed" in frame(app)


async def test_an_own_key_replaces_the_default_everywhere() -> None:
    async with opened(release_desk(), keymap={"pane.zoom": "f5"}) as pilot:
        assert "f5 zoom" in frame(_app(pilot))
        await _press(pilot, "z")
        assert not main_screen(_app(pilot)).has_class("-zoomed")
        await _press(pilot, "f5")
        assert main_screen(_app(pilot)).has_class("-zoomed")


async def test_a_million_questions_are_moved_over_without_touching_them_all() -> None:
    async with opened(random_comparison(3_000, 7), size=(100, 30)) as pilot:
        table = _app(pilot).screen.query_exactly_one(QuestionsTable)
        await _press(pilot, "G")
        assert session_of(_app(pilot)).cursor == 2_999
        await _press(pilot, "pageup", "pagedown", "g")
        assert session_of(_app(pilot)).cursor == 0
        assert len(table._strips) < 200


async def test_q_leaves_with_code_0() -> None:
    async with opened(release_desk()) as pilot:
        await pilot.press("q")
        await pilot.pause()
    assert pilot.app.return_code == 0
