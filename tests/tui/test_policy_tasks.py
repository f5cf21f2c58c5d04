"""What a person does with an acceptance policy on the screen."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import pytest

from tests.builders import release_desk
from tests.policies import policy_of, rule
from tests.tui.deciding import app_of, kept_in, press, regressions, said
from tests.tui.frames import frame, opened, session_of, settle, until

if TYPE_CHECKING:
    from pathlib import Path

    from textual.pilot import Pilot

    from ragtui.core.policy import Policy
    from ragtui.tui.keeping import Keeping

DESK: Final = policy_of(
    rule("new_unsupported", "no-new-claims", max=0),
    rule("regressions", "nothing-severe", severity="S1", max=0),
    rule("labels", "labels", max_unresolved=0, plan="A third reviewer [b]decides[/b]."),
    rule("no_disclosure", "nothing-disclosed", required=False),
)
TRIAGE: Final = policy_of(rule("triage", "all-accepted", severity="S4"))
SIZE: Final = (160, 50)


def held_to(folder: Path, policy: Policy) -> Keeping:
    return replace(kept_in(folder), policy=policy)


async def judged(pilot: Pilot[None]) -> str:
    """Wait until the rules were held against what stands now, and return the screen."""
    session = session_of(app_of(pilot))
    await until(pilot, lambda: session.ruling is not None)
    await settle(pilot)
    return frame(app_of(pilot))


async def test_the_header_says_the_verdict_and_5_the_rules(tmp_path: Path) -> None:
    async with opened(release_desk(), size=SIZE, keeping=held_to(tmp_path, DESK)) as pilot:
        shown = await judged(pilot)
        assert "policy ✗ fail" in shown.split("\n")[0]
        shown = await press(pilot, "5")
        assert "Policy fail" in shown
        for words in ("no-new-claims", "✗ fail", "1 new unsupported claim"):
            assert words in shown
        assert "? inconclusive (advisory)" in shown
        assert "1 fail, 2 pass of 3 required rules; 1 advisory" in shown


async def test_the_rule_under_the_cursor_is_explained_whole(tmp_path: Path) -> None:
    """Text of the policy is text: brackets stay what they are."""
    async with opened(release_desk(), size=SIZE, keeping=held_to(tmp_path, DESK)) as pilot:
        await judged(pilot)
        shown = await press(pilot, "5", "down")
        assert "at most 0" in shown
        assert "questions launch" in " ".join(shown.split())
        shown = await press(pilot, "down", "down")
        assert "A third reviewer [b]decides[/b]." in shown


async def test_enter_filters_to_the_questions_of_a_rule(tmp_path: Path) -> None:
    async with opened(release_desk(), size=SIZE, keeping=held_to(tmp_path, DESK)) as pilot:
        await judged(pilot)
        shown = await press(pilot, "5", "down", "enter")
        session = session_of(app_of(pilot))
        assert [session.comparison.ids[index] for index in session.rows] == ["launch"]
        assert "rule no-new-claims" in shown
        assert "▼ 1 regressed" in shown


async def test_a_rule_that_blames_nobody_leaves_the_table_alone(tmp_path: Path) -> None:
    async with opened(release_desk(), size=SIZE, keeping=held_to(tmp_path, DESK)) as pilot:
        await judged(pilot)
        await press(pilot, "5", "down", "down", "enter")
        assert len(session_of(app_of(pilot)).rows) == 4
        assert "blames no question" in said(pilot)


async def test_accepting_the_last_change_turns_the_verdict(tmp_path: Path) -> None:
    """The verdict follows the decisions that are on disk."""
    async with opened(regressions(2), size=SIZE, keeping=held_to(tmp_path, TRIAGE)) as pilot:
        assert "policy ? inconclusive" in await judged(pilot)
        await press(pilot, "a")
        assert "policy ? inconclusive" in await judged(pilot)
        await press(pilot, "a")
        assert "policy ✓ pass" in await judged(pilot)
        await press(pilot, "escape", "u", "b")
        assert "policy ✗ fail" in await judged(pilot)


async def test_without_a_policy_5_says_how_to_name_one() -> None:
    async with opened(release_desk(), size=SIZE) as pilot:
        assert "Policy" not in frame(app_of(pilot))
        assert "start with --policy FILE" in await press(pilot, "5")


@pytest.mark.parametrize("size", [(80, 24), (100, 30), (140, 44)])
async def test_the_tab_fits_a_small_terminal(size: tuple[int, int], tmp_path: Path) -> None:
    """The outcome of each rule stays in sight."""
    async with opened(release_desk(), size=size, keeping=held_to(tmp_path, DESK)) as pilot:
        await judged(pilot)
        shown = await press(pilot, "5")
        assert "✗ fail" in shown
        assert all(len(line) <= size[0] for line in shown.split("\n"))
