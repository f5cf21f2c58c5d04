"""
A quick look at questions as written.

A million questions are checked this way; only one that is not plainly sound is turned into a core
question and looked at rule by rule. So a `False` here decides nothing, and a `True` must mean that
`ragtui.files.question_rules.check_question` would find nothing either.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragtui.files.ids import all_well_formed, check_id, max_ids
from ragtui.files.question_rules import MAX_GRADE

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from ragtui.files.ids import Profile
    from ragtui.files.question_rules import QuestionRules
    from ragtui.files.questions import Entry, RawQuestion


__all__ = ["is_plainly_sound"]


def is_plainly_sound(raw: RawQuestion, rules: QuestionRules) -> bool:
    """Tell whether an ordinary question keeps every rule; `False` asks for a closer look."""
    if raw.review or rules.access is not None or check_id(raw.id, rules.profile):
        return False
    return _names_are_sound(raw, rules) and _labels_are_sound(raw, rules)


def _names_are_sound(raw: RawQuestion, rules: QuestionRules) -> bool:
    """Check the words of a question that are neither claims nor documents."""
    for words in (raw.tags, raw.caller):
        if words and not _ids_are_sound(words, rules, "open"):
            return False
    return raw.cluster is None or check_id(raw.cluster, "open") is None


def _labels_are_sound(raw: RawQuestion, rules: QuestionRules) -> bool:
    relevant, support = raw.relevant, raw.support
    documents = set(relevant or ())
    if relevant is not None:
        if len(documents) < len(relevant):
            return False
        if support is not None and bool(support) != bool(relevant):
            return False
    if raw.claims and not _ids_are_sound(raw.claims, rules):
        return False
    if support:
        named = _documents_of(support, rules)
        if named is None or (relevant is not None and not named <= documents):
            return False
        documents |= named
    if (raw.accepted or raw.not_relevant or raw.grades) and not _extras(raw, rules, documents):
        return False
    return _documents_are_sound(documents, rules)


def _extras(raw: RawQuestion, rules: QuestionRules, documents: set[str]) -> bool:
    """Check the rarer labels and add their documents to *documents*."""
    judged, grades, accepted = raw.not_relevant, raw.grades, raw.accepted
    if judged:
        if len(set(judged)) < len(judged) or not set(judged).isdisjoint(raw.relevant or ()):
            return False
        documents.update(judged)
    if grades:
        if not 0 <= min(grades.values()) <= max(grades.values()) <= MAX_GRADE:
            return False
        documents.update(grades)
    if not accepted:
        return True
    named = _documents_of(accepted, rules)
    documents.update(named or ())
    answerable = raw.relevant if raw.relevant is not None else raw.support
    return (
        named is not None
        and accepted.keys().isdisjoint(raw.support or ())
        and (answerable is None or bool(answerable))
    )


def _documents_of(claims: Mapping[str, list[Entry]], rules: QuestionRules) -> set[str] | None:
    """Return the documents that the claims name, `None` when a closer look is needed."""
    if not _ids_are_sound(claims, rules):
        return None
    documents: set[str] = set()
    for entries in claims.values():
        kinds = set(map(type, entries))
        if kinds == {str}:
            named = set[str](entries)  # type: ignore[arg-type]  # only strings, see above
            if len(named) < len(entries):
                return None
            documents |= named
        elif kinds == {list} and _is_joint(entries):
            documents.update(*entries)
        else:
            return None
    return documents


def _is_joint(entries: list[Entry]) -> bool:
    """Tell whether these are distinct, non-empty sets of documents."""
    sets = set(map(frozenset, entries))
    return (
        len(sets) == len(entries)
        and frozenset() not in sets
        and sum(map(len, sets)) == sum(map(len, entries))
    )


def _ids_are_sound(
    ids: Collection[str], rules: QuestionRules, profile: Profile | None = None
) -> bool:
    """Tell whether words that are no documents are well formed, distinct and few."""
    if len(ids) > max_ids(rules.profile) or len(set(ids)) < len(ids):
        return False
    return all_well_formed(ids, profile or rules.profile)


def _documents_are_sound(documents: set[str], rules: QuestionRules) -> bool:
    if len(documents) > max_ids(rules.profile):
        return False
    if rules.documents is not None:
        return documents <= rules.documents
    return all_well_formed(documents, rules.profile)
