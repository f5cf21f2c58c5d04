"""A small app with the panes under test in it, so that they are tried without the main screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.app import App

from ragtui.session import Session
from ragtui.tui.theme import THEMES
from ragtui.tui.widgets.evidence import EvidencePane
from ragtui.tui.widgets.lower_tabs import LowerPane

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.message import Message

    from ragtui.core.comparison import Comparison
    from ragtui.tui.widgets.lines_view import LinesPane

__all__ = ["PaneHost", "frame_of"]


class PaneHost(App[None]):
    """Shows one pane and keeps the messages it sends."""

    CSS = """
    Screen { layers: base; }
    LinesPane { border: round $rule; height: 1fr; }
    """

    def __init__(self, pane: LinesPane, comparison: Comparison) -> None:
        """Take the pane and what it is to show."""
        super().__init__()
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = THEMES[0].name
        self.pane = pane
        self.session = Session(comparison)
        self.told: list[Message] = []

    def compose(self) -> ComposeResult:
        """Make the pane."""
        yield self.pane

    def on_mount(self) -> None:
        """Show the session."""
        self.pass_down()
        self.pane.focus()

    def pass_down(self) -> None:
        """Show the session's state, as the main screen does."""
        session = self.session
        if isinstance(self.pane, EvidencePane):
            self.pane.show(session.comparison, session.detail(), session.measure)
        elif isinstance(self.pane, LowerPane):
            self.pane.show(session)

    def on_evidence_pane_claim_selected(self, message: EvidencePane.ClaimSelected) -> None:
        """Keep the message."""
        self.told.append(message)

    def on_evidence_pane_document_opened(self, message: EvidencePane.DocumentOpened) -> None:
        """Keep the message."""
        self.told.append(message)

    def on_lower_pane_measure_selected(self, message: LowerPane.MeasureSelected) -> None:
        """Keep the message and do what the main screen does."""
        self.told.append(message)
        self.session.select_measure(message.key)
        self.pass_down()

    def on_lower_pane_slice_selected(self, message: LowerPane.SliceSelected) -> None:
        """Keep the message."""
        self.told.append(message)

    def on_lower_pane_absence_selected(self, message: LowerPane.AbsenceSelected) -> None:
        """Keep the message."""
        self.told.append(message)


def frame_of(pane: LinesPane) -> list[str]:
    """Return what a pane shows, line by line, without its border."""
    height = pane.scrollable_content_region.height
    return [pane.render_line(y).text.rstrip() for y in range(height)]
