"""What a decision is bound to: the very content of a question and of its records."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING

import pytest
import tomli_w

from ragtui.core.triage import binding_of
from ragtui.files.loading import load_comparison
from tests.written_sets import QUESTIONS, RECORDS, write_run, write_set

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tests.written_sets import Plain


def canonical_digest(value: object) -> str:
    """Digest canonical JSON by another way than the program's, for plain ASCII content."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return sha256(text.encode()).hexdigest()


def digests(
    folder: Path,
    *,
    questions: Sequence[Plain] = QUESTIONS,
    records: Sequence[Plain] = RECORDS,
    toml: bool = False,
    inline: bool = False,
) -> list[tuple[str, str, str]]:
    """Return the digests of every question of a run compared with itself."""
    write_set(folder, questions, toml=toml)
    run = write_run(folder, records)
    if inline:
        data = {
            "schema": "ragtui/run@1",
            "id": "run-a",
            "set": {"path": "set.toml"},
            "context": {"cutoff": 2},
            "record": list(records),
        }
        run.write_text(tomli_w.dumps(data), encoding="utf-8")
    comparison = load_comparison(run, run)
    return [comparison.evidence.digests(index) for index in range(len(comparison))]


@pytest.mark.parametrize("toml", [False, True])
@pytest.mark.parametrize("inline", [False, True])
def test_digests_are_those_of_canonical_json_however_it_is_written(
    toml: bool, inline: bool, tmp_path: Path
) -> None:
    by_question = {record["question"]: record for record in RECORDS}
    found = digests(tmp_path, toml=toml, inline=inline)
    for asked, (question, a, b) in zip(QUESTIONS, found, strict=True):
        mine = by_question.get(asked["id"])
        assert question == canonical_digest(asked)
        assert a == b == canonical_digest([] if mine is None else [mine])


def test_order_of_keys_and_records_and_absent_keys_do_not_matter(tmp_path: Path) -> None:
    before = digests(tmp_path / "a")
    reversed_keys = [
        {**dict(reversed(record.items())), "error": None} for record in reversed(RECORDS)
    ]
    assert digests(tmp_path / "b", records=reversed_keys) == before


def test_only_the_changed_question_or_record_has_another_digest(tmp_path: Path) -> None:
    before = digests(tmp_path / "a")
    relabelled = [
        {**asked, "critical": True} if asked["id"] == "launch" else asked for asked in QUESTIONS
    ]
    after = digests(tmp_path / "b", questions=relabelled)
    assert [x == y for x, y in zip(before, after, strict=True)] == [False, True, True, True]
    slower = [
        {**record, "latency_ms": 1.5} if record["question"] == "region" else record
        for record in RECORDS
    ]
    after = digests(tmp_path / "c", records=slower)
    assert [x == y for x, y in zip(before, after, strict=True)] == [True, True, True, False]


def test_a_decision_is_bound_to_digests_cutoff_unit_and_contract(tmp_path: Path) -> None:
    write_set(tmp_path)
    run = write_run(tmp_path)
    bound = binding_of(load_comparison(run, run), 0)
    assert (bound.question, bound.cutoff, bound.unit, bound.contract) == (
        canonical_digest(QUESTIONS[0]),
        2,
        "document",
        "strict-citation/1",
    )
