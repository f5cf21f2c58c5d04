"""
The user's own keys: the `[keys]` table of `config.toml` in the user's config folder.

::

    [keys]
    "change.next" = "n, f3"

Textual takes unknown actions and impossible keys without a word, and drops a key that clashes; so
everything is checked here first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from textual.keys import REPLACED_KEYS, Keys

from ragtui.errors import Fault
from ragtui.text import nearest, quote
from ragtui.tui.actions import ACTIONS, Scope

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ragtui.tui.actions import Action

__all__ = ["check_keys", "keys_of_table"]

_NAMED: Final = {key.value for key in Keys} | set(REPLACED_KEYS.values())
_MODIFIERS: Final = ("ctrl+", "alt+", "shift+", "super+", "meta+", "hyper+")

_OVERLAPPING: Final = {
    Scope.ANYWHERE: frozenset(
        {Scope.ANYWHERE, Scope.MAIN, Scope.TABLE, Scope.LINES, Scope.DOCUMENT, Scope.SHEET}
    ),
    Scope.MAIN: frozenset({Scope.ANYWHERE, Scope.MAIN, Scope.TABLE, Scope.LINES}),
    Scope.TABLE: frozenset({Scope.ANYWHERE, Scope.MAIN, Scope.TABLE}),
    Scope.LINES: frozenset({Scope.ANYWHERE, Scope.MAIN, Scope.LINES}),
    Scope.DOCUMENT: frozenset({Scope.ANYWHERE, Scope.DOCUMENT}),
    Scope.SHEET: frozenset({Scope.ANYWHERE, Scope.SHEET}),
    Scope.FILTER: frozenset({Scope.FILTER}),
    Scope.EDITOR: frozenset({Scope.EDITOR, Scope.CHOICE}),
    Scope.EXPORT: frozenset({Scope.EXPORT, Scope.CHOICE}),
    Scope.CHOICE: frozenset({Scope.EDITOR, Scope.EXPORT, Scope.CHOICE}),
}
"""Scopes that are active together with a scope."""


def keys_of_table(table: object) -> tuple[dict[str, str], list[Fault]]:
    """Return the keys of what stands under `keys`, and everything that is wrong with it."""
    if not isinstance(table, dict):
        return {}, [Fault(message="keys must be a table", key="keys")]
    return check_keys(table)


def check_keys(table: Mapping[str, object]) -> tuple[dict[str, str], list[Fault]]:
    """
    Return the keys of *table* as Textual takes them, and everything that is wrong with it.

    >>> check_keys({"filter.edit": "f, /"})[0]
    {'filter.edit': 'f,slash'}
    >>> check_keys({"filter.edti": "f"})[1][0].hint
    'did you mean filter.edit?'
    """
    known = {action.id: action for action in ACTIONS}
    keymap: dict[str, str] = {}
    faults: list[Fault] = []
    for name, value in table.items():
        key = f'keys."{name}"'
        if name not in known:
            near = nearest(name, known)
            hint = f"did you mean {near}?" if near else None
            faults.append(Fault(message="no such action", key=key, found=quote(name), hint=hint))
            continue
        keys = [_written(part) for part in value.split(",")] if isinstance(value, str) else []
        wrong = next((part for part in keys if not _is_key(part)), None)
        if not keys or wrong is not None:
            faults.append(
                Fault(
                    message="no such key",
                    key=key,
                    found=quote(str(value)),
                    expected="one or more keys such as n, ctrl+n or f3, with commas between",
                )
            )
            continue
        keymap[name] = ",".join(keys)
    return keymap, faults or _clashes(keymap)


def _written(key: str) -> str:
    """Return a key as Textual names it; a sign such as `/` may be written as itself."""
    shown = key.strip() or ("space" if " " in key else "")
    return _SIGNS.get(shown, shown)


_SIGNS: Final = {
    "/": "slash",
    "(": "left_parenthesis",
    ")": "right_parenthesis",
    "?": "question_mark",
    "!": "exclamation_mark",
    ".": "full_stop",
    "-": "minus",
    "+": "plus",
    "#": "number_sign",
    ";": "semicolon",
    ":": "colon",
}


def _is_key(key: str) -> bool:
    bare = key
    for modifier in _MODIFIERS:
        bare = bare.removeprefix(modifier)
    if len(bare) == 1:
        return bare.isprintable() and bare != " "
    return bare in _NAMED or bare in _SIGNS.values()


def _keys_of(action: Action, keymap: Mapping[str, str]) -> Iterable[str]:
    return keymap[action.id].split(",") if action.id in keymap else action.keys


def _active_together(one: Action, other: Action) -> bool:
    return any(_OVERLAPPING[scope].intersection(other.scopes) for scope in one.scopes)


def _clashes(keymap: Mapping[str, str]) -> list[Fault]:
    """Find keys that would mean two things in one place; each pair is named once."""
    faults = []
    for position, one in enumerate(ACTIONS):
        for other in ACTIONS[position + 1 :]:
            if not {one.id, other.id} & keymap.keys() or not _active_together(one, other):
                continue
            shared = set(_keys_of(one, keymap)).intersection(_keys_of(other, keymap))
            if shared:
                mapped, left = (one, other) if one.id in keymap else (other, one)
                faults.append(
                    Fault(
                        message=f"the key is taken by {left.id}",
                        key=f'keys."{mapped.id}"',
                        found=", ".join(sorted(shared)),
                        hint=f"give {left.id} another key as well",
                    )
                )
    return faults
