"""Several records of a question on the screen: means in the table, one repeat in the evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from ragtui.core.measures import measure_named
from ragtui.tui.app import RagtuiApp
from ragtui.tui.views.evidence import evidence_lines
from tests.builders import comparison_of, question, record, release_desk
from tests.tui.frames import frame, opened, settle
from tests.tui.views import assert_fits, shown

if TYPE_CHECKING:
    from textual.pilot import Pilot

    from ragtui.core.comparison import Comparison
    from ragtui.core.model import Record


def _numbered(*records: Record) -> list[Record]:
    return [msgspec.structs.replace(item, repeat=number) for number, item in enumerate(records, 1)]


def repeated() -> Comparison:
    """Return launch with three repeats in A and two in B, the second of B without support."""
    asked = question("launch", relevant=["launch"], support={"monday": ["launch"]})
    good = record("launch", ["launch"], {"monday": ["launch"]}, answer="On Monday.")
    other = record("launch", ["archive", "launch"], {"monday": ["launch"]}, answer="Monday it is.")
    bad = record("launch", ["archive"], {"friday": ["archive"]}, answer="On Friday.")
    return comparison_of([asked], _numbered(good, other, good), _numbered(good, bad))


async def _press(pilot: Pilot[None], *keys: str) -> str:
    await pilot.press(*keys)
    await settle(pilot)
    assert isinstance(pilot.app, RagtuiApp)
    return frame(pilot.app)


async def test_parentheses_step_through_the_repeats_and_wrap() -> None:
    """A run with fewer repeats says how many it has; what changed stays what it is over all."""
    async with opened(repeated()) as pilot:
        first = await _press(pilot, "home")
        assert "A repeat 1, 1 of 3" in first
        assert "B repeat 1, 1 of 2" in first
        assert "monday supported in A 3 of 3, B 1 of 2" in first
        second = await _press(pilot, "right_parenthesis")
        assert "A repeat 2, 2 of 3" in second
        assert "✗ friday" in second
        assert "monday supported in A 3 of 3, B 1 of 2" in second
        third = await _press(pilot, "right_parenthesis")
        assert "A repeat 3, 3 of 3" in third
        assert "B has 2" in third
        assert first == await _press(pilot, "right_parenthesis")
        assert third == await _press(pilot, "left_parenthesis")


async def test_a_question_with_one_record_a_run_has_nothing_to_step_through() -> None:
    """The key says so instead of doing nothing."""
    async with opened(release_desk()) as pilot:
        await _press(pilot, "right_parenthesis")
        told = [note.message for note in pilot.app._notifications]
        assert "the question has one record in each run" in told


async def test_the_table_marks_a_difference_of_repeats_that_overlap() -> None:
    """The mean moved by half, and one repeat of B is as good as those of A."""
    async with opened(repeated()) as pilot:
        assert "−0.50~" in await _press(pilot, "home")


def test_evidence_of_repeats_fits_every_width() -> None:
    """No line is wider than the pane, whichever repeat is shown."""
    comparison = repeated()
    detail, measure = comparison.detail(0), measure_named("support")
    assert measure is not None
    for width in (20, 40, 80, 120):
        for position in range(3):
            one = detail.repeat(position)
            assert_fits(evidence_lines(comparison, one, measure, width=width), width)
    told = shown(evidence_lines(comparison, detail.repeat(1), measure, width=100))
    assert "A 1.00 over 3 repeats" in told
    assert "answer B" in told
    assert "On Friday." in told
