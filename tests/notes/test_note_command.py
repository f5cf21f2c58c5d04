"""`ragtui note`: the format by the suffix, decisions read and never written, exit codes."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import pytest

from ragtui.cli import main
from ragtui.core.triage import Choice
from ragtui.files.loading import load_comparison
from ragtui.files.triage_file import render_triage, triage_path
from ragtui.notes.writers import FORMATS
from tests.notes.notes import decide

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT: Final = Path(__file__).resolve().parents[2]
PAIR: Final = "manifests/baseline.toml manifests/candidate.toml"


class Done(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a copy of the demo's files, made the current one."""
    for name in ("fixtures", "manifests"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("support*"))
    (tmp_path / "ragtui.toml").touch()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(desk: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    """Return a function that runs `note` on the demo's two runs."""
    del desk

    def run_line(*more: str) -> Done:
        code = main(["note", *PAIR.split(), *more])
        return Done(code, *capsys.readouterr())

    return run_line


def put_decision(desk: Path, target: Path | None = None) -> Path:
    """Write a triage file that accepts the one regression."""
    comparison = load_comparison(*(desk / name for name in PAIR.split()))
    path = target or triage_path(
        desk / "manifests/candidate.toml", comparison.baseline.info.id, comparison.candidate.info.id
    )
    decisions = decide(comparison, "launch", Choice.ACCEPT, note="No bonus was promised.")
    path.write_bytes(render_triage(decisions.values(), set_digest=comparison.set_info.sha256 or ""))
    return path


@pytest.mark.parametrize("suffix", FORMATS)
def test_the_suffix_says_the_format(run: Callable[..., Done], desk: Path, suffix: str) -> None:
    """The file holds the note; standard output stays empty, a message says what was written."""
    done = run("-o", f"NOTE{suffix}")
    assert (done.code, done.out) == (0, "")
    assert done.err == f"ragtui: wrote NOTE{suffix}\n"
    assert "2026-11-27-candidate" in (desk / f"NOTE{suffix}").read_text(encoding="utf-8")


@pytest.mark.parametrize("suffix", FORMATS)
def test_the_same_files_give_the_same_bytes(
    run: Callable[..., Done], desk: Path, suffix: str
) -> None:
    """Also over an older note, and from another folder: no clock, no path, no user."""
    first = desk / f"first{suffix}"
    run("-o", str(first))
    run("-o", f"second{suffix}")
    run("-o", f"second{suffix}")
    written = first.read_bytes()
    assert written == (desk / f"second{suffix}").read_bytes()
    assert str(desk).encode() not in written


def test_without_a_file_the_note_goes_to_standard_output(run: Callable[..., Done]) -> None:
    """As text of 100 columns without a control sequence, where that is no terminal."""
    done = run()
    assert done.out == run("-o", "-").out
    assert done.out.startswith("Release note: 2026-11-20-baseline → 2026-11-27-candidate\n")
    assert "\x1b" not in done.out
    assert max(map(len, done.out.split("\n"))) <= 100


@pytest.mark.parametrize("name", ["NOTE", "NOTE.mk", "NOTE.pdf"])
def test_an_unknown_format_is_refused_before_anything_is_read(
    run: Callable[..., Done], desk: Path, name: str
) -> None:
    """Exit 2 with the formats there are; nothing is written."""
    done = run("-o", name)
    assert done.code == 2
    assert ".md .html .txt .svg .json" in done.err
    assert not (desk / name).exists()


def test_decisions_beside_the_manifest_are_read_and_left_alone(
    run: Callable[..., Done], desk: Path
) -> None:
    """The note counts them; not a byte beside the manifest is another one."""
    path = put_decision(desk)
    before = {p.name: p.read_bytes() for p in path.parent.iterdir()}
    done = run()
    assert "Decided: 1 change needed a decision, none is left undecided." in done.out
    assert "No bonus was promised." in done.out
    assert {p.name: p.read_bytes() for p in path.parent.iterdir()} == before


def test_decisions_may_stand_elsewhere(run: Callable[..., Done], desk: Path) -> None:
    """`--triage` names the file; one that is not there is an error, not an empty triage."""
    path = put_decision(desk, desk / "mine.triage.toml")
    assert "Decided: 1 change" in run("--triage", str(path)).out
    done = run("--triage", "gone.toml")
    assert done.code == 3
    assert "gone.toml" in done.err


def test_an_exploratory_cutoff_makes_every_decision_stale(
    run: Callable[..., Done], desk: Path
) -> None:
    """They were made at another k, and the note says so."""
    put_decision(desk)
    out = run("--cutoff", "1").out
    assert "Exploratory cutoff: k = 1" in out
    assert "stale, was: accepted" in out


def test_a_filter_knows_the_decisions(run: Callable[..., Done], desk: Path) -> None:
    """`triage:` selects by what was decided."""
    put_decision(desk)
    run("--filter", "triage:accept", "-o", "NOTE.json")
    entries = json.loads((desk / "NOTE.json").read_text(encoding="utf-8"))
    assert entries["filter"]["questions"] == ["launch"]
    assert len(entries["questions"]) == 4


def test_a_filter_that_says_nothing_is_refused(run: Callable[..., Done]) -> None:
    """Exit 2, with what was not understood."""
    assert run("--filter", "tagg:lookup").code == 2


def test_a_date_comes_from_the_clock_only_on_demand(run: Callable[..., Done], desk: Path) -> None:
    """`--dated` adds one line."""
    run("-o", "plain.json")
    run("-o", "dated.json", "--dated")
    plain, dated = (
        json.loads((desk / f"{name}.json").read_text(encoding="utf-8"))
        for name in ("plain", "dated")
    )
    assert plain["dated"] is None
    assert dated["dated"].endswith("Z")
    assert {**dated, "dated": None} == plain


def test_a_note_that_cannot_be_written_is_told_at_once(
    run: Callable[..., Done], desk: Path
) -> None:
    """Exit 5; an older note stays whole."""
    (desk / "NOTE.md").mkdir()
    done = run("-o", "NOTE.md")
    assert done.code == 5
    assert "NOTE.md" in done.err
