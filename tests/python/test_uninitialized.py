"""Memory without values is recognized by its pattern, and by nothing else."""

from __future__ import annotations

import ctypes
import secrets
from typing import Any

import pytest
from warplens import uninitialized
from warplens.memory import HostMemory
from warplens.uninitialized import PERIOD


def allocation(size: int) -> tuple[Any, HostMemory]:
    """Memory of this size, which lives as long as the first of the two."""
    block = ctypes.create_string_buffer(max(size, 1))
    return block, HostMemory(ctypes.addressof(block), size)


def test_memory_with_values_has_no_ranges() -> None:
    block, memory = allocation(3 * PERIOD)
    other, marked = allocation(16)
    uninitialized.mark(marked, 0, 16)
    assert uninitialized.ranges(memory) == []
    memory.contents()[:] = secrets.token_bytes(memory.size)
    assert uninitialized.ranges(memory) == []
    del block, other


@pytest.mark.parametrize("size", [4, 1000, PERIOD, PERIOD + 4, 3 * PERIOD - 8])
def test_marked_memory_is_one_range(size: int) -> None:
    block, memory = allocation(size)
    uninitialized.mark(memory, 0, size)
    assert uninitialized.ranges(memory) == [(0, size)]
    del block


def test_bytes_behind_the_last_word_are_not_recognized() -> None:
    block, memory = allocation(7)
    uninitialized.mark(memory, 0, 7)
    assert uninitialized.ranges(memory) == [(0, 4)]
    del block


def test_what_is_written_has_values() -> None:
    block, memory = allocation(2 * PERIOD)
    uninitialized.mark(memory, 0, memory.size)
    memory.contents()[8:12] = b"\1\2\3\4"
    memory.contents()[PERIOD - 4 : PERIOD + 6] = bytes(10)
    assert uninitialized.ranges(memory) == [(0, 8), (12, PERIOD - 4), (PERIOD + 8, 2 * PERIOD)]
    del block


def test_a_part_is_marked() -> None:
    block, memory = allocation(3 * PERIOD)
    uninitialized.mark(memory, PERIOD - 8, PERIOD + 100)
    assert uninitialized.ranges(memory) == [(PERIOD - 8, PERIOD + 100)]
    del block


def test_a_copy_has_no_values_either() -> None:
    block, memory = allocation(64)
    other, copy = allocation(64)
    uninitialized.mark(memory, 0, 64)
    copy.contents()[:] = memory.contents()
    assert uninitialized.ranges(copy) == [(0, 64)]
    del block, other


def test_words_are_nans_as_floats() -> None:
    block, memory = allocation(256)
    uninitialized.mark(memory, 0, 256)
    floats = memory.contents().cast("f")
    assert all(value != value for value in floats)
    del block
