"""The keys of one rule of a policy: numbers taken exactly, measures, terms, words."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, TypeVar

from ragtui.core.change import Severity
from ragtui.core.measures import MEASURES, measure_named
from ragtui.core.measures import Form as MeasureForm
from ragtui.core.policy import TERM_WORDS, Term, parse_term
from ragtui.core.rules import Form
from ragtui.files.shape import describe
from ragtui.text import nearest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ragtui.core.measures import Measure
    from ragtui.core.rules import Key, Kind
    from ragtui.files.shape import Table

__all__ = ["check_schema", "read_keys", "read_number", "read_where", "unknown_word"]

T = TypeVar("T")


def read_where(table: Table) -> tuple[Term, ...]:
    """Return the terms that select questions; each must hold."""
    words = table.texts("where") or ()
    terms = [(word, parse_term(word)) for word in words]
    for word, term in terms:
        if term is None:
            unknown_word(table, "where", word, TERM_WORDS, "this term is not known")
    return tuple(term for _, term in terms if term is not None)


def read_keys(table: Table, kind: Kind) -> dict[str, object]:
    """Return the keys of a rule of *kind*, checked; an absent one is not there."""
    found = {}
    for key in kind.keys:
        value = _read_key(table, key)
        if value is not None:
            found[key.name] = value
        elif key.required:
            table.need(key.name)
    if kind.any_of and not any(table.data.get(name) is not None for name in kind.any_of):
        table.fault(
            None,
            "the rule has no bound",
            expected=f"one of {', '.join(kind.any_of)} at least",
        )
    _check_average(table, found)
    return found


def _read_key(table: Table, key: Key) -> object | None:
    if key.form is Form.COUNT:
        return table.whole(key.name, least=int(key.least))
    if key.form is Form.NUMBER:
        return read_number(table, key.name, None, least=key.least, most=key.most)
    if key.form is Form.COUNT_OR_SHARE:
        if type(table.data.get(key.name)) is float:
            return read_number(table, key.name, None, least=Fraction(0), most=Fraction(1))
        return table.whole(key.name, least=0)
    if key.form is Form.MEASURE:
        return _measure(table, key.name)
    if key.form is Form.SEVERITY:
        word = _word(table, key.name, [level.name for level in Severity])
        return None if word is None else Severity[word]
    if key.form is Form.WORD:
        return _word(table, key.name, key.words)
    if key.form is Form.FLAG:
        return table.flag(key.name)
    return table.text(key.name) if key.form is Form.TEXT else _counts(table, key.name)


def read_number(
    table: Table,
    key: str,
    default: T,
    *,
    least: Fraction,
    most: Fraction | None = None,
    below: Fraction | None = None,
) -> Fraction | T:
    """Return a number exactly as its decimals say: 0.1 is a tenth."""
    number = table.number(key)
    if number is None:
        return default
    exact = Fraction(repr(number))
    too_large = (most is not None and exact > most) or (below is not None and exact >= below)
    if exact < least or too_large:
        bounds = f"at least {_short(least)}"
        if most is not None:
            bounds = f"from {_short(least)} to {_short(most)}"
        elif below is not None:
            bounds += f" and below {_short(below)}"
        table.fault(key, "the number is out of range", found=f"{number:g}", expected=bounds)
        return default
    return exact


def _short(number: Fraction) -> str:
    return f"{float(number):g}"


def _measure(table: Table, key: str) -> Measure | None:
    word = table.text(key)
    if word is None:
        return None
    known = {measure.key: measure for measure in MEASURES}
    if word not in known:
        written = measure_named(word)
        near = None if written is None else written.key
        unknown_word(table, key, word, known, "this measure is not known", near=near)
        return None
    if known[word].form is MeasureForm.COUNT:
        table.fault(
            key,
            "this measure is a count without a mean",
            found=describe(word),
            hint='use a rule of the kind "no_disclosure"',
        )
        return None
    return known[word]


def _check_average(table: Table, keys: Mapping[str, object]) -> None:
    measure = keys.get("measure")
    if keys.get("average") == "pooled" and measure is not None:
        known = next(m for m in MEASURES if m is measure)
        if not known.pools:
            table.fault(
                "average",
                f"{known.key} has no pooled average",
                found='"pooled"',
                expected='"macro"',
            )


def _word(table: Table, key: str, words: Sequence[str]) -> str | None:
    word = table.text(key)
    if word is not None and word not in words:
        unknown_word(table, key, word, words, "this word is not known here")
        return None
    return word


def _counts(table: Table, key: str) -> dict[Term, int] | None:
    inner = table.table(key)
    if inner is None:
        return None
    found = {}
    for word, _ in inner.entries():
        term = parse_term(word)
        if term is None:
            unknown_word(inner, word, word, TERM_WORDS, "this term is not known")
            continue
        found[term] = inner.need_whole(word, least=1)
    if not inner.data:
        table.fault(key, "the table is empty", hint="write such as { answerable = 20 }")
    return found


def unknown_word(
    table: Table,
    key: str,
    word: str,
    known: Iterable[str],
    message: str,
    *,
    near: str | None = None,
) -> None:
    """Report a word that is not known, with the nearest one that is."""
    words = list(known)
    close = near or nearest(word, words)
    hint = f'did you mean "{close}"?' if close else f"known here: {', '.join(words)}"
    table.fault(key, message, found=describe(word), hint=hint)


def check_schema(table: Table, known: str, what: str) -> None:
    """Raise InputError for a file that is not *what* it is read as."""
    schema = table.need_text("schema")
    if schema and schema != known:
        table.fault(
            "schema",
            f"this is not {what} of a known version",
            found=describe(schema),
            expected=f'"{known}"',
        )
        raise table.faults.error()
