"""Everything about one question: what changed and why first, then the evidence for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ragtui.tui.spans import BLANK, cut_line
from ragtui.tui.views.decision import decision_lines
from ragtui.tui.views.evidence_cited import cited_lines
from ragtui.tui.views.evidence_claims import claim_lines, expected_lines
from ragtui.tui.views.evidence_context import context_lines
from ragtui.tui.views.evidence_head import dispute_lines, head_lines, repeat_lines, title_line
from ragtui.tui.views.evidence_notes import (
    answer_lines,
    cause_lines,
    measure_lines,
    operation_lines,
)
from ragtui.tui.views.scene import Scene

if TYPE_CHECKING:
    from ragtui.core.comparison import Comparison, Detail
    from ragtui.core.measures import Measure
    from ragtui.tui.spans import Line, Meta
    from ragtui.tui.views.decision import Stand

__all__ = ["evidence_lines", "evidence_title"]

LEAST: Final = 20
"""Cells below which lines are cut instead of laid out."""


def evidence_title(comparison: Comparison, detail: Detail, measure: Measure) -> Line:
    """Return the title of the pane: verdict, id, severity."""
    return title_line(Scene(comparison, detail, measure, 80))


def evidence_lines(
    comparison: Comparison,
    detail: Detail,
    measure: Measure,
    *,
    width: int,
    selected: Meta | None = None,
    stand: Stand | None = None,
) -> list[Line]:
    """
    Return the lines of one question, none wider than *width* cells.

    *measure* decides which score is explained and what is marked as counted by it; *selected* is
    the target under the cursor, a claim of which marks the documents it cites. *stand* is where the
    question's decision stands. Of several repeats *detail* is one: what changed and the score
    explained are those of all, the rest is that one's.
    """
    scene = Scene(comparison, detail, measure, max(LEAST, width), selected)
    lines = [
        *head_lines(scene),
        *([] if stand is None else decision_lines(stand, scene.width)),
        BLANK,
        *cause_lines(scene),
        *dispute_lines(scene),
        *measure_lines(scene),
        *repeat_lines(scene),
        BLANK,
        *context_lines(scene),
        BLANK,
        *claim_lines(scene),
        *expected_lines(scene),
        *cited_lines(scene),
        BLANK,
        *operation_lines(scene),
        *answer_lines(scene),
    ]
    return [cut_line(line, width) for line in lines]
