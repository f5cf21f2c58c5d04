"""
A short session of an installed ragtui in a real pseudo-terminal.

Run as `python tests/term/smoke.py PATH_TO_RAGTUI` from any folder: opens the bundled demo, moves,
quits, and checks what was on screen, the exit code, and that the terminal was left as it was found.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.term.terminal import Terminal

LEAVES_ALTERNATE_SCREEN = b"\x1b[?1049l"


def main(ragtui: str) -> int:
    """Use the demo as a person would for a moment."""
    colours = {"TERM": "xterm-256color", "COLORTERM": "truecolor"}
    with Terminal([ragtui, "demo", "release-desk"], environment=colours) as terminal:
        for expected in ("launch", "regressed", "bonus", "quit"):
            terminal.wait_for(expected)
        terminal.send("j")
        terminal.wait_for("2 of 4")
        terminal.send("q")
        code = terminal.exit_code()
    if code != 0 or LEAVES_ALTERNATE_SCREEN not in terminal.written:
        sys.stderr.write(f"exit code {code}; the terminal was not restored\n{terminal.text}\n")
        return 1
    sys.stdout.write("interface session: opened, moved, quit, terminal restored\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
