from __future__ import annotations

import re
import shutil
from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.cli.conftest import Done

SET: Final = "fixtures/release-desk/set.toml"
A: Final = "manifests/baseline.toml"


@pytest.fixture
def unfrozen(desk: Path) -> Path:
    """Return the demo's files without locks and pins."""
    shutil.rmtree(desk / "fixtures" / "release-desk" / "locks", ignore_errors=True)
    for path in (desk / "manifests").glob("*.toml"):
        text = path.read_text(encoding="utf-8")
        path.write_text(re.sub(r"(?m)^sha256.*\n", "", text), encoding="utf-8")
    return desk


def _snapshot(folder: Path) -> dict[str, bytes]:
    return {str(p): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def test_validate_says_what_is_sound(run: Callable[..., Done]) -> None:
    """One line a file: what it is and how much it holds."""
    done = run(f"validate {SET} {A} fixtures/release-desk/corpus.jsonl")
    assert done.code == 0
    assert done.out.splitlines() == [
        f"sound set {SET}: 4 questions, 5 documents",
        f"sound run {A}: 4 records, 4 questions, 5 documents",
        "sound corpus fixtures/release-desk/corpus.jsonl: 5 documents",
    ]


def test_validate_reports_every_bad_file_and_still_checks_the_rest(
    run: Callable[..., Done], desk: Path
) -> None:
    """Two files are wrong, one is sound: exit 3, a line for each fault, the sound one named."""
    (desk / "a.toml").write_text('schema = "ragtui/sat@1"\n', encoding="utf-8")
    (desk / "b.toml").write_text("x = \n", encoding="utf-8")
    done = run(f"validate a.toml b.toml {SET}")
    assert done.code == 3
    assert done.out == f"sound set {SET}: 4 questions, 5 documents\n"
    assert [line.split(":")[1].strip() for line in done.err.splitlines()] == ["a.toml", "b.toml"]


def test_freeze_writes_one_lock_and_nothing_else(run: Callable[..., Done], unfrozen: Path) -> None:
    """The lock appears beside the set; freezing again changes nothing."""
    before = _snapshot(unfrozen)
    done = run(f"freeze {SET}")
    assert done.code == 0
    assert done.out.startswith(
        "4 questions frozen in fixtures/release-desk/locks/1.0.0.lock\nsha256 "
    )
    after = _snapshot(unfrozen)
    assert [path.rsplit("/", 1)[1] for path in after.keys() - before.keys()] == ["1.0.0.lock"]
    assert "frozen before in" in run(f"freeze {SET}").out
    assert _snapshot(unfrozen) == after


def test_freeze_refuses_another_content_of_the_same_version(
    run: Callable[..., Done], desk: Path
) -> None:
    """A version that was frozen stays what it was: exit 3 with advice."""
    assert run(f"freeze {SET}").code == 0
    path = desk / "fixtures" / "release-desk" / "questions.toml"
    path.write_text(path.read_text("utf-8").replace("lookup", "look-up"), encoding="utf-8")
    before = _snapshot(desk)
    done = run(f"freeze {SET}")
    assert done.code == 3
    assert "raise the version" in done.err
    assert _snapshot(desk) == before


def test_pin_writes_digests_and_touches_nothing_else(
    run: Callable[..., Done], unfrozen: Path
) -> None:
    """Two digests are added to the manifest; pinning again has nothing to do."""
    run(f"freeze {SET}")
    before = (unfrozen / A).read_text(encoding="utf-8").splitlines()
    done = run(f"pin {A}")
    assert done.code == 0
    assert "wrote set.sha256, records.sha256" in done.out
    after = (unfrozen / A).read_text(encoding="utf-8").splitlines()
    assert [line for line in after if not line.startswith("sha256")] == before
    assert "nothing to change" in run(f"pin {A}").out


def test_pin_warns_of_a_set_that_is_not_frozen(run: Callable[..., Done], unfrozen: Path) -> None:
    """The pin is written, and a message says what may become of it."""
    del unfrozen
    done = run(f"pin {A}")
    assert done.code == 0
    assert "not frozen" in done.err


def test_init_lays_out_what_compare_opens(run: Callable[..., Done]) -> None:
    """The line that is printed last works as it stands."""
    done = run("init new")
    assert done.code == 0
    following = done.out.splitlines()[-1].removeprefix("next  ragtui ")
    compared = run(following)
    assert compared.code == 0
    assert "Know this first" not in compared.out
    again = run("init new")
    assert again.code == 5
    assert "not empty" in again.err


def test_import_trec_makes_what_compare_opens(run: Callable[..., Done], desk: Path) -> None:
    """Two runs over judgements: the report on standard output, and a pair that compares."""
    (desk / "q.txt").write_text("1 0 d1 1\n2 0 d3 1\n", encoding="utf-8")
    (desk / "a.run").write_text("1 Q0 d1 1 2.0 a\n2 Q0 d3 1 1.0 a\n", encoding="utf-8")
    (desk / "b.run").write_text("1 Q0 d2 1 2.0 b\n1 Q0 d1 2 1.0 b\n", encoding="utf-8")
    done = run("import trec --qrels q.txt --run a.run --run b.run --out imported --cutoff 2")
    assert done.code == 0, done.err
    assert done.out
    manifests = sorted(
        path for path in (desk / "imported").rglob("*.toml") if "ragtui/run@1" in path.read_text()
    )
    a, b = (str(path.relative_to(desk)) for path in manifests)
    document = run(f"compare {a} {b} --json").document
    assert document["totals"]["questions"] == 2
    first = next(q for q in document["questions"] if q["question"] == "1")
    assert first["measures"]["rr"]["b"] == {"value": 0.5, "num": 1, "den": 2}
    assert first["measures"]["support"]["a"] == {"value": None, "na": "claims-not-recorded"}


def test_import_needs_a_format_and_its_files(run: Callable[..., Done]) -> None:
    """Left-out options and unknown formats are wrong usage."""
    assert run("import trec --qrels q.txt --out x").code == 2
    assert run("import csv").code == 2
