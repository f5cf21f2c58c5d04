"""
The ledger beside a held-out set: `ledger.jsonl`, one canonical JSON event a line, only added to.

A look is safely on disk before anything is shown. Writers take the kernel's lock on the file
itself, which is never replaced, so that each event names the line that really stands before it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, NamedTuple

from ragtui.core.ledger import (
    DEFAULT_BUDGET,
    FIRST,
    Ancestor,
    Depth,
    Event,
    History,
    Kind,
    State,
    adds,
    find_break,
    history,
    policy_stands_before,
)
from ragtui.core.model import Split
from ragtui.core.standing import Inherited, Standing, ledger_words
from ragtui.errors import Fault, InputError
from ragtui.files.canonical import canonical, sha256_hex
from ragtui.files.ledger_file import append, encode_event, read_ledger
from ragtui.files.lock_lines import read_head, read_lock
from ragtui.files.sources import shown_path
from ragtui.text import plural

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from ragtui.core.ledger import LedgerLine
    from ragtui.core.model import Unit
    from ragtui.files.sets import QuestionSet

__all__ = [
    "LEDGER_NAME",
    "Look",
    "Retired",
    "candidate_digest",
    "check_ledger",
    "inherited",
    "ledger_path",
    "record_freeze",
    "record_look",
    "record_retirement",
]


LEDGER_NAME: Final = "ledger.jsonl"
"""What the ledger beside a set is called."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What a command is about to show of a held-out set, and by which policy it judges."""

    depth: Depth = Depth.AGGREGATE
    policy: str | None = None
    """SHA-256 of the policy in hexadecimal."""
    budget: int = DEFAULT_BUDGET
    """Candidates that the set may judge: the policy's `max_candidates`."""
    needs: str | None = None
    """What of the command shows single questions, so that it is refused at a lesser depth."""


class Retired(NamedTuple):
    """What retiring a set did."""

    path: Path
    """The ledger."""
    already: bool
    """Whether it was retired before, so that nothing was written."""
    lines: int
    head: str

    @property
    def ledger_words(self) -> str:
        """Which ledger this is, by its length and its last line."""
        return ledger_words(self.lines, self.head)


def ledger_path(set_path: Path) -> Path:
    """
    Return where the ledger of a set stands.

    >>> from pathlib import PurePosixPath
    >>> str(ledger_path(PurePosixPath("desk/set.toml")))
    'desk/ledger.jsonl'
    """
    return set_path.parent / LEDGER_NAME


def candidate_digest(records_sha256: str, *, cutoff: int, unit: Unit) -> str:
    """
    Return the digest of a candidate: of its records as they are judged.

    SHA-256 of canonical `{"cutoff", "records", "unit"}`, so that another cutoff is another
    candidate.
    """
    told = {"records": records_sha256, "cutoff": cutoff, "unit": unit.value}
    return sha256_hex(canonical(told))


def record_look(questions: QuestionSet, *, candidate: str, look: Look) -> Standing:
    """
    Write down that *candidate* is about to be shown, and return how the set stands then.

    A policy that no event names is written down just before. Looking again at the same candidate
    writes nothing. Raises OutputError when the event cannot be written: then nothing may be shown.
    Raises InputError when the ledger cannot be read.
    """
    digest = questions.digest

    def wanted(lines: Sequence[LedgerLine]) -> list[_New]:
        events = _events(lines)
        new = []
        if look.policy is not None and not _names_policy(events, look.policy):
            new.append(_New(Kind.POLICY, policy=look.policy))
        if adds(events, set_digest=digest, candidate=candidate, depth=look.depth):
            new.append(_New(Kind.LOOK, candidate=candidate, depth=look.depth))
        return new

    lines = _record(questions, wanted)
    return _standing(questions, lines, candidate, look)


def record_freeze(questions: QuestionSet) -> tuple[Inherited, ...]:
    """
    Write down that a held-out set was frozen, and return what its questions went through before.

    Nothing is written twice, and nothing about a development set. Raises OutputError, InputError.
    """
    if questions.info.split is not Split.HELD_OUT:
        return ()
    lines = _record(questions, lambda found: _once(found, Kind.FREEZE, questions.digest))
    return inherited(questions, lines)


def record_retirement(questions: QuestionSet) -> Retired:
    """
    Write down that a held-out set is given up as one.

    Raises InputError when it is not held out, OutputError when the event cannot be written.
    """
    if questions.info.split is not Split.HELD_OUT:
        raise InputError(
            Fault(
                message="the set is not held out, so there is nothing to retire",
                file=questions.shown,
                key="split",
                found=questions.info.split.value,
                expected=Split.HELD_OUT.value,
            )
        )
    path = ledger_path(questions.path)
    before = len(read_ledger(path).lines)
    lines = _record(questions, lambda found: _once(found, Kind.RETIRE, questions.digest))
    return Retired(path, len(lines) == before, len(lines), lines[-1].sha256)


# ---------------------------------------------------------------- writing


class _New(NamedTuple):
    """An event that has no place in the chain yet."""

    kind: Kind
    candidate: str | None = None
    depth: Depth | None = None
    policy: str | None = None


def _record(
    questions: QuestionSet, wanted: Callable[[Sequence[LedgerLine]], list[_New]]
) -> tuple[LedgerLine, ...]:
    """Add what *wanted* asks for, seen from the lines that stand there; return all lines."""
    path = ledger_path(questions.path)
    found = read_ledger(path)
    if not wanted(found.lines):
        return found.lines
    at = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")

    def more(lines: Sequence[LedgerLine]) -> list[bytes]:
        return _chained(lines, wanted(lines), set_digest=questions.digest, at=at)

    return append(path, more)


def _chained(
    lines: Sequence[LedgerLine], new: Sequence[_New], *, set_digest: str, at: str
) -> list[bytes]:
    """Give each new event its number and the digest of the line before it."""
    written: list[bytes] = []
    prev = lines[-1].sha256 if lines else FIRST
    for seq, each in enumerate(new, start=len(lines)):
        event = Event(
            kind=each.kind,
            seq=seq,
            prev=prev,
            at=at,
            set=set_digest,
            candidate=each.candidate,
            depth=each.depth,
            policy=each.policy,
        )
        written.append(encode_event(event))
        prev = sha256_hex(written[-1])
    return written


def _once(lines: Sequence[LedgerLine], kind: Kind, set_digest: str) -> list[_New]:
    there = any((e.kind, e.set) == (kind, set_digest) for e in _events(lines))
    return [] if there else [_New(kind)]


def _events(lines: Sequence[LedgerLine]) -> list[Event]:
    return [line.event for line in lines if line.event is not None]


def _names_policy(events: Sequence[Event], policy: str) -> bool:
    return any(event.kind is Kind.POLICY and event.policy == policy for event in events)


# ---------------------------------------------------------------- reading


def check_ledger(path: Path) -> str:
    """
    Return which ledger stands at *path*, in words.

    Raises InputError when nothing does, and naming the first line that breaks its chain.
    """
    lines = read_ledger(path, must_exist=True).lines
    broken = find_break(lines)
    if broken is not None:
        raise InputError(
            Fault(
                message=f"the line {broken.message}",
                file=shown_path(path),
                line=broken.line,
                hint="take the ledger back from version control: no gate passes with this one",
            )
        )
    return ledger_words(len(lines), lines[-1].sha256 if lines else FIRST)


def _standing(
    questions: QuestionSet, lines: tuple[LedgerLine, ...], candidate: str, look: Look
) -> Standing:
    events = _events(lines)
    locks = _locks(questions)
    sets = _ancestors(questions, events, locks)
    past = history(events, sets)
    return Standing(
        state=past.state(look.budget),
        spent_because=past.spent_because(look.budget),
        number=past.number(candidate) or 1,
        candidates=len(past.candidates),
        budget=look.budget,
        depth=look.depth,
        lines=len(lines),
        head=lines[-1].sha256,
        inherited=_inherited(questions, events, sets),
        unrecorded=tuple(_unrecorded(questions, events, locks)),
        broken=find_break(lines),
        opened=past.opened or past.retired,
        policy_before=None
        if look.policy is None
        else policy_stands_before(events, sets, policy=look.policy, candidate=candidate),
    )


def inherited(questions: QuestionSet, lines: Sequence[LedgerLine]) -> tuple[Inherited, ...]:
    """Return what the questions of a set went through in earlier versions, by the ledger."""
    events = _events(lines)
    return _inherited(questions, events, _ancestors(questions, events, _locks(questions)))


def _inherited(
    questions: QuestionSet, events: Sequence[Event], sets: Mapping[str, Ancestor]
) -> tuple[Inherited, ...]:
    found = []
    for digest, ancestor in sets.items():
        past: History = history(events, {digest: ancestor})
        if digest != questions.digest and past.candidates:
            state = State.OPENED if past.opened else State.SCORED
            found.append(Inherited(ancestor.version, ancestor.shared, len(questions), state))
    return tuple(found)


def _unrecorded(
    questions: QuestionSet, events: Sequence[Event], locks: Mapping[str, Path]
) -> Iterator[str]:
    """Say of every lock that no event knows which questions stood in it, held out or not."""
    known = {event.set for event in events if event.kind is Kind.FREEZE}
    for digest, path in locks.items():
        if digest in known:
            continue
        version, shared = _held_against(questions, path)
        if digest == questions.digest:
            yield f"the ledger does not know that {version} was frozen: lines of it may be missing"
        elif shared:
            of = plural(len(questions), "question")
            yield f"{shared:,} of {of} stood in {version}, which the ledger does not know"


def _ancestors(
    questions: QuestionSet, events: Sequence[Event], locks: Mapping[str, Path]
) -> dict[str, Ancestor]:
    """Hold every frozen content that events name against the questions at hand, in their order."""
    own = Ancestor(questions.header.version, len(questions))
    named = dict.fromkeys([questions.digest, *(event.set for event in events)])
    return {
        digest: own if digest == questions.digest else _held_against(questions, locks.get(digest))
        for digest in named
    }


def _locks(questions: QuestionSet) -> dict[str, Path]:
    """Return the locks beside the set by digest; one that cannot be read is nobody's."""
    found: dict[str, Path] = {}
    for path in sorted((questions.path.parent / "locks").glob("*.lock")):
        try:
            found.setdefault(read_head(path).sha256, path)
        except InputError:
            continue
    return found


def _held_against(questions: QuestionSet, lock: Path | None) -> Ancestor:
    """Count the questions that stood in *lock* unchanged; all may have, when it is gone."""
    try:
        frozen = None if lock is None else read_lock(lock).questions.values()
    except InputError:
        frozen = None
    if frozen is None or lock is None:
        return Ancestor(None, len(questions))
    there = Counter(frozen)
    shared = sum(digest in there for digest in questions.question_digests().values())
    return Ancestor(lock.name.removesuffix(".lock"), shared)
