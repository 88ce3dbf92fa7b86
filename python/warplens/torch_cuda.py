"""What takes the place of `torch.cuda` and `torch.accelerator`: there is one device, and no call waits for it.

What cannot be done without a GPU is refused in a sentence.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import os
import re
from collections import defaultdict
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, Callable

from .targets import Target
from .triton_driver import Event

NAME = "Warplens"
# What `torch.cuda` says about the memory of the device.
TOTAL_MEMORY = 80 << 30

# An attribute of a module or a class, and what takes its place.
Replacement = tuple[Any, str, Any]

# Functions that do nothing, and those that return zero.
NOTHING = re.compile(r"(re)?set_.*|empty_.*|synchronize|init|ipc_collect")
ZERO = re.compile(
    r"current_device.*|(max_)?memory_(allocated|reserved|cached|usage)|device_memory_used|get_sync_debug_mode"
    r"|utilization|temperature|power_draw|clock_rate"
)
NVTX = ("range_push", "range_pop", "range_start", "range_end", "mark")


class NotSimulated(NotImplementedError):
    """Something of torch that there is no device for."""


def refuse(what: str, instead: str) -> NotSimulated:
    return NotSimulated(f"Warplens does not simulate {what}: {instead}")


def replacements(torch: Any, target: Target) -> list[Replacement]:
    """What takes the place of attributes of torch that ask for a device, or use it."""
    cuda = torch.cuda
    modules = [cuda, cuda.memory, cuda.random, cuda.streams, cuda.graphs, getattr(torch, "accelerator", cuda)]
    functions = {name: value for module in modules for name in dir(module) if (value := _plain(name)) is not None}
    functions.update(_functions(torch, target))
    found = [(module, name, value) for module in modules for name, value in functions.items() if hasattr(module, name)]
    found += [(cuda, name, _refused(name, getattr(cuda, name))) for name in _needs_a_device(torch, functions)]
    found += [(cuda.nvtx, name, _constant(0)) for name in NVTX]
    found += [(cuda.profiler, name, _constant(None)) for name in ("start", "stop")]
    for name in ("Stream", "Event"):
        found += [(torch, name, functions[name])] if hasattr(torch, name) else []
    profiler = torch.autograd.profiler.profile
    return [
        *found,
        (torch, "compile", _compile),
        (torch.Tensor, "record_stream", _constant(None)),
        (profiler, "__init__", _without_device(profiler.__init__)),
        (torch.backends.cudnn, "is_acceptable", _constant(False)),
        (torch.backends.cudnn, "version", _constant(None)),
        (cuda, "_lazy_init", _lazy_init),
    ]


def _constant(value: Any) -> Callable[..., Any]:
    return lambda *args, **kwargs: value


def _plain(name: str) -> Callable[..., Any] | None:
    if NOTHING.fullmatch(name):
        return _constant(None)
    return _constant(0) if ZERO.fullmatch(name) else None


def _functions(torch: Any, target: Target) -> dict[str, Any]:
    generator = torch.default_generator
    stream, device = Stream(), torch.device("cuda", 0)
    functions = {name: getattr(torch, name) for name in dir(torch.cuda) if name.endswith("Tensor")}
    functions.update(
        is_available=_constant(True),
        is_initialized=_constant(True),
        is_bf16_supported=_constant(True),
        is_tf32_supported=_constant(True),
        is_current_stream_capturing=_constant(False),
        can_device_access_peer=_constant(False),
        device_count=_constant(1),
        current_accelerator=_constant(torch.device("cuda")),
        get_arch_list=_constant([target.name]),
        get_device_capability=_constant(target.capability),
        get_device_properties=_constant(_properties(target)),
        get_device_name=_constant(NAME),
        get_per_process_memory_fraction=_constant(1.0),
        mem_get_info=_constant((TOTAL_MEMORY, TOTAL_MEMORY)),
        get_memory_info=_constant((TOTAL_MEMORY, TOTAL_MEMORY)),
        memory_stats=lambda *args, **kwargs: defaultdict(int),
        host_memory_stats=lambda *args, **kwargs: defaultdict(int),
        memory_summary=_constant("Warplens does not count the memory of tensors."),
        memory_snapshot=_constant([]),
        list_gpu_processes=_constant("no processes are running"),
        cudart=_constant(SimpleNamespace(cudaProfilerStart=_constant(0), cudaProfilerStop=_constant(0))),
        manual_seed=lambda seed: generator.manual_seed(int(seed)) and None,
        manual_seed_all=lambda seed: generator.manual_seed(int(seed)) and None,
        seed=lambda: generator.seed() and None,
        seed_all=lambda: generator.seed() and None,
        initial_seed=lambda: generator.initial_seed(),
        get_rng_state=lambda *args, **kwargs: generator.get_state(),
        get_rng_state_all=lambda: [generator.get_state()],
        set_rng_state=lambda state, *args, **kwargs: generator.set_state(state) and None,
        set_rng_state_all=lambda states: generator.set_state(states[0]) and None,
        default_generators=(generator,),
        current_stream=_constant(stream),
        default_stream=_constant(stream),
        stream=Block,
        StreamContext=Block,
        device=Block,
        device_of=Block,
        device_index=Block,
        Stream=Stream,
        ExternalStream=Stream,
        Event=Event,
    )
    stream.device = device
    return functions


def _properties(target: Target) -> SimpleNamespace:
    return SimpleNamespace(
        name=NAME,
        major=target.capability[0],
        minor=target.capability[1],
        total_memory=TOTAL_MEMORY,
        multi_processor_count=target.multiprocessors,
        warp_size=32,
        shared_memory_per_block=48 << 10,
        shared_memory_per_block_optin=target.shared_memory,
        shared_memory_per_multiprocessor=target.shared_memory + 1024,
        max_threads_per_multi_processor=2048,
        max_threads_per_block=1024,
        regs_per_multiprocessor=65_536,
        L2_cache_size=50 << 20,
        is_integrated=False,
        is_multi_gpu_board=False,
        uuid="00000000-0000-0000-0000-000000000000",
    )


def _needs_a_device(torch: Any, known: dict[str, Any]) -> Iterator[str]:
    """The other functions and classes of `torch.cuda`, without its errors and types of storages."""
    for name in torch.cuda.__all__:
        value = getattr(torch.cuda, name, None)
        ordinary = inspect.isfunction(value) or (inspect.isclass(value) and not issubclass(value, BaseException))
        if ordinary and name not in known and not name.endswith("Storage"):
            yield name


def _refused(name: str, former: Any) -> Any:
    """Stands for a function or a class that needs a device."""

    def refused(*args: Any, **kwargs: Any) -> Any:
        raise refuse(f"`torch.cuda.{name}`", "run the launches without it")

    # A class may stand in annotations.
    return type(name, (), {"__new__": refused}) if inspect.isclass(former) else functools.wraps(former)(refused)


def _lazy_init() -> None:
    raise refuse("this call of torch on a GPU", 'use the device "cpu" here, whose memory kernels use as well')


def _without_device(former: Any) -> Any:
    """A profiler of the host only."""

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
        if kwargs.get("use_device") == "cuda":
            kwargs["use_device"] = None
        former(self, *args, **kwargs)

    return __init__


def _compile(model: Any = None, **options: Any) -> Any:
    """Stands for `torch.compile`: the function that it returns is refused when it is called."""
    if model is None:
        return functools.partial(_compile, **options)
    if options.get("disable") or os.environ.get("TORCH_COMPILE_DISABLE") == "1":
        return model
    why = refuse(
        "`torch.compile`", "with TORCH_COMPILE_DISABLE=1 in the environment the function runs as it is written"
    )
    if not inspect.isroutine(model):
        raise why

    @functools.wraps(model)
    def refused(*args: Any, **kwargs: Any) -> Any:
        raise why

    return refused


class Block(contextlib.ContextDecorator):
    """A context with a device or a stream, of which there is one."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Options are those of the contexts of torch."""

    def __enter__(self) -> Block:
        return self

    def __exit__(self, *error: Any) -> None:
        """Nothing was changed."""


class Stream(Block):
    """The stream. Launches are finished when they return."""

    cuda_stream = stream_id = device_index = priority = 0
    device: Any = "cuda"

    def synchronize(self, *others: Any) -> None:
        """Launches are finished when they return."""

    wait_stream = wait_event = synchronize

    def record_event(self, event: Any = None) -> Any:
        return event or Event()

    def query(self) -> bool:
        return True

    def is_capturing(self) -> bool:
        return False
