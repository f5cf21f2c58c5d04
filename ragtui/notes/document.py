"""
A release note without a format: blocks of spans, each span ours or a file's.

A span is *words* (written by this program) or *data* (ids, names, notes, texts from files). Data
is kept raw: whoever writes it out cleans it, and keeps it from being read as anything but text.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from ragtui.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = [
    "EMPTY",
    "NOTHING",
    "Block",
    "Card",
    "Column",
    "Count",
    "Document",
    "Facts",
    "Fence",
    "Heading",
    "Listing",
    "Paragraph",
    "Row",
    "Span",
    "Strip",
    "Table",
    "Text",
    "Tone",
    "data",
    "joined",
    "named",
    "plain",
    "prose",
    "shown",
    "shown_body",
    "text",
    "words",
]

MAX_NAMED: Final = 12
"""Ids that a list writes out before the rest is a count."""

TEXT_LIMIT: Final = 1_000_000
"""Characters of one text that any format shows."""


class Tone(StrEnum):
    """What a span means beside its words; a colour never says it alone."""

    PLAIN = ""
    WORSE = "worse"
    BETTER = "better"
    MIXED = "mixed"
    ABSENT = "absent"
    FAINT = "faint"
    STRONG = "strong"


class Span(NamedTuple):
    """A piece of one line."""

    text: str
    is_data: bool = False
    """Whether the text comes from a file or from a person, not from this program."""
    tone: Tone = Tone.PLAIN


Text: TypeAlias = tuple[Span, ...]
"""One line of spans, as long as it needs to be."""

NOTHING: Final[Text] = (Span("–", tone=Tone.FAINT),)
"""There is nothing to say here."""

EMPTY: Final = "(empty)"
"""What stands for a text without a character."""


class Heading(NamedTuple):
    """The heading of a section (level 2) or of a part of one (level 3)."""

    text: Text
    level: int = 2


class Paragraph(NamedTuple):
    """Running text."""

    text: Text
    tone: Tone = Tone.PLAIN


class Count(NamedTuple):
    """How many questions there are of one kind."""

    glyph: str
    n: int
    word: str
    tone: Tone


class Strip(NamedTuple):
    """Counts that add up to all questions."""

    counts: tuple[Count, ...]


class Row(NamedTuple):
    """A label of ours and what it says."""

    label: str
    text: Text


class Facts(NamedTuple):
    """Labelled lines."""

    rows: tuple[Row, ...]


class Listing(NamedTuple):
    """Sentences, one an item."""

    items: tuple[Text, ...]


class Column(NamedTuple):
    """One column of a table."""

    title: str
    is_number: bool = False


class Table(NamedTuple):
    """Rows of cells, as many as there are columns."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Text, ...], ...]


class Card(NamedTuple):
    """One question: a head, and labelled lines below it."""

    head: Text
    tone: Tone
    rows: tuple[Row, ...]


class Fence(NamedTuple):
    """A text of several lines from a file, under a title."""

    title: Text
    body: str


Block: TypeAlias = Heading | Paragraph | Strip | Facts | Listing | Table | Card | Fence


@dataclass(frozen=True, slots=True)
class Document:
    """A whole note: for people in blocks, and for programs as one JSON object."""

    title: Text
    blocks: tuple[Block, ...]
    entries: Mapping[str, object] = field(default_factory=dict)
    """The same facts and the figures behind them, raw; only JSON types."""


def words(told: str, tone: Tone = Tone.PLAIN) -> Span:
    """Return words of ours."""
    return Span(told, tone=tone)


def data(told: str, tone: Tone = Tone.PLAIN) -> Span:
    """Return text of a file or of a person."""
    return Span(told, is_data=True, tone=tone)


def text(*parts: Span | str | Text) -> Text:
    """
    Join spans, lines of spans, and words.

    >>> text("k ", data("2"))
    (Span(text='k ', is_data=False, tone=<Tone.PLAIN: ''>), \
Span(text='2', is_data=True, tone=<Tone.PLAIN: ''>))
    """
    found: list[Span] = []
    for part in parts:
        if isinstance(part, str):
            found.append(Span(part))
        elif isinstance(part, Span):
            found.append(part)
        else:
            found += part
    return tuple(found)


def joined(parts: Iterable[Text], between: str = ", ") -> Text:
    """Join lines of spans with words between them."""
    found: list[Span] = []
    for part in parts:
        if found:
            found.append(Span(between))
        found += part
    return tuple(found)


def named(ids: Iterable[str], most: int = MAX_NAMED) -> Text:
    """
    Write ids out, the first *most* by name.

    >>> plain(named(["a", "b", "c", "d"], most=2))
    'a, b and 2 more'
    """
    return listed((text(data(one)) for one in ids), most)


def listed(parts: Iterable[Text], most: int = MAX_NAMED) -> Text:
    """Write the first *most* parts out and say how many more there are."""
    every = list(parts)
    hidden = len(every) - most
    told = joined(every[:most])
    return text(told, f" and {hidden:,} more") if hidden > 0 else told


def shown(span: Span) -> str:
    r"""
    Return a span as one line that can only be read.

    >>> shown(data("a\nb")), shown(data(""))
    ('a␊b', '(empty)')
    """
    return clean(span.text, limit=TEXT_LIMIT) or (EMPTY if span.is_data else "")


def shown_body(body: str) -> str:
    """Return a text of several lines as text that can only be read."""
    return clean(body, multiline=True, limit=TEXT_LIMIT)


def plain(line: Text) -> str:
    """Return a line as cleaned text without tones."""
    return "".join(map(shown, line))


def prose(sentence: str) -> Text:
    """
    Take a sentence that may quote a file apart: what is no ordinary word is data.

    >>> [span.text for span in prose("not frozen: desk-2 1.0.0 has no lock") if span.is_data]
    ['desk-2', '1.0.0']
    """
    found: list[Span] = []
    for number, word in enumerate(sentence.split(" ")):
        if number:
            found.append(Span(" "))
        found += _quoted(word)
    return tuple(found)


def _quoted(word: str) -> Text:
    core = word.rstrip(",;:.")
    after = word[len(core) :]
    if not core or _is_ordinary(core) or core == "corpus's":
        return (Span(word),) if word else ()
    return text(data(core), after) if after else text(data(core))


_LONGEST_WORD: Final = 16
_REFERENCE: Final = 7
"""Hexadecimal digits from which a word may be taken for the name of a commit."""
_HEX: Final = frozenset("abcdefABCDEF0123456789")
_ASCII_LETTERS: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")


def _is_ordinary(word: str) -> bool:
    """Tell whether it is a short word or a count, and no address, reference or digest."""
    if len(word) > _LONGEST_WORD:
        return False
    digits = word.replace(",", "")
    if word == "=" or (digits.isdecimal() and len(digits) < _REFERENCE and word.isascii()):
        return True
    return _ASCII_LETTERS.issuperset(word) and not (
        len(word) >= _REFERENCE and _HEX.issuperset(word)
    )
