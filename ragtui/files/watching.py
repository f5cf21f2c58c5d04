"""Which files a comparison is read from, and which of them are others by now."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from ragtui.errors import InputError
from ragtui.files.descriptors import Stamp
from ragtui.files.lock_lines import lock_path
from ragtui.files.manifests import load_manifest
from ragtui.files.set_header import load_header
from ragtui.files.waivers import waivers_path

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

__all__ = ["Changed", "Inputs", "Watch"]

_State: TypeAlias = "Mapping[Path, Stamp | None]"
"""How every file stands; `None`: it cannot be found."""


class Inputs(NamedTuple):
    """What a comparison is read from; everything else is named in these."""

    baseline: Path
    candidate: Path
    root: Path | None = None
    policy: Path | None = None

    def files(self) -> Iterator[Path]:
        """Yield every file that is read, as far as what names it can be read."""
        for path in (self.baseline, self.candidate):
            yield path
            try:
                manifest = load_manifest(path, root=self.root)
                yield manifest.set_path
                if manifest.records_path is not None:
                    yield manifest.records_path
                header = load_header(manifest.set_path, root=manifest.root)
            except InputError:
                continue
            yield header.questions
            yield lock_path(manifest.set_path, header.version)
            if header.corpus is not None:
                yield header.corpus
        yield from self.policy_files()

    def policy_files(self) -> Iterator[Path]:
        """Yield the policy and its waivers, if there is one."""
        if self.policy is not None:
            yield self.policy
            yield waivers_path(self.policy)


class Changed(NamedTuple):
    """Files that are not what was read, and have come to rest."""

    reading: int
    """The number of the reading that they have changed since."""
    files: tuple[Path, ...]
    stamps: tuple[Stamp | None, ...]
    """How they stand now, which tells one change from the next."""

    @property
    def words(self) -> str:
        """
        The names of the files.

        >>> from pathlib import Path
        >>> Changed(1, (Path("x/a.toml"), Path("x/b.jsonl")), (None, None)).words
        'a.toml, b.jsonl'
        """
        return ", ".join(dict.fromkeys(path.name for path in self.files))


class Watch:
    """
    Tells which files have changed since they were read, once they stand as at the last look.

    `begin` and `poll` may be called from different threads.
    """

    def __init__(self, inputs: Inputs) -> None:
        """Watch *inputs*; nothing has changed before the first `begin`."""
        self._inputs = inputs
        self.policy_files = frozenset(inputs.policy_files())
        """Those of the files that are the policy's."""
        self._lock = threading.Lock()
        self._reading = 0
        self._read: _State = {}
        self._last: _State = {}

    @property
    def reading(self) -> int:
        """The number of readings begun."""
        return self._reading

    def begin(self) -> None:
        """Note how the files stand that are about to be read, and those that were read before."""
        state = {path: _stamp(path) for path in dict.fromkeys([*self._read, *self._inputs.files()])}
        with self._lock:
            self._reading += 1
            self._read = self._last = state

    def poll(self) -> Changed | None:
        """Look at the files; `None` while nothing has changed, or something still changes."""
        reading, read = self._reading, self._read
        state = {path: _stamp(path) for path in read}
        with self._lock:
            if reading != self._reading:
                return None
            rests, self._last = state == self._last, state
        other = tuple(path for path in read if state[path] != read[path])
        if not other or not rests:
            return None
        return Changed(reading, other, tuple(state[path] for path in other))


def _stamp(path: Path) -> Stamp | None:
    try:
        found = path.stat()
    except (OSError, ValueError):
        return None
    return Stamp(found.st_size, found.st_mtime_ns, found.st_ino)
