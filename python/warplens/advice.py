"""Findings of a kernel in Python name what its author can write: functions of Triton, Gluon or Numba, not instructions.

A message of `warplens sim` has a headline, which tells what happened, and lines with causes and advice.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

_ORDER = (
    "order the two accesses: with `tl.debug_barrier()` (`gl.barrier()` in Gluon) between them, or, if different "
    "partitions of a `warp_specialize` make them, with an mbarrier: arrive only after the first access, and wait "
    "before the second"
)
# What a kernel in Python can do, by the name of the program's advice.
ADVICE = {
    "synchronize-warp": _ORDER,
    "synchronize-block": _ORDER,
    "synchronize-cluster": "synchronize the cluster between the two accesses, in Gluon with `gl.barrier(cluster=True)`",
    "synchronize-grid": (
        "a barrier does not synchronize programs: update with an atomic such as `tl.atomic_add`, set a flag with "
        '`sem="release"` and poll it with `sem="acquire"`, or use a second launch'
    ),
    "acquire": (
        'the flag is read without an acquire: poll it with an atomic with `sem="acquire"`, such as '
        '`tl.atomic_add(flag, 0, sem="acquire")`; a barrier does not order the accesses of other programs'
    ),
    "wider-scope": (
        "the flag orders only threads within the scope of its accesses, which does not include both threads: use "
        '`scope="gpu"` in the release and in the acquire'
    ),
    "distinct-addresses": (
        "the order is unspecified; let the tensor of pointers have each address once, or use an atomic"
    ),
}
# Instructions, as in backticks, and the functions of Triton and Gluon for them.
FUNCTIONS = {
    r"`(?:red|atom)\.(add|min|max|and|or|xor)` \(`atomic\w+`\)": r"`tl.atomic_\1`",
    r"`bar\.sync`": "`tl.debug_barrier()`",
    r"`fence\.proxy\.async\.shared::cta`": "`fence_async_shared()`",
    r"`cp\.async\.bulk\.wait_group(?:\.read)?(?: (\d))?`": r"`tma.store_wait(\1)`",
    r"`cp\.async\.wait_group` or `cp\.async\.wait_all`": "`async_copy.wait_group()`",
    r"`wgmma\.wait_group(?:\.sync\.aligned (\d))?`": r"`warpgroup_mma_wait(\1)`",
    r"`tcgen05\.commit`": "`tcgen05_commit`",
    r"`mbarrier\.try_wait`": "`mbarrier.wait`",
}


@dataclass(frozen=True)
class Words:
    """What authors of kernels write: advice by its name, and functions by the instructions that they stand for."""

    advice: Mapping[str, str]
    functions: Mapping[str, str]


TRITON = Words(ADVICE, FUNCTIONS)
NUMBA = Words(
    {
        "synchronize-warp": "order the two accesses with `cuda.syncwarp()` or `cuda.syncthreads()` between them",
        "synchronize-block": "order the two accesses with `cuda.syncthreads()` between them, in all threads",
        "synchronize-grid": (
            "`cuda.syncthreads()` does not synchronize blocks: update with an atomic such as `cuda.atomic.add`, "
            "or use a second launch"
        ),
        "distinct-addresses": "the order is unspecified; let each thread write an element of its own, or use an atomic",
    },
    {
        r"`(?:red|atom)\.(add|min|max|and|or|xor)` \(`atomic\w+`\)": r"`cuda.atomic.\1`",
        r"`bar\.sync`": "`cuda.syncthreads()`",
        r"`bar\.warp\.sync`": "`cuda.syncwarp()`",
    },
)


def in_python(message: str, advice: dict[str, str] | None = None, words: Words = TRITON) -> str:
    """A message, with the advice of its finding, in the words of an author of kernels."""
    headline, separator, rest = message.partition("\n")
    if advice:
        rest = rest.replace(advice["text"], words.advice.get(advice["name"], advice["text"]))
    for instruction, function in words.functions.items():
        rest = re.sub(instruction, function, rest)
    return headline + separator + rest
