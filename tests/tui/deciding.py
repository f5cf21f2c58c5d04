"""What the tests of triage on the screen share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ragtui.core.model import SetInfo
from ragtui.core.query import TRIAGE_STATES
from ragtui.files.triage_store import read_decisions
from ragtui.tui.app import RagtuiApp
from ragtui.tui.keeping import Keeping
from tests.builders import comparison_of, question, record
from tests.tui.frames import frame, session_of, settle

if TYPE_CHECKING:
    from pathlib import Path

    from textual.pilot import Pilot

    from ragtui.core.comparison import Comparison

__all__ = ["app_of", "current", "kept_in", "notes", "press", "regressions", "said", "states"]


_SET: Final = SetInfo(id="release-desk", version="1.0.0", sha256="5e" * 32, frozen=True)


def regressions(n: int, *, candidate: str = "other", exploratory: bool = False) -> Comparison:
    """Return *n* questions whose claim B lost to another one, q00 first in every order."""
    names = [f"q{number:02}" for number in range(n)]
    asked = [question(name, relevant=["d"], support={"x": ["d"]}) for name in names]
    good = [record(name, ["d"], {"x": ["d"]}) for name in names]
    bad = [record(name, ["d"], {candidate: ["d"]}) for name in names]
    return comparison_of(asked, good, bad, set_info=_SET, exploratory=exploratory)


def kept_in(folder: Path, *, who: str | None = None) -> Keeping:
    """Return a keeping of decisions in *folder*."""
    return Keeping(
        folder / "a.toml", folder / "b.toml", triage=folder / "a..b.triage.toml", who=who
    )


def app_of(pilot: Pilot[None]) -> RagtuiApp:
    """Return the app under test."""
    assert isinstance(pilot.app, RagtuiApp)
    return pilot.app


async def press(pilot: Pilot[None], *keys: str) -> str:
    """Press keys one after the other, each when the screen has come to rest; return the screen."""
    for key in keys:
        await pilot.press(key)
        await settle(pilot)
    return frame(app_of(pilot))


def current(pilot: Pilot[None]) -> str:
    """Return the id of the question under the cursor."""
    session = session_of(app_of(pilot))
    assert session.current is not None
    return session.comparison.ids[session.current]


def states(pilot: Pilot[None]) -> dict[str, str]:
    """Return where every question stands that has a severity or a decision."""
    session = session_of(app_of(pilot))
    found = {name: session.triage_state(i) for i, name in enumerate(session.comparison.ids)}
    assert set(found.values()) <= {*TRIAGE_STATES}
    return {name: state for name, state in found.items() if state != "none"}


def said(pilot: Pilot[None]) -> str:
    """Return everything that was told in passing."""
    return "\n".join(note.message for note in app_of(pilot)._notifications)


def notes(folder: Path) -> dict[str, str]:
    """Return question id to choice, as anybody finds them on disk."""
    found = read_decisions(folder / "a..b.triage.toml")
    return {name: decision.choice.value for name, decision in found.items()}
