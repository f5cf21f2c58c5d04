"""Whose text of a document is shown: as delivered by a run, else as the corpus has it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from ragtui.core.evidence import Side

if TYPE_CHECKING:
    from ragtui.core.comparison import Comparison, Detail
    from ragtui.core.model import Document, Retrieved

__all__ = [
    "WITHHELD_ANSWER",
    "Delivered",
    "ShownText",
    "delivered",
    "delivered_text",
    "shown_text",
    "texts_differ",
    "withheld_words",
]

WITHHELD_ANSWER: Final = "may quote a restricted document: not shown"
"""Stands for an answer that retrieved or cites what the caller may not read."""

BETWEEN: Final = "\n⋯\n"
"""Stands between two chunks of one document."""


class Delivered(NamedTuple):
    """One retrieved item of a document in one run."""

    rank: int
    item: Retrieved


class ShownText(NamedTuple):
    """A text and where it comes from."""

    text: str | None
    facts: tuple[str, ...]
    """Title, version and origin, as far as they are known; not cleaned."""


def withheld_words(caller: tuple[str, ...]) -> str:
    """
    Say that a text is not shown.

    >>> withheld_words(("public",))
    'restricted for caller public: its text is not shown'
    """
    return f"restricted for caller {', '.join(caller)}: its text is not shown"


def delivered(detail: Detail, side: Side, document: str) -> tuple[Delivered, ...]:
    """Return every retrieved item of a document in one run, best first."""
    record = detail.record(side)
    items = (record.retrieved if record else None) or ()
    return tuple(Delivered(n, item) for n, item in enumerate(items, 1) if item.id == document)


def delivered_text(detail: Detail, side: Side, document: str) -> str | None:
    """Return the text one run was given under a document id, all chunks, best first."""
    found = delivered(detail, side, document)
    texts = [place.item.text for place in found if place.item.text is not None]
    return BETWEEN.join(texts) if texts else None


def texts_differ(detail: Detail, document: str) -> bool:
    """
    Tell whether A and B were given different text under one id.

    Different chunks of one document are no difference; the same chunk with other text is.
    """
    a, b = (_by_chunk(detail, side, document) for side in Side)
    return any(a[chunk] != b[chunk] for chunk in a.keys() & b.keys())


def _by_chunk(detail: Detail, side: Side, document: str) -> dict[str | None, str]:
    found: dict[str | None, str] = {}
    for place in delivered(detail, side, document):
        if place.item.text is not None:
            found.setdefault(place.item.chunk, place.item.text)
    return found


def shown_text(comparison: Comparison, detail: Detail, document: str) -> ShownText:
    """Return the text delivered in B, else in A, else the corpus's, and say which it is."""
    known = comparison.evidence.document(document)
    facts = [known.title] if known and known.title else []
    for side in (Side.CANDIDATE, Side.BASELINE):
        text = delivered_text(detail, side, document)
        if text is not None:
            version = next((p.item.version for p in delivered(detail, side, document)), None)
            version = version or (known.version if known else None)
            facts += [f"version {version}"] if version else []
            facts.append(f"as delivered in {_sides_with(detail, document, text)}")
            return ShownText(text, tuple(facts))
    return _from_corpus(known, facts)


def _sides_with(detail: Detail, document: str, text: str) -> str:
    letters = [s.letter for s in Side if delivered_text(detail, s, document) == text]
    return " and ".join(letters)


def _from_corpus(known: Document | None, facts: list[str]) -> ShownText:
    if known is None:
        return ShownText(None, tuple(facts))
    version = [f"version {known.version}"] if known.version else []
    return ShownText(known.text, (*facts, *version, "from the corpus, not recorded"))
