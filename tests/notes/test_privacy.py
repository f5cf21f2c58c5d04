"""What a note may not hold: restricted text, folders, machines, and texts nobody asked for."""

from __future__ import annotations

import base64
import html
import json
from itertools import product
from typing import TYPE_CHECKING, Final

import msgspec
import pytest

from ragtui.core.evidence import RecordPlace, Side
from ragtui.core.model import Claim, Document, Question, Record, Retrieved
from ragtui.core.triage import Choice
from ragtui.notes.privacy import place_text, without_places
from ragtui.notes.subject import EvidenceLevel
from ragtui.notes.writers import FORMATS, render
from tests.builders import MemoryEvidence, comparison_of, release_desk, run_info
from tests.notes.notes import decide, note, told

if TYPE_CHECKING:
    from ragtui.core.comparison import Comparison

CANARY: Final = "k7Qz0pXw3VbT9mLc5RdJ1sHy8NfG2aEu"
"""A secret that stands in every field of whatever is restricted."""

OPEN: Final = "The release starts on Monday at nine."

LEVELS: Final = list(EvidenceLevel)


def forms(secret: str) -> set[str]:
    """Return a secret as encodings and cuts would write it."""
    found = {secret, secret[:16], secret[-16:], secret[::-1], secret.encode().hex()}
    found |= {html.escape(secret), json.dumps(secret), secret.swapcase()}
    for shift in range(3):
        coded = base64.b64encode(b"x" * shift + secret.encode()).decode()
        found.add(coded[4:-4])
    return found


def guarded(*, groups: tuple[str, ...] | None) -> Comparison:
    """Return a comparison in which `s` is restricted, and quoted wherever it can be."""
    asked = Question(
        id="q",
        text="When does it start?",
        relevant=("a",),
        support={"x": (frozenset({"a"}),)},
        claims={"x": OPEN},
    )
    quoting = Record(
        question="q",
        retrieved=(Retrieved("a", text=OPEN), Retrieved("s", text=CANARY, chunk="s#1")),
        answer=f"It says {CANARY}",
        claims=(Claim("x", ("s",), text=CANARY), Claim("z", ("s",), text=CANARY)),
    )
    plain = Record(
        question="q",
        retrieved=(Retrieved("a", text=OPEN),),
        answer=OPEN,
        claims=(Claim("x", ("a",), text=OPEN),),
    )
    return comparison_of(
        [asked],
        [plain],
        [quoting],
        documents=[
            Document(id="a", text=OPEN, groups=("public",)),
            Document(id="s", text=CANARY, title=CANARY, source=CANARY, version="1", groups=groups),
        ],
    )


@pytest.mark.parametrize("groups", [("hr",), None], ids=["closed", "not said"])
@pytest.mark.parametrize(("suffix", "level"), list(product(FORMATS, LEVELS)))
def test_a_secret_in_a_restricted_document_is_in_no_note(
    suffix: str, level: EvidenceLevel, groups: tuple[str, ...] | None
) -> None:
    """In no format, at no level, whole, cut or encoded; not in the answer that quotes it either."""
    written = render(note(guarded(groups=groups), evidence=level), suffix).decode("utf-8")
    assert not [form for form in forms(CANARY) if form in written]
    assert "s" in written


@pytest.mark.parametrize("level", [EvidenceLevel.EXCERPTS, EvidenceLevel.FULL])
def test_the_note_says_at_its_top_how_many_texts_were_withheld(level: EvidenceLevel) -> None:
    """The answer of B and the document: two texts; the others are given."""
    document = note(guarded(groups=("hr",)), evidence=level)
    head = told(document).partition("Before you trust it")[0]
    assert "2 texts withheld as restricted" in head
    assert "Document s (restricted): withheld" in told(document)
    assert OPEN in render(document, ".md").decode("utf-8")


def test_a_restricted_document_is_named_by_its_id_and_called_restricted() -> None:
    """In the sentence of the disclosure, too."""
    assert "s (restricted)" in told(note(guarded(groups=("hr",))))


@pytest.mark.parametrize("suffix", FORMATS)
def test_without_being_asked_a_note_holds_no_text_of_documents_and_answers(suffix: str) -> None:
    """Ids, ranks, counts, verdicts, the question's wording and the reviewer's notes are all."""
    desk = release_desk()
    written = render(note(desk), suffix).decode("utf-8")
    for index in range(len(desk)):
        for side in Side:
            record = desk.evidence.record(side, index)
            assert record is None or record.answer is None or record.answer not in written
    for name in ("launch", "rollback", "owners"):
        document = desk.evidence.document(name)
        assert document is not None
        assert document.text not in written


def test_an_excerpt_is_short_and_says_what_it_leaves_out() -> None:
    """280 characters, then how many more there are; in full there is nothing more."""
    long = "zebra " * 200
    base = release_desk()
    evidence = base.evidence
    assert isinstance(evidence, MemoryEvidence)
    records = {
        name: tuple(msgspec.structs.replace(item, answer=long) for item in found)
        for name, found in evidence.records[1].items()
    }
    object.__setattr__(evidence, "records", (evidence.records[0], records))
    excerpts = render(note(base, evidence=EvidenceLevel.EXCERPTS), ".txt").decode("utf-8")
    full = render(note(base, evidence=EvidenceLevel.FULL), ".txt").decode("utf-8")
    assert "<+920 characters>" in excerpts
    assert full.count("zebra") == 200


# ---------------------------------------------------------------- machines and folders


@pytest.mark.parametrize("suffix", FORMATS)
def test_no_folder_machine_or_address_of_a_run_is_in_a_note(suffix: str) -> None:
    """Settings keep the last part of a path; of the environment only the keys are told."""
    desk = release_desk()
    base = comparison_of(
        [desk.evidence.question(index) for index in range(len(desk))],
        [],
        [],
        baseline=run_info("a", pipeline={"prompt.file": "/home/mallory/prompts/p-12.txt"}),
        candidate=msgspec.structs.replace(
            run_info(
                "b",
                pipeline={
                    "prompt.file": "C:\\Users\\mallory\\p-13.txt",
                    "generation.endpoint": "http://mallory:pw@gpu-07.internal:8000/v1",
                },
                note="run from ~mallory/jobs/b7",
            ),
            environment={"machine": "mallory-laptop"},
        ),
    )
    written = render(note(base), suffix).decode("utf-8")
    for secret in ("mallory", "gpu-07", "/home", "Users", "desk-02"):
        assert secret not in written, secret
    for kept in ("p-12.txt", "p-13.txt", "b7", "machine"):
        assert kept in written


@pytest.mark.parametrize(
    ("told_by_file", "kept"),
    [
        ("/srv/index", "…/index"),
        ("~/x/index", "…/index"),
        ("file:///home/jo/x", "file://…"),
        ("bm25/okapi", "bm25/okapi"),
        ("0.5", "0.5"),
        ("a / b", "a / b"),
        ("--index=/home/jo/idx k=3", "--index=…/idx k=3"),
        ("\\\\server\\share\\idx", "…/idx"),
        ("/home/jo/", "…/"),
        ("/home/jo", "…"),
        ("jo@gpu-07:/data/idx", "…:…/idx"),
        ("C:\\Users\\jo\\idx", "…/idx"),
        ("minilm@3.1", "minilm@3.1"),
    ],
)
def test_a_place_is_cut_to_what_names_no_machine(told_by_file: str, kept: str) -> None:
    """Absolute paths lose their folders, addresses all but their kind; the rest stays."""
    assert without_places(told_by_file) == kept


@pytest.mark.parametrize("path", ["/home/jo/run.jsonl", "run.jsonl", "C:\\jo\\run.jsonl"])
def test_a_record_is_found_by_the_name_of_its_file(path: str) -> None:
    """Not by the folder in which it stands on somebody's machine."""
    assert "".join(s.text for s in place_text(RecordPlace(path, 3))) == "run.jsonl line 3"


def test_an_unsigned_decision_names_nobody() -> None:
    """The name of who decided is there only where that person gave it."""
    desk = release_desk()
    assert "unsigned" in told(note(desk, decide(desk, "launch", Choice.ACCEPT)))
    assert " by kay" in told(note(desk, decide(desk, "launch", Choice.ACCEPT, who="kay")))
