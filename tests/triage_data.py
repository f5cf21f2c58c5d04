"""Decisions and steps for the tests of triage: some written by hand, some by chance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hypothesis import strategies as st

from ragtui.core.model import Unit
from ragtui.core.triage import Binding, Choice, Decision
from ragtui.files.session_lock import Holder

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

    from ragtui.core.history import Entry, History

__all__ = [
    "AT",
    "HOLDER",
    "NAME",
    "SET",
    "binding",
    "decision",
    "decisions",
    "names",
    "random_step",
]

AT: Final = "2026-11-27T10:00:00Z"
SET: Final = "5e" * 32
NAME: Final = "a..b.triage.toml"
HOLDER: Final = Holder(pid=12, host="desk-02", since=AT)


def binding(mark: str = "1", *, cutoff: int = 2) -> Binding:
    """Return what a decision is bound to; another *mark* makes another one."""
    return Binding(
        question=mark * 64,
        baseline="a" * 64,
        candidate="b" * 64,
        cutoff=cutoff,
        unit=Unit.DOCUMENT,
        contract="strict-citation/1",
    )


def decision(
    question: str = "launch",
    choice: Choice = Choice.ACCEPT,
    note: str | None = None,
    *,
    owner: str | None = None,
    bound: Binding | None = None,
) -> Decision:
    """Return a decision about *question*."""
    return Decision(
        question=question,
        choice=choice,
        note=note,
        owner=owner,
        when=AT,
        binding=bound or binding(),
    )


_text = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40)

decisions: Final = st.builds(
    Decision,
    question=_text,
    choice=st.sampled_from(Choice),
    note=st.none() | _text,
    owner=st.none() | _text,
    follow_up=st.none() | _text,
    who=st.none() | _text,
    when=st.just(AT),
    binding=st.builds(binding, st.sampled_from("0123456789abcdef"), cutoff=st.integers(1, 100)),
)
"""Any decision, with any text that can be written."""


def names(folder: Path) -> list[str]:
    """Return what stands in *folder*."""
    return sorted(path.name for path in folder.iterdir())


def random_step(rng: Random, history: History, questions: int = 8) -> Entry:
    """Return a possible next step: mostly a decision, sometimes an undo or a redo."""
    kind = rng.random()
    entry = None
    if kind < 0.2:
        entry = history.undo(at=AT)
    elif kind < 0.3:
        entry = history.redo(at=AT)
    if entry is not None:
        return entry
    asked = rng.sample(range(questions), k=rng.choice([1, 1, 1, 3]))
    said = [
        decision(f"q{n}", rng.choice(list(Choice)), f"note {rng.random()} ünd 😀\n# more")
        for n in asked
    ]
    return history.decide(said, at=AT)
