"""The program `warplens`: where it is, and one run of its command `sim`."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .kernel_source import source_line

# Seconds after which a terminal shows which launch is running.
PATIENCE = 1.0


class ProgramError(RuntimeError):
    """The program is missing, or it refused a launch."""


@dataclass(frozen=True)
class Settings:
    """What the program is told about every run."""

    checks: bool = True
    model: str | None = None
    max_steps: int | None = None
    memory: int | None = None

    def options(self) -> list[str]:
        """The settings as options of `warplens sim`."""
        values = {"--model": self.model, "--max-steps": self.max_steps, "--memory": self.memory}
        options = [text for name, value in values.items() if value is not None for text in (name, str(value))]
        return options if self.checks else [*options, "--no-checks"]


@dataclass(frozen=True)
class Result:
    """A run: the JSON that `warplens sim` printed, and a file with the final contents of each buffer, by the
    argument's name.
    """

    report: dict[str, Any]
    buffers: dict[str, Path]


def find() -> str:
    """The path of the program: `WARPLENS`, else the one beside the interpreter, else the one on PATH."""
    named = os.environ.get("WARPLENS")
    if named:
        return named
    name = "warplens.exe" if os.name == "nt" else "warplens"
    beside = Path(sys.executable).parent / name
    found = str(beside) if beside.is_file() else shutil.which("warplens")
    if found is None:
        raise ProgramError(
            f"the program `warplens` is neither beside {sys.executable} nor on PATH: "
            "install the wheel, or set WARPLENS to its path"
        )
    return found


def simulate(launch_file: Path, launch: str, settings: Settings, out: Path) -> Result:
    """Runs a launch of a launch file, whose PTX is `kernel.ptx` beside it.

    The buffers are written to the folder `out`.
    """
    ptx = launch_file.parent / "kernel.ptx"
    command = [find(), "sim", str(ptx), "--launches", str(launch_file), "--launch", launch, "--format", "json"]
    # Only the warp that is named is recorded, and no record is needed.
    command += ["--warp", "0,0,0:0", "--save-buffers", str(out), *settings.options()]
    text, errors = _run(command, launch)
    if not text.startswith("{"):
        # The launch file is a temporary one.
        where = rf"^warplens: ({re.escape(str(launch_file))}:\d+:\d+: )?"
        reason = re.sub(where, "", errors.strip()) or "it printed nothing"
        raise ProgramError(f"launch `{launch}` could not be simulated: {reason}")
    report = json.loads(text)
    return Result(report, {name: out / file for name, file in report["saved"].items()})


def check(ptx: Path) -> list[dict[str, Any]]:
    """The errors of PTX that `ptxas` would reject, in the form of findings of a run."""
    text, _ = _run([find(), "check", "--format", "json", str(ptx)], ptx.name)
    source = ptx.read_text(encoding="utf-8")
    errors = [error for error in map(json.loads, text.splitlines()) if error["severity"] == "error"]
    for error in errors:
        error["line"] = error["range"]["start"]["line"]
        error["source"] = source_line(source, error["line"])
    keys = ("code", "severity", "message", "line", "source")
    return [{key: error[key] for key in keys} for error in errors]


def _run(command: list[str], what: str) -> tuple[str, str]:
    """The standard output and error of a command; a terminal shows how long it has been running."""
    # A file, so that the program never waits for this process to read a pipe.
    with tempfile.TemporaryFile("w+", encoding="utf-8") as output:
        try:
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.PIPE, text=True
            )
        except OSError as error:
            raise ProgramError(f"cannot run {command[0]}: {error.strerror}") from error
        with process:
            errors = _wait(process, what)
        output.seek(0)
        return output.read(), errors


def _wait(process: subprocess.Popen[str], what: str) -> str:
    start = time.monotonic()
    shown = False
    while True:
        try:
            _, errors = process.communicate(timeout=PATIENCE)
            break
        except subprocess.TimeoutExpired:
            if sys.stderr.isatty():
                shown = True
                print(f"\rsimulating {what}: {time.monotonic() - start:.0f} s", end="", file=sys.stderr, flush=True)
        except BaseException:
            process.kill()
            raise
    if shown:
        print("\r\033[K", end="", file=sys.stderr, flush=True)
    return errors
