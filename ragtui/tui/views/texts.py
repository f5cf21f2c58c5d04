"""Whose text of a document is shown: as delivered by a run, else as the corpus has it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ragtui.core.evidence import Side

if TYPE_CHECKING:
    from ragtui.core.comparison import Comparison, Detail
    from ragtui.core.model import Document, Retrieved

__all__ = ["Delivered", "ShownText", "delivered", "delivered_text", "withheld_words"]


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


def delivered_text(comparison: Comparison, detail: Detail, document: str) -> ShownText:
    """Return the text B delivered, else A's, else the corpus's, and say which it is."""
    known = comparison.evidence.document(document)
    facts = [known.title] if known and known.title else []
    for side in (Side.CANDIDATE, Side.BASELINE):
        for found in delivered(detail, side, document):
            if found.item.text is not None:
                version = found.item.version or (known.version if known else None)
                facts += [f"version {version}"] if version else []
                facts.append(f"as delivered in {_sides_with(detail, document, found.item.text)}")
                return ShownText(found.item.text, tuple(facts))
    return _from_corpus(known, facts)


def _sides_with(detail: Detail, document: str, text: str) -> str:
    letters = [
        side.letter
        for side in Side
        if any(found.item.text == text for found in delivered(detail, side, document))
    ]
    return " and ".join(letters)


def _from_corpus(known: Document | None, facts: list[str]) -> ShownText:
    if known is None:
        return ShownText(None, tuple(facts))
    version = [f"version {known.version}"] if known.version else []
    return ShownText(known.text, (*facts, *version, "from the corpus, not recorded"))
