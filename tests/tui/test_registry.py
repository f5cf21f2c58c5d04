"""Actions, key map, themes, roles, spans, reports: what everything else on the screen rests on."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtui.errors import InputError
from ragtui.text import cell_width, clean
from ragtui.tui.actions import ACTIONS, Scope, bindings
from ragtui.tui.app import RagtuiApp
from ragtui.tui.config import UserConfig, load_config
from ragtui.tui.crash import crash_line, crash_report, write_report
from ragtui.tui.keymap import check_keys
from ragtui.tui.loading import Ended, Failed, Loaded, Loading, Opened, Source
from ragtui.tui.paint import ROLES, painter_named
from ragtui.tui.screens.document import DocumentScreen
from ragtui.tui.screens.editor import DecisionEditor
from ragtui.tui.screens.export import ExportScreen
from ragtui.tui.screens.main import MainScreen
from ragtui.tui.screens.sheet import Sheet
from ragtui.tui.spans import cut_line, fit_line, line_width, meta_at, plain, span, spread
from ragtui.tui.theme import THEMES, starting_theme
from ragtui.tui.widgets.fields import ChoiceRow
from ragtui.tui.widgets.filter_bar import FilterBar
from ragtui.tui.widgets.lines_view import LinesView
from ragtui.tui.widgets.questions import QuestionsTable
from tests.builders import release_desk
from tests.strategies import hostile_text

if TYPE_CHECKING:
    from pathlib import Path

    from ragtui.core.comparison import Comparison
    from ragtui.tui.loading import Event

_CARRIERS = {
    Scope.ANYWHERE: (RagtuiApp,),
    Scope.MAIN: (MainScreen,),
    Scope.TABLE: (QuestionsTable,),
    Scope.LINES: (LinesView,),
    Scope.DOCUMENT: (DocumentScreen, LinesView),
    Scope.FILTER: (FilterBar,),
    Scope.SHEET: (Sheet, LinesView),
    Scope.EDITOR: (DecisionEditor,),
    Scope.EXPORT: (ExportScreen,),
    Scope.CHOICE: (ChoiceRow,),
}


@pytest.mark.parametrize("action", ACTIONS, ids=lambda action: action.id)
def test_every_action_is_carried_out_wherever_it_is_active(action: object) -> None:
    found = next(a for a in ACTIONS if a is action)
    for scope in found.scopes:
        assert any(hasattr(kind, f"action_{found.method}") for kind in _CARRIERS[scope]), scope


def test_no_key_means_two_things_in_one_place() -> None:
    assert check_keys({a.id: ", ".join(a.keys) for a in ACTIONS})[1] == []


def test_every_binding_has_the_id_of_its_action_so_that_it_can_be_mapped() -> None:
    for scope in Scope:
        assert all(binding.id is not None for binding in bindings(scope))


def test_a_taken_key_is_named_with_the_action_that_has_it() -> None:
    keymap, faults = check_keys({"pane.zoom": "n"})
    assert keymap == {"pane.zoom": "n"}
    assert [fault.message for fault in faults] == ["the key is taken by change.next"]


def test_two_actions_may_exchange_their_keys() -> None:
    assert check_keys({"pane.zoom": "n", "change.next": "z"})[1] == []


@pytest.mark.parametrize("value", ["not_a_key+++", "", "ctrl+", 3, ["n"], "n,,m"])
def test_an_impossible_key_is_refused(value: object) -> None:
    (fault,) = check_keys({"pane.zoom": value})[1]
    assert fault.message == "no such key"


def test_a_config_file_is_read_and_its_faults_have_a_line(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    assert load_config(path) == UserConfig()
    path.write_text('name = " Jo "\n[keys]\n"pane.zoom" = "f5, Z"\n', encoding="utf-8")
    assert load_config(path) == UserConfig({"pane.zoom": "f5,Z"}, "Jo")
    path.write_text('nmae = "Jo"\n[keys]\n"pane.zom" = "f5"\n', encoding="utf-8")
    with pytest.raises(InputError) as caught:
        load_config(path)
    assert [(fault.line, fault.hint) for fault in caught.value.faults] == [
        (3, "did you mean pane.zoom?"),
        (1, "did you mean name?"),
    ]


@pytest.mark.parametrize("written", ["name = 3", 'name = " "', "keys = 3"])
def test_a_setting_of_another_kind_is_refused(written: str, tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(written, encoding="utf-8")
    with pytest.raises(InputError):
        load_config(path)


@pytest.mark.parametrize(
    "palette", ["dark", "light", "sixteen-dark", "sixteen-light", "colourless"]
)
def test_every_palette_has_every_role(palette: str) -> None:
    painter = painter_named(palette)
    for role in ROLES:
        painter.style(role)
        painter.style(f"{role} cursor bold")


def test_without_colour_no_role_has_one() -> None:
    painter = painter_named("colourless")
    assert all(painter.style(role).color is None for role in ROLES)
    assert all(painter.style(role).bgcolor is None for role in ROLES)


@pytest.mark.parametrize("palette", ["dark", "light", "sixteen-dark", "sixteen-light"])
def test_worse_better_mixed_and_attention_have_four_colours(palette: str) -> None:
    painter = painter_named(palette)
    colours = {painter.style(role).color for role in ("worse", "better", "mixed", "attention")}
    assert len(colours) == 4


def test_an_unknown_role_is_an_error() -> None:
    with pytest.raises(KeyError):
        painter_named("dark").style("green")


@pytest.mark.parametrize(
    ("environment", "colours", "theme"),
    [
        ({}, 1 << 24, "ragtui-dark"),
        ({"COLORFGBG": "0;15"}, 256, "ragtui-light"),
        ({"COLORFGBG": "15;0"}, 256, "ragtui-dark"),
        ({"COLORFGBG": "15;8"}, 16, "ragtui-terminal-dark"),
        ({"NO_COLOR": "1", "COLORFGBG": "0;7"}, 256, "ragtui-terminal-light"),
    ],
)
def test_the_first_theme_suits_the_terminal(
    environment: dict[str, str], colours: int, theme: str
) -> None:
    assert starting_theme(environment, colours=colours) == theme
    assert theme in {found.name for found in THEMES}


@given(hostile_text(), st.integers(0, 40))
def test_spans_never_act_and_lines_fit_their_width(text: str, width: int) -> None:
    line = (span(text, "muted", ("x",)), span(text))
    assert all(clean(part.text) == part.text for part in line)
    assert line_width(cut_line(line, width)) <= width
    assert line_width(fit_line(line, width)) == width
    assert line_width(spread(line, (span("end"),), width)) == width
    assert cell_width(plain(fit_line(line, width))) <= width


def test_what_a_cell_means_is_found_by_its_place() -> None:
    line = (span("ab"), span("日本", "strong", ("claim", "x")), span("c"))
    assert [meta_at(line, x) for x in (1, 2, 5, 6, 9)] == [
        None,
        ("claim", "x"),
        ("claim", "x"),
        None,
        None,
    ]


def _fail(answer: str) -> None:
    raise ValueError(f"SECRET in a message {answer}")


def _raised() -> Exception:
    with pytest.raises(ValueError, match="SECRET") as caught:
        _fail("SECRET in a variable")
    return caught.value


def test_a_report_names_places_and_no_text(tmp_path: Path) -> None:
    told = crash_report(_raised())
    assert "ValueError" in told
    assert "test_registry.py" in told
    assert "SECRET" not in told
    path = write_report(_raised(), tmp_path / "state")
    assert path is not None
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert "SECRET" not in crash_line(_raised(), path)


def test_a_report_that_cannot_be_written_is_no_second_fault(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    assert write_report(_raised(), tmp_path / "file") is None


def _ended(loading: Loading) -> list[Event]:
    loading.start()
    loading._thread.join(10)
    events: list[Event] = []
    loading.listen(events.append)
    return events


def test_what_was_read_before_anybody_listened_is_not_lost() -> None:
    comparison = release_desk()

    def load(*_: object, **options: object) -> Comparison:
        opened = options["opened"]
        assert callable(opened)
        opened(comparison)
        return comparison

    events = _ended(Loading(Source(*_paths()), load=load))
    assert [type(event) for event in events] == [Opened, Loaded]


def test_an_error_of_the_reading_thread_reaches_whoever_listens() -> None:
    def load(*_: object, **__: object) -> Comparison:
        raise InputError("broken")

    loading = Loading(Source(*_paths()), load=load)
    (event,) = _ended(loading)
    assert isinstance(event, Failed)
    assert isinstance(event.error, InputError)


def test_a_cancelled_reading_ends_at_its_next_report(root: Path) -> None:
    folder = root / "manifests"
    loading = Loading(Source(folder / "baseline.toml", folder / "candidate.toml"))
    loading.cancel()
    assert [type(event) for event in _ended(loading)] == [Ended]


def _paths() -> tuple[Path, Path]:
    from pathlib import Path  # noqa: PLC0415 - only these two names

    return Path("a"), Path("b")
