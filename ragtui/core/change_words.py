"""
What changed on one question, in words: verdict, severity, signals, flags, claims.

Every sentence names the claims and documents it is about, with their raw ids: whoever shows it
cleans it.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Final

from ragtui.core.change import Flag, MeasureChange, Severity, SignalKind, Verdict
from ragtui.core.contract import ClaimReason, State
from ragtui.core.evidence import Side

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from ragtui.core.change import Signal
    from ragtui.core.comparison import Detail
    from ragtui.core.contract import ClaimOutcome
    from ragtui.core.model import Alternatives

__all__ = [
    "CHANGE_WORDS",
    "FLAG_WORDS",
    "alternatives_words",
    "claim_words",
    "flag_words",
    "named",
    "severity_words",
    "signal_words",
    "verdict_sentence",
    "verdict_words",
]

MAX_NAMED: Final = 12
"""Ids that are written out before the rest is a count."""

IN_SENTENCE: Final = 3
"""Ids that the sentence of a verdict writes out; causes name more of them."""

FLAG_WORDS: Final = {
    Flag.RETRIEVAL_ONLY: "retrieval only",
    Flag.EVIDENCE_CHANGED: "evidence changed",
    Flag.NA_SHIFT: "n/a shift",
    Flag.SWAP: "swap",
    Flag.NOISY: "noisy",
    Flag.WEAK: "weak",
    Flag.LABEL_OPEN: "label open",
}
"""Each flag in short."""

CHANGE_WORDS: Final = {
    MeasureChange.IMPROVED: "improved",
    MeasureChange.REGRESSED: "regressed",
    MeasureChange.UNCHANGED: "unchanged",
    MeasureChange.BECAME_NA: "became n/a",
    MeasureChange.BECAME_DEFINED: "became defined",
    MeasureChange.NA_BOTH: "n/a in both",
    MeasureChange.MISSING: "missing",
}


def named(ids: Iterable[str], most: int = MAX_NAMED) -> str:
    """
    Write ids out, the first *most* by name.

    >>> named(["a", "b", "c", "d"], most=2)
    'a, b and 2 more'
    """
    every = list(ids)
    hidden = len(every) - most
    return ", ".join(every[:most]) + (f" and {hidden} more" if hidden > 0 else "")


def alternatives_words(alternatives: Alternatives) -> str:
    """
    Write out what supports a claim.

    >>> alternatives_words((frozenset({"a", "b"}), frozenset({"c"})))
    'a with b, or c'
    """
    return ", or ".join(" with ".join(sorted(needed)) for needed in alternatives) or "nothing"


def verdict_words(verdict: Verdict) -> str:
    """
    Return the verdict as people read it.

    >>> verdict_words(Verdict.NOT_COMPARABLE)
    'not comparable'
    """
    return verdict.value.replace("-", " ")


# ---------------------------------------------------------------- claims


def claim_words(
    claim: ClaimOutcome, permitted: Mapping[str, Alternatives], visible: set[str]
) -> str:
    """
    Say with its ids why a claim is unsupported; a supported one is supported by what it cites.

    >>> from ragtui.core.contract import ClaimOutcome
    >>> aurora = ClaimOutcome("aurora", ("archive",), ClaimReason.CITES_NON_SUPPORTING)
    >>> claim_words(aurora, {"aurora": (frozenset({"owners"}),)}, {"archive", "owners"})
    'aurora cites archive, which does not support it'
    """
    alternatives = permitted.get(claim.claim, ())
    if claim.reason is None:
        verb = "supports" if len(claim.citations) == 1 else "support"
        return f"{claim.claim} cites {named(claim.citations)}, which {verb} it"
    if claim.reason is ClaimReason.NO_CITATION:
        return f"{claim.claim} cites nothing"
    if claim.reason is ClaimReason.CLAIM_NOT_LABELLED:
        return f"{claim.claim} cites {named(claim.citations)}, but no label supports this claim"
    if claim.reason is ClaimReason.EVIDENCE_INCOMPLETE:
        needed = alternatives_words(alternatives)
        return f"{claim.claim} cites {named(claim.citations)}, but needs {needed} whole"
    supporting: set[str] = set().union(*alternatives)
    if claim.reason is ClaimReason.CITES_NON_SUPPORTING:
        wrong = [doc for doc in claim.citations if doc not in supporting]
        verb = "does" if len(wrong) == 1 else "do"
        return f"{claim.claim} cites {named(wrong)}, which {verb} not support it"
    wrong = [doc for doc in claim.citations if doc not in visible]
    verb = "is" if len(wrong) == 1 else "are"
    return f"{claim.claim} cites {named(wrong)}, which {verb} outside the visible context"


# ---------------------------------------------------------------- signals

_ABOUT: Final = {
    SignalKind.CLAIM_GAINED: "{} gained",
    SignalKind.CLAIM_LOST: "{} lost",
    SignalKind.RESOLVED: "unsupported claim resolved: {}",
    SignalKind.NEW_UNSUPPORTED: "new unsupported: {}",
    SignalKind.UNSUPPORTED_MORE: "unsupported claims: {} more",
    SignalKind.UNSUPPORTED_FEWER: "unsupported claims: {} fewer",
    SignalKind.DOC_IN: "{} entered the context",
    SignalKind.DOC_OUT: "{} left the context",
    SignalKind.RR_UP: "first relevant document up",
    SignalKind.RR_DOWN: "first relevant document down",
    SignalKind.DISCLOSURE_BEGUN: "disclosure begun",
    SignalKind.DISCLOSURE_ENDED: "disclosure ended",
}


def signal_words(
    signals: Sequence[Signal], *, better: bool, most: int = MAX_NAMED
) -> tuple[str, ...]:
    """
    Say what each kind of signal in a row is about.

    *better* tells plus from minus where a signal has one name for both.

    >>> from ragtui.core.change import Signal
    >>> left = [Signal(SignalKind.DOC_OUT, "a"), Signal(SignalKind.DOC_OUT, "b")]
    >>> signal_words(left, better=False)
    ('a, b left the context',)
    """
    found = []
    for kind, group in groupby(signals, key=lambda signal: signal.kind):
        if kind is SignalKind.ABSTENTION:
            found.append(f"abstention {'no→yes' if better else 'yes→no'}")
            continue
        subjects = [signal.subject for signal in group if signal.subject is not None]
        found.append(_ABOUT[kind].format(named(subjects, most)))
    return tuple(found)


def _without_repetition(signals: Sequence[Signal]) -> list[Signal]:
    """Leave out that a claim was resolved where it is said that the claim was gained."""
    gained = {s.subject for s in signals if s.kind is SignalKind.CLAIM_GAINED}
    return [s for s in signals if s.kind is not SignalKind.RESOLVED or s.subject not in gained]


# ---------------------------------------------------------------- verdict and severity


def verdict_sentence(detail: Detail) -> str:
    """Say what the question did and what the verdict rests on."""
    change = detail.change
    if change.verdict is Verdict.NOT_COMPARABLE:
        return f"not comparable: {_why_not_comparable(detail)}"
    worse = signal_words(change.minus, better=False, most=IN_SENTENCE)
    better = signal_words(_without_repetition(change.plus), better=True, most=IN_SENTENCE)
    word = verdict_words(change.verdict)
    only = " (retrieval only)" if Flag.RETRIEVAL_ONLY in change.flags else ""
    told = {
        Verdict.REGRESSED: [*worse, *(f"yet {words}" for words in better)],
        Verdict.IMPROVED: [*better, *(f"yet {words}" for words in worse)],
        Verdict.MIXED: [*worse, *(f"yet {words}" for words in better)],
        Verdict.UNCHANGED: _unchanged(detail),
    }[change.verdict]
    return f"{word}: {', '.join(told)}{only}" if told else f"{word}{only}"


def _unchanged(detail: Detail) -> list[str]:
    if Flag.EVIDENCE_CHANGED in detail.change.flags:
        return ["the same claims and relevant documents, but the evidence changed"]
    if detail.change.plus or detail.change.minus:
        return ["disclosed in A and in B"]
    return []


def _why_not_comparable(detail: Detail) -> str:
    said = [
        f"{side.letter} {_STATE_WORDS[state]}"
        for side in Side
        if (state := detail.outcome(side).counts.state) in _STATE_WORDS
    ]
    return ", ".join(said) or "no stage has labels and records of both runs"


_STATE_WORDS: Final = {
    State.FAILED: "failed on this question",
    State.MISSING: "has no record of this question",
}


def severity_words(detail: Detail) -> str | None:
    """Say which rule gives the change its severity; `None` for a change without one."""
    change = detail.change
    if change.severity is None:
        return None
    kinds = {signal.kind for signal in change.minus}
    if change.severity is Severity.S0:
        return "B discloses restricted material"
    if change.severity is Severity.S1:
        if SignalKind.ABSTENTION in kinds:
            return "an unanswerable question is answered that A left unanswered"
        return "the answer to a critical question got worse"
    if change.severity is Severity.S2:
        if kinds & _MORE_UNSUPPORTED and detail.facts.answerable is not False:
            return "a new unsupported claim on an answerable question"
        return "a claim lost, and no expected claim is left with support"
    if change.severity is Severity.S3:
        if SignalKind.CLAIM_LOST in kinds:
            return "a claim lost, others are still supported"
        return "another unsupported claim on an unanswerable question"
    return "retrieval got worse and the answer did not get better"


_MORE_UNSUPPORTED: Final = {SignalKind.NEW_UNSUPPORTED, SignalKind.UNSUPPORTED_MORE}


# ---------------------------------------------------------------- flags


def flag_words(
    flags: Collection[Flag], changes: Iterable[tuple[str, MeasureChange]]
) -> tuple[str, ...]:
    """
    Say what else a reader should know; *changes* are written measures and how each moved.

    >>> flag_words([Flag.NA_SHIFT], [("support", MeasureChange.BECAME_NA)])
    ('n/a shift: support became n/a',)
    """
    shifts = [
        f"{measure} {CHANGE_WORDS[moved]}"
        for measure, moved in changes
        if moved in {MeasureChange.BECAME_NA, MeasureChange.BECAME_DEFINED}
    ]
    more = {
        Flag.RETRIEVAL_ONLY: "the answer stage is unchanged or cannot be compared",
        Flag.EVIDENCE_CHANGED: "context, claims or citations differ",
        Flag.NA_SHIFT: ", ".join(shifts),
        Flag.SWAP: "one claim or document took another's place behind an equal ratio",
        Flag.NOISY: "the repeats of A and B overlap",
        Flag.WEAK: "too few repeats to tell A and B apart",
        Flag.LABEL_OPEN: "the verdict depends on disputed labels",
    }
    return tuple(f"{FLAG_WORDS[flag]}: {more[flag]}" for flag in flags)
