r"""
Filters over the questions of a comparison, and the little language people write them in.

::

    query = term { " " term }                                  every term must hold
    term  = ["-"] ( word | key ":" value | side measure op number )
    side  = "a." | "b." | "delta."        op = "<" | "<=" | "=" | ">=" | ">"
    key   = tag | verdict | severity | triage | cause | na | critical | flag

A word is looked for in id and text, whatever its case; a key's value and a number match exactly. A
word or value with spaces, and a word with one of `: < = >`, stands in double quotes, where `\"` is
a quotation mark. A number is a decimal or a ratio such as `1/3`. A measure is named by its key or
its written form. A value that is n/a matches no comparison, so that a negated one selects it.

Every term is evaluated once per distinct row of the columns and then looked up for each question.
"""

from __future__ import annotations

import operator
import re
from dataclasses import dataclass
from fractions import Fraction
from itertools import compress
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias, TypeVar

from ragtui.core.change import Cause, Flag, Severity, Verdict
from ragtui.core.evidence import Side
from ragtui.core.measures import MEASURES, Form, Measure, measure_named
from ragtui.core.value import NotAvailable, Value, delta
from ragtui.errors import Fault, UsageError
from ragtui.text import cut, nearest, quote

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Iterable

    from ragtui.core.columns import ChangeRow, Coded, LabelRow
    from ragtui.core.comparison import Comparison
    from ragtui.core.contract import Counts
    from ragtui.core.measures import Facts

__all__ = [
    "KEYS",
    "TRIAGE_STATES",
    "UNDECIDED",
    "Compare",
    "Is",
    "Query",
    "QueryError",
    "Term",
    "Word",
    "mask",
    "parse",
    "select",
    "written_term",
]

T = TypeVar("T", bound="Hashable")

NONE: Final = "none"
"""The value of `severity` and `triage` for a question that needs no decision."""

UNDECIDED: Final = "undecided"

TRIAGE_STATES: Final = (
    UNDECIDED,
    "investigate",
    "accept",
    "block",
    "dispute",
    "stale",
    NONE,
)
"""What triage can say about a question."""

KEYS: Final[dict[str, tuple[str, ...] | None]] = {
    "tag": None,
    "verdict": tuple(Verdict),
    "severity": (*(severity.name for severity in Severity), NONE),
    "triage": TRIAGE_STATES,
    "cause": tuple(Cause),
    "na": tuple(NotAvailable),
    "critical": ("yes", "no"),
    "flag": tuple(Flag),
}
"""Every key and the values it may have; `None`: any tag of the set."""

_SIDES: Final[dict[str, Side | None]] = {
    "a.": Side.BASELINE,
    "b.": Side.CANDIDATE,
    "delta.": None,
}
_OPERATORS: Final[dict[str, Callable[[Fraction, Fraction], bool]]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    "=": operator.eq,
    ">": operator.gt,
}

_HEAD: Final = re.compile(r"[^\s:<=>]*")
_REST: Final = re.compile(r"\S*")
_SPACES: Final = re.compile(r"\s*")
_QUOTED: Final = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_ESCAPE: Final = re.compile(r'\\(["\\])')
_OPERATOR: Final = re.compile("<=|>=|<|=|>")
# A screen writes a falling delta with a minus sign, so that sign is read as well as a hyphen.
_NUMBER: Final = re.compile(
    "(?P<sign>[-+\u2212]?)"
    r"(?P<size>[0-9]{1,18}/[0-9]{1,18}|[0-9]{1,18}(?:\.[0-9]{0,18})?|\.[0-9]{1,18})"
)
_MAX_SHOWN: Final = 40
"""Cells of a mistaken word that an error message repeats."""


class QueryError(UsageError):
    """A filter that cannot be understood, or that asks for what this comparison does not have."""

    def __init__(self, message: str, position: int, hint: str | None = None) -> None:
        """Say what is wrong from the 0-based *position* on, and what to do about it."""
        super().__init__(Fault(message=f"{message}, at character {position + 1}", hint=hint))
        self.position = position
        self.hint = hint


class Word(NamedTuple):
    """The text is somewhere in the id or the wording of the question."""

    text: str


class Is(NamedTuple):
    """A property has exactly this value."""

    key: str
    value: str


class Compare(NamedTuple):
    """A value of A or B, or the delta between them (*side* `None`), against a number."""

    side: Side | None
    measure: Measure
    name: str
    """The measure as it was written."""
    op: str
    number: Fraction


Test: TypeAlias = Word | Is | Compare


class Term(NamedTuple):
    """One condition; *negated*: the questions for which it does not hold."""

    test: Test
    negated: bool
    position: int
    """Where the part stands that may not suit a comparison: the tag, the measure."""


@dataclass(frozen=True, slots=True)
class Query:
    """A filter that was understood; without terms it selects everything."""

    text: str
    terms: tuple[Term, ...]

    @property
    def words(self) -> tuple[str, ...]:
        """The words to look for in ids and texts."""
        return tuple(term.test.text for term in self.terms if isinstance(term.test, Word))


# ---------------------------------------------------------------- reading


def parse(text: str) -> Query:
    """
    Read a filter; `QueryError` names the first part that is not understood.

    >>> [term] = parse("-delta.R@2<=-0.1").terms
    >>> term.negated, term.test.measure.key, term.test.op, term.test.number
    (True, 'recall', '<=', Fraction(-1, 10))
    >>> parse("tags:lookup")
    Traceback (most recent call last):
    ragtui.core.query.QueryError: unknown key "tags", at character 1; did you mean "tag"?
    """
    terms = []
    at = _after_spaces(text, 0)
    while at < len(text):
        term, end = _read_term(text, at)
        terms.append(term)
        at = _after_spaces(text, end)
    return Query(text, tuple(terms))


def written_term(key: str, value: str) -> str:
    r"""
    Write one key and value so that `parse` reads them back.

    >>> written_term("tag", "lookup"), written_term("tag", 'a "b"')
    ('tag:lookup', 'tag:"a \\"b\\""')
    """
    plain = value and _REST.fullmatch(value) and not value.startswith('"')
    if plain:
        return f"{key}:{value}"
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'{key}:"{escaped}"'


def _after_spaces(text: str, at: int) -> int:
    found = _SPACES.match(text, at)
    return found.end() if found else at


def _upto(pattern: re.Pattern[str], text: str, at: int) -> str:
    found = pattern.match(text, at)
    return found.group() if found else ""


def _read_term(text: str, at: int) -> tuple[Term, int]:
    negated = text[at] == "-"
    start = at + negated
    if not _upto(_REST, text, start):
        raise QueryError("nothing follows the minus sign", at, 'write "-" in double quotes')
    if text[start] == '"':
        word, end = _read_quoted(text, start)
        if not word:
            raise QueryError("an empty word is in every question", start)
        return Term(Word(word), negated, start), end
    test: Test
    head = _upto(_HEAD, text, start)
    after = start + len(head)
    if text[after : after + 1] == ":":
        test, position, end = _read_key(text, head, start)
    elif _upto(_OPERATOR, text, after):
        test, position, end = _read_comparison(text, head, start)
    else:
        test, position, end = _word(head, start), start, after
    return Term(test, negated, position), end


def _word(head: str, start: int) -> Word:
    side = _side_of(head)
    if side and measure_named(head.removeprefix(side)):
        raise QueryError(
            f"{quote(head, _MAX_SHOWN)} needs an operator and a number",
            start,
            f"without spaces, such as {head}<0.5",
        )
    return Word(head)


def _read_quoted(text: str, at: int) -> tuple[str, int]:
    found = _QUOTED.match(text, at)
    if found is None:
        raise QueryError("the double quotes are not closed", at)
    if _upto(_REST, text, found.end()):
        raise QueryError("a space is missing after the double quotes", found.end())
    return _ESCAPE.sub(r"\1", found.group(1)), found.end()


def _read_key(text: str, key: str, start: int) -> tuple[Is, int, int]:
    if key not in KEYS:
        hint = _did_you_mean(key, KEYS) or 'a word with ":" stands in double quotes'
        raise QueryError(f"unknown key {quote(key, _MAX_SHOWN)}", start, hint)
    at = start + len(key) + 1
    if text[at : at + 1] == '"':
        value, end = _read_quoted(text, at)
    else:
        value = _upto(_REST, text, at)
        end = at + len(value)
    known = KEYS[key]
    if not value:
        raise QueryError(f"{key}: needs a value", at, _one_of(known) if known else None)
    if known is not None and value not in known:
        hint = _did_you_mean(value, known) or _one_of(known)
        raise QueryError(f"unknown {key} {quote(value, _MAX_SHOWN)}", at, hint)
    return Is(key, value), at, end


def _read_comparison(text: str, head: str, start: int) -> tuple[Compare, int, int]:
    side = _side_of(head)
    if side is None:
        raise _without_side(head, start)
    position = start + len(side)
    name = head.removeprefix(side)
    measure = measure_named(name)
    if measure is None:
        hint = _did_you_mean(name, _measure_names(name)) or _one_of(m.key for m in MEASURES)
        raise QueryError(f"unknown measure {quote(name, _MAX_SHOWN)}", position, hint)
    at = start + len(head)
    op = _upto(_OPERATOR, text, at)
    written = _upto(_REST, text, at + len(op))
    number = _number(written)
    if number is None:
        raise QueryError(
            f"{quote(written, _MAX_SHOWN)} is no number" if written else "a number is missing",
            at + len(op),
            "such as -0.1, 0.5 or 1/3, without spaces",
        )
    end = at + len(op) + len(written)
    return Compare(_SIDES[side], measure, name, op, number), position, end


def _without_side(head: str, start: int) -> QueryError:
    stem, dot, name = head.rpartition(".")
    if dot and measure_named(name):
        hint = _did_you_mean(stem, ["a", "b", "delta"]) or "sides are a., b. and delta."
        return QueryError(f"unknown side {quote(stem, _MAX_SHOWN)}", start, hint)
    if measure_named(head):
        hint = f"did you mean {quote(f'delta.{head}')}?"
        return QueryError(f"{quote(head, _MAX_SHOWN)} needs a side: a., b. or delta.", start, hint)
    return QueryError(
        f"{quote(head, _MAX_SHOWN)} is no side and measure",
        start,
        "a word with <, = or > stands in double quotes",
    )


def _side_of(head: str) -> str | None:
    return next((side for side in _SIDES if head.startswith(side)), None)


def _measure_names(wrong: str) -> Iterable[str]:
    """Yield every name a measure has, written forms with the cutoff that stands in *wrong*."""
    cutoff = wrong.partition("@")[2]
    for measure in MEASURES:
        yield measure.key
        yield measure.form_on_screen.format(k=cutoff if cutoff.isdecimal() else "10")


def _number(written: str) -> Fraction | None:
    found = _NUMBER.fullmatch(written)
    if found is None:
        return None
    top, _, bottom = found["size"].partition("/")
    if bottom and not int(bottom):
        return None
    size = Fraction(top) / int(bottom or 1)
    return size if found["sign"] in {"", "+"} else -size


def _did_you_mean(word: str, known: Iterable[str]) -> str | None:
    found = nearest(word, known)
    return None if found is None else f"did you mean {quote(found)}?"


def _one_of(known: Iterable[str]) -> str:
    return f"one of {', '.join(known)}"


# ---------------------------------------------------------------- evaluating


def select(
    comparison: Comparison,
    query: Query,
    *,
    texts: Callable[[str], Collection[int]] | None = None,
    triage: Callable[[int], str] | None = None,
    decided: Collection[int] | None = None,
) -> list[int]:
    """
    Return the indexes of the questions for which every term holds, in set order.

    *texts* returns the questions whose wording holds a word, whatever its case; without it words
    are looked for in ids only. *triage* returns one of `TRIAGE_STATES` for a question; without it
    every change is undecided, and with *decided* every one that is not among these indexes.
    `QueryError` when the comparison lacks a measure, cutoff or tag.
    """
    kept = mask(comparison, query, texts=texts, triage=triage, decided=decided)
    return list(compress(range(len(comparison)), kept))


def mask(
    comparison: Comparison,
    query: Query,
    *,
    texts: Callable[[str], Collection[int]] | None = None,
    triage: Callable[[int], str] | None = None,
    decided: Collection[int] | None = None,
) -> bytes:
    """Return one byte a question, 1 where `select` selects it."""
    for term in query.terms:
        _check(comparison, term)
    size = len(comparison)
    kept = int.from_bytes(b"\x01" * size, "little")
    for term in query.terms:
        if isinstance(term.test, Is) and term.test.key == "triage" and triage is not None:
            found = _triage_mask(comparison, term.test.value, triage, decided)
        else:
            found = _term_mask(comparison, term.test, texts=texts)
        kept &= int.from_bytes(found.translate(_FLIPPED) if term.negated else found, "little")
    return kept.to_bytes(size, "little")


_FLIPPED: Final = bytes([1, *bytes(255)])
"""A translation of bytes that turns 1 into 0 and 0 into 1."""


def _check(comparison: Comparison, term: Term) -> None:
    """Refuse what can be read but has no meaning in *comparison*."""
    test = term.test
    if isinstance(test, Compare):
        _check_measure(comparison, test, term.position)
    elif isinstance(test, Is) and test.key == "tag":
        tags = {tag for row in comparison.labels.values for tag in row.tags}
        if test.value not in tags:
            hint = _did_you_mean(test.value, sorted(tags))
            shown = quote(test.value, _MAX_SHOWN)
            raise QueryError(f"no question has the tag {shown}", term.position, hint)


def _check_measure(comparison: Comparison, test: Compare, position: int) -> None:
    if test.measure not in comparison.measures:
        raise QueryError(
            f"{test.measure.key} is not measured: the labels do not make it possible", position
        )
    cutoff = test.name.partition("@")[2]
    if cutoff and cutoff.lstrip("0") != str(comparison.cutoff):
        raise QueryError(
            f"this comparison has k = {comparison.cutoff}, not {cut(cutoff, _MAX_SHOWN)}",
            position,
            f"did you mean {quote(test.measure.written(comparison.cutoff))}?",
        )


def _term_mask(
    comparison: Comparison,
    test: Test,
    *,
    texts: Callable[[str], Collection[int]] | None,
) -> bytes:
    if isinstance(test, Word):
        return _word_mask(comparison, test.text, texts)
    if isinstance(test, Compare):
        return _compare_mask(comparison, test)
    if test.key == "na":
        return _na_mask(comparison, NotAvailable(test.value))
    if test.key in _LABEL_TESTS:
        holds_for = _LABEL_TESTS[test.key]
        return _by_row(comparison.labels, lambda row: holds_for(row, test.value))
    holds = _CHANGE_TESTS[test.key]
    return _by_row(comparison.changes, lambda row: holds(row, test.value))


def _triage_mask(
    comparison: Comparison,
    value: str,
    triage: Callable[[int], str],
    decided: Collection[int] | None,
) -> bytes:
    if decided is None:
        return bytes(triage(index) == value for index in range(len(comparison)))
    found = bytearray(_by_row(comparison.changes, lambda row: _undecided(row, value)))
    for index in decided:
        found[index] = triage(index) == value
    return bytes(found)


def _by_row(column: Coded[T], holds: Callable[[T], bool]) -> bytes:
    """Test each distinct value once, and look the answer up for every question."""
    answers = bytes(map(holds, column.values))
    return bytes(map(answers.__getitem__, column.codes))


_LABEL_TESTS: Final[dict[str, Callable[[LabelRow, str], bool]]] = {
    "tag": lambda row, value: value in row.tags,
    "critical": lambda row, value: row.critical == (value == "yes"),
}


def _undecided(row: ChangeRow, value: str) -> bool:
    return value == (NONE if row.severity is None else UNDECIDED)


_CHANGE_TESTS: Final[dict[str, Callable[[ChangeRow, str], bool]]] = {
    "verdict": lambda row, value: row.verdict == value,
    "severity": lambda row, value: value == (NONE if row.severity is None else row.severity.name),
    "triage": _undecided,
    "cause": lambda row, value: value in row.causes,
    "flag": lambda row, value: value in row.flags,
}


def _word_mask(
    comparison: Comparison, word: str, texts: Callable[[str], Collection[int]] | None
) -> bytes:
    folded = word.casefold()
    found = bytearray(folded in question.casefold() for question in comparison.ids)
    for index in texts(word) if texts is not None else ():
        found[index] = 1
    return bytes(found)


def _na_mask(comparison: Comparison, code: NotAvailable) -> bytes:
    """Find the questions on which some measure has no value for this reason, in A or in B."""

    def lacks(row: tuple[Facts, Counts]) -> bool:
        facts, counts = row
        return any(m.value(facts, counts, comparison.cutoff) is code for m in comparison.measures)

    a, b = (_by_row(comparison.run(side).columns.rows, lacks) for side in Side)
    either = int.from_bytes(a, "little") | int.from_bytes(b, "little")
    return either.to_bytes(len(comparison), "little")


def _compare_mask(comparison: Comparison, test: Compare) -> bytes:
    measure, cutoff, side = test.measure, comparison.cutoff, test.side
    compare, number = _OPERATORS[test.op], test.number

    def holds(value: Fraction | None) -> bool:
        return value is not None and compare(value, number)

    if measure.form is Form.REAL:
        return bytes(holds(_exact(comparison, test, i)) for i in range(len(comparison)))
    if side is None:
        return _by_row(
            comparison.row_pairs,
            lambda pair: holds(delta(*(measure.value(*row, cutoff) for row in pair))),
        )
    rows = comparison.run(side).columns.rows
    return _by_row(rows, lambda row: holds(_fraction(measure.value(*row, cutoff))))


def _exact(comparison: Comparison, test: Compare, index: int) -> Fraction | None:
    """Return what is compared for one question, for a measure that rows do not hold."""
    if test.side is None:
        return comparison.delta(test.measure, index)
    return _fraction(comparison.value(test.side, test.measure, index))


def _fraction(value: Value) -> Fraction | None:
    return None if isinstance(value, NotAvailable) else value.fraction
