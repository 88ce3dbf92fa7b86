"""The table and the findings at the end of a script."""

from __future__ import annotations

import json
from pathlib import Path

from warplens.report import as_json, as_text
from warplens.runs import Finding, Launch, Runs

REPORTED = {
    "code": "data-race",
    "severity": "error",
    "message": "Race: two\nfix it",
    "line": 11,
    "warp": 2,
    "source": {"file": "/k.py", "line": 3},
}


def launch(number: int, verdict: str = "clean", *findings: Finding) -> Launch:
    done = Launch(number, "k", "/k.py", 9, (2, 1, 1), "finished", verdict, findings=list(findings))
    done.totals = {"warp_instructions": 1234}
    return done


def test_a_finding_of_the_program() -> None:
    finding = Finding.of(REPORTED)
    assert (finding.file, finding.line, finding.ptx_line, finding.details) == ("/k.py", 3, 12, {"warp": 2})
    assert finding.serious
    assert finding.to_json() == {
        "code": "data-race",
        "severity": "error",
        "message": "Race: two\nfix it",
        "file": "/k.py",
        "line": 3,
        "ptx_line": 12,
        "warp": 2,
    }


def test_a_finding_without_a_source_line() -> None:
    finding = Finding.of({"code": "trap", "severity": "information", "message": "m", "line": 0})
    assert (finding.file, finding.line, finding.serious) == (None, None, False)


def test_verdicts_and_exit_codes() -> None:
    error = Finding.of(REPORTED)
    assert (Runs().verdict, Runs().exit_code) == ("clean", 0)
    assert Runs([launch(0), launch(1, "incomplete")]).exit_code == 3
    assert Runs([launch(0, "incomplete"), launch(1, "findings", error)]).exit_code == 1
    unchecked = launch(0, "incomplete")
    unchecked.reasons = ["checks-off"]
    assert (Runs([unchecked]).verdict, Runs([unchecked]).exit_code) == ("incomplete", 0)


def test_a_line_of_json() -> None:
    (line,) = as_json(Runs([launch(0)]))
    assert json.loads(line) == {
        "launch": 0,
        "kernel": "k",
        "file": "/k.py",
        "line": 9,
        "grid": [2, 1, 1],
        "status": "finished",
        "verdict": "clean",
        "reasons": [],
        "findings": [],
        "totals": {"warp_instructions": 1234},
        "seconds": 0.0,
        "folder": None,
    }


def test_a_finding_of_several_launches_is_printed_once(tmp_path: Path) -> None:
    source = tmp_path / "k.py"
    source.write_text("one\ntwo\n    x = three\n")
    error = Finding.of({**REPORTED, "source": {"file": str(source), "line": 3}})
    information = Finding.of({**REPORTED, "severity": "information"})
    runs = Runs([launch(number, "findings", error, information) for number in range(8)])
    lines = as_text(runs)
    assert lines[:2] == [
        "launch  kernel  grid       warp instructions  findings",
        "     0  k       2 x 1 x 1              1,234  data-race",
    ]
    assert lines[9:] == [
        "",
        "error[data-race]: Race: two",
        f" --> {source}:3",
        "    3 |     x = three",
        "      |",
        "      = fix it",
        "      = launch 0, `k` at /k.py:9, line 12 of its PTX, also in launches 1, 2, 3, 4, 5 and 2 more",
        "",
        "8 launches, 8 findings, 8 of information, shown by --format json: findings",
    ]


def test_what_is_missing_is_in_the_table() -> None:
    skipped = Launch(0, "k", None, None, (1, 1, 1))
    limited = launch(1, "incomplete")
    limited.reasons = ["step-limit"]
    lines = as_text(Runs([skipped, limited]))
    assert lines[1].endswith("-  not simulated")
    assert lines[2].endswith("1,234  step-limit")
    assert lines[-1] == "2 launches, 0 findings: incomplete"
    assert as_text(Runs()) == ["warplens: no kernel was launched"]
