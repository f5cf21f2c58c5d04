"""The user's own settings: `config.toml` in the user's config folder."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from platformdirs import user_config_path

from ragtui.core.triage import MAX_NAME
from ragtui.errors import Fault, InputError
from ragtui.files.toml import load_toml
from ragtui.text import nearest, quote
from ragtui.tui.keymap import keys_of_table

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["UserConfig", "config_path", "load_config"]

_LIMIT: Final = 100_000
"""Bytes of a config file."""

_KNOWN: Final = ("keys", "name")


@dataclass(frozen=True, slots=True)
class UserConfig:
    """What a user set; nothing without a file."""

    keys: Mapping[str, str] = field(default_factory=dict)
    """Own keys by action id, as Textual takes them."""
    name: str | None = None
    """Who signs decisions."""


def config_path() -> Path:
    """Return where the user's config is looked for."""
    return user_config_path("ragtui", appauthor=False) / "config.toml"


def load_config(path: Path | None = None) -> UserConfig:
    """Return the user's settings. Raises InputError with everything that is wrong with them."""
    where = config_path() if path is None else path
    if not where.exists():
        return UserConfig()
    file = load_toml(where, limit=_LIMIT)
    keymap, faults = keys_of_table(file.data.get("keys", {}))
    name = file.data.get("name")
    faults += [*_unknown(file.data), *_name_faults(name)]
    if faults:
        text = file.raw.decode("utf-8", "replace").splitlines()
        raise InputError([_placed(fault, file.shown, text) for fault in faults])
    return UserConfig(keymap, str(name).strip() if name is not None else None)


def _unknown(data: Mapping[str, object]) -> list[Fault]:
    faults = []
    for key in data:
        if key not in _KNOWN:
            near = nearest(key, _KNOWN)
            hint = f"did you mean {near}?" if near else f"known: {', '.join(_KNOWN)}"
            faults.append(Fault(message="no such setting", key=key, found=quote(key), hint=hint))
    return faults


def _name_faults(name: object) -> list[Fault]:
    if name is None or (isinstance(name, str) and 0 < len(name.strip()) <= MAX_NAME):
        return []
    expected = f"a text of 1 to {MAX_NAME} characters"
    return [Fault(message="no such name", key="name", found=quote(str(name)), expected=expected)]


def _placed(fault: Fault, shown: str, text: list[str]) -> Fault:
    word = (fault.key or "").removeprefix("keys.").strip('"')
    line = next((n for n, row in enumerate(text, 1) if word and word in row), None)
    return fault.at(file=shown, line=line)
