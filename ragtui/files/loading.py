"""
From manifests to a `Comparison` or a `ScoredRun`: everything that is read, in the right order.

manifests → set and lock → may they be compared → records streamed into columns → notices.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import msgspec

from ragtui.core.columns import SideColumns
from ragtui.core.comparison import Comparison, Recorded, SideRun
from ragtui.core.evidence import Side
from ragtui.core.kernel import PlainRecord
from ragtui.core.ledger import Depth
from ragtui.core.model import MAX_CUTOFF, Split
from ragtui.core.notices import comparison_notices, run_notices
from ragtui.core.pairing import blocking_reasons, changed_settings, pin_reason
from ragtui.core.scorer import Scorer, claims_match, measures_for
from ragtui.core.standing import withholds_questions
from ragtui.errors import Fault, IncomparableError, InputError, Reason, UsageError
from ragtui.files.evidence import FileEvidence, RecordSource
from ragtui.files.joining import Feed, NextIndex, join, whole
from ragtui.files.ledger import candidate_digest, record_look
from ragtui.files.lock_lines import differing_questions
from ragtui.files.locks import find_lock_by_digest
from ragtui.files.manifests import load_manifest
from ragtui.files.records import RecordRules
from ragtui.files.sets import load_set

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from ragtui.core.model import Annotation
    from ragtui.core.run import ScoredRun
    from ragtui.core.standing import Standing
    from ragtui.files.joining import Held, Put
    from ragtui.files.ledger import Look
    from ragtui.files.manifests import Manifest
    from ragtui.files.sets import QuestionSet

__all__ = ["Cancelled", "Progress", "load_comparison", "load_run"]

_TICK: Final = 512
"""Records between two reports of progress."""


class Cancelled(Exception):  # noqa: N818  it is an answer to a request, not an error
    """Raised out of loading when the caller asked to stop."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far loading is, in bytes."""

    what: str
    """What is being read, as a phrase."""
    done: int
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Watch:
    """Tells the caller how far loading is, and asks it whether to go on."""

    progress: Callable[[Progress], None] | None = None
    cancelled: Callable[[], bool] | None = None

    def say(self, what: str, done: int, total: int) -> None:
        if self.cancelled is not None and self.cancelled():
            raise Cancelled
        if self.progress is not None:
            self.progress(Progress(what, done, total))

    def ticker(self, what: str, feeds: Sequence[Feed]) -> Callable[[], None]:
        count = 0

        def tick() -> None:
            nonlocal count
            count += 1
            if count % _TICK == 1:
                done = sum(feed.records.bytes_read for feed in feeds)
                self.say(what, done, sum(feed.records.size for feed in feeds))

        return tick


def load_comparison(
    baseline: Path,
    candidate: Path,
    *,
    root: Path | None = None,
    cutoff: int | None = None,
    progress: Callable[[Progress], None] | None = None,
    opened: Callable[[Comparison], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
    look: Look | None = None,
) -> Comparison:
    """
    Read two runs and compare them.

    *cutoff* overrides the recorded k and makes the comparison exploratory. *opened* is called once
    with the comparison while its rows are still being filled; nothing of a held-out set may be
    shown then. *look* is what is about to be shown of a held-out set: it stands in the ledger when
    this returns; without it such a set is refused. Raises InputError for files that are not what
    their format says, IncomparableError with every reason, OutputError when the look cannot be
    written, UsageError when it may not show what it needs, Cancelled when asked to stop.
    """
    watch = _Watch(progress=progress, cancelled=cancelled)
    watch.say("question set", 0, 0)
    manifests = load_manifest(baseline, root=root), load_manifest(candidate, root=root)
    sets = _load_sets(manifests, watch, look)
    _check_comparable(manifests, sets)
    questions = sets[0]
    k = _cutoff(cutoff, manifests[0].info.cutoff)
    feeds = tuple(_feed(manifest, questions) for manifest in manifests)
    comparison = _empty_comparison(manifests, questions, feeds, k)
    if opened is not None:
        opened(comparison)
    for feed in feeds:
        feed.plain = comparison.takes_plain
    put = _putter(comparison, questions)
    join(feeds, len(questions), put, watch.ticker("records of A and B", feeds))
    comparison.baseline = _told(comparison.baseline, feeds[0])
    comparison.candidate = _told(comparison.candidate, feeds[1])
    comparison.standing = _standing(sets[1], comparison.candidate, look, cutoff=k)
    comparison.notices = (
        *_standing_notices(comparison.standing),
        *comparison_notices(comparison, recorded_cutoff=manifests[0].info.cutoff),
        *_set_warnings(questions, comparison.standing),
    )
    return comparison


def _putter(comparison: Comparison, questions: QuestionSet) -> Put:
    """Return what puts the records of one question, in their plain form where all have one."""

    def put(index: int, records: tuple[Held, ...]) -> None:
        a, b = records
        if isinstance(a, PlainRecord) and isinstance(b, PlainRecord):
            question = questions.plain(index)
            if question is not None:
                comparison.put_plain(index, question, a, b)
                return
        comparison.put(index, questions.question(index), *map(whole, records))

    return put


def load_run(
    path: Path,
    *,
    root: Path | None = None,
    cutoff: int | None = None,
    progress: Callable[[Progress], None] | None = None,
    look: Look | None = None,
) -> ScoredRun:
    """
    Read one run and score it.

    *cutoff* overrides the recorded k; *look* is that of `load_comparison`, the run being the
    candidate. Raises InputError for files that are not what their format says, IncomparableError
    when the run is pinned to another version of its set, and what `load_comparison` raises for
    held-out sets.
    """
    from ragtui.core.run import ScoredRun  # noqa: PLC0415 - not for a comparison

    watch = _Watch(progress=progress)
    manifest = load_manifest(path, root=root)
    (questions,) = _load_sets((manifest,), watch, look)
    if reason := _pin_reason("the run", manifest, questions):
        raise IncomparableError([reason])
    k = _cutoff(cutoff, manifest.info.cutoff)
    feed = _feed(manifest, questions)
    run = ScoredRun(
        set_info=questions.info,
        ids=questions.ids,
        run=_side(manifest, questions, feed),
        scorer=_scorer(questions, k, match=True),
        evidence=_evidence(questions, (manifest,), (feed,)),
        exploratory=k != manifest.info.cutoff,
    )
    feed.plain = run.takes_plain

    def put(index: int, records: tuple[Held, ...]) -> None:
        (record,) = records
        question = questions.plain(index) if isinstance(record, PlainRecord) else None
        if isinstance(record, PlainRecord) and question is not None:
            run.put_plain(index, question, record)
        else:
            run.put(index, questions.question(index), whole(record))

    join((feed,), len(questions), put, watch.ticker("records", (feed,)))
    told = _told(run.run, feed)
    standing = _standing(questions, told, look, cutoff=k)
    notices = (
        *_standing_notices(standing),
        *run_notices(run.set_info, told, told.columns.states(), cutoff=k),
        *_set_warnings(questions, standing),
    )
    return replace(run, run=told, standing=standing, notices=notices)


def _cutoff(wanted: int | None, recorded: int) -> int:
    if wanted is None:
        return recorded
    if not 1 <= wanted <= MAX_CUTOFF:
        raise UsageError(
            Fault(
                message="the cutoff is out of range",
                key="--cutoff",
                found=str(wanted),
                expected=f"1 to {MAX_CUTOFF}",
            )
        )
    return wanted


def _load_sets(
    manifests: Sequence[Manifest], watch: _Watch, look: Look | None
) -> tuple[QuestionSet, ...]:
    """Load the set of each manifest, the same path only once; refuse what *look* may not show."""
    loaded: dict[Path, QuestionSet] = {}
    for manifest in manifests:
        path = manifest.set_path
        if path not in loaded:
            loaded[path] = load_set(
                path,
                root=manifest.root,
                progress=lambda done, all_: watch.say("question set", done, all_),
            )
            _check_look(loaded[path], look)
    return tuple(loaded[manifest.set_path] for manifest in manifests)


def _check_look(questions: QuestionSet, look: Look | None) -> None:
    """Refuse a held-out set that nobody asked for, or not as deeply as what is to be shown."""
    if questions.info.split is not Split.HELD_OUT:
        return
    if look is None:
        raise InputError(
            Fault(
                message="the set is held out, and no look at it was asked for",
                file=questions.shown,
                key="split",
                found=Split.HELD_OUT.value,
                expected=Split.DEVELOPMENT.value,
                hint="a look at a held-out set is written to its ledger: load it with one",
            )
        )
    if look.needs is not None and look.depth is Depth.AGGREGATE:
        raise UsageError(
            Fault(
                message=f"{look.needs} shows single questions, and the set is held out",
                file=questions.shown,
                hint="--open shows them and opens the set, which spends it for new candidates",
            )
        )


def _standing(
    questions: QuestionSet, candidate: SideRun, look: Look | None, *, cutoff: int
) -> Standing | None:
    """Write the look at a held-out set down, once everything it could show has been read."""
    if questions.info.split is not Split.HELD_OUT or look is None:
        return None
    info = candidate.info
    digest = candidate_digest(info.records_sha256, cutoff=cutoff, unit=info.unit)
    return record_look(questions, candidate=digest, look=look)


def _standing_notices(standing: Standing | None) -> tuple[str, ...]:
    return () if standing is None else standing.notices


def _check_comparable(manifests: tuple[Manifest, Manifest], sets: Sequence[QuestionSet]) -> None:
    """Raise IncomparableError with every reason why the runs may not be compared."""
    a, b = sets
    pins = [
        reason
        for side, manifest, questions in zip(Side, manifests, sets, strict=True)
        if (reason := _pin_reason(side.letter, manifest, questions))
    ]
    differing: tuple[str, ...] = ()
    if a.digest != b.digest:
        differing = differing_questions(a.question_digests(), b.question_digests())
    reasons = blocking_reasons(
        (a.info, b.info),
        (manifests[0].info, manifests[1].info),
        differing=differing,
        ids=(a.ids, b.ids),
    )
    if pins or reasons:
        raise IncomparableError([*pins, *reasons])


def _pin_reason(name: str, manifest: Manifest, questions: QuestionSet) -> Reason | None:
    """Say why a run was not measured on the set at its path; `None` when it was."""
    pinned = manifest.set_sha256
    if pinned is None and manifest.set_version in {None, questions.header.version}:
        return None
    if pinned == questions.digest:
        return None
    lock = find_lock_by_digest(questions.path.parent, pinned) if pinned else None
    differing = differing_questions(lock.questions, questions.question_digests()) if lock else ()
    return pin_reason(
        name,
        pinned_version=manifest.set_version,
        pinned_digest=pinned,
        found=questions.info,
        differing=differing,
    )


def _feed(manifest: Manifest, questions: QuestionSet) -> Feed:
    corpus = questions.corpus
    rules = RecordRules(
        cutoff=manifest.info.cutoff,
        unit=manifest.info.unit,
        profile=questions.header.profile,
        question_index=NextIndex(questions.ids, questions.index),
        is_document=None if corpus.ids is None else corpus.ids.__contains__,
    )
    return Feed(
        records=manifest.open_records(),
        rules=rules,
        offsets=SideColumns(len(questions), graded=False).offsets,
        find=NextIndex(questions.ids, questions.index),
        versions=corpus.versions,
    )


def _side(manifest: Manifest, questions: QuestionSet, feed: Feed) -> SideRun:
    columns = SideColumns(len(questions), graded=questions.has_grades)
    columns.offsets = feed.offsets
    return SideRun(info=manifest.info, recorded=Recorded(), columns=columns)


def _told(side: SideRun, feed: Feed) -> SideRun:
    """Return *side* with what is known once its records were read."""
    info = msgspec.structs.replace(side.info, records_sha256=feed.records.sha256)
    folded = sum(counts.folded * n for (_, counts), n in side.columns.rows.count().items())
    return replace(side, info=info, recorded=replace(feed.recorded(), folded=folded))


def _scorer(questions: QuestionSet, cutoff: int, *, match: bool) -> Scorer:
    access = questions.corpus.access
    return Scorer(
        cutoff=cutoff,
        access=access,
        claims_match=match,
        measures=measures_for(
            graded=questions.has_grades,
            judged=questions.has_not_relevant,
            permissions=access is not None,
        ),
    )


def _evidence(
    questions: QuestionSet, manifests: Sequence[Manifest], feeds: Sequence[Feed]
) -> FileEvidence:
    return FileEvidence(
        questions,
        tuple(
            RecordSource(
                feed.records,
                feed.offsets,
                str(manifest.records_path or manifest.path),
                feed.repeats,
            )
            for manifest, feed in zip(manifests, feeds, strict=True)
        ),
    )


def _empty_comparison(
    manifests: tuple[Manifest, Manifest],
    questions: QuestionSet,
    feeds: Sequence[Feed],
    cutoff: int,
) -> Comparison:
    a, b = (manifest.info for manifest in manifests)
    return Comparison(
        set_info=questions.info,
        ids=questions.ids,
        baseline=_side(manifests[0], questions, feeds[0]),
        candidate=_side(manifests[1], questions, feeds[1]),
        scorer=_scorer(questions, cutoff, match=claims_match(a, b)),
        evidence=_evidence(questions, manifests, feeds),
        settings=changed_settings(a.pipeline, b.pipeline),
        annotation=changed_settings(_flat(a.annotation), _flat(b.annotation)),
        environment=changed_settings(a.environment, b.environment),
        exploratory=cutoff != a.cutoff,
    )


def _flat(annotation: Annotation) -> dict[str, object]:
    told: dict[str, object] = {
        "claims_by": annotation.claims_by,
        "by": ", ".join(annotation.by) or None,
        "claim_ids": annotation.claim_ids.value,
        **annotation.details,
    }
    return {key: value for key, value in told.items() if value is not None}


def _set_warnings(questions: QuestionSet, standing: Standing | None) -> Iterator[str]:
    """Give the set's warnings that no notice says already and that name nothing withheld."""
    said = ("not frozen", 'questions "') if withholds_questions(standing) else ("not frozen",)
    return (warning for warning in questions.warnings if not warning.startswith(said))
