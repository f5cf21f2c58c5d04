"""
Waivers of an acceptance policy: somebody's word that one question may break one rule for a while.

They stand beside the policy, outside of its digest: granting one does not make it another policy.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Final

from ragtui.core.policy import Waiver
from ragtui.core.rules import KINDS
from ragtui.errors import Fault
from ragtui.files.limits import MAX_ID_LENGTH, MAX_TOML_BYTES
from ragtui.files.policy_keys import check_schema, unknown_word
from ragtui.files.shape import Faults, Table, describe, first_repeat
from ragtui.files.toml import load_toml

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ragtui.core.policy import Rule

__all__ = ["WAIVERS_SCHEMA", "load_waivers", "policy_path", "read_waivers", "waivers_path"]

WAIVERS_SCHEMA: Final = "ragtui/waivers@1"


def waivers_path(policy: Path) -> Path:
    """
    Return where the waivers of the policy at *policy* stand, whether there are any or not.

    >>> from pathlib import Path
    >>> str(waivers_path(Path("manifests/release.policy.toml")))
    'manifests/release.policy.waivers.toml'
    """
    return policy.with_name(f"{policy.name.removesuffix('.toml')}.waivers.toml")


def policy_path(waivers: Path) -> Path:
    """
    Return the policy that the waivers at *waivers* belong to, by their name.

    >>> from pathlib import Path
    >>> str(policy_path(Path("manifests/release.policy.waivers.toml")))
    'manifests/release.policy.toml'
    """
    return waivers.with_name(f"{waivers.name.removesuffix('.toml').removesuffix('.waivers')}.toml")


def load_waivers(path: Path, rules: Sequence[Rule]) -> tuple[Waiver, ...]:
    """
    Read the waivers at *path*, all of them of *rules*; none where nothing stands there.

    Raises InputError with everything that is wrong, such as a rule that cannot be waived.
    """
    if not _stands(path):
        return ()
    file = load_toml(path, limit=MAX_TOML_BYTES)
    faults = Faults(file.shown)
    waivers = read_waivers(Table(file.data, faults), rules)
    if again := first_repeat(f"{waiver.rule}\n{waiver.question}" for waiver in waivers):
        rule, question = again.split("\n", 1)
        faults.add(
            Fault(message="the question is waived twice", key=f"rule {rule}", question=question)
        )
    faults.raise_any()
    return tuple(waivers)


def read_waivers(table: Table, rules: Sequence[Rule]) -> list[Waiver]:
    """Read the waivers in *table*, which are of *rules*."""
    check_schema(table, WAIVERS_SCHEMA, "a file of waivers")
    waivers = [_read_waiver(entry, rules) for entry in table.tables("waiver") or ()]
    table.done()
    return waivers


def _stands(path: Path) -> bool:
    """Tell whether anything stands at *path*; what cannot be told is left to the reader."""
    try:
        path.lstat()
    except FileNotFoundError:
        return False
    except (OSError, ValueError):
        return True
    return True


def _read_waiver(table: Table, rules: Sequence[Rule]) -> Waiver:
    rule = table.need_text("rule")
    _check_waived(table, rule, rules)
    question = table.need_text("question")
    if len(question) > MAX_ID_LENGTH:
        table.fault("question", "the id is too long", expected=f"at most {MAX_ID_LENGTH}")
    who, reason = (_filled(table, key) for key in ("who", "reason"))
    expires = _expires(table)
    table.done()
    return Waiver(rule, question, who, reason, expires)


def _filled(table: Table, key: str) -> str:
    told = table.need_text(key)
    if table.data.get(key) == "" or (told and not told.strip()):
        table.fault(key, "the text is empty")
    return told


def _check_waived(table: Table, name: str, rules: Sequence[Rule]) -> None:
    rule = next((rule for rule in rules if rule.id == name), None)
    if rule is None:
        if name:
            known = [rule.id for rule in rules]
            unknown_word(table, "rule", name, known, "the policy has no such rule")
    elif not rule.waivable:
        hint = None if KINDS[rule.kind].waivable else "no rule of its kind can be"
        table.fault("rule", "this rule cannot be waived", found=describe(name), hint=hint)


def _expires(table: Table) -> str:
    expires = table.moment("expires")
    table.need("expires", hint="add the last day that it counts")
    if expires is None:
        return ""
    try:
        datetime.fromisoformat(expires.upper())
    except ValueError:
        table.fault("expires", "there is no such day or time", found=describe(expires))
    return expires
