"""
The kinds of rules that a policy may hold, one module a family.

A further kind is one more module and one more line of `KINDS`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ragtui.core.rules.comparability import COMPARABLE
from ragtui.core.rules.counts import ABSTENTION, NEW_UNSUPPORTED, NO_DISCLOSURE, REGRESSIONS
from ragtui.core.rules.floors import EACH_AT_LEAST
from ragtui.core.rules.keys import Form, Key, Kind
from ragtui.core.rules.labelling import LABELS
from ragtui.core.rules.means import MEAN_AT_LEAST, NON_INFERIOR, SUPERIOR
from ragtui.core.rules.operating import OPERATIONS
from ragtui.core.rules.sampling import SAMPLE
from ragtui.core.rules.triaged import TRIAGE

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["KINDS", "Form", "Key", "Kind"]

KINDS: Final[Mapping[str, Kind]] = {
    "comparable": COMPARABLE,
    "each_at_least": EACH_AT_LEAST,
    "new_unsupported": NEW_UNSUPPORTED,
    "abstention": ABSTENTION,
    "no_disclosure": NO_DISCLOSURE,
    "non_inferior": NON_INFERIOR,
    "superior": SUPERIOR,
    "mean_at_least": MEAN_AT_LEAST,
    "regressions": REGRESSIONS,
    "labels": LABELS,
    "triage": TRIAGE,
    "operations": OPERATIONS,
    "sample": SAMPLE,
}
"""Every kind of rule by its name in files."""
