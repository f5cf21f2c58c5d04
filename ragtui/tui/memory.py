"""Where somebody was looking: question, measure, sort, view and filter come back next time."""

from __future__ import annotations

from contextlib import suppress
from hashlib import sha256
from typing import TYPE_CHECKING, Final

import msgspec
from platformdirs import user_state_path

from ragtui.core.query import QueryError
from ragtui.errors import OutputError
from ragtui.files.atomic import write_atomic
from ragtui.session import View

if TYPE_CHECKING:
    from pathlib import Path

    from ragtui.session import Session

__all__ = ["Place", "memory_path", "name_of", "place_of", "recall", "remember", "return_to"]

_MOST: Final = 200
"""Pairs of runs of which the place is kept, the ones looked at last."""

_MAX_BYTES: Final = 1_000_000


class Place(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What was looked at, by the names that are written on screen."""

    question: str | None = None
    measure: str | None = None
    sort: str | None = None
    reverse: bool = False
    view: str | None = None
    filter: str = ""


def memory_path() -> Path:
    """Return the file of places in the user's state folder."""
    return user_state_path("ragtui", appauthor=False) / "places.json"


def name_of(*paths: Path) -> str:
    """Return the name under which a pair of manifests is kept: it tells nobody where they are."""
    whole = "\0".join(str(path.absolute()) for path in paths)
    return sha256(whole.encode("utf-8", "surrogateescape")).hexdigest()[:32]


def recall(path: Path, name: str) -> Place | None:
    """Return the place kept under *name*; a file that cannot be read counts as none."""
    return _read(path).get(name)


def _read(path: Path) -> dict[str, Place]:
    with suppress(OSError, ValueError, RecursionError), path.open("rb") as file:
        return msgspec.json.decode(file.read(_MAX_BYTES), type=dict[str, Place])
    return {}


def remember(path: Path, name: str, place: Place) -> None:
    """Keep a place; where that cannot be written, it is not kept."""
    places = _read(path)
    places.pop(name, None)
    places[name] = place
    kept = dict(list(places.items())[-_MOST:])
    with suppress(OSError, OutputError, ValueError):  # a lone surrogate is no text
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_atomic(path, msgspec.json.format(msgspec.json.encode(kept)), new_mode=0o600)


def place_of(session: Session) -> Place:
    """Return what is looked at now."""
    current = session.current
    key, reverse = session.sort
    return Place(
        question=None if current is None else session.comparison.ids[current],
        measure=session.measure.key,
        sort=key,
        reverse=reverse,
        view=session.view.value,
        filter=session.filter_text,
    )


def return_to(session: Session, place: Place, *, filtered: bool = True) -> None:
    """
    Look at *place* again, as far as it still exists.

    Without *filtered* its view and filter stay out: others were asked for.
    """
    with suppress(KeyError):
        session.select_measure(place.measure or "")
    with suppress(KeyError):
        session.sort_by(place.sort or "", reverse=place.reverse)
    if filtered:
        with suppress(ValueError):
            session.set_view(View(place.view or ""))
        with suppress(QueryError):
            session.set_filter(place.filter)
        if not session.rows:
            session.clear_filter()
            session.set_view(View.ALL)
    index = None if place.question is None else session.comparison.index_of(place.question)
    if index is not None:
        session.select_question(index)
