"""
Compare two recorded RAG runs over one frozen, human-labelled question set.

>>> import ragtui
>>> comparison = ragtui.compare("manifests/baseline.toml", "manifests/candidate.toml")
>>> comparison.ids[comparison.order[0]]
'launch'
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from os import PathLike

    from ragtui.core.comparison import Comparison
    from ragtui.core.run import ScoredRun

__all__ = ["Comparison", "ScoredRun", "compare", "load"]

__version__ = "0.1.0"
"""Of this program; spelled out because asking the installed metadata takes as long as all else."""


def compare(
    baseline: str | PathLike[str],
    candidate: str | PathLike[str],
    *,
    root: str | PathLike[str] | None = None,
    cutoff: int | None = None,
) -> Comparison:
    """
    Read two run manifests and compare the runs.

    *cutoff* overrides the recorded k and makes the comparison exploratory; *root* is the folder
    that no path inside the files may leave. Raises `ragtui.errors.InputError` for files that are
    not what their format says and for held-out sets, which only commands show, after they wrote
    that down; `ragtui.errors.IncomparableError` for runs that may not be compared.
    """
    from pathlib import Path  # noqa: PLC0415  importing ragtui costs nothing until it is used

    from ragtui.files.loading import load_comparison  # noqa: PLC0415  as above

    folder = None if root is None else Path(root)
    return load_comparison(Path(baseline), Path(candidate), root=folder, cutoff=cutoff)


def load(
    manifest: str | PathLike[str],
    *,
    root: str | PathLike[str] | None = None,
    cutoff: int | None = None,
) -> ScoredRun:
    """
    Read one run manifest and score the run; arguments and errors are those of `compare`.

    >>> run = load("manifests/baseline.toml")
    >>> run.own(run.measures[3]).mean
    Fraction(1, 2)
    """
    from pathlib import Path  # noqa: PLC0415  importing ragtui costs nothing until it is used

    from ragtui.files.loading import load_run  # noqa: PLC0415  as above

    folder = None if root is None else Path(root)
    return load_run(Path(manifest), root=folder, cutoff=cutoff)


def __getattr__(name: str) -> object:
    """Import the classes of the public interface when somebody asks for them."""
    if name == "Comparison":
        from ragtui.core.comparison import Comparison  # noqa: PLC0415  as above

        return Comparison
    if name == "ScoredRun":
        from ragtui.core.run import ScoredRun  # noqa: PLC0415  as above

        return ScoredRun
    message = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(message)
