"""Decisions as lines and as cells, without an app."""

from __future__ import annotations

from itertools import product

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtui.core.triage import Choice, Counts
from ragtui.text import cell_width
from ragtui.tui.spans import cut_line, line_width, plain
from ragtui.tui.views.decision import MARK_NARROW, MARK_WIDE, Stand, decision_lines, mark
from ragtui.tui.views.header import header_lines, triage_words
from ragtui.tui.widgets.banner import trouble_line
from tests.builders import release_desk
from tests.strategies import hostile_text
from tests.triage_data import decision
from tests.tui.views import assert_fits


def _texts(stand: Stand, width: int = 60) -> list[str]:
    return [plain(line).rstrip() for line in decision_lines(stand, width)]


def test_a_decision_says_what_who_when_and_why() -> None:
    made = msgspec.structs.replace(
        decision("launch", Choice.BLOCK, "one\ntwo", owner="Ana"), who="Jo", follow_up="T-12"
    )
    assert _texts(Stand(made)) == [
        "triage    block · by Jo · 2026-11-27 10:00:00 UTC",
        "note      one",
        "          two",
        "owner     Ana",
        "follow-up T-12",
    ]


def test_what_is_not_on_disk_open_or_stale_says_so() -> None:
    made = decision("launch", Choice.INVESTIGATE)
    (line,) = _texts(Stand(made, saved=False), 100)
    assert line.startswith("triage    investigate (still undecided) … not on disk yet · unsigned")
    stale = _texts(Stand(made, stale=("run B was replaced", "k was 3")), 100)
    assert stale[1] == "          ≠ stale: run B was replaced, k was 3; it no longer counts"


def test_an_open_change_asks_for_a_decision_where_one_can_be_made() -> None:
    assert _texts(Stand(needed=True)) == ["triage    ○ this change needs a decision"]
    assert _texts(Stand(needed=True, read_only=True)) == ["triage    ○ this change is undecided"]
    assert _texts(Stand()) == []


def test_a_long_note_leaves_room_for_the_evidence() -> None:
    shown = _texts(Stand(decision("launch", note="word " * 500)))
    assert len(shown) == 7
    assert shown[-1].endswith("e shows all of it")


@pytest.mark.parametrize("narrow", [False, True])
def test_every_state_has_a_cell_of_its_own_without_colour(narrow: bool) -> None:
    states = [Stand(), Stand(needed=True), Stand(needed=True, saved=False)]
    for choice, saved, stale in product(Choice, (True, False), ((), ("k was 3",))):
        states.append(Stand(decision("q", choice), stale=stale, saved=saved))
    cells = [mark(stand, narrow=narrow).text for stand in states if stand.saved or not stand.stale]
    assert len(set(cells)) == len(cells)
    widest = MARK_NARROW if narrow else MARK_WIDE
    assert all(cell_width(cell) <= widest for cell in cells)


@given(hostile_text(), st.integers(20, 120))
def test_no_decision_acts_on_the_screen_or_overflows(text: str, width: int) -> None:
    made = msgspec.structs.replace(
        decision("q", note=text, owner=text), who=text, follow_up=text, when=text
    )
    assert_fits(decision_lines(Stand(made, stale=(text,), saved=False), width), width)
    assert_fits([cut_line(trouble_line(text, 2, "w", width), width)], width)


@pytest.mark.parametrize("width", [60, 80, 100, 140])
@pytest.mark.parametrize("waiting", [0, 2])
def test_the_count_of_decisions_is_never_cut(width: int, waiting: int) -> None:
    words = triage_words(Counts(3, 15, 1), waiting=waiting, read_only=True)
    found = release_desk()
    lines = header_lines(found, found.measures[0], width, words)
    assert plain(words) in plain(lines[0])
    assert all(line_width(line) <= width for line in lines)


def test_the_count_of_decisions_says_what_is_left_stale_and_unsafe() -> None:
    assert plain(triage_words(Counts(0, 0, 0))) == ""
    assert plain(triage_words(Counts(0, 0, 2))) == "2 stale"
    assert plain(triage_words(Counts(4, 0, 0))) == "4 of 4 decided ✓"
    assert plain(triage_words(Counts(1, 3, 0), waiting=2)) == "1 of 4 decided · … 2 not on disk"


@pytest.mark.parametrize("width", [40, 60, 80, 200])
def test_a_banner_keeps_what_is_wrong_and_the_key(width: int) -> None:
    line = plain(trouble_line("disk full: " + "x" * 100, 2, "w", width))
    assert line.startswith(" ! 2 steps not on disk: ")
    assert line.endswith("· w tries again")
    assert cell_width(line) <= width
    conflicts = plain(trouble_line("why", 0, "w", 80, conflicts=2))
    assert conflicts == " ! 2 questions decided otherwise in the file: why · w chooses"
