"""The kernel says what the contract path says, on every question that it takes."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtui.core.columns import ChangeRow, change_row
from ragtui.core.kernel import Key, PlainQuestion, PlainRecord, Spoken, counted, row_of, sketch
from ragtui.core.model import Claim
from ragtui.core.scorer import Scorer, measures_for
from tests.builders import comparison_of, question

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ragtui.core.change import Signal

Answer = tuple[tuple[str, tuple[str, ...]], ...]

RANKINGS: tuple[list[str], ...] = (
    [], ["a"], ["b", "a"], ["a", "b"], ["z", "a"], ["z", "b"], ["a", "a", "b"],
)  # fmt: skip
ANSWERS: tuple[Answer | None, ...] = (
    None,
    (),
    (("one", ("a",)),),
    (("one", ("b",)),),
    (("one", ()),),
    (("one", ("a", "z")), ("two", ("b",))),
    (("two", ("a", "b")), ("free", ("a",))),
    (("one", ("a",)), ("two", ())),
    (("two", ("b",)),),
    (("one", ("a",)), ("two", ("b",))),
    (("one", ("a",)), ("free", ())),
    (("free", ()),),
)
LABELLINGS = (
    PlainQuestion("q", ("a",), {"one": ["a"]}, ("z",), critical=True),
    PlainQuestion("q", ("a", "b"), {"one": ["a"], "two": ["a", "b"]}),
    PlainQuestion("q", (), {}),
    PlainQuestion("q", ("b",), None),
    PlainQuestion("q", (), None),
)
MEASURES = measures_for(graded=False, judged=True, permissions=False)


def recorded(ranking: Sequence[str], answer: Answer | None) -> PlainRecord:
    """Write a record in its plain form."""
    claims = None if answer is None else [Claim(name, cited) for name, cited in answer]
    return PlainRecord("q", list(ranking), claims)


def said_by_contract(
    scorer: Scorer, asked: PlainQuestion, a: PlainRecord, b: PlainRecord
) -> tuple[list[object], ChangeRow, tuple[Sequence[Signal], Sequence[Signal]]]:
    """Return rows of counts, the row of changes, and signals, as the contract path has them."""
    whole = asked.whole()
    scored = scorer.score(whole, a.whole(), b.whole())
    change = scorer.change(whole, scored)
    rows: list[object] = [(scored.facts, outcome.counts) for outcome in scored.outcomes]
    return rows, change_row(change), (change.plus, change.minus)


def agrees(
    scorer: Scorer,
    asked: PlainQuestion,
    sides: tuple[PlainRecord, PlainRecord],
    known: dict[Key, ChangeRow],
) -> bool:
    """Hold one sketch against the contract path; tell whether there was one."""
    found = sketch(asked, *sides, cutoff=scorer.cutoff)
    if found is None:
        return False
    rows, changed, signals = said_by_contract(scorer, asked, *sides)
    assert [row_of(key) for key in found.counts] == rows
    assert tuple(map(tuple, found.signals())) == signals
    assert known.setdefault(found.change, changed) == changed, found.change
    return True


@pytest.mark.parametrize("cutoff", [1, 2])
def test_a_sweep_agrees_with_the_contract_path(cutoff: int) -> None:
    """Every pair of rankings and answers under every labelling has the same rows and signals."""
    scorer = Scorer(cutoff=cutoff, measures=MEASURES)
    known: dict[Key, ChangeRow] = {}
    taken = 0
    everything = [recorded(*found) for found in product(RANKINGS, ANSWERS)]
    for asked in LABELLINGS:
        for sides in product(everything, everything):
            taken += agrees(scorer, asked, sides, known)
    labelled, silent = 3 * (7 * 11) ** 2, 2 * 7**2
    assert taken == labelled + silent
    assert len(known) > 100


def test_what_only_one_side_or_only_the_labels_say_is_left_to_the_contract_path() -> None:
    """Claims that were labelled and not recorded, or the other way round, give no sketch."""
    asked, unlabelled = LABELLINGS[0], LABELLINGS[3]
    told, silent = recorded(["a"], ()), recorded(["a"], None)
    for labels, sides in product((asked, unlabelled), product((told, silent), repeat=2)):
        whole = {side.claims is not None for side in sides} == {labels.support is not None}
        assert (sketch(labels, *sides, cutoff=2) is not None) == whole


@pytest.mark.parametrize("cutoff", [1, 2, 5])
def test_one_run_is_counted_as_the_contract_path_counts_it(cutoff: int) -> None:
    """Every ranking and answer under every labelling has the same facts and counts."""
    scorer = Scorer(cutoff=cutoff, measures=MEASURES)
    for asked, ranking, answer in product(LABELLINGS, RANKINGS, ANSWERS):
        record = recorded(ranking, answer)
        key = counted(asked, record, cutoff=cutoff)
        assert (key is None) == ((asked.support is None) != (record.claims is None))
        scored = scorer.score(asked.whole(), record.whole())
        assert key is None or row_of(key) == (scored.facts, scored.outcomes[0].counts)


DOCUMENTS = st.sampled_from("abcdz")
CLAIMS = st.sampled_from(["one", "two", "three", "free"])
ANSWER = st.dictionaries(
    CLAIMS, st.lists(DOCUMENTS, max_size=3, unique=True).map(tuple), max_size=4
).map(lambda found: tuple(found.items()))


@st.composite
def plain_questions(draw: st.DrawFn) -> PlainQuestion:
    """Draw labels that keep the rules of a question file."""
    relevant = tuple(draw(st.lists(st.sampled_from("abcd"), max_size=3, unique=True)))
    support: dict[str, list[str]] = {}
    if relevant:
        permitted = st.lists(st.sampled_from(relevant), min_size=1, max_size=2, unique=True)
        support = draw(st.dictionaries(CLAIMS, permitted, min_size=1, max_size=3))
    others = draw(st.lists(st.sampled_from("ez"), max_size=2, unique=True))
    tags, cluster = draw(st.sampled_from([(), ("x",)])), draw(st.sampled_from([None, "c"]))
    return PlainQuestion(
        "q",
        relevant,
        draw(st.sampled_from([support, support, support, None])),
        tuple(others),
        tags,
        draw(st.booleans()),
        cluster,
    )


@st.composite
def asked_and_recorded(
    draw: st.DrawFn,
) -> tuple[PlainQuestion, PlainRecord, PlainRecord]:
    """Draw a question and two records, the second often much like the first."""
    asked = draw(plain_questions())
    ranking, answer = draw(st.lists(DOCUMENTS, max_size=5)), draw(ANSWER)
    if asked.support is None:
        return asked, recorded(ranking, None), recorded(draw(st.permutations(ranking)), None)
    other = draw(st.lists(DOCUMENTS, max_size=5) | st.permutations(ranking) | st.just(ranking))
    return asked, recorded(ranking, answer), recorded(other, draw(ANSWER | st.just(answer)))


def rows_of(
    cases: Sequence[tuple[PlainQuestion, PlainRecord, PlainRecord]], cutoff: int, *, plain: bool
) -> Iterator[object]:
    """Yield everything that a comparison keeps, filled one way or the other."""
    comparison = comparison_of(
        [question(f"q{number}") for number in range(len(cases))],
        (),
        (),
        cutoff=cutoff,
    )
    signals: dict[int, object] = {}

    def keep(index: int, *found: Sequence[Spoken]) -> None:
        signals[index] = tuple(map(tuple, found))

    comparison.on_signals = keep
    for index, (asked, a, b) in enumerate(cases):
        if plain:
            comparison.put_plain(index, asked, a, b)
        else:
            comparison.put(index, asked.whole(), a.whole(), b.whole())
    for index in range(len(cases)):
        yield comparison.changes[index]
        yield comparison.labels[index]
        yield from (run.columns.rows[index] for run in (comparison.baseline, comparison.candidate))
        yield signals[index]
    yield comparison.aggregates


@given(st.lists(asked_and_recorded(), max_size=12), st.integers(1, 4))
def test_a_comparison_of_plain_questions_is_that_of_whole_ones(
    cases: list[tuple[PlainQuestion, PlainRecord, PlainRecord]], cutoff: int
) -> None:
    """However rows are filled, they hold the same, whatever was put before."""
    twice = [*cases, *cases]
    assert list(rows_of(twice, cutoff, plain=True)) == list(rows_of(twice, cutoff, plain=False))
