"""The arguments of a launch of Triton as those of a launch file."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import uninitialized
from .descriptors import tensor_map
from .launch_file import Table
from .memory import HostMemory, Memory, memory_of
from .programs import View
from .scalars import element, scalar

# Triton takes a pointer for a multiple of this if it is one here, and the simulator places memory at such multiples.
ALIGNMENT = 16
# What the simulator allows the buffers of a launch.
MOST_BYTES = 1 << 30


class UnknownArgument(TypeError):
    """An argument that cannot be passed to a kernel."""


@dataclass(frozen=True)
class Buffer:
    """An allocation that a launch uses, under the name of the first argument that points into it."""

    name: str
    memory: Memory
    # The file with its contents before the launch, and its keys in the launch file.
    file: str
    table: Table
    # Whether it is memory that the kernel asked for, which is no result.
    scratch: bool

    @property
    def file_after(self) -> str:
        """The file with its contents after the launch."""
        return f"{self.file[: -len('.bin')]}.after.bin"

    def contains(self, memory: Memory) -> bool:
        """Whether memory is a part of it."""
        return self.memory.start <= memory.start and memory.start + memory.size <= self.memory.start + self.memory.size

    def overlaps(self, memory: Memory) -> bool:
        """Whether memory has bytes in common with it."""
        return self.memory.start < memory.start + memory.size and memory.start < self.memory.start + self.memory.size


class Arguments:
    """Collects the arguments of a launch, and writes the contents of its buffers into a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.tables: list[Table] = []
        self.buffers: list[Buffer] = []
        # The first tensor in each buffer.
        self.views: dict[str, View] = {}

    def add_all(self, signature: dict[Any, Any], values: Sequence[Any], descriptors: Sequence[Table | None]) -> None:
        """Adds a value for each parameter of a kernel.

        `descriptors` describes the tensor maps of its descriptors, in order; without any, they are passed in parts.
        """
        maps = iter(descriptors)
        for (name, ty), value in zip(signature.items(), values):
            # What was compiled from a file of Triton's intermediate language has numbers for names.
            self._add(name if isinstance(name, str) else f"argument_{name}", ty, value, maps)

    @property
    def results(self) -> list[Buffer]:
        """The buffers whose contents a launch is expected to give."""
        return [buffer for buffer in self.buffers if not buffer.scratch]

    def add_scratch(self, name: str, size: int, allocation: Any) -> None:
        """Adds the address of memory that the kernel asked for; null if it asked for none.

        Memory that was not allocated has no values.
        """
        if size == 0:
            table: Table = {"u64": 0}
        elif allocation is None:
            table = {"buffer": "u8", "len": size, "fill": "zero", "uninitialized": [[0, size]]}
        elif hasattr(allocation, "untyped_storage") or hasattr(allocation, "__array_interface__"):
            table = self.pointer(name, "u8", *memory_of(allocation), scratch=True)
        else:
            address = allocation.data_ptr()
            table = self.pointer(name, "u8", HostMemory(address, size), address, scratch=True)
        self.tables.append({"name": name, **table})

    def _add(self, name: str, ty: Any, value: Any, maps: Any) -> None:
        if isinstance(ty, tuple):
            fields = getattr(type(value), "_fields", range(len(ty)))
            for part, part_type, part_value in zip(fields, ty, value):
                self._add(f"{name}.{part}", part_type, part_value, maps)
        elif ty == "constexpr":
            return
        elif ty.startswith("tensordesc"):
            self._add_descriptor(name, ty, value, next(maps, None))
        elif ty.startswith("*"):
            self.tables.append({"name": name, **self._address(name, element(ty), value)})
        else:
            self.add_scalar(name, ty, value)

    def add_scalar(self, name: str, ty: str, value: Any) -> None:
        """Adds a number of one of Triton's types."""
        try:
            self.tables.append({"name": name, **scalar(ty, value)})
        except (TypeError, ValueError) as error:
            raise UnknownArgument(f"argument `{name}` of the type `{ty}`: {error}") from error

    def _address(self, name: str, kind: str, value: Any) -> Table:
        """A pointer to elements of this kind: to a tensor, null, or an address as a number."""
        if value is None:
            return {"u64": 0}
        if isinstance(value, int):
            for buffer in self.buffers:
                if buffer.memory.start <= value < buffer.memory.start + buffer.memory.size:
                    return self.pointer(name, kind, buffer.memory, value)
            return {"u64": value}
        try:
            memory, address = memory_of(value)
        except TypeError as error:
            raise UnknownArgument(f"argument `{name}`, a pointer to {kind}: {error}") from error
        return self.tensor(name, kind, value, memory, address)

    def tensor(self, name: str, kind: str, tensor: Any, memory: Memory, address: int) -> Table:
        """A pointer to elements of this kind in the memory of a tensor, whose shape findings use."""
        table = self.pointer(name, kind, memory, address)
        view = View.of(tensor, address - memory.start) if "buffer" in table else None
        if view is not None:
            self.views[name] = view
        return table

    def pointer(self, name: str, kind: str, memory: Memory, address: int, scratch: bool = False) -> Table:
        """A pointer to elements of this kind in memory."""
        if address == 0:
            # A tensor of torch without elements has no address, though its memory may have one.
            return {"u64": 0}
        known = next((buffer for buffer in self.buffers if buffer.overlaps(memory)), None)
        if known is None:
            return _with_offset(self.add_buffer(name, kind, memory, scratch).table, address - memory.start)
        if not known.contains(memory):
            raise UnknownArgument(f"argument `{name}`: its memory overlaps that of `{known.name}` in part")
        return _with_offset({"alias": known.name}, address - known.memory.start)

    def add_buffer(self, name: str, kind: str, memory: Memory, scratch: bool = False) -> Buffer:
        """Adds memory that no argument has had so far, and writes its contents."""
        if memory.start % ALIGNMENT:
            raise UnknownArgument(f"argument `{name}`: its memory does not begin at a multiple of {ALIGNMENT}: copy it")
        total = memory.size + sum(buffer.memory.size for buffer in self.buffers)
        if total > MOST_BYTES:
            raise UnknownArgument(
                f"argument `{name}`: its memory has {memory.size:,} bytes, all buffers of the launch so far {total:,}, "
                f"and they may have {MOST_BYTES:,} (1 GB): use a smaller problem"
            )
        file = self._file(name)
        with open(self.folder / file, "wb") as out:
            out.write(memory.contents())
        width = int(re.sub(r"\D", "", kind)) // 8
        # A storage of bytes, of which an argument is a view, need not be a whole number of elements.
        table: Table = {"buffer": kind if memory.size % width == 0 else "b8", "file": file}
        undefined = uninitialized.ranges(memory)
        if undefined:
            table["uninitialized"] = [list(part) for part in undefined]
        buffer = Buffer(name, memory, file, table, scratch)
        self.buffers.append(buffer)
        return buffer

    def _file(self, name: str) -> str:
        """A file for a buffer. Some file systems do not tell letters apart by their case."""
        plain = re.sub(r"[^A-Za-z0-9_.-]", "_", name)
        taken = {buffer.file.lower() for buffer in self.buffers}
        names = (f"{plain}.bin" if number == 1 else f"{plain}-{number}.bin" for number in itertools.count(1))
        return next(name for name in names if name.lower() not in taken)

    def _add_descriptor(self, name: str, ty: str, descriptor: Any, described: Table | None) -> None:
        match = re.match(r"tensordesc(?:_im2col)?<([^[>]*)\[", ty)
        if match is None:
            raise UnknownArgument(f"argument `{name}`: the type `{ty}` of a tensor descriptor is not known")
        pointee = match.group(1)
        if described is None:
            self._add_parts(name, pointee, descriptor)
        else:
            # Tensor maps have no type of bytes: they are 8-bit integers.
            kind = element("*" + pointee)
            base = self._address(name, "u8" if kind == "b8" else kind, descriptor.base)
            self.tables.append({"name": name, "tensormap": tensor_map(base, descriptor, described)})
        self._add_list(f"{name}.shape", "i32", descriptor.shape)
        self._add_list(f"{name}.stride", "i64", descriptor.strides)

    def _add_parts(self, name: str, pointee: str, descriptor: Any) -> None:
        """A descriptor for a target without tensor maps: its parts, before the shape and the strides that always
        follow.
        """
        self.tables.append({"name": name, **self._address(name, element("*" + pointee), descriptor.base)})
        self._add_list(f"{name}.base.shape", "i64", descriptor.shape)
        self._add_list(f"{name}.base.stride", "i64", descriptor.strides)
        self.add_scalar(f"{name}.base.nan", "i1", descriptor.padding == "nan")
        self.add_scalar(f"{name}.base.tf32", "i1", descriptor.round_f32_to_tf32)

    def _add_list(self, name: str, ty: str, values: Sequence[int]) -> None:
        for i, value in enumerate(values):
            self.add_scalar(f"{name}.{i}", ty, value)


def _with_offset(table: Table, offset: int) -> Table:
    return {**table, "offset": offset} if offset else table
