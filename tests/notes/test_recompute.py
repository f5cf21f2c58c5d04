"""
Every number of a note, worked out again from nothing but the note as JSON.

The JSON holds each question's values with what they were counted from. This module counts, divides
and writes for itself, by the definitions that the note prints, and then looks for a number in the
note that it did not come to.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from fractions import Fraction
from math import ceil, inf, sqrt
from statistics import median
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import pytest
from mpmath import betainc, findroot, mpf

from ragtui.notes.document import Card, Facts, Heading, Listing, Paragraph, Strip, Table, plain
from ragtui.notes.writers import render
from tests.builders import random_comparison, release_desk
from tests.notes.notes import note
from tests.notes.rewrite import note_named
from tests.notes.test_build import busy

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ragtui.notes.document import Block, Document

Entry: TypeAlias = dict[str, Any]
Number: TypeAlias = "Fraction | float"

LABEL_RULES: Final = {
    "precision": "unanswerable", "recall": "unanswerable", "rr": "unanswerable",
    "coverage": "unanswerable", "ndcg": "unanswerable", "abstention_correct": "answerable",
}  # fmt: skip
UNPOOLED: Final = {"rr", "abstention_correct", "ndcg"}
GAPS: Final = {
    "failed", "missing", "retrieval-not-recorded", "claims-not-recorded", "labels-absent",
    "no-grades",
}  # fmt: skip


# ---------------------------------------------------------------- numbers as a note writes them


def two(value: Number | None) -> str:
    return "–" if value is None else f"{float(value):.2f}"


def signed(value: Number | None) -> str:
    if value is None:
        return "–"
    if value == 0:
        return "0"
    size = f"{abs(float(value)):.2f}"
    return ("+" if value > 0 else "−") + ("<.01" if size == "0.00" else size)


def signed_count(n: int) -> str:
    return "0" if n == 0 else f"{'+' if n > 0 else '−'}{abs(n)}"


# ---------------------------------------------------------------- figures from questions


def value_of(entry: Entry) -> Number | None:
    if entry["value"] is None:
        return None
    if "num" in entry:
        return Fraction(entry["num"], entry["den"])
    value: float = entry["value"]
    return Fraction(value)


def is_gap(question: Entry, key: str, entry: Entry) -> bool:
    """Tell whether a value was possible under the labels, and somebody left it out."""
    rule = LABEL_RULES.get(key)
    answerable = question["answerable"]
    if rule == "unanswerable" and answerable is False:
        return False
    if rule == "answerable" and answerable is True:
        return False
    return entry["value"] is None and entry["na"] in GAPS


class Figures:
    """One measure over some questions."""

    def __init__(self, questions: Sequence[Entry], key: str) -> None:
        """Count and sum the measure *key* over *questions*."""
        self.key = key
        cells = [(q, q["measures"][key]["a"], q["measures"][key]["b"]) for q in questions]
        values = [(value_of(a), value_of(b)) for _, a, b in cells]
        self.both = [(a, b) for a, b in values if a is not None and b is not None]
        self.n = len(self.both)
        self.up = sum(b > a for a, b in self.both)
        self.down = sum(b < a for a, b in self.both)
        self.equal = self.n - self.up - self.down
        rest: Counter[str] = Counter()
        for q, a, b in cells:
            rest[self._kind(q, a, b)] += 1
        self.became_na, self.became_defined = rest["became-na"], rest["became-defined"]
        self.na_both, self.missing = rest["na-both"], rest["missing"]
        self.own = [self._own([(c[0], c[1 + side]) for c in cells]) for side in (0, 1)]

    def _kind(self, q: Entry, a: Entry, b: Entry) -> str:
        if a["value"] is not None and b["value"] is not None:
            return "both"
        if is_gap(q, self.key, a) or is_gap(q, self.key, b):
            return "missing"
        if a["value"] is None and b["value"] is None:
            return "na-both"
        return "became-na" if b["value"] is None else "became-defined"

    def _own(self, cells: Sequence[tuple[Entry, Entry]]) -> dict[str, Any]:
        found = [v for _, e in cells if (v := value_of(e)) is not None]
        missing = sum(is_gap(q, self.key, e) for q, e in cells)
        possible = len(found) + missing
        return {
            "mean": sum(found, Fraction(0)) / len(found) if found else None,
            "n": len(found),
            "yes": sum(bool(v) for v in found),
            "missing": missing,
            "low": sum(found, Fraction(0)) / possible if possible else None,
            "high": (sum(found, Fraction(0)) + missing) / possible if possible else None,
            "num": sum(e.get("num", 0) for _, e in cells if e["value"] is not None),
            "den": sum(e.get("den", 0) for _, e in cells if e["value"] is not None),
        }

    @property
    def paired(self) -> tuple[str, str, str]:
        if not self.n:
            return "–", "–", "–"
        a, b = (sum((pair[side] for pair in self.both), Fraction(0)) for side in (0, 1))
        if self.key == "abstention_correct":
            return f"{int(a)}/{self.n}", f"{int(b)}/{self.n}", signed_count(int(b - a))
        return two(a / self.n), two(b / self.n), signed((b - a) / self.n)

    @property
    def interval(self) -> str:
        """The padded t interval, as the note defines it."""
        if self.n < 10:
            return "–"
        deltas = [b - a for a, b in self.both]
        size = self.n + 2
        center = sum(deltas, Fraction(0)) / size
        mean = float(sum(deltas, Fraction(0)) / self.n)
        spread = float(sum((d * d for d in deltas), Fraction(2)) - size * center * center)
        half = t_quantile(0.975, size - 1) * sqrt(spread / (size - 1) / size)
        low, high = max(-1.0, mean - half), min(1.0, mean + half)
        return f"{signed(low)} to {signed(high)}"


def t_quantile(p: float, degrees: int) -> float:
    """Return the quantile by solving the regularised incomplete beta function."""

    def tail(t: float) -> float:
        x = degrees / (degrees + t * t)
        above: float = betainc(mpf(degrees) / 2, 0.5, 0, x, regularized=True) / 2 - (1 - p)
        return above

    return float(findroot(tail, (1.5, 3.0), solver="anderson"))


# ---------------------------------------------------------------- reading the note


def section(document: Document, title: str) -> list[Block]:
    """Return the blocks of one section."""
    found: list[Block] = []
    inside = False
    for block in document.blocks:
        if isinstance(block, Heading) and block.level == 2:
            inside = plain(block.text).partition(":")[0] == title
        elif inside:
            found.append(block)
    return found


def tables(blocks: Iterable[Block]) -> list[list[dict[str, str]]]:
    """Return tables as rows by column title; a repeated title gets a number."""
    found = []
    for block in blocks:
        if isinstance(block, Table):
            titles = []
            for column in block.columns:
                title = column.title
                while title in titles:
                    title += " again"
                titles.append(title)
            found.append([dict(zip(titles, map(plain, row), strict=True)) for row in block.rows])
    return found


class Recomputed:
    """The note as JSON, and figures from its questions alone."""

    def __init__(self, document: Document) -> None:
        """Write *document* as JSON and read that."""
        self.document = document
        self.entries: Entry = json.loads(render(document, ".json"))
        self.questions: list[Entry] = self.entries["questions"]
        self.written = {d["key"]: d["written"] for d in self.entries["definitions"]}

    def figures(self, key: str, questions: Sequence[Entry] | None = None) -> Figures:
        return Figures(self.questions if questions is None else questions, key)

    def named(self) -> dict[str, Figures]:
        """Return the figures of every row of a table of measures."""
        found = {}
        answerable = [q for q in self.questions if q["answerable"]]
        for key, written in self.written.items():
            found[written] = self.figures(key)
            if key == "support" and 0 < len(answerable) < len(self.questions):
                found[f"{written}, answerable only"] = self.figures(key, answerable)
        return found

    def slice(self, name: str) -> list[Entry]:
        groups = {
            "answerable": [q for q in self.questions if q["answerable"]],
            "unanswerable": [q for q in self.questions if q["answerable"] is False],
            "critical": [q for q in self.questions if q["critical"]],
        }
        if name in groups:
            return groups[name]
        return [q for q in self.questions if name.removeprefix("tag:") in q["tags"]]


NOTES: Final = {
    "release-desk": lambda: note(release_desk()),
    "decided": lambda: note(*busy()),
    "support-desk": lambda: note_named("support-desk"),
    "400 questions": lambda: note(random_comparison(400, 11)),
}


@pytest.fixture(scope="module", params=NOTES)
def found(request: pytest.FixtureRequest) -> Recomputed:
    return Recomputed(NOTES[request.param]())


# ---------------------------------------------------------------- section by section


def test_the_verdicts_at_the_top_are_counted_again(found: Recomputed) -> None:
    """Each question once; they add up to all of them."""
    strip = next(block for block in found.document.blocks if isinstance(block, Strip))
    counted = Counter(q["verdict"].replace("-", " ") for q in found.questions)
    assert {c.word: c.n for c in strip.counts} == {c.word: counted[c.word] for c in strip.counts}
    assert sum(c.n for c in strip.counts) == len(found.questions)


def test_what_is_left_to_do_is_counted_again(found: Recomputed) -> None:
    """Blocked, undecided, stale, disputed, accepted, from decisions and severities alone."""
    facts = next(block for block in found.document.blocks if isinstance(block, Facts))
    rows = {row.label: plain(row.text) for row in facts.rows}
    states = Counter(state for q in found.questions if (state := _state(q)) is not None)
    for label in ("blocked", "undecided", "stale", "label disputed", "accepted"):
        assert int(rows.get(label, "0").split()[0]) == states[label]
    settled = states["blocked"] + states["accepted"] + states["label disputed"]
    total = sum(q["severity"] is not None for q in found.questions)
    assert rows["decided"].startswith(f"{settled} of {total} change")
    wanted = [
        f"{name} {figures.paired[2]} (n {figures.n})"
        for name, figures in found.named().items()
        if "answerable" not in name and figures.n
    ]
    assert rows["paired Δ"] == " · ".join(wanted)


def _state(question: Entry) -> str | None:
    if question["severity"] is None:
        return None
    decision = question["decision"]
    if decision is None:
        return "undecided"
    if decision["standing"] == "stale":
        return "stale"
    return {
        "block": "blocked", "accept": "accepted", "dispute": "label disputed",
        "investigate": "undecided",
    }[decision["choice"]]  # fmt: skip


def test_paired_figures_are_worked_out_again(found: Recomputed) -> None:
    """Means, difference, n, interval and all counts, by the printed definitions."""
    paired, own = tables(section(found.document, "Measures"))[:2]
    wanted = found.named()
    assert [row["measure"] for row in paired] == list(wanted)
    for row in paired:
        f = wanted[row["measure"]]
        assert (row["paired A"], row["paired B"], row["Δ"]) == f.paired
        counts = {
            "n": f.n, "▲": f.up, "▼": f.down, "=": f.equal, "→n/a": f.became_na,
            "n/a→": f.became_defined, "n/a": f.na_both, "missing": f.missing,
        }  # fmt: skip
        for title, n in counts.items():
            assert row.get(title, "0") == str(n), (row["measure"], title)
        assert row.get("95% interval", "–") == f.interval
    for row in own:
        _check_own(row, wanted[row["measure"]])


def _check_own(row: dict[str, str], f: Figures) -> None:
    a, b = f.own
    for side, letter, n in ((a, "A", "n"), (b, "B", "n again")):
        shown = two(side["mean"])
        if f.key == "abstention_correct" and side["n"]:
            shown = f"{side['yes']}/{side['n']}"
        assert row[f"own {letter}"] == shown
        assert row[n] == str(side["n"])
        pooled = "–" if f.key in UNPOOLED else f"{side['num']:,}/{side['den']:,}"
        assert row[f"pooled {letter}"] == pooled
    told = [
        f"{letter} {two(side['low'])} to {two(side['high'])}, {side['missing']} missing"
        for letter, side in (("A", a), ("B", b))
        if side["missing"]
    ]
    assert row.get("if what is missing scored 0 or 1", "–") == ("; ".join(told) or "–")


def test_slices_are_worked_out_again(found: Recomputed) -> None:
    """From tags and labels of the questions: verdicts, paired differences, each with its n."""
    blocks = section(found.document, "Slices")
    (rows,) = tables(blocks)
    glyphs = {
        "▼": "regressed",
        "◆": "mixed",
        "▲": "improved",
        "=": "unchanged",
        "∅": "not-comparable",
    }
    for row in rows:
        members = found.slice(row["slice"])
        assert row["questions"] == str(len(members))
        counted = Counter(q["verdict"] for q in members)
        assert {g: row[g] for g in glyphs} == {g: str(counted[v]) for g, v in glyphs.items()}
        for key, written in found.written.items():
            f = found.figures(key, members)
            wanted = f"{f.paired[2]} ({f.n})" if f.n else "–"
            assert row[written].removeprefix("•") == wanted
    told = " ".join(plain(item) for b in blocks if isinstance(b, Listing) for item in b.items)
    for name, delta, n in re.findall(r"(\S+) \(([+−][\d.<]+), n (\d+)\)", told):
        members = found.slice(name)
        figures = [found.figures(key, members) for key in found.written]
        assert (delta, int(n)) in [(f.paired[2], f.n) for f in figures]


def test_what_has_no_value_is_counted_again(found: Recomputed) -> None:
    """Each row of n/a, by measure and reason, with the questions it names."""
    sides = {"both": (True, True), "B": (False, True), "A": (True, False)}
    rows = tables(section(found.document, "Without a value"))[0]
    told: Counter[tuple[str, str]] = Counter()
    for row in rows:
        for written in row["measure"].split(", "):
            told[written, row["n/a in"]] += int(row["n"])
    for key, written in found.written.items():
        for name, absent in sides.items():
            n = sum(
                tuple(q["measures"][key][s]["value"] is None for s in ("a", "b")) == absent
                for q in found.questions
            )
            assert told[written, name] == n


def test_what_the_runs_took_is_worked_out_again(found: Recomputed) -> None:
    """Nearest ranks, sums and medians of the latencies and costs of the questions."""
    rows = {row[""]: row for row in tables(section(found.document, "Operations"))[0]}
    for side, letter in enumerate("AB"):
        taken = [(q["latency_ms"][side], q["states"][side] == "failed") for q in found.questions]
        known = sorted(inf if bad else ms for ms, bad in taken if bad or ms is not None)
        for label, share in (("latency p50", 0.5), ("latency p95", 0.95)):
            at = known[ceil(Fraction(str(share)) * len(known)) - 1]
            shown = "failed" if at == inf else f"{at:,.0f} ms"
            assert rows[label][letter] == f"{shown} (n {len(known)})"
        costs = [c for q in found.questions if (c := q["cost_usd"][side]) is not None]
        each = sum(map(Fraction, costs)) / len(found.questions)
        assert rows["cost a question"][letter] == f"${float(each):,.4f} (n {len(costs)})"
        sent = found.entries["operations"]["ab"[side]]["requests"]
        assert rows["requests sent"][letter] == str(sent["sent"])
        assert rows["failed / sent"][letter] == f"{sent['failed'] / sent['sent']:.1%}"
    for label, key in (("latency p50", "latency_ms"), ("cost a question", "cost_usd")):
        pairs = [q[key] for q in found.questions if "failed" not in q["states"]]
        ratios = [b / a for a, b in pairs if a and b is not None]
        assert rows[label]["median B / A"] == f"{median(ratios):.2f} (n {len(ratios)})"


def _shift(entry: Entry, key: str) -> tuple[str, str]:
    def shown(value: Entry) -> str:
        if value["value"] is None:
            return "n/a"
        if key == "abstention_correct":
            return "yes" if value["value"] else "no"
        if "num" not in value:
            return two(value["value"])
        return f"{value['num']}/{value['den']} = {value['value']:.2f}"

    return shown(entry["a"]), shown(entry["b"])


def test_the_measures_of_every_card_are_worked_out_again(found: Recomputed) -> None:
    """Numerators, denominators, values and differences of each change that needs a decision."""
    by_id = {q["question"]: q for q in found.questions}
    cards = [block for block in found.document.blocks if isinstance(block, Card)]
    assert cards
    for card in cards:
        question = by_id[card.head[1].text]
        told = {row.label: plain(row.text) for row in card.rows}.get("measures", "")
        wanted = []
        for key, written in found.written.items():
            entry = question["measures"][key]
            if entry["change"] in {"unchanged", "na-both", "missing"}:
                continue
            a, b = _shift(entry, key)
            moved = (
                ""
                if entry["delta"] is None or key == "abstention_correct"
                else (
                    f" ({signed(value_of(entry['b']) - value_of(entry['a']))})"  # type: ignore[operator]
                )
            )
            wanted.append(f"{written} {a} → {b}{moved}")
        assert re.sub(r" \([AB]: [^)]*\)", "", told) == "; ".join(wanted)


CHECKED: Final = frozenset({"Measures", "Slices", "Without a value", "Operations"})
"""Sections whose tables the tests above went through cell by cell."""

CONSTANT: Final = {
    "Definitions": (
        r"S[0-4]|−1 … \+1|\+1|−1|\b10\b|\b6\b|excludes 0|log2\(rank \+ 1\)|1, or 0|, 0 when"
    ),
    "Before you trust it": r"k = 2|1 controlled change",
    "Slices": r"Under 10 paired",
    "Without a value": r"never 0, never 1",
}
"""Numbers that are part of a rule or a setting, not a result."""


def test_no_other_number_stands_in_the_note(found: Recomputed) -> None:
    """Whatever is not data, and was not worked out above, is a count of questions."""
    title = ""
    groups = Counter(q["group"] for q in found.questions)
    waiting = groups["undecided"] + groups["stale"]
    settled = groups["blocked"] + groups["accepted"] + groups["disputed"]
    sums = (len(found.questions), waiting, waiting + groups["blocked"], settled)
    texts = sum(len(q.get("texts", ())) for q in found.questions)
    runs = [found.entries[side] for side in ("baseline", "candidate")]
    recorded = [run[key] for run in runs for key in ("folded", "other_versions")]
    said = (*groups.values(), *sums, *recorded, texts, found.entries["withheld"])
    counts = {f"{n:,}" for n in said}
    for block in found.document.blocks:
        if isinstance(block, Heading) and block.level == 2:
            title = plain(block.text).partition(":")[0]
        if isinstance(block, Paragraph | Heading):
            told = "".join(span.text for span in block.text if not span.is_data)
        elif isinstance(block, Listing):
            told = " ".join(s.text for item in block.items for s in item if not s.is_data)
        else:
            continue
        if title in CHECKED and isinstance(block, Listing):
            continue
        told = re.sub(CONSTANT.get(title, r"(?!)"), "", told)
        told = re.sub(r"\w+@\d+", "", told)
        for number in re.findall(r"\d[\d,.]*\d|\d", told):
            assert number in counts, (title, told)
