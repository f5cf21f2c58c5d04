"""The acceptance policy in a note: its verdict first, every rule, and what it is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ragtui.core.policy import Outcome
from ragtui.core.policy_words import OUTCOME_GLYPH, policy_entry, tally_words, waiver_counts
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
    named,
    prose,
    text,
    words,
)
from ragtui.notes.privacy import without_places
from ragtui.text import plural

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ragtui.core.gate import RuleResult, Ruling
    from ragtui.core.policy import Waiver
    from ragtui.notes.document import Block, Text

__all__ = [
    "ruling_blocks",
    "ruling_definitions",
    "ruling_entry",
    "ruling_identity",
    "ruling_trust",
    "verdict_blocks",
]

_TONE: Final = {
    Outcome.PASS: Tone.BETTER,
    Outcome.FAIL: Tone.WORSE,
    Outcome.INCONCLUSIVE: Tone.ABSENT,
    Outcome.INVALID: Tone.WORSE,
}

_COLUMNS: Final = (
    Column("outcome"),
    Column("rule"),
    Column("found"),
    Column("demanded"),
    Column("questions responsible"),
)

_OUTCOMES: Final = (
    ("pass", "every required rule passed"),
    ("fail", "a required rule failed, whatever else is inconclusive"),
    ("inconclusive", "none failed, and one could not be decided, or something holds it back"),
    ("invalid", "the policy may not be held against this comparison"),
)


def _told(sentence: str) -> Text:
    """Return words of ours, unless they quote a file, such as the name of a tag."""
    return prose(sentence) if '"' in sentence else text(sentence)


def verdict_blocks(ruling: Ruling | None) -> Iterator[Block]:
    """Yield the verdict, if there is a policy: the first thing a note says."""
    if ruling is None:
        return
    told = f"Verdict: {OUTCOME_GLYPH[ruling.outcome]} {ruling.words}"
    line = text(words(told, _TONE[ruling.outcome]), " by policy ", data(ruling.policy.id))
    yield Paragraph(text(line, f": {tally_words(ruling)}."), Tone.STRONG)


def ruling_trust(ruling: Ruling | None) -> Iterator[Text]:
    """Yield what to know of the verdict before trusting it, a sentence each."""
    if ruling is None:
        yield text("No acceptance policy was applied.")
        return
    written = ruling.policy.written
    when = text(", written ", data(written), " by its own word") if written else ()
    yield text("Held against the acceptance policy ", data(ruling.policy.id), when, ".")
    for held in (*ruling.invalid, *ruling.reservations):
        yield text(words("Holds the verdict back", Tone.ABSENT), ": ", prose(held), ".")
    for warning in ruling.warnings:
        yield text("About the policy: ", _told(warning), ".")


def ruling_blocks(ruling: Ruling | None) -> Iterator[Block]:
    """Yield every rule with its figure, its bound and the questions responsible, and waivers."""
    if ruling is None:
        return
    yield Heading(text("Acceptance policy"))
    yield Table(_COLUMNS, tuple(map(_row, ruling.results)))
    waivers = list(_waivers(ruling))
    if waivers:
        yield Paragraph(text("Waivers:"))
        yield Listing(tuple(waivers))
    plans = [result for result in ruling.results if "plan" in result.rule.keys]
    if plans:
        yield Facts(tuple(_plan(result) for result in plans))


def _row(result: RuleResult) -> tuple[Text, ...]:
    outcome = words(f"{OUTCOME_GLYPH[result.outcome]} {result.words}", _TONE[result.outcome])
    why = text(": ", _told(result.why)) if result.why else ()
    return (
        text(outcome, "" if result.rule.required else " (advisory)"),
        text(data(result.rule.id)),
        text(_told(result.figure), why),
        _told(result.bound),
        named(result.questions) if result.questions else NOTHING,
    )


def _plan(result: RuleResult) -> Row:
    told = without_places(result.rule.text("plan"))
    return Row("plan for labels", text(data(told), " (rule ", data(result.rule.id), ")"))


def _waivers(ruling: Ruling) -> Iterator[Text]:
    """Name every waiver that was used or has expired; count them where none may be named."""
    if any(result.is_withheld for result in ruling.results):
        yield from (text(told) for told in waiver_counts(ruling))
        return
    for result in ruling.results:
        for state, waivers in (("used", result.waived), ("expired", result.expired)):
            yield from (_waiver(state, waiver) for waiver in waivers)


def _waiver(state: str, waiver: Waiver) -> Text:
    return text(
        f"{state}: rule ", data(waiver.rule), " for ", data(waiver.question), " until ",
        data(waiver.expires), ", by ", data(without_places(waiver.who)), ": ",
        data(without_places(waiver.reason)),
    )  # fmt: skip


def ruling_definitions(ruling: Ruling | None) -> Iterator[Block]:
    """Yield what the outcomes mean, where there are any."""
    if ruling is None:
        return
    yield Heading(text("What a verdict means"), 3)
    yield Facts(tuple(Row(name, text(told)) for name, told in _OUTCOMES))
    yield Paragraph(
        text(
            "A selection without questions never passes. Intervals of rules are at confidence"
            f" {float(ruling.confidence):.4g}; superior rules share one error level by Holm's rule."
        )
    )


def ruling_identity(ruling: Ruling | None) -> Iterator[Row]:
    """Yield which policy it was."""
    if ruling is None:
        yield Row("policy", text("none"))
        return
    policy = ruling.policy
    yield Row("policy", text(data(policy.id), " · sha256 ", data(policy.sha256)))
    if policy.owner:
        yield Row("its owner", text(data(without_places(policy.owner))))
    if policy.waivers:
        yield Row("its waivers", text(plural(len(policy.waivers), "waiver")))


def ruling_entry(ruling: Ruling | None) -> Mapping[str, object] | None:
    """Return the policy for programs; texts of people name no place on a machine."""
    if ruling is None:
        return None
    entry = policy_entry(ruling)
    return {key: _without_places(value) for key, value in entry.items()}


def _without_places(value: object) -> object:
    if isinstance(value, str):
        return without_places(value)
    if isinstance(value, list):
        return [_without_places(item) for item in value]
    if isinstance(value, dict):
        return {key: item if key in _IDS else _without_places(item) for key, item in value.items()}
    return value


_IDS: Final = frozenset({"id", "question", "questions", "rule", "waived", "where"})
"""Keys of ids, which stay as they are."""
