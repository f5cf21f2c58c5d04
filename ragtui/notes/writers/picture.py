"""
The note as a picture: the lines of the text file in a font that every machine has.

Well-formed XML with text elements alone: no link, no script, no image, no font from elsewhere.
Every piece stands at the cell where it belongs, so that columns meet in any fixed-width font.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Final

from ragtui.notes.document import Tone, plain
from ragtui.notes.layout import FILE_WIDTH, lines
from ragtui.text import cell_width

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ragtui.notes.document import Document
    from ragtui.notes.layout import Line

__all__ = ["write"]

CELL: Final = 8.4
"""Width of a cell; the height of a line is `LINE`."""
LINE: Final = 19
MARGIN: Final = 16

_NAMESPACE: Final = "http://www.w3.org/2000/svg"

_STYLE: Final = """
text { font: 14px ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
  white-space: pre; fill: #1b1f24; }
.page { fill: #ffffff; }
.worse { fill: #b3470b; font-weight: bold; } .better { fill: #0b5fc0; } .mixed { fill: #7a3fc4; }
.absent { fill: #7a5c00; } .faint { fill: #5b6570; } .strong { font-weight: bold; }
@media (prefers-color-scheme: dark) {
  .page { fill: #0f1318; } text { fill: #e4e8ed; }
  .worse { fill: #ffa657; } .better { fill: #79b8ff; } .mixed { fill: #cfa6ff; }
  .absent { fill: #e6c04c; } .faint { fill: #9aa4b0; }
}
"""


def write(document: Document) -> str:
    """Return the note as SVG."""
    rows = list(lines(document, FILE_WIDTH))
    width = round(FILE_WIDTH * CELL + 2 * MARGIN)
    height = len(rows) * LINE + 2 * MARGIN
    size = f'width="{width}" height="{height}"'
    parts = [
        '<?xml version="1.0" encoding="UTF-8"?>\n',
        f'<svg xmlns="{_NAMESPACE}" {size} viewBox="0 0 {width} {height}" role="img">\n',
        f"<title>{escape(plain(document.title))}</title>\n<style>{_STYLE}</style>\n",
        f'<rect class="page" {size}/>\n',
    ]
    for number, row in enumerate(rows):
        parts += _row(row, MARGIN + LINE * number + 14)
    parts.append("</svg>\n")
    return "".join(parts)


def _row(row: Line, y: int) -> Iterator[str]:
    at = 0
    for piece in row:
        start = at
        at += cell_width(piece.text)
        told = piece.text.lstrip(" ")
        start += len(piece.text) - len(told)
        told = told.rstrip(" ")
        if told:
            tone = f' class="{piece.tone}"' if piece.tone is not Tone.PLAIN else ""
            x = f"{MARGIN + start * CELL:.1f}"
            yield f'<text x="{x}" y="{y}"{tone} xml:space="preserve">{escape(told)}</text>\n'
