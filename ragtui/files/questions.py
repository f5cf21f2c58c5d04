"""
Questions as they are written, in TOML or one JSON object a line, and as the core wants them.

Both spellings have the same keys. `null` in JSON says the same as leaving the key out.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Final, TypeAlias

import msgspec

from ragtui.core.kernel import PlainQuestion
from ragtui.core.model import PUBLIC, Alternatives, Question, Review, Status
from ragtui.errors import Fault
from ragtui.files.shape import describe, key_path

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


__all__ = [
    "Entry",
    "RawQuestion",
    "RawReview",
    "count_keys",
    "question_digest",
    "question_to_plain",
    "spelling_faults",
    "to_plain",
    "to_question",
]

Entry: TypeAlias = str | list[str]
"""One alternative as written: an id, or ids that are needed together."""

_SUPPORT_HINT: Final = 'write ["a", "b"] for a or b, [["a", "b"]] for a and b together'


class RawReview(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True
):
    """One `[[question.review]]` table as written."""

    reviewer: str
    relevant: tuple[str, ...] | None = None
    support: dict[str, list[Entry]] | None = None
    note: str | None = None


class RawQuestion(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True
):
    """One `[[question]]` table, or one line of a JSONL file, as written."""

    id: str
    text: str | None = None
    tags: tuple[str, ...] | None = None
    critical: bool | None = None
    relevant: tuple[str, ...] | None = None
    support: dict[str, list[Entry]] | None = None
    accepted: dict[str, list[Entry]] | None = None
    caller: tuple[str, ...] | None = None
    cluster: str | None = None
    status: Status | None = None
    grades: dict[str, int] | None = None
    not_relevant: tuple[str, ...] | None = None
    claims: dict[str, str] | None = None
    review: tuple[RawReview, ...] | None = None


_CANONICAL: Final = msgspec.json.Encoder(order="sorted")


def question_to_plain(raw: RawQuestion) -> dict[str, object]:
    """
    Return what the file holds of a question, absent keys left out: the content that is frozen.

    >>> question_to_plain(RawQuestion(id="q", relevant=()))
    {'id': 'q', 'relevant': []}
    """
    plain: dict[str, object] = msgspec.json.decode(_CANONICAL.encode(raw))
    return plain


def question_digest(raw: RawQuestion) -> bytes:
    """
    Return the SHA-256 digest of the canonical JSON of what the file holds, in 32 bytes.

    >>> question_digest(RawQuestion(id="q")) == sha256(b'{"id":"q"}').digest()
    True
    """
    # The struct leaves out what is absent and sorts like canonical JSON, in a tenth of the time.
    return sha256(_CANONICAL.encode(raw)).digest()


def to_question(raw: RawQuestion) -> Question:
    """
    Return the question in the form the core scores.

    >>> to_question(RawQuestion(id="q", support={"c": ["a", "b"]})).support
    {'c': (frozenset({'a'}), frozenset({'b'}))}
    >>> to_question(RawQuestion(id="q", caller=("hr",))).caller
    ('public', 'hr')
    """
    return Question(
        id=raw.id,
        text=raw.text,
        tags=raw.tags or (),
        critical=raw.critical or False,
        relevant=raw.relevant,
        support=_claims(raw.support),
        accepted=_claims(raw.accepted),
        caller=_caller(raw.caller),
        cluster=raw.cluster,
        status=raw.status or Status.AGREED,
        grades=raw.grades,
        not_relevant=raw.not_relevant,
        claims=raw.claims or {},
        reviews=() if raw.review is None else tuple(map(_review, raw.review)),
    )


def to_plain(raw: RawQuestion) -> PlainQuestion | None:
    """
    Return the question in the form the core scores fastest; `None`: it is not plain.

    >>> to_plain(RawQuestion(id="q", relevant=("a",), support={"c": ["a"]})).support
    {'c': ['a']}
    >>> to_plain(RawQuestion(id="q", relevant=("a",), support={"c": [["a"]]})) is None
    True
    """
    if raw.relevant is None or raw.accepted is not None or raw.grades is not None:
        return None
    if raw.review is not None or raw.status is Status.DISPUTED:
        return None
    for entries in (raw.support or {}).values():
        if type(entries[0]) is not str:  # a claim has at least one, and all are spelled alike
            return None
    support: Mapping[str, list[str]] | None = raw.support  # type: ignore[assignment]  # as above
    return PlainQuestion(
        raw.id,
        raw.relevant,
        support,
        raw.not_relevant or (),
        raw.tags or (),
        raw.critical or False,
        raw.cluster,
    )


def _claims(written: Mapping[str, list[Entry]] | None) -> Mapping[str, Alternatives] | None:
    if written is None:
        return None
    return {claim: tuple(map(_alternative, entries)) for claim, entries in written.items()}


def _alternative(entry: Entry) -> frozenset[str]:
    return frozenset((entry,) if isinstance(entry, str) else entry)


def _caller(written: tuple[str, ...] | None) -> tuple[str, ...]:
    """Every caller belongs to the public group, whether the file says so or not."""
    if not written:
        return (PUBLIC,)
    return written if PUBLIC in written else (PUBLIC, *written)


def _review(raw: RawReview) -> Review:
    return Review(
        reviewer=raw.reviewer,
        relevant=raw.relevant,
        support=_claims(raw.support),
        note=raw.note,
    )


def spelling_faults(raw: RawQuestion) -> tuple[Fault, ...]:
    """
    Return what the sets of the core can no longer show: repeats and mixed spellings.

    >>> [str(fault) for fault in spelling_faults(RawQuestion(id="q", support={"c": [["a", "a"]]}))]
    ['question "q": support.c[0]: named twice (found "a"); name each once']
    """
    faults = []
    for key, entries in _written_claims(raw):
        if len({type(entry) for entry in entries}) > 1:
            faults.append(
                Fault(
                    message="single ids and lists of ids are mixed",
                    key=key,
                    question=raw.id,
                    hint=_SUPPORT_HINT,
                )
            )
        for place, entry in enumerate(entries):
            if isinstance(entry, str) or len(set(entry)) == len(entry):
                continue
            again = next(name for name in entry if entry.count(name) > 1)
            faults.append(
                Fault(
                    message="named twice",
                    key=f"{key}[{place}]",
                    question=raw.id,
                    found=describe(again),
                    hint="name each once",
                )
            )
    return tuple(faults)


def _written_claims(raw: RawQuestion) -> Iterator[tuple[str, list[Entry]]]:
    """Give every list of alternatives of *raw* with its key path."""
    tables = [("support", raw.support), ("accepted", raw.accepted)]
    for place, review in enumerate(raw.review or ()):
        tables.append((f"review[{place}].support", review.support))
    for key, table in tables:
        for claim, entries in (table or {}).items():
            yield key_path(key, claim), entries


def count_keys(raw: RawQuestion) -> int:
    """
    Return how many keys the objects of *raw* hold in all, as far as they are not null.

    >>> count_keys(RawQuestion(id="q", support={"a": ["d"], "b": ["d"]}))
    4
    """
    values = msgspec.structs.astuple(raw)
    count = len(values) - values.count(None) + len(raw.support or ())
    if raw.accepted or raw.grades or raw.claims:
        count += len(raw.accepted or ()) + len(raw.grades or ()) + len(raw.claims or ())
    for review in raw.review or ():
        parts = msgspec.structs.astuple(review)
        count += len(parts) - parts.count(None) + len(review.support or ())
    return count
