from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtui.core.model import Access, Status
from ragtui.files.canonical import canonical, sha256_hex
from ragtui.files.ids import PROFILES, Profile
from ragtui.files.question_reader import QuestionReader, decode_question
from ragtui.files.question_rules import QuestionRules, check_question
from ragtui.files.question_scan import is_plainly_sound
from ragtui.files.questions import (
    RawQuestion,
    count_keys,
    question_digest,
    question_to_plain,
    spelling_faults,
    to_question,
)
from ragtui.files.shape import Faults

if TYPE_CHECKING:
    from ragtui.errors import Fault

CORPUS = {"a", "b", "c", "d"}
LAB = QuestionRules(profile="lab", documents=CORPUS)


def faults_of(question: dict[str, Any], rules: QuestionRules = LAB) -> tuple[Fault, ...]:
    """Return the faults of one question, which must be the same as TOML and as JSON."""
    as_json, as_toml = Faults("q.jsonl"), Faults("q.toml")
    QuestionReader(rules, as_json).line(json.dumps(question).encode(), 1)
    QuestionReader(rules, as_toml).table(question, 0)
    assert as_json.count == as_toml.count
    return as_json.error().faults if as_json else ()


def wrong_keys(question: dict[str, Any], rules: QuestionRules = LAB) -> list[str | None]:
    """Return the key path of each fault."""
    return [fault.key for fault in faults_of(question, rules)]


def test_only_the_id_is_required() -> None:
    assert faults_of({"id": "q"}) == ()


def test_a_full_question_is_sound_and_keeps_every_part() -> None:
    data = {
        "id": "q",
        "text": "Which?",
        "tags": ["lookup"],
        "critical": True,
        "relevant": ["a", "b"],
        "support": {"one": ["a", "b"], "two": [["a", "b"]]},
        "accepted": {"three": ["c"]},
        "caller": ["hr"],
        "cluster": "notes",
        "status": "disputed",
        "grades": {"a": 2},
        "not_relevant": ["d"],
        "claims": {"one": "It is one."},
        "review": [{"reviewer": "r1", "relevant": ["a"], "support": {"one": ["a"]}, "note": "n"}],
    }
    assert faults_of(data) == ()
    question = to_question(decode_question(json.dumps(data).encode()))
    assert question.support == {
        "one": (frozenset({"a"}), frozenset({"b"})),
        "two": (frozenset({"a", "b"}),),
    }
    assert question.caller == ("public", "hr")
    assert question.status is Status.DISPUTED
    assert question.reviews[0].relevant == ("a",)
    assert question.accepted == {"three": (frozenset({"c"}),)}


def test_absent_stays_absent_and_empty_stays_empty() -> None:
    absent = to_question(RawQuestion(id="q"))
    empty = to_question(RawQuestion(id="q", relevant=(), support={}))
    assert (absent.relevant, absent.support) == (None, None)
    assert (empty.relevant, empty.support) == ((), {})


@pytest.mark.parametrize(
    ("change", "key"),
    [
        ({"id": "Q"}, "id"),
        ({"relevant": ["a", "a"], "support": {"x": ["a"]}}, "relevant"),
        ({"relevant": ["a", "zz"]}, "relevant[1]"),
        ({"relevant": [], "support": {"x": ["a"]}}, "support"),
        ({"relevant": ["a"], "support": {}}, "support"),
        ({"relevant": ["a"], "support": {"x": ["b"]}}, "support.x"),
        ({"relevant": ["a"], "support": {"x": []}}, "support.x"),
        ({"relevant": ["a"], "support": {"x": [[]]}}, "support.x[0]"),
        ({"relevant": ["a"], "support": {"x": [["a", "a"]]}}, "support.x[0]"),
        ({"relevant": ["a"], "support": {"x": ["a", "a"]}}, "support.x"),
        ({"relevant": ["a", "b"], "support": {"x": ["a", ["b"]]}}, "support.x"),
        ({"relevant": ["a", "b"], "support": {"x": [["a", "b"], ["b", "a"]]}}, "support.x"),
        ({"support": {"x": ["zz"]}}, "support.x[0]"),
        ({"support": {"X": ["a"]}}, "support.X"),
        ({"accepted": {"x": ["zz"]}}, "accepted.x[0]"),
        ({"accepted": {"x": []}}, "accepted.x"),
        ({"support": {"x": ["a"]}, "accepted": {"x": ["b"]}}, "accepted.x"),
        ({"relevant": [], "accepted": {"x": ["b"]}}, "accepted"),
        ({"support": {}, "accepted": {"x": ["b"]}}, "accepted"),
        ({"relevant": ["a"], "not_relevant": ["a"]}, "not_relevant"),
        ({"not_relevant": ["b", "b"]}, "not_relevant"),
        ({"grades": {"zz": 1}}, "grades.zz"),
        ({"grades": {"a": -1}}, "grades.a"),
        ({"tags": ["t", "t"]}, "tags"),
        ({"tags": [""]}, "tags"),
        ({"caller": ["a\nb"]}, "caller"),
        ({"cluster": " x"}, "cluster"),
        ({"claims": {"No": "n"}}, "claims.No"),
        ({"review": [{"reviewer": "r"}, {"reviewer": "r"}]}, "review"),
        ({"review": [{"reviewer": "r", "relevant": ["zz"]}]}, "review[0].relevant[0]"),
        (
            {
                "relevant": ["a"],
                "support": {"x": ["a"]},
                "review": [{"reviewer": "r", "relevant": []}],
            },
            "review[0].support",
        ),
        ({"relevant": [f"a{n}" for n in range(101)]}, "relevant"),
    ],
)
def test_each_broken_rule_is_named_by_its_key(change: dict[str, Any], key: str) -> None:
    assert wrong_keys({"id": "q"} | change)[0] == key


@pytest.mark.parametrize(
    ("change", "key"),
    [
        ({"relevant": "a"}, "relevant"),
        ({"relevant": [1]}, "relevant[0]"),
        ({"support": ["a"]}, "support"),
        ({"support": {"x": "a"}}, "support.x"),
        ({"support": {"x": [1]}}, "support.x[0]"),
        ({"support": {"x": [["a", 1]]}}, "support.x[0][1]"),
        ({"critical": 1}, "critical"),
        ({"critical": "yes"}, "critical"),
        ({"grades": {"a": True}}, "grades.a"),
        ({"grades": {"a": 1.0}}, "grades.a"),
        ({"grades": {"a": 2**64}}, "grades.a"),
        ({"status": "open"}, "status"),
        ({"relevent": ["a"]}, "relevent"),
        ({"review": [{"note": "n"}]}, "review[0].reviewer"),
        ({"review": {"reviewer": "r"}}, "review"),
        ({"claims": {"x": 1}}, "claims.x"),
        ({"claims": {"x": None}}, "claims.x"),
        ({"support": {"x": None}}, "support.x"),
        ({"grades": {"a": None}}, "grades.a"),
        ({"text": 5}, "text"),
        ({"id": 7}, "id"),
    ],
)
def test_types_are_exact(change: dict[str, Any], key: str) -> None:
    found = wrong_keys({"id": "q"} | change)[0]
    assert found is not None
    assert found.removeprefix("question[0].") == key


def test_an_unknown_key_names_the_nearest_known_one() -> None:
    assert 'did you mean "relevant"?' in str(faults_of({"id": "q", "relevent": []})[0])


def test_all_faults_of_a_question_are_told_at_once() -> None:
    broken = {"id": "q", "relevent": [], "critical": 1, "tags": "x", "support": {"x": [1]}}
    assert len(faults_of(broken)) == 4


def test_all_broken_rules_of_a_question_are_told_at_once() -> None:
    broken = {"id": "q", "relevant": ["zz"], "support": {"x": [["a", "a"]], "y": []}}
    assert wrong_keys(broken) == ["support.x[0]", "relevant[0]", "support.y", "support.x"]


def test_a_missing_id_is_told() -> None:
    assert faults_of({"text": "?"})[0].message == "the key is missing"


@pytest.mark.parametrize(
    "line",
    [
        b'{"id": "q", "id": "p"}',
        b'{"id": "q", "support": {"x": ["a"], "x": ["b"]}}',
        b'{"id": "q", "\\u0069d": "p"}',
        b'{"id": "q", "grades": {"a": NaN}}',
        b'{"id": "q", "text": "\\ud800"}',
        b'{"id": "q", "text": "\xff"}',
        b'{"id": "q"} {"id": "p"}',
        b'["id"]',
        b'"q"',
        b'{"id": "q",}',
        b'{"id": "q"',
        b"<<<<<<< ours",
        b'{"x": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    ],
)
def test_lines_that_are_not_one_strict_object_are_refused(line: bytes) -> None:
    faults = Faults("q.jsonl")
    assert QuestionReader(LAB, faults).line(line, 3) is None
    assert faults.error().faults[0].line == 3


def test_null_says_the_same_as_leaving_the_key_out() -> None:
    raw = decode_question(b'{"id": "q", "relevant": null}')
    assert question_to_plain(raw) == {"id": "q"}
    assert faults_of({"id": "q", "relevant": None}) == ()


def test_a_relevant_document_the_caller_may_not_read_is_an_error() -> None:
    groups = {"a": frozenset({"hr"}), "b": frozenset({"public"}), "c": frozenset[str]()}
    rules = QuestionRules(profile="lab", documents=groups.keys(), access=Access(groups))
    assert wrong_keys({"id": "q", "relevant": ["b", "a"]}, rules) == ["relevant[1]"]
    assert wrong_keys({"id": "q", "support": {"x": ["c"]}}, rules) == ["support.x"]
    assert wrong_keys({"id": "q", "relevant": ["a"], "caller": ["hr"]}, rules) == []
    assert wrong_keys({"id": "q", "accepted": {"x": ["a"]}}, rules) == []
    reviews = [{"reviewer": "r1", "relevant": ["b"]}, {"reviewer": "r2", "relevant": ["a"]}]
    assert wrong_keys({"id": "q", "review": reviews}, rules) == ["review[1].relevant[0]"]


def test_an_open_corpus_checks_documents_by_the_form_of_their_ids() -> None:
    rules = QuestionRules(profile="open", documents=None)
    assert wrong_keys({"id": "q", "relevant": ["anything at all"]}, rules) == []
    assert wrong_keys({"id": "q", "relevant": ["bad "]}, rules) == ["relevant[0]"]


names = st.sampled_from(["a", "b", "c", "d", "zz", "A", "q w", "x\n", ""])
ids = st.lists(names, max_size=4)
alternatives = (
    st.lists(names, max_size=3) | st.lists(ids, max_size=3) | st.lists(names | ids, max_size=3)
)
claims = st.dictionaries(st.sampled_from(["x", "y", "X", ""]), alternatives, max_size=2)
questions = st.fixed_dictionaries(
    {"id": st.sampled_from(["q", "Q", "é", " q"])},
    optional={
        "text": st.text(st.characters(exclude_categories=["Cs"]), max_size=5),
        "tags": ids,
        "critical": st.booleans(),
        "relevant": ids,
        "support": claims,
        "accepted": claims,
        "caller": ids,
        "cluster": names,
        "status": st.sampled_from(["agreed", "resolved"]),
        "grades": st.dictionaries(names, st.integers(-1, 3), max_size=2),
        "not_relevant": ids,
        "claims": st.dictionaries(names, st.text('ab:"\\', max_size=3), max_size=2),
        "review": st.lists(
            st.fixed_dictionaries(
                {"reviewer": names}, optional={"relevant": ids, "support": claims, "note": names}
            ),
            max_size=2,
        ),
    },
)


@given(data=questions, profile=st.sampled_from(PROFILES), closed=st.booleans())
def test_the_quick_look_never_passes_what_the_rules_refuse(
    data: dict[str, Any], profile: Profile, *, closed: bool
) -> None:
    rules = QuestionRules(profile=profile, documents=CORPUS if closed else None)
    raw = decode_question(json.dumps(data).encode())
    if is_plainly_sound(raw, rules):
        assert spelling_faults(raw) == ()
        assert check_question(to_question(raw), rules) == ()


@given(questions)
def test_faults_do_not_depend_on_the_spelling_of_the_file(data: dict[str, Any]) -> None:
    faults_of(data)  # compares both spellings itself


@given(questions)
def test_frozen_content_is_the_canonical_json_of_what_the_file_holds(data: dict[str, Any]) -> None:
    raw = decode_question(json.dumps(data).encode())
    assert question_to_plain(raw) == data
    assert question_digest(raw).hex() == sha256_hex(canonical(data))


@given(questions)
def test_every_key_of_every_object_is_counted_once(data: dict[str, Any]) -> None:
    def count(value: object) -> int:
        if isinstance(value, dict):
            return len(value) + sum(map(count, value.values()))
        return sum(map(count, value)) if isinstance(value, list) else 0

    assert count_keys(msgspec.convert(data, RawQuestion)) == count(data)
