"""What a person gets who installs ragtui."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
import zipfile
from email.parser import Parser
from pathlib import Path
from typing import Any, Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[2]
DEMO: Final = "ragtui/demo_data/"
PIN: Final = re.compile(r"^([a-z0-9-]+)==([^ ;]+)")


def _project() -> dict[str, Any]:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    project: dict[str, Any] = tomllib.loads(text)["project"]
    return project


def _pins() -> dict[str, str]:
    text = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    found = (PIN.match(line) for line in text.splitlines())
    return {match[1]: match[2] for match in found if match}


def _name(requirement: str) -> str:
    found = re.match(r"[A-Za-z0-9._-]+", requirement)
    assert found is not None
    return found.group().lower().replace("_", "-")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """Return the wheel built from the working tree, without network."""
    out = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(out)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (path,) = out.glob("*.whl")
    return zipfile.ZipFile(path)


@pytest.mark.parametrize("folder", ["fixtures/release-desk", "fixtures/support-desk", "manifests"])
def test_the_demo_in_the_wheel_is_the_repository_s_own(folder: str, wheel: zipfile.ZipFile) -> None:
    """All but what is held out stands in the wheel byte for byte, at the same relative place."""
    files = [path for path in (ROOT / folder).rglob("*") if path.is_file()]
    data = [path for path in files if path.suffix != ".md" and "held-out" not in path.name]
    assert data
    for path in data:
        assert wheel.read(DEMO + path.relative_to(ROOT).as_posix()) == path.read_bytes()


def test_the_demo_in_the_wheel_has_a_root(wheel: zipfile.ZipFile) -> None:
    """An empty ragtui.toml stands above fixtures and manifests, so that `..` stays inside."""
    assert wheel.read(f"{DEMO}ragtui.toml") == b""


def test_the_wheel_holds_the_package_and_nothing_else(wheel: zipfile.ZipFile) -> None:
    """Every module of the tree is there, types are announced, tests stay out."""
    names = set(wheel.namelist())
    modules = {path.relative_to(ROOT).as_posix() for path in (ROOT / "ragtui").rglob("*.py")}
    assert modules | {"ragtui/py.typed"} <= names
    assert {name.split("/")[0] for name in names} == {"ragtui", "ragtui-0.1.0.dist-info"}
    assert {name for name in names if "__pycache__" in name or name.endswith(".pyc")} == set()


def test_the_wheel_s_metadata_says_what_pyproject_says(wheel: zipfile.ZipFile) -> None:
    """Name, version, licence, Python and dependencies reach whoever installs it."""
    info = "ragtui-0.1.0.dist-info"
    told = Parser().parsestr(wheel.read(f"{info}/METADATA").decode())
    needed = [item for item in told.get_all("Requires-Dist", []) if "extra ==" not in item]
    assert (told["Name"], told["Version"]) == ("ragtui", "0.1.0")
    assert (told["License-Expression"], told["Requires-Python"]) == ("MIT", ">=3.11")
    assert {_name(item) for item in needed} == {_name(i) for i in _project()["dependencies"]}
    assert b"ragtui = ragtui.cli:main" in wheel.read(f"{info}/entry_points.txt")


def test_each_dependency_has_a_lower_bound() -> None:
    """Runtime and test requirements say from which version on they are known to work."""
    project = _project()
    named = [*project["dependencies"], *project["optional-dependencies"]["test"]]
    assert [item for item in named if ">=" not in item] == []


def test_the_lock_pins_each_dependency_with_a_hash() -> None:
    """The lock has a pin for each named requirement, and no pin without a sha256."""
    project = _project()
    named = [*project["dependencies"], *project["optional-dependencies"]["test"]]
    assert {_name(item) for item in named} <= _pins().keys()
    text = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    entries = re.findall(r"^[a-z0-9-]+==.*?(?=^[a-z]|\Z)", text, re.MULTILINE | re.DOTALL)
    assert len(entries) == len(_pins())
    assert [entry for entry in entries if "--hash=sha256:" not in entry] == []


def test_the_lock_names_no_machine() -> None:
    """Neither an index, a path nor a find-links place stands in the lock."""
    text = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    assert not re.search(r"://|--index|--find-links|--extra-index|(^|\s)/\w", text)


def test_the_changelog_has_the_current_version_or_unreleased_on_top() -> None:
    """The first heading of the changelog is the version being made."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    found = re.search(r"^## \[(.+?)\]", text, re.MULTILINE)
    assert found is not None
    assert found.group(1) in {"Unreleased", _project()["version"]}


def test_the_licence_is_mit() -> None:
    """The licence text and its holder are the ones pyproject names."""
    text = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert text.startswith("MIT License\n")
    assert "ragtui contributors" in text
    assert _project()["license"] == "MIT"
