"""
One person's work on one comparison, without any screen.

A front end shows a `Session` and calls its methods; nothing here knows a widget or a terminal.
"""

from __future__ import annotations

from ragtui.session.looking import DETAILS_KEPT, Sort, View
from ragtui.session.working import Session

__all__ = ["DETAILS_KEPT", "Session", "Sort", "View"]
