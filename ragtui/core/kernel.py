"""
The common case of a comparison, quickly.

Most questions are labelled plainly and recorded once, with every part, by both runs: they come as a
`PlainQuestion` and two `PlainRecord`s. For such a question `sketch` counts with a few operations on
sets what its rows hold, and finds the yes-or-nos on which its change depends. What follows from
those (verdict, causes, severity, flags) is not known here: the contract path, `Scorer.score` and
`Scorer.change`, says it once for every distinct key, and whoever fills rows keeps the answer.

So this module claims three things, tested on a sweep of small questions and on random ones: its
counts are those of the contract path, so are its signals, and questions with equal keys have equal
rows of changes. The one rule that stands both here and in `contract` is when a claim is supported;
with single documents as alternatives it is short: something is cited, and all of it is visible and
labelled for the claim.

The contract path is taken each time for everything else: several records, none or a failed one;
joint evidence and accepted claims; grades, reviews and disputes; permissions; claim ids that mean
something else in each run; claims of which only one side, or only the labels, say anything.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Protocol, TypeAlias

import msgspec

from ragtui.core.change import SignalKind
from ragtui.core.contract import Counts, State
from ragtui.core.measures import Facts
from ragtui.core.model import Claim, Question, Record, Retrieved

__all__ = [
    "Key",
    "PlainClaim",
    "PlainQuestion",
    "PlainRecord",
    "Sketch",
    "Spoken",
    "counted",
    "row_of",
    "sketch",
]

Key: TypeAlias = tuple[int, ...]
"""Small numbers and yes-or-nos."""

Spoken: TypeAlias = tuple[SignalKind, str | None]
"""What a `Signal` holds."""

# Looking a member up in its class is slow before Python 3.12, and this is done for every question.
_GAINED, _LOST = SignalKind.CLAIM_GAINED, SignalKind.CLAIM_LOST
_RESOLVED, _NEW = SignalKind.RESOLVED, SignalKind.NEW_UNSUPPORTED
_ENTERED, _LEFT = SignalKind.DOC_IN, SignalKind.DOC_OUT
_UP, _DOWN = SignalKind.RR_UP, SignalKind.RR_DOWN
_ABSTENTION = SignalKind.ABSTENTION

ABSENT = -1
"""In a key: claims were not labelled, or not recorded."""


# ---------------------------------------------------------------- what comes in


class PlainQuestion(msgspec.Struct, frozen=True, gc=False):
    """A question with main labels only, of which single documents support each claim."""

    id: str
    relevant: tuple[str, ...]
    support: Mapping[str, Collection[str]] | None
    """Expected claim id to the documents of which each supports it; `None`: not labelled."""
    not_relevant: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    critical: bool = False
    cluster: str | None = None

    def whole(self) -> Question:
        """Return what the contract path scores."""
        support = None
        if self.support is not None:
            support = {
                claim: tuple(frozenset((document,)) for document in documents)
                for claim, documents in self.support.items()
            }
        return Question(
            id=self.id,
            tags=self.tags,
            critical=self.critical,
            relevant=self.relevant,
            support=support,
            cluster=self.cluster,
            not_relevant=self.not_relevant or None,
        )


class PlainClaim(Protocol):
    """One statement of an answer."""

    @property
    def id(self) -> str:
        """What is stated."""

    @property
    def citations(self) -> tuple[str, ...]:
        """Ids of the documents cited for it, none twice."""


class PlainRecord(msgspec.Struct, frozen=True, gc=False):
    """A record that did not fail, without what the score does not depend on."""

    question: str
    ranking: list[str]
    """Ids of the retrieved documents, best first; one for each chunk."""
    claims: Sequence[PlainClaim] | None
    """Each id once; `None`: not recorded."""

    def whole(self) -> Record:
        """Return what the contract path scores."""
        return Record(
            question=self.question,
            retrieved=tuple(map(Retrieved, self.ranking)),
            claims=None
            if self.claims is None
            else tuple(Claim(claim.id, claim.citations) for claim in self.claims),
        )


# ---------------------------------------------------------------- what is found


class Sketch(msgspec.Struct, frozen=True, gc=False):
    """What the rows of one question depend on, and the ids that no row keeps."""

    counts: tuple[Key, Key]
    """The numbers behind the rows of A and of B, for `row_of`."""
    change: Key
    """Decides what is said about the question."""
    gained: set[str]
    resolved: set[str]
    entered: frozenset[str]
    """Relevant documents that enter the context."""
    lost: set[str]
    new: set[str]
    """New unsupported claims."""
    left: frozenset[str]
    """Relevant documents that leave the context."""
    rises: int
    """1: the first relevant document moves up; -1: down; 0: it stays."""
    abstains: int
    """1: no claim any more on an unanswerable question; -1: claims now; 0: as before."""

    def signals(self) -> tuple[list[Spoken], list[Spoken]]:
        """Return what speaks for B and what against it."""
        plus = _about(_GAINED, self.gained) + _about(_RESOLVED, self.resolved)
        minus = _about(_LOST, self.lost) + _about(_NEW, self.new)
        if self.abstains:
            (plus if self.abstains > 0 else minus).append((_ABSTENTION, None))
        plus += _about(_ENTERED, self.entered)
        minus += _about(_LEFT, self.left)
        if self.rises > 0:
            plus.append((_UP, None))
        elif self.rises < 0:
            minus.append((_DOWN, None))
        return plus, minus


def _about(kind: SignalKind, ids: AbstractSet[str]) -> list[Spoken]:
    return [(kind, name) for name in sorted(ids)] if ids else []


class _Side(msgspec.Struct, frozen=True, gc=False):
    """What one run has of a question."""

    record: PlainRecord
    context: dict[str, None]
    """Distinct visible documents, best first."""
    hits: frozenset[str]
    first: str | None
    """The first relevant visible document."""
    rank: int
    """Its rank, 0 when none is visible."""
    supported: set[str]
    unsupported: set[str]
    key: Key


def sketch(
    question: PlainQuestion, a: PlainRecord, b: PlainRecord, *, cutoff: int
) -> Sketch | None:
    """
    Return what the rows of *question* depend on; `None`: only the contract path can tell.

    >>> asked = PlainQuestion("launch", ("launch",), {"monday": ["launch"]})
    >>> before = PlainRecord("launch", ["launch"], [Claim("monday", ("launch",))])
    >>> after = PlainRecord("launch", ["launch"], [Claim("monday", ())])
    >>> found = sketch(asked, before, after, cutoff=2)
    >>> [(kind.value, claim) for kind, claim in found.signals()[1]]
    [('claim-lost', 'monday'), ('new-unsupported', 'monday')]
    """
    labelled = question.support is not None
    if (a.claims is not None, b.claims is not None) != (labelled, labelled):
        return None
    relevant = frozenset(question.relevant)
    return _compared(
        question,
        _side(question, relevant, a, cutoff),
        _side(question, relevant, b, cutoff),
    )


def counted(question: PlainQuestion, record: PlainRecord, *, cutoff: int) -> Key | None:
    """
    Return the numbers of one run, for `row_of`; `None`: only the contract path can tell.

    >>> asked = PlainQuestion("launch", ("launch",), {"monday": ["launch"]})
    >>> found = PlainRecord("launch", ["archive", "launch"], [Claim("monday", ("launch",))])
    >>> row_of(counted(asked, found, cutoff=2))[1].first_hit
    2
    """
    if (question.support is None) != (record.claims is None):
        return None
    return _side(question, frozenset(question.relevant), record, cutoff).key


def row_of(key: Key) -> tuple[Facts, Counts]:
    """Return the label facts and the counts of one side, of which *key* holds the numbers."""
    relevant, expected, visible, hits, rank, claims, supported, judged, folded = key
    facts = Facts(
        answerable=relevant > 0,
        relevant=relevant,
        expected=None if expected == ABSENT else expected,
        judges_claims=expected != ABSENT or not relevant,
        judged=True,
        graded=False,
        permissions=False,
    )
    counts = Counts(
        State.SCORED,
        retrieval_recorded=True,
        claims_recorded=claims != ABSENT,
        visible=visible,
        hits=hits,
        first_hit=rank,
        claims=max(claims, 0),
        supported=supported,
        covered=supported,
        judged=judged,
        folded=folded,
    )
    return facts, counts


# ---------------------------------------------------------------- how it is found


def _side(
    question: PlainQuestion, relevant: frozenset[str], record: PlainRecord, cutoff: int
) -> _Side:
    ranking = record.ranking[:cutoff]
    context = dict.fromkeys(ranking)
    hits = relevant.intersection(context)
    first, rank = _first(context, hits)
    supported, unsupported = _judged(question.support or {}, record.claims or (), context)
    judged = len(hits)
    if question.not_relevant:
        judged += len(context.keys() & question.not_relevant)
    key = (
        len(relevant),
        ABSENT if question.support is None else len(question.support),
        len(context),
        len(hits),
        rank,
        ABSENT if record.claims is None else len(record.claims),
        len(supported),
        judged,
        len(ranking) - len(context),
    )
    return _Side(record, context, hits, first, rank, supported, unsupported, key)


def _first(context: Mapping[str, None], hits: frozenset[str]) -> tuple[str | None, int]:
    """Return the first relevant visible document and its rank."""
    if hits:
        for rank, document in enumerate(context, 1):
            if document in hits:
                return document, rank
    return None, 0


def _judged(
    support: Mapping[str, Collection[str]],
    claims: Sequence[PlainClaim],
    context: Mapping[str, None],
) -> tuple[set[str], set[str]]:
    """Return the supported and the unsupported claims."""
    supported: set[str] = set()
    unsupported: set[str] = set()
    for claim in claims:
        permitted = support.get(claim.id, ())
        good = bool(claim.citations)
        for document in claim.citations:
            if document not in permitted or document not in context:
                good = False
        (supported if good else unsupported).add(claim.id)
    return supported, unsupported


def _compared(question: PlainQuestion, a: _Side, b: _Side) -> Sketch:
    """Return what changed between the two sides."""
    gained, lost = b.supported - a.supported, a.supported - b.supported
    resolved, new = a.unsupported - b.unsupported, b.unsupported - a.unsupported
    entered, left = b.hits - a.hits, a.hits - b.hits
    rises = 0
    if a.rank != b.rank:
        rises = 1 if b.rank and (not a.rank or b.rank < a.rank) else -1
    answers = bool(b.record.claims) - bool(a.record.claims)
    abstains = 0 if a.key[0] else -answers
    better, found = bool(gained or resolved) or abstains > 0, bool(entered) or rises > 0
    worse = bool(lost or new or left) or rises < 0 or abstains < 0
    change = (
        a.key[0] > 0,
        a.key[1] == ABSENT,
        question.critical,
        # What speaks for B, in the answer and in retrieval.
        better,
        found,
        # What speaks against it: lost claims are dropped or broken, if the first relevant document
        # moves down it stays visible or leaves. Severity asks whether B supports anything still.
        not lost <= b.unsupported,
        not new.isdisjoint(lost),
        bool(lost and b.supported),
        len(new),
        not new <= a.supported,
        bool(left),
        bool(left) and not left.isdisjoint(b.record.ranking),
        rises < 0 and a.first in b.context,
        # What decides abstention and n/a shifts.
        answers,
        bool(a.context) - bool(b.context),
        # What decides the flags: a swap behind an equal value, other evidence.
        bool(entered and left) and len(a.hits) == len(b.hits),
        bool(resolved and new) and _equal_support(a, b),
        bool(gained and lost) and len(gained) == len(lost),
        not (better or found or worse) and _evidence_differs(a, b),
    )
    return Sketch(
        (a.key, b.key), change, gained, resolved, entered, lost, new, left, rises, abstains
    )


def _equal_support(a: _Side, b: _Side) -> bool:
    """Tell whether the shares of supported claims are equal."""
    good_a, good_b = len(a.supported), len(b.supported)
    return good_a * (good_b + len(b.unsupported)) == good_b * (good_a + len(a.unsupported))


def _evidence_differs(a: _Side, b: _Side) -> bool:
    """Tell whether context, claims or citations differ."""
    return list(a.context) != list(b.context) or _stated(a) != _stated(b)


def _stated(side: _Side) -> list[tuple[str, tuple[str, ...]]]:
    return [(claim.id, claim.citations) for claim in side.record.claims or ()]
