"""Triton kernels without a GPU.

`activate()` lets a program simulate its launches, `simulate()` a block of it. `capture()` saves the launches of a
program on a GPU, to be replayed.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from . import numba_cuda, session, torch_cpu, uninitialized
from .arrays import array
from .capture import capture
from .memory import HostMemory, memory_of
from .program import Settings
from .runs import Finding, Launch, Runs
from .targets import Target
from .triton_driver import Installed

__all__ = ["Finding", "Launch", "Runs", "activate", "array", "capture", "mark_uninitialized", "simulate"]

DEFAULT_TARGET = "sm_80"


def activate(
    target: str = DEFAULT_TARGET,
    *,
    save: str | os.PathLike[str] | None = None,
    checks: bool = True,
    model: str | None = None,
) -> Runs:
    """Simulates all launches from now on, as if compiled for a target, and returns what is found.

    `save` is a folder that gets a folder for each launch, `checks=False` turns the checks off, and `model` is the
    divergence model. If launches are simulated already, only the target changes.
    """
    current = session.current()
    if current is None:
        current = session.Session(
            Target.parse(target), Settings(checks, model), Path(save) if save is not None else None
        )
        session.replace(current)
    else:
        current.target = Target.parse(target)
    start(current)
    return current.runs


@contextlib.contextmanager
def simulate(
    target: str | None = None,
    *,
    save: str | os.PathLike[str] | None = None,
    checks: bool = True,
    model: str | None = None,
) -> Iterator[Runs]:
    """Simulates the launches of a block.

    `runs.findings`, `runs.verdict` and `runs.launches` say what was found. The options are those of `activate`.
    """
    outer = session.current()
    parsed = Target.parse(target) if target else outer.target if outer else Target.parse(DEFAULT_TARGET)
    inner = session.Session(parsed, Settings(checks, model), Path(save) if save is not None else None)
    session.replace(inner)
    stop = start(inner)
    try:
        yield inner.runs
    finally:
        stop()
        inner.collect()
        session.replace(outer)


def start(current: session.Session) -> Any:
    """Lets Triton, torch and numba-cuda use the device of a session; the function that is returned undoes that."""
    remove_triton = Installed(current.target).remove if importlib.util.find_spec("triton") else None
    undo = [numba_cuda.install(current.target), torch_cpu.install(current.target), remove_triton]

    def stop() -> None:
        for remove in filter(None, undo):
            remove()

    return stop


def mark_uninitialized(tensor: Any) -> None:
    """Says that the memory of a tensor has no values until something writes it: a kernel that reads it then has the
    finding `uninitialized-read`.

    The tensor must be contiguous, and its contents are replaced. Memory of `torch.empty`, `empty_like` and `new_empty`
    needs no call.
    """
    memory, address = memory_of(tensor)
    if not isinstance(memory, HostMemory):
        raise TypeError("only memory of the host can be marked as uninitialized")
    size = tensor.nbytes if hasattr(tensor, "nbytes") else tensor.numel() * tensor.element_size()
    contiguous = tensor.is_contiguous() if hasattr(tensor, "is_contiguous") else True
    first = address - memory.start
    if not contiguous or first + size > memory.size:
        raise ValueError(
            "only a contiguous tensor can be marked as uninitialized: mark the tensor that it is a view of"
        )
    uninitialized.mark(memory, first, first + size)
