"""The beginning of a note: what is compared, how it ended, and what to know before trusting it."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Final

from ragtui.core.change import Severity
from ragtui.core.change_words import verdict_words
from ragtui.core.contract import State
from ragtui.core.evidence import Side
from ragtui.core.figures import NONE, VERDICT_GLYPH, count_of
from ragtui.core.model import Split
from ragtui.core.notices import OPTIONS, open_label_notice
from ragtui.core.slices import against_total
from ragtui.notes.disputes import dispute_texts
from ragtui.notes.document import (
    MAX_NAMED,
    Count,
    Facts,
    Heading,
    Listing,
    Paragraph,
    Row,
    Strip,
    Table,
    Tone,
    data,
    joined,
    listed,
    named,
    prose,
    text,
    words,
)
from ragtui.notes.document import Column as TableColumn
from ragtui.notes.policy import ruling_trust, verdict_blocks
from ragtui.notes.privacy import setting_text, without_places
from ragtui.notes.subject import OPEN_GROUPS, VERDICT_TONE, EvidenceLevel, Group
from ragtui.notes.tables import paired_texts, slice_name
from ragtui.text import plural

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ragtui.core.comparison import Comparison, SideRun
    from ragtui.core.pairing import Setting
    from ragtui.notes.document import Block, Text
    from ragtui.notes.subject import Subject
    from ragtui.notes.texts import Texts

__all__ = ["head_blocks", "outcome", "settings_blocks", "title", "trust_blocks"]

MOST_OPEN: Final = 60
"""Changes to act on that are named at the top; all of them are listed below."""

MOST_SETTINGS: Final = 6
"""Changed settings that are told among what to know first; more stand in a table."""

_TOLD_BETTER: Final = (
    "the claims of A and B were annotated differently",
    "A and B were imported with different options",
    "exploratory cutoff",
)
"""How notices begin that this section says in spans of its own."""


def title(subject: Subject) -> Text:
    """Return what the note is called."""
    a, b = (subject.comparison.run(side).info.id for side in Side)
    return text("Release note: ", data(a), " → ", data(b))


def head_blocks(subject: Subject, texts: Texts) -> Iterator[Block]:
    """Yield the outcome, what needs a decision by name, and what was compared."""
    yield from verdict_blocks(subject.ruling)
    yield Paragraph(outcome(subject), Tone.STRONG)
    yield _strip(subject.comparison)
    decisions, effects = _decision_rows(subject), _effect_rows(subject.comparison)
    yield Facts((*_disclosure_rows(subject), *decisions, *effects, *_compared_rows(subject)))
    yield Paragraph(_texts_words(texts), Tone.FAINT)


def outcome(subject: Subject) -> Text:
    """Return how it ended, in one line."""
    groups = subject.groups
    blocked, n_open = len(groups[Group.BLOCKED]), subject.n_open
    undecided = n_open - blocked
    if blocked:
        more = f"; {undecided:,} more {_needs(undecided)} a decision" if undecided else ""
        told = f"Blocked: {plural(blocked, 'change')} must not be released as {_it(blocked)}{more}."
        return text(words(told, Tone.WORSE))
    if n_open:
        told = f"Open: {plural(n_open, 'change')} {_needs(n_open)} a decision."
        return text(words(told, Tone.ABSENT))
    settled = subject.triage.counts().decided
    if settled:
        told = f"Decided: {plural(settled, 'change')} needed a decision, none is left undecided."
        return text(words(told, Tone.BETTER))
    return text(words("No change needs a decision.", Tone.BETTER))


def _needs(n: int) -> str:
    return "needs" if n == 1 else "need"


def _it(n: int) -> str:
    return "it is" if n == 1 else "they are"


def _strip(comparison: Comparison) -> Strip:
    return Strip(
        tuple(
            Count(VERDICT_GLYPH[verdict], n, verdict_words(verdict), VERDICT_TONE[verdict.value])
            for verdict, n in comparison.totals.items()
        )
    )


def _disclosure_rows(subject: Subject) -> Iterator[Row]:
    """Yield where B shows somebody what they may not read: nothing makes up for that."""
    comparison = subject.comparison
    found = [i for i in comparison.order if comparison.changes[i].severity is Severity.S0]
    if not found:
        return
    told = text(words(f"restricted material in B on {plural(len(found), 'question')}", Tone.WORSE))
    if not comparison.withholds_questions:
        told = text(told, " · ", named(comparison.ids[index] for index in found))
    yield Row("disclosed", told)


def _decision_rows(subject: Subject) -> Iterator[Row]:
    """Yield who stands where, by name, so that the first screen says what is left to do."""
    for group, label in (
        (Group.BLOCKED, "blocked"),
        (Group.UNDECIDED, "undecided"),
        (Group.STALE, "stale"),
        (Group.DISPUTED, "label disputed"),
        (Group.ACCEPTED, "accepted"),
    ):
        indexes = subject.groups[group]
        if indexes:
            tone = Tone.PLAIN if group in {Group.ACCEPTED, Group.DISPUTED} else Tone.STRONG
            most = MOST_OPEN if group in OPEN_GROUPS else MAX_NAMED
            told = text(words(count_of(len(indexes)), tone))
            if not subject.comparison.withholds_questions:
                told = text(told, " · ", _by_severity(subject, indexes, most))
            yield Row(label, told)
    counts = subject.triage.counts()
    if counts.total:
        yield Row("decided", text(f"{counts.decided:,} of {plural(counts.total, 'change')}"))


def _by_severity(subject: Subject, indexes: Sequence[int], most: int) -> Text:
    """Name questions, which come worst first, behind the severity that they share."""
    comparison = subject.comparison
    parts = []
    shown = indexes[:most]
    for level, group in groupby(shown, key=lambda index: comparison.changes[index].severity):
        ids = joined(text(data(comparison.ids[index])) for index in group)
        parts.append(text("" if level is None else f"{level.name} ", ids))
    hidden = len(indexes) - len(shown)
    return text(joined(parts, "; "), f" and {hidden:,} more" if hidden else "")


def _effect_rows(comparison: Comparison) -> Iterator[Row]:
    """Yield what the averages did, so that nobody has to scroll for it."""
    told = [
        text(f"{found.measure.written(comparison.cutoff)} {moved} (n {found.paired.n:,})")
        for found in comparison.aggregates
        if (moved := paired_texts(found)[2]) != NONE
    ]
    if told:
        yield Row("paired Δ", joined(told, " · "))


def _compared_rows(subject: Subject) -> Iterator[Row]:
    comparison = subject.comparison
    info = comparison.set_info
    yield Row(
        "set",
        text(
            data(info.id), " ", data(info.version),
            f" · {_split_words(comparison)} · {plural(len(comparison), 'question')}"
            f" · k {comparison.cutoff}"
            f" · unit {comparison.baseline.info.unit.value} · ", data(info.contract),
        ),
    )  # fmt: skip
    for side in Side:
        yield Row(side.letter, _run_text(comparison.run(side)))
    if subject.request.dated is not None:
        yield Row("written", text(data(subject.request.dated)))


def _split_words(comparison: Comparison) -> str:
    """Return what the set is for; of a held-out one, how far it has come."""
    standing = comparison.standing
    return comparison.set_info.split.value if standing is None else standing.state_words


def _run_text(run: SideRun) -> Text:
    info = run.info
    parts = [text(data(info.id))]
    if info.created is not None:
        parts.append(text("recorded ", data(info.created)))
    if info.note is not None:
        parts.append(text(data(without_places(info.note))))
    return tuple(span for n, part in enumerate(parts) for span in ((*_dot(n), *part)))


def _dot(n: int) -> Text:
    return text(" · ") if n else ()


def _texts_words(texts: Texts) -> Text:
    if texts.level is EvidenceLevel.IDS:
        return text("No text of a document or an answer is in this note.")
    how = "excerpts" if texts.level is EvidenceLevel.EXCERPTS else "in full"
    given = f"{plural(texts.given, 'text')} of documents and answers given, {how}"
    return text(f"{given}; {plural(texts.withheld, 'text')} withheld as restricted.")


# ---------------------------------------------------------------- before trusting it


def trust_blocks(subject: Subject) -> Iterator[Block]:
    """Yield everything a reader must know before trusting the numbers."""
    yield Heading(text("Before you trust it"))
    yield Listing(tuple(_trust(subject)))


def _trust(subject: Subject) -> Iterator[Text]:
    comparison = subject.comparison
    if comparison.exploratory:
        yield text(
            words("Exploratory cutoff", Tone.ABSENT),
            f": k = {comparison.cutoff} is not the k that the runs were recorded with;"
            " decisions are not made on it.",
        )
    yield from _filter_words(subject)
    yield text("Set, cutoff and unit are the same in A and B; pairing is by question id.")
    yield _settings_text(comparison)
    yield from _annotation_text(comparison)
    yield from _environment_text(comparison)
    yield _standing_text(comparison)
    yield from ruling_trust(subject.ruling)
    closed = comparison.withholds_questions
    told_better: frozenset[str] = frozenset() if closed else _told_better(comparison)
    for notice in comparison.notices:
        if notice not in told_better and not notice.startswith(_TOLD_BETTER):
            yield text(prose(_sentence(without_places(notice))))
    if not closed:
        yield from _gaps(comparison)
        yield from dispute_texts(comparison)
    yield from _hidden_slices(comparison)


def _hidden_slices(comparison: Comparison) -> Iterator[Text]:
    """Name the slices that an average hides, with the measures that move the other way there."""
    against: dict[str, list[str]] = {}
    names: dict[str, Text] = {}
    for total in comparison.aggregates:
        for part, _ in against_total(total, comparison.slices):
            names[part.name] = slice_name(part)
            against.setdefault(part.name, []).append(total.measure.written(comparison.cutoff))
    if against:
        parts = (text(names[name], f" in {', '.join(told)}") for name, told in against.items())
        head = words("Slices that move against the total", Tone.ABSENT)
        yield text(head, ": ", joined(parts, "; "), ".")


def _told_better(comparison: Comparison) -> frozenset[str]:
    """Return the notices that only count questions which this section names."""
    disputed = sum(n for row, n in comparison.labels.count().items() if row.disputed)
    labels = f"{plural(disputed, 'question')} with disputed labels, scored under the main labels"
    still_open = sum(dispute.is_open for dispute in comparison.disputes.values())
    return frozenset((labels, open_label_notice(still_open))).union(
        f"{plural(comparison.states(side).get(state, 0), 'question')} {state.word} in {side.letter}"
        for side in Side
        for state in (State.MISSING, State.FAILED)
    )


def _sentence(notice: str) -> str:
    return f"{notice[:1].upper()}{notice[1:]}."


def _filter_words(subject: Subject) -> Iterator[Text]:
    indexes = subject.request.indexes
    if indexes is None:
        return
    hidden = sum(
        len(subject.groups[group]) - len(subject.listed(subject.groups[group]))
        for group in (Group.BLOCKED, Group.UNDECIDED, Group.STALE)
    )
    total = plural(len(subject.comparison), "question")
    yield text(
        words("Filter", Tone.ABSENT), " ", data(subject.request.filter_text),
        f": questions are listed one by one only for {len(indexes):,} of {total}. Totals, measures"
        " and slices are of all questions.",
    )  # fmt: skip
    if hidden:
        yield text(f"{plural(hidden, 'open change')} outside the filter, named at the top.")


def _settings_text(comparison: Comparison) -> Text:
    told = comparison.settings_words
    head = f"{told[:1].upper()}{told[1:]}"
    settings = comparison.settings
    if not settings:
        return text(f"{head}.")
    if len(settings) > MOST_SETTINGS:
        return text(f"{head}; all of them stand below, under Settings.")
    return text(f"{head}: ", _shifts(settings), ".")


def _shifts(settings: Sequence[Setting]) -> Text:
    return listed((_shift(setting) for setting in settings), MOST_SETTINGS)


def _shift(setting: Setting) -> Text:
    a, b = setting_text(setting.baseline), setting_text(setting.candidate)
    return text(data(setting.key), " ", a, " → ", b)


def _annotation_text(comparison: Comparison) -> Iterator[Text]:
    for told, settings in (
        ("The claims of A and B were annotated differently", _annotated(comparison)),
        ("A and B were imported with different options", _imported(comparison)),
    ):
        if settings:
            yield text(words(told, Tone.ABSENT), ": ", _shifts(settings), ".")


def _annotated(comparison: Comparison) -> list[Setting]:
    return [setting for setting in comparison.annotation if not setting.key.startswith(OPTIONS)]


def _imported(comparison: Comparison) -> list[Setting]:
    return [
        replace(setting, key=setting.key.removeprefix(OPTIONS))
        for setting in comparison.annotation
        if setting.key.startswith(OPTIONS)
    ]


def _environment_text(comparison: Comparison) -> Iterator[Text]:
    """Name the keys alone: what they hold names machines."""
    if comparison.environment:
        keys = named(setting.key for setting in comparison.environment)
        yield text("The environment differs, which is not compared, in: ", keys, ".")


def _standing_text(comparison: Comparison) -> Text:
    if comparison.set_info.split is Split.DEVELOPMENT:
        return text(
            "A development set, not held out: its questions may have been used to tune either run."
        )
    return text(
        "A held-out set: its ledger holds every look that was recorded, in order. It cannot prove"
        " that there was no other."
    )


def _gaps(comparison: Comparison) -> Iterator[Text]:
    """Name the questions that a run failed on or did not record."""
    for side in Side:
        for state in (State.MISSING, State.FAILED):
            if comparison.states(side).get(state, 0):
                ids = named(
                    question
                    for index, question in enumerate(comparison.ids)
                    if comparison.counts(side, index).state is state
                )
                told = f"{state.word.capitalize()} in {side.letter}"
                yield text(words(told, Tone.ABSENT), ", counted in every total: ", ids, ".")


def settings_blocks(comparison: Comparison) -> Iterator[Block]:
    """Yield the table of changed settings, where they are too many for the beginning."""
    rows = [*_many("", comparison.settings), *_many("annotation.", comparison.annotation)]
    if rows:
        yield Heading(text("Settings"))
        yield Table((TableColumn("key"), TableColumn("A"), TableColumn("B")), tuple(rows))


def _many(kind: str, settings: Sequence[Setting]) -> Iterable[tuple[Text, ...]]:
    if len(settings) <= MOST_SETTINGS:
        return []
    return [
        (
            text(data(f"{kind}{setting.key}")),
            setting_text(setting.baseline),
            setting_text(setting.candidate),
        )
        for setting in settings
    ]
