"""Disputed labels in a note, for people and for programs."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import msgspec

from ragtui.core.model import Review, Status
from ragtui.notes.document import Heading, Listing, Table, plain
from tests.builders import any_of, comparison_of, disputed_desk, question, record, release_desk
from tests.notes.notes import note

if TYPE_CHECKING:
    from ragtui.core.comparison import Comparison
    from ragtui.notes.document import Document

TITLE = "Disputed labels and agreement"


def section(document: Document) -> list[object]:
    """Return the blocks under the heading of disputes, none where it is not there."""
    headed = [
        n
        for n, block in enumerate(document.blocks)
        if isinstance(block, Heading) and block.level == 2
    ]
    starts = [n for n in headed if plain(document.blocks[n].text) == TITLE]  # type: ignore[union-attr]
    if not starts:
        return []
    end = next(n for n in headed if n > starts[0])
    return list(document.blocks[starts[0] + 1 : end])


def rows(comparison: Comparison) -> list[list[str]]:
    """Return the table of disputed questions as text."""
    found = next(block for block in section(note(comparison)) if isinstance(block, Table))
    return [[plain(cell) for cell in row] for row in found.rows]


def first_listing(comparison: Comparison) -> list[str]:
    """Return what a reader is told before trusting the numbers."""
    found = next(block for block in note(comparison).blocks if isinstance(block, Listing))
    return [plain(item) for item in found.items]


def test_the_table_says_the_verdict_under_whose_labels_and_every_range() -> None:
    """As the screen and the text output say it."""
    assert rows(disputed_desk()) == [
        [
            "launch",
            "regressed or improved: label open",
            "S2 regressed under the main labels, r1; improved under r2",
            (
                "support A 1.00, B 0.50 to 1.00, Δ −0.50 to 0; coverage A 0.50 to 1.00, B 1.00,"
                " Δ 0 to +0.50"
            ),
        ]
    ]


def test_what_hangs_on_a_label_is_told_before_anything_is_trusted() -> None:
    """With every verdict the question may have."""
    told = first_listing(disputed_desk())
    assert "Labels in dispute on 1 question, scored under the main labels: launch." in told
    assert (
        "Label open, 1 verdict that would be another under a review: launch (regressed or"
        " improved)." in told
    )


def test_a_dispute_that_nothing_hangs_on_is_told_so() -> None:
    """A reader need not look for what is not there."""
    asked = msgspec.structs.replace(question("q", relevant=["a"]), status=Status.DISPUTED)
    same = [record("q", ["a"], {})]
    told = first_listing(comparison_of([asked], same, same))
    assert "No verdict depends on whose disputed labels are right." in told


def test_agreement_is_told_with_its_marginals() -> None:
    """Of agreed questions, too, in words and numbers."""
    found = next(b for b in section(note(disputed_desk())) if isinstance(b, Listing))
    assert [plain(item) for item in found.items] == [
        (
            "Agreement on support, of triples of a question, a claim and a document: raw 0.50,"
            " Cohen's kappa 0.00, n 2; yes from r1 1 of 2, r2 2 of 2."
        )
    ]


def test_a_set_without_reviews_has_no_section() -> None:
    """Nothing to say, nothing said."""
    document = note(release_desk())
    assert section(document) == []
    assert document.entries["agreement"] == []


def test_programs_get_every_labelling_with_the_values_of_both_runs() -> None:
    """Enough to work out each range and verdict again."""
    entries: Any = note(disputed_desk()).entries
    launch, *others = entries["questions"]
    assert not any("labellings" in other for other in others)
    told = launch["labellings"]
    assert [(one["reviewer"], one["verdict"], one["severity"]) for one in told] == [
        (None, "regressed", "S2"),
        ("r1", "regressed", "S2"),
        ("r2", "improved", None),
    ]
    support = [one["measures"]["support"] for one in told]
    assert [Fraction(s["b"]["num"], s["b"]["den"]) for s in support] == [
        Fraction(1, 2),
        Fraction(1, 2),
        Fraction(1),
    ]
    assert entries["agreement"] == [
        {
            "part": "support",
            "n": 2,
            "raw": 0.5,
            "statistic": "Cohen's kappa",
            "value": 0.0,
            "reviewers": [
                {"reviewer": "r1", "yes": 1, "judged": 2},
                {"reviewer": "r2", "yes": 2, "judged": 2},
            ],
        }
    ]


def test_a_long_list_of_disputes_ends_in_a_count() -> None:
    """The note stays readable; the JSON holds them all."""
    review = Review(reviewer="r", relevant=("b",), support={"x": any_of("b")})
    asked = [
        msgspec.structs.replace(
            question(f"q{n:03}", relevant=["a"], support={"x": ["a"]}),
            status=Status.DISPUTED,
            reviews=(review,),
        )
        for n in range(203)
    ]
    said = [record(q.id, ["a"], {"x": ["a"]}) for q in asked]
    comparison = comparison_of(asked, said, said)
    assert len(rows(comparison)) == 200
    blocks = section(note(comparison))
    assert any("3 questions more" in plain(getattr(block, "text", ())) for block in blocks)
