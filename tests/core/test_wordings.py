from __future__ import annotations

import pytest

import ragtui.core.wordings
from ragtui.core.wordings import Wordings
from tests.builders import MemoryEvidence, comparison_of, question, release_desk


@pytest.mark.parametrize(
    ("word", "indexes"),
    [
        ("day", [0]),
        ("DAY", [0]),
        ("the release", [0, 1, 2, 3]),
        ("launch", []),
        ("nowhere", []),
    ],
)
def test_words_are_found_in_texts_whatever_their_case(word: str, indexes: list[int]) -> None:
    assert list(Wordings(release_desk()).find(word)) == indexes


def test_letters_that_fold_to_several_are_found() -> None:
    asked = [question("q1", text="Stra\xdfe"), question("q2", text="STRASSE"), question("q3")]
    assert list(Wordings(comparison_of(asked, [], [])).find("stra\xdfe")) == [0, 1]


def test_each_text_is_read_once() -> None:
    comparison = release_desk()
    assert isinstance(comparison.evidence, MemoryEvidence)
    wordings = Wordings(comparison)
    assert comparison.evidence.reads == []
    for word in ("day", "team", "region"):
        wordings.find(word)
    assert comparison.evidence.reads == [0, 1, 2, 3]
    assert not wordings.skipped(["day", "team", "region"])


def test_a_large_set_is_read_only_for_a_word_that_no_id_holds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ragtui.core.wordings, "TEXTS_KEPT", 3)
    comparison = release_desk()
    assert isinstance(comparison.evidence, MemoryEvidence)
    wordings = Wordings(comparison)
    assert list(wordings.find("Region")) == []
    assert comparison.evidence.reads == []
    assert list(wordings.find("Day")) == [0]
    assert list(wordings.find("day")) == [0]
    assert comparison.evidence.reads == [0, 1, 2, 3]
    assert wordings.skipped(["REGION"])
    assert not wordings.skipped(["day", "never looked for"])
