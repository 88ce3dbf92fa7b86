"""Saves the launches of a program on a GPU, with what they read and wrote, to be replayed by the simulator."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Callable

from .triton_launch import Described, Request, cached_ptx, describe, folder_name


def capture(folder: str | os.PathLike[str]) -> Callable[[], None]:
    """Saves each launch from now on into a folder of its own; the function that is returned ends that.

    The contents of buffers before the launch are the inputs, those after it are what the replay must give. Kernels that
    were launched before are not captured. Call it before the first launch.
    """
    from triton.runtime import driver

    active, launcher = driver.active, driver.active.launcher_cls
    saved: list[Described] = []

    def wrapped(source: Any, metadata: Any) -> _Launcher:
        return _Launcher(launcher(source, metadata), source, metadata, Path(folder), saved)

    def stop() -> None:
        active.launcher_cls = launcher

    active.launcher_cls = wrapped
    return stop


class _Launcher:
    """A launcher of a driver, with the files of its launches."""

    def __init__(self, inner: Any, source: Any, metadata: Any, folder: Path, saved: list[Described]) -> None:
        self._inner, self._source, self._metadata, self._folder, self._saved = inner, source, metadata, folder, saved

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def __call__(self, grid_x: int, grid_y: int, grid_z: int, *rest: Any) -> None:
        # The stream, the function, two kinds of metadata and two hooks are before the values of the parameters.
        request = Request(self._source, self._metadata, cached_ptx(self._metadata), (grid_x, grid_y, grid_z), rest[6:])
        number = len(self._saved)
        folder = self._folder / folder_name(number, request.kernel)
        folder.mkdir(parents=True, exist_ok=True)
        # The real launcher allocates the scratch memory.
        described = describe(request, number, folder, scratch={})
        self._saved.append(described)
        self._inner(grid_x, grid_y, grid_z, *rest)
        described.file.expect = []
        for buffer in described.arguments.results:
            file = f"{buffer.file[: -len('.bin')]}.after.bin"
            (folder / file).write_bytes(buffer.memory.contents())
            described.file.expect.append({"name": buffer.name, "file": file})
        described.file.write(folder)
