"""What A and B state, what they cite for it, why a claim is unsupported, and what is expected."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragtui.core.contract import ClaimOutcome
from ragtui.core.evidence import Side
from ragtui.tui.spans import BLANK, Line, Span, cut_line, line_of, space, span
from ragtui.tui.views.evidence_context import COUNTED
from ragtui.tui.views.layout import LABEL_WIDTH, flow, flow_items, labelled

if TYPE_CHECKING:
    from ragtui.core.contract import Outcome
    from ragtui.tui.views.scene import Scene

__all__ = ["claim_lines", "expected_lines", "expected_mark"]


def claim_lines(scene: Scene) -> list[Line]:
    """Return the generated claims of both runs; the same claim stands on the same line."""
    heads = [[_head(scene, side)] for side in Side]
    if scene.stacked:
        found: list[Line] = []
        for side in Side:
            found += heads[side]
            for claim in _stated(scene, side):
                found += _claim(scene, side, claim)
        return found
    found = scene.two(*heads)
    for row in _rows(scene):
        found += scene.two(*(_claim(scene, side, row[side]) for side in Side))
    return found


def _head(scene: Scene, side: Side) -> Line:
    outcome = scene.detail.outcome(side)
    if outcome.stated is None:
        words = Span("claims were not recorded", "attention")
    elif not outcome.stated:
        words = Span("no claim made: abstained", "attention")
    elif outcome.claims is None:
        words = Span(f"claims {len(outcome.stated)} · cannot be judged", "attention")
    else:
        counts = outcome.counts
        words = Span(f"claims {counts.claims} · supported {counts.supported}", "muted")
    letter = f"{side.letter} " if scene.stacked else ""
    counted = scene.measure.key == "abstention_correct"
    mark = Span(COUNTED if counted else " ", "accent")
    return cut_line(line_of(mark, Span(letter, "title"), words), scene.column_width)


def _stated(scene: Scene, side: Side) -> list[ClaimOutcome | str]:
    """Return the claims of one run as judged, or their ids where they cannot be judged."""
    outcome = scene.detail.outcome(side)
    if outcome.claims is not None:
        return list(outcome.claims)
    return [claim for claim, _ in outcome.stated or ()]


def _id_of(claim: ClaimOutcome | str) -> str:
    return claim if isinstance(claim, str) else claim.claim


def _rows(scene: Scene) -> list[tuple[ClaimOutcome | str | None, ClaimOutcome | str | None]]:
    a, b = (_stated(scene, side) for side in Side)
    if not scene.comparison.scorer.claims_match:
        height = max(len(a), len(b))
        return [
            (a[row] if row < len(a) else None, b[row] if row < len(b) else None)
            for row in range(height)
        ]
    in_b = {_id_of(claim): claim for claim in b}
    in_a = {_id_of(claim) for claim in a}
    only_b = [claim for claim in b if _id_of(claim) not in in_a]
    return [
        *((claim, in_b.get(_id_of(claim))) for claim in a),
        *((None, claim) for claim in only_b),
    ]


def _claim(scene: Scene, side: Side, claim: ClaimOutcome | str | None) -> list[Line]:
    """Return one claim of one run: supported or not, its id, what it cites, and why not."""
    if claim is None:
        return []
    meta = scene.claim_target(side, _id_of(claim))
    looked_at = " cited" if meta == scene.claim else ""
    mark = Span(COUNTED if scene.measure.key == "support" else " ", "accent")
    cited = dict(scene.detail.outcome(side).stated or ()).get(_id_of(claim), ())
    citations = f"[{', '.join(cited)}]" if cited else "[no citation]"
    row = flow(
        [
            _support_glyph(claim)._replace(meta=meta),
            Span(" ", meta=meta),
            span(_id_of(claim), "strong" + looked_at, meta),
            Span("  ", meta=meta),
            span(citations, "muted" + looked_at, meta),
        ],
        scene.column_width - 1,
    )
    lines = [(mark, *row[0]), *((space(3), *line) for line in _narrower(row[1:], scene))]
    return [*lines, *_why(scene, side, claim)]


def _narrower(rows: list[Line], scene: Scene) -> list[Line]:
    return [cut_line(row, scene.column_width - 3) for row in rows]


def _support_glyph(claim: ClaimOutcome | str) -> Span:
    if isinstance(claim, str):
        return Span("?", "attention")
    return Span("✓", "better") if claim.supported else Span("✗", "worse")


def _why(scene: Scene, side: Side, claim: ClaimOutcome | str) -> list[Line]:
    """Return the reason of an unsupported claim; a run's own sentences show their wording too."""
    found: list[Line] = []
    if not scene.comparison.scorer.claims_match:
        record = scene.detail.record(side)
        texts = {c.id: c.text for c in (record.claims if record else None) or ()}
        wording = texts.get(_id_of(claim))
        if wording and not scene.hides_answer(side):
            found += [cut_line(line_of(space(3), span(wording, "faint")), scene.column_width)]
    if isinstance(claim, ClaimOutcome) and claim.reason is not None:
        found += flow([Span(claim.reason.words, "worse")], scene.column_width, indent=3)
    return found


def expected_mark(outcome: Outcome, claim: str) -> Span:
    """Return whether a run states an expected claim with support: ✓, ✗ without, – not at all."""
    if outcome.stated is None:
        return Span("?", "attention")
    if claim in outcome.supported:
        return Span("✓", "better")
    if claim not in dict(outcome.stated):
        return Span("–", "worse")
    return Span("?", "attention") if outcome.claims is None else Span("✗", "worse")


def expected_lines(scene: Scene) -> list[Line]:
    """Return every expected claim with what each run made of it."""
    expected = list(scene.detail.question.support or ())
    if not expected:
        return []
    room = scene.width - LABEL_WIDTH
    if scene.measure.key == "coverage":
        rows = [line for claim in expected for line in _expected_row(scene, claim, room)]
    else:
        rows = flow_items([_expected_item(scene, claim) for claim in expected], room)
    return [BLANK, *labelled("expected", rows)]


def _expected_item(scene: Scene, claim: str) -> Line:
    meta = scene.claim_target(Side.BASELINE, claim)
    parts = [span(claim, "strong", meta)]
    for side in Side:
        parts.append(Span(f" {side.letter} ", "muted", meta))
        parts.append(expected_mark(scene.detail.outcome(side), claim)._replace(meta=meta))
    return tuple(parts)


_MARK_WORDS = {
    "✓": "stated and supported",
    "✗": "stated, not supported",
    "–": "not stated",
    "?": "cannot be judged",
}


def _expected_row(scene: Scene, claim: str, width: int) -> list[Line]:
    """Return one expected claim in full, for the measure that counts them."""
    parts = [Span(COUNTED, "accent"), *_expected_item(scene, claim)]
    a, b = (expected_mark(scene.detail.outcome(side), claim).text for side in Side)
    words = _MARK_WORDS[a] if a == b else f"A {_MARK_WORDS[a]} · B {_MARK_WORDS[b]}"
    return flow([*parts, Span("  "), Span(words, "muted")], width)
