"""The gate from the command line: each kind of rule, the verdict, the exit code, what is said."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pytest
import tomli_w

from ragtui.cli import main
from ragtui.core.rules import KINDS
from ragtui.core.triage import Choice, Decision, binding_of
from ragtui.files.loading import load_comparison
from ragtui.files.locks import freeze
from ragtui.files.triage_file import render_triage, triage_path
from tests.gate_files import FAILED, INVENTED, LEAKED, SILENT, Pair, each, write_policy
from tests.written_sets import write_lines, write_set

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.cli.conftest import Done

DESK: Final = "check manifests/baseline.toml manifests/candidate.toml"
DESK_POLICY: Final = "--policy manifests/release-desk.policy.toml"

PASS, FAIL, INVALID, OPEN = 0, 1, 3, 4


class Case(NamedTuple):
    """A pair of runs, one rule, and what the gate must exit with."""

    kind: str
    code: int
    pair: Pair
    keys: dict[str, Any]
    blamed: tuple[str, ...] = ()


def asked(failed: int = 0, sent: int = 100) -> dict[str, object]:
    return {"requests": {"sent": sent, "retried": 0, "failed": failed}}


def ids(n: int) -> tuple[str, ...]:
    """Return the ids of the first questions."""
    return tuple(f"q{number:03}" for number in range(n))


COVERAGE: Final = {"measure": "coverage"}
OTHER_K: Final[dict[str, object]] = {"pipeline": {"retrieval": {"top_k": 20}}}
ALL_SETTINGS: Final = {
    "code": {"revision": "8f2c1e0"},
    "prompt": {"revision": "p-12"},
    "generation": {"model": "brook-7b", "temperature": 0.0},
    "retrieval": {"top_k": 20},
}

CASES: Final = (
    Case("comparable", PASS, Pair(manifest_b={"pipeline": ALL_SETTINGS}), {"max_changes": 1}),
    Case("comparable", FAIL, Pair(manifest_b={"pipeline": ALL_SETTINGS}), {"max_changes": 0}),
    Case("comparable", OPEN, Pair(manifest_b=OTHER_K), {"max_changes": 1}),
    Case("each_at_least", PASS, Pair(), {**COVERAGE, "min": 1.0, "where": ["tag:plan"]}),
    Case("each_at_least", FAIL, Pair(b=each(SILENT, 3)), {**COVERAGE, "min": 0.1}, ("q003",)),
    Case(
        "each_at_least",
        OPEN,
        Pair(b=each(SILENT, 3)),
        {"measure": "support", "min": 0.1},
        ("q003", "none-0", "none-1"),
    ),
    Case("new_unsupported", PASS, Pair(b=each(INVENTED, 1)), {"max": 1}),
    Case("new_unsupported", FAIL, Pair(b=each(INVENTED, 1, 2)), {"max": 1}, ("q001", "q002")),
    Case("new_unsupported", OPEN, Pair(b=each(FAILED, 5)), {"max": 0}, ("q005",)),
    Case("abstention", PASS, Pair(), {"min_correct": 2, "max_over_abstained": 0}),
    Case(
        "abstention", FAIL, Pair(b={"none-1": dict(INVENTED)}), {"max_new_answers": 0}, ("none-1",)
    ),
    Case("abstention", OPEN, Pair(b={"none-1": None}), {"min_correct": 2}, ("none-1",)),
    Case("no_disclosure", PASS, Pair(permissions=True), {}),
    Case("no_disclosure", FAIL, Pair(permissions=True, b=each(LEAKED, 7)), {}, ("q007",)),
    Case("no_disclosure", OPEN, Pair(), {}),
    Case("non_inferior", PASS, Pair(n=60), {**COVERAGE, "margin": 0.05}),
    Case(
        "non_inferior",
        FAIL,
        Pair(n=60, b=each(SILENT, *range(30))),
        {**COVERAGE, "margin": 0.05},
        ids(30),
    ),
    Case("non_inferior", OPEN, Pair(n=30), {**COVERAGE, "margin": 0.05}),
    Case("superior", PASS, Pair(n=40, a=each(SILENT, *range(20))), {**COVERAGE, "min_gain": 0.1}),
    Case(
        "superior",
        FAIL,
        Pair(n=40, b=each(SILENT, *range(20))),
        {**COVERAGE, "min_gain": 0.1},
        ids(20),
    ),
    Case("superior", OPEN, Pair(n=40), {**COVERAGE, "min_gain": 0.0}),
    Case(
        "mean_at_least",
        PASS,
        Pair(b=each(SILENT, 0)),
        {**COVERAGE, "average": "macro", "min": 0.95},
    ),
    Case(
        "mean_at_least",
        FAIL,
        Pair(b=each(SILENT, 0)),
        {**COVERAGE, "average": "pooled", "min": 0.951},
        ids(1),
    ),
    Case(
        "mean_at_least",
        OPEN,
        Pair(b=each(FAILED, 0)),
        {**COVERAGE, "average": "macro", "min": 0.99},
        ("q000",),
    ),
    Case("regressions", PASS, Pair(b=each(SILENT, 0)), {"severity": "S2", "max": 1}),
    Case("regressions", FAIL, Pair(b=each(SILENT, 0)), {"severity": "S2", "max": 0}, ("q000",)),
    Case("regressions", OPEN, Pair(b=each(FAILED, 0)), {"severity": "S2", "max": 0}, ("q000",)),
    Case("labels", PASS, Pair(), {"max_unresolved": 0, "plan": "Ask a third reviewer."}),
    Case("labels", FAIL, Pair(disputed=True), {"max_unresolved": 0}, ("q000",)),
    Case(
        "labels",
        OPEN,
        Pair(disputed=True, b=each(SILENT, 0)),
        {"max_unresolved": 1},
        ("q000",),
    ),
    Case("triage", PASS, Pair(), {"severity": "S4"}),
    Case("triage", OPEN, Pair(b=each(SILENT, 0)), {"severity": "S2"}, ("q000",)),
    Case("operations", PASS, Pair(manifest_b=asked()), {"max_failure_rate": 0.0}),
    Case("operations", FAIL, Pair(manifest_b=asked(2)), {"max_failure_rate": 0.01}),
    Case("operations", OPEN, Pair(manifest_b=asked(sent=19)), {"max_failure_rate": 1.0}),
    Case("sample", PASS, Pair(), {"min_questions": {"answerable": 20, "unanswerable": 2}}),
    Case("sample", OPEN, Pair(), {"min_questions": {"answerable": 21}}),
)

NEVER: Final = {("sample", FAIL): "a sample cannot fail", ("triage", FAIL): "tried below"}


def check(folder: Path, capsys: pytest.CaptureFixture[str], *more: str) -> tuple[int, str, str]:
    line = ["check", "a.toml", "b.toml", "--policy", "p.toml"]
    code = main([str(folder / part) if part.endswith(".toml") else part for part in line] + [*more])
    out, err = capsys.readouterr()
    return code, out, err


def test_every_kind_passes_fails_and_stays_open_below() -> None:
    tried = {(case.kind, case.code) for case in CASES}
    wanted = {(kind, code) for kind in KINDS for code in (PASS, FAIL, OPEN)}
    assert wanted - tried == set(NEVER)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.kind}-{case.code}")
def test_a_rule_decides_the_exit_code(
    case: Case, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The only rule of a policy says pass, fail or inconclusive, and names who is responsible."""
    case.pair.write(tmp_path)
    write_policy(tmp_path, {"kind": case.kind, **case.keys}, max_missing=1)
    code, out, _ = check(tmp_path, capsys, "--json")
    policy = json.loads(out)["policy"]
    (rule,) = policy["rules"]
    assert code == case.code == json.loads(out)["exit"]
    assert policy["verdict"] == rule["outcome"]
    assert tuple(rule["questions"]) == case.blamed


def decide(folder: Path, choice: str) -> None:
    """Decide the change of q000 as an open session would."""
    comparison = load_comparison(folder / "a.toml", folder / "b.toml")
    made = Decision(
        question="q000",
        choice=Choice(choice),
        when="2026-11-28T10:00:00Z",
        binding=binding_of(comparison, 0),
    )
    digest = comparison.set_info.sha256 or ""
    path = triage_path(folder / "b.toml", "run-a", "run-b")
    path.write_bytes(render_triage([made], set_digest=digest))


@pytest.mark.parametrize(
    ("choice", "code"),
    [("accept", PASS), ("block", FAIL), ("investigate", OPEN), ("dispute", OPEN)],
)
def test_what_a_reviewer_decided_decides_the_rule_on_triage(
    choice: str, code: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Decisions are read from beside the candidate, or from the file that --triage names."""
    Pair(b=each(SILENT, 0)).write(tmp_path)
    write_policy(tmp_path, {"kind": "triage", "severity": "S2"})
    decide(tmp_path, choice)
    assert check(tmp_path, capsys)[0] == code
    beside = tmp_path / "run-a..run-b.triage.toml"
    moved = beside.rename(tmp_path / "elsewhere")
    assert check(tmp_path, capsys)[0] == OPEN
    assert check(tmp_path, capsys, "--triage", str(moved))[0] == code


# ---------------------------------------------------------------- the demo


def test_the_desk_fails_for_what_launch_states_anew(run: Callable[..., Done]) -> None:
    """One rule fails, and it names launch; everything else that counts passes."""
    done = run(f"{DESK} {DESK_POLICY} --json")
    policy = done.document["policy"]
    failed = [rule for rule in policy["rules"] if rule["outcome"] == "fail"]
    assert (done.code, policy["verdict"]) == (FAIL, "fail")
    assert [(rule["id"], rule["questions"]) for rule in failed] == [("no-new-claims", ["launch"])]
    counted = [rule for rule in policy["rules"] if rule["required"]]
    assert {rule["outcome"] for rule in counted} == {"pass", "fail"}
    assert policy["reservations"] == []


def test_the_desk_s_text_says_verdict_rules_figures_and_questions(
    run: Callable[..., Done],
) -> None:
    done = run(f"{DESK} {DESK_POLICY}")
    assert done.code == FAIL
    assert "✗ fail · 1 fail, 5 pass of 6 required rules; 1 advisory" in done.out
    assert re.search(
        r"✗ fail +no-new-claims +1 new unsupported claim · demanded: at most 0", done.out
    )
    assert 'questions "launch"' in done.out


def test_a_waiver_lets_launch_pass_until_it_expires(desk: Path, run: Callable[..., Done]) -> None:
    path = desk / "manifests" / "release-desk.policy.waivers.toml"

    def waive(expires: str) -> Done:
        one = {
            "rule": "no-new-claims",
            "question": "launch",
            "who": "Ann",
            "reason": "the bonus is announced",
            "expires": expires,
        }
        data = {"schema": "ragtui/waivers@1", "waiver": [one]}
        path.write_text(tomli_w.dumps(data), encoding="utf-8")
        return run(f"{DESK} {DESK_POLICY}")

    before = run(f"{DESK} {DESK_POLICY} --json").document["policy"]["sha256"]
    waived = waive("2026-11-27")
    assert (waived.code, "✓ pass with 1 waiver" in waived.out) == (PASS, True)
    assert 'used: no-new-claims for "launch" until 2026-11-27, by "Ann"' in waived.out
    assert run(f"{DESK} {DESK_POLICY} --json").document["policy"]["sha256"] == before
    expired = waive("2026-11-26")
    assert (expired.code, "expired: no-new-claims" in expired.out) == (FAIL, True)


def test_the_support_desk_s_policy_holds_a_rule_of_every_kind(
    run: Callable[..., Done],
) -> None:
    pair = "manifests/support-baseline.toml manifests/support-candidate.toml"
    done = run(f"check {pair} --policy manifests/support-desk.policy.toml --json")
    policy = done.document["policy"]
    assert {rule["kind"] for rule in policy["rules"]} == set(KINDS)
    assert (done.code, policy["verdict"]) == (FAIL, "fail")
    assert all(rule["figure"] and rule["bound"] for rule in policy["rules"])


# ---------------------------------------------------------------- beside the gate


def test_compare_shows_the_same_policy_and_exits_with_zero(run: Callable[..., Done]) -> None:
    """A comparison is no gate: it tells the verdict, in text and in JSON, and is done."""
    line = DESK.replace("check", "compare")
    checked = run(f"{DESK} {DESK_POLICY} --json").document["policy"]
    compared = run(f"{line} {DESK_POLICY} --json")
    assert (compared.code, compared.document["policy"]) == (0, checked)
    assert run(f"{line} --json").document["policy"] is None
    text = run(f"{line} {DESK_POLICY} --plain")
    assert (text.code, "✗ fail · 1 fail, 5 pass of 6 required rules" in text.out) == (0, True)
    assert "Verdict by" not in run(f"{line} --plain").out


def test_an_exploratory_cutoff_never_passes(desk: Path, run: Callable[..., Done]) -> None:
    path = write_policy(desk, {"kind": "new_unsupported", "max": 99})
    line = f"{DESK.replace('check', 'compare')} --policy {path} --json"
    assert run(line).document["policy"]["verdict"] == "pass"
    explored = run(f"{line} --cutoff 1").document["policy"]
    assert explored["verdict"] == "inconclusive"
    assert explored["reservations"] == ["the cutoff is exploratory"]


def test_a_note_says_the_verdict_of_the_gate(run: Callable[..., Done]) -> None:
    checked = run(f"{DESK} {DESK_POLICY} --json").document["policy"]
    note = DESK.replace("check", "note")
    run(f"{note} {DESK_POLICY} -o NOTE.json")
    assert json.loads(Path("NOTE.json").read_text(encoding="utf-8"))["policy"] == checked
    printed = run(f"{note} {DESK_POLICY}")
    assert (printed.code, "Verdict: ✗ fail by policy release-desk" in printed.out) == (0, True)


@pytest.mark.parametrize("command", ["compare", "note"])
def test_a_policy_that_means_nothing_stops_every_command(
    command: str, desk: Path, run: Callable[..., Done]
) -> None:
    path = write_policy(desk, {"kind": "sampel"})
    done = run(f"{DESK.replace('check', command)} --policy {path}")
    assert (done.code, done.out) == (INVALID, "")


# ---------------------------------------------------------------- what is refused


def test_a_gate_judges_at_no_other_cutoff(run: Callable[..., Done]) -> None:
    done = run(f"{DESK} {DESK_POLICY} --cutoff 1")
    assert (done.code, done.out) == (2, "")
    assert "--cutoff" in done.err


def test_a_gate_needs_a_policy(run: Callable[..., Done]) -> None:
    assert run(DESK).code == 2


def test_a_policy_that_means_nothing_is_invalid(desk: Path, run: Callable[..., Done]) -> None:
    """Exit 3, with the nearest known word, in text and as a document."""
    path = write_policy(desk, {"kind": "new_unsuported", "max": 0})
    done = run(f"{DESK} --policy {path} --json")
    (error,) = done.document["errors"]
    assert (done.code, error["hint"]) == (INVALID, 'did you mean "new_unsupported"?')


def test_a_policy_of_another_set_is_invalid(desk: Path, run: Callable[..., Done]) -> None:
    path = write_policy(desk, {"kind": "new_unsupported", "max": 9}, set="sha256:" + "a" * 64)
    done = run(f"{DESK} --policy {path}")
    assert (done.code, "! invalid" in done.out) == (INVALID, True)
    assert "bound to another question set" in done.out


def test_runs_that_cannot_be_compared_end_as_everywhere(
    desk: Path, run: Callable[..., Done]
) -> None:
    path = desk / "manifests" / "candidate.toml"
    text = path.read_text(encoding="utf-8").replace("cutoff = 2", "cutoff = 3")
    path.write_text(text, encoding="utf-8")
    assert run(f"{DESK} {DESK_POLICY}").code == OPEN
    done = run(f"{DESK} {DESK_POLICY} --json")
    assert (done.code, done.document["comparable"], done.document["exit"]) == (OPEN, False, OPEN)
    assert done.document["schema"] == "ragtui/check@1"


@pytest.mark.parametrize("frozen", [True, False])
def test_a_set_that_is_not_frozen_decides_nothing(
    frozen: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Pair(frozen=frozen).write(tmp_path)
    write_policy(tmp_path, {"kind": "new_unsupported", "max": 0})
    code, out, _ = check(tmp_path, capsys)
    assert code == (PASS if frozen else OPEN)
    assert ("not frozen" in out) is not frozen


def test_thirty_unchanged_questions_are_open_and_sixty_pass(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """±0.0916 does not fit into a margin of 0.05, and the gate names the smallest number."""
    for n, code in ((30, OPEN), (60, PASS)):
        folder = tmp_path / str(n)
        folder.mkdir()
        Pair(n=n).write(folder)
        write_policy(folder, {"kind": "non_inferior", **COVERAGE, "margin": 0.05})
        found, out, _ = check(folder, capsys)
        assert found == code
        assert ("−0.0916 to +0.0916" in out) is (n == 30)
        assert ("56 are needed" in " ".join(out.split())) is (n == 30)


# ---------------------------------------------------------------- where it is read


HOSTILE: Final = ("a ##[error]", "::error::x", "`|**b**", "q\u00e9", '"<b>%0A')


def hostile(folder: Path) -> None:
    """Write a set of which every question has a name that wants to act, and B fails them all."""
    questions = [
        {"id": name, "relevant": ["plan"], "support": {"c": ["plan"]}, "tags": ["##[x]"]}
        for name in HOSTILE
    ]
    path = write_set(folder, questions, [{"id": "plan", "text": "p"}], ids="open")
    freeze(path)
    for name in ("a", "b"):
        claims = [{"id": "c", "citations": ["plan"]}] if name == "a" else []
        lines = [{"question": q, "retrieved": ["plan"], "claims": claims} for q in HOSTILE]
        write_lines(folder / f"{name}.jsonl", lines)
        manifest = {
            "schema": "ragtui/run@1",
            "id": name,
            "note": "::error::note",
            "set": {"path": "set.toml"},
            "context": {"cutoff": 2},
            "records": {"path": f"{name}.jsonl"},
        }
        (folder / f"{name}.toml").write_text(tomli_w.dumps(manifest), encoding="utf-8")
    write_policy(
        folder,
        {"kind": "regressions", "severity": "S4", "max": 0},
        {"kind": "sample", "min_questions": {"tag:##[x]": 9}},
    )


@pytest.mark.parametrize("form", ["text", "github"])
def test_no_name_of_a_file_acts_on_a_runner(
    form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No line of data starts a command, no `##[` stands anywhere, ids are ASCII JSON strings."""
    hostile(tmp_path)
    code, out, err = check(tmp_path, capsys, "--format", form)
    assert code == FAIL
    assert "##" not in out + err
    assert "\u00e9" not in out + err
    assert not [line for line in out.splitlines() if line.lstrip().startswith("::")]
    commands = [line for line in err.splitlines() if line.lstrip().startswith("::")]
    assert all(re.match(r"::(error|warning|notice) title=ragtui check::", c) for c in commands)
    assert bool(commands) is (form == "github")
    assert r"q\u00e9" in out


def test_a_job_summary_is_a_table_with_one_row_a_rule(run: Callable[..., Done]) -> None:
    done = run(f"{DESK} {DESK_POLICY} --format github")
    rows = [line for line in done.out.splitlines() if line.startswith("| ")]
    assert done.code == FAIL
    assert done.out.startswith("# ✗ ragtui check: fail\n")
    assert len(rows) == 2 + 7
    assert all(row.count(" | ") == 4 for row in rows)
    (error,) = [line for line in done.err.splitlines() if "no-new-claims" in line]
    assert error.startswith("::error title=ragtui check::fail: rule ")
    assert error.endswith('questions "launch"')


def test_the_same_files_give_the_same_bytes(run: Callable[..., Done]) -> None:
    for form in ("--json", "--format github", ""):
        line = f"{DESK} {DESK_POLICY} {form}"
        assert run(line) == run(line)
