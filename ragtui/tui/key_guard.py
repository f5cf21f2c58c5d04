"""A key that is held down, or pressed again before the next question is seen, decides nothing."""

from __future__ import annotations

from math import inf
from typing import Final

__all__ = ["DECIDE_GAP_S", "STEP_GAP_S", "KeyGuard"]

DECIDE_GAP_S: Final = 0.7
"""
Seconds after which a key pressed again decides again: more than keyboards wait before they repeat
a key that is held, so that holding one decides once.
"""

STEP_GAP_S: Final = 0.15
"""Seconds after which a key pressed again undoes again: more than lie between two repetitions."""


class KeyGuard:
    """
    Measures how long a key was let alone.

    >>> guard = KeyGuard()
    >>> [guard.rest("a", at) >= DECIDE_GAP_S for at in (0.0, 0.5, 0.53, 0.56, 1.5)]
    [True, False, False, False, True]
    """

    def __init__(self) -> None:
        """Start without any press."""
        self._last: dict[str, float] = {}

    def rest(self, key: str, at: float) -> float:
        """Return the seconds since *key* came last, pressed at *at* now; infinite at first."""
        before = self._last.get(key, -inf)
        self._last[key] = at
        return at - before
