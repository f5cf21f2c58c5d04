from __future__ import annotations

import operator
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtui.core.change import Cause, Flag, Severity, Verdict
from ragtui.core.evidence import Side
from ragtui.core.measures import MEASURES
from ragtui.core.query import (
    TRIAGE_STATES,
    Compare,
    Is,
    Query,
    QueryError,
    Term,
    Word,
    mask,
    parse,
    select,
    written_term,
)
from ragtui.core.value import NotAvailable, Score
from ragtui.errors import UsageError
from ragtui.text import clean
from tests.builders import (
    Case,
    MemoryEvidence,
    comparison_of,
    question,
    questions_with_records,
    random_comparison,
    record,
    release_desk,
)
from tests.strategies import hostile_text

if TYPE_CHECKING:
    from ragtui.core.comparison import Comparison

OPERATORS = {
    "<": operator.lt,
    "<=": operator.le,
    "=": operator.eq,
    ">=": operator.ge,
    ">": operator.gt,
}
NAMES = (
    "one of precision, recall, rr, support, coverage, abstention_correct, ndcg, judged, disclosures"
)
SIDES = {"a.": Side.BASELINE, "b.": Side.CANDIDATE, "delta.": None}


def selected(comparison: Comparison, text: str) -> list[str]:
    return [comparison.ids[index] for index in select(comparison, parse(text))]


def read(text: str) -> Query | QueryError:
    try:
        return parse(text)
    except QueryError as error:
        return error


# ---------------------------------------------------------------- reading


@pytest.mark.parametrize(
    ("text", "tests"),
    [
        ("", []),
        ("   ", []),
        ("owner", [Word("owner")]),
        ("  two  words ", [Word("two"), Word("words")]),
        ('"two words"', [Word("two words")]),
        ('"a:b <c"', [Word("a:b <c")]),
        (r'"say \"no\" to C:\docs \\ this"', [Word(r'say "no" to C:\docs \ this')]),
        ("a.txt", [Word("a.txt")]),
        ("ab\"c d'e", [Word('ab"c'), Word("d'e")]),
        ("tag:lookup", [Is("tag", "lookup")]),
        ('tag:"several words"', [Is("tag", "several words")]),
        ("tag:a:b<c", [Is("tag", "a:b<c")]),
        ("verdict:not-comparable", [Is("verdict", "not-comparable")]),
        ("severity:S0 severity:none", [Is("severity", "S0"), Is("severity", "none")]),
        ("critical:yes", [Is("critical", "yes")]),
        ("na:no-claims", [Is("na", "no-claims")]),
        ("flag:swap cause:claim-dropped", [Is("flag", "swap"), Is("cause", "claim-dropped")]),
        ("triage:stale", [Is("triage", "stale")]),
    ],
)
def test_words_and_keys_are_read_as_written(text: str, tests: list[Word | Is]) -> None:
    query = parse(text)
    assert [term.test for term in query.terms] == tests
    assert not any(term.negated for term in query.terms)
    assert query.text == text


def test_the_words_of_a_query_are_those_to_look_for() -> None:
    assert parse('owner tag:x -"two words" a.rr<1').words == ("owner", "two words")


@pytest.mark.parametrize(
    ("text", "test"),
    [
        ("-owner", Word("owner")),
        ("--owner", Word("-owner")),
        ('-"a b"', Word("a b")),
        ("-tag:x", Is("tag", "x")),
    ],
)
def test_a_leading_minus_negates_whatever_follows(text: str, test: Word | Is) -> None:
    [term] = parse(text).terms
    assert (term.negated, term.test) == (True, test)


@pytest.mark.parametrize(
    ("written", "number"),
    [
        ("0", Fraction(0)),
        ("1", Fraction(1)),
        ("+.5", Fraction(1, 2)),
        ("0.", Fraction(0)),
        ("-0.1", Fraction(-1, 10)),
        ("\u22120.50", Fraction(-1, 2)),
        ("1/3", Fraction(1, 3)),
        ("-2/6", Fraction(-1, 3)),
        ("0.3333333333", Fraction(3333333333, 10**10)),
    ],
)
def test_numbers_are_exact(written: str, number: Fraction) -> None:
    [term] = parse(f"delta.recall={written}").terms
    assert isinstance(term.test, Compare)
    assert term.test.number == number


@pytest.mark.parametrize("op", OPERATORS)
@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("measure", MEASURES, ids=lambda m: m.key)
def test_every_measure_reads_back_by_key_and_written_form(
    measure: object, side: str, op: str
) -> None:
    assert measure in MEASURES
    for found in MEASURES:
        if found is not measure:
            continue
        for name in (found.key, found.written(2)):
            [term] = parse(f"{side}{name}{op}0.5").terms
            assert term.test == Compare(SIDES[side], found, name, op, Fraction(1, 2))


@pytest.mark.parametrize(
    ("text", "position", "message", "hint"),
    [
        ("-", 0, "nothing follows the minus sign", 'write "-" in double quotes'),
        ("x - y", 2, "nothing follows the minus sign", 'write "-" in double quotes'),
        ('""', 0, "an empty word is in every question", None),
        ('x "a b', 2, "the double quotes are not closed", None),
        ('tag:"a b', 4, "the double quotes are not closed", None),
        ('"a"b', 3, "a space is missing after the double quotes", None),
        ("tags:x", 0, 'unknown key "tags"', 'did you mean "tag"?'),
        ("x -verdit:mixed", 3, 'unknown key "verdit"', 'did you mean "verdict"?'),
        ("http://x", 0, 'unknown key "http"', 'a word with ":" stands in double quotes'),
        (":x", 0, 'unknown key ""', 'a word with ":" stands in double quotes'),
        ("tag:", 4, "tag: needs a value", None),
        ('tag:""', 4, "tag: needs a value", None),
        ("critical: yes", 9, "critical: needs a value", "one of yes, no"),
        ("verdict:regresed", 8, 'unknown verdict "regresed"', 'did you mean "regressed"?'),
        ("severity:s2", 9, 'unknown severity "s2"', 'did you mean "S2"?'),
        ("critical:maybe", 9, 'unknown critical "maybe"', "one of yes, no"),
        ("na:no-claim", 3, 'unknown na "no-claim"', 'did you mean "no-claims"?'),
        ("triage:acept", 7, 'unknown triage "acept"', 'did you mean "accept"?'),
        ("b.suport<0.5", 2, 'unknown measure "suport"', 'did you mean "support"?'),
        ("a.p@5<0.5", 2, 'unknown measure "p@5"', 'did you mean "P@5"?'),
        ("a.P@k<0.5", 2, 'unknown measure "P@k"', NAMES),
        ("a.P@{k}<0.5", 2, 'unknown measure "P@{k}"', NAMES),
        (
            "recall<0.5",
            0,
            '"recall" needs a side: a., b. or delta.',
            'did you mean "delta.recall"?',
        ),
        ("delt.recall<0.5", 0, 'unknown side "delt"', 'did you mean "delta"?'),
        ("x.recall<0.5", 0, 'unknown side "x"', "sides are a., b. and delta."),
        (
            "x<y",
            0,
            '"x" is no side and measure',
            "a word with <, = or > stands in double quotes",
        ),
        (
            "y delta.recall <= 1",
            2,
            '"delta.recall" needs an operator and a number',
            "without spaces, such as delta.recall<0.5",
        ),
        ("a.rr<", 5, "a number is missing", "such as -0.1, 0.5 or 1/3, without spaces"),
        ("a.rr<=x", 6, '"x" is no number', "such as -0.1, 0.5 or 1/3, without spaces"),
        ("a.rr==1", 5, '"=1" is no number', "such as -0.1, 0.5 or 1/3, without spaces"),
        ("a.rr<1e5", 5, '"1e5" is no number', "such as -0.1, 0.5 or 1/3, without spaces"),
        ("a.rr<1/0", 5, '"1/0" is no number', "such as -0.1, 0.5 or 1/3, without spaces"),
        ("a.rr<\u0663", 5, '"\u0663" is no number', "such as -0.1, 0.5 or 1/3, without spaces"),
        ("a.rr<nan", 5, '"nan" is no number', "such as -0.1, 0.5 or 1/3, without spaces"),
    ],
)
def test_a_mistake_says_what_was_not_understood_where_and_what_was_meant(
    text: str, position: int, message: str, hint: str | None
) -> None:
    with pytest.raises(QueryError) as caught:
        parse(text)
    assert (caught.value.position, caught.value.hint) == (position, hint)
    told = f"{message}, at character {position + 1}"
    assert str(caught.value) == (f"{told}; {hint}" if hint else told)


def test_a_mistake_is_a_mistake_of_usage() -> None:
    assert issubclass(QueryError, UsageError)


@given(hostile_text() | st.text('.:<=>-"\\ delta.rr@tag', max_size=20))
def test_any_text_is_read_or_refused_at_a_place_inside_it(text: str) -> None:
    found = read(text)
    if isinstance(found, Query):
        assert bool(found.terms) == bool(text.strip())
    else:
        assert 0 <= found.position <= len(text)
        assert str(found) == clean(str(found))


@given(hostile_text(max_pieces=3).filter(bool))
def test_a_written_term_reads_back_whatever_the_value(value: str) -> None:
    [term] = parse(written_term("tag", value)).terms
    assert term.test == Is("tag", value)


# ---------------------------------------------------------------- evaluating the reference table


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("", ["launch", "rollback", "owner", "region"]),
        ("tag:lookup", ["launch", "owner"]),
        ("tag:lookup verdict:regressed", ["launch"]),
        ("-tag:lookup", ["rollback", "region"]),
        ("verdict:improved", ["rollback", "owner", "region"]),
        ("severity:S2", ["launch"]),
        ("-severity:none", ["launch"]),
        ("triage:undecided", ["launch"]),
        ("triage:none", ["rollback", "owner", "region"]),
        ("triage:accept", []),
        ("cause:unsupported-claim-added", ["launch"]),
        ("flag:na-shift", ["region"]),
        ("na:no-claims", ["region"]),
        ("na:answerable", ["launch", "rollback", "owner"]),
        ("na:unanswerable", ["region"]),
        ("na:failed", []),
        ("critical:yes", []),
        ("critical:no", ["launch", "rollback", "owner", "region"]),
        ("delta.support<0", ["launch"]),
        ("delta.support=0", ["rollback"]),
        ("delta.P@2>=0.5", ["rollback"]),
        ("delta.recall<=-0.1 -triage:accept", []),
        ("b.support<=0.5", ["launch"]),
        ("-b.support<=0.5", ["rollback", "owner", "region"]),
        ("a.abstention=0", ["region"]),
        ("b.abstention_correct=1", ["region"]),
        ("a.RR@2=1/2", ["owner"]),
        ("O", ["rollback", "owner", "region"]),
        ("ROLL -back", []),
        ('"roll back"', []),
    ],
)
def test_filters_of_the_reference_table(text: str, ids: list[str]) -> None:
    assert selected(release_desk(), text) == ids


def test_words_are_looked_for_in_texts_as_far_as_they_are_given() -> None:
    comparison = release_desk()
    asked: list[str] = []

    def texts(word: str) -> list[int]:
        asked.append(word)
        return [3]

    assert select(comparison, parse("Owner"), texts=texts) == [2, 3]
    assert select(comparison, parse("-Owner"), texts=texts) == [0, 1]
    assert asked == ["Owner", "Owner"]


def test_triage_is_what_the_caller_says() -> None:
    comparison = release_desk()
    states = ["accept", "none", "stale", "none"]
    for state in TRIAGE_STATES:
        found = select(comparison, parse(f"triage:{state}"), triage=states.__getitem__)
        assert found == [index for index, said in enumerate(states) if said == state]


@pytest.mark.parametrize(
    ("text", "position", "message", "hint"),
    [
        ("tag:lokup", 4, 'no question has the tag "lokup"', 'did you mean "lookup"?'),
        ("x -tag:Lookup", 7, 'no question has the tag "Lookup"', 'did you mean "lookup"?'),
        ("b.P@10<1", 2, "this comparison has k = 2, not 10", 'did you mean "P@2"?'),
        (
            f"b.P@{'9' * 5000}<1",
            2,
            f"this comparison has k = 2, not {'9' * 39}\u2026",
            'did you mean "P@2"?',
        ),
        (
            "b.ndcg<1",
            2,
            "ndcg is not measured: the labels do not make it possible",
            None,
        ),
    ],
)
def test_what_a_comparison_does_not_have_is_refused(
    text: str, position: int, message: str, hint: str | None
) -> None:
    with pytest.raises(QueryError) as caught:
        select(release_desk(), parse(text))
    assert (caught.value.position, caught.value.hint) == (position, hint)
    assert str(caught.value).startswith(f"{message}, at character {position + 1}")


def test_a_measure_without_rows_of_its_own_is_compared_question_by_question() -> None:
    asked = [
        question("q1", relevant=["a"], support={"x": ["a"]}),
        question("q2", relevant=["a"], support={"x": ["a"]}),
    ]
    graded = [
        type(q)(id=q.id, relevant=q.relevant, support=q.support, grades={"a": 2}) for q in asked
    ]
    comparison = comparison_of(
        graded,
        [record("q1", ["b", "a"]), record("q2", ["b"])],
        [record("q1", ["a"]), record("q2", error="timeout")],
    )
    assert selected(comparison, "b.nDCG@2=1") == ["q1"]
    assert selected(comparison, "a.ndcg<1") == ["q1", "q2"]
    assert selected(comparison, "delta.ndcg>0.3") == ["q1"]
    assert selected(comparison, "-delta.ndcg>0.3") == ["q2"]


# ---------------------------------------------------------------- against an independent oracle

REGISTRY = {
    "verdict": [v.value for v in Verdict],
    "severity": [*(s.name for s in Severity), "none"],
    "triage": ["undecided", "none", "accept"],
    "cause": [c.value for c in Cause],
    "na": [n.value for n in NotAvailable],
    "critical": ["yes", "no"],
    "flag": [f.value for f in Flag],
}

numbers = st.sampled_from(["-1", "-0.5", "-1/3", "0", "1/3", "0.5", "2/3", "1", "2"])


def terms(measures: list[str]) -> st.SearchStrategy[str]:
    keyed = st.sampled_from(sorted(REGISTRY)).flatmap(
        lambda key: st.sampled_from(REGISTRY[key]).map(lambda value: f"{key}:{value}")
    )
    compared = st.tuples(
        st.sampled_from(sorted(SIDES)),
        st.sampled_from(measures),
        st.sampled_from(sorted(OPERATORS)),
        numbers,
    ).map("".join)
    words = st.sampled_from(["q1", "Q", "2", "limit", "ONE"])
    return st.tuples(st.sampled_from(["", "-"]), st.one_of(keyed, compared, words)).map("".join)


def holds(comparison: Comparison, index: int, term: Term) -> bool:
    """Decide one term from the detail of a question, which is read and scored anew."""
    test, detail = term.test, comparison.detail(index)
    change = detail.change
    if isinstance(test, Word):
        told = [detail.question.id, detail.question.text or ""]
        return any(test.text.lower() in text.lower() for text in told)
    if isinstance(test, Compare):
        sides = [
            test.measure.value(detail.facts, detail.outcome(side).counts, comparison.cutoff)
            for side in Side
        ]
        wanted = sides if test.side is None else [sides[test.side]]
        exact = [value.fraction for value in wanted if isinstance(value, Score)]
        if len(exact) < len(wanted):
            return False
        moved = exact[-1] - exact[0] if len(exact) > 1 else exact[0]
        return bool(OPERATORS[test.op](moved, test.number))
    reasons = [
        m.value(detail.facts, detail.outcome(side).counts, comparison.cutoff)
        for m in comparison.measures
        for side in Side
    ]
    severity = "none" if change.severity is None else change.severity.name
    properties: dict[str, list[str]] = {
        "verdict": [change.verdict.value],
        "severity": [severity],
        "triage": ["none" if severity == "none" else "undecided"],
        "cause": [cause.value for cause in change.causes],
        "na": [reason.value for reason in reasons if isinstance(reason, NotAvailable)],
        "critical": ["yes" if detail.question.critical else "no"],
        "flag": [flag.value for flag in change.flags],
    }
    return test.value in properties[test.key]


def texts_of(comparison: Comparison, word: str) -> list[int]:
    return [
        index
        for index in range(len(comparison))
        if word.lower() in (comparison.evidence.question(index).text or "").lower()
    ]


@given(questions_with_records(), st.data())
def test_a_filter_selects_what_reading_every_question_anew_selects(
    case: Case, data: st.DataObject
) -> None:
    comparison = case.compare()
    measures = [m.key for m in comparison.measures]
    text = " ".join(data.draw(st.lists(terms(measures), max_size=3)))
    query = parse(text)
    found = select(comparison, query, texts=lambda word: texts_of(comparison, word))
    assert found == [
        index
        for index in range(len(comparison))
        if all(holds(comparison, index, term) != term.negated for term in query.terms)
    ]


@given(questions_with_records(), st.data())
def test_a_negated_term_selects_the_others(case: Case, data: st.DataObject) -> None:
    comparison = case.compare()
    term = data.draw(terms([m.key for m in comparison.measures])).removeprefix("-")
    kept, others = selected(comparison, term), selected(comparison, f"-{term}")
    assert sorted(kept + others) == sorted(comparison.ids)


@pytest.mark.parametrize("text", ["tag:lookup", "delta.recall<0", "na:no-claims verdict:mixed"])
def test_a_mask_marks_what_is_selected(text: str) -> None:
    comparison = random_comparison(700, 4)
    found = mask(comparison, parse(text))
    assert len(found) == len(comparison)
    assert [index for index, kept in enumerate(found) if kept] == select(comparison, parse(text))
    assert set(found) == {0, 1}


def test_a_filter_reads_no_evidence() -> None:
    comparison = release_desk()
    text = "tag:lookup -na:failed delta.recall>=0 severity:S2 flag:swap owner"
    select(comparison, parse(text))
    assert isinstance(comparison.evidence, MemoryEvidence)
    assert comparison.evidence.reads == []


def test_an_empty_set_has_nothing_to_select() -> None:
    assert select(comparison_of([], [], []), parse("delta.recall<0 word")) == []
    assert select(comparison_of([], [], []), Query("", ())) == []


@pytest.mark.parametrize("text", ["triage:accept", "-triage:undecided", "triage:none triage:none"])
def test_asking_only_about_decided_questions_selects_the_same(text: str) -> None:
    comparison = random_comparison(80, seed=2)
    said = dict.fromkeys(range(0, 80, 7), "accept")

    def state(index: int) -> str:
        severity = comparison.changes[index].severity
        return said.get(index, "none" if severity is None else "undecided")

    found = select(comparison, parse(text), triage=state, decided=said)
    assert found == select(comparison, parse(text), triage=state)
    assert found
