from __future__ import annotations

import json
import re
import shutil
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Final

import pytest

from ragtui.cli import compare as compare_module
from ragtui.cli.app import COMMANDS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.cli.conftest import Document, Done

LINE: Final = "compare manifests/baseline.toml manifests/candidate.toml"


@pytest.fixture
def document(run: Callable[..., Done]) -> Document:
    """Return the document of the demo's comparison."""
    done = run(f"{LINE} --json")
    assert (done.code, done.err) == (0, "")
    return done.document


def _question(document: Document, name: str) -> Document:
    found: Document = next(i for i in document["questions"] if i["question"] == name)
    return found


# ---------------------------------------------------------------- JSON


def test_the_document_says_what_was_compared(document: Document) -> None:
    """Set, runs, what was held constant and the one setting that changed."""
    assert document["schema"] == "ragtui/comparison@1"
    assert document["contract"] == "strict-citation/1"
    assert (document["k"], document["comparable"]) == (2, True)
    assert document["held_constant"] == ["set", "cutoff", "unit"]
    assert document["changed"] == [
        {"key": "retrieval.reranker", "a": "none", "b": "cross-encoder-2"}
    ]
    assert document["baseline"]["id"] == "2026-11-20-baseline"
    assert set(document["set"]) >= {"id", "version", "sha256"}


def test_launch_regressed_and_three_improved(document: Document) -> None:
    """The verdicts, the order of triage and the severity of the reference comparison."""
    assert document["totals"] == {
        "questions": 4,
        "regressed": 1,
        "mixed": 0,
        "improved": 3,
        "unchanged": 0,
        "not_comparable": 0,
    }
    assert document["order"] == ["launch", "region", "rollback", "owner"]
    launch = _question(document, "launch")
    assert {key: launch[key] for key in launch if key != "measures"} == {
        "question": "launch",
        "verdict": "regressed",
        "stages": {"answer": "regressed", "retrieval": "unchanged", "access": None},
        "plus": [],
        "minus": ["new-unsupported:bonus"],
        "causes": ["unsupported-claim-added"],
        "severity": "S2",
        "flags": [],
    }
    assert launch["measures"]["support"] == {
        "a": {"value": 1.0, "num": 1, "den": 1},
        "b": {"value": 0.5, "num": 1, "den": 2},
        "change": "regressed",
        "delta": -0.5,
    }


def test_support_is_told_as_own_paired_and_pooled(document: Document) -> None:
    """The documented figures, to the last digit."""
    support = document["measures"]["support"]
    assert (support["own"]["a"]["mean"], support["own"]["a"]["n"]) == (0.5, 4)
    assert (support["own"]["b"]["mean"], support["own"]["b"]["n"]) == (0.8333333333333334, 3)
    assert support["paired"] == {
        "a": 0.6666666666666666,
        "b": 0.8333333333333334,
        "delta": 0.16666666666666666,
        "n": 3,
        "changed": 2,
        "up": 1,
        "down": 1,
        "equal": 1,
        "became_na": 1,
        "became_defined": 0,
        "na_both": 0,
        "missing": 0,
    }
    assert support["pooled"] == {"a": {"num": 2, "den": 4}, "b": {"num": 4, "den": 5}}
    assert (support["interval"], support["p"]) == (None, None)
    assert support["words"] == "too few questions"
    assert support["notes"] == ["3 paired questions, 10 are needed"]


def test_the_difference_of_own_means_stands_nowhere(run: Callable[..., Done]) -> None:
    """0.83 minus 0.50 is over different questions: neither text nor document subtracts them."""
    outputs = [run(f"{LINE}{form}").out for form in (" --json", " --plain")]
    outputs.append(run("table manifests/baseline.toml manifests/candidate.toml").out)
    for out in outputs:
        assert not re.search(r"0\.333|[+]0?\.33\b", out)


def test_absences_and_slices_name_their_questions(document: Document) -> None:
    """Support became n/a on region; answerable support stands beside the mixed one."""
    assert {
        "measure": "support",
        "code": "no-claims",
        "side": "became",
        "questions": ["region"],
    } in document["na"]
    slices = {part["slice"]: part for part in document["slices"]}
    assert slices["answerable"]["questions"] == 3
    assert slices["answerable"]["measures"]["support"]["pooled"] == {
        "a": {"num": 2, "den": 3},
        "b": {"num": 4, "den": 5},
    }
    assert slices["unanswerable"]["improved"] == 1


def test_what_is_not_there_yet_is_said_to_be_absent(document: Document) -> None:
    """No policy; one change needs a decision and has none."""
    assert document["policy"] is None
    assert document["triage"] == {"decided": 0, "undecided": 1, "stale": 0}


def test_the_document_is_ascii_with_sorted_keys_and_the_same_each_time(
    run: Callable[..., Done],
) -> None:
    """Two runs print the same bytes, which are those of a document with sorted keys."""
    first, second = run(f"{LINE} --json").out, run(f"{LINE} --json").out
    assert first == second
    assert first.isascii()
    assert first.endswith("}\n")
    compact = json.dumps(json.loads(first), sort_keys=True, separators=(",", ":"))
    assert first.replace("\n", "") == compact


def test_a_filter_restricts_the_questions_and_not_the_totals(run: Callable[..., Done]) -> None:
    """Only lookups are listed, in the text and in the document; everything is still counted."""
    done = run(f"{LINE} --json --filter", "tag:lookup delta.support<0")
    assert [item["question"] for item in done.document["questions"]] == ["launch"]
    assert done.document["order"] == ["launch"]
    assert done.document["totals"]["questions"] == 4
    text = run(f"{LINE} --plain --filter", "tag:lookup").out
    assert 'filter "tag:lookup" · 2 of 4 questions' in text
    assert "rollback " not in text
    assert "of 4 questions" in text


def test_a_filter_that_is_not_understood_is_wrong_usage(run: Callable[..., Done]) -> None:
    """The place and the word that was meant, exit 2, and one document with --json."""
    done = run(f"{LINE} --json --filter", "tags:lookup")
    assert done.code == 2
    assert done.document["errors"][0]["hint"] == 'did you mean "tag"?'
    assert 'unknown key "tags"' in done.err


# ---------------------------------------------------------------- refused


def test_runs_with_another_cutoff_are_refused_with_the_reason(
    run: Callable[..., Done], desk: Path
) -> None:
    """Exit 4; the document has the reasons, and the message is one line."""
    path = desk / "manifests" / "candidate.toml"
    text = path.read_text(encoding="utf-8").replace("cutoff = 2", "cutoff = 3")
    path.write_text(text, encoding="utf-8")
    done = run(f"{LINE} --json")
    assert done.code == 4
    assert done.document["comparable"] is False
    assert done.document["reasons"] == [
        {"what": "cutoff", "a": "2", "b": "3", "sentence": "k 2 against 3", "questions": []}
    ]
    assert done.err == "ragtui: k 2 against 3\n"
    plain = run(f"{LINE} --plain")
    assert (plain.code, plain.out) == (4, "")


def test_an_edited_set_is_refused_with_the_question_named(
    run: Callable[..., Done], desk: Path
) -> None:
    """A label changed after freezing: exit 3, and the question stands in the message."""
    shutil.rmtree(desk / "fixtures" / "release-desk" / "locks", ignore_errors=True)
    assert run("freeze fixtures/release-desk/set.toml").code == 0
    path = desk / "fixtures" / "release-desk" / "questions.toml"
    text = path.read_text(encoding="utf-8").replace('monday = ["launch"]', 'tuesday = ["launch"]')
    path.write_text(text, encoding="utf-8")
    done = run(f"{LINE} --plain")
    assert done.code == 3
    assert "1 question is not as frozen: launch" in done.err
    assert done.out == ""


# ---------------------------------------------------------------- text


def test_text_says_first_how_it_ended_and_then_what_got_worse(run: Callable[..., Done]) -> None:
    """What is compared, one line of verdicts, then the regression with its cause."""
    lines = run(f"{LINE} --plain").out.splitlines()
    assert lines[0].startswith("set release-desk 1.0.0 · 4 questions · k 2")
    assert lines[4].startswith("1 regressed, 0 mixed, 3 improved")
    worst = next(n for n, text in enumerate(lines) if text.startswith("Needs a decision"))
    assert lines[worst + 1].split() == [
        "S2",
        "▼",
        "regressed",
        "launch",
        "new",
        "unsupported:",
        "bonus",
    ]
    better = lines.index("Got better: 3")
    assert worst < better < lines.index("Without a value")


def test_without_a_terminal_compare_prints_the_plain_text(run: Callable[..., Done]) -> None:
    """A pipe gets the text that --plain prints."""
    assert run(LINE).out == run(f"{LINE} --plain").out


def test_no_line_is_wider_than_a_file_is(run: Callable[..., Done]) -> None:
    """100 columns, no control sequence, no trailing space."""
    for text in run(LINE).out.splitlines():
        assert len(text) <= 100
        assert text == text.rstrip()
        assert text.isprintable()


def test_notices_stand_before_the_numbers(run: Callable[..., Done], desk: Path) -> None:
    """A set without a lock is said to be not frozen, in text and document."""
    shutil.rmtree(desk / "fixtures" / "release-desk" / "locks", ignore_errors=True)
    for path in (desk / "manifests").glob("*.toml"):
        text = path.read_text(encoding="utf-8")
        path.write_text(re.sub(r"(?m)^sha256.*\n", "", text), encoding="utf-8")
    text = run(LINE).out
    assert "! not frozen: release-desk 1.0.0 has no lock" in text
    assert text.index("Know this first") < text.index("Needs a decision")
    notices = run(f"{LINE} --json").document["notices"]
    assert any("not pinned" in notice for notice in notices)


# ---------------------------------------------------------------- interface


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, object]]:
    """Stand in for the interface on a terminal; return what it was asked to show."""
    calls: list[dict[str, object]] = []

    def run_app(baseline: Path, candidate: Path, **options: object) -> int:
        calls.append({"baseline": baseline, "candidate": candidate, **options})
        return 143

    fake = ModuleType("ragtui.tui.app")
    fake.run_app = run_app  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "ragtui.tui.app", fake)
    monkeypatch.setattr(compare_module, "shown_on_terminal", lambda: True)
    return calls


def test_a_terminal_opens_the_interface(
    opened: list[dict[str, object]], run: Callable[..., Done]
) -> None:
    """Paths, root, cutoff and filter reach it; its exit code is the command's."""
    done = run(f"{LINE} --cutoff 1 --root . --filter verdict:regressed")
    assert done.code == 143
    (call,) = opened
    assert str(call["baseline"]) == "manifests/baseline.toml"
    assert (call["cutoff"], str(call["root"])) == (1, ".")
    assert call["filter_text"] == "verdict:regressed"


def test_the_interface_watches_files_when_asked_to(
    opened: list[dict[str, object]], run: Callable[..., Done]
) -> None:
    assert run(f"{LINE} --watch").code == 143
    assert run(LINE).code == 143
    assert [call["watched"] for call in opened] == [True, False]


@pytest.mark.parametrize("more", ["--plain", "--json", "--plain --json"])
def test_without_the_interface_nothing_can_be_watched(
    more: str, opened: list[dict[str, object]], run: Callable[..., Done]
) -> None:
    """Wrong usage, before anything is read."""
    done = run(f"compare nothing.toml nothing.toml --watch {more}")
    assert done.code == 2
    assert "--watch: only the interface" in done.err
    assert opened == []


def test_a_pipe_cannot_watch_either(run: Callable[..., Done]) -> None:
    done = run(f"{LINE} --watch")
    assert (done.code, done.out) == (2, "")


@pytest.mark.parametrize("line", [LINE, "demo"])
def test_a_policy_opens_the_interface_too(
    line: str, opened: list[dict[str, object]], run: Callable[..., Done]
) -> None:
    """It is judged on the screen; a policy that is not understood opens none."""
    policy = "manifests/release-desk.policy.toml"
    assert run(f"{line} --policy {policy}").code == 143
    assert str(opened[0]["policy"]) == policy
    assert run(f"{line} --policy manifests/candidate.toml").code == 3
    assert len(opened) == 1


def test_restricted_texts_are_shown_only_to_whoever_asks(
    opened: list[dict[str, object]], run: Callable[..., Done]
) -> None:
    """The interface hides them unless it is told."""
    run(LINE)
    run(f"{LINE} --show-restricted")
    assert [call["shows_restricted"] for call in opened] == [False, True]


def test_decisions_are_signed_and_kept_where_it_was_said(
    opened: list[dict[str, object]], run: Callable[..., Done]
) -> None:
    """Without a name they are unsigned, without a place they stand beside the candidate."""
    run(f"{LINE} --triage kept.toml --as Jo")
    run(LINE)
    assert [(call["triage"] and str(call["triage"]), call["who"]) for call in opened] == [
        ("kept.toml", "Jo"),
        (None, None),
    ]


def test_decisions_about_an_example_are_kept_in_the_users_own_folder(
    opened: list[dict[str, object]],
    run: Callable[..., Done],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """The installed package is not written to; another place may be named."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    run("demo support-desk")
    run("demo --triage kept.toml")
    kept = tmp_path / "ragtui" / "demo-support-desk.triage.toml"
    assert [str(call["triage"]) for call in opened] == [str(kept), "kept.toml"]
    assert kept.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("form", ["--plain", "--json"])
def test_plain_and_json_never_open_the_interface(
    form: str, opened: list[dict[str, object]], run: Callable[..., Done]
) -> None:
    """Asked for text or a document, a terminal gets just that."""
    assert run(f"{LINE} {form}").code == 0
    assert opened == []


# ---------------------------------------------------------------- demo


def test_the_demo_is_the_comparison_of_its_files(run: Callable[..., Done]) -> None:
    """From any folder, with the same options, the same bytes."""
    assert run("demo --json").out == run(f"{LINE} --json").out
    assert run("demo release-desk --plain").out == run(f"{LINE} --plain").out
    assert "set support-desk" in run("demo support-desk --plain").out
    held = run("demo --plain --policy manifests/release-desk.policy.toml").out
    assert "no-new-claims" in held


def test_every_listed_command_is_there_and_explains_itself(run: Callable[..., Done]) -> None:
    """Help names each command, and each command has its own help."""
    listed = run("--help").out
    for name in COMMANDS:
        assert f"  {name} " in listed
        done = run(f"{name} --help")
        assert done.code == 0
        assert done.out.startswith(f"Usage: ragtui {name}")
