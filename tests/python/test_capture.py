"""Launches of another driver are saved with what it wrote."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support import needs_triton

pytestmark = needs_triton

np: Any = pytest.importorskip("numpy")
pytest.importorskip("triton")

import kernels  # noqa: E402
import warplens.triton as warplens  # noqa: E402
from warplens.program import Settings, simulate  # noqa: E402


def test_a_captured_launch_replays_to_what_the_driver_wrote(tmp_path: Path) -> None:
    """The simulator stands for a GPU: its launcher is wrapped like that of a driver."""
    x, out = warplens.array(np.arange(40, dtype=np.float32)), warplens.array(np.zeros(40, np.float32))
    with warplens.simulate("sm_90"):
        stop = warplens.capture(tmp_path)
        kernels.captured[(1,)](out, 5)
        stop()
        kernels.captured[(1,)](x, 6)
    (folder,) = tmp_path.iterdir()
    assert folder.name == "000-captured"
    assert (folder / "out.bin").read_bytes() == bytes(160)
    assert (folder / "out.after.bin").read_bytes() == np.float32(5).tobytes() + bytes(156)
    replayed = tmp_path / "replayed"
    replayed.mkdir()
    result = simulate(folder / "warplens.toml", "captured #0", Settings(), replayed)
    assert result.report["verdict"] == "clean"
    assert result.buffers["out"].read_bytes() == (folder / "out.after.bin").read_bytes()
