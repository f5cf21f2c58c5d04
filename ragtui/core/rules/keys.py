"""How a kind of rule declares the keys it reads, and what it is held against."""

from __future__ import annotations

from enum import Enum, auto
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

    from ragtui.core.policy import Finding, Rule, Trial

__all__ = ["Form", "Judge", "Key", "Kind"]


class Form(Enum):
    """What stands behind a key."""

    COUNT = auto()
    """A whole number of at least `Key.least`."""
    NUMBER = auto()
    """A number from `Key.least` to `Key.most`, taken exactly as its decimals say."""
    COUNT_OR_SHARE = auto()
    """A whole number is a count, a number with a decimal point a share from 0.0 to 1.0."""
    MEASURE = auto()
    """The key of a measure with a mean."""
    SEVERITY = auto()
    """`S0` to `S4`."""
    WORD = auto()
    """One of `Key.words`."""
    FLAG = auto()
    TEXT = auto()
    COUNTS = auto()
    """A table of terms and whole numbers."""


class Key(NamedTuple):
    """One key of a kind of rule."""

    name: str
    form: Form
    required: bool = True
    least: Fraction = Fraction(0)
    most: Fraction | None = None
    words: tuple[str, ...] = ()


Judge: TypeAlias = "Callable[[Rule, Trial, frozenset[int]], Finding]"
"""Holds a rule against a trial, leaving out the questions that are waived."""


class Kind(NamedTuple):
    """One kind of rule."""

    judge: Judge
    keys: tuple[Key, ...] = ()
    has_where: bool = False
    any_of: tuple[str, ...] = ()
    """Keys of which at least one must be there."""
    waivable: bool = False
    """Whether it judges question by question, so that single ones can be waived."""
