"""
Bases of the fixed vocabularies.

The standard library hashes members by a Python function; every count, set and column here hashes
members millions of times, so these bases hash like the plain text or number they are equal to.
"""

from __future__ import annotations

from enum import IntEnum, StrEnum

__all__ = ["Level", "Word"]


class Word(StrEnum):
    """
    A word of a fixed vocabulary, equal to its text in files.

    >>> class Colour(Word):
    ...     RED = "red"
    >>> hash(Colour.RED) == hash("red")
    True
    """

    __hash__ = str.__hash__


class Level(IntEnum):
    """
    A level of a fixed scale, equal to its number.

    >>> class Step(Level):
    ...     FIRST = 1
    >>> {1: "one"}[Step.FIRST]
    'one'
    """

    __hash__ = int.__hash__
