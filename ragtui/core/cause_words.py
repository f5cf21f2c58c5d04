"""
Why a question changed, in words that name the documents and claims.

Every sentence holds raw ids: whoever shows it cleans it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ragtui.core.change import Cause, SignalKind
from ragtui.core.change_words import claim_words, named
from ragtui.core.contract import State, labels_of
from ragtui.core.evidence import Side
from ragtui.core.figures import mean_text
from ragtui.core.repeats import (
    more_often,
    reciprocal_rank,
    stated_of,
    supported_of,
    unsupported_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ragtui.core.comparison import Detail
    from ragtui.core.contract import Labels, Outcome

__all__ = ["CAUSE_WORDS", "cause_words"]

CAUSE_WORDS: Final = {
    Cause.EVIDENCE_LOST: "evidence lost from the context",
    Cause.DOC_MOVED_DOWN: "relevant document moved down",
    Cause.BEYOND_CUTOFF: "retrieved but beyond the cutoff",
    Cause.CLAIM_DROPPED: "claim no longer stated",
    Cause.CITATION_BROKEN: "citation broken",
    Cause.UNSUPPORTED_CLAIM_ADDED: "unsupported claim added",
    Cause.OVER_ABSTAINED: "abstained though answerable",
    Cause.ANSWERED_UNANSWERABLE: "answered though unanswerable",
    Cause.DISCLOSURE: "restricted material disclosed",
    Cause.FAILED: "failed",
}
"""Each cause without the ids it is about."""


def _explained(ids: Iterable[str], labels: Labels, outcome: Outcome) -> list[str]:
    """Say of each claim why it is unsupported, in the order the answer states them."""
    wanted = set(ids)
    told = [
        claim_words(claim, labels.permitted or {}, set(one.visible or ()))
        for one in outcome.each
        for claim in one.claims or ()
        if claim.claim in wanted and (claim.reason is not None or not outcome.repeats)
    ]
    return list(dict.fromkeys(told))


def cause_words(detail: Detail, cutoff: int) -> tuple[tuple[Cause, str], ...]:
    """Say each cause of the change with the documents and claims it is about."""
    labels = labels_of(detail.question)
    return tuple(
        (cause, words)
        for cause in detail.change.causes
        for words in _CAUSES[cause](detail, labels, cutoff)
    )


def _about(detail: Detail, kind: SignalKind) -> list[str]:
    return [s.subject or "" for s in detail.change.minus if s.kind is kind]


def _stated(outcome: Outcome) -> list[str]:
    return [claim for claim, _ in outcome.stated or ()]


def _evidence_lost(detail: Detail, labels: Labels, cutoff: int) -> Iterator[str]:
    del labels, cutoff
    out = _about(detail, SignalKind.DOC_OUT)
    told = f"{CAUSE_WORDS[Cause.EVIDENCE_LOST]}: {named(out)}"
    depended = _depending(detail, set(out))
    if not depended:
        yield told
    elif len(out) == 1:
        yield f"{told}; {named(depended)} depended on it"
    else:
        parts = (f"{claim} depended on {named(docs)}" for claim, docs in depended.items())
        yield f"{told}; {', '.join(parts)}"


def _depending(detail: Detail, out: set[str]) -> dict[str, list[str]]:
    """Return the claims that A supports with documents in *out* and B does not support."""
    lost = more_often(detail.baseline, detail.candidate, supported_of)
    return {
        claim.claim: docs
        for claim in detail.baseline.claims or ()
        if claim.claim in lost and (docs := [doc for doc in claim.citations if doc in out])
    }


def _moved_down(detail: Detail, labels: Labels, cutoff: int) -> Iterator[str]:
    del labels, cutoff
    if detail.repeats > 1:
        a, b = (mean_text(reciprocal_rank(detail.outcome(side))) for side in Side)
        yield f"{CAUSE_WORDS[Cause.DOC_MOVED_DOWN]}: mean RR over repeats {a} in A, {b} in B"
        return
    rank = detail.baseline.counts.first_hit
    first = (detail.baseline.visible or ())[rank - 1]
    now = (detail.candidate.visible or ()).index(first) + 1
    folded = detail.baseline.counts.folded or detail.candidate.counts.folded
    kind = "document rank" if folded else "rank"
    yield f"{CAUSE_WORDS[Cause.DOC_MOVED_DOWN]}: {first} from {kind} {rank} to {kind} {now}"


def _item_rank(detail: Detail, document: str) -> int:
    """
    Return the rank of the first item of *document* in B; k counts items, folded or not.

    Of several repeats it is the worst such rank: in the others the document may be visible.
    """
    ranks = []
    for record in detail.records[Side.CANDIDATE]:
        items = enumerate(record.retrieved or (), 1)
        ranks += [rank for rank, item in items if item.id == document][:1]
    return max(ranks)


def _beyond_cutoff(detail: Detail, labels: Labels, cutoff: int) -> Iterator[str]:
    del labels
    out = set(_about(detail, SignalKind.DOC_OUT))
    places = [
        f"{doc} at rank {_item_rank(detail, doc)}"
        for doc in detail.candidate.ranking or ()
        if doc in out and _item_rank(detail, doc) > cutoff
    ]
    yield f"{CAUSE_WORDS[Cause.BEYOND_CUTOFF]}: {named(places)}, k {cutoff}"


def _dropped(detail: Detail, labels: Labels, cutoff: int) -> Iterator[str]:
    del labels, cutoff
    fewer = more_often(detail.baseline, detail.candidate, stated_of)
    gone = [c for c in _about(detail, SignalKind.CLAIM_LOST) if c in fewer]
    yield f"{CAUSE_WORDS[Cause.CLAIM_DROPPED]}: {named(gone)}"


def _broken(detail: Detail, labels: Labels, cutoff: int) -> Iterator[str]:
    del cutoff
    worse = _about(detail, SignalKind.CLAIM_LOST) + _about(detail, SignalKind.NEW_UNSUPPORTED)
    broken = more_often(detail.candidate, detail.baseline, unsupported_of).intersection(
        more_often(detail.baseline, detail.candidate, supported_of), worse
    )
    for words in _explained(broken, labels, detail.candidate):
        yield f"{CAUSE_WORDS[Cause.CITATION_BROKEN]}: {words}"


def _added(detail: Detail, labels: Labels, cutoff: int) -> Iterator[str]:
    del cutoff
    said = CAUSE_WORDS[Cause.UNSUPPORTED_CLAIM_ADDED]
    for more in _about(detail, SignalKind.UNSUPPORTED_MORE):
        yield f"{said}: {more} more than in A"
    added = more_often(detail.candidate, detail.baseline, stated_of)
    new = added.intersection(_about(detail, SignalKind.NEW_UNSUPPORTED))
    for words in _explained(new, labels, detail.candidate):
        yield f"{said}: {words}"


def _over_abstained(detail: Detail, labels: Labels, cutoff: int) -> Iterator[str]:
    del labels, cutoff
    if detail.repeats > 1:
        yield f"{CAUSE_WORDS[Cause.OVER_ABSTAINED]}: {_abstaining_words(detail)}"
        return
    stated = named(_stated(detail.baseline))
    yield f"{CAUSE_WORDS[Cause.OVER_ABSTAINED]}: B makes no claim, A stated {stated}"


def _abstaining_words(detail: Detail) -> str:
    """Say in how many repeats each run makes no claim."""
    parts = []
    for side in Side:
        told = [one.abstained for one in detail.outcome(side).each if one.abstained is not None]
        parts.append(f"{side.letter} makes no claim in {sum(told)} of {len(told)} repeats")
    return ", ".join(parts)


def _answered(detail: Detail, labels: Labels, cutoff: int) -> Iterator[str]:
    del labels, cutoff
    stated = named(dict.fromkeys(_stated(detail.candidate)))
    more = f"; {_abstaining_words(detail)}" if detail.repeats > 1 else ""
    yield f"{CAUSE_WORDS[Cause.ANSWERED_UNANSWERABLE]}: B states {stated}{more}"


def _disclosed(detail: Detail, labels: Labels, cutoff: int) -> Iterator[str]:
    del labels, cutoff
    seen, told = detail.candidate.disclosed_visible, detail.candidate.disclosed_cited
    parts = [f"{named(docs)} {how}" for docs, how in ((seen, "visible"), (told, "cited")) if docs]
    also = "; A disclosed restricted material too" if detail.baseline.counts.disclosed else ""
    yield f"{CAUSE_WORDS[Cause.DISCLOSURE]} in B: {', '.join(parts)}{also}"


def _failed(detail: Detail, labels: Labels, cutoff: int) -> Iterator[str]:
    del labels, cutoff
    letters = [s.letter for s in Side if detail.outcome(s).counts.state is State.FAILED]
    yield f"{' and '.join(letters)} failed on this question"


_CAUSES: Final[dict[Cause, Callable[[Detail, Labels, int], Iterator[str]]]] = {
    Cause.EVIDENCE_LOST: _evidence_lost,
    Cause.DOC_MOVED_DOWN: _moved_down,
    Cause.BEYOND_CUTOFF: _beyond_cutoff,
    Cause.CLAIM_DROPPED: _dropped,
    Cause.CITATION_BROKEN: _broken,
    Cause.UNSUPPORTED_CLAIM_ADDED: _added,
    Cause.OVER_ABSTAINED: _over_abstained,
    Cause.ANSWERED_UNANSWERABLE: _answered,
    Cause.DISCLOSURE: _disclosed,
    Cause.FAILED: _failed,
}
