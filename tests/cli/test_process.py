"""What only a process of its own shows: streams, closed pipes, terminals, signals."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[2]
PAIR: Final = ("manifests/baseline.toml", "manifests/candidate.toml")
RAGTUI: Final = (sys.executable, "-m", "ragtui")


def _run(*args: str, stdout: int = subprocess.PIPE) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [*RAGTUI, *args],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=subprocess.PIPE,
        check=False,
    )


def test_results_and_messages_go_to_different_streams() -> None:
    """A sound run writes to stdout only, a bad one to stderr only."""
    good = _run("score", PAIR[0])
    assert (good.returncode, good.stderr) == (0, b"")
    bad = _run("score", "manifests/absent.toml")
    assert (bad.returncode, bad.stdout) == (3, b"")
    assert bad.stderr.count(b"\n") == 1


@pytest.mark.parametrize("args", [("--help",), ("demo", "--plain"), ("demo", "--json")])
def test_a_closed_pipe_ends_quietly(args: tuple[str, ...]) -> None:
    """The reader is gone before the first byte: no message, and the code of a closed pipe."""
    read, write = os.pipe()
    os.close(read)
    done = _run(*args, stdout=write)
    os.close(write)
    assert (done.returncode, done.stderr) == (128 + signal.SIGPIPE, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("args", [("--help",), ("demo", "--plain"), ("demo", "--json")])
def test_a_full_disk_is_exit_5(args: tuple[str, ...]) -> None:
    """What cannot be written is said in one line."""
    with Path("/dev/full").open("wb") as full:
        done = _run(*args, stdout=full.fileno())
    assert done.returncode == 5
    assert done.stderr.count(b"\n") == 1
    assert b"No space left" in done.stderr


def test_output_that_cannot_be_encoded_is_escaped() -> None:
    """A stream that knows ASCII only gets escapes, and no error."""
    done = subprocess.run(
        [*RAGTUI, "demo", "--plain"],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.isascii()
    assert b"\\u25bc regressed" in done.stdout


def test_a_file_name_that_is_no_text_is_shown_escaped() -> None:
    """Bytes that are not UTF-8 reach neither the document nor the terminal as they are."""
    done = subprocess.run(
        [*map(os.fsencode, RAGTUI), b"score", b"a\xff\x1b[31m.toml", b"--json"],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 3
    assert json.loads(done.stdout)["exit"] == 3
    assert b"\x1b" not in done.stdout + done.stderr
    assert done.stderr.isascii() or done.stderr.decode("utf-8")


def _on_terminal(*args: str, columns: int, **variables: str) -> str:
    """Run a command on a terminal of its own, and return what it wrote there."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with subprocess.Popen(
        [*RAGTUI, *args],
        cwd=ROOT,
        stdin=follower,
        stdout=follower,
        stderr=follower,
        env={**os.environ, **variables},
    ) as process:
        os.close(follower)
        written = b""
        while True:
            try:
                piece = os.read(leader, 65536)
            except OSError:
                break
            if not piece:
                break
            written += piece
        assert process.wait() == 0
    os.close(leader)
    return written.decode("utf-8").replace("\r\n", "\n")


def test_a_terminal_gets_its_width_and_colours_and_nothing_else() -> None:
    """120 columns; the only control sequences are those that set and reset a colour."""
    written = _on_terminal("demo", "--plain", columns=120)
    plain = re.sub(r"\x1b\[(33|94|35|1|2)?m", "", written)
    assert "\x1b" not in plain
    assert plain != written
    widest = max(map(len, plain.splitlines()))
    assert 100 < widest <= 120 or "but no label supports this claim" in plain
    assert plain.isprintable() or plain.replace("\n", "").isprintable()


@pytest.mark.parametrize("variables", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_a_terminal_without_colour_gets_none(variables: dict[str, str]) -> None:
    """A dumb terminal gets the text even without --plain; NO_COLOR needs --plain."""
    args = ("demo",) if "TERM" in variables else ("demo", "--plain")
    assert "\x1b" not in _on_terminal(*args, columns=100, **variables)


SLOW: Final = """
import os, sys, time
from ragtui.cli import main
import ragtui.files.loading as loading
def wait(*args, **options):
    os.write(1, b"ready")
    time.sleep(60)
loading.load_run = wait
import ragtui.cli.score as score
score.load_run = wait
sys.exit(main(["score", "a.toml"]))
"""


def test_an_interrupt_ends_with_130() -> None:
    """No traceback, no result."""
    with subprocess.Popen(
        [sys.executable, "-c", SLOW],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.read(5) == b"ready"
        process.send_signal(signal.SIGINT)
        assert process.wait() == 130
        assert process.stdout.read() == b""
        assert process.stderr.read() == b""
