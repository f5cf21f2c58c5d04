"""
Two compared runs as text, in the order a reader needs it.

What is compared and how it ended; what to know before trusting it; what got worse, worst first;
what got better; then the measures, the slices, what has no value and why, what changed between the
runs, and what nobody measured.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Final

from ragtui.cli.disputes_text import ATTENTION, dispute_lines
from ragtui.cli.headers import notice_lines, run_words, set_words
from ragtui.cli.layout import Column, labelled, paragraph, section, table
from ragtui.cli.measures_text import measure_sections
from ragtui.cli.output import BLANK, Span, line
from ragtui.cli.policy_text import policy_sections
from ragtui.cli.slices_text import slice_lines
from ragtui.core.cause_words import cause_words
from ragtui.core.change import Verdict
from ragtui.core.change_words import named, verdict_sentence, verdict_words
from ragtui.core.dispute_words import open_words
from ragtui.core.evidence import Side
from ragtui.core.figures import VERDICT_GLYPH, count_of
from ragtui.core.pairing import unrecorded_facts
from ragtui.core.triage import Choice, Standing, Triage
from ragtui.core.value import Absence
from ragtui.text import plural

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from ragtui.cli.filtering import Listed
    from ragtui.cli.layout import Cell
    from ragtui.cli.output import Line
    from ragtui.core.columns import ChangeRow
    from ragtui.core.comparison import AbsenceRow, Comparison
    from ragtui.core.gate import Ruling
    from ragtui.core.pairing import Setting
    from ragtui.core.triage import Decision
    from ragtui.core.value import NotAvailable

__all__ = ["NOT_MEASURED", "VERDICT_ROLE", "comparison_lines"]

NOT_MEASURED: Final = (
    "Scores come from annotated claim ids; no text was judged by this program.",
    "Clarity, usefulness, and whether the labels are true were not measured.",
)

VERDICT_ROLE: Final = {
    Verdict.REGRESSED: "worse",
    Verdict.MIXED: "mixed",
    Verdict.IMPROVED: "better",
    Verdict.UNCHANGED: "faint",
    Verdict.NOT_COMPARABLE: "mixed",
}


def comparison_lines(
    comparison: Comparison,
    shown: Listed,
    width: int,
    *,
    triage: Triage | None = None,
    ruling: Ruling | None = None,
) -> Iterator[Line]:
    """Yield the whole comparison; *shown* restricts the questions that are listed."""
    triage = triage or Triage(comparison, {})
    yield from _head(comparison, width)
    yield from _outcome(comparison, triage)
    if ruling is not None:
        yield from policy_sections(ruling, width)
    yield from section("Know this first", notice_lines(comparison.notices, width))
    if shown.is_filtered:
        yield BLANK
        yield from paragraph(f"Listed below: {shown.words}", width)
    if not comparison.withholds_questions:
        yield from _question_sections(triage, shown, width)
        yield from section("Labels in dispute", dispute_lines(comparison, shown.indexes, width))
    yield from measure_sections(comparison, shown, width)
    yield from section("Slices, by paired difference", slice_lines(comparison, width))
    if not comparison.withholds_questions:
        yield from section("Without a value", _absence_lines(comparison, width))
    yield from section("Changed between A and B", _change_lines(comparison, width))
    yield from section("What was measured, and what was not", _unmeasured(comparison, width))


def _head(comparison: Comparison, width: int) -> Iterator[Line]:
    unit = comparison.baseline.info.unit
    info, standing = comparison.set_info, comparison.standing
    words = set_words(info, len(comparison), comparison.cutoff, unit, standing)
    yield from paragraph(words, width)
    for side in Side:
        yield from paragraph(run_words(comparison.run(side).info), width, first=f"{side.letter}   ")
    yield BLANK


def _outcome(comparison: Comparison, triage: Triage) -> Iterator[Line]:
    """Yield how it ended: every verdict counted, and how many changes wait for a decision."""
    spans: list[Span | str] = []
    for verdict, n in comparison.totals.items():
        spans.append(", " if spans else "")
        words = f"{count_of(n)} {verdict_words(verdict)}"
        spans.append(Span(words, VERDICT_ROLE[verdict] if n else "faint"))
    yield line(*spans)
    counts = triage.counts()
    verb = "needs" if counts.undecided == 1 else "need"
    of = plural(len(comparison), "question")
    words = f"{count_of(counts.undecided)} of {of} {verb} a decision"
    if counts.decided or counts.stale:
        words += f"; {counts.decided:,} decided, {counts.stale:,} stale"
    yield line(words)


# ---------------------------------------------------------------- questions


def _question_sections(triage: Triage, shown: Listed, width: int) -> Iterator[Line]:
    comparison = triage.comparison
    kept = None if len(shown.indexes) == len(comparison) else frozenset(shown.indexes)
    order = [index for index in comparison.order if kept is None or index in kept]
    rows = comparison.changes
    for title, found in (
        ("Needs a decision, worst first", list(filter(triage.needs_decision, order))),
        *_decided(triage, order),
        *((title, [i for i in order if belongs(rows[i])]) for title, belongs in _SECTIONS),
    ):
        lines = _question_table(triage, found, width)
        yield from section(f"{title}: {count_of(len(found))}", lines)
    unchanged = sum(_is_unchanged(rows[index]) for index in order)
    if unchanged:
        yield BLANK
        yield line(f"Unchanged: {count_of(unchanged)}")


def _decided(triage: Triage, order: Sequence[int]) -> Iterator[tuple[str, list[int]]]:
    """Yield each choice that settles changes, with the changes it settles."""
    for choice in Choice:
        found = [
            index
            for index in order
            if triage.state(index) == choice
            and triage.comparison.changes[index].severity is not None
            and not triage.needs_decision(index)
        ]
        if found:
            yield f"Decided: {choice.value}", found


def _is_unchanged(row: ChangeRow) -> bool:
    return row.severity is None and row.verdict is Verdict.UNCHANGED


_SECTIONS: Final[tuple[tuple[str, Callable[[ChangeRow], bool]], ...]] = (
    (
        "Mixed, without severity",
        lambda row: row.severity is None and row.verdict in {Verdict.MIXED, Verdict.REGRESSED},
    ),
    (
        "Not comparable",
        lambda row: row.severity is None and row.verdict is Verdict.NOT_COMPARABLE,
    ),
    ("Got better", lambda row: row.severity is None and row.verdict is Verdict.IMPROVED),
)
"""Every question without severity that is not unchanged stands in exactly one of these."""


def _question_table(triage: Triage, indexes: Sequence[int], width: int) -> Iterator[Line]:
    comparison = triage.comparison
    longest = max((len(comparison.ids[index]) for index in indexes), default=0)
    columns = [
        Column(""),
        Column("", least=min(longest, 24), most=40, shrinks=True),
        Column("", wraps=True),
    ]
    rows = (_question_row(triage, index) for index in indexes)
    yield from table(columns, chain.from_iterable(rows), width)


def _question_row(triage: Triage, index: int) -> Iterator[Sequence[Cell]]:
    """Yield what the question did, then one row a cause, then what was decided about it."""
    comparison = triage.comparison
    detail = comparison.detail(index)
    change = detail.change
    level = "" if change.severity is None else f"{change.severity.name} "
    word = verdict_words(change.verdict)
    sentence = verdict_sentence(detail).removeprefix(f"{word}: ").removeprefix(word).strip()
    verdict = Span(f"{level}{VERDICT_GLYPH[change.verdict]} {word}", VERDICT_ROLE[change.verdict])
    yield verdict, Span(comparison.ids[index], "strong"), sentence
    if detail.dispute is not None and detail.dispute.is_open:
        yield "", "", Span(open_words(detail.dispute), ATTENTION)
    for _, words in cause_words(detail, comparison.cutoff):
        yield "", "", words
    if decision := triage.decision(index):
        yield "", "", _decision_words(decision, stale=triage.state(index) == Standing.STALE)


def _decision_words(decision: Decision, *, stale: bool) -> str:
    told = [f"{'stale: ' if stale else ''}{decision.choice.value}", decision.note]
    told += [f"owner {decision.owner}"] if decision.owner else []
    told += [f"follow-up {decision.follow_up}"] if decision.follow_up else []
    return " · ".join(words for words in told if words)


# ---------------------------------------------------------------- n/a


def _absence_lines(comparison: Comparison, width: int) -> Iterator[Line]:
    columns = [
        Column("measure", shrinks=True),
        Column("where"),
        Column("n", align="right"),
        Column("kind"),
        Column("why", wraps=True),
    ]
    yield from table(columns, _absence_rows(comparison), width)


_ABSENT: Final = {"both": "A and B", "became": "B only", "defined": "A only"}
_NAMED: Final = 6
"""Questions written out beside a reason."""


def _absence_rows(comparison: Comparison) -> Iterator[Sequence[Cell]]:
    """Yield one row a reason and number of questions, with all measures it holds for."""
    together: dict[tuple[NotAvailable, str, int], list[AbsenceRow]] = {}
    for row in comparison.absences:
        together.setdefault((row.code, row.side, row.n), []).append(row)
    for (code, side, n), rows in together.items():
        measures = ", ".join(row.measure.written(comparison.cutoff) for row in rows)
        words = code.words
        if code.absence is not Absence.STRUCTURAL and len(rows) == 1:
            ids = (comparison.ids[index] for index in comparison.absent_questions(rows[0]))
            words += f": {named(ids, _NAMED)}"
        yield measures, _ABSENT[side], count_of(n), code.absence.value, words


# ---------------------------------------------------------------- what changed


def _change_lines(comparison: Comparison, width: int) -> Iterator[Line]:
    yield from paragraph(comparison.settings_words, width, indent=2)
    yield from _setting_lines("", comparison.settings, width)
    yield from _setting_lines("annotation ", comparison.annotation, width)
    yield from _setting_lines("environment (not compared) ", comparison.environment, width)


def _setting_lines(kind: str, settings: Iterable[Setting], width: int) -> Iterator[Line]:
    rows = [
        (f"{kind}{setting.key}", f"{_told(setting.baseline)} → {_told(setting.candidate)}")
        for setting in settings
    ]
    yield from labelled(rows, width, indent=4)


def _told(value: object) -> str:
    return "not recorded" if value is None else str(value)


def _unmeasured(comparison: Comparison, width: int) -> Iterator[Line]:
    for sentence in NOT_MEASURED:
        yield from paragraph(sentence, width, indent=2)
    for side in Side:
        run = comparison.run(side)
        absent = unrecorded_facts(
            run.info,
            answers=run.recorded.answers > 0,
            delivered_texts=run.recorded.delivered_texts > 0,
        )
        if absent:
            words = f"Not recorded in {side.letter}: {', '.join(absent)}."
            yield from paragraph(words, width, indent=2)
