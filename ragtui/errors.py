"""
Everything ragtui can refuse, and the exit code that goes with each refusal.

::

    RagtuiError            (70)
    ├── UsageError         (2)   the command line asks for something that does not exist
    ├── InputError         (3)   a file is not what its format says
    ├── IncomparableError  (4)   two sound runs that may not be compared
    └── OutputError        (5)   something could not be written or locked

Each error carries one or more `Fault`: what is wrong, where, what was found, what was expected
and what to do about it. Messages keep the raw text of a file; whoever shows them cleans it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = [
    "MAX_FAULTS_SHOWN",
    "Fault",
    "IncomparableError",
    "InputError",
    "OutputError",
    "RagtuiError",
    "Reason",
    "UsageError",
]

MAX_FAULTS_SHOWN: Final = 20
"""Faults of one file that are listed one by one; the rest is a count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One thing that is wrong, and where."""

    message: str
    """What is wrong, as a sentence without a final stop."""
    file: str | None = None
    """The path as the user would write it."""
    line: int | None = None
    """1-based line in *file*."""
    key: str | None = None
    """Dotted key path inside the file or record, such as `retrieved[2].id`."""
    question: str | None = None
    """Question id, where the fault belongs to one question."""
    found: str | None = None
    """What stood there."""
    expected: str | None = None
    """What should have stood there."""
    hint: str | None = None
    """What to do about it."""

    def at(self, *, file: str | None = None, line: int | None = None) -> Fault:
        """
        Return this fault with a place filled in where it has none.

        >>> Fault(message="unknown key").at(file="set.toml", line=3).place
        'set.toml:3'
        """
        return replace(self, file=self.file or file, line=self.line or line)

    @property
    def place(self) -> str:
        """
        Where the fault is: `file:line: question "q": key`, as far as known.

        >>> Fault(message="m", file="a.jsonl", line=2, question="owner", key="claims").place
        'a.jsonl:2: question "owner": claims'
        """
        parts = []
        if self.file is not None:
            parts.append(self.file if self.line is None else f"{self.file}:{self.line}")
        elif self.line is not None:
            parts.append(f"line {self.line}")
        if self.question is not None:
            parts.append(f'question "{self.question}"')
        if self.key is not None:
            parts.append(self.key)
        return ": ".join(parts)

    def __str__(self) -> str:
        """
        Return the whole fault as one line of raw text.

        >>> str(Fault(message="too deep", file="a.toml", found="40 levels", hint="flatten it"))
        'a.toml: too deep (found 40 levels); flatten it'
        """
        told = [
            f"{word} {value}"
            for word, value in (("found", self.found), ("expected", self.expected))
            if value is not None
        ]
        text = f"{self.place}: {self.message}" if self.place else self.message
        if told:
            text += f" ({', '.join(told)})"
        return f"{text}; {self.hint}" if self.hint else text


class RagtuiError(Exception):
    """Base of every error ragtui raises on purpose."""

    exit_code: ClassVar[int] = 70

    def __init__(self, faults: Fault | str | Iterable[Fault]) -> None:
        """Take one fault, one message, or all faults of one file."""
        if isinstance(faults, str):
            faults = Fault(message=faults)
        self.faults: tuple[Fault, ...] = (faults,) if isinstance(faults, Fault) else tuple(faults)
        super().__init__(str(self.faults[0]) if self.faults else type(self).__name__)

    @property
    def lines(self) -> tuple[str, ...]:
        """The first faults one a line, then how many more there are."""
        shown = [str(fault) for fault in self.faults[:MAX_FAULTS_SHOWN]]
        hidden = len(self.faults) - len(shown)
        if hidden:
            shown.append(f"and {hidden} more")
        return tuple(shown)


class UsageError(RagtuiError):
    """The command line asks for something that does not exist."""

    exit_code = 2


class InputError(RagtuiError):
    """A file is not what its format says."""

    exit_code = 3


class OutputError(RagtuiError):
    """Something could not be written or locked."""

    exit_code = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """One reason why two runs may not be compared."""

    what: str
    """`set`, `cutoff`, `unit` or `questions`."""
    baseline: str
    """What A has."""
    candidate: str
    """What B has."""
    sentence: str
    """The reason as people read it: `k 2 against 3`."""
    questions: tuple[str, ...] = ()
    """Ids of the questions concerned, sorted."""


class IncomparableError(RagtuiError):
    """Two sound runs that may not be compared, with every reason."""

    exit_code = 4

    def __init__(self, reasons: Sequence[Reason]) -> None:
        """Take all *reasons*, at least one."""
        self.reasons: tuple[Reason, ...] = tuple(reasons)
        super().__init__(Fault(message=reason.sentence) for reason in self.reasons)
