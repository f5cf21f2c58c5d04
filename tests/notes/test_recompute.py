"""
Every number of a note, worked out again from nothing but the note as JSON.

The JSON holds each question's values with what they were counted from. This module counts, divides
and writes for itself, by the definitions that the note prints, and then looks for a number in the
note that it did not come to.
"""

from __future__ import annotations

import json
import re
import tomllib
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
from tests.notes.rewrite import ROOT, note_named
from tests.notes.test_build import busy
from tests.oracle import claim_is_supported

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ragtui.notes.document import Block, Document

Entry: TypeAlias = dict[str, Any]
Number: TypeAlias = "Fraction | float"

LABEL_RULES: Final = {
    "precision": "unanswerable", "recall": "unanswerable", "rr": "unanswerable",
    "coverage": "unanswerable", "ndcg": "unanswerable", "abstention_correct": "answerable",
}  # fmt: skip
UNPOOLED: Final = {"rr", "abstention_correct", "ndcg", "disclosures"}
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


def counted(n: Number) -> str:
    """Write a count, or what repeats make of one."""
    return str(int(n)) if n == int(n) else two(n)


def signed_count(n: Number) -> str:
    return "0" if n == 0 else f"{'+' if n > 0 else '−'}{counted(n if n > 0 else -n)}"


# ---------------------------------------------------------------- figures from questions


def value_of(entry: Entry) -> Number | None:
    if entry["value"] is None:
        return None
    if "num" in entry:
        return Fraction(entry["num"], entry["den"])
    value: float = entry["value"]
    if "defined" in entry:  # a mean over few repeats of ratios of small counts
        return Fraction(value).limit_denominator(10_000)
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
        self.clusters = [
            q.get("cluster") or (number,)
            for number, q in enumerate(questions)
            if all(value_of(q["measures"][key][side]) is not None for side in "ab")
        ]
        cells = [(q, q["measures"][key]["a"], q["measures"][key]["b"]) for q in questions]
        values = [(value_of(a), value_of(b)) for _, a, b in cells]
        self.both = [(a, b) for a, b in values if a is not None and b is not None]
        self.n = len(self.both)
        self.up = sum(b > a for a, b in self.both)
        self.down = sum(b < a for a, b in self.both)
        if key == "disclosures":  # fewer are better
            self.up, self.down = self.down, self.up
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
            "sum": sum(found, Fraction(0)),
            "missing": missing,
            "low": sum(found, Fraction(0)) / possible if possible else None,
            "high": (sum(found, Fraction(0)) + missing) / possible if possible else None,
            "repeated": any("defined" in e for _, e in cells),
            "num": sum(e.get("num", 0) for _, e in cells if e["value"] is not None),
            "den": sum(e.get("den", 0) for _, e in cells if e["value"] is not None),
        }

    @property
    def paired(self) -> tuple[str, str, str]:
        if not self.n:
            return "–", "–", "–"
        a, b = (sum((pair[side] for pair in self.both), Fraction(0)) for side in (0, 1))
        if self.key == "abstention_correct":
            return f"{counted(a)}/{self.n}", f"{counted(b)}/{self.n}", signed_count(b - a)
        if self.key == "disclosures":
            return "–", "–", "–"
        return two(a / self.n), two(b / self.n), signed((b - a) / self.n)

    @property
    def interval(self) -> str:
        """The padded t interval of questions, or of clusters where questions share one."""
        groups: dict[object, list[Number]] = {}
        for cluster, (a, b) in zip(self.clusters, self.both, strict=True):
            groups.setdefault(cluster, []).append(b - a)
        if len(groups) < 10 or self.key == "disclosures":
            return "–"
        size = self.n + 2
        total = sum((sum(deltas) for deltas in groups.values()), Fraction(0))
        center, mean = total / size, float(total / self.n)
        sums = [sum(d - center for d in deltas) for deltas in groups.values()]
        squares = float(sum(u * u for u in (*sums, 1 - center, -1 - center)))
        count = len(groups) + 2
        half = t_quantile(0.975, count - 1) * sqrt(count / (count - 1) * squares) / size
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
        if "answerable" not in name and figures.paired[2] != "–"
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
            shown = f"{counted(side['sum'])}/{side['n']}"
        elif f.key == "disclosures":
            shown = counted(side["sum"])
        assert row[f"own {letter}"] == shown
        assert row[n] == str(side["n"])
        pooled = "–" if f.key in UNPOOLED else f"{side['num']:,}/{side['den']:,}"
        if not side["repeated"]:  # the counts of each repeat do not stand in a note
            assert row[f"pooled {letter}"] == pooled
    told = [
        f"{letter} {two(side['low'])} to {two(side['high'])}, {side['missing']} missing"
        for letter, side in (("A", a), ("B", b))
        if side["missing"] and f.key != "disclosures"
    ]
    assert row.get("if what is missing scored 0 or 1", "–") == ("; ".join(told) or "–")


def test_pooled_support_of_repeats_is_worked_out_again() -> None:
    """Claims of a question are counted as the mean over its repeats that make any."""
    asked = tomllib.loads((ROOT / "fixtures/support-desk/questions.toml").read_text("utf-8"))
    labels = {q["id"]: _alternatives(q) for q in asked["question"]}
    found = Recomputed(note_named("support-desk"))
    row = next(
        r for r in tables(section(found.document, "Measures"))[1] if r["measure"] == "support"
    )
    for letter in "AB":
        counts: dict[str, list[tuple[int, int]]] = {}
        for record in _records(letter.lower()):
            visible = list(dict.fromkeys(i["id"] for i in record["retrieved"][:3]))
            support, claims = labels[record["question"]], record.get("claims", [])
            good = [
                claim_is_supported(c["citations"], support.get(c["id"]), visible) for c in claims
            ]
            if claims and record["error"] is None:
                counts.setdefault(record["question"], []).append((sum(good), len(good)))
        sums = (
            sum(Fraction(sum(pair[at] for pair in each), len(each)) for each in counts.values())
            for at in (0, 1)
        )
        assert row[f"pooled {letter}"] == "/".join(map(counted, sums))


def test_the_agreement_of_two_reviewers_is_worked_out_again() -> None:
    """Raw share and Cohen's kappa over all pairs and triples that a review or the labels name."""
    asked = tomllib.loads((ROOT / "fixtures/support-desk/questions.toml").read_text("utf-8"))
    document = Recomputed(note_named("support-desk")).document
    blocks = section(document, "Disputed labels and agreement")
    told = [plain(item) for block in blocks if isinstance(block, Listing) for item in block.items]
    assert len(told) == 2
    for line, named in zip(told, (_pairs, _triples), strict=True):
        said: list[tuple[bool, bool]] = []
        for question in asked["question"]:
            first, second = map(named, question.get("review", ({}, {})))
            judged = named(question) | first | second if "review" in question else set()
            said += [(thing in first, thing in second) for thing in judged]
        n = len(said)
        raw = Fraction(sum(a == b for a, b in said), n)
        yes = [sum(pair[at] for pair in said) for at in (0, 1)]
        chance = Fraction(yes[0] * yes[1] + (n - yes[0]) * (n - yes[1]), n * n)
        assert f"raw {two(raw)}, Cohen's kappa " in line
        assert f" {two((raw - chance) / (1 - chance))}, n {n}; " in line
        assert line.endswith(f"yes from r1 {yes[0]} of {n}, r2 {yes[1]} of {n}.")


def _pairs(labels: Entry) -> set[str]:
    return {*labels.get("relevant", ()), *labels.get("not_relevant", ())}


def _triples(labels: Entry) -> set[str]:
    """Return claim and document, of joint evidence each document."""
    return {
        f"{claim}/{document}"
        for claim, alternatives in _alternatives(labels).items()
        for alternative in alternatives
        for document in alternative
    }


def _alternatives(question: Entry) -> dict[str, list[list[str]]]:
    both = {**question.get("support", {}), **question.get("accepted", {})}
    return {
        claim: [each if isinstance(each, list) else [each] for each in written]
        for claim, written in both.items()
    }


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
            if key == "disclosures":  # counted, not averaged: not a figure of a slice
                assert written not in row
                continue
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
        taken, costs = _taken(found, side)
        known = sorted(
            inf if bad or ms is None else ms for ms, bad in taken if bad or ms is not None
        )
        for label, share in (("latency p50", 0.5), ("latency p95", 0.95)):
            at = known[ceil(Fraction(str(share)) * len(known)) - 1]
            shown = "failed" if at == inf else f"{at:,.0f} ms"
            assert rows[label][letter] == f"{shown} (n {len(known)})"
        each = sum(map(Fraction, costs)) / len(found.questions)
        assert rows["cost a question"][letter] == f"${float(each):,.4f} (n {len(costs)})"
        sent = found.entries["operations"]["ab"[side]]["requests"]
        assert rows["requests sent"][letter] == str(sent["sent"])
        assert rows["failed / sent"][letter] == f"{sent['failed'] / sent['sent']:.1%}"
    for label, key in (("latency p50", "latency_ms"), ("cost a question", "cost_usd")):
        pairs = [q[key] for q in found.questions if "failed" not in q["states"]]
        ratios = [b / a for a, b in pairs if a and b is not None]
        assert rows[label]["median B / A"] == f"{median(ratios):.2f} (n {len(ratios)})"


def _taken(found: Recomputed, side: int) -> tuple[list[tuple[float | None, bool]], list[float]]:
    """
    Return the latencies, each with whether it failed, and the costs of a run.

    Of several repeats a note tells means only: those of the bundled set stand in its records.
    """
    if found.entries["set"]["id"] != "support-desk":
        taken = [(q["latency_ms"][side], q["states"][side] == "failed") for q in found.questions]
        return taken, [c for q in found.questions if (c := q["cost_usd"][side]) is not None]
    records = _records("ab"[side])
    taken = [(record["latency_ms"], record["error"] is not None) for record in records]
    return taken, [record["cost_usd"] for record in records if record["cost_usd"] is not None]


def _records(letter: str) -> list[dict[str, Any]]:
    text = (ROOT / "fixtures" / "support-desk" / f"run-{letter}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def _shift(entry: Entry, key: str) -> tuple[str, str]:
    def shown(value: Entry) -> str:
        if value["value"] is None:
            return "n/a"
        if "defined" in value:
            return over_repeats(value)
        if key == "abstention_correct":
            return "yes" if value["value"] else "no"
        if "num" not in value:
            return two(value["value"])
        return f"{value['num']}/{value['den']} = {value['value']:.2f}"

    def over_repeats(value: Entry) -> str:
        mean, defined, recorded = value_of(value), value["defined"], value["recorded"]
        assert mean is not None
        if key == "abstention_correct":
            told = f"{mean * defined} of {defined}"
            if defined < recorded:
                return f"{told}, {recorded} recorded"
            return f"{told}, in every repeat" if mean == 1 else f"{told} repeats"
        told = counted(mean) if key == "disclosures" else two(mean)
        if defined < recorded:
            return f"{told}, {defined} of {recorded} defined"
        return f"{told} over {recorded} repeats"

    a, b = shown(entry["a"]), shown(entry["b"])
    mean, over, repeats = a.partition(" over ")
    return (mean if over and b.endswith(over + repeats) else a), b


def _moved(entry: Entry, key: str) -> str:
    a, b = value_of(entry["a"]), value_of(entry["b"])
    assert a is not None
    assert b is not None
    if key == "disclosures":
        return signed_count(b - a)
    return signed(b - a)


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
                else (f" ({_moved(entry, key)})")
            )
            wanted.append(f"{written} {a} → {b}{moved}")
        told = told.replace("~)", ")")  # whether repeats overlap is not told by their mean
        assert re.sub(r" \([AB]: [^)]*\)", "", told) == "; ".join(wanted)


CHECKED: Final = frozenset(
    {"Measures", "Slices", "Without a value", "Operations", "Disputed labels and agreement"}
)
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
    states = Counter(
        (side, state) for q in found.questions for side, state in enumerate(q["states"])
    )
    recorded_in = (len(found.questions) - states[side, "missing"] for side in (0, 1))
    open_labels = sum("label-open" in q["flags"] for q in found.questions)
    runs = [found.entries[side] for side in ("baseline", "candidate")]
    recorded = [run[key] for run in runs for key in ("folded", "other_versions")]
    labels = (sum(q["disputed"] for q in found.questions), open_labels)
    said = (*groups.values(), *sums, *recorded, *recorded_in, *labels, texts)
    said = (*said, found.entries["withheld"])
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
        told = re.sub(r"\w+@\d+|repeats? \d+(, \d+)*", "", told)
        for number in re.findall(r"\d[\d,.]*\d|\d", told):
            assert number in counts, (title, told)
