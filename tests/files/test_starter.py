from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ragtui.core.contract import labels_of
from ragtui.core.gate import judge
from ragtui.core.policy import Outcome
from ragtui.core.triage import Triage
from ragtui.errors import OutputError
from ragtui.files.loading import load_comparison
from ragtui.files.manifests import load_manifest
from ragtui.files.policies import load_policy
from ragtui.files.sets import load_set
from ragtui.files.starter import POLICY, RUNS, init
from ragtui.files.validation import validate

if TYPE_CHECKING:
    from pathlib import Path


def test_a_new_folder_holds_a_frozen_set_and_two_pinned_runs(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "desk"
    written = init(folder)
    assert sorted(written) == sorted(path for path in folder.rglob("*") if path.is_file())
    questions = load_set(folder / "set" / "set.toml")
    assert questions.frozen
    assert questions.warnings == ()
    for name in RUNS:
        assert load_manifest(folder / name).set_sha256 == questions.digest
        assert validate(folder / name).warnings == ()


def test_the_example_shows_answerable_and_unanswerable_questions(tmp_path: Path) -> None:
    init(tmp_path)
    answerable = [labels_of(one).answerable for one in load_set(tmp_path / "set" / "set.toml")]
    assert answerable == [True, True, True, False]


def test_every_file_is_sound_in_itself_and_explains_itself(tmp_path: Path) -> None:
    for path in init(tmp_path):
        if path.suffix == ".toml" and path.name != "ragtui.toml":
            assert validate(path).shown
            assert path.read_text().startswith("# ")


def test_the_policy_fails_for_the_change_that_the_example_is_about(tmp_path: Path) -> None:
    """The candidate says something new of the one critical question, and the gate names it."""
    init(tmp_path)
    comparison = load_comparison(*(tmp_path / name for name in RUNS))
    found = judge(load_policy(tmp_path / POLICY), Triage(comparison, {}))
    assert found.outcome is Outcome.FAIL
    assert found.reservations == ()
    assert {q for result in found.results for q in result.questions} == {"day-price"}


def test_a_folder_that_holds_anything_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("mine")
    with pytest.raises(OutputError, match="not empty"):
        init(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["note.txt"]


def test_a_file_in_the_place_of_the_folder_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "desk"
    path.write_text("mine")
    for place in (path, path / "inner"):
        with pytest.raises(OutputError):
            init(place)
    assert path.read_text() == "mine"
