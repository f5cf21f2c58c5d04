"""
The fast way to read lines of a records file.

A typed decoder names every key and skips the texts of retrieved items. What it returns is vouched
for: such a record keeps every rule of `record_rules`. For any other line it gives no answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final, TypeAlias, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from ragtui.core.kernel import PlainRecord
from ragtui.core.model import Claim, Record, Retrieved, Unit
from ragtui.errors import InputError
from ragtui.files.ids import all_well_formed, max_ids
from ragtui.files.json_lines import parse_object, proves_keys, without_texts
from ragtui.files.limits import MAX_ID_LENGTH, MAX_INTEGER
from ragtui.files.record_rules import is_delivered

if TYPE_CHECKING:
    from ragtui.files.record_rules import RecordRules

__all__ = ["FastReader"]


T = TypeVar("T")

_Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=MAX_INTEGER)] | UnsetType | None
_Amount: TypeAlias = Annotated[float, msgspec.Meta(ge=0)] | UnsetType | None
_Text: TypeAlias = str | UnsetType | None

_TEXT_KEY: Final = b'"text"'


class _Item(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """A retrieved item; its text is skipped, not built."""

    id: str
    chunk: _Text = UNSET
    version: _Text = UNSET
    text: msgspec.Raw | UnsetType = UNSET
    score: float | UnsetType | None = UNSET


class _Claim(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """A claim; an absent key is told from a null one, so that keys can be counted."""

    id: str
    citations: tuple[str, ...] | UnsetType | None = UNSET
    text: _Text = UNSET


class _Line(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """One line."""

    question: str
    repeat: Annotated[int, msgspec.Meta(ge=1, le=MAX_INTEGER)] | UnsetType | None = UNSET
    retrieved: list[str | _Item] | UnsetType | None = UNSET
    delivered: tuple[str, ...] | UnsetType | None = UNSET
    answer: _Text = UNSET
    claims: list[_Claim] | UnsetType | None = UNSET
    latency_ms: _Amount = UNSET
    cost_usd: _Amount = UNSET
    tokens_in: _Count = UNSET
    tokens_out: _Count = UNSET
    retries: _Count = UNSET
    error: _Text = UNSET
    extra: msgspec.Raw | UnsetType = UNSET


_KEYS: Final = len(_Line.__struct_fields__)


class _UnsureError(Exception):
    """The fast reader cannot vouch for a line."""


class FastReader:
    """Reads one line after another under the same rules."""

    def __init__(self, rules: RecordRules) -> None:
        """Read under *rules*."""
        self._rules = rules
        self._most = max_ids(rules.profile)
        self._decode = msgspec.json.Decoder(_Line).decode
        self.with_answer = 0
        """Records read so far that hold the answer's text."""
        self.with_text = 0
        """Records read so far that hold the text of an item."""

    def read(self, line: bytes) -> Record | None:
        """Return the record in *line* without the texts of its items; `None`: cannot vouch."""
        found = self._vouched(line)
        return None if found is None else _whole(found[0])

    def read_plain(self, line: bytes) -> Record | PlainRecord | None:
        """Return what `read` does, in the form that is scored fastest where it has one."""
        found = self._vouched(line)
        return None if found is None else _plain(*found) or _whole(found[0])

    def _vouched(self, line: bytes) -> tuple[_Line, list[str]] | None:
        try:
            return self._read(line)
        except (msgspec.DecodeError, RecursionError, InputError, _UnsureError):
            return None

    def _read(self, line: bytes) -> tuple[_Line, list[str]]:
        """Return what *line* holds, checked, and the ids of its items."""
        found = self._decode(line)
        keys = _KEYS - msgspec.structs.astuple(found).count(UNSET)
        ids: list[str] = []
        names: list[str] = []
        texts: list[msgspec.Raw] = []
        if found.retrieved:
            ids, more = self._items(found.retrieved, texts)
            keys += more
        if found.claims:
            names, more = self._claims(found.claims)
            keys += more
        self._check_names(ids, names)
        if found.extra is not UNSET:
            keys += _count_keys(parse_object(bytes(found.extra), file=""))
        plain = _without_texts(line, texts) if texts else line
        if found.error == "" or not proves_keys(plain, keys):
            raise _UnsureError
        if self._rules.question_index(found.question) is None:
            raise _UnsureError
        if found.delivered is not UNSET and found.delivered is not None:
            self._check_delivered(found, found.delivered)
        self.with_answer += isinstance(found.answer, str)
        self.with_text += bool(texts)
        return found, ids

    def _items(self, items: list[str | _Item], texts: list[msgspec.Raw]) -> tuple[list[str], int]:
        """Return the ids of the items and how many keys they have; add their texts to *texts*."""
        try:
            distinct = len(set(items))
        except TypeError:  # an object among them, which cannot be hashed
            return self._objects(items, texts)
        if len(items) > self._most or distinct < len(items):
            raise _UnsureError
        return items, 0  # type: ignore[return-value]  # hashing showed that all are texts

    def _objects(self, items: list[str | _Item], texts: list[msgspec.Raw]) -> tuple[list[str], int]:
        keys = 0
        ids = []
        chunks = {}
        for rank, item in enumerate(items):
            if isinstance(item, str):
                ids.append(item)
                continue
            ids.append(item.id)
            keys += 1 + (item.version is not UNSET) + (item.score is not UNSET)
            if item.text is not UNSET:
                keys += 1
                texts.append(item.text)
            if item.chunk is not UNSET:
                keys += 1
                if item.chunk is not None:
                    chunks[rank] = item.chunk
        names = ids
        if self._rules.unit is Unit.CHUNK:
            names = [chunks.get(rank) or name for rank, name in enumerate(ids)]
        if len(ids) > self._most or len(set(names)) < len(names):
            raise _UnsureError
        if chunks and not all_well_formed(chunks.values(), "open"):
            raise _UnsureError
        return ids, keys

    def _claims(self, claims: list[_Claim]) -> tuple[list[str], int]:
        """Return the ids of what was stated and of what was cited, and how many keys there are."""
        keys = 0
        ids: list[str] = []
        cited: list[str] = []
        for claim in claims:
            citations = claim.citations
            keys += 1 + (citations is not UNSET) + (claim.text is not UNSET)
            ids.append(claim.id)
            if not citations:
                claim.citations = ()
                continue
            cited += citations
            if len(citations) > 1 and len(set(citations)) < len(citations):
                raise _UnsureError
        if len(cited) > self._most or len(ids) > self._most or len(set(ids)) < len(ids):
            raise _UnsureError
        return ids + cited, keys

    def _check_names(self, documents: list[str], names: list[str]) -> None:
        """Accept the ids most people use at once and look at others one by one."""
        is_document = self._rules.is_document
        if is_document is None:
            names = documents + names
        elif not all(map(is_document, documents)):  # the ids of a corpus are well formed
            raise _UnsureError
        joined = "".join(names)
        if (
            self._rules.profile == "open"
            and joined.isprintable()
            and " " not in joined
            and "" not in names
            and (len(joined) <= MAX_ID_LENGTH or max(map(len, names)) <= MAX_ID_LENGTH)
        ):
            return
        if not all_well_formed(names, self._rules.profile):
            raise _UnsureError

    def _check_delivered(self, found: _Line, ids: tuple[str, ...]) -> None:
        if (
            len(ids) > self._most
            or not is_delivered(_whole(found), self._rules)
            or not all_well_formed(ids, self._rules.profile)
        ):
            raise _UnsureError


def _plain(found: _Line, ids: list[str]) -> PlainRecord | None:
    """Return the record in the form that is scored fastest, `None` where it holds more."""
    items = found.retrieved
    if items is None or items is UNSET or found.error or found.repeat:
        return None
    if items is not ids and any(isinstance(item, _Item) and item.version for item in items):
        return None
    # Citations that are null or left out were made empty when they were checked.
    return PlainRecord(found.question, ids, _set(found.claims))  # type: ignore[arg-type]


def _whole(found: _Line) -> Record:
    """Return the record without the texts of its items and the wording of its claims."""
    items, claims = found.retrieved, found.claims
    return Record(
        question=found.question,
        repeat=_set(found.repeat),
        retrieved=None if items is None or items is UNSET else tuple(map(_retrieved, items)),
        delivered=_set(found.delivered),
        claims=None
        if claims is None or claims is UNSET
        else tuple(Claim(claim.id, claim.citations or ()) for claim in claims),
        latency_ms=_set(found.latency_ms),
        cost_usd=_set(found.cost_usd),
        tokens_in=_set(found.tokens_in),
        tokens_out=_set(found.tokens_out),
        retries=_set(found.retries),
        error=_set(found.error),
    )


def _retrieved(item: str | _Item) -> Retrieved:
    if isinstance(item, str):
        return Retrieved(item)
    return Retrieved(item.id, _set(item.chunk), _set(item.version), None, _set(item.score))


def _set(value: T | UnsetType) -> T | None:
    """Return *value*, `None` for a key that is not there."""
    return None if value is UNSET else value


def _without_texts(line: bytes, texts: list[msgspec.Raw]) -> bytes:
    """Return *line* without the *texts* of its items, which must be texts indeed."""
    shorter = without_texts(line, _TEXT_KEY, texts)
    if shorter is None:
        raise _UnsureError
    if not line.isascii():
        _check_utf8(line)
    return shorter


def _check_utf8(line: bytes) -> None:
    try:
        line.decode()
    except UnicodeDecodeError:
        raise _UnsureError from None


def _count_keys(data: object) -> int:
    keys = 0
    stack = [data]
    while stack:
        value = stack.pop()
        if isinstance(value, dict):
            keys += len(value)
            stack.extend(value.values())
        elif isinstance(value, list):
            stack.extend(value)
    return keys
