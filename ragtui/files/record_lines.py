"""
The fast way to read lines of a records file.

A typed decoder names every key and skips the texts of retrieved items. What it returns is vouched
for: such a record keeps every rule of `record_rules`. For any other line it gives no answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final, TypeAlias

import msgspec
from msgspec import UNSET, UnsetType

from ragtui.core.model import Claim, Record, Retrieved, Unit
from ragtui.errors import InputError
from ragtui.files.ids import all_well_formed, max_ids
from ragtui.files.json_lines import parse_object, proves_keys, without_texts
from ragtui.files.limits import MAX_ID_LENGTH, MAX_INTEGER
from ragtui.files.record_rules import is_delivered

if TYPE_CHECKING:
    from ragtui.files.record_rules import RecordRules

__all__ = ["FastReader"]


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

_Items: TypeAlias = tuple[tuple[Retrieved, ...], int, list[msgspec.Raw]]
"""The ranked list, how many keys its objects have, and their texts as they are written."""


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
        try:
            return self._read(line)
        except (msgspec.DecodeError, RecursionError, InputError, _UnsureError):
            return None

    def _read(self, line: bytes) -> Record:
        found = self._decode(line)
        keys = _KEYS - msgspec.structs.astuple(found).count(UNSET)
        items, claims, delivered = found.retrieved, found.claims, found.delivered
        texts: list[msgspec.Raw] = []
        plain = line
        retrieved = None
        if items is not None and items is not UNSET:
            retrieved, more, texts = self._items(items)
            keys += more
            if texts:
                plain = _without_texts(line, texts)
        stated = None
        if claims is not None and claims is not UNSET:
            stated, more = self._claims(claims)
            keys += more
        if found.extra is not UNSET:
            keys += _count_keys(parse_object(bytes(found.extra), file=""))
        if found.error == "" or not proves_keys(plain, keys):
            raise _UnsureError
        if self._rules.question_index(found.question) is None:
            raise _UnsureError
        record = Record(
            question=found.question,
            repeat=None if found.repeat is UNSET else found.repeat,
            retrieved=retrieved,
            delivered=None if delivered is UNSET else delivered,
            claims=stated,
            latency_ms=None if found.latency_ms is UNSET else found.latency_ms,
            cost_usd=None if found.cost_usd is UNSET else found.cost_usd,
            tokens_in=None if found.tokens_in is UNSET else found.tokens_in,
            tokens_out=None if found.tokens_out is UNSET else found.tokens_out,
            retries=None if found.retries is UNSET else found.retries,
            error=None if found.error is UNSET else found.error,
        )
        if record.delivered is not None:
            self._check_delivered(record)
        self.with_answer += isinstance(found.answer, str)
        self.with_text += bool(texts)
        return record

    def _items(self, items: list[str | _Item]) -> _Items:
        """Return the items, whatever they are written as."""
        try:
            joined = "".join(items)  # type: ignore[arg-type]  # the quickest test for ids only
        except TypeError:
            return self._objects(items)
        ids: list[str] = items  # type: ignore[assignment]  # joining showed that all are texts
        self._check_items(ids, joined)
        if len(set(ids)) < len(ids):
            raise _UnsureError
        return tuple(map(Retrieved, ids)), 0, []

    def _objects(self, items: list[str | _Item]) -> _Items:
        keys = 0
        texts: list[msgspec.Raw] = []
        retrieved = []
        for item in items:
            if isinstance(item, str):
                retrieved.append(Retrieved(item))
                continue
            chunk, version, score = item.chunk, item.version, item.score
            if item.text is not UNSET:
                texts.append(item.text)
            keys += 1 + (chunk is not UNSET) + (version is not UNSET) + (score is not UNSET)
            retrieved.append(
                Retrieved(
                    item.id,
                    None if chunk is UNSET else chunk,
                    None if version is UNSET else version,
                    None,
                    None if score is UNSET else score,
                )
            )
        ids = [item.id for item in retrieved]
        self._check_items(ids, "".join(ids))
        self._check_distinct(retrieved)
        return tuple(retrieved), keys + len(texts), texts

    def _check_items(self, ids: list[str], joined: str) -> None:
        is_document = self._rules.is_document
        if len(ids) > self._most:
            raise _UnsureError
        if is_document is None:
            self._check_ids(ids, joined)
        elif not all(map(is_document, ids)):  # the ids of a corpus are well formed
            raise _UnsureError

    def _check_distinct(self, retrieved: list[Retrieved]) -> None:
        if self._rules.unit is Unit.DOCUMENT:
            names = {item.id for item in retrieved}
        else:
            names = {item.chunk or item.id for item in retrieved}
        chunks = [item.chunk for item in retrieved if item.chunk is not None]
        if len(names) < len(retrieved) or not all_well_formed(chunks, "open"):
            raise _UnsureError

    def _claims(self, claims: list[_Claim]) -> tuple[tuple[Claim, ...], int]:
        """Return what the answer stated, without wording, and how many keys it is written with."""
        keys = 0
        ids: list[str] = []
        cited: list[str] = []
        stated = []
        for claim in claims:
            citations = claim.citations
            keys += 1 + (citations is not UNSET) + (claim.text is not UNSET)
            ids.append(claim.id)
            if citations is None or citations is UNSET:
                stated.append(Claim(claim.id))
                continue
            stated.append(Claim(claim.id, citations))
            cited += citations
            if len(citations) > 1 and len(set(citations)) < len(citations):
                raise _UnsureError
        if len(cited) > self._most or len(ids) > self._most or len(set(ids)) < len(ids):
            raise _UnsureError
        ids += cited
        self._check_ids(ids, "".join(ids))
        return tuple(stated), keys

    def _check_ids(self, ids: list[str], joined: str) -> None:
        """Accept the ids most people use at once and look at others one by one."""
        if (
            self._rules.profile == "open"
            and joined.isprintable()
            and " " not in joined
            and "" not in ids
            and (len(joined) <= MAX_ID_LENGTH or max(map(len, ids)) <= MAX_ID_LENGTH)
        ):
            return
        if not all_well_formed(ids, self._rules.profile):
            raise _UnsureError

    def _check_delivered(self, record: Record) -> None:
        ids = record.delivered or ()
        if (
            len(ids) > self._most
            or not is_delivered(record, self._rules)
            or not all_well_formed(ids, self._rules.profile)
        ):
            raise _UnsureError


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
