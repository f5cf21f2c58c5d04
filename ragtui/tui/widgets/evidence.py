"""The evidence of one question: what changed, why, and what stands behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text
from textual.message import Message

from ragtui.core.evidence import Side
from ragtui.tui.paint import painter_for
from ragtui.tui.spans import Span
from ragtui.tui.views.evidence import evidence_lines, evidence_title
from ragtui.tui.views.layout import Page, flow
from ragtui.tui.views.targets import CLAIM, DOCUMENT
from ragtui.tui.widgets.lines_view import LinesPane

if TYPE_CHECKING:
    from ragtui.core.comparison import Comparison, Detail
    from ragtui.core.measures import Measure
    from ragtui.tui.spans import Line, Meta
    from ragtui.tui.views.decision import Stand

__all__ = ["EvidencePane"]


class EvidencePane(LinesPane):
    """Shows one question; claims and documents can be chosen."""

    class ClaimSelected(Message):
        """The cursor was moved to a claim."""

        def __init__(self, claim: str, side: str) -> None:
            """Name the claim; *side* is `A` or `B` where it is one run's own."""
            super().__init__()
            self.claim = claim
            self.side = side

    class DocumentOpened(Message):
        """A document was opened."""

        def __init__(self, document: str) -> None:
            """Name the document."""
            super().__init__()
            self.document = document

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        """Start empty."""
        super().__init__(id=id)
        self._comparison: Comparison | None = None
        self._detail: Detail | None = None
        self._measure: Measure | None = None
        self._stand: Stand | None = None
        self._claim: Meta | None = None
        self._title: Line = ()
        self._repeat = 0

    @property
    def repeat(self) -> int:
        """The position of the repeat that is shown, from 0."""
        return self._repeat

    def step_repeat(self, by: int) -> bool:
        """Show another repeat of the question, wrapping; `False` where it has only one record."""
        repeats = 0 if self._detail is None else self._detail.repeats
        if repeats <= 1:
            return False
        self._repeat = (self._repeat + by) % repeats
        self.rebuild()
        return True

    @property
    def _shown(self) -> Detail | None:
        return None if self._detail is None else self._detail.repeat(self._repeat)

    @property
    def claim(self) -> str | None:
        """The claim that was selected last on this question."""
        return None if self._claim is None else self._claim[1]

    def show(
        self,
        comparison: Comparison,
        detail: Detail | None,
        measure: Measure,
        stand: Stand | None = None,
    ) -> None:
        """Show a question; of the same question the cursor and the place stay."""
        old = self._detail
        same = (
            old is not None
            and detail is not None
            and old.index == detail.index
            and self._comparison is comparison
        )
        self._comparison, self._detail, self._measure = comparison, detail, measure
        self._stand = stand
        if not same:
            self._claim = None
            self._repeat = 0
        self._title = () if detail is None else evidence_title(comparison, detail, measure)
        self._retitle()
        self.show_lines(self._build_page, keep_position=same)

    def _build_page(self, width: int) -> Page:
        if self._comparison is None or self._shown is None or self._measure is None:
            return Page(flow([Span("no question is shown", "muted")], width))
        lines = evidence_lines(
            self._comparison,
            self._shown,
            self._measure,
            width=width,
            selected=self._claim,
            stand=self._stand,
        )
        return Page(lines)

    def _retitle(self) -> None:
        if not self.is_attached:
            return
        painter = painter_for(self.app)
        title = Text.assemble(*((part.text, painter.style(part.role)) for part in self._title))
        self.border_title = title if self._title else None

    def notify_style_update(self) -> None:
        """Draw the title in the colours of another theme too."""
        super().notify_style_update()
        self._retitle()

    def cursor_moved(self, meta: Meta) -> None:
        """Show what stands behind a claim when the cursor comes to it."""
        if meta[0] == CLAIM:
            self._claim = meta
            self.rebuild()
            self.post_message(self.ClaimSelected(meta[1], meta[2]))

    def action_row_open(self) -> None:
        """Open a document; of a claim, the first document it cites."""
        meta = self.current
        if meta is None:
            return
        document = meta[1] if meta[0] == DOCUMENT else self._first_cited(meta)
        if document is not None:
            self.post_message(self.DocumentOpened(document))
        super().action_row_open()

    def _first_cited(self, meta: Meta) -> str | None:
        shown = self._shown
        if shown is None or meta[0] != CLAIM:
            return None
        for side in (Side.CANDIDATE, Side.BASELINE):
            cited = dict(shown.outcome(side).stated or ()).get(meta[1], ())
            if cited and meta[2] in ("", side.letter):
                return cited[0]
        return None
