"""The documents of one question that its caller may not read; their texts only on request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragtui.cli.disputes_text import ATTENTION
from ragtui.cli.layout import paragraph
from ragtui.cli.output import Span, line
from ragtui.core.change_words import named
from ragtui.core.evidence import Side
from ragtui.text import clean, wrap

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ragtui.cli.output import Line
    from ragtui.core.comparison import Comparison, Detail

__all__ = ["restricted_lines"]


def restricted_lines(comparison: Comparison, detail: Detail, width: int) -> Iterator[Line]:
    """Yield each restricted document that a run retrieved or cited, and where it stood."""
    found = _restricted(comparison, detail)
    for document in found:
        yield line("  ", Span(document, "strong"), "  ", Span(_readers(comparison, document)))
        for side in Side:
            told = f"{side.letter}: {_use(comparison, detail, side, document)}"
            yield from paragraph(told, width, indent=4)
        if comparison.shows_restricted:
            yield from _texts(comparison, detail, document, width)
    if found and not comparison.shows_restricted:
        words = "their texts, and answers that may quote them, are shown by --show-restricted only"
        yield from (
            tuple(Span(span.text, ATTENTION) for span in row)
            for row in paragraph(words, width, indent=2)
        )


def _restricted(comparison: Comparison, detail: Detail) -> list[str]:
    access = comparison.scorer.access
    if access is None:
        return []
    used: dict[str, None] = {}
    for side in Side:
        for record in detail.records[side]:
            used.update((item.id, None) for item in record.retrieved or ())
        for _, cited in detail.outcome(side).stated or ():
            used.update(dict.fromkeys(cited))
    return [document for document in used if access.restricted(document, detail.question.caller)]


def _readers(comparison: Comparison, document: str) -> str:
    access = comparison.scorer.access
    groups = sorted(access.groups[document]) if access is not None else []
    return f"open to {named(groups) or 'nobody'}"


def _use(comparison: Comparison, detail: Detail, side: Side, document: str) -> str:
    """Say where a document stood in one run, and which claims cite it."""
    outcome = detail.outcome(side)
    found = {
        rank
        for record in detail.records[side]
        for rank, item in enumerate(record.retrieved or (), 1)
        if item.id == document
    }
    ranks = sorted(found)
    seen = ", ".join(
        f"rank {rank}" if rank <= comparison.cutoff else f"rank {rank}, not visible"
        for rank in ranks
    )
    citing = dict.fromkeys(claim for claim, cited in outcome.stated or () if document in cited)
    return f"{seen or 'not retrieved'}; cited by {named(citing) or 'no claim'}"


def _texts(comparison: Comparison, detail: Detail, document: str, width: int) -> Iterator[Line]:
    """Yield what each run was given of a document, else what the corpus holds."""
    given: dict[str, list[str]] = {}
    for side in Side:
        items = (item for record in detail.records[side] for item in record.retrieved or ())
        for item in items:
            if item.id == document and item.text is not None:
                given.setdefault(item.text, []).append(side.letter)
    known = comparison.evidence.document(document)
    if not given and known is not None:
        given = {known.text: []}
    for text, letters in given.items():
        told = " and ".join(dict.fromkeys(letters))
        words = f"as delivered in {told}:" if told else "from the corpus, not recorded:"
        yield line("    ", Span(words, "faint"))
        for row in wrap(clean(text, multiline=True), max(1, width - 6)):
            yield line("      ", row)
