"""What replaces the functions of `numba.cuda` that need a driver. Arrays of the device are arrays of numpy."""

from __future__ import annotations

import contextlib
from types import SimpleNamespace
from typing import Any, Callable

from . import uninitialized
from .memory import HostMemory, memory_of
from .triton_driver import Event


def functions(device: Any) -> dict[str, Callable[..., Any]]:
    """The functions by their names in `numba.cuda`."""
    import numpy as np

    class DeviceArray(np.ndarray):
        """An array of the device."""

        def copy_to_host(self, ary: Any = None, stream: Any = 0) -> Any:
            """The values as an array of the host, or copied into one."""
            if ary is None:
                return np.array(self, subok=False, order="K")
            ary[...] = self
            return ary

        def copy_to_device(self, ary: Any, stream: Any = 0) -> None:
            """Copies the values of another array into this one."""
            self[...] = np.asarray(ary)

    def to_device(obj: Any, stream: Any = 0, copy: bool = True, to: Any = None) -> Any:
        values = np.asarray(obj)
        array = np.empty_like(values, subok=False).view(DeviceArray) if to is None else to
        if copy:
            array[...] = values
        return None if to is not None else array

    def device_array(
        shape: Any, dtype: Any = np.float64, strides: Any = None, order: Any = "C", stream: Any = 0
    ) -> Any:
        array = np.empty(shape, dtype, order).view(DeviceArray)
        memory, _ = memory_of(array)
        if isinstance(memory, HostMemory):
            uninitialized.mark(memory, 0, memory.size)
        return array

    def device_array_like(ary: Any, stream: Any = 0) -> Any:
        return device_array(ary.shape, ary.dtype, order="F" if ary.flags.f_contiguous and ary.ndim > 1 else "C")

    def host_array(shape: Any, dtype: Any = np.float64, strides: Any = None, order: Any = "C", **kwargs: Any) -> Any:
        return np.zeros(shape, dtype, order).view(DeviceArray)

    def nothing(*args: Any, **kwargs: Any) -> None:
        """Launches are finished when they return."""

    stream = SimpleNamespace(synchronize=nothing, auto_synchronize=nothing, handle=0)
    return {
        "to_device": to_device,
        "device_array": device_array,
        "device_array_like": device_array_like,
        "pinned_array": host_array,
        "mapped_array": host_array,
        "managed_array": host_array,
        "is_available": lambda: True,
        "stream": lambda: stream,
        "default_stream": lambda: stream,
        "event": lambda timing=True: Event(),
        "get_current_device": lambda: device,
        "select_device": lambda device_id: device,
        "pinned": lambda *arrays: contextlib.nullcontext(),
        "mapped": lambda *arrays, **kwargs: contextlib.nullcontext(arrays if len(arrays) > 1 else arrays[0]),
        "defer_cleanup": contextlib.nullcontext,
        "synchronize": nothing,
        "close": nothing,
    }
