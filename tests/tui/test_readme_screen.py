"""The screen that README.md shows is the screen that its first command opens."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragtui.files.loading import load_comparison
from tests.tui.deciding import app_of, kept_in
from tests.tui.frames import frame, opened

if TYPE_CHECKING:
    from pathlib import Path

SIZE = (120, 33)


async def test_the_screen_in_the_readme_is_what_one_sees(root: Path, tmp_path: Path) -> None:
    """Line by line, at 120 columns, before anything was decided."""
    folder = root / "manifests"
    found = load_comparison(folder / "baseline.toml", folder / "candidate.toml")
    async with opened(found, size=SIZE, keeping=kept_in(tmp_path)) as pilot:
        seen = frame(app_of(pilot))
    page = (root / "README.md").read_text(encoding="utf-8")
    block = re.search(r"```text\n(.*?)```", page, re.DOTALL)
    assert block is not None
    assert block[1].rstrip().split("\n") == seen.split("\n")
