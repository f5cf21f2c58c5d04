"""
The gate for GitHub Actions: a job summary in Markdown, and annotations for its log.

Nothing of a file stands in either but ids in code spans, as ASCII JSON strings, and counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ragtui.cli.check_text import totals_words
from ragtui.cli.output import inert
from ragtui.cli.policy_text import inert_id, inert_ids
from ragtui.core.evidence import Side
from ragtui.core.policy import Outcome
from ragtui.core.policy_words import OUTCOME_GLYPH, tally_words, waiver_counts
from ragtui.notes.writers.markdown import code, code_cell

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ragtui.core.comparison import Comparison
    from ragtui.core.gate import RuleResult, Ruling

__all__ = ["summary", "workflow_commands"]

_LEVEL: Final = {
    Outcome.INVALID: "error",
    Outcome.FAIL: "error",
    Outcome.INCONCLUSIVE: "warning",
}
"""How an outcome that is no pass is annotated where it counts."""

_NAMED: Final = 10
"""Questions that an annotation names."""


def summary(ruling: Ruling, comparison: Comparison) -> str:
    """Return the job summary."""
    return "".join(f"{inert(told)}\n" for told in _summary(ruling, comparison))


def _summary(ruling: Ruling, comparison: Comparison) -> Iterator[str]:
    policy, info = ruling.policy, comparison.set_info
    yield f"# {OUTCOME_GLYPH[ruling.outcome]} ragtui check: {ruling.words}"
    yield ""
    yield f"- **rules:** {tally_words(ruling)}"
    yield f"- **policy:** {code(policy.id)}, sha256 {code(policy.sha256)}"
    yield f"- **set:** {code(inert_id(info.id))} {code(inert_id(info.version))}"
    if comparison.standing is not None:
        yield f"- **held-out:** {comparison.standing.words}"
    for side in Side:
        yield f"- **{side.letter}:** {code(inert_id(comparison.run(side).info.id))}"
    yield f"- **questions:** {len(comparison):,}: {totals_words(comparison)}"
    yield ""
    yield "| outcome | rule | found | demanded | questions |"
    yield "| --- | --- | --- | --- | --- |"
    yield from map(_row, ruling.results)
    yield from _list("What holds the verdict back", (*ruling.invalid, *ruling.reservations))
    yield from _list("Waivers", waiver_counts(ruling))
    yield from _list("About the policy", ruling.warnings)


def _row(result: RuleResult) -> str:
    outcome = f"{OUTCOME_GLYPH[result.outcome]} {result.outcome.value}"
    outcome += "" if result.rule.required else " (advisory)"
    found = f"{result.figure}: {result.why}" if result.why else result.figure
    ids = code_cell(inert_ids(result.questions)) if result.questions else ""
    cells = (
        outcome,
        code_cell(result.rule.id),
        code_cell(_ascii(found)),
        code_cell(_ascii(result.bound)),
        ids,
    )
    return f"| {' | '.join(cells)} |"


def _ascii(told: str) -> str:
    """Keep words of ours, in which the tag of a file may stand, from holding a command."""
    return told.replace("##", "#\\u0023")


def _list(title: str, sentences: Iterable[str]) -> Iterator[str]:
    told = list(sentences)
    if told:
        yield ""
        yield f"**{title}**"
        yield ""
        yield from (f"- {code(_ascii(sentence))}" for sentence in told)


def workflow_commands(ruling: Ruling) -> Iterator[str]:
    """Yield one workflow command for the verdict and for each rule that did not pass."""
    if ruling.outcome is Outcome.PASS:
        yield _command("notice", f"verdict {ruling.words}: {tally_words(ruling)}")
    else:
        yield _command(_LEVEL[ruling.outcome], f"verdict {ruling.words}: {tally_words(ruling)}")
    for told in (*ruling.invalid, *ruling.reservations):
        yield _command("error" if told in ruling.invalid else "warning", told)
    for result in ruling.results:
        if result.outcome is not Outcome.PASS:
            level = _LEVEL[result.outcome] if result.rule.required else "notice"
            yield _command(level, _told(result))
    for told in ruling.warnings:
        yield _command("warning", told)


def _told(result: RuleResult) -> str:
    told = f"{result.outcome.value}: rule {inert_id(result.rule.id)}: {result.figure}"
    told += f"; demanded: {result.bound}"
    told += f"; {result.why}" if result.why else ""
    return f"{told}; questions {inert_ids(result.questions, _NAMED)}" if result.questions else told


def _command(level: str, told: str) -> str:
    """Return a workflow command, what follows `::` escaped as its runner reads it."""
    escaped = _ascii(told).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return f"::{level} title=ragtui check::{escaped}"
