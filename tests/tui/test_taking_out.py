"""What leaves the screen: notes in an editor, the release note, references, records."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from textual import events
from textual.widgets import Input, TextArea

from ragtui.core.triage import Choice
from ragtui.errors import InputError, OutputError
from ragtui.files.loading import load_comparison
from ragtui.files.triage_store import read_decisions
from ragtui.tui.outside import edit_text, editor_command, run_outside, user_editor
from ragtui.tui.screens.editor import DecisionEditor
from ragtui.tui.screens.export import ExportScreen
from tests.tui.deciding import app_of, kept_in, notes, press, regressions, said, states
from tests.tui.frames import frame, opened, session_of, settle, until

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import App
    from textual.pilot import Pilot

_BAD = "a\x1b]52;c;UFdO\x07b\u202ec"


# ---------------------------------------------------------------- the editor of a decision


async def _edit(pilot: Pilot[None]) -> DecisionEditor:
    await pilot.press("e")
    await pilot.pause()
    screen = app_of(pilot).screen
    assert isinstance(screen, DecisionEditor)
    return screen


@pytest.mark.parametrize("size", [(80, 24), (140, 44)])
async def test_the_editor_shows_every_field_at_every_size(
    size: tuple[int, int], tmp_path: Path
) -> None:
    async with opened(regressions(2), keeping=kept_in(tmp_path), size=size) as pilot:
        await _edit(pilot)
        shown = frame(app_of(pilot))
        for words in (
            "q00", "a accept", "b block", "● i investigate", "d dispute the label", "note:",
            "owner", "follow-up", "^s save", "^e $EDITOR", "Esc cancel",
        ):  # fmt: skip
            assert words in shown


async def test_a_note_of_several_lines_makes_an_open_change_one_that_is_looked_into(
    tmp_path: Path,
) -> None:
    async with opened(regressions(2), keeping=kept_in(tmp_path)) as pilot:
        await _edit(pilot)
        await pilot.press(*"one", "enter", *"two", "ctrl+s")
        await settle(pilot)
        assert states(pilot)["q00"] == "investigate"
    decision = read_decisions(tmp_path / "a..b.triage.toml")["q00"]
    assert (decision.choice, decision.note) == (Choice.INVESTIGATE, "one\ntwo")


async def test_choice_and_note_are_one_step(tmp_path: Path) -> None:
    async with opened(regressions(2), keeping=kept_in(tmp_path)) as pilot:
        await _edit(pilot)
        await pilot.press(*"bad", "shift+tab", "b", "ctrl+s")
        await settle(pilot)
        assert states(pilot)["q00"] == "block"
        assert session_of(app_of(pilot)).cursor == 1
        await press(pilot, "u")
    assert notes(tmp_path) == {}


async def test_arrows_and_clicks_choose_too(tmp_path: Path) -> None:
    async with opened(regressions(2), keeping=kept_in(tmp_path)) as pilot:
        screen = await _edit(pilot)
        await pilot.press("shift+tab", "left", "left", "left")
        await pilot.pause()
        assert "● a accept" in frame(app_of(pilot))
        row = screen.query_one("#choice")
        line = next(text for text in frame(app_of(pilot)).split("\n") if "● a accept" in text)
        offset = (line.index("d dispute") - row.region.x, 0)
        await pilot.click("#choice", offset=offset)
        await pilot.press("ctrl+s")
        await settle(pilot)
    assert notes(tmp_path) == {"q00": "dispute"}


async def test_escape_gives_up_what_was_written_only_when_asked_twice(tmp_path: Path) -> None:
    async with opened(regressions(2), keeping=kept_in(tmp_path)) as pilot:
        await _edit(pilot)
        await pilot.press("x", "escape")
        await pilot.pause()
        assert "Esc again to give it up" in frame(app_of(pilot))
        await pilot.press("escape")
        await settle(pilot)
        assert states(pilot)["q00"] == "undecided"
        await _edit(pilot)
        await pilot.press("escape")
        await settle(pilot)
        assert not isinstance(app_of(pilot).screen, DecisionEditor)
    assert notes(tmp_path) == {}


async def test_a_field_left_alone_changes_nothing_for_several(tmp_path: Path) -> None:
    async with opened(regressions(3), keeping=kept_in(tmp_path)) as pilot:
        await press(pilot, "a", "b", "g", "space", "space")
        await _edit(pilot)
        assert "for all 2 selected questions" in frame(app_of(pilot))
        await pilot.press("tab", *"Ana", "ctrl+s")
        await settle(pilot)
    found = read_decisions(tmp_path / "a..b.triage.toml")
    assert [(d.choice.value, d.owner) for d in found.values()] == [
        ("accept", "Ana"),
        ("block", "Ana"),
    ]


async def test_text_that_wants_to_act_is_shown_as_text_in_the_editor(tmp_path: Path) -> None:
    """What was not touched is written back as it was."""
    async with opened(regressions(1), keeping=kept_in(tmp_path)) as pilot:
        session = session_of(app_of(pilot))
        entry = session.decide(Choice.BLOCK, note=_BAD, owner="Ana\x9b")
        assert entry is not None
        assert app_of(pilot).saving is not None
        app_of(pilot).saving.put(entry)  # type: ignore[union-attr] # said just before
        await settle(pilot)
        screen = await _edit(pilot)
        assert screen.query_one("#note", TextArea).text == "a␛]52;c;UFdO␇b<U+202E>c"
        assert screen.query_one("#owner", Input).value == "Ana<U+009B>"
        screen.query_one("#note").post_message(events.Paste("\x1b[2J"))
        await pilot.pause()
        assert screen.query_one("#note", TextArea).text.endswith("␛[2J")
        await pilot.press("ctrl+s")
        await settle(pilot)
    decision = read_decisions(tmp_path / "a..b.triage.toml")["q00"]
    assert decision.owner == "Ana\x9b"
    assert decision.note is not None
    assert "\x1b" not in decision.note


async def test_a_note_that_is_too_long_is_not_taken(tmp_path: Path) -> None:
    async with opened(regressions(1), keeping=kept_in(tmp_path)) as pilot:
        screen = await _edit(pilot)
        screen.query_one("#owner", Input).value = "x" * 501
        await pilot.press("ctrl+s")
        await pilot.pause()
        assert "the owner is too long: 501 characters, at most 500" in frame(app_of(pilot))


async def test_a_long_note_is_written_in_the_users_own_editor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(app: App[None], command: Sequence[str]) -> None:
        del app
        assert command[:-1] == ["my-editor", "--wait"]
        path = Path(command[-1])
        assert path.stat().st_mode & 0o777 == 0o600
        path.write_text(path.read_text(encoding="utf-8") + " and more\n", encoding="utf-8")

    monkeypatch.setenv("VISUAL", "my-editor --wait")
    monkeypatch.setattr("ragtui.tui.outside.run_outside", run)
    async with opened(regressions(1), keeping=kept_in(tmp_path)) as pilot:
        screen = await _edit(pilot)
        await pilot.press(*"some", "ctrl+e")
        await pilot.pause()
        assert screen.query_one("#note", TextArea).text == "some and more"
        await pilot.press("ctrl+s")
        await settle(pilot)
    assert read_decisions(tmp_path / "a..b.triage.toml")["q00"].note == "some and more"


@pytest.mark.parametrize(
    ("editor", "words"), [("", "neither $VISUAL nor $EDITOR"), ("vi", "cannot be given")]
)
async def test_an_editor_that_cannot_be_used_is_said(
    editor: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", editor)
    async with opened(regressions(1), keeping=kept_in(tmp_path)) as pilot:
        await _edit(pilot)
        await pilot.press("ctrl+e")
        await pilot.pause()
        assert words in frame(app_of(pilot))
        await pilot.press("escape")
        await press(pilot, "o")
        assert words in said(pilot)


# ---------------------------------------------------------------- programs outside


class _Held:
    """Stands in for an app that gives its terminal away."""

    def suspend(self) -> _Held:
        """Give it away."""
        return self

    def __enter__(self) -> None:
        """Give it away."""

    def __exit__(self, *_: object) -> None:
        """Take it back."""


def _held() -> App[None]:
    return _Held()  # type: ignore[return-value] # all of it that is used


def test_a_program_that_fails_or_is_not_there_is_said() -> None:
    run_outside(_held(), ["true"])
    with pytest.raises(OutputError, match="exit code 1"):
        run_outside(_held(), ["false"])
    with pytest.raises(OutputError, match="no-such-program cannot be run"):
        run_outside(_held(), ["no-such-program"])


@pytest.mark.parametrize(
    ("script", "error"),
    [("printf '\\377' > \"$1\"", InputError), ('rm "$1"', OutputError), ("exit 3", OutputError)],
)
def test_what_an_editor_leaves_behind_is_checked(
    script: str, error: type[Exception], tmp_path: Path
) -> None:
    path = tmp_path / "editor"
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o700)
    with pytest.raises(error):
        edit_text(_held(), [str(path)], "note")


def test_a_note_comes_back_from_a_real_program(tmp_path: Path) -> None:
    path = tmp_path / "editor"
    path.write_text('#!/bin/sh\nprintf "\\r\\nmore\\n\\n" >> "$1"\n', encoding="utf-8")
    path.chmod(0o700)
    assert edit_text(_held(), [str(path)], "note") == "note\nmore"


@pytest.mark.parametrize(
    ("editor", "command"),
    [
        ("vi", ["vi", "+7", "/r.jsonl"]),
        ("/usr/bin/nano -w", ["/usr/bin/nano", "-w", "+7", "/r.jsonl"]),
        ("code --wait", ["code", "--wait", "--goto", "/r.jsonl:7"]),
        ("hx", ["hx", "/r.jsonl:7"]),
        ("unknown", ["unknown", "/r.jsonl"]),
    ],
)
def test_every_known_editor_is_told_the_line_in_its_own_way(
    editor: str, command: list[str]
) -> None:
    words = user_editor({"EDITOR": editor, "VISUAL": " "})
    assert words is not None
    assert editor_command(words, Path("/r.jsonl"), 7) == command


def test_an_editor_that_is_no_command_counts_as_none() -> None:
    assert user_editor({"EDITOR": "'"}) is None
    assert user_editor({}) is None


# ---------------------------------------------------------------- references and records


async def test_o_opens_the_record_of_b_at_its_line(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[Sequence[str]] = []
    monkeypatch.setattr(
        "ragtui.tui.screens.taking_out.run_outside", lambda _, command: ran.append(command)
    )
    monkeypatch.setenv("VISUAL", "vi")
    manifests = root / "manifests"
    found = load_comparison(manifests / "baseline.toml", manifests / "candidate.toml")
    async with opened(found, keeping=kept_in(tmp_path)) as pilot:
        await press(pilot, "o")
        (command,) = ran
        index = session_of(app_of(pilot)).current
        assert index is not None
    program, line, path = command
    assert program == "vi"
    assert f'"{found.ids[index]}"' in _line(path, int(line[1:]))
    assert "that was the record of B" in said(pilot)


def _line(path: str, number: int) -> str:
    return Path(path).read_text(encoding="utf-8").splitlines()[number - 1]


async def test_y_in_the_evidence_sends_where_it_stands_and_what_the_cursor_is_on(
    root: Path, tmp_path: Path
) -> None:
    manifests = root / "manifests"
    found = load_comparison(manifests / "baseline.toml", manifests / "candidate.toml")
    async with opened(found, keeping=kept_in(tmp_path)) as pilot:
        await press(pilot, "y")
        assert app_of(pilot).clipboard == "launch"
        assert "OSC 52" in said(pilot)
        await press(pilot, "enter", "y")
        reference = app_of(pilot).clipboard
        assert reference.startswith("question launch · A ")
        assert ".jsonl:" in reference
        await press(pilot, "j", "y")
        assert app_of(pilot).clipboard == "launch"


# ---------------------------------------------------------------- the release note


async def _export(pilot: Pilot[None], path: Path | str) -> ExportScreen:
    await press(pilot, "x")
    screen = app_of(pilot).screen
    assert isinstance(screen, ExportScreen)
    screen.query_one("#path", Input).value = str(path)
    return screen


async def _written(pilot: Pilot[None]) -> None:
    await app_of(pilot).workers.wait_for_complete()
    await until(pilot, lambda: "note" in said(pilot) or "wrote" in said(pilot))


@pytest.mark.parametrize("suffix", [".md", ".html", ".txt", ".svg", ".json"])
async def test_the_suffix_says_the_format(suffix: str, tmp_path: Path) -> None:
    target = tmp_path / f"note{suffix}"
    async with opened(regressions(2), keeping=kept_in(tmp_path)) as pilot:
        await press(pilot, "b")
        await _export(pilot, target)
        await pilot.press("enter")
        await _written(pilot)
        assert "wrote" in said(pilot)
    assert "q00" in target.read_text(encoding="utf-8")


async def test_a_file_that_exists_is_replaced_only_when_asked_twice(tmp_path: Path) -> None:
    target = tmp_path / "note.md"
    target.write_text("old", encoding="utf-8")
    async with opened(regressions(2), keeping=kept_in(tmp_path)) as pilot:
        await _export(pilot, target)
        await pilot.press("enter")
        await pilot.pause()
        assert "the file exists: Enter again replaces it" in frame(app_of(pilot))
        await pilot.press("escape")
        await settle(pilot)
        assert target.read_text(encoding="utf-8") == "old"
        await _export(pilot, target)
        await pilot.press("enter", "enter")
        await _written(pilot)
    assert target.read_text(encoding="utf-8").startswith("# ")


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("", "name a file"),
        ("note.mdd", "did you mean .md?"),
        ("note", "no format without a suffix"),
        ("no/such/folder.md", "there is no such folder"),
    ],
)
async def test_what_cannot_be_written_is_said_before(path: str, words: str, tmp_path: Path) -> None:
    async with opened(regressions(2), keeping=kept_in(tmp_path)) as pilot:
        await _export(pilot, path)
        await pilot.press("enter")
        await pilot.pause()
        assert words in frame(app_of(pilot))


async def test_a_note_that_cannot_be_written_is_said_and_nothing_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OutputError("No space left on device")

    monkeypatch.setattr("ragtui.tui.screens.taking_out.write_atomic", full)
    async with opened(regressions(2), keeping=kept_in(tmp_path)) as pilot:
        await _export(pilot, tmp_path / "note.md")
        await pilot.press("enter")
        await _written(pilot)
        assert "the note is not written: No space left" in said(pilot)


async def test_the_note_lists_all_questions_unless_the_filter_is_chosen(tmp_path: Path) -> None:
    keeping = kept_in(tmp_path)
    async with opened(regressions(3), filter_text="q01", keeping=keeping) as pilot:
        await _export(pilot, tmp_path / "all.txt")
        await pilot.press("enter")
        await _written(pilot)
        screen = await _export(pilot, tmp_path / "some.txt")
        assert "1 of 3" in frame(app_of(pilot))
        screen.query_one("#listed").focus()
        await pilot.press("right", "enter")
        await until(pilot, lambda: said(pilot).count("wrote") == 2)
    whole = (tmp_path / "all.txt").read_text(encoding="utf-8")
    some = (tmp_path / "some.txt").read_text(encoding="utf-8")
    assert 'filter "q01"' in some
    assert some.count("q02") < whole.count("q02")
