"""
How far the reviewers of a set agree, part of the labels by part.

What is judged is a pair of a question and a document ("is it relevant?"), and a triple of a
question, a claim and a document ("does it support the claim?"). Judged are the pairs and triples
that anybody names, in a review or in the main labels; a part that a review leaves out was not
judged by that reviewer. This is information and never gates.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from ragtui.core.words import Word

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ragtui.core.model import Alternatives, Question

__all__ = [
    "Agreement",
    "Marginal",
    "Part",
    "Pattern",
    "agreement_of",
    "cohen_kappa",
    "judgements",
    "krippendorff_alpha",
    "raw_agreement",
]


class Part(Word):
    """A part of the labels that reviewers judge."""

    RELEVANCE = "relevance"
    SUPPORT = "support"


Pattern: TypeAlias = tuple[tuple[str, bool], ...]
"""Who said what of one pair or triple: (reviewer, yes or no), by reviewer."""

Patterns: TypeAlias = "Mapping[Pattern, int]"
"""How many pairs or triples were judged so."""


class Marginal(NamedTuple):
    """How often one reviewer said yes, where at least one other judged too."""

    reviewer: str
    yes: int
    judged: int


class Agreement(NamedTuple):
    """How far reviewers agree on one part of the labels."""

    part: Part
    n: int
    """Pairs or triples that at least two reviewers judged."""
    raw: Fraction
    """The share of the pairs of judgements that are equal."""
    statistic: str
    """`Cohen's kappa` where two reviewers judged everything, else `Krippendorff's alpha`."""
    value: Fraction | None
    """`None`: undefined, because every judgement is the same."""
    marginals: tuple[Marginal, ...]


def judgements(question: Question) -> Iterator[tuple[Part, Pattern]]:
    """
    Yield who judged what on one question.

    >>> from ragtui.core.model import Question, Review
    >>> one, two = Review(reviewer="r1", relevant=("a",)), Review(reviewer="r2", relevant=())
    >>> list(judgements(Question(id="q", relevant=("a",), reviews=(one, two))))
    [(<Part.RELEVANCE: 'relevance'>, (('r1', True), ('r2', False)))]
    """
    reviews = question.reviews
    relevance = {r.reviewer: frozenset(r.relevant) for r in reviews if r.relevant is not None}
    named = (*(question.relevant or ()), *(question.not_relevant or ()))
    yield from _patterns(Part.RELEVANCE, relevance, named)
    support = {r.reviewer: _supporting(r.support) for r in reviews if r.support is not None}
    named_too = _supporting(question.support) | _supporting(question.accepted)
    yield from _patterns(Part.SUPPORT, support, named_too)


def _supporting(support: Mapping[str, Alternatives] | None) -> frozenset[tuple[str, str]]:
    """Return every (claim, document) of which the document may support the claim."""
    return frozenset(
        (claim, document)
        for claim, alternatives in (support or {}).items()
        for alternative in alternatives
        for document in alternative
    )


def _patterns(
    part: Part, said: Mapping[str, frozenset[object]], named: Iterable[object]
) -> Iterator[tuple[Part, Pattern]]:
    if not said:
        return
    by_reviewer = sorted(said.items())
    for one in frozenset(named).union(*said.values()):
        yield part, tuple((reviewer, one in yes) for reviewer, yes in by_reviewer)


def agreement_of(part: Part, patterns: Patterns) -> Agreement | None:
    """
    Return how far reviewers agree; `None` where no two of them judged the same thing.

    >>> found = agreement_of(Part.RELEVANCE, {(("r1", True), ("r2", False)): 1,
    ...                                       (("r1", True), ("r2", True)): 3})
    >>> found.n, found.raw, found.statistic, found.value
    (4, Fraction(3, 4), "Cohen's kappa", Fraction(0, 1))
    """
    together = {pattern: n for pattern, n in patterns.items() if len(pattern) > 1}
    if not together:
        return None
    marginals = _marginals(together)
    whole = len(marginals) == _TWO and all(len(pattern) == _TWO for pattern in patterns)
    return Agreement(
        part,
        sum(together.values()),
        raw_agreement(together),
        "Cohen's kappa" if whole else "Krippendorff's alpha",
        cohen_kappa(together) if whole else krippendorff_alpha(together),
        marginals,
    )


_TWO = 2
"""Reviewers that Cohen's kappa is defined for."""


def _marginals(patterns: Patterns) -> tuple[Marginal, ...]:
    yes: Counter[str] = Counter()
    judged: Counter[str] = Counter()
    for pattern, n in patterns.items():
        for reviewer, said in pattern:
            yes[reviewer] += n * said
            judged[reviewer] += n
    return tuple(Marginal(one, yes[one], judged[one]) for one in sorted(judged))


def raw_agreement(patterns: Patterns) -> Fraction:
    """
    Return the share of the pairs of judgements of one thing that are equal.

    >>> raw_agreement({(("r1", True), ("r2", True), ("r3", False)): 1})
    Fraction(1, 3)
    """
    equal = pairs = 0
    for pattern, n in patterns.items():
        for (_, one), (_, other) in combinations(pattern, 2):
            pairs += n
            equal += n * (one == other)
    return Fraction(equal, pairs)


def cohen_kappa(patterns: Patterns) -> Fraction | None:
    """
    Return Cohen's kappa of two reviewers; `None` when both always say the same one thing.

    (p_o - p_e) / (1 - p_e), with p_o the share of equal judgements and p_e the share that two
    reviewers with these marginals would agree on by chance (Cohen 1960, Educational and
    Psychological Measurement 20:37).

    Of 50 things r1 says yes to 25 and r2 to 30, both to 20, neither to 15: p_o = 0.7, p_e = 0.5.

    >>> both, first, second, neither = ((True, True), (True, False), (False, True), (False, False))
    >>> table = {both: 20, first: 5, second: 10, neither: 15}
    >>> cohen_kappa({(("r1", a), ("r2", b)): n for (a, b), n in table.items()})
    Fraction(2, 5)
    """
    total = sum(patterns.values())
    first = sum(n for pattern, n in patterns.items() if pattern[0][1])
    second = sum(n for pattern, n in patterns.items() if pattern[1][1])
    equal = sum(n for pattern, n in patterns.items() if pattern[0][1] == pattern[1][1])
    chance = Fraction(first * second + (total - first) * (total - second), total * total)
    return None if chance == 1 else (Fraction(equal, total) - chance) / (1 - chance)


def krippendorff_alpha(patterns: Patterns) -> Fraction | None:
    """
    Return Krippendorff's alpha for yes and no; `None` when every judgement is the same.

    1 - (N - 1) * D / (n_yes * n_no), with N the judgements of things that at least two judged,
    n_yes and n_no how they fall, and D the expected disagreements: the sum over things with m
    judgements of yes * no / (m - 1) (Krippendorff 2011, Computing Krippendorff's
    Alpha-Reliability, nominal data, any number of reviewers, gaps allowed).

    Two reviewers, ten things, his example B: 14 judgements no, 6 yes, 4 things disagreed on.

    >>> table = {(False, False): 5, (False, True): 3, (True, False): 1, (True, True): 1}
    >>> krippendorff_alpha({(("r1", a), ("r2", b)): n for (a, b), n in table.items()})
    Fraction(2, 21)
    """
    yes = no = 0
    disagreed = Fraction(0)
    for pattern, n in patterns.items():
        if len(pattern) > 1:
            agreed = sum(said for _, said in pattern)
            against = len(pattern) - agreed
            yes, no = yes + n * agreed, no + n * against
            disagreed += Fraction(n * agreed * against, len(pattern) - 1)
    return 1 - (yes + no - 1) * disagreed / (yes * no) if yes and no else None
