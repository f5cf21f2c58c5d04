"""
From roles to styles: the one place where colours are.

Colour has one meaning everywhere: orange worse, blue better, violet mixed, amber n/a or attention,
grey unchanged; never red against green, and every meaning also has its glyph or word.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.app import App

    from ragtui.tui.spans import Line

__all__ = ["ROLES", "Painter", "painter_for", "painter_named"]

_ATTRIBUTES: Final = {
    name: Style.parse(name) for name in ("bold", "dim", "italic", "underline", "reverse", "strike")
}

_DARK: Final = {
    "plain": "#d5dce4 on #0d1117",
    "panel": "on #161c24",
    "strong": "bold #f0f4f8",
    "muted": "#8b95a1",
    "faint": "#5f6975",
    "rule": "#39424e",
    "worse": "#ffa657",
    "better": "#79c0ff",
    "mixed": "#d2a8ff",
    "attention": "#e3b341",
    "same": "#8b95a1",
    "title": "bold #d5dce4",
    "accent": "#79c0ff",
    "key": "bold #e3b341",
    "header": "bold #8b95a1",
    "cursor": "on #243b53",
    "quiet-cursor": "on #1b2735",
    "selected": "bold #f0f4f8 on #243b53",
    "cited": "on #43301b",
    "added": "#79c0ff underline",
    "removed": "#ffa657 strike",
}

_LIGHT: Final = {
    "plain": "#24292f on #ffffff",
    "panel": "on #eef2f6",
    "strong": "bold #0b0f14",
    "muted": "#57606a",
    "faint": "#7b848d",
    "rule": "#c3cad2",
    "worse": "#b34700",
    "better": "#0757ba",
    "mixed": "#7a3fd1",
    "attention": "#8a5a00",
    "same": "#57606a",
    "title": "bold #24292f",
    "accent": "#0757ba",
    "key": "bold #8a5a00",
    "header": "bold #57606a",
    "cursor": "on #cfe4fb",
    "quiet-cursor": "on #e6edf5",
    "selected": "bold #0b0f14 on #cfe4fb",
    "cited": "on #fde7cd",
    "added": "#0757ba underline",
    "removed": "#b34700 strike",
}

# The terminal's own 16 colours on its own background: red stands for orange, which is not among
# them; green is not used at all.
_SIXTEEN: Final = {
    "plain": "default",
    "panel": "",
    "strong": "bold",
    "muted": "default",
    "faint": "bright_black",
    "rule": "bright_black",
    "worse": "red",
    "better": "blue",
    "mixed": "magenta",
    "attention": "yellow",
    "same": "default",
    "title": "bold",
    "accent": "blue",
    "key": "bold yellow",
    "header": "bold",
    "cursor": "reverse",
    "quiet-cursor": "underline",
    "selected": "reverse bold",
    "cited": "reverse",
    "added": "blue underline",
    "removed": "red strike",
}

_SIXTEEN_DARK: Final = {
    **_SIXTEEN,
    "worse": "bright_red",
    "better": "bright_blue",
    "mixed": "bright_magenta",
    "attention": "bright_yellow",
    "accent": "bright_blue",
    "key": "bold bright_yellow",
    "added": "bright_blue underline",
    "removed": "bright_red strike",
}

_COLOURLESS: Final = {
    "plain": "",
    "panel": "",
    "strong": "bold",
    "muted": "",
    "faint": "dim",
    "rule": "dim",
    "worse": "bold",
    "better": "",
    "mixed": "bold",
    "attention": "",
    "same": "dim",
    "title": "bold",
    "accent": "bold",
    "key": "bold",
    "header": "bold",
    "cursor": "reverse",
    "quiet-cursor": "underline",
    "selected": "reverse bold",
    "cited": "reverse",
    "added": "underline",
    "removed": "strike",
}

_PALETTES: Final[dict[str, Mapping[str, str]]] = {
    "dark": _DARK,
    "light": _LIGHT,
    "sixteen-dark": _SIXTEEN_DARK,
    "sixteen-light": _SIXTEEN,
    "colourless": _COLOURLESS,
}

ROLES: Final = frozenset(_DARK) | frozenset(_ATTRIBUTES)
"""Every word a role may consist of."""


class Painter:
    """The styles of one palette; equal roles give the same `Style`."""

    def __init__(self, palette: Mapping[str, str]) -> None:
        """Take the style of each role as rich writes it."""
        self._named = {name: Style.parse(text or "none") for name, text in palette.items()}
        self._named.update(_ATTRIBUTES)
        self._combined: dict[str, Style] = {}

    def style(self, role: str) -> Style:
        """
        Return the style of a role; later words win over earlier ones. `KeyError` for unknown words.

        >>> str(painter_named("colourless").style("worse underline"))
        'bold underline'
        """
        found = self._combined.get(role)
        if found is None:
            found = sum((self._named[word] for word in role.split()), self._named["plain"])
            self._combined[role] = found
        return found

    def segments(self, line: Line, *, over: str = "") -> list[Segment]:
        """Return the segments of a line with the role *over* on top of every span."""
        suffix = f" {over}" if over else ""
        return [Segment(part.text, self.style(part.role + suffix)) for part in line]

    def strip(self, line: Line, width: int, *, over: str = "") -> Strip:
        """Return a line as a strip of exactly *width* cells."""
        return Strip(self.segments(line, over=over)).adjust_cell_length(width, self.style(over))


@cache
def painter_named(palette: str) -> Painter:
    """Return the painter of `dark`, `light`, `sixteen-dark`, `sixteen-light` or `colourless`."""
    return Painter(_PALETTES[palette])


def painter_for(app: App[object]) -> Painter:
    """Return the painter that suits an app's theme and whether it may use colours."""
    if app.no_color:
        return painter_named("colourless")
    theme = app.current_theme
    shade = "dark" if theme.dark else "light"
    return painter_named(f"sixteen-{shade}" if theme.ansi else shade)
