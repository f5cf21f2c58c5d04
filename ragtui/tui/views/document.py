"""One document: the text each run delivered, where it comes from, and how the two differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ragtui.core.change_words import named
from ragtui.core.evidence import Side
from ragtui.text import clean
from ragtui.tui.spans import BLANK, Line, Span, beside, cut_line, line_of, span
from ragtui.tui.views.layout import LABEL_WIDTH, flow, labelled, prose, section
from ragtui.tui.views.texts import delivered, delivered_text, withheld_words
from ragtui.tui.views.worddiff import Kind, word_diff

if TYPE_CHECKING:
    from ragtui.core.comparison import Comparison, Detail
    from ragtui.core.model import Document
    from ragtui.tui.views.texts import Delivered

__all__ = ["document_lines", "document_title"]

SIDE_BY_SIDE_FROM: Final = 60
"""Width from which A and B stand side by side."""

_RULE: Final = Span(" │ ", "rule")

# Neither side is better: the colours of worse and better are not for texts.
_MARKS: Final = {
    Kind.BOTH: ("", "", "plain"),
    Kind.ONLY_A: ("[−", "−]", "muted strike"),
    Kind.ONLY_B: ("{+", "+}", "strong underline"),
}


def document_title(detail: Detail, document: str) -> Line:
    """Return the title: the document, its label, the question it was retrieved for."""
    relevant = detail.question.relevant
    label = (
        "relevance not labelled"
        if relevant is None
        else ("● relevant" if document in relevant else "○ not labelled relevant")
    )
    return line_of(
        span(document, "title"),
        Span(f" · {label}", "accent" if relevant and document in relevant else "muted"),
        Span(" · ", "faint"),
        span(detail.question.id, "muted"),
    )


def document_lines(
    comparison: Comparison, detail: Detail, document: str, *, width: int, difference: bool
) -> list[Line]:
    """
    Return where a document stands in both runs and its text.

    No line is wider than *width* cells. *difference* asks for the difference word by word where
    both texts were recorded. The text of a document that is closed to the question's caller is
    not shown.
    """
    lines = _lines(comparison, detail, document, width, difference=difference)
    return [cut_line(line, width) for line in lines]


def _lines(
    comparison: Comparison, detail: Detail, document: str, width: int, *, difference: bool
) -> list[Line]:
    known = comparison.evidence.document(document)
    hidden = comparison.hides_document(detail.question, document)
    lines = [*_source(known, width, hidden=hidden)]
    lines += _places(comparison, detail, document, width)
    lines += [*_claims(detail, document, width), BLANK]
    if hidden:
        words = withheld_words(detail.question.caller)
        return [*lines, *flow([span(words, "attention")], width)]
    texts = [delivered_text(detail, side, document) for side in Side]
    if difference and texts[0] is not None and texts[1] is not None:
        return [*lines, *_difference(texts[0], texts[1], width)]
    return [*lines, *_texts(texts, known, width)]


def _source(known: Document | None, width: int, *, hidden: bool) -> list[Line]:
    """Return what the corpus says of a document; of a hidden one only who may read it."""
    room = max(1, width - LABEL_WIDTH)
    if known is None:
        words = "no such document in the corpus, or the corpus is open"
        return labelled("corpus", flow([Span(words, "muted")], room))
    facts = [
        ("title", None if hidden else known.title),
        ("source", None if hidden else known.source),
        ("version", known.version),
        ("readers", None if known.groups is None else ", ".join(known.groups) or "nobody"),
    ]
    lines: list[Line] = []
    for name, text in facts:
        if text is not None:
            lines += labelled(name, flow([span(text, "plain")], room))
    return lines


def _places(comparison: Comparison, detail: Detail, document: str, width: int) -> list[Line]:
    lines: list[Line] = []
    for side in Side:
        items = delivered(detail, side, document)
        words = "; ".join(_place(found, comparison.cutoff) for found in items) or "not retrieved"
        rows = flow([span(words, "plain" if items else "faint")], max(1, width - LABEL_WIDTH))
        lines += labelled(f"in {side.letter}", rows)
    return lines


def _claims(detail: Detail, document: str, width: int) -> list[Line]:
    """Say which claims the document supports by label, and which cite it."""
    room = max(1, width - LABEL_WIDTH)
    permitted = {**(detail.question.accepted or {}), **(detail.question.support or {})}
    supported = [c for c, sets in permitted.items() if any(document in needed for needed in sets)]
    lines: list[Line] = []
    if permitted:
        words = span(named(supported) or "no claim", "plain" if supported else "faint")
        lines += labelled("supports", flow([words], room))
    for side in Side:
        stated = detail.outcome(side).stated or ()
        citing = [claim for claim, cited in stated if document in cited]
        if citing:
            words = span(f"{side.letter} for {named(citing)}")
            lines += labelled("cited in", flow([words], room))
    return lines


def _place(found: Delivered, cutoff: int) -> str:
    item = found.item
    parts = [f"rank {found.rank}" + ("" if found.rank <= cutoff else ", not visible")]
    if item.chunk is not None:
        parts.append(f"chunk {item.chunk}")
    if item.version is not None:
        parts.append(f"version {item.version}")
    if item.score is not None:
        parts.append(f"score {item.score:g}")
    return " · ".join(parts)


def _texts(texts: list[str | None], known: Document | None, width: int) -> list[Line]:
    """Return both texts, the one text where both are the same, or the corpus's."""
    if texts == [None, None]:
        return _corpus_text(known, width)
    if texts[0] == texts[1] and texts[0] is not None:
        title = section((Span("delivered, the same in A and B", "muted"),), width)
        return [title, *prose(texts[0], width)]
    if width < SIDE_BY_SIDE_FROM:
        return [*_column(texts[0], "A", width), *_column(texts[1], "B", width)]
    left = (width - len(_RULE.text)) // 2
    right = width - len(_RULE.text) - left
    return beside(_column(texts[0], "A", left), _column(texts[1], "B", right), (left, right), _RULE)


def _column(text: str | None, letter: str, width: int) -> list[Line]:
    title = section((Span(f"delivered in {letter}", "muted"),), width)
    if text is None:
        return [title, *flow([Span("not recorded, or not retrieved", "faint")], width)]
    return [title, *prose(text, width)]


def _corpus_text(known: Document | None, width: int) -> list[Line]:
    if known is None:
        return flow([Span("its text was not recorded", "muted")], width)
    title = section((Span("from the corpus, not recorded", "attention"),), width)
    return [title, *prose(known.text, width)]


def _difference(a: str, b: str, width: int) -> list[Line]:
    """Return one text in which what only A or only B says is marked, with signs and colours."""
    heading = line_of(
        Span("[−only in A−]", _MARKS[Kind.ONLY_A][2]),
        Span(" "),
        Span("{+only in B+}", _MARKS[Kind.ONLY_B][2]),
    )
    lines = [section(heading, width)]
    row: list[Span] = []
    for piece in word_diff(a, b):
        before, after, role = _MARKS[piece.kind]
        shown = f"{before}{clean(piece.text, multiline=True)}{after}"
        first, *others = shown.split("\n")
        row.append(Span(first, role))
        for part in others:
            lines += flow(row, width)
            row = [Span(part, role)]
    return [*lines, *flow(row, width)]
