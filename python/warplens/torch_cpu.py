"""Programs of torch that are written for a GPU, on the CPU: the device "cuda" is the CPU, and `torch.cuda` says that
there is a device.

Memory of `torch.empty` and its kin has no values until something is written there.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, Callable

from . import autocast, torch_cuda, torch_operators, transfers, uninitialized
from .memory import HostMemory, memory_of
from .on_import import prepare
from .targets import Target
from .transfers import is_gpu


def install(target: Target) -> Callable[[], None]:
    """Prepares torch, now or when it is imported; the function that is returned undoes that."""
    return prepare("torch", lambda torch: _install(torch, target))


# Whether the device "cuda" is the CPU. A block inside of another one only changes what torch says about the device.
_is_installed = False


def _install(torch: Any, target: Target) -> Callable[[], None]:
    """Prepares torch; the function that is returned undoes that."""
    undo = [] if _is_installed else [_install_device(torch)]
    undo.append(_replace(torch_cuda.replacements(torch, target)))

    def remove() -> None:
        for function in reversed(undo):
            function()

    return remove


def _install_device(torch: Any) -> Callable[[], None]:
    """Makes the device "cuda" the CPU; the function that is returned undoes that."""
    global _is_installed
    _is_installed = True
    mode = _mode(torch)
    mode.__enter__()
    changes = [
        *_on_cpu(torch),
        (torch, "Generator", _generator(torch)),
        (threading.Thread, "start", _start_in(mode)),
        *_code_of_the_script(torch, mode),
    ]
    undo = [
        _replace(changes),
        autocast.install(torch),
        torch_operators.install(torch, functools.partial(_in_mode, mode)),
    ]

    def remove() -> None:
        global _is_installed
        for function in reversed(undo):
            function()
        mode.__exit__(None, None, None)
        _is_installed = False

    return remove


def _replace(changes: Sequence[torch_cuda.Replacement]) -> Callable[[], None]:
    """Replaces attributes; the function that is returned undoes that."""
    former = [(owner, name, getattr(owner, name)) for owner, name, _ in changes]
    for owner, name, value in changes:
        setattr(owner, name, value)

    def restore() -> None:
        for owner, name, value in reversed(former):
            setattr(owner, name, value)

    return restore


def _mode(torch: Any) -> Any:
    """A mode of torch in which the device "cuda" is the CPU."""
    from torch.overrides import TorchFunctionMode

    empty = _functions_of_empty_memory(torch)
    cuda = torch.device("cuda", 0)
    # What a tensor says about its device.
    answers = {torch.Tensor.is_cuda.__get__: True, torch.Tensor.is_cpu.__get__: False, torch.Tensor.get_device: 0}
    device_of = torch.Tensor.device.__get__

    class CudaOnCpu(TorchFunctionMode):  # type: ignore[misc]
        def __torch_function__(
            self, function: Any, types: Any, args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None
        ) -> Any:
            if function in answers:
                return answers[function]
            if function == device_of:
                device = function(*args)
                return cuda if device.type == "cpu" else device
            name = getattr(function, "__name__", "")
            if name == "pin_memory":
                return args[0]
            kwargs = kwargs or {}
            where = transfers.destination(name, args, kwargs)
            if not _is_operator_of_script(function):
                args, kwargs = _arguments_on_cpu(name, args, kwargs)
            result = args[0] if name == "cuda" else function(*args, **kwargs)
            result = transfers.moved(name, where, args, result)
            if function in empty and kwargs.get("out") is None:
                _mark(torch, result)
            return result

    return CudaOnCpu()


def _is_operator_of_script(function: Any) -> bool:
    """Whether it is an operator that is not of torch: it gets its arguments as they are."""
    name = getattr(function, "_qualified_op_name", None) or getattr(function, "_name", None)
    return isinstance(name, str) and "::" in name and not name.startswith("aten::")


def _arguments_on_cpu(name: str, args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[Sequence[Any], dict[str, Any]]:
    """The arguments of a function of torch, with the CPU for a GPU."""
    kwargs = {key: "cpu" if key == "device" and is_gpu(value) else value for key, value in kwargs.items()}
    kwargs.pop("pin_memory", None)
    if name == "to" and len(args) > 1 and is_gpu(args[1]):
        args = (args[0], "cpu", *args[2:])
    if name == "type" and len(args) > 1 and isinstance(args[1], str):
        args = (args[0], args[1].replace("torch.cuda.", "torch."), *args[2:])
    return args, kwargs


def _on_cpu(torch: Any) -> list[torch_cuda.Replacement]:
    """Functions that make tensors, and that a mode does not see."""

    def on_cpu(former: Any) -> Any:
        @functools.wraps(former)
        def make(*args: Any, **kwargs: Any) -> Any:
            return former(*args, **_arguments_on_cpu("", (), kwargs)[1])

        return make

    def load(f: Any, map_location: Any = None, *args: Any, **kwargs: Any) -> Any:
        # The devices of a file may be those of any machine.
        return former_load(f, "cpu", *args, **kwargs)

    from torch.utils._device import DeviceContext

    former_load = torch.load
    functions = ("nested_tensor", "as_nested_tensor")
    return [
        (torch.UntypedStorage, "_new_shared", on_cpu(torch.UntypedStorage._new_shared)),
        (torch, "load", functools.wraps(former_load)(load)),
        (DeviceContext, "__torch_function__", _in_context(torch, DeviceContext.__torch_function__)),
        *[(torch.nested, name, on_cpu(getattr(torch.nested, name))) for name in functions],
    ]


def _in_context(torch: Any, former: Any) -> Any:
    """The context of a default device, below the mode."""
    from torch.utils._device import _device_constructors

    cpu = SimpleNamespace(device=torch.device("cpu"))

    def function_on_device(
        self: Any, function: Any, types: Any, args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        if self.device.type != "cuda":
            return former(self, function, types, args, kwargs)
        result = former(cpu, function, types, args, kwargs)
        made = function in _device_constructors() and (kwargs or {}).get("device") is None
        return transfers.moved(function.__name__, "cuda", args, result) if made else result

    return function_on_device


def _in_mode(mode: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that torch calls, with the mode: torch leaves it for what a function of torch does inside."""
    from torch.overrides import _get_current_function_mode_stack

    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        if mode in _get_current_function_mode_stack():
            return function(*args, **kwargs)
        with mode:
            return function(*args, **kwargs)

    return run


def _code_of_the_script(torch: Any, mode: Any) -> list[torch_cuda.Replacement]:
    """Functions of torch that call functions of the script: gradients."""
    name = "_engine_run_backward"
    modules = [module for module in (torch.autograd, torch.autograd.graph) if hasattr(module, name)]
    return [(module, name, _in_mode(mode, getattr(module, name))) for module in modules]


def _start_in(mode: Any) -> Any:
    """Starts a thread, which has modes of its own."""
    former = threading.Thread.start

    def start(thread: threading.Thread) -> None:
        thread.run = _in_mode(mode, thread.run)  # type: ignore[method-assign]
        former(thread)

    return start


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


def _generator(torch: Any) -> Any:
    former = torch.Generator

    class Generator(former):  # type: ignore[misc,valid-type]
        def __new__(cls, device: Any = "cpu") -> Any:
            return former.__new__(cls, "cpu" if torch.device(device).type == "cuda" else device)

    return Generator
