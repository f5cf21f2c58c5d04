"""
Slices: the same aggregates over the questions of one tag, or over (un)answerable questions.

Overlapping tags are announced, and a slice that moves against the total is named: an average must
not hide it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from ragtui.core.signflip import holm

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from fractions import Fraction

    from ragtui.core.aggregate import Aggregate
    from ragtui.core.change import Verdict

__all__ = [
    "ANSWERABLE",
    "CRITICAL",
    "MIN_TESTED",
    "SUGGESTED_TAGS",
    "UNANSWERABLE",
    "Slice",
    "against_total",
    "membership",
    "overlapping",
    "reversals",
    "surviving",
]

MIN_TESTED: Final = 10
"""Slices with fewer paired questions are shown muted and never tested."""

ANSWERABLE: Final = "answerable"
UNANSWERABLE: Final = "unanswerable"
CRITICAL: Final = "critical"

SUGGESTED_TAGS: Final = {
    "lookup": "one document answers it",
    "several-evidence": "needs more than one document",
    "near-duplicate": "similar documents compete",
    "outdated": "an older version says otherwise",
    "conflicting": "documents contradict each other",
    "unanswerable": "the corpus does not answer it",
    "permission": "some documents are closed to the caller",
}
"""Tags that mean the same in every set, with a line of help each."""


@dataclass(frozen=True, slots=True)
class Slice:
    """The questions of one tag or built-in group."""

    name: str
    tag: str | None
    """The tag, `None` for a built-in slice."""
    questions: int
    verdicts: Mapping[Verdict, int]
    aggregates: tuple[Aggregate, ...]

    def of(self, key: str) -> Aggregate | None:
        """Return the aggregate of the measure *key*."""
        return next((a for a in self.aggregates if a.measure.key == key), None)


def membership(
    tags: Sequence[tuple[str, ...]], builtin: Mapping[str, Sequence[int]]
) -> dict[tuple[str, str | None], list[int]]:
    """
    Return (slice name, tag) to question indexes: built-in groups first, then tags by name.

    A tag that has a built-in name but other questions is called `tag:NAME`; with the same questions
    it is not repeated.

    >>> membership([("lookup",), ("unanswerable",)], {"unanswerable": [1]})
    {('unanswerable', None): [1], ('lookup', 'lookup'): [0]}
    """
    found: dict[tuple[str, str | None], list[int]] = {
        (name, None): list(indexes) for name, indexes in builtin.items() if indexes
    }
    by_tag: dict[str, list[int]] = {}
    for index, names in enumerate(tags):
        for name in dict.fromkeys(names):
            by_tag.setdefault(name, []).append(index)
    result = found.copy()
    for tag in sorted(by_tag):
        twin = result.get((tag, None))
        if twin != by_tag[tag]:
            result[tag if twin is None else f"tag:{tag}", tag] = by_tag[tag]
    return result


def overlapping(tags: Iterable[tuple[str, ...]]) -> bool:
    """Tell whether any question is in several tags, so that counts do not add up."""
    return any(len(names) > 1 for names in tags)


def against_total(total: Aggregate, slices: Iterable[Slice]) -> tuple[tuple[Slice, Aggregate], ...]:
    """Return the slices whose paired delta has the other sign than the total's."""
    overall = total.paired.delta
    if not overall:
        return ()
    found = []
    for part in slices:
        own = part.of(total.measure.key)
        if own is not None and own.paired.delta and (own.paired.delta > 0) != (overall > 0):
            found.append((part, own))
    return tuple(found)


def _sign(number: Fraction) -> int:
    return (number > 0) - (number < 0)


def _own_direction(found: Aggregate) -> int | None:
    """Return 1, -1 or 0; `None` where a run has no mean, so that there is no way to go."""
    a, b = found.own_baseline.mean, found.own_candidate.mean
    return None if a is None or b is None else _sign(b - a)


def _pooled_direction(found: Aggregate) -> int | None:
    a, b = found.pooled_ratios
    return None if a is None or b is None else _sign(b - a)


def _reversed(
    total: Aggregate, parts: Sequence[Aggregate], direction: Callable[[Aggregate], int | None]
) -> bool:
    """Tell whether the total goes one way and every part that goes any way the other."""
    overall = direction(total)
    ways = [way for part in parts if (way := direction(part)) is not None]
    return bool(overall and len(ways) > 1 and all(way == -overall for way in ways))


def reversals(totals: Iterable[Aggregate], slices: Sequence[Slice]) -> tuple[str, ...]:
    """
    Return sentences for measures whose own means or pooled ratios reverse in every tag slice.

    Paired deltas over a partition cannot reverse; own means and pooled ratios can.
    """
    found = []
    for total in totals:
        parts = [own for s in slices if s.tag and (own := s.of(total.measure.key)) is not None]
        for name, direction in (("own mean", _own_direction), ("pooled ratio", _pooled_direction)):
            if _reversed(total, parts, direction):
                way = "up" if (direction(total) or 0) > 0 else "down"
                found.append(
                    f"{total.measure.key}: the {name} is {way} overall"
                    " and moves the other way in every tag"
                )
    return tuple(found)


def surviving(
    slices: Sequence[Slice], *, alpha: float = 0.05
) -> tuple[frozenset[tuple[str, str]], int]:
    """
    Return the (slice, measure) cells whose sign-flip p survives Holm, and how many were tested.

    Cells are measures without P@k, which moves with R@k, times slices with at least 10 paired
    questions.
    """
    cells = [
        ((part.name, found.measure.key), found.resolution.p.value)
        for part in slices
        for found in part.aggregates
        if found.measure.key != "precision"
        and found.paired.n >= MIN_TESTED
        and found.resolution is not None
        and found.resolution.p is not None
    ]
    kept = holm([p for _, p in cells], alpha)
    return frozenset(key for (key, _), keep in zip(cells, kept, strict=True) if keep), len(cells)
