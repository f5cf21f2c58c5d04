"""Decisions as a file that people read, compare and merge."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtui.core.triage import MAX_NOTE, Choice, Decision
from ragtui.errors import InputError
from ragtui.files.triage_file import (
    decision_faults,
    load_decisions,
    load_triage,
    parse_triage,
    render_size,
    render_triage,
    triage_path,
)
from tests.triage_data import AT, SET, binding, decision, decisions

GOOD: Final = f"""\
schema = "ragtui/triage@1"
set = "{SET}"

[[decision]]
question = "launch"
choice = "block"
note = "not before\\nthe label is settled"
owner = "Ann"
when = "{AT}"

[decision.binding]
question = "{"1" * 64}"
baseline = "{"a" * 64}"
candidate = "{"b" * 64}"
cutoff = 2
unit = "document"
contract = "strict-citation/1"
"""


def test_the_file_is_readable_toml_with_one_table_a_decision() -> None:
    said = decision("launch", Choice.BLOCK, "not before\nthe label is settled", owner="Ann")
    assert render_triage([said], set_digest=SET).decode() == GOOD


@given(st.lists(decisions, unique_by=lambda said: said.question))
def test_every_decision_comes_back_and_order_does_not_matter(said: list[Decision]) -> None:
    raw = render_triage(said, set_digest=SET)
    assert raw == render_triage(reversed(said), set_digest=SET)
    assert parse_triage(raw, "t.toml") == {each.question: each for each in said}
    assert len(raw) <= 120 + sum(map(render_size, said))


@given(decisions)
def test_no_generated_decision_has_a_fault(said: Decision) -> None:
    assert not list(decision_faults(said))


def test_an_absent_file_holds_nothing(tmp_path: Path) -> None:
    found = load_triage(tmp_path / "t.toml")
    assert (found.decisions, found.sha256, found.has_comments) == ({}, None, False)


def test_a_date_may_be_written_as_toml_writes_dates(tmp_path: Path) -> None:
    path = tmp_path / "t.toml"
    path.write_text(GOOD.replace(f'"{AT}"', AT), encoding="utf-8")
    assert load_decisions(path)["launch"].when == AT


BROKEN: Final = {
    'schema = "ragtui/triage@1"': ('schema = "ragtui/triage@2"', "schema: this is not a triage"),
    f'set = "{SET}"': ("", "set: the key is missing"),
    'question = "launch"': ('question = ""', "question: the text is empty"),
    'choice = "block"': ('choice = "blok"', 'did you mean "block"?'),
    'owner = "Ann"': ('ownr = "Ann"', 'unknown key; did you mean "owner"?'),
    f'when = "{AT}"': ('when = "soon"', "such as 2026-11-20T09:30:00Z"),
    f'candidate = "{"b" * 64}"': ('candidate = "bb"', "candidate: this is no digest"),
    "cutoff = 2": ("cutoff = 0", "from 1 to 100"),
    'unit = "document"': ('unit = "page"', 'expected "document" or "chunk"'),
    'contract = "strict-citation/1"\n': ("", "contract: the key is missing"),
    "note = ": ("follow_up = 3\nnote = ", "follow_up: the value has another type"),
    "[decision.binding]": ("[decision.bound]", "the table is missing"),
}


@pytest.mark.parametrize("part", BROKEN)
def test_what_is_wrong_is_named_with_its_place(part: str) -> None:
    other, told = BROKEN[part]
    assert part in GOOD
    with pytest.raises(InputError) as caught:
        parse_triage(GOOD.replace(part, other).encode(), "t.toml")
    assert told in "\n".join(caught.value.lines)
    assert all(fault.file == "t.toml" for fault in caught.value.faults)


def test_all_faults_are_named_together() -> None:
    wrong = GOOD.replace('"block"', '"blok"').replace("cutoff = 2", "cutoff = true")
    with pytest.raises(InputError) as caught:
        parse_triage(wrong.encode(), "t.toml")
    assert [fault.key for fault in caught.value.faults] == [
        "decision[0].choice",
        "decision[0].binding.cutoff",
    ]
    assert {fault.question for fault in caught.value.faults} == {"launch"}


def test_a_question_is_decided_once() -> None:
    twice = GOOD + GOOD[GOOD.index("[[decision]]") :]
    with pytest.raises(InputError, match="decided twice"):
        parse_triage(twice.encode(), "t.toml")


def test_an_unfinished_merge_is_named(tmp_path: Path) -> None:
    path = tmp_path / "t.toml"
    path.write_text(f"{GOOD}<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n", encoding="utf-8")
    with pytest.raises(InputError, match="git conflict mark"):
        load_triage(path)


def test_comments_are_noticed_and_signs_inside_texts_are_not(tmp_path: Path) -> None:
    path = tmp_path / "t.toml"
    path.write_bytes(render_triage([decision(note="see #12")], set_digest=SET))
    assert not load_triage(path).has_comments
    path.write_text(f"# ours\n{GOOD}", encoding="utf-8")
    assert load_triage(path).has_comments


@pytest.mark.parametrize(
    ("change", "key"),
    [
        ({"note": "x" * (MAX_NOTE + 1)}, "note"),
        ({"owner": ""}, "owner"),
        ({"who": "\ud800"}, "who"),
        ({"question": "\ud800"}, "question"),
        ({"when": "2026-11-27T10:00:00Z\n"}, "when"),
        ({"binding": msgspec.structs.replace(binding(), baseline="A" * 64)}, "binding.baseline"),
        ({"binding": binding(cutoff=101)}, "binding.cutoff"),
        ({"binding": msgspec.structs.replace(binding(), contract="")}, "binding.contract"),
    ],
)
def test_what_a_file_could_not_give_back_is_refused(change: dict[str, object], key: str) -> None:
    odd = msgspec.structs.replace(decision(), **change)
    assert [fault.key for fault in decision_faults(odd)] == [key]


def test_the_longest_ids_of_runs_still_give_a_name_and_stay_apart() -> None:
    names = {triage_path(Path("b.toml"), "r" * 127 + end, "s" * 128).name for end in "xyz"}
    assert len(names) == 3
    assert max(map(len, names)) < 200
