"""A held-out set on the screen: aggregates first, questions only when somebody asks and agrees."""

from __future__ import annotations

import shutil
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest

from ragtui.core.ledger import Depth
from ragtui.files.ledger import Look
from ragtui.tui.app import RagtuiApp
from ragtui.tui.keeping import Keeping
from ragtui.tui.loading import Loading, Source
from ragtui.tui.screens.ask import Ask
from ragtui.tui.screens.main import OPEN_WORDS
from tests.held_out import QUESTION_IDS, TEXTS, hold_out_support_desk, ledger_events, write_held_out
from tests.triage_data import names
from tests.tui.deciding import said
from tests.tui.frames import frame, main_screen, session_of, settle, until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from textual.pilot import Pilot

    from ragtui.core.comparison import Comparison

CLOSED = (*QUESTION_IDS, *TEXTS, "claim-")
EVERY_KEY = (
    *"nNvsSabideuU/jkgGlhtzyor",
    "escape",
    "enter",
    "space",
    "tab",
    "shift+tab",
    *"12345",
)
"""Keys that show, decide or take out something where questions are shown."""


@pytest.fixture
def held(tmp_path: Path) -> Path:
    return write_held_out(tmp_path)


def app_on(folder: Path, look: Look | None = None, *, candidate: str = "one") -> RagtuiApp:
    pair = folder / "base.toml", folder / f"{candidate}.toml"
    loading = Loading(Source(*pair, look=look or Look()))
    loading.start()
    return RagtuiApp(loading, keeping=Keeping(*pair))


@asynccontextmanager
async def running(app: RagtuiApp, size: tuple[int, int] = (140, 44)) -> AsyncIterator[Pilot[None]]:
    try:
        async with app.run_test(size=size, notifications=True) as pilot:
            await settle(pilot)
            yield pilot
    finally:
        app.finish()


def depths(folder: Path) -> list[str]:
    return [event["depth"] for event in ledger_events(folder) if event["kind"] == "look"]


async def ask_to_open(pilot: Pilot[None]) -> None:
    app = pilot.app
    assert isinstance(app, RagtuiApp)
    command = next(c for c in main_screen(app).commands() if c.title == OPEN_WORDS)
    command.run()
    await until(pilot, lambda: isinstance(app.screen, Ask))
    await pilot.pause()


@pytest.mark.parametrize("size", [(80, 24), (140, 44), (200, 60)])
async def test_it_opens_with_totals_and_says_so(held: Path, size: tuple[int, int]) -> None:
    async with running(app_on(held), size) as pilot:
        shown = frame(pilot.app)
        assert depths(held) == ["aggregate"]
        assert "held-out (scored)" in shown
        assert "1 candidate looked at, 5 allowed" in shown
        assert OPEN_WORDS in shown
        assert "improved" in shown
        assert not any(text in shown for text in CLOSED)


@pytest.mark.parametrize("size", [(80, 24), (140, 44)])
async def test_the_totals_have_the_room_until_the_questions_are_opened(
    held: Path, size: tuple[int, int]
) -> None:
    """No empty evidence, only keys that do something; then all three panes."""
    app = app_on(held)
    async with running(app, size) as pilot:
        main = main_screen(app)
        lower, evidence = main.query_one("#lower"), main.query_one("#evidence")
        assert lower.has_focus_within
        assert (lower.size.width, evidence.display) == (size[0] - 2, False)
        bar = frame(app).split("\n")[-1]
        assert bar.startswith(" ^p palette")
        assert not any(word in bar for word in ("accept", "filter", "sort"))
        await pilot.press("tab", "enter", "tab", "shift+tab", "shift+tab")
        assert lower.has_focus_within
        await ask_to_open(pilot)
        await pilot.press("down", "enter")
        await until(pilot, lambda: not session_of(app).comparison.withholds_questions)
        await settle(pilot)
        assert main.query_one("#questions").has_focus
        assert evidence.display is (size[0] >= 120)
        assert "filter" in frame(app).split("\n")[-1]


async def test_no_key_shows_a_question_of_a_closed_set(held: Path) -> None:
    app = app_on(held)
    async with running(app) as pilot:
        for key in EVERY_KEY:
            await pilot.press(key)
            await pilot.pause()
            assert not any(text in frame(app) for text in CLOSED)
            while app.screen is not main_screen(app):
                app.pop_screen()
            await pilot.pause()
        assert list(session_of(app).rows) == []
    assert depths(held) == ["aggregate"]
    assert not any(".triage.toml" in name for name in names(held))


async def test_no_tab_names_a_question_of_an_untidy_closed_set(root: Path, tmp_path: Path) -> None:
    for name in ("fixtures", "manifests"):
        shutil.copytree(root / name, tmp_path / name)
    (tmp_path / "ragtui.toml").touch()
    closed = hold_out_support_desk(tmp_path)
    folder = tmp_path / "manifests"
    loading = Loading(Source(folder / "support-baseline.toml", folder / "support-candidate.toml"))
    loading.start()
    app = RagtuiApp(loading)
    async with running(app, (200, 60)) as pilot:
        for tab in "12345":
            await pilot.press(tab, "down", "down", "enter")
            await settle(pilot)
            assert [text for text in closed if text in frame(app)] == []


async def test_a_filter_finds_nothing_in_a_closed_set(held: Path) -> None:
    app = app_on(held)
    async with running(app) as pilot:
        session = session_of(app)
        session.set_filter("secret-01")
        session.pick("all", range(24))
        assert list(session.rows) == []
        assert session.shown_aggregates is None
        await pilot.pause()


async def test_opening_asks_once_and_is_written_down_before_it_shows(
    held: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = app_on(held)
    seen: list[list[str]] = []
    async with running(app) as pilot:
        main = main_screen(app)
        real = main.show_session

        def noted(*args: object, **more: object) -> None:
            seen.append(depths(held))
            real(*args, **more)  # type: ignore[arg-type]  # passed on as they came

        monkeypatch.setattr(main, "show_session", noted)
        await ask_to_open(pilot)
        asked = " ".join(frame(app).split())
        assert "the next new candidate makes it a" in asked
        assert depths(held) == ["aggregate"]
        await pilot.press("down", "enter")
        await until(pilot, lambda: bool(session_of(app).rows))
        await settle(pilot)
        assert seen == [["aggregate", "question"]]
        shown = frame(app)
        assert "secret-01" in shown
        assert "held-out (opened)" in shown
        assert OPEN_WORDS not in [command.title for command in main.commands()]
        assert app.saving is not None


@pytest.mark.parametrize("keys", [("enter",), ("escape",)])
async def test_without_agreement_it_stays_closed(held: Path, keys: tuple[str, ...]) -> None:
    app = app_on(held)
    async with running(app) as pilot:
        await ask_to_open(pilot)
        await pilot.press(*keys)
        await pilot.pause()
        assert app.screen is main_screen(app)
        assert list(session_of(app).rows) == []
    assert depths(held) == ["aggregate"]


async def test_what_cannot_be_written_down_stays_closed(held: Path) -> None:
    app = app_on(held)
    async with running(app) as pilot:
        ledger = held / "ledger.jsonl"
        ledger.rename(held / "kept.jsonl")
        ledger.mkdir()
        await ask_to_open(pilot)
        await pilot.press("down", "enter")
        await until(pilot, lambda: "nothing is shown" in said(pilot))
        assert list(session_of(app).rows) == []
        ledger.rmdir()
        (held / "kept.jsonl").rename(ledger)
        before = session_of(app).comparison
        await pilot.press("r")
        await until(pilot, lambda: session_of(app).comparison is not before)
        assert list(session_of(app).rows) == []
    assert depths(held) == ["aggregate"]


async def test_open_from_the_command_line_needs_no_question(held: Path) -> None:
    app = app_on(held, Look(depth=Depth.QUESTION))
    async with running(app) as pilot:
        assert "secret-01" in frame(pilot.app)
        assert "held-out (opened)" in frame(pilot.app)
    assert depths(held) == ["question"]


async def test_a_ledger_that_cannot_be_written_ends_the_program(held: Path) -> None:
    (held / "ledger.jsonl").unlink()
    (held / "ledger.jsonl").mkdir()
    app = app_on(held)
    async with app.run_test() as pilot:
        await until(pilot, lambda: app.failure is not None)
        assert not any(text in frame(app) for text in CLOSED)
    assert app.return_code == 5


async def test_rows_are_not_passed_on_before_the_look_is_on_disk(
    held: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[Comparison] = []
    app = app_on(held, Look(depth=Depth.QUESTION))
    monkeypatch.setattr(
        "ragtui.tui.screens.main.MainScreen.show_opened",
        lambda _, comparison: shown.append(comparison),
    )
    async with running(app):
        assert shown == []


async def test_the_second_candidate_has_wider_intervals(held: Path) -> None:
    async with running(app_on(held)) as pilot:
        assert "95 % int" in frame(pilot.app)
    async with running(app_on(held, candidate="two")) as pilot:
        assert "97.5 % int" in frame(pilot.app)


async def test_an_exported_note_of_a_closed_set_names_no_question(
    held: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(held)
    app = app_on(held)
    async with running(app) as pilot:
        await pilot.press("x")
        await pilot.pause()
        await pilot.press("enter")
        await pilot.pause()
        await app.workers.wait_for_complete()
        await settle(pilot)
    note = (held / "run-base..run-one.md").read_text(encoding="utf-8")
    assert "held-out (scored)" in note
    assert not any(text in note for text in CLOSED)
