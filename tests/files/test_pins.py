from __future__ import annotations

import tomllib
from hashlib import sha256
from typing import TYPE_CHECKING

import pytest

from ragtui.errors import InputError
from ragtui.files.locks import freeze
from ragtui.files.manifests import load_manifest
from ragtui.files.pins import pin
from tests.written_sets import RECORDS, write_run, write_set

if TYPE_CHECKING:
    from pathlib import Path

HEAD = b"""# A run.\r
schema = "ragtui/run@1"\r
id = "r"   # name\r
\r
[set]\r
path    = "set.toml"\r
\r
[context]\r
cutoff = 2\r
\r
"""


def test_a_pin_names_the_set_and_the_records(tmp_path: Path) -> None:
    frozen = freeze(write_set(tmp_path))
    path = write_run(tmp_path)
    result = pin(path)
    manifest = load_manifest(path)
    records = sha256((tmp_path / "run.jsonl").read_bytes()).hexdigest()
    assert manifest.set_sha256 == result.set_sha256 == frozen.sha256
    assert manifest.records_sha256 == result.records_sha256 == records
    assert manifest.set_version == "1.0.0"
    assert result.changed == ("set.version", "set.sha256", "records.sha256")
    assert result.frozen
    assert manifest.info.pinned


def test_a_pin_touches_only_its_own_lines(tmp_path: Path) -> None:
    freeze(write_set(tmp_path))
    write_run(tmp_path)
    path = tmp_path / "run.toml"
    body = b'[records]   # where\r\npath = "run.jsonl"'
    path.write_bytes(b"\xef\xbb\xbf" + HEAD + body)
    result = pin(path)
    assert path.read_bytes() == (
        b"\xef\xbb\xbf"
        + HEAD.replace(
            b'"set.toml"\r\n',
            b'"set.toml"\r\nversion = "1.0.0"\r\nsha256  = "%s"\r\n' % result.set_sha256.encode(),
        )
        + body
        + b'\r\nsha256 = "%s"' % str(result.records_sha256).encode()
    )


def test_pinning_again_writes_nothing(tmp_path: Path) -> None:
    freeze(write_set(tmp_path))
    path = write_run(tmp_path)
    pin(path)
    before = path.stat()
    assert pin(path).changed == ()
    after = path.stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_new_records_are_pinned_anew(tmp_path: Path) -> None:
    freeze(write_set(tmp_path))
    path = write_run(tmp_path)
    pin(path)
    records = tmp_path / "run.jsonl"
    records.write_bytes(records.read_bytes() + b'{"question": "owner"}\n')
    assert pin(path).changed == ("records.sha256",)


def test_inline_records_need_no_digest(tmp_path: Path) -> None:
    freeze(write_set(tmp_path))
    path = tmp_path / "run.toml"
    path.write_bytes(HEAD + b'[[record]]\r\nquestion = "owner"\r\n')
    assert pin(path).records_sha256 is None
    assert "sha256" in tomllib.loads(path.read_text())["set"]


def test_a_set_that_is_not_frozen_is_told(tmp_path: Path) -> None:
    write_set(tmp_path)
    assert not pin(write_run(tmp_path)).frozen


def test_a_manifest_that_cannot_be_edited_stays_as_it_was(tmp_path: Path) -> None:
    freeze(write_set(tmp_path))
    path = write_run(tmp_path)
    text = path.read_text().replace('[set]\npath = "set.toml"\n', "")
    text = 'set = {path = "set.toml", "version" = "1"}\n' + text
    path.write_text(text)
    with pytest.raises(InputError, match="write these by hand") as caught:
        pin(path)
    assert caught.value.exit_code == 3
    assert path.read_text() == text


def test_nothing_is_written_when_the_set_or_the_records_are_missing(tmp_path: Path) -> None:
    write_set(tmp_path)
    path = write_run(tmp_path, RECORDS)
    before = path.read_bytes()
    for name in ("run.jsonl", "set.toml"):
        (tmp_path / name).unlink()
        with pytest.raises(InputError):
            pin(path)
    assert path.read_bytes() == before
