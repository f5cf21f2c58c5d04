"""Policies that commands hold a comparison against."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import click

from ragtui.cli.options import PATH

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ragtui.core.gate import Ruling
    from ragtui.core.policy import Policy
    from ragtui.core.triage import Triage
    from ragtui.files.ledger import Look

__all__ = ["policy_option", "read_policy", "rule_on", "with_policy"]

F = TypeVar("F", bound="Callable[..., object]")


def policy_option(command: F) -> F:
    """Give a command `--policy`."""
    return click.option(
        "--policy",
        "policy",
        type=PATH,
        metavar="FILE",
        help="The acceptance policy to hold the comparison against.",
    )(command)


def read_policy(path: Path | None) -> Policy | None:
    """Read the policy at *path*, if one was named. Raises InputError with all its faults."""
    if path is None:
        return None
    from ragtui.files.policies import load_policy  # noqa: PLC0415 - not without `--policy`

    return load_policy(path)


def with_policy(look: Look, policy: Policy | None) -> Look:
    """Return *look* as that of a command which judges by *policy*."""
    from dataclasses import replace  # noqa: PLC0415 - not for `--help`

    if policy is None:
        return look
    return replace(look, policy=policy.sha256, budget=policy.max_candidates)


def rule_on(policy: Policy | None, triage: Triage) -> Ruling | None:
    """Hold the comparison of *triage* against *policy*, if there is one."""
    if policy is None:
        return None
    from ragtui.core.gate import judge  # noqa: PLC0415 - not without `--policy`

    return judge(policy, triage)
