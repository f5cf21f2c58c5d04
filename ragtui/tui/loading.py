"""Reading two runs in a thread of its own: the screen is there first and keys always work."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, TypeAlias

from ragtui.core.ledger import Depth
from ragtui.core.model import Split
from ragtui.files.ledger import Look
from ragtui.files.loading import Cancelled, Progress, load_comparison
from ragtui.files.policies import load_policy

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ragtui.core.comparison import Comparison
    from ragtui.core.policy import Policy
    from ragtui.files.watching import Watch

__all__ = ["Ended", "Event", "Failed", "Loaded", "Loading", "Opened", "Source"]

_INTERVAL_S: Final = 0.1
"""Seconds between two reports of progress: a screen needs no more."""


@dataclass(frozen=True, slots=True)
class Source:
    """What to compare: kept, because it can be read again."""

    baseline: Path
    candidate: Path
    root: Path | None = None
    cutoff: int | None = None
    look: Look = field(default_factory=Look)
    """What is about to be shown, should the set be held out."""
    shows_restricted: bool = False
    """Whether texts that a question's caller may not read are shown."""
    policy: Path | None = None
    """The acceptance policy that the runs are held against."""
    watch: Watch | None = None
    """What tells when it is time to read again; it is told when reading begins."""

    def look_by(self, policy: Policy | None) -> Look:
        """Return the look of a reading that is judged by *policy*."""
        if policy is None:
            return self.look
        return replace(self.look, policy=policy.sha256, budget=policy.max_candidates)

    @property
    def opens(self) -> bool:
        """Whether the questions of a held-out set are to be shown."""
        return self.look.depth is Depth.QUESTION

    def opening(self, *, opens: bool) -> Source:
        """Return the same, with the questions of a held-out set shown or not."""
        depth = Depth.QUESTION if opens else Depth.AGGREGATE
        return replace(self, look=replace(self.look, depth=depth))


@dataclass(frozen=True, slots=True)
class Opened:
    """The runs may be compared; rows are still being filled."""

    comparison: Comparison


@dataclass(frozen=True, slots=True)
class Loaded:
    """Everything has been read and summed up."""

    comparison: Comparison
    policy: Policy | None = None
    """What it is held against."""


@dataclass(frozen=True, slots=True)
class Failed:
    """Reading ended in an error."""

    error: Exception
    policy: Policy | None = None
    """What the runs would have been held against: it had been read."""
    in_policy: bool = False
    """Whether it is the policy that could not be read; the runs were not looked at then."""


@dataclass(frozen=True, slots=True)
class Ended:
    """Reading was cancelled."""


Event: TypeAlias = Progress | Opened | Loaded | Failed | Ended


class Loading:
    """
    One reading of a source. Events are kept until somebody listens, then passed on at once.

    The listener is called from the reading thread.
    """

    def __init__(
        self,
        source: Source,
        *,
        load: Callable[..., Comparison] = load_comparison,
        load_rules: Callable[[Path], Policy] = load_policy,
    ) -> None:
        """Prepare to read *source*; nothing happens before `start`."""
        self.source = source
        self._load = load
        self._load_rules = load_rules
        self._lock = threading.Lock()
        self._kept: list[Event] = []
        self._listener: Callable[[Event], None] | None = None
        self._decided = threading.Event()
        self._stop = threading.Event()
        self._last_report = 0.0
        # A daemon: leaving must not wait for a slow disk.
        self._thread = threading.Thread(target=self._run, name="ragtui-loading", daemon=True)

    def start(self) -> None:
        """Begin to read."""
        self._thread.start()

    def again(self, source: Source | None = None) -> Loading:
        """Return another reading, of the same source or of *source*, not yet begun."""
        return Loading(source or self.source, load=self._load, load_rules=self._load_rules)

    def cancel(self) -> None:
        """Ask the thread to stop at its next report."""
        self._stop.set()

    def decided(self, seconds: float) -> bool:
        """Wait until the runs are known to be comparable, or reading has ended; tell whether."""
        return self._decided.wait(seconds)

    @property
    def error(self) -> Exception | None:
        """The error reading ended in, so far."""
        with self._lock:
            return next((e.error for e in self._kept if isinstance(e, Failed)), None)

    def listen(self, listener: Callable[[Event], None]) -> None:
        """Pass on what has happened so far, and everything from now on."""
        with self._lock:
            kept, self._kept = self._kept, []
            self._listener = listener
            for event in kept:
                listener(event)

    def _report(self, event: Event) -> None:
        with self._lock:
            if self._listener is not None:
                self._listener(event)
            elif not isinstance(event, Progress):
                self._kept.append(event)
        if not isinstance(event, Progress):
            self._decided.set()

    def _progress(self, progress: Progress) -> None:
        now = time.monotonic()
        if now - self._last_report >= _INTERVAL_S:
            self._last_report = now
            self._report(progress)

    def _opened(self, comparison: Comparison) -> None:
        """Pass rows on while they are filled; of a held-out set only when the look is on disk."""
        if comparison.set_info.split is Split.DEVELOPMENT:
            self._report(Opened(comparison))

    def _run(self) -> None:
        source = self.source
        policy, in_policy = None, True
        try:
            if source.watch is not None:
                source.watch.begin()
            # Before the runs: a policy that is not understood must not cost a look.
            policy = None if source.policy is None else self._load_rules(source.policy)
            in_policy = False
            found = self._load(
                source.baseline,
                source.candidate,
                root=source.root,
                cutoff=source.cutoff,
                progress=self._progress,
                opened=self._opened,
                cancelled=self._stop.is_set,
                look=source.look_by(policy),
            )
            found.shows_restricted = source.shows_restricted
            _sum_up(found)
        except Cancelled:
            self._report(Ended())
        except Exception as error:  # noqa: BLE001 - whatever it is must reach the screen's thread
            self._report(Failed(error, policy, in_policy))
        else:
            self._report(Loaded(found, policy))


def _sum_up(comparison: Comparison) -> None:
    """Compute here what the first screen shows, so that the screen's own thread need not."""
    _ = comparison.totals, comparison.order, comparison.aggregates, comparison.absences
