"""
Columns over all questions, dictionary-encoded: each distinct row is kept once.

Rows of counts take few distinct values, so a question costs a four-byte code per column whatever
the number of questions, and every sum, sort and filter works on the distinct values first.
"""

from __future__ import annotations

from array import array
from collections import Counter
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from ragtui.core.change import CAUSES, FLAGS, Cause, Change, Flag, Severity, Stages, Swaps, Verdict
from ragtui.core.contract import Counts, State
from ragtui.core.kernel import row_of
from ragtui.core.measures import Facts, Form, Measure

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence

    from ragtui.core.kernel import Key
    from ragtui.core.value import Value

__all__ = ["ChangeRow", "Coded", "LabelRow", "Pairs", "SideColumns", "change_row"]

T = TypeVar("T", bound="Hashable")
S = TypeVar("S", bound="Hashable")
U = TypeVar("U")

NOWHERE = -1
"""The byte offset of a record that does not exist."""


class Coded(Generic[T]):
    """A column of *size* values, each distinct value kept once."""

    def __init__(self, size: int, default: T) -> None:
        """Start with *default* everywhere."""
        self.values: list[T] = [default]
        """The distinct values, by code."""
        self.codes = array("I", bytes(4 * size))
        """The code of each question's value."""
        self._code_of: dict[T, int] = {default: 0}

    def __len__(self) -> int:
        """Return the number of questions."""
        return len(self.codes)

    def __getitem__(self, index: int) -> T:
        """Return the value of one question."""
        return self.values[self.codes[index]]

    def __setitem__(self, index: int, value: T) -> None:
        """Set the value of one question."""
        self.codes[index] = self.add(value)

    def add(self, value: T) -> int:
        """Make room for a distinct value, and return its code."""
        code = self._code_of.setdefault(value, len(self.values))
        if code == len(self.values):
            self.values.append(value)
        return code

    def map(self, function: Callable[[T], U]) -> list[U]:
        """
        Return *function* of each question's value, calling it once per distinct value.

        >>> column = Coded(3, "no")
        >>> column[1] = "yes"
        >>> column.map(len)
        [2, 3, 2]
        """
        mapped = [function(value) for value in self.values]
        return [mapped[code] for code in self.codes]

    def count(self, indexes: Iterable[int] | None = None) -> Counter[T]:
        """
        Count the values of all questions, or of those at *indexes*.

        >>> Coded(3, "no").count()
        Counter({'no': 3})
        """
        return Counter({self.values[code]: n for code, n in self.count_codes(indexes).items()})

    def count_codes(self, indexes: Iterable[int] | None = None) -> Counter[int]:
        """Count as `count` does, by code."""
        return Counter(self.codes if indexes is None else map(self.codes.__getitem__, indexes))


class Pairs(Coded[tuple[T, S]]):
    """
    The column of the pairs of two columns of one size, for reading only.

    >>> a, b = Coded(3, "x"), Coded(3, 0)
    >>> b[2] = 7
    >>> pairs = Pairs(a, b)
    >>> pairs[0], pairs[2], pairs.sides
    (('x', 0), ('x', 7), [(0, 0), (0, 1)])
    """

    def __init__(self, left: Coded[T], right: Coded[S]) -> None:
        """Pair the values of each question."""
        super().__init__(0, (left.values[0], right.values[0]))
        self.left = left
        self.right = right
        width = len(right.values)
        each = zip(left.codes, right.codes, strict=True)
        keys = array("Q", (one * width + other for one, other in each))
        code_of = {key: code for code, key in enumerate(dict.fromkeys([0, *keys]))}
        self.sides = [divmod(key, width) for key in code_of]
        """The codes on either side of each distinct pair."""
        self.values = [(left.values[one], right.values[other]) for one, other in self.sides]
        self.codes = array("I", map(code_of.__getitem__, keys))


class LabelRow(NamedTuple):
    """What the set says about one question besides its labels."""

    tags: tuple[str, ...] = ()
    critical: bool = False
    cluster: str | None = None
    disputed: bool = False
    """Whether the reviewers of the labels disagree."""


class ChangeRow(NamedTuple):
    """What is said about one question, without the ids behind it."""

    verdict: Verdict
    severity: Severity | None
    cause_bits: int
    flag_bits: int
    new_unsupported: int
    stages: Stages
    swaps: Swaps = ()
    """Keys of the measures whose equal value hides a swap."""

    @property
    def causes(self) -> tuple[Cause, ...]:
        """The causes that hold."""
        return tuple(c for bit, c in enumerate(CAUSES) if self.cause_bits >> bit & 1)

    @property
    def flags(self) -> tuple[Flag, ...]:
        """The flags that hold."""
        return tuple(f for bit, f in enumerate(FLAGS) if self.flag_bits >> bit & 1)


def change_row(change: Change) -> ChangeRow:
    """Keep what columns keep of *change*."""
    return ChangeRow(
        change.verdict,
        change.severity,
        sum(1 << CAUSES.index(cause) for cause in change.causes),
        sum(1 << FLAGS.index(flag) for flag in change.flags),
        change.new_unsupported,
        change.stages,
        change.swaps,
    )


NO_FACTS = Facts(
    answerable=None,
    relevant=None,
    expected=None,
    judges_claims=False,
    judged=False,
    graded=False,
    permissions=False,
)

_UNREAD = (NO_FACTS, Counts(State.MISSING, retrieval_recorded=False, claims_recorded=False))


class SideColumns:
    """The scores of one run over all questions, and where each record stands in its file."""

    def __init__(self, size: int, *, graded: bool) -> None:
        """Start with *size* missing questions; *graded* keeps room for nDCG."""
        self.rows: Coded[tuple[Facts, Counts]] = Coded(size, _UNREAD)
        self.offsets = array("q", [NOWHERE]) * size
        """Byte offset of the record of each question, -1 where there is none."""
        self._ndcg = array("d", bytes(8 * size)) if graded else None
        self._code_of: dict[Key, int] = {}
        """The code of a row, by the numbers of a sketch."""

    def put(self, index: int, facts: Facts, counts: Counts) -> None:
        """Keep the counts of one question."""
        if self._ndcg is not None:
            self._ndcg[index] = counts.ndcg
        self.rows[index] = (facts, counts._replace(ndcg=0.0) if counts.ndcg else counts)

    def put_counted(self, index: int, key: Key) -> None:
        """Keep the counts of one question, given as the numbers of a sketch."""
        code = self._code_of.get(key)
        if code is None:
            code = self._code_of[key] = self.rows.add(row_of(key))
        self.rows.codes[index] = code

    def facts(self, index: int) -> Facts:
        """Return the label facts of one question."""
        return self.rows[index][0]

    def counts(self, index: int) -> Counts:
        """Return the counts of one question."""
        counts = self.rows[index][1]
        return counts if self._ndcg is None else counts._replace(ndcg=self._ndcg[index])

    def value(self, measure: Measure, index: int, cutoff: int) -> Value:
        """Return one measure of one question."""
        return measure.value(self.facts(index), self.counts(index), cutoff)

    def coded(
        self, measure: Measure, cutoff: int, indexes: Sequence[int] | None = None
    ) -> tuple[list[tuple[Facts, Value]], list[int]]:
        """
        Return the distinct (facts, value) pairs of *measure* and each question's position in them.

        *indexes* restricts the second list to those questions, in that order.
        """
        codes = self.rows.codes
        every: Sequence[int] = range(len(codes)) if indexes is None else indexes
        if measure.form is Form.REAL:
            return _intern((self.facts(i), self.value(measure, i, cutoff)) for i in every)
        distinct, position = _intern(
            (facts, measure.value(facts, counts, cutoff)) for facts, counts in self.rows.values
        )
        if indexes is None:
            return distinct, [position[code] for code in codes]
        return distinct, [position[codes[i]] for i in every]

    def repeated(self) -> int:
        """Count the questions of which the run has several records."""
        return sum(n for (_, counts), n in self.rows.count().items() if counts.repeats)

    def disclosing(self) -> int:
        """Count the questions on which the run showed or cited restricted material."""
        return sum(n for (_, counts), n in self.rows.count().items() if counts.disclosed)

    def states(self) -> Counter[State]:
        """Count scored, failed and missing questions."""
        found: Counter[State] = Counter()
        for (_, counts), n in self.rows.count().items():
            found[counts.state] += n
        return found


def _intern(items: Iterable[T]) -> tuple[list[T], list[int]]:
    """
    Return the distinct *items* in order of appearance, and each item's position among them.

    >>> _intern(["a", "b", "a"])
    (['a', 'b'], [0, 1, 0])
    """
    position: dict[T, int] = {}
    places = [position.setdefault(item, len(position)) for item in items]
    return list(position), places
