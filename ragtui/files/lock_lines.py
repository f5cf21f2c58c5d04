"""
The lines of a lock: digests of everything that two runs must have in common.

::

    ragtui/lock@1
    set H            canonical set.toml without paths
    corpus H         bytes of the corpus file, or the word `open`
    questions H      bytes of the questions file
    H "id"           canonical JSON of each question, sorted by id

Lines end in LF, H is SHA-256 in hexadecimal. The digest of a set is the SHA-256 of these bytes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Final

import msgspec

from ragtui.errors import Fault, InputError
from ragtui.files.canonical import canonical
from ragtui.files.sources import Lines, shown_path

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path


__all__ = [
    "OPEN",
    "Head",
    "Lock",
    "differing_questions",
    "digest_of",
    "lock_path",
    "lock_pieces",
    "read_head",
    "read_lock",
    "set_content",
]

OPEN: Final = "open"
"""Stands in place of the corpus digest when the corpus is open."""

_SCHEMA: Final = "ragtui/lock@1"
_DIGEST: Final = "[0-9a-f]{64}"
_HEAD: Final = re.compile(
    rf"{re.escape(_SCHEMA)}\nset ({_DIGEST})\ncorpus ({_DIGEST}|{OPEN})\nquestions ({_DIGEST})\n"
)
_QUESTION: Final = re.compile(rf'({_DIGEST}) (".*")'.encode(), re.DOTALL)


@dataclass(frozen=True, slots=True)
class Head:
    """The digests of the three files of a set."""

    set: str
    corpus: str
    questions: str

    def __str__(self) -> str:
        """Return the first lines of the lock."""
        return f"{_SCHEMA}\nset {self.set}\ncorpus {self.corpus}\nquestions {self.questions}\n"


@dataclass(frozen=True, slots=True)
class Lock:
    """One lock as read."""

    head: Head
    sha256: str
    """Digest of the lock's bytes, which is the digest of the set."""
    count: int
    """How many questions it names."""
    questions: Mapping[str, str]
    """Question id to digest; empty when only the head was asked for."""


def lock_path(set_path: Path, version: str) -> Path:
    """
    Return where the lock of *version* stands.

    >>> from pathlib import PurePosixPath
    >>> str(lock_path(PurePosixPath("desk/set.toml"), "1.0.0"))
    'desk/locks/1.0.0.lock'
    """
    return set_path.parent / "locks" / f"{version}.lock"


def set_content(data: Mapping[str, object]) -> dict[str, object]:
    """
    Return what the lock covers of a set.toml: everything but where its files lie.

    >>> set_content({"id": "desk", "corpus": {"path": "c.jsonl", "version": "1"}})
    {'id': 'desk', 'corpus': {'version': '1'}}
    """
    return {
        key: {name: item for name, item in value.items() if name != "path"}
        if isinstance(value, dict)
        else value
        for key, value in data.items()
    }


def lock_pieces(head: Head, questions: Iterable[tuple[str, str]]) -> Iterator[bytes]:
    """Give the bytes of a lock in pieces; *questions* are (id, digest), already sorted by id."""
    yield str(head).encode()
    for name, digest in questions:
        yield b"%s %s\n" % (digest.encode(), canonical(name))


def digest_of(pieces: Iterable[bytes]) -> str:
    """
    Return the digest of bytes given in pieces.

    >>> digest_of([b"a", b"b"]) == sha256(b"ab").hexdigest()
    True
    """
    hashed = sha256()
    for piece in pieces:
        hashed.update(piece)
    return hashed.hexdigest()


def read_head(path: Path) -> Lock:
    """
    Read the lock at *path* for its digests only; the lines of its questions are only counted.

    Raises InputError when it is no lock.
    """
    head: list[bytes] = []
    last = 0
    with Lines(path, shown_path(path)) as lines:
        for number, _, line in lines:
            last = number
            if number <= _HEAD_LINES:
                head.append(line)
    return Lock(head=_head(head, path), sha256=lines.sha256, count=last - _HEAD_LINES, questions={})


_HEAD_LINES = 4


def read_lock(path: Path) -> Lock:
    """
    Read the lock at *path* with the digest of every question.

    Raises InputError when it is no lock, or when its questions are not sorted by id.
    """
    head: list[bytes] = []
    questions: dict[str, str] = {}
    shown = shown_path(path)
    last: str | None = None
    with Lines(path, shown) as lines:
        for number, _, line in lines:
            if number <= _HEAD_LINES:
                head.append(line)
                continue
            name, digest = _question(line, shown, number)
            if last is not None and name <= last:
                raise InputError(
                    Fault(message="the lines are not sorted by id", file=shown, line=number)
                )
            questions[name] = digest
            last = name
    return Lock(
        head=_head(head, path), sha256=lines.sha256, count=len(questions), questions=questions
    )


def _head(lines: list[bytes], path: Path) -> Head:
    text = b"".join(line + b"\n" for line in lines).decode(errors="replace")
    found = _HEAD.fullmatch(text)
    if found is None:
        raise InputError(
            Fault(
                message="this is no lock",
                file=shown_path(path),
                expected=f'a file that begins with "{_SCHEMA}" and three digests',
                hint="take it from version control again; freezing writes it, nobody edits it",
            )
        )
    return Head(*found.groups())


def _question(line: bytes, shown: str, number: int) -> tuple[str, str]:
    found = _QUESTION.fullmatch(line)
    try:
        if found is not None:
            return msgspec.json.decode(found[2], type=str), found[1].decode()
    except msgspec.DecodeError:
        pass
    raise InputError(
        Fault(
            message="this line of the lock is damaged",
            file=shown,
            line=number,
            expected='a digest and an id, such as 0f3a… "owner"',
        )
    )


def differing_questions(one: Mapping[str, str], other: Mapping[str, str]) -> tuple[str, ...]:
    """
    Return the ids whose digests differ, or that only one side has, sorted.

    >>> differing_questions({"a": "1", "b": "2"}, {"b": "3", "c": "4"})
    ('a', 'b', 'c')
    """
    names = one.keys() | other.keys()
    return tuple(sorted(name for name in names if one.get(name) != other.get(name)))
