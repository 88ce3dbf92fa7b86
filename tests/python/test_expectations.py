"""Expected contents of buffers have a tolerance if floats are added by atomics."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from warplens.expectations import expectation

SUMS = [
    "@%p1 red.global.gpu.relaxed.add.f32 [ %rd1 + 0 ], %r2;",
    "\tatom.global.gpu.acq_rel.add.noftz.f16x2 %r1, [ %rd1 + 0 ], %r2;",
    "\tatom.global.gpu.relaxed.add.v2.f32 {%r1, %r3}, [ %rd1 + 0 ], %r2;",
    "\tcp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group [%rd1, {%r1, %r2}], [%r3];",
]
OTHERS = [
    "\tatom.global.gpu.acq_rel.add.u32 %r1, [ %rd1 + 0 ], 1;",
    "\tatom.global.gpu.acq_rel.max.s32 %r1, [ %rd1 + 0 ], %r2;",
    "\tadd.f32 %f1, %f2, %f3;",
    "// red.global.add.f32",
]
FORMATS = {"f16": "<4e", "f32": "<4f", "f64": "<4d"}


@pytest.mark.parametrize("kind", ["f16", "bf16", "f32", "f64", "i32"])
@pytest.mark.parametrize("statement", SUMS + OTHERS)
def test_sums_of_floats_have_a_tolerance(tmp_path: Path, kind: str, statement: str) -> None:
    values = (1.0, -8.0, float("inf"), float("nan"))
    floats = b"".join(struct.pack("<f", value)[2:] for value in values)
    file = tmp_path / "x.after.bin"
    file.write_bytes(struct.pack(FORMATS[kind], *values) if kind in FORMATS else floats)
    table = expectation("x", kind, file, f".visible .entry k()\n{{\n{statement}\n}}\n")
    assert (table["name"], table["file"]) == ("x", "x.after.bin")
    if statement in SUMS and kind != "i32":
        assert 0 < table["tolerance"] <= 8 / 32
        assert table["tolerance"] == {"f16": 2.0**-5, "bf16": 2.0**-2, "f32": 2.0**-13, "f64": 2.0**-41}[kind]
    else:
        assert "tolerance" not in table
