"""What was launched and what was found."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .advice import TRITON, Words, in_python

# The severities that count in a verdict. Information does not.
SERIOUS = ("error", "warning")


@dataclass(frozen=True)
class Finding:
    """A finding of a launch, with the Python line of the statement in the kernel."""

    code: str
    severity: str
    message: str
    file: str | None
    line: int | None
    # The line in `kernel.ptx`, from 1, unless it is about the whole launch.
    ptx_line: int | None
    # Whatever else `warplens sim --format json` tells about it, such as the warp and related places.
    details: dict[str, Any] = field(default_factory=dict)

    @property
    def serious(self) -> bool:
        """Whether it is an error or a warning."""
        return self.severity in SERIOUS

    @staticmethod
    def of(report: dict[str, Any], words: Words = TRITON) -> Finding:
        """A finding as `warplens sim` reports it."""
        source = report.get("source") or {}
        known = ("code", "severity", "message", "source", "line")
        details = {key: value for key, value in report.items() if key not in known}
        line = report["line"] + 1 if "line" in report else None
        return Finding(
            report["code"],
            report["severity"],
            in_python(report["message"], report.get("advice"), words),
            source.get("file"),
            source.get("line"),
            line,
            details,
        )

    def to_json(self) -> dict[str, Any]:
        """The finding as an object of the JSON output."""
        keys = ("code", "severity", "message", "file", "line", "ptx_line")
        return {**{key: getattr(self, key) for key in keys}, **self.details}


@dataclass
class Launch:
    """A launch of a kernel."""

    number: int
    kernel: str
    # Where the kernel was called.
    file: str | None
    line: int | None
    grid: tuple[int, int, int]
    # That of `warplens sim`, or `not-simulated`.
    status: str = "not-simulated"
    verdict: str = "incomplete"
    # What evidence is missing.
    reasons: list[str] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    totals: dict[str, int] | None = None
    # Seconds without compiling.
    seconds: float = 0.0
    # The folder of the saved launch.
    folder: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The launch as a line of the JSON output."""
        line: dict[str, Any] = {"launch": self.number}
        keys = (
            "kernel",
            "file",
            "line",
            "grid",
            "status",
            "verdict",
            "reasons",
            "findings",
            "totals",
            "seconds",
            "folder",
        )
        line.update({key: getattr(self, key) for key in keys})
        line.update(
            grid=list(self.grid),
            findings=[finding.to_json() for finding in self.findings],
            seconds=round(self.seconds, 4),
        )
        return line


@dataclass
class Runs:
    """The launches of a script, a test, or a block of code."""

    launches: list[Launch] = field(default_factory=list)

    @property
    def findings(self) -> list[Finding]:
        """The findings of all launches."""
        return [finding for launch in self.launches for finding in launch.findings]

    @property
    def verdict(self) -> str:
        """`findings` if a launch has an error or a warning, else `incomplete` if a launch was not simulated or
        checked whole, else `clean`.
        """
        verdicts = {launch.verdict for launch in self.launches}
        return next((verdict for verdict in ("findings", "incomplete") if verdict in verdicts), "clean")

    @property
    def exit_code(self) -> int:
        """1 with an error or a warning, 3 if something was not simulated whole, 0 otherwise: checks may be off."""
        if self.verdict == "findings":
            return 1
        return (
            3
            if any(launch.verdict == "incomplete" and launch.reasons != ["checks-off"] for launch in self.launches)
            else 0
        )
