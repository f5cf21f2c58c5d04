"""Every command writes its look at a held-out set first, and shows no more than it wrote."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest

from ragtui.cli import main
from ragtui.core.ledger import Depth
from ragtui.core.triage import Choice, Decision, binding_of
from ragtui.files.ledger import Look
from ragtui.files.loading import load_comparison
from ragtui.files.triage_file import render_triage
from tests.cli.conftest import Done
from tests.held_out import QUESTION_IDS, TEXTS, hold_out_support_desk, ledger_events, write_held_out

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PAIR = "base.toml one.toml"

AGGREGATE = (
    f"compare {PAIR} --plain",
    f"compare {PAIR} --json",
    "score one.toml",
    "score one.toml --json",
    f"note {PAIR}",
    f"note {PAIR} -o note.md",
    f"note {PAIR} -o note.html",
    f"note {PAIR} -o note.svg",
    f"note {PAIR} -o note.txt",
    f"note {PAIR} -o note.json",
    f"note {PAIR} -o note.md --evidence full",
)
"""Command lines that show aggregates of a held-out set, and nothing more."""

NEEDING = (
    f"compare {PAIR} --plain --filter secret-01",
    f"compare {PAIR} --json --filter verdict:improved",
    "score one.toml --csv",
    f"table {PAIR}",
    f"table {PAIR} --jsonl",
    f"explain {PAIR} secret-01",
    f"note {PAIR} --filter secret-01",
)
"""Command lines that cannot do without questions."""


@pytest.fixture
def held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of a held-out set, made the current one."""
    write_held_out(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(held: Path, capsys: pytest.CaptureFixture[str]) -> Callable[[str], Done]:
    """Return a function that runs one command line beside the set."""
    del held

    def run_line(line: str) -> Done:
        code = main(line.split())
        return Done(code, *capsys.readouterr())

    return run_line


def looks(folder: Path) -> list[tuple[str, str]]:
    return [
        (event["candidate"], event["depth"])
        for event in ledger_events(folder)
        if event["kind"] == "look"
    ]


def shown_by(done: Done, folder: Path) -> str:
    """Return everything a command printed or wrote, apart from the set and its runs."""
    notes = (path.read_text(encoding="utf-8") for path in folder.glob("note.*"))
    return "\n".join((done.out, done.err, *notes))


@pytest.mark.parametrize("line", AGGREGATE)
def test_without_open_a_command_shows_aggregates_only(
    line: str, run: Callable[[str], Done], held: Path
) -> None:
    done = run(line)
    shown = shown_by(done, held)
    assert done.code == 0
    assert len(looks(held)) == 1
    assert looks(held)[0][1] == "aggregate"
    for closed in (*QUESTION_IDS, *TEXTS, "claim-", "handful"):
        assert closed not in shown
    assert "scored" in shown


@pytest.mark.parametrize("line", NEEDING)
def test_what_needs_questions_is_refused_before_anything_is_written(
    line: str, run: Callable[[str], Done], held: Path
) -> None:
    done = run(line)
    assert done.code == 2
    assert "--open" in shown_by(done, held)
    assert looks(held) == []
    assert not any(text in shown_by(done, held) for text in TEXTS)


@pytest.mark.parametrize("line", [*AGGREGATE, *NEEDING])
def test_open_shows_everything_and_opens_the_set(
    line: str, run: Callable[[str], Done], held: Path
) -> None:
    done = run(f"{line} --open")
    assert done.code == 0
    assert [depth for _, depth in looks(held)] == ["question"]
    assert "secret-01" in shown_by(done, held)


@pytest.mark.parametrize("line", [*AGGREGATE, *(f"{line} --open" for line in NEEDING)])
def test_where_the_look_cannot_be_written_nothing_is_shown(
    line: str, run: Callable[[str], Done], held: Path
) -> None:
    (held / "ledger.jsonl").unlink()
    (held / "ledger.jsonl").mkdir()
    done = run(line)
    assert done.code == 5
    assert list(held.glob("note.*")) == []
    if "--json" in line.split() and not line.startswith("table"):
        assert done.document["schema"] == "ragtui/error@1"
    else:
        assert done.out == ""
    assert not any(text in shown_by(done, held) for text in (*QUESTION_IDS, *TEXTS))


def test_a_document_of_a_closed_set_holds_no_question(run: Callable[[str], Done]) -> None:
    found = run(f"compare {PAIR} --json").document
    assert (found["questions"], found["order"], found["na"]) == ([], [], [])
    assert found["totals"]["questions"] == 24
    assert found["measures"]["support"]["paired"]["n"] == 24
    assert [part["slice"] for part in found["slices"]] == ["answerable", "many"]
    told = found["held_out"]
    assert (told["state"], told["number"], told["candidates"]) == ("scored", 1, 1)
    assert (told["depth"], told["ledger"]["lines"]) == ("aggregate", 2)
    assert run("score one.toml --json").document["questions"] == []


def test_the_text_says_the_state_the_candidates_and_the_head(run: Callable[[str], Done]) -> None:
    lines = run(f"compare {PAIR} --plain").out
    assert "held-out (scored)" in lines.splitlines()[0]
    words = " ".join(lines.split())
    assert "1 candidate looked at, 5 allowed · ledger 2 lines, head " in words


def test_later_candidates_are_judged_at_a_higher_confidence(run: Callable[[str], Done]) -> None:
    found = [
        run(f"compare base.toml {name}.toml --json").document
        for name in ("one", "two", "three", "two")
    ]
    levels = [each["measures"]["support"]["interval"]["confidence"] for each in found]
    assert levels == pytest.approx([0.95, 1 - 0.05 / 2, 1 - 0.05 / 3, 1 - 0.05 / 2])
    assert "97.5%" in run("compare base.toml two.toml --plain").out


def test_a_new_candidate_after_opening_is_development(run: Callable[[str], Done]) -> None:
    run(f"compare {PAIR} --json --open")
    assert run(f"compare {PAIR} --json").document["held_out"]["state"] == "opened"
    found = run("compare base.toml two.toml --plain")
    assert found.code == 0
    assert "held-out (spent) = development" in found.out.splitlines()[0]


def test_looking_again_writes_nothing(run: Callable[[str], Done], held: Path) -> None:
    first = run(f"compare {PAIR} --json")
    before = (held / "ledger.jsonl").read_bytes()
    assert run(f"compare {PAIR} --json") == first
    run("score one.toml")
    assert (held / "ledger.jsonl").read_bytes() == before


def test_retiring_says_what_the_set_is_now(run: Callable[[str], Done], held: Path) -> None:
    done = run("retire set.toml")
    assert done.code == 0
    assert "held-out (spent) = development" in done.out
    assert "ledger 2 lines, head " in done.out
    assert [event["kind"] for event in ledger_events(held)] == ["freeze", "retire"]
    assert "before" in run("retire set.toml").out
    assert run(f"compare {PAIR} --json").document["held_out"]["spent_because"] == "it was retired"


def test_an_edited_line_of_the_ledger_is_named_by_every_command(
    run: Callable[[str], Done], held: Path
) -> None:
    run("score one.toml")
    run("score two.toml")
    path = held / "ledger.jsonl"
    lines = path.read_text().splitlines()
    event = json.loads(lines[1])
    lines[1] = lines[1].replace(event["candidate"], "0" * 64)
    path.write_text("".join(f"{line}\n" for line in lines))
    for line in (f"compare {PAIR} --plain", f"note {PAIR}", "score one.toml"):
        assert "edger line 2 is not the one that was written" in " ".join(run(line).out.split())


SUPPORT = "manifests/support-baseline.toml manifests/support-candidate.toml"
SUPPORT_POLICY = "--policy manifests/support-desk.policy.toml"


@pytest.mark.parametrize(
    "line",
    [
        f"compare {SUPPORT} --plain",
        f"compare {SUPPORT} --json",
        f"compare {SUPPORT} --plain {SUPPORT_POLICY}",
        f"check {SUPPORT} {SUPPORT_POLICY}",
        f"check {SUPPORT} {SUPPORT_POLICY} --json",
        f"check {SUPPORT} {SUPPORT_POLICY} --format github",
        "score manifests/support-candidate.toml",
        "score manifests/support-candidate.toml --json",
        f"note {SUPPORT}",
        *(f"note {SUPPORT} {SUPPORT_POLICY} --evidence full -o note{s}" for s in (".md", ".json")),
    ],
)
def test_nothing_of_an_untidy_closed_set_is_named(
    line: str, desk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Disputes, restricted documents, failures and every kind of rule name no question."""
    closed = hold_out_support_desk(desk)
    code = main(line.split())
    shown = shown_by(Done(code, *capsys.readouterr()), desk)
    assert code in ({0, 1, 4} if line.startswith("check") else {0})
    assert "held-out (scored)" in shown
    assert [text for text in closed if text in shown] == []


POLICY = """
schema = "ragtui/policy@1"
id = "gate"
written = 2026-02-03
max_candidates = 2

[[rule]]
id = "support"
kind = "mean_at_least"
measure = "support"
average = "macro"
min = 0.5

[[rule]]
id = "each"
kind = "each_at_least"
measure = "support"
min = 0.5
required = false
"""


ORACLES = """
[[rule]]
id = "decided"
kind = "triage"
severity = "S4"
required = false

[[rule]]
id = "floor"
kind = "each_at_least"
measure = "support"
min = 1.0
required = false
waivable = true
"""
"""Rules that waivers and decisions about single questions could move."""

WAIVER = """schema = "ragtui/waivers@1"
[[waiver]]
rule = "floor"
question = "{question}"
who = "Jo"
reason = "to see what happens"
expires = {expires}
"""


def write_block(folder: Path, question: str) -> None:
    """Write a decision bound to the change of a question from one to base, told by the files."""
    elsewhere = folder / f"to-{question}"
    shutil.copytree(folder, elsewhere, ignore=shutil.ignore_patterns("to-*"))
    look = Look(depth=Depth.QUESTION)
    comparison = load_comparison(elsewhere / "one.toml", elsewhere / "base.toml", look=look)
    index = comparison.index_of(question)
    assert index is not None
    decision = Decision(
        question=question,
        choice=Choice.BLOCK,
        when="2026-11-28T10:00:00Z",
        binding=binding_of(comparison, index),
    )
    digest = comparison.set_info.sha256 or ""
    (folder / "kept.triage.toml").write_bytes(render_triage([decision], set_digest=digest))


class TestGate:
    """What `check` may say of a held-out set, and what it writes before it says it."""

    @pytest.fixture
    def policy(self, held: Path) -> Path:
        path = held / "gate.toml"
        path.write_text(POLICY, encoding="utf-8")
        return path

    def test_the_policy_stands_in_the_ledger_just_before_the_look(
        self, run: Callable[[str], Done], held: Path, policy: Path
    ) -> None:
        done = run(f"check {PAIR} --policy {policy.name}")
        assert done.code == 0
        assert [event["kind"] for event in ledger_events(held)] == ["freeze", "policy", "look"]
        words = " ".join(done.out.split())
        assert "ledger 3 lines, head " in words
        assert "policy recorded before the first look" in words

    @pytest.mark.parametrize("form", ["", " --json", " --format github"])
    def test_a_gate_names_no_question_of_a_closed_set(
        self, run: Callable[[str], Done], policy: Path, form: str
    ) -> None:
        done = run(f"check {PAIR} --policy {policy.name}{form}")
        assert done.code == 0
        assert not any(text in done.out + done.err for text in (*QUESTION_IDS, *TEXTS, "claim-"))
        assert "secret-05" in run(f"check {PAIR} --policy {policy.name}{form} --open").out

    @pytest.mark.parametrize(
        "line",
        [
            f"compare {PAIR} --plain --policy gate.toml",
            f"compare {PAIR} --json --policy gate.toml",
            *(f"note {PAIR} -o note{s} --policy gate.toml" for s in (".md", ".html", ".json")),
        ],
    )
    def test_a_verdict_elsewhere_is_that_of_the_gate(
        self, line: str, run: Callable[[str], Done], held: Path, policy: Path
    ) -> None:
        assert policy.name in line
        done = run(line)
        shown = shown_by(done, held)
        assert done.code == 0
        assert [event["kind"] for event in ledger_events(held)] == ["freeze", "policy", "look"]
        assert not any(text in shown for text in (*QUESTION_IDS, *TEXTS, "claim-"))
        assert "pass" in shown

    @pytest.mark.parametrize("number", [0, 1])
    def test_what_is_brought_along_about_a_question_tells_nothing_of_it(
        self, run: Callable[[str], Done], held: Path, policy: Path, number: int
    ) -> None:
        """A waiver or a decision would show by its effect how a question nobody saw fared."""
        policy.write_text(POLICY + ORACLES, encoding="utf-8")
        gate = f"one.toml base.toml --policy {policy.name} --triage kept.triage.toml"
        lines = [f"check {gate}", f"check {gate} --json", f"compare {gate} --json"]
        waivers = held / "gate.waivers.toml"
        waivers.write_text(WAIVER.format(question="secret-22", expires="2020-01-01"))
        write_block(held, "secret-22")
        before = [run(line) for line in (lines[0], *lines)][1:]
        assert "1 waiver not counted: no question was opened yet" in " ".join(before[0].out.split())
        write_block(held, QUESTION_IDS[number])
        for expires in ("2020-01-01", "2099-01-01"):
            waivers.write_text(WAIVER.format(question=QUESTION_IDS[number], expires=expires))
            assert [run(line) for line in lines] == before
        opened = run(f"check {gate} --open").out
        assert ("1 blocked" in opened) is (number == 1)

    def test_a_rule_that_can_measure_few_questions_withholds_its_figure(
        self, run: Callable[[str], Done], policy: Path
    ) -> None:
        """Ten are selected, but a measure without a value on most of them is about fewer."""
        few = '[[rule]]\nid = "few"\nkind = "each_at_least"\nmeasure = "abstention_correct"\n'
        policy.write_text(POLICY + few + 'min = 0.5\nwhere = ["tag:many"]\n', encoding="utf-8")
        assert "withheld: fewer than 10 questions" in " ".join(
            run(f"check {PAIR} --policy {policy.name}").out.split()
        )

    def test_the_third_candidate_of_two_is_inconclusive(
        self, run: Callable[[str], Done], policy: Path
    ) -> None:
        found = [
            run(f"check base.toml {name}.toml --policy {policy.name}")
            for name in ("one", "two", "three", "one")
        ]
        assert [done.code for done in found] == [0, 0, 4, 4]
        assert "3 candidates were looked at, 2 are allowed" in " ".join(found[2].out.split())
        assert "held-out (spent) = development" in found[2].out

    def test_a_policy_edited_after_a_look_is_at_best_inconclusive(
        self, run: Callable[[str], Done], held: Path, policy: Path
    ) -> None:
        assert run(f"check {PAIR} --policy {policy.name}").code == 0
        policy.write_text(POLICY.replace("min = 0.5", "min = 0.4", 1), encoding="utf-8")
        done = run(f"check {PAIR} --policy {policy.name}")
        assert done.code == 4
        assert "policy recorded after the first look" in " ".join(done.out.split())
        policy.write_text(POLICY.replace("min = 0.5", "min = 0.9", 1), encoding="utf-8")
        assert run(f"check {PAIR} --policy {policy.name}").code == 1
        policy.write_text(POLICY, encoding="utf-8")
        assert run(f"check {PAIR} --policy {policy.name}").code == 0
        kinds = [event["kind"] for event in ledger_events(held)]
        assert kinds == ["freeze", "policy", "look", "policy", "policy"]

    def test_a_look_without_a_policy_comes_before_any_policy(
        self, run: Callable[[str], Done], policy: Path
    ) -> None:
        run(f"compare {PAIR} --json")
        assert run(f"check {PAIR} --policy {policy.name}").code == 4

    def test_an_edited_line_of_the_ledger_lets_no_gate_pass(
        self, run: Callable[[str], Done], held: Path, policy: Path
    ) -> None:
        assert run(f"check {PAIR} --policy {policy.name}").code == 0
        path = held / "ledger.jsonl"
        first, *rest = path.read_bytes().splitlines(keepends=True)
        path.write_bytes(first.replace(b"Z", b"z", 1) + b"".join(rest))
        done = run(f"check {PAIR} --policy {policy.name}")
        assert done.code == 4
        assert "ledger line 1 is not the one that was written" in " ".join(done.out.split())

    def test_a_retired_set_lets_no_gate_pass(
        self, run: Callable[[str], Done], policy: Path
    ) -> None:
        run("retire set.toml")
        assert run(f"check {PAIR} --policy {policy.name}").code == 4

    def test_where_the_look_cannot_be_written_the_gate_says_nothing(
        self, run: Callable[[str], Done], held: Path, policy: Path
    ) -> None:
        (held / "ledger.jsonl").unlink()
        (held / "ledger.jsonl").mkdir()
        done = run(f"check {PAIR} --policy {policy.name}")
        assert (done.code, done.out) == (5, "")
