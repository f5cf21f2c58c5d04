"""`ragtui schema NAME`: the JSON Schema of a file format."""

from __future__ import annotations

import json

import click

from ragtui.cli.options import debug_option
from ragtui.cli.output import Output, line
from ragtui.errors import Fault, UsageError
from ragtui.text import nearest, quote

__all__ = ["command"]


@click.command("schema")
@click.argument("name", required=False, metavar="[NAME]")
@debug_option
def command(*, name: str | None) -> int:
    """
    Print the JSON Schema (draft 2020-12) of a file format; without NAME, list the formats.

    TOML files are checked as the JSON they say, dates as text. A schema knows keys and types: what
    ids, digests and other files must say, `ragtui validate` checks.
    """
    from ragtui.cli.document_shapes import DOCUMENTS  # noqa: PLC0415 - not for `schema --help`
    from ragtui.files.schemas import FORMATS, whole_schema  # noqa: PLC0415 - as above

    formats = {**FORMATS, **DOCUMENTS}
    output = Output()
    if name is None:
        width = max(map(len, formats))
        output.text(line(f"{key:<{width}}  ", form.help) for key, form in formats.items())
        return 0
    if name not in formats:
        close = nearest(name, formats)
        hint = f"did you mean {close}?" if close else f"known here: {', '.join(formats)}"
        raise UsageError(Fault(message=f"there is no format {quote(name)}", hint=hint))
    output.raw([f"{json.dumps(whole_schema(name, formats[name]), indent=2)}\n"])
    return 0
