"""Tensor descriptors of the host as tensor maps of a launch file."""

from __future__ import annotations

from typing import Any

from .launch_file import Table

# The element types of tensor maps in the order of their numbers, which are those of `tensormap.replace` in PTX.
ELEMENT_TYPES = (
    "u8", "u16", "u32", "s32", "u64", "s64", "f16", "f32", "f32.ftz", "f64", "bf16", "tf32", "tf32.ftz",
    "b4x16", "b4x16_p64", "b6x16_p32",
)  # fmt: skip
SWIZZLES = ("none", "32b", "64b", "128b")


def tensor_map(base: Table, descriptor: Any, described: Table) -> Table:
    """The tensor map of a descriptor. `base` is its pointer as an argument; `described` is what the compiler says about
    the map: its box, swizzle and elements.

    Lists of a descriptor begin with the outermost dimension, those of a tensor map with the innermost one.
    """
    dims = list(reversed(descriptor.shape))
    if described["fp4_padded"]:
        dims[0] *= 2
    table: Table = {
        "buffer": base["alias"] if "alias" in base else {key: value for key, value in base.items() if key != "offset"}
    }
    if "offset" in base:
        table["offset"] = base["offset"]
    table["type"] = "tf32" if descriptor.round_f32_to_tf32 else ELEMENT_TYPES[described["elem_type"]]
    table["dims"] = dims
    table["strides"] = [stride * described["elem_size"] for stride in reversed(descriptor.strides[:-1])]
    if described.get("is_im2col"):
        table.update(_im2col(descriptor, described))
    else:
        table["box"] = list(reversed(described["block_size"]))
    table["swizzle"] = SWIZZLES[described["swizzle"]]
    if descriptor.padding == "nan":
        table["oob_fill"] = "nan"
    return table


def _im2col(descriptor: Any, described: Table) -> Table:
    pixels, channels = described["block_size"]
    table: Table = {
        "lower_corner": list(reversed(descriptor.pixel_box_lower_corner)),
        "upper_corner": list(reversed(descriptor.pixel_box_upper_corner)),
        "channels_per_pixel": channels,
        "pixels_per_column": pixels,
    }
    if descriptor.element_strides is not None:
        table["element_strides"] = list(reversed(descriptor.element_strides))
    return table
