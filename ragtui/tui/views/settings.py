"""What was held constant between A and B, and what differs in how they were made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragtui.core.dispute_words import agreement_words, marginal_words
from ragtui.core.evidence import Side
from ragtui.core.pairing import unrecorded_facts
from ragtui.tui.spans import BLANK, Line, Span, line_of, span
from ragtui.tui.views.layout import (
    LABEL_WIDTH,
    Column,
    Page,
    flow,
    flow_items,
    labelled,
    prose,
    table,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragtui.core.comparison import Comparison
    from ragtui.core.pairing import Setting

__all__ = ["settings_page"]

DIGEST = 12
"""Characters of a digest that are shown."""


def settings_page(comparison: Comparison, *, width: int, notices: Sequence[str] = ()) -> Page:
    """
    Return what held, the settings that differ key by key, and what nobody recorded.

    *notices* are to be known besides those of the comparison.
    """
    room = max(1, width - LABEL_WIDTH)
    lines = [
        *_notices((*notices, *comparison.notices), room),
        *labelled("held", flow_items(_held(comparison), room)),
        *_pipeline(comparison, width),
        *_others("claims by", comparison.annotation, width, "the same in both", "attention"),
        *_others("machine", comparison.environment, width, "the same in both", "muted"),
        *_unrecorded(comparison, room),
        *_reviewers(comparison, room),
        BLANK,
        *_runs(comparison, room),
    ]
    return Page(lines).cut(width)


def _notices(notices: Sequence[str], room: int) -> list[Line]:
    """Return what a reader must know first, whole."""
    lines = [line for notice in notices for line in prose(notice, room, "attention")]
    return [*labelled("notice", lines), BLANK] if lines else []


def _held(comparison: Comparison) -> list[Line]:
    info = comparison.set_info
    lock = "frozen" if info.frozen else "not frozen"
    found = [
        _holds(f"set {info.id} {info.version}, labels, corpus, permissions"),
        _holds(f"contract {info.contract}"),
        _holds(f"k = {comparison.cutoff}"),
        _holds(f"unit {comparison.baseline.info.unit.value}"),
    ]
    found.append(_holds(lock) if info.frozen else (Span(f"✗ {lock}", "attention"),))
    loose = [side.letter for side in Side if not comparison.run(side).info.pinned]
    return found + [
        (Span(f"✗ {letter} names no digest of the set", "attention"),) for letter in loose
    ]


def _holds(words: str) -> Line:
    return (Span("✓ ", "better"), span(words, "plain"))


def _pipeline(comparison: Comparison, width: int) -> list[Line]:
    """Return how many settings changed, and each of them."""
    role = "strong" if comparison.controlled or not comparison.settings else "attention"
    words = flow([Span(comparison.settings_words, role)], max(1, width - LABEL_WIDTH))
    return [BLANK, *labelled("pipeline", words), *_table(comparison.settings, width)]


def _table(settings: Sequence[Setting], width: int) -> list[Line]:
    if not settings:
        return []
    most = max(8, (width - 8) // 3)
    lines = table(
        [
            Column(
                (Span("key", "header"),),
                [line_of(Span("  "), span(s.key, "plain")) for s in settings],
                most=most + 6,
            ),
            Column((Span("A", "header"),), [_value(s.baseline) for s in settings], most=most),
            Column((Span("B", "header"),), [_value(s.candidate) for s in settings], most=most),
        ],
        width,
    )
    long = [s for s in settings if max(len(str(s.baseline)), len(str(s.candidate))) > most]
    return [*lines, *(line for s in long for line in _whole(s, width))]


def _value(value: object) -> Line:
    if value is None:
        return (Span("not recorded", "attention"),)
    return (span(_written(value), "strong"),)


def _written(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _whole(setting: Setting, width: int) -> list[Line]:
    """Return a setting too long for the table, unabridged."""
    lines = [line_of(Span("  "), span(setting.key, "muted"))]
    for side, value in zip(Side, (setting.baseline, setting.candidate), strict=True):
        lines += flow([Span(f"{side.letter} ", "title"), span(_written(value))], width, indent=4)
    return lines


def _others(name: str, settings: Sequence[Setting], width: int, same: str, role: str) -> list[Line]:
    """Return what differs outside the pipeline: shown, not compared."""
    if not settings:
        return labelled(name, [(Span(same, "muted"),)])
    words = "differs" + (
        ": shown, not compared" if role == "muted" else ": take the scores with care"
    )
    return [
        *labelled(name, flow([Span(words, role)], max(1, width - LABEL_WIDTH))),
        *_table(settings, width),
    ]


def _unrecorded(comparison: Comparison, room: int) -> list[Line]:
    lines: list[Line] = []
    for side in Side:
        run = comparison.run(side)
        missing = unrecorded_facts(
            run.info,
            answers=run.recorded.answers > 0,
            delivered_texts=run.recorded.delivered_texts > 0,
        )
        if missing:
            words = f"not recorded: {', '.join(missing)}"
            lines += labelled(f"{side.letter} lacks", flow([Span(words, "attention")], room))
    return lines


def _reviewers(comparison: Comparison, room: int) -> list[Line]:
    """Return how far the reviewers of the labels agree, where two judged the same."""
    lines: list[Line] = []
    for found in comparison.agreements:
        parts = [span(agreement_words(found)), span(f"; {marginal_words(found)}", "muted")]
        lines += flow(parts, room)
    return labelled("labels", lines) if lines else []


def _runs(comparison: Comparison, room: int) -> list[Line]:
    """Return what each run says of itself."""
    lines: list[Line] = []
    for side in Side:
        run = comparison.run(side)
        info, requests, recorded = run.info, run.info.requests, run.recorded
        parts = [info.id, f"created {info.created or 'not recorded'}"]
        if info.note:
            parts.append(info.note)
        parts.append(f"{recorded.records:,} records, {recorded.failed:,} failed")
        if requests.sent is not None:
            parts.append(
                f"requests {requests.sent:,} sent, {requests.retried or 0:,} retried, "
                f"{requests.failed or 0:,} failed"
            )
        if recorded.other_versions:
            parts.append(f"{recorded.other_versions:,} delivered items of another version")
        if recorded.folded:
            parts.append(f"{recorded.folded:,} visible chunks of a document already visible")
        by = info.annotation
        if by.claims_by != "import":
            parts.append(f"claims by {by.claims_by or 'not recorded'} {', '.join(by.by)}".rstrip())
        parts += [f"{key} {value}" for key, value in by.details.items()]
        parts.append(f"records sha256 {info.records_sha256[:DIGEST] or 'not known'}")
        word = "baseline" if side is Side.BASELINE else "candidate"
        body = flow([span(f"{word} · " + " · ".join(parts), "muted")], room)
        lines += labelled(side.letter, body, role="title")
    digest = (comparison.set_info.sha256 or "not known")[:DIGEST]
    return [*lines, *labelled("set", [(span(f"sha256 {digest}", "muted"),)])]
