"""Notes about what is different without a GPU, on standard error."""

from __future__ import annotations

import sys

_said: set[str] = set()


def once(text: str) -> None:
    """Prints a note, unless it was printed before."""
    if text not in _said:
        _said.add(text)
        print(f"warplens: {text}", file=sys.stderr)
