"""Policies and waivers as files: what is read, what is refused and how it is said."""

from __future__ import annotations

from fractions import Fraction
from hashlib import sha256
from typing import TYPE_CHECKING, Final

import pytest
import tomli_w

from ragtui.core.change import Severity
from ragtui.core.policy import Waiver
from ragtui.core.rules import KINDS
from ragtui.errors import InputError
from ragtui.files.policies import load_policy
from ragtui.files.waivers import waivers_path

if TYPE_CHECKING:
    from pathlib import Path

    from ragtui.core.policy import Policy, Rule
    from ragtui.errors import Fault

GOOD: Final[dict[str, dict[str, object]]] = {
    "comparable": {"max_changes": 1},
    "each_at_least": {"measure": "coverage", "min": 1.0, "repeats": "every", "where": ["critical"]},
    "new_unsupported": {"max": 0, "where": ["answerable", "not:tag:old"]},
    "abstention": {"min_correct": 0.9, "max_new_answers": 0, "max_over_abstained": 2},
    "no_disclosure": {},
    "non_inferior": {"measure": "support", "margin": 0.05, "min_n": 30},
    "superior": {"measure": "rr", "min_gain": 0},
    "mean_at_least": {"measure": "support", "average": "pooled", "min": 0.8},
    "regressions": {"severity": "S2", "max": 0},
    "labels": {"max_unresolved": 2, "robust": False, "plan": "A third reviewer decides."},
    "triage": {"severity": "S1"},
    "operations": {
        "p95_ms": 2000,
        "p95_ratio": 1.2,
        "max_failure_rate": 0.01,
        "max_cost_per_question": 0.002,
        "min_requests": 50,
    },
    "sample": {"min_questions": {"answerable": 20, "tag:lookup": 5}},
}
"""One sound rule of each kind, with all keys it may have."""


def write(folder: Path, *rules: dict[str, object], **more: object) -> Path:
    path = folder / "release.policy.toml"
    numbered = [{"id": f"r{n}", **one} for n, one in enumerate(rules)]
    data = {"schema": "ragtui/policy@1", "id": "gate", "rule": numbered, **more}
    path.write_text(tomli_w.dumps(data), encoding="utf-8")
    return path


def faults(path: Path) -> tuple[Fault, ...]:
    with pytest.raises(InputError) as caught:
        load_policy(path)
    assert all(fault.file for fault in caught.value.faults)
    return caught.value.faults


def load(folder: Path, *rules: dict[str, object], **more: object) -> Policy:
    return load_policy(write(folder, *rules, **more))


def only(policy: Policy) -> Rule:
    (found,) = policy.rules
    return found


# ---------------------------------------------------------------- what is read


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_read_with_all_its_keys(kind: str, tmp_path: Path) -> None:
    found = only(load(tmp_path, {"kind": kind, **GOOD[kind]}))
    assert found.kind == kind
    assert found.keys.keys() == GOOD[kind].keys() - {"where"}
    assert [str(term) for term in found.where] == GOOD[kind].get("where", [])


def test_numbers_are_exactly_what_stands_there(tmp_path: Path) -> None:
    """0.1 is a tenth, not the float nearest to it; a count stays one, a share is one."""
    found = load(
        tmp_path,
        {"kind": "non_inferior", "measure": "support", "margin": 0.1},
        {"kind": "abstention", "min_correct": 1},
        {"kind": "abstention", "min_correct": 1.0},
        {"kind": "regressions", "severity": "S3", "max": 4},
        confidence=0.9,
    )
    assert found.rules[0].fraction("margin") == Fraction(1, 10)
    assert type(found.rules[1].keys["min_correct"]) is int
    assert type(found.rules[2].keys["min_correct"]) is Fraction
    assert found.rules[3].severity is Severity.S3
    assert found.confidence == Fraction(9, 10)


def test_the_head_of_a_policy_is_read_and_has_defaults(tmp_path: Path) -> None:
    bare = load(tmp_path, {"kind": "no_disclosure"})
    assert (bare.confidence, bare.max_candidates, bare.max_missing) == (Fraction(19, 20), 5, 0)
    assert (bare.written, bare.owner, bare.set_sha256) == (None, None, None)
    told = load(
        tmp_path,
        {"kind": "no_disclosure"},
        written="2026-02-03",
        owner="Ann",
        set="sha256:" + "a" * 64,
        max_candidates=2,
        max_missing=3,
    )
    assert (told.written, told.owner, told.set_sha256) == ("2026-02-03", "Ann", "a" * 64)
    assert (told.max_candidates, told.max_missing) == (2, 3)


def test_the_digest_is_of_the_bytes(tmp_path: Path) -> None:
    """One byte more, even in a comment, is another policy."""
    path = write(tmp_path, {"kind": "no_disclosure"})
    raw = path.read_bytes()
    assert load_policy(path).sha256 == sha256(raw).hexdigest()
    path.write_bytes(raw + b"#")
    assert load_policy(path).sha256 == sha256(raw + b"#").hexdigest()


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("one", "key", "hint"),
    [
        ({"kind": "each_atleast"}, "rule[0].kind", "each_at_least"),
        ({"kind": "triage", "severity": "S2", "sevrity": 1}, "rule[0].sevrity", "severity"),
        ({"kind": "superior", "measure": "covrage", "min_gain": 0}, "rule[0].measure", "coverage"),
        ({"kind": "superior", "measure": "R@2", "min_gain": 0}, "rule[0].measure", "recall"),
        ({"kind": "new_unsupported", "max": 0, "where": ["anserable"]}, "rule[0].where", "answ"),
        ({"kind": "triage", "severity": "S9"}, "rule[0].severity", "S"),
        (
            {"kind": "sample", "min_questions": {"critcal": 2}},
            "rule[0].min_questions.critcal",
            "critical",
        ),
        (
            {"kind": "mean_at_least", "measure": "rr", "min": 0, "average": "macr"},
            "average",
            "macr",
        ),
    ],
)
def test_an_unknown_word_brings_the_nearest_known(
    one: dict[str, object], key: str, hint: str, tmp_path: Path
) -> None:
    (fault,) = faults(write(tmp_path, one))
    assert fault.key is not None
    assert fault.key.endswith(key)
    assert fault.hint is not None
    assert hint in fault.hint


@pytest.mark.parametrize("kind", sorted(k for k in KINDS if GOOD[k]))
def test_a_rule_without_its_keys_is_refused(kind: str, tmp_path: Path) -> None:
    assert faults(write(tmp_path, {"kind": kind}))


@pytest.mark.parametrize(
    "one",
    [
        {"kind": "comparable", "max_changes": True},
        {"kind": "comparable", "max_changes": 1.0},
        {"kind": "comparable", "max_changes": -1},
        {"kind": "each_at_least", "measure": "support", "min": 1.01},
        {"kind": "each_at_least", "measure": "disclosures", "min": 0},
        {"kind": "each_at_least", "measure": "support", "min": "1"},
        {"kind": "mean_at_least", "measure": "support", "min": 0.5},
        {"kind": "mean_at_least", "measure": "rr", "average": "pooled", "min": 0.5},
        {"kind": "sample", "min_questions": {}},
        {"kind": "sample", "min_questions": {"answerable": 0}},
        {"kind": "abstention", "min_correct": 1.5},
        {"kind": "no_disclosure", "waivable": True},
        {"kind": "comparable", "max_changes": 1, "waivable": True},
        {"kind": "no_disclosure", "id": "two words"},
        {"kind": "no_disclosure", "id": "##[error]"},
        {"kind": "no_disclosure", "required": "yes"},
        {"kind": "regressions", "severity": "S2", "max": 0, "where": ["critical"]},
    ],
)
def test_a_value_that_means_nothing_is_refused(one: dict[str, object], tmp_path: Path) -> None:
    assert len(faults(write(tmp_path, one))) == 1


@pytest.mark.parametrize(
    "more",
    [
        {"confidence": 1},
        {"confidence": 0.4},
        {"max_candidates": 0},
        {"set": "abc"},
        {"id": "../gate"},
        {"schema": "ragtui/policy@2"},
        {"confidense": 0.95},
        {"written": "yesterday"},
    ],
)
def test_a_head_that_means_nothing_is_refused(more: dict[str, object], tmp_path: Path) -> None:
    assert len(faults(write(tmp_path, {"kind": "no_disclosure"}, **more))) == 1


def test_a_policy_that_demands_nothing_is_refused(tmp_path: Path) -> None:
    for rules in ([], [{"kind": "no_disclosure", "required": False}]):
        (fault,) = faults(write(tmp_path, *rules))
        assert "no required rule" in fault.message


def test_all_faults_are_told_at_once(tmp_path: Path) -> None:
    found = faults(write(tmp_path, {"kind": "sampel"}, {"kind": "triage", "severity": 2}, owner=3))
    assert len(found) == 3


def test_two_rules_of_one_name_are_refused(tmp_path: Path) -> None:
    twice: dict[str, object] = {"kind": "no_disclosure", "id": "same"}
    assert "same id" in faults(write(tmp_path, twice, twice))[0].message


# ---------------------------------------------------------------- waivers


RULES: Final[list[dict[str, object]]] = [
    {"kind": "new_unsupported", "max": 0, "waivable": True},
    {"kind": "no_disclosure"},
]
WAIVED: Final = {
    "rule": "r0",
    "question": "launch",
    "who": "Ann",
    "reason": "known",
    "expires": "2026-12-31",
}


def write_waivers(policy: Path, *waivers: dict[str, str]) -> None:
    data = {"schema": "ragtui/waivers@1", "waiver": list(waivers)}
    waivers_path(policy).write_text(tomli_w.dumps(data), encoding="utf-8")


def test_waivers_stand_beside_the_policy_and_outside_its_digest(tmp_path: Path) -> None:
    path = write(tmp_path, *RULES)
    before = load_policy(path)
    assert before.waivers == ()
    write_waivers(path, WAIVED)
    after = load_policy(path)
    assert after.waivers == (Waiver("r0", "launch", "Ann", "known", "2026-12-31"),)
    assert after.sha256 == before.sha256
    assert (tmp_path / "release.policy.waivers.toml").exists()


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"rule": "r1"}, "cannot be waived"),
        ({"rule": "r7"}, "no such rule"),
        ({"expires": "2026-02-30"}, "no such day"),
        ({"expires": "soon"}, "another type"),
        ({"who": ""}, "empty"),
        ({"reason": " "}, "empty"),
        ({"until": "x"}, "unknown key"),
    ],
)
def test_a_waiver_that_cannot_count_is_refused(
    change: dict[str, str], told: str, tmp_path: Path
) -> None:
    path = write(tmp_path, *RULES)
    write_waivers(path, {**WAIVED, **change})
    (fault,) = faults(path)
    assert told in fault.message
    assert fault.file is not None
    assert fault.file.endswith("release.policy.waivers.toml")


@pytest.mark.parametrize("key", sorted(WAIVED))
def test_every_key_of_a_waiver_is_needed(key: str, tmp_path: Path) -> None:
    path = write(tmp_path, *RULES)
    write_waivers(path, {name: told for name, told in WAIVED.items() if name != key})
    (fault,) = faults(path)
    assert fault.message == "the key is missing"


def test_a_question_is_waived_once(tmp_path: Path) -> None:
    path = write(tmp_path, *RULES)
    write_waivers(path, WAIVED, WAIVED)
    assert "twice" in faults(path)[0].message
