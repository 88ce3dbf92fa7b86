"""A launch as a launch file of Warplens, `warplens.toml`."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

# An argument, a buffer or an expectation: keys of a launch file.
Table = dict[str, Any]


@dataclass
class LaunchFile:
    """A launch of the kernel in `kernel.ptx`, which lies beside the file."""

    name: str
    entry: str
    grid: tuple[int, int, int]
    block: tuple[int, ...]
    dynamic_shared: int
    args: list[Table]
    cluster: int = 1
    cooperative: bool = False
    expect: list[Table] = field(default_factory=list)

    def text(self) -> str:
        """The content of the file."""
        keys: Table = {
            "name": self.name,
            "file": "kernel.ptx",
            "entry": self.entry,
            "grid": list(self.grid),
            "block": list(self.block),
        }
        keys["dynamic_shared"] = self.dynamic_shared
        if self.cluster > 1:
            keys["cluster"] = [self.cluster, 1, 1]
        if self.cooperative:
            keys["cooperative"] = True
        lines = ["[[launch]]", *(f"{key} = {_value(value)}" for key, value in keys.items())]
        lines += _list("args", self.args)
        if self.expect:
            lines += _list("expect", self.expect)
        return "\n".join([*lines, ""])

    def write(self, folder: Path) -> Path:
        """Writes the file into the folder that has the PTX and the contents of the buffers."""
        path = folder / "warplens.toml"
        path.write_text(self.text(), encoding="utf-8")
        return path


def _list(key: str, tables: list[Table]) -> list[str]:
    return [f"{key} = [", *(f"  {_value(table)}," for table in tables), "]"]


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_key(key)} = {_value(item)}" for key, item in value.items()) + " }"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_value, value)) + "]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    # TOML escapes what JSON escapes, and one more character.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")


def _key(key: str) -> str:
    return key if key.isidentifier() and key.isascii() else json.dumps(key)
