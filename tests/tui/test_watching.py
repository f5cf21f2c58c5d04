"""What a person sees who lets the files be watched."""

from __future__ import annotations

import json
from contextlib import asynccontextmanager
from threading import Event
from typing import TYPE_CHECKING

from ragtui.files.ledger import Look
from ragtui.files.watching import Inputs, Watch
from ragtui.tui.app import RagtuiApp
from ragtui.tui.keeping import Keeping
from ragtui.tui.loading import Loading, Source
from ragtui.tui.screens.editor import DecisionEditor
from tests.gate_files import INVENTED, Pair, each, write_policy
from tests.held_out import ledger_events, write_held_out
from tests.tui.deciding import app_of, current, kept_in, press, regressions, said
from tests.tui.frames import frame, main_screen, memory_loading, session_of, settle, until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from textual.pilot import Pilot

    from ragtui.core.comparison import Comparison


@asynccontextmanager
async def watching(
    folder: Path, *, b: str = "b.toml", a: str = "a.toml", policy: Path | None = None
) -> AsyncIterator[Pilot[None]]:
    """Run the app over the files in *folder*, which it looks at without a pause."""
    pair = folder / a, folder / b
    watch = Watch(Inputs(*pair, policy=policy))
    loading = Loading(Source(*pair, look=Look(), policy=policy, watch=watch))
    app = RagtuiApp(loading, keeping=Keeping(*pair, triage=folder / "x.triage.toml"))
    app.watch_every_s = 0.01
    loading.start()
    try:
        async with app.run_test(size=(140, 44), notifications=True) as pilot:
            await settle(pilot)
            main_screen(app).decide_gap_s = 0.0
            yield pilot
    finally:
        app.finish()


def written(folder: Path, *places: int) -> Path:
    """Write two runs, of which B invents something in the questions at *places*."""
    folder.mkdir(exist_ok=True)
    (folder / "ragtui.toml").touch()
    return Pair(n=4, b=each(INVENTED, *places), frozen=False).write(folder)


def regressed(pilot: Pilot[None]) -> str:
    """Return the line of verdicts; nothing while the header shows how far reading is."""
    lines = frame(app_of(pilot)).split("\n")
    return next((line for line in lines if "regressed  ◆" in line), "")


async def test_a_run_that_changed_is_shown_at_the_same_question(tmp_path: Path) -> None:
    written(tmp_path, 1, 2)
    async with watching(tmp_path) as pilot:
        await press(pilot, "down", "space", "up")
        assert current(pilot) == "q002"
        assert "▼ 2 regressed" in regressed(pilot)
        written(tmp_path, 0, 1, 2)
        await until(pilot, lambda: "▼ 3 regressed" in regressed(pilot))
        await settle(pilot)
        assert current(pilot) == "q002"
        session = session_of(app_of(pilot))
        assert {session.comparison.ids[index] for index in session.selected} == {"q002"}
        assert "b.jsonl" in said(pilot)
        assert "changed: reading again" in said(pilot)


async def test_nothing_is_read_while_somebody_writes(tmp_path: Path) -> None:
    """Neither a note nor a filter is disturbed; afterwards what changed is shown."""
    written(tmp_path, 1)
    async with watching(tmp_path) as pilot:
        for key, leave in (("e", "escape"), ("/", "escape")):
            app = app_of(pilot)
            before = app._reading
            await pilot.press(key)
            await pilot.pause()
            watch = before.source.watch
            assert watch is not None
            reading = watch.reading
            written(tmp_path, 1, *range(2, 2 + reading))
            await until(pilot, lambda w=watch: w.poll() is not None)  # type: ignore[misc]
            for _ in range(10):
                await pilot.pause(0.01)
            assert app._reading is before
            await pilot.press(leave)
            await until(pilot, lambda a=app, r=before: a._reading is not r)  # type: ignore[misc]
            await until(pilot, lambda n=reading: f"▼ {n + 1} regressed" in regressed(pilot))  # type: ignore[misc]
            await settle(pilot)


async def test_what_was_read_waits_for_a_dialog_that_was_opened_meanwhile(tmp_path: Path) -> None:
    """A note is about the change that was on screen when it was begun."""
    go_on = Event()
    made = [regressions(2), regressions(3)]

    def make() -> Comparison:
        if len(made) == 1:
            assert go_on.wait(10)
        return made.pop(0)

    loading = memory_loading(make)
    loading.start()
    app = RagtuiApp(loading, keeping=kept_in(tmp_path))
    try:
        async with app.run_test(size=(140, 44), notifications=True) as pilot:
            await settle(pilot)
            await pilot.press("r", "e")
            await pilot.pause()
            assert isinstance(app.screen, DecisionEditor)
            go_on.set()
            await until(pilot, lambda: app._reading.error is None and not made)
            for _ in range(20):
                await pilot.pause(0.01)
            assert len(session_of(app).comparison) == 2
            await pilot.press("escape")
            await until(pilot, lambda: len(session_of(app).comparison) == 3)
    finally:
        app.finish()


async def test_a_run_that_cannot_be_read_leaves_what_is_shown_and_says_so(tmp_path: Path) -> None:
    written(tmp_path, 1)
    async with watching(tmp_path) as pilot:
        whole = (tmp_path / "b.jsonl").read_bytes()
        (tmp_path / "b.jsonl").write_bytes(whole[:-20])
        await until(pilot, lambda: "not reloaded, so this is older" in frame(app_of(pilot)))
        assert "▼ 1 regressed" in regressed(pilot)
        rows = [json.loads(line) for line in whole.splitlines()]
        rows[0]["claims"] = INVENTED["claims"]
        (tmp_path / "b.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
        await until(pilot, lambda: "▼ 2 regressed" in regressed(pilot))
        assert "not reloaded, so" not in frame(app_of(pilot))


async def test_a_policy_that_is_edited_is_judged_by_at_once(tmp_path: Path) -> None:
    written(tmp_path, 1)
    policy = write_policy(tmp_path, {"kind": "new_unsupported", "max": 0})
    async with watching(tmp_path, policy=policy) as pilot:
        assert "✗ fail" in frame(app_of(pilot)).split("\n")[0]
        policy.write_text("x = ")
        await until(pilot, lambda: "! policy invalid" in frame(app_of(pilot)).split("\n")[0])
        write_policy(tmp_path, {"kind": "regressions", "severity": "S0", "max": 0})
        await until(pilot, lambda: "0 changes of S0" in _figures(pilot))


def _figures(pilot: Pilot[None]) -> str:
    gate = main_screen(app_of(pilot))._gate
    results = () if gate is None or gate.ruling is None else gate.ruling.results
    return " ".join(result.figure for result in results)


async def test_a_held_out_set_is_not_looked_at_again_unasked(tmp_path: Path) -> None:
    """A new candidate would use the budget: that it changed is said, once."""
    folder = write_held_out(tmp_path)
    async with watching(folder, a="base.toml", b="one.toml") as pilot:
        app = app_of(pilot)
        events = ledger_events(folder)
        records = next(path for path in folder.glob("one*.jsonl"))
        rows = records.read_text(encoding="utf-8").splitlines()
        records.write_text("\n".join(rows[:-1]) + "\n", encoding="utf-8")
        await until(pilot, lambda: "The set is held out" in said(pilot))
        for _ in range(10):
            await pilot.pause(0.01)
        assert said(pilot).count("The set is held out") == 1
        assert ledger_events(folder) == events
        before = app._reading
        await pilot.press("r")
        await until(pilot, lambda: len(ledger_events(folder)) == len(events) + 1)
        assert app._reading is not before


async def test_a_policy_that_changed_beside_a_held_out_set_has_no_verdict(tmp_path: Path) -> None:
    """The one shown was by the policy of before, and another is judged by only when asked for."""
    folder = write_held_out(tmp_path)
    policy = write_policy(folder, {"kind": "new_unsupported", "max": 0})
    async with watching(folder, a="base.toml", b="one.toml", policy=policy) as pilot:
        events = ledger_events(folder)
        await press(pilot, "4")
        write_policy(folder, {"kind": "new_unsupported", "max": 9})
        await until(pilot, lambda: "! policy changed" in frame(app_of(pilot)).split("\n")[0])
        assert "the policy was changed on disk" in frame(app_of(pilot))
        assert ledger_events(folder) == events
        await pilot.press("r")
        await until(pilot, lambda: "policy changed" not in frame(app_of(pilot)))
        await until(pilot, lambda: "at most 9" in frame(app_of(pilot)))
        assert [event["kind"] for event in ledger_events(folder)[len(events) :]] == ["policy"]


async def test_files_that_do_not_change_are_not_read_again(tmp_path: Path) -> None:
    """A decision, which is written beside them, is none of them."""
    written(tmp_path, 1, 2)
    async with watching(tmp_path) as pilot:
        app = app_of(pilot)
        before = app._reading
        assert "1 of 2 decided" in await press(pilot, "a")
        for _ in range(10):
            await pilot.pause(0.01)
        assert app._reading is before
