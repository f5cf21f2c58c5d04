from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.cli.conftest import Document, Done

A: Final = "manifests/baseline.toml"
B: Final = "manifests/candidate.toml"

KEYS: Final = ("precision", "recall", "rr", "support", "coverage", "abstention_correct")
NA: Final = None

TABLE: Final = {
    (A, "launch"): (0.5, 1.0, 1.0, 1.0, 1.0, NA),
    (B, "launch"): (0.5, 1.0, 1.0, 0.5, 1.0, NA),
    (A, "rollback"): (0.5, 0.5, 1.0, 1.0, 0.5, NA),
    (B, "rollback"): (1.0, 1.0, 1.0, 1.0, 1.0, NA),
    (A, "owner"): (0.5, 1.0, 0.5, 0.0, 0.0, NA),
    (B, "owner"): (0.5, 1.0, 1.0, 1.0, 1.0, NA),
    (A, "region"): (NA, NA, NA, 0.0, NA, False),
    (B, "region"): (NA, NA, NA, NA, NA, True),
}
"""The contract's reference table."""


def _by_question(document: Document) -> dict[str, Document]:
    return {item["question"]: item for item in document["questions"]}


@pytest.mark.parametrize(("manifest", "question"), TABLE)
def test_the_document_holds_the_reference_table(
    manifest: str, question: str, run: Callable[..., Done]
) -> None:
    """Every value of the table, and nothing where the table says n/a."""
    measures = _by_question(run(f"score {manifest} --json").document)[question]["measures"]
    values = tuple(measures[key]["value"] for key in KEYS)
    assert values == TABLE[manifest, question]
    assert [isinstance(v, bool) for v in values] == [
        key == "abstention_correct" and v is not None for key, v in zip(KEYS, values, strict=True)
    ]


def test_a_value_is_its_numerator_over_its_denominator(run: Callable[..., Done]) -> None:
    """A ratio carries what it was divided from, an n/a its reason, and never both."""
    for manifest in (A, B):
        for item in _by_question(run(f"score {manifest} --json").document).values():
            for key in KEYS[:5]:
                entry = item["measures"][key]
                if entry["value"] is None:
                    assert set(entry) == {"value", "na"}
                else:
                    assert entry["value"] == entry["num"] / entry["den"]


def test_own_means_are_over_the_questions_with_a_value(run: Callable[..., Done]) -> None:
    """Recall of A is 0.8333 over three questions; support 0.5 over four."""
    own = run(f"score {A} --json").document["own"]
    assert own["recall"] == {
        "mean": 0.8333333333333334,
        "n": 3,
        "na": 1,
        "missing": 0,
        "bounds": [0.8333333333333334, 0.8333333333333334],
    }
    assert (own["support"]["mean"], own["support"]["n"]) == (0.5, 4)


def test_each_unsupported_claim_has_its_reason(run: Callable[..., Done]) -> None:
    """Owner in A cites the archive; bonus in B has no label."""
    owner = _by_question(run(f"score {A} --json").document)["owner"]["claims"]
    assert owner == [{"claim": "aurora", "supported": False, "reason": "cites-non-supporting"}]
    launch = _by_question(run(f"score {B} --json").document)["launch"]["claims"]
    assert launch[0] == {"claim": "monday", "supported": True, "reason": None}
    assert launch[1]["reason"] == "claim-not-labelled"


def test_csv_says_the_same_as_the_document(run: Callable[..., Done]) -> None:
    """Each cell is the document's value; n/a is an empty cell with a reason beside it."""
    for manifest in (A, B):
        document = _by_question(run(f"score {manifest} --json").document)
        done = run(f"score {manifest} --csv")
        rows = list(csv.DictReader(io.StringIO(done.out)))
        assert [row["question"] for row in rows] == list(document)
        for row in rows:
            for key in KEYS:
                entry = document[row["question"]]["measures"][key]
                value = entry["value"]
                expected = "" if value is None else str(value).lower()
                assert row[key] == expected
                assert row[f"{key}_na"] == entry.get("na", "")
                assert row.get(f"{key}_num", "") == str(entry.get("num", ""))


def test_text_names_the_run_and_every_unsupported_claim(run: Callable[..., Done]) -> None:
    """The table, the reason with its documents, and the own means."""
    done = run(f"score {A}")
    assert done.code == 0
    assert "owner     aurora cites archive, which does not support it" in done.out
    assert "run 2026-11-20-baseline" in done.out
    assert done.err == ""


def test_a_failed_and_a_missing_question_say_so(run: Callable[..., Done], desk: Path) -> None:
    """States stand in the table, and missing questions bound the own mean."""
    records = desk / "fixtures" / "release-desk" / "run-a.jsonl"
    lines = records.read_text(encoding="utf-8").splitlines()
    records.write_text(f'{lines[0]}\n{{"question": "owner", "error": "timeout"}}\n', "utf-8")
    manifest = desk / A
    text = manifest.read_text(encoding="utf-8")
    manifest.write_text(re.sub(r"(?m)^sha256.*\n", "", text), encoding="utf-8")
    done = run(f"score {A} --json")
    states = {q: item["state"] for q, item in _by_question(done.document).items()}
    assert states == {
        "launch": "scored",
        "rollback": "missing",
        "owner": "failed",
        "region": "missing",
    }
    own = done.document["own"]
    assert own["coverage"]["bounds"] == [1 / 3, 1.0]
    assert own["coverage"]["missing"] == 2
    told = run(f"score {A}").out
    assert "failed" in told
    assert "0.33 to 1.00" in told


def test_json_and_csv_exclude_each_other(run: Callable[..., Done]) -> None:
    """Two formats at once are wrong usage; the error is the one document."""
    done = run(f"score {A} --json --csv")
    assert done.code == 2
    assert done.document["schema"] == "ragtui/error@1"


def test_another_cutoff_is_marked(run: Callable[..., Done]) -> None:
    """Rollback of B at k 1 has support and coverage one half, and the document says exploratory."""
    done = run(f"score {B} --json --cutoff 1")
    rollback = _by_question(done.document)["rollback"]["measures"]
    assert (rollback["support"]["value"], rollback["coverage"]["value"]) == (0.5, 0.5)
    assert done.document["exploratory"] is True
    assert "exploratory" in run(f"score {B} --cutoff 1").out
