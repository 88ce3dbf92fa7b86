"""With `--warplens` the tests of kernels run on the simulator, and findings fail them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from support import ROOT, needs_triton

pytestmark = needs_triton

TESTS = """
import numpy as np
import pytest
import triton
import triton.language as tl
from triton.runtime import driver
from warplens.triton import array


@triton.jit
def fill(out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, i, mask=i < n)


@pytest.mark.parametrize("n", [20, 21])
def test_fill(n):
    out = array(np.zeros(20, np.int32))
    fill[(1,)](out, n, BLOCK=32)
    if n == 20:
        assert (out == np.arange(20)).all()


def test_without_a_launch():
    assert driver.active.get_current_target().arch == 90
"""


FIXTURES = """

def launch(n):
    fill[(1,)](array(np.zeros(20, np.int32)), n, BLOCK=32)


@pytest.fixture
def early():
    launch(21)


@pytest.fixture
def late():
    launch(20)
    yield
    launch(21)


@pytest.fixture(scope="module")
def shared():
    launch(21)


def test_early(early):
    pass


def test_late(late):
    pass


def test_first_user(shared):
    pass


def test_second_user(shared):
    pass


def test_own_assertion():
    launch(21)
    assert False, "its own"
"""


def run_pytest(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "warplens.pytest_plugin", *options, str(folder)]
    return subprocess.run(command, capture_output=True, text=True, env=environment, cwd=folder)


def test_a_finding_fails_its_test(tmp_path: Path) -> None:
    (tmp_path / "test_fill.py").write_text(TESTS)
    run = run_pytest(tmp_path, "--warplens", "--warplens-target", "sm_90")
    assert "1 failed, 2 passed" in run.stdout
    assert "error[out-of-bounds]: Out of bounds: `out[20]` is beyond `out`" in run.stdout
    assert "FAILED test_fill.py::test_fill[21]" in run.stdout


def test_launches_of_fixtures_belong_to_the_test(tmp_path: Path) -> None:
    (tmp_path / "test_fixtures.py").write_text(TESTS[: TESTS.index("@pytest.mark")] + FIXTURES)
    run = run_pytest(tmp_path, "--warplens")
    assert re.search("3 failed, 2 passed,.* 1 error", run.stdout), run.stdout
    for test in ("FAILED test_fixtures.py::test_early", "ERROR test_fixtures.py::test_late"):
        assert test in run.stdout
    assert "AssertionError: its own" in run.stdout
    # In CI, the summary of pytest repeats whole messages.
    shown, _, _ = run.stdout.partition("short test summary")
    assert shown.count("error[out-of-bounds]: Out of bounds: `out[20]`") == 4


def test_an_unknown_target_is_an_error_of_usage(tmp_path: Path) -> None:
    run = run_pytest(tmp_path, "--warplens", "--warplens-target", "sm_99")
    assert run.returncode == 4
    assert "--warplens-target: `sm_99` is not a target" in run.stderr
    assert "Traceback" not in run.stdout + run.stderr


def test_an_incomplete_launch_is_a_warning(tmp_path: Path) -> None:
    limit = "from warplens import program, session\n\nsession.current().settings = program.Settings(max_steps=10)\n"
    (tmp_path / "test_fill.py").write_text(limit + TESTS.replace("[20, 21]", "[20]").replace("if n == 20", "if n == 0"))
    run = run_pytest(tmp_path, "--warplens", "--warplens-target", "sm_90")
    assert "2 passed" in run.stdout
    assert "launch 0 of `fill` is incomplete: step-limit" in run.stdout


def test_without_the_option_nothing_is_simulated(tmp_path: Path) -> None:
    (tmp_path / "test_fill.py").write_text("import sys\n\n\ndef test_it():\n    assert 'triton' not in sys.modules\n")
    assert "1 passed" in run_pytest(tmp_path).stdout
