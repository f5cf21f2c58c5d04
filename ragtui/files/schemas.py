"""
The JSON Schemas (draft 2020-12) of the files that ragtui reads.

They are made from what reads the files: the typed decoders of JSON lines, the readers of tables run
over an `Outline`, and the keys that kinds of rules declare. TOML is checked as the JSON it says,
dates as text. A schema knows keys and types; ids, digests and what other files say it cannot know.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from ragtui.core.change import Severity
from ragtui.core.ledger import Event
from ragtui.core.measures import MEASURES
from ragtui.core.measures import Form as MeasureForm
from ragtui.core.model import CONTRACT
from ragtui.core.rules import KINDS, Form
from ragtui.files.corpus import WrittenDocument
from ragtui.files.ids import PROFILES
from ragtui.files.manifests import RUN_SCHEMA, outline_manifest
from ragtui.files.outline import Outline
from ragtui.files.policies import POLICY_SCHEMA, read_policy, read_rule
from ragtui.files.question_files import outline_questions
from ragtui.files.questions import RawQuestion
from ragtui.files.record_rules import read_record
from ragtui.files.set_header import SET_SCHEMA, outline_header
from ragtui.files.triage_file import TRIAGE_SCHEMA, read_triage
from ragtui.files.waivers import WAIVERS_SCHEMA, read_waivers

if TYPE_CHECKING:
    from collections.abc import Callable

    from ragtui.core.rules import Key, Kind
    from ragtui.files.outline import Schema

__all__ = ["DIALECT", "FORMATS", "Format", "whole_schema"]

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"

_DEFINED: Final = "#/$defs/{name}"


class Format(NamedTuple):
    """A format that has a schema."""

    help: str
    """What it is, in one line."""
    make: Callable[[], Schema]


def whole_schema(name: str, form: Format) -> Schema:
    """Return the schema of the format called *name* with what it says of itself."""
    head: Schema = {
        "$schema": DIALECT,
        "$id": f"urn:ragtui:schema:{name}",
        "title": f"ragtui {name}",
        "description": form.help,
    }
    return {**head, **form.make()}


# ---------------------------------------------------------------- lines of JSON


def _corpus() -> Schema:
    return msgspec.json.schema(WrittenDocument, ref_template=_DEFINED)


def _question() -> Schema:
    return msgspec.json.schema(RawQuestion, ref_template=_DEFINED)


def _ledger() -> Schema:
    return msgspec.json.schema(Event, ref_template=_DEFINED)


def _record() -> Schema:
    table = Outline(nullable=True)
    read_record(table)
    return table.schema()


# ---------------------------------------------------------------- tables


def _questions() -> Schema:
    table = Outline()
    outline_questions(table)
    question = _question()
    entries = {"type": "array", "minItems": 1, "items": {"$ref": question["$ref"]}}
    return {
        **_with(table.schema(), question=entries),
        "required": ["question"],
        "$defs": question["$defs"],
    }


def _set() -> Schema:
    table = Outline({"schema": SET_SCHEMA, "contract": CONTRACT})
    outline_header(table)
    table.need("schema")
    schema = _with(table.schema(), ids={"enum": list(PROFILES)})
    corpus = _properties(schema)["corpus"]
    assert isinstance(corpus, dict)  # noqa: S101 - a table of the reader
    del corpus["required"]
    is_open: Schema = {"required": ["open"], "properties": {"open": {"const": True}, "path": False}}
    corpus["anyOf"] = [{"required": ["path"]}, is_open]
    return schema


def _run() -> Schema:
    table = Outline({"schema": RUN_SCHEMA})
    outline_manifest(table)
    either: list[Schema] = [{"required": ["records"]}, {"required": ["record"]}]
    return {**table.schema(), "oneOf": either}


def _waivers() -> Schema:
    table = Outline({"schema": WAIVERS_SCHEMA})
    read_waivers(table, ())
    return table.schema()


def _triage() -> Schema:
    table = Outline({"schema": TRIAGE_SCHEMA})
    read_triage(table)
    return table.schema()


# ---------------------------------------------------------------- policies


def _policy() -> Schema:
    table = Outline({"schema": POLICY_SCHEMA})
    read_policy(table, "")
    rules = [_rule(name, kind) for name, kind in KINDS.items()]
    rule: Schema = {"type": "array", "minItems": 1, "items": {"anyOf": rules}}
    schema = _with(table.schema(), rule=rule)
    return {**schema, "required": [*_required(schema), "rule"]}


def _rule(name: str, kind: Kind) -> Schema:
    """Return the rules of one kind: what its reader asks for, and the keys that it declares."""
    table = Outline({"kind": name})
    read_rule(table)
    for key in kind.keys:
        if key.required:
            table.need(key.name)
    schema = _with(table.schema(), **{key.name: _key(key) for key in kind.keys})
    if not kind.waivable:
        schema = _with(schema, waivable={"const": False})
    if kind.any_of:
        schema["anyOf"] = [{"required": [key]} for key in kind.any_of]
    return {"title": name, **schema}


def _key(key: Key) -> Schema:
    """Return what may stand behind a key of a rule."""
    bounds: Schema = {"minimum": _short(float(key.least))}
    if key.most is not None:
        bounds["maximum"] = _short(float(key.most))
    if key.form is Form.COUNT:
        return {"type": "integer", "minimum": int(key.least)}
    if key.form is Form.NUMBER:
        return {"type": "number", **bounds}
    if key.form is Form.COUNT_OR_SHARE:
        return {"type": "number", "minimum": 0}
    if key.form is Form.COUNTS:
        counts: Schema = {"type": "integer", "minimum": 1}
        return {"type": "object", "minProperties": 1, "additionalProperties": counts}
    if key.form is Form.FLAG:
        return {"type": "boolean"}
    words = _words(key)
    return {"type": "string"} if words is None else {"enum": words}


def _words(key: Key) -> list[str] | None:
    """Return the words that may stand behind a key; `None`: any text."""
    if key.form is Form.MEASURE:
        return [measure.key for measure in MEASURES if measure.form is not MeasureForm.COUNT]
    if key.form is Form.SEVERITY:
        return [level.name for level in Severity]
    return list(key.words) if key.form is Form.WORD else None


def _short(number: float) -> float | int:
    return int(number) if number.is_integer() else number


# ---------------------------------------------------------------- inside


def _properties(schema: Schema) -> dict[str, Schema]:
    found = schema["properties"]
    assert isinstance(found, dict)  # noqa: S101 - as an outline makes it
    return found


def _required(schema: Schema) -> list[str]:
    found = schema.get("required", [])
    assert isinstance(found, list)  # noqa: S101 - as above
    return found


def _with(schema: Schema, **changed: Schema) -> Schema:
    """Return *schema* with other *changed* properties."""
    return {**schema, "properties": {**_properties(schema), **changed}}


FORMATS: Final = {
    "set": Format("set.toml: what a question set is and where its files lie", _set),
    "corpus": Format("one line of a corpus: a document", _corpus),
    "questions": Format("questions as TOML: the whole file", _questions),
    "question": Format("one question: a [[question]] table, or a line of JSONL", _question),
    "run": Format("a run manifest", _run),
    "record": Format("one record: a line of JSONL, or a [[record]] table of a manifest", _record),
    "policy": Format("an acceptance policy", _policy),
    "waivers": Format("the waivers beside a policy", _waivers),
    "triage": Format("decisions about two runs", _triage),
    "ledger": Format("one event: a line of the ledger beside a held-out set", _ledger),
}
"""What ragtui reads, by name."""
