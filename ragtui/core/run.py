"""One run scored over its set, for the table of a single run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragtui.core.aggregate import Own, own_mean
from ragtui.core.evidence import Evidence, Side
from ragtui.core.kernel import counted
from ragtui.core.standing import withholds_questions

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ragtui.core.comparison import SideRun
    from ragtui.core.contract import Outcome
    from ragtui.core.kernel import PlainQuestion, PlainRecord
    from ragtui.core.measures import Facts, Measure
    from ragtui.core.model import Question, SetInfo
    from ragtui.core.scorer import Kept, Scorer
    from ragtui.core.standing import Standing

__all__ = ["QuestionScore", "ScoredRun"]


@dataclass(frozen=True, slots=True)
class QuestionScore:
    """One question of one run with everything that was scored."""

    question: Question
    facts: Facts
    outcome: Outcome

    @property
    def repeats(self) -> int:
        """How many records the run has of the question."""
        return sum(one.record is not None for one in self.outcome.each)


@dataclass(frozen=True, kw_only=True)
class ScoredRun:
    """One run over one set; indexes are positions in the set's order."""

    set_info: SetInfo
    ids: Sequence[str]
    run: SideRun
    scorer: Scorer
    evidence: Evidence
    notices: tuple[str, ...] = ()
    exploratory: bool = False
    standing: Standing | None = None
    """How a held-out set stands for the run; `None`: a development set."""

    @property
    def cutoff(self) -> int:
        """The context cutoff k."""
        return self.scorer.cutoff

    @property
    def withholds_questions(self) -> bool:
        """Whether nothing of a single question may be shown: a held-out set not opened."""
        return withholds_questions(self.standing)

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures in use, in table order."""
        return self.scorer.measures

    def put(self, index: int, question: Question, record: Kept) -> None:
        """Score one question and keep its counts."""
        scored = self.scorer.score(question, record)
        self.run.columns.put(index, scored.facts, scored.outcomes[0].counts)

    @property
    def takes_plain(self) -> bool:
        """Whether plain questions and records are enough: the set declares no permissions."""
        return self.scorer.access is None

    def put_plain(self, index: int, question: PlainQuestion, record: PlainRecord) -> None:
        """Do what `put` does, quickly where the kernel can."""
        key = counted(question, record, cutoff=self.cutoff)
        if key is None:
            self.put(index, question.whole(), record.whole())
        else:
            self.run.columns.put_counted(index, key)

    def questions(self) -> Iterator[QuestionScore]:
        """Read and score every question anew, with claims and reasons, in the set's order."""
        for index in range(len(self.ids)):
            question = self.evidence.question(index)
            records = self.evidence.repeats(Side.BASELINE, index)
            scored = self.scorer.score(question, records)
            yield QuestionScore(question, scored.facts, scored.outcomes[0])

    def own(self, measure: Measure) -> Own:
        """Return the run's own mean of one measure."""
        keys, places = self.run.columns.coded(measure, self.cutoff)
        counted: dict[int, int] = {}
        for place in places:
            counted[place] = counted.get(place, 0) + 1
        return own_mean(measure, {keys[place]: n for place, n in counted.items()})
