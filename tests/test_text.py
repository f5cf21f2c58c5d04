"""Display text: what comes out can only be read, and takes the cells it says it takes."""

from __future__ import annotations

import re
import subprocess
import sys
import unicodedata
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from ragtui.text import (
    Align,
    cell_width,
    cells,
    clean,
    cleaning,
    confusable,
    confusable_pairs,
    cut,
    fit,
    nearest,
    plural,
    printable_id,
    quote,
    wrap,
)
from tests.strategies import (
    ORDINARY,
    PAYLOADS,
    ZWJ,
    ZWNJ,
    any_character,
    hostile_text,
    plain_ids,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

ALIGNMENTS: tuple[Align, ...] = ("left", "right", "center")
FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466"
FLAG = "\U0001f1e9\U0001f1ea"

texts = st.one_of(hostile_text(), st.text(any_character))
limits = st.one_of(st.integers(0, 60), st.just(20_000))
widths = st.integers(1, 40)


def forbidden(text: str, *, multiline: bool) -> list[str]:
    """Return the characters that no display text may hold."""
    allowed = {ZWJ, ZWNJ, "\n"} if multiline else {ZWJ, ZWNJ}
    return [
        character
        for character in text
        if character not in allowed
        and unicodedata.category(character) in {"Cc", "Cf", "Cs", "Zl", "Zp"}
    ]


def visible(pieces: Iterable[str]) -> str:
    """Return everything but spaces and line feeds."""
    return "".join(pieces).replace(" ", "").replace("\n", "")


class TestClean:
    """`clean` makes text that acts into text that is read."""

    @given(text=texts, multiline=st.booleans(), limit=limits)
    def test_nothing_that_acts_comes_through(
        self,
        *,
        text: str,
        multiline: bool,
        limit: int,
    ) -> None:
        """The result has no Cc, Cf, Cs or line separator but joiners, and line feeds in blocks."""
        assert forbidden(clean(text, multiline=multiline, limit=limit), multiline=multiline) == []

    @given(text=texts, multiline=st.booleans(), limit=limits)
    def test_cleaning_twice_changes_nothing_more(
        self,
        *,
        text: str,
        multiline: bool,
        limit: int,
    ) -> None:
        """Cleaning is idempotent, with every limit."""
        once = clean(text, multiline=multiline, limit=limit)
        assert clean(once, multiline=multiline, limit=limit) == once

    @given(
        text=st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E)), multiline=st.booleans()
    )
    def test_printable_ascii_is_the_same_object(
        self,
        *,
        text: str,
        multiline: bool,
    ) -> None:
        """Printable ASCII is returned untouched and uncopied."""
        assert clean(text, multiline=multiline) is text

    @given(texts, limits)
    def test_no_more_than_the_limit_and_a_count_is_shown(self, text: str, limit: int) -> None:
        """What is longer than the limit is the limit and a count."""
        shown = clean(text, limit=limit)
        body, mark, count = shown.rpartition("…<+")
        if len(shown) <= limit:
            return
        assert mark
        assert len(body) <= limit
        assert re.fullmatch(r"[\d,]+ characters>", count)

    @pytest.mark.parametrize("name", PAYLOADS)
    def test_each_known_payload_loses_its_power_on_one_line(self, name: str) -> None:
        """Each payload of the catalogue becomes one harmless line."""
        shown = clean(PAYLOADS[name])
        assert forbidden(shown, multiline=False) == []
        assert "\n" not in shown

    @pytest.mark.parametrize("text", ORDINARY)
    def test_honest_text_of_any_script_comes_back_as_the_same_object(self, text: str) -> None:
        """Letters, emoji, Persian and Indic joiners are left alone."""
        assert clean(text) is text

    def test_every_code_point_alone_is_kept_or_made_visible(self) -> None:
        """None of the 1,114,112 code points gets through as a control."""
        changed = Counter(
            unicodedata.category(chr(code))
            for code in range(0x110000)
            if forbidden(clean(f"a{chr(code)}"), multiline=False)
        )
        assert changed == Counter()

    def test_every_mark_is_known_to_the_flood_rule(self) -> None:
        """Of nine marks in a row eight stay, for each mark of Unicode."""
        marks = [
            chr(code)
            for code in range(0x110000)
            if unicodedata.category(chr(code)).startswith("M") and clean(f"a{chr(code)}")[1] != "<"
        ]
        missed = [
            hex(ord(mark)) for mark in marks if clean(f"a{mark * 9}") != f"a{mark * 8}<+1 marks>"
        ]
        assert missed == []

    def test_every_character_without_width_is_capped_so_no_row_can_hide_a_flood(self) -> None:
        """What rich measures as nothing cannot be repeated at will."""
        # Measured as nothing, drawn as something: the row would run over the next ones.
        missed = [
            hex(code)
            for code in range(0xA0, 0x110000)
            if cell_len(chr(code)) == 0 and "<" not in clean(f"\u65e5{chr(code) * 9}")
        ]
        assert missed == []

    @pytest.mark.parametrize(
        ("raw", "shown"),
        [
            ("\x1b[31m", "␛[31m"),
            ("\x00\x07\x08\x7f", "␀␇␈␡"),
            ("a\r\nb\tc", "a␍␊b␉c"),
            ("\x85\x9b", "<U+0085><U+009B>"),
            ("\u202e\u2066\u061c\u200f", "<U+202E><U+2066><U+061C><U+200F>"),
            (
                "\xad\u034f\u200b\u2028\u3164\ufeff",
                "<U+00AD><U+034F><U+200B><U+2028><U+3164><U+FEFF>",
            ),
            ("\U000e0041\U000e0100", "<U+E0041><U+E0100>"),
            ("\ud800\udfff", "<U+D800><U+DFFF>"),
            ("\ufdd0\uffff\U0010fffe", "<U+FDD0><U+FFFF><U+10FFFE>"),
            ("Z" + "\u0301" * 5000 + "!", "Z" + "\u0301" * 8 + "<+4992 marks>!"),
            ("\U0001f44d" + "\U0001f3fd" * 10, "\U0001f44d" + "\U0001f3fd" * 8 + "<+2 marks>"),
        ],
    )
    def test_each_class_has_its_visible_form(self, raw: str, shown: str) -> None:
        """Each class of characters has the visible form that is documented."""
        assert clean(raw) == shown

    @pytest.mark.parametrize(
        ("raw", "shown"),
        [
            ("a\r\nb\nc", "a\nb\nc"),
            ("a\rb\r\r\n", "a␍b␍\n"),
            ("\ta\tb\n日\tc\t", "    a   b\n日  c   "),
            ("\t\u202e\t", "    <U+202E>    "),
        ],
    )
    def test_block_text_keeps_lines_and_columns(self, raw: str, shown: str) -> None:
        """Line feeds stay, CR LF is one, tabs reach the next column of four cells."""
        assert clean(raw, multiline=True) == shown

    @pytest.mark.parametrize(
        ("raw", "shown"),
        [
            (f"a{ZWJ}b", "a<U+200D>b"),
            (f"{ZWJ}日", "<U+200D>日"),
            (f"日{ZWJ}b", "日<U+200D>b"),
            (f"日{ZWJ}{ZWJ}日", f"日{ZWJ}<U+200D>日"),
            (ZWJ.join("日" * 11), ZWJ.join("日" * 9) + "<U+200D>日" * 2),
        ],
    )
    def test_a_joiner_that_would_swallow_letters_is_shown(self, raw: str, shown: str) -> None:
        """A joiner where no script uses it is made visible."""
        assert clean(raw) == shown

    def test_what_is_left_out_is_counted_in_characters_of_the_raw_text(self) -> None:
        """The count is of characters of the file."""
        assert clean("x" * 10_000_000) == "x" * 20_000 + "…<+9,980,000 characters>"
        assert clean("\u202e" * 30, limit=20) == "<U+202E>" * 2 + "…<+28 characters>"
        assert clean("日" * 30, limit=20) == "日" * 20 + "…<+10 characters>"

    def test_a_text_that_pretends_to_be_cut_is_not_let_past_the_limit(self) -> None:
        """A forged count at the end does not lift the limit."""
        shown = clean("x" * 500 + "…<+9 characters>", limit=100)
        assert shown == "x" * 100 + "…<+416 characters>"

    def test_a_long_text_is_read_no_further_than_it_is_shown(self) -> None:
        """Three million characters cost no more than the limit."""
        read: list[int] = []
        pattern = cleaning._pattern(multiline=False, is_ascii=False)

        class Spy:
            def search(self, text: str, start: int, end: int) -> re.Match[str] | None:
                read.append(min(end, len(text)) - start)
                return pattern.search(text, start, end)

            def match(self, text: str, start: int) -> re.Match[str] | None:
                return pattern.match(text, start)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(cleaning, "_pattern", lambda **_: Spy())
            clean("日本語" * 1_000_000)
        assert 20_000 <= sum(read) <= 20_002


class TestWidth:
    """Cells are counted as rich counts them, or the columns would not line up."""

    @given(texts)
    def test_width_is_what_rich_measures(self, text: str) -> None:
        """Any text has the width that rich gives it."""
        assert cell_width(text) == cell_len(text)

    def test_the_characters_measured_without_a_table_are_one_cell(self) -> None:
        """The shortcut holds only characters of one cell."""
        assert {cell_len(character) for character in cells._NARROW} == {1}
        assert not any(unicodedata.combining(c) for c in cells._NARROW)

    @given(texts)
    def test_clusters_cover_the_text_and_add_up(self, text: str) -> None:
        """Clusters lose nothing and their cells add up to the width."""
        clusters = list(cells._clusters(text))
        assert "".join(part for part, _ in clusters) == text
        assert sum(size for _, size in clusters) == cell_len(text)

    def test_plain_text_is_measured_and_fitted_without_rich(self) -> None:
        """Text of the West needs no import of rich."""
        code = (
            "import sys; from ragtui import text as t;"
            "t.clean('a\\x1b\\n'); t.fit('Größe – “x” ' * 9, 12); t.wrap('aa bb ' * 99, 7);"
            "t.nearest('cutof', ['cutoff']); t.quote('x' * 99);"
            "print([m for m in sys.modules if m.split('.')[0] in ('rich', 'textual')])"
        )
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
        assert done.stdout.strip() == "[]"


class TestFit:
    """A column is exactly as wide as it says."""

    @given(
        texts, st.integers(0, 60), st.sampled_from(ALIGNMENTS), st.sampled_from(["…", "...", ""])
    )
    def test_the_result_takes_exactly_the_width(
        self, text: str, width: int, align: Align, ellipsis: str
    ) -> None:
        """Any text, cleaned or not, fills its column exactly."""
        for given_text in (text, clean(text)):
            assert cell_len(fit(given_text, width, align=align, ellipsis=ellipsis)) == width

    @given(texts, st.integers(0, 60))
    def test_the_next_column_starts_where_it_should(self, text: str, width: int) -> None:
        """What is put behind a column is not swallowed by it."""
        assert cell_len(fit(clean(text), width) + "|x") == width + 2

    @given(texts, st.integers(0, 60))
    def test_a_cut_is_a_beginning_of_the_text(self, text: str, width: int) -> None:
        """A cut text is a beginning and an ellipsis; a short one is itself."""
        shown = clean(text)
        short = cut(shown, width)
        assert cell_len(short) <= width
        if cell_len(shown) > width > 0:
            assert short.endswith("…")
            assert shown.startswith(short[:-1].removesuffix(ZWNJ))
        elif width > 0:
            assert short.removesuffix(ZWNJ) == shown.removesuffix(ZWNJ)

    @pytest.mark.parametrize(
        ("text", "width", "shown"),
        [
            ("abc", 3, "abc"),
            ("abc", 2, "a…"),
            ("abc", 1, "…"),
            ("abc", 0, ""),
            ("abc", -3, ""),
            ("日本語", 5, "日本…"),
            ("日本語", 4, "日… "),
            (f"{FAMILY}x", 3, f"{FAMILY}x"),
            (f"{FAMILY}xy", 3, f"{FAMILY}…"),
            (f"{FAMILY}xy", 2, "… "),
            (f"{FLAG}{FLAG}{FLAG}", 5, f"{FLAG}{FLAG}…"),
            (f"{FLAG}{FLAG}", 3, f"{FLAG}…"),
            ("e\u0301e\u0301e\u0301", 2, "e\u0301…"),
            ("e\u0301", 1, "e\u0301"),
        ],
    )
    def test_no_character_is_parted(self, text: str, width: int, shown: str) -> None:
        """Wide characters, flags, joined emoji and marks stay whole."""
        assert fit(text, width) == shown

    def test_alignment_puts_the_odd_space_to_the_right(self) -> None:
        """Left, right and centre share the spaces as they say."""
        assert [fit("ab", 5, align=align) for align in ALIGNMENTS] == ["ab   ", "   ab", " ab  "]


class TestWrap:
    """Lines fit and nothing that can be seen is lost."""

    @given(texts, widths)
    def test_lines_fit_and_keep_every_character_but_spaces(self, text: str, width: int) -> None:
        """No line is too wide, no visible character is lost."""
        shown = clean(text, multiline=True)
        lines = wrap(shown, width)
        assert lines
        assert visible(lines) == visible([shown])
        room = max(width, max((size for _, size in cells._clusters(shown)), default=0))
        assert room <= max(width, 2)
        assert max(map(cell_len, lines)) <= room

    @given(st.text("ab  c", max_size=60), widths)
    def test_words_that_fit_are_never_broken(self, text: str, width: int) -> None:
        """A word no longer than the width stands whole in one line."""
        for word in text.split():
            if len(word) <= width:
                assert any(word in line.split() or word in line for line in wrap(text, width))

    @given(st.lists(st.text("abc", min_size=1, max_size=5), min_size=1), st.integers(5, 30))
    def test_lines_are_as_full_as_words_allow(self, words: list[str], width: int) -> None:
        """The first word of a line had no room on the line before."""
        lines = wrap(" ".join(words), width)
        assert " ".join(lines).split() == words
        for line, following in pairwise(lines):
            assert len(line) + 1 + len(following.split()[0]) > width

    @pytest.mark.parametrize(
        ("text", "width", "lines"),
        [
            ("", 5, [""]),
            ("\n", 5, ["", ""]),
            ("a\n\nb", 5, ["a", "", "b"]),
            ("one two three", 7, ["one two", "three"]),
            ("abcdefgh", 3, ["abc", "def", "gh"]),
            ("a abcdefgh", 4, ["a", "abcd", "efgh"]),
            ("  indented text", 10, ["  indented", "text"]),
            ("        word", 5, ["word"]),
            ("          ", 5, [""]),
            ("日本語の質問", 5, ["日本", "語の", "質問"]),
            ("質問です。終", 8, ["質問で", "す。終"]),
            ("RAG は質問です", 8, ["RAG は質", "問です"]),
            (f"{FAMILY}{FAMILY}{FAMILY}", 4, [f"{FAMILY}{FAMILY}", FAMILY]),
            ("日a", 1, ["日", "a"]),
            ("ab", 0, ["a", "b"]),
        ],
    )
    def test_breaks_stand_where_a_reader_expects_them(
        self, text: str, width: int, lines: list[str]
    ) -> None:
        """Spaces, line feeds, ideographs and long words break as documented."""
        assert wrap(text, width) == lines

    @pytest.mark.parametrize("unit", ["x", "日", "ab ", "日 "])
    def test_a_million_characters_are_looked_at_twice_at_most(
        self, unit: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Work is linear, even for one word without an end."""
        looked = Counter[str]()
        real = cells._may_break

        def counted(parts: list[str], sizes: list[int], at: int) -> bool:
            looked["steps"] += 1
            return real(parts, sizes, at)

        monkeypatch.setattr(cells, "_may_break", counted)
        length = 1_000_000
        lines = wrap(unit * (length // len(unit)), 79)
        assert sum(map(len, lines)) >= length // 2
        assert looked["steps"] <= 2 * length


class TestIds:
    """An id is shown as it is; what looks like another gets a mark."""

    def test_an_id_is_one_line(self) -> None:
        """No id makes a second line or a colour."""
        assert printable_id("q1\nq2\x1b[0m") == "q1␊q2␛[0m"

    @pytest.mark.parametrize(
        "identifier",
        ["\u043ewner", "p\u03b1ge", "\uff4fwner", "\U0001d428wner", f"ow{ZWNJ}ner", "\u0430\u03bf"],
    )
    def test_scripts_that_look_alike_in_one_id_are_confusable(self, identifier: str) -> None:
        """Latin with Cyrillic, Greek, wide or mathematical letters is noticed."""
        assert confusable(identifier)

    @pytest.mark.parametrize(
        "identifier",
        [
            "owner-1",
            "größe_2",
            "вопрос-7",
            "ερώτηση",
            "日本-QA",
            "שאלה-a",
            f"می{ZWNJ}خواهم",
            "µs-50",
            FAMILY,
            "a\ud800",
            "",
        ],
    )
    def test_ordinary_ids_of_any_script_are_not_confusable(self, identifier: str) -> None:
        """One script, or Latin beside CJK or Hebrew, is ordinary."""
        assert not confusable(identifier)

    @given(plain_ids())
    def test_no_ascii_id_is_confusable(self, identifier: str) -> None:
        """ASCII ids never get the mark."""
        assert not confusable(identifier)

    def test_ids_equal_but_for_case_or_width_are_paired_with_the_first(self) -> None:
        """Equal folds are paired in the order of the ids."""
        ids = ["Q1", "q2", "q1", "\uff511", "straße", "STRASSE", "ﬁn", "fin", "q2"]
        assert confusable_pairs(iter(ids)) == [
            ("Q1", "q1"),
            ("Q1", "\uff511"),
            ("straße", "STRASSE"),
            ("ﬁn", "fin"),
        ]

    @given(st.lists(st.text("aAbBß\ufb01\u017fs\u212a\u0301é", max_size=4)))
    def test_pairs_are_those_of_the_plain_definition(self, ids: list[str]) -> None:
        """The hashed search finds what comparing all with all finds."""

        def fold(identifier: str) -> str:
            return unicodedata.normalize(
                "NFKC", unicodedata.normalize("NFKC", identifier).casefold()
            )

        expected = []
        for position, one in enumerate(dict.fromkeys(ids)):
            first = next(other for other in ids if fold(other) == fold(one))
            if first != one:
                expected.append((position, first, one))
        assert sorted(confusable_pairs(ids)) == sorted((a, b) for _, a, b in expected)

    def test_ids_of_one_fold_make_a_pair_each(
        self,
    ) -> None:
        """4,096 spellings of one id make 4,095 pairs, not eight million."""
        ids = [
            "".join(c.upper() if n >> i & 1 else c for i, c in enumerate("a" * 12))
            for n in range(4096)
        ]
        assert len(confusable_pairs(ids)) == len(ids) - 1


class TestWords:
    """Counts, suggestions and quotes read as a person would write them."""

    @pytest.mark.parametrize(
        ("count", "shown"),
        [(0, "0 questions"), (1, "1 question"), (3, "3 questions"), (12_000, "12,000 questions")],
    )
    def test_a_count_agrees_with_its_noun(self, count: int, shown: str) -> None:
        """One is singular, all else plural, thousands are parted."""
        assert plural(count, "question") == shown

    def test_an_irregular_plural_is_given(self) -> None:
        """A given plural is used, and only for the plural."""
        assert plural(2, "query", "queries") == "2 queries"
        assert plural(1, "query", "queries") == "1 query"

    @pytest.mark.parametrize(
        ("word", "meant"),
        [
            ("cutof", "cutoff"),
            ("Cutoff", "cutoff"),
            ("precison", "precision"),
            ("nmae", "name"),
            ("K", "k"),
            ("ids", "id"),
            ("x", None),
            ("f2", None),
            ("zebra", None),
            ("", None),
            ("c" * 1000, None),
        ],
    )
    def test_the_suggestion_is_the_word_meant_or_none(self, word: str, meant: str | None) -> None:
        """Slips are recognised, unlike words are not suggested."""
        known = ["cutoff", "precision", "recall", "name", "id", "k", "f1"]
        assert nearest(word, known) == meant

    def test_a_suggestion_stands_in_the_form_it_is_known_by(self) -> None:
        """The known spelling is returned, not the typed one."""
        assert nearest("ownr", ["Owner", "rent"]) == "Owner"

    @given(texts, st.integers(1, 100))
    def test_a_quotation_is_one_short_printable_line(self, text: str, limit: int) -> None:
        """Any text can be quoted in a message."""
        quoted = quote(text, limit)
        assert quoted[0] == quoted[-1] == '"'
        assert forbidden(quoted, multiline=False) == []
        assert cell_len(quoted[1:-1].replace('\\"', '"')) <= limit

    def test_a_quotation_cannot_be_closed_from_inside(self) -> None:
        """Quotes inside are escaped and long text is cut."""
        assert quote('a", expected "b') == '"a\\", expected \\"b"'
        assert quote("x" * 200, 10) == '"xxxxxxxxx…"'
