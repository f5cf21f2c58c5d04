"""
A quick look at questions as written.

A million questions are checked this way; only one that is not plainly sound is turned into a core
question and looked at rule by rule. So a `False` here decides nothing, and a `True` must mean that
`ragtui.files.question_rules.check_question` would find nothing either.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragtui.files.ids import all_well_formed, max_ids
from ragtui.files.question_rules import MAX_GRADE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ragtui.files.question_rules import QuestionRules
    from ragtui.files.questions import Entry, RawQuestion


__all__ = ["is_plainly_sound"]


def is_plainly_sound(raw: RawQuestion, rules: QuestionRules) -> bool:
    """Tell whether an ordinary question keeps every rule; `False` asks for a closer look."""
    if raw.review or rules.access is not None:
        return False
    ids = [raw.id]  # claims and questions; documents join them where no corpus knows them
    documents: set[str] = set()
    if not (_main_labels(raw, ids, documents) and _rare_labels(raw, ids, documents)):
        return False
    if max(len(documents), len(ids)) > max_ids(rules.profile):
        return False
    if rules.documents is None:
        ids += documents
    elif not documents <= rules.documents:
        return False
    return all_well_formed(ids, rules.profile) and _words(raw)


def _words(raw: RawQuestion) -> bool:
    """Check tags, groups and the cluster, which no other file knows."""
    if not (raw.tags or raw.caller or raw.cluster):
        return raw.cluster is None
    words = [*(raw.tags or ()), *(raw.caller or ())]
    if len(set(words)) < len(words):
        return False
    if raw.cluster is not None:
        words.append(raw.cluster)
    return len(words) <= max_ids("lab") and all_well_formed(words, "open")


def _main_labels(raw: RawQuestion, ids: list[str], documents: set[str]) -> bool:
    """Check relevance and support; add claims to *ids* and documents to *documents*."""
    relevant, support = raw.relevant, raw.support
    if relevant is not None:
        documents.update(relevant)
        if len(documents) < len(relevant):
            return False
        if support is not None and bool(support) != bool(relevant):
            return False
    if not support:
        return True
    ids += support
    named: set[str] = documents if relevant is None else set()
    return _add_documents(support, named) and (relevant is None or named <= documents)


def _rare_labels(raw: RawQuestion, ids: list[str], documents: set[str]) -> bool:
    """Check the other labels, which few sets have."""
    if raw.claims:
        ids += raw.claims
    if raw.not_relevant:
        judged = set(raw.not_relevant)
        if len(judged) < len(raw.not_relevant) or not judged.isdisjoint(raw.relevant or ()):
            return False
        documents |= judged
    if raw.grades:
        grades = raw.grades.values()
        if min(grades) < 0 or max(grades) > MAX_GRADE:
            return False
        documents.update(raw.grades)
    return not raw.accepted or _accepted(raw, raw.accepted, ids, documents)


def _accepted(
    raw: RawQuestion, accepted: Mapping[str, list[Entry]], ids: list[str], documents: set[str]
) -> bool:
    """Check claims that are supported and not expected."""
    main = raw.support if raw.relevant is None else raw.relevant
    ids += accepted
    return (
        (main is None or bool(main))
        and accepted.keys().isdisjoint(raw.support or ())
        and _add_documents(accepted, documents)
    )


def _add_documents(claims: Mapping[str, list[Entry]], documents: set[str]) -> bool:
    """Add the documents that support *claims*; `False` when a claim needs a closer look."""
    for entries in claims.values():
        try:
            named = set(entries)
        except TypeError:  # a list among them
            if not _is_joint(entries):
                return False
            documents.update(*entries)
            continue
        if not named or len(named) < len(entries):
            return False
        documents |= named  # type: ignore[arg-type]  # a list would not have been hashed
    return True


def _is_joint(entries: list[Entry]) -> bool:
    """Tell whether these are few distinct, non-empty sets of documents."""
    if any(type(entry) is str for entry in entries):
        return False
    sets = set(map(frozenset, entries))
    return (
        len(sets) == len(entries) <= max_ids("lab")
        and frozenset() not in sets
        and sum(map(len, sets)) == sum(map(len, entries))
    )
