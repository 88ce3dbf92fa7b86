"""What the tests share: the corpus, and runs of a script as a user starts them."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT.parent / "shared" / "corpus" / "python"

needs_triton = pytest.mark.skipif(importlib.util.find_spec("triton") is None, reason="triton is not installed")
needs_numba = pytest.mark.skipif(importlib.util.find_spec("numba_cuda") is None, reason="numba-cuda is not installed")
if "WARPLENS_REQUIRE_CORPUS" in os.environ and not CORPUS.exists():
    raise FileNotFoundError(f"{CORPUS} was not found, and WARPLENS_REQUIRE_CORPUS is set")
needs_corpus = pytest.mark.skipif(not CORPUS.exists(), reason="../shared/corpus/python was not found")


@dataclass(frozen=True)
class ScriptRun:
    """What a script left behind: its exit code, the launches of the JSON output, and everything that it printed."""

    code: int
    launches: list[dict[str, Any]]
    text: str

    @property
    def serious(self) -> list[dict[str, Any]]:
        """The errors and warnings."""
        findings = [finding for launch in self.launches for finding in launch["findings"]]
        return [finding for finding in findings if finding["severity"] in ("error", "warning")]


def run_script(script: Path, *options: str, arguments: tuple[str, ...] = ()) -> ScriptRun:
    """Runs `python -m warplens` with JSON as its output."""
    run = run_warplens("--format", "json", *options, str(script), *arguments)
    launches = [json.loads(line) for line in run.stdout.splitlines() if line.startswith('{"launch"')]
    return ScriptRun(run.returncode, launches, run.stdout + run.stderr)


def run_warplens(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs `python -m warplens` from the source of the package."""
    environment = with_package()
    return subprocess.run(
        [sys.executable, "-m", "warplens", *arguments], capture_output=True, text=True, env=environment
    )


def with_package() -> dict[str, str]:
    """The environment of a process that imports the package from its source."""
    path = os.pathsep.join([str(ROOT / "python"), os.environ.get("PYTHONPATH", "")])
    return {**os.environ, "PYTHONPATH": path}
