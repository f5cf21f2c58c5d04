"""Where the decisions about two runs are kept, and where one was looking."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragtui.files.triage_file import triage_path
from ragtui.files.triage_store import Holder, TriageStore, read_decisions
from ragtui.session import Session
from ragtui.tui.memory import memory_path, name_of, place_of, recall, remember
from ragtui.tui.saving import Saving, now

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from ragtui.core.comparison import Comparison
    from ragtui.core.triage import Decision
    from ragtui.tui.memory import Place

__all__ = ["Keeping"]


@dataclass(frozen=True, slots=True)
class Keeping:
    """Two manifests, and what is kept about them."""

    baseline: Path
    candidate: Path
    triage: Path | None = None
    """Where decisions stand; `None`: beside the candidate's manifest."""
    who: str | None = None
    """Who signs."""

    def saving(self, comparison: Comparison) -> Saving:
        """Return the thread that keeps decisions about *comparison*, not yet begun."""

        def open_store() -> TriageStore:
            return TriageStore.open(
                self.path(comparison),
                set_digest=comparison.set_info.sha256 or "",
                holder=Holder.here(now()),
            )

        def begin(store: TriageStore) -> Session:
            session = Session(
                comparison,
                history=store.history,
                clock=now,
                who=self.who,
                read_only=store.read_only,
            )
            _ = session.counts  # here, so that the screen's own thread need not read for them
            return session

        return Saving(open_store, begin)

    def path(self, comparison: Comparison) -> Path:
        """Return where decisions stand."""
        runs = comparison.baseline.info.id, comparison.candidate.info.id
        return triage_path(self.candidate, *runs) if self.triage is None else self.triage

    def read(self, comparison: Comparison) -> Mapping[str, Decision]:
        """Return the decisions that stand there, for whoever only reads. Raises InputError."""
        return read_decisions(self.path(comparison))

    @property
    def _name(self) -> str:
        return name_of(self.baseline, self.candidate)

    @property
    def place(self) -> Place | None:
        """Where somebody was looking last time."""
        return recall(memory_path(), self._name)

    def remember(self, session: Session) -> None:
        """Keep where somebody is looking now."""
        remember(memory_path(), self._name, place_of(session))
