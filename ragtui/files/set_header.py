"""What a `set.toml` says: names, versions and where the other files of the set lie."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ragtui.core.model import CONTRACT, Split
from ragtui.errors import InputError
from ragtui.files.ids import PROFILES, Profile, check_name
from ragtui.files.limits import MAX_TOML_BYTES
from ragtui.files.shape import Faults, Table, describe
from ragtui.files.sources import find_root, resolve_path
from ragtui.files.toml import TomlFile, load_toml

__all__ = ["SET_SCHEMA", "SetHeader", "load_header", "need_name", "outline_header"]

SET_SCHEMA: Final = "ragtui/set@1"
"""First line of every set.toml."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetHeader:
    """One checked set.toml."""

    file: TomlFile
    id: str
    version: str
    split: Split
    rubric: str | None
    profile: Profile
    corpus_version: str | None
    corpus: Path | None
    """Real path of the corpus; `None`: the corpus is open."""
    questions: Path


def load_header(path: Path, *, root: Path | None = None) -> SetHeader:
    """Read the set.toml at *path*; other files must lie under *root*. Raises InputError."""
    file = load_toml(path, limit=MAX_TOML_BYTES)
    faults = Faults(file.shown)
    table = Table(file.data, faults)
    header = _Reader(file, faults, find_root(path, root)).header(table)
    faults.raise_any()
    return header


def outline_header(table: Table) -> None:
    """Ask *table* for everything that a set.toml may hold."""
    here = Path()
    file = TomlFile(path=here, shown="", data={}, raw=b"", sha256="")
    _Reader(file, table.faults, here).header(table)


def need_name(table: Table, key: str) -> str:
    """Return a version or an id that must be there and may become a file name."""
    name = table.need_text(key)
    if name and (wrong := check_name(name)):
        table.fault(key, f"the {key} {wrong}", found=describe(name))
    return name


def _schema(table: Table) -> None:
    """Refuse a file of another kind at once: its keys would only be called unknown."""
    schema = table.text("schema")
    if schema != SET_SCHEMA:
        table.fault(
            "schema",
            "this is not a question set",
            found=None if schema is None else describe(schema),
            expected=f'"{SET_SCHEMA}"',
        )
        raise table.faults.error()


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads the keys of one file."""

    file: TomlFile
    faults: Faults
    root: Path

    def header(self, table: Table) -> SetHeader:
        _schema(table)
        corpus_version, corpus = self._corpus(table)
        header = SetHeader(
            file=self.file,
            id=need_name(table, "id"),
            version=need_name(table, "version"),
            split=self._split(table),
            rubric=table.text("rubric"),
            profile=self._profile(table),
            corpus_version=corpus_version,
            corpus=corpus,
            questions=self._questions(table) or self.file.path,
        )
        table.done()
        return header

    def _split(self, table: Table) -> Split:
        self._contract(table)
        return table.choice("split", Split) or Split.DEVELOPMENT

    @staticmethod
    def _contract(table: Table) -> None:
        contract = table.text("contract")
        if contract not in {None, CONTRACT}:
            table.fault(
                "contract",
                "this program does not know the contract",
                found=describe(contract),
                expected=f'"{CONTRACT}"',
            )

    @staticmethod
    def _profile(table: Table) -> Profile:
        word = table.text("ids")
        for profile in PROFILES:
            if word == profile:
                return profile
        if word is not None:
            table.fault(
                "ids",
                "this is none of the id profiles",
                found=describe(word),
                expected="lab or open",
            )
        return "open"

    def _corpus(self, table: Table) -> tuple[str | None, Path | None]:
        hint = "name its path, or write open = true in it"
        table.need("corpus", "the table is missing", hint=hint)
        corpus = table.table("corpus")
        if corpus is None:
            return None, None
        version, is_open = corpus.text("version"), corpus.flag("open")
        if is_open and corpus.has("path"):
            corpus.fault("open", "an open corpus has no path", hint="leave out one of the two")
        written = corpus.text("path") if is_open else corpus.need_text("path")
        corpus.done()
        return version, None if is_open or not written else self._resolved(written, "corpus.path")

    def _questions(self, table: Table) -> Path | None:
        hint = "name the path of the questions"
        table.need("questions", "the table is missing", hint=hint)
        questions = table.table("questions")
        if questions is None:
            return None
        written = questions.need_text("path")
        questions.done()
        path = self._resolved(written, "questions.path") if written else None
        if path is not None and path.suffix not in {".toml", ".jsonl"}:
            questions.fault(
                "path", "questions are TOML or JSONL", found=written, expected=".toml or .jsonl"
            )
        return path

    def _resolved(self, written: str, key: str) -> Path | None:
        file = self.file
        try:
            return resolve_path(
                written, base=file.path.parent, root=self.root, file=file.shown, key=key
            )
        except InputError as error:
            self.faults.add(*error.faults)
            return None
