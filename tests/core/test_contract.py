"""The scoring contract: reference table, variations, exhaustive sweep, outside oracle."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import permutations

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtui.core.contract import ClaimReason, Outcome, State, labels_of, score
from ragtui.core.measures import MEASURES, facts_of, measure_named
from ragtui.core.model import Access, Claim, Question, Record, Retrieved
from ragtui.core.value import NotAvailable, Score
from tests import oracle


def question(
    relevant: list[str] | None = None,
    support: dict[str, list[list[str]]] | None = None,
    **more: object,
) -> Question:
    """Build a question from plain lists; absent parts stay absent."""
    return Question(
        id="q",
        relevant=None if relevant is None else tuple(relevant),
        support=None if support is None else alternatives(support),
        **more,  # type: ignore[arg-type]  # keyword arguments of the record, spelt by the tests
    )


def alternatives(support: dict[str, list[list[str]]]) -> dict[str, tuple[frozenset[str], ...]]:
    """Turn plain lists into the alternatives of the core."""
    return {claim: tuple(frozenset(one) for one in many) for claim, many in support.items()}


def record(
    ranked: list[str] | None, claims: list[tuple[str, list[str]]] | None, **more: object
) -> Record:
    """Build a record from plain lists; absent parts stay absent."""
    return Record(
        question="q",
        retrieved=None if ranked is None else tuple(Retrieved(d) for d in ranked),
        claims=None if claims is None else tuple(Claim(c, tuple(cited)) for c, cited in claims),
        **more,  # type: ignore[arg-type]  # keyword arguments of the record, spelt by the tests
    )


def outcome_of(asked: Question, recorded: Record | None, k: int = 2) -> Outcome:
    """Score one question."""
    return score(asked, labels_of(asked), recorded, cutoff=k)


def values_of(
    asked: Question, recorded: Record | None, k: int = 2, *, permissions: bool = False
) -> dict[str, Fraction | str]:
    """Return every measure as a fraction or a reason code."""
    facts = facts_of(labels_of(asked), permissions=permissions)
    counts = outcome_of(asked, recorded, k).counts
    found: dict[str, Fraction | str] = {}
    for measure in MEASURES:
        value = measure.value(facts, counts, k)
        found[measure.key] = value.value if isinstance(value, NotAvailable) else value.fraction
    return found


def reason_of(asked: Question, recorded: Record, claim: str, k: int = 2) -> ClaimReason | None:
    """Return why one claim is unsupported."""
    claims = outcome_of(asked, recorded, k).claims or ()
    return next(found.reason for found in claims if found.claim == claim)


LAUNCH = question(["launch"], {"monday": [["launch"]]})
ROLLBACK = question(["rollback", "checklist"], {"switch": [["rollback"]], "smoke": [["checklist"]]})
OWNER = question(["owners"], {"aurora": [["owners"]]})
REGION = question([], {})
HALF = Fraction(1, 2)

REFERENCE = [
    (
        "launch A",
        LAUNCH,
        record(["launch", "archive"], [("monday", ["launch"])]),
        (HALF, 1, 1, 1, 1, "answerable"),
    ),
    (
        "launch B",
        LAUNCH,
        record(["launch", "archive"], [("monday", ["launch"]), ("bonus", ["launch"])]),
        (HALF, 1, 1, HALF, 1, "answerable"),
    ),
    (
        "rollback A",
        ROLLBACK,
        record(["rollback"], [("switch", ["rollback"])]),
        (HALF, HALF, 1, 1, HALF, "answerable"),
    ),
    (
        "rollback B",
        ROLLBACK,
        record(["rollback", "checklist"], [("switch", ["rollback"]), ("smoke", ["checklist"])]),
        (1, 1, 1, 1, 1, "answerable"),
    ),
    (
        "owner A",
        OWNER,
        record(["archive", "owners"], [("aurora", ["archive"])]),
        (HALF, 1, HALF, 0, 0, "answerable"),
    ),
    (
        "owner B",
        OWNER,
        record(["owners", "archive"], [("aurora", ["owners"])]),
        (HALF, 1, 1, 1, 1, "answerable"),
    ),
    (
        "region A",
        REGION,
        record(["archive"], [("region", ["archive"])]),
        (*("unanswerable",) * 3, 0, "unanswerable", 0),
    ),
    (
        "region B",
        REGION,
        record([], []),
        (*("unanswerable",) * 3, "no-claims", "unanswerable", 1),
    ),
]


@pytest.mark.parametrize(
    ("asked", "recorded", "expected"),
    [pytest.param(*case[1:], id=case[0]) for case in REFERENCE],
)
def test_reference_table(
    asked: Question, recorded: Record, expected: tuple[Fraction | str, ...]
) -> None:
    """Every cell of the reference table comes out, n/a cells with their reason."""
    keys = ("precision", "recall", "rr", "support", "coverage", "abstention_correct")
    found = values_of(asked, recorded)
    assert dict(zip(keys, expected, strict=True)) == {key: found[key] for key in keys}


def test_rollback_b_at_one_loses_the_second_claim() -> None:
    """At k = 1 the checklist is not visible: support and coverage are one half."""
    _, asked, recorded, _ = REFERENCE[3]
    found = values_of(asked, recorded, k=1)
    assert (HALF, HALF) == (found["support"], found["coverage"])
    assert ClaimReason.CITES_NOT_VISIBLE is reason_of(asked, recorded, "smoke", k=1)


@pytest.mark.parametrize(
    ("cited", "reason"),
    [
        ([], ClaimReason.NO_CITATION),
        (["nowhere"], ClaimReason.CITES_NON_SUPPORTING),
        (["owners", "archive"], ClaimReason.CITES_NON_SUPPORTING),
    ],
)
def test_owner_without_a_clean_citation_has_no_support(
    cited: list[str], reason: ClaimReason
) -> None:
    """No citation, an unknown id, or one wrong extra citation leave the claim unsupported."""
    recorded = record(["owners", "archive"], [("aurora", cited)])
    assert 0 == values_of(OWNER, recorded)["support"]
    assert reason is reason_of(OWNER, recorded, "aurora")


def test_owner_with_nothing_retrieved_and_nothing_claimed() -> None:
    """An empty answer to an answerable question has coverage 0 and support n/a."""
    found = values_of(OWNER, record([], []))
    expected = {"coverage": 0, "support": "no-claims", "abstention_correct": "answerable"}
    assert expected == {key: found[key] for key in expected}
    assert [0, 0, 0] == [found[key] for key in ("precision", "recall", "rr")]


def test_joint_evidence_must_be_cited_whole() -> None:
    """Two documents that support a claim together do not support it apart."""
    asked = question(["a", "b", "c"], {"claim": [["a", "b"], ["c"]]})
    ranked = ["a", "b", "c"]
    part = record(ranked, [("claim", ["a"])])
    assert ClaimReason.EVIDENCE_INCOMPLETE is reason_of(asked, part, "claim", k=3)
    for cited in (["a", "b"], ["c"], ["a", "c"], ["a", "b", "c"]):
        assert reason_of(asked, record(ranked, [("claim", cited)]), "claim", k=3) is None


def test_accepted_claims_count_in_support_and_never_in_coverage() -> None:
    """A supported claim that nobody expected raises support alone."""
    asked = question(["a"], {"must": [["a"]]}, accepted=alternatives({"may": [["a"]]}))
    found = values_of(asked, record(["a"], [("may", ["a"])]))
    assert (Fraction(1), Fraction(0)) == (found["support"], found["coverage"])


def test_every_reason_is_the_first_that_holds() -> None:
    """A claim that fails several conditions says the first of them."""
    asked = question(["a", "b"], {"claim": [["a", "b"]]})
    hidden_and_foreign = record([], [("claim", ["a", "z"])])
    assert ClaimReason.CITES_NON_SUPPORTING is reason_of(asked, hidden_and_foreign, "claim")
    hidden_and_incomplete = record([], [("claim", ["a"])])
    assert ClaimReason.CITES_NOT_VISIBLE is reason_of(asked, hidden_and_incomplete, "claim")
    unlabelled = record([], [("other", ["a"])])
    assert ClaimReason.CLAIM_NOT_LABELLED is reason_of(asked, unlabelled, "other")
    silent = record([], [("other", [])])
    assert ClaimReason.NO_CITATION is reason_of(asked, silent, "other")


@pytest.mark.parametrize(
    ("asked", "recorded", "expected"),
    [
        (LAUNCH, None, dict.fromkeys(("precision", "support", "coverage"), "missing")),
        (
            LAUNCH,
            record(None, None, error="timeout"),
            dict.fromkeys(("precision", "support", "abstention_correct"), "failed"),
        ),
        (REGION, record(None, None, error="timeout"), {"recall": "failed"}),
        (
            LAUNCH,
            record(None, [("monday", ["launch"])]),
            dict.fromkeys(("precision", "rr", "support", "coverage"), "retrieval-not-recorded"),
        ),
        (LAUNCH, record(None, []), {"support": "no-claims", "coverage": 0}),
        (
            LAUNCH,
            record(["launch"], None),
            {"recall": 1, "support": "claims-not-recorded", "coverage": "claims-not-recorded"},
        ),
        (REGION, record(["launch"], None), {"abstention_correct": "claims-not-recorded"}),
        (
            question(None, None),
            record(["launch"], [("monday", ["launch"])]),
            dict.fromkeys(
                ("precision", "support", "coverage", "abstention_correct"), "labels-absent"
            ),
        ),
        (
            question(["launch"], None),
            record(["launch"], [("monday", ["launch"])]),
            {"recall": 1, "support": "labels-absent", "coverage": "labels-absent"},
        ),
        (
            question(None, {"monday": [["launch"]]}),
            record(["launch"], [("monday", ["launch"])]),
            {"recall": "labels-absent", "support": 1, "coverage": 1},
        ),
        (
            question(None, {}),
            record(["launch"], []),
            {"recall": "unanswerable", "abstention_correct": 1},
        ),
        (
            question([], None),
            record(["launch"], [("guess", ["launch"])]),
            {"support": 0, "coverage": "unanswerable", "abstention_correct": 0},
        ),
        (question(None, None), record(None, None), {"precision": "retrieval-not-recorded"}),
        (LAUNCH, record(["launch"], []), {"ndcg": "no-grades", "judged": 1}),
        (LAUNCH, record([], []), {"judged": "nothing-retrieved", "disclosures": "no-permissions"}),
    ],
)
def test_absent_is_not_empty(
    asked: Question, recorded: Record | None, expected: dict[str, Fraction | str]
) -> None:
    """A part that was not recorded or labelled gives n/a with the first reason that holds."""
    found = values_of(asked, recorded)
    assert expected == {key: found[key] for key in expected}


def test_chunks_of_one_document_count_once() -> None:
    """A repeated document neither inflates P@k nor pushes R@k above 1, and RR uses first places."""
    asked = question(["b"], {"claim": [["b"]]})
    found = outcome_of(asked, record(["a", "a", "b", "b"], [("claim", ["b"])]), k=4)
    assert (("a", "b"), 2) == (found.visible, found.counts.folded)
    counts = found.counts
    assert (1, 2, 1) == (counts.hits, counts.first_hit, counts.supported)
    beyond = outcome_of(asked, record(["a", "a", "b"], [("claim", ["b"])]), k=2)
    assert (("a",), 0, 0) == (beyond.visible, beyond.counts.hits, beyond.counts.supported)


def test_judged_counts_any_label() -> None:
    """Judged@k counts relevant and explicitly irrelevant documents among those visible."""
    asked = question(["a"], None, not_relevant=("b",))
    assert Fraction(2, 3) == values_of(asked, record(["a", "b", "c"], None), k=3)["judged"]


def test_disclosures_count_visible_and_cited_restricted_documents() -> None:
    """Restricted documents count where visible and where cited; unknown ids do not count."""
    asked = question(["open"], {"claim": [["open"]]})
    access = Access({"open": frozenset({"public"}), "secret": frozenset({"hr"})})
    recorded = record(["secret", "open"], [("claim", ["open", "secret", "nowhere"])])
    found = score(asked, labels_of(asked), recorded, cutoff=2, access=access)
    assert (2, ("secret",), ("secret",)) == (
        found.counts.disclosed,
        found.disclosed_visible,
        found.disclosed_cited,
    )
    facts = facts_of(labels_of(asked), permissions=True)
    assert Score(2) == measure_named("disclosures").value(facts, found.counts, 2)  # type: ignore[union-attr]  # the measure exists


RANKINGS = [
    list(ranked) for size in range(5) for ranked in permutations(["a", "b", "c", "z"], size)
]
ANSWERS: list[list[tuple[str, list[str]]]] = [
    [],
    [("one", [])],
    [("one", ["a"])],
    [("one", ["b"])],
    [("one", ["a", "b"])],
    [("one", ["z"])],
    [("one", ["a"]), ("two", ["c"])],
    [("one", ["a", "b"]), ("two", ["b"])],
    [("two", ["b", "c"]), ("free", ["a"])],
    [("one", ["a", "z"]), ("two", ["c", "unknown"])],
]
LABELLINGS: list[tuple[list[str], dict[str, list[list[str]]]]] = [
    (["a"], {"one": [["a"]]}),
    (["a", "b", "c"], {"one": [["a", "b"], ["c"]], "two": [["b"], ["c"]]}),
    ([], {}),
]


def test_sweep_against_the_oracle() -> None:
    """Every ranking, answer, labelling and cutoff agrees with an independent computation."""
    keys = ("precision", "recall", "rr", "support", "coverage", "abstention_correct")
    evaluations = 0
    for relevant, support in LABELLINGS:
        asked = question(relevant, support)
        for ranked in RANKINGS:
            for claims in ANSWERS:
                recorded = record(ranked, claims)
                for k in (1, 2, 3, 5):
                    found = values_of(asked, recorded, k)
                    expected = oracle.measures(
                        relevant=relevant, support=support, ranked=ranked, claims=claims, k=k
                    )
                    evaluations += 1
                    assert expected == {key: found[key] for key in keys}, (ranked, claims, k)
    assert evaluations == len(RANKINGS) * len(ANSWERS) * len(LABELLINGS) * 4
    assert evaluations >= 3_840


@given(
    st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=8),
    st.dictionaries(st.sampled_from("abcdefghij"), st.integers(0, 4), min_size=1),
    st.integers(1, 10),
)
def test_ndcg_agrees_with_the_textbook_sum(
    ranked: list[str], grades: dict[str, int], k: int
) -> None:
    """The nDCG of any ranking is the discounted gain over the ideal one."""
    relevant = [d for d, grade in grades.items() if grade > 0]
    found = outcome_of(question(relevant, None, grades=grades), record(ranked, None), k)
    assert oracle.graded_gain(ranked, grades, k) == pytest.approx(found.counts.ndcg, abs=1e-12)


def test_retrieval_measures_equal_ir_measures() -> None:
    """P, R, RR and nDCG equal ir_measures on random runs, except where it says 0 and we say n/a."""
    source = random.Random(20261130)
    documents = [f"d{n}" for n in range(30)]
    for k in (1, 3, 10):
        qrels, run, asked, recorded = [], [], {}, {}
        for n in range(60):
            name = f"q{n}"
            graded = {d: source.choice([0, 0, 1, 2, 3]) for d in source.sample(documents, 12)}
            ranked = source.sample(documents, source.randint(0, 20))
            qrels += [ir_measures.Qrel(name, d, grade) for d, grade in graded.items()]
            run += [
                ir_measures.ScoredDoc(name, d, float(len(ranked) - position))
                for position, d in enumerate(ranked)
            ]
            asked[name] = question([d for d, g in graded.items() if g > 0], None, grades=graded)
            recorded[name] = record(ranked, None)
        wanted = {
            "precision": ir_measures.P @ k,
            "recall": ir_measures.R @ k,
            "rr": ir_measures.RR @ k,
            "ndcg": ir_measures.nDCG @ k,
        }
        keys = {str(measure): key for key, measure in wanted.items()}
        for theirs in ir_measures.iter_calc(list(wanted.values()), qrels, run):
            ours = values_of(asked[theirs.query_id], recorded[theirs.query_id], k)
            value = ours[keys[str(theirs.measure)]]
            if isinstance(value, str):
                assert ("unanswerable", 0) == (value, theirs.value)
            else:
                assert theirs.value == pytest.approx(float(value), abs=1e-9)


def test_a_failed_question_keeps_no_score() -> None:
    """A record with an error scores nothing, whatever else it holds."""
    recorded = record(["launch"], [("monday", ["launch"])], error="timeout")
    assert (State.FAILED, None) == (
        outcome_of(LAUNCH, recorded).counts.state,
        outcome_of(LAUNCH, recorded).claims,
    )
