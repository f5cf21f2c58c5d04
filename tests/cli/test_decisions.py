"""Commands that only read take decisions from the triage file, and never write one."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING

import pytest

from ragtui.core.triage import Choice, Decision, binding_of
from ragtui.files.loading import load_comparison
from ragtui.files.triage_file import render_triage, triage_path

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.cli.conftest import Done

PAIR = "manifests/baseline.toml manifests/candidate.toml"


@pytest.fixture
def decided(desk: Path) -> Path:
    """Return the file of one decision: launch was accepted."""
    manifests = desk / "manifests"
    comparison = load_comparison(manifests / "baseline.toml", manifests / "candidate.toml")
    decision = Decision(
        question="launch",
        choice=Choice.ACCEPT,
        note="=the free month is true, label it",
        owner="release-desk",
        follow_up=None,
        who=None,
        when="2026-11-28T10:00:00Z",
        binding=binding_of(comparison, 0),
    )
    runs = comparison.baseline.info.id, comparison.candidate.info.id
    path = triage_path(manifests / "candidate.toml", *runs)
    path.write_bytes(render_triage([decision], set_digest=comparison.set_info.sha256 or ""))
    return path


def test_the_document_counts_decisions(decided: Path, run: Callable[..., Done]) -> None:
    """One change was decided, none waits."""
    del decided
    triage = run(f"compare {PAIR} --json").document["triage"]
    assert triage == {"decided": 1, "undecided": 0, "stale": 0}


def test_the_text_lists_a_decided_change_under_its_decision(
    decided: Path, run: Callable[..., Done]
) -> None:
    """Launch needs no decision any more, and the reason stands beside it."""
    del decided
    text = run(f"compare {PAIR} --plain").out
    assert "0 of 4 questions need a decision; 1 decided, 0 stale" in text
    assert "Decided: accept: 1" in text
    assert "owner release-desk" in text


def test_a_filter_by_decision_lists_what_was_decided(
    decided: Path, run: Callable[..., Done]
) -> None:
    """`triage:accept` is launch alone."""
    del decided
    document = run(f"compare {PAIR} --json --filter triage:accept").document
    assert document["order"] == ["launch"]


def test_the_table_has_the_decision_and_no_cell_that_runs(
    decided: Path, run: Callable[..., Done]
) -> None:
    """A note that a spreadsheet would take for a formula is marked as text."""
    del decided
    rows = list(csv.DictReader(io.StringIO(run(f"table {PAIR}").out)))
    launch = next(row for row in rows if row["question"] == "launch")
    assert (launch["triage"], launch["owner"]) == ("accept", "release-desk")
    assert launch["note"] == "'=the free month is true, label it"
    lines = [json.loads(line) for line in run(f"table {PAIR} --jsonl").out.splitlines()]
    assert lines[0]["triage"]["note"] == "=the free month is true, label it"


def test_a_decision_about_a_replaced_run_is_stale_and_not_counted(
    decided: Path, run: Callable[..., Done], desk: Path
) -> None:
    """Another answer of B about launch makes the decision stale; the change waits again."""
    del decided
    records = desk / "fixtures" / "release-desk" / "run-b.jsonl"
    text = records.read_text(encoding="utf-8")
    records.write_text(text.replace('"retries": 0', '"retries": 1', 1), encoding="utf-8")
    manifest = desk / "manifests" / "candidate.toml"
    run(f"pin {manifest}")
    triage = run(f"compare {PAIR} --json").document["triage"]
    assert triage == {"decided": 0, "undecided": 1, "stale": 1}


def test_a_named_file_that_does_not_exist_is_refused(run: Callable[..., Done]) -> None:
    """A typo must not read as "nothing was decided"."""
    done = run(f"compare {PAIR} --plain --triage nowhere.toml")
    assert done.code == 3
    assert "there is no such file of decisions" in done.err
