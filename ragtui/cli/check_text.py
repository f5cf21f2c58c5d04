"""The gate as text: what was compared, the verdict, the rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragtui.cli.headers import notice_lines, set_words
from ragtui.cli.layout import paragraph, section
from ragtui.cli.policy_text import policy_sections
from ragtui.core.change_words import verdict_words
from ragtui.core.evidence import Side

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ragtui.cli.output import Line
    from ragtui.core.comparison import Comparison
    from ragtui.core.gate import Ruling

__all__ = ["check_lines", "totals_words"]


def totals_words(comparison: Comparison) -> str:
    """Return how many questions have which verdict, in one line."""
    counted = comparison.totals.items()
    return ", ".join(f"{n:,} {verdict_words(verdict)}" for verdict, n in counted)


def check_lines(ruling: Ruling, comparison: Comparison, width: int) -> Iterator[Line]:
    """Yield everything the gate says: ids and counts, no text of a question or an answer."""
    info, unit = comparison.set_info, comparison.baseline.info.unit
    words = set_words(info, len(comparison), comparison.cutoff, unit, comparison.standing)
    yield from paragraph(words, width)
    for side in Side:
        yield from paragraph(comparison.run(side).info.id, width, first=f"{side.letter}   ")
    yield from paragraph(totals_words(comparison), width)
    yield from policy_sections(ruling, width)
    yield from section("Know this first", notice_lines(comparison.notices, width))
