"""
Every format of the notes of the bundled sets, held against files that were read by a person.

After a change that is meant, `python -m tests.notes.rewrite` writes the files anew: read what
changed before it is committed.
"""

from __future__ import annotations

from itertools import product

import pytest

from ragtui.notes.writers import FORMATS, render
from tests.notes.rewrite import NOTES, golden_path, note_named


@pytest.mark.parametrize(("name", "suffix"), list(product(NOTES, FORMATS)))
def test_a_note_is_the_one_that_was_reviewed(name: str, suffix: str) -> None:
    """The same bytes, so that every change of a note is seen."""
    assert render(note_named(name), suffix) == golden_path(name, suffix).read_bytes()


def test_no_reviewed_note_is_left_behind() -> None:
    """Each file belongs to a note."""
    known = {golden_path(name, suffix) for name, suffix in product(NOTES, FORMATS)}
    assert set(golden_path("x", "").parent.iterdir()) == known
