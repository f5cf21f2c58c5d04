"""Running a command line inside the test's own process."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import pytest

from ragtui.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parents[2]

PAIR = ("manifests/baseline.toml", "manifests/candidate.toml")


Document: TypeAlias = dict[str, Any]


class Done(NamedTuple):
    """What a command did: its exit code and what it wrote."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Document:
        """The one JSON document on standard output."""
        found: Document = json.loads(self.out)
        return found


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a copy of the demo's files, made the current one."""
    for name in ("fixtures", "manifests"):
        shutil.copytree(ROOT / name, tmp_path / name)
    (tmp_path / "ragtui.toml").touch()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(desk: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    """Return a function that runs one command line in the copy of the demo's files."""
    del desk

    def run_line(line: str, *more: str) -> Done:
        code = main([*line.split(), *more])
        out, err = capsys.readouterr()
        return Done(code, out, err)

    return run_line
