"""The question, its labels, and who disagrees with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragtui.core.change_words import verdict_words
from ragtui.core.dispute_words import endings_words, open_words, range_lines, review_words
from ragtui.core.evidence import Side
from ragtui.core.explain import repeat_number
from ragtui.core.figures import VERDICT_GLYPH
from ragtui.core.model import PUBLIC, Status
from ragtui.tui.spans import BLANK, Line, Span, line_of, span
from ragtui.tui.views.figures import VERDICT_ROLE
from ragtui.tui.views.layout import LABEL_WIDTH, flow, flow_items, labelled, prose

if TYPE_CHECKING:
    from ragtui.core.dispute_words import RangeLine
    from ragtui.core.model import Question
    from ragtui.tui.views.scene import Scene

__all__ = ["dispute_lines", "head_lines", "repeat_lines", "title_line"]


def title_line(scene: Scene) -> Line:
    """Return the title of the pane: verdict, id, severity."""
    change = scene.detail.change
    role = VERDICT_ROLE[change.verdict]
    dispute = scene.detail.dispute
    words = [verdict_words(change.verdict)]
    if change.severity is not None:
        words.insert(0, change.severity.name)
    if dispute is not None and dispute.is_open:
        words.append("· label open")
    return line_of(
        Span(f"{VERDICT_GLYPH[change.verdict]} ", role),
        span(scene.detail.question.id, "title"),
        Span(" · ", "muted"),
        Span(" ".join(words), role),
    )


def head_lines(scene: Scene) -> list[Line]:
    """Return the wording of the question, its labels in short, and its disputes."""
    question = scene.detail.question
    wording = question.text if question.text is not None else "its wording was not recorded"
    role = "strong" if question.text is not None else "faint"
    return [
        *prose(wording, scene.width, role),
        *flow_items(_dotted(_labels(question)), scene.width, gap=0),
        *_reviews(scene),
    ]


def _dotted(items: list[Span]) -> list[Line]:
    """Put a dot between items so that they can be laid out one by one."""
    last = len(items) - 1
    return [
        (item, Span(" · ", "faint")) if position < last else (item,)
        for position, item in enumerate(items)
    ]


def _labels(question: Question) -> list[Span]:
    found = [span(tag, "muted") for tag in question.tags]
    if question.critical:
        found.append(Span("critical", "attention bold"))
    if question.caller != (PUBLIC,):
        found.append(span(f"caller {', '.join(question.caller)}", "muted"))
    found.append(_relevant(question))
    agreed = question.status is Status.AGREED
    found.append(Span(f"labels {question.status.value}", "muted" if agreed else "attention"))
    return found


def _relevant(question: Question) -> Span:
    if question.relevant is None:
        return Span("relevance not labelled", "attention")
    if not question.relevant:
        return Span("no document is relevant", "muted")
    n = len(question.relevant)
    return Span(f"{n} relevant document{'' if n == 1 else 's'}", "muted")


def _reviews(scene: Scene) -> list[Line]:
    """Return every judgement beside the main labels, where the reviewers do not agree."""
    question = scene.detail.question
    if question.status is Status.AGREED:
        return []
    room = max(1, scene.width - LABEL_WIDTH)
    found: list[Line] = []
    for review in question.reviews:
        found += labelled("review", flow([span(review_words(review), "muted")], room))
    return found


def dispute_lines(scene: Scene) -> list[Line]:
    """Return how a disputed question ends under whose labels, and the measures they move."""
    dispute = scene.detail.dispute
    if dispute is None:
        return []
    room = max(1, scene.width - LABEL_WIDTH)
    rows = flow([Span(open_words(dispute), "attention bold")], room) if dispute.is_open else []
    rows += flow([span(endings_words(dispute), "plain" if dispute.is_open else "muted")], room)
    for found in range_lines(dispute, scene.comparison.measures, scene.comparison.cutoff):
        if found.depends:
            rows += flow_items(_range_items(found), room)
    return labelled("labels", rows, role="attention" if dispute.is_open else "muted")


def repeat_lines(scene: Scene) -> list[Line]:
    """Return which of several repeats is shown of each run; nothing where there is one record."""
    detail = scene.detail
    if detail.whole is None or detail.position is None:
        return []
    parts = []
    for side in Side:
        outcome = detail.whole.outcome(side)
        n = len(detail.whole.records[side])
        if detail.position < n:
            number = repeat_number(outcome, detail.position)
            parts.append(f"{side.letter} repeat {number}, {detail.position + 1} of {n}")
        else:
            parts.append(f"{side.letter} has {n}")
    items = [(Span(part, "strong"),) for part in parts]
    rows = flow_items(items, max(1, scene.width - LABEL_WIDTH))
    return [BLANK, *labelled("shown", rows, role="attention")]


def _range_items(found: RangeLine) -> list[Line]:
    return [
        (Span(found.written, "muted"),),
        (Span("A ", "muted"), Span(found.a, "strong")),
        (Span("B ", "muted"), Span(found.b, "strong")),
        (Span("Δ ", "muted"), Span(found.moved, "strong")),
    ]
