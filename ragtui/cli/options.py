"""Options and arguments that several commands share, each declared once."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "cutoff_option",
    "debug_option",
    "filter_option",
    "json_option",
    "no_color_option",
    "pair_of_manifests",
    "path_argument",
    "plain_option",
    "restricted_option",
    "root_option",
    "who_option",
]

F = TypeVar("F", bound="Callable[..., object]")

PATH = click.Path(path_type=Path)


def path_argument(name: str, metavar: str) -> Callable[[F], F]:
    """Return a required argument that is a path; whether it can be read is found out later."""
    return click.argument(name, type=PATH, metavar=metavar)


def pair_of_manifests(command: F) -> F:
    """Give a command the two manifests to compare."""
    second = path_argument("candidate", "B.toml")
    return path_argument("baseline", "A.toml")(second(command))


def root_option(command: F) -> F:
    """Give a command `--root`."""
    return click.option(
        "--root",
        type=PATH,
        metavar="DIR",
        help="The folder that no path inside a file may leave.",
    )(command)


def cutoff_option(command: F) -> F:
    """Give a command `--cutoff`."""
    return click.option(
        "--cutoff",
        type=int,
        metavar="N",
        help="Look at another context cutoff k than the recorded one: exploratory.",
    )(command)


def filter_option(command: F) -> F:
    """Give a command `--filter`."""
    return click.option(
        "--filter",
        "filter_text",
        default="",
        metavar="FILTER",
        help='List only some questions, such as "tag:lookup delta.support<0".',
    )(command)


def json_option(command: F) -> F:
    """Give a command `--json`."""
    return click.option(
        "--json", "as_json", is_flag=True, help="Print one JSON document, whatever happens."
    )(command)


def plain_option(command: F) -> F:
    """Give a command `--plain`."""
    return click.option(
        "--plain", is_flag=True, help="Print text on a terminal, too, instead of the interface."
    )(command)


def no_color_option(command: F) -> F:
    """Give a command `--no-color`."""
    return click.option("--no-color", is_flag=True, help="Use no colour on a terminal.")(command)


def debug_option(command: F) -> F:
    """Give a command `--debug`, which is read from the whole command line."""
    return click.option(
        "--debug", is_flag=True, expose_value=False, help="Show details of internal errors."
    )(command)


def restricted_option(command: F) -> F:
    """Give a command `--show-restricted`."""
    return click.option(
        "--show-restricted",
        "shows_restricted",
        is_flag=True,
        help="Show texts that a question's caller may not read; no export ever holds them.",
    )(command)


def who_option(command: F) -> F:
    """Give a command `--as`."""
    return click.option(
        "--as",
        "who",
        metavar="NAME",
        help="Sign decisions with this name; without it they are unsigned.",
    )(command)
