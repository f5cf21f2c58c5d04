"""The command palette: every action by name, and what can be chosen by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from textual.command import DiscoveryHit, Hit, Provider
from textual.content import Content

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.command import Hits

__all__ = ["Command", "Commands", "HasCommands"]


class Command(NamedTuple):
    """One thing the palette offers."""

    title: str
    help: str
    run: Callable[[], object]


class HasCommands:
    """A screen that offers commands to the palette."""

    def commands(self) -> Sequence[Command]:
        """Return what the palette offers on this screen."""
        raise NotImplementedError


class Commands(Provider):
    """Offers the commands of the screen from which the palette was opened."""

    def _commands(self) -> Sequence[Command]:
        return self.screen.commands() if isinstance(self.screen, HasCommands) else ()

    async def discover(self) -> Hits:
        """Offer everything before anything is typed."""
        for command in self._commands():
            yield DiscoveryHit(
                Content(command.title), command.run, text=command.title, help=command.help
            )

    async def search(self, query: str) -> Hits:
        """Offer what matches *query*."""
        matcher = self.matcher(query)
        for command in self._commands():
            score = matcher.match(f"{command.title} {command.help}")
            if score > 0:
                yield Hit(
                    score,
                    Content(command.title),
                    command.run,
                    text=command.title,
                    help=command.help,
                )
