from __future__ import annotations

import sys
from errno import ENOSPC
from typing import TYPE_CHECKING, NoReturn

import click
import pytest

from ragtui import __version__
from ragtui.cli.app import CONTRACT
from ragtui.cli.messages import fault_entry, guarded, say
from ragtui.core.model import CONTRACT as CORE_CONTRACT
from ragtui.errors import Fault, IncomparableError, InputError, OutputError, Reason, UsageError
from tests.strategies import PAYLOADS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.cli.conftest import Done


def _raises(error: BaseException) -> Callable[[], NoReturn]:
    def run() -> NoReturn:
        raise error

    return run


REASON = Reason(what="cutoff", baseline="2", candidate="3", sentence="k 2 against 3")


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (UsageError("wrong"), 2),
        (click.UsageError("wrong"), 2),
        (click.ClickException("wrong"), 2),
        (InputError("wrong"), 3),
        (IncomparableError([REASON]), 4),
        (OutputError("wrong"), 5),
        (OSError(ENOSPC, "No space left on device"), 5),
        (ValueError("wrong"), 70),
        (RecursionError("wrong"), 70),
        (KeyboardInterrupt(), 130),
        (click.Abort(), 130),
        (BrokenPipeError(), 141),
        (click.exceptions.Exit(0), 0),
    ],
)
def test_each_ending_has_its_exit_code(
    error: BaseException, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """The code, at most one line of message, and never 1."""
    assert guarded(_raises(error), []) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == (1 if code in {2, 3, 4, 5, 70} else 0)


@pytest.mark.parametrize("code", [2, 3, 4, 70])
def test_with_json_an_error_is_one_document(code: int, capsys: pytest.CaptureFixture[str]) -> None:
    """Whatever happens, standard output holds one document that names the exit code."""
    errors: dict[int, Exception] = {
        2: click.UsageError("wrong"),
        3: InputError([Fault(message="m", file="a.toml", line=3), Fault(message="n")]),
        4: IncomparableError([REASON]),
        70: ValueError("wrong"),
    }
    done = _done(guarded(_raises(errors[code]), ["score", "--json"]), capsys)
    assert done.code == code
    assert done.document["schema"] == "ragtui/error@1"
    assert done.document["exit"] == code
    assert len(done.document["errors"]) == (2 if code == 3 else 1)


def _done(code: int, capsys: pytest.CaptureFixture[str]) -> Done:
    from tests.cli.conftest import Done  # noqa: PLC0415 - conftest is no module of the package

    return Done(code, *capsys.readouterr())


def test_after_two_dashes_json_is_a_file_and_no_option(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """`score -- --json` asks for the run called `--json`."""
    done = _done(guarded(_raises(InputError("m")), ["score", "--", "--json"]), capsys)
    assert done.out == ""


def test_an_entry_holds_every_part_of_a_fault() -> None:
    """What is not known is there as null."""
    entry = fault_entry(Fault(message="m", file="a.jsonl", line=2, found="x"))
    assert entry == {
        "message": "m",
        "file": "a.jsonl",
        "line": 2,
        "key": None,
        "question": None,
        "found": "x",
        "expected": None,
        "hint": None,
    }


def test_an_internal_error_tells_no_file_text_and_debug_tells_it_cleaned(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The kind and the place; with --debug the traceback, every line of it inert."""
    error = ValueError("secret \x1b]52;c;YQ==\x07")
    assert guarded(_raises(error), ["score"]) == 70
    assert "secret" not in capsys.readouterr().err
    assert guarded(_raises(error), ["score", "--debug"]) == 70
    err = capsys.readouterr().err
    assert "secret ␛]52;c;YQ==␇" in err
    assert "\x1b" not in err


def test_the_first_twenty_faults_are_lines_and_the_rest_is_a_count(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """25 faults: 20 lines and one that says how many more."""
    faults = [Fault(message=f"fault {n}") for n in range(25)]
    assert guarded(_raises(InputError(faults)), []) == 3
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 21
    assert lines[-1] == "ragtui: and 5 more"


@pytest.mark.parametrize("name", PAYLOADS)
def test_a_message_is_one_line_that_does_nothing(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """No attack in a fault reaches the terminal or a runner's log as more than text."""
    say(PAYLOADS[name])
    err = capsys.readouterr().err
    assert err.endswith("\n")
    line = err[:-1]
    assert line.startswith("ragtui: ")
    assert not any(ord(c) < 32 or 0x7F <= ord(c) < 0xA0 for c in line)
    assert "##" not in line


def test_messages_without_anybody_to_read_them_are_dropped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A process without standard error still ends with its exit code."""
    monkeypatch.setattr(sys, "stderr", None)
    assert guarded(_raises(InputError("m")), []) == 3


def test_a_process_without_standard_output_says_that_nothing_could_be_written(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], desk: Path
) -> None:
    """Exit 5, a message, no traceback."""
    from ragtui.cli import main  # noqa: PLC0415 - beside the patch that needs it

    del desk
    monkeypatch.setattr(sys, "stdout", None)
    assert main(["score", "manifests/baseline.toml"]) == 5
    assert capsys.readouterr().err == "ragtui: standard output is closed\n"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("compre", 'there is no command "compre"; did you mean compare?'),
        ("xyzzy", 'there is no command "xyzzy"; see `ragtui --help`'),
        ("compare one.toml", "missing argument 'B.toml'; see `ragtui compare --help`"),
        ("score --cutof 2 x", "'--cutoff'?"),
        ("score a.toml --cutoff two", "'two' is not a valid integer"),
        ("demo another-desk", "'another-desk' is not"),
        ("", "Usage: ragtui"),
    ],
)
def test_wrong_usage_says_what_and_what_to_do(
    line: str, words: str, run: Callable[..., Done]
) -> None:
    """Exit 2, nothing on standard output."""
    done = run(line)
    assert (done.code, done.out) == (2, "")
    assert words.lower() in done.err.lower()


def test_the_version_names_the_contract(run: Callable[..., Done], root: Path) -> None:
    """The numbers that are spelled out are those of the project and of the core."""
    assert run("--version").out == f"ragtui {__version__}, contract {CONTRACT}\n"
    assert CONTRACT == CORE_CONTRACT
    assert f'\nversion = "{__version__}"\n' in (root / "pyproject.toml").read_text(encoding="utf-8")
