"""Deciding in a real terminal: what was shown as decided outlives a kill."""

from __future__ import annotations

import signal
import sys
from typing import TYPE_CHECKING, Final

import pytest

from ragtui.files.triage_file import load_triage
from ragtui.files.triage_store import read_decisions
from tests.term.terminal import Terminal

if TYPE_CHECKING:
    from pathlib import Path

    from ragtui.core.triage import Decision

_DEMO: Final = [sys.executable, "-m", "ragtui", "demo", "support-desk"]


def _open(folder: Path, *options: str, editor: str = "") -> Terminal:
    """Open the demo in a terminal, with *folder* as the user's state folder."""
    environment = {
        "XDG_STATE_HOME": str(folder),
        "XDG_CONFIG_HOME": str(folder / "config"),
        "EDITOR": editor,
        "VISUAL": "",
    }
    return Terminal([*_DEMO, *options], size=(140, 44), environment=environment)


def _file(folder: Path) -> Path:
    return folder / "ragtui" / "demo-support-desk.triage.toml"


def _found(folder: Path) -> dict[str, Decision]:
    return read_decisions(_file(folder))


def test_a_reviewer_decides_undoes_is_killed_and_finds_everything(tmp_path: Path) -> None:
    with _open(tmp_path, "--as", "Jo") as terminal:
        terminal.wait(lambda text: "0 of 21 decided" in text and "1 of 75" in text)
        terminal.send("a")
        terminal.wait(lambda text: "1 of 21 decided" in text and "2 of 75" in text)
        terminal.send("b")
        terminal.wait(lambda text: "2 of 21 decided" in text and "3 of 75" in text)
        terminal.send("d")
        terminal.wait(lambda text: "3 of 21 decided" in text and "4 of 75" in text)
        terminal.send("u")
        terminal.wait(lambda text: "2 of 21 decided" in text and "3 of 75" in text)
        terminal.kill(signal.SIGKILL)
        assert terminal.exit_code() == -signal.SIGKILL
    assert not _file(tmp_path).exists()
    assert [d.choice.value for d in _found(tmp_path).values()] == ["accept", "block"]
    with _open(tmp_path) as terminal:
        terminal.wait_for("2 of 21 decided")
        terminal.wait_for("4 steps of a session that did not end: it goes on")
        terminal.wait_for("1 of 75")
        terminal.send("U")
        terminal.wait_for("3 of 21 decided")
        terminal.send("q")
        assert terminal.exit_code() == 0
    decided = load_triage(_file(tmp_path)).decisions
    assert sorted(d.choice.value for d in decided.values()) == ["accept", "block", "dispute"]
    assert {d.who for d in decided.values()} == {"Jo"}
    assert _file(tmp_path).stat().st_mode & 0o777 == 0o600


def test_a_key_held_down_decides_once(tmp_path: Path) -> None:
    with _open(tmp_path) as terminal:
        terminal.wait(lambda text: "0 of 21 decided" in text and "1 of 75" in text)
        terminal.send("a" * 50)
        terminal.wait_for("1 of 21 decided")
        terminal.wait_for("held or pressed in haste")
        terminal.send("q")
        assert terminal.exit_code() == 0
    assert len(_found(tmp_path)) == 1


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_signal_ends_the_session_with_everything_in_the_file(name: str, tmp_path: Path) -> None:
    number = getattr(signal, name)
    with _open(tmp_path) as terminal:
        terminal.wait(lambda text: "0 of 21 decided" in text and "1 of 75" in text)
        terminal.send("b")
        terminal.wait_for("1 of 21 decided")
        terminal.kill(number)
        assert terminal.exit_code() == 128 + number
    assert len(load_triage(_file(tmp_path)).decisions) == 1


def test_a_second_session_is_told_who_decides(tmp_path: Path) -> None:
    with _open(tmp_path) as first:
        first.wait_for("0 of 21 decided")
        with _open(tmp_path) as second:
            second.wait_for("read-only: open in another session: process")
            assert f"process {first.pid} " in second.text
            second.send("q")
            assert second.exit_code() == 0
        first.send("q")
        assert first.exit_code() == 0
    assert not _found(tmp_path)


def test_the_place_where_one_was_looking_comes_back(tmp_path: Path) -> None:
    with _open(tmp_path) as terminal:
        terminal.wait_for("1 of 75")
        terminal.send("jj")
        terminal.wait_for("3 of 75")
        terminal.send("s")
        terminal.wait_for("by support")
        terminal.send("q")
        assert terminal.exit_code() == 0
    with _open(tmp_path) as terminal:
        terminal.wait_for("by support")
        terminal.wait_for("vpn-abroad · S1")
        terminal.send("q")
        assert terminal.exit_code() == 0


def test_decisions_that_cannot_be_written_end_with_code_5(tmp_path: Path) -> None:
    folder = tmp_path / "ragtui"
    folder.mkdir()
    nowhere = tmp_path / "gone" / "x.triage.toml"
    with _open(tmp_path, "--triage", str(nowhere)) as terminal:
        terminal.wait_for("decisions cannot be kept here")
        terminal.wait_for("w tries again")
        terminal.wait_for("1 of 75")  # a question nobody was shown is not decided
        terminal.send("a")
        terminal.wait_for("1 step not on disk")
        terminal.send("q")
        terminal.wait_for("Leave without them?")
        terminal.send("j\r")
        assert terminal.exit_code() == 5
        assert "1 step not on disk: salary-level-3" in terminal.text


def test_a_note_is_written_in_an_editor_that_takes_the_terminal(tmp_path: Path) -> None:
    editor = tmp_path / "vi"
    editor.write_text(
        '#!/bin/sh\necho "EDITOR HAS THE TERMINAL"\nread -r line\n'
        'case "$1" in +*) ;; *) printf "from outside" > "$1" ;; esac\n',
        encoding="utf-8",
    )
    editor.chmod(0o700)
    with _open(tmp_path, editor=str(editor)) as terminal:
        terminal.wait_for("1 of 75")
        terminal.send("e")
        terminal.wait_for("follow-up")
        terminal.send("\x05")
        terminal.wait_for("EDITOR HAS THE TERMINAL")
        terminal.send("\r")
        terminal.wait_for("from outside")
        terminal.send("\x13")
        terminal.wait_for("investigate (still undecided)")
        terminal.send("o")
        terminal.wait_for("EDITOR HAS THE TERMINAL")
        terminal.send("\r")
        terminal.wait_for("that was the record of B")
        terminal.send("q")
        assert terminal.exit_code() == 0
    (decision,) = _found(tmp_path).values()
    assert decision.note == "from outside"
