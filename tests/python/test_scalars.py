"""Numbers are passed as Triton's launcher passes them."""

from __future__ import annotations

import math
from typing import Any

import pytest
from warplens.launch_file import LaunchFile
from warplens.scalars import UnknownType, element, scalar


@pytest.mark.parametrize(
    ("ty", "value", "expected"),
    [
        ("i1", True, {"u8": 1}),
        ("u1", 2, {"u8": 1}),
        ("i8", -3, {"s8": -3}),
        ("u8", 255, {"u8": 255}),
        ("i32", -5, {"s32": -5}),
        ("i32", 2**32 - 1, {"s32": -1}),
        ("u16", 65_536 + 7, {"u16": 7}),
        ("i64", 2**40, {"s64": 2**40}),
        ("u64", 2**64 - 1, {"u64": 2**64 - 1}),
        ("fp32", 2.5, {"f32": 2.5}),
        ("fp32", 0.1, {"f32": 0.10000000149011612}),
        ("fp32", 1e39, {"f32": "inf"}),
        ("fp32", -math.inf, {"f32": "-inf"}),
        ("fp32", math.nan, {"f32": "0x7fc00000"}),
        ("fp64", 0.1, {"f64": 0.1}),
        ("fp16", 0.1, {"f16": 0.0999755859375}),
        ("fp16", math.inf, {"f16": "inf"}),
        ("fp16", math.nan, {"f16": "0x7e00"}),
        # Rounded, it would be 0.10009765625.
        ("bf16", 0.1, {"bf16": 0.099609375}),
        ("bf16", 1e39, {"bf16": "0x7f80"}),
    ],
)
def test_numbers(ty: str, value: float, expected: dict[str, object]) -> None:
    assert scalar(ty, value) == expected


def test_an_unknown_type_is_not_passed_as_zero() -> None:
    with pytest.raises(UnknownType, match="`i128`"):
        scalar("i128", 1)


def test_elements() -> None:
    assert element("*fp32") == "f32"
    assert element("*ki64") == "s64"
    assert element("*u1") == "u8"
    assert element("*fp8e4nv") == "b8"


def test_text_of_a_launch_file() -> None:
    args: list[dict[str, Any]] = [
        {"name": "x", "buffer": "f32", "file": "x.bin", "uninitialized": [[0, 8]]},
        {"name": "a.0", "f32": 1e-07},
    ]
    file = LaunchFile('say "hi"', "k", (2, 1, 1), (128,), 0, args, cluster=2, cooperative=True)
    assert file.text() == (
        "[[launch]]\n"
        'name = "say \\"hi\\""\n'
        'file = "kernel.ptx"\n'
        'entry = "k"\n'
        "grid = [2, 1, 1]\n"
        "block = [128]\n"
        "dynamic_shared = 0\n"
        "cluster = [2, 1, 1]\n"
        "cooperative = true\n"
        "args = [\n"
        '  { name = "x", buffer = "f32", file = "x.bin", uninitialized = [[0, 8]] },\n'
        '  { name = "a.0", f32 = 1e-07 },\n'
        "]\n"
    )
