"""A manifest is read whole, and everything wrong with it is said at once."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from ragtui.core.model import Claim, ClaimIds, Record, Retrieved, Unit
from ragtui.errors import InputError
from ragtui.files.canonical import canonical, sha256_hex
from ragtui.files.manifests import Manifest, load_manifest

if TYPE_CHECKING:
    from pathlib import Path

DIGEST = "0123456789abcdef" * 4

FULL = f"""
schema  = "ragtui/run@1"
id      = "2026-11-20-baseline"
created = 2026-11-20T09:30:00Z
note    = "Before."

[set]
path    = "sets/set.toml"
version = "1.0.0"
sha256  = "{DIGEST}"

[context]
cutoff = 3
unit   = "chunk"

[pipeline]
code.revision   = "8f2c1e0"
retrieval.top_k = 10
at              = 2026-11-20

[environment]
machine = "desk-02"

[requests]
sent    = 4
retried = 1
failed  = 0

[annotation]
claims_by = "both"
by        = ["r1", "judge-3"]
claim_ids = "run"
reviewed  = {{ sample = 50, agreement = 0.94 }}

[records]
path   = "a.jsonl"
sha256 = "{DIGEST}"
"""

SMALL = """
schema = "ragtui/run@1"
id = "a"
[set]
path = "set.toml"
[context]
cutoff = 2
"""

RECORD = """
[[record]]
question  = "q"
repeat    = 1
retrieved = ["a", { id = "b", chunk = "b#1", version = "2", text = "t", score = 1 }]
delivered = ["a"]
answer    = "yes"
claims    = [{ id = "c", citations = ["a"], text = "it is" }, { id = "d" }]
latency_ms = 812
cost_usd  = 0.5
tokens_in = 9
tokens_out = 6
retries   = 0
extra     = { trace = "7f" }
[[record]]
question = "r"
error    = "late"
"""


def write(folder: Path, text: str) -> Path:
    """Write a manifest and return its path."""
    path = folder / "run.toml"
    path.write_text(text)
    return path


def load(folder: Path, text: str) -> Manifest:
    """Write and load a manifest."""
    return load_manifest(write(folder, text), root=folder)


def faults(folder: Path, text: str) -> list[str]:
    """Return all messages a manifest is refused with, without its path."""
    with pytest.raises(InputError) as caught:
        load(folder, text)
    assert caught.value.exit_code == 3
    return [
        str(fault).partition("run.toml")[2].lstrip(":").strip() for fault in caught.value.faults
    ]


def test_every_key_is_read(tmp_path: Path) -> None:
    """Free tables come flattened, paths resolved."""
    manifest = load(tmp_path, FULL)
    info = manifest.info
    assert (info.id, info.cutoff, info.unit, info.note) == (
        "2026-11-20-baseline",
        3,
        Unit.CHUNK,
        "Before.",
    )
    assert info.created == "2026-11-20T09:30:00Z"
    assert info.pipeline == {
        "at": "2026-11-20",
        "code.revision": "8f2c1e0",
        "retrieval.top_k": 10,
    }
    assert info.environment == {"machine": "desk-02"}
    assert (info.requests.sent, info.requests.retried, info.requests.failed) == (4, 1, 0)
    assert info.annotation.claims_by == "both"
    assert info.annotation.by == ("r1", "judge-3")
    assert info.annotation.claim_ids is ClaimIds.RUN
    assert info.annotation.details == {"reviewed.sample": 50, "reviewed.agreement": 0.94}
    assert info.pinned
    assert manifest.set_path == (tmp_path / "sets/set.toml").resolve()
    assert (manifest.set_version, manifest.set_sha256) == ("1.0.0", DIGEST)
    assert manifest.records_path == (tmp_path / "a.jsonl").resolve()
    assert manifest.records_sha256 == DIGEST
    assert manifest.inline is None
    assert info.records_sha256 == ""


def test_what_is_left_out_has_its_default(tmp_path: Path) -> None:
    """A run without a pin opens."""
    manifest = load(tmp_path, SMALL + '[records]\npath = "a.jsonl"\n')
    assert not manifest.info.pinned
    assert manifest.info.unit is Unit.DOCUMENT
    assert manifest.info.annotation.claim_ids is ClaimIds.RUBRIC
    assert manifest.info.pipeline == {}
    assert (manifest.set_version, manifest.set_sha256, manifest.records_sha256) == (None,) * 3


def test_records_may_stand_in_the_manifest(tmp_path: Path) -> None:
    """With the same keys as in a records file, and a digest of their content."""
    manifest = load(tmp_path, SMALL + RECORD)
    assert manifest.records_path is None
    assert manifest.inline == (
        Record(
            question="q",
            repeat=1,
            retrieved=(Retrieved("a"), Retrieved("b", "b#1", "2", "t", 1.0)),
            delivered=("a",),
            answer="yes",
            claims=(Claim("c", ("a",), "it is"), Claim("d")),
            latency_ms=812.0,
            cost_usd=0.5,
            tokens_in=9,
            tokens_out=6,
            retries=0,
        ),
        Record(question="r", error="late"),
    )
    spaced = load(tmp_path, SMALL + RECORD.replace(" = ", "="))
    assert spaced.info.records_sha256 == manifest.info.records_sha256
    other = load(tmp_path, SMALL + RECORD.replace("yes", "no"))
    assert other.info.records_sha256 != manifest.info.records_sha256
    assert load(tmp_path, SMALL + "[[record]]\nquestion = 'q'\n").info.records_sha256 == (
        sha256_hex(canonical([{"question": "q"}]))
    )


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('"ragtui/run@1"', '"ragtui/run@2"', "schema: this is not a run manifest of a known vers"),
        ('"ragtui/run@1"', '"ragtui/set@1"', "schema: this is not a run manifest of a known vers"),
        ('schema  = "ragtui/run@1"', "", "schema: the key is missing"),
        ("2026-11-20-baseline", "../x", "id: the name must be"),
        ("2026-11-20-baseline", "", "id: the name must be"),
        ('id      = "2026-11-20-baseline"', "", "id: the key is missing"),
        ("sets/set.toml", "", "set.path: the path is empty"),
        ("created = 2026-11-20T09:30:00Z", "created = 3", "created: the value has another type"),
        ("cutoff = 3", "cutoff = 0", "context.cutoff: the value has another type (found 0"),
        ("cutoff = 3", "cutoff = 101", "expected a whole number from 1 to 100"),
        ("cutoff = 3", "cutoff = true", "context.cutoff: the value has another type (found true"),
        ("cutoff = 3", "cutoff = 1.5", "context.cutoff: the value has another type (found 1.5"),
        ("cutoff = 3", "", "context.cutoff: the key is missing"),
        ("cutoff = 3", "cutof = 3", 'context.cutof: unknown key; did you mean "cutoff"?'),
        ('"chunk"', '"chunks"', "context.unit: this is none of the known words"),
        ("sets/set.toml", "/etc/passwd", "set.path: the path is absolute"),
        ("sets/set.toml", "../set.toml", "set.path: the path leads out of the root folder"),
        ("a.jsonl", "../../a.jsonl", "records.path: the path leads out of the root folder"),
        ("a.jsonl", "a\\u0000b", "records.path: the path is empty or holds characters"),
        (f'1.0.0"\nsha256  = "{DIGEST}', '1.0.0"\nsha256  = "abc', "set.sha256: this is no digest"),
        (f'sha256 = "{DIGEST}"', f'sha256 = "{DIGEST.upper()}"', "records.sha256: this is no dig"),
        ("sent    = 4", "sent    = -1", "requests.sent: the value has another type (found -1"),
        ("sent    = 4", "send    = 4", 'requests.send: unknown key; did you mean "sent"?'),
        ('"both"', '"nobody"', "annotation.claims_by: this is none of the known words"),
        ("0.94", "94", "annotation.reviewed.agreement: a share is at most 1"),
        ("[pipeline]", "[pipelin]", 'pipelin: unknown key; did you mean "pipeline"?'),
        ("[pipeline]", "pipeline = 1\n[x]", "context.pipeline: unknown key"),
        ("[records]", "[[records]]", "records: the value has another type (found a list"),
        (
            "[records]",
            "[[record]]\nquestion = 'q'\n[records]",
            "record: there are records here and",
        ),
    ],
)
def test_each_wrong_part_is_named_by_its_key(tmp_path: Path, old: str, new: str, told: str) -> None:
    """With what was found and what was expected."""
    assert old in FULL
    assert any(told in fault for fault in faults(tmp_path, FULL.replace(old, new)))


def test_missing_tables_are_named(tmp_path: Path) -> None:
    """All of them at once."""
    assert faults(tmp_path, 'schema = "ragtui/run@1"') == [
        "set: the table is missing; add [set]",
        "records: the run has no records; add [records] with a path, or [[record]] tables",
        "context: the table is missing; add [context]",
        "id: the key is missing; add it",
    ]


@pytest.mark.parametrize(
    ("record", "told"),
    [
        ("", "record[0].question: the key is missing"),
        ("question = 1", "record[0].question: the value has another type"),
        ("question = 'q'\nrepeat = 0", 'question "q": record[0].repeat: '),
        ("question = 'q'\nclaims = [{ id = 'c', cites = [] }]", "claims[0].cites: unknown key"),
        ("question = 'q'\nretrieved = [1]", "record[0].retrieved[0]: the value has another type"),
        ("question = 'q'\nretrieved = [{ chunk = 'c' }]", "retrieved[0].id: the key is missing"),
        ("question = 'q'\nretrieved = [{ id = 'c', rank = 1 }]", "retrieved[0].rank: unknown key"),
        ("question = 'q'\nextra = 1", "record[0].extra: the value has another type"),
        ("question = 'q'\ntokens_in = 1.0", "record[0].tokens_in: the value has another type"),
        ("question = 'q'\nlatency_ms = -1", "expected a number of at least 0"),
        ("question = 'q'\nanwser = 'x'", 'record[0].anwser: unknown key; did you mean "answer"?'),
    ],
)
def test_records_in_the_manifest_are_checked_alike(tmp_path: Path, record: str, told: str) -> None:
    """Each fault names the record, and the question once it is known."""
    assert any(told in fault for fault in faults(tmp_path, f"{SMALL}[[record]]\n{record}\n"))


def test_its_records_are_opened_wherever_they_stand(tmp_path: Path) -> None:
    """In a file of their own, pinned to its digest, or in the manifest."""
    here = load(tmp_path, SMALL + RECORD)
    with here.open_records() as records:
        assert records.full(1) == Record(question="r", error="late")
        assert records.sha256 == here.info.records_sha256
    (tmp_path / "a.jsonl").write_bytes(b'{"question": "q"}\n')
    with load(tmp_path, SMALL + '[records]\npath = "a.jsonl"\n').open_records() as records:
        assert records.full(0) == Record(question="q")
    missing = load(tmp_path, SMALL + '[records]\npath = "b.jsonl"\n').open_records()
    with pytest.raises(InputError, match=r"b\.jsonl: there is no such file"):
        missing.full(0)


def test_a_manifest_that_is_no_file_is_refused_at_once(tmp_path: Path) -> None:
    """Neither a pipe nor a missing file makes anybody wait."""
    os.mkfifo(tmp_path / "pipe.toml")
    with pytest.raises(InputError, match="a pipe"):
        load_manifest(tmp_path / "pipe.toml")
    with pytest.raises(InputError, match="no such file"):
        load_manifest(tmp_path / "none.toml")


def test_paths_start_at_the_manifest_and_end_at_the_mark(tmp_path: Path) -> None:
    """The nearest marked folder is the root when none is named."""
    (tmp_path / "ragtui.toml").touch()
    inner = tmp_path / "manifests"
    inner.mkdir()
    text = SMALL.replace("set.toml", "../sets/set.toml") + '[records]\npath = "../a.jsonl"\n'
    manifest = load_manifest(write(inner, text))
    assert manifest.set_path == (tmp_path / "sets/set.toml").resolve()
    assert manifest.root == tmp_path.resolve()
    with pytest.raises(InputError, match="leads out"):
        load_manifest(write(inner, text.replace("../a", "../../a")))
