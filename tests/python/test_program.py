"""Which program is run, and what it is told."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from warplens import program
from warplens.program import ProgramError, Settings
from warplens.targets import Target, UnknownTarget


@pytest.fixture
def interpreter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of an interpreter, without a program on PATH."""
    monkeypatch.delenv("WARPLENS", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setattr(sys, "executable", str(folder / "python"))
    return folder


def program_in(folder: Path) -> str:
    folder.mkdir(exist_ok=True)
    file = folder / ("warplens.exe" if sys.platform == "win32" else "warplens")
    file.touch()
    file.chmod(0o755)
    return str(file)


def test_the_program_beside_the_interpreter_comes_before_the_one_on_path(
    interpreter: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with pytest.raises(ProgramError, match="install the wheel, or set WARPLENS"):
        program.find()
    on_path = program_in(tmp_path / "nothing")
    assert program.find() == on_path
    beside = program_in(interpreter)
    assert program.find() == beside
    monkeypatch.setenv("WARPLENS", "/named")
    assert program.find() == "/named"


def test_settings_are_options() -> None:
    assert Settings().options() == []
    assert Settings(checks=False, model="its", max_steps=5, memory=64).options() == [
        "--model",
        "its",
        "--max-steps",
        "5",
        "--memory",
        "64",
        "--no-checks",
    ]


def test_targets() -> None:
    assert [Target.parse(name).arch for name in ("sm_80", "sm_90a", "sm_103f", "89")] == [80, 90, 103, 89]
    assert Target(90).capability == (9, 0)
    assert Target(120).capability == (12, 0)
    for name in ("sm_9", "gfx942", "sm_90b", ""):
        with pytest.raises(UnknownTarget, match="is not a target"):
            Target.parse(name)
