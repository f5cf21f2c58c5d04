"""Holding the comparison against the acceptance policy, aside, and showing what comes of it."""

from __future__ import annotations

import threading
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from textual.message import Message

from ragtui.core.gate import judge
from ragtui.core.triage import Triage
from ragtui.errors import RagtuiError
from ragtui.text import printable_id
from ragtui.tui.screens.showing import SessionScreen
from ragtui.tui.views.policy import Gate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import TypeAlias

    from ragtui.core.comparison import Comparison
    from ragtui.core.gate import Ruling
    from ragtui.core.policy import Policy
    from ragtui.core.triage import Decision
    from ragtui.session import Session
    from ragtui.tui.widgets.lower_tabs import LowerPane

    Decided: TypeAlias = Callable[[], Mapping[str, Decision]]

__all__ = ["JudgingScreen"]


_SPOILT: Final = "the policy is not valid as it stands on disk"
_CHANGED: Final = "the policy was changed on disk"
_ASK: Final = "the set is held out, so the policy is judged by when you ask for it"
_ANOTHER: Final = "the policy on disk is another, and the runs cannot be read to hold against it"


class JudgingScreen(SessionScreen, inherit_bindings=False):
    """Judges anew whenever something was read, or a step came to disk; keys never wait for it."""

    class Judged(Message):
        """A ruling was worked out, or could not be."""

        def __init__(
            self, comparison: Comparison, policy: Policy, found: Ruling | Exception
        ) -> None:
            """Carry what was found, and of what."""
            super().__init__()
            self.comparison = comparison
            self.policy = policy
            self.found = found

    def __init__(self, user_keys: Mapping[str, str], filter_text: str) -> None:
        """Take the user's own keys by action id, and the filter to start with."""
        super().__init__(user_keys, filter_text)
        self._read_decisions: Callable[[Comparison], Mapping[str, Decision]] | None = None
        self._judging = False
        self._judge_again = False

    @property
    def is_judged(self) -> bool:
        """Whether the verdict shown is that of everything on disk; so it is without a policy."""
        return self._gate is None or self._gate.is_current

    def judge_by(
        self,
        policy: Policy | None,
        decisions: Callable[[Comparison], Mapping[str, Decision]] | None,
    ) -> None:
        """
        Hold everything shown from now on against *policy*, or against none.

        *decisions* reads those on disk, for a session that keeps none itself.
        """
        self._read_decisions = decisions
        self._gate = None if policy is None else Gate(policy)

    def show_reload_failed(
        self, error: Exception, *, policy: Policy | None = None, in_policy: bool = False
    ) -> None:
        """
        Keep what is shown and say why it could not be read again.

        The verdict goes where the policy's file is another by now: *policy* is what stands there,
        unless it is *in_policy* that the fault is.
        """
        gate = self._gate
        if gate is not None and in_policy:
            told = tuple(error.lines) if isinstance(error, RagtuiError) else (str(error),)
            self._withdraw(gate, _SPOILT, told, "policy invalid")
            self._keep_read(f"{_SPOILT}: {told[0]}")
            return
        if gate is not None and policy is not None and policy != gate.policy:
            self._withdraw(gate, _ANOTHER, (str(error),), "policy changed")
        elif gate is not None and gate.is_withdrawn:
            self._gate = Gate(gate.policy)
            self._judge()
        self._keep_read(str(error))

    def show_policy_changed(self) -> None:
        """Show no verdict of a policy that is known to be another on disk by now."""
        if self._gate is not None and not self._gate.is_withdrawn:
            self._withdraw(self._gate, _CHANGED, (_ASK,), "policy changed")
            if self._session is not None:
                self._show_gate(self._session)

    def _withdraw(self, gate: Gate, problem: str, faults: tuple[str, ...], instead: str) -> None:
        self._gate = Gate(
            gate.policy, problem=problem, faults=faults, instead=instead, is_current=True
        )

    def _show_read(self, session: Session) -> None:
        if self._gate is not None:
            self._gate = Gate(self._gate.policy)  # the last verdict was about something else
        super()._show_read(session)
        self._judge()

    def _judge(self) -> None:
        """Work the verdict out in a thread, one at a time, from the decisions on disk by then."""
        session, gate = self._session, self._gate
        if session is None or gate is None or gate.is_withdrawn:
            return
        self._gate = replace(gate, is_current=False)
        if self._judging:
            self._judge_again = True
            return
        self._judging, self._judge_again = True, False
        work = partial(self._work_out, session.comparison, gate.policy, self._decided(session))
        # A daemon: leaving must not wait for a verdict.
        threading.Thread(target=work, name="ragtui-judging", daemon=True).start()

    def _decided(self, session: Session) -> Decided:
        """Return how the thread comes by the decisions on disk."""
        found, read = session.decisions_on_disk, self._read_decisions
        if found is not None:
            return lambda: found
        return dict if read is None else partial(read, session.comparison)

    def _work_out(self, comparison: Comparison, policy: Policy, decided: Decided) -> None:
        """Judge, in a thread; whatever goes wrong must reach the screen's own."""
        found: Ruling | Exception
        try:
            found = judge(policy, Triage(comparison, decided()))
        except Exception as error:  # noqa: BLE001 - as said
            found = error
        with suppress(RuntimeError):  # the screen may be gone already
            self.post_message(self.Judged(comparison, policy, found))

    def on_judging_screen_judged(self, message: JudgingScreen.Judged) -> None:
        """Show a verdict, unless it is about something that is no longer shown."""
        message.stop()
        self._judging = False
        again = self._judge_again
        session, gate, found = self._session, self._gate, message.found
        if isinstance(found, Exception) and not isinstance(found, (RagtuiError, OSError)):
            raise found
        if session is None or gate is None or gate.is_withdrawn:
            return
        if session.comparison is message.comparison and gate.policy is message.policy:
            failed = isinstance(found, Exception)
            self._gate = Gate(
                gate.policy,
                ruling=None if isinstance(found, Exception) else found,
                problem=str(found) if failed else "",
                is_current=not again,
            )
            self._show_gate(session)
        if again:
            self._judge()

    def _show_gate(self, session: Session) -> None:
        with self.app.batch_update():
            self._show_notices(session)
            self._show_stand(session)
            self._show_lower(session)

    def on_lower_pane_rule_selected(self, message: LowerPane.RuleSelected) -> None:
        """Show the questions responsible for what became of a rule."""
        session = self._session
        ruling = None if self._gate is None else self._gate.ruling
        results = () if ruling is None else ruling.results
        result = next((found for found in results if found.rule.id == message.rule), None)
        if session is None or result is None:
            return
        if session.comparison.withholds_questions:
            self.say("withheld: the set is held out and not opened")
            return
        words = f"rule {printable_id(message.rule)}"
        names = result.questions or tuple(waiver.question for waiver in result.waived)
        if not names:
            self.say(f"no question is responsible for {words}")
            return
        found = map(session.comparison.index_of, names)
        session.pick(words if result.questions else f"{words}, waived", _known(found))
        self._show_all()
        self._go_to("questions")


def _known(indexes: Iterable[int | None]) -> list[int]:
    return [index for index in indexes if index is not None]
