"""Open the demo of an installed ragtui in a pseudo-terminal, look around and leave: a script."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.term.terminal import Terminal


def main(program: str) -> int:
    """Return 0 when the interface came up, followed the keys and left a whole terminal."""
    with Terminal([program, "demo"], size=(140, 40)) as terminal:
        terminal.wait_for("S2 regressed")
        terminal.send("j")
        terminal.wait_for("2 of 4")
        terminal.send("q")
        code = terminal.exit_code()
        whole = b"\x1b[?1049l" in terminal.written
    print(f"interface: exit code {code}, terminal {'whole' if whole else 'NOT restored'}")
    return code if whole else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
