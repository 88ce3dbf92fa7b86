"""Copies between the host and a GPU, although both are the CPU: a tensor that is moved shares no memory with the one
that it was moved from.

What is on the GPU is known by an attribute of its storage: what was made there or moved there, and the results of
functions of such tensors.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

MARK = "_warplens_on_gpu"
# Functions that return what they are given, or share its memory, if its device is right.
MOVES = ("to", "cuda", "cpu", "as_tensor", "asarray")


def destination(name: str, args: Sequence[Any], kwargs: dict[str, Any]) -> str | None:
    """Where a function of torch puts its result, `cuda` or `cpu`, if its arguments say so."""
    if name in ("cuda", "cpu"):
        return name
    device = kwargs.get("device")
    if device is None and name == "to" and len(args) > 1:
        device = args[1]
        if hasattr(device, "untyped_storage"):
            return "cuda" if is_on_gpu(device) else None
    if is_gpu(device):
        return "cuda"
    return "cpu" if str(device) == "cpu" else None


def is_gpu(device: Any) -> bool:
    """Whether a device, in any of the forms that torch takes, is a GPU."""
    if isinstance(device, str):
        return device.split(":")[0] == "cuda"
    return type(device) is int or getattr(device, "type", None) == "cuda"


def moved(name: str, where: str | None, args: Sequence[Any], result: Any) -> Any:
    """What a function returns for its result."""
    tensors = [part for part in _flat([result]) if hasattr(part, "untyped_storage")]
    if not tensors:
        return result
    moves = name in MOVES and where is not None
    from_gpu = any(map(is_on_gpu, _flat(args[:1] if moves else args)))
    if moves and from_gpu != (where == "cuda") and (name in ("as_tensor", "asarray") or result is args[0]):
        result = result.clone()
        tensors = [result]
    if where == "cuda" or (where is None and from_gpu):
        for tensor in tensors:
            put_on_gpu(tensor)
    return result


def put_on_gpu(tensor: Any) -> None:
    storage = _storage(tensor)
    if storage is not None:
        setattr(storage, MARK, True)


def is_on_gpu(value: Any) -> bool:
    return getattr(_storage(value), MARK, False)


def _storage(value: Any) -> Any:
    try:
        return value.untyped_storage() if hasattr(value, "untyped_storage") else None
    except RuntimeError:
        # Sparse tensors and those of transformations have no storage.
        return None


def _flat(values: Iterable[Any]) -> Iterator[Any]:
    for value in values:
        if type(value) in (list, tuple):
            yield from value
        else:
            yield value
