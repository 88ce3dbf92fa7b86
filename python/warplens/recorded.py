"""Tensors of a trace: their place in the memory of the recording, and contents that were recorded or are made up."""

from __future__ import annotations

import gzip
import math
import random
import re
import struct
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any

# Made-up contents repeat after this many elements. It is prime, so that rows of a matrix differ.
PERIOD = 1021
# What a file of torch has beside the contents of a tensor.
OVERHEAD = 1 << 20
LARGEST = 1 << 30

# Triton's names of the element types of torch, and how `struct` packs them; other types are bytes.
ELEMENTS = {
    "float64": ("fp64", "d"), "float32": ("fp32", "f"), "float16": ("fp16", "e"), "bfloat16": ("bf16", None),
    "int64": ("i64", "q"), "int32": ("i32", "i"), "int16": ("i16", "h"), "int8": ("i8", "b"),
    "uint64": ("u64", "Q"), "uint32": ("u32", "I"), "uint16": ("u16", "H"), "uint8": ("u8", "B"), "bool": ("i1", "B"),
    "float8_e4m3fn": ("fp8e4nv", None), "float8_e5m2": ("fp8e5", None),
}  # fmt: skip


class BadTrace(ValueError):
    """A trace that cannot be read, as a sentence."""


@dataclass
class RecordedMemory:
    """Memory of the recording, at its address there. Its form is that of `memory.Memory`."""

    start: int
    bytes: bytearray = field(repr=False)

    @property
    def size(self) -> int:
        """Its bytes."""
        return len(self.bytes)

    def contents(self) -> memoryview:
        """Its bytes, not copied."""
        return memoryview(self.bytes)

    def load(self, file: Path) -> None:
        """Replaces its bytes with those of a file of this size."""
        contents = file.read_bytes()
        if len(contents) != self.size:
            raise ValueError(f"{file} does not have {self.size} bytes")
        self.bytes[:] = contents


@dataclass
class RecordedTensor:
    """A tensor as a trace describes it. Lengths and strides are in elements, outermost dimension first."""

    address: int
    element: str
    width: int
    shape: list[int]
    stride: list[int]
    # Elements of the allocation before the tensor.
    offset: int
    # The least and the greatest value, if they were recorded.
    least: float | None
    greatest: float | None
    # The file with the contents, as `torch.save` writes it, if there is one.
    file: Path | None
    # Where it lies; set by `place`.
    memory: RecordedMemory | None = None

    @staticmethod
    def of(described: dict[str, Any], folder: Path) -> RecordedTensor:
        """The tensor of a description. Its file is looked for in the folder of the trace only."""
        try:
            shape, stride = _lengths(described["shape"]), _lengths(described["stride"])
            address, width = int(described["data_ptr"], 16), int(described["element_size"])
            offset = int(described["storage_offset"])
        except (KeyError, TypeError, ValueError) as error:
            raise BadTrace(f"a tensor of the trace is not described as TritonParse does: {error!r}") from error
        tensor = RecordedTensor(
            address,
            str(described.get("dtype", "")).removeprefix("torch."),
            width,
            shape,
            stride,
            offset,
            _number(described.get("min")),
            _number(described.get("max")),
            _file(described.get("blob_path"), folder),
        )
        if len(shape) != len(stride) or not 1 <= width <= 16 or not 0 <= tensor.extent <= LARGEST:
            raise BadTrace(
                f"a tensor of the trace has the shape {shape}, the strides {stride} and {width}-byte elements"
            )
        return tensor

    @property
    def type(self) -> str:
        """Triton's name of the element type."""
        return ELEMENTS.get(self.element, (f"b{8 * self.width}", None))[0]

    @property
    def extent(self) -> int:
        """The bytes from its first element to the end of its last one."""
        if 0 in self.shape:
            return 0
        return self.width * (1 + sum((length - 1) * stride for length, stride in zip(self.shape, self.stride)))

    @property
    def count(self) -> int:
        """The number of its elements."""
        return math.prod(self.shape)

    def fill(self) -> bool:
        """Writes the recorded contents into its memory, or else values made up; returns whether they were recorded."""
        assert self.memory is not None
        recorded = self._recorded()
        if recorded is None:
            at = self.address - self.memory.start
            self.memory.bytes[at : at + self.extent] = self._made_up(-(-self.extent // self.width))[: self.extent]
            return False
        self._write(recorded)
        return True

    def _recorded(self) -> bytes | None:
        """The contents of the file. They are read from the archive that it is, so nothing of it is executed."""
        if self.file is None:
            return None
        with gzip.open(self.file) if self.file.suffix == ".gz" else open(self.file, "rb") as source:
            archive = source.read(LARGEST + OVERHEAD)
        try:
            with zipfile.ZipFile(BytesIO(archive)) as parts:
                data = next(part for part in parts.infolist() if part.filename.endswith("/data/0"))
                if data.file_size > LARGEST:
                    return None
                return parts.read(data)
        except (zipfile.BadZipFile, StopIteration) as error:
            raise BadTrace(f"{self.file} is not a tensor that torch has saved") from error

    def _write(self, recorded: bytes) -> None:
        """Writes the contents of a file: the whole allocation, the dense tensor, or its elements without the gaps."""
        assert self.memory is not None
        at = self.address - self.memory.start
        before = self.offset * self.width
        if len(recorded) >= before + self.extent and len(recorded) > self.count * self.width:
            self.memory.bytes[at : at + self.extent] = recorded[before : before + self.extent]
        elif self.extent == len(recorded):
            self.memory.bytes[at : at + self.extent] = recorded
        elif self.count * self.width == len(recorded):
            for index, start in enumerate(_starts(self.shape, self.stride)):
                element = recorded[index * self.width : (index + 1) * self.width]
                self.memory.bytes[at + start * self.width : at + start * self.width + self.width] = element
        else:
            raise BadTrace(f"{self.file} has {len(recorded)} bytes, the tensor {self.count * self.width}")

    def _made_up(self, count: int) -> bytes:
        """Elements in the recorded range; without one, floats below 1 and zeros, which are indices in bounds."""
        layout = ELEMENTS.get(self.element, ("", None))[1]
        floating = self.element.startswith(("float", "bfloat"))
        least = self.least if self.least is not None else 0.0
        greatest = self.greatest if self.greatest is not None else float(floating)
        draw = random.Random(f"{self.element} {least} {greatest}")
        values = [draw.uniform(least, greatest) for _ in range(min(count, PERIOD))]
        return (b"".join(_packed(self.element, self.width, layout, value) for value in values) * (count // PERIOD + 1))[
            : count * self.width
        ]


def place(tensors: Sequence[RecordedTensor], known: dict[tuple[int, int], RecordedMemory]) -> bool:
    """Gives each tensor of a launch its memory: those that overlap, or are views of one allocation, share it.

    `known` has the memory of earlier launches by its address and size, with what they left there: contents that were
    not recorded are made up once. Returns whether some were.
    """
    # A file may have more of the allocation than the tensors, but what lies there is not known to be in bounds.
    parts: list[tuple[int, int]] = []
    spans = ((t.address - t.offset * t.width, t.address + t.extent) for t in tensors)
    for start, end in sorted(spans):
        if parts and start < parts[-1][1]:
            parts[-1] = (parts[-1][0], max(end, parts[-1][1]))
        else:
            parts.append((start, end))
    fresh = set()
    memories = []
    for start, end in parts:
        if (start, end - start) not in known:
            known[start, end - start] = RecordedMemory(start, bytearray(end - start))
            fresh.add(start)
        memories.append(known[start, end - start])
    made_up = False
    for tensor in tensors:
        tensor.memory = max((m for m in memories if m.start <= tensor.address), key=lambda memory: memory.start)
        if tensor.file is not None or tensor.memory.start in fresh:
            made_up |= not tensor.fill()
    return made_up


def _packed(element: str, width: int, layout: str | None, value: float) -> bytes:
    if element == "bfloat16":
        return struct.pack("<f", value)[2:]
    if layout is None:
        # 8-bit floats: small positive ones. What is not known is zero.
        return bytes([int(value * 0x38) & 0x3F]) if element.startswith("float8") else bytes(width)
    return struct.pack(f"<{layout}", value if layout in "dfe" else round(value))


def _starts(shape: list[int], stride: list[int]) -> list[int]:
    """Where each element of a copy without gaps lies in the tensor: torch keeps the order of the strides."""
    order = sorted(range(len(shape)), key=lambda dim: -stride[dim])
    starts = [0]
    for dim in order:
        starts = [start + index * stride[dim] for start in starts for index in range(shape[dim])]
    return starts


def _lengths(described: Any) -> list[int]:
    lengths = [int(length) for length in described]
    if any(length < 0 for length in lengths):
        raise ValueError(lengths)
    return lengths


def _number(described: Any) -> float | None:
    return float(described) if isinstance(described, (int, float)) and math.isfinite(described) else None


def _file(recorded: Any, folder: Path) -> Path | None:
    """The file, if the folder of the trace has it: the recorded path is that of another machine and may be anything."""
    if not isinstance(recorded, str):
        return None
    match = re.search(r"saved_tensors/([0-9a-f]{2})/([0-9a-f]+\.bin(?:\.gz)?)$", recorded.replace("\\", "/"))
    if match is None:
        return None
    file = folder / "saved_tensors" / match.group(1) / match.group(2)
    return file if file.is_file() else None
