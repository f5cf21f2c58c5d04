"""How tests read views: lines as text, and what every view must keep to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragtui.text import cell_width, clean
from ragtui.tui.paint import painter_named
from ragtui.tui.spans import line_width, plain

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ragtui.tui.spans import Line

__all__ = ["assert_fits", "roles_of", "shown", "text_of"]


def text_of(lines: Iterable[Line]) -> list[str]:
    """Return lines as text without the blanks at their ends."""
    return [plain(line).rstrip() for line in lines]


def shown(lines: Iterable[Line]) -> str:
    """Return lines as one text."""
    return "\n".join(text_of(lines))


def roles_of(lines: Iterable[Line], text: str) -> list[str]:
    """Return the roles of every span with exactly this text, blanks at its ends aside."""
    return [part.role for line in lines for part in line if part.text.strip() == text]


def assert_fits(lines: Iterable[Line], width: int) -> None:
    """Fail unless every line fits, has only known roles, and holds no character that acts."""
    painter = painter_named("dark")
    for line in lines:
        assert line_width(line) <= width, plain(line)
        assert cell_width(plain(line)) <= width, plain(line)
        for part in line:
            assert "\n" not in part.text
            assert clean(part.text) == part.text
            painter.style(part.role)
