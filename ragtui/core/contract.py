"""
The scoring contract `strict-citation/1` for one question in one run.

Pure arithmetic over reviewed labels: nothing here reads a sentence. A generated claim is supported
when it cites at least one document, every cited document is labelled for that claim *and* visible,
and at least one of the claim's alternatives is cited whole.
"""

from __future__ import annotations

from itertools import chain
from math import log2
from typing import TYPE_CHECKING, Final, NamedTuple

from ragtui.core.words import Level, Word

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ragtui.core.model import Access, Alternatives, Claim, Question, Record

__all__ = [
    "NO_RECORD",
    "ClaimOutcome",
    "ClaimReason",
    "Counts",
    "Labels",
    "Outcome",
    "State",
    "fold",
    "labels_of",
    "score",
]


class State(Level):
    """What a run holds for a question."""

    SCORED = 0
    FAILED = 1
    MISSING = 2

    @property
    def word(self) -> str:
        """The state as files and screens write it."""
        return self.name.lower()


class ClaimReason(Word):
    """Why a generated claim is unsupported, first that holds."""

    NO_CITATION = "no-citation"
    CLAIM_NOT_LABELLED = "claim-not-labelled"
    CITES_NON_SUPPORTING = "cites-non-supporting"
    CITES_NOT_VISIBLE = "cites-not-visible"
    EVIDENCE_INCOMPLETE = "evidence-incomplete"

    @property
    def words(self) -> str:
        """
        The reason as people read it.

        >>> ClaimReason.NO_CITATION.words
        'no citation'
        """
        return _REASON_WORDS[self]


_REASON_WORDS = {
    ClaimReason.NO_CITATION: "no citation",
    ClaimReason.CLAIM_NOT_LABELLED: "no label supports this claim",
    ClaimReason.CITES_NON_SUPPORTING: "cites a document that does not support it",
    ClaimReason.CITES_NOT_VISIBLE: "cites a document outside the visible context",
    ClaimReason.EVIDENCE_INCOMPLETE: "joint evidence incomplete",
}


class Labels(NamedTuple):
    """The labels of one question in the form that scoring needs, built once for both runs."""

    answerable: bool | None
    relevant: frozenset[str] | None
    expected: frozenset[str] | None
    """Ids of the expected claims; `None`: support was not labelled."""
    permitted: Mapping[str, Alternatives] | None
    """Alternatives of every expected and accepted claim; `None`: neither was labelled."""
    judged: frozenset[str] | None
    """Documents with any label; `None`: none was judged not relevant and relevance is absent."""
    grades: Mapping[str, int] | None

    @property
    def judges_claims(self) -> bool:
        """Whether a claim can be called supported or not under these labels."""
        return self.permitted is not None or self.answerable is False


def labels_of(question: Question) -> Labels:
    """Prepare the main labels of *question* for `score`."""
    relevant = None if question.relevant is None else frozenset(question.relevant)
    permitted = question.support
    if question.accepted is not None:
        permitted = {**question.accepted, **(question.support or {})}
    judged = relevant
    if question.not_relevant is not None:
        judged = (relevant or frozenset()).union(question.not_relevant)
    return Labels(
        answerable=question.answerable,
        relevant=relevant,
        expected=None if question.support is None else frozenset(question.support),
        permitted=permitted,
        judged=judged,
        grades=question.grades,
    )


class ClaimOutcome(NamedTuple):
    """One generated claim and whether it is supported."""

    claim: str
    citations: tuple[str, ...]
    reason: ClaimReason | None
    """`None` when the claim is supported."""

    @property
    def supported(self) -> bool:
        """Whether the labels and the visible context support the claim."""
        return self.reason is None


class Counts(NamedTuple):
    """The small numbers that every measure of one question in one run is derived from."""

    state: State
    retrieval_recorded: bool
    claims_recorded: bool
    visible: int = 0
    """Distinct documents in the visible context."""
    hits: int = 0
    """Distinct relevant documents in the visible context."""
    first_hit: int = 0
    """1-based rank of the first relevant visible document, 0 when none is visible."""
    claims: int = 0
    supported: int = 0
    """Generated claims that are supported."""
    covered: int = 0
    """Expected claims that are supported."""
    judged: int = 0
    """Visible documents that carry any label."""
    disclosed: int = 0
    """Restricted documents visible plus restricted documents cited."""
    folded: int = 0
    """Visible items whose document was already visible through an earlier chunk."""
    ndcg: float = 0.0
    repeats: tuple[Counts, ...] = ()
    """Those of each repeat, by its number; empty for one record. The rest is then a summary."""

    @property
    def each(self) -> tuple[Counts, ...]:
        """The counts of every record."""
        return self.repeats or (self,)

    @property
    def shape(self) -> tuple[State, bool, bool, bool, bool, bool]:
        """What decides, with the labels, which measures have a value."""
        return (
            self.state,
            self.retrieval_recorded,
            self.claims_recorded,
            self.claims > 0,
            self.visible > 0,
            self.disclosed > 0,
        )


class Outcome(NamedTuple):
    """One question scored in one run: the counts, and the sets behind them."""

    counts: Counts
    record: Record | None
    """What was scored; `None` when the question is missing."""
    visible: tuple[str, ...] | None
    """Distinct visible documents, best first; `None`: retrieval was not recorded."""
    hits: frozenset[str]
    claims: tuple[ClaimOutcome, ...] | None
    """`None`: the claims were not recorded or cannot be judged."""
    supported: frozenset[str]
    """Ids of the supported generated claims."""
    unsupported: frozenset[str]
    """Ids of the unsupported generated claims."""
    disclosed_visible: tuple[str, ...] = ()
    disclosed_cited: tuple[str, ...] = ()
    repeats: tuple[Outcome, ...] = ()
    """That of each repeat, by its number; empty for one record. The rest is what any repeat has."""

    @property
    def each(self) -> tuple[Outcome, ...]:
        """The outcome of every record."""
        return self.repeats or (self,)

    @property
    def ranking(self) -> tuple[str, ...] | None:
        """All distinct retrieved documents, best first; `None` where nothing was scored."""
        if self.repeats:
            known = [ranking for one in self.repeats if (ranking := one.ranking) is not None]
            return fold(chain.from_iterable(known)) if known else None
        if self.visible is None or self.record is None or self.record.retrieved is None:
            return None
        return fold(item.id for item in self.record.retrieved)

    @property
    def stated(self) -> tuple[tuple[str, tuple[str, ...]], ...] | None:
        """(claim id, citations) as recorded; `None` where nothing was recorded or scored."""
        if self.repeats:
            told = [stated for one in self.repeats if (stated := one.stated) is not None]
            return tuple(dict.fromkeys(chain.from_iterable(told))) if told else None
        if not self.counts.claims_recorded or self.record is None or self.record.claims is None:
            return None
        return tuple((claim.id, claim.citations) for claim in self.record.claims)

    @property
    def stated_ids(self) -> frozenset[str]:
        """Ids of the claims that were made, judged or not."""
        if self.repeats:
            return _NO_IDS.union(*(one.stated_ids for one in self.repeats))
        return frozenset([claim.id for claim in (self.record and self.record.claims) or ()])

    @property
    def abstained(self) -> bool | None:
        """Whether no claim was made, in any repeat; `None` when claims were not recorded."""
        return not self.counts.claims if self.counts.claims_recorded else None


_NO_IDS: Final[frozenset[str]] = frozenset()


def fold(documents: Iterable[str]) -> tuple[str, ...]:
    """
    Keep each document at its first appearance.

    >>> fold(["launch", "archive", "launch"])
    ('launch', 'archive')
    """
    return tuple(dict.fromkeys(documents))


def _nothing(state: State, record: Record | None) -> Outcome:
    counts = Counts(state, retrieval_recorded=False, claims_recorded=False)
    return Outcome(counts, record, None, _NO_IDS, None, _NO_IDS, _NO_IDS)


def _reason(
    claim: Claim, permitted: Mapping[str, Alternatives], visible: frozenset[str]
) -> ClaimReason | None:
    """Return why *claim* is unsupported, first reason that holds; `None` when it is supported."""
    if not claim.citations:
        return ClaimReason.NO_CITATION
    alternatives = permitted.get(claim.id)
    if alternatives is None:
        return ClaimReason.CLAIM_NOT_LABELLED
    cited = frozenset(claim.citations)
    if not cited <= frozenset().union(*alternatives):
        return ClaimReason.CITES_NON_SUPPORTING
    if not cited <= visible:
        return ClaimReason.CITES_NOT_VISIBLE
    if not any(alternative <= cited for alternative in alternatives):
        return ClaimReason.EVIDENCE_INCOMPLETE
    return None


def _judge(
    claims: Sequence[Claim], labels: Labels, visible: tuple[str, ...] | None
) -> tuple[ClaimOutcome, ...] | None:
    """Judge each claim; `None` when there are claims but no context or no label to hold them to."""
    if not claims:
        return ()
    if visible is None or not labels.judges_claims:
        return None
    permitted = labels.permitted or {}
    context = frozenset(visible)
    return tuple(
        ClaimOutcome(claim.id, claim.citations, _reason(claim, permitted, context))
        for claim in claims
    )


def ndcg(visible: Sequence[str], labels: Labels, cutoff: int) -> float:
    """
    nDCG@k with gain = grade and discount log2(rank + 1), as in Järvelin and Kekäläinen (2002).

    A relevant document without a grade has gain 1; grades below 0 count as 0. The ideal ranking
    takes the *cutoff* highest gains.

    >>> labels = Labels(True, frozenset({"a", "b"}), None, None, None, {"a": 2, "b": 1})
    >>> round(ndcg(("b", "a"), labels, 2), 4)
    0.8597
    """
    gains = dict.fromkeys(labels.relevant or (), 1)
    gains.update((document, max(0, grade)) for document, grade in (labels.grades or {}).items())
    ideal = sorted(gains.values(), reverse=True)[:cutoff]
    best = sum(gain / log2(rank + 1) for rank, gain in enumerate(ideal, 1))
    if not best:
        return 0.0
    got = sum(gains.get(document, 0) / log2(rank + 1) for rank, document in enumerate(visible, 1))
    return got / best


def _first_hit(visible: Sequence[str], hits: frozenset[str]) -> int:
    if not hits:
        return 0
    return next(rank for rank, document in enumerate(visible, 1) if document in hits)


def _restricted(
    documents: Iterable[str], access: Access | None, caller: tuple[str, ...]
) -> tuple[str, ...]:
    if access is None:
        return ()
    return tuple(doc for doc in fold(documents) if access.restricted(doc, caller))


NO_RECORD: Final = _nothing(State.MISSING, None)
"""The outcome of a question that a run has no record of."""


def score(
    question: Question,
    labels: Labels,
    record: Record | None,
    *,
    cutoff: int,
    access: Access | None = None,
) -> Outcome:
    """
    Score what one run recorded for one question.

    *cutoff* is k, 1 to 100: the first k retrieved items are the visible context; chunks of one
    document count once, at their first appearance. *access* is given when the set declares
    permissions.

    >>> from ragtui.core.model import Claim, Question, Record, Retrieved
    >>> launch = Question(
    ...     id="launch", relevant=("launch",), support={"monday": (frozenset({"launch"}),)}
    ... )
    >>> record = Record(
    ...     question="launch",
    ...     retrieved=(Retrieved("launch"), Retrieved("archive")),
    ...     claims=(Claim("monday", ("launch",)), Claim("bonus", ("launch",))),
    ... )
    >>> outcome = score(launch, labels_of(launch), record, cutoff=2)
    >>> outcome.counts.supported, outcome.counts.claims, outcome.claims[1].reason.value
    (1, 2, 'claim-not-labelled')
    """
    if record is None:
        return _nothing(State.MISSING, None)
    if record.error is not None:
        return _nothing(State.FAILED, record)
    visible = None
    if record.retrieved is not None:
        visible = fold([item.id for item in record.retrieved[:cutoff]])
    claims = None if record.claims is None else _judge(record.claims, labels, visible)
    supported = frozenset([c.claim for c in claims or () if c.reason is None])
    hits = _NO_IDS if not visible or not labels.relevant else labels.relevant.intersection(visible)
    cited = [doc for claim in record.claims or () for doc in claim.citations] if access else ()
    seen = _restricted(visible or (), access, question.caller)
    told = _restricted(cited, access, question.caller)
    return Outcome(
        _counts(labels, record, visible, hits, supported, len(seen) + len(told), cutoff=cutoff),
        record,
        visible,
        hits,
        claims,
        supported,
        frozenset([c.claim for c in claims or () if c.reason is not None]),
        seen,
        told,
    )


def _counts(
    labels: Labels,
    record: Record,
    visible: tuple[str, ...] | None,
    hits: frozenset[str],
    supported: frozenset[str],
    disclosed: int,
    *,
    cutoff: int,
) -> Counts:
    context = visible or ()
    return Counts(
        State.SCORED,
        visible is not None,
        record.claims is not None,
        len(context),
        len(hits),
        _first_hit(context, hits),
        len(record.claims or ()),
        len(supported),
        len(supported & labels.expected) if labels.expected else 0,
        len(labels.judged.intersection(context)) if labels.judged else 0,
        disclosed,
        min(cutoff, len(record.retrieved or ())) - len(context),
        ndcg(context, labels, cutoff) if labels.grades is not None else 0.0,
    )
