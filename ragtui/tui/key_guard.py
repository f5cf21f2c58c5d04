"""A key that is held down, or pressed again before the next question is seen, decides nothing."""

from __future__ import annotations

from typing import Final

__all__ = ["SAME_KEY_GAP_S", "KeyGuard"]

SAME_KEY_GAP_S: Final = 0.7
"""Seconds after which a key pressed again counts as pressed anew: longer than keyboards wait before
they repeat a key that is held."""


class KeyGuard:
    """
    Tells one press of a key from its repetitions.

    >>> guard = KeyGuard()
    >>> [guard.is_new("a", at) for at in (0.0, 0.5, 0.53, 0.56, 1.5)]
    [True, False, False, False, True]
    """

    def __init__(self, gap: float = SAME_KEY_GAP_S) -> None:
        """Take the seconds that must lie between two presses of one key."""
        self._gap = gap
        self._last: dict[str, float] = {}

    def is_new(self, key: str, at: float) -> bool:
        """Tell whether *key* was let go since its press before; *at* is in seconds."""
        before = self._last.get(key)
        self._last[key] = at
        return before is None or at - before >= self._gap
