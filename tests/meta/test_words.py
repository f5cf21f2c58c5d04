"""Words that the program does not use, because they claim more than the numbers hold."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CLAIMS_TOO_MUCH = re.compile(r"\b(winners?|significan\w+|no difference)\b", re.IGNORECASE)


def _texts(path: Path) -> Iterator[str]:
    """Yield every text of a module but its docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    told = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in told:
            yield node.value


def test_nothing_is_called_a_winner_significant_or_no_difference(root: Path) -> None:
    """No text that the program can print holds one of these words."""
    found = {
        path.relative_to(root).as_posix(): text
        for path in (root / "ragtui").rglob("*.py")
        for text in _texts(path)
        if CLAIMS_TOO_MUCH.search(text)
    }
    assert found == {}
