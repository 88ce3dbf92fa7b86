"""Findings in the terms of a launch of Triton: programs in place of blocks, indices of tensors, and Python lines."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .advice import TRITON, Words
from .kernel_source import source_line

_BLOCK = re.compile(r"\bblock \((\d+),(\d+),(\d+)\)")
_THREAD_OF = re.compile(r"\bthread \(\d+,\d+,\d+\) of (?=program )")
_LANES_OF = re.compile(r"^thread .* is lane \d+ of warp \d+$")


@dataclass(frozen=True)
class View:
    """A tensor in its memory. The offset and the strides are in elements."""

    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]

    @staticmethod
    def of(tensor: Any, offset: int) -> View | None:
        """The view of a tensor that begins at this byte of its memory; `None` if it does not tell its shape."""
        shape = getattr(tensor, "shape", None)
        if shape is None:
            return None
        if hasattr(tensor, "element_size"):
            width, strides = tensor.element_size(), tensor.stride()
        elif hasattr(tensor, "itemsize"):
            width = tensor.itemsize
            strides = [stride // width for stride in tensor.strides]
        else:
            return None
        return View(offset // width, tuple(map(int, shape)), tuple(map(int, strides)))

    def index(self, element: int) -> tuple[int, ...] | None:
        """The index in the tensor of an element of its memory, if it has one."""
        rest = element - self.offset
        index = [0] * len(self.shape)
        for axis in sorted(range(len(self.shape)), key=lambda axis: self.strides[axis], reverse=True):
            stride = self.strides[axis]
            if stride > 0:
                index[axis], rest = divmod(rest, stride)
        is_inside = all(0 <= at < size for at, size in zip(index, self.shape))
        return tuple(index) if rest == 0 and is_inside else None


@dataclass(frozen=True)
class LaunchNames:
    """How a launch names its blocks, the elements of its tensors, and the lines of its PTX."""

    ptx: str
    grid: tuple[int, int, int]
    # The blocks of a program; 0 if there are no programs.
    cluster: int = 1
    # The tensors by the names of their buffers.
    views: Mapping[str, View] = field(default_factory=dict)
    words: Words = TRITON

    def named(self, report: dict[str, Any]) -> dict[str, Any]:
        """A finding that `warplens sim` reports, with a `source` for each related line."""
        headline, *details = self._text(report["message"]).split("\n")
        between_programs = "program " in headline
        if between_programs:
            details = [line for line in details if not _LANES_OF.match(line)]
        named = {**report, "message": "\n".join([headline, *details])}
        if "cta" in report and self.cluster == 1:
            named["program"] = report["cta"][: self._axes]
        if "related" in report:
            named["related"] = [self._related(related, between_programs) for related in report["related"]]
        return named

    def _related(self, related: dict[str, Any], between_programs: bool) -> dict[str, Any]:
        message = self._text(related["message"])
        if between_programs:
            message = _THREAD_OF.sub("", message)
        source = source_line(self.ptx, related["line"])
        return {**related, "message": message, **({"source": source} if source else {})}

    def _text(self, text: str) -> str:
        if self.cluster == 1:
            text = _BLOCK.sub(lambda match: program_name(match.groups()[: self._axes]), text)
        return re.sub(r"(?<![\w.])([\w.]+)\[(\d+)\]", self._element, text)

    def _element(self, match: re.Match[str]) -> str:
        view = self.views.get(match.group(1))
        index = view.index(int(match.group(2))) if view is not None else None
        return match.group(0) if index is None else f"{match.group(1)}[{', '.join(map(str, index))}]"

    @property
    def _axes(self) -> int:
        """The axes of the grid that programs are counted along."""
        return max((axis + 1 for axis, size in enumerate(self.grid) if size > 1), default=1)


def program_name(index: Sequence[Any]) -> str:
    """`program 3`, or `program (3, 1)` in a grid of several axes."""
    return f"program {index[0]}" if len(index) == 1 else f"program ({', '.join(map(str, index))})"
