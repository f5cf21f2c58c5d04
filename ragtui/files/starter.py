"""A small commented question set with two runs and a policy, for `ragtui init`."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING, Final

from ragtui.errors import Fault, OutputError
from ragtui.files.atomic import create_new
from ragtui.files.locks import freeze
from ragtui.files.pins import pin
from ragtui.files.sources import shown_path

if TYPE_CHECKING:
    from pathlib import Path


__all__ = ["POLICY", "RUNS", "init"]

RUNS: Final = ("runs/baseline.toml", "runs/candidate.toml")
"""The two manifests to compare, below the new folder."""

POLICY: Final = "runs/release.policy.toml"
"""What to hold the two runs against."""

_SET: Final = "set/set.toml"
_FILES: Final = (
    "ragtui.toml",
    _SET,
    "set/questions.toml",
    "set/corpus.jsonl",
    *RUNS,
    POLICY,
    "runs/baseline.jsonl",
    "runs/candidate.jsonl",
)


def init(directory: Path) -> list[Path]:
    """
    Fill *directory*, which must be empty or not exist yet, and return the files written.

    The set is frozen and both runs are pinned, so that they can be compared at once. Raises
    OutputError when something stands there already or cannot be written.
    """
    _check_empty(directory)
    source = files("ragtui.files") / "starter_files"
    written = []
    for name in _FILES:
        path = directory / name
        _make_folder(path.parent)
        create_new(path, source.joinpath(name).read_bytes())
        written.append(path)
    written.append(freeze(directory / _SET).path)
    for name in RUNS:
        pin(directory / name)
    return written


def _check_empty(directory: Path) -> None:
    try:
        found = directory.exists() and next(directory.iterdir(), None) is not None
    except OSError as error:
        raise OutputError(
            Fault(
                message="no set can be laid here",
                file=shown_path(directory),
                found=error.strerror,
                hint="name an empty folder or one that does not exist yet",
            )
        ) from error
    if found:
        raise OutputError(
            Fault(
                message="the folder is not empty",
                file=shown_path(directory),
                hint="name an empty folder or one that does not exist yet",
            )
        )


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(
            Fault(
                message="the folder cannot be made", file=shown_path(folder), found=error.strerror
            )
        ) from error
