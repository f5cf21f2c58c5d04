"""
The structural rules that a labelled question has to keep.

A question that breaks one is an error of the file and never becomes a score. All faults of a
question are found in one go; each names the key path inside the question.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from ragtui.errors import Fault
from ragtui.files.ids import check_id, max_ids
from ragtui.files.shape import describe, key_path

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from ragtui.core.model import Access, Alternatives, Question, Review
    from ragtui.files.ids import Profile


__all__ = ["MAX_GRADE", "QuestionRules", "check_question"]

MAX_GRADE: Final = 1_000_000
"""Largest relevance grade; real ones are below 10."""

_JOINT: Final = 'write ["a", "b"] for either, [["a", "b"]] for both together'


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionRules:
    """What the rest of the set says that a question has to agree with."""

    profile: Profile
    documents: AbstractSet[str] | None
    """Ids of the corpus; `None`: an open corpus, documents are known by id only."""
    access: Access | None = None
    """Who may read what; `None`: the set declares no permissions."""


def check_question(question: Question, rules: QuestionRules) -> tuple[Fault, ...]:
    """Return everything that is wrong with *question*, in the order of the keys."""
    checker = _Checker(rules=rules, question=question)
    checker.check()
    return tuple(checker.faults)


@dataclass(slots=True)
class _Checker:
    """Collects the faults of one question."""

    rules: QuestionRules
    question: Question
    faults: list[Fault] = field(default_factory=list)

    def check(self) -> None:
        question = self.question
        self._id("id", question.id, self.rules.profile)
        self._names("tags", question.tags)
        self._documents("relevant", question.relevant)
        self._documents("not_relevant", question.not_relevant)
        self._contradiction()
        self._grades()
        self._claims("support", question.support)
        self._claims("accepted", question.accepted)
        self._names("caller", question.caller)
        self._names("cluster", () if question.cluster is None else (question.cluster,))
        self._count("claims", question.claims)
        for claim in question.claims:
            self._id(key_path("claims", claim), claim, self.rules.profile)
        self._evidence("support", question.relevant, question.support)
        self._accepted()
        self._permissions()
        self._reviews()

    def _fault(
        self,
        message: str,
        key: str,
        *,
        found: str | None = None,
        expected: str | None = None,
        hint: str | None = None,
    ) -> None:
        self.faults.append(
            Fault(
                message=message,
                key=key,
                question=self.question.id,
                found=found,
                expected=expected,
                hint=hint,
            )
        )

    def _id(self, key: str, text: str, profile: Profile = "open") -> bool:
        wrong = check_id(text, profile)
        if wrong is not None:
            self._fault(f"the id {wrong}", key, found=describe(text))
        return wrong is None

    def _names(self, key: str, names: Sequence[str]) -> None:
        """Check words that are no ids of the set: tags, groups, clusters, reviewers."""
        self._count(key, names)
        for name in names:
            self._id(key, name)
        self._repeated(key, names)

    def _count(self, key: str, ids: Collection[object]) -> None:
        most = max_ids(self.rules.profile)
        if len(ids) > most:
            self._fault("too many ids", key, found=str(len(ids)), expected=f"at most {most}")

    def _repeated(self, key: str, ids: Iterable[str]) -> None:
        for name in _duplicates(ids):
            self._fault("named twice", key, found=describe(name), hint="name each once")

    def _documents(self, key: str, ids: Sequence[str] | None) -> None:
        if ids is None:
            return
        self._count(key, ids)
        self._repeated(key, ids)
        for place, name in enumerate(ids):
            self._document(f"{key}[{place}]", name)

    def _document(self, key: str, name: str) -> None:
        if self.rules.documents is None:
            self._id(key, name, self.rules.profile)
        elif name not in self.rules.documents:
            self._fault("no document of the corpus has this id", key, found=describe(name))

    def _contradiction(self) -> None:
        both = set(self.question.relevant or ()) & set(self.question.not_relevant or ())
        for name in sorted(both):
            self._fault(
                "labelled both relevant and not relevant", "not_relevant", found=describe(name)
            )

    def _grades(self) -> None:
        grades = self.question.grades or {}
        self._count("grades", grades)
        for name, grade in grades.items():
            self._document(key_path("grades", name), name)
            if not 0 <= grade <= MAX_GRADE:
                self._fault(
                    "not a grade",
                    key_path("grades", name),
                    found=describe(grade),
                    expected=f"0 to {MAX_GRADE}",
                )

    def _claims(self, key: str, claims: Mapping[str, Alternatives] | None) -> None:
        """Check ids and alternatives, wherever the documents may come from."""
        if claims is None:
            return
        self._count(key, claims)
        for claim, alternatives in claims.items():
            where = key_path(key, claim)
            self._id(where, claim, self.rules.profile)
            self._count(where, alternatives)
            if not alternatives:
                self._fault(
                    "no document supports this claim",
                    where,
                    hint="name one, or name the claim in claims only",
                )
            for place, documents in enumerate(alternatives):
                self._alternative(f"{where}[{place}]", documents)
            if len(set(alternatives)) < len(alternatives):
                self._fault("the same alternative twice", where, hint=_JOINT)

    def _alternative(self, key: str, documents: frozenset[str]) -> None:
        self._count(key, documents)
        if not documents:
            self._fault("an empty alternative supports nothing", key, hint=_JOINT)
        for name in sorted(documents):
            self._document(key, name)

    def _evidence(
        self,
        key: str,
        relevant: Sequence[str] | None,
        support: Mapping[str, Alternatives] | None,
    ) -> None:
        """Relevant is empty exactly when support is, and support uses relevant documents only."""
        if relevant is None or support is None:
            return
        if bool(relevant) != bool(support):
            empty, full = ("support", "relevant") if relevant else ("relevant", "support")
            self._fault(
                f"{full} names something and {empty} is empty: the question is answerable in one"
                " and unanswerable in the other",
                key,
                hint=f"label both, or leave {empty} out if it was not labelled",
            )
            return
        known = frozenset(relevant)
        for claim, alternatives in support.items():
            for name in sorted(frozenset().union(*alternatives) - known):
                self._fault(
                    "supports a claim and is not labelled relevant",
                    key_path(key, claim),
                    found=describe(name),
                    expected="ids from relevant",
                )

    def _accepted(self) -> None:
        accepted = self.question.accepted or {}
        for claim in accepted:
            if claim in (self.question.support or {}):
                self._fault("the claim is both expected and accepted", key_path("accepted", claim))
        if accepted and self.question.answerable is False:
            self._fault("an unanswerable question has no accepted claims", "accepted")

    def _permissions(self) -> None:
        access = self.rules.access
        if access is None:
            return
        question = self.question
        needed = _needed("", question.relevant, question.support)
        for place, review in enumerate(question.reviews):
            needed += _needed(f"review[{place}].", review.relevant, review.support)
        for key, name in needed:
            if access.restricted(name, self.question.caller):
                groups = access.groups.get(name) or ()
                self._fault(
                    "the caller may not read this document, so it cannot be relevant",
                    key,
                    found=describe(name),
                    expected=f"a document open to {', '.join(sorted(self.question.caller))}",
                    hint=f"it is open to {', '.join(sorted(groups)) or 'nobody'}",
                )

    def _reviews(self) -> None:
        reviewers = [review.reviewer for review in self.question.reviews]
        self._count("review", reviewers)
        self._repeated("review", reviewers)
        for place, review in enumerate(self.question.reviews):
            self._review(f"review[{place}]", review)

    def _review(self, key: str, review: Review) -> None:
        self._id(f"{key}.reviewer", review.reviewer)
        self._documents(f"{key}.relevant", review.relevant)
        self._claims(f"{key}.support", review.support)
        relevant = self.question.relevant if review.relevant is None else review.relevant
        support = self.question.support if review.support is None else review.support
        if review.relevant is not None or review.support is not None:
            self._evidence(f"{key}.support", relevant, support)


def _needed(
    at: str, relevant: tuple[str, ...] | None, support: Mapping[str, Alternatives] | None
) -> list[tuple[str, str]]:
    """Return each document that labels call for, once, and the key behind *at* that names it."""
    if relevant is not None:
        return [(f"{at}relevant[{place}]", name) for place, name in enumerate(relevant)]
    return [
        (key_path(f"{at}support", claim), name)
        for claim, alternatives in (support or {}).items()
        for name in sorted(frozenset().union(*alternatives))
    ]


def _duplicates(ids: Iterable[str]) -> list[str]:
    """Return the ids that stand more than once, in order of their second appearance."""
    seen: set[str] = set()
    again: dict[str, None] = {}
    for name in ids:
        if name in seen:
            again[name] = None
        seen.add(name)
    return list(again)
