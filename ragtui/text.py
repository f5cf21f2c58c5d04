"""
The only door from the text of a file to text on a screen, a terminal or a page.

What a record, a manifest or a file name says is written by strangers and models. `clean` turns it
into text that can only be read: no character of its result moves a cursor, hides, reorders or
joins its neighbours unseen. `fit`, `cut` and `wrap` lay cleaned text out by terminal cells, as rich
and Textual measure them. Scores, digests and comparisons use the raw text, never the cleaned.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from itertools import chain, islice, repeat
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = [
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
    "wrap",
]

Align = Literal["left", "right", "center"]

_TAB: Final = 4
_MARKS: Final = 8
_ZWNJ: Final = "\u200c"
_ZWJ: Final = "\u200d"
_VS16: Final = "\ufe0f"
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
    f"{_ZWJ}(?:(?<![\u0600-\u1cff\u2190-\U0010ffff]{_ZWJ})|(?<=[{_ESCAPED}]{_ZWJ})"
    f"|(?=[0-9A-Za-z\u00c0-\u024f\u0370-\u058f])|(?<=(?:{_ZWJ}[^{_ZWJ}]){{{_MARKS}}}{_ZWJ}))"
)

_LEFT_OUT: Final = re.compile(r"…<\+[0-9]{1,3}(?:,[0-9]{3}){0,5} characters>\Z")
_LEFT_OUT_LENGTH: Final = 40

# One cell each in every Unicode version rich knows: no table is needed to measure these.
_NARROW: Final = frozenset(
    map(
        chr,
        chain(
            range(0x20, 0x7F),
            range(0xA1, 0xAD),
            range(0xAE, 0x300),
            range(0x370, 0x378),
            range(0x391, 0x3A2),
            range(0x3A3, 0x482),
            range(0x2010, 0x2028),
            range(0x2400, 0x2422),
            range(0x2500, 0x25FD),
        ),
    )
)

# Never the first on a line when the break is made only because a wide character stands before it.
_CLOSING: Final = frozenset("、。，．！？：；）」』】〉》ー々…,.!?:;)]}%")  # noqa: RUF001 - wide ones meant

# Scripts whose letters look alike; a joiner (ZERO WIDTH ...) among such letters is unseen.
_LOOKALIKE: Final = frozenset(
    {
        "LATIN",
        "CYRILLIC",
        "GREEK",
        "COPTIC",
        "ARMENIAN",
        "CHEROKEE",
        "LISU",
        "FULLWIDTH",
        "MATHEMATICAL",
        "ZERO",
    }
)

_NEAREST_CANDIDATES: Final = 20_000
_NEAREST_LENGTH: Final = 64
_NEAREST_SHORT: Final = 4


# ---------------------------------------------------------------- cleaning


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


def quote(text: str, limit: int = 80) -> str:
    r"""
    Return *text* cleaned, cut to *limit* cells and in double quotes, for an error message.

    >>> quote("a \"b\"\n")
    '"a \\"b\\"␊"'
    """
    inner = cut(clean(text), limit).replace('"', '\\"')
    return f'"{inner}"'


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
        f"[\x00-\x1f\x7f{_ZWJ}{_ESCAPED}]|(?:[^\\w\\s\x00-\x7f]|[{_JAMO}{_ZWNJ}]){{{_MARKS + 1}}}"
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
    return f"{_JAMO}{_TONES}{_ZWNJ}{_ZWJ}{''.join(_ranges(marks))}"


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
            literal = text[at : at + room].rstrip(_ZWJ)
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


# ---------------------------------------------------------------- layout by cells


def cell_width(text: str) -> int:
    """
    Return how many terminal cells one line takes, as rich and Textual measure it.

    >>> cell_width("abc"), cell_width("日本")
    (3, 4)
    """
    if _NARROW.issuperset(text):
        return len(text)
    from rich.cells import cell_len  # noqa: PLC0415 - only for text that needs its tables

    return cell_len(text)


def fit(text: str, width: int, *, align: Align = "left", ellipsis: str = "…") -> str:
    """
    Return one cleaned line in exactly *width* cells: cut with *ellipsis*, or filled with spaces.

    >>> fit("precision", 6), fit("P@2", 6, align="right"), fit("日本語", 4)
    ('preci…', '   P@2', '日… ')
    """
    shown = cut(text, width, ellipsis=ellipsis)
    gap = max(0, width - cell_width(shown))
    left = {"left": 0, "right": gap, "center": gap // 2}[align]
    return f"{' ' * left}{shown}{' ' * (gap - left)}"


def cut(text: str, width: int, *, ellipsis: str = "…") -> str:
    """
    Return one cleaned line in at most *width* cells, ending in *ellipsis* where it was cut.

    A character and what belongs to it (marks, joined emoji, the two halves of a flag) stays whole.

    >>> cut("precision", 6), cut("P@2", 6), cut("日本語", 4), cut("abc", 0)
    ('preci…', 'P@2', '日…', '')
    """
    head = _head(text, width)
    if len(head) == len(text):
        return _sealed(head)
    mark = _head(ellipsis, width)
    return _sealed(_head(text, width - cell_width(mark))) + mark


def wrap(text: str, width: int) -> list[str]:
    r"""
    Return cleaned text as lines of at most *width* cells: at least one, broken at spaces.

    Line feeds stay breaks, words longer than a line are broken, spaces at a break go. Ideographs
    may be parted from each other. A character of two cells stands alone in a width of one.

    >>> wrap("one two three\nfour", 8)
    ['one two', 'three', 'four']
    >>> wrap("", 8)
    ['']
    """
    return [piece for line in text.split("\n") for piece in _wrap_line(line, max(1, width))]


def _wrap_line(line: str, width: int) -> list[str]:
    if cell_width(line) <= width:
        return [line]
    if _NARROW.issuperset(line):
        return _flow(line, [1] * len(line), width) or [""]
    clusters = list(_clusters(line))
    return _flow([part for part, _ in clusters], [size for _, size in clusters], width) or [""]


def _flow(parts: Sequence[str], sizes: Sequence[int], width: int) -> list[str]:
    """Break a line of *parts*, each *sizes* cells wide; every part is looked at twice at most."""
    lines: list[str] = []
    start = at = used = soft = 0
    while at < len(parts):
        if at == start or used + sizes[at] <= width:
            used += sizes[at]
            at += 1
            soft = at if _may_break(parts, sizes, at) else soft
            continue
        stop = soft if soft > start and parts[at] != " " else at
        lines += _without_end("".join(parts[start:stop]))
        start = soft = _after_spaces(parts, stop)
        at = max(at, start)
        used = sum(sizes[start:at])
    return [*lines, *_without_end("".join(parts[start:]))]


def _without_end(piece: str) -> list[str]:
    """Return a piece without its last spaces, or nothing where spaces are all it is."""
    stripped = piece.rstrip(" ")
    return [stripped] if stripped else []


def _after_spaces(parts: Sequence[str], at: int) -> int:
    while at < len(parts) and parts[at] == " ":
        at += 1
    return at


def _may_break(parts: Sequence[str], sizes: Sequence[int], at: int) -> bool:
    if at == len(parts) or parts[at] == " ":
        return False
    if parts[at - 1] == " ":
        return True
    return (sizes[at - 1] > 1 or sizes[at] > 1) and parts[at] not in _CLOSING


def _head(text: str, width: int) -> str:
    """Return the longest beginning of whole clusters that takes at most *width* cells."""
    if width <= 0:
        return ""
    # One narrow character more proves that nothing is attached to the last one kept.
    if _NARROW.issuperset(text[: width + 1]):
        return text[:width]
    end = used = 0
    for part, size in _clusters(text):
        used += size
        if used > width:
            break
        end += len(part)
    return text[:end]


def _sealed(text: str) -> str:
    """Keep a joiner at the end from taking the width of whatever is put after it."""
    return text + _ZWNJ if text.endswith(_ZWJ) else text


def _clusters(text: str) -> Iterator[tuple[str, int]]:
    """
    Yield what must stay together, with its cells; the cells add up to `cell_width(text)`.

    Follows rich's measure: a joiner swallows the next character, U+FE0F widens the one before it.
    """
    from rich.cells import get_character_cell_size  # noqa: PLC0415 - as in cell_width

    start = width = 0
    base, swallow, half_flag = "", False, False
    for index, character in enumerate(text):
        if swallow or character == _ZWJ:
            swallow = not swallow
            continue
        if character == _VS16:
            width += _gain(base)
            base = ""
            continue
        size = get_character_cell_size(character)
        if not size:
            continue
        base = character
        is_flag = "\U0001f1e6" <= character <= "\U0001f1ff"
        if is_flag and half_flag:
            width, half_flag = width + size, False
            continue
        if index > start:
            yield text[start:index], width
        start, width, half_flag = index, size, is_flag
    if text:
        yield text[start:], width


def _gain(base: str) -> int:
    """Return the cells that U+FE0F adds to the character before it."""
    return cell_width(base + _VS16) - cell_width(base) if base else 0


# ---------------------------------------------------------------- ids and words


def confusable(identifier: str) -> bool:
    r"""
    Tell whether one id mixes letters of scripts that look alike, or hides a joiner among them.

    >>> confusable("owner"), confusable("\u043ewner"), confusable("日本-QA")
    (False, True, False)
    """
    if identifier.isascii():
        return False
    scripts = {_script(character) for character in set(identifier)}
    return len(scripts & _LOOKALIKE) > 1


def _script(character: str) -> str:
    if not (character.isalpha() or character in {_ZWJ, _ZWNJ}):
        return ""
    return unicodedata.name(character, "").partition(" ")[0]


def confusable_pairs(ids: Iterable[str]) -> list[tuple[str, str]]:
    """
    Return the ids that differ but are equal after NFKC and case folding.

    Each id after the first of its kind is paired with that first one, in the order of *ids*.
    Works in about 40 bytes an id, however long the ids are.

    >>> confusable_pairs(["Owner", "owner", "rent", "OWNER"])
    [('Owner', 'owner'), ('Owner', 'OWNER')]
    """
    known = ids if isinstance(ids, (list, tuple)) else list(ids)
    groups: dict[str, dict[str, None]] = {}
    for identifier, folded in _crowded(known):
        groups.setdefault(folded, {})[identifier] = None
    return [
        pair
        for first, *others in map(list, groups.values())
        for pair in zip(repeat(first), others, strict=False)
    ]


def _crowded(ids: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield each id that may have an equal, with its folded form: all that have, and a few more."""
    mask = (1 << max(10, (len(ids) * 16).bit_length())) - 1
    counts = bytearray(mask + 1)
    for identifier in ids:
        slot = hash(_fold(identifier)) & mask
        counts[slot] = min(2, counts[slot] + 1)
    for identifier in ids:
        folded = _fold(identifier)
        if counts[hash(folded) & mask] > 1:
            yield identifier, folded


def _fold(identifier: str) -> str:
    if identifier.isascii():
        return identifier.lower()
    compatible = unicodedata.normalize("NFKC", identifier)
    return unicodedata.normalize("NFKC", compatible.casefold())


def plural(n: int, singular: str, plural: str | None = None) -> str:
    """
    Return a count with its noun.

    >>> plural(1, "question"), plural(12_000, "question"), plural(2, "query", "queries")
    ('1 question', '12,000 questions', '2 queries')
    """
    if n == 1:
        return f"1 {singular}"
    return f"{n:,} {plural or singular + 's'}"


def nearest(word: str, known: Iterable[str]) -> str | None:
    """
    Return the known word that *word* was probably meant to be, or None.

    Looks at 20,000 known words of a similar length at most.

    >>> nearest("cutof", ["cutoff", "measure"]), nearest("K", ["k"]), nearest("x", ["k"])
    ('cutoff', 'k', None)
    """
    if not word or len(word) > _NEAREST_LENGTH:
        return None
    reach = max(1, len(word) // 2)
    similar = (other for other in known if abs(len(other) - len(word)) <= reach)
    forms: dict[str, str] = {}
    for other in islice(similar, _NEAREST_CANDIDATES):
        forms.setdefault(other.casefold(), other)
    folded = word.casefold()
    if folded in forms:
        return forms[folded]
    from difflib import get_close_matches  # noqa: PLC0415 - only on the way to an error message

    cutoff = 0.65 if len(word) <= _NEAREST_SHORT else 0.7
    found = get_close_matches(folded, forms, n=1, cutoff=cutoff)
    return forms[found[0]] if found else None
