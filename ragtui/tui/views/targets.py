"""What the cursor of a pane can stand on, and what is passed on when it is chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from ragtui.tui.spans import Meta

__all__ = [
    "ABSENCE",
    "CLAIM",
    "DOCUMENT",
    "MEASURE",
    "RULE",
    "SLICE",
    "absence_target",
    "claim_target",
    "document_target",
    "measure_target",
    "rule_target",
    "slice_target",
]

CLAIM: Final = "claim"
DOCUMENT: Final = "document"
MEASURE: Final = "measure"
SLICE: Final = "slice"
ABSENCE: Final = "absence"
RULE: Final = "rule"


def claim_target(claim: str, side: str = "") -> Meta:
    """Return a claim; *side* is `A` or `B` where ids of the two runs mean different claims."""
    return (CLAIM, claim, side)


def document_target(document: str) -> Meta:
    """Return a document, wherever it stands in either ranking."""
    return (DOCUMENT, document)


def measure_target(key: str) -> Meta:
    """Return a measure."""
    return (MEASURE, key)


def slice_target(name: str) -> Meta:
    """Return a slice by its name."""
    return (SLICE, name)


def absence_target(key: str, code: str) -> Meta:
    """Return the questions on which a measure has no value, for one reason."""
    return (ABSENCE, key, code)


def rule_target(rule: str) -> Meta:
    """Return a rule of the policy by its id."""
    return (RULE, rule)
