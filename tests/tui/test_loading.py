"""What the reading thread passes on besides what it read."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ragtui.tui.loading import Loaded, Loading
from tests.builders import release_desk
from tests.tui.frames import SOURCE


@pytest.mark.parametrize("asked", [False, True])
def test_restricted_texts_are_shown_only_when_asked_for_and_after_reading_again(
    asked: bool,
) -> None:
    """Every reading of one source shows the same."""
    first = Loading(replace(SOURCE, shows_restricted=asked), load=lambda *_, **__: release_desk())
    for reading in (first, first.again()):
        reading.start()
        assert reading.decided(10)
        events: list[object] = []
        reading.listen(events.append)
        (loaded,) = (event for event in events if isinstance(event, Loaded))
        assert loaded.comparison.shows_restricted is asked
