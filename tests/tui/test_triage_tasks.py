"""What a reviewer does on the screen: goes through every change, changes their mind, exports."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from textual import events

from ragtui.core.triage import Choice
from ragtui.errors import InputError
from ragtui.files.loading import load_comparison
from ragtui.files.triage_file import load_triage
from ragtui.files.triage_store import Holder, TriageStore
from ragtui.tui.app import RagtuiApp
from ragtui.tui.key_guard import STEP_GAP_S
from ragtui.tui.screens.ask import Ask
from ragtui.tui.screens.editor import DecisionEditor
from ragtui.tui.widgets.key_bar import KeyBar
from tests.builders import release_desk
from tests.tui.deciding import (
    app_of,
    current,
    kept_in,
    notes,
    press,
    regressions,
    said,
    states,
)
from tests.tui.frames import frame, main_screen, memory_loading, opened, session_of, settle, until

if TYPE_CHECKING:
    from pathlib import Path


async def test_support_desk_is_triaged_to_the_end_by_keyboard_alone(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, record_property: object
) -> None:
    """21 changes take 21 keys, and two more write the release note."""
    monkeypatch.chdir(tmp_path)
    folder = root / "manifests"
    found = load_comparison(folder / "support-baseline.toml", folder / "support-candidate.toml")
    keys = 0
    async with opened(found, keeping=kept_in(tmp_path, who="Jo")) as pilot:
        changes = session_of(app_of(pilot)).counts.total
        for number in range(changes):
            assert f"{number} of {changes} decided" in frame(app_of(pilot))
            await press(pilot, "abd"[number % 3])
            keys += 1
        shown = frame(app_of(pilot))
        assert "Nothing left to decide" in shown
        assert f"{changes} of {changes} decided ✓" in shown
        await pilot.press("enter")
        await pilot.pause()
        assert "Export the release note" in frame(app_of(pilot))
        await pilot.press("enter")
        keys += 2
        await app_of(pilot).workers.wait_for_complete()
        await settle(pilot)
        assert "wrote" in said(pilot)
    assert callable(record_property)
    record_property("keys", keys)
    assert (changes, keys) == (21, 23)
    decided = load_triage(tmp_path / "a..b.triage.toml").decisions
    assert len(decided) == changes
    assert {decision.who for decision in decided.values()} == {"Jo"}
    name = "2026-10-28-support-baseline..2026-11-18-support-candidate.md"
    assert "blocked" in (tmp_path / name).read_text(encoding="utf-8")


async def test_the_key_bar_puts_what_comes_next_first(tmp_path: Path) -> None:
    async with opened(regressions(2), keeping=kept_in(tmp_path)) as pilot:
        bar = frame(app_of(pilot)).split("\n")[-1]
        assert bar.startswith(" a accept   b block   i investigate   d dispute   e note")
        await press(pilot, "a", "k")
        assert frame(app_of(pilot)).split("\n")[-1].startswith(" n next change")
        await press(pilot, "n", "b")
        assert "Nothing left to decide" in frame(app_of(pilot))
        await press(pilot, "escape")
        assert frame(app_of(pilot)).split("\n")[-1].startswith(" x export")


async def test_the_keys_of_a_decision_stay_at_eighty_columns(tmp_path: Path) -> None:
    async with opened(regressions(2), keeping=kept_in(tmp_path), size=(80, 24)) as pilot:
        bar = frame(app_of(pilot)).split("\n")[-1]
        for words in ("a accept", "b block", "i investigate", "d dispute", "? help", "q quit"):
            assert words in bar


async def test_a_decision_is_shown_with_who_when_note_owner_and_follow_up(tmp_path: Path) -> None:
    async with opened(regressions(3), keeping=kept_in(tmp_path, who="Jo")) as pilot:
        shown = await press(pilot, "b")
        assert current(pilot) == "q01"
        assert "this change needs a decision" in shown
        await pilot.press("k", "e")
        await pilot.pause()
        await pilot.press(*"slow", "tab", *"Ana", "tab", *"T-12", "ctrl+s")
        await settle(pilot)
        shown = frame(app_of(pilot))
        for words in ("block · by Jo · ", "note      slow", "owner     Ana", "follow-up T-12"):
            assert words in shown
    decision = load_triage(tmp_path / "a..b.triage.toml").decisions["q00"]
    assert (decision.choice, decision.note, decision.owner, decision.follow_up) == (
        Choice.BLOCK,
        "slow",
        "Ana",
        "T-12",
    )


async def test_a_mind_is_changed_back_to_the_start_and_forth_again(tmp_path: Path) -> None:
    async with opened(regressions(4), keeping=kept_in(tmp_path)) as pilot:
        start = states(pilot)
        await press(pilot, "a", "b", "i")
        decided = states(pilot)
        await press(pilot, "u")
        assert current(pilot) == "q02"
        assert "undone: q02: open again" in said(pilot)
        await press(pilot, "u", "u")
        assert states(pilot) == start
        await press(pilot, "u")
        assert "this is where the session began" in said(pilot)
        await press(pilot, "U", "U", "U", "U")
        assert states(pilot) == decided
        assert "nothing was undone" in said(pilot)
    assert notes(tmp_path) == {"q00": "accept", "q01": "block", "q02": "investigate"}


async def test_a_crash_does_not_end_the_session(tmp_path: Path) -> None:
    async with opened(regressions(3), keeping=kept_in(tmp_path)) as pilot:
        await press(pilot, "a", "b")
        saving = app_of(pilot).saving
        assert saving is not None
        saving.finish(end=False)
    async with opened(regressions(3), keeping=kept_in(tmp_path)) as pilot:
        assert "2 of 3 decided" in frame(app_of(pilot))
        assert "2 steps of a session that did not end" in frame(app_of(pilot))
        await press(pilot, "u", "u")
        assert "0 of 3 decided" in frame(app_of(pilot))
        await press(pilot, "U")
    assert notes(tmp_path) == {"q00": "accept"}


async def test_investigating_goes_on_and_leaves_the_change_open(tmp_path: Path) -> None:
    async with opened(regressions(2), keeping=kept_in(tmp_path)) as pilot:
        shown = await press(pilot, "i")
        assert current(pilot) == "q01"
        assert "0 of 2 decided" in shown
        await press(pilot, "a")
        assert current(pilot) == "q00"
        shown = await press(pilot, "i")
        assert "that is decided already" in said(pilot)
        assert "1 of 2 decided" in shown


async def test_n_goes_over_what_is_open_and_wraps_once(tmp_path: Path) -> None:
    async with opened(regressions(4), keeping=kept_in(tmp_path)) as pilot:
        await press(pilot, "n", "a")
        assert current(pilot) == "q02"
        await press(pilot, "N")
        assert current(pilot) == "q00"
        await press(pilot, "N")
        assert current(pilot) == "q03"
        assert "around the start" in said(pilot)


async def test_a_held_key_decides_one_question(tmp_path: Path) -> None:
    """50 presses wait in the queue when the first is answered."""
    async with opened(regressions(60), keeping=kept_in(tmp_path), patient=True) as pilot:
        for _ in range(50):
            app_of(pilot).post_message(events.Key("a", "a"))
        await settle(pilot)
        await settle(pilot)
        assert list(states(pilot).values()).count("accept") == 1
        assert "held or pressed in haste" in said(pilot)
    assert notes(tmp_path) == {"q00": "accept"}


async def test_other_keys_in_haste_decide_nothing_before_the_next_question_is_seen(
    tmp_path: Path,
) -> None:
    async with opened(regressions(9), keeping=kept_in(tmp_path)) as pilot:
        for key in "abda":
            app_of(pilot).post_message(events.Key(key, key))
        await settle(pilot)
        await settle(pilot)
        assert "was not on screen yet" in said(pilot)
    assert notes(tmp_path) == {"q00": "accept"}


async def test_a_held_undo_takes_back_one_step(tmp_path: Path) -> None:
    async with opened(regressions(5), keeping=kept_in(tmp_path)) as pilot:
        await press(pilot, "a", "b", "d")
        main_screen(app_of(pilot)).step_gap_s = STEP_GAP_S
        for _ in range(50):
            app_of(pilot).post_message(events.Key("u", "u"))
        await settle(pilot)
        await settle(pilot)
    assert notes(tmp_path) == {"q00": "accept", "q01": "block"}


async def test_in_the_view_of_what_is_open_rows_leave_as_they_are_decided(tmp_path: Path) -> None:
    async with opened(regressions(3), keeping=kept_in(tmp_path)) as pilot:
        await press(pilot, "v")
        assert "view undecided · 3 of 3" in frame(app_of(pilot))
        await press(pilot, "a", "b")
        assert current(pilot) == "q02"
        assert "view undecided · 1 of 3" in frame(app_of(pilot))
        await press(pilot, "d")
        shown = frame(app_of(pilot))
        assert "Nothing left to decide" in shown
        await press(pilot, "escape", "u")
        assert current(pilot) == "q02"


async def test_a_question_that_the_cursor_only_passes_is_not_decided(tmp_path: Path) -> None:
    async with opened(regressions(9), keeping=kept_in(tmp_path)) as pilot:
        for key in ("j", "j", "a"):
            app_of(pilot).post_message(events.Key(key, key))
        await settle(pilot)
        assert "was not on screen yet" in said(pilot)
        await press(pilot, "a")
    assert notes(tmp_path) == {"q02": "accept"}


async def test_a_click_on_a_key_decides_like_the_key(tmp_path: Path) -> None:
    async with opened(regressions(3), keeping=kept_in(tmp_path), patient=True) as pilot:
        for _ in range(2):
            bar = app_of(pilot).screen.query_exactly_one(KeyBar)
            await pilot.click(bar, offset=(4, 0))
            await settle(pilot)
    assert notes(tmp_path) == {"q00": "accept", "q01": "accept"}


async def test_several_selected_are_decided_after_one_question_that_names_the_number(
    tmp_path: Path,
) -> None:
    async with opened(regressions(5), keeping=kept_in(tmp_path)) as pilot:
        shown = await press(pilot, "space", "space", "space")
        assert "3 selected" in shown
        await press(pilot, "b")
        shown = frame(app_of(pilot))
        assert "Block 3 questions?" in shown
        assert "q02" in shown.split("Block 3 questions?")[1]
        await press(pilot, "escape")
        assert notes(tmp_path) == {}
        await press(pilot, "b", "enter")
        assert notes(tmp_path) == dict.fromkeys(["q00", "q01", "q02"], "block")
        assert "selected" not in frame(app_of(pilot))
        await press(pilot, "u")
        assert "undone: 3 questions" in said(pilot)
    assert notes(tmp_path) == {}


async def test_what_the_filter_hides_is_not_decided_even_when_selected(tmp_path: Path) -> None:
    async with opened(regressions(3), keeping=kept_in(tmp_path)) as pilot:
        await press(pilot, "space", "space")
        await pilot.press("slash", *"q01", "enter")
        await settle(pilot)
        await press(pilot, "a")
        shown = frame(app_of(pilot))
        assert "Accept 1 question?" in shown
        assert "1 selected question not shown: left out" in shown
        await press(pilot, "enter")
    assert notes(tmp_path) == {"q01": "accept"}


async def test_escape_selects_nothing_before_it_drops_the_filter(tmp_path: Path) -> None:
    keeping = kept_in(tmp_path)
    async with opened(regressions(3), filter_text="q", keeping=keeping) as pilot:
        await press(pilot, "space", "escape")
        assert not session_of(app_of(pilot)).selected
        assert session_of(app_of(pilot)).is_filtered
        await press(pilot, "escape")
        assert not session_of(app_of(pilot)).is_filtered


async def test_the_end_of_a_filter_is_not_the_end_of_the_triage(tmp_path: Path) -> None:
    async with opened(regressions(3), keeping=kept_in(tmp_path), filter_text="q01") as pilot:
        shown = await press(pilot, "a")
        assert "nothing is left to decide here; 2 elsewhere" in said(pilot)
        assert "Nothing left to decide" not in shown


async def test_a_second_session_only_reads_and_says_who_decides(tmp_path: Path) -> None:
    path = tmp_path / "a..b.triage.toml"
    holder = Holder(pid=4711, host="desk-02", since="2026-11-27T10:00:00Z")
    first = TriageStore.open(path, set_digest="5e" * 32, holder=holder)
    async with opened(regressions(2), keeping=kept_in(tmp_path)) as pilot:
        shown = frame(app_of(pilot))
        assert "0 of 2 decided · read-only" in shown
        assert "read-only: open in another session: process 4711 on desk-02" in shown
        assert not shown.split("\n")[-1].startswith(" a accept")
        await press(pilot, "a", "e", "u")
        assert not isinstance(app_of(pilot).screen, DecisionEditor)
        assert said(pilot).count("process 4711 on desk-02") == 3
        assert states(pilot) == {"q00": "undecided", "q01": "undecided"}
        shown = await press(pilot, "5")
        assert shown.count("process 4711") > 1
    first.abandon()
    assert notes(tmp_path) == {}


async def test_a_full_disk_is_told_at_once_and_w_tries_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The decisions stay on screen, marked, and are not counted before they are on disk."""
    async with opened(regressions(4), keeping=kept_in(tmp_path)) as pilot:
        await press(pilot, "a")
        with monkeypatch.context() as patch:
            fill_the_disk(patch)
            await press(pilot, "b", "d")
            await until(pilot, lambda: "2 steps not on disk" in frame(app_of(pilot)))
            shown = frame(app_of(pilot))
            assert "No space left on device" in shown
            assert "w tries again" in shown
            assert "1 of 4 decided · … 2 not on disk" in shown
            assert "…block" in shown
            assert "…dispute" in shown
            await press(pilot, "x")
            assert "not while 2 steps wait for the disk" in said(pilot)
            await press(pilot, "w")
            assert "2 steps not on disk" in frame(app_of(pilot))
            await pilot.press("q")
            await pilot.pause()
            assert "Leave without them?" in frame(app_of(pilot))
            await pilot.press("escape")
            await pilot.pause()
        await press(pilot, "w")
        await until(pilot, lambda: "3 of 4 decided" in frame(app_of(pilot)))
        assert "not on disk" not in frame(app_of(pilot))
    assert notes(tmp_path) == {"q00": "accept", "q01": "block", "q02": "dispute"}


async def test_leaving_with_a_full_disk_says_what_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(regressions(2), keeping=kept_in(tmp_path)) as pilot:
        fill_the_disk(monkeypatch)
        await press(pilot, "a")
        await until(pilot, lambda: "1 step not on disk" in frame(app_of(pilot)))
        left = app_of(pilot).finish()
    assert left is not None
    assert [entry.questions for entry in left.lost] == [("q00",)]
    assert left.problem is not None
    assert "No space left on device" in left.problem


def fill_the_disk(patch: pytest.MonkeyPatch) -> None:
    """Let every write of the journal fail as on a full disk."""

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    patch.setattr("ragtui.files.journal.Journal._write", full)
    patch.setattr("ragtui.files.journal.write_atomic", full)


async def test_a_stale_decision_is_shown_and_never_counted(tmp_path: Path) -> None:
    async with opened(regressions(2), keeping=kept_in(tmp_path)) as pilot:
        await press(pilot, "a", "b", "escape")
    replaced = regressions(2, candidate="another")
    async with opened(replaced, keeping=kept_in(tmp_path)) as pilot:
        shown = frame(app_of(pilot))
        assert "0 of 2 decided · 2 stale" in shown
        assert "≠accept" in shown
        assert "stale: run B was replaced" in shown
        shown = await press(pilot, "a")
        assert "1 of 2 decided · 1 stale" in shown


async def test_files_read_again_make_decisions_stale_on_screen(tmp_path: Path) -> None:
    async with opened(regressions(2), keeping=kept_in(tmp_path)) as pilot:
        app = app_of(pilot)
        await press(pilot, "a")
        app._reading._load = lambda *_, **__: regressions(2, candidate="another")
        old = session_of(app).comparison
        await pilot.press("r")
        await until(pilot, lambda: session_of(app).comparison is not old)
        await settle(pilot)
        assert "0 of 2 decided · 1 stale" in frame(app)


async def test_a_change_of_the_file_by_somebody_else_is_taken_over(tmp_path: Path) -> None:
    path = tmp_path / "a..b.triage.toml"
    async with opened(regressions(2), keeping=kept_in(tmp_path)) as pilot:
        await press(pilot, "a")
    async with opened(regressions(2), keeping=kept_in(tmp_path)) as pilot:
        app = app_of(pilot)
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace('"accept"', '"block"'), encoding="utf-8")
        await pilot.press("r")
        await until(pilot, lambda: states(pilot)["q00"] == "block")
        assert "taken over from the file: q00: block" in said(pilot)
        await press(pilot, "n", "a")
        assert "2 of 2 decided" in frame(app)
    assert notes(tmp_path) == {"q00": "block", "q01": "accept"}


@pytest.mark.parametrize(
    ("keys", "stands"), [(("enter",), "dispute"), (("down", "enter"), "block")]
)
async def test_what_was_decided_twice_is_settled_by_a_person(
    keys: tuple[str, ...], stands: str, tmp_path: Path
) -> None:
    path = tmp_path / "a..b.triage.toml"
    async with opened(regressions(2), keeping=kept_in(tmp_path)) as pilot:
        await press(pilot, "a")
    async with opened(regressions(2), keeping=kept_in(tmp_path)) as pilot:
        app = app_of(pilot)
        await press(pilot, "g", "d")
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace('"accept"', '"block"'), encoding="utf-8")
        await pilot.press("r")
        await until(pilot, lambda: "1 question decided otherwise in the file" in frame(app))
        await pilot.press("w")
        await pilot.pause()
        assert isinstance(app.screen, Ask)
        assert "here: dispute the label" in frame(app)
        assert "in the file: block" in frame(app)
        await pilot.press(*keys)
        await until(pilot, lambda: "otherwise in the file" not in frame(app))
        await until(pilot, lambda: states(pilot)["q00"] == stands)
    assert notes(tmp_path)["q00"] == stands


async def test_without_a_place_for_decisions_nothing_is_decided() -> None:
    async with opened(release_desk()) as pilot:
        shown = await press(pilot, "a")
        assert "there is no place to keep decisions" in said(pilot)
        assert "read-only" not in shown.split("\n")[0]


async def test_an_exploratory_cutoff_decides_nothing(tmp_path: Path) -> None:
    found = regressions(2, exploratory=True)
    async with opened(found, keeping=kept_in(tmp_path)) as pilot:
        shown = await press(pilot, "a")
        assert "read-only" in shown.split("\n")[0]
        assert "the cutoff is exploratory" in shown
    assert notes(tmp_path) == {}


async def test_damaged_decisions_end_the_program_with_their_error(tmp_path: Path) -> None:
    (tmp_path / "a..b.triage.toml").write_text("schema = 3", encoding="utf-8")
    loading = memory_loading(lambda: regressions(2))
    app = RagtuiApp(loading, keeping=kept_in(tmp_path))
    loading.start()
    async with app.run_test() as pilot:
        await until(pilot, lambda: app.failure is not None)
    assert isinstance(app.failure, InputError)
    assert app.return_code == 3
    assert "a..b.triage.toml" in str(app.failure)


async def test_large_sets_are_decided_like_small_ones(tmp_path: Path) -> None:
    async with opened(regressions(3_000), keeping=kept_in(tmp_path)) as pilot:
        shown = await press(pilot, "a", "b")
        assert "2 of 3,000 decided" in shown
    assert notes(tmp_path) == {"q00": "accept", "q01": "block"}
