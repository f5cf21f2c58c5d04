"""One scored run as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragtui.cli.headers import notice_lines, run_words, set_words
from ragtui.cli.layout import Column, paragraph, section, table
from ragtui.cli.output import Span
from ragtui.core.change_words import claim_words
from ragtui.core.contract import State, labels_of
from ragtui.core.evidence import Side
from ragtui.core.figures import NONE, amount, count_of, mean_text, share_text, value_text
from ragtui.core.measures import Form
from ragtui.core.value import NotAvailable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ragtui.cli.layout import Cell
    from ragtui.cli.output import Line
    from ragtui.core.aggregate import Own
    from ragtui.core.measures import Measure
    from ragtui.core.run import ScoredRun
    from ragtui.core.value import Value

__all__ = ["own_text", "score_lines"]


def score_lines(run: ScoredRun, width: int) -> Iterator[Line]:
    """Yield what was scored, each question, each unsupported claim, and the own means."""
    unit = run.run.info.unit
    words = set_words(run.set_info, len(run.ids), run.cutoff, unit, run.standing)
    yield from paragraph(words, width)
    yield from paragraph(run_words(run.run.info), width, first="run ")
    yield from section("Know this first", notice_lines(run.notices, width))
    if not run.withholds_questions:
        yield from section("Scores", _score_table(run, width))
        yield from section("Unsupported claims", _unsupported(run, width))
    yield from section("Own means, over the questions that have a value", _own_table(run, width))


def _score_table(run: ScoredRun, width: int) -> Iterator[Line]:
    longest = max(map(len, run.ids), default=0)
    whole = run.run.columns.states()[State.SCORED] == len(run.ids)
    columns = [
        Column("question", least=min(longest, 24), shrinks=True),
        *([] if whole else [Column("state")]),
        *(Column(measure.written(run.cutoff), align="right") for measure in run.measures),
    ]
    yield from table(
        columns, (list(_scores(run, index, whole)) for index in range(len(run.ids))), width
    )


def _scores(run: ScoredRun, index: int, whole: bool) -> Iterator[Cell]:  # noqa: FBT001 - private
    yield run.ids[index]
    if not whole:
        state = run.run.columns.counts(index).state
        yield Span(state.word, "" if state is State.SCORED else "mixed")
    for measure in run.measures:
        yield _value_cell(run.run.columns.value(measure, index, run.cutoff), measure)


def _value_cell(value: Value, measure: Measure) -> Cell:
    text = value_text(value, measure)
    return Span(text, "faint") if isinstance(value, NotAvailable) else text


def _unsupported(run: ScoredRun, width: int) -> Iterator[Line]:
    columns = [Column("question", shrinks=True), Column("why", wraps=True)]
    yield from table(columns, _unsupported_rows(run), width)


def _unsupported_rows(run: ScoredRun) -> Iterator[tuple[Cell, Cell]]:
    """Read again only the questions that have an unsupported claim."""
    for index, question_id in enumerate(run.ids):
        counts = run.run.columns.counts(index)
        if all(one.claims == one.supported for one in counts.each):
            continue
        question = run.evidence.question(index)
        records = run.evidence.repeats(Side.BASELINE, index)
        (outcome,) = run.scorer.score(question, records).outcomes
        permitted = labels_of(question).permitted or {}
        told = [
            claim_words(claim, permitted, set(one.visible or ()))
            for one in outcome.each
            for claim in one.claims or ()
            if claim.reason is not None
        ]
        yield from ((question_id, words) for words in dict.fromkeys(told))


def _own_table(run: ScoredRun, width: int) -> Iterator[Line]:
    found = [(measure, run.own(measure)) for measure in run.measures]
    columns = [
        Column("measure"),
        *(Column(title, align="right") for title in ("mean", "n", "n/a", "missing")),
        # Below the mean if all that is missing scored 0, above it if all scored 1.
        *([Column("bounds")] if any(own.missing for _, own in found) else []),
    ]
    yield from table(columns, (_own_row(run, *each)[: len(columns)] for each in found), width)


def _own_row(run: ScoredRun, measure: Measure, own: Own) -> list[Cell]:
    known = own.missing and own.low is not None
    return [
        measure.written(run.cutoff),
        own_text(own, measure),
        count_of(own.n),
        count_of(own.na),
        count_of(own.missing),
        f"{mean_text(own.low)} to {mean_text(own.high)}" if known else "",
    ]


def own_text(own: Own, measure: Measure) -> str:
    """
    Return a run's own figure: a mean, the share that says yes, or a sum.

    >>> from fractions import Fraction
    >>> from ragtui.core.aggregate import Own
    >>> from ragtui.core.measures import measure_named
    >>> own = Own(mean=Fraction(1, 2), n=4, na=0, missing=0, low=None, high=None, num=2, den=4)
    >>> own_text(own, measure_named("support")), own_text(own, measure_named("abstention"))
    ('0.50', '2/4')
    """
    if not own.n:
        return NONE
    if measure.form is Form.YES_NO:
        return share_text(own)
    return amount(own.num) if measure.form is Form.COUNT else mean_text(own.mean)
