"""A driver for Triton that simulates launches: Triton compiles a kernel to PTX as for a GPU, and stops there."""

from __future__ import annotations

import functools
import os
import sys
from typing import Any, Callable

from . import notes, session
from .kernel_source import call_site
from .targets import Target
from .triton_launch import Request, cached_ptx

# Registers of a thread, which only an assembler knows. Persistent kernels compute their grid from it.
REGISTERS = 32
CACHE = "TRITON_CACHE_DIR"


class Launcher:
    """Launches a compiled kernel in the current session. Its form is that of the launchers of Triton's backends."""

    def __init__(self, source: Any, metadata: Any) -> None:
        self.source, self.metadata = source, metadata

    def __call__(
        self,
        grid_x: int,
        grid_y: int,
        grid_z: int,
        stream: int,
        function: str | None,
        kernel_metadata: Any,
        launch_metadata: Any,
        enter_hook: Callable[[Any], None] | None,
        exit_hook: Callable[[Any], None] | None,
        *values: Any,
    ) -> None:
        current = session.current()
        if current is None:
            raise RuntimeError(
                f"`{self.metadata.name}` was compiled for Warplens, which is no longer active: "
                "launch it inside of `warplens.triton.simulate()`"
            )
        if enter_hook is not None:
            enter_hook(launch_metadata)
        ptx = function if function is not None else cached_ptx(self.metadata)
        request = Request(self.source, self.metadata, ptx, (grid_x, grid_y, grid_z), values)
        current.run(request, call_site(), _allocate)
        if exit_hook is not None:
            exit_hook(launch_metadata)


def _allocate(request: Request) -> dict[str, Any]:
    """The scratch memory of a launch, from the allocators that the script has set, as on a GPU."""
    from triton.runtime import _allocation

    scratch: dict[str, Any] = {}
    size, align = request.scratch("global")
    if size:
        scratch["global"] = _allocation._allocator.get()(size, align, 0)
    size, align = request.scratch("profile")
    if size and _allocation.has_profile_allocator():
        scratch["profile"] = _allocation._profile_allocator.get()(size, align, 0)
    return scratch


class Utils:
    """What Triton asks of a device, and how it loads a kernel."""

    def __init__(self, target: Target) -> None:
        self._target = target

    def get_device_properties(self, device: Any) -> dict[str, int]:
        return self._target.properties()

    def load_binary(self, name: str, kernel: bytes, shared: int, device: Any) -> tuple[int, str | None, int, int, int]:
        """The module, the function, its registers, its spilled registers, and the most threads of a block.

        The function is the PTX, unless something has removed the hook, so that the kernel was assembled.
        """
        return 1, None if kernel.startswith(b"\x7fELF") else kernel.decode(), REGISTERS, 0, 1024

    def unload_module(self, module: Any) -> None:
        """There is none."""

    def set_printf_fifo_size(self, size: int) -> None:
        """The output of a kernel is not limited by a queue."""


class Event:
    """An event of a stream. Nothing is measured without a GPU."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Options are those of an event of torch."""

    def record(self, *stream: Any) -> None:
        """Launches are finished when they return."""

    wait = synchronize = record

    def query(self) -> bool:
        return True

    def elapsed_time(self, end: Event) -> float:
        return 1.0


class DeviceInterface:
    """What Triton uses of `torch.cuda`."""

    Event = Event

    def synchronize(self, *device: Any) -> None:
        """Launches are finished when they return."""

    set_device = synchronize

    def current_stream(self, *device: Any) -> int:
        return 0

    def current_device(self) -> int:
        return 0


class Driver:
    """A driver of Triton for a device that is simulated.

    Kernels that were compiled for another target or a real device are not taken for its own, because its number is the
    target.
    """

    launcher_cls = Launcher

    def __init__(self, target: Target) -> None:
        self.target, self.utils = target, Utils(target)

    def get_current_target(self) -> Any:
        from triton.backends.compiler import GPUTarget

        return GPUTarget("cuda", self.target.arch, 32)

    def get_current_device(self) -> int:
        return self.target.arch

    def set_current_device(self, device: Any) -> None:
        """There is one device."""

    def get_current_stream(self, device: Any) -> int:
        return 0

    def get_device_capability(self, device: Any = None) -> tuple[int, int]:
        return self.target.capability

    def get_device_interface(self) -> Any:
        return DeviceInterface()

    def get_active_torch_device(self) -> Any:
        torch = sys.modules.get("torch")
        return torch.device("cuda", 0) if torch else "cuda"

    def map_python_to_cpp_type(self, ty: str) -> str:
        return ty

    def get_empty_cache_for_benchmark(self) -> None:
        return None

    def clear_cache(self, cache: None) -> None:
        """There is no cache to clear."""

    def get_benchmarker(self) -> Callable[..., list[float]]:
        """All configurations of a kernel are equally fast, so that the first one is taken."""

        def benchmark(kernel_call: Callable[[], Any], *, quantiles: list[float], **options: Any) -> list[float]:
            notes.once("autotune takes the first configuration: nothing is measured without a GPU")
            return [1.0] * len(quantiles)

        return benchmark


class Installed:
    """Triton while it uses the driver, until it is removed."""

    def __init__(self, target: Target) -> None:
        from triton import knobs, testing
        from triton.runtime import driver

        self._driver, self._former = driver, getattr(driver, "_active", None)
        self._knobs, self._hook = knobs, knobs.runtime.add_stages_inspection_hook
        self._cache = os.environ.get(CACHE)
        self._testing = {name: getattr(testing, name) for name in BENCHMARKS if hasattr(testing, name)}
        # What autotune keeps between runs must not be taken for a measurement on a GPU.
        own_cache = os.path.join(knobs.cache.dir, "warplens")
        os.environ[CACHE] = self._cache if self._cache and self._cache.endswith("warplens") else own_cache
        knobs.runtime.add_stages_inspection_hook = functools.partial(_stop_at_ptx, self._hook)
        for name in self._testing:
            setattr(testing, name, _no_benchmark)
        driver.set_active(Driver(target))

    def remove(self) -> None:
        from triton import testing

        self._driver.set_active(self._former)
        self._knobs.runtime.add_stages_inspection_hook = self._hook
        for name, function in self._testing.items():
            setattr(testing, name, function)
        if self._cache is None:
            del os.environ[CACHE]
        else:
            os.environ[CACHE] = self._cache


BENCHMARKS = ("do_bench", "do_bench_cudagraph", "do_bench_cudagraph_proton", "do_bench_proton")


def _no_benchmark(
    fn: Callable[[], Any], *args: Any, quantiles: list[float] | None = None, return_mode: str = "mean", **kwargs: Any
) -> Any:
    """Stands for the benchmarks of `triton.testing`: calls nothing, and returns NaN for each time."""
    notes.once("benchmarks do not run and return NaN: nothing is measured without a GPU")
    if quantiles is not None:
        return [float("nan")] * len(quantiles)
    return [float("nan")] if return_mode == "all" else float("nan")


def _stop_at_ptx(former: Any, backend: Any = None, stages: Any = None, *rest: Any) -> tuple[str, str] | None:
    """A hook of Triton for the stages of its compiler, whose machine code becomes the PTX.

    Called without stages, it returns a key and its hash for the caches.
    """
    if stages is None:
        key = "warplens" if former is None else f"warplens {former()[0]}"
        return key, repr(key)
    if former is not None:
        former(backend, stages, *rest)
    stages["cubin"] = lambda ptx, metadata: ptx.encode()
    return None
