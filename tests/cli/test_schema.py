"""`ragtui schema`: what it prints, and the documents that commands print held against theirs."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import TYPE_CHECKING, Final

import pytest
import tomli_w

from ragtui.cli.document_shapes import DOCUMENTS
from ragtui.cli.schema import command
from ragtui.files.locks import freeze
from ragtui.files.schemas import FORMATS, whole_schema
from ragtui.files.waivers import waivers_path
from tests.files.test_loading import A, B, with_repeats, write_named
from tests.gate_files import INVENTED, Pair, each, write_policy
from tests.held_out import write_held_out
from tests.json_schema import Json, faults, is_valid
from tests.written_sets import write_set

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.cli.conftest import Document, Done

SCHEMAS: Final[dict[str, Json]] = {
    name: whole_schema(name, form) for name, form in DOCUMENTS.items()
}
DESK: Final = "manifests/baseline.toml manifests/candidate.toml"
POLICY: Final = "--policy manifests/release-desk.policy.toml"
SUPPORT: Final = "manifests/support-baseline.toml manifests/support-candidate.toml"


# ---------------------------------------------------------------- the command


def test_without_a_name_every_format_is_listed_with_a_line(run: Callable[..., Done]) -> None:
    done = run("schema")
    told = dict(line.split(None, 1) for line in done.out.splitlines())
    assert (done.code, done.err) == (0, "")
    assert told == {name: form.help for name, form in {**FORMATS, **DOCUMENTS}.items()}


@pytest.mark.parametrize("name", [*FORMATS, *DOCUMENTS])
def test_the_schema_of_a_format_is_printed_as_json(name: str, run: Callable[..., Done]) -> None:
    done = run(f"schema {name}")
    assert (done.code, done.err) == (0, "")
    assert done.document["title"] == f"ragtui {name}"
    assert done.out.isascii()


def test_a_format_that_is_not_known_is_wrong_usage_and_the_nearest_one_named(
    run: Callable[..., Done],
) -> None:
    done = run("schema recrod")
    assert (done.code, done.out) == (2, "")
    assert "did you mean record?" in done.err
    assert "known here: set, corpus" in run("schema zzzzzzzz").err


def test_help_says_what_a_schema_cannot_know() -> None:
    assert "`ragtui validate` checks" in " ".join((command.help or "").split())


# ---------------------------------------------------------------- the documents


@pytest.fixture
def printed(
    run: Callable[..., Done], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> dict[str, list[Document]]:
    """Return documents of every kind, so chosen that every key stands in one of them."""
    lines = [
        "score manifests/candidate.toml --json",
        f"compare {DESK} --json {POLICY} --filter verdict:improved",
        f"compare {SUPPORT} --json",
        f"check {DESK} --json {POLICY}",
        "score nothing.toml --json",
        f"compare manifests/baseline.toml {SUPPORT.split()[0]} --json",
        f"check manifests/baseline.toml {SUPPORT.split()[0]} --json {POLICY}",
        "score --json",
    ]
    found = [run(line).document for line in lines]
    repeats, gate, held = (tmp_path / name for name in ("repeats", "gate", "held"))
    for folder in (repeats, gate, held):
        folder.mkdir()
        (folder / "ragtui.toml").touch()
    freeze(write_set(repeats))
    write_named(repeats, "a", with_repeats(A))
    write_named(repeats, "b", with_repeats(B))
    _write_waived(gate)
    write_held_out(held)
    for folder, line in (
        (repeats, "score b.toml --json"),
        (repeats, "compare a.toml b.toml --json"),
        (gate, "check a.toml b.toml --policy p.toml --json"),
        (gate, "compare a.toml b.toml --policy p.toml --json"),
        (held, "score one.toml --json"),
        (held, "compare base.toml one.toml --json --open"),
        (held, "check base.toml one.toml --json --policy ../gate/p.toml"),
    ):
        monkeypatch.chdir(folder)
        found.append(run(line).document)
    return {
        name: [each for each in found if each["schema"] == f"ragtui/{name}@1"] for name in DOCUMENTS
    }


def _write_waived(folder: Path) -> None:
    Pair(b=each(INVENTED, 1)).write(folder)
    policy = write_policy(
        folder,
        {"kind": "new_unsupported", "max": 0, "waivable": True},
        {"kind": "labels", "max_unresolved": 0, "plan": "ask again"},
    )
    waiver = {
        "rule": "r0",
        "question": "q001",
        "who": "Jo",
        "reason": "due",
        "expires": "2027-01-01",
    }
    data = {"schema": "ragtui/waivers@1", "waiver": [waiver]}
    waivers_path(policy).write_text(tomli_w.dumps(data), encoding="utf-8")


def test_what_is_printed_keeps_its_schema_and_holds_every_key_of_it(
    printed: dict[str, list[Document]],
) -> None:
    """Neither can say what the other does not."""
    for name, documents in printed.items():
        schema = SCHEMAS[name]
        assert [list(faults(document, schema)) for document in documents] == [[]] * len(documents)
        promised = set(_promised(schema, schema["$defs"]))
        held = {key for document in documents for key in _keys(document, schema, schema["$defs"])}
        assert promised - held == set(), name


def test_a_spoilt_document_breaks_its_schema(printed: dict[str, list[Document]]) -> None:
    """One more key, or another type, wherever keys are fixed."""
    for name, documents in printed.items():
        for document in documents[:2]:
            assert not is_valid({**document, "colour": "red"}, SCHEMAS[name])
            for key in document:
                other = deepcopy(document)
                other[key] = [[7]]
                assert not is_valid(other, SCHEMAS[name]), (name, key)
                if key not in {"held_out", "filter"}:
                    del other[key]
                    assert not is_valid(other, SCHEMAS[name]), (name, key)


def _promised(schema: Json, parts: dict[str, Json]) -> Iterator[tuple[str, str]]:
    """Yield each part that *schema* needs, with each of its keys."""
    for name in _reached(schema, parts, set()):
        yield from ((name, key) for key in parts[name].get("properties", ()))


def _reached(schema: Json, parts: dict[str, Json], seen: set[str]) -> set[str]:
    for text in json.dumps(schema if "$defs" not in schema else {**schema, "$defs": None}).split(
        '"'
    ):
        name = text.removeprefix("#/$defs/")
        if text.startswith("#/$defs/") and name not in seen:
            seen.add(name)
            _reached(parts[name], parts, seen)
    return seen


def _keys(
    value: Json, schema: Json, parts: dict[str, Json], of: str = ""
) -> Iterator[tuple[str, str]]:
    """Yield each part of a schema that *value* goes through, with each key it holds there."""
    root = {"$defs": parts}
    if "$ref" in schema:
        of = schema["$ref"].removeprefix("#/$defs/")
        yield from _keys(value, parts[of], parts, of)
    for each_of in schema.get("anyOf", ()):
        if not list(faults(value, each_of, root)):
            yield from _keys(value, each_of, parts, of)
    if isinstance(value, list) and isinstance(schema.get("items"), dict):
        for item in value:
            yield from _keys(item, schema["items"], parts, of)
    for key, inner in value.items() if isinstance(value, dict) else ():
        if key in schema.get("properties", ()):
            yield of, key
            yield from _keys(inner, schema["properties"][key], parts, of)
        elif isinstance(schema.get("additionalProperties"), dict):
            yield from _keys(inner, schema["additionalProperties"], parts, of)
