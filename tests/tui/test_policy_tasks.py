"""What a person does with an acceptance policy on the screen."""

from __future__ import annotations

import re
from contextlib import asynccontextmanager
from dataclasses import replace
from threading import Event
from typing import TYPE_CHECKING

import pytest
import tomli_w

from ragtui.core.gate import judge
from ragtui.core.policy import Outcome, Waiver
from ragtui.errors import Fault, InputError
from ragtui.files.waivers import waivers_path
from ragtui.tui.app import RagtuiApp, run_app
from ragtui.tui.keeping import Keeping
from ragtui.tui.loading import Failed, Loading, Source
from ragtui.tui.screens import judging
from ragtui.tui.widgets.lower_tabs import LowerPane, Tab
from ragtui.tui.widgets.questions import QuestionsTable
from tests.builders import release_desk
from tests.gate_files import write_policy
from tests.held_out import QUESTION_IDS, ledger_events, write_held_out
from tests.policies import policy_of, rule
from tests.tui.deciding import app_of, current, kept_in, press, regressions, said
from tests.tui.frames import frame, main_screen, memory_loading, opened, session_of, settle, until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping
    from pathlib import Path

    from textual.pilot import Pilot

    from ragtui.core.comparison import Comparison
    from ragtui.core.gate import Ruling
    from ragtui.core.policy import Policy, Rule
    from ragtui.core.triage import Decision, Triage

CLAIMS = rule("new_unsupported", "no-new-claims", max=0, waivable=True)
MEANS = rule("mean_at_least", "enough", measure="coverage", average="macro", min="0.9")
LOOKED_AT = rule("triage", "looked-at", severity="S4")


@asynccontextmanager
async def running(app: RagtuiApp) -> AsyncIterator[Pilot[None]]:
    try:
        async with app.run_test(size=(140, 44), notifications=True) as pilot:
            await settle(pilot)
            yield pilot
    finally:
        app.finish()


def strip_of(pilot: Pilot[None]) -> str:
    return next(line for line in frame(app_of(pilot)).split("\n") if "Slices" in line)


def verdict(pilot: Pilot[None]) -> Outcome:
    gate = main_screen(app_of(pilot))._gate
    assert gate is not None
    assert gate.ruling is not None
    return gate.ruling.outcome


@pytest.mark.parametrize("size", [(80, 24), (140, 44), (200, 60)])
async def test_the_verdict_is_on_screen_at_once_and_four_tells_why(size: tuple[int, int]) -> None:
    async with opened(release_desk(), size=size, policy=policy_of(MEANS, CLAIMS)) as pilot:
        assert "✗ fail 1 of 2 rules" in frame(app_of(pilot)).split("\n")[0]
        assert "Policy ✗ 1" in strip_of(pilot)
        shown = await press(pilot, "4")
        assert isinstance(app_of(pilot).focused, LowerPane)
        assert re.search(r"✗ fail +no-new-claims", shown)
        assert "1 new unsupported claim" in shown
        assert "demanded  at most 0" in shown


async def test_without_a_policy_the_tab_says_how_to_give_one() -> None:
    async with opened(release_desk()) as pilot:
        shown = await press(pilot, "4")
        assert "no acceptance policy was applied" in shown
        assert "--policy FILE" in shown
        assert "Policy" in strip_of(pilot)
        assert not any(word in shown.split("\n")[0] for word in ("pass", "fail"))


async def test_enter_on_a_rule_shows_who_breaks_it_and_escape_shows_all() -> None:
    async with opened(release_desk(), policy=policy_of(MEANS, CLAIMS)) as pilot:
        shown = await press(pilot, "4", "enter")
        session = session_of(app_of(pilot))
        assert [session.comparison.ids[row] for row in session.rows] == ["launch"]
        assert "rule no-new-claims · 1 of 4 · Esc shows all" in shown
        assert "✗ fail 1 of 2 rules" in shown
        assert isinstance(app_of(pilot).focused, QuestionsTable)
        shown = await press(pilot, "escape")
        assert len(session.rows) == 4
        assert "Esc shows all" not in shown


async def test_the_cursor_walks_over_the_rules_and_explains_each() -> None:
    async with opened(release_desk(), policy=policy_of(MEANS, CLAIMS)) as pilot:
        shown = await press(pilot, "4", "down")
        assert "kind      mean_at_least" in shown
        assert "kind      new_unsupported" not in shown
        await press(pilot, "enter")
        assert "no question is responsible for rule enough" in said(pilot)
        assert not session_of(app_of(pilot)).is_filtered
        shown = await press(pilot, "1", "4")
        assert "kind      mean_at_least" in shown


async def test_a_waiver_is_in_the_verdict_and_its_question_is_found() -> None:
    waiver = Waiver("no-new-claims", "launch", "Jo", "goes with the next patch", "2027-01-01")
    policy = policy_of(CLAIMS, waivers=[waiver])
    async with opened(release_desk(), policy=policy) as pilot:
        assert "✓ pass with 1 waiver" in frame(app_of(pilot)).split("\n")[0]
        shown = await press(pilot, "4")
        assert "by Jo: goes with the next patch" in shown
        shown = await press(pilot, "enter")
        assert "rule no-new-claims, waived · 1 of 4" in shown
        assert current(pilot) == "launch"


async def test_warnings_of_a_policy_stand_over_the_table() -> None:
    margin = rule("non_inferior", "holds", measure="support", margin="0.1")
    async with opened(release_desk(), policy=policy_of(margin)) as pilot:
        line = frame(app_of(pilot)).split("\n")[3]
        assert line.startswith(' ! policy: rule "holds": a margin of 0.10 cannot pass')


async def test_deciding_everything_lets_the_rule_on_triage_pass_and_undo_takes_it_back(
    tmp_path: Path,
) -> None:
    policy = policy_of(LOOKED_AT)
    async with opened(regressions(2), keeping=kept_in(tmp_path), policy=policy) as pilot:
        assert "? inconclusive 1 of 1 rule · 0 of 2 decided" in frame(app_of(pilot))
        await press(pilot, "a")
        assert verdict(pilot) is Outcome.INCONCLUSIVE
        shown = await press(pilot, "a")
        assert "✓ pass · 2 of 2 decided ✓" in shown
        shown = await press(pilot, "escape", "u")
        assert "? inconclusive 1 of 1 rule · 1 of 2 decided" in shown
        shown = await press(pilot, "b")
        assert "✗ fail 1 of 1 rule · 2 of 2 decided ✓" in shown


async def test_a_key_never_waits_for_the_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Steps saved meanwhile are judged together afterwards."""
    go_on = Event()
    asked: list[Triage] = []

    def slow(policy: Policy, triage: Triage) -> Ruling:
        asked.append(triage)
        assert go_on.wait(10)
        return judge(policy, triage)

    policy = policy_of(LOOKED_AT)
    async with opened(regressions(4), keeping=kept_in(tmp_path), policy=policy) as pilot:
        app = app_of(pilot)
        monkeypatch.setattr(judging, "judge", slow)
        for number in range(1, 4):
            before = current(pilot)
            await pilot.press("a")
            await until(pilot, lambda n=number: f"{n} of 4 decided" in frame(app))  # type: ignore[misc]
            await until(pilot, lambda: main_screen(app).seen == session_of(app).current)
            assert current(pilot) != before
            assert "? inconclusive 1 of 1 rule …" in frame(app)
        assert len(asked) == 1
        go_on.set()
        await settle(pilot)
        assert len(asked) == 2
        assert "? inconclusive 1 of 1 rule · 3 of 4 decided" in frame(app)


async def test_reading_again_reads_the_policy_too() -> None:
    policies = [policy_of(CLAIMS), policy_of(MEANS)]
    loading = memory_loading(release_desk, lambda: policies.pop(0))
    loading.start()
    async with running(RagtuiApp(loading)) as pilot:
        assert verdict(pilot) is Outcome.FAIL
        await pilot.press("r")
        await until(pilot, lambda: not policies)
        await until(pilot, lambda: "✓ pass" in frame(app_of(pilot)))
        assert "no-new-claims" not in await press(pilot, "4")


SPOILT = InputError(
    [Fault(message="this kind of rule is not known", file="p.toml"), Fault(message="no id")]
)


def reading(*steps: Policy | InputError) -> Loading:
    """Return a reading whose policy is the next of *steps* each time."""
    left = list(steps)

    def rules() -> Policy:
        step = left.pop(0)
        if isinstance(step, InputError):
            raise step
        return step

    loading = memory_loading(release_desk, rules)
    loading.start()
    return loading


async def test_a_policy_that_is_spoilt_meanwhile_has_no_verdict_until_it_is_mended() -> None:
    """The verdict by the rules of before would look like that of the file."""
    app = RagtuiApp(reading(policy_of(CLAIMS), SPOILT, policy_of(MEANS)))
    async with running(app) as pilot:
        await press(pilot, "4")
        await pilot.press("r")
        await until(pilot, lambda: "! policy invalid" in frame(app).split("\n")[0])
        shown = frame(app)
        assert "✗ fail" not in shown
        assert "no-new-claims" not in shown
        assert "Policy !" in strip_of(pilot)
        assert "p.toml: this kind of rule is not known" in shown
        assert "no id" in shown
        assert "not reloaded, so this is older" in shown
        assert "not reloaded" in said(pilot)
        await pilot.press("r")
        await until(pilot, lambda: "✓ pass" in frame(app).split("\n")[0])
        shown = frame(app)
        assert "enough" in shown
        assert "not reloaded, so" not in shown


async def test_a_decision_brings_no_verdict_of_a_policy_that_is_not_the_files(
    tmp_path: Path,
) -> None:
    loading = reading(policy_of(LOOKED_AT), SPOILT)
    async with running(RagtuiApp(loading, keeping=kept_in(tmp_path))) as pilot:
        await pilot.press("r")
        await until(pilot, lambda: "! policy invalid" in frame(app_of(pilot)))
        main_screen(app_of(pilot)).decide_gap_s = 0.0
        assert "! policy invalid · 1 of 1 decided" in await press(pilot, "a")


async def test_no_note_is_written_while_the_policy_is_spoilt() -> None:
    async with running(RagtuiApp(reading(policy_of(CLAIMS), SPOILT))) as pilot:
        await pilot.press("r")
        await until(pilot, lambda: "! policy invalid" in frame(app_of(pilot)))
        await press(pilot, "x")
        assert "no note now: the policy is not valid" in said(pilot)
        assert len(app_of(pilot).screen_stack) == 2


@pytest.mark.parametrize(
    ("now", "words"), [(CLAIMS, "✗ fail 1 of 1 rule"), (MEANS, "! policy changed")]
)
async def test_where_only_the_runs_cannot_be_read_the_verdict_stays_if_the_policy_did(
    now: Rule, words: str
) -> None:
    runs: list[Comparison] = [release_desk()]

    def load(*_: object, **__: object) -> Comparison:
        if not runs:
            raise InputError(Fault(message="the records are gone"))
        return runs.pop()

    rules = [policy_of(CLAIMS), policy_of(now)]
    source = memory_loading(release_desk, lambda: policy_of(CLAIMS)).source
    loading = Loading(source, load=load, load_rules=lambda _: rules.pop(0))
    loading.start()
    async with running(RagtuiApp(loading)) as pilot:
        await pilot.press("r")
        await until(pilot, lambda: "the records are gone" in said(pilot))
        await settle(pilot)
        lines = frame(app_of(pilot)).split("\n")
        assert words in lines[0]
        assert "not reloaded, so this is older: the records are gone" in lines[3]


async def test_a_policy_that_is_as_it_was_again_has_its_verdict_though_the_runs_are_gone() -> None:
    """What is shown and the policy on disk belong together again."""
    runs: list[Comparison] = [release_desk()]
    steps: list[Policy | InputError] = [policy_of(CLAIMS), SPOILT, policy_of(CLAIMS)]

    def rules(_: Path) -> Policy:
        step = steps.pop(0)
        if isinstance(step, InputError):
            raise step
        return step

    def load(*_: object, **__: object) -> Comparison:
        if not runs:
            raise InputError(Fault(message="the records are gone"))
        return runs.pop()

    source = memory_loading(release_desk, lambda: policy_of(CLAIMS)).source
    loading = Loading(source, load=load, load_rules=rules)
    loading.start()
    async with running(RagtuiApp(loading)) as pilot:
        for words in ("! policy invalid", "✗ fail 1 of 1 rule"):
            await pilot.press("r")
            await until(pilot, lambda w=words: w in frame(app_of(pilot)).split("\n")[0])  # type: ignore[misc]
        assert "the records are gone" in frame(app_of(pilot))


async def test_another_policy_is_in_the_ledger_before_its_verdict_is_shown(tmp_path: Path) -> None:
    """It came after the first look, so nothing can pass by it any more."""
    folder = write_held_out(tmp_path)
    policy = write_policy(folder, {"kind": "new_unsupported", "max": 0})
    pair = folder / "base.toml", folder / "one.toml"
    loading = Loading(Source(*pair, policy=policy))
    loading.start()
    async with running(RagtuiApp(loading, keeping=Keeping(*pair))) as pilot:
        write_policy(folder, {"kind": "new_unsupported", "max": 9})
        await pilot.press("r")
        await until(pilot, lambda: "at most 9" in shown_rules(pilot))
        kinds = [event["kind"] for event in ledger_events(folder)]
        assert kinds[-3:] == ["policy", "look", "policy"]
        assert verdict(pilot) is Outcome.INCONCLUSIVE
        assert "policy recorded after the first look" in await press(pilot, "4")


def shown_rules(pilot: Pilot[None]) -> str:
    gate = main_screen(app_of(pilot))._gate
    results = () if gate is None or gate.ruling is None else gate.ruling.results
    return " ".join(result.bound for result in results)


async def test_waivers_are_read_again_with_their_policy(tmp_path: Path) -> None:
    """They stand in a file of their own, outside of the policy's digest."""
    policy = write_policy(tmp_path, {"kind": "new_unsupported", "max": 0, "waivable": True})
    source = memory_loading(release_desk).source
    loading = Loading(replace(source, policy=policy), load=lambda *_, **__: release_desk())
    loading.start()
    async with running(RagtuiApp(loading)) as pilot:
        assert verdict(pilot) is Outcome.FAIL
        waiver = {"rule": "r0", "question": "launch", "who": "Jo", "reason": "a patch is due"}
        data = {"schema": "ragtui/waivers@1", "waiver": [{**waiver, "expires": "2027-01-01"}]}
        waivers_path(policy).write_text(tomli_w.dumps(data), encoding="utf-8")
        await pilot.press("r")
        await until(pilot, lambda: "pass with 1 waiver" in frame(app_of(pilot)))


async def test_decisions_that_cannot_be_read_leave_no_verdict(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_: object) -> Ruling:
        raise InputError(Fault(message="the records are gone"))

    monkeypatch.setattr(judging, "judge", refuse)
    async with opened(release_desk(), policy=policy_of(CLAIMS)) as pilot:
        assert "! policy not judged" in frame(app_of(pilot)).split("\n")[0]
        assert "not judged: the records are gone" in await press(pilot, "4")


async def test_a_fault_in_judging_ends_the_program_with_a_whole_terminal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: object) -> Ruling:
        raise ZeroDivisionError

    monkeypatch.setattr(judging, "judge", fail)
    loading = memory_loading(release_desk, lambda: policy_of(CLAIMS))
    loading.start()
    app = RagtuiApp(loading)
    with pytest.raises(ZeroDivisionError):
        async with app.run_test() as pilot:
            await until(pilot, lambda: app.failure is not None)
    assert isinstance(app.failure, ZeroDivisionError)


async def test_a_click_on_the_tab_and_on_a_rule_do_what_keys_do() -> None:
    async with opened(release_desk(), policy=policy_of(MEANS, CLAIMS)) as pilot:
        app = app_of(pilot)
        await pilot.click(offset=place_of(app, "Policy ✗ 1"))
        await settle(pilot)
        assert app.screen.query_exactly_one(LowerPane).tab is Tab.POLICY
        await pilot.click(offset=place_of(app, "no-new-claims"))
        await settle(pilot)
        assert "rule no-new-claims · 1 of 4" in frame(app)


def place_of(app: RagtuiApp, text: str) -> tuple[int, int]:
    """Return where a text stands on the screen."""
    for y, line in enumerate(frame(app).split("\n")):
        if text in line:
            return line.index(text) + 1, y
    raise AssertionError(f"{text!r} is not shown")


async def test_a_release_note_says_the_verdict_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with opened(release_desk(), policy=policy_of(CLAIMS)) as pilot:
        await pilot.press("x")
        await pilot.pause()
        await pilot.press("enter")
        await pilot.pause()
        await app_of(pilot).workers.wait_for_complete()
        await settle(pilot)
    text = read_note(tmp_path)
    assert "✗ fail" in text
    assert text.index("✗ fail") < text.index("regressed")


def read_note(folder: Path) -> str:
    (note,) = folder.glob("*.md")
    return note.read_text(encoding="utf-8")


# ---------------------------------------------------------------- files and held-out sets


async def test_a_closed_set_is_judged_and_names_no_question(tmp_path: Path) -> None:
    """The policy is in the ledger before the look is."""
    folder = write_held_out(tmp_path)
    policy = write_policy(folder, {"kind": "new_unsupported", "max": 0})
    pair = folder / "base.toml", folder / "one.toml"
    loading = Loading(Source(*pair, policy=policy))
    loading.start()
    async with running(RagtuiApp(loading, keeping=Keeping(*pair))) as pilot:
        kinds = [event["kind"] for event in ledger_events(folder)]
        assert kinds.index("policy") < kinds.index("look")
        shown = await press(pilot, "4")
        assert "withheld: the set is held out and not opened" in shown
        shown = await press(pilot, "enter")
        assert not any(name in shown for name in QUESTION_IDS)
        assert list(session_of(app_of(pilot)).rows) == []
        assert said(pilot) == "withheld: the set is held out and not opened"


async def test_decisions_beside_a_closed_set_count_for_its_verdict() -> None:
    """A session that keeps none itself reads those on disk."""
    read: list[Comparison] = []

    def decisions(comparison: Comparison) -> Mapping[str, Decision]:
        read.append(comparison)
        return {}

    async with opened(release_desk(), policy=policy_of(CLAIMS)) as pilot:
        main = main_screen(app_of(pilot))
        main.judge_by(policy_of(MEANS), decisions)
        main._judge()
        await settle(pilot)
        assert read == [session_of(app_of(pilot)).comparison]
        assert verdict(pilot) is Outcome.PASS


def test_a_policy_that_is_not_understood_opens_no_screen_and_costs_no_look(tmp_path: Path) -> None:
    folder = write_held_out(tmp_path)
    policy = write_policy(folder, {"kind": "new_unsuported", "max": 0})
    with pytest.raises(InputError, match="new_unsupported"):
        run_app(folder / "base.toml", folder / "one.toml", policy=policy)
    assert not [event for event in ledger_events(folder) if event["kind"] != "freeze"]


def test_a_policy_is_read_before_the_runs() -> None:
    def rules(_: Path) -> Policy:
        raise InputError(Fault(message="no policy"))

    loads: list[object] = []

    def load(*_: object, **__: object) -> Comparison:
        loads.append(1)
        return release_desk()

    source = memory_loading(release_desk, lambda: policy_of(CLAIMS)).source
    loading = Loading(source, load=load, load_rules=rules)
    loading.start()
    assert loading.decided(10)
    events: list[object] = []
    loading.listen(events.append)
    assert isinstance(events[0], Failed)
    assert loads == []
