"""
The frozen documents of a question set.

The file is read once, hashed and checked; what stays in memory is where each document stands and
who may read it. Texts are read again when somebody looks at them.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Final, TypeAlias

import msgspec

from ragtui.core.model import Access, Document
from ragtui.errors import MAX_FAULTS_SHOWN, Fault, InputError
from ragtui.files.ids import all_well_formed, check_id
from ragtui.files.json_lines import check_keys, parse_object, translate
from ragtui.files.shape import Faults, Table, describe, first_repeat
from ragtui.files.sources import Lines, RandomLines, Stamp, shown_path

if TYPE_CHECKING:
    from collections.abc import Mapping
    from collections.abc import Set as AbstractSet
    from pathlib import Path

    from ragtui.files.ids import Profile


__all__ = [
    "OPEN_CORPUS",
    "AnyCorpus",
    "Corpus",
    "OpenCorpus",
    "WrittenDocument",
    "load_corpus",
]


class WrittenDocument(Document, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A document as written: the same keys, and no others."""


_STRICT: Final = msgspec.json.Decoder(WrittenDocument)
_AGAIN: Final = msgspec.json.Decoder(Document)


class Corpus:
    """Documents in a file, found by id."""

    is_open: Final = False

    def __init__(
        self,
        path: Path,
        offsets: Mapping[str, int],
        *,
        sha256: str,
        stamp: Stamp,
        access: Access | None,
        versions: Mapping[str, str],
    ) -> None:
        """Take what `load_corpus` found in the file at *path*."""
        self.path = path
        self.shown = shown_path(path)
        self.sha256 = sha256
        """Digest of the bytes of the file."""
        self.access = access
        """Who may read what; `None` when no document says so."""
        self.versions = versions
        """Source version of each document that has one."""
        self._offsets = offsets
        self._stamp = stamp

    @property
    def ids(self) -> AbstractSet[str]:
        """Ids of all documents, in the order of the file."""
        return self._offsets.keys()

    def __contains__(self, name: object) -> bool:
        """Whether the corpus holds a document with the id *name*."""
        return name in self._offsets

    def __len__(self) -> int:
        """How many documents there are."""
        return len(self._offsets)

    def document(self, name: str) -> Document | None:
        """
        Read the document with the id *name*, `None` when there is none.

        Raises InputError when the file is no longer the one that was loaded.
        """
        offset = self._offsets.get(name)
        return None if offset is None else _AGAIN.decode(self._lines.line_at(offset))

    @cached_property
    def _lines(self) -> RandomLines:
        return RandomLines(self.path, self.shown, self._stamp)


@dataclass(frozen=True, slots=True)
class OpenCorpus:
    """Documents that are known by their ids only, as in qrels: every id may exist."""

    is_open: bool = True
    sha256: str = "open"
    """What a lock says in place of a digest."""
    access: None = None
    versions: Mapping[str, str] = field(default_factory=dict)
    ids: None = None

    def __contains__(self, name: object) -> bool:
        """Whether *name* may be the id of a document."""
        return isinstance(name, str)

    def __len__(self) -> int:
        """How many documents are at hand: none."""
        return 0

    def document(self, name: str) -> Document | None:  # noqa: ARG002  the same door as `Corpus`
        """Return nothing: an open corpus has no texts."""
        return None


AnyCorpus: TypeAlias = Corpus | OpenCorpus


def load_corpus(path: Path, profile: Profile) -> Corpus:
    """
    Read the corpus at *path*, whose ids follow *profile*.

    Raises InputError with all faults of the file: a key, an id, a blank text, a repeated id.
    """
    loader = _Loader(shown_path(path), profile)
    with Lines(path, loader.faults.file) as lines:
        for number, offset, line in lines:
            loader.take(line, offset, number)
    if not loader.offsets and not loader.faults:
        loader.faults.add(Fault(message="the corpus is empty", expected="at least one document"))
    loader.faults.raise_any()
    return Corpus(
        path,
        loader.offsets,
        sha256=lines.sha256,
        stamp=lines.stamp,
        access=loader.access(),
        versions=loader.versions,
    )


class _Loader:
    """Collects documents and faults of one file."""

    def __init__(self, shown: str, profile: Profile) -> None:
        self.faults = Faults(shown)
        self.offsets: dict[str, int] = {}
        self.versions: dict[str, str] = {}
        self._groups: dict[str, frozenset[str]] = {}
        self._same: dict[frozenset[str], frozenset[str]] = {}
        self._profile: Profile = profile

    def take(self, line: bytes, offset: int, number: int) -> None:
        """Check one line and keep where its document stands."""
        document = self._decode(line, number)
        if document is None:
            return
        name = document.id
        if name in self.offsets or not self._is_plain(document):
            self.faults.add(*self._wrong(document), line=number)
        self.offsets.setdefault(name, offset)
        if document.version is not None:
            # A corpus has few versions and many documents.
            self.versions[name] = sys.intern(document.version)
        if document.groups is not None:
            groups = frozenset(document.groups)
            self._groups[name] = self._same.setdefault(groups, groups)

    def access(self) -> Access | None:
        """Return who may read what; silence means nobody as soon as one document speaks."""
        if not self._groups:
            return None
        nobody: frozenset[str] = frozenset()
        return Access({name: self._groups.get(name, nobody) for name in self.offsets})

    def _decode(self, line: bytes, number: int) -> Document | None:
        try:
            document = _STRICT.decode(line)
            values = msgspec.structs.astuple(document)
            keys = len(values) - values.count(None)
            check_keys(line, keys, file=self.faults.file, number=number)
        except InputError as error:
            self.faults.add(*error.faults, line=number)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            self._explain(line, number, error)
        else:
            return document
        return None

    def _explain(self, line: bytes, number: int, error: Exception) -> None:
        """Say what is wrong with a line that the fast decoder refused."""
        before = self.faults.count
        if before >= MAX_FAULTS_SHOWN:
            self.faults.add(translate(error), line=number)
            return
        try:
            data = parse_object(line, file=self.faults.file, number=number)
        except InputError as refused:
            self.faults.add(*refused.faults, line=number)
            return
        table = Table(data, self.faults, line=number)
        for key in ("id", "text"):
            table.need_text(key)
        for key in ("title", "version", "source"):
            table.text(key)
        table.texts("groups")
        table.done()
        if self.faults.count == before:
            self.faults.add(translate(error), line=number)

    def _is_plain(self, document: Document) -> bool:
        text = document.text
        return (
            document.groups is None
            and bool(text)
            and not text.isspace()
            and all_well_formed((document.id,), self._profile)
        )

    def _wrong(self, document: Document) -> list[Fault]:
        name = document.id
        found = []
        if wrong := check_id(name, self._profile):
            found.append(Fault(message=f"the id {wrong}", key="id", found=describe(name)))
        if name in self.offsets:
            found.append(
                Fault(
                    message="another document has the same id",
                    key="id",
                    found=describe(name),
                    hint="give each document an id of its own",
                )
            )
        if not document.text or document.text.isspace():
            found.append(
                Fault(message="the text of the document is blank", key="text", found=describe(name))
            )
        groups = document.groups or ()
        found += [
            Fault(message=f"the group {wrong}", key="groups", found=describe(group))
            for group in groups
            if (wrong := check_id(group, "open"))
        ]
        if (again := first_repeat(groups)) is not None:
            found.append(Fault(message="named twice", key="groups", found=describe(again)))
        return found


OPEN_CORPUS: Final = OpenCorpus()
"""The one open corpus; nothing tells two of them apart."""
