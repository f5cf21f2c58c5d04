"""
Acceptance policies.

::

    release.policy.toml             the policy: its digest is what a ledger records
    release.policy.waivers.toml     waivers, outside of that digest
"""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Final, TypeVar

from ragtui.core.policy import Policy, Rule
from ragtui.core.rules import KINDS
from ragtui.files.limits import MAX_TOML_BYTES
from ragtui.files.policy_keys import (
    check_schema,
    read_keys,
    read_number,
    read_where,
    unknown_word,
)
from ragtui.files.shape import Faults, Table, describe, first_repeat
from ragtui.files.toml import load_toml
from ragtui.files.waivers import load_waivers, waivers_path

if TYPE_CHECKING:
    from pathlib import Path

    from ragtui.core.rules import Kind

__all__ = ["POLICY_SCHEMA", "load_policy", "read_policy", "read_rule"]

POLICY_SCHEMA: Final = "ragtui/policy@1"

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,127}")
_DIGEST: Final = re.compile(r"(?:sha256:)?([0-9a-f]{64})")
_LEAST_CONFIDENCE: Final = Fraction(1, 2)
_NEVER_WAIVED: Final = frozenset({"comparable", "no_disclosure"})

T = TypeVar("T")


def load_policy(path: Path) -> Policy:
    """
    Read the policy at *path* and the waivers beside it.

    Raises InputError with everything that is wrong: no required rule, unknown kinds, keys,
    measures and terms with the nearest known word.
    """
    file = load_toml(path, limit=MAX_TOML_BYTES)
    faults = Faults(file.shown)
    table = Table(file.data, faults)
    policy = read_policy(table, file.sha256)
    faults.raise_any()
    return replace(policy, waivers=load_waivers(waivers_path(path), policy.rules))


# ---------------------------------------------------------------- the policy


def read_policy(table: Table, sha256: str) -> Policy:
    """Read the policy in *table*, whose file has the digest *sha256*, without waivers."""
    check_schema(table, POLICY_SCHEMA, "a policy")
    rules = [read_rule(entry) for entry in table.tables("rule") or ()]
    if again := first_repeat(rule.id for rule in rules if rule is not None and rule.id):
        table.fault("rule", "two rules have the same id", found=describe(again))
    found = tuple(rule for rule in rules if rule is not None)
    if len(found) == len(rules) and not any(rule.required for rule in found):
        table.fault(
            "rule",
            "the policy has no required rule, so anything would pass",
            hint="add a [[rule]], or take required = false from one",
        )
    defaults = Policy(id="", rules=(), sha256="")
    policy = Policy(
        id=_name(table, "id"),
        rules=found,
        sha256=sha256,
        written=table.moment("written"),
        owner=table.text("owner"),
        set_sha256=_digest(table, "set"),
        confidence=read_number(
            table, "confidence", defaults.confidence, least=_LEAST_CONFIDENCE, below=Fraction(1)
        ),
        max_candidates=_or(table.whole("max_candidates", least=1), defaults.max_candidates),
        max_missing=_or(table.whole("max_missing", least=0), defaults.max_missing),
    )
    table.done()
    return policy


def _or(value: T | None, default: T) -> T:
    return default if value is None else value


def _name(table: Table, key: str) -> str:
    name = table.need_text(key)
    if name and (not _NAME.fullmatch(name) or ".." in name):
        table.fault(
            key,
            "this is no name",
            found=describe(name),
            expected="a letter or digit, then letters, digits and . _ + -, at most 128, no ..",
        )
    return name


def _digest(table: Table, key: str) -> str | None:
    told = table.text(key)
    if told is None:
        return None
    found = _DIGEST.fullmatch(told)
    if found is None:
        table.fault(
            key, "this is no digest", found=describe(told), expected="sha256: and 64 digits 0-9a-f"
        )
        return None
    return found[1]


# ---------------------------------------------------------------- one rule


def read_rule(table: Table) -> Rule | None:
    """Read a rule; `None` when its kind is not known, which leaves its keys unread."""
    name = _name(table, "id")
    kind = _kind(table)
    if kind is None:
        return None
    required = _or(table.flag("required"), True)  # noqa: FBT003 - the default of a flag
    waivable = _waivable(table, kind[0], kind[1])
    where = read_where(table) if kind[1].has_where else ()
    keys = read_keys(table, kind[1])
    table.done()
    return Rule(id=name, kind=kind[0], where=where, keys=keys, required=required, waivable=waivable)


def _kind(table: Table) -> tuple[str, Kind] | None:
    word = table.need_text("kind")
    if word in KINDS:
        return word, KINDS[word]
    if word:
        unknown_word(table, "kind", word, KINDS, "this kind of rule is not known")
    return None


def _waivable(table: Table, name: str, kind: Kind) -> bool:
    waivable = _or(table.flag("waivable"), False)  # noqa: FBT003 - the default of a flag
    if waivable and not kind.waivable:
        never = name in _NEVER_WAIVED
        table.fault(
            "waivable",
            f"{'nobody can waive' if never else 'no question can be waived from'} a rule"
            f" of the kind {name}",
            hint="leave the key out, or make the rule advisory with required = false",
        )
    return waivable and kind.waivable
