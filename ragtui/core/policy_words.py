"""What a policy found, as people read it and as JSON holds it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ragtui.core.policy import Outcome
from ragtui.text import plural

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeAlias

    from ragtui.core.gate import RuleResult, Ruling
    from ragtui.core.policy import Waiver

    Entry: TypeAlias = dict[str, object]

__all__ = ["OUTCOME_GLYPH", "policy_entry", "tally_words", "waiver_counts"]

OUTCOME_GLYPH: Final = {
    Outcome.PASS: "✓",
    Outcome.FAIL: "✗",
    Outcome.INCONCLUSIVE: "?",
    Outcome.INVALID: "!",
}
"""One sign an outcome; its word always stands beside it."""


def tally_words(ruling: Ruling) -> str:
    """Return how many required rules ended how, in one line: `1 fail, 5 pass of 6 required`."""
    required = [result.outcome for result in ruling.results if result.rule.required]
    told = [f"{required.count(o):,} {o.value}" for o in Outcome if o in required]
    advisory = len(ruling.results) - len(required)
    words = f"{', '.join(told)} of {plural(len(required), 'required rule')}"
    return f"{words}; {advisory:,} advisory" if advisory else words


def waiver_counts(ruling: Ruling) -> tuple[str, ...]:
    """Return what became of waivers, in counts: those used and those expired."""
    used = sum(len(result.waived) for result in ruling.results)
    expired = sum(len(result.expired) for result in ruling.results)
    return tuple(
        f"{plural(n, 'waiver')} {word}" for n, word in ((used, "used"), (expired, "expired")) if n
    )


def policy_entry(ruling: Ruling) -> Entry:
    """Return a policy and how the comparison fared under it."""
    policy = ruling.policy
    return {
        "id": policy.id,
        "sha256": policy.sha256,
        "written": policy.written,
        "owner": policy.owner,
        "set": policy.set_sha256,
        "verdict": ruling.outcome.value,
        "words": ruling.words,
        "confidence": float(ruling.confidence),
        "max_candidates": policy.max_candidates,
        "max_missing": policy.max_missing,
        "rules": [_rule_entry(result) for result in ruling.results],
        "invalid": list(ruling.invalid),
        "reservations": list(ruling.reservations),
        "warnings": list(ruling.warnings),
        "waivers": list(_waiver_entries(ruling)),
    }


def _rule_entry(result: RuleResult) -> Entry:
    rule = result.rule
    entry: Entry = {
        "id": rule.id,
        "kind": rule.kind,
        "where": [str(term) for term in rule.where],
        "outcome": result.outcome.value,
        "required": rule.required,
        "figure": result.figure,
        "bound": result.bound,
        "why": result.why or None,
        "questions": list(result.questions),
        "waived": [] if result.is_withheld else [waiver.question for waiver in result.waived],
    }
    if "plan" in rule.keys:
        entry["plan"] = rule.text("plan")
    return entry


def _waiver_entries(ruling: Ruling) -> Iterator[Entry]:
    """Yield every waiver that was used or has expired; none where no question may be named."""
    for result in ruling.results:
        if not result.is_withheld:
            yield from (_waiver_entry(waiver, "used") for waiver in result.waived)
            yield from (_waiver_entry(waiver, "expired") for waiver in result.expired)


def _waiver_entry(waiver: Waiver, state: str) -> Entry:
    return {**waiver._asdict(), "state": state}
