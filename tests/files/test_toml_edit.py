from __future__ import annotations

import tomllib

import pytest
import tomli_w
from hypothesis import assume, given
from hypothesis import strategies as st

from ragtui.files.toml_edit import CannotEditError, set_text

PATH = ("set", "sha256")

EDITS = {
    "table": ('[set]\npath = "a"\n', '[set]\npath = "a"\nsha256 = "N"\n'),
    "aligned": (
        '[set]\npath    = "a"\nversion = "1"\n\n[x]\n',
        '[set]\npath    = "a"\nversion = "1"\nsha256  = "N"\n\n[x]\n',
    ),
    "CRLF": ('[set]\r\npath="a"\r\n', '[set]\r\npath="a"\r\nsha256="N"\r\n'),
    "comment": ('[set]\npath = "a" # [set]\n', '[set]\npath = "a" # [set]\nsha256 = "N"\n'),
    "indent": ('[ set ]\n\tpath = "a"\n', '[ set ]\n\tpath = "a"\n\tsha256 = "N"\n'),
    "replaced": ('[set]\nsha256 = "old" # c\n', '[set]\nsha256 = "N" # c\n'),
    "quoted key": ('["set"]\n"sha256" = \'o\'\n', '["set"]\n"sha256" = "N"\n'),
    "long string": ('[set]\nsha256 = """\nold"""\nz=1\n', '[set]\nsha256 = "N"\nz=1\n'),
    "no line end": ('x=1\r\n[set]\r\npath="a"', 'x=1\r\n[set]\r\npath="a"\r\nsha256="N"'),
    "dotted": ('set.path = "a"\nx = 1\n', 'set.path = "a"\nset.sha256 = "N"\nx = 1\n'),
    "inline": ('set = { path = "a" }\n', 'set = { path = "a", sha256 = "N" }\n'),
    "inline, replaced": ('set = {sha256 = "o", path = "a"}', 'set = {sha256 = "N", path = "a"}'),
    "text that looks like a table": (
        "[set]\npath = '''\n[set]\nsha256 = 1\n'''\n",
        "[set]\npath = '''\n[set]\nsha256 = 1\n'''\nsha256 = \"N\"\n",
    ),
    "lists before": (
        'x = [1, # ]\n 2]\n[set]\npath = "a"\n',
        'x = [1, # ]\n 2]\n[set]\npath = "a"\nsha256 = "N"\n',
    ),
    "other tables": (
        '[a.set]\nsha256 = "x"\n[[record]]\nset.sha256 = "y"\n[set]\npath = "a"\n',
        '[a.set]\nsha256 = "x"\n[[record]]\nset.sha256 = "y"\n[set]\npath = "a"\nsha256 = "N"\n',
    ),
}


@pytest.mark.parametrize("case", EDITS)
def test_one_value_changes_and_nothing_else(case: str) -> None:
    before, after = EDITS[case]
    assert set_text(before, PATH, "N") == after


@pytest.mark.parametrize(
    "text", ["", "x = 1\n", "set = 1\n", "[[set]]\npath = 1\n", 'set = {"sha256" = "o"}\n']
)
def test_what_cannot_be_edited_safely_is_refused(text: str) -> None:
    with pytest.raises(CannotEditError):
        set_text(text, PATH, "N")


keys = st.text(st.characters(exclude_categories=["Cs"]), max_size=6) | st.just("sha256")
values = st.recursive(
    st.text(st.characters(exclude_categories=["Cs"])) | st.integers(-9, 9) | st.booleans(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(keys, values, max_size=4), st.dictionaries(keys, values, max_size=3))
def test_any_file_is_edited_right_or_refused(
    data: dict[str, object], table: dict[str, object]
) -> None:
    data = data | {"set": {"path": "a"} | table}
    text = tomli_w.dumps(data)
    try:
        edited = set_text(text, PATH, "N")
    except CannotEditError:
        assume(condition=False)
    table = dict(tomllib.loads(text)["set"])
    assert tomllib.loads(edited)["set"] == table | {"sha256": "N"}
    kept = text.splitlines()
    assert sum(line not in kept for line in edited.splitlines()) <= 1


@given(
    st.dictionaries(st.text("abc\"'#[]{}=\n", max_size=4), st.text("ab\"'#[]{}=\n,\\"), max_size=4)
)
def test_a_plain_table_is_always_editable(others: dict[str, str]) -> None:
    text = tomli_w.dumps({"x": others, "set": {"path": "a"}})
    assert tomllib.loads(set_text(text, PATH, "N"))["set"] == {"path": "a", "sha256": "N"}
