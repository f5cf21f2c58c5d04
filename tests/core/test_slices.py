from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtui.core.aggregate import Aggregate, aggregate
from ragtui.core.change import Verdict
from ragtui.core.measures import Facts, Measure, measure_named, structural
from ragtui.core.moves import Move
from ragtui.core.slices import (
    ANSWERABLE,
    MIN_TESTED,
    SUGGESTED_TAGS,
    UNANSWERABLE,
    Slice,
    against_total,
    membership,
    overlapping,
    reversals,
    surviving,
)
from ragtui.core.value import NotAvailable, Score, Value
from tests.builders import (
    Case,
    comparison_of,
    question,
    questions_with_records,
    random_comparison,
    record,
    release_desk,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

FACTS = Facts(
    answerable=True,
    relevant=1,
    expected=1,
    judges_claims=True,
    judged=True,
    graded=False,
    permissions=False,
)


def measure(key: str) -> Measure:
    found = measure_named(key)
    assert found is not None
    return found


def of_pairs(key: str, pairs: Sequence[tuple[Value, Value]]) -> Aggregate:
    return aggregate(
        measure(key), Counter(Move(structural(measure(key), FACTS), a, b) for a, b in pairs)
    )


def part(name: str, *aggregates: Aggregate) -> Slice:
    n = aggregates[0].paired.n
    return Slice(
        name=name, tag=name, questions=n, verdicts={Verdict.UNCHANGED: n}, aggregates=aggregates
    )


# ---------------------------------------------------------------- membership

tag_lists = st.lists(
    st.lists(st.sampled_from(["lookup", "answerable", "odd"]), max_size=3).map(tuple), max_size=6
)


@given(tag_lists, st.lists(st.integers(0, 5), unique=True).map(sorted))
def test_every_tag_and_group_has_exactly_its_questions(
    tags: list[tuple[str, ...]], answerable: list[int]
) -> None:
    found = membership(tags, {ANSWERABLE: answerable, UNANSWERABLE: []})
    assert UNANSWERABLE not in {name for name, _ in found}
    assert found.get((ANSWERABLE, None), []) == answerable
    by_tag = {tag: members for (_, tag), members in found.items() if tag is not None}
    for tag in {name for names in tags for name in names}:
        members = [index for index, names in enumerate(tags) if tag in names]
        if tag == ANSWERABLE and members == answerable:
            assert tag not in by_tag
        else:
            assert by_tag.pop(tag) == members
    assert by_tag == {}
    names = [name for name, _ in found]
    assert len(names) == len(set(names))


def test_a_tag_with_a_built_in_name_and_other_questions_is_told_apart() -> None:
    found = membership([("unanswerable",), ()], {UNANSWERABLE: [0, 1]})
    assert found == {
        (UNANSWERABLE, None): [0, 1],
        ("tag:unanswerable", "unanswerable"): [0],
    }


def test_overlap_is_two_tags_on_one_question() -> None:
    assert not overlapping([("a",), ("b",), ()])
    assert overlapping([("a",), ("b", "a")])


def test_the_slices_of_the_reference_table() -> None:
    comparison = release_desk()
    found = {s.name: (s.tag, s.questions, s.verdicts[Verdict.REGRESSED]) for s in comparison.slices}
    assert found == {
        "answerable": (None, 3, 1),
        "unanswerable": (None, 1, 0),
        "lookup": ("lookup", 2, 1),
        "several-evidence": ("several-evidence", 1, 0),
    }
    assert not comparison.tags_overlap


def test_support_of_answerable_questions_stands_beside_its_total() -> None:
    [answerable] = [s for s in release_desk().slices if s.name == ANSWERABLE]
    support = answerable.of("support")
    assert support is not None
    assert support.pooled == ((2, 3), (4, 5))
    assert (support.own_baseline.mean, support.own_candidate.mean) == (
        Fraction(2, 3),
        Fraction(5, 6),
    )
    assert answerable.of("ndcg") is None


@given(questions_with_records())
def test_a_slice_is_the_comparison_of_its_questions_alone(case: Case) -> None:
    comparison = case.compare()
    for found in comparison.slices:
        members = comparison.slice_members[found.name, found.tag]
        kept = {comparison.ids[index] for index in members}
        alone = comparison_of(
            [q for q in case.questions if q.id in kept],
            [r for r in case.records_a if r.question in kept],
            [r for r in case.records_b if r.question in kept],
            cutoff=case.cutoff,
        )
        assert found.questions == len(alone) == len(members)
        assert found.verdicts == alone.totals
        for own in alone.aggregates:
            assert found.of(own.measure.key) == own


@given(questions_with_records())
def test_answerable_and_unanswerable_questions_share_none(case: Case) -> None:
    comparison = case.compare()
    groups = comparison.builtin_groups()
    answerable = {i for i, q in enumerate(case.questions) if q.answerable is True}
    unanswerable = {i for i, q in enumerate(case.questions) if q.answerable is False}
    critical = {i for i, q in enumerate(case.questions) if q.critical}
    assert [set(groups[name]) for name in groups] == [answerable, unanswerable, critical]


def test_suggested_tags_have_a_line_of_help_each() -> None:
    assert sorted(SUGGESTED_TAGS) == [
        "conflicting",
        "lookup",
        "near-duplicate",
        "outdated",
        "permission",
        "several-evidence",
        "unanswerable",
    ]
    assert all(SUGGESTED_TAGS.values())


# ---------------------------------------------------------------- against the total

UP, DOWN, SAME = (
    (Score(0, 1), Score(1, 1)),
    (Score(1, 1), Score(0, 1)),
    (Score(1, 2), Score(1, 2)),
)


def test_a_slice_that_moves_against_the_total_is_named() -> None:
    total = of_pairs("support", [UP, UP, UP, DOWN, SAME])
    worse = part("worse", of_pairs("support", [DOWN]))
    better = part("better", of_pairs("support", [UP, UP, UP]))
    still = part("still", of_pairs("support", [SAME]))
    other = part("other", of_pairs("coverage", [DOWN]))
    empty = part("empty", of_pairs("support", []))
    found = against_total(total, [worse, better, still, other, empty])
    assert found == ((worse, worse.aggregates[0]),)


def test_nothing_moves_against_a_total_that_does_not_move() -> None:
    total = of_pairs("support", [UP, DOWN])
    assert against_total(total, [part("worse", of_pairs("support", [DOWN]))]) == ()


def test_a_falling_total_names_the_slices_that_rise() -> None:
    total = of_pairs("support", [DOWN, DOWN, UP])
    better = part("better", of_pairs("support", [UP]))
    assert against_total(total, [better]) == ((better, better.aggregates[0]),)


@given(
    st.lists(
        st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=4),
        min_size=1,
        max_size=3,
    )
)
def test_paired_deltas_over_a_partition_never_reverse(parts: list[list[tuple[int, int]]]) -> None:
    slices = [[(Score(a, 2), Score(b, 2)) for a, b in pairs] for pairs in parts]
    total = of_pairs("support", [pair for pairs in slices for pair in pairs])
    found = [part(str(n), of_pairs("support", pairs)) for n, pairs in enumerate(slices)]
    assert total.paired.delta is None or len(against_total(total, found)) < max(2, len(found))


# ---------------------------------------------------------------- reversals


def test_a_pooled_ratio_that_reverses_in_every_tag_is_told() -> None:
    # Simpson's paradox: each slice falls, but B answers the easy slice with more claims.
    easy = [(Score(9, 10), Score(80, 100))]
    hard = [(Score(30, 100), Score(2, 10))]
    total = of_pairs("support", [*easy, *hard])
    slices = [part("easy", of_pairs("support", easy)), part("hard", of_pairs("support", hard))]
    assert reversals([total], slices) == (
        "support: the pooled ratio is up overall and moves the other way in every tag",
    )


def test_a_tag_without_a_value_hides_no_reversal() -> None:
    """A slice that goes no way at all speaks neither for nor against it."""
    easy: list[tuple[Value, Value]] = [(Score(9, 10), Score(80, 100))]
    hard: list[tuple[Value, Value]] = [(Score(30, 100), Score(2, 10))]
    silent: list[tuple[Value, Value]] = [(NotAvailable.NO_CLAIMS, NotAvailable.NO_CLAIMS)]
    total = of_pairs("support", [*easy, *hard, *silent])
    slices = [part(str(n), of_pairs("support", p)) for n, p in enumerate((easy, hard, silent))]
    assert len(reversals([total], slices)) == 1


def test_one_slice_or_one_that_agrees_is_no_reversal() -> None:
    easy = [(Score(9, 10), Score(80, 100))]
    hard = [(Score(30, 100), Score(4, 10))]
    total = of_pairs("support", [*easy, *hard])
    slices = [part("easy", of_pairs("support", easy)), part("hard", of_pairs("support", hard))]
    assert reversals([total], slices) == ()
    assert reversals([total], slices[:1]) == ()
    assert reversals([total], []) == ()


def test_built_in_slices_are_no_tags() -> None:
    easy = [(Score(9, 10), Score(80, 100))]
    hard = [(Score(30, 100), Score(2, 10))]
    total = of_pairs("support", [*easy, *hard])
    slices = [
        Slice(name=name, tag=None, questions=1, verdicts={}, aggregates=(of_pairs("support", p),))
        for name, p in (("answerable", easy), ("unanswerable", hard))
    ]
    assert reversals([total], slices) == ()


# ---------------------------------------------------------------- many cells


def test_cells_are_slices_of_ten_by_measures_without_precision() -> None:
    strong = [UP] * MIN_TESTED
    weak = [UP] * (MIN_TESTED - 1)
    slices = [
        part("large", of_pairs("precision", strong), of_pairs("recall", strong)),
        part("small", of_pairs("recall", weak)),
    ]
    marked, tested = surviving(slices)
    assert (marked, tested) == (frozenset({("large", "recall")}), 1)


def test_a_cell_that_would_survive_alone_may_not_among_many() -> None:
    six = [UP] * 6 + [SAME] * 4
    still = [SAME] * 10
    alone, tested = surviving([part("one", of_pairs("recall", six))])
    assert (alone, tested) == (frozenset({("one", "recall")}), 1)
    many = [part("one", of_pairs("recall", six))]
    many += [part(f"s{n}", of_pairs("recall", still)) for n in range(4)]
    assert surviving(many) == (frozenset(), 5)


@pytest.mark.parametrize("alpha", [0.05, 0.01])
def test_marks_only_thin_out_with_more_cells(alpha: float) -> None:
    slices = random_comparison(800, 6).slices
    every, tested = surviving(slices, alpha=alpha)
    assert tested == sum(
        found.paired.n >= MIN_TESTED and found.measure.key != "precision"
        for own in slices
        for found in own.aggregates
    )
    for own in slices:
        few, _ = surviving([own], alpha=alpha)
        assert {cell for cell in every if cell[0] == own.name} <= few


def test_overlapping_tags_are_known() -> None:
    asked = [question("q", tags=["a", "b"])]
    assert comparison_of(asked, [record("q")], [record("q")]).tags_overlap
