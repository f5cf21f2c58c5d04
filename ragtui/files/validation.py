"""
Checking any file on its own, as far as that goes.

What a file is, it says itself (`schema`), or a `set.toml` beside it does, or its keys do.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final

from ragtui.core.gate import policy_warnings
from ragtui.core.model import Unit
from ragtui.errors import Fault, InputError
from ragtui.files.corpus import load_corpus
from ragtui.files.joining import same_repeat
from ragtui.files.json_lines import parse_object
from ragtui.files.ledger import LEDGER_NAME, check_ledger
from ragtui.files.limits import MAX_TRIAGE_BYTES
from ragtui.files.lock_lines import read_lock
from ragtui.files.manifests import RUN_SCHEMA, load_manifest
from ragtui.files.policies import POLICY_SCHEMA, load_policy
from ragtui.files.question_files import load_questions
from ragtui.files.question_rules import QuestionRules
from ragtui.files.record_rules import RecordRules
from ragtui.files.records import RecordsFile
from ragtui.files.set_header import SET_SCHEMA, load_header
from ragtui.files.sets import load_set
from ragtui.files.shape import Faults, describe
from ragtui.files.sources import Lines, shown_path
from ragtui.files.toml import load_toml
from ragtui.files.triage_file import TRIAGE_SCHEMA, load_decisions
from ragtui.files.waivers import WAIVERS_SCHEMA, load_waivers, policy_path
from ragtui.text import nearest, plural

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet
    from pathlib import Path

    from ragtui.files.manifests import Manifest
    from ragtui.files.sets import QuestionSet


__all__ = ["Report", "validate"]

_SCHEMAS: Final = (SET_SCHEMA, RUN_SCHEMA, POLICY_SCHEMA, WAIVERS_SCHEMA, TRIAGE_SCHEMA)
_ONLY_QUESTIONS_HAVE: Final = frozenset(
    {"relevant", "support", "accepted", "tags", "critical", "caller", "status", "review", "claims"}
)
_ONLY_RECORDS_HAVE: Final = frozenset(
    {"retrieved", "delivered", "answer", "latency_ms", "cost_usd", "tokens_in", "tokens_out"}
)
_LINES_TRIED: Final = 20
"""Lines that may be broken before one tells what the file is."""

_NO_SET: Final = "no set beside the file names it: {}; validate its set.toml"
_NO_MANIFEST: Final = (
    "not checked without a manifest: whether questions and documents are in the set, cutoff and"
    " unit, the digest; validate the run manifest that names the file"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A file that is sound."""

    kind: str
    """
    What it is: `set`, `run`, `questions`, `corpus`, `records`, `lock`, `ledger`, `policy`,
    `waivers` or `triage`.
    """
    shown: str
    """The path as the user wrote it."""
    summary: str
    """What was checked, in a few words."""
    warnings: tuple[str, ...] = ()


def validate(path: Path, *, root: Path | None = None) -> Report:
    """
    Check the file at *path* and what it refers to.

    What cannot be known without another file is among the warnings. Raises InputError with
    everything that is wrong.
    """
    if path.name == LEDGER_NAME:
        return _report("ledger", path, check_ledger(path).removeprefix("ledger "))
    if path.suffix == ".lock":
        count = read_lock(path).count
        return _report("lock", path, f"{count} questions")
    owner = _owner(path, root)
    if owner is not None:
        return _validate_part(path, owner, root)
    return _validate_lines(path) if path.suffix == ".jsonl" else _validate_toml(path, root)


def _validate_toml(path: Path, root: Path | None) -> Report:
    file = load_toml(path, limit=MAX_TRIAGE_BYTES)
    schema = file.data.get("schema")
    if schema == SET_SCHEMA:
        return _validate_set(path, root)
    if schema == RUN_SCHEMA:
        return _validate_run(load_manifest(path, root=root))
    if schema == TRIAGE_SCHEMA:
        return _report("triage", path, plural(len(load_decisions(path)), "decision"))
    if schema == POLICY_SCHEMA:
        return _validate_policy(path)
    if schema == WAIVERS_SCHEMA:
        return _validate_waivers(path)
    if schema is None and "question" in file.data:
        return _validate_questions(path)
    close = nearest(schema, _SCHEMAS) if isinstance(schema, str) else None
    raise InputError(
        Fault(
            message="the file does not say what it is" if schema is None else "unknown schema",
            file=file.shown,
            key="schema",
            found=None if schema is None else describe(schema),
            expected=" or ".join(f'"{known}"' for known in _SCHEMAS),
            hint=f'did you mean "{close}"?' if close else None,
        )
    )


def _validate_policy(path: Path) -> Report:
    policy = load_policy(path)
    summary = plural(len(policy.rules), "rule")
    if policy.waivers:
        summary += f", {plural(len(policy.waivers), 'waiver')}"
    return _report("policy", path, summary, policy_warnings(policy))


def _validate_waivers(path: Path) -> Report:
    """Check waivers against the policy that they stand beside."""
    rules = load_policy(policy_path(path)).rules
    return _report("waivers", path, plural(len(load_waivers(path, rules)), "waiver"))


def _validate_set(path: Path, root: Path | None) -> Report:
    questions = load_set(path, root=root)
    return _report("set", path, _size(questions), questions.warnings)


def _size(questions: QuestionSet) -> str:
    documents = "open corpus" if questions.corpus.is_open else f"{len(questions.corpus)} documents"
    return f"{len(questions)} questions, {documents}"


def _validate_run(manifest: Manifest) -> Report:
    questions = load_set(manifest.set_path, root=manifest.root)
    _check_pin(manifest, questions)
    count = _check_records(manifest, questions)
    warnings = list(questions.warnings)
    if manifest.set_sha256 is None or (
        manifest.records_path is not None and manifest.records_sha256 is None
    ):
        warnings.append("not pinned: the manifest does not name all its digests")
    return _report("run", manifest.path, f"{count} records, {_size(questions)}", tuple(warnings))


def _check_pin(manifest: Manifest, questions: QuestionSet) -> None:
    faults = Faults(manifest.shown)
    for key, pinned, found in (
        ("set.version", manifest.set_version, questions.header.version),
        ("set.sha256", manifest.set_sha256, questions.digest),
    ):
        if pinned is not None and pinned != found:
            faults.add(
                Fault(
                    message="the run is pinned to another set",
                    key=key,
                    found=pinned,
                    expected=found,
                    hint="take that set back, or run again and pin anew",
                )
            )
    faults.raise_any()


def _check_records(manifest: Manifest, questions: QuestionSet) -> int:
    """Check every record of a run; return how many there are."""
    corpus = questions.corpus
    rules = RecordRules(
        cutoff=manifest.info.cutoff,
        unit=manifest.info.unit,
        profile=questions.header.profile,
        question_index=questions.index,
        is_document=None if corpus.ids is None else corpus.ids.__contains__,
    )
    with manifest.open_records() as records:
        return sum(_check_stream(records, rules).values())


def _check_stream(records: RecordsFile, rules: RecordRules) -> Counter[str]:
    """Check every record; return how many each question has."""
    count: Counter[str] = Counter()
    seen: set[tuple[str, int | None]] = set()
    faults = Faults(records.shown)
    try:
        for offset, record in records.stream(rules):
            count[record.question] += 1
            if (record.question, record.repeat) in seen:
                faults.add(same_repeat(record, records, offset))
            seen.add((record.question, record.repeat))
    except InputError as error:
        faults.add(*error.faults)
    faults.raise_any()
    return count


def _owner(path: Path, root: Path | None) -> Path | None:
    """Return the set beside *path* that names it, if any is readable."""
    for candidate in sorted(path.parent.glob("*.toml")):
        if candidate == path:
            continue
        try:
            header = load_header(candidate, root=root)
        except InputError:
            continue
        if path.resolve() in {header.corpus, header.questions}:
            return candidate
    return None


def _validate_part(path: Path, owner: Path, root: Path | None) -> Report:
    """Check a file of the set *owner* under the rules of that set."""
    header = load_header(owner, root=root)
    corpus = None if header.corpus is None else load_corpus(header.corpus, header.profile)
    if path.resolve() == header.corpus:
        return _report("corpus", path, f"{len(corpus or ())} documents")
    rules = QuestionRules(
        profile=header.profile,
        documents=None if corpus is None else corpus.ids,
        access=None if corpus is None else corpus.access,
    )
    return _report("questions", path, f"{len(load_questions(path, rules).ids)} questions")


def _validate_lines(path: Path) -> Report:
    """Tell by its first whole line what a JSONL file without a set is."""
    keys = _first_keys(path)
    if "question" in keys or not keys.isdisjoint(_ONLY_RECORDS_HAVE):
        return _validate_records(path)
    if "text" in keys and keys.isdisjoint(_ONLY_QUESTIONS_HAVE):
        summary = f"{len(load_corpus(path, 'open'))} documents"
        return _report("corpus", path, summary, (_NO_SET.format("ids were checked as open ones"),))
    return _validate_questions(path)


def _first_keys(path: Path) -> AbstractSet[str]:
    """Return the keys of the first line that is an object; raises InputError if none near is."""
    shown = shown_path(path)
    faults = Faults(shown)
    with Lines(path, shown) as lines:
        for number, _, line in islice(lines, _LINES_TRIED):
            try:
                return parse_object(line, file=shown, number=number).keys()
            except InputError as error:
                faults.add(*error.faults)
    if not faults:
        faults.add(Fault(message="the file is empty"))
    raise faults.error()


def _validate_records(path: Path) -> Report:
    """Check records without a manifest: all that a line says on its own."""
    rules = RecordRules(
        cutoff=None,
        unit=Unit.CHUNK,  # the laxer of the two
        profile="open",
        question_index=lambda _: 0,
        is_document=None,
    )
    with RecordsFile(path, shown_path(path)) as records:
        count = _check_stream(records, rules)
    if not count:
        raise InputError(Fault(message="there are no records", file=shown_path(path)))
    summary = f"{plural(sum(count.values()), 'record')} of {plural(len(count), 'question')}"
    return _report("records", path, summary, (_NO_MANIFEST,))


def _validate_questions(path: Path) -> Report:
    rules = QuestionRules(profile="open", documents=None)
    count = len(load_questions(path, rules).ids)
    return _report(
        "questions",
        path,
        f"{count} questions",
        (_NO_SET.format("documents were checked as ids only"),),
    )


def _report(kind: str, path: Path, summary: str, warnings: tuple[str, ...] = ()) -> Report:
    return Report(kind=kind, shown=shown_path(path), summary=summary, warnings=warnings)
