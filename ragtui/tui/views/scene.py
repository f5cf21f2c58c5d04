"""What the evidence pane looks at: one question, one measure, one claim, at one width."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

from ragtui.core.change import SignalKind
from ragtui.core.evidence import Side
from ragtui.core.explain import explain
from ragtui.tui.spans import Span, beside
from ragtui.tui.views.targets import CLAIM, claim_target

if TYPE_CHECKING:
    from ragtui.core.change import Signal
    from ragtui.core.comparison import Comparison, Detail
    from ragtui.core.explain import Explanation
    from ragtui.core.measures import Measure
    from ragtui.tui.spans import Line, Meta

__all__ = ["Scene"]

STACKED_BELOW: Final = 54
"""Width from which A and B stand side by side."""

_RULE: Final = Span(" │ ", "rule")

_CLAIM_SIGNALS: Final = {
    SignalKind.CLAIM_LOST,
    SignalKind.NEW_UNSUPPORTED,
    SignalKind.CLAIM_GAINED,
    SignalKind.RESOLVED,
}


@dataclass(frozen=True)
class Scene:
    """Everything the views of one question need."""

    comparison: Comparison
    detail: Detail
    measure: Measure
    width: int
    selected: Meta | None = None
    """The target under the cursor."""

    @cached_property
    def explanation(self) -> Explanation:
        """Everything about the question in words."""
        return explain(self.comparison, self.detail)

    @property
    def stacked(self) -> bool:
        """Whether B stands under A instead of beside it."""
        return self.width < STACKED_BELOW

    @property
    def column_width(self) -> int:
        """Cells of one side."""
        return self.width if self.stacked else (self.width - len(_RULE.text)) // 2

    def two(self, baseline: list[Line], candidate: list[Line]) -> list[Line]:
        """Return what is said of A and of B, side by side or one under the other."""
        if self.stacked:
            return [*baseline, *candidate]
        left = self.column_width
        right = self.width - len(_RULE.text) - left
        return beside(baseline, candidate, (left, right), _RULE)

    def claim_target(self, side: Side, claim: str) -> Meta:
        """Return the target of a claim: one for both runs where ids mean the same in both."""
        return claim_target(claim, "" if self.comparison.scorer.claims_match else side.letter)

    @cached_property
    def claim(self) -> Meta | None:
        """The claim looked at: the selected one, else the first that changed."""
        if self.selected is not None:
            return self.selected if self.selected[0] == CLAIM else None
        if not self.comparison.scorer.claims_match:
            return None
        change = self.detail.change
        signals: tuple[Signal, ...] = (*change.minus, *change.plus)
        found = (s.subject for s in signals if s.kind in _CLAIM_SIGNALS and s.subject is not None)
        first = next(found, None)
        return None if first is None else claim_target(first)

    def cited(self, side: Side) -> tuple[str, ...]:
        """Return the documents that the claim looked at cites in one run."""
        if self.claim is None or self.claim[2] not in ("", side.letter):
            return ()
        stated = dict(self.detail.outcome(side).stated or ())
        return stated.get(self.claim[1], ())

    def restricted(self, document: str) -> bool:
        """Tell whether a document is closed to the caller of the question."""
        access = self.comparison.scorer.access
        return access is not None and access.restricted(document, self.detail.question.caller)

    def hides(self, document: str) -> bool:
        """Tell whether the text of a document is not to be shown."""
        return self.comparison.hides_document(self.detail.question, document)

    def hides_answer(self, side: Side) -> bool:
        """Tell whether what one run said is not to be shown."""
        record = self.detail.record(side)
        return record is not None and self.comparison.hides_answer(self.detail.question, record)

    def wording(self, claim: str) -> str | None:
        """Return what a claim id says: the set's wording, else a run's."""
        found = self.detail.question.claims.get(claim)
        if found is not None:
            return found
        records = (self.detail.record(side) for side in Side if not self.hides_answer(side))
        stated = (c for record in records if record for c in record.claims or ())
        return next((c.text for c in stated if c.id == claim and c.text), None)
