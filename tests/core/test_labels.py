"""Disputed labels: A and B under every labelling, and what then depends on the choice."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtui.core.change import Flag, Severity, Verdict
from ragtui.core.evidence import Side
from ragtui.core.labels import Dispute, Range, reviewed
from ragtui.core.measures import measure_named
from ragtui.core.model import Document, Question, Record, Review, Status
from ragtui.core.value import NotAvailable
from tests import oracle
from tests.builders import any_of, comparison_of, question, record, release_desk_case

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragtui.core.comparison import Comparison
    from ragtui.core.measures import Measure

Labels = tuple[list[str], dict[str, list[str]]]

BONUS = Review(
    reviewer="r2",
    support={"monday": any_of("launch"), "bonus": any_of("launch")},
    note="the plan names the bonus",
)


def measure(name: str) -> Measure:
    """Return the measure of this name, which exists."""
    found = measure_named(name)
    assert found is not None
    return found


def disputed(asked: Question, *reviews: Review, status: Status = Status.DISPUTED) -> Question:
    """Return the question with reviews."""
    return msgspec.structs.replace(asked, status=status, reviews=reviews)


def desk(*reviews: Review, status: Status = Status.DISPUTED) -> Comparison:
    """Return the reference comparison with reviews of launch."""
    case = release_desk_case()
    questions = [
        disputed(q, *reviews, status=status) if q.id == "launch" else q for q in case.questions
    ]
    return case._replace(questions=tuple(questions)).compare()


def only_dispute(comparison: Comparison) -> Dispute:
    """Return the one dispute there is."""
    (found,) = comparison.disputes.values()
    return found


# ---------------------------------------------------------------- launch, with and without bonus


def test_launch_regressed_or_improved_depending_on_who_is_right_about_bonus() -> None:
    """Under the main labels bonus is unsupported; under r2's it is an expected claim gained."""
    comparison = desk(BONUS)
    index = comparison.index_of("launch")
    assert index is not None
    found = only_dispute(comparison)
    assert list(comparison.disputes) == [index]
    assert [(one.reviewer, one.verdict) for one in found.labellings] == [
        (None, Verdict.REGRESSED),
        ("r2", Verdict.IMPROVED),
    ]
    assert found.verdicts == (Verdict.REGRESSED, Verdict.IMPROVED)
    assert found.is_open
    assert [one.severity for one in found.labellings] == [Severity.S2, None]


def test_a_row_with_an_open_label_keeps_the_main_verdict_and_says_so_by_a_flag() -> None:
    """The columns, and the question read anew, agree."""
    comparison = desk(BONUS)
    index = comparison.index_of("launch")
    assert index is not None
    row, detail = comparison.changes[index], comparison.detail(index)
    assert row.verdict is detail.change.verdict is Verdict.REGRESSED
    assert Flag.LABEL_OPEN in row.flags
    assert Flag.LABEL_OPEN in detail.change.flags
    assert detail.dispute == only_dispute(comparison)
    assert comparison.totals == desk().totals


@pytest.mark.parametrize(
    ("key", "side", "low", "high"),
    [
        ("support", Side.BASELINE, Fraction(1), Fraction(1)),
        ("coverage", Side.BASELINE, Fraction(1, 2), Fraction(1)),
        ("support", Side.CANDIDATE, Fraction(1, 2), Fraction(1)),
        ("coverage", Side.CANDIDATE, Fraction(1), Fraction(1)),
    ],
)
def test_launch_has_these_ranges(key: str, side: Side, low: Fraction, high: Fraction) -> None:
    """A 1.00/1.00 and B 0.50/1.00 under the main labels, A 1.00/0.50 and B 1.00/1.00 with bonus."""
    found = only_dispute(desk(BONUS)).values(side, measure(key), 2)
    assert found == Range(low, high, ())
    assert found.is_single is (low == high)


def test_differences_are_taken_under_the_same_labels() -> None:
    """Mixing labels would let support fall by 0.50 and coverage rise by it at once."""
    found = only_dispute(desk(BONUS))
    assert found.deltas(measure("coverage"), 2) == (Fraction(0), Fraction(1, 2))
    assert found.deltas(measure("support"), 2) == (Fraction(-1, 2), Fraction(0))
    assert found.deltas(measure("abstention_correct"), 2) is None


@pytest.mark.parametrize("status", [Status.AGREED, Status.RESOLVED])
def test_reviews_of_a_question_that_is_not_disputed_open_nothing(status: Status) -> None:
    """They stay on record and count for agreement only."""
    comparison = desk(BONUS, status=status)
    assert comparison.disputes == {}
    assert not any(Flag.LABEL_OPEN in row.flags for row in comparison.changes.values)


def test_a_dispute_without_a_review_is_unresolved_and_has_one_labelling() -> None:
    """Nobody wrote down what else the labels might be, so there is no range."""
    found = only_dispute(desk())
    assert not found.reviewed
    assert not found.is_open
    assert len(found.labellings) == 1


def test_a_review_that_changes_values_and_no_verdict_leaves_the_label_closed() -> None:
    """Another relevant document moves recall in both runs alike."""
    wider = Review(
        reviewer="r3", relevant=("launch", "owners"), support={"monday": any_of("launch")}
    )
    comparison = desk(wider)
    found = only_dispute(comparison)
    assert found.verdicts == (Verdict.REGRESSED,)
    assert found.values(Side.CANDIDATE, measure("recall"), 2) == Range(
        Fraction(1, 2), Fraction(1), ()
    )
    assert not any(Flag.LABEL_OPEN in row.flags for row in comparison.changes.values)


def test_a_review_may_find_the_question_unanswerable() -> None:
    """Then retrieval has no value and answering is wrong in both runs."""
    nothing = Review(reviewer="r4", relevant=(), support={})
    found = only_dispute(desk(nothing))
    recall = found.values(Side.BASELINE, measure("recall"), 2)
    assert recall == Range(Fraction(1), Fraction(1), (NotAvailable.UNANSWERABLE,))
    assert not recall.is_single
    abstained = found.values(Side.BASELINE, measure("abstention_correct"), 2)
    assert abstained == Range(Fraction(0), Fraction(0), (NotAvailable.ANSWERABLE,))


def test_equal_disputes_are_kept_once() -> None:
    """A large set with many disputes costs one object for each distinct one."""
    asked = [
        disputed(question(f"q{n}", relevant=["a"], support={"x": ["a"]}), BONUS) for n in range(9)
    ]
    said = [record(q.id, ["a"], {"x": ["a"]}) for q in asked]
    comparison = comparison_of(asked, said, said)
    assert len(comparison.disputes) == 9
    assert len({id(found) for found in comparison.disputes.values()}) == 1


# ---------------------------------------------------------------- what a review means


def test_a_part_that_a_review_leaves_out_is_the_main_labels() -> None:
    """Only the support is judged anew."""
    asked = question("q", relevant=["a", "b"], support={"x": ["a"], "y": ["b"]})
    found = reviewed(asked, Review(reviewer="r", support={"x": any_of("a", "b")}))
    assert found.relevant == asked.relevant
    assert found.support == {"x": any_of("a", "b")}
    assert reviewed(asked, Review(reviewer="r")) == asked


def test_an_accepted_claim_that_a_review_expects_counts_in_coverage() -> None:
    """It is expected under that review, and accepted under the main labels."""
    asked = question("q", relevant=["a"], support={"x": ["a"]}, accepted={"y": ["a"], "z": ["a"]})
    found = reviewed(asked, Review(reviewer="r", support={"x": any_of("a"), "y": any_of("a")}))
    assert found.accepted == {"z": any_of("a")}


def test_an_unanswerable_question_accepts_no_claim() -> None:
    """The same rule as for the main labels of a set."""
    asked = question("q", relevant=["a"], support={"x": ["a"]}, accepted={"z": ["a"]})
    found = reviewed(asked, Review(reviewer="r", relevant=(), support={}))
    assert found.accepted == {}
    assert found.answerable is False


def test_what_a_review_rejects_stays_judged() -> None:
    """Judged@k counts documents with any label, so a rejection must not lower it."""
    asked = msgspec.structs.replace(
        question("q", relevant=["a", "b"]), not_relevant=("c",), grades={"a": 2, "b": 2, "c": 0}
    )
    found = reviewed(asked, Review(reviewer="r", relevant=("a", "c")))
    assert found.not_relevant == ("b",)
    assert found.grades == {"a": 2}


# ---------------------------------------------------------------- against the oracle

DOCUMENTS = ("a", "b", "c")
CLAIMS = ("x", "y", "z")


@st.composite
def labels(draw: st.DrawFn) -> Labels:
    """Labels of one question in which everything is labelled."""
    relevant = draw(st.lists(st.sampled_from(DOCUMENTS), max_size=3, unique=True))
    if not relevant:
        return [], {}
    claims = draw(st.lists(st.sampled_from(CLAIMS[:2]), min_size=1, unique=True))
    some = st.lists(st.sampled_from(relevant), min_size=1, unique=True)
    return relevant, {claim: draw(some) for claim in claims}


Said = tuple[list[str], dict[str, list[str]]]
answers: st.SearchStrategy[Said] = st.tuples(
    st.lists(st.sampled_from(DOCUMENTS), max_size=3, unique=True),
    st.dictionaries(
        st.sampled_from(CLAIMS),
        st.lists(st.sampled_from(DOCUMENTS), max_size=2, unique=True),
        max_size=3,
    ),
)
KEYS = ("precision", "recall", "rr", "support", "coverage", "abstention_correct")


def scored(of: Labels, said: Said, k: int) -> dict[str, Fraction | str]:
    """Return the six measures by the oracle."""
    relevant, support = of
    return oracle.measures(
        relevant=relevant,
        support={claim: [[doc] for doc in docs] for claim, docs in support.items()},
        ranked=said[0],
        claims=list(said[1].items()),
        k=k,
    )


def judged(of: Labels, a: Said, b: Said, k: int) -> str:
    """Return the verdict by its definition on sets."""
    relevant, support = of

    def parts(said: Said) -> tuple[set[str], set[str], set[str], Fraction]:
        visible = oracle.context(said[0], k)
        right = {
            claim
            for claim, cited in said[1].items()
            if oracle.claim_is_supported(
                cited, [[d] for d in support[claim]] if claim in support else None, visible
            )
        }
        ranks = [n for n, doc in enumerate(visible, 1) if doc in relevant]
        first = Fraction(1, min(ranks)) if ranks else Fraction(0)
        return right & set(support), set(said[1]) - right, set(visible) & set(relevant), first

    (good_a, bad_a, hits_a, rr_a), (good_b, bad_b, hits_b, rr_b) = parts(a), parts(b)
    plus: list[object] = [*(good_b - good_a), *(bad_a - bad_b)]
    minus: list[object] = [*(good_a - good_b), *(bad_b - bad_a)]
    if not relevant:
        plus += ["abstains"] if a[1] and not b[1] else []
        minus += ["answers"] if b[1] and not a[1] else []
    answer = oracle.verdict(plus, minus)
    if answer != "unchanged":
        return answer
    return oracle.verdict(
        [*(hits_b - hits_a), *(["up"] if rr_b > rr_a else [])],
        [*(hits_a - hits_b), *(["down"] if rr_b < rr_a else [])],
    )


def built(main: Labels, others: Sequence[Labels], a: Said, b: Said, k: int) -> Comparison:
    """Compare one disputed question with a review for each of *others*."""
    reviews = [
        Review(
            reviewer=f"r{n}",
            relevant=tuple(relevant),
            support={claim: any_of(*docs) for claim, docs in support.items()},
        )
        for n, (relevant, support) in enumerate(others)
    ]
    asked = disputed(question("q", relevant=main[0], support=main[1]), *reviews)
    records: list[Record] = [record("q", *said) for said in (a, b)]
    corpus = [Document(id=name, text=name) for name in DOCUMENTS]
    return comparison_of([asked], records[:1], records[1:], cutoff=k, documents=corpus)


cases = st.tuples(labels(), st.lists(labels(), max_size=3), answers, answers, st.integers(1, 3))


@given(cases)
def test_ranges_and_verdicts_are_those_of_scoring_each_labelling_by_itself(
    case: tuple[Labels, list[Labels], Said, Said, int],
) -> None:
    """An independent scorer gives the same lowest and highest values, reasons and verdicts."""
    main, others, a, b, k = case
    comparison = built(*case)
    found = only_dispute(comparison)
    every = [main, *others]
    for side, said in zip(Side, (a, b), strict=True):
        for key in KEYS:
            expected = [scored(one, said, k)[key] for one in every]
            numbers = [value for value in expected if isinstance(value, Fraction)]
            span = found.values(side, measure(key), k)
            assert (span.low, span.high) == (min(numbers, default=None), max(numbers, default=None))
            assert {str(reason) for reason in span.absent} == {
                value for value in expected if isinstance(value, str)
            }
    verdicts = [judged(one, a, b, k) for one in every]
    assert [str(one.verdict) for one in found.labellings] == verdicts
    assert found.is_open is (len(set(verdicts)) > 1)
    assert (Flag.LABEL_OPEN in comparison.changes[0].flags) is found.is_open


@given(cases)
def test_swapping_a_and_b_mirrors_every_labelling(
    case: tuple[Labels, list[Labels], Said, Said, int],
) -> None:
    """A dispute is as open one way as the other."""
    main, others, a, b, k = case
    mirror = {Verdict.REGRESSED: Verdict.IMPROVED, Verdict.IMPROVED: Verdict.REGRESSED}
    forth = only_dispute(built(main, others, a, b, k))
    back = only_dispute(built(main, others, b, a, k))
    expected = [mirror.get(one.verdict, one.verdict) for one in forth.labellings]
    assert [one.verdict for one in back.labellings] == expected
    assert forth.is_open is back.is_open


@given(cases)
def test_the_order_of_reviews_and_one_more_like_the_main_labels_change_nothing(
    case: tuple[Labels, list[Labels], Said, Said, int],
) -> None:
    """Ranges and verdicts are about the set of labellings."""
    main, others, a, b, k = case
    one = only_dispute(built(main, others, a, b, k))
    other = only_dispute(built(main, [main, *reversed(others)], a, b, k))
    assert one.verdicts == other.verdicts
    for key in KEYS:
        for side in Side:
            assert one.values(side, measure(key), k) == other.values(side, measure(key), k)
