"""Tensors that hold addresses of other tensors, as of a grouped matrix product.

The addresses of this process mean nothing to the simulator. So each tensor that an address leads to becomes a buffer at
a chosen address, and the
saved contents have that address in place of the one of this process. A tensor that is no argument itself gets a
parameter of its own, behind those of the
kernel, so that the launch file can name it.
"""

from __future__ import annotations

import gc
import sys
from dataclasses import dataclass
from pathlib import Path

from .arguments import Arguments, Buffer
from .launch_file import Table
from .memory import HostMemory, Memory, memory_of

# Larger tensors of 64-bit integers are not searched for addresses.
LONGEST_TABLE = 1 << 16
# Addresses of this process are between these; what is smaller is a number.
LOWEST, HIGHEST = 1 << 32, 1 << 47
# Where buffers may be placed, and what lies between them.
FIRST, GRANULE = 0x1000_0000, 256


@dataclass(frozen=True)
class Replacement:
    """A word of a buffer: the address of this process, and the one that the simulator has."""

    buffer: Buffer
    at: int
    host: int
    simulated: int

    def restore(self) -> None:
        """Puts the address of this process back after a launch, unless the kernel stored something else there."""
        words = self.buffer.memory.contents()[: self.buffer.memory.size // 8 * 8].cast("Q")
        if words[self.at] == self.simulated:
            words[self.at] = self.host


def replace_addresses(arguments: Arguments, ptx: str) -> tuple[str, list[Replacement]]:
    """Places what the arguments hold addresses of, and returns the PTX with a parameter for each further buffer."""
    words = [
        (buffer, at, word)
        for buffer in arguments.buffers
        if buffer.table["buffer"] in ("s64", "u64") and buffer.memory.size <= LONGEST_TABLE
        for at, word in enumerate(buffer.memory.contents().cast("Q"))
        if LOWEST <= word < HIGHEST
    ]
    if not words:
        return ptx, []
    further = _add_tensors(arguments, [word for _, _, word in words])
    held = [
        (buffer, at, word, target) for buffer, at, word in words for target in [_at(arguments.buffers, word)] if target
    ]
    places = _place(arguments, list({id(target): target for *_, target in held}.values()))
    replacements = [
        Replacement(buffer, at, word, places[target.name] + word - target.memory.start)
        for buffer, at, word, target in held
    ]
    for buffer in {id(replacement.buffer): replacement.buffer for replacement in replacements}.values():
        _rewrite(
            arguments.folder / buffer.file,
            [replacement for replacement in replacements if replacement.buffer is buffer],
        )
    return _with_parameters(ptx, further), replacements


def _add_tensors(arguments: Arguments, words: list[int]) -> list[str]:
    """Adds a buffer for each tensor that is no argument, but that a word is an address in; returns their names."""
    names: list[str] = []
    unknown = [word for word in words if _at(arguments.buffers, word) is None]
    for memory in _memory_of_tensors() if unknown else []:
        if any(memory.start <= word < memory.start + memory.size for word in unknown):
            if any(buffer.overlaps(memory) for buffer in arguments.buffers):
                continue
            name = f"tensor_{len(names)}"
            arguments.tables.append({"name": name, **arguments.add_buffer(name, "b8", memory).table})
            names.append(name)
    return names


def _memory_of_tensors() -> list[Memory]:
    """The memory of all tensors of the program: of the objects that say where their data is."""
    found: dict[int, Memory] = {}
    known: dict[type, bool] = {}
    for thing in gc.get_objects():
        kind = type(thing)
        if kind not in known:
            known[kind] = callable(getattr(kind, "data_ptr", None)) and "torch.storage" not in kind.__module__
        if not known[kind]:
            continue
        try:
            memory, _ = memory_of(thing)
        except (TypeError, RuntimeError):
            continue
        if isinstance(memory, HostMemory) and memory.size:
            found[memory.start] = memory
    return list(found.values())


def _at(buffers: list[Buffer], address: int) -> Buffer | None:
    return next((b for b in buffers if b.memory.start <= address < b.memory.start + b.memory.size), None)


def _place(arguments: Arguments, buffers: list[Buffer]) -> dict[str, int]:
    """Gives each buffer an address of its own, and returns the addresses by the names of the buffers."""
    places = {}
    free = FIRST
    for buffer in buffers:
        places[buffer.name] = free
        free += -(-buffer.memory.size // GRANULE) * GRANULE + GRANULE
    for table in arguments.tables:
        owner: Table = table.get("tensormap", {}).get("buffer", table)
        if table["name"] in places and isinstance(owner, dict) and "buffer" in owner:
            owner["address"] = places[table["name"]]
    return places


def _rewrite(file: Path, replacements: list[Replacement]) -> None:
    contents = bytearray(file.read_bytes())
    for replacement in replacements:
        contents[8 * replacement.at : 8 * replacement.at + 8] = replacement.simulated.to_bytes(8, sys.byteorder)
    file.write_bytes(contents)


def _with_parameters(ptx: str, names: list[str]) -> str:
    """PTX whose kernel has further parameters at the end."""
    if not names:
        return ptx
    entry = ptx.index(".entry")
    end = ptx.index(")", entry)
    further = "".join(f",\n\t.param .u64 {name}" for name in names)
    return f"{ptx[:end].rstrip()}{further}\n{ptx[end:]}"
