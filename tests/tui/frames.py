"""The screen of an app as lines of text, and an app that shows a comparison made in memory."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ragtui.tui.app import RagtuiApp
from ragtui.tui.loading import Loading, Source

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from textual.app import App
    from textual.pilot import Pilot

    from ragtui.core.comparison import Comparison
    from ragtui.core.policy import Policy
    from ragtui.session import Session
    from ragtui.tui.keeping import Keeping
    from ragtui.tui.screens.main import MainScreen

__all__ = ["frame", "main_screen", "memory_loading", "opened", "session_of", "settle", "until"]

_PATIENCE = 500
"""Waits of 10 ms before a test gives up."""

SOURCE = Source(Path("a.toml"), Path("b.toml"))


def frame(app: App[None]) -> str:
    """Return what the screen shows, one line a row, without blanks at the ends."""
    # The compositor has no public door; this is the only place that goes through it.
    strips = app.screen._compositor.render_strips()
    return "\n".join(strip.text.rstrip() for strip in strips)


def memory_loading(
    make: Callable[[], Comparison], rules: Callable[[], Policy] | None = None
) -> Loading:
    """Return a reading that ends in what *make* returns, judged by what *rules* returns."""

    def load(*_: object, **__: object) -> Comparison:
        return make()

    if rules is None:
        return Loading(SOURCE, load=load)
    source = replace(SOURCE, policy=Path("p.toml"))
    return Loading(source, load=load, load_rules=lambda _: rules())


def main_screen(app: RagtuiApp) -> MainScreen:
    """Return the screen with the comparison."""
    found = app._main
    assert found is not None
    return found


def session_of(app: RagtuiApp) -> Session:
    """Return what is looked at."""
    found = main_screen(app).session
    assert found is not None
    return found


async def settle(pilot: Pilot[None]) -> None:
    """Wait until everything that was asked for is on screen."""
    app = pilot.app
    assert isinstance(app, RagtuiApp)
    await pilot.pause()
    await until(pilot, lambda: _is_settled(app))
    await pilot.pause()


def _is_settled(app: RagtuiApp) -> bool:
    """Tell whether the evidence was painted, the verdict is known, and nothing is on its way."""
    main = app._main
    if main is None or main.session is None or not (main.is_settled and main.is_judged):
        return False
    on_its_way = main.session.pending and main.trouble.problem is None
    return main.seen == main.session.current and not on_its_way


async def until(pilot: Pilot[None], holds: Callable[[], bool]) -> None:
    """Wait until something holds; a test that waits for nothing fails."""
    for _ in range(_PATIENCE):
        if holds():
            return
        await pilot.pause(0.01)
    raise AssertionError("waited in vain")


@asynccontextmanager
async def opened(
    comparison: Comparison,
    *,
    size: tuple[int, int] = (140, 44),
    filter_text: str = "",
    keymap: dict[str, str] | None = None,
    keeping: Keeping | None = None,
    policy: Policy | None = None,
    patient: bool = False,
) -> AsyncIterator[Pilot[None]]:
    """
    Run the app over *comparison* until the test is done with it.

    Decisions are kept where *keeping* says, and are on disk afterwards. Unless *patient*, a key may
    be pressed again at once: nobody holds one here.
    """
    loading = memory_loading(lambda: comparison, None if policy is None else lambda: policy)
    app = RagtuiApp(loading, filter_text=filter_text, keymap=keymap, keeping=keeping)
    loading.start()
    try:
        async with app.run_test(size=size, notifications=True) as pilot:
            await settle(pilot)
            if not patient:
                main_screen(app).decide_gap_s = main_screen(app).step_gap_s = 0.0
            yield pilot
    finally:
        app.finish()
