"""What a person does in the evidence pane, the lower pane and an open document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragtui.core.model import Record, Retrieved
from ragtui.tui.screens.document import DocumentScreen
from ragtui.tui.spans import Span
from ragtui.tui.views.layout import Page
from ragtui.tui.widgets.evidence import EvidencePane
from ragtui.tui.widgets.lines_view import LinesView
from ragtui.tui.widgets.lower_tabs import LowerPane, Tab
from tests.builders import comparison_of, question, random_comparison, release_desk
from tests.tui.panes import PaneHost, frame_of

if TYPE_CHECKING:
    from ragtui.tui.widgets.lines_view import LinesPane

SIZE = (80, 40)


def _place(pane: LinesPane, text: str) -> tuple[int, int]:
    """Return where a text stands in a pane, for a click, its border included."""
    for y, line in enumerate(frame_of(pane)):
        if text in line:
            return line.index(text) + 1, y + 1
    raise AssertionError(f"{text!r} is not shown")


async def test_walking_down_the_evidence_reaches_claims_and_shows_what_they_cite() -> None:
    """Documents first, then claims; a claim selected shows its label and its documents."""
    pane = EvidencePane()
    app = PaneHost(pane, release_desk())
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press("down", "down", "down")
        assert pane.current == ("claim", "monday", "")
        assert pane.claim == "monday"
        told = app.told[-1]
        assert isinstance(told, EvidencePane.ClaimSelected)
        assert told.claim == "monday"
        assert any("expected, supported by launch" in line for line in frame_of(pane))


async def test_enter_on_a_claim_opens_the_document_it_cites() -> None:
    """And Enter on a document opens it."""
    pane = EvidencePane()
    app = PaneHost(pane, release_desk())
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press("down", "enter", "down", "down", "enter")
        opened = [m.document for m in app.told if isinstance(m, EvidencePane.DocumentOpened)]
        assert opened == ["launch", "launch"]


async def test_clicking_a_claim_selects_it_and_clicking_again_opens_its_document() -> None:
    """The mouse does what the keys do."""
    pane = EvidencePane()
    app = PaneHost(pane, release_desk())
    async with app.run_test(size=SIZE) as pilot:
        await pilot.click(pane, offset=_place(pane, "bonus  [launch]"))
        assert pane.claim == "bonus"
        await pilot.click(pane, offset=_place(pane, "bonus  [launch]"))
        assert isinstance(app.told[-1], EvidencePane.DocumentOpened)


async def test_another_measure_keeps_the_cursor_and_another_question_forgets_it() -> None:
    """The place belongs to the question."""
    pane = EvidencePane()
    app = PaneHost(pane, release_desk())
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press("down", "down", "down")
        app.session.move_measure(1)
        app.pass_down()
        kept = pane.current
        app.session.move(1)
        app.pass_down()
        assert (kept, pane.current) == (("claim", "monday", ""), None)


async def test_a_long_question_scrolls_line_by_line_between_far_targets() -> None:
    """Nothing between two targets is jumped over unseen."""
    text = "\n".join(f"line {n}" for n in range(100))
    told = Record(question="q", retrieved=(Retrieved("a", text=text),), claims=(), answer=text)
    comparison = comparison_of([question("q", relevant=["a"], support={})], [told], [told])
    pane = EvidencePane()
    app = PaneHost(pane, comparison)
    async with app.run_test(size=(80, 20)) as pilot:
        await pilot.press("down")
        await pilot.press("down")
        assert round(pane.scroll_offset.y) == 1
        await pilot.press("G")
        assert "line 99" in frame_of(pane)[-1]
        await pilot.press("g")
        assert round(pane.scroll_offset.y) == 0


async def test_a_pane_that_gets_narrower_is_laid_out_anew() -> None:
    """Under each other where there is no room for two columns."""
    pane = EvidencePane()
    app = PaneHost(pane, release_desk())
    async with app.run_test(size=SIZE) as pilot:
        assert any("│" in line for line in frame_of(pane))
        await pilot.resize_terminal(44, 40)
        await pilot.pause()
        assert not any("│" in line for line in frame_of(pane))


async def test_moving_in_the_summary_selects_the_measure() -> None:
    """Table, evidence and summary speak of the same measure."""
    pane = LowerPane()
    app = PaneHost(pane, release_desk())
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press("up", "up", "up")
        assert app.session.measure.key == "precision"
        assert pane.current == ("measure", "precision")


async def test_opening_a_slice_asks_for_its_questions() -> None:
    """By name and tag, for the table to filter."""
    pane = LowerPane()
    app = PaneHost(pane, release_desk())
    async with app.run_test(size=SIZE) as pilot:
        pane.select_tab(2)
        await pilot.press("down", "down", "down", "enter")
        told = app.told[-1]
        assert isinstance(told, LowerPane.SliceSelected)
        assert (told.name, told.tag) == ("lookup", "lookup")


async def test_opening_a_reason_asks_for_its_questions() -> None:
    """By measure and code."""
    pane = LowerPane()
    app = PaneHost(pane, release_desk())
    async with app.run_test(size=SIZE) as pilot:
        pane.select_tab(3)
        await pilot.press("down", "enter")
        told = app.told[-1]
        assert isinstance(told, LowerPane.AbsenceSelected)
        assert (told.measure, told.code) == ("support", "no-claims")


async def test_tabs_can_be_clicked() -> None:
    """The strip of tabs is a row of buttons."""
    pane = LowerPane()
    app = PaneHost(pane, release_desk())
    async with app.run_test(size=SIZE) as pilot:
        await pilot.click(pane, offset=_place(pane, "Changes"))
        assert pane.tab is Tab.CHANGES
        assert any("1 controlled change" in line for line in frame_of(pane))


async def test_the_slices_of_a_large_set_are_counted_aside() -> None:
    """The pane says so, and shows them when they are there."""
    pane = LowerPane()
    app = PaneHost(pane, random_comparison(20_100, 1))
    async with app.run_test(size=SIZE) as pilot:
        pane.select_tab(2)
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert any("several-evidence" in line for line in frame_of(pane))


async def test_the_difference_of_a_document_is_one_key_away_from_side_by_side() -> None:
    """Where A and B were given different text the difference comes first; Escape closes."""
    a, b = (
        Record(question="q", retrieved=(Retrieved("plan", text=text),), claims=())
        for text in ("on Monday", "on Friday")
    )
    comparison = comparison_of([question("q", relevant=["plan"], support={})], [a], [b])
    app = PaneHost(EvidencePane(), comparison)
    async with app.run_test(size=SIZE) as pilot:
        screen = DocumentScreen(comparison, comparison.detail(0), "plan")
        await app.push_screen(screen)
        await pilot.pause()
        view = screen.query_one(LinesView)
        assert any("on [−Monday−]{+Friday+}" in line for line in frame_of(view))
        await pilot.press("t")
        assert any("on Monday" in line and "on Friday" in line for line in frame_of(view))
        await pilot.press("escape")
        assert app.screen is not screen


async def test_a_cursor_is_seen_without_focus_too_but_less() -> None:
    """Two styles, so that it is plain where a key goes."""
    view = LinesView()
    app = PaneHost(view, release_desk())
    async with app.run_test(size=SIZE) as pilot:
        view.show(lambda width: Page([(Span("x" * width, meta=("row", "1")),)]))
        await pilot.press("down")
        focused = view.render_line(0)
        app.set_focus(None)
        await pilot.pause()
        assert view.current == ("row", "1")
        assert view.render_line(0) != focused


async def test_pages_turn_and_the_cursor_stays_within_reach() -> None:
    """A page down shows what came next; the next step picks up there, and a page up returns."""
    view = LinesView()
    app = PaneHost(view, release_desk())
    async with app.run_test(size=(60, 12)) as pilot:
        lines = [(Span(f"line {n}", meta=("row", str(n))),) for n in range(100)]
        view.show(lambda _: Page(lines, [(Span("head"),)]))
        height = view.scrollable_content_region.height - 1
        await pilot.press("down", "pagedown")
        assert frame_of(view)[:2] == ["head", f"line {height - 1}"]
        await pilot.press("down")
        assert view.current == ("row", str(height - 1))
        await pilot.press("pageup", "up")
        assert frame_of(view)[1] == "line 0"
        assert view.current == ("row", str(height - 2))
        await pilot.press("G", "up")
        assert view.current == ("row", "98")
        await pilot.click(view, offset=(3, 1))  # the header
        assert view.current == ("row", "98")


async def test_a_short_list_turns_to_its_ends() -> None:
    """Where all is in sight, a page goes to the last target and back to the first."""
    view = LinesView()
    app = PaneHost(view, release_desk())
    async with app.run_test(size=(60, 12)) as pilot:
        view.show([(Span(f"line {n}", meta=("row", str(n))),) for n in range(3)])
        await pilot.press("pagedown")
        assert view.current == ("row", "2")
        await pilot.press("pageup")
        assert view.current == ("row", "0")
        view.show([(Span("other", meta=("row", "1")),)], keep_position=True)
        assert view.current is None


async def test_an_empty_filter_leaves_an_evidence_pane_that_says_so() -> None:
    """No question, no title, no error on any key."""
    pane = EvidencePane()
    app = PaneHost(pane, release_desk())
    async with app.run_test(size=SIZE) as pilot:
        app.session.set_filter("nothing-has-this-word")
        app.pass_down()
        await pilot.press("down", "up", "enter", "G")
        assert frame_of(pane)[0] == "no question is shown"
        assert not pane.border_title
