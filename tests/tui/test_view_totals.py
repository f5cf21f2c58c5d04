"""Summary, Slices, n/a and Changes: what all questions say together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtui.core.interval import Interval
from ragtui.core.model import ClaimIds, SetInfo
from ragtui.core.slices import ANSWERABLE
from ragtui.core.value import NotAvailable
from ragtui.tui.views.absences import absences_page
from ragtui.tui.views.settings import settings_page
from ragtui.tui.views.slices import slice_query, slices_page
from ragtui.tui.views.summary import interval_bar, summary_page
from ragtui.tui.views.targets import absence_target, measure_target, slice_target
from tests.builders import (
    Case,
    comparison_of,
    disputed_desk,
    question,
    questions_with_records,
    random_comparison,
    record,
    release_desk,
    run_info,
)
from tests.strategies import hostile_text
from tests.tui.views import assert_fits, roles_of, shown, text_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from ragtui.core.comparison import Comparison
    from ragtui.tui.views.layout import Page

SUPPORT = "support"


def _answerable(comparison: Comparison) -> Page:
    part = next(s for s in comparison.slices if s.name == ANSWERABLE)
    return summary_page(
        comparison, comparison.measure(SUPPORT), width=80, answerable=part.of(SUPPORT)
    )


def test_the_summary_of_the_reference_table_is_the_one_in_the_contract() -> None:
    """Paired means and their difference, counts, words and pooled ratios, each in its column."""
    page = _answerable(release_desk())
    assert text_of([*page.header, *page.lines[:7]]) == [
        "measure         A     B      Δ   ▲   ▼   =   n  words              pooled",
        "P@2          0.50  0.67  +0.17   1   0   2   3  too few questions  3/6 → 4/6",
        "R@2          0.83  1.00  +0.17   1   0   2   3  too few questions  3/4 → 4/4",
        "RR@2         0.83  1.00  +0.17   1   0   2   3  too few questions",
        "support      0.67  0.83  +0.17   1   1   1   3  too few questions  2/4 → 4/5",
        " answerable  0.67  0.83  +0.17   1   1   1   3  too few questions  2/3 → 4/5",
        "coverage     0.50  1.00  +0.50   2   0   1   3  too few questions  2/4 → 4/4",
        "abstention    0/1   1/1     +1   1   0   0   1  too few questions",
    ]


def test_own_means_stand_beside_each_other_and_are_never_subtracted() -> None:
    """0.50 over four and 0.83 over three questions are no +0.33."""
    text = shown(_answerable(release_desk()).lines)
    assert "A 0.50 (n 4)   B 0.83 (n 3)" in text
    assert "never subtracted" in text
    assert "0.33" not in text
    assert "became n/a 1" in text
    assert "each Δ    −0.50  0.00  +1.00" in text


def test_a_filter_adds_rows_and_leaves_the_totals_alone() -> None:
    """The same rows as without a filter, one more beside each."""
    comparison = release_desk()
    measure = comparison.measure(SUPPORT)
    before = [line.split() for line in text_of(summary_page(comparison, measure, width=80).lines)]
    subset = tuple(comparison.aggregate_of(m, [0]) for m in comparison.measures)
    page = summary_page(
        comparison, measure, width=80, shown=subset, shown_words='filter "x" · 1 of 4'
    )
    after = [line.split() for line in text_of(page.lines)]
    assert [words for words in after if words in before[:6]] == before[:6]
    assert sum(words[:2] == ["↳", "filtered"] for words in after) == len(comparison.measures)
    assert '↳ filter "x" · 1 of 4' in text_of(page.lines)


def test_a_narrow_summary_keeps_the_words() -> None:
    """The drawn and pooled forms go first, what may be said stays."""
    comparison = random_comparison(60, 1)
    page = summary_page(comparison, comparison.measure(SUPPORT), width=66)
    assert text_of(page.header)[0].endswith("words")
    assert "not resolved" in text_of(page.lines)[0]


def test_missing_questions_give_bounds() -> None:
    """The mean of a run with a failed question is a range."""
    questions = [question(f"q{n}", relevant=["a"], support={"x": ["a"]}) for n in range(3)]
    good = [record(f"q{n}", ["a"], {"x": ["a"]}) for n in range(3)]
    comparison = comparison_of(questions, good, [*good[:2], record("q2", error="timeout")])
    text = shown(summary_page(comparison, comparison.measure("coverage"), width=80).lines)
    assert "B 1.00 (n 2) 1 missing: 0.67 to 1.00" in text


def test_only_a_resolved_difference_has_a_colour() -> None:
    """Every question worse by half is lower in B; nothing else may look like it."""
    questions = [question(f"q{n}", relevant=["a"], support={"x": ["a"]}) for n in range(40)]
    a = [record(f"q{n}", ["a"], {"x": ["a"]}) for n in range(40)]
    b = [record(f"q{n}", ["a"], {"x": ["a"], "y": ["a"]}) for n in range(40)]
    comparison = comparison_of(questions, a, b)
    page = summary_page(comparison, comparison.measure(SUPPORT), width=120)
    assert "worse bold" in roles_of(page.lines, "−0.50")
    assert roles_of(page.lines[:1], "·") == ["plain bold"]
    assert "sign-flip p" in shown(page.lines)


@given(st.floats(-1, 1), st.floats(-1, 1), st.floats(-1, 1))
def test_a_drawn_interval_has_one_mean_and_a_line_only_between_its_ends(
    x: float, y: float, z: float
) -> None:
    """Mirrored numbers give the mirrored drawing, zero stays in the middle."""
    low, mean, high = sorted((x, y, z))
    drawn = interval_bar(Interval(low, high, 0.95), mean, 1.0)
    mirrored = interval_bar(Interval(-high, -low, 0.95), -mean, 1.0)
    assert len(drawn) == 21
    assert drawn.count("◆") == 1
    assert mirrored == drawn[::-1]


def test_slices_show_verdicts_and_differences_and_mute_the_small() -> None:
    """The selected measure comes first with room for little else."""
    comparison = release_desk()
    page = slices_page(comparison, comparison.measure("coverage"), width=60)
    assert text_of([*page.header, *page.lines[:4]]) == [
        "slice             n   ▼   ◆   ▲   =   coverage        P@2",
        "answerable        3   1   0   2   0  +0.50   3  +0.17   3",
        "unanswerable      1   0   0   1   0      –          –",
        "lookup            2   1   0   1   0  +0.50   2      ·   2",
        "several-evidence  1   0   0   1   0  +0.50   1  +0.50   1",
    ]
    assert set(roles_of(page.lines, "+0.50")) == {"muted"}


def test_a_slice_that_moves_against_the_total_is_named() -> None:
    """An average must not hide it."""
    tags = ["up"] * 12 + ["down"] * 10
    questions = [
        question(f"q{n}", relevant=["a"], support={"x": ["a"]}, tags=[tag])
        for n, tag in enumerate(tags)
    ]
    good, bad = {"x": ["a"]}, {"x": ["b"]}
    a = [record(f"q{n}", ["a"], bad if tag == "up" else good) for n, tag in enumerate(tags)]
    b = [record(f"q{n}", ["a"], good if tag == "up" else bad) for n, tag in enumerate(tags)]
    comparison = comparison_of(questions, a, b)
    text = shown(slices_page(comparison, comparison.measure(SUPPORT), width=90).lines)
    assert "support improved overall, regressed in: down (n 10)" in text
    assert "⇄" in text
    assert "survives Holm over" in text


def test_the_slice_under_the_cursor_says_what_it_holds() -> None:
    """Suggested tags have a line of help."""
    comparison = release_desk()
    page = slices_page(
        comparison, comparison.measure(SUPPORT), width=80, selected=slice_target("lookup")
    )
    assert "lookup · one document answers it · Enter shows its questions" in shown(page.lines)


@pytest.mark.parametrize(
    ("name", "query"),
    [
        ("answerable", "na:answerable"),
        ("unanswerable", "na:unanswerable"),
        ("lookup", "tag:lookup"),
        ("several-evidence", "tag:several-evidence"),
    ],
)
def test_every_slice_has_a_filter(name: str, query: str) -> None:
    """So that what is shown can be written down."""
    assert slice_query(next(s for s in release_desk().slices if s.name == name)) == query


def test_absences_are_counted_by_reason_and_side() -> None:
    """Support became n/a on region; retrieval has none there whatever a run does."""
    comparison = release_desk()
    selected = absence_target(SUPPORT, NotAvailable.NO_CLAIMS.value)
    page = absences_page(comparison, comparison.measure(SUPPORT), width=80, selected=selected)
    text = text_of([*page.header, *page.lines])
    assert text[0] == "measure       → n/a  n/a →  both  reason"
    assert text[1].startswith("support           1      0     0  the answer makes no claims")
    assert text[2].startswith(
        "P@2 R@2 RR@2      0      0     1  no relevant documents are labelled"
    )
    assert "behavioural: this run leaves nothing to measure" in " ".join(" ".join(text).split())


def test_a_set_without_gaps_says_so() -> None:
    """An empty table would look broken."""
    comparison = comparison_of([], [], [])
    page = absences_page(comparison, comparison.measures[0], width=60)
    assert text_of(page.lines)[0] == "every measure has a value on every question"


def test_one_changed_setting_is_a_controlled_change() -> None:
    """What was held, what differs, key by key, and what nobody recorded."""
    text = shown(settings_page(release_desk(), width=80).lines)
    assert "✓ set release-desk 1.0.0" in text
    assert "✓ frozen" in text
    assert "1 controlled change" in text
    assert "  retrieval.reranker  none  cross-encoder-2" in text


def test_the_agreement_of_reviewers_stands_among_what_was_held() -> None:
    """With marginals; a set without reviews has no such line."""
    text = " ".join(shown(settings_page(disputed_desk(), width=80).lines).split())
    told = "a document: raw 0.50, Cohen's kappa 0.00, n 2; yes from r1 1 of 2, r2 2 of 2"
    assert told in text
    assert "agreement" not in shown(settings_page(release_desk(), width=80).lines)


def test_several_changed_settings_cannot_be_told_apart() -> None:
    """The words say it; a set that is not frozen and a run that is not pinned are named."""
    long = "x" * 200
    comparison = comparison_of(
        [question("q", relevant=["a"], support={})],
        [record("q", ["a"], {})],
        [record("q", ["a"], {})],
        baseline=run_info("a", pipeline={"retrieval.top_k": 10, "prompt.text": "short"}),
        candidate=run_info(
            "b", pipeline={"retrieval.top_k": True, "prompt.text": long}, pinned=False
        ),
        set_info=SetInfo(id="s", version="1"),
    )
    page = settings_page(comparison, width=76)
    text = shown(page.lines)
    assert "2 settings changed together" in text
    assert "✗ not frozen" in text
    assert "✗ B names no digest of the set" in text
    assert "true" in text
    assert "".join(text.split()).count("x" * 200) == 1
    assert_fits(page.lines, 76)


def test_who_turned_answers_into_claims_is_compared() -> None:
    """A judge against a human is a warning; another machine is only shown."""
    human, judge = run_info("a"), run_info("b", claim_ids=ClaimIds.RUN)
    judge = msgspec.structs.replace(judge, environment={"machine": "desk-07"})
    asked = question("q", relevant=["a"], support={})
    told = [record("q", ["a"], {})]
    comparison = comparison_of([asked], told, told, baseline=human, candidate=judge)
    page = settings_page(comparison, width=90)
    assert "differs: take the scores with care" in shown(page.lines)
    assert "claim_ids" in shown(page.lines)
    assert "differs: shown, not compared" in shown(page.lines)
    assert "desk-07" in shown(page.lines)


PAGES: list[Callable[[Comparison, int], Page]] = [
    lambda c, width: summary_page(c, c.measure(SUPPORT), width=width),
    lambda c, width: slices_page(c, c.measure(SUPPORT), width=width),
    lambda c, width: absences_page(c, c.measure(SUPPORT), width=width),
    lambda c, width: settings_page(c, width=width),
]


@pytest.mark.parametrize("page", PAGES, ids=["summary", "slices", "absences", "changes"])
@settings(max_examples=15)
@given(case=questions_with_records(permissions=True, max_size=5), width=st.integers(1, 130))
def test_any_comparison_fits_any_width(
    page: Callable[[Comparison, int], Page], case: Case, width: int
) -> None:
    """Empty sets, failures and gaps included."""
    found = page(case.compare(), width)
    assert_fits([*found.header, *found.lines], width)


@pytest.mark.parametrize("page", PAGES, ids=["summary", "slices", "absences", "changes"])
@settings(max_examples=15)
@given(text=hostile_text(max_pieces=3), width=st.integers(8, 130))
def test_no_text_of_a_file_acts_on_the_screen(
    page: Callable[[Comparison, int], Page], text: str, width: int
) -> None:
    """Tags, ids, notes and settings are shown, never obeyed."""
    comparison = comparison_of(
        [question(text, relevant=[text], support={text: [text]}, tags=[text])],
        [record(text, [text], {text: [text]})],
        [record(text, error=text)],
        baseline=run_info(text, pipeline={text: 1}, note=text),
        candidate=run_info(text, pipeline={text: text}),
        set_info=SetInfo(id=text, version=text, sha256=text),
    )
    found = page(comparison, width)
    assert_fits([*found.header, *found.lines], width)


def test_every_row_of_a_table_is_a_target() -> None:
    """What can be chosen can be clicked anywhere on its line."""
    comparison = random_comparison(60, 1)
    page = summary_page(comparison, comparison.measure(SUPPORT), width=80)
    metas = [line[0].meta for line in page.lines[: len(comparison.measures)]]
    assert metas == [measure_target(m.key) for m in comparison.measures]
