"""
The contract `strict-citation/1` once more, written from its text and unlike the product.

Works on plain lists and dicts with fractions and comprehensions only; shares no line, no type and
no helper with `ragtui`. A value is a Fraction, or the reason code as text when there is none.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import Any


def context(ranked: list[str], k: int) -> list[str]:
    """Return the distinct documents among the first k retrieved, in order of appearance."""
    seen: list[str] = []
    for document in ranked[:k]:
        if document not in seen:
            seen.append(document)
    return seen


def claim_is_supported(
    cited: list[str], alternatives: list[list[str]] | None, visible: list[str]
) -> bool:
    """Apply the three conditions literally."""
    if len(cited) == 0 or alternatives is None:
        return False
    labelled = {document for alternative in alternatives for document in alternative}
    every_citation_permitted = all(d in labelled and d in visible for d in cited)
    one_cited_whole = any(set(alternative).issubset(cited) for alternative in alternatives)
    return every_citation_permitted and one_cited_whole


def measures(
    *,
    relevant: list[str],
    support: dict[str, list[list[str]]],
    ranked: list[str],
    claims: list[tuple[str, list[str]]],
    k: int,
) -> dict[str, Fraction | str]:
    """Return the six measures of a question on which everything is labelled and recorded."""
    visible = context(ranked, k)
    found = [d for d in relevant if d in visible]
    good = [c for c, cited in claims if claim_is_supported(cited, support.get(c), visible)]
    answer: dict[str, Fraction | str] = {}
    if relevant:
        ranks = [position + 1 for position, d in enumerate(visible) if d in relevant]
        answer["precision"] = Fraction(len(found), k)
        answer["recall"] = Fraction(len(found), len(relevant))
        answer["rr"] = Fraction(1, min(ranks)) if ranks else Fraction(0)
        answer["coverage"] = Fraction(sum(1 for c in support if c in good), len(support))
        answer["abstention_correct"] = "answerable"
    else:
        answer.update(dict.fromkeys(("precision", "recall", "rr", "coverage"), "unanswerable"))
        answer["abstention_correct"] = Fraction(0 if claims else 1)
    answer["support"] = Fraction(len(good), len(claims)) if claims else "no-claims"
    return answer


def graded_gain(visible: list[str], gains: dict[str, int], k: int) -> float:
    """Return nDCG@k by the textbook sum."""
    ideal = sorted(gains.values(), reverse=True)
    best = sum(ideal[i] / math.log2(i + 2) for i in range(min(k, len(ideal))))
    got = sum(gains.get(d, 0) / math.log2(i + 2) for i, d in enumerate(visible[:k]))
    return got / best if best else 0.0


def sign_flip_p(deltas: list[Fraction]) -> Fraction:
    """Return the two-sided sign-flip p by writing out every assignment of signs."""
    moved = [d for d in deltas if d]
    observed = abs(sum(moved, Fraction(0)))
    patterns = list(product((1, -1), repeat=len(moved)))
    extreme = sum(
        abs(sum((s * d for s, d in zip(signs, moved, strict=True)), Fraction(0))) >= observed
        for signs in patterns
    )
    return Fraction(extreme, len(patterns))


def verdict(plus: list[Any], minus: list[Any]) -> str:
    """Return the verdict of one stage from what spoke for and against it."""
    return {
        (True, True): "mixed",
        (True, False): "improved",
        (False, True): "regressed",
        (False, False): "unchanged",
    }[bool(plus), bool(minus)]
