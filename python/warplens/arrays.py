"""Arrays of numpy that kernels of Triton take as arguments."""

from __future__ import annotations

import functools
from typing import Any


def array(values: Any, dtype: Any = None) -> Any:
    """The values as an array of numpy that can be passed to a kernel.

    An array of this type is not copied: both share their memory.
    """
    import numpy as np

    return np.asarray(values, dtype).view(_array_type())


@functools.cache
def _array_type() -> Any:
    import numpy as np

    class Array(np.ndarray):
        """An array with what Triton asks of a tensor."""

        def data_ptr(self) -> int:
            """The address of the first element."""
            return int(self.__array_interface__["data"][0])

        def stride(self, dimension: int | None = None) -> Any:
            """The distance between elements by dimension, in elements."""
            strides = tuple(step // self.itemsize for step in self.strides)
            return strides if dimension is None else strides[dimension]

        def is_contiguous(self) -> bool:
            """Whether the elements are in order, without gaps."""
            return bool(self.flags.c_contiguous)

    return Array
