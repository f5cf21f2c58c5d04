from __future__ import annotations

import csv
import io
import json
import math
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtui.cli.layout import Column, labelled, paragraph, section, table
from ragtui.cli.output import (
    ClosedPipe,
    Elements,
    Output,
    Span,
    encode,
    inert,
    json_document,
    line,
)
from ragtui.cli.spreadsheet import cell, csv_lines
from ragtui.errors import OutputError
from ragtui.text import cell_width, clean
from tests.strategies import PAYLOADS, encodable_text, hostile_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ragtui.cli.output import Line


def _texts(lines: Iterable[Line]) -> list[str]:
    return ["".join(span.text for span in spans) for spans in lines]


def _acts(text: str) -> bool:
    """Tell whether any character of one line acts instead of being read."""
    return any(ord(c) < 0x20 or 0x7F <= ord(c) < 0xA0 or c in "\u2028\u202e\u200b" for c in text)


# ---------------------------------------------------------------- writing


@given(st.lists(hostile_text(), max_size=3))
def test_a_line_of_text_is_one_line_that_does_nothing(parts: list[str]) -> None:
    """Whatever spans hold: no control character, no line feed, no command of a runner."""
    stream = io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stdout", stream)
        Output().text([line(*(Span(part, "worse") for part in parts))])
    written = stream.getvalue()
    assert written.endswith("\n")
    assert not _acts(written[:-1])
    assert "##" not in written
    assert not written.lstrip().startswith("::")


class _Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("variables", "no_color", "colored"),
    [
        ({}, False, True),
        ({"NO_COLOR": "1"}, False, False),
        ({"NO_COLOR": ""}, False, True),
        ({"TERM": "dumb"}, False, False),
        ({}, True, False),
    ],
)
def test_colour_is_for_terminals_that_want_it(
    variables: dict[str, str], no_color: bool, colored: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """NO_COLOR, a dumb terminal and --no-color each turn it off; a pipe never has any."""
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    for stream, expected in ((_Terminal(), colored), (io.StringIO(), False)):
        monkeypatch.setattr("sys.stdout", stream)
        Output(no_color=no_color).text([line(Span("worse", "worse"), " plain")])
        assert ("\x1b[33mworse\x1b[m plain\n" == stream.getvalue()) is expected


class _Breaking(io.StringIO):
    """A stream that takes one text and then fails."""

    def __init__(self, error: OSError) -> None:
        super().__init__()
        self.error = error

    def write(self, text: str, /) -> int:
        if self.tell():
            raise self.error
        return super().write(text)


@pytest.mark.parametrize(
    ("error", "kind"),
    [(BrokenPipeError(), ClosedPipe), (OSError(28, "No space left on device"), OutputError)],
)
def test_a_failed_write_says_what_it_means(
    error: OSError, kind: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reader that went away is no error; a full disk is one."""
    monkeypatch.setattr("sys.stdout", _Breaking(error))
    output = Output()
    output.raw(["first"])
    with pytest.raises(kind):
        output.raw(["second"])


def test_a_document_that_fails_half_way_is_not_written_at_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nothing of it reaches standard output before all of it is known."""

    def parts() -> Iterator[str]:
        yield "1"
        raise OutputError("a file changed meanwhile")

    stream = io.StringIO()
    monkeypatch.setattr("sys.stdout", stream)
    with pytest.raises(OutputError):
        Output().document({"a": Elements(parts())})
    assert stream.getvalue() == ""


@given(
    st.dictionaries(
        st.text(max_size=4),
        st.recursive(
            st.none() | st.booleans() | st.integers() | encodable_text(max_pieces=2),
            lambda inner: (
                st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3)
            ),
            max_leaves=6,
        ),
        max_size=4,
    )
)
def test_a_document_reads_back_and_is_ascii(entries: dict[str, object]) -> None:
    """Any text and shape: ASCII, sorted, the same value back, no character that acts."""
    text = "".join(json_document(entries))
    assert text.isascii()
    assert not _acts(text.replace("\n", ""))
    assert json.loads(text) == entries
    assert list(json.loads(text)) == sorted(entries)


@given(st.lists(st.integers(), max_size=5))
def test_elements_are_a_list_with_one_element_a_line(numbers: list[int]) -> None:
    """A list that is encoded part by part is the list."""
    text = "".join(json_document({"x": Elements(map(encode, numbers)), "a": 1}))
    assert json.loads(text) == {"x": numbers, "a": 1}
    assert text.count("\n") == 2 + len(numbers)


@pytest.mark.parametrize("number", [math.nan, math.inf])
def test_no_number_is_written_that_json_does_not_have(number: float) -> None:
    """NaN and infinity are a mistake in this program."""
    with pytest.raises(ValueError, match="not JSON compliant"):
        encode(number)


@pytest.mark.parametrize(
    "text", ["::error::x", "  ::warning file=a::x", "a ##[group]", "##vso[task]", "####"]
)
def test_a_runner_s_commands_are_broken(text: str) -> None:
    """Neither form of command survives, and nothing is lost from sight."""
    assert "##" not in inert(text)
    assert not inert(text).lstrip().startswith("::")


# ---------------------------------------------------------------- spreadsheets


@pytest.mark.parametrize("name", PAYLOADS)
def test_a_cell_neither_runs_nor_acts(name: str) -> None:
    """Each attack stands in a cell as text, and the row is one row."""
    (row,) = csv.reader(io.StringIO("".join(csv_lines([PAYLOADS[name], "next"], []))))
    assert row[1] == "next"
    assert not _acts(row[0])
    assert not row[0].startswith(("=", "+", "-", "@"))


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", " =1+1", "\t=1", "\uff1d1"])
def test_a_formula_is_prefixed(text: str) -> None:
    """Everything a spreadsheet would calculate gets an apostrophe; numbers do not."""
    assert cell(text).startswith("'")
    assert cell(-0.5) == "-0.5"


# ---------------------------------------------------------------- columns


@given(
    st.lists(st.tuples(hostile_text(max_pieces=2), st.integers(0, 999)), max_size=4),
    st.integers(40, 120),
)
def test_a_table_that_can_give_way_keeps_to_the_width(
    rows: list[tuple[str, int]], width: int
) -> None:
    """Ids are cut, reasons wrap, figures stay whole, whatever the texts are."""
    columns = [
        Column("id", shrinks=True),
        Column("n", align="right"),
        Column("why", wraps=True),
    ]
    shown = _texts(table(columns, [(text, str(n), f"because {text}") for text, n in rows], width))
    assert bool(shown) == bool(rows)
    for text in shown:
        assert cell_width(text) <= width
        assert not _acts(text)
    for _, n in rows:
        assert any(f" {n} " in text for text in shown)


def test_a_long_table_is_measured_by_its_first_rows_and_told_how_wide_it_gets() -> None:
    """Rows are taken one by one, so a later id has the room that was asked for it."""
    rows = [["a"]] * 500 + [["a-longer-id"]]
    assert _texts(table([Column("", least=11)], rows, 80))[-1] == "  a-longer-id"
    assert _texts(table([Column("")], rows, 80))[-1] == "  …"


def test_a_section_without_lines_has_no_heading() -> None:
    """An empty section is not mentioned."""
    assert list(section("Title", [])) == []
    assert _texts(section("Title", [line("x")])) == ["", "Title", "x"]


@given(hostile_text(), st.integers(30, 100), st.integers(0, 6))
def test_a_paragraph_keeps_to_the_width(text: str, width: int, indent: int) -> None:
    """Every line fits, and the first one begins as asked."""
    shown = _texts(paragraph(text, width, indent=indent, first="A  "))
    assert shown[0].startswith(" " * indent + "A  ")
    for piece in shown:
        assert cell_width(piece) <= width
    for piece in _texts(labelled([("key", text)], width)):
        assert cell_width(piece) <= width
        assert not _acts(piece)


def test_clean_text_comes_through_unchanged() -> None:
    """What has nothing to hide is printed as it is."""
    assert clean(_texts([line("Größe · 日本")])[0]) == "Größe · 日本"
