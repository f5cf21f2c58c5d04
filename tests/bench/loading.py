"""
Load two runs and compare them, without printing them.

Takes the manifests of A and B; prints how many bytes the columns of both runs take a question.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import ragtui
from ragtui.core.evidence import Side

if TYPE_CHECKING:
    from ragtui.core.comparison import Comparison


def bytes_a_question(comparison: Comparison) -> float:
    """Return the size of everything that grows with every question, ids apart."""
    sides = [comparison.run(side).columns for side in Side]
    columns = [comparison.labels.codes, comparison.changes.codes, comparison.row_pairs.codes]
    columns += [column for side in sides for column in (side.rows.codes, side.offsets)]
    return sum(len(column) * column.itemsize for column in columns) / len(comparison)


def main(baseline: str, candidate: str) -> None:
    """Load, and print the figure."""
    comparison = ragtui.compare(baseline, candidate)
    sys.stdout.write(f"{bytes_a_question(comparison):.0f} bytes a question\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
