"""
Comparisons made in memory, for every test that needs one and no file.

`release_desk` is the reference table of the contract, `random_comparison` a large plausible one,
`comparison_of` pairs hand-written questions and records as a loader would.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha256
from itertools import chain
from random import Random
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec
from hypothesis import strategies as st

from ragtui.core.columns import SideColumns
from ragtui.core.comparison import Comparison, Recorded, SideRun
from ragtui.core.evidence import RecordPlace, Side
from ragtui.core.model import (
    Access,
    Annotation,
    Claim,
    ClaimIds,
    Document,
    Question,
    Record,
    Requests,
    Retrieved,
    Review,
    RunInfo,
    SetInfo,
    Status,
    Unit,
)
from ragtui.core.pairing import changed_settings
from ragtui.core.scorer import Scorer, claims_match, measures_for

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ragtui.core.model import Alternatives

__all__ = [
    "Case",
    "MemoryEvidence",
    "any_of",
    "comparison_of",
    "disputed_desk",
    "question",
    "questions_with_records",
    "random_comparison",
    "record",
    "release_desk",
    "release_desk_case",
    "run_info",
]


# ---------------------------------------------------------------- small records, briefly written


def any_of(*documents: str) -> Alternatives:
    """Each of *documents* supports the claim by itself."""
    return tuple(frozenset({document}) for document in documents)


def question(  # noqa: PLR0913 - the labels of a question are that many
    question_id: str,
    *,
    relevant: Iterable[str] | None = None,
    support: Mapping[str, Iterable[str]] | None = None,
    accepted: Mapping[str, Iterable[str]] | None = None,
    text: str | None = None,
    tags: Iterable[str] = (),
    critical: bool = False,
    claims: Mapping[str, str] | None = None,
    cluster: str | None = None,
) -> Question:
    """Write a question with claims that single documents support."""
    return Question(
        id=question_id,
        text=text,
        tags=tuple(tags),
        critical=critical,
        relevant=None if relevant is None else tuple(relevant),
        support=None if support is None else {c: any_of(*docs) for c, docs in support.items()},
        accepted=None if accepted is None else {c: any_of(*docs) for c, docs in accepted.items()},
        claims=claims or {},
        cluster=cluster,
    )


def record(
    question_id: str,
    retrieved: Iterable[str] | None = None,
    claims: Mapping[str, Iterable[str]] | None = None,
    *,
    answer: str | None = None,
    latency_ms: float | None = None,
    error: str | None = None,
) -> Record:
    """Write a record: ids of retrieved documents, claim ids with what they cite."""
    return Record(
        question=question_id,
        retrieved=None if retrieved is None else tuple(Retrieved(doc) for doc in retrieved),
        claims=None
        if claims is None
        else tuple(Claim(claim, tuple(cited)) for claim, cited in claims.items()),
        answer=answer,
        latency_ms=latency_ms,
        error=error,
    )


def run_info(
    run_id: str = "run",
    *,
    cutoff: int = 2,
    pipeline: Mapping[str, object] | None = None,
    unit: Unit = Unit.DOCUMENT,
    claim_ids: ClaimIds = ClaimIds.RUBRIC,
    note: str | None = None,
    pinned: bool = True,
) -> RunInfo:
    """Describe a run whose configuration is recorded in full."""
    defaults: dict[str, object] = {
        "code.revision": "8f2c1e0",
        "prompt.revision": "p-12",
        "retrieval.method": "bm25",
        "generation.model": "brook-7b-instruct",
    }
    return RunInfo(
        id=run_id,
        cutoff=cutoff,
        unit=unit,
        created="2026-11-20T09:30:00Z",
        note=note,
        pipeline={**defaults, **(pipeline or {})},
        environment={"machine": "desk-02"},
        requests=Requests(sent=4, retried=0, failed=0),
        annotation=Annotation(claims_by="human", by=("r1",), claim_ids=claim_ids),
        records_sha256=run_id,
        pinned=pinned,
    )


# ---------------------------------------------------------------- a comparison of them


@dataclass(frozen=True)
class MemoryEvidence:
    """Evidence that is all in memory; `reads` counts how often each question was asked for."""

    questions: Sequence[Question]
    records: tuple[Mapping[str, tuple[Record, ...]], Mapping[str, tuple[Record, ...]]]
    documents: Mapping[str, Document]
    reads: list[int] = field(default_factory=list)

    def question(self, index: int) -> Question:
        """Return the question with its labels and wording."""
        self.reads.append(index)
        return self.questions[index]

    def record(self, side: Side, index: int) -> Record | None:
        """Return the whole record of one run, `None` where there is none."""
        return next(iter(self.repeats(side, index)), None)

    def repeats(self, side: Side, index: int) -> tuple[Record, ...]:
        """Return all records of one run, by their repeat numbers."""
        return self.records[side].get(self.questions[index].id, ())

    def document(self, document_id: str) -> Document | None:
        """Return a document of the corpus."""
        return self.documents.get(document_id)

    def place(self, side: Side, index: int, repeat: int = 0) -> RecordPlace | None:
        """Return a place in a file that does not exist."""
        order = [item for records in self.records[side].values() for item in records]
        found = self.repeats(side, index)
        if repeat >= len(found):
            return None
        return RecordPlace(f"run-{side.letter.lower()}.jsonl", order.index(found[repeat]) + 1)

    def digests(self, index: int) -> tuple[str, str, str]:
        """Return a digest of the question and of what each run recorded of it."""
        asked = self.questions[index]
        found = [records.get(asked.id, ()) for records in self.records]
        return _digest(asked), _digest(found[0]), _digest(found[1])


def _digest(content: object) -> str:
    return sha256(msgspec.json.encode(content, order="deterministic")).hexdigest()


def _annotation(info: RunInfo) -> dict[str, object]:
    said = info.annotation
    return {
        "claims_by": said.claims_by,
        "by": list(said.by),
        "claim_ids": said.claim_ids.value,
        **said.details,
    }


def _recorded(records: Iterable[Record]) -> Recorded:
    found = list(records)
    return Recorded(
        records=len(found),
        failed=sum(r.error is not None for r in found),
        answers=sum(r.answer is not None for r in found),
        delivered_texts=sum(any(item.text for item in r.retrieved or ()) for r in found),
    )


def _by_question(records: Iterable[Record]) -> dict[str, tuple[Record, ...]]:
    found: dict[str, dict[int, Record]] = {}
    for item in records:
        known = found.setdefault(item.question, {})
        if (item.repeat or 0) in known:
            raise ValueError(f"two records of {item.question}")
        known[item.repeat or 0] = item
    return {name: tuple(known[n] for n in sorted(known)) for name, known in found.items()}


def comparison_of(  # noqa: PLR0913 - everything a loader would find in files
    questions: Sequence[Question],
    records_a: Iterable[Record],
    records_b: Iterable[Record],
    *,
    cutoff: int = 2,
    documents: Iterable[Document] = (),
    baseline: RunInfo | None = None,
    candidate: RunInfo | None = None,
    set_info: SetInfo | None = None,
    notices: tuple[str, ...] = (),
    exploratory: bool = False,
) -> Comparison:
    """Pair *records_a* and *records_b* over *questions* by question id, as a loader does."""
    a = baseline or run_info("baseline", cutoff=cutoff)
    b = candidate or run_info("candidate", cutoff=cutoff)
    sides = _by_question(records_a), _by_question(records_b)
    corpus = {document.id: document for document in documents}
    permissions = any(document.groups is not None for document in corpus.values())
    graded = any(q.grades is not None for q in questions)
    judged = any(q.not_relevant is not None for q in questions)
    groups = {doc.id: frozenset(doc.groups or ()) for doc in corpus.values()}
    columns = [SideColumns(len(questions), graded=graded) for _ in sides]
    runs = [
        SideRun(info=info, recorded=_recorded(chain(*found.values())), columns=column)
        for info, found, column in zip((a, b), sides, columns, strict=True)
    ]
    comparison = Comparison(
        set_info=set_info
        or SetInfo(
            id="release-desk", version="1.0.0", sha256="5e7", frozen=True, permissions=permissions
        ),
        ids=[q.id for q in questions],
        baseline=runs[0],
        candidate=runs[1],
        scorer=Scorer(
            cutoff=cutoff,
            access=Access(groups) if permissions else None,
            claims_match=claims_match(a, b),
            measures=measures_for(graded=graded, judged=judged, permissions=permissions),
        ),
        evidence=MemoryEvidence(questions, sides, corpus),
        settings=changed_settings(a.pipeline, b.pipeline),
        annotation=changed_settings(_annotation(a), _annotation(b)),
        environment=changed_settings(a.environment, b.environment),
        notices=notices,
        exploratory=exploratory,
    )
    for index, asked in enumerate(questions):
        comparison.put(index, asked, *(found.get(asked.id, ()) for found in sides))
    return comparison


# ---------------------------------------------------------------- the reference table


class Case(NamedTuple):
    """Questions and what two runs recorded for them."""

    questions: tuple[Question, ...]
    records_a: tuple[Record, ...]
    records_b: tuple[Record, ...]
    cutoff: int = 2
    documents: tuple[Document, ...] = ()

    def compare(self) -> Comparison:
        """Pair the two runs."""
        return comparison_of(
            self.questions,
            self.records_a,
            self.records_b,
            cutoff=self.cutoff,
            documents=self.documents,
        )

    def swapped(self) -> Case:
        """Return the same with A and B exchanged."""
        return self._replace(records_a=self.records_b, records_b=self.records_a)


_DESK_DOCUMENTS: Final = (
    Document(
        id="launch",
        title="Launch plan",
        version="2026-11",
        source="docs/launch.md",
        text="The release starts on Monday at nine. Traffic moves over in three steps.",
    ),
    Document(
        id="rollback",
        title="Rollback",
        version="2026-11",
        source="docs/rollback.md",
        text="To roll back, switch the router to the previous release. No data is restored.",
    ),
    Document(
        id="checklist",
        title="Checklist",
        version="2026-11",
        source="docs/checklist.md",
        text="After every change of traffic run the smoke tests and watch the error rate.",
    ),
    Document(
        id="owners",
        title="Owners",
        version="2026-11",
        source="docs/owners.md",
        text="Team Aurora owns the release. Team Borealis is its deputy.",
    ),
    Document(
        id="archive",
        title="Release note of the spring (outdated)",
        version="2026-05",
        source="docs/archive.md",
        text="The spring release started on a Thursday in the Frankfurt region, owner Aurora.",
    ),
)

_DESK_QUESTIONS: Final = (
    question(
        "launch",
        text="On which day does the release start?",
        tags=["lookup"],
        relevant=["launch"],
        support={"monday": ["launch"]},
        claims={"monday": "The release starts on Monday."},
    ),
    question(
        "rollback",
        text="How is the release rolled back, and what is done afterwards?",
        tags=["several-evidence"],
        relevant=["rollback", "checklist"],
        support={"switch": ["rollback"], "smoke": ["checklist"]},
        claims={
            "switch": "The router is switched to the previous release.",
            "smoke": "The smoke tests are run afterwards.",
        },
    ),
    question(
        "owner",
        text="Which team owns the release?",
        tags=["lookup"],
        relevant=["owners"],
        support={"aurora": ["owners"]},
        claims={"aurora": "Team Aurora owns the release."},
    ),
    question(
        "region",
        text="In which region will the release run?",
        tags=["unanswerable"],
        relevant=[],
        support={},
    ),
)

_WORDING: Final = {
    "monday": "The release starts on Monday.",
    "bonus": "Everyone who upgrades in the first week gets a bonus.",
    "switch": "Switch the router to the previous release.",
    "smoke": "Then run the smoke tests.",
    "aurora": "Team Aurora owns the release.",
    "region": "The release runs in the Frankfurt region.",
}


def _told(item: Record, corpus: Mapping[str, Document]) -> Record:
    """Fill in the texts of a record: what was delivered, what was stated, the answer."""
    claims = tuple(Claim(c.id, c.citations, _WORDING.get(c.id)) for c in item.claims or ())
    retrieved = tuple(
        Retrieved(
            r.id, version=corpus[r.id].version, text=corpus[r.id].text, score=round(1 / rank, 2)
        )
        for rank, r in enumerate(item.retrieved or (), 1)
    )
    answer = " ".join(f"{c.text} [{', '.join(c.citations)}]" for c in claims)
    return msgspec.structs.replace(
        item,
        retrieved=retrieved,
        claims=claims,
        answer=answer or "The documents do not say.",
        latency_ms=800.0 + 10 * len(answer),
        cost_usd=0.001,
        tokens_in=400,
        tokens_out=len(answer) // 4,
        retries=0,
    )


def release_desk_case() -> Case:
    """Return the questions and records of the reference table, texts included."""
    corpus = {document.id: document for document in _DESK_DOCUMENTS}
    a = (
        record("launch", ["launch", "archive"], {"monday": ["launch"]}),
        record("rollback", ["rollback"], {"switch": ["rollback"]}),
        record("owner", ["archive", "owners"], {"aurora": ["archive"]}),
        record("region", ["archive"], {"region": ["archive"]}),
    )
    b = (
        record("launch", ["launch", "archive"], {"monday": ["launch"], "bonus": ["launch"]}),
        record(
            "rollback",
            ["rollback", "checklist"],
            {"switch": ["rollback"], "smoke": ["checklist"]},
        ),
        record("owner", ["owners", "archive"], {"aurora": ["owners"]}),
        record("region", [], {}),
    )
    return Case(
        _DESK_QUESTIONS,
        tuple(_told(item, corpus) for item in a),
        tuple(_told(item, corpus) for item in b),
        documents=_DESK_DOCUMENTS,
    )


def release_desk() -> Comparison:
    """Return the comparison of the reference table: one controlled change, a reranker."""
    case = release_desk_case()
    reranker = "retrieval.reranker"
    return comparison_of(
        case.questions,
        case.records_a,
        case.records_b,
        documents=case.documents,
        baseline=run_info("2026-11-20-baseline", pipeline={reranker: "none"}),
        candidate=run_info("2026-11-27-candidate", pipeline={reranker: "cross-encoder-2"}),
    )


def disputed_desk() -> Comparison:
    """
    Return the reference comparison with the labels of launch in dispute.

    r1 agrees with the main labels; for r2 the claim bonus is expected and the plan supports it, so
    that launch improved instead of regressed.
    """
    monday, bonus = any_of("launch"), any_of("launch")
    reviews = (
        Review(reviewer="r1", support={"monday": monday}),
        Review(reviewer="r2", support={"monday": monday, "bonus": bonus}, note="read section 2"),
    )
    case = release_desk_case()
    launch, *others = case.questions
    asked = msgspec.structs.replace(launch, status=Status.DISPUTED, reviews=reviews)
    return case._replace(questions=(asked, *others)).compare()


# ---------------------------------------------------------------- a large plausible comparison

_TOPICS: Final = (
    "notice-period", "annual-leave", "expense-report", "travel-booking", "parental-leave",
    "remote-work", "badge-access", "laptop-order", "password-reset", "vpn-setup",
    "incident-report", "on-call-pay", "training-budget", "referral-bonus", "sick-note",
    "meeting-rooms", "data-retention", "backup-restore", "release-train", "feature-flags",
    "error-budget", "log-access", "key-rotation", "vendor-review",
)  # fmt: skip
_PHRASES: Final = (
    "What does the handbook say about {}?",
    "Who approves {}, and how long does it take?",
    "What changed for {} this year?",
    "Which exceptions are there to {}?",
)
_FACTS: Final = ("rule", "limit", "owner")
_ARCHETYPES: Final = 600
"""Different questions in a random comparison; larger sets repeat them under other ids."""


class _Draft(NamedTuple):
    """What a run will have recorded, easily changed."""

    retrieved: tuple[str, ...]
    claims: tuple[tuple[str, tuple[str, ...]], ...]


def _invent_question(rng: Random, number: int) -> Question:
    topic = rng.choice(_TOPICS)
    name = topic.replace("-", " ")
    text = rng.choice(_PHRASES).format(f"the {name}" if number % 2 else name)
    critical = rng.random() < 0.1
    if rng.random() < 0.12:
        return question(
            topic, text=text, tags=["unanswerable"], critical=critical, relevant=[], support={}
        )
    others = rng.sample([t for t in _TOPICS if t != topic], k=rng.choice([0, 0, 0, 1, 1, 2]))
    relevant = [topic, *others]
    tags = ["several-evidence" if others else "lookup"]
    if rng.random() < 0.15:
        tags.append(rng.choice(["outdated", "near-duplicate", "conflicting"]))
    facts = {f"{doc}-{fact}": doc for doc in relevant for fact in rng.sample(_FACTS, k=1)}
    return question(
        topic,
        text=text,
        tags=tags,
        critical=critical,
        relevant=relevant,
        support={claim: [doc] for claim, doc in facts.items()},
        claims={c: f"The {c.replace('-', ' ')} is as written." for c in facts},
    )


def _invent_draft(rng: Random, asked: Question) -> _Draft:
    relevant = list(asked.relevant or ())
    noise = rng.sample([t for t in _TOPICS if t not in relevant], k=5)
    retrieved = [doc for doc in relevant if rng.random() < 0.85] + noise[: rng.randint(1, 3)]
    if rng.random() < 0.4:
        rng.shuffle(retrieved)
    claims = [
        (claim, tuple(sorted(alternatives[0])))
        for claim, alternatives in (asked.support or {}).items()
        if rng.random() < 0.85
    ]
    if rng.random() < (0.35 if not relevant else 0.08):
        claims.append((f"{noise[0]}-extra", (noise[0],)))
    return _Draft(tuple(retrieved), tuple(claims))


def _changed(rng: Random, asked: Question, draft: _Draft) -> _Draft:
    """Return *draft* after one change of the system: better, worse or merely other."""
    retrieved, claims = list(draft.retrieved), list(draft.claims)
    wanted = [(c, tuple(sorted(alt[0]))) for c, alt in (asked.support or {}).items()]
    kind = rng.choice(["front", "front", "state", "state", "shuffle", "drop", "add", "evict"])
    if kind == "front":
        retrieved = list(dict.fromkeys([*(asked.relevant or ()), *retrieved]))
    elif kind == "state":
        claims = [*wanted, *(c for c in claims if c[0] not in dict(wanted))]
    elif kind == "shuffle":
        rng.shuffle(retrieved)
    elif kind == "drop" and claims:
        claims.pop(rng.randrange(len(claims)))
    elif kind == "evict" and retrieved:
        retrieved.pop(0)
    else:
        claims.append((f"{rng.choice(_TOPICS)}-claim", tuple(retrieved[:1])))
    return _Draft(tuple(retrieved), tuple(dict(claims).items()))


def _written(rng: Random, question_id: str, draft: _Draft) -> Record | None:
    fate = rng.random()
    if fate < 0.02:
        return None
    if fate < 0.04:
        return record(question_id, error="timeout after 30 s")
    stated = [f"The {claim.replace('-', ' ')} is so [{', '.join(c)}]." for claim, c in draft.claims]
    return msgspec.structs.replace(
        record(question_id, draft.retrieved, dict(draft.claims)),
        answer=" ".join(stated) or "The handbook does not say.",
        latency_ms=float(rng.randint(300, 2500)),
        cost_usd=rng.randint(5, 30) / 10_000,
        retries=0,
    )


def _invent(rng: Random, number: int) -> tuple[Question, Record | None, Record | None]:
    asked = _invent_question(rng, number)
    a = b = _invent_draft(rng, asked)
    for _ in range(rng.choice([0, 0, 0, 0, 1, 1, 1, 2, 2, 3])):
        b = _changed(rng, asked, b)
    return asked, _written(rng, asked.id, a), _written(rng, asked.id, b)


class _RepeatedEvidence:
    """Evidence of many questions that are a few in other words."""

    def __init__(self, ids: Sequence[str], kinds: Sequence[int], small: Comparison) -> None:
        self._ids, self._kinds, self._small = ids, kinds, small.evidence

    def question(self, index: int) -> Question:
        found = self._small.question(self._kinds[index])
        return msgspec.structs.replace(found, id=self._ids[index])

    def record(self, side: Side, index: int) -> Record | None:
        found = self._small.record(side, self._kinds[index])
        return found and msgspec.structs.replace(found, question=self._ids[index])

    def repeats(self, side: Side, index: int) -> tuple[Record, ...]:
        found = self.record(side, index)
        return () if found is None else (found,)

    def document(self, document_id: str) -> Document | None:
        return self._small.document(document_id)

    def place(self, side: Side, index: int, repeat: int = 0) -> RecordPlace | None:
        del repeat
        return RecordPlace(f"run-{side.letter.lower()}.jsonl", index + 1)

    def digests(self, index: int) -> tuple[str, str, str]:
        return self._small.digests(self._kinds[index])


def random_comparison(n: int, seed: int) -> Comparison:
    """
    Return *n* invented questions about a handbook, compared at k = 3; the same for one seed.

    All verdicts, failed and missing records, unanswerable and critical questions and several tags
    occur. A million questions take seconds: each is one of some hundred, under an id of its own.
    """
    rng = Random(seed)
    invented = [_invent(rng, number) for number in range(min(n, _ARCHETYPES))]
    asked = [
        msgspec.structs.replace(q, id=f"kind-{number}") for number, (q, _, _) in enumerate(invented)
    ]
    sides = [
        [
            msgspec.structs.replace(found, question=f"kind-{number}")
            for number, (_, *records) in enumerate(invented)
            if (found := records[side]) is not None
        ]
        for side in Side
    ]
    documents = [
        Document(
            id=topic,
            title=topic.replace("-", " ").capitalize(),
            text=f"Everything about {topic.replace('-', ' ')}: rule, limit and owner.",
            version="2026-11",
            source=f"handbook/{topic}.md",
        )
        for topic in _TOPICS
    ]
    small = comparison_of(
        asked,
        *sides,
        cutoff=3,
        documents=documents,
        set_info=SetInfo(id="handbook", version="2.1.0", sha256="5e7", frozen=True),
        baseline=run_info("main", cutoff=3, pipeline={"retrieval.chunk_size": 512}),
        candidate=run_info("chunk-256", cutoff=3, pipeline={"retrieval.chunk_size": 256}),
    )
    kinds = [i if i < len(asked) else rng.randrange(len(asked)) for i in range(n)]
    return _repeated(small, kinds, [q.id for q, _, _ in invented])


def _repeated(small: Comparison, kinds: Sequence[int], stems: Sequence[str]) -> Comparison:
    """Return a comparison whose question i is a copy of question kinds[i] of *small*."""
    width = max(3, len(str(len(kinds))))
    ids = [f"{stems[kind]}-{index:0{width}}" for index, kind in enumerate(kinds)]
    factor = len(kinds) / max(1, len(small))
    runs = [
        SideRun(
            info=small.run(side).info,
            recorded=Recorded(
                records=round(small.run(side).recorded.records * factor),
                failed=round(small.run(side).recorded.failed * factor),
                answers=round(small.run(side).recorded.answers * factor),
            ),
            columns=SideColumns(len(kinds), graded=False),
        )
        for side in Side
    ]
    large = Comparison(
        set_info=small.set_info,
        ids=ids,
        baseline=runs[0],
        candidate=runs[1],
        scorer=small.scorer,
        evidence=_RepeatedEvidence(ids, kinds, small),
        settings=small.settings,
    )
    for index, kind in enumerate(kinds):
        for side in Side:
            large.run(side).columns.rows[index] = small.run(side).columns.rows[kind]
        large.labels[index] = small.labels[kind]
        large.changes[index] = small.changes[kind]
    return large


# ---------------------------------------------------------------- strategies

_DOCUMENTS: Final = ("a", "b", "c", "d", "e")
_EXPECTED: Final = ("x", "y")
_CLAIMS: Final = ("x", "y", "z", "w")
_TAGS: Final = ("lookup", "outdated", "several evidence")

# Strategies are built once: building them anew for each example costs more than drawing from them.
_relevant = st.lists(st.sampled_from(_DOCUMENTS), max_size=3, unique=True)
_expected = st.sampled_from([("x",), ("y",), _EXPECTED])
_labelled = st.sampled_from(["both"] * 6 + ["relevant", "support", "neither"])
_tags = st.sampled_from([(), _TAGS[:1], _TAGS[1:2], _TAGS[:2], _TAGS])
_text = st.sampled_from([None, "Which one?", "What is the LIMIT?"])
_cluster = st.sampled_from([None, None, "north", "south"])
_flags = st.tuples(st.booleans(), st.booleans(), st.booleans(), st.booleans())
_fates = st.sampled_from(["whole"] * 8 + ["no-retrieval", "no-claims", "failed", "missing"])
_retrieved = st.lists(st.sampled_from(_DOCUMENTS), max_size=4, unique=True)
_cited = st.sampled_from([(), *((d,) for d in _DOCUMENTS), ("a", "b"), ("b", "c"), ("d", "a")])
_stated = st.dictionaries(st.sampled_from(_CLAIMS), _cited, max_size=3)
_groups = st.sampled_from([None, ("public",), ("hr",)])
_supports: Final[dict[int, st.SearchStrategy[list[tuple[int, ...]]]]] = {
    n: st.sampled_from(
        [[(0,)], [(n - 1,)], [tuple(range(n))], [(0,), (n - 1,)], [(0, n - 1), (n // 2,)]]
    )
    for n in (1, 2, 3)
}
"""Alternatives of one claim as places among so many relevant documents."""


@st.composite
def _questions(draw: st.DrawFn, question_id: str) -> Question:
    """One question: answerable, unanswerable, half labelled or not labelled at all."""
    relevant = draw(_relevant)
    critical, has_accepted, graded, judged = draw(_flags)
    support: dict[str, Alternatives] = {}
    if relevant:
        for claim in draw(_expected):
            places = draw(_supports[len(relevant)])
            support[claim] = tuple(frozenset(relevant[p] for p in group) for group in places)
    labelled = draw(_labelled)
    accepted = {"z": any_of(_DOCUMENTS[0])} if has_accepted and relevant else None
    return Question(
        id=question_id,
        text=draw(_text),
        tags=draw(_tags),
        critical=critical,
        relevant=tuple(relevant) if labelled in {"both", "relevant"} else None,
        support=support if labelled in {"both", "support"} else None,
        accepted=accepted if labelled == "both" else None,
        cluster=draw(_cluster),
        grades=dict.fromkeys(relevant, 2) if graded else None,
        not_relevant=() if judged else None,
    )


@st.composite
def _records(draw: st.DrawFn, question_id: str) -> Record | None:
    """What a run recorded for one question: mostly all of it, or a part, a failure, nothing."""
    fate = draw(_fates)
    if fate == "missing":
        return None
    if fate == "failed":
        return record(question_id, error="timeout")
    return record(
        question_id,
        None if fate == "no-retrieval" else draw(_retrieved),
        None if fate == "no-claims" else draw(_stated),
    )


_IDS: Final = tuple(f"q{n}" for n in range(8))
_question_of: Final = {name: _questions(name) for name in _IDS}
_record_of: Final = {name: _records(name) for name in _IDS}


@st.composite
def questions_with_records(
    draw: st.DrawFn, *, max_size: int = 6, permissions: bool = False
) -> Case:
    """
    Up to *max_size* questions, 8 at most, and what two runs recorded, failures and gaps included.

    B often recorded what A did, so that unchanged questions occur.
    """
    ids = _IDS[: draw(st.integers(0, max_size))]
    first = [draw(_record_of[name]) for name in ids]
    second = [
        found if draw(st.booleans()) and draw(st.booleans()) else draw(_record_of[name])
        for name, found in zip(ids, first, strict=True)
    ]
    return Case(
        tuple(draw(_question_of[name]) for name in ids),
        tuple(found for found in first if found is not None),
        tuple(found for found in second if found is not None),
        cutoff=draw(st.integers(1, 3)),
        documents=tuple(
            Document(id=name, text=f"text of {name}", groups=draw(_groups) if permissions else None)
            for name in _DOCUMENTS
        ),
    )
