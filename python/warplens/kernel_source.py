"""Where kernels and their launches are in Python files."""

from __future__ import annotations

import os
import re
import sys
from types import CodeType
from typing import Any

_FILE = re.compile(r'^(\s*\.file\s+(\d+)\s+)"([^"]*)"', re.MULTILINE)
_LOC = re.compile(r"\s*\.loc\s+(\d+)\s+(\d+)\s")
_FIRST_LOC = re.compile(r"^\s*\.loc\s+(\d+)\s", re.MULTILINE)


def call_site() -> tuple[str | None, int | None]:
    """The file and line that launched a kernel: the innermost frame outside of Triton and of this package."""
    frame = sys._getframe(1)
    while frame is not None:
        if is_of_script(frame.f_code.co_filename):
            return os.path.abspath(frame.f_code.co_filename), frame.f_lineno
        frame = frame.f_back  # type: ignore[assignment]
    return None, None


def is_of_script(file: str) -> bool:
    """Whether a file of code is neither of Triton nor of this package."""
    # Triton may be absent from `sys.modules` in tests of other frameworks.
    hidden = [os.path.dirname(os.path.abspath(__file__))]
    triton = sys.modules.get("triton")
    if triton is not None and triton.__file__:
        hidden.append(os.path.dirname(os.path.abspath(triton.__file__)))
    path = os.path.abspath(file)
    return not file.startswith("<") and not any(path.startswith(folder + os.sep) for folder in hidden)


def source_path(source: Any) -> str | None:
    """The file with the function of what Triton compiled, if it was a function."""
    function: Any = getattr(getattr(source, "fn", None), "fn", None)
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    code = getattr(function, "__code__", None)
    # A cell of a notebook is in no file.
    if not isinstance(code, CodeType) or code.co_filename.startswith("<"):
        return None
    return os.path.abspath(code.co_filename)


def source_line(ptx: str, line: int) -> dict[str, Any] | None:
    """The Python file and line of a line of PTX, which counts from 0."""
    above = [match for match in map(_LOC.match, ptx.splitlines()[: line + 1]) if match]
    if not above:
        return None
    number = above[-1].group(1)
    files = (match for match in _FILE.finditer(ptx) if match.group(2) == number)
    return next(({"file": match.group(3), "line": int(above[-1].group(2))} for match in files), None)


def with_source_path(ptx: str, path: str | None) -> str:
    """PTX whose kernel is said to be from this file.

    Triton's cache is asked by the source of a kernel, not by its path, so the PTX of an equal kernel may name another
    file. The first `.loc` is that of the kernel's own first line.
    """
    own = _FIRST_LOC.search(ptx, max(ptx.find(".entry"), 0))
    if path is None or own is None:
        return ptx
    escaped = path.replace("\\", "\\\\").replace('"', '\\"')
    return _FILE.sub(
        lambda match: f'{match.group(1)}"{escaped}"' if match.group(2) == own.group(1) else match.group(0), ptx
    )
