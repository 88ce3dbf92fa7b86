"""A plugin of pytest: with `--warplens` the tests of GPU kernels run on the simulator, and a finding fails its test."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest

DEFAULT_TARGET = "sm_80"


def pytest_addoption(parser: Any) -> None:
    group = parser.getgroup("warplens", "Triton kernels without a GPU")
    group.addoption(
        "--warplens", action="store_true", help="simulate the launches of Triton kernels; findings fail the test"
    )
    group.addoption(
        "--warplens-target", default=DEFAULT_TARGET, metavar="sm_80", help="the GPU to compile for (default: sm_80)"
    )


def pytest_configure(config: Any) -> None:
    if config.getoption("--warplens"):
        from .triton import activate

        # Before the modules of tests are imported, which may ask whether there is a GPU.
        activate(config.getoption("--warplens-target"))


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item: Any) -> Generator[None, Any, None]:
    """Runs a test, and fails it if a launch has an error or a warning.

    A launch that is incomplete is a warning of pytest.
    """
    from . import session

    current = session.current()
    if current is None or not item.config.getoption("--warplens"):
        yield
        return
    from .report import as_text
    from .runs import Runs

    current.runs = Runs()
    outcome = yield
    for launch in current.runs.launches:
        if launch.verdict == "incomplete":
            missing = ", ".join(launch.reasons) or launch.status
            item.warn(pytest.PytestWarning(f"launch {launch.number} of `{launch.kernel}` is incomplete: {missing}"))
    if current.runs.verdict == "findings" and outcome.excinfo is None:
        outcome.force_exception(pytest.fail.Exception("\n".join(as_text(current.runs)), pytrace=False))
