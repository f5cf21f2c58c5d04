"""
The only door from the text of a file to text on a screen, a terminal or a page.

What a record, a manifest or a file name says is written by strangers and models. `clean` turns it
into text that can only be read: no character of its result moves a cursor, hides, reorders or
joins its neighbours unseen. `fit`, `cut` and `wrap` lay cleaned text out by terminal cells, as rich
and Textual measure them. Scores, digests and comparisons use the raw text, never the cleaned.
"""

from __future__ import annotations

from ragtui.text.cells import Align, cell_width, cut, fit, sealed, wrap
from ragtui.text.cleaning import clean, printable_id
from ragtui.text.lookalikes import confusable, confusable_pairs
from ragtui.text.words import nearest, plural, quote

__all__ = [
    "Align",
    "cell_width",
    "clean",
    "confusable",
    "confusable_pairs",
    "cut",
    "fit",
    "nearest",
    "plural",
    "printable_id",
    "quote",
    "sealed",
    "wrap",
]
