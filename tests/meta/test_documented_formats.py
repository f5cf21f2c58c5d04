"""The examples of the format pages are complete files, and the commands accept them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

import pytest

from ragtui.core.triage import Triage
from ragtui.files.loading import load_comparison
from ragtui.files.triage_file import load_decisions, render_triage

ROOT: Final = Path(__file__).resolve().parents[2]
PAGES: Final = ("fixtures/README.md", "manifests/README.md")
FENCE: Final = re.compile(r"^```(\w+)(?: (\S[^\n]*))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"


class Example(NamedTuple):
    """A fenced block of a page: a file with its path, or a command with its output."""

    page: str
    label: str
    body: str

    @property
    def is_output(self) -> bool:
        """Whether the block shows what a command prints."""
        return self.label.startswith("ragtui ")


def _examples() -> list[Example]:
    return [
        Example(page, label, body)
        for page in PAGES
        for _, label, body in FENCE.findall((ROOT / page).read_text(encoding="utf-8"))
    ]


FILES: Final = [example for example in _examples() if not example.is_output]
OUTPUTS: Final = [example for example in _examples() if example.is_output]


def _run(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    code = "import sys; from ragtui.cli import main; sys.exit(main())"
    return subprocess.run(
        [sys.executable, "-c", code, *line.removeprefix("ragtui ").split()],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def _missing(shown: Json, printed: Json, place: str = "") -> list[str]:
    """Return the places where *printed* does not say what *shown* says; it may say more."""
    if isinstance(shown, dict) and isinstance(printed, dict):
        return [
            fault
            for key, value in shown.items()
            for fault in (
                _missing(value, printed[key], f"{place}.{key}")
                if key in printed
                else [f"{place}.{key} is absent"]
            )
        ]
    if isinstance(shown, list) and isinstance(printed, list) and len(shown) == len(printed):
        pairs = enumerate(zip(shown, printed, strict=True))
        return [fault for at, (a, b) in pairs for fault in _missing(a, b, f"{place}[{at}]")]
    same = shown == printed and isinstance(shown, bool) == isinstance(printed, bool)
    return [] if same else [f"{place}: {shown!r} is shown, {printed!r} is printed"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder that holds every example file but the locks, which freezing makes."""
    (tmp_path / "ragtui.toml").touch()
    for example in FILES:
        if not example.label.endswith(".lock"):
            path = tmp_path / example.label
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(example.body, encoding="utf-8", newline="\n")
    return tmp_path


def _with_suffix(*suffixes: str) -> list[str]:
    return [example.label for example in FILES if example.label.endswith(suffixes)]


def test_every_example_says_what_it_is() -> None:
    """Each block of the format pages has a label, and no two blocks have the same."""
    labels = [example.label for example in _examples()]
    assert "" not in labels
    assert len(set(labels)) == len(labels)


@pytest.mark.parametrize("label", _with_suffix("set.toml", "20.toml", "27.toml", "chunks.toml"))
def test_a_documented_set_or_manifest_is_valid(label: str, folder: Path) -> None:
    """`validate` finds no fault in the example, nor in what it refers to."""
    done = _run(f"validate {label}", folder)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("label", _with_suffix(".policy.toml", ".waivers.toml"))
def test_a_documented_policy_is_valid_with_its_waivers(label: str, folder: Path) -> None:
    """`validate` finds no fault in the policy, nor in the waivers beside it."""
    done = _run(f"validate {label}", folder)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout


@pytest.mark.parametrize("label", _with_suffix("chunks.toml"))
def test_documented_chunks_are_scored_by_document(label: str, folder: Path) -> None:
    """Two chunks of one document fold, so the second document has rank 2."""
    done = _run(f"score {label} --json", folder)
    measures = json.loads(done.stdout)["questions"][0]["measures"]
    assert (measures["rr"]["num"], measures["rr"]["den"]) == (1, 2)


@pytest.mark.parametrize("label", _with_suffix("ledger.jsonl"))
def test_a_documented_ledger_is_chained_and_its_page_names_its_head(
    label: str, folder: Path
) -> None:
    """Nothing is wrong with the example, and the text below it prints what commands print."""
    done = _run(f"validate {label}", folder)
    assert done.returncode == 0, done.stdout + done.stderr
    head = done.stdout.partition(": ")[2].strip()
    assert f"`ledger {head}`" in (ROOT / "fixtures" / "README.md").read_text(encoding="utf-8")


def test_documented_records_fit_their_set(folder: Path) -> None:
    """The example records are scored under the example set, a failed question included."""
    manifest = folder / "price-desk" / "run.toml"
    manifest.write_text(
        'schema = "ragtui/run@1"\nid = "r"\n[set]\npath = "set.toml"\nversion = "1.2.0"\n'
        '[context]\ncutoff = 2\n[records]\npath = "run-a.jsonl"\n',
        encoding="utf-8",
    )
    done = _run("score price-desk/run.toml --json", folder)
    assert done.returncode == 0, done.stderr
    states = {item["question"]: item["state"] for item in json.loads(done.stdout)["questions"]}
    assert states == {
        "price": "scored",
        "large-team": "scored",
        "billing": "failed",
        "refund": "scored",
    }


@pytest.mark.parametrize("label", _with_suffix(".triage.toml"))
def test_documented_decisions_are_written_as_shown_and_current(label: str, folder: Path) -> None:
    """The program would write the very file, and its decisions are about the runs of its name."""
    path = folder / label
    found = load_decisions(path)
    runs = (path.parent / f"{run}.toml" for run in path.name.split(".triage")[0].split(".."))
    comparison = load_comparison(*runs)
    assert comparison.set_info.sha256 is not None
    written = render_triage(found.values(), set_digest=comparison.set_info.sha256)
    assert path.read_bytes() == written
    assert Triage(comparison, found).counts() == (len(found), 0, 0)
    assert _run(f"validate {label}", folder).returncode == 0


@pytest.mark.parametrize(
    "example",
    [example for example in FILES if example.label.endswith(".lock")],
    ids=lambda example: example.label,
)
def test_freezing_writes_the_documented_lock(example: Example, folder: Path) -> None:
    """`freeze` makes the very lock that the page shows."""
    lock = folder / example.label
    done = _run(f"freeze {(lock.parent.parent / 'set.toml').relative_to(folder)}", folder)
    assert done.returncode == 0, done.stderr
    assert lock.read_text(encoding="utf-8") == example.body


@pytest.mark.parametrize("example", OUTPUTS, ids=lambda example: example.label)
def test_a_command_prints_what_the_page_shows(example: Example, folder: Path) -> None:
    """Everything in the shown document stands in the printed one, with the same value."""
    done = _run(example.label, folder)
    assert _missing(json.loads(example.body), json.loads(done.stdout)) == []
    assert json.loads(done.stdout).get("exit", 0) == done.returncode


def test_the_comparison_of_documents_notices_a_difference() -> None:
    """A missing key, another value, another length and another type are each reported."""
    shown: Json = {"a": 1, "b": [1, 2], "c": {"d": None}, "e": True}
    printed: Json = {"b": [1], "c": {"d": 0, "more": 1}, "e": 1}
    assert len(_missing(shown, printed)) == 4
    assert _missing(shown, shown) == []
