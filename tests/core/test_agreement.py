"""Agreement of reviewers, against sums written out one judgement at a time."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtui.core.agreement import (
    Agreement,
    Marginal,
    Part,
    Pattern,
    agreement_of,
    cohen_kappa,
    judgements,
    krippendorff_alpha,
    raw_agreement,
)
from ragtui.core.model import Question, Review, Status
from tests.builders import any_of, comparison_of, question

Row = dict[str, bool]

REVIEWERS = ("ann", "bo", "cy", "di")
rows = st.lists(
    st.dictionaries(st.sampled_from(REVIEWERS), st.booleans(), min_size=1), min_size=1, max_size=8
)
pairs = st.lists(
    st.fixed_dictionaries({"ann": st.booleans(), "bo": st.booleans()}), min_size=1, max_size=12
)


def patterns(found: list[Row]) -> Counter[Pattern]:
    """Count rows as the product does."""
    return Counter(tuple(sorted(row.items())) for row in found)


def alpha_by_coincidences(found: list[Row]) -> Fraction | None:
    """Fill Krippendorff's coincidence matrix, one ordered pair of judgements at a time."""
    matrix: dict[tuple[bool, bool], Fraction] = Counter()  # type: ignore[assignment]
    for row in found:
        if len(row) < 2:
            continue
        for one, other in permutations(row.values(), 2):
            matrix[one, other] += Fraction(1, len(row) - 1)
    totals = {c: sum(matrix[c, d] for d in (True, False)) for c in (True, False)}
    n = sum(totals.values())
    expected = [totals[c] * totals[d] for c, d in ((True, False), (False, True))]
    if not sum(expected):
        return None
    observed = matrix[True, False] + matrix[False, True]
    return 1 - (n - 1) * Fraction(observed) / sum(expected)


def kappa_by_table(found: list[Row]) -> Fraction | None:
    """Take each cell of the two-by-two table as a share."""
    n = len(found)
    share = {
        (a, b): Fraction(sum(row == {"ann": a, "bo": b} for row in found), n)
        for a in (True, False)
        for b in (True, False)
    }
    observed = share[True, True] + share[False, False]
    chance = sum(
        (share[c, True] + share[c, False]) * (share[True, c] + share[False, c])
        for c in (True, False)
    )
    return None if chance == 1 else (observed - chance) / (1 - chance)


@given(rows)
def test_alpha_is_that_of_the_coincidence_matrix(found: list[Row]) -> None:
    """Any number of reviewers, gaps, and things that only one of them judged."""
    assert krippendorff_alpha(patterns(found)) == alpha_by_coincidences(found)


@given(pairs)
def test_kappa_is_that_of_the_table_of_shares(found: list[Row]) -> None:
    """Two reviewers who judged everything."""
    assert cohen_kappa(patterns(found)) == kappa_by_table(found)


@given(pairs)
def test_raw_agreement_of_two_is_the_share_of_equal_judgements(found: list[Row]) -> None:
    """Each thing is one pair."""
    equal = [row["ann"] == row["bo"] for row in found]
    assert raw_agreement(patterns(found)) == Fraction(sum(equal), len(equal))


@given(rows)
def test_agreement_is_the_same_with_yes_and_no_exchanged(found: list[Row]) -> None:
    """And with the reviewers renamed: no statistic knows what yes means or who is who."""
    there = agreement_of(Part.RELEVANCE, patterns(found))
    back = agreement_of(
        Part.RELEVANCE, patterns([{who: not said for who, said in row.items()} for row in found])
    )
    names = dict(zip(REVIEWERS, reversed(REVIEWERS), strict=True))
    renamed = agreement_of(
        Part.RELEVANCE, patterns([{names[who]: said for who, said in row.items()} for row in found])
    )
    if there is None:
        assert back is None
        assert renamed is None
        return
    assert back is not None
    assert renamed is not None
    for one in (back, renamed):
        assert (one.n, one.raw, one.value) == (there.n, there.raw, there.value)


@given(rows)
def test_full_agreement_has_the_value_one_or_none(found: list[Row]) -> None:
    """Where all judgements are the same one, chance would agree as well."""
    alike = [dict.fromkeys(row, next(iter(row.values()))) for row in found]
    agreement = agreement_of(Part.SUPPORT, patterns(alike))
    if agreement is not None:
        assert agreement.raw == 1
        assert agreement.value in {None, 1}


def test_gaps_and_third_reviewers_take_alpha() -> None:
    """Kappa is for two reviewers who both judged everything."""
    both: Row = {"ann": True, "bo": False}
    whole = agreement_of(Part.RELEVANCE, patterns([both, {"ann": True, "bo": True}]))
    gap = agreement_of(Part.RELEVANCE, patterns([both, {"ann": True}]))
    three = agreement_of(Part.RELEVANCE, patterns([{**both, "cy": True}]))
    assert [found and found.statistic for found in (whole, gap, three)] == [
        "Cohen's kappa",
        "Krippendorff's alpha",
        "Krippendorff's alpha",
    ]


@pytest.mark.parametrize("found", [[], [{"ann": True}, {"bo": False}]])
def test_without_two_who_judged_the_same_there_is_no_agreement(found: list[Row]) -> None:
    """One reviewer cannot disagree."""
    assert agreement_of(Part.RELEVANCE, patterns(found)) is None


def reviewed(name: str, *reviews: Review, status: Status = Status.AGREED) -> Question:
    """Return a question about a and b with reviews."""
    asked = question(name, relevant=["a"], support={"x": ["a"]})
    return Question(
        id=asked.id,
        relevant=asked.relevant,
        support=asked.support,
        not_relevant=("c",),
        status=status,
        reviews=reviews,
    )


def test_documents_that_the_main_labels_judge_are_judged_by_every_reviewer_of_relevance() -> None:
    """Both say no to c, which is an agreement; a review without relevance judges none of it."""
    one = Review(reviewer="ann", relevant=("a",))
    two = Review(reviewer="bo", relevant=("a", "b"))
    three = Review(reviewer="cy", support={"x": any_of("b")})
    said = Counter(judgements(reviewed("q", one, two, three)))
    yes, no = (("ann", True), ("bo", True)), (("ann", False), ("bo", False))
    assert said == {
        (Part.RELEVANCE, yes): 1,
        (Part.RELEVANCE, (("ann", False), ("bo", True))): 1,
        (Part.RELEVANCE, no): 1,
        (Part.SUPPORT, (("cy", False),)): 1,
        (Part.SUPPORT, (("cy", True),)): 1,
    }


def test_a_comparison_counts_the_reviews_of_all_its_questions() -> None:
    """Agreed questions as well: disputed ones alone would make reviewers look worse."""
    ann, bo = Review(reviewer="ann", relevant=("a",)), Review(reviewer="bo", relevant=("a",))
    no = Review(reviewer="bo", relevant=("b",))
    asked = [reviewed("q1", ann, bo), reviewed("q2", ann, no, status=Status.DISPUTED)]
    assert comparison_of(asked, [], []).agreements == (
        Agreement(
            Part.RELEVANCE,
            5,
            Fraction(3, 5),
            "Cohen's kappa",
            Fraction(1, 6),
            (Marginal("ann", 2, 5), Marginal("bo", 2, 5)),
        ),
    )


def test_a_set_without_reviews_has_no_agreement() -> None:
    """Nothing is said where nobody reviewed."""
    assert comparison_of([question("q", relevant=["a"])], [], []).agreements == ()
