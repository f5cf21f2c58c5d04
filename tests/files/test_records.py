"""Records are streamed fast, checked as if read slowly, and found again by their offsets."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from ragtui.core.model import Claim, Record, Retrieved, Unit
from ragtui.errors import InputError
from ragtui.files.ids import check_id
from ragtui.files.json_lines import parse_object
from ragtui.files.record_lines import FastReader
from ragtui.files.record_rules import RecordRules, check_record, read_record
from ragtui.files.records import RecordsFile
from ragtui.files.shape import Faults, Table

if TYPE_CHECKING:
    from pathlib import Path

    from ragtui.files.ids import Profile

DOCUMENTS = {"a", "b", "c", "d:1", "e f"}
QUESTIONS = {"q": 0, "r": 1, "s": 2}


def rules(
    *,
    cutoff: int = 2,
    unit: Unit = Unit.DOCUMENT,
    profile: Profile = "open",
    open_corpus: bool = False,
) -> RecordRules:
    """Return rules over three questions and, as far as the profile allows them, five documents."""
    documents = {name for name in DOCUMENTS if check_id(name, profile) is None}
    return RecordRules(
        cutoff=cutoff,
        unit=unit,
        profile=profile,
        question_index=QUESTIONS.get,
        is_document=None if open_corpus else documents.__contains__,
    )


def write(folder: Path, *lines: object) -> RecordsFile:
    """Write *lines*, objects as JSON and bytes as they are, and return the file."""
    raw = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines]
    path = folder / "run.jsonl"
    path.write_bytes(b"".join(line + b"\n" for line in raw))
    return RecordsFile(path, "run.jsonl")


def faults(records: RecordsFile, under: RecordRules) -> list[str]:
    """Return all messages the records are refused with."""
    with pytest.raises(InputError) as caught:
        list(records.stream(under))
    assert caught.value.exit_code == 3
    return [str(fault) for fault in caught.value.faults]


def lean(record: Record) -> Record:
    """Return *record* without its texts, written independently of the code."""
    return Record(
        question=record.question,
        repeat=record.repeat,
        retrieved=None
        if record.retrieved is None
        else tuple(Retrieved(i.id, i.chunk, i.version, None, i.score) for i in record.retrieved),
        delivered=record.delivered,
        claims=None
        if record.claims is None
        else tuple(Claim(c.id, c.citations) for c in record.claims),
        latency_ms=record.latency_ms,
        cost_usd=record.cost_usd,
        tokens_in=record.tokens_in,
        tokens_out=record.tokens_out,
        retries=record.retries,
        error=record.error,
    )


TEXT = st.text(st.characters(codec="utf-8"), max_size=6) | st.text('\\":,{} nul', max_size=6)
ID = st.sampled_from(["a", "b", "c", "d:1", "e f", "x", "", " a", "a\u200b", "ß", "a" * 513])
GOOD = st.sampled_from(sorted(DOCUMENTS))
NAME = GOOD | GOOD | GOOD | ID
ITEM = NAME | st.fixed_dictionaries(
    {"id": NAME},
    optional={
        "chunk": NAME | st.none(),
        "version": TEXT | st.none(),
        "text": TEXT | st.none(),
        "score": st.floats(allow_nan=False, allow_infinity=False) | st.integers(-9, 9) | st.none(),
    },
)
CLAIM = st.fixed_dictionaries(
    {"id": NAME},
    optional={"citations": st.lists(NAME, max_size=3) | st.none(), "text": TEXT | st.none()},
)
COUNT = st.integers(-1, 5) | st.none() | st.just(2**63)
AMOUNT = st.floats(-1, 9) | st.none() | st.integers(0, 9)
RECORD = st.fixed_dictionaries(
    {"question": st.sampled_from(["q", "r", "s", "s", "no", ""])},
    optional={
        "repeat": COUNT,
        "retrieved": st.lists(ITEM, max_size=4) | st.none(),
        "delivered": st.lists(NAME, max_size=3) | st.none(),
        "answer": TEXT | st.none(),
        "claims": st.lists(CLAIM, max_size=3) | st.none(),
        "latency_ms": AMOUNT,
        "cost_usd": AMOUNT,
        "tokens_in": COUNT,
        "tokens_out": COUNT,
        "retries": COUNT,
        "error": TEXT | st.none(),
        "extra": st.dictionaries(TEXT, TEXT | st.lists(st.integers(), max_size=2), max_size=2),
    },
)
RULES = st.builds(
    rules,
    cutoff=st.integers(1, 3),
    unit=st.sampled_from(Unit),
    profile=st.sampled_from(["open", "open", "lab"]),
    open_corpus=st.booleans(),
)


def exact(line: bytes, under: RecordRules) -> Record | None:
    """Read *line* the slow way; `None` when anything is wrong with it."""
    found = Faults("x")
    try:
        record = read_record(Table(parse_object(line, file="x"), found))
    except InputError:
        return None
    if not found:
        found.add(*check_record(record, under))
    return None if found else record


@given(data=RECORD, under=RULES, ascii_only=st.booleans(), compact=st.booleans())
@settings(max_examples=400)
def test_what_the_fast_reader_vouches_for_is_what_the_exact_one_reads(
    data: dict[str, Any], under: RecordRules, *, ascii_only: bool, compact: bool
) -> None:
    """It never returns a record that breaks a rule, nor a different one."""
    separators = (",", ":") if compact else None
    line = json.dumps(data, ensure_ascii=ascii_only, separators=separators).encode()
    slow = exact(line, under)
    fast = FastReader(under).read(line)
    if fast is not None:
        assert slow is not None
        assert fast == lean(slow)


@given(line=st.binary(max_size=60))
@example(b'{"question": "q", "retrieved": [{"id": "a", "text": "\xff"}]}')
@example(b'{"question": "q", "retrieved": [{"id": "a", "text": "\\ud800"}]}')
@example(b'{"question": "q", "retrieved": [{"id": "a", "text": 5}]}')
@example(b'{"question": "q", "retrieved": [{"id": "a", "text": {"text": "x"}}]}')
@example(b'{"question": "q", "retrieved": [{"id": "a", "text": "x", "text": "y"}]}')
@example(b'{"question": "q", "retrieved": [{"id": "a", "text": "x:", "text": "\\"y"}]}')
@example(b'{"question": "q", "retrieved": ["a"], "retrieved": ["b"]}')
@example(b'{"question": "q", "\\u0071uestion": "r"}')
@example(b'{"question": "q", "claims": [{"id": "a", "citations": ["a"], "citations": []}]}')
@example(b'{"question" : "q", "question":"r"}')
@example(b'{"question": "q", "extra": {"a": 1, "a": 2}}')
@example(b'{"question": "q", "extra": {"a\\\\": 1}, "question": "r"}')
@example(b'{"question": "q", "extra": ' + b"[" * 100 + b"]" * 100 + b"}")
@example(b'{"question": "q", "extra": {"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}}")
@example(b'{"question": "q", "extra": {"a": 1e999}}')
@example(b'{"question": "q", "latency_ms": 1e999}')
@example(b'{"question": "q", "latency_ms": NaN}')
def test_the_fast_reader_vouches_for_no_line_the_exact_one_refuses(line: bytes) -> None:
    """Whatever the bytes are."""
    if FastReader(rules()).read(line) is not None:
        assert exact(line, rules()) is not None


@pytest.mark.parametrize("compact", [True, False])
@pytest.mark.parametrize(
    "data",
    [
        {"question": "q", "retrieved": ["a", "b"], "claims": [{"id": "x", "citations": ["a"]}]},
        {"question": "q", "retrieved": ["d:1"], "claims": [], "error": None, "latency_ms": 1.5},
        {"question": "q", "retrieved": [{"id": "a", "text": 'a: "b":\n \\" c', "score": 1}, "b"]},
        {"question": "q", "retrieved": [], "answer": 'He said: "no".', "tokens_in": 5},
        {"question": "q", "claims": [{"id": "x", "text": "a: b"}, {"id": "y", "citations": None}]},
        {"question": "q", "retrieved": ["a"], "delivered": ["a"], "extra": {"t": {"u": "x:y"}}},
        {"question": "q", "error": "late"},
    ],
)
def test_usual_records_need_no_second_reading(data: dict[str, Any], *, compact: bool) -> None:
    """The fast reader is not fast by giving up."""
    line = json.dumps(data, separators=(",", ":") if compact else None).encode()
    assert FastReader(rules()).read(line) is not None


@given(data=st.lists(RECORD, max_size=5), under=RULES)
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_streaming_yields_the_sound_records_or_refuses_the_file(
    tmp_path_factory: pytest.TempPathFactory, data: list[dict[str, Any]], under: RecordRules
) -> None:
    """Each record comes lean in file order, and whole again by its offset."""
    lines = [json.dumps(each).encode() for each in data]
    expected = [exact(line, under) for line in lines]
    with write(tmp_path_factory.mktemp("records"), *lines) as records:
        found = []
        try:
            for offset, record in records.stream(under):
                found.append((offset, record))
        except InputError as error:
            assert None in expected
            bad = {number for number, each in enumerate(expected, 1) if each is None}
            assert {fault.line for fault in error.faults[:20]} <= bad  # noqa: PT017  one of two outcomes
        else:
            assert None not in expected
            assert records.sha256 == sha256(b"".join(x + b"\n" for x in lines)).hexdigest()
        sound = [each for each in expected if each is not None]
        assert [record for _, record in found] == [lean(each) for each in sound]
        assert [records.full(offset) for offset, _ in found] == sound
        assert [records.line_number(offset) for offset, _ in found] == [
            number for number, each in enumerate(expected, 1) if each is not None
        ]
        assert records.with_answer == sum(each.answer is not None for each in sound)
        assert records.with_text == sum(
            any(item.text is not None for item in each.retrieved or ()) for each in sound
        )


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ({"question": "no"}, 'question "no": question: the question is not in the set'),
        ({"question": "q", "retrieved": ["a", "a"]}, "retrieved[1]: the document stands more than"),
        ({"question": "q", "retrieved": ["x"]}, "retrieved[0]: the document is not in the corpus"),
        ({"question": "q", "retrieved": [5]}, "retrieved[0]: the value has another type"),
        (
            {"question": "q", "claims": [{"id": "x"}, {"id": "x"}]},
            "claims[1]: the claim stands more than once",
        ),
        (
            {"question": "q", "claims": [{"id": "x", "citations": ["a", "a"]}]},
            "claims[0].citations[1]: the document stands more than once",
        ),
        (
            {"question": "q", "claims": [{"id": "x", "citations": [" a"]}]},
            "claims[0].citations[0]: the id begins or ends with white space",
        ),
        ({"question": "q", "claims": [{"id": ""}]}, "claims[0]: the id is empty"),
        (
            {"question": "q", "retrieved": ["a", "b", "c"], "delivered": ["b", "a"]},
            'delivered: these are not the first 2 retrieved (found "b, a")',
        ),
        ({"question": "q", "error": ""}, "error: the error is empty"),
        ({"question": "q", "retries": True}, "retries: the value has another type (found true"),
        ({"question": "q", "tokens_in": 1.0}, "tokens_in: the value has another type (found 1.0"),
        ({"question": "q", "repeat": 0}, "repeat: the value has another type (found 0, expected"),
        ({"question": "q", "anwser": "x"}, 'anwser: unknown key; did you mean "answer"?'),
        ({"retrieved": ["a"]}, "question: the key is missing"),
        (b'{"question": "q", "question": "q"}', "question: the key stands more than once"),
        (b'{"question": "q", "latency_ms": NaN}', "NaN is not a number"),
        (b'[{"question": "q"}]', "this is a JSON array"),
        (b"<<<<<<< HEAD", "the file holds a git conflict mark"),
        (
            b'{"question": "q", "retrieved": [{"id": "a", "text": "\xff"}]}',
            "the text is not UTF-8",
        ),
        (
            {"question": "q", "retrieved": [{"id": "a", "text": "\ud800"}]},
            "retrieved[0].text: the text holds half of a surrogate pair",
        ),
    ],
)
def test_a_bad_record_is_named_by_line_question_and_key(
    tmp_path: Path, data: object, told: str
) -> None:
    """The sound records around it do not hide it."""
    good = {"question": "q", "retrieved": ["a"]}
    [fault] = faults(write(tmp_path, good, b"", data, good), rules())
    assert fault.startswith("run.jsonl:3: ")
    assert told in fault


def test_lists_have_a_limit_under_each_profile(tmp_path: Path) -> None:
    """100 ids under lab, 10,000 under open."""
    ids = [f"x{n}" for n in range(10_001)]
    data = {"question": "q", "claims": [{"id": "c", "citations": ids}]}
    assert "more than 10,000" in faults(write(tmp_path, data), rules(open_corpus=True))[0]
    data = {"question": "q", "retrieved": ids[:101]}
    lab = rules(open_corpus=True, profile="lab")
    assert "more than 100 ids" in faults(write(tmp_path, data), lab)[0]
    data = {"question": "q", "retrieved": ids[:100]}
    assert len(list(write(tmp_path, data).stream(lab))) == 1
    data = {"question": "q", "retrieved": ids[:10_000]}
    assert len(list(write(tmp_path, data).stream(rules(open_corpus=True)))) == 1


def test_chunks_are_distinct_where_documents_are_not(tmp_path: Path) -> None:
    """The same document may come in several chunks, the same chunk may not come twice."""
    chunk = rules(unit=Unit.CHUNK)
    items = [{"id": "a", "chunk": "a#1"}, {"id": "a", "chunk": "a#2"}, "b"]
    data: dict[str, object] = {"question": "q", "retrieved": items, "delivered": ["a", "a"]}
    assert len(list(write(tmp_path, data).stream(chunk))) == 1
    data["delivered"] = ["a#1", "a#2"]
    assert len(list(write(tmp_path, data).stream(chunk))) == 1
    data = {"question": "q", "retrieved": [items[0], items[0]]}
    assert "retrieved[1]: the chunk stands" in faults(write(tmp_path, data), chunk)[0]
    data = {"question": "q", "retrieved": items}
    assert "retrieved[1]: the document stands" in faults(write(tmp_path, data), rules())[0]


def test_all_faults_are_counted_and_the_first_are_listed(tmp_path: Path) -> None:
    """A file full of faults is read to its end and costs one report."""
    with pytest.raises(InputError) as caught:
        list(write(tmp_path, *[{"question": "no"}] * 50).stream(rules()))
    assert caught.value.lines[0].startswith("run.jsonl:1: ")
    assert caught.value.lines[-1] == "and 30 more"
    assert len(caught.value.lines) == 21


def test_a_torn_last_record_is_an_error(tmp_path: Path) -> None:
    """What came before it does not make it good."""
    path = tmp_path / "run.jsonl"
    path.write_bytes(b'{"question": "q"}\n{"question": "r"')
    assert "the last line is cut off" in faults(RecordsFile(path, "run.jsonl"), rules())[0]


def test_records_other_than_the_pinned_ones_are_refused(tmp_path: Path) -> None:
    """The digest is compared when the file was read whole."""
    written = write(tmp_path, {"question": "q"})
    list(written.stream(rules()))
    path = tmp_path / "run.jsonl"
    same = RecordsFile(path, "run.jsonl", sha256=written.sha256)
    assert len(list(same.stream(rules()))) == 1
    assert same.size == same.bytes_read == path.stat().st_size
    other = RecordsFile(path, "run.jsonl", sha256="0" * 64)
    [fault] = faults(other, rules())
    assert written.sha256 in fault
    assert "not those the manifest is pinned to" in fault


def test_a_file_changed_after_streaming_is_not_read_by_old_offsets(tmp_path: Path) -> None:
    """What is looked at is what was scored."""
    records = write(tmp_path, {"question": "q"})
    list(records.stream(rules()))
    (tmp_path / "run.jsonl").write_bytes(b'{"question": "r"}\n\n')
    with pytest.raises(InputError, match="changed"):
        records.full(0)


def test_records_of_a_manifest_are_streamed_by_their_index() -> None:
    """They keep their texts, being in memory anyway."""
    inline = (Record(question="q", answer="yes"), Record(question="r", retrieved=(Retrieved("a"),)))
    with RecordsFile(None, "run.toml", inline=inline, sha256="d") as records:
        assert list(records.stream(rules())) == list(enumerate(inline))
        assert (records.sha256, records.with_answer, records.size) == ("d", 1, 0)
        assert records.full(1) == inline[1]
        assert records.line_number(1) == 2
    bad = RecordsFile(None, "run.toml", inline=[Record(question="no")])
    assert faults(bad, rules()) == [
        'run.toml: question "no": question: the question is not in the set (found "no")'
    ]


def test_messages_stay_short_whatever_they_quote(tmp_path: Path) -> None:
    """An id of a million letters is cut in the message about it."""
    long = "x" * 1_000_000
    data = {"question": long, "retrieved": [long], "claims": [{"id": long, "citations": [long]}]}
    assert all(len(fault) < 1000 for fault in faults(write(tmp_path, data), rules()))
    twice = b'{"question": "q", "%s": 1, "%s": 2}' % (long.encode(), long.encode())
    assert all(len(fault) < 1000 for fault in faults(write(tmp_path, twice), rules()))


def test_lean_records_hold_every_field_that_is_scored() -> None:
    """A field added to the record must be thought of by both readers."""
    named = {"question", "repeat", "retrieved", "delivered", "answer", "claims", "latency_ms"}
    named |= {"cost_usd", "tokens_in", "tokens_out", "retries", "error"}
    assert {field.name for field in msgspec.structs.fields(Record)} == named
