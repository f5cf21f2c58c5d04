"""
May two runs be compared, what was held constant between them, and what changed.

Pairing is by question id only. A and B must agree on the set (by digest: questions, labels, corpus,
permissions, contract), the cutoff and the unit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from ragtui.errors import Reason

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ragtui.core.model import RunInfo, SetInfo

__all__ = [
    "CAREFUL_FACTS",
    "HELD_CONSTANT",
    "Setting",
    "blocking_reasons",
    "changed_settings",
    "pin_reason",
    "settings_words",
    "unrecorded_facts",
]

HELD_CONSTANT: Final = ("set", "cutoff", "unit")
"""What every comparison holds constant; anything else blocks it."""

CAREFUL_FACTS: Final = {
    "code": "code",
    "prompt": "prompt",
    "generation.model": "model",
    "generation": "generation settings",
    "retrieval": "retrieval settings",
}
"""Key prefixes under `[pipeline]` that a careful run records, and what each says."""

MAX_NAMED: Final = 5
"""Question ids written out in a sentence before the rest is a count."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One configuration key that differs; `None` stands for "not recorded"."""

    key: str
    baseline: object
    candidate: object


def name_ids(ids: Sequence[str]) -> str:
    """
    Write ids out, the first few by name.

    >>> name_ids(["a1", "a2", "a3", "a4", "a5", "a6", "a7"])
    'a1, a2, a3, a4, a5 and 2 more'
    """
    named = ", ".join(ids[:MAX_NAMED])
    hidden = len(ids) - MAX_NAMED
    return f"{named} and {hidden} more" if hidden > 0 else named


def _set_reason(
    a: SetInfo, b: SetInfo, differing: Sequence[str], ids: tuple[Sequence[str], Sequence[str]]
) -> Reason:
    versions = f"{a.id} {a.version}", f"{b.id} {b.version}"
    if any(ids) and not set(ids[0]) & set(ids[1]):
        shown = [", ".join(list(side)[:2]) for side in ids]
        sentence = f"no question in common: {shown[0]}, … against {shown[1]}, …"
        return Reason(
            what="questions", baseline=versions[0], candidate=versions[1], sentence=sentence
        )
    if not differing:
        sentence = f"the sets differ outside the questions: {versions[0]} against {versions[1]}"
    else:
        noun = "question differs" if len(differing) == 1 else "questions differ"
        between = (
            f"between {a.version} and {b.version}"
            if a.version != b.version
            else f"between two copies of {a.version}"
        )
        sentence = f"{len(differing)} {noun} {between}: {name_ids(sorted(differing))}"
    return Reason(
        what="set",
        baseline=versions[0],
        candidate=versions[1],
        sentence=sentence,
        questions=tuple(sorted(differing)),
    )


def blocking_reasons(
    sets: tuple[SetInfo, SetInfo],
    runs: tuple[RunInfo, RunInfo],
    *,
    differing: Sequence[str] = (),
    ids: tuple[Sequence[str], Sequence[str]] = ((), ()),
) -> tuple[Reason, ...]:
    """
    Return every reason why A and B may not be compared; empty when they may.

    *differing* are the ids of questions that are not the same in both sets; *ids* are all ids of
    each set, looked at only when the sets differ.
    """
    a, b = runs
    reasons = []
    if sets[0].sha256 != sets[1].sha256:
        reasons.append(_set_reason(*sets, differing, ids))
    if a.cutoff != b.cutoff:
        reasons.append(
            Reason(
                what="cutoff",
                baseline=str(a.cutoff),
                candidate=str(b.cutoff),
                sentence=f"k {a.cutoff} against {b.cutoff}",
            )
        )
    if a.unit != b.unit:
        reasons.append(
            Reason(
                what="unit",
                baseline=a.unit.value,
                candidate=b.unit.value,
                sentence=f"unit {a.unit.value} against {b.unit.value}",
            )
        )
    return tuple(reasons)


def pin_reason(
    name: str,
    *,
    pinned_version: str | None,
    pinned_digest: str | None,
    found: SetInfo,
    differing: Sequence[str],
) -> Reason:
    """
    Say that the run *name* was measured on another set than the one at its path.

    *differing* are the questions that changed between the two, as far as an older lock tells.
    """
    pinned = f"{found.id} {pinned_version or '(version not recorded)'}"
    if differing:
        noun = "question differs" if len(differing) == 1 else "questions differ"
        detail = (
            f"{len(differing)} {noun} between {pinned_version or 'then'}"
            f" and {found.version}: {name_ids(sorted(differing))}"
        )
    elif pinned_digest is not None:
        detail = "no lock of that digest stands beside the set, so the questions are not known"
    else:
        detail = "the manifest names another version"
    return Reason(
        what="set",
        baseline=f"{pinned}{f' sha256 {pinned_digest}' if pinned_digest else ''}",
        candidate=f"{found.id} {found.version} sha256 {found.sha256}",
        sentence=(
            f"{name} was measured on {pinned}, the set at its path is {found.version}: {detail}"
        ),
        questions=tuple(sorted(differing)),
    )


def changed_settings(
    baseline: Mapping[str, object], candidate: Mapping[str, object]
) -> tuple[Setting, ...]:
    """
    Return the keys that differ between two flattened tables, by key.

    >>> changed_settings({"retrieval.top_k": 10}, {"retrieval.top_k": 20})
    (Setting(key='retrieval.top_k', baseline=10, candidate=20),)
    """
    keys = sorted({*baseline, *candidate})
    pairs = ((key, baseline.get(key), candidate.get(key)) for key in keys)
    return tuple(Setting(key, a, b) for key, a, b in pairs if a != b or type(a) is not type(b))


def settings_words(baseline: Mapping[str, object], candidate: Mapping[str, object]) -> str:
    """
    Say what the settings that differ between two flattened tables mean for the reader.

    A run that recorded no setting at all neither repeats nor changes anything that is known.

    >>> settings_words({"retrieval.top_k": 10}, {"retrieval.top_k": 20})
    '1 controlled change'
    >>> settings_words({}, {})
    'no settings were recorded: what changed is not known'
    """
    if not baseline and not candidate:
        return "no settings were recorded: what changed is not known"
    if not baseline or not candidate:
        only = "A" if baseline else "B"
        return f"settings were recorded in {only} only: what changed is not known"
    n = len(changed_settings(baseline, candidate))
    if n == 0:
        return "a repetition: no setting changed"
    if n == 1:
        return "1 controlled change"
    return f"{n} settings changed together: a difference cannot be put down to one of them"


def _fact(key: str) -> str | None:
    """Return the fact a pipeline key records: the longest of its prefixes that is one."""
    parts = key.split(".")
    prefixes = (".".join(parts[:n]) for n in range(len(parts), 0, -1))
    return next((prefix for prefix in prefixes if prefix in CAREFUL_FACTS), None)


def unrecorded_facts(run: RunInfo, *, answers: bool, delivered_texts: bool) -> tuple[str, ...]:
    """Return what a careful run would have recorded and this one did not."""
    said = {_fact(key) for key in run.pipeline}
    missing = [words for fact, words in CAREFUL_FACTS.items() if fact not in said]
    if not answers:
        missing.append("answer text")
    if not delivered_texts:
        missing.append("delivered text")
    return tuple(missing)
