"""
The one writer of standard output.

Text leaves as lines of spans, each cleaned once more on its way out, so that no character of a file
can act on a terminal. A terminal gets colour and its own width; files and pipes get 100 columns and
no control sequence. A JSON document is written whole or not at all.
"""

from __future__ import annotations

import json
import os
import re
import sys
from contextlib import contextmanager
from itertools import islice
from json.encoder import encode_basestring_ascii
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from ragtui.errors import OutputError
from ragtui.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import TextIO

__all__ = [
    "BLANK",
    "ClosedPipe",
    "Elements",
    "Line",
    "Output",
    "Span",
    "encode",
    "encode_text",
    "inert",
    "is_terminal",
    "json_document",
    "line",
    "shown_on_terminal",
]

FILE_WIDTH: Final = 100
"""Columns of what goes to a file or a pipe."""
_LEAST_WIDTH: Final = 40
_HELD_IN_MEMORY: Final = 1 << 22
"""Bytes of a JSON document held back in memory; the rest waits in an unnamed temporary file."""
_ENCODER: Final = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), allow_nan=False, default=str
)
_BATCH: Final = 512
"""Parts that are written together."""
_PIECE: Final = 1 << 16


class ClosedPipe(Exception):  # noqa: N818 - whoever read the output has enough, that is no error
    """Nobody reads standard output any more."""


class Span(NamedTuple):
    """Text in one role; `worse`, `better`, `mixed`, `strong`, `faint` or none."""

    text: str
    role: str = ""


Line: TypeAlias = tuple[Span, ...]

BLANK: Final[Line] = ()


class Elements(NamedTuple):
    """The elements of a JSON list, each encoded already and made when it is its turn."""

    parts: Iterable[str]


_SGR: Final = {"worse": "33", "better": "94", "mixed": "35", "strong": "1", "faint": "2"}
"""The nearest of the 16 colours to orange, blue and violet, which mean the same everywhere."""

# A CI runner obeys `::command::` at the start of a line and `##[command]`, `##vso[`, `##teamcity[`
# anywhere in it.
_RUNNER: Final = re.compile(r"^(\s*):(?=:)|#(?=#)")


def line(*spans: Span | str) -> Line:
    """
    Make a line of spans and plain text.

    >>> line("a ", Span("b", "worse"))
    (Span(text='a ', role=''), Span(text='b', role='worse'))
    """
    return tuple(Span(part) if isinstance(part, str) else part for part in spans)


def inert(text: str) -> str:
    """
    Break what the runner of a continuous integration service would take for a command.

    >>> inert("  ::error::forged"), inert("a ##[group]")
    ('  <U+003A>:error::forged', 'a <U+0023>#[group]')
    """
    return _RUNNER.sub(lambda found: f"{found[1] or ''}<U+{ord(found[0][-1]):04X}>", text)


def encode(value: object) -> str:
    r"""
    Return *value* as ASCII JSON with sorted keys.

    >>> encode({"b": None, "a": "é"})
    '{"a":"\\u00e9","b":null}'
    """
    return _ENCODER.encode(value)


encode_text: Final = encode_basestring_ascii
"""What `encode` does with a text, without a look at what it is."""


def json_document(entries: Mapping[str, object]) -> Iterator[str]:
    r"""
    Yield one JSON document in parts, keys sorted, a list of `Elements` one element a line.

    >>> "".join(json_document({"b": Elements(["1", "2"]), "a": True}))
    '{"a":true,\n"b":[\n1,\n2]}\n'
    """
    before = "{"
    for key in sorted(entries):
        value = entries[key]
        if isinstance(value, Elements):
            yield f"{before}{encode(key)}:["
            for number, part in enumerate(value.parts):
                yield f",\n{part}" if number else f"\n{part}"
            yield "]"
        else:
            yield f"{before}{encode(key)}:{encode(value)}"
        before = ",\n"
    yield "}\n" if entries else "{}\n"


def is_terminal(stream: TextIO | None) -> bool:
    """Tell whether *stream* is open and a terminal."""
    return stream is not None and not stream.closed and stream.isatty()


def shown_on_terminal() -> bool:
    """Tell whether all three streams are a terminal that can do more than print."""
    able = os.environ.get("TERM", "") not in {"dumb", "unknown"}
    return able and all(map(is_terminal, (sys.stdin, sys.stdout, sys.stderr)))


def _terminal_width(stream: TextIO) -> int:
    try:
        return max(_LEAST_WIDTH, os.get_terminal_size(stream.fileno()).columns)
    except (OSError, ValueError):
        return FILE_WIDTH


class Output:
    """Writes results to standard output."""

    def __init__(self, *, no_color: bool = False) -> None:
        """Take standard output as it is now; *no_color* asks for plain text on a terminal too."""
        if sys.stdout is None:
            raise OutputError("standard output is closed")
        self._stream = sys.stdout
        terminal = is_terminal(self._stream)
        self.width = _terminal_width(self._stream) if terminal else FILE_WIDTH
        """Columns that lines may take."""
        plain = no_color or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
        self._color = terminal and not plain

    def text(self, lines: Iterable[Line]) -> None:
        """Write lines of text."""
        self.raw(f"{self._painted(spans)}\n" for spans in lines)

    def document(self, entries: Mapping[str, object]) -> None:
        """Write one JSON document, but nothing of it before all of it is known."""
        import tempfile  # noqa: PLC0415 - only documents need it

        with tempfile.SpooledTemporaryFile(_HELD_IN_MEMORY, "w+", encoding="ascii") as held:
            with _written("the document cannot be held back before it is printed"):
                for batch in _batches(json_document(entries)):
                    held.write(batch)
                held.seek(0)
            while piece := held.read(_PIECE):
                self._write(piece)

    def raw(self, parts: Iterable[str]) -> None:
        """Write text that is cleaned already, or ASCII."""
        for batch in _batches(parts):
            self._write(batch)

    def _write(self, text: str) -> None:
        with _written():
            self._stream.write(text)

    def flush(self) -> None:
        """Hand everything over to whoever reads it."""
        with _written():
            self._stream.flush()

    def _painted(self, spans: Line) -> str:
        if not self._color:
            return inert("".join(clean(span.text) for span in spans)).rstrip()
        return "".join(
            f"\x1b[{_SGR[span.role]}m{clean(span.text)}\x1b[m"
            if span.role in _SGR
            else clean(span.text)
            for span in spans
        )


def _batches(parts: Iterable[str]) -> Iterator[str]:
    parts = iter(parts)
    while batch := list(islice(parts, _BATCH)):
        yield "".join(batch)


@contextmanager
def _written(what: str = "standard output cannot be written") -> Iterator[None]:
    """Say what a failed write means: nobody reads any more, or the place is full."""
    try:
        yield
    except BrokenPipeError:
        raise ClosedPipe from None
    except OSError as error:
        raise OutputError(f"{what}: {error.strerror}") from error
