"""What a saved launch is expected to leave in a buffer.

Floats that a kernel adds up by atomics depend in their last bits on the order of the blocks, so they have a tolerance.
"""

from __future__ import annotations

import re
import struct
from math import isfinite
from pathlib import Path

from .launch_file import Table

# Additions by atomics. The type of a reduction into a tensor is that of its tensor map.
_SUMS = re.compile(
    r"^(?=\s|@).*?\b(?:(?:atom|red|multimem\.red)\.\S*add\S*\.(?:b?f16|f32|f64)|cp\.reduce\.async\S*\.add)", re.M
)
# The relative tolerance of a type of elements, and its letter for `struct`. A `bfloat16` is the upper half of a float.
_TYPES = {"f16": (2.0**-8, "e"), "bf16": (2.0**-5, "H"), "f32": (2.0**-16, "f"), "f64": (2.0**-44, "d")}


def expectation(name: str, kind: str, file: Path, ptx: str) -> Table:
    """The expectation that a buffer of elements of this kind has the contents of a file in the folder of the launch."""
    table: Table = {"name": name, "file": file.name}
    if kind in _TYPES and _SUMS.search(ptx):
        relative, letter = _TYPES[kind]
        contents = file.read_bytes()
        values = (value for (value,) in struct.iter_unpack(f"<{letter}", contents))
        if kind == "bf16":
            values = (struct.unpack("<f", struct.pack("<I", value << 16))[0] for value in values)
        # The terms of a sum are not known; the largest result stands for them.
        table["tolerance"] = relative * max((abs(value) for value in values if isfinite(value)), default=0.0)
    return table
