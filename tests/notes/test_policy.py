"""A note under an acceptance policy: the verdict first, every rule, the same facts for programs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from ragtui.core.policy import Outcome, Waiver
from ragtui.notes.build import build
from ragtui.notes.document import Heading, Paragraph, Table, plain
from ragtui.notes.subject import Request
from ragtui.notes.writers import FORMATS, render
from tests.builders import release_desk
from tests.policies import policy_of, rule

if TYPE_CHECKING:
    from ragtui.core.policy import Policy
    from ragtui.notes.document import Document

TAG = "[x](http://evil) @octocat `|**#1** <script>alert(1)</script>"
HOSTILE = f"{TAG} /home/jo/plan"

POLICY = policy_of(
    rule("new_unsupported", "no-new-claims", max=0, waivable=True),
    rule("regressions", "nothing-severe", severity="S1", max=0),
    rule("no_disclosure", "nothing-disclosed", required=False),
    rule("labels", "labels", max_unresolved=0, plan=HOSTILE),
    rule("sample", "sample", min_questions={f"tag:{TAG}": 1}, required=False),
    owner=HOSTILE,
    written="2026-11-19",
)


def note(policy: Policy | None = POLICY) -> Document:
    return build(release_desk(), {}, Request(version="0", policy=policy))


def lines(document: Document) -> list[str]:
    return [plain(block.text) for block in document.blocks if isinstance(block, Paragraph)]


@pytest.mark.parametrize(
    ("policy", "verdict"),
    [
        (POLICY, "Verdict: ✗ fail by policy gate: 1 fail, 2 pass of 3 required rules; 2 advisory."),
        (
            replace(
                POLICY, waivers=(Waiver("no-new-claims", "launch", "Ann", HOSTILE, "2026-12-01"),)
            ),
            "Verdict: ✓ pass with 1 waiver by policy gate: 3 pass of 3 required rules; 2 advisory.",
        ),
        (
            replace(POLICY, set_sha256="a" * 64),
            "Verdict: ! invalid by policy gate: 1 fail, 2 pass of 3 required rules; 2 advisory.",
        ),
    ],
)
def test_the_verdict_is_the_first_thing_said(policy: Policy, verdict: str) -> None:
    assert lines(note(policy))[0] == verdict


def test_without_a_policy_none_is_claimed() -> None:
    document = note(None)
    assert not [told for told in lines(document) if told.startswith("Verdict")]
    assert document.entries["policy"] is None
    assert b"No acceptance policy was applied." in render(document, ".txt")


def test_every_rule_has_a_row_with_figure_bound_and_questions() -> None:
    blocks = list(note().blocks)
    at = next(
        i
        for i, block in enumerate(blocks)
        if isinstance(block, Heading) and plain(block.text) == "Acceptance policy"
    )
    table = blocks[at + 1]
    assert isinstance(table, Table)
    rows = [[plain(cell) for cell in row] for row in table.rows]
    assert rows[0] == ["✗ fail", "no-new-claims", "1 new unsupported claim", "at most 0", "launch"]
    assert rows[2][0] == "? inconclusive (advisory)"
    assert [row[1] for row in rows] == [one.id for one in POLICY.rules]


def test_programs_read_the_same() -> None:
    entry = note().entries["policy"]
    assert isinstance(entry, dict)
    assert (entry["verdict"], entry["sha256"]) == (Outcome.FAIL.value, POLICY.sha256)
    assert entry["rules"][0]["questions"] == ["launch"]


@pytest.mark.parametrize("form", FORMATS)
def test_texts_of_a_policy_name_no_place_and_are_only_text(form: str) -> None:
    """Plan, owner, reason and tag come from files: no person's folder, no live markup."""
    waiver = Waiver("no-new-claims", "launch", HOSTILE, HOSTILE, "2026-12-01")
    told = render(note(replace(POLICY, waivers=(waiver,))), form).decode()
    assert "octocat" in told
    assert "/home/jo" not in told
    if form in {".html", ".svg"}:
        assert "<script>" not in told
