"""`ragtui demo`: `compare` on a bundled example, from any folder."""

from __future__ import annotations

from contextlib import suppress
from importlib.resources import files
from pathlib import Path
from typing import Final

import click

from ragtui.cli.compare import Request, show
from ragtui.cli.decisions import triage_option
from ragtui.cli.options import (
    cutoff_option,
    debug_option,
    filter_option,
    json_option,
    no_color_option,
    plain_option,
    restricted_option,
    who_option,
)
from ragtui.cli.policies import policy_option
from ragtui.errors import Fault, InputError

__all__ = ["command", "example_folder"]

EXAMPLES: Final = {
    "release-desk": ("baseline.toml", "candidate.toml"),
    "support-desk": ("support-baseline.toml", "support-candidate.toml"),
}
"""Each example and the manifests of its two runs."""


@click.command("demo")
@click.argument("example", type=click.Choice(list(EXAMPLES)), default="release-desk")
@cutoff_option
@filter_option
@triage_option
@policy_option
@restricted_option
@who_option
@plain_option
@json_option
@no_color_option
@debug_option
def command(  # noqa: PLR0913 - click gives every option by name
    *,
    example: str,
    cutoff: int | None,
    filter_text: str,
    triage: Path | None,
    policy: Path | None,
    shows_restricted: bool,
    who: str | None,
    plain: bool,
    as_json: bool,
    no_color: bool,
) -> int:
    """
    Compare the two runs of a bundled example.

    release-desk: four questions, small enough to check every score by hand.

    support-desk: 75 questions over 84 notes, untidy enough to triage.

    Decisions about an example are kept in the user's own state folder.
    """
    folder = example_folder() / "manifests"
    baseline, candidate = EXAMPLES[example]
    return show(
        Request(
            baseline=folder / baseline,
            candidate=folder / candidate,
            cutoff=cutoff,
            filter_text=filter_text,
            shows_restricted=shows_restricted,
            plain=plain,
            as_json=as_json,
            no_color=no_color,
            triage=triage,
            policy=policy,
            who=who,
            kept=_kept_at(example),
        )
    )


def _kept_at(example: str) -> Path:
    """Return where decisions about an example stand: the user's own folder, not the package's."""
    from platformdirs import user_state_path  # noqa: PLC0415 - not for `demo --help`

    folder = user_state_path("ragtui", appauthor=False)
    with suppress(OSError):  # whoever decides there is told
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder / f"demo-{example}.triage.toml"


def example_folder() -> Path:
    """Return the folder of the examples: in the installed package, else of the source tree."""
    package = Path(str(files("ragtui")))
    for folder in (package / "demo_data", package.parent):
        if (folder / "manifests" / "baseline.toml").is_file():
            return folder
    raise InputError(Fault(message="the bundled example was not installed"))
