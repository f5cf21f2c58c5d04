"""What may not be loaded: by importing a module, and by running a command."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final, NamedTuple

import pytest

ROOT: Final = Path(__file__).resolve().parents[2]

HEAVY: Final = frozenset({"numpy", "rich", "scipy", "textual"})
"""What no module outside the interface loads when it is imported."""

IMPURE: Final = HEAVY | {"click", "platformdirs", "tomli_w", "tomllib"}
"""What the core does not load either: it knows no file, no user, no terminal."""

RUN_COMMAND: Final = """
import json, sys
from ragtui.cli import main
loaded, sys.argv = sys.argv[1], ["ragtui", *sys.argv[2:]]
try:
    code = main()
except SystemExit as stop:
    code = stop.code
with open(loaded, "w", encoding="utf-8") as file:
    json.dump([code, sorted(sys.modules)], file)
"""

A: Final = "manifests/baseline.toml"
B: Final = "manifests/candidate.toml"


class Command(NamedTuple):
    """A command line, run in a copy of the demo's files, and what it may not load."""

    line: str
    forbidden: frozenset[str] = HEAVY - {"rich"}


COMMANDS: Final = (
    Command("--help", HEAVY | {"msgspec", "ragtui.core", "ragtui.files"}),
    Command("--version", HEAVY | {"msgspec", "ragtui.files"}),
    Command(f"score {A}"),
    Command(f"score {A} --json", HEAVY),
    Command(f"score {A} --csv", HEAVY),
    Command(f"compare {A} {B} --plain"),
    Command(f"compare {A} {B} --json", HEAVY),
    Command(f"table {A} {B}", HEAVY),
    Command(f"explain {A} {B} launch"),
    Command(f"check {A} {B} --policy p.toml", HEAVY - {"rich"}),
    Command(f"check {A} {B} --policy p.toml --json", HEAVY),
    Command(f"check {A} {B} --policy p.toml --format github", HEAVY),
    Command(f"note {A} {B}"),
    Command(f"note {A} {B} -o NOTE.html", HEAVY),
    Command("demo --plain"),
    Command(f"validate {A} {B} fixtures/release-desk/set.toml"),
    Command("freeze fixtures/release-desk/set.toml"),
    Command("retire --help"),
    Command(f"pin {A}"),
    Command("schema", HEAVY),
    Command("schema comparison", HEAVY),
    Command("init new"),
    Command("import trec --qrels q.txt --run a.run --run b.run --out imported"),
)
"""One line a command; a command that loads more than it needs fails here."""


def _modules(*, below: str = "") -> list[str]:
    paths = sorted((ROOT / "ragtui" / below).rglob("*.py"))
    names = [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in paths]
    return [name.removesuffix(".__init__") for name in names if not name.endswith("__main__")]


HEADLESS: Final = [name for name in _modules() if not name.startswith("ragtui.tui")]


def _roots(loaded: str) -> set[str]:
    names: list[str] = json.loads(loaded)
    return {".".join(name.split(".")[:depth]) for name in names for depth in (1, 2)}


def _loaded_by_import(module: str) -> set[str]:
    code = f"import json, sys, {module}; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return _roots(done.stdout)


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    """Return a folder with the demo's files and a pair of small TREC runs."""
    for name in ("fixtures", "manifests"):
        shutil.copytree(ROOT / name, tmp_path / name)
    (tmp_path / "ragtui.toml").touch()
    rule = '[[rule]]\nid = "r"\nkind = "new_unsupported"\nmax = 1\n'
    (tmp_path / "p.toml").write_text(f'schema = "ragtui/policy@1"\nid = "p"\n{rule}')
    (tmp_path / "q.txt").write_text("1 0 d1 1\n", encoding="utf-8")
    (tmp_path / "a.run").write_text("1 Q0 d1 1 2.0 a\n", encoding="utf-8")
    (tmp_path / "b.run").write_text("1 Q0 d2 1 2.0 b\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("module", HEADLESS)
def test_a_module_outside_the_interface_loads_nothing_heavy(module: str) -> None:
    """Importing a headless module loads neither textual, rich, numpy nor scipy."""
    assert not _loaded_by_import(module) & HEAVY


@pytest.mark.parametrize("module", _modules(below="core"))
def test_the_core_loads_nothing_that_touches_the_world(module: str) -> None:
    """Importing a module of the core loads no command line, no TOML, no room outside it."""
    rooms = {"ragtui.cli", "ragtui.files", "ragtui.notes", "ragtui.session", "ragtui.tui"}
    assert not _loaded_by_import(module) & (IMPURE | rooms)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.line)
def test_a_command_loads_only_what_it_uses(command: Command, desk: Path) -> None:
    """Each command ends well and has loaded nothing from its forbidden column."""
    report = desk / "loaded.json"
    done = subprocess.run(
        [sys.executable, "-c", RUN_COMMAND, str(report), *command.line.split()],
        cwd=desk,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert report.exists(), done.stderr
    code, loaded = json.loads(report.read_text(encoding="utf-8"))
    assert code in {0, None}, done.stderr
    assert not _roots(json.dumps(loaded)) & command.forbidden
