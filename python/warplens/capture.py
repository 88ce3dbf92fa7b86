"""Saves the launches of a program on a GPU, with what they read and wrote, to be replayed by the simulator."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable

from .expectations import expectation
from .triton_launch import Request, cached_ptx, folder_name


def capture(folder: str | os.PathLike[str]) -> Callable[[], None]:
    """Saves each launch from now on into a folder of its own; the function that is returned ends that.

    The contents of buffers before the launch are the inputs, those after it are what the replay must give. Kernels that
    were launched before are not captured. Call it before the first launch.
    """
    from triton.runtime import driver

    try:
        active = driver.active
    except RuntimeError as error:
        raise RuntimeError(f"`capture` needs a GPU ({error}); `simulate(save=…)` saves launches without one") from error
    launcher = active.launcher_cls
    captured = _Capture(Path(folder))

    def wrapped(source: Any, metadata: Any) -> _Launcher:
        return _Launcher(launcher(source, metadata), source, metadata, captured)

    def stop() -> None:
        # Kernels keep the launcher that they were loaded with.
        captured.stopped = True
        active.launcher_cls = launcher

    active.launcher_cls = wrapped
    return stop


@dataclass
class _Capture:
    """Where launches are saved, how many were, and whether there are no more."""

    folder: Path
    launches: int = 0
    stopped: bool = False


class _Launcher:
    """A launcher of a driver, with the files of its launches."""

    def __init__(self, inner: Any, source: Any, metadata: Any, captured: _Capture) -> None:
        self._inner, self._source, self._metadata, self._captured = inner, source, metadata, captured

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def __call__(self, grid_x: int, grid_y: int, grid_z: int, *rest: Any) -> None:
        if self._captured.stopped:
            self._inner(grid_x, grid_y, grid_z, *rest)
            return
        # The stream, the function, two kinds of metadata and two hooks are before the values of the parameters.
        request = Request(self._source, self._metadata, cached_ptx(self._metadata), (grid_x, grid_y, grid_z), rest[6:])
        number = self._captured.launches
        folder = self._captured.folder / folder_name(number, request.kernel)
        folder.mkdir(parents=True, exist_ok=True)
        # The real launcher allocates the scratch memory.
        described = request.describe(number, folder, scratch={})
        self._captured.launches += 1
        self._inner(grid_x, grid_y, grid_z, *rest)
        described.file.expect = []
        for buffer in described.arguments.results:
            after = folder / buffer.file_after
            after.write_bytes(buffer.memory.contents())
            described.file.expect.append(expectation(buffer.name, buffer.table["buffer"], after, described.ptx))
        described.file.write(folder)
