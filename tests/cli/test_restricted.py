"""Texts that a question's caller may not read: shown to whoever asks, and written nowhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.written_sets import write_run, write_set

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.cli.conftest import Done

CANARY = "canary-7731"
DOCUMENTS = (
    {"id": "faq", "text": "free to read", "groups": ["public"]},
    {"id": "pay", "text": f"corpus {CANARY}", "title": f"title {CANARY}", "groups": ["hr"]},
)
ASKED = {"id": "salary", "relevant": ["faq"], "support": {"x": ["faq"]}}
SHOWN_ONLY = "their texts, and answers that may quote them, are shown by --show-restricted only"


def _record(*retrieved: object, said: str = "nothing secret") -> dict[str, object]:
    return {
        "question": "salary",
        "retrieved": list(retrieved),
        "answer": f"answer {said}",
        "claims": [{"id": "x", "citations": ["faq"], "text": f"claim {said}"}],
    }


@pytest.fixture
def pair(tmp_path: Path) -> str:
    """Write a set with permissions, a run that keeps to them, and one that does not."""
    delivered = {"id": "pay", "text": f"delivered {CANARY}"}
    paths = []
    for name, written in (("a", _record("faq")), ("b", _record("faq", delivered, said=CANARY))):
        folder = tmp_path / f"side-{name}"
        write_set(folder, [ASKED], DOCUMENTS)
        paths.append(write_run(folder, [written], id=f"run-{name}"))
    return " ".join(map(str, paths))


def test_explain_names_a_restricted_document_and_hides_its_text(
    run: Callable[..., Done], pair: str
) -> None:
    """Where it stood, who may read it, and how to see it."""
    done = run(f"explain {pair} salary")
    assert done.code == 0
    assert CANARY not in done.out
    told = [" ".join(row.split()) for row in done.out.splitlines()]
    start = told.index("Restricted documents")
    assert told[start + 1 : start + 5] == [
        "pay open to hr",
        "A: not retrieved; cited by no claim",
        "B: rank 2; cited by no claim",
        SHOWN_ONLY,
    ]


def test_explain_shows_it_to_whoever_asks(run: Callable[..., Done], pair: str) -> None:
    """What was delivered, and in which run; nothing else of a document is in this text."""
    done = run(f"explain {pair} salary --show-restricted")
    assert f"delivered {CANARY}" in done.out
    assert "as delivered in B:" in done.out
    assert f"corpus {CANARY}" not in done.out
    assert SHOWN_ONLY not in done.out


def test_without_a_delivered_text_the_corpus_is_asked(
    run: Callable[..., Done], tmp_path: Path
) -> None:
    """And the text says that no run recorded it."""
    write_set(tmp_path / "set", [ASKED], DOCUMENTS)
    path = write_run(tmp_path / "set", [_record("pay")])
    text = run(f"explain {path} {path} salary --show-restricted").out
    assert "from the corpus, not recorded:" in text
    assert f"corpus {CANARY}" in text


@pytest.mark.parametrize(
    "line",
    [
        "compare {} --plain --show-restricted",
        "compare {} --json --show-restricted",
        "explain {} salary",
        "table {} --csv",
        "table {} --jsonl",
        *(f"note {{}} -o - --evidence {level}" for level in ("ids", "excerpts", "full")),
    ],
)
def test_nothing_that_may_be_kept_or_sent_on_holds_it(
    run: Callable[..., Done], pair: str, line: str
) -> None:
    """Whatever is asked for."""
    done = run(line.format(pair))
    assert done.code == 0
    assert CANARY not in done.out + done.err


@pytest.mark.parametrize("suffix", [".md", ".html", ".svg", ".txt", ".json"])
def test_no_note_holds_it(run: Callable[..., Done], pair: str, tmp_path: Path, suffix: str) -> None:
    """In any format, with all texts asked for."""
    path = tmp_path / f"note{suffix}"
    assert run(f"note {pair} -o {path} --evidence full").code == 0
    text = path.read_text(encoding="utf-8")
    assert CANARY not in text
    assert "answer nothing secret" in text.replace("&#x20;", " ")


def test_a_set_without_permissions_has_no_such_section(run: Callable[..., Done]) -> None:
    """Nothing is restricted where nobody said who may read what."""
    text = run("explain manifests/baseline.toml manifests/candidate.toml launch").out
    assert "Restricted documents" not in text
