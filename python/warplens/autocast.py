"""`torch.autocast("cuda")` on the CPU: operations take and return the types that they have on a GPU.

torch decides by the device of a tensor what an operation is cast to, so the context switches the casts of the CPU on,
and the operations that only a GPU casts, or casts in another way, get kernels of their own there. The policies are
those of `aten/src/ATen/autocast_mode.h`.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from typing import Any, Callable

# The operations of a GPU by what they are cast to: the lower precision, the widest type of the arguments, or 32 bits
# unless the call names a type. All others are cast to 32 bits.
LOWER = re.compile(
    r"_?convolution|cudnn_.*|prelu|add(mm|mv|r|bmm)|(b|m|baddb)?mm|matmul|einsum|mv|linear|chain_matmul|conv.*"
    r"|linalg_(vecdot|multi_dot)|.*_cell|_cudnn_rnn|_?scaled_dot_product.*"
)
WIDEST = re.compile(r"addcdiv|addcmul|atan2|bilinear|cross|v?dot|grid_sampler|index_put|tensordot|scatter_add")
UNLESS_TYPED = re.compile(r"prod|(log_)?softmax|cumprod|cumsum|linalg_(vector|matrix)_norm|sum")
# What the CPU casts, but in another way, and what it casts although a GPU does not.
DIFFERENT = ("prod", "grid_sampler")
CPU_ONLY = re.compile(r"(reflection|replication)_pad.*|cross_entropy_loss|trace|grid_.*|cat|stack")
RECURRENT = ("lstm", "gru", "rnn_tanh", "rnn_relu")

_library: Any = None


def install(torch: Any) -> Callable[[], None]:
    """Lets the contexts for a GPU work on the CPU; the function that is returned undoes that."""
    context = torch.amp.autocast_mode.autocast
    enter, leave = context.__enter__, context.__exit__

    def __enter__(self: Any) -> Any:  # noqa: N807
        result = enter(self)
        if self.device == "cuda":
            _define_kernels(torch)
            self.former_cpu = torch.is_autocast_enabled("cpu"), torch.get_autocast_dtype("cpu")
            _set(torch, self._enabled, self.fast_dtype)
        return result

    def __exit__(self: Any, *error: Any) -> Any:  # noqa: N807
        if self.device == "cuda":
            _set(torch, *self.former_cpu)
        return leave(self, *error)

    def remove() -> None:
        global _library
        context.__enter__, context.__exit__ = enter, leave
        if _library is not None:
            _library._destroy()
            _library = None

    context.__enter__, context.__exit__ = __enter__, __exit__
    return remove


def _set(torch: Any, enabled: bool, dtype: Any) -> None:
    torch.set_autocast_enabled("cpu", enabled)
    torch.set_autocast_dtype("cpu", dtype)


def _define_kernels(torch: Any) -> None:
    """Defines the casts of the CPU as those of a GPU, once."""
    global _library
    if _library is not None:
        return
    _library = torch.library.Library("aten", "IMPL")
    has_kernel = torch._C._dispatch_has_kernel_for_dispatch_key
    with warnings.catch_warnings():
        # Some of the kernels replace one of torch.
        warnings.simplefilter("ignore")
        for operation in torch._C._dispatch_get_all_op_names():
            namespace, _, name = operation.partition("::")
            name, _, overload = name.partition(".")
            if namespace != "aten":
                continue
            on_cpu, on_gpu = has_kernel(operation, "AutocastCPU"), has_kernel(operation, "AutocastCUDA")
            if on_gpu and (not on_cpu or name in DIFFERENT):
                original = getattr(getattr(torch.ops.aten, name), overload or "default")
                _library.impl(operation, _kernel(torch, name, original), "AutocastCPU")
            elif on_cpu and not on_gpu and CPU_ONLY.fullmatch(name):
                _library.impl(operation, torch.library.fallthrough_kernel, "AutocastCPU")
        for name in RECURRENT:
            for overload in ("input", "data"):
                operation = getattr(getattr(torch.ops.aten, name), overload)
                _library.impl(f"{name}.{overload}", _recurrent_layers(torch, operation), "AutocastCPU")


def _kernel(torch: Any, name: str, operation: Any) -> Callable[..., Any]:
    """An operation that casts its arguments first."""
    wide = torch.float32

    def castable(value: Any) -> bool:
        return isinstance(value, torch.Tensor) and value.is_floating_point() and value.dtype != torch.float64

    def tensors(values: Sequence[Any]) -> list[Any]:
        nested = (part for value in values for part in (value if isinstance(value, (list, tuple)) else [value]))
        return [value for value in nested if castable(value)]

    def target(values: list[Any]) -> Any:
        lower = torch.get_autocast_dtype("cpu")
        if LOWER.fullmatch(name):
            return lower
        if WIDEST.fullmatch(name):
            return wide if any(tensor.dtype == wide for tensor in tensors(values)) else lower
        typed = UNLESS_TYPED.fullmatch(name) and any(isinstance(value, torch.dtype) for value in values)
        return None if typed else wide

    def cast(value: Any, dtype: Any) -> Any:
        if isinstance(value, (list, tuple)):
            return type(value)(cast(part, dtype) for part in value)
        return value.to(dtype) if castable(value) else value

    def kernel(*args: Any, **kwargs: Any) -> Any:
        with _without_casts(torch):
            dtype = target([*args, *kwargs.values()])
            if dtype is not None:
                args = cast(args, dtype)
                kwargs = {key: cast(value, dtype) for key, value in kwargs.items()}
            return operation(*args, **kwargs)

    return kernel


def _recurrent_layers(torch: Any, operation: Any) -> Callable[..., Any]:
    """A recurrent network. Only its results are cast, because many processors cannot compute it in 16 bits."""

    def kernel(*args: Any, **kwargs: Any) -> Any:
        with _without_casts(torch):
            lower = torch.get_autocast_dtype("cpu")
            return tuple(result.to(lower) for result in operation(*args, **kwargs))

    return kernel


def _without_casts(torch: Any) -> Any:
    return torch._C._ExcludeDispatchKeyGuard(torch._C.DispatchKeySet(torch._C.DispatchKey.AutocastCPU))
