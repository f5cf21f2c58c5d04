from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.cli.conftest import Done

PAIR: Final = "manifests/baseline.toml manifests/candidate.toml"


def test_jsonl_holds_the_questions_of_the_document(run: Callable[..., Done]) -> None:
    """One line a question, in the set's order: the comparison's own entries and the decisions."""
    lines = [json.loads(line) for line in run(f"table {PAIR} --jsonl").out.splitlines()]
    states = [line.pop("triage")["state"] for line in lines]
    questions = run(f"compare {PAIR} --json").document["questions"]
    assert lines == questions
    assert states == ["undecided", "none", "none", "none"]


def test_csv_holds_the_same_values_with_their_reasons(run: Callable[..., Done]) -> None:
    """Values, deltas and changes as in the document; an n/a is empty and says why."""
    rows = list(csv.DictReader(io.StringIO(run(f"table {PAIR}").out)))
    questions = run(f"compare {PAIR} --json").document["questions"]
    for row, question in zip(rows, questions, strict=True):
        assert row["question"] == question["question"]
        assert row["verdict"] == question["verdict"]
        assert row["severity"] == (question["severity"] or "")
        assert row["minus"] == "; ".join(question["minus"])
        for key, measure in question["measures"].items():
            assert row[f"{key}_change"] == measure["change"]
            assert row[f"{key}_delta"] == (
                "" if measure["delta"] is None else str(measure["delta"])
            )
            for side in "ab":
                entry = measure[side]
                value = "" if entry["value"] is None else str(entry["value"]).lower()
                assert row[f"{key}_{side}"] == value
                assert row[f"{key}_{side}_na"] == entry.get("na", "")
                assert row.get(f"{key}_{side}_den", "") == str(entry.get("den", ""))


def test_a_filter_leaves_rows_out(run: Callable[..., Done]) -> None:
    """Only what the filter selects is printed."""
    rows = list(csv.DictReader(io.StringIO(run(f"table {PAIR} --filter verdict:regressed").out)))
    assert [row["question"] for row in rows] == ["launch"]
