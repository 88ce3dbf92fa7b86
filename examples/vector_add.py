"""Adds two vectors with a Triton kernel that has a mistake: `warplens run examples/vector_add.py` names its line.

Needs the packages triton and numpy, and no GPU. The mistake: the mask lets one element beyond the end through.
"""

import numpy as np
import triton
import triton.language as tl
from warplens.triton import array


@triton.jit
def add(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i <= n
    x = tl.load(x_ptr + i, mask=mask)
    y = tl.load(y_ptr + i, mask=mask)
    tl.store(out_ptr + i, x + y, mask=mask)


n = 1000
x = array(np.arange(n, dtype=np.float32))
y = array(np.ones(n, dtype=np.float32))
out = array(np.zeros(n, dtype=np.float32))
add[(triton.cdiv(n, 256),)](x, y, out, n, BLOCK=256)
