"""Traces of TritonParse: a kernel that adds `scale * y` to `x`, launched as the trace says."""

from __future__ import annotations

import gzip
import json
import struct
import zipfile
from pathlib import Path
from typing import Any

import pytest
from support import run_script

PTX = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry add(
    .param .u64 .ptr .global .align 1 add_param_0,
    .param .u64 .ptr .global .align 1 add_param_1,
    .param .f32 add_param_2,
    .param .u32 add_param_3,
    .param .u64 .ptr .global .align 1 add_param_4,
    .param .u64 .ptr .global .align 1 add_param_5
)
.reqntid 32
{
    .reg .pred %p<2>;
    .reg .b32 %r<8>;
    .reg .f32 %f<5>;
    .reg .b64 %rd<6>;
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %ctaid.x;
    mad.lo.u32 %r3, %r2, 32, %r1;
    ld.param.u32 %r4, [add_param_3];
    setp.ge.u32 %p1, %r3, %r4;
    @%p1 ret;
    ld.param.u64 %rd1, [add_param_0];
    ld.param.u64 %rd2, [add_param_1];
    mad.wide.u32 %rd3, %r3, 4, %rd1;
    mad.wide.u32 %rd4, %r3, 4, %rd2;
    ld.global.f32 %f1, [%rd3];
    ld.global.f32 %f2, [%rd4];
    ld.param.f32 %f3, [add_param_2];
    fma.rn.f32 %f4, %f2, %f3, %f1;
    st.global.f32 [%rd3], %f4;
    ret;
}
"""
COMPILED = {"hash": "a1", "name": "add", "num_warps": 1, "shared": 0, "src_constants": {"(4,)": 32}}
X, Y = 0x7F00_0000_0000, 0x7F00_0001_0000
STACK = [
    {"filename": "/home/u/train.py", "line": 12},
    {"filename": "/lib/triton/runtime/jit.py", "line": 375},
    {"filename": "/lib/tritonparse/structured_logging.py", "line": 2027},
]


def compilation() -> dict[str, Any]:
    return {"event_type": "compilation", "payload": {"metadata": COMPILED, "file_content": {"add.ptx": PTX}}}


def launch(*tensors: dict[str, Any], count: int = 40, grid: Any = (2,)) -> dict[str, Any]:
    arguments = {
        **dict(zip("xy", tensors)),
        "scale": {"type": "float", "value": 2.5},
        "n": {"type": "int", "value": count},
        "BLOCK": {"type": "int", "value": 32},
    }
    event = {"event_type": "launch", "name": "add", "grid": list(grid), "compilation_metadata": COMPILED}
    return {**event, "extracted_args": arguments, "stack": STACK}


def tensor(address: int, count: int, **more: Any) -> dict[str, Any]:
    described = {"type": "tensor", "shape": [count], "stride": [1], "dtype": "torch.float32", "element_size": 4}
    return {**described, "storage_offset": 0, "data_ptr": hex(address), **more}


def saved(folder: Path, name: str, values: list[float]) -> dict[str, Any]:
    """A tensor as torch saves it; its pickle would end the process if something loaded it."""
    path = folder / "saved_tensors" / name[:2] / f"{name}.bin"
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("archive/data.pkl", b"cos\n_exit\n(I9\ntR.")
        archive.writestr("archive/data/0", struct.pack(f"<{len(values)}f", *values))
    # The path of the machine that recorded it.
    return {"blob_path": f"/gpu/box/saved_tensors/{name[:2]}/{name}.bin"}


def write(folder: Path, *events: dict[str, Any], name: str = "trace.ndjson") -> Path:
    path = folder / name
    text = "".join(json.dumps(event) + "\n" for event in events).encode()
    path.write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    return path


def floats(path: Path) -> list[float]:
    data = path.read_bytes()
    return list(struct.unpack(f"<{len(data) // 4}f", data))


@pytest.mark.parametrize("name", ["trace.ndjson", "trace.ndjson.gz"])
def test_a_launch_has_its_recorded_contents(tmp_path: Path, name: str) -> None:
    xs, ys = [float(i) for i in range(40)], [i / 4 for i in range(40)]
    x, y = tensor(X, 40, **saved(tmp_path, "aa01", xs)), tensor(Y, 40, **saved(tmp_path, "bb02", ys))
    trace = write(tmp_path, compilation(), launch(x, y), name=name)
    run = run_script(trace, "--save", str(tmp_path / "out"))
    assert run.code == 0, run.text
    assert [(line["kernel"], line["file"], line["line"]) for line in run.launches] == [("add", "/home/u/train.py", 12)]
    assert floats(tmp_path / "out/000-add/x.after.bin") == [a + 2.5 * b for a, b in zip(xs, ys)]


def test_an_access_behind_a_tensor_is_found(tmp_path: Path) -> None:
    run = run_script(write(tmp_path, compilation(), launch(tensor(X, 40), tensor(Y, 39))))
    assert run.code == 1
    assert [finding["code"] for finding in run.serious] == ["out-of-bounds"]
    assert "`y[39]` is beyond `y`" in run.serious[0]["message"]


def test_contents_that_were_not_recorded_lie_in_the_recorded_range_and_stay(tmp_path: Path) -> None:
    x, y = tensor(X, 40, min=2.0, max=3.0), tensor(Y, 40, min=0.0, max=0.0)
    run = run_script(
        write(tmp_path, compilation(), launch(x, y), launch(x, tensor(X, 40))), "--save", str(tmp_path / "out")
    )
    assert run.code == 0, run.text
    assert "TRITONPARSE_SAVE_TENSOR_BLOBS=1" in run.text
    before = floats(tmp_path / "out/000-add/x.bin")
    assert all(2 <= value <= 3 for value in before)
    assert len(set(before)) > 30
    # The second launch, of which both arguments are the same memory, finds what the first one left.
    assert floats(tmp_path / "out/001-add/x.bin") == before
    assert 'alias = "x"' in (tmp_path / "out/001-add/warplens.toml").read_text()


def test_views_of_one_allocation_are_one_buffer(tmp_path: Path) -> None:
    view = tensor(X + 160, 40, storage_offset=40)
    run = run_script(write(tmp_path, compilation(), launch(view, tensor(X, 40))), "--save", str(tmp_path / "out"))
    assert run.code == 0, run.text
    text = (tmp_path / "out/000-add/warplens.toml").read_text()
    assert '{ name = "x", buffer = "f32", file = "x.bin", offset = 160 }' in text
    assert '{ name = "y", alias = "x" }' in text
    assert (tmp_path / "out/000-add/x.bin").stat().st_size == 320


def test_elements_are_put_where_the_strides_say(tmp_path: Path) -> None:
    # A column of a matrix with rows of two: torch saves its elements without the gaps.
    column = tensor(X, 40, stride=[2], **saved(tmp_path, "aa01", [float(i) for i in range(40)]))
    run = run_script(
        write(tmp_path, compilation(), launch(column, tensor(Y, 40, min=0, max=0), count=0)),
        "--save",
        str(tmp_path / "o"),
    )
    assert run.code == 0, run.text
    assert floats(tmp_path / "o/000-add/x.bin")[::2] == [float(i) for i in range(40)]


@pytest.mark.parametrize(
    ("events", "said"),
    [
        ([compilation()], "has no launches: record it with TRITON_TRACE_LAUNCH=1"),
        ([launch(tensor(X, 40), tensor(Y, 40))], "launches `add`, but does not have its compilation"),
        ([compilation(), launch(tensor(X, 40))], "argument `scale` of the trace has no parameter of its type"),
        ([compilation(), {**launch(), "extracted_args": {}}], "the PTX has 6 parameters more than the launch"),
        ([compilation(), launch(tensor(X, 40), {"type": "tuple"})], "argument `y` of the trace is of the type tuple"),
        ([compilation(), launch(tensor(X, 40), tensor(Y, 1 << 40))], "a tensor of the trace has the shape [109951162"),
        ([compilation(), launch(tensor(X, 40), tensor(Y, 40), grid=[0.5])], "in the trace has the grid [0.5]"),
    ],
)  # fmt: skip
def test_what_is_missing_in_a_trace_is_said(tmp_path: Path, events: list[dict[str, Any]], said: str) -> None:
    run = run_script(write(tmp_path, *events))
    assert run.code == 2, run.text
    assert said in run.text
    assert "Traceback" not in run.text


def test_what_is_no_trace_is_said(tmp_path: Path) -> None:
    path = tmp_path / "trace.ndjson"
    path.write_text("{}\nnot json\n")
    run = run_script(path)
    assert run.code == 2
    assert f"{path}:2 is not a line of JSON" in run.text
