"""Where somebody was looking comes back next time, as far as it still exists."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtui.session import Session, Sort, View
from ragtui.tui.memory import Place, memory_path, name_of, place_of, recall, remember, return_to
from tests.builders import release_desk
from tests.strategies import hostile_text

_NAME = name_of(Path("a.toml"), Path("b.toml"))


def test_question_measure_sort_view_and_filter_come_back(tmp_path: Path) -> None:
    path = tmp_path / "state" / "places.json"
    before = Session(release_desk())
    before.set_view(View.IMPROVED)
    before.set_filter("tag:lookup")
    before.sort_by("question", reverse=True)
    before.select_measure("coverage")
    before.move_to(0)
    remember(path, _NAME, place_of(before))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    after = Session(release_desk())
    found = recall(path, _NAME)
    assert found is not None
    return_to(after, found)
    assert place_of(after) == place_of(before)
    assert (after.sort, after.view) == (Sort("question", reverse=True), View.IMPROVED)
    assert after.filter_text == "tag:lookup"


def test_another_filter_that_was_asked_for_stands_above_the_old_one() -> None:
    session = Session(release_desk())
    return_to(
        session, Place(question="owner", filter="tag:lookup", view="improved"), filtered=False
    )
    assert not session.is_filtered
    assert session.current == session.comparison.index_of("owner")


def test_what_no_longer_exists_is_left_out() -> None:
    session = Session(release_desk())
    before = place_of(session)
    gone = Place(question="gone", measure="gone", sort="gone", view="gone", filter="gone:gone")
    return_to(session, gone)
    assert place_of(session) == before


def test_a_place_where_nothing_is_left_shows_everything() -> None:
    session = Session(release_desk())
    return_to(session, Place(filter="no-such-word"))
    assert len(session.rows) == 4


@pytest.mark.parametrize("raw", [b"", b"{", b"[]", b'{"x": 3}', b"\xff", b"[" * 100_000])
def test_a_damaged_file_counts_as_none_and_is_replaced(raw: bytes, tmp_path: Path) -> None:
    path = tmp_path / "places.json"
    path.write_bytes(raw)
    assert recall(path, _NAME) is None
    remember(path, _NAME, Place(question="x"))
    assert recall(path, _NAME) == Place(question="x")


@given(st.builds(Place, question=hostile_text(), filter=hostile_text()))
def test_a_place_holds_any_text(tmp_path_factory: pytest.TempPathFactory, place: Place) -> None:
    path = tmp_path_factory.mktemp("state") / "places.json"
    remember(path, _NAME, place)
    assert recall(path, _NAME) in (place, None)


def test_only_the_latest_places_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "places.json"
    for number in range(205):
        remember(path, f"{number}", Place(question=f"{number}"))
    assert recall(path, "4") is None
    assert recall(path, "5") == Place(question="5")


def test_a_folder_that_cannot_be_made_is_no_fault(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    remember(tmp_path / "file" / "places.json", _NAME, Place())


def test_the_name_of_a_pair_tells_nobody_where_it_is() -> None:
    assert "a.toml" not in _NAME
    assert name_of(Path("b.toml"), Path("a.toml")) != _NAME
    assert memory_path().name == "places.json"
