"""Figures, bounds and reasons in words: one way to say each, for every kind of rule."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragtui.core.figures import count_of
from ragtui.core.policy import Finding, Outcome
from ragtui.text import plural

if TYPE_CHECKING:
    from fractions import Fraction

__all__ = ["NOTHING_SELECTED", "decimal", "nothing_selected", "of_questions", "signed_decimal"]

NOTHING_SELECTED = "no question is selected"
_DIGITS = 4


def decimal(value: Fraction | float) -> str:
    """
    Return a number with as many digits as tell it from a bound, four at most.

    >>> from fractions import Fraction
    >>> decimal(Fraction(5, 6)), decimal(Fraction(1, 2)), decimal(1.0)
    ('0.8333', '0.50', '1.00')
    """
    told = f"{float(value):.{_DIGITS}f}"
    short = told.rstrip("0")
    whole, _, rest = short.partition(".")
    return f"{whole}.{rest:0<2}"


def signed_decimal(value: Fraction | float) -> str:
    """
    Return a difference with its sign, `−` being U+2212.

    >>> signed_decimal(-0.05), signed_decimal(0.125), signed_decimal(0)
    ('−0.05', '+0.125', '0.00')
    """
    told = decimal(-value if value < 0 else value)
    if float(told) == 0:
        return told
    return f"−{told}" if value < 0 else f"+{told}"


def of_questions(n: int, total: int) -> str:
    """
    Return how many of some questions.

    >>> of_questions(2, 12)
    '2 of 12 questions'
    """
    return f"{count_of(n)} of {plural(total, 'question')}"


def nothing_selected(bound: str) -> Finding:
    """Return the finding of a rule that selects nothing: never a pass."""
    return Finding(
        outcome=Outcome.INCONCLUSIVE,
        figure="0 questions",
        bound=bound,
        why=NOTHING_SELECTED,
    )
