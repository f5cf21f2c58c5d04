"""
Questions out of TOML tables and JSON lines, each checked against the rules of its set.

An ordinary JSON line takes a fast decoder and a quick look. Whatever that look does not pass, and
every TOML table, is read key by key, so that all faults of a question are named in one go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from ragtui.core.model import Status
from ragtui.errors import MAX_FAULTS_SHOWN, InputError
from ragtui.files.json_lines import check_keys, parse_object, translate
from ragtui.files.limits import MAX_INTEGER
from ragtui.files.question_rules import check_question
from ragtui.files.question_scan import is_plainly_sound
from ragtui.files.questions import (
    RawQuestion,
    RawReview,
    count_keys,
    spelling_faults,
    to_question,
)
from ragtui.files.shape import Table, describe

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ragtui.files.question_rules import QuestionRules
    from ragtui.files.questions import Entry
    from ragtui.files.shape import Faults


__all__ = ["QuestionReader", "decode_question", "read_table"]

_DECODER: Final = msgspec.json.Decoder(RawQuestion)


def decode_question(line: bytes) -> RawQuestion:
    """Return a question from a line that was checked before."""
    return _DECODER.decode(line)


class QuestionReader:
    """Reads the questions of one file and collects what is wrong with them."""

    def __init__(self, rules: QuestionRules, faults: Faults) -> None:
        """Check against *rules* and report to *faults*."""
        self._rules = rules
        self._faults = faults

    def line(self, line: bytes, number: int) -> RawQuestion | None:
        """Return the question on *line* number *number*, `None` when its keys are wrong."""
        try:
            raw = _DECODER.decode(line)
            check_keys(line, count_keys(raw), file=self._faults.file, number=number)
        except InputError as error:
            self._faults.add(*error.faults, line=number)
            return None
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            self._slow_line(line, number, error)
            return None
        if not is_plainly_sound(raw, self._rules):
            self._check(raw, number)
        return raw

    def table(self, data: Mapping[str, object], place: int) -> RawQuestion | None:
        """Return the question in the TOML table number *place*, `None` when its keys are wrong."""
        raw = self._read(data, f"question[{place}]", None)
        if raw is not None:
            self._check(raw, None)
        return raw

    def _slow_line(self, line: bytes, number: int, error: Exception) -> None:
        """Say what is wrong with a line that the fast decoder refused, while somebody reads it."""
        before = self._faults.count
        if before >= MAX_FAULTS_SHOWN:
            self._faults.add(translate(error), line=number)
            return
        try:
            data = parse_object(line, file=self._faults.file, number=number)
        except InputError as refused:
            self._faults.add(*refused.faults, line=number)
            return
        raw = self._read(data, "", number)
        if raw is not None or self._faults.count == before:
            # The fast decoder saw what the slow reader did not; it must not pass unsaid.
            self._faults.add(translate(error), line=number)

    def _read(
        self, data: Mapping[str, object], path: str, number: int | None
    ) -> RawQuestion | None:
        """Read *data* key by key; the question's id names the place better than its number."""
        name = data.get("id")
        known = name if isinstance(name, str) else None
        table = Table(data, self._faults, path="" if known else path, line=number, question=known)
        return read_table(table)

    def _check(self, raw: RawQuestion, number: int | None) -> None:
        self._faults.add(*spelling_faults(raw), line=number)
        self._faults.add(*check_question(to_question(raw), self._rules), line=number)


def read_table(table: Table) -> RawQuestion | None:
    """Return the question that *table* holds; `None` after any fault, which the table reports."""
    before = table.faults.count
    raw = RawQuestion(
        id=table.need_text("id"),
        text=table.text("text"),
        tags=table.texts("tags"),
        critical=table.flag("critical"),
        relevant=table.texts("relevant"),
        support=_claims(table.table("support")),
        accepted=_claims(table.table("accepted")),
        caller=table.texts("caller"),
        cluster=table.text("cluster"),
        status=table.choice("status", Status),
        grades=_grades(table.table("grades")),
        not_relevant=table.texts("not_relevant"),
        claims=_wordings(table.table("claims")),
        review=_reviews(table),
    )
    table.done()
    return raw if table.faults.count == before else None


def _claims(table: Table | None) -> dict[str, list[Entry]] | None:
    if table is None:
        return None
    return {claim: _entries(table, claim) for claim, _ in table.entries()}


def _entries(table: Table, claim: str) -> list[Entry]:
    """Read the alternatives of one claim."""
    found: list[Entry] = []
    for path, value in table.items(claim) or ():
        if type(value) is str:
            found.append(value)
        elif type(value) is list:
            inner = [(f"{path}[{place}]", item) for place, item in enumerate(value)]
            found.append(list(table.texts_of(inner) or ()))
        else:
            table.fault_at(
                path,
                "the value has another type",
                found=describe(value),
                expected="an id, or a list of ids that are needed together",
            )
    if not table.has(claim):
        table.fault(claim, "the claim has no value", expected="a list of ids")
    return found


def _grades(table: Table | None) -> dict[str, int] | None:
    if table is None:
        return None
    grades = {}
    for name, _ in table.entries():
        grade = table.whole(name, least=-MAX_INTEGER)
        if grade is None and not table.has(name):
            table.fault(name, "the document has no grade", expected="a whole number")
        grades[name] = grade or 0
    return grades


def _wordings(table: Table | None) -> dict[str, str] | None:
    if table is None:
        return None
    return {name: table.need_text(name) for name, _ in table.entries()}


def _reviews(table: Table) -> tuple[RawReview, ...] | None:
    reviews = table.tables("review")
    return None if reviews is None else tuple(_review(review) for review in reviews)


def _review(table: Table) -> RawReview:
    raw = RawReview(
        reviewer=table.need_text("reviewer"),
        relevant=table.texts("relevant"),
        support=_claims(table.table("support")),
        note=table.text("note"),
    )
    table.done()
    return raw
