"""Programs of torch that are written for a GPU, on the CPU: the device "cuda" is the CPU, and `torch.cuda` says that
there is a device.

Memory of `torch.empty` and its kin has no values until something is written there.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Sequence
from types import ModuleType, SimpleNamespace
from typing import Any, Callable

from . import autocast, uninitialized
from .memory import HostMemory, memory_of
from .targets import Target
from .triton_driver import Event

NAME = "Warplens"
# What `torch.cuda` says about the memory of the device.
TOTAL_MEMORY = 80 << 30


def install(target: Target) -> Callable[[], None]:
    """Prepares torch, now or when it is imported; the function that is returned undoes that."""
    undo: list[Callable[[], None]] = []
    if "torch" in sys.modules:
        undo.append(_install(sys.modules["torch"], target))
    else:
        finder = _OnImport(lambda torch: undo.append(_install(torch, target)))
        sys.meta_path.insert(0, finder)
        undo.append(finder.remove)

    def remove() -> None:
        for function in reversed(undo):
            function()

    return remove


def _install(torch: Any, target: Target) -> Callable[[], None]:
    """Prepares torch; the function that is returned undoes that."""
    mode = _mode(torch)
    mode.__enter__()
    replacements = [
        (torch.cuda, name, value) for name, value in _cuda_functions(target).items() if hasattr(torch.cuda, name)
    ]
    replacements.append((torch, "Generator", _generator(torch)))
    former = [(owner, name, getattr(owner, name)) for owner, name, _ in replacements]
    for owner, name, value in replacements:
        setattr(owner, name, value)

    remove_autocast = autocast.install(torch)

    def remove() -> None:
        remove_autocast()
        for owner, name, value in former:
            setattr(owner, name, value)
        mode.__exit__(None, None, None)

    return remove


def _mode(torch: Any) -> Any:
    """A mode of torch in which the device "cuda" is the CPU."""
    from torch.overrides import TorchFunctionMode

    empty = _functions_of_empty_memory(torch)
    is_cuda = torch.Tensor.is_cuda.__get__

    def is_gpu(device: Any) -> bool:
        if isinstance(device, torch.device):
            return bool(device.type == "cuda")
        return device.split(":")[0] == "cuda" if isinstance(device, str) else type(device) is int

    class CudaOnCpu(TorchFunctionMode):  # type: ignore[misc]
        def __torch_function__(
            self, function: Any, types: Any, args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None
        ) -> Any:
            kwargs = dict(kwargs or {})
            if function == is_cuda:
                return True
            name = getattr(function, "__name__", "")
            if name in ("cuda", "pin_memory"):
                return args[0]
            for key in ("device", "map_location"):
                if kwargs.get(key) is not None and is_gpu(kwargs[key]):
                    kwargs[key] = "cpu"
            kwargs.pop("pin_memory", None)
            if name == "to" and len(args) > 1 and is_gpu(args[1]):
                args = (args[0], "cpu", *args[2:])
            result = function(*args, **kwargs)
            if function in empty and kwargs.get("out") is None:
                _mark(torch, result)
            return result

    return CudaOnCpu()


def _functions_of_empty_memory(torch: Any) -> list[Any]:
    names = ("empty", "empty_like", "empty_strided", "empty_permuted")
    methods = ("new_empty", "new_empty_strided")
    return [getattr(torch, name) for name in names] + [getattr(torch.Tensor, name) for name in methods]


def _mark(torch: Any, tensor: Any) -> None:
    """Marks new memory as uninitialized, if it is memory of the host."""
    if type(tensor) is not torch.Tensor or tensor.device.type != "cpu" or tensor.layout != torch.strided:
        return
    try:
        memory, _ = memory_of(tensor)
    except RuntimeError:
        # Tensors of transformations, such as vmap, have no memory of their own.
        return
    if isinstance(memory, HostMemory):
        uninitialized.mark(memory, 0, memory.size)


def _cuda_functions(target: Target) -> dict[str, Any]:
    """What takes the place of attributes of `torch.cuda`."""

    def constant(value: Any) -> Callable[..., Any]:
        return lambda *args, **kwargs: value

    properties = SimpleNamespace(
        name=NAME,
        major=target.capability[0],
        minor=target.capability[1],
        total_memory=TOTAL_MEMORY,
        multi_processor_count=target.multiprocessors,
        warp_size=32,
        shared_memory_per_block_optin=target.shared_memory,
        max_threads_per_multi_processor=2048,
        regs_per_multiprocessor=65_536,
        L2_cache_size=50 << 20,
        is_integrated=False,
    )
    stream = _Stream()
    nothing = (
        "synchronize",
        "set_device",
        "empty_cache",
        "manual_seed",
        "manual_seed_all",
        "init",
        "reset_peak_memory_stats",
        "set_stream",
    )
    zero = ("current_device", "memory_allocated", "max_memory_allocated", "memory_reserved", "max_memory_reserved")
    functions: dict[str, Any] = {**{name: constant(None) for name in nothing}, **{name: constant(0) for name in zero}}
    functions.update(
        is_available=constant(True),
        is_initialized=constant(True),
        is_bf16_supported=constant(True),
        device_count=constant(1),
        get_device_capability=constant(target.capability),
        get_device_properties=constant(properties),
        get_device_name=constant(NAME),
        mem_get_info=constant((TOTAL_MEMORY, TOTAL_MEMORY)),
        current_stream=constant(stream),
        default_stream=constant(stream),
        stream=_Block,
        device=_Block,
        Stream=_Stream,
        Event=Event,
    )
    return functions


def _generator(torch: Any) -> Any:
    former = torch.Generator

    class Generator(former):  # type: ignore[misc,valid-type]
        def __new__(cls, device: Any = "cpu") -> Any:
            return former.__new__(cls, "cpu" if torch.device(device).type == "cuda" else device)

    return Generator


class _Block:
    """A context with a device or a stream, of which there is one."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Options are those of the contexts of torch."""

    def __enter__(self) -> _Block:
        return self

    def __exit__(self, *error: Any) -> None:
        """Nothing was changed."""


class _Stream(_Block):
    """The stream. Launches are finished when they return."""

    cuda_stream = 0
    device = "cpu"

    def synchronize(self, *others: Any) -> None:
        """Launches are finished when they return."""

    wait_stream = wait_event = synchronize

    def record_event(self, event: Any = None) -> Any:
        return event or Event()

    def query(self) -> bool:
        return True


class _OnImport(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Calls a function when torch has been imported."""

    def __init__(self, function: Callable[[ModuleType], None]) -> None:
        self._function = function
        self._loader: Any = None

    def remove(self) -> None:
        if self in sys.meta_path:
            sys.meta_path.remove(self)

    def find_spec(self, name: str, path: Any, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        if name != "torch":
            return None
        self.remove()
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            self._loader, spec.loader = spec.loader, self
        return spec

    def create_module(self, spec: Any) -> Any:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        module.__loader__ = self._loader
        self._loader.exec_module(module)
        self._function(module)
