"""Programs of torch for a GPU run on the CPU."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from support import needs_triton

pytestmark = needs_triton

torch: Any = pytest.importorskip("torch")
triton: Any = pytest.importorskip("triton")

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


def test_the_answers_of_a_tensor_agree(runs: Runs) -> None:
    x = torch.rand(3, device="cuda")
    assert (x.device, x.device.type, x.device.index) == (torch.device("cuda", 0), "cuda", 0)
    assert (x.is_cuda, x.is_cpu, x.get_device()) == (True, False, 0)
    assert x.device == triton.runtime.driver.active.get_active_torch_device()
    assert torch.ones(2, device=x.device).device == x.device
    assert torch.empty(2, device="meta").device.type == "meta"


def test_a_default_device(runs: Runs) -> None:
    torch.set_default_device("cuda")
    try:
        assert torch.get_default_device() == torch.device("cuda", 0)
        x = torch.empty(64)
        copy(torch.randn(64))
        copy(torch.nn.MultiheadAttention(8, 2)(*[torch.randn(4, 1, 8)] * 3)[0].detach().flatten())
        kernels.copy[(1,)](x, torch.zeros(64), 64, BLOCK=64)
    finally:
        torch.set_default_device(None)
    with torch.device("cuda"):
        copy(torch.arange(64.0))
    assert [finding.code for finding in runs.findings] == ["uninitialized-read"]


def copy(x: Any) -> Any:
    """A copy that a kernel makes."""
    out = torch.zeros_like(x)
    kernels.copy[(1,)](x, out, x.numel(), BLOCK=64)
    assert torch.equal(x, out)
    return out


def test_operators_that_are_registered_for_a_gpu(runs: Runs) -> None:
    @torch.library.custom_op("warplens_test::copy", mutates_args=(), device_types="cuda")  # type: ignore[untyped-decorator]
    def on_gpu(x: torch.Tensor) -> torch.Tensor:
        return copy(x) + 1

    @on_gpu.register_kernel("cpu")  # type: ignore[untyped-decorator]
    def _on_cpu(x: torch.Tensor) -> torch.Tensor:
        return x

    @torch.library.custom_op(  # type: ignore[untyped-decorator]
        "warplens_test::make", mutates_args=(), device_types="cuda"
    )
    def make(n: int, device: torch.device) -> torch.Tensor:
        return torch.ones(n, device=device)

    assert make(3, torch.device("cuda")).sum() == make(3, device=torch.device("cuda")).sum() == 3
    library = torch.library.Library("warplens_test_library", "DEF")
    library.define("twice(Tensor x) -> Tensor")
    library.impl("twice", lambda x: x, "CPU")
    library.impl("twice", lambda x: copy(x) * 2, "CUDA")
    x = torch.ones(4, device="cuda")
    assert torch.ops.warplens_test.copy(x).tolist() == [2.0] * 4
    assert torch.ops.warplens_test_library.twice(x).tolist() == [2.0] * 4
    assert len(runs.launches) == 2


def test_ordinary_calls_of_the_host(runs: Runs, tmp_path: Path) -> None:
    cuda, x = torch.cuda, torch.ones(4, device="cuda")
    torch.save(x, tmp_path / "x.pt")
    loaded = torch.load(tmp_path / "x.pt", map_location="cuda")
    made = [loaded, cuda.FloatTensor([1, 1, 1, 1]), x.half().type("torch.cuda.FloatTensor"), x.half().type_as(x)]
    assert all(torch.equal(copy(tensor), x) for tensor in made)
    stream = cuda.Stream()
    with cuda.stream(stream), cuda.device_of(x):
        x.record_stream(stream)
    state = cuda.get_rng_state()
    first = torch.rand(2, device="cuda")
    cuda.set_rng_state(state)
    assert torch.equal(torch.rand(2, device="cuda"), first)
    cuda.manual_seed(3)
    first = torch.rand(2, device="cuda")
    cuda.manual_seed_all(3)
    assert torch.equal(torch.rand(2, device="cuda"), first)
    assert not cuda.is_current_stream_capturing()
    assert cuda.memory_stats()["allocated_bytes.all.current"] == 0
    assert isinstance(cuda.memory_summary(), str)
    assert torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], device="cuda").numel() == 5
    with cuda.nvtx.range("launches"), torch.random.fork_rng():
        copy(x)


def test_gradients_of_a_function_with_casts(runs: Runs) -> None:
    class Copy(torch.autograd.Function):  # type: ignore[misc]
        @staticmethod
        @torch.amp.custom_fwd(device_type="cuda", cast_inputs=torch.float16)  # type: ignore[untyped-decorator]
        def forward(ctx: Any, x: Any) -> Any:
            assert x.dtype == torch.float16
            return copy(x)

        @staticmethod
        @torch.amp.custom_bwd(device_type="cuda")  # type: ignore[untyped-decorator]
        def backward(ctx: Any, grad: Any) -> Any:
            return grad.float()

    x = torch.ones(4, device="cuda", requires_grad=True)
    with torch.autocast("cuda"):
        y = torch.utils.checkpoint.checkpoint(Copy.apply, x, use_reentrant=False)
    y.sum().backward()
    assert x.grad.tolist() == [1.0] * 4


def test_transfers_copy(runs: Runs) -> None:
    host = torch.zeros(64)
    array = host.numpy()
    on_gpu = [
        host.cuda(),
        host.to("cuda"),
        host.to(device=torch.device("cuda", 0)),
        torch.as_tensor(array, device="cuda"),
        torch.nn.Parameter(host, requires_grad=False).cuda(),
        host.to(torch.ones(1, device="cuda")),
    ]
    with torch.device("cuda"):
        on_gpu.append(torch.as_tensor(array))
    for x in on_gpu:
        before = x.cpu()
        kernels.copy[(1,)](torch.ones(64), x, 64, BLOCK=64)
        assert (host.sum(), before.sum(), x.sum(), x.to("cpu").sum()) == (0, 0, 64, 64)
        assert x.cuda() is x
        assert x.to(x.device) is x
        doubled = x[8:] * 2
        assert doubled.to("cuda") is doubled
        assert doubled.cpu().data_ptr() != doubled.data_ptr()
    assert host.cpu() is host
    layer = torch.nn.Linear(2, 2)
    weight = layer.weight
    assert layer.cuda().weight is weight
    assert weight.is_leaf
    assert weight.cuda() is weight


def test_functions_that_torch_calls(runs: Runs) -> None:
    """The body of an operator and of a gradient."""

    @torch.library.custom_op("warplens_test::on_device", mutates_args=())  # type: ignore[untyped-decorator]
    def on_device(x: torch.Tensor) -> torch.Tensor:
        assert x.device.type == "cuda"
        return copy(x) + torch.zeros(4, device="cuda")

    class Copy(torch.autograd.Function):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return on_device(x)

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            assert grad.is_cuda
            return copy(grad.contiguous()) * torch.ones(4, device="cuda")

    x = torch.ones(4, device="cuda", requires_grad=True)
    Copy.apply(x).sum().backward()
    assert x.grad.tolist() == [1.0] * 4
    (grad,) = torch.autograd.grad(Copy.apply(x).sum(), x)
    assert grad.cuda() is grad
    torch.autograd.backward(Copy.apply(x).sum())
    torch.optim.Adam([x]).step()
    assert len(runs.launches) == 6
    data = torch.utils.data.TensorDataset(torch.arange(4.0))
    (batch,) = next(iter(torch.utils.data.DataLoader(data, batch_size=4, num_workers=1)))
    copy(batch[0].cuda())


def test_a_block_inside_of_another_one(runs: Runs) -> None:
    x = torch.zeros(64, device="cuda")
    with torch.device("cuda"), warplens.simulate("sm_80"):
        assert torch.cuda.get_device_capability() == (8, 0)
        assert x.to("cuda") is x
        with torch.autocast("cuda"):
            assert (torch.ones(2, 2) @ torch.ones(2, 2)).dtype == torch.float16
        assert (torch.ones(2, 2) @ torch.ones(2, 2)).dtype == torch.float32
    assert torch.cuda.get_device_capability() == (9, 0)
    assert x.to("cuda") is x
    assert not runs.launches


def test_threads(runs: Runs) -> None:
    with ThreadPoolExecutor() as threads:
        assert threads.submit(lambda: copy(torch.ones(4, device="cuda")).is_cuda).result()


def test_what_is_not_simulated_is_refused_in_a_sentence(runs: Runs) -> None:
    def refused(what: str) -> Any:
        return pytest.raises(NotImplementedError, match=f"Warplens does not simulate `torch.{what}`: ")

    with refused("cuda.CUDAGraph"):
        torch.cuda.CUDAGraph()
    with refused("cuda.make_graphed_callables"):
        torch.cuda.make_graphed_callables(copy, ())
    with refused("cuda.MemPool"):
        torch.cuda.MemPool()

    @torch.compile(fullgraph=True)  # type: ignore[untyped-decorator]
    def compiled(x: Any) -> Any:
        return x

    with refused("compile"):
        compiled(torch.ones(2))
    with refused("compile"):
        torch.compile(torch.nn.Linear(2, 2))
    assert torch.compile(copy, disable=True) is copy


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
