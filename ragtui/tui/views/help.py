"""The help sheet: every key, every sign, the filter language, and what the numbers do not say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ragtui.core.query import KEYS
from ragtui.text import cell_width, fit
from ragtui.tui.actions import ACTIONS, Group, Scope, shown_key
from ragtui.tui.spans import BLANK, Line, Span, span, wrapped

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ragtui.core.measures import Measure
    from ragtui.tui.actions import Action

__all__ = ["help_lines"]

_KEY_WIDTH: Final = 16

_SIGNS: Final = (
    ("▼", "worse", "regressed"),
    ("◆", "mixed", "mixed: something better, something worse"),
    ("▲", "better", "improved"),
    ("=", "same", "the same"),
    ("∅", "attention", "not comparable: one side failed or is missing"),
    ("▽ ◇ △", "plain", "the same verdicts, resting on retrieval alone"),
    (
        "S0 … S4",
        "worse",
        "how bad: S0 restricted text disclosed, S1 a critical answer lost, S4 rank",
    ),
    ("!", "attention", "a critical question"),
    ("?", "attention", "label open: the verdict depends on whose disputed labels are right"),
    ("~", "attention", "a difference whose repeats in A and B overlap"),
    ("≈", "attention", "an id that mixes letters which look alike"),
    ("·", "faint", "a difference of exactly zero"),
    ("±swap", "mixed", "an equal score that hides one thing gained and another lost"),
    ("+1✗", "worse", "an equal support that hides a new unsupported claim"),
    ("n/a", "attention", "no value, with its reason in the evidence; never 0, never in a mean"),
    ("0.50→n/a", "attention", "had a value in A and has none in B"),
    ("● ○", "plain", "a relevant document, another document"),
    ("⊘", "worse", "a document that the question's caller may not read"),
    ("✓ ✗", "plain", "supported or covered, and not"),
    ("✓ ✗ ? !", "plain", "a rule or a policy: pass, fail, inconclusive, invalid"),
    ("○", "attention", "under triage: a change that needs a decision"),
    ("a b i d", "plain", "under triage, where it is narrow: accept, block, investigate, dispute"),
    ("≠", "attention", "a stale decision: what it was about is another now, so it does not count"),
    ("…", "attention", "a decision that is not on disk yet, so it does not count"),
    ("■", "accent", "selected, to be decided together with others"),
)

_LIMITS: Final = (
    "Scores come from annotated claim ids; no text was judged by this program.",
    "A is the baseline, B the candidate; a difference is B minus A, where both have a value.",
    "An interval speaks of other questions like these, if the set is a fair sample of them.",
    "It says nothing about errors in the labels.",
    "Not measured: clarity, usefulness, and whether the labels themselves are true.",
)

_FILTER: Final = (
    ("word", "in the id or the question, in any case"),
    ("key:value", ", ".join(KEYS)),
    ("a. b. delta.", "a measure of A, of B, or B minus A, with < <= = >= >"),
    ("-term", "not that"),
    ("example", "tag:lookup -verdict:improved delta.support<0"),
)


def help_lines(
    width: int, *, measures: tuple[Measure, ...], cutoff: int, keymap: Mapping[str, str]
) -> list[Line]:
    """Return the whole sheet in *width* cells; *keymap* holds the user's own keys."""
    lines: list[Line] = []
    for group in Group:
        lines += _section(group.value)
        for action in ACTIONS:
            if action.group is group:
                lines += _entry(_keys(action, keymap), "key", _told(action), width)
    lines += _section("Signs")
    for sign, role, words in _SIGNS:
        lines += _entry(sign, role, words, width)
    lines += _section("Measures")
    for measure in measures:
        lines += _entry(measure.written(cutoff), "strong", measure.definition, width)
    lines += _section("Filter: every term must hold")
    for term, words in _FILTER:
        lines += _entry(term, "strong", words, width)
    lines += _section("What the numbers say, and what they do not")
    for sentence in _LIMITS:
        lines += wrapped(sentence, width, indent=2)
    return lines[1:]


def _section(title: str) -> list[Line]:
    return [BLANK, (Span(title, "title"),)]


def _told(action: Action) -> str:
    places = [scope for scope in action.scopes if scope not in {Scope.ANYWHERE, Scope.MAIN}]
    only = len(action.scopes) == len(places) == 1
    return f"{action.help} ({places[0].value})" if only else action.help


def _keys(action: Action, keymap: Mapping[str, str]) -> str:
    keys = keymap[action.id].split(",") if action.id in keymap else action.keys
    return " ".join(shown_key(key) for key in keys)


def _entry(head: str, role: str, words: str, width: int) -> list[Line]:
    """Return a term and its explanation in a column of its own."""
    lead = Span(f"  {fit(head, max(_KEY_WIDTH, cell_width(head)))} ", role)
    body = wrapped(words, max(10, width - cell_width(lead.text)))
    blank = Span(" " * cell_width(lead.text))
    return [((lead if row == 0 else blank), *line) for row, line in enumerate(body)] or [
        (lead, span(words))
    ]
