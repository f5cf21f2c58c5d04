"""The tab of the policy and the verdict in the header, as text."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtui.core.policy import Outcome, Waiver
from ragtui.core.policy_words import OUTCOME_GLYPH
from ragtui.core.triage import Counts
from ragtui.tui.spans import line_width, plain
from ragtui.tui.views.header import header_lines, triage_words
from ragtui.tui.views.policy import Gate, first_rule, policy_page, ruling_words, tab_words
from tests.builders import release_desk
from tests.policies import policy_of, rule, ruling_of
from tests.strategies import hostile_text
from tests.tui.views import assert_fits, roles_of, shown, text_of

if TYPE_CHECKING:
    from ragtui.core.gate import Ruling
    from ragtui.core.policy import Rule
    from ragtui.tui.views.layout import Page

CLAIMS = rule("new_unsupported", "no-new-claims", max=0, waivable=True)
MEANS = rule("mean_at_least", "enough", measure="coverage", average="macro", min="0.9")
MARGIN = rule("non_inferior", "holds", measure="support", margin="0.1", required=False)
SIZE = rule("sample", "large", min_questions={"answerable": 10})
LAUNCH = Waiver("no-new-claims", "launch", "Jo", "goes with the next patch", "2027-01-01")


def gate_of(*rules: Rule, **more: object) -> Gate:
    ruling = ruling_of(release_desk(), *rules, **more)  # type: ignore[arg-type]  # any of its keys
    return Gate(ruling.policy, ruling, is_current=True)


def ruled(gate: Gate) -> Ruling:
    assert gate.ruling is not None
    return gate.ruling


def page_of(gate: Gate | None, width: int = 100, selected: str | None = None) -> Page:
    return policy_page(gate, width=width, selected=selected)


def rows_of(page: Page) -> list[str]:
    """Return the ids of the rules in the order of their rows."""
    metas = (part.meta for line in page.lines for part in line if part.meta is not None)
    return list(dict.fromkeys(meta[1] for meta in metas))


# ---------------------------------------------------------------- the tab


def test_without_a_policy_it_says_how_to_give_one() -> None:
    text = " ".join(shown(page_of(None, 60).lines).split())
    assert "no acceptance policy was applied" in text
    assert "--policy FILE" in text
    assert "ragtui init writes one" in text


def test_every_rule_has_glyph_word_figure_bound_and_the_number_responsible() -> None:
    page = page_of(gate_of(MEANS, CLAIMS, SIZE))
    assert text_of([*page.header, *page.lines[:3]]) == [
        "verdict         rule           n  figure                   demanded",
        "✗ fail          no-new-claims  1  1 new unsupported claim  at most 0",
        "? inconclusive  large             answerable 3             answerable ≥ 10",
        "✓ pass          enough            1.00 (n 3)               macro coverage ≥ 0.90",
    ]
    assert "worse bold" in roles_of(page.lines, "✗ fail")
    assert "better bold" in roles_of(page.lines, "✓ pass")


def test_what_counts_stands_above_what_is_advice_and_the_gravest_first() -> None:
    page = page_of(gate_of(MARGIN, MEANS, CLAIMS))
    assert rows_of(page) == ["no-new-claims", "enough", "holds"]
    text = text_of(page.lines)
    advice = next(row for row, line in enumerate(text) if "advisory: shown, not counted" in line)
    assert text[advice + 1].startswith("? inconclusive")
    assert "attention" in roles_of(page.lines, "? inconclusive")
    assert first_rule(gate_of(MARGIN, MEANS, CLAIMS), None) == "no-new-claims"
    assert first_rule(gate_of(MARGIN, MEANS, CLAIMS), "holds") == "holds"


def test_the_rule_under_the_cursor_is_told_whole_below_its_row() -> None:
    where = rule("new_unsupported", "claims", where=["answerable"], max=0)
    page = page_of(gate_of(where), 60, "claims")
    assert text_of(page.lines)[1:5] == [
        "  figure    1 new unsupported claim",
        "  demanded  at most 0",
        "  questions 1: launch · Enter shows them",
        "  kind      new_unsupported · required · where answerable",
    ]
    other = shown(page_of(gate_of(MARGIN, CLAIMS), 60, "holds").lines)
    assert "because   3 paired questions, 10 are needed" in other
    assert "advisory: shown, not counted" in other


def test_a_plan_is_told_and_many_questions_are_counted() -> None:
    plan = rule("labels", "settled", max_unresolved=0, plan="asked again in May")
    assert "plan      asked again in May" in shown(page_of(gate_of(plan), 60, "settled").lines)
    gate = gate_of(CLAIMS)
    (result,) = ruled(gate).results
    many = replace(result, questions=tuple(f"q{n}" for n in range(40)))
    told = shown(
        page_of(replace(gate, ruling=replace(ruled(gate), results=(many,))), 90, CLAIMS.id).lines
    )
    assert "40: q0, q1" in told
    assert "q11 and 28 more" in told


@pytest.mark.parametrize(
    ("expires", "verdict", "label"),
    [("2027-01-01", "✓ pass with 1 waiver", "waived"), ("2026-11-01", "✗ fail", "expired")],
)
def test_a_waiver_is_told_with_its_reason_whether_it_counts_or_not(
    expires: str, verdict: str, label: str
) -> None:
    gate = gate_of(CLAIMS, waivers=[LAUNCH._replace(expires=expires)])
    text = shown(page_of(gate, 100, CLAIMS.id).lines)
    assert verdict in text
    assert f"{label:<10}launch until {expires}, by Jo: goes with the next patch" in text
    assert plain(ruling_words(gate)[0]).startswith(verdict)


def test_what_holds_the_verdict_back_stands_first() -> None:
    gate = gate_of(MEANS)
    ruling = replace(
        ruled(gate), outcome=Outcome.INCONCLUSIVE, reservations=("the question set is not frozen",)
    )
    text = text_of(page_of(replace(gate, ruling=ruling)).lines)
    assert text[0] == "! the question set is not frozen"
    assert plain(ruling_words(replace(gate, ruling=ruling))[0]) == "? inconclusive"


def test_warnings_and_which_policy_it_is_stand_below() -> None:
    text = shown(page_of(gate_of(MARGIN, CLAIMS, owner="the desk", written="2026-02-03")).lines)
    assert 'warning   rule "holds": a margin of 0.10 cannot pass with 3 paired questions' in text
    assert "gate · sha256 000000000000 · written 2026-02-03 · owner the desk" in text
    assert "verdict   ✗ fail · 1 fail of 1 required rule; 1 advisory" in text


def test_a_closed_set_names_no_question() -> None:
    gate = gate_of(CLAIMS, waivers=[LAUNCH])
    (result,) = ruled(gate).results
    closed = replace(result, questions=(), is_withheld=True)
    page = page_of(replace(gate, ruling=replace(ruled(gate), results=(closed,))), 90, CLAIMS.id)
    assert "launch" not in shown(page.lines)
    assert "Jo" not in shown(page.lines)
    assert "withheld: the set is held out and not opened" in shown(page.lines)


def test_a_verdict_that_is_awaited_or_cannot_be_known_is_none() -> None:
    waiting = Gate(policy_of(CLAIMS))
    assert "holding the runs against the policy" in shown(page_of(waiting).lines)
    assert plain(ruling_words(waiting)[0]) == "policy …"
    failed = Gate(policy_of(CLAIMS), problem="the file is gone")
    assert "not judged: the file is gone; r reads again" in shown(page_of(failed).lines)
    assert plain(ruling_words(failed)[0]) == "! policy not judged"
    assert tab_words(waiting) is tab_words(failed) is tab_words(None) is None


# ---------------------------------------------------------------- the header


@pytest.mark.parametrize(
    ("rules", "words", "role", "tab"),
    [
        ((CLAIMS, MEANS), "✗ fail 1 of 2 rules", "worse bold", "✗ 1"),
        ((MEANS, MARGIN), "✓ pass", "better bold", "✓"),
        (
            (replace(MARGIN, required=True), MEANS),
            "? inconclusive 1 of 2 rules",
            "attention bold",
            "? 1",
        ),
        ((MARGIN,), "! invalid", "worse bold", "!"),
    ],
)
def test_the_verdict_is_a_sign_a_word_and_a_colour(
    rules: tuple[Rule, ...], words: str, role: str, tab: str
) -> None:
    gate = gate_of(*rules)
    (first, *_) = ruling_words(gate)
    assert plain(first) == words
    assert {part.role for part in first} == {role}
    assert (found := tab_words(gate)) is not None
    assert found.text == tab
    late = ruling_words(replace(gate, is_current=False))[0]
    assert plain(late) == f"{words} …"


@pytest.mark.parametrize("width", [60, 80, 100, 140, 200])
@pytest.mark.parametrize("outcome", list(Outcome))
def test_verdict_and_decisions_are_never_cut(width: int, outcome: Outcome) -> None:
    gate = gate_of(CLAIMS, MEANS)
    words = ruling_words(replace(gate, ruling=replace(ruled(gate), outcome=outcome)))
    triage = triage_words(Counts(3, 15, 1))
    found = release_desk()
    line = header_lines(found, found.measures[0], width, triage, words)[0]
    assert line_width(line) <= width
    assert f"{OUTCOME_GLYPH[outcome]} {outcome.value}" in plain(line)
    assert plain(triage) in plain(line)
    assert plain(line).lstrip().startswith("release-desk")


# ---------------------------------------------------------------- any text, any width


@settings(max_examples=30)
@given(hostile_text(max_pieces=3), st.integers(1, 130), st.booleans())
def test_no_text_of_a_policy_acts_on_the_screen_or_overflows(
    text: str, width: int, withheld: bool
) -> None:
    gate = gate_of(
        replace(CLAIMS, id=text),
        replace(MARGIN, id=text + "x"),
        waivers=[LAUNCH._replace(rule=text, who=text, reason=text)],
        owner=text,
        written=text,
        confidence=Fraction(9, 10),
    )
    ruling = ruled(gate)
    results = tuple(
        replace(
            found, questions=(text, text), why=text, figure=text, bound=text, is_withheld=withheld
        )
        for found in ruling.results
    )
    ruling = replace(
        ruling, results=results, invalid=(text,), warnings=(text,), reservations=(text,)
    )
    for shown_gate in (
        Gate(gate.policy, ruling),
        Gate(gate.policy, problem=text),
        Gate(gate.policy),
        None,
    ):
        for selected in (None, text, text + "x"):
            page = policy_page(shown_gate, width=width, selected=selected)
            assert_fits([*page.header, *page.lines], width)
        assert_fits(ruling_words(shown_gate), 200)
