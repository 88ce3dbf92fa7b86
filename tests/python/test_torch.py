"""Programs of torch for a GPU run on the CPU."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from support import needs_triton

pytestmark = needs_triton

torch: Any = pytest.importorskip("torch")
pytest.importorskip("triton")

import kernels  # noqa: E402
import warplens.triton as warplens  # noqa: E402
from warplens.runs import Runs  # noqa: E402


@pytest.fixture
def runs() -> Iterator[Runs]:
    with warplens.simulate("sm_90") as current:
        yield current


def test_the_device_cuda_is_the_cpu(runs: Runs) -> None:
    x = torch.arange(300, device="cuda", dtype=torch.float32)
    out = torch.zeros_like(x, device=torch.device("cuda", 0))
    assert x.is_cuda
    assert x.cuda() is x
    assert torch.rand(3).to("cuda:0").device == out.device
    kernels.copy[(2,)](x, out, 300, BLOCK=256)
    torch.cuda.synchronize()
    torch.testing.assert_close(out.cpu(), torch.arange(300, dtype=torch.float32))
    assert runs.verdict == "clean"


def test_what_torch_says_about_the_device(runs: Runs) -> None:
    assert torch.cuda.is_available()
    assert torch.cuda.get_device_capability() == (9, 0)
    assert torch.cuda.get_device_properties("cuda").multi_processor_count == 132
    generator = torch.Generator(device="cuda").manual_seed(3)
    assert torch.rand(2, generator=generator, device="cuda").shape == (2,)
    with torch.cuda.device(0), torch.cuda.stream(torch.cuda.Stream()):
        assert torch.nn.Linear(2, 2).cuda()(torch.ones(2, device="cuda")).shape == (2,)


def test_torch_is_as_before_after_the_block() -> None:
    available = torch.cuda.is_available
    with warplens.simulate():
        assert torch.cuda.is_available is not available
    assert torch.cuda.is_available is available
    assert not torch.rand(2).is_cuda


@pytest.mark.parametrize(
    "make",
    [
        lambda: torch.empty(64, device="cuda"),
        lambda: torch.empty_like(torch.ones(64)),
        lambda: torch.ones(2).new_empty(64),
        lambda: torch.empty_strided((64,), (1,)),
    ],
)
def test_new_memory_has_no_values(runs: Runs, make: Any) -> None:
    x = make()
    kernels.copy[(1,)](x, torch.zeros(64), 64, BLOCK=64)
    assert [finding.code for finding in runs.findings] == ["uninitialized-read"]


def test_memory_that_the_host_has_written_has_values(runs: Runs) -> None:
    x = torch.empty(64, device="cuda").fill_(2)
    y = torch.empty(8, 8)
    torch.nn.init.uniform_(y)
    kernels.copy[(1,)](x, y, 64, BLOCK=64)
    kernels.copy[(1,)](y, x, 64, BLOCK=64)
    assert runs.verdict == "clean"


@pytest.mark.parametrize("dtype", ["bfloat16", "float8_e4m3fn", "float8_e5m2", "bool", "uint16"])
def test_types_of_elements(runs: Runs, dtype: str) -> None:
    x = torch.randint(0, 2, (64,)).to(getattr(torch, dtype))
    out = torch.zeros(64).to(x.dtype)
    kernels.copy[(1,)](x, out, 64, BLOCK=64)
    assert bytes(out.view(torch.uint8).numpy()) == bytes(x.view(torch.uint8).numpy())
    assert runs.verdict == "clean"


def test_bits_of_nans_are_kept(runs: Runs) -> None:
    bits = torch.tensor([0x7FA00001, 0x7FC00123, -0x400000 + 5], dtype=torch.int32)
    out = torch.zeros(3)
    kernels.copy[(1,)](bits.view(torch.float32), out, 3, BLOCK=32)
    assert torch.equal(out.view(torch.int32), bits)
