"""
What a record may hold: its shape, read key by key, and the structural rules it must keep.

This is the slow and exact side: it reads records written inside a manifest, single records to
look at, and every record that the fast decoder of a records file could not vouch for.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ragtui.core.model import Claim, Record, Retrieved, Unit
from ragtui.errors import Fault
from ragtui.files.ids import check_id, max_ids
from ragtui.files.limits import MAX_ID_LENGTH
from ragtui.files.shape import describe

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ragtui.files.ids import Profile
    from ragtui.files.shape import Table

__all__ = ["RecordRules", "check_record", "is_delivered", "read_record"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordRules:
    """What a record must agree with besides its own format."""

    cutoff: int | None
    """How many retrieved items reached the answer stage; `None`: the manifest is not at hand."""
    unit: Unit
    profile: Profile
    question_index: Callable[[str], int | None]
    """Place of a question in the set, `None` for an unknown id."""
    is_document: Callable[[str], bool] | None
    """Whether the corpus holds a document; `None`: an open corpus. Called very often."""


def read_record(table: Table) -> Record:
    """Read one record; what is wrong with its shape goes to the faults of *table*."""
    question = table.need_text("question")
    table.question = _name(question) or None
    record = Record(
        question=question,
        repeat=table.whole("repeat", least=1),
        retrieved=_read_retrieved(table),
        delivered=table.texts("delivered"),
        answer=table.text("answer"),
        claims=_read_claims(table),
        latency_ms=table.number("latency_ms", least=0),
        cost_usd=table.number("cost_usd", least=0),
        tokens_in=table.whole("tokens_in", least=0),
        tokens_out=table.whole("tokens_out", least=0),
        retries=table.whole("retries", least=0),
        error=table.text("error"),
    )
    table.table("extra")
    table.done()
    return record


def check_record(record: Record, rules: RecordRules) -> list[Fault]:
    """Return everything that is wrong with *record*; each fault names its key and question."""
    check = _Check(record, rules)
    check.run()
    return check.faults


def is_delivered(record: Record, rules: RecordRules) -> bool:
    """
    Tell whether what was delivered is what stood in the first k ranks, where both are known.

    Chunks may be named by their own ids or by those of their documents.
    """
    if record.delivered is None or record.retrieved is None:
        return True
    cutoff = len(record.delivered) if rules.cutoff is None else rules.cutoff
    visible = record.retrieved[:cutoff]
    if record.delivered == tuple(item.id for item in visible):
        return True
    return rules.unit is Unit.CHUNK and record.delivered == tuple(
        item.chunk or item.id for item in visible
    )


def _name(question: str) -> str:
    """Return a question id for messages; what is longer than any id can be is cut."""
    return question[:MAX_ID_LENGTH]


def _read_retrieved(table: Table) -> tuple[Retrieved, ...] | None:
    items = table.items("retrieved")
    if items is None:
        return None
    return tuple(_read_item(table, path, value) for path, value in items)


def _read_item(table: Table, path: str, value: object) -> Retrieved:
    if type(value) is str:
        return Retrieved(value)
    if type(value) is not dict:
        table.fault_at(
            path,
            "the value has another type",
            found=describe(value),
            expected="an id or an object with an id",
        )
        return Retrieved("")
    item = table.inner(path, value)
    retrieved = Retrieved(
        item.need_text("id"),
        chunk=item.text("chunk"),
        version=item.text("version"),
        text=item.text("text"),
        score=item.number("score"),
    )
    item.done()
    return retrieved


def _read_claims(table: Table) -> tuple[Claim, ...] | None:
    claims = table.tables("claims")
    return None if claims is None else tuple(_read_claim(claim) for claim in claims)


def _read_claim(table: Table) -> Claim:
    claim = Claim(
        table.need_text("id"),
        citations=table.texts("citations") or (),
        text=table.text("text"),
    )
    table.done()
    return claim


@dataclass(slots=True)
class _Check:
    """Collects the faults of one record."""

    record: Record
    rules: RecordRules
    faults: list[Fault] = field(default_factory=list)

    def run(self) -> None:
        record = self.record
        if self.rules.question_index(record.question) is None:
            self.fault("question", "the question is not in the set", found=record.question)
        if record.error == "":
            hint = "say what failed, or leave it out when nothing did"
            self.fault("error", "the error is empty", hint=hint)
        self.retrieved(record.retrieved or ())
        self.ids("delivered", record.delivered or ())
        self.claims(record.claims or ())
        if not is_delivered(record, self.rules):
            self.fault(
                "delivered",
                f"these are not the first {self.rules.cutoff or 'of those'} retrieved",
                found=", ".join(record.delivered or ()),
                hint="correct the cutoff of the manifest, or record what really was delivered",
            )

    def fault(
        self, key: str, message: str, *, found: str | None = None, hint: str | None = None
    ) -> None:
        self.faults.append(
            Fault(
                message=message,
                key=key,
                question=_name(self.record.question),
                found=None if found is None else describe(found),
                hint=hint,
            )
        )

    def retrieved(self, items: Sequence[Retrieved]) -> None:
        chunks = self.rules.unit is Unit.CHUNK
        names = [item.chunk or item.id if chunks else item.id for item in items]
        self.distinct("retrieved", names, "chunk" if chunks else "document")
        self.ids("retrieved", [item.id for item in items])
        known = self.rules.is_document
        for index, item in enumerate(items):
            if item.chunk is not None and (wrong := check_id(item.chunk, "open")):
                self.fault(f"retrieved[{index}].chunk", f"the id {wrong}", found=item.chunk)
            if known is not None and not known(item.id):
                self.fault(
                    f"retrieved[{index}]", "the document is not in the corpus", found=item.id
                )

    def claims(self, claims: Sequence[Claim]) -> None:
        ids = [claim.id for claim in claims]
        self.distinct("claims", ids, "claim")
        self.ids("claims", ids)
        for index, claim in enumerate(claims):
            path = f"claims[{index}].citations"
            self.distinct(path, claim.citations, "document")
            self.ids(path, claim.citations)

    def ids(self, path: str, ids: Sequence[str]) -> None:
        most = max_ids(self.rules.profile)
        if len(ids) > most:
            self.fault(path, f"there are more than {most:,} ids", found=f"{len(ids):,}")
        for index, text in enumerate(ids):
            if wrong := check_id(text, self.rules.profile):
                self.fault(f"{path}[{index}]", f"the id {wrong}", found=text)

    def distinct(self, path: str, names: Sequence[str], what: str) -> None:
        seen: set[str] = set()
        for index, name in enumerate(names):
            if name in seen:
                self.fault(f"{path}[{index}]", f"the {what} stands more than once", found=name)
            seen.add(name)
