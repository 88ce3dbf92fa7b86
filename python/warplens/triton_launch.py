"""A launch of Triton as a folder: the PTX, the launch file, and the contents of its buffers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .addresses import Replacement, replace_addresses
from .arguments import Arguments
from .kernel_source import source_path, with_source_path
from .launch_file import LaunchFile
from .programs import LaunchNames

_BLOCK = re.compile(r"\.reqntid\s+(\d+)")


@dataclass(frozen=True)
class Request:
    """A launch as Triton hands it to its launcher: what was compiled, the grid, and a value for each parameter of
    the function.
    """

    source: Any
    metadata: Any
    ptx: str
    grid: tuple[int, int, int]
    values: Sequence[Any]
    # The scratch memory that the last parameters point to: Triton before 3.4 has the first kind only.
    scratch_kinds: Sequence[str] = ("global", "profile")

    @property
    def kernel(self) -> str:
        """The name of the entry."""
        return str(self.metadata.name)

    @property
    def blocks(self) -> int:
        """The blocks of the launch."""
        x, y, z = self.grid
        return x * y * z * self.cluster

    @property
    def cluster(self) -> int:
        """The blocks of a cluster."""
        return int(getattr(self.metadata, "num_ctas", 1))

    def describe(self, number: int, folder: Path, scratch: dict[str, Any]) -> Described:
        """Writes a launch into a folder. `scratch` has the `global` and the `profile` memory, if it was allocated."""
        ptx = with_source_path(self.ptx, source_path(self.source))
        arguments = Arguments(folder)
        arguments.add_all(self.source.signature, self.values, getattr(self.metadata, "tensordesc_meta", None) or ())
        for kind in self.scratch_kinds:
            arguments.add_scratch(f"{kind}_scratch", self.scratch(kind)[0], scratch.get(kind))
        ptx, replaced = replace_addresses(arguments, ptx)
        (folder / "kernel.ptx").write_text(ptx, encoding="utf-8")
        x, y, z = self.grid
        block = _BLOCK.search(ptx)
        file = LaunchFile(
            name=f"{self.kernel} #{number}",
            entry=self.kernel,
            grid=(x * self.cluster, y, z),
            block=(int(block.group(1)) if block else 32 * self.metadata.num_warps,),
            dynamic_shared=self.metadata.shared,
            args=arguments.tables,
            cluster=1 if ".reqnctapercluster" in ptx else self.cluster,
            cooperative=bool(getattr(self.metadata, "launch_cooperative_grid", False)),
        )
        names = LaunchNames(ptx, self.grid, self.cluster, arguments.views)
        return Described(file.write(folder), ptx, file, arguments, names, replaced)

    def scratch(self, kind: str) -> tuple[int, int]:
        """The bytes and the alignment of the `global` or `profile` memory that the kernel asks for."""
        size = getattr(self.metadata, f"{kind}_scratch_size", 0) or 0
        return size * self.blocks, getattr(self.metadata, f"{kind}_scratch_align", 1) or 1


@dataclass(frozen=True)
class Described:
    """A launch that was written into a folder."""

    path: Path
    ptx: str
    file: LaunchFile
    arguments: Arguments
    names: LaunchNames
    # Addresses in buffers, which are those of the simulator in the files.
    replaced: list[Replacement] = field(default_factory=list)


def cached_ptx(metadata: Any) -> str:
    """The PTX of a kernel that was compiled to machine code, from Triton's cache."""
    from triton.runtime.cache import get_cache_manager

    name = f"{metadata.name[:150]}.ptx"
    path = get_cache_manager(metadata.hash).get_file(name)
    if path is None:
        raise RuntimeError(f"Triton's cache does not have {name}: unset TRITON_STORE_BINARY_ONLY")
    return Path(path).read_text(encoding="utf-8")


def folder_name(number: int, kernel: str) -> str:
    """The name of the folder of a saved launch."""
    return f"{number:03}-{re.sub(r'[^A-Za-z0-9_.-]', '_', kernel)[:100]}"
