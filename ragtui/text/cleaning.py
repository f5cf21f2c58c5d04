"""Turn the text of a file into text that can only be read."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Final

from ragtui.text.cells import cell_width
from ragtui.text.joiners import ZWJ, ZWNJ

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["clean", "printable_id"]

_TAB: Final = 4
_MARKS: Final = 8
_DELETE: Final = 0x7F

# Shown as <U+XXXX>: C1, bidi controls, everything Unicode calls a format or default-ignorable
# character (but the joiners and the 16 variation selectors that emoji need), lone surrogates and
# noncharacters.
_ESCAPED: Final = (
    "\x80-\x9f\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5"
    "\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufdd0-\ufdef"
    "\ufeff\uffa0\ufff0-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
) + "".join(f"{chr(plane + 0xFFFE)}{chr(plane + 0xFFFF)}" for plane in range(0, 0x110000, 0x10000))

# Zero cells wide without being marks: vowels and finals of Hangul, skin tones of emoji.
_JAMO: Final = "\u1161-\u11ff\ud7b0-\ud7ff"
_TONES: Final = "\U0001f3fb-\U0001f3ff"

# A joiner takes the width of the character after it, so a line full of them would be measured as
# one cell and drawn over the rest of the screen. It stays where it means something: after a letter
# of the scripts that use it or after a symbol, before no alphabetic letter, 8 times in a chain.
_IDLE_JOINER: Final = (
    f"{ZWJ}(?:(?<![\u0600-\u1cff\u2190-\U0010ffff]{ZWJ})|(?<=[{_ESCAPED}]{ZWJ})"
    f"|(?=[0-9A-Za-z\u00c0-\u024f\u0370-\u058f])|(?<=(?:{ZWJ}[^{ZWJ}]){{{_MARKS}}}{ZWJ}))"
)
_LEFT_OUT: Final = re.compile(r"…<\+[0-9]{1,3}(?:,[0-9]{3}){0,5} characters>\Z")
_LEFT_OUT_LENGTH: Final = 40


def clean(text: str, *, multiline: bool = False, limit: int = 20_000) -> str:
    r"""
    Return *text* as it may be shown: every character that acts instead of being read made visible.

    C0 and DEL become control pictures. C1, bidi controls, invisible characters, lone surrogates
    and noncharacters become `<U+XXXX>`. Of more than 8 combining marks in a row 8 stay. With
    *multiline* a line feed stays, CR LF is one, and a tab is spaces to the next column of 4.
    At most *limit* characters are shown, then how many of *text* were left out.
    Cleaning twice changes nothing more; ordinary text comes back as the same object.

    >>> clean("a\x1b[2Jb\u202ec")
    'a␛[2Jb<U+202E>c'
    >>> clean("one\r\n\ttwo", multiline=True)
    'one\n    two'
    >>> clean("abcdef", limit=2)
    'ab…<+4 characters>'
    """
    if len(text) <= limit and _is_plain(text, multiline=multiline):
        return text
    shown, used = _translate(text, multiline=multiline, limit=limit)
    if used == len(text):
        return shown
    # Text that was cut before keeps its own count: it is as long as it may be.
    earlier = _LEFT_OUT.search(text[-_LEFT_OUT_LENGTH:])
    if earlier:
        body = text[: -len(earlier.group())]
        again, used_again = _translate(body, multiline=multiline, limit=limit)
        if used_again == len(body):
            return again + earlier.group()
    return f"{shown}…<+{len(text) - used:,} characters>"


def printable_id(identifier: str) -> str:
    r"""
    Return an id, a name or a path as one line that may be shown.

    >>> printable_id("q1\n::error::forged")
    'q1␊::error::forged'
    """
    return clean(identifier)


def _is_plain(text: str, *, multiline: bool) -> bool:
    """Tell whether `clean` would change nothing, without the large table where possible."""
    if text.isascii():
        return (text.replace("\n", "") if multiline else text).isprintable()
    if _suspect().search(text) is None:
        return True
    return _pattern(multiline=multiline, is_ascii=False).search(text) is None


@cache
def _suspect() -> re.Pattern[str]:
    # Marks are never word characters, so a run of nine others is needed for a flood of them.
    return re.compile(
        f"[\x00-\x1f\x7f{ZWJ}{_ESCAPED}]|(?:[^\\w\\s\x00-\x7f]|[{_JAMO}{ZWNJ}]){{{_MARKS + 1}}}"
    )


@cache
def _pattern(*, multiline: bool, is_ascii: bool) -> re.Pattern[str]:
    """Return the pattern of everything `clean` replaces; a flood is what follows 8 marks."""
    controls = "\r\n|[\x00-\x09\x0b-\x1f\x7f" if multiline else "[\x00-\x1f\x7f"
    if is_ascii:
        return re.compile(f"{controls}]")
    mark = f"[{_mark_class()}]"
    flood = f"(?P<flood>{mark}(?<={mark}{{{_MARKS + 1}}}){mark}*)"
    # Nothing replaced begins with printable ASCII: that said first saves most of the time.
    return re.compile(f"(?![ -~])(?:{controls}{_ESCAPED}]|{_IDLE_JOINER}|{flood})")


@cache
def _mark_class() -> str:
    """
    Return what counts as a mark, as the inside of a regular expression's brackets.

    Code points this Python does not know yet count as well: newer tables give many of them no
    width. The range ends before emoji and the large ideographic planes.
    """
    escaped = re.compile(f"[{_ESCAPED}]")
    points = chain(range(0x300, 0x3400), range(0xA000, 0xAC00), range(0xF900, 0x1F000))
    marks = [
        character
        for character in map(chr, points)
        if unicodedata.category(character) in {"Mn", "Mc", "Me", "Cn"}
        and not escaped.match(character)
    ]
    return f"{_JAMO}{_TONES}{ZWNJ}{ZWJ}{''.join(_ranges(marks))}"


def _ranges(characters: Iterable[str]) -> Iterator[str]:
    first = last = ""
    for character in characters:
        if last and ord(character) == ord(last) + 1:
            last = character
            continue
        if last:
            yield f"{first}-{last}"
        first = last = character
    if last:
        yield f"{first}-{last}"


def _translate(text: str, *, multiline: bool, limit: int) -> tuple[str, int]:
    """
    Return the cleaned beginning of *text* in at most *limit* characters, and how much it covers.

    Reads no further than it shows, but for one flood of marks.
    """
    pattern = _pattern(multiline=multiline, is_ascii=text.isascii())
    pieces: list[str] = []
    at, room = 0, limit
    while at < len(text):
        found = pattern.search(text, at, at + room + 2)
        stop = found.start() if found else len(text)
        if stop - at > room:
            literal = text[at : at + room].rstrip(ZWJ)
            pieces.append(literal)
            at += len(literal)
            break
        pieces.append(text[at:stop])
        at, room = stop, room - (stop - at)
        # The search may have ended inside a flood: match it again in full.
        token = pattern.match(text, at)
        if token is None:
            break
        shown = _replacement(token, keep_tab=multiline)
        room -= _TAB if shown == "\t" else len(shown)
        if room < 0:
            break
        pieces.append(shown)
        at = token.end()
    return _expand_tabs("".join(pieces)), at


def _replacement(token: re.Match[str], *, keep_tab: bool) -> str:
    found = token.group()
    if token.lastgroup == "flood":
        return f"<+{len(found)} marks>"
    if found == "\r\n":
        return "\n"
    if found == "\t" and keep_tab:
        return found
    code = ord(found)
    if code < ord(" "):
        return chr(0x2400 + code)
    return "\u2421" if code == _DELETE else f"<U+{code:04X}>"


def _expand_tabs(text: str) -> str:
    if "\t" not in text:
        return text
    return "\n".join(map(_expand_line, text.split("\n")))


def _expand_line(line: str) -> str:
    first, *others = line.split("\t")
    pieces, column = [first], cell_width(first)
    for part in others:
        gap = _TAB - column % _TAB
        pieces += [" " * gap, part]
        column += gap + cell_width(part)
    return "".join(pieces)
