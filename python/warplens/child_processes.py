"""Launches of processes that a script forks, such as those of a pool: they are handed to the script in a file."""

from __future__ import annotations

import atexit
import os
import pickle
import tempfile
from pathlib import Path

from .runs import Launch


class ChildProcesses:
    """The way of launches from the processes that this one forks."""

    def __init__(self) -> None:
        self._file: Path | None = None
        # Whether this process is one of them.
        self.is_child = False

    def prepare(self) -> None:
        """Called before each fork."""
        if self._file is None:
            descriptor, name = tempfile.mkstemp(prefix="warplens-launches-")
            os.close(descriptor)
            self._file = Path(name)
            atexit.register(self._remove, self._file, os.getpid())

    def send(self, launch: Launch) -> None:
        """Hands a launch of a child to the script."""
        assert self._file is not None
        with open(self._file, "ab", buffering=0) as file:
            # One write, so that launches of several processes do not mix.
            file.write(pickle.dumps(launch))

    def take(self) -> list[Launch]:
        """The launches of children that have ended since the last call."""
        if self._file is None or self.is_child:
            return []
        launches = []
        with open(self._file, "rb") as file:
            while file.peek(1):
                launches.append(pickle.load(file))
        self._file.unlink()
        self._file = None
        return launches

    @staticmethod
    def _remove(file: Path, owner: int) -> None:
        """Removes a file that nothing was taken from."""
        if os.getpid() == owner:
            file.unlink(missing_ok=True)
