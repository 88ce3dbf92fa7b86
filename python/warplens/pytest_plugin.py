"""A plugin of pytest: with `--warplens` the tests of GPU kernels run on the simulator, and a finding fails its test."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

if TYPE_CHECKING:
    from .runs import Runs

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
        from .targets import UnknownTarget
        from .triton import activate

        # Before the modules of tests are imported, which may ask whether there is a GPU.
        try:
            activate(config.getoption("--warplens-target"))
        except UnknownTarget as error:
            raise pytest.UsageError(f"--warplens-target: {error}") from error


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_setup(item: Any) -> Generator[None, Any, None]:
    """Sets a test up. What its fixtures launch belongs to the test."""
    yield from _phase(item, "setup", Phase(forgets=True, judges=False))


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item: Any) -> Generator[None, Any, None]:
    """Runs a test, and fails it if a launch has an error or a warning.

    A launch that is incomplete is a warning of pytest.
    """
    yield from _phase(item, "call", Phase(forgets=False, judges=True))


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_teardown(item: Any) -> Generator[None, Any, None]:
    """Tears a test down, and fails if a launch has an error or a warning."""
    yield from _phase(item, "teardown", Phase(forgets=True, judges=True))


class Phase(NamedTuple):
    """Whether a phase forgets what was launched before it, and whether launches so far fail it."""

    forgets: bool
    judges: bool


def _phase(item: Any, name: str, phase: Phase) -> Generator[None, Any, None]:
    from . import session

    current = session.current()
    if current is None or not item.config.getoption("--warplens"):
        yield
        return
    from .report import as_text
    from .runs import Runs

    if phase.forgets:
        current.runs = Runs()
    outcome = yield
    current.collect()
    if phase.judges:
        _warn_of_incomplete(item, current.runs)
    if current.runs.verdict != "findings":
        return
    report = "\n".join(as_text(current.runs))
    if outcome.excinfo is not None:
        # A wrong value may follow from the finding.
        item.add_report_section(name, "warplens", report)
    elif phase.judges:
        outcome.force_exception(pytest.fail.Exception(report, pytrace=False))


def _warn_of_incomplete(item: Any, runs: Runs) -> None:
    for launch in runs.launches:
        if launch.verdict == "incomplete":
            missing = ", ".join(launch.reasons) or launch.status
            item.warn(pytest.PytestWarning(f"launch {launch.number} of `{launch.kernel}` is incomplete: {missing}"))
