"""The claim looked at: what it says, what would support it, what it cites, and those texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ragtui.core.change_words import alternatives_words
from ragtui.core.evidence import Side
from ragtui.tui.spans import BLANK, Line, Span, line_of, span
from ragtui.tui.views.layout import flow, labelled, prose, section
from ragtui.tui.views.targets import document_target
from ragtui.tui.views.texts import delivered_text, shown_text, texts_differ, withheld_words

if TYPE_CHECKING:
    from ragtui.core.contract import ClaimOutcome
    from ragtui.tui.views.scene import Scene

__all__ = ["cited_lines"]

EXCERPT: Final = 600
"""Characters of a cited document shown under a claim; the document view has all of it."""
MOST: Final = 6
"""Cited documents shown with their text."""


def cited_lines(scene: Scene) -> list[Line]:
    """Return what stands behind the claim looked at; nothing when there is none."""
    if scene.claim is None:
        return []
    claim = scene.claim[1]
    room = scene.width - 10
    found: list[Line] = [
        BLANK,
        section(line_of(Span("claim ", "muted"), span(claim, "strong cited")), scene.width),
    ]
    wording = scene.wording(claim)
    if wording is not None:
        found += prose(wording, scene.width)
    found += labelled("label", flow([_label(scene, claim)], room))
    for side in Side:
        if scene.claim[2] in ("", side.letter):
            found += labelled(side.letter, flow(_fate(scene, side, claim), room))
    for document in _documents(scene)[:MOST]:
        found += _document(scene, document)
    return found


def _label(scene: Scene, claim: str) -> Span:
    question = scene.detail.question
    expected, accepted = question.support or {}, question.accepted or {}
    if claim in expected:
        return span(f"expected, supported by {alternatives_words(expected[claim])}", "muted")
    if claim in accepted:
        return span(f"not expected, supported by {alternatives_words(accepted[claim])}", "muted")
    return Span("no label supports this claim", "attention")


def _fate(scene: Scene, side: Side, claim: str) -> list[Span]:
    """Say what one run made of the claim, and where what it cites stands."""
    outcome = scene.detail.outcome(side)
    if outcome.stated is None:
        return [Span("claims were not recorded", "attention")]
    cited = dict(outcome.stated).get(claim)
    if cited is None:
        return [Span("– not stated", "muted")]
    judged = next((c for c in outcome.claims or () if c.claim == claim), None)
    return [*_judgement(judged), span(_places(scene, side, cited), "muted")]


def _judgement(judged: ClaimOutcome | None) -> list[Span]:
    if judged is None:
        return [Span("? ", "attention"), Span("cannot be judged · ", "attention")]
    if judged.reason is None:
        return [Span("✓ ", "better"), Span("supported · ", "better")]
    return [Span("✗ ", "worse"), Span(f"{judged.reason.words} · ", "worse")]


def _places(scene: Scene, side: Side, cited: tuple[str, ...]) -> str:
    if not cited:
        return "cites nothing"
    return "cites " + ", ".join(f"{doc} ({_place(scene, side, doc)})" for doc in cited)


def _place(scene: Scene, side: Side, document: str) -> str:
    record = scene.detail.record(side)
    items = (record.retrieved if record else None) or ()
    rank = next((n for n, item in enumerate(items, 1) if item.id == document), None)
    if rank is None:
        return "not retrieved"
    return f"rank {rank}" if rank <= scene.comparison.cutoff else f"rank {rank}, not visible"


def _documents(scene: Scene) -> list[str]:
    cited = (doc for side in Side for doc in scene.cited(side))
    return list(dict.fromkeys(cited))


def _document(scene: Scene, document: str) -> list[Line]:
    """Return the beginning of a cited document's text, with where it comes from."""
    meta = document_target(document)
    head = [Span("▸ ", "accent", meta), span(document, "strong", meta)]
    if scene.hides(document):
        words = withheld_words(scene.detail.question.caller)
        return flow([*head, Span(" · ", "faint"), span(words, "attention")], scene.width)
    if texts_differ(scene.detail, document):
        return _two_texts(scene, document, head)
    found = shown_text(scene.comparison, scene.detail, document)
    facts = [Span(f" · {fact}", "faint") for fact in found.facts]
    lines = flow([*head, *(span(f.text, f.role) for f in facts)], scene.width)
    if found.text is None:
        return [*lines, *flow([Span("its text was not recorded", "faint")], scene.width, indent=2)]
    return [*lines, *prose(found.text, scene.width, "plain", indent=2, limit=EXCERPT)]


def _two_texts(scene: Scene, document: str, head: list[Span]) -> list[Line]:
    """Return the beginnings of both texts that A and B were given under one id."""
    words = " · A and B were given different text · Enter shows the difference"
    lines = flow([*head, Span(words, "attention")], scene.width)
    for side in Side:
        text = delivered_text(scene.detail, side, document) or ""
        body = prose(text, scene.width - 4, "plain", limit=EXCERPT)
        lines += [
            (Span(f"  {side.letter} " if row == 0 else "    ", "title"), *line)
            for row, line in enumerate(body)
        ]
    return lines
