"""Disputed labels as every command says them, from files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.written_sets import QUESTIONS, write_run, write_set

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.cli.conftest import Done

REVIEWS = (
    {"reviewer": "r1", "support": {"monday": ["launch"]}},
    {
        "reviewer": "r2",
        "support": {"monday": ["launch"], "bonus": ["launch"]},
        "note": "the plan names the bonus",
    },
)
MONDAY = {"id": "monday", "citations": ["launch"]}
BONUS = {"id": "bonus", "citations": ["launch"]}


def _record(*claims: object) -> dict[str, object]:
    return {"question": "launch", "retrieved": ["launch", "archive"], "claims": list(claims)}


@pytest.fixture
def pair(tmp_path: Path) -> str:
    """Write the reference set with two reviews of launch, and two runs; return the manifests."""
    launch, *others = QUESTIONS
    asked = [{**launch, "status": "disputed", "review": list(REVIEWS)}, *others]
    paths = []
    for name, claims in (("a", [MONDAY]), ("b", [MONDAY, BONUS])):
        folder = tmp_path / f"side-{name}"
        write_set(folder, asked)
        paths.append(write_run(folder, [_record(*claims)], id=f"run-{name}"))
    return " ".join(map(str, paths))


def test_launch_with_bonus_disputed_is_regressed_or_improved(
    run: Callable[..., Done], pair: str
) -> None:
    """The text says so in the row, with who decides it and the range of each measure it moves."""
    done = run(f"compare {pair} --plain")
    assert done.code == 0
    told = [" ".join(row.split()) for row in done.out.splitlines()]
    row = told.index("S2 ▼ regressed launch new unsupported: bonus")
    assert told[row + 1] == "regressed or improved: label open"
    assert "! 1 verdict depends on whose disputed labels are right" in told
    start = told.index("Labels in dispute")
    assert told[start + 1 : start + 5] == [
        "launch regressed or improved: label open",
        "S2 regressed under the main labels, r1; improved under r2",
        "support: A 1.00, B 0.50 to 1.00, Δ −0.50 to 0",
        "coverage: A 0.50 to 1.00, B 1.00, Δ 0 to +0.50",
    ]
    assert " ".join(told[start + 5 : start + 7]) == (
        "agreement on support, of triples of a question, a claim and a document: raw 0.50,"
        " Cohen's kappa 0.00, n 2; yes from r1 1 of 2, r2 2 of 2"
    )


def test_the_document_flags_what_hangs_on_a_label(run: Callable[..., Done], pair: str) -> None:
    """The verdict is that of the main labels; the flag says that it is not settled."""
    launch, *others = run(f"compare {pair} --json").document["questions"]
    assert (launch["verdict"], launch["flags"]) == ("regressed", ["label-open"])
    assert all("label-open" not in other["flags"] for other in others)


def test_questions_can_be_filtered_by_the_flag(run: Callable[..., Done], pair: str) -> None:
    """Whoever settles labels lists them in one go; without them the section lists nothing."""
    found = run(f"table {pair} --jsonl --filter flag:label-open").out.splitlines()
    assert [row.split(",")[0] for row in found if '"question":"launch"' in row]
    assert len(found) == 1
    text = run(f"compare {pair} --plain --filter -flag:label-open").out
    assert "label open" not in text


def test_a_note_says_once_that_a_verdict_hangs_on_a_label(
    run: Callable[..., Done], pair: str
) -> None:
    """By name, among what to know before trusting it; not as a mere count as well."""
    text = " ".join(run(f"note {pair} -o -").out.split())
    assert text.count("1 verdict that would be another under a review: launch") == 1
    assert "depends on whose" not in text


def test_explain_writes_every_review_and_every_measure_as_a_range(
    run: Callable[..., Done], pair: str
) -> None:
    """Measures on which the labels make no difference stand as one value."""
    told = [row.strip() for row in run(f"explain {pair} launch").out.splitlines()]
    assert "review    r1 · monday is supported by launch" in told
    assert any(
        row.startswith("review    r2 · monday is supported by launch · bonus") for row in told
    )
    start = told.index("Labels in dispute")
    assert told[start + 1 : start + 10] == [
        "regressed or improved: label open",
        "S2 regressed under the main labels, r1; improved under r2",
        "measure     A             B             Δ",
        "P@2         0.50          0.50          0",
        "R@2         1.00          1.00          0",
        "RR@2        1.00          1.00          0",
        "support     1.00          0.50 to 1.00  −0.50 to 0",
        "coverage    0.50 to 1.00  1.00          0 to +0.50",
        "abstention  n/a           n/a           n/a",
    ]


def test_a_set_without_disputes_says_nothing_of_them(run: Callable[..., Done]) -> None:
    """No empty section."""
    text = run("compare manifests/baseline.toml manifests/candidate.toml --plain").out
    assert "dispute" not in text
