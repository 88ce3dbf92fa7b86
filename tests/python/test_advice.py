"""Advice names what a kernel in Python can do."""

from __future__ import annotations

import pytest
from support import ROOT
from warplens.advice import ADVICE, in_python

NAMES = ROOT / "server" / "sim" / "warp" / "src" / "advice.rs"


def test_the_program_names_the_advice_that_is_replaced() -> None:
    source = NAMES.read_text(encoding="utf-8")
    assert [name for name in ADVICE if f'"{name}"' not in source] == []


def test_named_advice_in_the_words_of_triton() -> None:
    text = "put a `bar.sync` that all threads execute between the two accesses"
    race = f"Shared-memory race: out[1]\nthread 1 wrote it;\n{text}\nthread 1 is lane 1"
    expected = race.replace(text, ADVICE["synchronize-block"])
    assert in_python(race, {"name": "synchronize-block", "text": text}) == expected
    assert in_python(race, {"name": "other", "text": text}) == in_python(race)


@pytest.mark.parametrize(
    ("advice", "expected"),
    [
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
