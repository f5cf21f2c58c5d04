"""
What a policy found, as text: the verdict, every rule, and what holds it back.

Question ids are JSON strings in ASCII, so that the log of a continuous integration service shows
them and obeys none.
"""

from __future__ import annotations

import json
from itertools import chain
from typing import TYPE_CHECKING, Final

from ragtui.cli.layout import Column, heading, paragraph, section, table
from ragtui.cli.output import BLANK, Span, line
from ragtui.core.policy import Outcome
from ragtui.core.policy_words import OUTCOME_GLYPH, tally_words, waiver_counts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ragtui.cli.layout import Cell
    from ragtui.cli.output import Line
    from ragtui.core.gate import RuleResult, Ruling
    from ragtui.core.policy import Policy, Waiver

__all__ = ["inert_id", "inert_ids", "policy_sections", "policy_words", "verdict_line"]

OUTCOME_ROLE: Final = {
    Outcome.PASS: "better",
    Outcome.FAIL: "worse",
    Outcome.INCONCLUSIVE: "mixed",
    Outcome.INVALID: "worse",
}

MOST_IDS: Final = 20
"""Questions that a rule names in text; `--json` has all of them."""


def inert_id(identifier: str) -> str:
    r"""
    Return an id as an ASCII JSON string in which no runner finds a command.

    >>> inert_id("lau\u202ench ##[error]")
    '"lau\\u202ench \\u0023#[error]"'
    """
    return json.dumps(identifier).replace("##", "\\u0023#")


def inert_ids(ids: Sequence[str], most: int = MOST_IDS) -> str:
    """
    Return the first ids by name, and how many more there are.

    >>> inert_ids(["a", "b", "c"], 2)
    '"a", "b" and 1 more'
    """
    named = ", ".join(map(inert_id, ids[:most]))
    hidden = len(ids) - most
    return f"{named} and {hidden:,} more" if hidden > 0 else named


def policy_words(policy: Policy) -> str:
    """Return which policy it is, in one line."""
    return f"policy {policy.id} · sha256 {policy.sha256[:12]}…"


def verdict_line(ruling: Ruling) -> Line:
    """Return the verdict and how the rules ended."""
    glyph, role = OUTCOME_GLYPH[ruling.outcome], OUTCOME_ROLE[ruling.outcome]
    return line(Span(f"{glyph} {ruling.words}", role), f" · {tally_words(ruling)}")


def policy_sections(ruling: Ruling, width: int) -> Iterator[Line]:
    """Yield the verdict, every rule with its figure, and what else must be known of both."""
    yield BLANK
    yield heading(f"Verdict by {policy_words(ruling.policy)}")
    yield line("  ", *verdict_line(ruling))
    yield from section("Rules", _rules(ruling, width))
    held = [*ruling.invalid, *ruling.reservations]
    yield from section("What holds the verdict back", _sentences(held, width))
    yield from section("Waivers", _waivers(ruling, width))
    yield from section("About the policy", _sentences(ruling.warnings, width))


def _sentences(told: Iterable[str], width: int) -> Iterator[Line]:
    for sentence in told:
        yield from paragraph(sentence, width, indent=2, first="! ")


def _rules(ruling: Ruling, width: int) -> Iterator[Line]:
    longest = max(len(result.rule.id) for result in ruling.results) if ruling.results else 0
    columns = [
        Column("", least=len("? inconclusive")),
        Column("", least=min(longest, 24), most=32, shrinks=True),
        Column("", wraps=True),
    ]
    rows = chain.from_iterable(_rule(result) for result in ruling.results)
    yield from table(columns, rows, width)


def _rule(result: RuleResult) -> Iterator[Sequence[Cell]]:
    """Yield figure and bound, then why nobody can say, then the questions responsible."""
    glyph, role = OUTCOME_GLYPH[result.outcome], OUTCOME_ROLE[result.outcome]
    advice = "" if result.rule.required else "advisory · "
    told = f"{advice}{result.figure} · demanded: {result.bound}"
    yield Span(f"{glyph} {result.outcome.value}", role), Span(result.rule.id, "strong"), told
    if result.why:
        yield "", "", result.why
    if result.questions:
        yield "", "", f"questions {inert_ids(result.questions)}"


def _waivers(ruling: Ruling, width: int) -> Iterator[Line]:
    """Name every waiver that was used or has expired; count them where none may be named."""
    if any(result.is_withheld for result in ruling.results):
        yield from _sentences(waiver_counts(ruling), width)
        return
    for result in ruling.results:
        for word, waivers in (("used", result.waived), ("expired", result.expired)):
            for waiver in waivers:
                yield from paragraph(f"{word}: {_waiver_words(waiver)}", width, indent=2)


def _waiver_words(waiver: Waiver) -> str:
    who, reason = inert_id(waiver.who), inert_id(waiver.reason)
    return (
        f"{waiver.rule} for {inert_id(waiver.question)} until {waiver.expires}, by {who}: {reason}"
    )
