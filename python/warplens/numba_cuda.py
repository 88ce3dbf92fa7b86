"""numba-cuda without a GPU: kernels of `cuda.jit` are compiled to PTX and simulated."""

from __future__ import annotations

import functools
import inspect
import sys
from types import SimpleNamespace
from typing import Any, Callable

from . import session
from .kernel_source import call_site
from .numba_host import functions
from .numba_launch import NumbaRequest
from .on_import import prepare
from .targets import Target

# Threads of a block of `forall`, which Numba chooses by the occupancy on a GPU.
FORALL_BLOCK = 128


def install(target: Target) -> Callable[[], None]:
    """Prepares numba-cuda, now or when it is imported; the function that is returned undoes that."""
    return prepare("numba.cuda", lambda cuda: _install(cuda, target))


def _install(cuda: Any, target: Target) -> Callable[[], None]:
    device = SimpleNamespace(
        compute_capability=target.capability, id=0, name=target.name.encode(), **target.properties()
    )
    dispatcher = sys.modules["numba.cuda.dispatcher"].CUDADispatcher
    changes: list[tuple[Any, str, Any]] = [
        (dispatcher, "configure", _configure),
        (dispatcher, "forall", _forall),
        (dispatcher, "compile", _declare),
        (dispatcher, "disable_compile", lambda self, val=True: None),
        (dispatcher, "specialize", lambda self, *args: self),
    ]
    for module in [module for name, module in sys.modules.items() if name.startswith("numba.cuda")]:
        if hasattr(module, "get_current_device"):
            changes.append((module, "get_current_device", lambda: device))
    changes += [(cuda, name, function) for name, function in functions(device).items()]
    former = [(owner, name, getattr(owner, name, None)) for owner, name, _ in changes]
    for owner, name, value in changes:
        setattr(owner, name, value)

    def remove() -> None:
        for owner, name, value in former:
            setattr(owner, name, value)

    return remove


def _configure(kernel: Any, griddim: Any, blockdim: Any, stream: Any = 0, sharedmem: int = 0) -> Callable[..., None]:
    """A kernel with its grid and block, as `kernel[grid, block]` gives it."""
    normalize = sys.modules["numba.cuda.errors"].normalize_kernel_dimensions
    grid, block = normalize(griddim, blockdim)
    return functools.partial(_launch, kernel, grid, block, sharedmem)


def _forall(kernel: Any, ntasks: int, tpb: int = 0, stream: Any = 0, sharedmem: int = 0) -> Callable[..., None]:
    block = tpb or FORALL_BLOCK
    return functools.partial(_launch, kernel, (-(-ntasks // block), 1, 1), (block, 1, 1), sharedmem)


def _declare(kernel: Any, signature: Any) -> None:
    """Keeps the types of a kernel that are declared with it, which it is compiled for when it is launched."""
    types = sys.modules["numba"].types
    from numba.core import sigutils

    argument_types = signature if isinstance(signature, tuple) else sigutils.normalize_signature(signature)[0]
    kernel.__dict__.setdefault("_declared_types", []).append(tuple(types.unliteral(ty) for ty in argument_types))


def _launch(kernel: Any, grid: tuple[int, int, int], block: tuple[int, int, int], shared: int, *args: Any) -> None:
    current = session.current()
    if current is None:
        raise RuntimeError("Warplens is no longer active: launch kernels inside of `warplens.triton.simulate()`")
    types = _types(kernel, tuple(_type_of(kernel, value) for value in args))
    function = kernel.py_func
    names = list(inspect.signature(function).parameters)
    ptx = _compiled(kernel, types, current.target)
    current.run(NumbaRequest(function.__name__, ptx, grid, block, shared, names, types, args), call_site())


def _types(kernel: Any, given: tuple[Any, ...]) -> tuple[Any, ...]:
    """The types that a kernel is compiled for: those that are declared with it, if there are any."""
    declared = kernel.__dict__.get("_declared_types")
    if not declared:
        return given
    for types in declared:
        if len(types) == len(given) and all(map(_takes, types, given)):
            return tuple(types)
    raise TypeError(f"No matching definition for argument type(s) {', '.join(map(str, given))}")


def _takes(declared: Any, given: Any) -> bool:
    """Whether a parameter takes an argument. Numbers are converted, arrays are not."""
    array = sys.modules["numba"].types.Array
    if not (isinstance(declared, array) and isinstance(given, array)):
        return isinstance(declared, array) == isinstance(given, array)
    same = (declared.dtype, declared.ndim) == (given.dtype, given.ndim)
    return same and declared.layout in ("A", given.layout)


def _type_of(kernel: Any, value: Any) -> Any:
    import numpy as np

    return kernel.typeof_pyval(value.view(np.ndarray) if isinstance(value, np.ndarray) else value)


def _compiled(kernel: Any, types: tuple[Any, ...], target: Target) -> str:
    """The PTX of a kernel, which it keeps."""
    compiled: dict[Any, str] = kernel.__dict__.setdefault("_warplens_ptx", {})
    key = (types, target.arch)
    if kernel.targetoptions.get("link"):
        raise NotImplementedError(
            f"Warplens does not link files into a kernel, as `{kernel.py_func.__name__}` asks for"
        )
    if key not in compiled:
        options = {name: kernel.targetoptions.get(name) for name in ("fastmath", "opt", "launch_bounds")}
        compile_ptx = sys.modules["numba.cuda"].compile_ptx
        compiled[key], _ = compile_ptx(kernel.py_func, types, cc=target.capability, lineinfo=True, **options)
    return compiled[key]
