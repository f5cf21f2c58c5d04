from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtui.core.model import SetInfo, Unit
from ragtui.core.pairing import (
    HELD_CONSTANT,
    Setting,
    blocking_reasons,
    changed_settings,
    settings_words,
    unrecorded_facts,
)
from tests.builders import run_info

ONE = SetInfo(id="desk", version="1.0.0", sha256="a")
TWO = SetInfo(id="desk", version="1.1.0", sha256="b")
COPY = SetInfo(id="desk", version="1.0.0", sha256="b")
RUNS = (run_info("a"), run_info("b"))
SAME_IDS = (["owner", "region"], ["owner", "region"])


def test_two_runs_over_one_set_may_be_compared() -> None:
    assert blocking_reasons((ONE, ONE), RUNS) == ()
    assert HELD_CONSTANT == ("set", "cutoff", "unit")


def test_two_paths_to_one_digest_are_one_set() -> None:
    elsewhere = msgspec.structs.replace(ONE, id="other", version="2")
    assert blocking_reasons((ONE, elsewhere), RUNS) == ()


def test_every_reason_is_given_at_once() -> None:
    runs = run_info("a", cutoff=2), run_info("b", cutoff=3, unit=Unit.CHUNK)
    reasons = blocking_reasons((ONE, TWO), runs, differing=["owner"], ids=SAME_IDS)
    assert [reason.what for reason in reasons] == list(HELD_CONSTANT)
    assert [reason.sentence for reason in reasons] == [
        "1 question differs between 1.0.0 and 1.1.0: owner",
        "k 2 against 3",
        "unit document against chunk",
    ]
    assert (reasons[1].baseline, reasons[1].candidate) == ("2", "3")


def test_questions_that_differ_are_named_in_order() -> None:
    differing = ["region", "owner", "rollback"]
    [reason] = blocking_reasons((ONE, TWO), RUNS, differing=differing, ids=SAME_IDS)
    assert reason.sentence == "3 questions differ between 1.0.0 and 1.1.0: owner, region, rollback"
    assert reason.questions == ("owner", "region", "rollback")
    assert (reason.baseline, reason.candidate) == ("desk 1.0.0", "desk 1.1.0")


def test_many_questions_that_differ_are_named_in_part_and_listed_whole() -> None:
    differing = [f"q{n}" for n in range(9)]
    [reason] = blocking_reasons((ONE, TWO), RUNS, differing=differing, ids=SAME_IDS)
    assert reason.sentence.endswith("q0, q1, q2, q3, q4 and 4 more")
    assert len(reason.questions) == 9


def test_two_copies_of_one_version_are_told_apart() -> None:
    [reason] = blocking_reasons((ONE, COPY), RUNS, differing=["owner"], ids=SAME_IDS)
    assert reason.sentence == "1 question differs between two copies of 1.0.0: owner"


def test_sets_may_differ_outside_their_questions() -> None:
    [reason] = blocking_reasons((ONE, TWO), RUNS, ids=SAME_IDS)
    assert reason.sentence == (
        "the sets differ outside the questions: desk 1.0.0 against desk 1.1.0"
    )


def test_sets_without_a_question_in_common_show_some_of_each() -> None:
    ids = ["a1", "a2", "a3"], ["q-001", "q-002", "q-003"]
    [reason] = blocking_reasons((ONE, TWO), RUNS, differing=ids[0] + ids[1], ids=ids)
    assert reason.sentence == "no question in common: a1, a2, … against q-001, q-002, …"
    assert reason.what == "questions"


def test_nothing_is_said_about_questions_in_common_when_none_were_given() -> None:
    [reason] = blocking_reasons((ONE, TWO), RUNS)
    assert reason.what == "set"


tables = st.dictionaries(
    st.sampled_from(["a", "b.c", "b.d"]), st.sampled_from([1, 1.0, True, "1", 2, None])
)


@given(tables, tables)
def test_settings_are_the_keys_whose_values_or_types_differ(
    a: dict[str, object], b: dict[str, object]
) -> None:
    found = changed_settings(a, b)
    assert [setting.key for setting in found] == sorted(setting.key for setting in found)
    assert found == tuple(Setting(s.key, s.candidate, s.baseline) for s in changed_settings(b, a))
    changed = {setting.key for setting in found}
    for key in {*a, *b} - changed:
        assert repr(a.get(key)) == repr(b.get(key))
    for setting in found:
        assert repr(setting.baseline) != repr(setting.candidate)


@pytest.mark.parametrize(
    ("baseline", "candidate", "words"),
    [
        ({"k1": 0.9}, {"k1": 0.9}, "a repetition: no setting changed"),
        ({"k1": 0.9}, {"k1": 1.2}, "1 controlled change"),
        (
            {"k1": 0.9, "b": 0.4},
            {"k1": 1.2, "rm3": True},
            "3 settings changed together: a difference cannot be put down to one of them",
        ),
        ({}, {}, "no settings were recorded: what changed is not known"),
        ({"k1": 0.9}, {}, "settings were recorded in A only: what changed is not known"),
        ({}, {"k1": 0.9}, "settings were recorded in B only: what changed is not known"),
    ],
)
def test_the_settings_say_what_a_difference_can_be_put_down_to(
    baseline: dict[str, object], candidate: dict[str, object], words: str
) -> None:
    assert settings_words(baseline, candidate) == words


def test_what_a_careful_run_would_have_recorded_is_listed() -> None:
    bare = msgspec.structs.replace(run_info(), pipeline={})
    assert unrecorded_facts(bare, answers=False, delivered_texts=False) == (
        "code",
        "prompt",
        "model",
        "generation settings",
        "retrieval settings",
        "answer text",
        "delivered text",
    )


def test_a_model_alone_is_no_record_of_generation_settings() -> None:
    run = msgspec.structs.replace(
        run_info(), pipeline={"code": "8f", "prompt": "p", "generation.model": "m"}
    )
    assert unrecorded_facts(run, answers=True, delivered_texts=True) == (
        "generation settings",
        "retrieval settings",
    )


def test_a_key_that_only_begins_alike_records_nothing() -> None:
    run = msgspec.structs.replace(
        run_info(),
        pipeline={
            "codename": "x",
            "prompt.revision": 1,
            "generation.model": "m",
            "generation.temperature": 0.0,
            "retrieval.top_k": 5,
        },
    )
    assert unrecorded_facts(run, answers=True, delivered_texts=True) == ("code",)
