"""What every test may rely on: a quiet environment, the project's folder, the sample files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

import hypothesis
import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT: Final = Path(__file__).resolve().parent.parent
"""The top folder of the project."""

collect_ignore = ["bench", "mutation_smoke.py", "term/smoke.py"]
"""Scripts that run by name: neither tests nor modules with doctests."""

_LEAKS: Final = ("COLORTERM", "COLUMNS", "FORCE_COLOR", "LINES", "NO_COLOR", "PY_COLORS")
"""Variables of the caller's terminal that would change what is printed."""

hypothesis.settings.register_profile("here", deadline=None)
hypothesis.settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "here")


@pytest.fixture(autouse=True, scope="session")
def quiet_environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Give the tests an empty home, no terminal settings, and subprocesses this very code."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        for name in os.environ:
            if name in _LEAKS or name.startswith(("TEXTUAL", "XDG_")) or _is_setting(name):
                patch.delenv(name)
        patch.setenv("HOME", str(home))
        patch.setenv("PYTHONPATH", str(ROOT))
        patch.setenv("TERM", "xterm-256color")
        yield


@pytest.fixture(scope="session")
def root() -> Path:
    """The top folder of the project, for tests that read its own files."""
    return ROOT


@pytest.fixture(scope="session")
def samples() -> Path:
    """
    Return the folder of files that other tools wrote; tests that use it skip where it is absent.

    It is named by `RAGTUI_SAMPLES`, else it is `shared/samples` beside the project.
    """
    folder = Path(os.environ.get("RAGTUI_SAMPLES") or ROOT.parent / "shared" / "samples")
    if not folder.is_dir():
        pytest.skip("the sample files are not here; RAGTUI_SAMPLES may name their folder")
    return folder


def _is_setting(name: str) -> bool:
    return name.startswith("RAGTUI_") and name != "RAGTUI_SAMPLES"
