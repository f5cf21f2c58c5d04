"""Several records of a question on the command line: values, marks, and each record by number."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ragtui.files.locks import freeze
from tests.files.test_loading import A, B, with_repeats, write_named
from tests.written_sets import write_set

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.cli.conftest import Done

PAIR = "a.toml b.toml"


@pytest.fixture
def told(
    run: Callable[..., Done], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Done]:
    """Return a function that runs a command line beside two runs of three repeats a question."""
    folder = tmp_path / "repeats"
    folder.mkdir()
    (folder / "ragtui.toml").touch()
    freeze(write_set(folder))
    write_named(folder, "a", with_repeats(A))
    write_named(folder, "b", with_repeats(B))
    monkeypatch.chdir(folder)
    return run


def test_a_value_over_repeats_is_a_mean_with_defined_and_recorded(
    told: Callable[..., Done],
) -> None:
    """Of three records one failed and one abstains: coverage is the mean of two."""
    document = told(f"compare {PAIR} --json").document
    launch = document["questions"][0]
    assert {"value": 0.5, "defined": 2, "recorded": 3} == launch["measures"]["coverage"]["a"]
    assert {"value": 1.0, "defined": 1, "recorded": 3} == launch["measures"]["support"]["a"]
    assert 4 == document["totals"]["questions"]
    region = document["questions"][3]["measures"]["abstention_correct"]
    assert (0.5, 1.0) == (region["a"]["value"], region["b"]["value"])
    assert {"num": 1, "den": 3} != document["measures"]["coverage"]["pooled"]["a"]


def test_score_names_the_repeat_of_each_claim(told: Callable[..., Done]) -> None:
    """And counts the records of each question, failed ones included."""
    launch = told("score b.toml --json").document["questions"][0]
    assert 3 == launch["repeats"]
    assert [("monday", 1), ("bonus", 1)] == [(c["claim"], c["repeat"]) for c in launch["claims"]]
    rows = list(csv.DictReader(io.StringIO(told("score b.toml --csv").out)))
    assert ["3"] * 4 == [row["repeats"] for row in rows]
    assert ("0.5", "", "") == tuple(rows[0][f"coverage{end}"] for end in ("", "_num", "_den"))


def test_explain_shows_each_repeat(told: Callable[..., Done]) -> None:
    """Every record has its context, its claims and its figure; a failed one says why."""
    out = told(f"explain {PAIR} launch").out
    assert "A repeat 3 retrieved" in out
    assert "B repeat 2 stated" in out
    assert "failed: timeout" in out
    assert "often  bonus unsupported in A 0 of 2, B 1 of 2" in out
    assert "0.50, 2 of 3 defined" in out


@pytest.mark.parametrize(
    "line",
    [
        f"compare {PAIR} --plain",
        f"table {PAIR}",
        f"table {PAIR} --jsonl",
        f"note {PAIR} -o note.md",
        f"note {PAIR} -o note.html --evidence full",
        f"note {PAIR} -o note.json",
        "score a.toml",
    ],
)
def test_every_command_takes_repeats(told: Callable[..., Done], line: str) -> None:
    """Nothing ends in an error."""
    assert 0 == told(line).code


def test_plain_text_says_first_that_values_are_means(told: Callable[..., Done]) -> None:
    """So that nobody takes a mean for a record."""
    out = told(f"compare {PAIR} --plain").out
    assert "4 questions have several records in A: values are means over repeats" in out


def test_the_digest_in_a_note_changes_when_any_repeat_does(told: Callable[..., Done]) -> None:
    """What a decision is bound to covers every record of the question."""
    path = Path("b.jsonl")
    lines = path.read_text(encoding="utf-8").splitlines()
    digests = []
    for answer in ("one", "another one"):
        lines[2] = json.dumps({**json.loads(lines[2]), "answer": answer})
        path.write_text("\n".join([*lines, ""]), encoding="utf-8")
        out = " ".join(told(f"note {PAIR} -o -").out.split())  # lines are broken to a width
        _, found, rest = out.partition("B b.jsonl line 1 and 2 repeats more sha256 ")
        assert found
        digests.append(rest[:12])
    assert digests[0] != digests[1]


def test_what_the_first_records_alone_would_say_is_forgotten(told: Callable[..., Done]) -> None:
    """A lost the claim in its second record, B in its first: over both nothing changed."""
    good, bad = A[0], {**A[0], "claims": [{"id": "monday", "citations": []}]}
    for name, records in (("a", (good, bad)), ("b", (bad, good))):
        numbered = [{**record, "repeat": n} for n, record in enumerate(records, 1)]
        write_named(Path.cwd(), name, numbered)
    launch = told(f"compare {PAIR} --json").document["questions"][0]
    assert ("unchanged", [], []) == (launch["verdict"], launch["plus"], launch["minus"])
