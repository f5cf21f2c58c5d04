"""What leaves the screen: the release note, a reference on the clipboard, a record in an editor."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ragtui import __version__
from ragtui.core.evidence import Side
from ragtui.errors import OutputError, RagtuiError
from ragtui.files.atomic import write_atomic
from ragtui.files.sources import shown_path
from ragtui.files.triage_file import triage_path
from ragtui.text import clean, plural, printable_id
from ragtui.tui.outside import editor_command, run_outside, user_editor
from ragtui.tui.screens.deciding import DecidingScreen
from ragtui.tui.views.targets import CLAIM, DOCUMENT
from ragtui.tui.widgets.evidence import EvidencePane

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ragtui.core.comparison import Comparison
    from ragtui.core.evidence import RecordPlace
    from ragtui.core.triage import Decision
    from ragtui.notes.subject import Request
    from ragtui.session import Session
    from ragtui.tui.screens.export import Order

__all__ = ["TakingOutScreen"]

_SUFFIX: Final = ".md"


class TakingOutScreen(DecidingScreen, inherit_bindings=False):
    """Writes and passes on what is looked at."""

    # ------------------------------------------------------------ the note

    def action_note_export(self) -> None:
        """Ask where the release note goes."""
        from ragtui.tui.screens.export import ExportScreen  # noqa: PLC0415 - not for the first look

        session = self._session
        if session is None:
            self.say("the questions are still being read")
            return
        if session.pending:
            count = plural(len(session.pending), "step")
            self.say(
                f"not while {count} wait for the disk: a note holds what is safe", warning=True
            )
            return
        if self._gate is not None and self._gate.is_withdrawn:
            self.say(
                f"no note now: {self._gate.problem}; mend it, then r reads it again", warning=True
            )
            return
        path = _note_name(session.comparison)
        screen = ExportScreen(path, self._user_keys, shown=session.filter_words)
        self.app.push_screen(screen, self._export)

    def _export(self, order: Order | None) -> None:
        from ragtui.notes.subject import Request  # noqa: PLC0415 - not for the first look

        session = self._session
        if order is None or session is None:
            return
        request = Request(
            version=__version__,
            evidence=order.evidence,
            filter_text=session.filter_words if order.filtered else "",
            indexes=tuple(session.rows) if order.filtered else None,
            policy=None if self._gate is None else self._gate.policy,
        )
        work = partial(
            self._write_note, order.path, session.comparison, dict(session.decisions), request
        )
        self.run_worker(work, thread=True, group="export", exit_on_error=False)

    def _write_note(
        self,
        path: Path,
        comparison: Comparison,
        decisions: Mapping[str, Decision],
        request: Request,
    ) -> None:
        """Write the note, in a thread."""
        from ragtui.notes.build import build  # noqa: PLC0415 - not for the first look
        from ragtui.notes.writers import render  # noqa: PLC0415 - as above

        try:
            write_atomic(path, render(build(comparison, decisions, request), path.suffix))
        except (RagtuiError, OSError) as error:
            told = partial(self.say, f"the note is not written: {error}", warning=True)
        else:
            told = partial(self.say, f"wrote {shown_path(path)}")
        self.app.call_from_thread(told)

    # ------------------------------------------------------------ the clipboard

    def action_copy_reference(self) -> None:
        """Send to the clipboard what the cursor is on: an id, or where the evidence stands."""
        session = self._session
        if session is None or session.current is None:
            return
        text = clean(self._reference(session, session.current))
        self.app.copy_to_clipboard(text)
        self.say(
            f"sent to the terminal's clipboard: {text}"
            " · a terminal that does not take it (OSC 52) says nothing"
        )

    def _reference(self, session: Session, index: int) -> str:
        name = session.comparison.ids[index]
        if self._pane != "evidence":
            return name
        meta = self.query_one(EvidencePane).current
        if meta is not None and meta[0] in {CLAIM, DOCUMENT}:
            return meta[1]
        evidence, repeat = session.comparison.evidence, self.query_one(EvidencePane).repeat
        places = ((side, evidence.place(side, index, repeat)) for side in Side)
        told = [f"{side.letter} {_place_words(place)}" for side, place in places]
        return f"question {name} · {' · '.join(told)}"

    # ------------------------------------------------------------ the record

    def action_record_open(self) -> None:
        """Open the record of B, without one that of A, in the user's editor at its line."""
        session = self._session
        if session is None or session.current is None:
            return
        editor = user_editor(os.environ)
        if editor is None:
            self.say("neither $VISUAL nor $EDITOR names an editor", warning=True)
            return
        evidence, index = session.comparison.evidence, session.current
        repeat = self.query_one(EvidencePane).repeat
        places = ((side, evidence.place(side, index, repeat)) for side in self._sides())
        found = next(((side, place) for side, place in places if place is not None), None)
        if found is None:
            self.say("neither run has a record of this question", warning=True)
            return
        side, place = found
        try:
            run_outside(self.app, editor_command(editor, Path(place.path).absolute(), place.line))
        except OutputError as error:
            self.say(str(error), warning=True)
            return
        self.say(f"that was the record of {side.letter}, {_place_words(place)}; r reads again")

    def _sides(self) -> tuple[Side, ...]:
        """Return B first, unless the cursor is on a claim of A."""
        meta = self.query_one(EvidencePane).current
        on_a = meta is not None and meta[0] == CLAIM and meta[2] == Side.BASELINE.letter
        return (Side.BASELINE, Side.CANDIDATE) if on_a else (Side.CANDIDATE, Side.BASELINE)


def _note_name(comparison: Comparison) -> str:
    runs = comparison.baseline.info.id, comparison.candidate.info.id
    decisions = triage_path(Path("x"), *runs).name
    return printable_id(decisions.removesuffix(".triage.toml")) + _SUFFIX


def _place_words(place: RecordPlace | None) -> str:
    if place is None:
        return "has no record"
    return f"{shown_path(Path(place.path))}:{place.line}"
