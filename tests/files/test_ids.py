from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtui.files.ids import all_well_formed, check_id, check_name

REAL_IDS = [
    "msmarco_v2.1_doc_19_1675146822#4_29382",
    "000",
    "49ers–Seahawks_rivalry",
    "d5b1e735a040853ed361a3dfde1b8ef0<::>1",
    "Benefits Details.pdf#page=103",
    "https://x.org/y?a=1&b",
    "a" * 512,
    "日本",
]


@pytest.mark.parametrize("name", REAL_IDS)
def test_real_ids_pass_the_open_profile(name: str) -> None:
    assert check_id(name, "open") is None


@pytest.mark.parametrize(
    "name",
    [
        "",
        " a",
        "a ",
        "\u00a0a",
        "a\n",
        "a\tb",
        "a\x7fb",
        "a\u202eb",
        "a\u200bb",
        "\ud800",
        "a" * 513,
    ],
)
def test_ids_that_cannot_be_told_apart_by_eye_are_refused(name: str) -> None:
    assert check_id(name, "open") is not None


@pytest.mark.parametrize("name", ["a", "launch", "a-1", "a" * 32, "z9-"])
def test_short_plain_words_pass_the_lab_profile(name: str) -> None:
    assert check_id(name, "lab") is None


@pytest.mark.parametrize("name", ["", "A", "1a", "-a", "a_b", "a" * 33, "a\n", "é", "a b", "٣"])
def test_everything_else_fails_the_lab_profile(name: str) -> None:
    assert check_id(name, "lab") is not None


@given(st.text())
def test_the_open_profile_is_the_rule_in_words(name: str) -> None:
    forbidden = any(unicodedata.category(char) in {"Cc", "Cf", "Cs"} for char in name)
    expected = 1 <= len(name) <= 512 and not forbidden and name == name.strip()
    assert (check_id(name, "open") is None) == expected


@given(
    st.lists(st.text() | st.sampled_from([*REAL_IDS, "a", "b c"])), st.sampled_from(["lab", "open"])
)
def test_many_ids_are_well_formed_when_each_one_is(names: list[str], profile: str) -> None:
    each = all(check_id(name, profile) is None for name in names)  # type: ignore[arg-type]
    assert all_well_formed(names, profile) == each  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["1.0.0", "2026-11-20-baseline", "a", "A_b+c", "a" * 128])
def test_names_that_make_file_names_pass(name: str) -> None:
    assert check_name(name) is None


@pytest.mark.parametrize(
    "name", ["", ".", "..", "a..b", "-a", "a/b", "a\\b", "a b", "a\n", "é", "a" * 129, ".hidden"]
)
def test_names_that_do_not_are_refused(name: str) -> None:
    assert check_name(name) is not None
