"""CSV that a spreadsheet may open: no cell of it runs, no character of it acts."""

from __future__ import annotations

import csv
import io
from itertools import chain
from typing import TYPE_CHECKING, Final

from ragtui.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = ["Cell", "cell", "csv_lines"]

Cell = str | int | float | bool | None

_RUNS: Final = tuple("=+-@\t\r\n＝＋－＠")  # noqa: RUF001 - full-width signs run in some locales
"""What a spreadsheet takes for the beginning of a formula or a command."""


def cell(value: Cell) -> str:
    """
    Return a cell as it is written: text cleaned and kept from running, n/a empty.

    >>> cell("=1+1"), cell(None), cell(-0.5), cell(True)
    ("'=1+1", '', '-0.5', 'true')
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f"'{clean(value)}" if value.lstrip().startswith(_RUNS) else clean(value)
    return repr(value)


def csv_lines(head: Sequence[str], rows: Iterable[Sequence[Cell]]) -> Iterator[str]:
    r"""
    Yield the head and the rows, each a line that ends in a line feed.

    >>> list(csv_lines(["question", "support"], [["a, b", 0.5]]))
    ['question,support\n', '"a, b",0.5\n']
    """
    for cells in chain([head], rows):
        buffer = io.StringIO()
        csv.writer(buffer, lineterminator="\n").writerow([cell(value) for value in cells])
        yield buffer.getvalue()
