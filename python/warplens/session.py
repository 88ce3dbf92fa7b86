"""A session simulates launches, writes the results back into the tensors, and keeps what was found."""

from __future__ import annotations

import contextlib
import filecmp
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Optional, Protocol

from . import program, uninitialized
from .arguments import Buffer
from .child_processes import ChildProcesses
from .expectations import expectation
from .launch_file import Table
from .memory import HostMemory, memories
from .runs import Finding, Launch, Runs
from .targets import Target
from .triton_launch import Described, folder_name

# A file and a line, if they are known.
Site = tuple[Optional[str], Optional[int]]


class AnyRequest(Protocol):
    """A launch, of whatever package."""

    @property
    def kernel(self) -> str:
        """The name of the kernel."""

    @property
    def grid(self) -> tuple[int, int, int]:
        """The grid as the script gives it."""

    @property
    def blocks(self) -> int:
        """The blocks of the launch."""

    @property
    def values(self) -> Sequence[Any]:
        """The arguments."""

    def describe(self, number: int, folder: Path, scratch: dict[str, Any]) -> Described:
        """Writes the launch into a folder."""


def _no_scratch(request: Any) -> dict[str, Any]:
    return {}


@dataclass
class Session:
    """What is simulated, how, and what was found."""

    target: Target
    settings: program.Settings = field(default_factory=program.Settings)
    # The folder that gets a folder for each launch.
    save: Path | None = None
    # The only kernel that is simulated, by name.
    only: str | None = None
    max_launches: int | None = None
    runs: Runs = field(default_factory=Runs)
    children: ChildProcesses = field(default_factory=ChildProcesses)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def run(self, request: AnyRequest, site: Site, allocate: Callable[[Any], dict[str, Any]] = _no_scratch) -> None:
        """Simulates a launch that was called at a site. `allocate` gives the scratch memory that it asks for."""
        launch = self._add(request, site)
        try:
            self._run(launch, request, allocate)
        finally:
            if self.children.is_child:
                self.children.send(launch)

    def _run(self, launch: Launch, request: AnyRequest, allocate: Callable[[Any], dict[str, Any]]) -> None:
        if not self._selected(launch):
            _leave_out(request)
            return
        if request.blocks == 0:
            launch.status, launch.verdict, launch.totals = "finished", "clean", {"warp_instructions": 0}
            return
        scratch = allocate(request)
        start = time.perf_counter()
        with self._folder(launch) as folder:
            described = request.describe(launch.number, folder, scratch)
            _simulate(launch, described, self.settings, expect=self.save is not None)
        launch.seconds = time.perf_counter() - start

    def collect(self) -> Runs:
        """The runs, with the launches of processes that the script has forked."""
        for launch in self.children.take():
            launch.number = len(self.runs.launches)
            self.runs.launches.append(launch)
        return self.runs

    def become_child(self) -> None:
        """Called in a process that was forked."""
        self.children.is_child = True
        self._lock = threading.Lock()

    def _add(self, request: AnyRequest, site: Site) -> Launch:
        with self._lock:
            launch = Launch(len(self.runs.launches), request.kernel, *site, request.grid)
            self.runs.launches.append(launch)
        return launch

    def _selected(self, launch: Launch) -> bool:
        if self.only is not None and launch.kernel != self.only:
            return False
        return self.max_launches is None or launch.number < self.max_launches

    @contextlib.contextmanager
    def _folder(self, launch: Launch) -> Iterator[Path]:
        if self.save is None:
            with tempfile.TemporaryDirectory(prefix="warplens-") as folder:
                yield Path(folder)
        else:
            process = f"-{os.getpid()}" if self.children.is_child else ""
            saved = self.save / (folder_name(launch.number, launch.kernel) + process)
            saved.mkdir(parents=True, exist_ok=True)
            launch.folder = str(saved)
            yield saved


def _leave_out(request: AnyRequest) -> None:
    """Lets the tensors of a launch that is left out have values, as if the kernel had written them."""
    for memory in memories(request.values):
        if isinstance(memory, HostMemory):
            uninitialized.define(memory)


def _simulate(launch: Launch, described: Described, settings: program.Settings, expect: bool) -> None:
    folder = described.path.parent
    with tempfile.TemporaryDirectory(prefix="after-", dir=folder) as out:
        result = program.simulate(described.path, described.file.name, settings, Path(out))
        report = result.report
        launch.status, launch.verdict, launch.totals = report["status"], report["verdict"], report["totals"]
        launch.reasons = report["reasons"]
        launch.findings = [
            Finding.of(described.names.named(finding), described.names.words) for finding in report["findings"]
        ]
        if "text-errors" in launch.reasons:
            launch.findings += [Finding.of(finding) for finding in program.check(folder / "kernel.ptx")]
        for buffer in described.arguments.buffers:
            buffer.memory.load(result.buffers[buffer.name])
        for replacement in described.replaced:
            replacement.restore()
        if expect and launch.status == "finished":
            described.file.expect = [
                _expected(folder, buffer, result.buffers[buffer.name], described.ptx)
                for buffer in described.arguments.results
            ]
            described.file.write(folder)
    sys.stdout.write(report.get("output", ""))
    if launch.status != "finished":
        _say_unfinished(launch)


def _say_unfinished(launch: Launch) -> None:
    """Says at once what a failing assertion of the script may follow from; the rest is in the report."""
    why = next((finding.code for finding in launch.findings if finding.serious), launch.status)
    print(f"warplens: launch {launch.number} of `{launch.kernel}` ended early ({why})", file=sys.stderr)


def _expected(folder: Path, buffer: Buffer, after: Path, ptx: str) -> Table:
    """The expectation of a buffer: a file of its own, unless the kernel left the buffer as it was."""
    if filecmp.cmp(folder / buffer.file, after, shallow=False):
        return {"name": buffer.name, "file": buffer.file}
    os.replace(after, folder / buffer.file_after)
    return expectation(buffer.name, buffer.table["buffer"], folder / buffer.file_after, ptx)


_current: Session | None = None


def current() -> Session | None:
    """The session that simulates launches now."""
    return _current


def replace(session: Session | None) -> Session | None:
    """Makes a session the current one, and returns the former one."""
    global _current
    former, _current = _current, session
    return former


def _before_fork() -> None:
    if _current is not None:
        _current.children.prepare()


def _after_fork() -> None:
    if _current is not None:
        _current.become_child()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_child=_after_fork)
