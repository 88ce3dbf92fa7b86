"""Operators of a script that are registered for a GPU, on the CPU (`torch.library`)."""

from __future__ import annotations

import inspect
import warnings
from typing import Any, Callable


def install(torch: Any, in_mode: Callable[[Any], Any]) -> Callable[[], None]:
    """Registers what is meant for a GPU for the CPU too, and runs the functions of operators in the mode of `in_mode`.

    The function that is returned undoes that for what is registered later.
    """
    library = torch.library.Library
    former = library.impl
    on_gpu: set[tuple[str, str]] = set()

    def impl(self: Any, op_name: Any, fn: Any, dispatch_key: str = "", **options: Any) -> None:
        key = dispatch_key or self.dispatch_key
        name = op_name if isinstance(op_name, str) else op_name._name
        name = name.split("::")[-1]
        if key.endswith("CPU") and (name, key) in on_gpu:
            return
        if self.ns != "aten" and inspect.isfunction(fn):
            fn = in_mode(fn)
        former(self, op_name, fn, dispatch_key, **options)
        if key.endswith("CUDA"):
            key = key[: -len("CUDA")] + "CPU"
            on_gpu.add((name, key))
            with warnings.catch_warnings():
                # It may replace what the script has registered for the CPU.
                warnings.simplefilter("ignore")
                former(self, op_name, fn, key, **options)

    def remove() -> None:
        library.impl = former

    library.impl = impl
    for operator in list(getattr(torch._library.custom_ops, "OPDEFS", {}).values()):
        if "cuda" in operator._backend_fns:
            former(operator._lib, operator._name, in_mode(operator._backend_fns["cuda"]), "CPU")
    return remove
