"""The acceptance policy: what became of every rule, and the verdict in a few words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from ragtui.core.figures import percent
from ragtui.core.policy import Outcome
from ragtui.core.policy_words import OUTCOME_GLYPH, tally_words, waiver_counts
from ragtui.text import plural
from ragtui.tui.spans import BLANK, Line, Span, space, span
from ragtui.tui.views.layout import (
    LABEL_WIDTH,
    Column,
    Page,
    flow,
    labelled,
    prose,
    section,
    table,
)
from ragtui.tui.views.targets import rule_target

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ragtui.core.gate import RuleResult, Ruling
    from ragtui.core.policy import Policy, Waiver

__all__ = ["Gate", "first_rule", "policy_page", "ruling_words", "tab_words"]

OUTCOME_ROLE: Final = {
    Outcome.PASS: "better",
    Outcome.FAIL: "worse",
    Outcome.INCONCLUSIVE: "attention",
    Outcome.INVALID: "worse",
}

_GAP: Final = 2
_BOTH: Final = 40
"""Cells from which a figure and its bound stand side by side, cut where need be."""

_NAMED: Final = 12
"""Questions that the rule under the cursor names; Enter shows all of them."""

_ADVISORY: Final = "advisory: shown, not counted"
_INDENT: Final = 2
_DIGEST: Final = 12
_TEXT: Final = 2_000
"""Characters of a reason or a plan that are shown."""

_NO_POLICY: Final = "no acceptance policy was applied"
_HOW: Final = (
    "ragtui compare A.toml B.toml --policy FILE holds the runs against one; "
    "ragtui init writes one to start from"
)
_WITHDRAWN: Final = (
    "No verdict is shown: the last one was that of the policy as it stood before. "
    "r reads the policy and the runs again."
)
_READ: Final = (
    "n: the questions responsible, Enter shows them · every rule counts unless it is advisory"
    " · only decisions on disk count"
)


@dataclass(frozen=True, slots=True)
class Gate:
    """A policy, and what is known so far of how the comparison fares under it."""

    policy: Policy
    ruling: Ruling | None = None
    """`None`: it is still being worked out, or cannot be."""
    problem: str = ""
    """Why it cannot be worked out."""
    faults: tuple[str, ...] = ()
    """What is wrong, where the file of the policy is not what *policy* was read from any more."""
    instead: str = ""
    """What the header says in place of a verdict then."""
    is_current: bool = False
    """Whether nothing was read or decided since."""

    @property
    def is_withdrawn(self) -> bool:
        """Whether *policy* is not the file's any more, so that no verdict of it may be shown."""
        return bool(self.faults)


# ---------------------------------------------------------------- in a few words


def ruling_words(gate: Gate | None) -> tuple[Line, ...]:
    """Return the verdict for the header, its longer form first; nothing without a policy."""
    if gate is None:
        return ()
    if gate.is_withdrawn:
        return ((span(f"! {gate.instead}", "worse bold"),),)
    if gate.problem:
        return ((Span("! policy not judged", "attention bold"),),)
    if gate.ruling is None:
        return ((Span("policy …", "muted"),),)
    ruling, late = gate.ruling, () if gate.is_current else (Span(" …", "attention"),)
    glyph, role = OUTCOME_GLYPH[ruling.outcome], f"{OUTCOME_ROLE[ruling.outcome]} bold"
    short = Span(f"{glyph} {ruling.words}", role)
    counted = _counted(ruling)
    if not counted:
        return ((short, *late),)
    return ((short, Span(counted, role), *late), (short, *late))


def _counted(ruling: Ruling) -> str:
    """Return how many of the required rules ended as the verdict, where that says why."""
    required = [result.outcome for result in ruling.results if result.rule.required]
    n = required.count(ruling.outcome)
    if not n or ruling.outcome is Outcome.PASS:
        return ""
    return f" {n:,} of {plural(len(required), 'rule')}"


def tab_words(gate: Gate | None) -> Span | None:
    """Return the sign of the verdict with the number of required rules behind it."""
    ruling = None if gate is None else gate.ruling
    if gate is not None and gate.is_withdrawn:
        return Span("!", "worse")
    if ruling is None:
        return None
    outcomes = [result.outcome for result in ruling.results if result.rule.required]
    n = 0 if ruling.outcome is Outcome.PASS else outcomes.count(ruling.outcome)
    words = f"{OUTCOME_GLYPH[ruling.outcome]} {n:,}" if n else OUTCOME_GLYPH[ruling.outcome]
    return Span(words, OUTCOME_ROLE[ruling.outcome])


# ---------------------------------------------------------------- the tab


def first_rule(gate: Gate | None, wanted: str | None) -> str | None:
    """Return *wanted* where the policy has such a rule, else the rule that stands first."""
    if gate is None or gate.ruling is None:
        return None
    ids = [result.rule.id for result in _ordered(gate.ruling)]
    return wanted if wanted in ids else next(iter(ids), None)


def _ordered(ruling: Ruling) -> list[RuleResult]:
    """Return required rules first, among them the gravest outcome, else as the policy has them."""
    gravity = list(Outcome)
    return sorted(ruling.results, key=lambda r: (not r.rule.required, gravity.index(r.outcome)))


def policy_page(gate: Gate | None, *, width: int, selected: str | None = None) -> Page:
    """Return one row a rule, with everything about the rule whose id is *selected* under it."""
    if gate is None:
        how = flow([Span(_HOW, "muted")], width)
        return Page([*flow([Span(_NO_POLICY, "strong")], width), *how]).cut(width)
    if gate.is_withdrawn:
        return Page(_withdrawn(gate, width)).cut(width)
    if gate.ruling is None:
        told = span(f"not judged: {gate.problem}; r reads again", "attention")
        waits = Span("holding the runs against the policy …", "muted")
        state = flow([told if gate.problem else waits], width)
        return Page([*state, BLANK, *_about(gate.policy, None, width)]).cut(width)
    ruling = gate.ruling
    results = _ordered(ruling)
    head, rows = _table(results, width)
    lines: list[Line] = []
    for sentence in (*ruling.invalid, *ruling.reservations):
        lines += flow([Span("! ", "attention bold"), span(sentence, "attention")], width)
    required = sum(result.rule.required for result in results)
    for place, (result, row) in enumerate(zip(results, rows, strict=True)):
        if place == required:
            lines.append(section((Span(_ADVISORY, "muted"),), width))
        lines.append(row)
        if result.rule.id == selected:
            lines += _explained(result, width)
    return Page([*lines, BLANK, *_below(gate, ruling, width)], [head]).cut(width)


def _withdrawn(gate: Gate, width: int) -> list[Line]:
    """Return why no verdict is shown, where the policy's file changed under the screen."""
    head = [Span("! ", "worse bold"), span(gate.problem, "worse")]
    faults = [line for told in gate.faults for line in prose(told, width, "attention", limit=_TEXT)]
    return [*flow(head, width), *faults, BLANK, *flow([Span(_WITHDRAWN, "muted")], width)]


def _table(results: Sequence[RuleResult], width: int) -> tuple[Line, list[Line]]:
    leading = _leading(results)
    room = width - sum(column.width + _GAP for column in leading)
    figures = Column(_head("figure"), [(span(r.figure),) for r in results])
    bounds = Column(_head("demanded"), [(span(r.bound, "muted"),) for r in results])
    columns = [*leading, figures]
    if figures.width + _GAP + bounds.width <= room:
        columns.append(bounds)
    elif room >= _BOTH:
        columns = [*leading, figures._replace(most=max(room // 2, room - _GAP - bounds.width))]
        columns.append(bounds)
    head, *rows = table(columns, width, targets=[rule_target(r.rule.id) for r in results])
    return head, rows


def _head(text: str) -> Line:
    return (Span(text, "header"),)


def _leading(results: Sequence[RuleResult]) -> list[Column]:
    columns = [
        Column(_head("verdict"), [_outcome(result) for result in results]),
        Column(_head("rule"), [(span(r.rule.id, "strong"),) for r in results], most=26),
    ]
    if any(result.questions for result in results):
        counts = [len(result.questions) for result in results]
        cells: list[Line] = [(Span(f"{n:,}", "attention"),) if n else BLANK for n in counts]
        columns.append(Column(_head("n"), cells, right=True))
    return columns


def _outcome(result: RuleResult) -> Line:
    role = OUTCOME_ROLE[result.outcome] + (" bold" if result.rule.required else "")
    return (Span(f"{OUTCOME_GLYPH[result.outcome]} {result.words}", role),)


# ---------------------------------------------------------------- one rule


def _explained(result: RuleResult, width: int) -> list[Line]:
    """Return everything about one rule, unabridged but for the names of many questions."""
    room = max(1, width - LABEL_WIDTH - _INDENT)
    told: list[tuple[str, list[Span]]] = [
        ("figure", [span(result.figure)]),
        ("demanded", [span(result.bound)]),
        ("because", [span(result.why, "attention")] if result.why else []),
        ("questions", _responsible(result)),
        ("kind", [span(_kind_words(result), "muted")]),
    ]
    lines = [line for label, parts in told if parts for line in labelled(label, flow(parts, room))]
    if "plan" in result.rule.keys:
        lines += labelled("plan", prose(result.rule.text("plan"), room, limit=_TEXT))
    for label, waiver in _waivers(result):
        lines += labelled(label, prose(_waiver_words(waiver), room, "attention", limit=_TEXT))
    return [(space(_INDENT), *line) for line in lines]


def _responsible(result: RuleResult) -> list[Span]:
    if result.is_withheld:
        used, expired = len(result.waived), len(result.expired)
        counts = f"; waivers: {used:,} used, {expired:,} expired" if used or expired else ""
        return [Span(f"withheld: the set is held out and not opened{counts}", "muted")]
    if not result.questions:
        return [Span("none", "faint")]
    hidden = len(result.questions) - _NAMED
    more = f" and {hidden:,} more" if hidden > 0 else ""
    named = ", ".join(result.questions[:_NAMED])
    return [
        Span(f"{len(result.questions):,}: ", "attention"),
        span(f"{named}{more}", "strong"),
        Span(" · Enter shows them", "muted"),
    ]


def _kind_words(result: RuleResult) -> str:
    rule = result.rule
    parts = [rule.kind, "required" if rule.required else "advisory: shown, not counted"]
    if rule.where:
        parts.append(f"where {' and '.join(map(str, rule.where))}")
    if rule.waivable:
        parts.append("can be waived")
    return " · ".join(parts)


def _waivers(result: RuleResult) -> Iterator[tuple[str, Waiver]]:
    """Yield the waivers used and expired; none where no question may be named."""
    if not result.is_withheld:
        yield from (("waived", waiver) for waiver in result.waived)
        yield from (("expired", waiver) for waiver in result.expired)


def _waiver_words(waiver: Waiver) -> str:
    return f"{waiver.question} until {waiver.expires}, by {waiver.who}: {waiver.reason}"


# ---------------------------------------------------------------- under the rules


def _below(gate: Gate, ruling: Ruling, width: int) -> list[Line]:
    """Return how the rules ended, what the author should look at, and which policy it is."""
    room = max(1, width - LABEL_WIDTH)
    words = [*ruling_words(gate)[-1], Span(f" · {tally_words(ruling)}", "muted")]
    lines = labelled("verdict", flow(words, room))
    for warning in ruling.warnings:
        lines += labelled("warning", prose(warning, room, "attention"))
    if counts := waiver_counts(ruling):
        lines += labelled("waivers", flow([Span(", ".join(counts), "attention")], room))
    return [*lines, *_about(ruling.policy, ruling, width), *flow([Span(_READ, "faint")], width)]


def _about(policy: Policy, ruling: Ruling | None, width: int) -> list[Line]:
    """Return which policy it is."""
    confidence = policy.confidence if ruling is None else ruling.confidence
    parts = [
        f"{policy.id} · sha256 {policy.sha256[:_DIGEST]}",
        f"written {policy.written or 'not said'}",
        f"owner {policy.owner or 'not said'}",
        f"confidence {percent(float(confidence))} %",
        f"{policy.max_missing:,} missing allowed",
    ]
    room = max(1, width - LABEL_WIDTH)
    return labelled("policy", flow([span(" · ".join(parts), "muted")], room))
