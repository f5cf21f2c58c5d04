"""Which role a verdict or a change has: the colour that goes with its glyph or word."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ragtui.core.change import MeasureChange, Verdict
from ragtui.core.figures import VERDICT_GLYPH, change_text
from ragtui.tui.spans import Span

if TYPE_CHECKING:
    from ragtui.core.measures import Measure
    from ragtui.core.value import Value

__all__ = ["CHANGE_ROLE", "VERDICT_GLYPH", "VERDICT_ROLE", "delta_span"]

VERDICT_ROLE: Final = {
    Verdict.REGRESSED: "worse",
    Verdict.MIXED: "mixed",
    Verdict.IMPROVED: "better",
    Verdict.UNCHANGED: "same",
    Verdict.NOT_COMPARABLE: "attention",
}

CHANGE_ROLE: Final = {
    MeasureChange.IMPROVED: "better",
    MeasureChange.REGRESSED: "worse",
    MeasureChange.UNCHANGED: "same",
    MeasureChange.BECAME_NA: "attention",
    MeasureChange.BECAME_DEFINED: "attention",
    MeasureChange.NA_BOTH: "faint",
    MeasureChange.MISSING: "attention",
}


def delta_span(measure: Measure, a: Value, b: Value, change: MeasureChange) -> Span:
    """
    Return the change of one measure on one question, with the role of its direction.

    >>> from ragtui.core.measures import measure_named
    >>> from ragtui.core.value import Score
    >>> delta_span(
    ...     measure_named("support"), Score(1, 1), Score(1, 2), MeasureChange.REGRESSED
    ... )
    Span(text='−0.50', role='worse', meta=None)
    """
    return Span(change_text(a, b, measure), CHANGE_ROLE[change])
