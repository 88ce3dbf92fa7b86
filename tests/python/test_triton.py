"""Launches of Triton in a program: all forms of arguments, results, and findings."""

from __future__ import annotations

import linecache
from collections import namedtuple
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support import needs_triton

pytestmark = needs_triton

np: Any = pytest.importorskip("numpy")
pytest.importorskip("triton")

import kernels  # noqa: E402
import warplens.triton as warplens  # noqa: E402
from warplens.arguments import UnknownArgument  # noqa: E402
from warplens.runs import Runs  # noqa: E402
from warplens.triton import array  # noqa: E402


@pytest.fixture
def runs() -> Iterator[Runs]:
    with warplens.simulate("sm_90") as current:
        yield current


def source(place: Any) -> str:
    """The source line of a launch or a finding."""
    return linecache.getline(place.file, place.line).strip()


def iota(size: int, kind: str = "float32") -> Any:
    return array(np.arange(size, dtype=kind))


def zeros(shape: Any, kind: str = "float32") -> Any:
    return array(np.zeros(shape, dtype=kind))


def test_the_result_is_in_the_array(runs: Runs) -> None:
    x, out = iota(300), zeros(300)
    kernels.copy[(2,)](x, out, 300, BLOCK=256)
    np.testing.assert_array_equal(out, x)
    assert runs.verdict == "clean"
    (launch,) = runs.launches
    assert (launch.kernel, launch.grid, launch.status) == ("copy", (2, 1, 1), "finished")
    assert source(launch) == "kernels.copy[(2,)](x, out, 300, BLOCK=256)"


def test_a_finding_has_the_line_of_the_kernel(runs: Runs) -> None:
    kernels.copy[(2,)](iota(300), zeros(200), 300, BLOCK=256)
    assert runs.verdict == "findings"
    (finding,) = runs.findings
    assert (finding.code, finding.file) == ("out-of-bounds", kernels.__file__)
    assert source(finding) == "tl.store(out + i, tl.load(x + i, mask=i < n), mask=i < n)"


def test_views_begin_inside_of_their_memory(runs: Runs) -> None:
    x, out = iota(100), zeros(100)
    kernels.copy[(1,)](x[3:53], out[7:57], 50, BLOCK=64)
    np.testing.assert_array_equal(out[7:57], x[3:53])
    assert not out[:7].any()
    assert not out[57:].any()
    assert runs.verdict == "clean"


def test_two_views_of_one_memory(runs: Runs) -> None:
    x = iota(100)
    kernels.copy[(1,)](x[:20], x[60:80], 20, BLOCK=32)
    np.testing.assert_array_equal(x[60:80], np.arange(20))
    assert runs.verdict == "clean"


def test_an_empty_array(runs: Runs) -> None:
    kernels.copy[(1,)](zeros(0), zeros(0), 0, BLOCK=32)
    assert runs.verdict == "clean"
    kernels.copy[(1,)](zeros(0), zeros(0), 1, BLOCK=32)
    assert runs.findings[0].code == "out-of-bounds"


@pytest.mark.parametrize("bias", [None, 5])
def test_what_is_absent(runs: Runs, bias: int | None) -> None:
    out = zeros(32)
    kernels.maybe[(1,)](iota(32), None if bias is None else array(np.full(32, bias, np.float32)), 1, out, BLOCK=32)
    np.testing.assert_array_equal(out, np.arange(32) + (bias or 0))


def test_numbers(runs: Runs) -> None:
    out = zeros(4, "float64")
    kernels.scalars[(1,)](out, -7, 2**40, 0.5, True, 9)
    np.testing.assert_array_equal(out, [-7, 2**40, 0.5, 9])
    kernels.scalars[(1,)](out, 1, 2**63, -1.0, False, 3)
    np.testing.assert_array_equal(out, [1, 2**63, -1, 9])


Pair = namedtuple("Pair", ["scale", "shift"])


def test_tuples(runs: Runs) -> None:
    out = zeros(32)
    kernels.tuples[(1,)]((iota(32), (2.0, 100)), out, BLOCK=32)
    np.testing.assert_array_equal(out, np.arange(32) * 2 + 100)
    kernels.tuples[(1,)]((iota(32), Pair(3.0, 5)), out, BLOCK=32)
    np.testing.assert_array_equal(out, np.arange(32) * 3 + 5)


def test_addresses_in_a_tensor(tmp_path: Path) -> None:
    parts = [array(np.full(32, value, np.float32)) for value in (1, 20, 300)]
    pointers = array(np.array([parts[0].data_ptr(), parts[1].data_ptr(), parts[2][16:].data_ptr()], dtype=np.int64))
    out, before = zeros(16), pointers.copy()
    with warplens.simulate("sm_90", save=tmp_path) as runs:
        kernels.gather[(1,)](pointers, out, COUNT=3, BLOCK=16)
        assert runs.verdict == "clean"
        kernels.gather[(1,)](pointers, zeros(32), COUNT=3, BLOCK=32)
    np.testing.assert_array_equal(out, np.full(16, 321))
    np.testing.assert_array_equal(pointers, before)
    assert [finding.code for finding in runs.findings] == ["out-of-bounds"]
    assert "address = 268435456" in (tmp_path / "000-gather" / "warplens.toml").read_text()


def test_an_array_over_the_memory_of_another_one(runs: Runs) -> None:
    whole = np.arange(128, dtype=np.float32)
    middle = array(np.frombuffer(whole.data, np.float32, 32, 64 * 4))
    kernels.copy[(1,)](array(whole), middle, 32, BLOCK=32)
    np.testing.assert_array_equal(whole[64:96], np.arange(32))


def test_a_grid_of_three_dimensions(runs: Runs) -> None:
    out = zeros((4, 3, 2), "int32")
    kernels.grid_of_three[(2, 3, 4)](out)
    z, y, x = np.indices((4, 3, 2))
    np.testing.assert_array_equal(out, x + 10 * y + 100 * z)


def test_an_empty_grid_launches_nothing(runs: Runs) -> None:
    kernels.copy[(0,)](iota(8), zeros(8), 8, BLOCK=32)
    assert (runs.launches[0].status, runs.verdict) == ("finished", "clean")


@pytest.mark.parametrize("target", ["sm_80", "sm_90"])
def test_descriptors_of_the_host(target: str) -> None:
    from triton.tools.tensor_descriptor import TensorDescriptor

    x, out = iota(32 * 64, "float16").reshape(32, 64), zeros((32, 64), "float16")
    with warplens.simulate(target) as runs:
        kernels.rows[(2,)](
            TensorDescriptor.from_tensor(x, [16, 64]), TensorDescriptor.from_tensor(out, [16, 64]), ROWS=16
        )
    np.testing.assert_array_equal(out, x)
    assert runs.verdict == "clean"


def test_descriptors_of_a_kernel_need_an_allocator(runs: Runs) -> None:
    import triton

    x, out = iota(16 * 32).reshape(16, 32), zeros((16, 32))
    triton.set_allocator(lambda size, align, stream: array(np.zeros(size, np.int8)))
    kernels.own_descriptor[(1,)](x, out, ROWS=16, COLUMNS=32)
    np.testing.assert_array_equal(out, x)
    assert runs.verdict == "clean"


def test_a_cluster_multiplies_the_grid(tmp_path: Path) -> None:
    with warplens.simulate("sm_90", save=tmp_path) as runs:
        kernels.copy[(2,)](iota(512), zeros(512), 512, BLOCK=256, num_ctas=2)
    assert runs.verdict == "clean"
    assert "grid = [4, 1, 1]" in (tmp_path / "000-copy" / "warplens.toml").read_text()


def test_a_cooperative_launch(tmp_path: Path) -> None:
    with warplens.simulate("sm_90", save=tmp_path) as runs:
        kernels.copy[(2,)](iota(512), zeros(512), 512, BLOCK=256, launch_cooperative_grid=True)
    assert runs.verdict == "clean"
    assert "cooperative = true" in (tmp_path / "000-copy" / "warplens.toml").read_text()


def test_autotune_takes_the_first_configuration(runs: Runs) -> None:
    out = zeros(256)
    kernels.tuned[lambda meta: (256 // meta["BLOCK"],)](iota(256), out, 256)
    np.testing.assert_array_equal(out, np.arange(256))
    assert [launch.grid for launch in runs.launches] == [(8, 1, 1)]


def test_heuristics(runs: Runs) -> None:
    out = zeros(1)
    kernels.chosen[(1,)](out, 5)
    assert out[0] == 1
    kernels.chosen[(1,)](out, 6)
    assert out[0] == 2


def test_printed_text_and_assertions(runs: Runs, capsys: pytest.CaptureFixture[str]) -> None:
    kernels.speaking[(1,)](array(np.full(1, 2.5, np.float32)), 5, num_warps=1, debug=True)
    assert "x is" in capsys.readouterr().out
    assert runs.verdict == "clean"
    kernels.speaking[(1,)](array(np.full(1, 2.5, np.float32)), 50, num_warps=1, debug=True)
    assert [finding.code for finding in runs.findings] == ["assertion"]


def test_hooks_and_metadata_of_a_launch(runs: Runs) -> None:
    from triton import knobs

    seen: list[str] = []
    enter, leave = (lambda metadata: seen.append(metadata.get()["name"])), (lambda metadata: seen.append("left"))
    knobs.runtime.launch_enter_hook.add(enter)
    knobs.runtime.launch_exit_hook.add(leave)
    try:
        kernels.copy[(1,)](iota(8), zeros(8), 8, BLOCK=32)
    finally:
        knobs.runtime.launch_enter_hook.remove(enter)
        knobs.runtime.launch_exit_hook.remove(leave)
    assert seen == ["copy", "left"]


class Opaque:
    """Triton takes it for a tensor, but nothing says how large it is."""

    dtype = "float32"

    def data_ptr(self) -> int:
        return 4096


def test_an_argument_whose_memory_is_unknown_fails_with_a_sentence(runs: Runs) -> None:
    with pytest.raises(UnknownArgument, match=r"argument `x`, a pointer to f32: the memory of a Opaque is unknown"):
        kernels.copy[(1,)](Opaque(), zeros(8), 8, BLOCK=32)


def test_memory_without_values(runs: Runs) -> None:
    x = zeros(64)
    warplens.mark_uninitialized(x)
    x[:32] = 1
    kernels.copy[(1,)](x, zeros(64), 32, BLOCK=32)
    assert runs.verdict == "clean"
    kernels.copy[(1,)](x, zeros(64), 33, BLOCK=64)
    assert [finding.code for finding in runs.findings] == ["uninitialized-read"]


def test_what_a_kernel_writes_has_values(runs: Runs) -> None:
    x, out = zeros(64), zeros(64)
    warplens.mark_uninitialized(x)
    kernels.copy[(1,)](iota(64), x, 64, BLOCK=64)
    kernels.copy[(1,)](x, out, 64, BLOCK=64)
    np.testing.assert_array_equal(out, np.arange(64))
    assert runs.verdict == "clean"


def test_only_a_contiguous_array_is_marked() -> None:
    with pytest.raises(ValueError, match="contiguous"):
        warplens.mark_uninitialized(zeros((8, 8))[:, :4])


def test_kernels_are_compiled_for_the_target_of_the_block() -> None:
    for target, version in (("sm_80", ".target sm_80"), ("sm_90", ".target sm_90")):
        with warplens.simulate(target):
            compiled = kernels.copy[(1,)](iota(8), zeros(8), 8, BLOCK=32)
        assert version in compiled.asm["ptx"]


def test_a_block_leaves_triton_as_it_was() -> None:
    from triton import knobs, testing
    from triton.runtime import driver

    before = (driver._active, knobs.runtime.add_stages_inspection_hook, testing.do_bench)
    with warplens.simulate():
        assert driver.active.get_current_target().arch == 80
    assert (driver._active, knobs.runtime.add_stages_inspection_hook, testing.do_bench) == before


def test_benchmarks_measure_nothing(runs: Runs) -> None:
    from triton import testing

    assert np.isnan(testing.do_bench(lambda: pytest.fail("it ran")))
    assert len(testing.do_bench(lambda: pytest.fail("it ran"), quantiles=[0.5, 0.2])) == 2
