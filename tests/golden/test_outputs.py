"""
Every output of `release-desk`, held against a file that was read by a person.

After a change that is meant, `python -m tests.golden.rewrite` writes the files anew: read what
changed before it is committed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.golden.rewrite import OUTPUTS, ROOT, golden_path, output_of

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("name", OUTPUTS)
def test_an_output_is_the_one_that_was_reviewed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same bytes, so that every change of an output is seen."""
    monkeypatch.chdir(ROOT)
    assert output_of(name) == golden_path(name).read_text(encoding="utf-8")


def test_no_reviewed_output_is_left_behind() -> None:
    """Each file belongs to an output."""
    known: set[Path] = {golden_path(name) for name in OUTPUTS}
    found = {path for path in golden_path("x").parent.iterdir() if path.is_file()}
    assert found == known
