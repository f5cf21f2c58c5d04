"""Judgements and runs as they are really found: what a file is, its content says, not its name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragtui.files.importers.trec_files import QrelsFile, RunFile, open_source, refuse_nothing
from ragtui.files.importers.trec_json import looks_like_json, read_qrels_json, read_run_json
from ragtui.files.importers.trec_lines import read_qrels_lines, read_run_lines
from ragtui.files.shape import Faults

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["read_qrels", "read_run"]


def read_qrels(path: Path) -> QrelsFile:
    """Read judgements. Raises InputError with file and line of everything that is wrong."""
    source, data, faults = open_source(path)
    file = QrelsFile(source=source)
    if looks_like_json(data):
        read_qrels_json(data, file, faults)
    else:
        read_qrels_lines(data, file, faults)
    faults.raise_any()
    refuse_nothing(source, "judgement", empty=not file.topics)
    return file


def read_run(path: Path) -> RunFile:
    """Read retrieved documents. Raises InputError with file and line of everything wrong."""
    source, data, faults = open_source(path)
    file = RunFile(source=source, rank_faults=Faults(source.shown))
    if looks_like_json(data):
        read_run_json(data, file, faults)
    else:
        read_run_lines(data, file, faults)
    faults.raise_any()
    refuse_nothing(source, "retrieved document", empty=not file.topics)
    return file
