"""Memory without values: it is filled with a pattern, and bytes that still have the pattern have never been written.

The pattern depends on the position in an allocation and on a random key, so a copy of such memory is recognized, too.
It is compared by words of
32 bits: an element that is smaller counts as written as soon as another one in its word is. As a 32-bit float, a word
of the pattern is a NaN with a
payload that no computation gives, so values that look like it are improbable.
"""

from __future__ import annotations

import ctypes
import re
import secrets

from .memory import HostMemory, Memory

WORD = 4
# The pattern repeats after this many bytes. A longer one would only cost more to compare.
PERIOD = 1 << 16

_pattern: bytes | None = None
_EQUAL = re.compile(rb"\0{4,}")


def mark(memory: HostMemory, first: int, end: int) -> None:
    """Says that bytes of an allocation have no values until something is written there."""
    global _pattern
    if _pattern is None:
        _pattern = _random_pattern()
    while first < end:
        phase = first % PERIOD
        part = _pattern[phase : phase + end - first]
        ctypes.memmove(memory.start + first, part, len(part))
        first += len(part)


def define(memory: HostMemory) -> None:
    """Gives an allocation values: zeros where it has none."""
    for first, end in ranges(memory):
        ctypes.memset(memory.start + first, 0, end - first)


def ranges(memory: Memory) -> list[tuple[int, int]]:
    """The parts of memory without values: first byte, and the one behind the last, in order and apart."""
    if _pattern is None:
        return []
    contents = memory.contents()
    found: list[tuple[int, int]] = []
    for start in range(0, len(contents), PERIOD):
        for first, end in _equal_parts(contents[start : start + PERIOD], _pattern):
            if found and found[-1][1] == start + first:
                found[-1] = (found[-1][0], start + end)
            else:
                found.append((start + first, start + end))
    return found


def _equal_parts(block: memoryview, pattern: bytes) -> list[tuple[int, int]]:
    """The words of a block that have the pattern, as ranges of bytes."""
    size = len(block) - len(block) % WORD
    block, pattern = block[:size], pattern[:size]
    if block == pattern:
        return [(0, size)] if size else []
    # Where both are equal, the difference is zero: the integers of Python compare the whole block in machine words.
    difference = (int.from_bytes(block, "little") ^ int.from_bytes(pattern, "little")).to_bytes(size, "little")
    if bytes(WORD) not in difference:
        return []
    parts = ((-(-match.start() // WORD) * WORD, match.end() // WORD * WORD) for match in _EQUAL.finditer(difference))
    return [(first, end) for first, end in parts if first < end]


def _random_pattern() -> bytes:
    """Words whose highest 9 bits are those of a positive NaN, and whose other bits are random."""
    pattern = bytearray(secrets.token_bytes(PERIOD))
    for at in range(0, PERIOD, WORD):
        pattern[at + 3] = 0x7F
        pattern[at + 2] |= 0x80
    return bytes(pattern)
