"""`python -m ragtui` is the command `ragtui`."""

from __future__ import annotations

import sys

from ragtui.cli import main

if __name__ == "__main__":
    sys.exit(main())
