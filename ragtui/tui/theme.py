"""The themes, and which one to start with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from textual.theme import Theme

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["THEMES", "next_theme", "starting_theme"]

_WHITE: Final = 7
"""The first of the colours that a terminal with a light background reports as its background."""

_DARK: Final = Theme(
    name="ragtui-dark",
    primary="#79c0ff",
    secondary="#d2a8ff",
    accent="#79c0ff",
    warning="#e3b341",
    error="#ffa657",
    success="#79c0ff",
    foreground="#d5dce4",
    background="#0d1117",
    surface="#0d1117",
    panel="#161c24",
    variables={
        "rule": "#39424e",
        "rule-focus": "#58a6ff",
        "scrollbar": "#2d3742",
        "scrollbar-hover": "#4a5866",
        "scrollbar-active": "#58a6ff",
        "scrollbar-background": "#0d1117",
        "scrollbar-background-hover": "#0d1117",
        "scrollbar-background-active": "#0d1117",
        "scrollbar-corner-color": "#0d1117",
    },
)

_LIGHT: Final = Theme(
    name="ragtui-light",
    primary="#0757ba",
    secondary="#7a3fd1",
    accent="#0757ba",
    warning="#8a5a00",
    error="#b34700",
    success="#0757ba",
    foreground="#24292f",
    background="#ffffff",
    surface="#ffffff",
    panel="#eef2f6",
    dark=False,
    variables={
        "rule": "#c3cad2",
        "rule-focus": "#0757ba",
        "scrollbar": "#c9d1d9",
        "scrollbar-hover": "#9aa5b1",
        "scrollbar-active": "#0757ba",
        "scrollbar-background": "#ffffff",
        "scrollbar-background-hover": "#ffffff",
        "scrollbar-background-active": "#ffffff",
        "scrollbar-corner-color": "#ffffff",
    },
)


def _sixteen(name: str, *, dark: bool) -> Theme:
    """Return a theme of the terminal's own 16 colours on its own background."""
    blue = "ansi_bright_blue" if dark else "ansi_blue"
    bar = "ansi_bright_black"
    ground = "ansi_default"
    return Theme(
        name=name,
        primary=blue,
        secondary="ansi_magenta",
        accent=blue,
        warning="ansi_yellow",
        error="ansi_red",
        success=blue,
        foreground=ground,
        background=ground,
        surface=ground,
        panel=ground,
        boost=ground,
        dark=dark,
        ansi=True,
        variables={
            "ansi-background": ground,
            "ansi-foreground": ground,
            "border": bar,
            "border-blurred": bar,
            "block-cursor-foreground": "ansi_black" if dark else "ansi_bright_white",
            "block-cursor-background": blue,
            "input-cursor-background": ground,
            "input-cursor-foreground": ground,
            "input-cursor-text-style": "reverse",
            "input-selection-background": blue,
            "input-selection-foreground": ground,
            "screen-selection-background": blue,
            "screen-selection-foreground": ground,
            "rule": bar,
            "rule-focus": blue,
            "scrollbar": bar,
            "scrollbar-hover": blue,
            "scrollbar-active": blue,
            "scrollbar-background": ground,
            "scrollbar-background-hover": ground,
            "scrollbar-background-active": ground,
            "scrollbar-corner-color": ground,
        },
    )


THEMES: Final = (
    _DARK,
    _LIGHT,
    _sixteen("ragtui-terminal-dark", dark=True),
    _sixteen("ragtui-terminal-light", dark=False),
)
"""In the order in which the key walks through them."""


def next_theme(name: str) -> str:
    """
    Return the theme after *name*, the first one after an unknown name.

    >>> next_theme("ragtui-dark")
    'ragtui-light'
    """
    names = [theme.name for theme in THEMES]
    position = names.index(name) + 1 if name in names else 0
    return names[position % len(names)]


def starting_theme(environment: Mapping[str, str], *, colours: int) -> str:
    """
    Return the theme that suits a terminal: its background where it tells, its number of colours.

    >>> starting_theme({"COLORFGBG": "0;15"}, colours=256)
    'ragtui-light'
    >>> starting_theme({"NO_COLOR": "1"}, colours=256)
    'ragtui-terminal-dark'
    """
    ground = environment.get("COLORFGBG", "").rpartition(";")[2]
    light = ground.isdecimal() and int(ground) >= _WHITE and int(ground) != _WHITE + 1
    shade = "light" if light else "dark"
    plain = "NO_COLOR" in environment or colours <= 16  # noqa: PLR2004 - "16 colours" is the name
    return f"ragtui-terminal-{shade}" if plain else f"ragtui-{shade}"
