"""
The shapes of the JSON documents that commands print, for their schemas.

Nothing is printed through them; tests hold every kind of document that is printed against them,
key by key in both directions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final, Literal, TypeAlias

import msgspec
from msgspec import UNSET, Meta, UnsetType

from ragtui.core.change import Cause, Flag, MeasureChange, Verdict
from ragtui.core.contract import ClaimReason
from ragtui.core.ledger import Depth, State
from ragtui.core.policy import Outcome
from ragtui.core.value import NotAvailable
from ragtui.files.schemas import Format

if TYPE_CHECKING:
    from ragtui.files.outline import Schema

__all__ = ["DOCUMENTS"]

Real: TypeAlias = int | float
Digest: TypeAlias = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
Count: TypeAlias = Annotated[int, Meta(ge=0)]
Yes: TypeAlias = Annotated[bool, Meta(extra_json_schema={"const": True})]
No: TypeAlias = Annotated[bool, Meta(extra_json_schema={"const": False})]
Exit: TypeAlias = Annotated[int, Meta(ge=1, le=255)]
Answer: TypeAlias = Annotated[str, Meta(pattern="^(scored|failed|missing)$")]
SeverityName: TypeAlias = Annotated[str, Meta(pattern="^S[0-4]$")]


class Shape(msgspec.Struct, forbid_unknown_fields=True):
    """An object with these keys and no others."""


# ---------------------------------------------------------------- parts of several documents


class SetPart(Shape):
    """Which question set it is."""

    id: str
    version: str
    sha256: Digest | None
    frozen: bool


class RunPart(Shape):
    """Which run it is."""

    id: str
    pinned: bool
    records_sha256: str


class Ledger(Shape):
    """Which ledger it is, by its length and the digest of its last line."""

    lines: Count
    head: Digest
    broken: str | None


class HeldOut(Shape):
    """How a held-out set stands."""

    state: State
    spent_because: str | None
    number: Count
    candidates: Count
    budget: Count
    depth: Depth
    policy_before: bool | None
    inherited: list[str]
    ledger: Ledger


class ValuePart(Shape):
    """A value with what it was counted from, or the reason why there is none."""

    value: bool | Real | None
    na: NotAvailable | UnsetType = UNSET
    num: Count | UnsetType = UNSET
    den: Count | UnsetType = UNSET
    defined: Count | UnsetType = UNSET
    recorded: Count | UnsetType = UNSET


class Own(Shape):
    """One run's own mean."""

    mean: Real | None
    n: Count
    na: Count
    missing: Count
    bounds: tuple[Real, Real] | None


class Reason(Shape):
    """Why two runs may not be compared."""

    what: str
    a: str
    b: str
    sentence: str
    questions: list[str]


# ---------------------------------------------------------------- one run


class ClaimPart(Shape):
    """A claim and its judgement, `null` where nothing can be judged."""

    claim: str
    supported: bool | None
    reason: ClaimReason | None
    repeat: Count | UnsetType = UNSET


class Scored(Shape):
    """One question of a run."""

    question: str
    state: Answer
    repeats: Count
    measures: dict[str, ValuePart]
    claims: list[ClaimPart] | None


class Score(Shape):
    """What `score --json` prints."""

    schema: Literal["ragtui/score@1"]
    contract: str
    k: Count
    set: SetPart
    run: RunPart
    notices: list[str]
    exploratory: bool
    questions: list[Scored]
    own: dict[str, Own]
    held_out: HeldOut | UnsetType = UNSET


# ---------------------------------------------------------------- two runs


class SettingPart(Shape):
    """A setting that differs; `null`: not recorded."""

    key: str
    a: msgspec.Raw
    b: msgspec.Raw


class Verdicts(Shape):
    """Numbers of questions by verdict."""

    questions: Count
    regressed: Count
    mixed: Count
    improved: Count
    unchanged: Count
    not_comparable: Count


class StagesPart(Shape):
    """The verdict of each stage, `null` where there is nothing to compare."""

    answer: Verdict | None
    retrieval: Verdict | None
    access: Verdict | None


class MeasurePart(Shape):
    """One measure on one question."""

    a: ValuePart
    b: ValuePart
    change: MeasureChange
    delta: Real | None


class QuestionPart(Shape):
    """One question of two runs."""

    question: str
    verdict: Verdict
    severity: SeverityName | None
    stages: StagesPart
    plus: list[str]
    minus: list[str]
    causes: list[Cause]
    flags: list[Flag]
    measures: dict[str, MeasurePart]


class Both(Shape):
    """The own means of both runs."""

    a: Own
    b: Own


class Paired(Shape):
    """Means over the questions on which both runs have a value, and what the others are."""

    a: Real | None
    b: Real | None
    delta: Real | None
    n: Count
    changed: Count
    up: Count
    down: Count
    equal: Count
    became_na: Count
    became_defined: Count
    na_both: Count
    missing: Count


class Ratio(Shape):
    """Numerators and denominators summed up."""

    num: Real
    den: Real


class IntervalPart(Shape):
    """An interval of a difference."""

    low: Real
    high: Real
    confidence: Real
    note: str | None


class PooledDifferencePart(Shape):
    """The difference of the pooled ratios over the questions that neither run lacks."""

    value: Real
    n: Count
    interval: IntervalPart


class Pooled(Shape):
    """The pooled fractions of both runs."""

    a: Ratio
    b: Ratio


class PPart(Shape):
    """A p value."""

    value: Real
    method: str
    floor: bool


class AggregatePart(Shape):
    """One measure over several questions."""

    own: Both
    paired: Paired
    pooled: Pooled | None
    pooled_difference: PooledDifferencePart | None
    interval: IntervalPart | None
    p: PPart | None
    words: str | None
    notes: list[str]


class SlicePart(Verdicts):
    """The questions with one tag."""

    slice: str
    measures: dict[str, AggregatePart]


class AbsencePart(Shape):
    """Questions on which one measure has no value, for one reason."""

    measure: str
    code: NotAvailable
    side: Literal["both", "became", "defined"]
    questions: list[str]


class TriageCounts(Shape):
    """How far the triage has come."""

    decided: Count
    undecided: Count
    stale: Count


class RulePart(Shape):
    """What became of a rule."""

    id: str
    kind: str
    where: list[str]
    outcome: Outcome
    required: bool
    figure: str
    bound: str
    why: str | None
    questions: list[str]
    waived: list[str]
    plan: str | UnsetType = UNSET


class WaiverPart(Shape):
    """A waiver that was used, or has expired."""

    rule: str
    question: str
    who: str
    reason: str
    expires: str
    state: Literal["used", "expired"]


class PolicyPart(Shape):
    """A policy, and how the comparison fared under it."""

    id: str
    sha256: Digest
    written: str | None
    owner: str | None
    set: Digest | None
    verdict: Outcome
    words: str
    confidence: Real
    max_candidates: Count
    max_missing: Count
    rules: list[RulePart]
    invalid: list[str]
    reservations: list[str]
    warnings: list[str]
    waivers: list[WaiverPart]


class Pair(Shape, kw_only=True):
    """What a document about two comparable runs begins with."""

    contract: str
    k: Count
    set: SetPart
    baseline: RunPart
    candidate: RunPart
    comparable: Yes
    notices: list[str]
    totals: Verdicts
    triage: TriageCounts
    held_out: HeldOut | UnsetType = UNSET


class Comparison(Pair, kw_only=True):
    """What `compare --json` prints."""

    schema: Literal["ragtui/comparison@1"]
    exploratory: bool
    held_constant: list[str]
    changed: list[SettingPart]
    order: list[str]
    questions: list[QuestionPart]
    measures: dict[str, AggregatePart]
    slices: list[SlicePart]
    na: list[AbsencePart]
    policy: PolicyPart | None
    filter: str | UnsetType = UNSET


class Refusal(Shape):
    """What `compare --json` prints of runs that may not be compared."""

    schema: Literal["ragtui/comparison@1"]
    comparable: No
    reasons: list[Reason]


class Check(Pair, kw_only=True):
    """What `check --json` prints."""

    schema: Literal["ragtui/check@1"]
    policy: PolicyPart
    exit: Annotated[int, Meta(ge=0, le=4)]


class RefusedCheck(Shape):
    """What `check --json` prints of runs that may not be compared."""

    schema: Literal["ragtui/check@1"]
    comparable: No
    reasons: list[Reason]
    policy: None
    exit: Literal[4]


# ---------------------------------------------------------------- errors


class FaultPart(Shape):
    """One thing that is wrong, and where; `null` where it is not known."""

    message: str
    file: str | None
    line: Count | None
    key: str | None
    question: str | None
    found: str | None
    expected: str | None
    hint: str | None


class ErrorDocument(Shape):
    """What any command with `--json` prints that ends in an error."""

    schema: Literal["ragtui/error@1"]
    exit: Exit
    errors: list[FaultPart]


# ---------------------------------------------------------------- schemas


def _schema_of(*shapes: type[Shape]) -> Schema:
    schemas, parts = msgspec.json.schema_components(shapes, ref_template="#/$defs/{name}")
    return {**(schemas[0] if len(schemas) == 1 else {"anyOf": list(schemas)}), "$defs": parts}


DOCUMENTS: Final = {
    "score": Format("what score --json prints", lambda: _schema_of(Score)),
    "comparison": Format("what compare --json prints", lambda: _schema_of(Comparison, Refusal)),
    "check": Format("what check --json prints", lambda: _schema_of(Check, RefusedCheck)),
    "error": Format("what --json prints when a command fails", lambda: _schema_of(ErrorDocument)),
}
"""What ragtui prints, by name."""
