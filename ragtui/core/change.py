"""
What changed on one question between A and B: signals, verdict, causes, severity.

The verdict is taken on *sets* of claims and documents, because a swap can hide behind an equal
ratio: A supports one expected claim, B another, and coverage is 0.50 both times. Where a run has
several records of a question, what is gained or lost is what became more or less frequent.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from ragtui.core.contract import State
from ragtui.core.measures import measure_named
from ragtui.core.moves import MeasureChange, measure_change
from ragtui.core.repeats import (
    abstaining_share,
    documents_of,
    evidence_shares,
    more_often,
    reciprocal_rank,
    shares,
    stated_of,
    supported_of,
    unsupported_of,
)
from ragtui.core.value import delta, is_noisy, is_weak
from ragtui.core.words import Level, Word

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ragtui.core.contract import Labels, Outcome
    from ragtui.core.measures import Facts, Measure

__all__ = [
    "CAUSES",
    "FLAGS",
    "Cause",
    "Change",
    "Flag",
    "MeasureChange",
    "Severity",
    "Signal",
    "SignalKind",
    "StageVerdict",
    "Stages",
    "Verdict",
    "change_of",
    "measure_change",
]


class Verdict(Word):
    """What a question did, all stages considered."""

    REGRESSED = "regressed"
    MIXED = "mixed"
    IMPROVED = "improved"
    UNCHANGED = "unchanged"
    NOT_COMPARABLE = "not-comparable"


StageVerdict = Verdict
"""A stage has the same words, without "not-comparable"; a stage that gives no signal is `None`."""


class SignalKind(Word):
    """Every signal a stage can give."""

    CLAIM_GAINED = "claim-gained"
    CLAIM_LOST = "claim-lost"
    RESOLVED = "resolved"
    NEW_UNSUPPORTED = "new-unsupported"
    UNSUPPORTED_MORE = "unsupported-more"
    UNSUPPORTED_FEWER = "unsupported-fewer"
    ABSTENTION = "abstention"
    DOC_IN = "doc-in"
    DOC_OUT = "doc-out"
    RR_UP = "rr-up"
    RR_DOWN = "rr-down"
    DISCLOSURE_BEGUN = "disclosure-begun"
    DISCLOSURE_ENDED = "disclosure-ended"


class Signal(NamedTuple):
    """One signal, and the claim id, document id or number it is about."""

    kind: SignalKind
    subject: str | None = None

    def __str__(self) -> str:
        """
        Return the signal as files write it.

        >>> str(Signal(SignalKind.CLAIM_LOST, "smoke"))
        'claim-lost:smoke'
        """
        return self.kind.value if self.subject is None else f"{self.kind.value}:{self.subject}"


class Cause(Word):
    """Why a question changed, by rule; several may hold."""

    EVIDENCE_LOST = "evidence-lost"
    DOC_MOVED_DOWN = "doc-moved-down"
    BEYOND_CUTOFF = "beyond-cutoff"
    CLAIM_DROPPED = "claim-dropped"
    CITATION_BROKEN = "citation-broken"
    UNSUPPORTED_CLAIM_ADDED = "unsupported-claim-added"
    OVER_ABSTAINED = "over-abstained"
    ANSWERED_UNANSWERABLE = "answered-unanswerable"
    DISCLOSURE = "disclosure"
    FAILED = "failed"


CAUSES = tuple(Cause)
"""Every cause, in the order of files and screens."""


class Severity(Level):
    """How bad a change is, S0 worst."""

    S0 = 0
    S1 = 1
    S2 = 2
    S3 = 3
    S4 = 4


class Flag(Word):
    """What else a reader should know about a question."""

    RETRIEVAL_ONLY = "retrieval-only"
    EVIDENCE_CHANGED = "evidence-changed"
    NA_SHIFT = "na-shift"
    SWAP = "swap"
    NOISY = "noisy"
    WEAK = "weak"
    LABEL_OPEN = "label-open"


FLAGS = tuple(Flag)
"""Every flag, in the order of files and screens."""


class Stages(NamedTuple):
    """The verdict of each stage; `None` where a stage gives no signal."""

    answer: Verdict | None
    retrieval: Verdict | None
    access: Verdict | None


Swaps: TypeAlias = tuple[str, ...]
"""Keys of measures, in the order of files and screens."""


class Change(NamedTuple):
    """Everything that is said about one question."""

    verdict: Verdict
    stages: Stages
    plus: tuple[Signal, ...]
    minus: tuple[Signal, ...]
    causes: tuple[Cause, ...]
    severity: Severity | None
    flags: tuple[Flag, ...]
    new_unsupported: int
    """How many unsupported claims B has that A does not have."""
    swaps: Swaps
    """Keys of the measures whose equal value hides a swap."""


def _repeated(a: Outcome, b: Outcome) -> bool:
    """Tell whether any run has several records of the question."""
    return bool(a.repeats or b.repeats)


class _Stage(NamedTuple):
    """The signals of one computable stage."""

    plus: tuple[Signal, ...] = ()
    minus: tuple[Signal, ...] = ()

    @property
    def verdict(self) -> Verdict:
        if self.plus and self.minus:
            return Verdict.MIXED
        if self.plus:
            return Verdict.IMPROVED
        return Verdict.REGRESSED if self.minus else Verdict.UNCHANGED


_NO_SIGNAL = _Stage()


def _signals(kind: SignalKind, subjects: frozenset[str]) -> tuple[Signal, ...]:
    if not subjects:
        return ()
    return tuple([Signal(kind, subject) for subject in sorted(subjects)])


def _expected_claims(labels: Labels, a: Outcome, b: Outcome) -> _Stage:
    if not labels.expected or (a.supported == b.supported and not _repeated(a, b)):
        return _NO_SIGNAL
    gained, lost = more_often(b, a, supported_of), more_often(a, b, supported_of)
    return _Stage(
        _signals(SignalKind.CLAIM_GAINED, gained & labels.expected),
        _signals(SignalKind.CLAIM_LOST, lost & labels.expected),
    )


def _unsupported_by_id(a: Outcome, b: Outcome) -> _Stage:
    if a.unsupported == b.unsupported and not _repeated(a, b):
        return _NO_SIGNAL
    return _Stage(
        _signals(SignalKind.RESOLVED, more_often(a, b, unsupported_of)),
        _signals(SignalKind.NEW_UNSUPPORTED, more_often(b, a, unsupported_of)),
    )


def _unsupported_by_count(a: Outcome, b: Outcome) -> _Stage:
    more = _unsupported_claims(b) - _unsupported_claims(a)
    number = str(ceil(abs(more)))  # a part of a claim more on average is a claim more in some
    if more > 0:
        return _Stage(minus=(Signal(SignalKind.UNSUPPORTED_MORE, number),))
    if more < 0:
        return _Stage(plus=(Signal(SignalKind.UNSUPPORTED_FEWER, number),))
    return _NO_SIGNAL


def _unsupported_claims(outcome: Outcome) -> Fraction:
    """Return the number of unsupported claims, on average over repeats."""
    if not outcome.repeats:
        return Fraction(len(outcome.unsupported))
    return sum(shares(map(unsupported_of, outcome.repeats)).values(), Fraction(0))


def _abstention(labels: Labels, a: Outcome, b: Outcome) -> _Stage | None:
    if labels.answerable is not False or a.abstained is None or b.abstained is None:
        return None
    more = _abstains_more(a, b)
    if not more and not _abstains_more(b, a):
        return _NO_SIGNAL
    signal = (Signal(SignalKind.ABSTENTION),)
    return _Stage(plus=signal) if more else _Stage(minus=signal)


def _abstains_more(a: Outcome, b: Outcome) -> bool:
    """Tell whether B abstains more often than A; not where a run does not tell."""
    if not _repeated(a, b):
        return bool(b.abstained) and a.abstained is False
    in_a, in_b = abstaining_share(a), abstaining_share(b)
    return in_a is not None and in_b is not None and in_b > in_a


def _answer(labels: Labels, a: Outcome, b: Outcome, *, claims_match: bool) -> _Stage | None:
    """Return the answer stage, `None` when neither claims nor abstention can be compared."""
    judged = labels.judges_claims and a.claims is not None and b.claims is not None
    abstention = _abstention(labels, a, b)
    if not judged:
        return abstention
    unsupported = _unsupported_by_id(a, b) if claims_match else _unsupported_by_count(a, b)
    expected = _expected_claims(labels, a, b) if claims_match else _NO_SIGNAL
    kept = abstention or _NO_SIGNAL
    return _Stage(
        expected.plus + unsupported.plus + kept.plus,
        expected.minus + unsupported.minus + kept.minus,
    )


def _retrieval(labels: Labels, a: Outcome, b: Outcome) -> _Stage | None:
    """Return the retrieval stage, `None` without labelled relevant documents or both rankings."""
    if not labels.relevant or a.visible is None or b.visible is None:
        return None
    rank_a, rank_b = a.counts.first_hit, b.counts.first_hit
    if rank_a == rank_b and a.hits == b.hits and not _repeated(a, b):
        return _NO_SIGNAL
    plus = _signals(SignalKind.DOC_IN, more_often(b, a, documents_of))
    minus = _signals(SignalKind.DOC_OUT, more_often(a, b, documents_of))
    risen = _rank_rises(a, b)
    if risen:
        plus += (Signal(SignalKind.RR_UP),)
    elif risen is not None:
        minus += (Signal(SignalKind.RR_DOWN),)
    return _Stage(plus, minus)


def _rank_rises(a: Outcome, b: Outcome) -> bool | None:
    """Tell whether the first relevant document rises; `None` where it stays."""
    if _repeated(a, b):
        before, after = reciprocal_rank(a), reciprocal_rank(b)
        return None if before == after else after > before
    rank_a, rank_b = a.counts.first_hit, b.counts.first_hit
    return None if rank_a == rank_b else bool(rank_b) and (not rank_a or rank_b < rank_a)


def _discloses(outcome: Outcome) -> bool | None:
    """
    Tell whether restricted documents got out; `None` when what could show it is absent.

    One repeat that discloses is enough, and every one that did not fail must show that it does not.
    """
    if outcome.counts.disclosed:
        return True
    whole = all(
        counts.retrieval_recorded and counts.claims_recorded
        for counts in outcome.counts.each
        if counts.state is State.SCORED
    )
    return False if whole else None


def _access(a: Outcome, b: Outcome, *, permissions: bool) -> _Stage | None:
    if not permissions:
        return None
    in_a, in_b = _discloses(a), _discloses(b)
    if in_a is None or in_b is None:
        return None
    if in_b and not in_a:
        return _Stage(minus=(Signal(SignalKind.DISCLOSURE_BEGUN),))
    if in_a and not in_b:
        return _Stage(plus=(Signal(SignalKind.DISCLOSURE_ENDED),))
    return _NO_SIGNAL


def _overall(stages: Stages, a: Outcome, b: Outcome) -> tuple[Verdict, bool]:
    """Return the verdict and whether it rests on retrieval alone."""
    if a.counts.state is not State.SCORED or b.counts.state is not State.SCORED:
        return Verdict.NOT_COMPARABLE, False
    if stages == (None, None, None):
        return Verdict.NOT_COMPARABLE, False
    answer = stages.answer or Verdict.UNCHANGED
    if stages.access is Verdict.REGRESSED:
        return Verdict.REGRESSED, False
    if a.counts.disclosed and b.counts.disclosed:
        kept = answer in {Verdict.REGRESSED, Verdict.UNCHANGED}
        return (answer if kept else Verdict.MIXED), False
    if stages.access is Verdict.IMPROVED:
        worse = answer in {Verdict.REGRESSED, Verdict.MIXED}
        return (Verdict.MIXED if worse else Verdict.IMPROVED), False
    if answer is not Verdict.UNCHANGED:
        return answer, False
    retrieval = stages.retrieval or Verdict.UNCHANGED
    return retrieval, retrieval is not Verdict.UNCHANGED


_Grouped: TypeAlias = dict[SignalKind, list[str | None]]
"""Signals of one direction: kind to what each is about."""


def _grouped(signals: tuple[Signal, ...]) -> _Grouped:
    found: _Grouped = {}
    for kind, subject in signals:
        found.setdefault(kind, []).append(subject)
    return found


_MORE_UNSUPPORTED = frozenset({SignalKind.NEW_UNSUPPORTED, SignalKind.UNSUPPORTED_MORE})
_ANSWER_MINUS = frozenset({SignalKind.CLAIM_LOST, SignalKind.ABSTENTION}) | _MORE_UNSUPPORTED
_RETRIEVAL_MINUS = frozenset({SignalKind.DOC_OUT, SignalKind.RR_DOWN})


def _severity(
    labels: Labels, minus: _Grouped, b: Outcome, *, critical: bool, answer: Verdict | None
) -> Severity | None:
    """Return the first severity that holds."""
    if b.counts.disclosed:
        return Severity.S0
    if not minus:
        return None
    if SignalKind.ABSTENTION in minus or (critical and not _ANSWER_MINUS.isdisjoint(minus)):
        return Severity.S1
    unsupported = not _MORE_UNSUPPORTED.isdisjoint(minus)
    lost = SignalKind.CLAIM_LOST in minus
    if (unsupported and labels.answerable is not False) or (lost and not b.counts.covered):
        return Severity.S2
    if lost or unsupported:
        return Severity.S3
    retrieval = not _RETRIEVAL_MINUS.isdisjoint(minus)
    if retrieval and answer not in {Verdict.IMPROVED, Verdict.MIXED}:
        return Severity.S4
    return None


def _retrieval_causes(minus: _Grouped, a: Outcome, b: Outcome) -> list[Cause]:
    out = set(minus.get(SignalKind.DOC_OUT, ()))
    found = [Cause.EVIDENCE_LOST] if out else []
    if SignalKind.RR_DOWN in minus and a.visible and b.visible:
        first = a.visible[a.counts.first_hit - 1]
        found += [Cause.DOC_MOVED_DOWN] if first in b.visible and first not in out else []
    if any(not out.isdisjoint(_not_visible(one)) for one in b.each if out):
        found.append(Cause.BEYOND_CUTOFF)
    return found


def _not_visible(outcome: Outcome) -> Iterator[str]:
    """Yield the documents that one record retrieved beyond its visible context."""
    visible = outcome.visible or ()
    return (document for document in outcome.ranking or () if document not in visible)


def _claim_causes(labels: Labels, minus: _Grouped, a: Outcome, b: Outcome) -> list[Cause]:
    found = []
    lost = set(minus.get(SignalKind.CLAIM_LOST, ()))
    new = set(minus.get(SignalKind.NEW_UNSUPPORTED, ()))
    if lost and not lost.isdisjoint(more_often(a, b, stated_of)):
        found.append(Cause.CLAIM_DROPPED)
    if _is_broken(lost, new, a, b):
        found.append(Cause.CITATION_BROKEN)
    added = new and not new.isdisjoint(more_often(b, a, stated_of))
    if added or SignalKind.UNSUPPORTED_MORE in minus:
        found.append(Cause.UNSUPPORTED_CLAIM_ADDED)
    if labels.answerable and _abstains_more(a, b):
        found.append(Cause.OVER_ABSTAINED)
    if SignalKind.ABSTENTION in minus:
        found.append(Cause.ANSWERED_UNANSWERABLE)
    return found


def _is_broken(lost: set[str | None], new: set[str | None], a: Outcome, b: Outcome) -> bool:
    """Tell whether a claim lost its support while B states it still."""
    if lost and not lost.isdisjoint(more_often(b, a, unsupported_of)):
        return True
    return bool(new) and not new.isdisjoint(more_often(a, b, supported_of))


def _causes(labels: Labels, minus: _Grouped, a: Outcome, b: Outcome) -> tuple[Cause, ...]:
    failed = State.FAILED in (a.counts.state, b.counts.state)
    if not (minus or b.abstained or b.counts.disclosed or failed or _repeated(a, b)):
        return ()
    found = _retrieval_causes(minus, a, b) + _claim_causes(labels, minus, a, b)
    if b.counts.disclosed:
        found.append(Cause.DISCLOSURE)
    if failed:
        found.append(Cause.FAILED)
    return tuple(found)


def _swaps(facts: Facts, gained: _Grouped, lost: _Grouped, a: Outcome, b: Outcome) -> Swaps:
    """Return the measures whose equal value hides that a claim or document took another's place."""
    if not gained or not lost:
        return ()

    def equal(key: str) -> bool:
        measure = measure_named(key)
        return (
            measure is not None
            and delta(*(measure.value(facts, one.counts, 1) for one in (a, b))) == 0
        )

    found: Swaps = ()
    if SignalKind.DOC_IN in gained and SignalKind.DOC_OUT in lost:
        found += ("precision", "recall") if equal("recall") else ()
    if SignalKind.RESOLVED in gained and SignalKind.NEW_UNSUPPORTED in lost:
        found += ("support",) if equal("support") else ()
    if SignalKind.CLAIM_GAINED in gained and SignalKind.CLAIM_LOST in lost:
        found += ("coverage",) if equal("coverage") else ()
    return found


def _evidence_differs(a: Outcome, b: Outcome) -> bool:
    """Tell whether context, claims or citations differ, or how often repeats have them."""
    if _repeated(a, b):
        return evidence_shares(a) != evidence_shares(b)
    return a.visible != b.visible or a.stated != b.stated


def _repeat_flags(
    facts: Facts, a: Outcome, b: Outcome, measures: tuple[Measure, ...]
) -> list[Flag]:
    """Return what repeats say of the differences: overlapping, or apart and too few."""
    if not _repeated(a, b):
        return []
    pairs = [[m.value(facts, one.counts, 1) for one in (a, b)] for m in measures]
    found = [Flag.NOISY] if any(is_noisy(*pair) for pair in pairs) else []
    return [*found, Flag.WEAK] if any(is_weak(*pair) for pair in pairs) else found


def _na_shifts(facts: Facts, a: Outcome, b: Outcome, measures: tuple[Measure, ...]) -> bool:
    """Tell whether any measure became n/a or became defined."""
    if a.counts.shape == b.counts.shape and not _repeated(a, b):
        return False
    shifts = {MeasureChange.BECAME_NA, MeasureChange.BECAME_DEFINED}
    return any(
        measure_change(m, facts, m.value(facts, a.counts, 1), m.value(facts, b.counts, 1)) in shifts
        for m in measures
    )


def change_of(
    labels: Labels,
    facts: Facts,
    a: Outcome,
    b: Outcome,
    *,
    critical: bool,
    claims_match: bool,
    measures: tuple[Measure, ...],
) -> Change:
    """
    Compare the outcomes of one question in A and B.

    *claims_match* says that a claim id means the same proposition in both runs; otherwise only the
    number of unsupported claims is compared. *measures* are those in use, for the n/a shift.
    """
    scored = a.counts.state is State.SCORED and b.counts.state is State.SCORED
    answer = _answer(labels, a, b, claims_match=claims_match) if scored else None
    retrieval = _retrieval(labels, a, b) if scored else None
    access = _access(a, b, permissions=facts.permissions) if scored else None
    found = [stage for stage in (answer, retrieval, access) if stage is not None]
    plus = sum([stage.plus for stage in found], ())
    minus = sum([stage.minus for stage in found], ())
    stages = Stages(*[stage and stage.verdict for stage in (answer, retrieval, access)])
    verdict, retrieval_only = _overall(stages, a, b)
    lost = _grouped(minus)
    flags = []
    if retrieval_only:
        flags.append(Flag.RETRIEVAL_ONLY)
    if verdict is Verdict.UNCHANGED and _evidence_differs(a, b):
        flags.append(Flag.EVIDENCE_CHANGED)
    if _na_shifts(facts, a, b, measures):
        flags.append(Flag.NA_SHIFT)
    if swaps := _swaps(facts, _grouped(plus), lost, a, b):
        flags.append(Flag.SWAP)
    flags += _repeat_flags(facts, a, b, measures)
    return Change(
        verdict=verdict,
        stages=stages,
        plus=plus,
        minus=minus,
        causes=_causes(labels, lost, a, b),
        severity=_severity(labels, lost, b, critical=critical, answer=stages.answer),
        flags=tuple(flags),
        new_unsupported=_count_new(lost),
        swaps=swaps,
    )


def _count_new(minus: _Grouped) -> int:
    more = sum(int(number or 0) for number in minus.get(SignalKind.UNSUPPORTED_MORE, ()))
    return len(minus.get(SignalKind.NEW_UNSUPPORTED, ())) + more
