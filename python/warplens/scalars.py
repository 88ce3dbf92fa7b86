"""Numbers as Triton's launcher passes them."""

from __future__ import annotations

import math
import struct
from typing import Any

from .launch_file import Table

# Element types of launch files, by Triton's names. Types that launch files do not have, such as 8-bit floats, are
# bytes.
ELEMENTS = {
    "fp64": "f64", "fp32": "f32", "fp16": "f16", "bf16": "bf16",
    "i64": "s64", "i32": "s32", "i16": "s16", "i8": "s8", "i1": "u8",
    "u64": "u64", "u32": "u32", "u16": "u16", "u8": "u8", "u1": "u8",
}  # fmt: skip

# The integers that a launcher passes, by Triton's names: bytes, and whether there are negative ones.
INTEGERS: dict[str, tuple[int, bool]] = {
    f"{sign}{8 * size}": (size, sign == "i") for size in (1, 2, 4, 8) for sign in "iu"
}


class UnknownType(TypeError):
    """A type of Triton that is not known here."""


def element(ty: str) -> str:
    """The type of the elements behind a pointer of this type, such as `*fp32` or `*kfp16` (of constant memory)."""
    pointee = ty[2:] if ty.startswith("*k") else ty[1:]
    return ELEMENTS.get(pointee, "b8")


def scalar(ty: str, value: Any) -> Table:
    """A number of this type as an argument, without its name."""
    if ty in ("i1", "u1"):
        return {"u8": int(bool(value))}
    if ty in INTEGERS:
        size, signed = INTEGERS[ty]
        raw = (int(value) & ((1 << 8 * size) - 1)).to_bytes(size, "little")
        return {ELEMENTS[ty]: int.from_bytes(raw, "little", signed=signed)}
    if ty in ("fp32", "f32"):
        return {"f32": _decimal("<f", _single(float(value)), "<I")}
    if ty in ("fp64", "f64"):
        return {"f64": _decimal("<d", float(value), "<Q")}
    if ty == "fp16":
        half: float = struct.unpack("<e", struct.pack("<e", float(value)))[0]
        return {"f16": _decimal("<e", half, "<H")}
    if ty == "bf16":
        # The launcher cuts the lower half of a 32-bit float off.
        upper = struct.pack("<f", _single(float(value)))[2:]
        cut: float = struct.unpack("<f", bytes(2) + upper)[0]
        return {"bf16": cut if math.isfinite(cut) else f"0x{int.from_bytes(upper, 'little'):04x}"}
    raise UnknownType(f"parameters of the type `{ty}` are not known to this version of Warplens")


def _single(value: float) -> float:
    """The nearest 32-bit float, an infinity beyond the largest one."""
    try:
        rounded: float = struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)
    return rounded


def _decimal(layout: str, value: float, bits: str) -> float | str:
    if math.isfinite(value):
        return value
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    # A NaN may have a sign and a payload.
    raw = struct.pack(layout, value)
    return f"0x{struct.unpack(bits, raw)[0]:0{2 * len(raw)}x}"
