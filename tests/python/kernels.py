"""Kernels that the tests launch.

They have a file of their own because Triton reads their source, and because the tests do not need Triton to be
collected.
"""

import triton
import triton.language as tl


@triton.jit
def copy(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n), mask=i < n)


@triton.jit
def maybe(x, bias, one, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i * one)
    if bias is not None:
        v += tl.load(bias + i)
    tl.store(out + i, v)


@triton.jit
def scalars(out, a, b, c, flag, wide: tl.int64):
    tl.store(out, a)
    tl.store(out + 1, b)
    tl.store(out + 2, c)
    if flag:
        tl.store(out + 3, wide)


@triton.jit
def tuples(pair, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(pair[0] + i) * pair[1][0] + pair[1][1])


@triton.jit
def grid_of_three(out):
    x, y, z = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    size = tl.num_programs(0) * tl.num_programs(1)
    tl.store(out + z * size + y * tl.num_programs(0) + x, x + 10 * y + 100 * z)


@triton.jit
def rows(source, target, ROWS: tl.constexpr):
    r = tl.program_id(0) * ROWS
    target.store([r, 0], source.load([r, 0]))


@triton.jit
def speaking(x, n):
    tl.device_assert(n < 10, "n is too large")
    tl.device_print("x is", tl.load(x))


@triton.jit
def own_descriptor(x, out, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    source = tl.make_tensor_descriptor(x, [ROWS, COLUMNS], [COLUMNS, 1], [ROWS, COLUMNS])
    target = tl.make_tensor_descriptor(out, [ROWS, COLUMNS], [COLUMNS, 1], [ROWS, COLUMNS])
    target.store([0, 0], source.load([0, 0]))


@triton.autotune(configs=[triton.Config({"BLOCK": 32}), triton.Config({"BLOCK": 128})], key=["n"])
@triton.jit
def tuned(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n), mask=i < n)


@triton.heuristics({"EVEN": lambda arguments: arguments["n"] % 2 == 0})
@triton.jit
def chosen(out, n, EVEN: tl.constexpr):
    tl.store(out, 2 if EVEN else 1)


@triton.jit
def gather(pointers, out, COUNT: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for k in tl.static_range(COUNT):
        source = tl.load(pointers + k).to(tl.pointer_type(tl.float32))
        total += tl.load(source + i)
    tl.store(out + i, total)


@triton.jit
def captured(out, n):
    """Only launched by the test of captures, which must see its first launch."""
    tl.store(out, n)
