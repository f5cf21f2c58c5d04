"""The README's commands are lines that can be pasted as they stand."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

import ragtui

ROOT: Final = Path(__file__).resolve().parents[2]
README: Final = (ROOT / "README.md").read_text(encoding="utf-8")
MAKES_VENV: Final = "python3 -m venv .venv && .venv/bin/pip install "


def _commands() -> list[str]:
    blocks = re.findall(r"^```sh\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines()]
    return [line for line in lines if line.startswith("python3 -m venv")]


def test_two_commands_start_from_nothing() -> None:
    """One line opens the comparison and one runs the tests; both make their own environment."""
    first, second = _commands()
    assert first.startswith(MAKES_VENV)
    assert second.startswith(MAKES_VENV)
    assert first.endswith("/ragtui compare manifests/baseline.toml manifests/candidate.toml")
    assert second.endswith("/python -m pytest")


@pytest.mark.parametrize("command", _commands())
def test_a_command_is_one_line_a_shell_accepts(command: str) -> None:
    """The shell parses the line, and no part of it needs more than Python and pip."""
    parsed = subprocess.run(["sh", "-n", "-c", command], check=False)
    assert parsed.returncode == 0
    programs = {part.split()[0].rsplit("/", 1)[-1] for part in command.split("&&")}
    assert programs <= {"pip", "python", "python3", "ragtui"}


@pytest.mark.parametrize("command", _commands())
def test_a_command_names_only_files_that_exist(command: str) -> None:
    """Each path of the project in the line is there."""
    paths = re.findall(r"(?<![\w./])[\w-]+(?:/[\w.-]+)*\.(?:toml|lock)\b", command)
    assert paths
    assert [path for path in paths if not (ROOT / path).is_file()] == []


def test_the_checks_run_the_readme_s_own_test_command() -> None:
    """The line that .ci/run looks for in the README is found exactly once."""
    found = re.findall(r"^python3 -m venv .*pytest.*$", README, re.MULTILINE)
    assert len(found) == 1
    assert "README.md" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_links_lead_to_files_of_the_project() -> None:
    """Each relative link of the README names something that exists."""
    links = re.findall(r"\]\((?!https?:)([^)#]+)", README)
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


def _python_block() -> str:
    (block,) = re.findall(r"^```python\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    return str(block)


def test_the_python_example_prints_what_its_comments_say() -> None:
    """Each print of the example gives what stands behind its `#`."""
    promised = re.findall(r"^print\(.*\)  # (.*)$", _python_block(), re.MULTILINE)
    ran = subprocess.run(
        [sys.executable, "-c", _python_block()],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert promised
    assert promised == ran.stdout.splitlines()


def test_the_public_names_are_those_the_readme_lists() -> None:
    """`ragtui.__all__` is what the README says, and each name is there."""
    (listed,) = re.findall(r"`ragtui\.__all__` is (.*)\.$", README, re.MULTILINE)
    assert re.findall(r"`(\w+)`", listed) == ragtui.__all__
    assert all(hasattr(ragtui, name) for name in ragtui.__all__)


def test_every_command_is_in_the_readme() -> None:
    """The table of commands names each command of `--help`."""
    helped = subprocess.run(
        [sys.executable, "-m", "ragtui", "--help"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    commands = re.findall(r"^  (\w+)  ", helped.split("Commands:")[1], re.MULTILINE)
    assert len(commands) > 5
    table = README.split("## Commands")[1].split("## Measures")[0]
    assert [command for command in commands if f"ragtui {command}" not in table] == []
