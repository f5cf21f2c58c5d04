"""The one object that every front end reads: two runs over one set, question by question."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import compress
from typing import TYPE_CHECKING, NamedTuple

from ragtui.core.aggregate import Aggregate, aggregate
from ragtui.core.agreement import Agreement, Part, Pattern, agreement_of, judgements
from ragtui.core.change import Change, Flag, Stages, Verdict
from ragtui.core.columns import ChangeRow, Coded, LabelRow, Pairs, SideColumns, change_row
from ragtui.core.contract import NO_RECORD, Outcome, State
from ragtui.core.evidence import Evidence, Side
from ragtui.core.kernel import sketch
from ragtui.core.labels import dispute_of
from ragtui.core.measures import Form, structural
from ragtui.core.model import Status
from ragtui.core.moves import MeasureChange, Move, Moves, moves_of
from ragtui.core.order import triage_order
from ragtui.core.pairing import settings_words
from ragtui.core.slices import (
    ANSWERABLE,
    CRITICAL,
    UNANSWERABLE,
    Slice,
    membership,
    overlapping,
)
from ragtui.core.standing import MIN_SHOWN_SLICE, confidence_for, withholds_questions
from ragtui.core.value import NotAvailable, Value

if TYPE_CHECKING:
    from array import array
    from collections.abc import Callable, Mapping, Sequence
    from fractions import Fraction
    from typing import TypeAlias

    from ragtui.core.contract import Counts
    from ragtui.core.kernel import Key, PlainQuestion, PlainRecord, Spoken
    from ragtui.core.labels import Dispute
    from ragtui.core.measures import Facts, Measure
    from ragtui.core.model import Question, Record, RunInfo, SetInfo
    from ragtui.core.pairing import Setting
    from ragtui.core.scorer import Kept, Scored, Scorer
    from ragtui.core.standing import Standing

    Row: TypeAlias = tuple[Facts, Counts]
    """What one run counted on one question."""

__all__ = ["AbsenceRow", "Comparison", "Detail", "Recorded", "SideRun"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """What a run's records hold, in numbers of records or items."""

    records: int = 0
    failed: int = 0
    answers: int = 0
    """Records with an answer text."""
    delivered_texts: int = 0
    """Records in which at least one retrieved item has the text delivered."""
    folded: int = 0
    """Visible chunks whose document was visible already."""
    other_versions: int = 0
    """Delivered items whose version is not the corpus's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SideRun:
    """One run: what it says of itself and what its records hold."""

    info: RunInfo
    recorded: Recorded
    columns: SideColumns


@dataclass(frozen=True, slots=True)
class Detail:
    """Everything about one question, texts included; read anew each time."""

    index: int
    question: Question
    facts: Facts
    baseline: Outcome
    candidate: Outcome
    records: tuple[tuple[Record, ...], tuple[Record, ...]]
    """Those of A and of B, each by their repeat numbers."""
    change: Change
    dispute: Dispute | None = None
    """The question under every labelling, where its labels are disputed."""
    position: int | None = None
    """Which repeat this is of several, from 0; `None`: all of them."""
    whole: Detail | None = None
    """The question over all repeats, where this is one of them."""

    def outcome(self, side: Side) -> Outcome:
        """Return what one run scored."""
        return self.baseline if side is Side.BASELINE else self.candidate

    def record(self, side: Side) -> Record | None:
        """Return what one run recorded, the first of several records."""
        return self.records[side][0] if self.records[side] else None

    @property
    def repeats(self) -> int:
        """How many records the run with more of them has of the question."""
        return max(map(len, self.records))

    def repeat(self, position: int) -> Detail:
        """
        Return the question as the records at one position have it; a run with fewer has none.

        What changed stays what it is over all repeats. With one record a side it is all there is.
        """
        if self.repeats <= 1:
            return self
        records = (
            self.records[0][position : position + 1],
            self.records[1][position : position + 1],
        )
        return replace(
            self,
            baseline=_at(self.baseline, position),
            candidate=_at(self.candidate, position),
            records=records,
            position=position,
            whole=self,
        )


def _at(outcome: Outcome, position: int) -> Outcome:
    """Return the outcome of one repeat, that of no record where there are fewer."""
    return outcome.each[position] if position < len(outcome.each) else NO_RECORD


class AbsenceRow(NamedTuple):
    """Questions on which one measure has no value, for one reason, on one side of the change."""

    measure: Measure
    code: NotAvailable
    side: str
    """`both`, `became` (only B has none) or `defined` (only A has none)."""
    n: int


_NOT_READ = ChangeRow(Verdict.NOT_COMPARABLE, None, 0, 0, 0, Stages(None, None, None))


@dataclass(kw_only=True)
class Comparison:
    """
    Two comparable runs over one set.

    Filled question by question with `put`, then read. Indexes are positions in the set's order.
    """

    set_info: SetInfo
    ids: Sequence[str]
    baseline: SideRun
    candidate: SideRun
    scorer: Scorer
    evidence: Evidence
    settings: tuple[Setting, ...] = ()
    """Pipeline keys that differ, by key."""
    annotation: tuple[Setting, ...] = ()
    """Annotation keys that differ: a warning."""
    environment: tuple[Setting, ...] = ()
    """Environment keys that differ: shown, not compared."""
    notices: tuple[str, ...] = ()
    """What a reader must know before trusting the numbers, one sentence each."""
    exploratory: bool = False
    """Whether the cutoff is not the one the runs were recorded with."""
    standing: Standing | None = None
    """How a held-out set stands for B, set before anything is shown; `None`: a development set."""
    shows_restricted: bool = False
    """Whether somebody asked to see texts that a question's caller may not read."""
    on_signals: Callable[[int, Sequence[Spoken], Sequence[Spoken]], None] | None = None
    """Called with what speaks for B and against it, which no row keeps, while rows are filled."""
    labels: Coded[LabelRow] = field(init=False)
    changes: Coded[ChangeRow] = field(init=False)
    disputes: dict[int, Dispute] = field(init=False, default_factory=dict)
    """Every question with disputed labels, under each labelling; equal ones are one object."""
    _judgements: Counter[tuple[Part, Pattern]] = field(init=False, default_factory=Counter)
    _judged: set[int] = field(init=False, default_factory=set)
    """Questions whose reviews are counted."""
    _changes_of: dict[Key, int] = field(init=False, default_factory=dict)
    """The code of a row of changes, by what a sketch says decides it."""
    _known_disputes: dict[Dispute, Dispute] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        """Make room for one row a question."""
        self.labels = Coded(len(self.ids), LabelRow())
        self.changes = Coded(len(self.ids), _NOT_READ)

    def put(self, index: int, question: Question, *records: Kept) -> None:
        """
        Score one question in both runs and keep the result.

        A question may be put again, when it turns out that a run has more records of it.
        """
        disputed = question.status is Status.DISPUTED
        self.labels[index] = LabelRow(
            question.tags, question.critical, question.cluster, disputed=disputed
        )
        scored = self.scorer.score(question, *records)
        for side, outcome in zip((self.baseline, self.candidate), scored.outcomes, strict=True):
            side.columns.put(index, scored.facts, outcome.counts)
        change = self.scorer.change(question, scored)
        if question.reviews or question.status is Status.DISPUTED:
            if index not in self._judged:
                self._judged.add(index)
                self._judgements.update(judgements(question))
            change, dispute = self._disputed(question, records, (scored, change))
            if dispute is not None:
                self.disputes[index] = self._known_disputes.setdefault(dispute, dispute)
        self.changes[index] = change_row(change)
        if self.on_signals is not None:
            self.on_signals(index, change.plus, change.minus)

    @property
    def takes_plain(self) -> bool:
        """Whether plain questions and records are enough: no permissions, and claims match."""
        return self.scorer.access is None and self.scorer.claims_match

    def put_plain(
        self, index: int, question: PlainQuestion, a: PlainRecord, b: PlainRecord
    ) -> None:
        """Do what `put` does, quickly where the like of it was put before."""
        found = sketch(question, a, b, cutoff=self.cutoff)
        change = None if found is None else self._changes_of.get(found.change)
        if found is None or change is None:
            self.put(index, question.whole(), a.whole(), b.whole())
            if found is not None:
                self._changes_of[found.change] = self.changes.codes[index]
            return
        self.labels[index] = LabelRow(question.tags, question.critical, question.cluster)
        self.changes.codes[index] = change
        self.baseline.columns.put_counted(index, found.counts[0])
        self.candidate.columns.put_counted(index, found.counts[1])
        if self.on_signals is not None:
            self.on_signals(index, *found.signals())

    def _disputed(
        self,
        question: Question,
        records: tuple[Kept, ...],
        main: tuple[Scored, Change],
    ) -> tuple[Change, Dispute | None]:
        """Score under every labelling, and flag a change whose verdict depends on the choice."""
        dispute, change = dispute_of(self.scorer, question, records, main), main[1]
        if dispute is not None and dispute.is_open:
            change = change._replace(flags=(*change.flags, Flag.LABEL_OPEN))
        return change, dispute

    def __len__(self) -> int:
        """Return the number of questions."""
        return len(self.ids)

    @property
    def cutoff(self) -> int:
        """The context cutoff k."""
        return self.scorer.cutoff

    @property
    def confidence(self) -> float:
        """That of every interval: 0.95, and 1 - 0.05/k for the k-th candidate of a held-out set."""
        return confidence_for(self.standing)

    @property
    def alpha(self) -> float:
        """The level that goes with the confidence: 0.05, divided by k on a held-out set."""
        return round(1 - self.confidence, 12)  # 1 - 0.95 is a little more than 0.05

    @property
    def withholds_questions(self) -> bool:
        """Whether nothing of a single question may be shown: a held-out set not opened."""
        return withholds_questions(self.standing)

    @property
    def unopened(self) -> bool:
        """
        Whether nobody was shown its questions yet: a held-out set, totals of which are shown.

        What somebody brings along about a single question must then change nothing that is shown,
        or it would tell how that question fared.
        """
        standing = self.standing
        return withholds_questions(standing) and standing is not None and not standing.opened

    def hides_document(self, question: Question, document: str) -> bool:
        """Tell whether a document's text is not to be shown; what nobody may read is closed."""
        access = self.scorer.access
        if access is None or self.shows_restricted:
            return False
        return access.groups.get(document, frozenset()).isdisjoint(question.caller)

    def hides_answer(self, question: Question, record: Record) -> bool:
        """Tell whether what a run said is not to be shown, because it may quote such a document."""
        if self.scorer.access is None or self.shows_restricted:
            return False
        retrieved = (item.id for item in record.retrieved or ())
        cited = (document for claim in record.claims or () for document in claim.citations)
        used = (*retrieved, *(record.delivered or ()), *cited)
        return any(self.hides_document(question, document) for document in used)

    @property
    def settings_words(self) -> str:
        """What the settings that differ mean for the reader."""
        return settings_words(self.baseline.info.pipeline, self.candidate.info.pipeline)

    @property
    def controlled(self) -> Setting | None:
        """The one setting that differs between two runs that both recorded theirs."""
        recorded = self.baseline.info.pipeline and self.candidate.info.pipeline
        return self.settings[0] if recorded and len(self.settings) == 1 else None

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures in use, in table order."""
        return self.scorer.measures

    def measure(self, key: str) -> Measure:
        """Return the measure in use with this key; `KeyError` when it is not in use."""
        found = next((m for m in self.measures if m.key == key), None)
        if found is None:
            raise KeyError(key)
        return found

    def run(self, side: Side) -> SideRun:
        """Return one of the two runs."""
        return self.baseline if side is Side.BASELINE else self.candidate

    @cached_property
    def _index_of(self) -> dict[str, int]:
        return {question: index for index, question in enumerate(self.ids)}

    def index_of(self, question: str) -> int | None:
        """Return the position of a question id, `None` when the set does not hold it."""
        return self._index_of.get(question)

    def facts(self, index: int) -> Facts:
        """Return the label facts of one question."""
        return self.baseline.columns.facts(index)

    def counts(self, side: Side, index: int) -> Counts:
        """Return what one run counted on one question."""
        return self.run(side).columns.counts(index)

    def value(self, side: Side, measure: Measure, index: int) -> Value:
        """Return one measure of one question in one run."""
        return self.run(side).columns.value(measure, index, self.cutoff)

    def move(self, measure: Measure, index: int) -> Move:
        """Return one measure of one question in both runs."""
        a, b = (self.value(side, measure, index) for side in Side)
        return Move(structural(measure, self.facts(index)), a, b)

    def delta(self, measure: Measure, index: int) -> Fraction | None:
        """Return candidate minus baseline of one question, `None` unless defined in both."""
        return self.move(measure, index).delta

    def measure_change(self, measure: Measure, index: int) -> MeasureChange:
        """Say how one measure of one question moved."""
        return self.move(measure, index).change(measure)

    @cached_property
    def totals(self) -> dict[Verdict, int]:
        """How many questions have each verdict; never filtered."""
        return self.count_verdicts(None)

    def count_verdicts(self, indexes: Sequence[int] | None) -> dict[Verdict, int]:
        """Count the verdicts of all questions or of those at *indexes*."""
        counted: Counter[Verdict] = Counter()
        for row, n in self.changes.count(indexes).items():
            counted[row.verdict] += n
        return {verdict: counted[verdict] for verdict in Verdict}

    @cached_property
    def order(self) -> array[int]:
        """Question indexes, what hurts most first."""
        return triage_order(self)

    def pairs(self, measure: Measure, indexes: Sequence[int] | None = None) -> dict[Move, int]:
        """Return the distribution of (structural n/a, A value, B value) over questions."""
        return self._distribution(measure, indexes, self.row_pairs.count_codes(indexes))

    def _distribution(
        self, measure: Measure, indexes: Sequence[int] | None, rows: Mapping[int, int]
    ) -> dict[Move, int]:
        if measure.form is not Form.REAL:
            return self.moves(measure).counted(rows)
        found: Counter[Move] = Counter()
        for index in range(len(self)) if indexes is None else indexes:
            found[self.move(measure, index)] += 1
        return dict(found)

    @cached_property
    def row_pairs(self) -> Pairs[Row, Row]:
        """Each question's (facts, counts) in A and in B, distinct pairs once; without nDCG."""
        return Pairs(self.baseline.columns.rows, self.candidate.columns.rows)

    def moves(self, measure: Measure) -> Moves:
        """
        Return the moves of a measure by distinct pair of rows.

        Of one that is no ratio of counts they only tell where it has no value.
        """
        found = self._moves.get(measure.key)
        if found is None:
            found = self._moves[measure.key] = moves_of(measure, self.row_pairs, self.cutoff)
        return found

    @cached_property
    def _moves(self) -> dict[str, Moves]:
        return {}

    @cached_property
    def clustered(self) -> bool:
        """Whether any question declares a cluster."""
        return any(row.cluster is not None for row in self.labels.values[1:])

    def _groups(
        self, measure: Measure, indexes: Sequence[int] | None
    ) -> list[dict[Fraction, int]] | None:
        if not self.clustered or not measure.has_mean:
            return None
        groups: dict[object, Counter[Fraction]] = {}
        for index in range(len(self)) if indexes is None else indexes:
            moved = self.delta(measure, index)
            if moved is not None:
                name = self.labels[index].cluster
                key: object = index if name is None else name
                groups.setdefault(key, Counter())[moved] += 1
        return [dict(group) for group in groups.values()]

    def aggregate_of(self, measure: Measure, indexes: Sequence[int] | None = None) -> Aggregate:
        """Return everything said about one measure over all or some questions."""
        return aggregate(
            measure,
            self.pairs(measure, indexes),
            groups=self._groups(measure, indexes),
            confidence=self.confidence,
        )

    def aggregates_of(self, indexes: Sequence[int] | None = None) -> tuple[Aggregate, ...]:
        """Return `aggregate_of` for every measure, counting the questions once."""
        rows = self.row_pairs.count_codes(indexes)
        return tuple(
            aggregate(
                measure,
                self._distribution(measure, indexes, rows),
                groups=self._groups(measure, indexes),
                confidence=self.confidence,
            )
            for measure in self.measures
        )

    @cached_property
    def aggregates(self) -> tuple[Aggregate, ...]:
        """Every measure over all questions; never filtered."""
        return self.aggregates_of()

    def builtin_groups(self) -> dict[str, list[int]]:
        """Return the built-in slices and their question indexes."""
        answerable = self.baseline.columns.rows.map(lambda row: row[0].answerable)
        critical = self.labels.map(lambda row: row.critical)
        return {
            ANSWERABLE: [i for i, answer in enumerate(answerable) if answer],
            UNANSWERABLE: [i for i, answer in enumerate(answerable) if answer is False],
            CRITICAL: [i for i, must_hold in enumerate(critical) if must_hold],
        }

    @cached_property
    def tags_overlap(self) -> bool:
        """Whether any question has several tags, so that slice counts do not add up."""
        return overlapping(row.tags for row in self.labels.values)

    @cached_property
    def slice_members(self) -> dict[tuple[str, str | None], list[int]]:
        """(Slice name, tag) to question indexes."""
        return membership(self.labels.map(lambda row: row.tags), self.builtin_groups())

    @cached_property
    def slices(self) -> tuple[Slice, ...]:
        """The aggregates of every slice that may be shown; never filtered."""
        least = MIN_SHOWN_SLICE if self.withholds_questions else 0
        return tuple(
            Slice(
                name=name,
                tag=tag,
                questions=len(members),
                verdicts=self.count_verdicts(members),
                aggregates=self.aggregates_of(members),
            )
            for (name, tag), members in self.slice_members.items()
            if len(members) >= least
        )

    @cached_property
    def agreements(self) -> tuple[Agreement, ...]:
        """How far the reviewers agree, a part of the labels each, where two judged the same."""
        found = []
        for part in Part:
            patterns = {said: n for (of, said), n in self._judgements.items() if of is part}
            if (agreement := agreement_of(part, patterns)) is not None:
                found.append(agreement)
        return tuple(found)

    @cached_property
    def absences(self) -> tuple[AbsenceRow, ...]:
        """Every measure and reason without a value, with the number of questions."""
        found: Counter[tuple[int, NotAvailable, str]] = Counter()
        rows = self.row_pairs.count_codes()
        for position, measure in enumerate(self.measures):
            for move, n in self._distribution(measure, None, rows).items():
                if absence := _absence(move):
                    found[position, *absence] += n
        sides = ["became", "defined", "both"]
        ordered = sorted(found, key=lambda k: (k[0], sides.index(k[2]), _REASON_ORDER[k[1]]))
        return tuple(AbsenceRow(self.measures[m], c, s, found[m, c, s]) for m, c, s in ordered)

    def absent_questions(self, row: AbsenceRow) -> list[int]:
        """Return the indexes of the questions behind one row of `absences`."""
        moves = self.moves(row.measure)
        behind = [_absence(move) == (row.code, row.side) for move in moves.distinct]
        by_pair = [behind[place] for place in moves.places]
        return list(compress(range(len(self)), map(by_pair.__getitem__, self.row_pairs.codes)))

    def states(self, side: Side) -> Mapping[State, int]:
        """Count scored, failed and missing questions of one run."""
        return self.run(side).columns.states()

    def has_record(self, side: Side, index: int) -> bool:
        """Tell whether a run recorded a question."""
        return self.counts(side, index).state is not State.MISSING

    def detail(self, index: int) -> Detail:
        """Read one question and both records, and score them anew with all ids and reasons."""
        question = self.evidence.question(index)
        records = (
            self.evidence.repeats(Side.BASELINE, index),
            self.evidence.repeats(Side.CANDIDATE, index),
        )
        scored = self.scorer.score(question, *records)
        main = scored, self.scorer.change(question, scored)
        change, dispute = self._disputed(question, records, main)
        return Detail(
            index=index,
            question=question,
            facts=scored.facts,
            baseline=scored.outcomes[0],
            candidate=scored.outcomes[1],
            records=records,
            change=change,
            dispute=dispute,
        )


def _absence(move: Move) -> tuple[NotAvailable, str] | None:
    """
    Return (reason, side) of a pair without a value on some side; `None` when both are defined.

    Where A and B have different reasons the labels' reason counts, else the first of the contract's
    order, so that each question counts once whichever run is A.
    """
    _, a, b = move
    if isinstance(a, NotAvailable) and isinstance(b, NotAvailable):
        first = min(a, b, key=_REASON_ORDER.__getitem__)
        return move.structural or first, "both"
    if isinstance(b, NotAvailable):
        return b, "became"
    return (a, "defined") if isinstance(a, NotAvailable) else None


_REASON_ORDER = {reason: place for place, reason in enumerate(NotAvailable)}
