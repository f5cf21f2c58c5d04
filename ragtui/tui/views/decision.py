"""A decision in words: in the evidence of its question, and in one cell of the table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from ragtui.core.triage import SETTLED, Choice, Counts, Decision
from ragtui.tui.spans import Line, Span, cut_line, line_of, span
from ragtui.tui.views.layout import LABEL_WIDTH, flow, labelled, prose

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ragtui.session import Session

__all__ = [
    "CHOICE_WORDS",
    "MARK_NARROW",
    "MARK_WIDE",
    "Stand",
    "decision_lines",
    "mark",
    "on_disk",
    "stand_of",
]

MARK_WIDE: Final = 8
"""Cells of the column of decisions."""

MARK_NARROW: Final = 2
"""Cells of the column where there is little room."""

CHOICE_WORDS: Final[Mapping[Choice, str]] = {
    Choice.ACCEPT: "accept",
    Choice.BLOCK: "block",
    Choice.INVESTIGATE: "investigate",
    Choice.DISPUTE: "dispute the label",
}

_SHORT: Final[Mapping[Choice, str]] = {
    Choice.ACCEPT: "accept",
    Choice.BLOCK: "block",
    Choice.INVESTIGATE: "invest.",
    Choice.DISPUTE: "dispute",
}

_NOTE_ROWS: Final = 6
"""Lines of a note shown in the evidence; the editor shows all of it."""


class Stand(NamedTuple):
    """Where a question stands, as far as the screen shows it."""

    decision: Decision | None = None
    stale: tuple[str, ...] = ()
    """Why the decision no longer counts, in words; nothing: it does."""
    saved: bool = True
    """Whether it is on disk."""
    needed: bool = False
    """Whether the change needs a decision."""
    read_only: bool = False
    """Whether nothing can be decided here."""


def stand_of(session: Session, index: int) -> Stand:
    """Return where a question of a session stands."""
    return Stand(
        decision=session.decision(index),
        stale=session.changed_since(index),
        saved=session.is_saved(index),
        needed=session.needs_decision(index),
        read_only=session.read_only is not None,
    )


def mark(stand: Stand, *, narrow: bool) -> Span:
    """
    Return the cell of the table: a sign where something is open, then the choice.

    `…` is not on disk yet, `≠` stale, `○` open. The narrow form names a choice by its key.

    >>> mark(Stand(needed=True), narrow=False).text
    ' ○'
    """
    decision = stand.decision
    if decision is None:
        sign = " " if stand.saved else "…"
        return Span(f"{sign}○", "attention") if stand.needed else Span(sign.strip())
    sign = "…" if not stand.saved else "≠" if stand.stale else " "
    word = _SHORT[decision.choice][: 1 if narrow else None]
    return Span(f"{sign}{word}", _role(stand, decision))


def _role(stand: Stand, decision: Decision) -> str:
    if stand.stale or not stand.saved or decision.choice not in SETTLED:
        return "attention"
    return "strong" if decision.choice is Choice.BLOCK else "plain"


def decision_lines(stand: Stand, width: int) -> list[Line]:
    """Return what was decided, by whom, when and why; or that a decision is needed."""
    decision = stand.decision
    lines = _open_lines(stand) if decision is None else _made_lines(stand, decision, width)
    return [cut_line(line, width) for line in lines]


def _made_lines(stand: Stand, decision: Decision, width: int) -> list[Line]:
    room = max(1, width - LABEL_WIDTH)
    lines = labelled("triage", flow(_said(stand, decision), room), role="accent bold")
    if stand.stale:
        why = f"≠ stale: {', '.join(stand.stale)}; it no longer counts"
        lines += labelled("", flow([span(why, "attention")], room))
    if decision.note:
        note = prose(decision.note, room)
        if len(note) > _NOTE_ROWS:
            note = [*note[: _NOTE_ROWS - 1], (Span("… e shows all of it", "muted"),)]
        lines += labelled("note", note)
    if decision.owner:
        lines += labelled("owner", prose(decision.owner, room))
    if decision.follow_up:
        lines += labelled("follow-up", prose(decision.follow_up, room))
    return lines


def _open_lines(stand: Stand) -> list[Line]:
    if not stand.needed:
        return []
    words = "this change is undecided" if stand.read_only else "this change needs a decision"
    return labelled("triage", [(Span(f"○ {words}", "attention"),)], role="accent bold")


def _said(stand: Stand, decision: Decision) -> Line:
    """Return the choice, whether it is on disk, who made it and when."""
    signed = f"by {decision.who}" if decision.who else "unsigned"
    when = decision.when.replace("T", " ").replace("Z", " UTC")
    return line_of(
        Span(CHOICE_WORDS[decision.choice], f"{_role(stand, decision)} bold"),
        Span("" if decision.choice in SETTLED else " (still undecided)", "attention"),
        Span("" if stand.saved else " … not on disk yet", "attention"),
        span(f" · {signed} · {when}", "muted"),
    )


def on_disk(session: Session) -> Counts:
    """Return how far the triage has come, without what is decided but not on disk yet."""
    counts = session.counts
    waiting = {question for entry in session.pending for question in entry.questions}
    indexes = [i for i in map(session.comparison.index_of, waiting) if i is not None]
    unsaved = sum(
        session.comparison.changes[i].severity is not None and not session.needs_decision(i)
        for i in indexes
    )
    return Counts(counts.decided - unsaved, counts.undecided + unsaved, counts.stale)
