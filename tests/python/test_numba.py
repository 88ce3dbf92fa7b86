"""Scripts of numba-cuda, as a user starts them."""

from __future__ import annotations

from pathlib import Path

from support import needs_numba, run_script

pytestmark = needs_numba

RIGHT = """
import math
from collections import namedtuple

import numpy as np
from numba import cuda, float32, vectorize


@cuda.jit(device=True)
def fma(a, b, c):
    return a * b + c


@cuda.jit
def saxpy(n, a, x, y):
    i = cuda.grid(1)
    if i < n:
        y[i] = fma(a, x[i], y[i])


@cuda.jit("void(float32[:,:], float32[:,:], float32[:,:])")
def matmul(a, b, c):
    i, j = cuda.grid(2)
    if i < c.shape[0] and j < c.shape[1]:
        total = float32(0)
        for k in range(a.shape[1]):
            total += a[i, k] * b[k, j]
        c[i, j] = total


@cuda.jit
def reduce(x, out):
    tile = cuda.shared.array(0, float32)
    t = cuda.threadIdx.x
    tile[t] = x[cuda.grid(1)]
    cuda.syncthreads()
    step = cuda.blockDim.x // 2
    while step > 0:
        if t < step:
            tile[t] += tile[t + step]
        cuda.syncthreads()
        step //= 2
    if t == 0:
        cuda.atomic.add(out, 0, tile[0])


@cuda.jit
def numbers(x, flag, z, pair, small):
    i = cuda.grid(1)
    if flag and i < x.size:
        x[i] = math.sqrt(z.imag) + pair.a * pair.b + small


@vectorize(["float32(float32, float32)"], target="cuda")
def add(a, b):
    return a + b


x, y = np.arange(100, dtype=np.float32), np.ones(100, np.float32)
saxpy[4, 32](100, np.float32(2), x, y)
assert (y == 2 * x + 1).all()
saxpy.forall(100)(100, np.float32(1), x, y)
assert (y == 3 * x + 1).all()
a, b = np.random.rand(10, 7).astype(np.float32), np.random.rand(9, 7).astype(np.float32)
c = cuda.device_array((10, 9), np.float32)
matmul[(2, 2), (8, 8)](cuda.to_device(a), cuda.to_device(b).T, c)
np.testing.assert_allclose(c.copy_to_host(), a @ b.T, rtol=1e-5)
stream = cuda.stream()
out = cuda.to_device(np.zeros(1, np.float32), stream=stream)
reduce[2, 64, stream, 256](cuda.to_device(np.arange(128, dtype=np.float32)), out)
stream.synchronize()
assert out.copy_to_host()[0] == 128 * 127 / 2
z = np.zeros(10)
numbers[1, 32](z[::2], True, 1 + 4j, namedtuple("Pair", "a b")(2, 3.5), np.int16(-1))
assert (z[::2] == 8).all() and (z[1::2] == 0).all()
assert (add(x, x) == 2 * x).all()
try:
    matmul[1, 1](a.astype(np.float64), b, c)
    raise SystemExit("an array of another type was taken")
except TypeError as error:
    assert "No matching definition" in str(error)
"""

# Each kernel has a mistake, in the line with its code.
WRONG = """
import numpy as np
from numba import cuda, float32


@cuda.jit
def beyond(x, y):
    i = cuda.grid(1)
    y[i] = x[i + 1]  # out-of-bounds


@cuda.jit
def unordered(x):
    tile = cuda.shared.array(64, float32)
    i = cuda.threadIdx.x
    tile[i] = x[i]
    x[i] = tile[63 - i]  # data-race


@cuda.jit
def blocks(x):
    x[1, cuda.threadIdx.x] += 1  # data-race


@cuda.jit
def divergent(x):
    if cuda.threadIdx.x < 16:
        cuda.syncthreads()  # divergent-barrier
    x[cuda.threadIdx.x] = 0


@cuda.jit
def undefined(x, y):
    y[cuda.threadIdx.x] = x[cuda.threadIdx.x] > 0  # uninitialized-read


beyond[1, 32](np.zeros(32), np.zeros(32))
unordered[1, 64](np.zeros(64, np.float32))
blocks[2, 32](np.zeros((2, 32), np.float32))
divergent[1, 32](np.zeros(32))
undefined[1, 32](cuda.device_array(32), np.zeros(32))
"""


def test_kernels_with_right_results(tmp_path: Path) -> None:
    script = tmp_path / "right.py"
    script.write_text(RIGHT)
    for target in ("sm_80", "sm_90"):
        run = run_script(script, "--target", target)
        assert run.code == 0, run.text
        assert [launch["verdict"] for launch in run.launches] == ["clean"] * 6
        assert run.launches[1]["grid"] == [1, 1, 1]


def test_mistakes_at_their_lines(tmp_path: Path) -> None:
    script = tmp_path / "wrong.py"
    script.write_text(WRONG)
    run = run_script(script)
    assert run.code == 1, run.text
    expected = {(line.split("# ")[1], number) for number, line in enumerate(WRONG.splitlines(), 1) if "# " in line}
    for launch in run.launches:
        found = {(finding["code"], finding["line"]) for finding in launch["findings"]}
        assert found & expected, (launch["kernel"], found)
    race = next(finding for finding in run.launches[2]["findings"] if finding["code"] == "data-race")
    assert "x[1, " in race["message"]
    assert "`cuda.atomic.add`" in race["message"]


def test_saved_launches_replay(tmp_path: Path) -> None:
    script = tmp_path / "right.py"
    script.write_text(RIGHT)
    run = run_script(script, "--save", str(tmp_path / "saved"))
    assert run.code == 0, run.text
    saved = sorted(path.name for path in (tmp_path / "saved").iterdir())
    assert saved[:3] == ["000-saxpy", "001-saxpy", "002-matmul"]
    text = (tmp_path / "saved" / "002-matmul" / "warplens.toml").read_text()
    assert "block = [8, 8, 1]" in text
    assert '{ name = "a.shape.0", s64 = 10 }' in text
