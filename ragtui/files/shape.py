"""
Reading decoded tables key by key, with everything that is wrong collected instead of raised.

A `Table` hands out values of exact types (`true` is no whole number, `1.0` is none either). What is
missing or wrong becomes a `Fault` with its key path, and a stand-in value is returned, so that one
pass over a file finds all its faults. `null` counts as absent.
"""

from __future__ import annotations

import math
import re
from datetime import date
from typing import TYPE_CHECKING, Final, TypeVar

from ragtui.errors import MAX_FAULTS_SHOWN, Fault, InputError
from ragtui.files.limits import MAX_INTEGER
from ragtui.files.values import describe, first_repeat, flatten, key_path, odd_values, plain
from ragtui.text import nearest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from enum import StrEnum

    _Choice = TypeVar("_Choice", bound=StrEnum)

__all__ = [
    "RFC3339",
    "Faults",
    "Table",
    "describe",
    "first_repeat",
    "flatten",
    "key_path",
    "odd_values",
]

RFC3339: Final = re.compile(
    r"\d{4}-\d\d-\d\d(?:[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)?)?",
    re.ASCII,
)
"""A date, or a date and time, as text."""

_UNLISTED: Final = Fault(message="further faults are counted, not listed")


class Faults:
    """What is wrong with one file: the first faults in full, then a count."""

    def __init__(self, file: str) -> None:
        """Collect the faults of *file*."""
        self.file = file
        self.count = 0
        self._kept: list[Fault] = []

    def add(self, *faults: Fault, line: int | None = None) -> None:
        """Take *faults*, found in *line* of the file."""
        for fault in faults:
            self.count += 1
            if len(self._kept) < MAX_FAULTS_SHOWN:
                self._kept.append(fault.at(file=self.file, line=line))

    def __bool__(self) -> bool:
        """Whether there is any fault."""
        return self.count > 0

    def error(self) -> InputError:
        """Return all faults as one error; what is only counted stands in it as one shared entry."""
        return InputError([*self._kept, *[_UNLISTED] * (self.count - len(self._kept))])

    def raise_any(self) -> None:
        """Raise InputError with all faults, if there are any."""
        if self:
            raise self.error()


class Table:
    """One table of a file: each key is asked for once, `done` reports the keys nobody asked for."""

    def __init__(
        self,
        data: Mapping[str, object],
        faults: Faults,
        *,
        path: str = "",
        line: int | None = None,
        question: str | None = None,
    ) -> None:
        """Read *data*, which stands at the key *path*, on *line*, in *question*."""
        self.data = data
        self.faults = faults
        self.path = path
        self.line = line
        self.question = question
        self._known: list[str] = []

    def fault(
        self,
        key: str | None,
        message: str,
        *,
        found: str | None = None,
        expected: str | None = None,
        hint: str | None = None,
    ) -> None:
        """Report *message* about *key*, or about the table itself for `None`."""
        self.fault_at(self.path_of(key), message, found=found, expected=expected, hint=hint)

    def fault_at(
        self,
        path: str,
        message: str,
        *,
        found: str | None = None,
        expected: str | None = None,
        hint: str | None = None,
    ) -> None:
        """Report *message* about the whole key *path*."""
        self.faults.add(
            Fault(
                message=message,
                line=self.line,
                key=path or None,
                question=self.question,
                found=found,
                expected=expected,
                hint=hint,
            )
        )

    def path_of(self, key: str | None) -> str:
        """Return the whole key path of *key*."""
        return self.path if key is None else key_path(self.path, key)

    def need(
        self, key: str, message: str = "the key is missing", *, hint: str | None = "add it"
    ) -> None:
        """Report with *message* that *key* is not there, or null."""
        if self.data.get(key) is None:
            self.fault(key, message, hint=hint)

    def has(self, key: str) -> bool:
        """Whether *key* is there and not null; it counts as asked for."""
        return self._get(key) is not None

    def text(self, key: str) -> str | None:
        """Return text."""
        value = self._get(key)
        if type(value) is str:
            return value
        self._wrong(key, value, "text")
        return None

    def need_text(self, key: str) -> str:
        """Return text that must be there; the empty text after a fault."""
        self.need(key)
        return self.text(key) or ""

    def whole(self, key: str, *, least: int, most: int = MAX_INTEGER) -> int | None:
        """Return a whole number from *least* to *most*."""
        value = self._get(key)
        bounds = f"at least {least}" if most == MAX_INTEGER else f"from {least} to {most}"
        if type(value) is int and least <= value <= most:
            return value
        self._wrong(key, value, f"a whole number {bounds}")
        return None

    def need_whole(self, key: str, *, least: int, most: int = MAX_INTEGER) -> int:
        """Return a whole number that must be there; *least* after a fault."""
        self.need(key)
        value = self.whole(key, least=least, most=most)
        return least if value is None else value

    def number(self, key: str, *, least: float | None = None) -> float | None:
        """Return a finite number, whole or not, of at least *least*."""
        value = self._get(key)
        if type(value) is int or type(value) is float:
            number = float(value)
            if math.isfinite(number) and (least is None or number >= least):
                return number
        wanted = "a number" if least is None else f"a number of at least {least:g}"
        self._wrong(key, value, wanted)
        return None

    def flag(self, key: str) -> bool | None:
        """Return true or false."""
        value = self._get(key)
        if type(value) is bool:
            return value
        self._wrong(key, value, "true or false")
        return None

    def choice(self, key: str, options: type[_Choice]) -> _Choice | None:
        """Return one of *options*."""
        value = self._get(key)
        words = [option.value for option in options]
        if type(value) is str and value in words:
            return options(value)
        if value is None:
            return None
        self.fault(
            key,
            "this is none of the known words",
            found=describe(value),
            expected=" or ".join(f'"{word}"' for word in words),
            hint=_meant(value, words) if type(value) is str else None,
        )
        return None

    def moment(self, key: str) -> str | None:
        """Return a date or time as RFC 3339 text, whether written as such or as text."""
        value = self._get(key)
        if isinstance(value, date):
            return str(plain(value))
        if type(value) is str and RFC3339.fullmatch(value):
            return value
        self._wrong(key, value, "a date and time, such as 2026-11-20T09:30:00Z")
        return None

    def texts(self, key: str) -> tuple[str, ...] | None:
        """Return a list of texts; `None` as well when one of them is not."""
        values = self.items(key)
        if values is None:
            return None
        return self.texts_of(values)

    def texts_of(self, values: Sequence[tuple[str, object]]) -> tuple[str, ...] | None:
        """Return *values*, each with its key path, as texts."""
        texts = [value for _, value in values if type(value) is str]
        for path, value in values:
            if type(value) is not str:
                self._wrong_at(path, value, "text")
        return tuple(texts) if len(texts) == len(values) else None

    def items(self, key: str) -> list[tuple[str, object]] | None:
        """Return the values of a list, each with its key path."""
        value = self._get(key)
        if type(value) is not list:
            self._wrong(key, value, "a list")
            return None
        path = self.path_of(key)
        return [(f"{path}[{index}]", item) for index, item in enumerate(value)]

    def table(self, key: str) -> Table | None:
        """Return the table at *key*."""
        value = self._get(key)
        if type(value) is not dict:
            self._wrong(key, value, "a table")
            return None
        return self.inner(self.path_of(key), value)

    def tables(self, key: str) -> list[Table] | None:
        """Return a list of tables; what is no table is left out."""
        values = self.items(key)
        if values is None:
            return None
        found = []
        for path, value in values:
            if type(value) is dict:
                found.append(self.inner(path, value))
            else:
                self._wrong_at(path, value, "a table")
        return found

    def inner(self, path: str, data: Mapping[str, object]) -> Table:
        """Return *data*, which stands at the whole key *path*, as a table of the same place."""
        return Table(data, self.faults, path=path, line=self.line, question=self.question)

    def entries(self) -> list[tuple[str, object]]:
        """Return all keys and values of a table whose keys are free, such as claim ids."""
        self._known.extend(self.data)
        return list(self.data.items())

    def free(self, key: str) -> dict[str, object]:
        """Return a free table flattened to dotted keys, empty when it is absent."""
        table = self.table(key)
        return {} if table is None else flatten(table.data)

    def done(self) -> None:
        """Report every key that was not asked for."""
        for key in self.data:
            if key not in self._known:
                self.fault(key, "unknown key", hint=_meant(key, self._known))

    def _get(self, key: str) -> object:
        self._known.append(key)
        return self.data.get(key)

    def _wrong(self, key: str, value: object, expected: str) -> None:
        """Report a *value* of another type; an absent one is no fault."""
        if value is not None:
            self._wrong_at(self.path_of(key), value, expected)

    def _wrong_at(self, path: str, value: object, expected: str) -> None:
        self.fault_at(path, "the value has another type", found=describe(value), expected=expected)


def _meant(word: str, known: Sequence[str]) -> str:
    close = nearest(word, known)
    if close is not None:
        return f'did you mean "{close}"?'
    return f"known here: {', '.join(known)}" if known else "none is known here"
