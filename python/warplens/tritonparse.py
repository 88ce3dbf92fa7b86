"""Launches of a trace that TritonParse has recorded on a GPU."""

from __future__ import annotations

import gzip
import itertools
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from . import notes
from .recorded import BadTrace, RecordedMemory, RecordedTensor, place
from .session import Session
from .triton_launch import Request

SUFFIXES = (".ndjson", ".ndjson.gz")
GZIP = b"\x1f\x8b"
ZSTD = b"\x28\xb5\x2f\xfd"

_PARAMETER = re.compile(r"\.param\s+(?:\.align\s+\d+\s+)?\.([a-z]\d+)")
_INNER = re.compile(r"/triton/(runtime|compiler|backends)/|/tritonparse/|/warplens/\w+\.py$|^<")
_POINTER, _FLOAT, _INTEGER = re.compile("[bu]64"), re.compile(r"[fb]\d+"), re.compile(r"[usb]\d+")
# Triton's types of numbers by those of PTX.
_SCALARS = {
    **{f"{sign}{8 * width}": f"i{8 * width}" for sign in "usb" for width in (1, 2, 4, 8)},
    "f32": "fp32", "f64": "fp64", "f16": "fp16",
}  # fmt: skip


def is_trace(path: str) -> bool:
    """Whether a file is a trace, by its name."""
    return path.endswith(SUFFIXES)


def run_trace(path: Path, current: Session) -> None:
    """Simulates the launches of a trace in a session.

    Tensors have their recorded contents if the trace has them (`TRITONPARSE_SAVE_TENSOR_BLOBS=1`), otherwise what
    earlier launches left there, or values that are made up.

    Raises `BadTrace` if it is no trace, or has no PTX of a kernel.
    """
    kernels: dict[str, dict[str, Any]] = {}
    memory: dict[tuple[int, int], RecordedMemory] = {}
    launches = 0
    for event in _events(path):
        if event.get("event_type") == "compilation":
            payload = event.get("payload") or {}
            kernels[str((payload.get("metadata") or {}).get("hash"))] = payload
        elif event.get("event_type") == "launch":
            launches += 1
            launch = _Launch.of(event, kernels, path)
            if launch.place(memory):
                notes.once(
                    "the trace does not have the contents of all tensors, so floats are random and integers are zero: "
                    "TRITONPARSE_SAVE_TENSOR_BLOBS=1 records them"
                )
            current.run(launch.request, _call_site(event))
    if launches == 0:
        raise BadTrace(
            f"{path} has no launches: record it with TRITON_TRACE_LAUNCH=1 (`init(…, enable_trace_launch=True)`)"
        )


@dataclass(frozen=True)
class _Launch:
    """A launch of a trace, and the tensors of its arguments."""

    request: Request
    tensors: list[RecordedTensor]

    @staticmethod
    def of(event: dict[str, Any], kernels: dict[str, dict[str, Any]], path: Path) -> _Launch:
        metadata = SimpleNamespace(**(event.get("compilation_metadata") or {}))
        name = event.get("name", "?")
        kernel = kernels.get(str(getattr(metadata, "hash", None)))
        if kernel is None:
            raise BadTrace(f"{path} launches `{name}`, but does not have its compilation: record the whole program")
        ptx = next((text for file, text in kernel.get("file_content", {}).items() if file.endswith(".ptx")), None)
        if not isinstance(ptx, str) or ".entry" not in ptx:
            raise BadTrace(f"{path} does not have the PTX of `{name}`")
        reader = _Arguments(ptx, kernel["metadata"], path.parent)
        signature, values = reader.read(event.get("extracted_args") or {})
        source = SimpleNamespace(signature=signature)
        request = Request(source, metadata, ptx, _grid(event, name), values, reader.scratch_kinds())
        return _Launch(request, reader.tensors)

    def place(self, memory: dict[tuple[int, int], RecordedMemory]) -> bool:
        """Gives the tensors their memory; returns whether contents are made up."""
        return place(self.tensors, memory)


class _Arguments:
    """Reads the arguments of a launch beside the parameters of its PTX, which have the types of numbers."""

    def __init__(self, ptx: str, compiled: dict[str, Any], folder: Path) -> None:
        entry = ptx.index(".entry")
        self._parameters = iter(_PARAMETER.findall(ptx, entry, ptx.index(")", entry)))
        self._constants = {
            int(key.strip("(,)")) for key in compiled.get("src_constants", {}) if key.strip("(,)").isdigit()
        }
        self._maps = iter(compiled.get("tensordesc_meta") or ())
        self._folder = folder
        self.tensors: list[RecordedTensor] = []

    def read(self, arguments: dict[str, Any]) -> tuple[dict[str, str], list[Any]]:
        """The signature as Triton's compiler has it, and the values."""
        signature: dict[str, str] = {}
        values: list[Any] = []
        for number, (name, described) in enumerate(arguments.items()):
            if number in self._constants:
                continue
            signature[name], value = self._argument(name, described)
            values.append(value)
        return signature, values

    def _argument(self, name: str, described: dict[str, Any]) -> tuple[str, Any]:
        kind = described.get("type")
        if kind == "tensor":
            self._take(1, name, _POINTER)
            tensor = self._tensor(described)
            return "*" + tensor.type, tensor
        if kind == "TensorDescriptor":
            return self._descriptor(name, described)
        if kind in ("int", "float", "bool"):
            (parameter,) = self._take(1, name, _FLOAT if kind == "float" else _INTEGER)
            return ("i1" if kind == "bool" else _SCALARS[parameter]), described["value"]
        raise BadTrace(f"argument `{name}` of the trace is of the type {kind}, which is not known to this version")

    def _descriptor(self, name: str, described: dict[str, Any]) -> tuple[str, Any]:
        base, rank = self._tensor(described["base"]), len(described["shape"])
        has_map = next(self._maps, None) is not None
        # A map, or a pointer, a shape, strides and two flags; then always the shape and the strides.
        self._take(1 + 2 * rank if has_map else 3 + 4 * rank, name, _INTEGER)
        descriptor = SimpleNamespace(
            base=base,
            shape=described["shape"],
            strides=described["strides"],
            padding=described.get("padding", "zero"),
            round_f32_to_tf32=False,
        )
        return f"tensordesc<{base.type}[{', '.join(map(str, described['block_shape']))}]>", descriptor

    def _tensor(self, described: dict[str, Any]) -> RecordedTensor:
        tensor = RecordedTensor.of(described, self._folder)
        self.tensors.append(tensor)
        return tensor

    def scratch_kinds(self) -> list[str]:
        """What the parameters behind the arguments point to."""
        rest = list(self._parameters)
        if len(rest) > 2:
            raise BadTrace(f"the PTX has {len(rest)} parameters more than the launch in the trace has arguments")
        return ["global", "profile"][: len(rest)]

    def _take(self, count: int, name: str, kind: re.Pattern[str]) -> list[str]:
        taken = list(itertools.islice(self._parameters, count))
        if len(taken) < count or not all(map(kind.fullmatch, taken)):
            raise BadTrace(f"argument `{name}` of the trace has no parameter of its type in the PTX")
        return taken


def _events(path: Path) -> Iterator[dict[str, Any]]:
    """The events of a trace, one a line; compressed ones are compressed line by line or as a whole."""
    with open(path, "rb") as raw:
        start = raw.read(len(ZSTD))
    if start == ZSTD:
        raise BadTrace(f"{path} is compressed with zstd: `zstd -d` it, or record with `compression='gzip'`")
    with gzip.open(path) if start.startswith(GZIP) else open(path, "rb") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                event = json.loads(line)
            except ValueError as error:
                raise BadTrace(f"{path}:{number} is not a line of JSON: {error}") from error
            if isinstance(event, dict):
                yield event


def _grid(event: dict[str, Any], name: str) -> tuple[int, int, int]:
    grid = event.get("grid")
    if not isinstance(grid, list) or not 1 <= len(grid) <= 3 or not all(isinstance(n, int) and n >= 0 for n in grid):
        raise BadTrace(f"a launch of `{name}` in the trace has the grid {grid}")
    x, y, z = [*grid, 1, 1][:3]
    return x, y, z


def _call_site(event: dict[str, Any]) -> tuple[str | None, int | None]:
    """The innermost frame outside of Triton, of TritonParse and of this package."""
    for frame in reversed(event.get("stack") or []):
        file = str(frame.get("filename", ""))
        if not _INNER.search(file.replace("\\", "/")):
            return file, frame.get("line")
    return None, None
