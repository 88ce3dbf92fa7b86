"""`torch.autocast("cuda")` gives the types of a GPU."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from support import needs_triton

pytestmark = needs_triton

torch: Any = pytest.importorskip("torch")
pytest.importorskip("triton")

import warplens.triton as warplens  # noqa: E402

functional = torch.nn.functional


def half(*shape: int) -> Any:
    return torch.randn(*shape, device="cuda").half()


def single(*shape: int) -> Any:
    return torch.randn(*shape, device="cuda")


@pytest.fixture(autouse=True)
def _simulated() -> Iterator[None]:
    with warplens.simulate():
        yield


LOWER = {
    "linear": lambda: torch.nn.Linear(4, 4).cuda()(single(2, 4)),
    "matmul": lambda: single(4, 4) @ half(4, 4),
    "mv": lambda: torch.mv(single(4, 4), single(4)),
    "einsum": lambda: torch.einsum("ij,jk->ik", single(4, 4), single(4, 4)),
    "conv2d": lambda: functional.conv2d(single(1, 3, 8, 8), single(4, 3, 3, 3), padding="same"),
    "attention": lambda: functional.scaled_dot_product_attention(*[single(1, 1, 4, 16)] * 3),
    "heads": lambda: torch.nn.MultiheadAttention(8, 2)(*[single(4, 1, 8)] * 3)[0],
    "gru": lambda: torch.nn.GRU(4, 4)(single(3, 2, 4))[0],
    "add": lambda: half(4) + half(4),
    "mean": lambda: half(4).mean(),
    "pad": lambda: functional.pad(half(1, 3, 4, 4), (1, 1, 1, 1), mode="reflect"),
    "dot": lambda: torch.dot(half(4), half(4)),
    "typed": lambda: half(4, 4).softmax(0, dtype=torch.half),
    "in_place": lambda: half(4).exp_(),
}
WIDE = {
    "softmax": lambda: half(4, 4).softmax(0),
    "layer_norm": lambda: functional.layer_norm(half(4, 4), (4,)),
    "pow": lambda: half(4) ** 2,
    "sum": lambda: half(4, 4).sum(0),
    "norm": lambda: half(4).norm(),
    "normalize": lambda: functional.normalize(half(4, 4)),
    "loss": lambda: functional.cross_entropy(half(4, 4), torch.arange(4)),
    "widest": lambda: torch.addcmul(single(4), half(4), half(4)),
    "gather": lambda: single(4)[[1, 2]],
}


@pytest.mark.parametrize("name", LOWER)
def test_what_is_computed_in_the_lower_precision(name: str) -> None:
    with torch.autocast("cuda", dtype=torch.float16):
        assert LOWER[name]().dtype == torch.float16


@pytest.mark.parametrize("name", WIDE)
def test_what_is_computed_in_32_bits(name: str) -> None:
    with torch.autocast("cuda"):
        assert WIDE[name]().dtype == torch.float32


def test_contexts_nest_and_end() -> None:
    x = single(4, 4)
    with torch.autocast("cuda", dtype=torch.bfloat16):
        assert torch.is_autocast_enabled("cuda")
        with torch.autocast("cuda", enabled=False):
            assert (x @ x).dtype == torch.float32
        assert (x @ x).dtype == torch.bfloat16
        assert (x.double() @ x.double()).dtype == torch.float64
    assert (x @ x).dtype == torch.float32


def test_a_step_with_scaled_gradients() -> None:
    model = torch.nn.Linear(4, 4).cuda()
    before = model.weight.detach().clone()
    optimizer, scaler = torch.optim.SGD(model.parameters(), lr=1), torch.amp.GradScaler("cuda", init_scale=8)
    with torch.autocast("cuda"):
        loss = model(single(2, 4)).float().sum()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    assert model.weight.grad.dtype == torch.float32
    assert not torch.equal(model.weight, before)
