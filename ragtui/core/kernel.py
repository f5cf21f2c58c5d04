"""
The common case of a comparison, quickly.

Most questions are labelled in full, and recorded in full and once by both runs. For such a question
`sketch` counts with a few operations on sets what its rows hold, and finds the yes-or-nos on which
its change depends. What follows from those (verdict, causes, severity, flags) is not known here:
the contract path, `Scorer.score` and `Scorer.change`, says it once for every distinct key, and
whoever fills rows keeps the answer.

So this module claims three things, tested on a sweep of small questions and on random ones: its
counts are those of the contract path, so are its signals, and questions with equal keys have equal
rows of changes. The one rule that stands both here and in `contract` is when a claim is supported.

There is no sketch, and the contract path is taken each time, for several records, none or a failed
one; a part that was not labelled or not recorded; grades, reviews and disputes; permissions; claim
ids that mean something else in each run.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from ragtui.core.change import Signal, SignalKind, signals_of
from ragtui.core.contract import Counts, State
from ragtui.core.measures import Facts
from ragtui.core.model import Alternatives, Record, Status

if TYPE_CHECKING:
    from ragtui.core.model import Question
    from ragtui.core.scorer import Kept, Scorer

__all__ = ["Key", "Sketch", "row_of", "sketch"]

Key: TypeAlias = tuple[int, ...]
"""Small numbers and yes-or-nos."""


class Sketch(msgspec.Struct, frozen=True, gc=False):
    """What the rows of one question depend on, and the ids that no row keeps."""

    counts: tuple[Key, Key]
    """The numbers behind the rows of A and of B, for `row_of`."""
    change: Key
    """Decides what is said about the question."""
    gained: AbstractSet[str]
    resolved: AbstractSet[str]
    came: AbstractSet[str]
    """Relevant documents that enter the context."""
    lost: AbstractSet[str]
    new: AbstractSet[str]
    """New unsupported claims."""
    left: AbstractSet[str]
    """Relevant documents that leave the context."""
    rises: int
    """1: the first relevant document moves up; -1: down; 0: it stays."""
    abstains: int
    """1: no claim any more on an unanswerable question; -1: claims now; 0: as before."""

    def signals(self) -> tuple[tuple[Signal, ...], tuple[Signal, ...]]:
        """Return what speaks for B and what against it."""
        plus = signals_of(SignalKind.CLAIM_GAINED, self.gained)
        plus += signals_of(SignalKind.RESOLVED, self.resolved)
        minus = signals_of(SignalKind.CLAIM_LOST, self.lost)
        minus += signals_of(SignalKind.NEW_UNSUPPORTED, self.new)
        if self.abstains > 0:
            plus += (Signal(SignalKind.ABSTENTION),)
        elif self.abstains < 0:
            minus += (Signal(SignalKind.ABSTENTION),)
        plus += signals_of(SignalKind.DOC_IN, self.came)
        minus += signals_of(SignalKind.DOC_OUT, self.left)
        if self.rises > 0:
            plus += (Signal(SignalKind.RR_UP),)
        elif self.rises < 0:
            minus += (Signal(SignalKind.RR_DOWN),)
        return plus, minus


class _Labels(msgspec.Struct, frozen=True, gc=False):
    """The labels of a question that has nothing unusual."""

    relevant: frozenset[str]
    expected: Mapping[str, Alternatives]
    permitted: Mapping[str, Alternatives]
    judged: frozenset[str]
    critical: bool


class _Side(msgspec.Struct, frozen=True, gc=False):
    """What one run has of a question."""

    record: Record
    ranking: list[str]
    """Documents as retrieved, one for each chunk."""
    context: dict[str, None]
    """Distinct visible documents, best first."""
    hits: frozenset[str]
    first: int
    """Rank of the first relevant visible document, 0 when none is visible."""
    claims: int
    supported: set[str]
    unsupported: set[str]
    covered: int


def sketch(scorer: Scorer, question: Question, *records: Kept) -> Sketch | None:
    """Return what the rows of *question* depend on; `None`: only the contract path can tell."""
    if scorer.access is not None or not scorer.claims_match:
        return None
    labels = _labels(question)
    if labels is None:
        return None
    a, b = (_side(labels, record, scorer.cutoff) for record in records)
    return None if a is None or b is None else _compared(labels, a, b, scorer.cutoff)


def _labels(question: Question) -> _Labels | None:
    """Return the labels of a plain question, `None` for any other."""
    if question.relevant is None or question.support is None or question.grades is not None:
        return None
    if question.reviews or question.status is Status.DISPUTED:
        return None
    relevant = judged = frozenset(question.relevant)
    expected = permitted = question.support
    if question.accepted is not None:
        permitted = {**question.accepted, **expected}
    if question.not_relevant is not None:
        judged = relevant.union(question.not_relevant)
    return _Labels(relevant, expected, permitted, judged, question.critical)


def _side(labels: _Labels, kept: Kept, cutoff: int) -> _Side | None:
    """Return what a run has in its only record of a question, `None` where a part is absent."""
    record = kept[0] if isinstance(kept, tuple) and len(kept) == 1 else kept
    if record is None or isinstance(record, tuple) or record.error is not None:
        return None
    if record.retrieved is None or record.claims is None:
        return None
    ranking = [item.id for item in record.retrieved]
    context = dict.fromkeys(ranking[:cutoff])
    hits = labels.relevant.intersection(context)
    first = next(rank for rank, doc in enumerate(context, 1) if doc in hits) if hits else 0
    supported: set[str] = set()
    unsupported: set[str] = set()
    for claim in record.claims:
        alternatives = labels.permitted.get(claim.id)
        good = alternatives and _is_supported(claim.citations, alternatives, context)
        (supported if good else unsupported).add(claim.id)
    covered = len(supported)
    if labels.permitted is not labels.expected:
        covered = len(supported & labels.expected.keys())
    return _Side(
        record,
        ranking,
        context,
        hits,
        first,
        len(record.claims),
        supported,
        unsupported,
        covered,
    )


def _is_supported(
    citations: tuple[str, ...], alternatives: Alternatives, context: Mapping[str, None]
) -> bool:
    """Tell whether a claim is supported: all cited is visible and permitted, enough is cited."""
    for document in citations:
        if document not in context:
            return False
    cited = frozenset(citations)
    if cited in alternatives:
        return True
    permitted = cited <= frozenset().union(*alternatives)
    return permitted and any(alternative <= cited for alternative in alternatives)


def _compared(labels: _Labels, a: _Side, b: _Side, cutoff: int) -> Sketch:
    """Return what changed between the two sides."""
    lost_support, gained = a.supported - b.supported, b.supported - a.supported
    lost = lost_support
    if labels.permitted is not labels.expected:
        lost, gained = lost & labels.expected.keys(), gained & labels.expected.keys()
    resolved, new = a.unsupported - b.unsupported, b.unsupported - a.unsupported
    left, came = a.hits - b.hits, b.hits - a.hits
    rises = 0
    if a.first != b.first:
        rises = 1 if b.first and (not a.first or b.first < a.first) else -1
    abstains = 0 if labels.relevant else bool(a.claims) - bool(b.claims)
    answer = bool(gained or resolved) or abstains > 0
    found = bool(came) or rises > 0
    moved = answer or found or bool(lost or new or left) or rises < 0 or abstains < 0
    change = (
        bool(labels.relevant),
        labels.critical,
        # What decides the verdict: anything for B, and what is against it.
        answer,
        bool(lost),
        len(new),
        found,
        bool(left) or rises < 0,
        # What decides n/a shifts, abstention and severity.
        bool(a.context) - bool(b.context),
        bool(a.claims) - bool(b.claims),
        bool(lost and b.covered),
        # What decides the causes: moved down, lost, beyond the cutoff, dropped, broken, added.
        rises < 0 and bool(b.context) and _first(a) in b.context,
        bool(left),
        bool(left) and not left.isdisjoint(b.ranking),
        not lost <= b.unsupported,
        not new.isdisjoint(lost_support),
        not new <= a.supported,
        # What decides the flags: swaps behind an equal value, other evidence.
        bool(came and left) and len(a.hits) == len(b.hits),
        bool(resolved and new) and len(a.supported) * b.claims == len(b.supported) * a.claims,
        bool(gained and lost) and a.covered == b.covered,
        not moved and _evidence_differs(a, b),
    )
    counts = _counts(labels, a, cutoff), _counts(labels, b, cutoff)
    return Sketch(counts, change, gained, resolved, came, lost, new, left, rises, abstains)


def _first(side: _Side) -> str | None:
    """Return the first relevant visible document."""
    return next((document for document in side.context if document in side.hits), None)


def _evidence_differs(a: _Side, b: _Side) -> bool:
    """Tell whether context, claims or citations differ."""
    return list(a.context) != list(b.context) or _stated(a) != _stated(b)


def _stated(side: _Side) -> list[tuple[str, tuple[str, ...]]]:
    return [(claim.id, claim.citations) for claim in side.record.claims or ()]


def row_of(key: Key) -> tuple[Facts, Counts]:
    """Return the label facts and the counts of one side, of which *key* holds the numbers."""
    relevant, expected, visible, hits, first, claims, supported, covered, judged, folded = key
    facts = Facts(
        answerable=relevant > 0,
        relevant=relevant,
        expected=expected,
        judges_claims=True,
        judged=True,
        graded=False,
        permissions=False,
    )
    counts = Counts(
        State.SCORED,
        retrieval_recorded=True,
        claims_recorded=True,
        visible=visible,
        hits=hits,
        first_hit=first,
        claims=claims,
        supported=supported,
        covered=covered,
        judged=judged,
        folded=folded,
    )
    return facts, counts


def _counts(labels: _Labels, side: _Side, cutoff: int) -> Key:
    """Return the numbers of one side, as `row_of` takes them."""
    judged = len(side.hits)
    if labels.judged is not labels.relevant:
        judged = len(labels.judged.intersection(side.context))
    return (
        len(labels.relevant),
        len(labels.expected),
        len(side.context),
        len(side.hits),
        side.first,
        side.claims,
        len(side.supported),
        side.covered,
        judged,
        min(cutoff, len(side.ranking)) - len(side.context),
    )
