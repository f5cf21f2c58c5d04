"""What every number of a note means, what was not measured, and what the note was made from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ragtui.core.evidence import Side
from ragtui.core.interval import MIN_CHANGED, MIN_PAIRS
from ragtui.core.measures import MEASURES, Form
from ragtui.core.model import CONTRACT, ClaimIds
from ragtui.core.pairing import unrecorded_facts
from ragtui.core.value import Absence, NotAvailable
from ragtui.notes.document import (
    NOTHING,
    Column,
    Facts,
    Heading,
    Listing,
    Paragraph,
    Row,
    Table,
    Tone,
    data,
    joined,
    text,
    words,
)
from ragtui.notes.policy import ruling_identity
from ragtui.text import plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ragtui.core.comparison import Comparison, SideRun
    from ragtui.core.measures import Measure
    from ragtui.notes.document import Block, Text
    from ragtui.notes.subject import Subject

__all__ = ["NOT_MEASURED", "definition_blocks", "identity_blocks", "unmeasured_blocks"]

NOT_MEASURED: Final = (
    "Scores come from annotated claim ids; no text was judged by this program.",
    "Clarity, usefulness, and whether the labels are true were not measured.",
)

AGGREGATIONS: Final = (
    ("own mean", "mean of one run over the questions that have a value in it"),
    ("paired mean", "mean of one run over the n questions that have a value in A and in B"),
    ("Δ", "mean of B − A over the same n questions, the headline; own means are never subtracted"),
    ("pooled", "sum of numerators / sum of denominators of one run, each over its own questions"),
    ("▲ ▼ =", "questions with a value in both: better in B, worse in B, the same"),
    ("→n/a n/a→ n/a", "questions with a value in A alone, in B alone, in neither"),
    ("missing", "questions on which a value was possible and A or B failed or recorded nothing"),
    (
        "interval",
        (
            "padded t interval of Δ: one imaginary difference of +1 and one of −1 are added to the"
            " spread alone; clipped to −1 … +1; over clusters where questions declare them. It"
            " speaks of other questions like these, not of wrong labels"
        ),
    ),
    (
        "in words",
        (
            "higher or lower in B: the interval excludes 0 and an exact sign-flip test agrees; else"
            f" not resolved. Under {MIN_PAIRS} questions neither is worked out; under {MIN_CHANGED}"
            " changed ones no direction can be called"
        ),
    ),
)

SEVERITIES: Final = (
    ("S0", "B discloses restricted material"),
    ("S1", "the answer to a critical question got worse, or an unanswerable one is answered anew"),
    (
        "S2",
        "a new unsupported claim on an answerable question, or no expected claim left supported",
    ),
    ("S3", "a claim lost while others are supported, or more unsupported on an unanswerable one"),
    ("S4", "retrieval got worse and the answer did not get better"),
)

ABSENCES: Final = (
    (Absence.STRUCTURAL, "the question cannot have a value, whatever a run does; out of all means"),
    (Absence.BEHAVIOURAL, "the run left nothing to measure; out of means, counted as a transition"),
    (Absence.MISSING, "not recorded, not labelled, or failed; out of means, counted, bounds shown"),
)


def definition_blocks(comparison: Comparison) -> Iterator[Block]:
    """Yield the definition of every measure, aggregation, severity and n/a rule used."""
    yield Heading(text("Definitions"))
    columns = (
        Column("measure"), Column("is"), Column("numerator"), Column("denominator"),
        Column("n/a when"),
    )  # fmt: skip
    yield Table(columns, tuple(_measure_row(m, comparison.cutoff) for m in comparison.measures))
    yield Paragraph(
        text(
            "Each is also n/a where what it needs was not recorded or labelled, failed or missing."
        )
    )
    yield Heading(text("How questions are put together"), 3)
    yield Facts(tuple(Row(name, text(told)) for name, told in AGGREGATIONS))
    yield Heading(text("When there is no value"), 3)
    yield Facts(tuple(Row(kind.value, text(told)) for kind, told in ABSENCES))
    yield Heading(text("What a change is called"), 3)
    yield Paragraph(
        text(
            "regressed, improved, mixed: by the sets of claims supported and of relevant documents"
            " visible, so that no swap hides behind an equal ratio; by the answer first, and by"
            " retrieval alone where the answer is unchanged. A claim is supported when it cites at"
            " least one document, every document it cites is labelled for it and visible, and one"
            " alternative of its labels is cited whole."
        )
    )
    yield Facts(tuple(Row(level, text(told)) for level, told in SEVERITIES))
    yield Paragraph(
        text(
            "A change with a severity needs a decision: accept, block, or dispute the label."
            " Investigate leaves it undecided. A decision goes stale when the question, its labels,"
            " either record, the cutoff, the unit or the contract is another."
        )
    )


def _measure_row(measure: Measure, cutoff: int) -> tuple[Text, ...]:
    ratio = measure.form in {Form.RATIO, Form.RECIPROCAL, Form.REAL}
    return (
        text(words(measure.written(cutoff), Tone.STRONG)),
        text(measure.definition),
        text(measure.numerator),
        text(measure.denominator) if ratio else NOTHING,
        text(_na_words(measure)),
    )


def _na_words(measure: Measure) -> str:
    """Say when a measure has no value though everything was recorded and labelled."""
    if measure.key == "support":
        return "the answer makes no claims"
    if measure.key == "judged":
        return "nothing was retrieved"
    return "" if measure.na_when is None else _STRUCTURAL[measure.na_when]


_STRUCTURAL: Final = {
    NotAvailable.UNANSWERABLE: "the question is unanswerable",
    NotAvailable.ANSWERABLE: "the question is answerable",
    NotAvailable.NO_PERMISSIONS: "the set declares no permissions",
}


def unmeasured_blocks(subject: Subject) -> Iterator[Block]:
    """Yield what nobody measured or recorded."""
    comparison = subject.comparison
    yield Heading(text("Not measured"))
    items = [text(sentence) for sentence in NOT_MEASURED]
    absent = [m for m in MEASURES if m not in comparison.measures]
    if absent:
        names = ", ".join(measure.written(comparison.cutoff) for measure in absent)
        items.append(text(f"Not in use, as the set's labels do not make them possible: {names}."))
    if not comparison.scorer.claims_match:
        items.append(
            text(
                "Claims are each run's own sentences, not matched between A and B: only the number"
                " of unsupported ones is compared."
            )
        )
    for side in Side:
        told = _unrecorded(comparison.run(side))
        if told:
            items.append(text(f"Not recorded in {side.letter}: {told}."))
    yield Listing(tuple(items))


def _unrecorded(run: SideRun) -> str:
    recorded = run.recorded
    facts = unrecorded_facts(
        run.info, answers=recorded.answers > 0, delivered_texts=recorded.delivered_texts > 0
    )
    return ", ".join(facts)


# ---------------------------------------------------------------- identity


def identity_blocks(subject: Subject) -> Iterator[Block]:
    """Yield what the note was made from, in identifiers and digests, and by what."""
    yield Heading(text("Identifiers"))
    yield Facts(tuple(_identity_rows(subject)))


def _identity_rows(subject: Subject) -> Iterator[Row]:
    comparison = subject.comparison
    info = comparison.set_info
    frozen = "frozen" if info.frozen else "not frozen"
    digest = text("sha256 ", data(info.sha256)) if info.sha256 else text("no digest")
    yield Row("set", text(data(info.id), " ", data(info.version), f" · {frozen} · ", digest))
    if comparison.standing is not None:
        yield Row("held-out", text(comparison.standing.words))
    labels = [
        text(f"{name} ", data(told))
        for name, told in (("rubric", info.rubric), ("corpus", info.corpus_version))
        if told is not None
    ]
    if labels:
        yield Row("labels", joined(labels, " · "))
    for side in Side:
        yield from _run_rows(side, comparison.run(side))
    yield from ruling_identity(subject.ruling)
    decisions = len(subject.decisions)
    yield Row("decisions", text(plural(decisions, "decision") if decisions else "none"))
    yield Row("contract", text(data(info.contract)))
    yield Row("program", text("ragtui ", data(subject.request.version), f" for {CONTRACT}"))


def _run_rows(side: Side, run: SideRun) -> Iterator[Row]:
    info, letter = run.info, side.letter
    pinned = "pinned to the set" if info.pinned else "not pinned to the set"
    yield Row(f"run {letter}", text(data(info.id), f" · {pinned}"))
    digest = (
        text("sha256 ", data(info.records_sha256)) if info.records_sha256 else text("no digest")
    )
    told = f"{plural(run.recorded.records, 'record')}, {run.recorded.failed:,} failed · "
    yield Row(f"records {letter}", text(told, digest))
    annotation = info.annotation
    how = "rubric" if annotation.claim_ids is ClaimIds.RUBRIC else "this run's own"
    by = text(data(annotation.claims_by)) if annotation.claims_by else text("not recorded")
    yield Row(f"claims {letter}", text("annotated by ", by, f" · ids: {how}"))
