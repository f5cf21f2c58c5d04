"""
One question as text: verdict, causes, context, claims, and every score derived.

Ids, ranks, labels and counts are shown; the texts of documents and answers are not, except those
of restricted documents, when somebody asks for them to look into a disclosure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ragtui.cli.comparison_text import VERDICT_ROLE
from ragtui.cli.disputes_text import labelling_lines
from ragtui.cli.headers import notice_lines, run_words, set_words
from ragtui.cli.layout import Column, labelled, paragraph, section, table
from ragtui.cli.output import BLANK, Span, line
from ragtui.cli.restricted_text import restricted_lines
from ragtui.core.change import MeasureChange
from ragtui.core.change_words import alternatives_words, named
from ragtui.core.contract import State
from ragtui.core.dispute_words import review_words
from ragtui.core.evidence import Side
from ragtui.core.explain import (
    CANNOT_JUDGE,
    claim_lines,
    expected_lines,
    explain,
    repeat_number,
)
from ragtui.core.figures import NA, VERDICT_GLYPH
from ragtui.core.model import PUBLIC, Status, Unit

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ragtui.cli.layout import Cell
    from ragtui.cli.output import Line
    from ragtui.core.comparison import Comparison, Detail
    from ragtui.core.explain import ClaimLine, Explanation, MeasureExplanation
    from ragtui.core.model import Question, Retrieved

__all__ = ["explanation_lines"]


def explanation_lines(comparison: Comparison, detail: Detail, width: int) -> Iterator[Line]:
    """Yield everything about one question."""
    found = explain(comparison, detail)
    yield from _head(comparison, detail, width)
    yield BLANK
    yield from _verdict(found, width)
    yield from section("Know this first", notice_lines(comparison.notices, width))
    yield from section("Labels", _label_lines(detail.question, width))
    if detail.dispute is not None:
        lines = labelling_lines(comparison, detail.dispute, width)
        yield from section("Labels in dispute", lines)
    for side, one, title in _sides(detail):
        lines = _context_lines(comparison, one, side, width)
        yield from section(f"{title} retrieved", lines)
    for side, one, title in _sides(detail):
        claims = claim_lines(one.question, one.outcome(side))
        yield from section(f"{title} stated", _claim_lines(one, side, claims, width))
    yield from section("Expected claims", _expected(detail, width))
    yield from section("Restricted documents", restricted_lines(comparison, detail, width))
    yield from section("Scores", _score_lines(found, width))


def _sides(detail: Detail) -> Iterator[tuple[Side, Detail, str]]:
    """Yield each record of A, then each of B, and what it is called."""
    for side in Side:
        outcome = detail.outcome(side)
        for position in range(len(outcome.each)):
            many = f" repeat {repeat_number(outcome, position)}" if outcome.repeats else ""
            yield side, detail.repeat(position), f"{side.letter}{many}"


def _head(comparison: Comparison, detail: Detail, width: int) -> Iterator[Line]:
    question = detail.question
    yield line("question ", Span(question.id, "strong"))
    if question.text is not None:
        yield from paragraph(question.text, width, indent=2)
    unit = comparison.baseline.info.unit
    info, standing = comparison.set_info, comparison.standing
    words = set_words(info, len(comparison), comparison.cutoff, unit, standing)
    yield from paragraph(words, width)
    for side in Side:
        yield from paragraph(run_words(comparison.run(side).info), width, first=f"{side.letter}   ")


def _verdict(found: Explanation, width: int) -> Iterator[Line]:
    role = VERDICT_ROLE[found.verdict]
    first, *more = paragraph(f"{VERDICT_GLYPH[found.verdict]} {found.sentence}", width)
    yield from (tuple(Span(span.text, role) for span in spans) for spans in (first, *more))
    rows = []
    if found.severity is not None and found.severity_words is not None:
        rows.append((found.severity.name, found.severity_words))
    rows += [("often", words) for words in found.frequencies]
    rows += [("cause", words) for _, words in found.causes]
    rows += [("note", words) for words in found.flags]
    yield from labelled(rows, width)


# ---------------------------------------------------------------- labels


def _label_lines(question: Question, width: int) -> Iterator[Line]:
    rows = [("relevant", _documents(question.relevant, "none: the question is unanswerable"))]
    if question.not_relevant is not None:
        rows.append(("not relevant", _documents(question.not_relevant, "none")))
    if question.grades:
        grades = named(f"{doc} {grade}" for doc, grade in question.grades.items())
        rows.append(("grades", grades))
    for claim, alternatives in (question.accepted or {}).items():
        rows.append(("accepted", f"{claim} is supported by {alternatives_words(alternatives)}"))
    if question.tags:
        rows.append(("tags", ", ".join(question.tags)))
    if question.critical:
        rows.append(("critical", "must not break"))
    if question.caller != (PUBLIC,):
        rows.append(("caller", ", ".join(question.caller)))
    if question.status is not Status.AGREED:
        rows.append(("status", question.status.value))
    rows += [("review", review_words(review)) for review in question.reviews]
    yield from labelled(rows, width)


def _documents(ids: Sequence[str] | None, none: str) -> str:
    return "not labelled" if ids is None else named(ids) or none


# ---------------------------------------------------------------- context


def _context_lines(
    comparison: Comparison, detail: Detail, side: Side, width: int
) -> Iterator[Line]:
    record = detail.record(side)
    items = None if record is None or record.error is not None else record.retrieved
    if not items:
        words = "nothing" if items is not None else _absent_words(detail, side, "retrieval")
        yield line("  ", Span(words, "mixed"))
        return
    columns = [
        Column("rank", align="right"),
        Column(""),
        Column("document", shrinks=True),
        Column("chunk", shrinks=True),
        Column("", wraps=True),
    ]
    rows = list(_context_rows(comparison, detail, side, items))
    if comparison.run(side).info.unit is not Unit.CHUNK:
        del columns[3]
        rows = [(*row[:3], row[4]) for row in rows]
    yield from table(columns, rows, width)


def _context_rows(
    comparison: Comparison, detail: Detail, side: Side, items: Sequence[Retrieved]
) -> Iterator[tuple[Cell, ...]]:
    """Yield the retrieved items best first, with a line where the visible context ends."""
    seen: set[str] = set()
    for rank, item in enumerate(items, 1):
        if rank == comparison.cutoff + 1:
            words = f"cutoff k {comparison.cutoff}: what follows is not visible"
            yield "──", "", "", "", Span(words, "faint")
        relevant = item.id in (detail.question.relevant or ())
        mark = Span("●", "better") if relevant else ""
        words = "; ".join(_item_words(comparison, detail, side, item, seen))
        yield str(rank), mark, item.id, item.chunk or "", words
        seen.add(item.id)


def _item_words(
    comparison: Comparison, detail: Detail, side: Side, item: Retrieved, seen: set[str]
) -> Iterator[str]:
    question, access = detail.question, comparison.scorer.access
    if access is not None and access.restricted(item.id, question.caller):
        yield "restricted"
    yield _relevance(question, item.id)
    if item.id in seen:
        yield "repeats a document above"
    citing = [claim for claim, cited in detail.outcome(side).stated or () if item.id in cited]
    if citing:
        yield f"cited by {named(citing)}"
    known = comparison.evidence.document(item.id)
    if item.version is not None and known is not None and item.version != known.version:
        yield f"delivered in version {item.version}, the corpus has {known.version or 'none'}"


def _relevance(question: Question, document: str) -> str:
    if question.relevant is None:
        return "relevance not labelled"
    grade = (question.grades or {}).get(document)
    graded = "" if grade is None else f", grade {grade}"
    if document in question.relevant:
        return f"relevant{graded}"
    if document in (question.not_relevant or ()):
        return f"judged not relevant{graded}"
    return f"not labelled relevant{graded}"


def _absent_words(detail: Detail, side: Side, what: str) -> str:
    state = detail.outcome(side).counts.state
    if state is State.MISSING:
        return "no record of this question"
    if state is State.FAILED:
        record = detail.record(side)
        return f"failed: {record.error if record is not None else ''}"
    verb = "were" if what == "claims" else "was"
    return f"{what} {verb} not recorded"


# ---------------------------------------------------------------- claims


def _claim_lines(
    detail: Detail, side: Side, claims: Sequence[ClaimLine], width: int
) -> Iterator[Line]:
    if not claims:
        abstained = detail.outcome(side).abstained
        words = "no claim" if abstained else _absent_words(detail, side, "claims")
        yield line("  ", Span(words, "mixed"))
        return
    columns = [Column(""), Column("", shrinks=True), Column("", wraps=True)]
    yield from table(columns, (_claim_row(claim) for claim in claims), width)


def _claim_row(claim: ClaimLine) -> Sequence[Cell]:
    mark = _CLAIM_MARK[claim.supported]
    words = claim.words.removeprefix(f"{claim.claim} ")
    if claim.supported is None:
        words = f"cites {named(claim.citations) or 'nothing'}; {CANNOT_JUDGE}"
    return mark, claim.claim, words


_CLAIM_MARK: Final = {
    True: Span("supported", "better"),
    False: Span("unsupported", "worse"),
    None: Span("?", "mixed"),
}


def _expected(detail: Detail, width: int) -> Iterator[Line]:
    a, b = (expected_lines(detail.question, detail.outcome(side)) for side in Side)
    columns = [
        Column("claim", shrinks=True),
        Column("supported by", shrinks=True),
        Column("A"),
        Column("B"),
        Column("wording", wraps=True),
    ]
    wording = detail.question.claims
    rows = (
        (left.claim, left.support, left.made, right.made, wording.get(left.claim, ""))
        for left, right in zip(a, b, strict=True)
    )
    yield from table(columns, rows, width)


# ---------------------------------------------------------------- scores


def _score_lines(found: Explanation, width: int) -> Iterator[Line]:
    columns = [
        Column("measure"),
        Column(""),
        Column("value", align="right"),
        Column("", wraps=True),
    ]
    rows = (row for measure in found.measures for row in _score_rows(measure))
    yield from table(columns, rows, width)


def _score_rows(measure: MeasureExplanation) -> Iterator[Sequence[Cell]]:
    """Yield A, B and the difference; one row where neither has a value for the same reason."""
    text, a, b = measure.line, measure.baseline, measure.candidate
    if a.value == b.value and a.figure == NA:
        yield text.written, "A B", NA, a.words
        return
    yield text.written, "A", a.figure, a.words
    yield "", "B", b.figure, b.words
    yield "", "Δ", Span(text.moved, _CHANGE_ROLE.get(text.change, "faint")), measure.change_words


_CHANGE_ROLE: Final = {
    MeasureChange.IMPROVED: "better",
    MeasureChange.REGRESSED: "worse",
    MeasureChange.BECAME_NA: "mixed",
    MeasureChange.BECAME_DEFINED: "mixed",
    MeasureChange.MISSING: "mixed",
}
