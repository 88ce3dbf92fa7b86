"""The package is tested from its source, and skipped tests are counted with those of the project."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))


def pytest_runtest_logreport(report: Any) -> None:
    note(report)


def pytest_collectreport(report: Any) -> None:
    note(report)


def note(report: Any) -> None:
    """Adds a skipped test to the file of `cargo xtask test`."""
    notes = os.environ.get("WARPLENS_SKIPPED")
    if notes is None or not report.skipped or not isinstance(report.longrepr, tuple):
        return
    reason = report.longrepr[2].removeprefix("Skipped: ")
    with open(notes, "a", encoding="utf-8") as file:
        print(f"{reason}\t{report.nodeid}", file=file)
