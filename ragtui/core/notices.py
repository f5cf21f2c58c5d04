"""What a reader must know before trusting the numbers, one sentence each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from ragtui.core.contract import State
from ragtui.core.evidence import Side

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ragtui.core.comparison import Comparison, SideRun
    from ragtui.core.model import SetInfo
    from ragtui.core.pairing import Setting

__all__ = ["comparison_notices", "open_label_notice", "run_notices"]

OPTIONS: Final = "options."
"""What stands before an annotation key that an import wrote."""


def comparison_notices(comparison: Comparison, *, recorded_cutoff: int) -> tuple[str, ...]:
    """Return every notice about a comparison whose rows are filled."""
    return tuple(_comparison(comparison, recorded_cutoff))


def run_notices(
    set_info: SetInfo, run: SideRun, states: Mapping[State, int], *, cutoff: int
) -> tuple[str, ...]:
    """Return every notice about one run read at *cutoff*."""
    return (
        *_cutoff(cutoff, run.info.cutoff),
        *_set(set_info),
        *_runs([("the run", run, states)]),
    )


def _comparison(comparison: Comparison, recorded_cutoff: int) -> Iterator[str]:
    a, b = comparison.baseline, comparison.candidate
    if a.info.records_sha256 == b.info.records_sha256:
        yield "A and B have equal records: a run is compared with itself"
    yield from _cutoff(comparison.cutoff, recorded_cutoff)
    yield from _annotation(comparison.annotation)
    yield from _set(comparison.set_info)
    yield from _runs([(s.letter, comparison.run(s), comparison.states(s)) for s in Side])
    disputed = sum(n for row, n in comparison.labels.count().items() if row.disputed)
    if disputed:
        yield f"{_questions(disputed)} with disputed labels, scored under the main labels"
    if still_open := sum(dispute.is_open for dispute in comparison.disputes.values()):
        yield open_label_notice(still_open)


def open_label_notice(n: int) -> str:
    """
    Say how many verdicts depend on disputed labels.

    >>> open_label_notice(1)
    '1 verdict depends on whose disputed labels are right'
    """
    verdicts = "1 verdict depends" if n == 1 else f"{n:,} verdicts depend"
    return f"{verdicts} on whose disputed labels are right"


def _annotation(settings: tuple[Setting, ...]) -> Iterator[str]:
    """Say apart what people chose when importing and who made the claims."""
    chosen = [setting for setting in settings if setting.key.startswith(OPTIONS)]
    made = [setting for setting in settings if not setting.key.startswith(OPTIONS)]
    if made:
        yield f"the claims of A and B were annotated differently: {_differ(made)}"
    if chosen:
        yield f"A and B were imported with different options: {_differ(chosen)}"


def _differ(settings: list[Setting]) -> str:
    return "; ".join(
        f"{s.key.removeprefix(OPTIONS)} {_told(s.baseline)} in A, {_told(s.candidate)} in B"
        for s in settings
    )


def _told(value: object) -> str:
    return "not recorded" if value is None else str(value)


def _cutoff(cutoff: int, recorded: int) -> Iterator[str]:
    if cutoff != recorded:
        yield f"exploratory cutoff: k = {cutoff}, the runs were recorded with k = {recorded}"


def _set(info: SetInfo) -> Iterator[str]:
    if not info.frozen:
        yield f"not frozen: {info.id} {info.version} has no lock"


_Sides: TypeAlias = "list[tuple[str, SideRun, Mapping[State, int]]]"
"""What each run is called, the run, and its questions by state."""


def _runs(sides: _Sides) -> Iterator[str]:
    """Say first what may make a number wrong, last what only explains it."""
    yield from _disclosing(sides)
    for name, run, _ in sides:
        if not run.info.pinned:
            yield f"not pinned: {name} does not name the digest of its set"
    for name, _, states in sides:
        for state in (State.MISSING, State.FAILED):
            if n := states.get(state, 0):
                yield f"{_questions(n)} {state.word} in {name}"
    yield from _repeated(sides)
    for name, run, _ in sides:
        if n := run.recorded.other_versions:
            items = "item was" if n == 1 else "items were"
            yield f"{n:,} {items} delivered in another version than the corpus's in {name}"
    for name, run, _ in sides:
        if n := run.recorded.folded:
            yield f"{n:,} visible chunks folded in {name}: their documents were visible already"


def _disclosing(sides: _Sides) -> Iterator[str]:
    for name, run, _ in sides:
        if n := run.columns.disclosing():
            yield f"restricted material disclosed in {name} on {_questions(n)}"


def _repeated(sides: _Sides) -> Iterator[str]:
    for name, run, _ in sides:
        if n := run.columns.repeated():
            verb = "has" if n == 1 else "have"
            yield f"{_questions(n)} {verb} several records in {name}: values are means over repeats"


def _questions(n: int) -> str:
    return "1 question" if n == 1 else f"{n:,} questions"
