"""
An acceptance policy: what a release must satisfy, written down before anybody looks.

A policy is a list of rules; what a kind of rule demands stands in `ragtui.core.rules`, and
`ragtui.core.gate` holds all rules against one comparison.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Final, NamedTuple

from ragtui.core.change import Severity
from ragtui.core.measures import Measure, structural
from ragtui.core.words import Word

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ragtui.core.comparison import Comparison
    from ragtui.core.interval import Resolution
    from ragtui.core.triage import Triage

__all__ = [
    "EXIT_CODES",
    "TERM_WORDS",
    "Finding",
    "Outcome",
    "Policy",
    "Rule",
    "Term",
    "Trial",
    "Waiver",
    "combine",
    "parse_term",
]

TAG: Final = "tag:"
NOT: Final = "not:"


class Outcome(Word):
    """How a rule, or a whole policy, ended; the first is the gravest."""

    INVALID = "invalid"
    FAIL = "fail"
    INCONCLUSIVE = "inconclusive"
    PASS = "pass"  # noqa: S105 - a verdict, not a secret


EXIT_CODES: Final = {
    Outcome.PASS: 0,
    Outcome.FAIL: 1,
    Outcome.INVALID: 3,
    Outcome.INCONCLUSIVE: 4,
}
"""The exit code of a gate that ends so."""


def combine(outcomes: Iterable[Outcome]) -> Outcome:
    """
    Return the gravest of several outcomes: invalid, fail, inconclusive, pass; of none, pass.

    >>> combine([Outcome.PASS, Outcome.INCONCLUSIVE, Outcome.FAIL]).value
    'fail'
    """
    found = set(outcomes)
    return next((outcome for outcome in Outcome if outcome in found), Outcome.PASS)


# ---------------------------------------------------------------- which questions


class TermName(Word):
    """What a term asks of a question."""

    ANSWERABLE = "answerable"
    UNANSWERABLE = "unanswerable"
    CRITICAL = "critical"
    TAG = "tag"


TERM_WORDS: Final = tuple(
    f"{sign}{word}"
    for word in ("answerable", "unanswerable", "critical", "tag:NAME")
    for sign in ("", NOT)
)
"""Every form of a term."""


class Term(NamedTuple):
    """One condition on questions, of which all must hold."""

    name: TermName
    tag: str | None = None
    negated: bool = False

    def __str__(self) -> str:
        """
        Return the term as a policy writes it.

        >>> str(Term(TermName.TAG, "lookup", negated=True))
        'not:tag:lookup'
        """
        told = self.name.value if self.tag is None else f"{TAG}{self.tag}"
        return f"{NOT}{told}" if self.negated else told

    def column(self, comparison: Comparison) -> list[bool]:
        """Tell of each question whether the term holds; what is not labelled is neither of two."""
        if self.name is TermName.CRITICAL:
            return comparison.labels.map(lambda row: row.critical is not self.negated)
        if self.name is TermName.TAG:
            return comparison.labels.map(lambda row: (self.tag in row.tags) is not self.negated)
        wanted = self.name is TermName.ANSWERABLE
        rows = comparison.baseline.columns.rows
        return rows.map(lambda row: (row[0].answerable is wanted) is not self.negated)


def parse_term(text: str) -> Term | None:
    """
    Read one term; `None` when it is none.

    >>> parse_term("not:critical"), parse_term("tag:lookup").tag, parse_term("answered")
    (Term(name=<TermName.CRITICAL: 'critical'>, tag=None, negated=True), 'lookup', None)
    """
    negated = text.startswith(NOT)
    word = text.removeprefix(NOT)
    if word.startswith(TAG) and word != TAG:
        return Term(TermName.TAG, word.removeprefix(TAG), negated)
    known = {name.value: name for name in TermName if name is not TermName.TAG}
    return Term(known[word], None, negated) if word in known else None


# ---------------------------------------------------------------- rules


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule of a policy, its keys read and checked."""

    id: str
    kind: str
    """A key of `ragtui.core.rules.KINDS`."""
    where: tuple[Term, ...] = ()
    """All must hold; none: every question."""
    keys: Mapping[str, object]
    """The kind's own keys; an absent one is not there."""
    required: bool = True
    """Whether it counts; otherwise it is shown only."""
    waivable: bool = False

    def fraction(self, key: str) -> Fraction:
        """Return an exact number that must be there."""
        found = self.keys[key]
        assert isinstance(found, Fraction | int)  # noqa: S101 - the reader checked it
        return Fraction(found)

    def whole(self, key: str, default: int = 0) -> int:
        """Return a whole number, or *default*."""
        found = self.keys.get(key, default)
        assert isinstance(found, int)  # noqa: S101 - as above
        return found

    def text(self, key: str, default: str = "") -> str:
        """Return a word or a text, or *default*."""
        found = self.keys.get(key, default)
        assert isinstance(found, str)  # noqa: S101 - as above
        return found

    def flag(self, key: str, *, default: bool) -> bool:
        """Return true or false, or *default*."""
        found = self.keys.get(key, default)
        assert isinstance(found, bool)  # noqa: S101 - as above
        return found

    @property
    def measure(self) -> Measure:
        """The measure it is about."""
        found = self.keys["measure"]
        assert isinstance(found, Measure)  # noqa: S101 - as above
        return found

    @property
    def severity(self) -> Severity:
        """The severity it is about."""
        found = self.keys["severity"]
        assert isinstance(found, Severity)  # noqa: S101 - as above
        return found

    def counts(self, key: str) -> Mapping[Term, int]:
        """Return how many questions are demanded by term."""
        found = self.keys[key]
        assert isinstance(found, dict)  # noqa: S101 - as above
        return found


class Waiver(NamedTuple):
    """Somebody's word that one question may break one rule until a day."""

    rule: str
    """Id of the rule."""
    question: str
    who: str
    reason: str
    expires: str
    """RFC 3339 date or time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What a release must satisfy."""

    id: str
    rules: tuple[Rule, ...]
    sha256: str
    """Digest of the file's bytes; waivers stand outside it."""
    written: str | None = None
    """When it was written, as the policy says itself."""
    owner: str | None = None
    set_sha256: str | None = None
    """The only frozen set it may be held against; `None`: any."""
    confidence: Fraction = Fraction(19, 20)
    max_candidates: int = 5
    """Looks at one held-out set before it is spent."""
    max_missing: int = 0
    """Questions missing or failed in either run that still allow a pass."""
    waivers: tuple[Waiver, ...] = ()


# ---------------------------------------------------------------- what a rule found


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What one rule found, before anybody asks whether it counts."""

    outcome: Outcome
    figure: str
    """What was found, in words of ours: numbers, never an id."""
    bound: str
    """What was demanded, likewise."""
    questions: tuple[int, ...] = ()
    """The questions responsible, in the set's order."""
    why: str = ""
    """Why it is inconclusive, likewise; empty otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """Everything a rule is held against."""

    comparison: Comparison
    triage: Triage
    rules: Sequence[Rule]
    """All rules of the policy; those that share an error level need each other."""
    alpha: Fraction
    """1 - confidence."""
    resolutions: dict[tuple[str, Fraction], Resolution] = field(default_factory=dict, repr=False)
    """What paired differences showed, by rule id and error level, once each."""

    def selected(self, rule: Rule) -> list[int]:
        """Return the questions that satisfy all terms of *rule*, in the set's order."""
        found: Iterable[int] = range(len(self.comparison))
        for term in rule.where:
            holds = term.column(self.comparison)
            found = [index for index in found if holds[index]]
        return list(found)

    def measurable(self, rule: Rule) -> list[int]:
        """Return those of the selected questions whose labels allow the measure a value."""
        rows = self.comparison.baseline.columns.rows
        possible = rows.map(lambda row: structural(rule.measure, row[0]) is None)
        return [index for index in self.selected(rule) if possible[index]]
