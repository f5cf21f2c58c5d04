"""The questions of a note: what to act on, what was accepted, what else moved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ragtui.core.change import Flag, MeasureChange
from ragtui.core.change_words import FLAG_WORDS
from ragtui.core.dispute_words import open_words
from ragtui.core.evidence import Side
from ragtui.core.explain import measure_line
from ragtui.core.figures import VERDICT_GLYPH, count_of
from ragtui.core.triage import Choice, Standing
from ragtui.core.value import NotAvailable
from ragtui.notes.document import (
    NOTHING,
    Card,
    Column,
    Fence,
    Heading,
    Paragraph,
    Row,
    Table,
    Tone,
    data,
    joined,
    named,
    plain,
    text,
    words,
)
from ragtui.notes.privacy import place_text
from ragtui.notes.subject import VERDICT_TONE, Group, verdict_text
from ragtui.text import plural

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ragtui.core.comparison import Detail
    from ragtui.core.explain import MeasureLine
    from ragtui.core.triage import Decision
    from ragtui.notes.document import Block, Text
    from ragtui.notes.subject import Subject
    from ragtui.notes.texts import Texts

__all__ = ["decided_blocks", "open_blocks", "other_blocks"]

MOST_ROWS: Final = 200
"""Questions of a table that need no decision, before the rest is a count."""

_DIGITS: Final = 12
"""Digits of a record's digest that are shown; the whole stands in the note as JSON."""

_MOVED: Final = frozenset(
    {
        MeasureChange.IMPROVED,
        MeasureChange.REGRESSED,
        MeasureChange.BECAME_NA,
        MeasureChange.BECAME_DEFINED,
    }
)


def open_blocks(subject: Subject, texts: Texts) -> Iterator[Block]:
    """Yield what somebody must act on: blocked, undecided, stale."""
    yield Heading(text("Decisions needed"))
    if not subject.n_open:
        yield Paragraph(text("None: every change that needs a decision has one."))
        return
    for group, title, words_below in (
        (Group.BLOCKED, "Blocked", "Must not be released as they are."),
        (Group.UNDECIDED, "Undecided", ""),
        (Group.STALE, "Stale", "Decided about a change that is another one now."),
    ):
        yield from _cards(subject, texts, group, title, below=words_below)


def decided_blocks(subject: Subject, texts: Texts) -> Iterator[Block]:
    """Yield what was accepted, with its reason, and the labels in dispute."""
    for group, title in (
        (Group.ACCEPTED, "Accepted regressions"),
        (Group.DISPUTED, "Label disputed by the reviewer"),
        (Group.WITHOUT_NEED, "Decided, though no decision is needed"),
    ):
        if subject.groups[group]:
            yield from _cards(subject, texts, group, title, level=2)
    orphans = subject.triage.orphans
    if orphans:
        yield Paragraph(
            text(
                f"{plural(len(orphans), 'decision')} about questions that this set does not hold,"
                " kept and not counted: ",
                named(one.question for one in orphans),
            )
        )


def other_blocks(subject: Subject) -> Iterator[Block]:
    """Yield what moved without a need to decide: improved, mixed, not comparable."""
    for group, title, what in (
        (Group.IMPROVED, "Improvements", "what got better"),
        (Group.MIXED, "Moved both ways, no decision needed", "what moved"),
        (Group.NOT_COMPARABLE, "Not comparable", "why"),
    ):
        yield from _table(subject, group, title, what)
    unchanged = len(subject.groups[Group.UNCHANGED])
    if unchanged:
        yield Paragraph(text(f"Unchanged: {plural(unchanged, 'question')}."))


# ---------------------------------------------------------------- cards


def _cards(
    subject: Subject, texts: Texts, group: Group, title: str, *, level: int = 3, below: str = ""
) -> Iterator[Block]:
    every = subject.groups[group]
    if not every:
        return
    found = subject.listed(every)
    yield Heading(text(f"{title}: {count_of(len(every))}"), level)
    if below:
        yield Paragraph(text(below), Tone.FAINT)
    if len(found) < len(every):
        yield _hidden(len(every) - len(found))
    for index in found:
        yield from _card(subject, texts, index)


def _hidden(n: int) -> Paragraph:
    return Paragraph(text(f"{plural(n, 'question')} not listed: outside the filter."), Tone.ABSENT)


def _card(subject: Subject, texts: Texts, index: int) -> Iterator[Block]:
    detail = subject.comparison.detail(index)
    decision = subject.triage.decision(index)
    tone = VERDICT_TONE[detail.change.verdict.value]
    rows = [row for row in _rows(subject, detail, decision) if plain(row.text)]
    yield Card(_card_head(detail, tone), tone, tuple(rows))
    if decision is not None and decision.note is not None and "\n" in decision.note.strip():
        name = data(detail.question.id)
        yield Fence(text("Reason given for ", name), decision.note.strip())
    yield from texts.blocks(detail)


def _card_head(detail: Detail, tone: Tone) -> Text:
    change = detail.change
    level = "" if change.severity is None else f"{change.severity.name} "
    critical = " · critical" if detail.question.critical else ""
    return text(
        words(f"{level}{VERDICT_GLYPH[change.verdict]} ", tone),
        data(detail.question.id, Tone.STRONG),
        words(f" · {change.verdict.value.replace('-', ' ')}{critical}", tone),
    )


def _rows(subject: Subject, detail: Detail, decision: Decision | None) -> Iterator[Row]:
    said = subject.sentences(detail)
    if detail.question.text is not None:
        yield Row("question", text(data(detail.question.text)))
    if decision is not None:
        yield from _decision_rows(subject, detail, decision)
    yield Row("slice", _tags(detail.question.tags))
    yield Row("what", said.what)
    yield Row("measures", joined(_moved(subject, detail), "; "))
    yield Row("often", joined(said.frequencies, "; "))
    yield Row("cause", joined(said.causes, "; "))
    yield Row("severity", text(said.severity))
    yield Row("note", text(_flags(detail)))
    yield Row("owner", _owner(decision))
    yield Row("evidence", _evidence(subject, detail.index))


def _flags(detail: Detail) -> str:
    """Return what else a reader should know; the sentence of what moved says some of it."""
    dispute = detail.dispute
    open_label = {} if dispute is None else {Flag.LABEL_OPEN: open_words(dispute)}
    told = {**FLAG_WORDS, **open_label}
    return ", ".join(told[f] for f in detail.change.flags if f is not Flag.RETRIEVAL_ONLY)


def _tags(tags: Sequence[str]) -> Text:
    return joined(text(data(tag)) for tag in tags)


def _moved(subject: Subject, detail: Detail) -> Iterator[Text]:
    """Yield every measure that moved, A → B with the counts behind both."""
    for measure in subject.comparison.measures:
        line = measure_line(subject.comparison, detail, measure)
        if line.change in _MOVED:
            yield _measure(subject, detail, line)


def _moved_briefly(subject: Subject, detail: Detail) -> Iterator[Text]:
    """Yield every measure that moved as the counts of A and of B."""
    for measure in subject.comparison.measures:
        line = measure_line(subject.comparison, detail, measure)
        if line.change in _MOVED:
            yield text(words(f"{line.written} {_shift(line, brief=True)}", _measure_tone(line)))


def _shift(line: MeasureLine, *, brief: bool = False) -> str:
    """Return A → B; over how many repeats is said once where it is the same."""
    a, b = (line.a.partition(" = ")[0], line.b.partition(" = ")[0]) if brief else (line.a, line.b)
    mean, over, repeats = a.partition(" over ")
    return f"{mean if over and b.endswith(over + repeats) else a} → {b}"


def _measure_tone(line: MeasureLine) -> Tone:
    better_or_worse = {
        MeasureChange.IMPROVED: Tone.BETTER,
        MeasureChange.REGRESSED: Tone.WORSE,
    }
    return better_or_worse.get(line.change, Tone.ABSENT)


def _measure(subject: Subject, detail: Detail, line: MeasureLine) -> Text:
    tone = _measure_tone(line)
    shift = f"{line.written} {_shift(line)}"
    if line.change in {MeasureChange.BECAME_NA, MeasureChange.BECAME_DEFINED}:
        side = Side.CANDIDATE if line.change is MeasureChange.BECAME_NA else Side.BASELINE
        counts = detail.outcome(side).counts
        value = line.measure.value(detail.facts, counts, subject.comparison.cutoff)
        why = value.words if isinstance(value, NotAvailable) else ""
        return text(words(f"{shift} ({side.letter}: {why})", tone))
    if "→" in line.moved:
        return text(words(shift, tone))
    return text(f"{shift} (", words(line.moved, tone), ")")


def _decision_rows(subject: Subject, detail: Detail, decision: Decision) -> Iterator[Row]:
    stands = subject.triage.standing(detail.index)
    state = _CHOICE_WORDS[decision.choice]
    if stands is Standing.STALE:
        state = f"stale, was: {state}"
    signed = text(" by ", data(decision.who)) if decision.who else text(", unsigned")
    yield Row("decision", text(words(state, Tone.STRONG), signed, ", ", data(decision.when)))
    if stands is Standing.STALE:
        yield Row("stale", text(_stale_words(subject, detail.index, decision)))
    note = (decision.note or "").strip()
    if not note:
        yield Row("reason", text(words("no reason was given", Tone.ABSENT)))
    elif "\n" not in note:
        yield Row("reason", text(data(note)))


_CHOICE_WORDS: Final = {
    Choice.ACCEPT: "accepted",
    Choice.BLOCK: "blocked",
    Choice.INVESTIGATE: "under investigation, undecided",
    Choice.DISPUTE: "label disputed",
}


def _stale_words(subject: Subject, index: int, decision: Decision) -> str:
    """Say what is another now than when the decision was made."""
    then, now = decision.binding, subject.triage.binding(index)
    changed = [
        name
        for name, same in (
            ("the question or its labels", then.question == now.question),
            ("the record of A", then.baseline == now.baseline),
            ("the record of B", then.candidate == now.candidate),
            ("the cutoff", then.cutoff == now.cutoff),
            ("the unit", then.unit == now.unit),
            ("the contract", then.contract == now.contract),
        )
        if not same
    ]
    return f"changed since: {', '.join(changed)}"


def _owner(decision: Decision | None) -> Text:
    owner = decision.owner if decision is not None else None
    follow_up = decision.follow_up if decision is not None else None
    return text(
        data(owner) if owner else words("nobody named", Tone.ABSENT),
        " · follow-up ",
        data(follow_up) if follow_up else words("none", Tone.ABSENT),
    )


def _evidence(subject: Subject, index: int) -> Text:
    """Name both records so that they can be found, and recognised by the begin of a digest."""
    binding = subject.triage.binding(index)
    parts = []
    for side, digest in zip(Side, (binding.baseline, binding.candidate), strict=True):
        place = subject.comparison.evidence.place(side, index)
        told = text(f"{side.letter} ", place_text(place))
        if n := len(subject.comparison.counts(side, index).repeats):
            told = text(told, f" and {plural(n - 1, 'repeat')} more")
        if place is not None:
            told = text(told, " sha256 ", data(digest[:_DIGITS]))
        parts.append(told)
    return joined(parts, " · ")


# ---------------------------------------------------------------- tables


def _table(subject: Subject, group: Group, title: str, what: str) -> Iterator[Block]:
    every = subject.groups[group]
    if not every:
        return
    found = subject.listed(every)
    yield Heading(text(f"{title}: {count_of(len(every))}"))
    if len(found) < len(every):
        yield _hidden(len(every) - len(found))
    if not found:
        return
    columns = (Column("question"), Column("slice"), Column(what), Column("measures, A → B"))
    yield Table(columns, tuple(_table_row(subject, index) for index in found[:MOST_ROWS]))
    if len(found) > MOST_ROWS:
        rest = plural(len(found) - MOST_ROWS, "question")
        yield Paragraph(text(f"{rest} more; all stand in the note as JSON."))


def _table_row(subject: Subject, index: int) -> tuple[Text, ...]:
    detail = subject.comparison.detail(index)
    said = subject.sentences(detail)
    flags = _flags(detail)
    what = said.what or text(verdict_text(detail.change.verdict))
    return (
        text(data(detail.question.id, Tone.STRONG)),
        _tags(detail.question.tags) or NOTHING,
        text(what, f" ({flags})") if flags else what,
        joined(_moved_briefly(subject, detail), "; ") or NOTHING,
    )
