"""The memory of tensors: the allocation that a tensor lies in, its contents, and where the tensor begins in it."""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from numbers import Number
from pathlib import Path
from typing import Any, Protocol

from .recorded import RecordedTensor


class UnknownMemory(TypeError):
    """An argument whose memory cannot be found."""


class Memory(Protocol):
    """An allocation."""

    @property
    def start(self) -> int:
        """Its first address."""

    @property
    def size(self) -> int:
        """Its bytes."""

    def contents(self) -> memoryview:
        """Its bytes; those of the host are not copied."""

    def load(self, file: Path) -> None:
        """Replaces its bytes with those of a file of this size."""


@dataclass(frozen=True)
class HostMemory:
    """An allocation of this process."""

    start: int
    size: int

    def contents(self) -> memoryview:
        # Memory without bytes may have no address.
        if self.size == 0:
            return memoryview(bytearray())
        return memoryview((ctypes.c_ubyte * self.size).from_address(self.start)).cast("B")

    def load(self, file: Path) -> None:
        with open(file, "rb") as source:
            if source.readinto(self.contents()) != self.size or source.read(1):
                raise ValueError(f"{file} does not have {self.size} bytes")


@dataclass(frozen=True)
class DeviceMemory:
    """An allocation of a GPU, whose contents torch can copy."""

    start: int
    size: int
    storage: Any

    def contents(self) -> memoryview:
        copy = self.storage.cpu()
        # The bytes outlive the copy.
        return memoryview(bytes(HostMemory(copy.data_ptr(), copy.nbytes()).contents()))

    def load(self, file: Path) -> None:
        raise NotImplementedError("the memory of a GPU is only read")


def memory_of(tensor: Any) -> tuple[Memory, int]:
    """The allocation that a tensor lies in, and the address at which the tensor begins."""
    tensor = _unwrapped(tensor)
    if isinstance(tensor, RecordedTensor):
        assert tensor.memory is not None
        return tensor.memory, tensor.address
    if hasattr(tensor, "untyped_storage"):
        storage = tensor.untyped_storage()
        start, size = storage.data_ptr(), storage.nbytes()
        on_gpu = getattr(storage, "device", None) is not None and storage.device.type == "cuda"
        memory: Memory = DeviceMemory(start, size, storage) if on_gpu else HostMemory(start, size)
        return memory, tensor.data_ptr()
    if hasattr(tensor, "__array_interface__"):
        whole = tensor
        while hasattr(getattr(whole, "base", None), "__array_interface__"):
            whole = whole.base
        return HostMemory(_array_start(whole), whole.nbytes), _array_start(tensor)
    kind = type(tensor).__name__
    raise UnknownMemory(
        f"the memory of a {kind} is unknown: it has neither untyped_storage(), as tensors of torch, "
        "nor __array_interface__, as arrays of numpy"
    )


def memories(values: Iterable[Any]) -> Iterator[Memory]:
    """The allocations of the tensors and tensor descriptors among arguments of a launch."""
    for value in values:
        if isinstance(value, (tuple, list)):
            yield from memories(value)
        elif value is not None and not isinstance(value, (Number, str)):
            with contextlib.suppress(UnknownMemory):
                yield memory_of(value)[0]


def _unwrapped(tensor: Any) -> Any:
    """The tensor that a wrapper, such as Triton's for another element type, stands for."""
    while (
        not hasattr(tensor, "untyped_storage")
        and not hasattr(tensor, "__array_interface__")
        and hasattr(tensor, "base")
    ):
        tensor = tensor.base
    return tensor


def _array_start(array: Any) -> int:
    address = array.__array_interface__["data"][0]
    return int(address)
