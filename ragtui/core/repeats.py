"""
Several records of one question in one run: one outcome of them all, and how often each has what.

The frequency of a claim or a document is the share of the repeats that have it, of those in which
it could be seen at all. What is gained or lost between two runs is what became more or less
frequent, so that for one record a side it is the difference of two sets.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import chain
from typing import TYPE_CHECKING, TypeVar

from ragtui.core.contract import Counts, Outcome, State, fold

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

    from ragtui.core.contract import Labels

    T = TypeVar("T", bound=Hashable)

__all__ = [
    "abstaining_share",
    "combined",
    "documents_of",
    "evidence_shares",
    "more_often",
    "reciprocal_rank",
    "shares",
    "stated_of",
    "supported_of",
    "unsupported_of",
]

_NO_IDS: frozenset[str] = frozenset()


# ---------------------------------------------------------------- one outcome of several


def combined(labels: Labels, outcomes: Sequence[Outcome]) -> Outcome:
    """
    Return one outcome of the repeats of one question, given by their numbers.

    Its sets are what any repeat has. It failed when every repeat failed. One outcome stays itself.
    """
    if len(outcomes) == 1:
        return outcomes[0]
    scored = [one for one in outcomes if one.counts.state is State.SCORED]
    claims = [one.claims for one in scored if one.claims is not None]
    visible = [one.visible for one in scored if one.visible is not None]
    found = Outcome(
        counts=Counts(State.FAILED, retrieval_recorded=False, claims_recorded=False),
        record=(scored or outcomes)[0].record,
        visible=fold(chain.from_iterable(visible)) if visible else None,
        hits=_NO_IDS.union(*(one.hits for one in scored)),
        claims=tuple(dict.fromkeys(chain.from_iterable(claims))) if claims else None,
        supported=_NO_IDS.union(*(one.supported for one in scored)),
        unsupported=_NO_IDS.union(*(one.unsupported for one in scored)),
        disclosed_visible=fold(chain.from_iterable(one.disclosed_visible for one in scored)),
        disclosed_cited=fold(chain.from_iterable(one.disclosed_cited for one in scored)),
        repeats=tuple(outcomes),
    )
    return found._replace(counts=_summary(labels, found, [one.counts for one in outcomes]))


def _summary(labels: Labels, found: Outcome, repeats: Sequence[Counts]) -> Counts:
    """Sum up what the repeats counted; measures are taken from each of them, not from this."""
    context = found.visible or ()
    ranks = (rank for rank, document in enumerate(context, 1) if document in found.hits)
    return Counts(
        state=min(counts.state for counts in repeats),
        retrieval_recorded=any(counts.retrieval_recorded for counts in repeats),
        claims_recorded=any(counts.claims_recorded for counts in repeats),
        visible=len(context),
        hits=len(found.hits),
        first_hit=next(ranks, 0),
        claims=max(counts.claims for counts in repeats),
        supported=len(found.supported),
        covered=len(found.supported & (labels.expected or _NO_IDS)),
        judged=len((labels.judged or _NO_IDS).intersection(context)),
        disclosed=len(found.disclosed_visible) + len(found.disclosed_cited),
        folded=sum(counts.folded for counts in repeats),
        repeats=tuple(repeats),
    )


# ---------------------------------------------------------------- how often


def documents_of(outcome: Outcome) -> frozenset[str] | None:
    """Return the relevant visible documents of one record; `None`: not recorded."""
    return None if outcome.visible is None else outcome.hits


def supported_of(outcome: Outcome) -> frozenset[str] | None:
    """Return the supported claims of one record; `None`: they cannot be judged."""
    return None if outcome.claims is None else outcome.supported


def unsupported_of(outcome: Outcome) -> frozenset[str] | None:
    """Return the unsupported claims of one record; `None`: they cannot be judged."""
    return None if outcome.claims is None else outcome.unsupported


def stated_of(outcome: Outcome) -> frozenset[str] | None:
    """Return the claims that one record states; `None`: not recorded."""
    return outcome.stated_ids if outcome.counts.claims_recorded else None


def shares(found: Iterable[Iterable[T] | None]) -> dict[T, Fraction]:
    """
    Return the share of records that have each id, of the records where it could be seen.

    >>> shares([{"a", "b"}, {"a"}, None])["b"]
    Fraction(1, 2)
    """
    known = [ids for ids in found if ids is not None]
    counted = Counter(chain.from_iterable(known))
    return {one: Fraction(n, len(known)) for one, n in counted.items()}


def more_often(
    one: Outcome, other: Outcome, of: Callable[[Outcome], frozenset[str] | None]
) -> frozenset[str]:
    """Return the ids that are more frequent in *one* than in *other*."""
    if not one.repeats and not other.repeats:
        return (of(one) or _NO_IDS) - (of(other) or _NO_IDS)
    left, right = (shares(map(of, side.each)) for side in (one, other))
    return frozenset(name for name, share in left.items() if share > right.get(name, 0))


def abstaining_share(outcome: Outcome) -> Fraction | None:
    """Return the share of records without a claim; `None`: no record tells."""
    told = [abstained for one in outcome.each if (abstained := one.abstained) is not None]
    return Fraction(sum(told), len(told)) if told else None


def reciprocal_rank(outcome: Outcome) -> Fraction:
    """Return the mean reciprocal rank of the first relevant document, of the known contexts."""
    ranks = [one.counts.first_hit for one in outcome.each if one.visible is not None]
    total = sum((Fraction(1, rank) for rank in ranks if rank), Fraction(0))
    return total / len(ranks) if ranks else total


def evidence_shares(outcome: Outcome) -> Mapping[object, Fraction]:
    """Return how often each context and each answer stands in the records that were scored."""
    scored = [one for one in outcome.each if one.counts.state is State.SCORED]
    return shares([(one.visible, one.stated)] for one in scored)
