"""The report of a script: a table of its launches, and the findings with their Python lines."""

from __future__ import annotations

import json
import linecache
import os

from .programs import program_name
from .runs import Finding, Launch, Runs

# How many of the related lines of a finding are shown.
MOST_RELATED = 3


def as_json(runs: Runs) -> list[str]:
    """A line of JSON for each launch."""
    return [json.dumps(launch.to_json()) for launch in runs.launches]


def as_text(runs: Runs) -> list[str]:
    """The table, the findings and the verdict, as lines."""
    if not runs.launches:
        return ["warplens: no kernel was launched"]
    return [*_table(runs.launches), *_findings(runs.launches), "", _summary(runs)]


def _table(launches: list[Launch]) -> list[str]:
    rows = [("launch", "kernel", "grid", "warp instructions", "findings"), *map(_row, launches)]
    widths = [max(map(len, column)) for column in zip(*rows)]
    right = (True, False, False, True, False)
    return [
        "  ".join(cell.rjust(width) if r else cell.ljust(width) for cell, width, r in zip(row, widths, right)).rstrip()
        for row in rows
    ]


def _row(launch: Launch) -> tuple[str, ...]:
    instructions = f"{launch.totals['warp_instructions']:,}" if launch.totals else "-"
    return str(launch.number), launch.kernel, " x ".join(map(str, launch.grid)), instructions, _outcome(launch)


def _outcome(launch: Launch) -> str:
    serious = [finding.code for finding in launch.findings if finding.serious]
    if serious:
        return ", ".join(dict.fromkeys(serious))
    if launch.verdict == "clean":
        return "none"
    return ", ".join(launch.reasons) or launch.status.replace("-", " ")


def _findings(launches: list[Launch]) -> list[str]:
    """The errors and warnings; one that several launches have is printed once."""
    groups: dict[tuple[object, ...], list[tuple[Launch, Finding]]] = {}
    for launch in launches:
        for finding in launch.findings:
            if finding.serious:
                headline = finding.message.split("\n", 1)[0]
                groups.setdefault((launch.kernel, finding.code, finding.file, finding.line, headline), []).append(
                    (launch, finding)
                )
    return [line for group in groups.values() for line in ("", *_finding(group))]


def _finding(group: list[tuple[Launch, Finding]]) -> list[str]:
    launch, finding = group[0]
    headline, *details = finding.message.split("\n")
    lines = [f"{finding.severity}[{finding.code}]: {headline}"]
    if finding.file is not None and finding.line is not None:
        lines.append(f" --> {_short(finding.file)}:{finding.line}")
        source = linecache.getline(finding.file, finding.line).rstrip()
        if source:
            lines += [f"{finding.line:>5} | {source}", "      |"]
    lines += [f"      = {detail}" for detail in [*_related(finding), *details]]
    where = f"`{launch.kernel}`" + (f" at {_short(launch.file)}:{launch.line}" if launch.file else "")
    others = [str(other.number) for other, _ in group[1:]]
    also = f", also in {'launches' if len(others) > 1 else 'launch'} {_listing(others)}" if others else ""
    program = finding.details.get("program")
    where += f", {program_name(program)}" if program and "program " not in headline else ""
    ptx_line = f", line {finding.ptx_line} of its PTX" if finding.ptx_line else ""
    lines.append(f"      = launch {launch.number}, {where}{ptx_line}{also}")
    return lines


def _related(finding: Finding) -> list[str]:
    """What happened at the related Python lines: `program 0 writes `x[3]` at add.py:12`."""
    related = [related for related in finding.details.get("related", ()) if related.get("source")]
    at = [(item["message"].removesuffix(" here"), item["source"]) for item in related[:MOST_RELATED]]
    return [f"{message} at {_short(source['file'])}:{source['line']}" for message, source in at]


def _listing(numbers: list[str]) -> str:
    shown = numbers[:5]
    return ", ".join(shown) + (f" and {len(numbers) - 5} more" if len(numbers) > 5 else "")


def _summary(runs: Runs) -> str:
    serious = sum(finding.serious for finding in runs.findings)
    information = len(runs.findings) - serious
    parts = [_count(len(runs.launches), "launch", "launches"), _count(serious, "finding", "findings")]
    if information:
        parts.append(f"{information} of information, shown by --format json")
    return f"{', '.join(parts)}: {runs.verdict}"


def _count(number: int, one: str, more: str) -> str:
    return f"{number} {one if number == 1 else more}"


def _short(path: str | None) -> str:
    """A path below the current folder is shown relative to it."""
    if path is None:
        return "?"
    relative = os.path.relpath(path) if os.path.splitdrive(path)[0] == os.path.splitdrive(os.getcwd())[0] else path
    return path if relative.startswith(os.pardir) else relative
