"""Advice names what a kernel in Python can do."""

from __future__ import annotations

import re

import pytest
from support import ROOT
from warplens.advice import ADVICE, in_python

SIMULATOR = ROOT / "server" / "sim" / "cuda" / "src"


def messages() -> str:
    """The source of the simulator, with the literals of several lines in one."""
    files = sorted(SIMULATOR.rglob("*.rs"))
    return "\n".join(re.sub(r"\\\n\s*", "", file.read_text(encoding="utf-8")) for file in files)


def test_the_program_gives_the_advice_that_is_replaced() -> None:
    source = messages()
    assert [advice for advice in ADVICE if advice not in source] == []


@pytest.mark.parametrize(
    ("advice", "expected"),
    [
        ("put a `bar.sync` that all threads execute between the two accesses", "`tl.debug_barrier()`"),
        ("several threads update the address: use `red.add` (`atomicAdd`)", "use `tl.atomic_add`"),
        ("several threads update the address: use `red.max` (`atomicMax`)", "use `tl.atomic_max`"),
        ("wait for the copy with `cp.async.wait_group` or `cp.async.wait_all`", "with `async_copy.wait_group()`"),
        ("with `cp.async.bulk.wait_group.read 0`; a group", "with `tma.store_wait(0)`; a group"),
        ("with `wgmma.wait_group`", "with `warpgroup_mma_wait()`"),
        ("execute `tcgen05.commit` with an mbarrier", "execute `tcgen05_commit` with an mbarrier"),
        ("put `bar.sync` between the initialization", "put `tl.debug_barrier()` between the initialization"),
    ],
)
def test_advice_in_the_words_of_triton(advice: str, expected: str) -> None:
    message = in_python(f"Shared-memory race: `bar.sync` is an instruction\n{advice}\nthread 1 is lane 1")
    headline, second, last = message.split("\n")
    assert (headline, last) == ("Shared-memory race: `bar.sync` is an instruction", "thread 1 is lane 1")
    assert expected in second
    assert in_python("no advice") == "no advice"
