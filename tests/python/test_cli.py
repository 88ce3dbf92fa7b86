"""The command line: what is printed, what is saved, and the exit codes."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from support import needs_triton, run_script, run_warplens
from warplens import cli

pytestmark = needs_triton

ADD = """
import sys
import numpy as np
import triton
import triton.language as tl
from warplens.triton import array


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < {length})


@triton.jit
def double(x, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i) * 2)


x, y, out = array(np.arange(100, dtype=np.float32)), array(np.ones(100, np.float32)), array(np.zeros(100, np.float32))
add[(2,)](x, y, out, 100, BLOCK=64)
double[(1,)](x, BLOCK=64)
print("sum", out.sum(), sys.argv[1:])
"""
STORE_LINE = 12


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "add.py"
    path.write_text(ADD.format(length="n"))
    return path


@pytest.fixture
def wrong(tmp_path: Path) -> Path:
    path = tmp_path / "wrong.py"
    path.write_text(ADD.format(length="n + 1"))
    return path


def test_results_are_in_the_arrays_and_the_table_follows(script: Path) -> None:
    run = run_warplens(str(script), "first", "--second")
    assert run.returncode == 0, run.stderr
    lines = run.stdout.splitlines()
    assert lines[0] == "sum 5050.0 ['first', '--second']"
    assert lines[2].split() == ["launch", "kernel", "grid", "warp", "instructions", "findings"]
    assert lines[3].split()[:6] == ["0", "add", "2", "x", "1", "x"]
    assert lines[-1] == "2 launches, 0 findings: clean"


def test_a_finding_has_its_python_line(wrong: Path) -> None:
    run = run_warplens(str(wrong))
    assert run.returncode == 1
    assert "error[out-of-bounds]: Out of bounds: `out[100]` is beyond `out`" in run.stdout
    assert f"wrong.py:{STORE_LINE}\n" in run.stdout
    assert "tl.store(out + i," in run.stdout
    assert run.stdout.endswith("2 launches, 1 finding: findings\n")
    assert "warplens: launch 0 of `add` ended early (out-of-bounds)\n" in run.stderr


def test_json_has_a_line_for_each_launch(wrong: Path) -> None:
    run = run_script(wrong)
    assert run.code == 1
    first, second = run.launches
    assert {key: first[key] for key in ("launch", "kernel", "file", "line", "grid", "status", "verdict")} == {
        "launch": 0,
        "kernel": "add",
        "file": str(wrong),
        "line": 22,
        "grid": [2, 1, 1],
        "status": "faulted",
        "verdict": "findings",
    }
    (finding,) = first["findings"]
    assert (finding["code"], finding["severity"], finding["file"], finding["line"]) == (
        "out-of-bounds",
        "error",
        str(wrong),
        STORE_LINE,
    )
    assert second["verdict"] == "clean"
    assert second["totals"]["warp_instructions"] > 0
    assert 0 < second["seconds"] < 10


def test_an_equal_kernel_of_another_file_is_not_named(script: Path, tmp_path: Path) -> None:
    assert run_script(script).code == 0
    copy = tmp_path / "copy.py"
    copy.write_text(script.read_text().replace("array(np.zeros(100,", "array(np.zeros(50,"))
    run = run_script(copy)
    assert [finding["file"] for finding in run.serious] == [str(copy)]


def test_what_is_not_simulated_makes_a_run_incomplete(script: Path) -> None:
    run = run_script(script, "--only", "double")
    assert run.code == 3
    assert [launch["status"] for launch in run.launches] == ["not-simulated", "finished"]
    run = run_script(script, "--max-launches", "1")
    assert run.code == 3
    assert [launch["verdict"] for launch in run.launches] == ["clean", "incomplete"]


def test_what_a_launch_left_out_has_written_has_values(script: Path) -> None:
    text = script.read_text().replace("import array", "import array, mark_uninitialized")
    script.write_text(
        text.replace("add[(2,)]", "mark_uninitialized(out)\nadd[(2,)]").replace("double[(1,)](x", "double[(1,)](out")
    )
    run = run_script(script, "--only", "double")
    assert (run.code, run.serious) == (3, []), run.text


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_launches_of_forked_processes_are_reported(wrong: Path, tmp_path: Path) -> None:
    call = "add[(2,)](x, y, out, 100, BLOCK=64)"
    fork = f"import os\nif (child := os.fork()) == 0:\n    {call}\n    os._exit(0)\nos.waitpid(child, 0)"
    wrong.write_text(wrong.read_text().replace(call, fork))
    run = run_script(wrong, "--save", str(tmp_path / "saved"))
    assert run.code == 1, run.text
    assert [launch["kernel"] for launch in run.launches] == ["double", "add"]
    assert [(finding["code"], finding["line"]) for finding in run.serious] == [("out-of-bounds", STORE_LINE)]
    assert len(list((tmp_path / "saved").iterdir())) == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--target", "sm_99", "a.py"], "`sm_99` is not a target: write one such as sm_80, sm_90 or sm_100"),
        (["--model", "bogus", "a.py"], "invalid choice: 'bogus'"),
        (["--max-launches", "-1", "a.py"], "`-1` is not a whole number from 0"),
        (["--max-steps", "0", "a.py"], "`0` is not a whole number from 1"),
        ([], "the following arguments are required: SCRIPT.py\n"),
    ],
)
def test_wrong_options_are_refused_before_the_script(
    capsys: pytest.CaptureFixture[str], options: list[str], message: str
) -> None:
    with pytest.raises(SystemExit) as stop:
        cli.main(options)
    assert stop.value.code == 2
    assert message in capsys.readouterr().err


def test_a_run_without_checks_is_simulated_whole(script: Path) -> None:
    run = run_script(script, "--no-checks")
    assert run.code == 0
    assert [launch["verdict"] for launch in run.launches] == ["incomplete", "incomplete"]
    assert [launch["reasons"] for launch in run.launches] == [["checks-off"], ["checks-off"]]


@pytest.mark.parametrize(
    ("last", "code"),
    [("sys.exit(7)", 7), ("sys.exit()", 0), ("sys.exit('no')", 1), ("raise ValueError('no')", 1), ("", 0)],
)
def test_the_exit_code_of_the_script(script: Path, last: str, code: int) -> None:
    script.write_text(f"import sys\n{last}\n")
    run = run_warplens(str(script))
    assert run.returncode == code
    assert "no kernel was launched" in run.stdout


def test_the_traceback_begins_in_the_script(script: Path) -> None:
    script.write_text("def f():\n    raise ValueError('no')\n\n\nf()\n")
    run = run_warplens(str(script))
    assert run.stderr.splitlines()[1] == f'  File "{script}", line 5, in <module>'


def test_what_is_refused_is_said_at_the_line_of_the_script(script: Path) -> None:
    script.write_text(script.read_text().replace("add[(2,)]", "add[(1, 70_000)]"))
    run = run_warplens(str(script))
    assert run.returncode == 1
    # Triton may warn first.
    lines = run.stderr[run.stderr.index("Traceback") :].splitlines()
    assert lines[1] == f'  File "{script}", line 22, in <module>'
    assert [line for line in lines if line.startswith("  File")] == lines[1:2]
    assert lines[-1].endswith("launch `add #0` could not be simulated: the grid has at most 65535 blocks in y and z")


def test_saved_launches_replay_to_the_same_bytes(script: Path, tmp_path: Path) -> None:
    run = run_script(script, "--save", str(tmp_path / "saved"))
    assert run.code == 0, run.text
    folders = sorted((tmp_path / "saved").iterdir())
    assert [folder.name for folder in folders] == ["000-add", "001-double"]
    assert sorted(file.name for file in folders[0].iterdir()) == [
        "kernel.ptx",
        "out.after.bin",
        "out.bin",
        "warplens.toml",
        "x.bin",
        "y.bin",
    ]
    text = (folders[0] / "warplens.toml").read_text()
    assert '{ name = "x", file = "x.bin" }' in text
    assert '{ name = "out", file = "out.after.bin" }' in text


def test_mistakes_of_the_command_line_are_sentences(script: Path) -> None:
    run = run_warplens("missing.py")
    assert (run.returncode, run.stderr) == (2, "warplens: there is no file missing.py\n")
    run = run_warplens("--target", "gfx942", str(script))
    assert run.returncode == 2
    assert "`gfx942` is not a target: write one such as sm_80, sm_90 or sm_100" in run.stderr


def test_a_crash_of_the_compiler_is_explained(script: Path) -> None:
    script.write_text("import os\nos.abort()\n")
    run = run_warplens(str(script))
    assert run.returncode == 134
    assert "ended by SIGABRT" in run.stderr


def test_modules_of_the_script_are_found(script: Path) -> None:
    (script.parent / "beside.py").write_text("VALUE = 5\n")
    script.write_text("import beside\nprint(beside.VALUE, __name__, __file__)\n")
    run = run_warplens(str(script))
    assert run.stdout.startswith(f"5 __main__ {script}\n")


def test_the_program_that_is_named_is_used(script: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_text(f"#!{sys.executable}\nimport sys\nsys.exit('it is broken')\n")
    program.chmod(0o755)
    monkeypatch.setenv("WARPLENS", str(program))
    run = run_warplens(str(script))
    assert run.returncode == 1
    assert "launch `add #0` could not be simulated: it is broken" in run.stderr


def test_a_package_that_is_missing_is_said(
    script: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert cli.main([str(script)]) == 2
    assert (
        f"{sys.executable} does not have the package triton or numba: run `{sys.executable} -m pip"
        in capsys.readouterr().err
    )
