"""Disputed labels in a note: what hangs on them, and how far the reviewers of the set agree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ragtui.core.dispute_words import (
    MAIN,
    UNREVIEWED,
    agreement_words,
    endings,
    open_words,
    range_lines,
    verdicts_words,
)
from ragtui.core.entries import measure_entries
from ragtui.notes.document import (
    NOTHING,
    Column,
    Heading,
    Listing,
    Paragraph,
    Table,
    Tone,
    data,
    joined,
    listed,
    named,
    text,
    words,
)
from ragtui.text import plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ragtui.core.agreement import Agreement
    from ragtui.core.comparison import Comparison
    from ragtui.core.entries import Entry
    from ragtui.core.labels import Dispute
    from ragtui.notes.document import Block, Text
    from ragtui.notes.subject import Subject

__all__ = ["agreement_entries", "dispute_blocks", "dispute_texts", "labelling_entries"]

MOST_ROWS: Final = 200
"""Disputed questions of the table, before the rest is a count."""


def dispute_texts(comparison: Comparison) -> Iterator[Text]:
    """Yield which labels are in dispute, and which verdicts depend on whose are right."""
    disputes = comparison.disputes
    if not disputes:
        return
    ids = named(comparison.ids[index] for index in sorted(disputes))
    told = f" on {plural(len(disputes), 'question')}, scored under the main labels: "
    yield text(words("Labels in dispute", Tone.ABSENT), told, ids, ".")
    still_open = [index for index in sorted(disputes) if disputes[index].is_open]
    if not still_open:
        yield text("No verdict depends on whose disputed labels are right.")
        return
    parts = (
        text(data(comparison.ids[index]), f" ({verdicts_words(disputes[index])})")
        for index in still_open
    )
    told = f"{plural(len(still_open), 'verdict')} that would be another under a review: "
    yield text(words("Label open", Tone.ABSENT), f", {told}", listed(parts), ".")


def dispute_blocks(subject: Subject) -> Iterator[Block]:
    """Yield every disputed question under all its labels, then the agreement of the reviewers."""
    comparison = subject.comparison
    found = subject.listed(sorted(comparison.disputes))
    if not found and not comparison.agreements:
        return
    yield Heading(text("Disputed labels and agreement"))
    if found:
        yield Paragraph(
            text(
                "A and B are scored under the same labels each time: the main ones, and each"
                " review's. A range runs from the lowest to the highest value."
            ),
            Tone.FAINT,
        )
        columns = (Column("question"), Column("verdict"), Column("under"), Column("ranges"))
        rows = (_row(comparison, index) for index in found[:MOST_ROWS])
        yield Table(columns, tuple(rows))
    if len(found) > MOST_ROWS:
        rest = plural(len(found) - MOST_ROWS, "question")
        yield Paragraph(text(f"{rest} more; all stand in the note as JSON."))
    if comparison.agreements:
        yield Listing(tuple(_agreement(one) for one in comparison.agreements))


def _row(comparison: Comparison, index: int) -> tuple[Text, ...]:
    dispute = comparison.disputes[index]
    verdict = words(verdicts_words(dispute))
    if dispute.is_open:
        verdict = words(open_words(dispute), Tone.ABSENT)
    ranges = [
        text(f"{found.written} A {found.a}, B {found.b}, Δ {found.moved}")
        for found in range_lines(dispute, comparison.measures, comparison.cutoff)
        if found.depends
    ]
    return (
        text(data(comparison.ids[index], Tone.STRONG)),
        text(verdict),
        _under(dispute),
        joined(ranges, "; ") or NOTHING,
    )


def _under(dispute: Dispute) -> Text:
    """Return how the question ends, and under whose labels."""
    parts = (
        text(
            f"{ending} under ",
            listed(text(f"the {MAIN}") if one is None else text(data(one)) for one in reviewers),
        )
        for ending, reviewers in endings(dispute).items()
    )
    return text(joined(parts, "; "), "" if dispute.reviewed else f"; {UNREVIEWED}")


def _agreement(agreement: Agreement) -> Text:
    told = agreement_words(agreement)
    parts = (
        text(data(one.reviewer), f" {one.yes:,} of {one.judged:,}") for one in agreement.marginals
    )
    return text(f"{told[:1].upper()}{told[1:]}; yes from ", listed(parts), ".")


# ---------------------------------------------------------------- for programs


def labelling_entries(comparison: Comparison, index: int) -> list[Entry]:
    """Return one disputed question under its main labels, then under each review."""
    return [
        {
            "reviewer": one.reviewer,
            "verdict": one.verdict.value,
            "severity": None if one.severity is None else one.severity.name,
            "measures": measure_entries(comparison, *((one.facts, side) for side in one.counts)),
        }
        for one in comparison.disputes[index].labellings
    ]


def agreement_entries(comparison: Comparison) -> list[Entry]:
    """Return how far the reviewers agree, a part of the labels each."""
    return [
        {
            "part": one.part.value,
            "n": one.n,
            "raw": float(one.raw),
            "statistic": one.statistic,
            "value": None if one.value is None else float(one.value),
            "reviewers": [
                {"reviewer": of.reviewer, "yes": of.yes, "judged": of.judged}
                for of in one.marginals
            ],
        }
        for one in comparison.agreements
    ]
