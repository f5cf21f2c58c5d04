"""Text that wants to act, in every field that a command can print."""

from __future__ import annotations

import io
import json
from itertools import count
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtui.cli.comparison_text import comparison_lines
from ragtui.cli.documents import QuestionEncoder, comparison_document, score_document
from ragtui.cli.explain_text import explanation_lines
from ragtui.cli.filtering import Listed
from ragtui.cli.output import Output
from ragtui.cli.score_text import score_lines
from ragtui.core.evidence import Side
from ragtui.core.model import Claim, Document, Question, Record, Retrieved, Review, SetInfo, Status
from ragtui.core.pairing import Setting
from ragtui.core.run import ScoredRun
from tests.builders import any_of, comparison_of, run_info
from tests.strategies import encodable_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ragtui.cli.output import Line
    from ragtui.core.comparison import Comparison


def _acts(text: str) -> bool:
    return any(ord(c) < 0x20 or 0x7F <= ord(c) < 0xA0 or c in "\u2028\u202e\u200b" for c in text)


@st.composite
def comparisons(draw: st.DrawFn) -> Comparison:
    """Two runs in which every text, id, tag, note and setting may be an attack."""
    fresh = count()

    def text() -> str:
        # A number keeps ids apart; it does not make them harmless.
        return f"{draw(encodable_text(max_pieces=2))}{next(fresh)}"

    documents = [
        Document(id=text(), text=text(), title=text(), version=text(), source=text())
        for _ in range(3)
    ]
    first, second, third = (document.id for document in documents)
    expected, extra = text(), text()
    asked = Question(
        id=text(),
        text=text(),
        tags=(text(),),
        relevant=(first, second),
        support={expected: (frozenset({first}),)},
        accepted={text(): (frozenset({third}),)},
        claims={expected: text()},
        status=Status.DISPUTED,
        reviews=tuple(
            Review(reviewer=text(), relevant=(first,), support={claim: one}, note=text())
            for claim, one in ((expected, any_of(first)), (extra, any_of(first, text())))
        ),
        caller=("public", text()),
    )
    unanswerable = Question(id=text(), relevant=(), support={}, tags=(text(),))
    failed = Question(id=text(), relevant=(first,))
    a = (
        Record(
            question=asked.id,
            retrieved=tuple(Retrieved(d.id, version=text()) for d in documents),
            claims=(Claim(expected, (first,)),),
            answer=text(),
        ),
        Record(question=unanswerable.id, retrieved=(), claims=()),
        Record(question=failed.id, error=text()),
    )
    b = (
        Record(
            question=asked.id,
            retrieved=(Retrieved(third, chunk=text()), Retrieved(first)),
            claims=(Claim(expected, (third, text())), Claim(extra, ())),
        ),
        Record(
            question=unanswerable.id,
            retrieved=(Retrieved(third),),
            claims=(Claim(text(), (third,)),),
        ),
    )
    comparison = comparison_of(
        [asked, unanswerable, failed],
        a,
        b,
        documents=documents,
        baseline=run_info(text(), pipeline={text(): text()}, note=text()),
        candidate=run_info(text(), note=text()),
        set_info=SetInfo(id=text(), version=text()),
        notices=(text(),),
    )
    comparison.annotation = (Setting(text(), text(), None),)
    return comparison


def _written(lines: Iterable[Line]) -> str:
    stream = io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stdout", stream)
        Output().text(lines)
    return stream.getvalue()


def _harmless(text: str) -> bool:
    """Tell whether each line does nothing, on a terminal or in a runner's log."""
    return "##" not in text and not any(
        _acts(line) or line.lstrip().startswith("::") for line in text.split("\n")
    )


@settings(max_examples=60)
@given(comparisons(), st.sampled_from([60, 100]))
def test_no_text_of_two_runs_acts(comparison: Comparison, width: int) -> None:
    """The comparison and the explanation of every question are lines that do nothing."""
    everything = Listed("", range(len(comparison)), len(comparison))
    assert _harmless(_written(comparison_lines(comparison, everything, width)))
    for index in range(len(comparison)):
        detail = comparison.detail(index)
        assert _harmless(_written(explanation_lines(comparison, detail, width)))


@settings(max_examples=60)
@given(comparisons())
def test_documents_keep_every_text_and_none_acts(comparison: Comparison) -> None:
    """JSON is ASCII and reads back to the raw ids."""
    everything = Listed("", range(len(comparison)), len(comparison))
    with pytest.MonkeyPatch.context() as patch:
        stream = io.StringIO()
        patch.setattr("sys.stdout", stream)
        Output().document(comparison_document(comparison, everything))
        written = stream.getvalue()
        patch.setattr("sys.stdout", lines := io.StringIO())
        encoder = QuestionEncoder(comparison)
        Output().raw(f"{encoder.encoded(index)}\n" for index in range(len(comparison)))
    assert written.isascii()
    assert lines.getvalue().isascii()
    document = json.loads(written)
    assert [item["question"] for item in document["questions"]] == list(comparison.ids)
    assert document["notices"] == list(comparison.notices)
    read = [json.loads(text) for text in lines.getvalue().splitlines()]
    assert read == document["questions"]
    for index, item in enumerate(document["questions"]):
        change = comparison.detail(index).change
        assert item["plus"] == [str(signal) for signal in change.plus]
        assert item["minus"] == [str(signal) for signal in change.minus]
        for measure in comparison.measures:
            delta = comparison.delta(measure, index)
            assert item["measures"][measure.key]["delta"] == (
                None if delta is None else float(delta)
            )


@settings(max_examples=40)
@given(comparisons())
def test_no_text_of_one_run_acts(comparison: Comparison) -> None:
    """The table of one run, its unsupported claims and its document."""
    run = ScoredRun(
        set_info=comparison.set_info,
        ids=comparison.ids,
        run=comparison.run(Side.BASELINE),
        scorer=comparison.scorer,
        evidence=comparison.evidence,
        notices=comparison.notices,
    )
    assert _harmless(_written(score_lines(run, 100)))
    stream = io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stdout", stream)
        Output().document(score_document(run))
    assert stream.getvalue().isascii()
    assert [q["question"] for q in json.loads(stream.getvalue())["questions"]] == list(run.ids)
