"""A launch of numba-cuda as a folder: the PTX, the launch file, and the contents of its arrays."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .advice import NUMBA
from .arguments import Arguments, UnknownArgument
from .launch_file import LaunchFile
from .memory import memory_of
from .programs import LaunchNames
from .triton_launch import Described

_ENTRY = re.compile(r"\.entry\s+([\w$]+)\s*\(")
# Element types of launch files by those of numpy.
_ELEMENTS = {
    "f8": "f64", "f4": "f32", "f2": "f16", "b1": "u8",
    **{f"{sign}{width}": f"{kind}{8 * width}" for sign, kind in (("i", "s"), ("u", "u")) for width in (1, 2, 4, 8)},
}  # fmt: skip


@dataclass(frozen=True)
class NumbaRequest:
    """A launch of a kernel of `cuda.jit`. The arguments have Numba's types."""

    kernel: str
    ptx: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    dynamic_shared: int
    names: Sequence[str]
    types: Sequence[Any]
    values: Sequence[Any]

    @property
    def blocks(self) -> int:
        """The blocks of the launch."""
        x, y, z = self.grid
        return x * y * z

    def describe(self, number: int, folder: Path, scratch: dict[str, Any]) -> Described:
        """Writes the launch into a folder."""
        arguments = Arguments(folder)
        for name, ty, value in zip(self.names, self.types, self.values):
            _add(arguments, name, ty, value)
        (folder / "kernel.ptx").write_text(self.ptx, encoding="utf-8")
        entry = _ENTRY.search(self.ptx)
        file = LaunchFile(
            name=f"{self.kernel} #{number}",
            entry=entry.group(1) if entry else self.kernel,
            grid=self.grid,
            block=self.block,
            dynamic_shared=self.dynamic_shared,
            args=arguments.tables,
        )
        names = LaunchNames(self.ptx, self.grid, 0, arguments.views, NUMBA)
        return Described(file.write(folder), self.ptx, file, arguments, names)


def _add(arguments: Arguments, name: str, ty: Any, value: Any) -> None:
    """Adds the parameters of an argument, in the order of Numba's launcher."""
    from numba import types

    if isinstance(ty, types.Array):
        _add_array(arguments, name, value)
    elif isinstance(ty, types.BaseTuple):
        for index, (part_type, part) in enumerate(zip(ty, value)):
            _add(arguments, f"{name}.{index}", part_type, part)
    elif isinstance(ty, types.EnumMember):
        _add(arguments, name, ty.dtype, value.value)
    elif isinstance(ty, types.Boolean):
        arguments.add_scalar(name, "i1", value)
    elif isinstance(ty, types.Integer):
        arguments.add_scalar(name, f"{'i' if ty.signed else 'u'}{ty.bitwidth}", value)
    elif isinstance(ty, types.Float):
        arguments.add_scalar(name, f"fp{ty.bitwidth}", value)
    elif isinstance(ty, types.Complex):
        part_type = f"fp{ty.underlying_float.bitwidth}"
        arguments.add_scalar(f"{name}.real", part_type, value.real)
        arguments.add_scalar(f"{name}.imag", part_type, value.imag)
    else:
        raise UnknownArgument(f"argument `{name}`: Warplens cannot pass the type `{ty}` of Numba")


def _add_array(arguments: Arguments, name: str, array: Any) -> None:
    memory, address = memory_of(array)
    for part, number in (("meminfo", 0), ("parent", 0), ("size", array.size), ("itemsize", array.itemsize)):
        arguments.add_scalar(f"{name}.{part}", "i64", number)
    table = arguments.tensor(name, _ELEMENTS.get(array.dtype.str[1:], "b8"), array, memory, address)
    arguments.tables.append({"name": name, **table})
    for part, numbers in (("shape", array.shape), ("strides", array.strides)):
        for axis, number in enumerate(numbers):
            arguments.add_scalar(f"{name}.{part}.{axis}", "i64", number)
