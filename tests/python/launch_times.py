"""Prints how long launches take besides compiling: `python -m warplens tests/python/launch_times.py`."""

import statistics

import numpy as np
import triton
import triton.language as tl
from warplens import session
from warplens.triton import array


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)


def seconds(size, launches):
    """The time of each launch on three arrays, of which two have this size."""
    current = session.current()
    x, y, out = array(np.ones(size, np.float32)), array(np.ones(1000, np.float32)), array(np.zeros(size, np.float32))
    first = len(current.runs.launches)
    for _ in range(launches):
        add[(4,)](x, y, out, 1000, BLOCK=256)
    return [launch.seconds for launch in current.runs.launches[first:]]


print(f"small launches: {statistics.median(seconds(1000, 30)):.3f} s median of 30")
print(f"64 MB of buffers: {min(seconds(8 << 20, 3)):.2f} s, the fastest of 3")
