"""The schemas of files: they accept what people write, and refuse what their readers refuse."""

from __future__ import annotations

import json
import tomllib
from copy import deepcopy
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec
import pytest

from ragtui.core.ledger import Event
from ragtui.core.model import Unit
from ragtui.errors import InputError
from ragtui.files.corpus import load_corpus
from ragtui.files.manifests import outline_manifest
from ragtui.files.policies import read_policy
from ragtui.files.question_files import outline_questions
from ragtui.files.question_reader import QuestionReader, read_table
from ragtui.files.question_rules import QuestionRules
from ragtui.files.record_lines import FastReader
from ragtui.files.record_rules import RecordRules, read_record
from ragtui.files.schemas import FORMATS, whole_schema
from ragtui.files.set_header import outline_header
from ragtui.files.shape import Faults, Table
from ragtui.files.triage_file import read_triage
from ragtui.files.waivers import read_waivers
from tests.json_schema import Json, faults, is_valid
from tests.meta.test_documented_formats import FILES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT: Final = Path(__file__).resolve().parents[2]
STARTER: Final = ROOT / "ragtui" / "files" / "starter_files"

SCHEMAS: Final = {name: whole_schema(name, form) for name, form in FORMATS.items()}

BY_SCHEMA: Final = {
    "ragtui/set@1": "set",
    "ragtui/run@1": "run",
    "ragtui/policy@1": "policy",
    "ragtui/waivers@1": "waivers",
    "ragtui/triage@1": "triage",
}


class Sample(NamedTuple):
    """A file, or one line of one, and its format."""

    place: str
    format: str
    data: dict[str, Json]


def samples() -> Iterator[Sample]:
    """Yield everything written by hand in the project: bundled, laid out, documented."""
    paths = [
        path
        for folder in (ROOT / "fixtures", ROOT / "manifests", STARTER)
        for path in sorted(folder.rglob("*.*"))
    ]
    for path in paths:
        yield from _read(str(path.relative_to(ROOT)), path.read_bytes())
    for example in FILES:
        yield from _read(f"{example.page} {example.label}", example.body.encode())
    for number, (name, text) in enumerate(MORE):
        yield from _read(f"more {number} {name}", text.encode())


def _read(place: str, raw: bytes) -> Iterator[Sample]:
    if place.endswith(".toml"):
        data = tomllib.loads(raw.decode())
        if "schema" in data:
            yield Sample(place, BY_SCHEMA[data["schema"]], data)
        elif "question" in data:
            yield Sample(place, "questions", data)
            yield from (Sample(place, "question", entry) for entry in data["question"])
    if place.endswith(".jsonl"):
        for line in raw.splitlines():
            data = json.loads(line)
            yield Sample(place, _kind_of_line(data), data)


def _kind_of_line(data: dict[str, Json]) -> str:
    if "prev" in data:
        return "ledger"
    if "question" in data:
        return "record"
    return "corpus" if "text" in data and "relevant" not in data else "question"


MORE: Final = (
    (
        "run.toml",
        (
            'schema = "ragtui/run@1"\nid = "r"\nnote = "n"\n[set]\npath = "s.toml"\n[context]\n'
            'cutoff = 2\nunit = "chunk"\n[environment]\nhost.name = "x"\n[annotation]\n'
            'claims_by = "judge"\nby = ["j"]\nclaim_ids = "run"\nreviewed = { sample = 5, '
            'agreement = 0.9 }\noptions = { any = [1, "x"] }\n[[record]]\nquestion = "q"\n'
            "repeat = 1\n"
            'retrieved = ["a", { id = "b", chunk = "b#0", score = 1.5, text = "t", '
            'version = "v" }]\nlatency_ms = 12\n'
            'delivered = ["a"]\nextra = { a = 1 }\nclaims = [{ id = "c", text = "t", '
            'citations = ["a"] '
            '}]\n[[record]]\nquestion = "p"\nerror = "timeout"\ncost_usd = 0.5\ntokens_in = 1\n'
            "tokens_out = 2\nretries = 0\n"
        ),
    ),
    (
        "set.toml",
        (
            'schema = "ragtui/set@1"\nid = "s"\nversion = "1"\nsplit = "held-out"\nrubric = "r"\n'
            'ids = "lab"\ncontract = "strict-citation/1"\n[corpus]\nopen = true\nversion = "v"\n'
            '[questions]\npath = "q.jsonl"\n'
        ),
    ),
    (
        "questions.toml",
        (
            '[[question]]\nid = "q"\ntext = "t"\ntags = ["a"]\ncritical = true\nrelevant = ["d"]\n'
            'caller = ["public"]\ncluster = "c"\nstatus = "disputed"\ngrades = { d = 2 }\n'
            'not_relevant = ["e"]\nsupport = { c = ["d", ["d", "e"]] }\naccepted = { x = ["d"] }\n'
            'claims = { c = "said" }\n[[question.review]]\nreviewer = "r"\nrelevant = []\n'
            'support = { c = ["d"] }\nnote = "n"\n'
        ),
    ),
    (
        "policy.toml",
        'schema = "ragtui/policy@1"\nid = "p"\nwritten = 2026-02-03\nowner = "o"\n'
        f'set = "sha256:{"0" * 64}"\nconfidence = 0.9\nmax_candidates = 2\nmax_missing = 1\n'
        + "".join(
            f'[[rule]]\nid = "r{n}"\n{keys}\n'
            for n, keys in enumerate(
                (
                    'kind = "comparable"\nmax_changes = 1',
                    (
                        'kind = "each_at_least"\nmeasure = "coverage"\nmin = 1.0\n'
                        'repeats = "mean"\n'
                        'where = ["critical", "not:tag:x"]\nwaivable = true\nrequired = false'
                    ),
                    'kind = "new_unsupported"\nmax = 0',
                    (
                        'kind = "abstention"\nmin_correct = 1\nmax_new_answers = 0\n'
                        "max_over_abstained = 1"
                    ),
                    'kind = "no_disclosure"',
                    'kind = "non_inferior"\nmeasure = "recall"\nmargin = 0.05\nmin_n = 20',
                    'kind = "superior"\nmeasure = "support"\nmin_gain = 0.1',
                    'kind = "mean_at_least"\nmeasure = "support"\naverage = "pooled"\nmin = 0.5',
                    'kind = "regressions"\nseverity = "S1"\nmax = 0',
                    'kind = "labels"\nmax_unresolved = 0\nrobust = true\nplan = "ask again"',
                    'kind = "triage"\nseverity = "S2"',
                    (
                        'kind = "operations"\np95_ms = 900\np95_ratio = 1.5\n'
                        "max_failure_rate = 0.1\n"
                        "max_cost_per_question = 0.01\nmin_requests = 5"
                    ),
                    'kind = "sample"\nmin_questions = { answerable = 2, "tag:x" = 1 }',
                )
            )
        ),
    ),
    (
        "a.triage.toml",
        f'schema = "ragtui/triage@1"\nset = "{"0" * 64}"\n[[decision]]\nquestion = "q"\n'
        'choice = "accept"\nnote = "n"\nowner = "o"\nfollow_up = "f"\nwho = "w"\n'
        "when = 2026-11-20T09:30:00Z\n[decision.binding]\n"
        + "".join(f'{key} = "{"0" * 64}"\n' for key in ("question", "baseline", "candidate"))
        + 'cutoff = 2\nunit = "document"\ncontract = "strict-citation/1"\n',
    ),
    (
        "waivers.toml",
        (
            'schema = "ragtui/waivers@1"\n[[waiver]]\nrule = "r"\nquestion = "q"\nwho = "w"\n'
            'reason = "because"\nexpires = 2027-01-01\n'
        ),
    ),
    (
        "records.jsonl",
        (
            '{"question":"q","repeat":null,"retrieved":null,"answer":null,"claims":null,"extra":null}\n'
            '{"question":"q","retrieved":[{"id":"a","text":null,"version":"v"}],"extra":{"a":[1]},'
            '"claims":[{"id":"c","citations":null}],"latency_ms":1,"tokens_in":0}\n'
        ),
    ),
    (
        "ledger.jsonl",
        json.dumps(
            {"kind": "look", "seq": 0, "prev": "0", "at": "t", "set": "s", "candidate": "c"}
            | {"depth": "question", "policy": None}
        ),
    ),
    ("corpus.jsonl", '{"id":"a","text":"t","title":null,"version":"1","groups":["public"]}\n'),
)
"""What nobody has written elsewhere: every key of every format stands somewhere."""

SAMPLES: Final = list(samples())


# ---------------------------------------------------------------- what the readers say

SHAPE: Final = frozenset(
    {
        "unknown key",
        "the value has another type",
        "the key is missing",
        "the table is missing",
        "this is none of the known words",
        "this word is not known here",
        "this measure is not known",
        "this kind of rule is not known",
        "the rule has no bound",
        "the run has no records",
        "there are records here and in a file",
        "the claim has no value",
        "the document has no grade",
    }
)
"""What a reader says about keys and types, and about words of a fixed list."""

RECORD_RULES: Final = RecordRules(
    cutoff=2, unit=Unit.DOCUMENT, profile="open", question_index=lambda _: 0, is_document=None
)
QUESTION_RULES: Final = QuestionRules(profile="open", documents=None)


def _told(read: Callable[[Table], object]) -> Callable[[dict[str, Json]], set[str]]:
    """Return what a reader of tables finds wrong, as messages."""

    def run(data: dict[str, Json]) -> set[str]:
        found = Faults("x")
        try:
            read(Table(data, found))
        except InputError as error:
            return {fault.message for fault in error.faults}
        return {fault.message for fault in found.error().faults}

    return run


def _questions(data: dict[str, Json]) -> set[str]:
    read: list[object] = []
    told = _told(lambda table: read.extend(map(read_table, outline_questions(table))))(data)
    return told if told or read else {"there are no questions"}


def _corpus_line(data: dict[str, Json], folder: Path) -> set[str]:
    path = folder / "corpus.jsonl"
    path.write_text(json.dumps(data) + "\n", encoding="utf-8")
    try:
        load_corpus(path, "open")
    except InputError as error:
        return {fault.message for fault in error.faults}
    return set()


def _event(data: dict[str, Json]) -> set[str]:
    try:
        msgspec.json.decode(json.dumps(data), type=Event)
    except msgspec.ValidationError as error:
        return {"incomplete" if "needs a" in str(error) else "unknown key"}
    return set()


READERS: Final[dict[str, Callable[[dict[str, Json]], set[str]]]] = {
    "set": _told(outline_header),
    "questions": _questions,
    "question": _told(read_table),
    "run": _told(outline_manifest),
    "record": _told(read_record),
    "policy": _told(lambda table: read_policy(table, "")),
    "waivers": _told(lambda table: read_waivers(table, ())),
    "triage": _told(read_triage),
    "ledger": _event,
}


def as_json(value: Json) -> Json:
    """Return what a TOML value is to a schema: dates as text."""
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, dict):
        return {key: as_json(inner) for key, inner in value.items()}
    return [as_json(inner) for inner in value] if isinstance(value, list) else value


# ---------------------------------------------------------------- what is written is accepted


def test_every_format_has_a_sample() -> None:
    assert {sample.format for sample in SAMPLES} == set(FORMATS)


@pytest.mark.parametrize("name", FORMATS)
def test_what_is_bundled_laid_out_and_documented_keeps_its_schema(name: str) -> None:
    wrong = {
        sample.place: list(faults(as_json(sample.data), SCHEMAS[name]))
        for sample in SAMPLES
        if sample.format == name
    }
    assert {place: found for place, found in wrong.items() if found} == {}


def _keys(value: Json, at: str = "") -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield f"{at}.{key}"
            yield from _keys(inner, f"{at}.{key}")
    for inner in value if isinstance(value, list) else ():
        yield from _keys(inner, at)


def _promised(schema: Json, root: Json, at: str = "") -> Iterator[str]:
    """Yield every key that a schema names."""
    for part in (*schema.get("anyOf", ()), *schema.get("oneOf", ()), *_inner(schema, root)):
        yield from _promised(part, root, at)
    for key, inner in schema.get("properties", {}).items():
        yield f"{at}.{key}"
        if inner is not False:
            yield from _promised(inner, root, f"{at}.{key}")


def _inner(schema: Json, root: Json) -> Iterator[Json]:
    if "$ref" in schema:
        yield root["$defs"][schema["$ref"].removeprefix("#/$defs/")]
    if isinstance(schema.get("items"), dict):
        yield schema["items"]


@pytest.mark.parametrize("name", FORMATS)
def test_the_samples_hold_every_key_that_a_schema_names(name: str) -> None:
    """So that the tests below try each of them."""
    held = {key for sample in SAMPLES if sample.format == name for key in _keys(sample.data)}
    assert set(_promised(SCHEMAS[name], SCHEMAS[name])) <= held


# ---------------------------------------------------------------- what is spoilt is refused


OTHERS: Final[tuple[Json, ...]] = (
    "x",
    7,
    0.5,
    True,
    [],
    {},
    [7],
    ["x"],
    [[]],
    [{}],
    {"x": 7},
    {"x": "x"},
)


def _places(value: Json, path: tuple[Json, ...] = ()) -> Iterator[tuple[Json, ...]]:
    if path:
        yield path
    entries = value.items() if isinstance(value, dict) else ()
    for key, inner in (
        entries if isinstance(value, dict) else enumerate(value if isinstance(value, list) else ())
    ):
        yield from _places(inner, (*path, key))


def spoilt(data: dict[str, Json], *, nullable: bool) -> Iterator[tuple[str, dict[str, Json]]]:
    """Yield *data* with one more key, one key less, or one value of another type."""
    for path in [(), *_places(data)]:
        holder, last = _reach(data, path)
        value = data if last is None else holder[last]
        if isinstance(value, dict):
            more = deepcopy(data)
            _at(more, path)["colour"] = "red"
            yield f"{path} and colour", more
        if last is None:
            continue
        if isinstance(holder, dict):
            less = deepcopy(data)
            del _at(less, path[:-1])[last]
            yield f"{path} left out", less
        for other in (*OTHERS, None) if nullable else OTHERS:
            changed = deepcopy(data)
            _at(changed, path[:-1])[last] = deepcopy(other)
            yield f"{path} = {other!r}", changed


def _at(data: Json, path: tuple[Json, ...]) -> Json:
    for key in path:
        data = data[key]
    return data


def _reach(data: Json, path: tuple[Json, ...]) -> tuple[Json, Json]:
    return (data, None) if not path else (_at(data, path[:-1]), path[-1])


def _shortest(name: str, least: int = 2) -> list[Sample]:
    """Return the last samples, which hold every key, and a few of the others."""
    found = [sample for sample in SAMPLES if sample.format == name]
    more = [sample for sample in found if sample.place.startswith("more")]
    others = [sample for sample in found if not sample.place.startswith("more")]
    return [*more, *sorted(others, key=lambda sample: len(str(sample.data)))[:least]]


@pytest.mark.parametrize("name", READERS)
def test_a_schema_refuses_what_its_reader_refuses_and_nothing_else(name: str) -> None:
    """One more key, one key less, another type: both say the same of keys and types."""
    lax, strict, tried = [], [], 0
    for sample in _shortest(name):
        for what, data in spoilt(sample.data, nullable=name in {"record", "question", "ledger"}):
            tried += 1
            told = READERS[name](data)
            keeps = is_valid(as_json(data), SCHEMAS[name])
            if keeps and told & SHAPE:
                lax.append((sample.place, what, told))
            if not keeps and not told:
                strict.append((sample.place, what))
    assert (lax, strict) == ([], [])
    assert tried > 50


def test_a_corpus_line_is_refused_by_both(tmp_path: Path) -> None:
    for sample in _shortest("corpus"):
        for what, data in spoilt(sample.data, nullable=True):
            told = _corpus_line(data, tmp_path)
            assert is_valid(data, SCHEMAS["corpus"]) == (not told & SHAPE), (what, told)


@pytest.mark.parametrize("name", ["record", "question"])
def test_what_the_fast_decoders_take_keeps_the_schema(name: str) -> None:
    """They read most lines, and must not read more than the schema says."""
    fast = FastReader(RECORD_RULES)
    for sample in _shortest(name):
        for what, data in spoilt(sample.data, nullable=True):
            line = json.dumps(data).encode()
            found = Faults("x")
            if name == "record":
                taken = fast.read(line) is not None
            else:
                taken = QuestionReader(QUESTION_RULES, found).line(line, 1) is not None
            assert not taken or is_valid(data, SCHEMAS[name]), what


# ---------------------------------------------------------------- the schemas themselves


@pytest.mark.parametrize("name", FORMATS)
def test_a_schema_says_which_dialect_and_what_it_is_of(name: str) -> None:
    schema = SCHEMAS[name]
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["$id"] == f"urn:ragtui:schema:{name}"
    assert schema["description"] == FORMATS[name].help
    assert json.loads(json.dumps(schema)) == schema
