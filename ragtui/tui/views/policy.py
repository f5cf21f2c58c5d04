"""The acceptance policy: its verdict, every rule, and what the rule under the cursor rests on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ragtui.core.policy import Outcome
from ragtui.core.policy_words import OUTCOME_GLYPH, tally_words, waiver_counts
from ragtui.text import plural, printable_id
from ragtui.tui.spans import BLANK, Line, Span, span
from ragtui.tui.views.layout import LABEL_WIDTH, Column, Page, flow, labelled, prose, table
from ragtui.tui.views.targets import rule_target

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ragtui.core.gate import RuleResult, Ruling
    from ragtui.tui.spans import Meta

__all__ = ["NO_POLICY", "policy_page", "verdict_words"]

NO_POLICY: Final = "no acceptance policy: start with --policy FILE"

_ROLE: Final = {
    Outcome.PASS: "better",
    Outcome.FAIL: "worse",
    Outcome.INCONCLUSIVE: "attention",
    Outcome.INVALID: "worse",
}

_READ: Final = "· Enter shows the questions of a rule"


def verdict_words(ruling: Ruling) -> Line:
    """Return the verdict as the header shows it."""
    words = f"policy {OUTCOME_GLYPH[ruling.outcome]} {ruling.words}"
    return (Span(words, f"{_ROLE[ruling.outcome]} bold"),)


def policy_page(ruling: Ruling, *, width: int, selected: Meta | None = None) -> Page:
    """Return one row a rule, then what else holds the verdict back or should be known."""
    rules = ruling.results
    lines = table(_columns(rules), width, targets=[rule_target(r.rule.id) for r in rules])
    room = max(1, width - LABEL_WIDTH)
    below = [
        *_explained(rules, selected, room),
        *_verdict(ruling, room),
        *_told("held back", (*ruling.invalid, *ruling.reservations), room),
        *_told("waivers", waiver_counts(ruling), room),
        *_told("notice", ruling.warnings, room),
        *flow([Span(_READ, "faint")], width),
    ]
    return Page([*lines[1:], BLANK, *below], [lines[0]]).cut(width)


def _columns(rules: Sequence[RuleResult]) -> list[Column]:
    return [
        Column((Span("rule", "header"),), [_name(result) for result in rules]),
        Column((Span("outcome", "header"),), [_outcome(result) for result in rules]),
        Column(
            (Span("questions", "header"),),
            [(Span(f"{len(r.questions):,}" if r.questions else "·", "muted"),) for r in rules],
            right=True,
        ),
        Column((Span("found", "header"),), [(span(r.figure, "plain"),) for r in rules]),
        Column((Span("demanded", "header"),), [(span(r.bound, "muted"),) for r in rules]),
    ]


def _name(result: RuleResult) -> Line:
    return (span(result.rule.id, "plain" if result.rule.required else "faint"),)


def _outcome(result: RuleResult) -> Line:
    advice = "" if result.rule.required else " (advisory)"
    role = _ROLE[result.outcome] if result.rule.required else "muted"
    return (Span(f"{OUTCOME_GLYPH[result.outcome]} {result.words}{advice}", role),)


def _explained(rules: Sequence[RuleResult], selected: Meta | None, room: int) -> Iterator[Line]:
    """Yield the rule under the cursor unabridged: figure, bound, why, questions."""
    found = next((r for r in rules if rule_target(r.rule.id) == selected), None)
    if found is None:
        return
    yield from labelled("rule", prose(f"{found.rule.kind} · {found.figure}", room))
    yield from labelled("demanded", prose(found.bound, room))
    if found.why:
        yield from labelled("why", prose(found.why, room, "attention"))
    if found.questions:
        named = ", ".join(printable_id(name) for name in found.questions)
        yield from labelled("questions", prose(named, room, "strong"))
    if "plan" in found.rule.keys:
        yield from labelled("plan", prose(found.rule.text("plan"), room))
    yield BLANK


def _verdict(ruling: Ruling, room: int) -> list[Line]:
    policy = ruling.policy
    parts = [
        *verdict_words(ruling),
        Span(f" · {tally_words(ruling)}", "muted"),
        span(f" · {policy.id} {policy.sha256[:12]}", "muted"),
        Span(f" · {plural(len(policy.waivers), 'waiver')}" if policy.waivers else "", "muted"),
    ]
    return labelled("verdict", flow(parts, room))


def _told(label: str, sentences: Sequence[str], room: int) -> list[Line]:
    lines = [line for told in sentences for line in prose(told, room, "attention")]
    return labelled(label, lines) if lines else []
