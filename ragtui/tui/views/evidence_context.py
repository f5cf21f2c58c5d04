"""The ranked context of A and B, the line where it ends, and what stands beyond it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ragtui.core.evidence import Side
from ragtui.tui.spans import (
    Line,
    Span,
    cut_line,
    fit_line,
    line_of,
    line_width,
    space,
    span,
    spread,
)
from ragtui.tui.views.layout import flow, section
from ragtui.tui.views.targets import document_target

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragtui.core.model import Retrieved
    from ragtui.tui.views.scene import Scene

__all__ = ["COUNTED", "context_lines", "relevance_mark"]

TAIL: Final = 10
"""Items beyond the cutoff that are shown."""
NAMED: Final = 5
"""Relevant documents named before the rest is a number."""

COUNTED: Final = "▎"
"""Stands before what the selected measure counts."""


def relevance_mark(scene: Scene, document: str) -> Span:
    """
    Return the mark of a document: ● relevant, ○ not relevant, ◌ nobody judged it.

    ⊘ closed to the caller stands before all of these, and stays where its word is cut off.
    """
    if scene.restricted(document):
        return Span("⊘", "worse")
    question = scene.detail.question
    if question.relevant is None:
        return Span("·", "faint")
    if document in question.relevant:
        return Span("●", "accent")
    if question.not_relevant is not None and document not in question.not_relevant:
        return Span("◌", "faint")
    return Span("○", "muted")


def context_lines(scene: Scene) -> list[Line]:
    """Return both rankings: the visible context, the cutoff line, the dimmed rest."""
    heads = [_head(scene, side) for side in Side]
    if scene.stacked:
        found: list[Line] = []
        for side in Side:
            found += [heads[side], *_visible(scene, side), _cutoff_line(scene), *_rest(scene, side)]
        return found
    return [
        *scene.two([heads[0]], [heads[1]]),
        *scene.two(*(_visible(scene, side) for side in Side)),
        _cutoff_line(scene),
        *scene.two(*(_rest(scene, side) for side in Side)),
    ]


def _head(scene: Scene, side: Side) -> Line:
    word = "baseline" if side is Side.BASELINE else "candidate"
    info = scene.comparison.run(side).info
    name = line_of(Span(f"{side.letter} {word}", "title"), "  ", span(info.id, "faint"))
    return cut_line(name, scene.column_width)


def _cutoff_line(scene: Scene) -> Line:
    k = scene.comparison.cutoff
    tried = " · exploratory" if scene.comparison.exploratory else ""
    title = (Span(f"context ends here · k = {k}{tried}", "attention"),)
    return section(title, scene.width, "attention")


def _items(scene: Scene, side: Side) -> tuple[Retrieved, ...] | None:
    record = scene.detail.record(side)
    return None if record is None or record.error is not None else record.retrieved


def _visible(scene: Scene, side: Side) -> list[Line]:
    """Return the visible context of one run, or why there is none."""
    items = _items(scene, side)
    if items is None:
        return flow([_no_items(scene, side)], scene.column_width, indent=1)
    k = scene.comparison.cutoff
    found = [_item(scene, side, items, rank) for rank in range(1, min(k, len(items)) + 1)]
    if not items:
        found.append((space(1), Span("nothing was retrieved", "attention")))
    elif len(items) < k:
        found.append((space(4), Span(f"no more than {len(items)} retrieved", "faint")))
    return [*found, *_delivered(scene, side)]


def _no_items(scene: Scene, side: Side) -> Span:
    record = scene.detail.record(side)
    if record is None:
        return Span("the run has no record of this question", "attention")
    if record.error is not None:
        return span(f"failed: {record.error}", "worse" if side is Side.CANDIDATE else "attention")
    return Span("retrieval was not recorded", "attention")


def _delivered(scene: Scene, side: Side) -> list[Line]:
    """Say what the answer stage really got where that is not the visible context."""
    record = scene.detail.record(side)
    visible = scene.detail.outcome(side).visible
    if record is None or record.delivered is None or tuple(record.delivered) == visible:
        return []
    given = ", ".join(record.delivered) or "nothing"
    return flow([span(f"the answer stage got: {given}", "attention")], scene.column_width, indent=1)


def _item(scene: Scene, side: Side, items: Sequence[Retrieved], rank: int) -> Line:
    """Return one retrieved item: rank, label, id, and how it moved against the other run."""
    item = items[rank - 1]
    visible = rank <= scene.comparison.cutoff
    meta = document_target(item.id)
    cited = item.id in scene.cited(side)
    repeated = any(earlier.id == item.id for earlier in items[: rank - 1])
    counted = visible and not repeated and _counts(scene, side, item.id, rank)
    tint = " cited" if cited else ""
    left = line_of(
        Span(COUNTED if counted else " ", "accent"),
        Span(f"{rank:>2} ", "muted" if visible else "faint", meta),
        relevance_mark(scene, item.id)._replace(meta=meta),
        Span(_grade(scene, item.id), "muted", meta),
        Span(" ", meta=meta),
        span(_name(item), ("strong" if visible else "faint") + tint, meta),
        *_remarks(scene, item, repeated=repeated),
    )
    move = _move(scene, side, item, rank)
    return spread(left, (*move, space(1)) if move else (), scene.column_width)


def _name(item: Retrieved) -> str:
    """Return the document and the chunk; most chunk ids begin with their document's."""
    if item.chunk is None:
        return item.id
    return item.chunk if item.chunk.startswith(item.id) else f"{item.id}#{item.chunk}"


def _grade(scene: Scene, document: str) -> str:
    """Return the grade of a document, a blank without one, nothing where none is graded."""
    grades = scene.detail.question.grades
    return "" if grades is None else str(grades.get(document, " "))


def _remarks(scene: Scene, item: Retrieved, *, repeated: bool) -> list[Span]:
    found = []
    if repeated:
        found.append(Span(" again", "faint"))
    if scene.restricted(item.id):
        found.append(Span(" restricted", "worse"))
    return found


def _counts(scene: Scene, side: Side, document: str, rank: int) -> bool:
    """Tell whether the selected measure counts a visible item."""
    key = scene.measure.key
    outcome = scene.detail.outcome(side)
    if key in {"precision", "ndcg", "judged"}:
        return True
    if key == "recall":
        return document in outcome.hits
    if key == "rr":
        items = _items(scene, side) or ()
        first = next((n for n, i in enumerate(items, 1) if i.id in outcome.hits), None)
        return rank == first
    return key == "disclosures" and document in outcome.disclosed_visible


def _rank_in(items: Sequence[Retrieved], item: Retrieved) -> int | None:
    """Return the first rank of the same item, or of its document when it is in no chunk."""
    same = ((n, other) for n, other in enumerate(items, 1) if other.id == item.id)
    return next((n for n, other in same if other.chunk == item.chunk), None)


def _move(scene: Scene, side: Side, item: Retrieved, rank: int) -> Line:
    """Say where the item stands in the other run: ↑2, ↓1, new, gone."""
    others = _items(scene, Side.CANDIDATE if side is Side.BASELINE else Side.BASELINE)
    if others is None:
        return ()
    relevant = item.id in (scene.detail.question.relevant or ())
    there = _rank_in(others, item)
    if there is None:
        return (_absent(side, relevant=relevant, visible=rank <= scene.comparison.cutoff),)
    if side is Side.BASELINE:
        out = there > scene.comparison.cutoff >= rank
        return (Span(f"→{there}", "worse" if relevant else "faint"),) if out else ()
    moved = there - rank
    if not moved:
        return ()
    role = "faint" if not relevant else ("better" if moved > 0 else "worse")
    return (Span(f"{'↑' if moved > 0 else '↓'}{abs(moved)}", role),)


def _absent(side: Side, *, relevant: bool, visible: bool) -> Span:
    if side is Side.BASELINE:
        return Span("gone", "worse" if relevant else "faint")
    if relevant:
        return Span("new", "better")
    return Span("new", "attention" if visible else "faint")


def _rest(scene: Scene, side: Side) -> list[Line]:
    """Return what was retrieved but is not visible, and what was not retrieved at all."""
    items = _items(scene, side)
    if items is None:
        return []
    k = scene.comparison.cutoff
    shown = min(len(items), k + TAIL)
    found = [_item(scene, side, items, rank) for rank in range(k + 1, shown + 1)]
    if len(items) > shown:
        found += _hidden(scene, items, shown)
    return [*found, *_not_retrieved(scene, side, items)]


def _hidden(scene: Scene, items: Sequence[Retrieved], shown: int) -> list[Line]:
    relevant = frozenset(scene.detail.question.relevant or ())
    ranks = [n for n, item in enumerate(items, 1) if n > shown and item.id in relevant]
    parts = [Span(f"and {len(items) - shown:,} more", "faint")]
    if ranks:
        named = ", ".join(map(str, ranks[:NAMED])) + (" …" if len(ranks) > NAMED else "")
        parts += [Span(" · ", "faint"), Span("● ", "accent"), Span(f"at {named}", "faint")]
    return flow(parts, scene.column_width, indent=4)


def _not_retrieved(scene: Scene, side: Side, items: Sequence[Retrieved]) -> list[Line]:
    """Name the relevant documents that the run did not retrieve at any rank."""
    got = {item.id for item in items}
    missing = [doc for doc in scene.detail.question.relevant or () if doc not in got]
    others = {item.id for item in _items(scene, Side(1 - side)) or ()}
    counted = COUNTED if scene.measure.key == "recall" else " "
    found = []
    for document in missing[:NAMED]:
        meta = document_target(document)
        lost = side is Side.CANDIDATE and document in others
        left = line_of(
            Span(counted, "accent"),
            Span(" – ", "faint", meta),
            Span("●", "faint", meta),
            Span(_grade(scene, document), "faint", meta),
            Span(" ", meta=meta),
            span(document, "faint", meta),
        )
        words = Span("not retrieved ", "worse" if lost else "faint")
        found.append(_ending(left, words, scene.column_width))
    if len(missing) > NAMED:
        rest = f"and {len(missing) - NAMED:,} relevant ones more not retrieved"
        found += flow([Span(rest, "faint")], scene.column_width, indent=4)
    return found


def _ending(left: Line, words: Span, width: int) -> Line:
    if line_width(left) + len(words.text) + 1 > width:
        return fit_line(left, width)
    return spread(left, (words,), width)
