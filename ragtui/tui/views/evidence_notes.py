"""The selected measure in numbers, the cause in words, the answers, and what they took."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ragtui.core.change import Flag, Verdict
from ragtui.core.change_words import FLAG_WORDS
from ragtui.core.evidence import Side
from ragtui.core.value import NotAvailable, Score
from ragtui.tui.spans import Line, Span, cut_line, line_of, span
from ragtui.tui.views.figures import CHANGE_ROLE
from ragtui.tui.views.layout import LABEL_WIDTH, flow, flow_items, labelled, prose
from ragtui.tui.views.texts import WITHHELD_ANSWER

if TYPE_CHECKING:
    from collections.abc import Callable

    from ragtui.core.explain import Derivation, MeasureExplanation
    from ragtui.core.model import Record
    from ragtui.tui.views.scene import Scene

MOST_ROWS: Final = 3
"""Lines of the derivation of one run's score."""

__all__ = ["answer_lines", "cause_lines", "measure_lines", "operation_lines"]


def measure_lines(scene: Scene) -> list[Line]:
    """Return A, B and the difference of the selected measure, and how each came about."""
    found = next(m for m in scene.explanation.measures if m.line.measure.key == scene.measure.key)
    role = f"{CHANGE_ROLE[found.line.change]} bold"
    items: list[Line] = [
        (Span("A ", "muted"), Span(found.line.a, "strong")),
        (Span("B ", "muted"), Span(found.line.b, "strong")),
        (Span("Δ ", "muted"), Span(found.line.moved, role)),
    ]
    room = scene.width - LABEL_WIDTH
    rows = flow_items(items, room)
    for letters, derivation in _derivations(found):
        if scene.measure.key in _LISTED and isinstance(derivation.value, Score):
            continue
        tint = "attention" if isinstance(derivation.value, NotAvailable) else "muted"
        told = flow([Span(f"{letters} ", "faint"), span(derivation.words, tint)], room)
        rows += _shortened(told, room)
    if scene.measure.key in _LISTED:
        words = f"{scene.measure.numerator} / {scene.measure.denominator}"
        rows += flow([Span(words, "faint")], room)
    return labelled(found.line.written, rows, role="accent bold")


_LISTED: Final = {"support", "coverage"}
"""Measures whose every claim is listed with its reason further down."""


def _shortened(rows: list[Line], room: int) -> list[Line]:
    """Keep long lists of ids from pushing the evidence off the screen."""
    if len(rows) <= MOST_ROWS:
        return rows
    last = rows[MOST_ROWS - 1]
    return [*rows[: MOST_ROWS - 1], cut_line((*last, Span(" …", "muted")), room)]


def _derivations(found: MeasureExplanation) -> list[tuple[str, Derivation]]:
    if found.baseline == found.candidate:
        return [("A B", found.baseline)]
    return [("A", found.baseline), ("B", found.candidate)]


def cause_lines(scene: Scene) -> list[Line]:
    """Return what got worse and better, how bad it is, and why, in words."""
    told = scene.explanation
    room = scene.width - LABEL_WIDTH
    found: list[Line] = []
    if told.verdict is Verdict.NOT_COMPARABLE:
        found += labelled("∅ verdict", flow([span(told.sentence, "attention")], room))
    if told.worse:
        label = "▼ worse" if told.severity is None else f"▼ {told.severity.name}"
        why = f" · {told.severity_words}" if told.severity_words else ""
        parts = [span("; ".join(told.worse)), span(why, "muted")]
        found += labelled(label, flow(parts, room), role="worse")
    elif told.severity is not None:
        words = flow([span(told.severity_words or "")], room)
        found += labelled(f"▼ {told.severity.name}", words, role="worse")
    if told.better:
        words = flow([span("; ".join(told.better))], room)
        found += labelled("▲ better", words, role="better")
    for position, often in enumerate(told.frequencies):
        found += labelled("often" if position == 0 else "", flow([span(often)], room))
    for position, (_, cause) in enumerate(told.causes):
        found += labelled("cause" if position == 0 else "", flow([span(cause)], room))
    for flag in told.flags:
        if scene.detail.dispute is not None and flag.startswith(FLAG_WORDS[Flag.LABEL_OPEN]):
            continue  # told with its verdicts and ranges
        found += labelled("note", flow([span(flag, "attention")], room))
    return found


def answer_lines(scene: Scene) -> list[Line]:
    """Return the recorded answers in full, side by side."""
    texts = [_answer(scene.detail.record(side)) for side in Side]
    hidden = any(scene.hides_answer(side) for side in Side)
    if texts[0] is not None and texts[0] == texts[1] and not hidden:
        return [_title("answer, the same in A and B"), *prose(texts[0], scene.width)]
    columns = []
    for side, text in zip(Side, texts, strict=True):
        if text is None:
            body: list[Line] = [(Span("not recorded", "faint"),)]
        elif scene.hides_answer(side):
            body = flow([Span(WITHHELD_ANSWER, "attention")], scene.column_width)
        else:
            body = prose(text, scene.column_width)
        columns.append([_title(f"answer {side.letter}"), *body])
    return scene.two(*columns)


def _title(words: str) -> Line:
    return (Span(words, "muted"),)


def _answer(record: Record | None) -> str | None:
    return None if record is None else record.answer


def operation_lines(scene: Scene) -> list[Line]:
    """Return latency, cost, tokens and retries of both runs, as far as they were recorded."""
    items = [
        item
        for name, read, write in _OPERATIONS
        if (item := _operation(scene, name, read, write)) is not None
    ]
    rows = flow_items(items, scene.width - LABEL_WIDTH)
    return labelled("took", rows) if rows else []


_OPERATIONS: tuple[tuple[str, Callable[[Record], float | None], Callable[[float], str]], ...] = (
    ("", lambda r: r.latency_ms, lambda n: f"{n:,.0f} ms"),
    ("", lambda r: r.cost_usd, lambda n: f"${n:.4f}"),
    ("tokens in", lambda r: r.tokens_in, lambda n: f"{n:,.0f}"),
    ("out", lambda r: r.tokens_out, lambda n: f"{n:,.0f}"),
    ("retries", lambda r: r.retries, lambda n: f"{n:,.0f}"),
)


def _operation(
    scene: Scene,
    name: str,
    read: Callable[[Record], float | None],
    write: Callable[[float], str],
) -> Line | None:
    records = [scene.detail.record(side) for side in Side]
    values = [None if record is None else read(record) for record in records]
    if values == [None, None]:
        return None
    a, b = ("?" if value is None else write(value) for value in values)
    shown = a if a == b else f"{a} → {b}"
    return line_of(Span(f"{name} " if name else "", "faint"), Span(shown, "muted"))
