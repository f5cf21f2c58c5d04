"""Looking for words in the texts of questions, which stay in their files."""

from __future__ import annotations

from array import array
from functools import cached_property
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from ragtui.core.comparison import Comparison

__all__ = ["TEXTS_KEPT", "Wordings"]

TEXTS_KEPT: Final = 50_000
"""Questions up to which their texts are kept for searching; a larger set is read anew."""


class Wordings:
    """
    The wording of every question, for words that a filter looks for; what was found is kept.

    Texts are read when the first word is looked for. In a set of more than `TEXTS_KEPT` questions
    they are read, all of them, only for a word that no id holds; `skipped` tells for which words
    they were not.
    """

    def __init__(self, comparison: Comparison) -> None:
        """Read nothing yet."""
        self._comparison = comparison
        self._found: dict[str, Collection[int]] = {}
        self._skipped: set[str] = set()

    def skipped(self, words: Iterable[str]) -> bool:
        """Tell whether one of *words* was looked for in ids only."""
        return not self._skipped.isdisjoint(map(str.casefold, words))

    def find(self, word: str) -> Collection[int]:
        """Return the questions whose text holds *word*, whatever its case."""
        folded = word.casefold()
        if folded not in self._found:
            self._found[folded] = self._search(folded)
        return self._found[folded]

    def _search(self, folded: str) -> Collection[int]:
        if len(self._comparison) <= TEXTS_KEPT:
            return [index for index, text in enumerate(self._kept) if folded in text]
        if any(folded in question.casefold() for question in self._comparison.ids):
            self._skipped.add(folded)
            return ()
        indexes = range(len(self._comparison))
        return array("I", (index for index in indexes if folded in self._text(index)))

    @cached_property
    def _kept(self) -> list[str]:
        return [self._text(index) for index in range(len(self._comparison))]

    def _text(self, index: int) -> str:
        return (self._comparison.evidence.question(index).text or "").casefold()
