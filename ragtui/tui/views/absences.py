"""Where measures have no value, why, and on which side of the change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from ragtui.core.contract import State
from ragtui.core.evidence import Side
from ragtui.core.measures import Stage
from ragtui.core.value import Absence, NotAvailable
from ragtui.tui.spans import BLANK, Line, Span
from ragtui.tui.views.layout import LABEL_WIDTH, Column, Page, flow, labelled, table
from ragtui.tui.views.targets import absence_target

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragtui.core.comparison import Comparison
    from ragtui.core.measures import Measure
    from ragtui.tui.spans import Meta

__all__ = ["absences_page"]

_SIDES: Final = ("became", "defined", "both")
_HEADS: Final = ("→ n/a", "n/a →", "both")

_ROLE: Final = {
    Absence.STRUCTURAL: "faint",
    Absence.BEHAVIOURAL: "plain",
    Absence.MISSING: "attention",
}

_KIND_WORDS: Final = {
    Absence.STRUCTURAL: "structural: whatever a run does",
    Absence.BEHAVIOURAL: "behavioural: this run leaves nothing to measure",
    Absence.MISSING: "missing: not recorded or not labelled",
}

_READ: Final = (
    "→ n/a: only B has none · n/a →: only A has none · never 0, never 1, never in a mean"
    " · Enter shows the questions"
)


class _Row(NamedTuple):
    """Measures without a value for one reason on the very same questions."""

    measures: tuple[Measure, ...]
    code: NotAvailable
    counts: tuple[int, ...]
    """Questions on which only B, only A, or neither run has a value."""

    @property
    def target(self) -> Meta:
        return absence_target(self.measures[0].key, self.code.value)

    @property
    def role(self) -> str:
        return _ROLE[self.code.absence]


def absences_page(
    comparison: Comparison, measure: Measure, *, width: int, selected: Meta | None = None
) -> Page:
    """Return one row a reason, with the measures and the number of questions on each side."""
    rows = _rows(comparison)
    states = _states(comparison, width)
    if not rows:
        every = Span("every measure has a value on every question", "muted")
        return Page([*flow([every], width), BLANK, *states]).cut(width)
    lines = table(_columns(comparison, rows, measure), width, targets=[row.target for row in rows])
    below = [*_explained(rows, selected, width), *states, *flow([Span(_READ, "faint")], width)]
    return Page([*lines[1:], BLANK, *below], [lines[0]]).cut(width)


def _rows(comparison: Comparison) -> list[_Row]:
    """Return the rows, structural reasons last."""
    counted: dict[tuple[str, NotAvailable], dict[str, int]] = {}
    for row in comparison.absences:
        counted.setdefault((row.measure.key, row.code), {})[row.side] = row.n
    merged: dict[tuple[object, ...], _Row] = {}
    for (key, code), sides in counted.items():
        measure = comparison.measure(key)
        counts = tuple(sides.get(side, 0) for side in _SIDES)
        same = (code, counts, _family(measure))
        known = merged.get(same, _Row((), code, counts))
        merged[same] = known._replace(measures=(*known.measures, measure))
    order = [m.key for m in comparison.measures]
    return sorted(
        merged.values(),
        key=lambda r: (r.code.absence is Absence.STRUCTURAL, order.index(r.measures[0].key)),
    )


def _family(measure: Measure) -> str:
    """Return what measures have in common that lack a value on the very same questions."""
    contract = measure.stage is Stage.RETRIEVAL and not measure.optional
    return "retrieval" if contract else measure.key


def _columns(comparison: Comparison, rows: Sequence[_Row], measure: Measure) -> list[Column]:
    reasons: list[Line] = [(Span(row.code.words, row.role),) for row in rows]
    return [
        Column(_head("measure"), [_names(comparison, row, measure) for row in rows]),
        *(
            Column(_head(head), [_count(row, position) for row in rows], right=True)
            for position, head in enumerate(_HEADS)
        ),
        Column(_head("reason"), reasons),
    ]


def _head(text: str) -> Line:
    return (Span(text, "header"),)


def _names(comparison: Comparison, row: _Row, chosen: Measure) -> Line:
    line: Line = ()
    for measure in row.measures:
        role = "accent bold underline" if measure.key == chosen.key else row.role
        gap = (Span(" "),) if line else ()
        line = (*line, *gap, Span(measure.written(comparison.cutoff), role))
    return line


def _count(row: _Row, position: int) -> Line:
    n = row.counts[position]
    moved = "attention" if position < len(_SIDES) - 1 else row.role
    return (Span(f"{n:,}", moved if n else "faint"),)


def _explained(rows: Sequence[_Row], selected: Meta | None, width: int) -> list[Line]:
    """Return the reason under the cursor unabridged, with the kind of absence it is."""
    row = next((row for row in rows if row.target == selected), None)
    if row is None:
        return []
    words = f"{row.code.words} · {_KIND_WORDS[row.code.absence]}"
    return labelled("reason", flow([Span(words, row.role)], max(1, width - LABEL_WIDTH)))


def _states(comparison: Comparison, width: int) -> list[Line]:
    """Say how many questions each run answered, failed on, or has no record of."""
    lines: list[Line] = []
    for side in Side:
        states = comparison.states(side)
        failed, missing = states.get(State.FAILED, 0), states.get(State.MISSING, 0)
        parts = [
            Span(f"{side.letter} ", "title"),
            Span(f"scored {states.get(State.SCORED, 0):,}", "muted"),
            Span(f" · failed {failed:,}", "attention" if failed else "faint"),
            Span(f" · no record {missing:,}", "attention" if missing else "faint"),
        ]
        lines += flow(parts, width)
    return lines
