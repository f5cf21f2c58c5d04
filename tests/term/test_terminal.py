"""What reaches a real terminal: no sequence but Textual's own, and a whole terminal at the end."""

from __future__ import annotations

import re
import signal
from typing import TYPE_CHECKING, Final

import pytest

from tests.term.terminal import Terminal, python

if TYPE_CHECKING:
    from pathlib import Path

_LEAVE: Final = (b"\x1b[?1049l", b"\x1b[?25h", b"\x1b[?1000l", b"\x1b[?1003l", b"\x1b[?2004l")
"""Other screen off, cursor on, mouse reports off, bracketed paste off."""

_RUN: Final = """
import sys
from pathlib import Path
from ragtui.tui.app import run_app
kept = Path.home() / "terminal.triage.toml"
sys.exit(run_app(Path(sys.argv[1]), Path(sys.argv[2]), triage=kept))
"""

_HOSTILE: Final = """
import sys
from pathlib import Path
from tests.builders import any_of, comparison_of, question, record, run_info
from ragtui.core.model import Claim, Document, Question, Record, Retrieved
import ragtui.tui.app as app
import ragtui.tui.loading as loading

BAD = (
    "\\x1b]2;PWNED\\x1b\\\\", "\\x1b]52;c;UFdORUQ=\\x07", "\\x1b[2J\\x1b[5;5H", "\\x9b31m",
    "\\x00\\x0e\\x7f",
    "\\u202epwned\\u202c", "\\u2028next", "[/red] [@click=app.quit]x[/]", "\\x1bPq#0\\x1b\\\\",
    "a\\rb\\nc",
    "\\x1b_Gf=32\\x1b\\\\", "\\x1b[6n", "\\x85", "\\ud800", "e" + "\\u0301" * 40, "\\x1bc",
)
text = " ".join(BAD)

def make(*_, **__):
    questions, a, b = [], [], []
    for n, bad in enumerate(BAD):
        doc, claim = f"doc {bad}", f"claim {bad}"
        questions.append(Question(
            id=f"q{n} {bad}", text=text, tags=(f"tag {bad}",), critical=True, relevant=(doc,),
            support={claim: any_of(doc)}, claims={claim: text},
        ))
        item = Retrieved(doc, chunk=bad, version=bad, text=text)
        good = Claim(claim, (doc,), text)
        a.append(Record(question=f"q{n} {bad}", retrieved=(item,), claims=(good,), answer=text))
        b.append(Record(
            question=f"q{n} {bad}", retrieved=(Retrieved("x " + bad, text=text), item), answer=text,
            claims=(Claim("new " + bad, ("x " + bad,), text),),
        ))
    corpus = [
        Document(id=f"doc {bad}", text=text + "!", title=text, version=bad, source=text)
        for bad in BAD
    ]
    return comparison_of(
        questions, a, b, documents=corpus, notices=(text, text),
        baseline=run_info(f"A {text}", pipeline={f"key {text}": text}, note=text),
        candidate=run_info(f"B {text}", pipeline={f"key {text}": "two " + text}, note=text),
    )

reading = loading.Loading(loading.Source(Path("a"), Path("b")), load=make)
reading.start()
running = app.RagtuiApp(reading)
running.run()
if running.failure is not None:
    raise running.failure
sys.exit(running.return_code or 0)
"""

_SLOW: Final = """
import sys, threading
from pathlib import Path
import ragtui.tui.app as app
import ragtui.tui.loading as loading
from ragtui.files.loading import Progress

def load(*_, progress, **__):
    for n in range(10**9):
        progress(Progress("records of A and B", n % 1000, 1000))

reading = loading.Loading(loading.Source(Path("a"), Path("b")), load=load)
reading.start()
running = app.RagtuiApp(reading)
running.run()
sys.exit(running.return_code or 0)
"""

_CRASH: Final = """
import sys
from pathlib import Path
import ragtui.tui.app as app
import ragtui.tui.widgets.evidence as evidence

def broken(self, *_):
    secret = "SECRET-IN-A-VARIABLE"
    raise ValueError("SECRET-IN-A-MESSAGE " + secret)

evidence.EvidencePane.show = broken
kept = Path.home() / "terminal.triage.toml"
sys.exit(app.run_app(Path(sys.argv[1]), Path(sys.argv[2]), triage=kept))
"""

_OWN: Final = re.compile(
    rb"\x1b\[[0-9;:]*m"  # colours and attributes
    rb"|\x1b\[[0-9;]*[HABCDJK]"  # cursor and erasing, as written for a repaint
    rb"|\x1b\[\?[0-9;]+(?:\$p|[hl])"  # modes on, off and asked for
    rb"|\x1b\[[<>=][0-9;]*u"  # the keyboard protocol
    rb"|\x1b\[>[0-9;]*[mq]"
    rb"|\x1b\[c"
    rb"|\x1b\]22;[a-z-]*\x07"  # the shape of the mouse pointer
)
"""Every sequence that Textual itself sends."""


def _manifests(root: Path) -> tuple[str, str]:
    folder = root / "manifests"
    return str(folder / "baseline.toml"), str(folder / "candidate.toml")


def _assert_whole(terminal: Terminal) -> None:
    tail = terminal.written[-4_000:]
    for sequence in _LEAVE:
        assert sequence in tail, sequence


def test_a_person_opens_the_demo_looks_around_and_leaves(root: Path) -> None:
    with Terminal(python(_RUN, *_manifests(root))) as terminal:
        terminal.wait_for("launch")
        terminal.wait_for("S2 regressed")
        terminal.send("j")
        terminal.wait_for("2 of 4")
        terminal.send("q")
        assert terminal.exit_code() == 0
        _assert_whole(terminal)


@pytest.mark.parametrize(
    "colours", [{"COLORTERM": "truecolor"}, {"TERM": "xterm"}, {"NO_COLOR": "1"}]
)
def test_hostile_text_in_every_pane_reaches_the_terminal_as_text(colours: dict[str, str]) -> None:
    with Terminal(python(_HOSTILE), size=(160, 50), environment=colours) as terminal:
        terminal.wait_for("regressed")
        for keys, words in (
            ("j", "2 of"), ("2", "questions"), ("3", "reason"), ("4", "no acceptance"),
            ("5", "held"), ("1", "macro"), ("\t", "A baseline"), ("jj\r", "cited in"),
        ):  # fmt: skip
            terminal.send(keys)
            terminal.wait_for(words)
        terminal.send("\x1b")
        terminal.wait(lambda text: "cited in" not in text and "Summary" in text)
        terminal.send("?")
        terminal.wait_for("Keys and signs")
        terminal.send("q")
        terminal.wait_for("n next change")
        terminal.send("q")
        assert terminal.exit_code() == 0
    rest = _OWN.sub(b"", terminal.written).decode("utf-8", "replace")
    # CR, LF and BEL are Textual's own at the end; nothing else that acts may be left.
    acting = re.findall(
        r"[\x00-\x06\x08\x09\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028]", rest
    )
    assert not acting
    assert "PWNED" in rest


def test_without_colour_nothing_but_attributes_is_sent(root: Path) -> None:
    command = python(_RUN, *_manifests(root))
    with Terminal(command, environment={"NO_COLOR": "1"}) as terminal:
        terminal.wait_for("S2 regressed")
        terminal.send("q")
        assert terminal.exit_code() == 0
    used = {
        int(part or b"0")
        for run in re.findall(rb"\x1b\[([0-9;]*)m", terminal.written)
        for part in run.split(b";")
    }
    assert used <= {0, 1, 2, 3, 4, 7, 9, 22, 23, 24, 27, 29, 39, 49}


def test_sixteen_colours_use_the_terminals_own(root: Path) -> None:
    command = python(_RUN, *_manifests(root))
    with Terminal(command, environment={"TERM": "xterm"}) as terminal:
        terminal.wait_for("S2 regressed")
        terminal.send("q")
        assert terminal.exit_code() == 0
    assert not re.findall(rb"\x1b\[[0-9;]*[34]8;[0-9;]*m", terminal.written)


def test_q_works_while_files_are_read() -> None:
    with Terminal(python(_SLOW)) as terminal:
        terminal.wait_for("reading records of A and B")
        terminal.send("q")
        assert terminal.exit_code() == 0
        _assert_whole(terminal)


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
@pytest.mark.parametrize("code", [_SLOW, _RUN], ids=["reading", "shown"])
def test_a_signal_leaves_a_whole_terminal(name: str, code: str, root: Path) -> None:
    number = getattr(signal, name)
    with Terminal(python(code, *_manifests(root))) as terminal:
        terminal.wait(lambda text: "reading records" in text or "S2 regressed" in text)
        terminal.kill(number)
        assert terminal.exit_code() == 128 + number
        _assert_whole(terminal)


def test_a_fault_prints_one_line_and_leaves_a_private_report(root: Path, tmp_path: Path) -> None:
    state = tmp_path / "state"
    command = python(_CRASH, *_manifests(root))
    with Terminal(command, environment={"XDG_STATE_HOME": str(state)}) as terminal:
        assert terminal.exit_code() == 70
        _assert_whole(terminal)
        assert b"internal error (ValueError)" in terminal.written
        assert b"SECRET" not in terminal.written
    (report,) = (state / "ragtui").glob("crash-*")
    assert report.stat().st_mode & 0o777 == 0o600
    told = report.read_text(encoding="utf-8")
    assert "ValueError" in told
    assert "in broken" in told
    assert "SECRET" not in told


def test_a_pair_that_may_not_be_compared_opens_no_screen(root: Path, tmp_path: Path) -> None:
    a, _ = _manifests(root)
    code = _RUN.replace(
        "sys.exit(run_app", "import ragtui.errors\ntry:\n    sys.exit(run_app"
    ).rstrip()
    code += "\nexcept ragtui.errors.RagtuiError as error:\n    sys.exit(error.exit_code)\n"
    with Terminal(python(code, a, str(tmp_path / "missing.toml"))) as terminal:
        assert terminal.exit_code() == 3
        assert b"\x1b[?1049h" not in terminal.written
