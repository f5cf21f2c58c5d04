"""Whatever a file holds, a note shows it as text: no format lets a character of it act."""

from __future__ import annotations

import json
import re
import unicodedata
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from ragtui.notes.document import (
    Column,
    Document,
    Fence,
    Paragraph,
    Table,
    data,
    shown,
    shown_body,
    text,
)
from ragtui.notes.layout import inert, lines
from ragtui.notes.writers import FORMATS, render
from ragtui.notes.writers.markdown import code, code_cell, fence
from ragtui.notes.writers.page import POLICY
from ragtui.notes.writers.plain_text import write as write_plain
from ragtui.notes.writers.terminal import write as write_terminal
from ragtui.text import cell_width
from tests.notes.notes import data_of, documents, fences_of, spans_of, with_data
from tests.strategies import PAYLOADS, hostile_text

SVG: Final = "{http://www.w3.org/2000/svg}"
SGR: Final = re.compile(r"\x1b\[[0-9;]*m")
RUNNER: Final = re.compile(r"^\s*::|##\[|##vso\[|##teamcity\[", re.MULTILINE)

BOTH_JOINERS: Final = "\u200c\u200d"


def acting(told: str) -> set[str]:
    """Return the characters of a text that something obeys, but for the line feed."""
    return {
        c
        for c in told
        if c != "\n" and c not in BOTH_JOINERS and unicodedata.category(c) in {"Cc", "Cf", "Cs"}
    }


def everything() -> Document:
    """Return a document with every known attack in every kind of place."""
    attacks = list(PAYLOADS.values())
    return Document(
        text("note of ", data(attacks[0])),
        (
            *(Paragraph(text("said ", data(attack))) for attack in attacks),
            Table((Column("a"), Column("b")), tuple((text(data(a)), text("x")) for a in attacks)),
            *(Fence(text("text of ", data("d")), attack) for attack in attacks),
        ),
        {"attacks": attacks},
    )


@pytest.mark.parametrize("suffix", FORMATS)
def test_no_known_attack_leaves_a_control_character_in_a_file(suffix: str) -> None:
    """Each format is UTF-8 with nothing in it that a terminal or an editor obeys."""
    told = render(everything(), suffix).decode("utf-8")
    assert not acting(told)
    assert told.endswith("\n")


@pytest.mark.parametrize("suffix", [".txt", ".md"])
def test_no_known_attack_is_a_command_to_a_runner(suffix: str) -> None:
    """A note printed into the log of a CI job starts no command there."""
    assert not RUNNER.search(render(everything(), suffix).decode("utf-8"))


@given(documents(), st.sampled_from(sorted(FORMATS)))
def test_any_document_is_written_without_a_control_character(
    document: Document, suffix: str
) -> None:
    """The same for anything that Unicode has, surrogates included."""
    assert not acting(render(document, suffix).decode("utf-8"))


@given(documents())
def test_the_same_document_is_the_same_bytes(document: Document) -> None:
    """A writer reads no clock, no environment and no order of a set."""
    for suffix in FORMATS:
        assert render(document, suffix) == render(document, suffix)


@given(documents())
def test_a_terminal_gets_colours_and_nothing_else(document: Document) -> None:
    """Every escape sequence selects a rendition: none moves, asks, links or writes elsewhere."""
    assert not acting(SGR.sub("", write_terminal(document, 80)))


@given(documents(), st.integers(40, 160))
def test_no_line_is_wider_than_the_page(document: Document, width: int) -> None:
    """Words and data break where the page ends, in tables too."""
    for line in lines(document, width):
        assert cell_width("".join(piece.text for piece in line)) <= width


@given(documents())
def test_plain_text_leaves_out_no_word(document: Document) -> None:
    """All characters of all spans stand in the text file, whatever the breaks between them."""

    def bare(told: str) -> str:
        return "".join(sorted(re.sub(r"[\s│─<>U+003A:#]", "", told)))

    wanted = "".join(shown(span) for span in spans_of(document))
    wanted += "".join(map(shown_body, fences_of(document)))
    found = bare(write_plain(document))
    remaining = list(found)
    for character in bare(wanted):
        remaining.remove(character)


# ---------------------------------------------------------------- HTML


class Page(HTMLParser):
    """Every element and attribute that a browser would see, and the text of the data."""

    def __init__(self) -> None:
        """Start with nothing read."""
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, tuple[tuple[str, str | None], ...]]] = []
        self.data: list[str] = []
        self.quoted: list[str] = []
        self._open: list[str] = []
        self.others: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, tuple(attrs)))
        if tag != "meta":
            self._open.append(tag)
        if tag == "bdi":
            self.data.append("")
        if tag == "pre":
            self.quoted.append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, tuple(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, told: str) -> None:
        if self._open and self._open[-1] == "bdi":
            self.data[-1] += told
        if self._open and self._open[-1] == "pre":
            self.quoted[-1] += told

    def handle_comment(self, told: str) -> None:
        self.others.append(told)

    def handle_pi(self, told: str) -> None:
        self.others.append(told)

    def unknown_decl(self, told: str) -> None:
        self.others.append(told)


def page_of(document: Document) -> Page:
    page = Page()
    page.feed(render(document, ".html").decode("utf-8"))
    page.close()
    return page


TONE: Final = r"(?:worse|better|mixed|absent|faint|strong)"
ATTRIBUTES: Final = {
    ("html", "lang"): "en",
    ("meta", "charset"): "utf-8",
    ("meta", "http-equiv"): "Content-Security-Policy",
    ("meta", "name"): "viewport|color-scheme|referrer",
    ("meta", "content"): f"{re.escape(POLICY)}|width=device-width, initial-scale=1|light dark"
    "|no-referrer",
    ("bdi", "class"): rf"(?:id|said)(?: {TONE})?",
    ("span", "class"): TONE,
    ("p", "class"): TONE,
    ("i", "class"): TONE,
    ("i", "style"): r"flex:\d+",
    ("li", "class"): TONE,
    ("article", "class"): TONE,
    ("div", "class"): "bar|wide|quoted",
    ("div", "aria-hidden"): "true",
    ("ul", "class"): "counts",
    ("th", "class"): "n",
    ("td", "class"): "n",
    ("th", "scope"): "col",
}
"""Every attribute that a template writes, and what may be in it."""

TAGS: Final = re.compile(
    "html|head|meta|title|style|body|main|header|section|article|h[1-4]|p|ul|li|dl|dt|dd|div|i|b"
    "|span|bdi|table|thead|tbody|tr|th|td|pre"
)


@given(documents())
def test_a_page_holds_only_elements_and_attributes_of_its_templates(document: Document) -> None:
    """No link, no script, no image, no handler, no style, no address of anything."""
    page = page_of(document)
    for tag, attributes in page.elements:
        assert TAGS.fullmatch(tag)
        for name, value in attributes:
            assert re.fullmatch(ATTRIBUTES[tag, name], value or ""), (tag, name, value)
    assert not page.others


@given(documents())
def test_a_page_shows_the_data_as_it_is(document: Document) -> None:
    """A browser's text of each data span and of each quotation is the cleaned text of the file."""
    page = page_of(document)
    assert page.data == [shown(span) for span in data_of(document)]
    assert page.quoted == list(map(shown_body, fences_of(document)))


@given(documents())
def test_data_changes_no_element_of_a_page(document: Document) -> None:
    """With harmless words in place of the data, the page has the same elements in order."""
    tame = page_of(with_data(document, lambda told: "x y" if " " in shown(data(told)) else "x"))
    assert page_of(document).elements == tame.elements


@given(documents())
def test_a_page_is_well_formed_xml_too(document: Document) -> None:
    """A strict parser reads it to the end, and finds the policy that forbids to load anything."""
    told = render(document, ".html").decode("utf-8")
    root = ET.fromstring(told)  # noqa: S314 - this program wrote it
    policies = [m.get("content") for m in root.iter("meta") if m.get("http-equiv")]
    assert policies == [POLICY]


def test_a_page_names_no_address_at_all() -> None:
    """Whatever is written in it, nothing that a browser would fetch."""
    told = render(Document(text("note"), ()), ".html").decode("utf-8")
    assert not re.search(r"https?:|url\(|@import|src=|href=", told)


# ---------------------------------------------------------------- SVG

SVG_ATTRIBUTES: Final = {
    ("svg", "width"): r"\d+",
    ("svg", "height"): r"\d+",
    ("svg", "viewBox"): r"0 0 \d+ \d+",
    ("svg", "role"): "img",
    ("rect", "class"): "page",
    ("rect", "width"): r"\d+",
    ("rect", "height"): r"\d+",
    ("text", "x"): r"\d+\.\d",
    ("text", "y"): r"\d+",
    ("text", "class"): TONE,
    ("text", "{http://www.w3.org/XML/1998/namespace}space"): "preserve",
}


@given(documents())
def test_a_picture_is_well_formed_and_holds_text_alone(document: Document) -> None:
    """A strict parser finds the elements of the template with its attributes, and no other."""
    root = ET.fromstring(render(document, ".svg").decode("utf-8"))  # noqa: S314 - as above
    for element in root.iter():
        tag = element.tag.removeprefix(SVG)
        assert tag in {"svg", "title", "style", "rect", "text"}
        for name, value in element.attrib.items():
            assert re.fullmatch(SVG_ATTRIBUTES[tag, name], value), (tag, name, value)


@given(documents())
def test_a_picture_shows_the_lines_of_the_text_file(document: Document) -> None:
    """The same words in the same order; only spaces are left to the places of the pieces."""
    root = ET.fromstring(render(document, ".svg").decode("utf-8"))  # noqa: S314 - as above
    drawn = "".join(element.text or "" for element in root.iter(f"{SVG}text"))
    wanted = "".join(piece.text for line in lines(document, 100) for piece in line)
    assert drawn.replace(" ", "") == wanted.replace(" ", "")


def test_a_picture_needs_no_font_from_anywhere() -> None:
    """No address in it but the name of the format itself."""
    told = render(Document(text("note"), ()), ".svg").decode("utf-8")
    assert re.findall(r"https?:[^\"]*", told) == ["http://www.w3.org/2000/svg"]
    assert not re.search(r"@font-face|url\(|@import|href", told)


# ---------------------------------------------------------------- Markdown

GITHUB: Final = MarkdownIt("gfm-like")
"""A parser of another project: tables, strikethrough, and links made of bare addresses."""

MENTION: Final = re.compile(r"(?<!\w)@[A-Za-z0-9]|(?<!\w)#\d|\b[0-9a-f]{7,40}\b|\bGH-\d")


class Rendered:
    """What a renderer makes of a note."""

    def __init__(self, told: str) -> None:
        """Render *told*."""
        self.kinds: list[str] = []
        self.code: list[str] = []
        self.fences: list[str] = []
        self.text: list[str] = []
        for token in GITHUB.parse(told):
            self.kinds.append(token.type)
            if token.type == "fence":
                self.fences.append(token.content)
            for inner in token.children or ():
                self.kinds.append(inner.type)
                if inner.type == "code_inline":
                    self.code.append(inner.content)
                elif inner.type == "text":
                    self.text.append(inner.content)


def rendered(document: Document) -> Rendered:
    return Rendered(render(document, ".md").decode("utf-8"))


FORBIDDEN: Final = {
    "link_open", "image", "html_inline", "html_block", "code_block", "blockquote_open", "hr",
    "lheading_open", "s_open",
}  # fmt: skip


@given(documents())
def test_markdown_holds_data_as_code_and_nothing_else(document: Document) -> None:
    """Each data span is one code span, each quotation one fence, with the cleaned text in it."""
    found = rendered(document)
    assert found.code == [inert(shown(span)) for span in data_of(document)]
    bodies = ["\n".join(map(inert, shown_body(b).split("\n"))) for b in fences_of(document)]
    assert found.fences == [f"{body}\n" for body in bodies]


@given(documents())
def test_markdown_holds_no_link_image_html_or_mention(document: Document) -> None:
    """Nothing outside code is an address, a picture, a tag, a person or a reference."""
    found = rendered(document)
    assert not FORBIDDEN & set(found.kinds)
    assert not any(MENTION.search(told) for told in found.text)


@given(documents())
def test_data_changes_nothing_in_how_markdown_is_built(document: Document) -> None:
    """With harmless words in place of the data, a renderer sees the same blocks and spans."""
    assert rendered(document).kinds == rendered(with_data(document, lambda _: "x")).kinds


@settings(max_examples=400)
@given(hostile_text())
def test_a_code_span_gives_its_text_back(told: str) -> None:
    """A renderer reads what was put in, alone and in a cell between two others."""
    wanted = inert(shown(data(told)))
    assert Rendered(code(shown(data(told)))).code == [wanted]
    table = f"| a | b | c |\n| --- | --- | --- |\n| x | {code_cell(shown(data(told)))} | y |\n"
    found = Rendered(table)
    assert found.code == [wanted]
    assert found.kinds.count("td_open") == 3


@settings(max_examples=400)
@given(st.text("`|\\ a<&*_[]~", max_size=9).filter(bool))
def test_a_code_span_of_signs_gives_its_text_back(told: str) -> None:
    """The signs that Markdown lives on, in every short order."""
    found = Rendered(f"| a |\n| --- |\n| {code_cell(told)} |\n")
    assert found.code == [told]
    assert Rendered(code(told)).code == [told]


@given(hostile_text())
def test_a_fence_gives_its_text_back(told: str) -> None:
    """Whatever fences are in a text, the one around it is longer."""
    found = Rendered(fence(told))
    assert found.kinds == ["fence"]


# ---------------------------------------------------------------- JSON


@given(hostile_text())
def test_json_keeps_the_raw_text_in_ascii(told: str) -> None:
    """A program gets what the file said; a terminal that shows the JSON gets nothing to obey."""
    document = Document(text("note"), (), {"id": told})
    written = render(document, ".json")
    assert written.isascii()
    assert json.loads(written) == {"id": told}
