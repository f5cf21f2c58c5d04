"""
What a reader of tables asks for, as JSON Schema: a reader is run over an `Outline` once.

So the schema of a format is what its reader reads, and cannot say anything else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias, TypeVar

from ragtui.files.limits import MAX_INTEGER
from ragtui.files.shape import RFC3339, Faults, Table

if TYPE_CHECKING:
    from collections.abc import Mapping
    from enum import StrEnum

    _Choice = TypeVar("_Choice", bound=StrEnum)

__all__ = ["Outline", "Schema"]

Schema: TypeAlias = dict[str, object]

_TEXT: Final[Mapping[str, object]] = {"type": "string"}
_PROBES: Final[Mapping[str, object]] = {
    "string": "",
    "object": {},
    "array": [],
    "boolean": False,
    "number": 0.5,
    "integer": 0,
    "null": None,
}
"""One value of each type: what a reader refuses among the elements of a list is not allowed."""


class Outline(Table):
    """
    A table that notes which keys are asked for, and of which type, and hands out next to nothing.

    >>> table = Outline()
    >>> _ = table.need_text("id"), table.flag("critical"), table.done()
    >>> table.schema()["required"], sorted(table.schema()["properties"])
    (['id'], ['critical', 'id'])
    """

    def __init__(
        self,
        given: Mapping[str, object] | None = None,
        *,
        nullable: bool = False,
        path: str = "",
    ) -> None:
        """Hand out the texts in *given*; *nullable*: null says the same as an absent key."""
        super().__init__(given or {}, Faults(""), path=path)
        self._nullable = nullable
        self._properties: dict[str, Schema] = {}
        self._required: list[str] = []
        self._closed = False
        self._inner: dict[str, Outline] = {}
        self._elements: dict[str, dict[str, Schema | Outline]] = {}

    def schema(self) -> Schema:
        """Return what was asked for as the JSON Schema of an object."""
        found: Schema = {
            "type": "object",
            "properties": {key: self._property(key) for key in self._properties},
        }
        if self._required:
            found["required"] = list(self._required)
        if self._closed:
            found["additionalProperties"] = False
        return found

    def _property(self, key: str) -> Schema:
        found = dict(self._properties[key])
        if key in self._inner:
            inner = self._inner[key].schema()
            found = {**found, "items": inner} if found["type"] == "array" else inner
        elif key in self._elements:
            found["items"] = {"anyOf": [_written(each) for each in self._elements[key].values()]}
        if not self._nullable or key in self._required:
            return found
        if set(found) == {"type"} or "pattern" in found or "minimum" in found:
            return {**found, "type": [found["type"], "null"]}
        return {"anyOf": [found, {"type": "null"}]}

    def _note(self, key: str, schema: Mapping[str, object]) -> None:
        self._properties[key] = dict(schema)

    # ------------------------------------------------------------ what a reader calls

    def fault_at(
        self,
        path: str,
        message: str,
        *,
        found: str | None = None,
        expected: str | None = None,
        hint: str | None = None,
    ) -> None:
        """Note that an element of a list is refused; there is nothing else to find fault with."""
        del message, found, expected, hint
        for elements in self._elements.values():
            elements.pop(path, None)

    def need(
        self, key: str, message: str = "the key is missing", *, hint: str | None = "add it"
    ) -> None:
        """Note that *key* must be there."""
        del message, hint
        if key not in self._required:
            self._required.append(key)

    def has(self, key: str) -> bool:
        """Say that *key* is there."""
        del key
        return True

    def text(self, key: str) -> str | None:
        """Note a text; a given one is the only one."""
        value = self.data.get(key)
        self._note(key, _TEXT if value is None else {"const": value})
        return value if isinstance(value, str) else None

    def whole(self, key: str, *, least: int, most: int = MAX_INTEGER) -> None:
        """Note a whole number."""
        self._note(key, {"type": "integer", "minimum": least, "maximum": most})

    def number(self, key: str, *, least: float | None = None) -> None:
        """Note a number."""
        self._note(key, {"type": "number", **({} if least is None else {"minimum": least})})

    def flag(self, key: str) -> None:
        """Note true or false."""
        self._note(key, {"type": "boolean"})

    def choice(self, key: str, options: type[_Choice]) -> None:
        """Note one of several words."""
        self._note(key, {"enum": [option.value for option in options]})

    def moment(self, key: str) -> None:
        """Note a date or time, which JSON has as text only."""
        self._note(key, {"type": "string", "pattern": f"^(?:{RFC3339.pattern})$"})

    def texts(self, key: str) -> None:
        """Note a list of texts."""
        self._note(key, {"type": "array", "items": dict(_TEXT)})

    def items(self, key: str) -> list[tuple[str, object]]:
        """Note a list; its elements are of every type that the reader does not refuse."""
        self._note(key, {"type": "array"})
        paths = {name: f"{self.path_of(key)}[{name}]" for name in _PROBES}
        self._elements[key] = {path: {"type": name} for name, path in paths.items()}
        return [(paths[name], probe) for name, probe in _PROBES.items()]

    def table(self, key: str) -> Outline:
        """Note a table, and hand out an outline of it."""
        self._note(key, {"type": "object"})
        self._inner[key] = self._below(self.path_of(key))
        return self._inner[key]

    def tables(self, key: str) -> list[Table] | None:
        """Note a list of tables, and hand out an outline of one."""
        self._note(key, {"type": "array"})
        self._inner[key] = self._below(self.path_of(key))
        return [self._inner[key]]

    def inner(self, path: str, data: Mapping[str, object]) -> Outline:
        """Hand out an outline of a table that is an element of a list."""
        del data
        outline = self._below(path)
        for elements in self._elements.values():
            if path in elements:
                elements[path] = outline
        return outline

    def _below(self, path: str) -> Outline:
        return Outline(nullable=self._nullable, path=path)

    def free(self, key: str) -> dict[str, object]:
        """Note a table with any keys."""
        self._note(key, {"type": "object"})
        return {}

    def entries(self) -> list[tuple[str, object]]:
        """Hand out nothing of a table whose keys are free."""
        return []

    def done(self) -> None:
        """Note that there are no other keys."""
        self._closed = True


def _written(element: Schema | Outline) -> Schema:
    return element.schema() if isinstance(element, Outline) else element
