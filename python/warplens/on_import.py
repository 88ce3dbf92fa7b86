"""What is done with a package as soon as a script imports it."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import sys
from types import ModuleType
from typing import Any, Callable


def prepare(name: str, install: Callable[[Any], Callable[[], None]]) -> Callable[[], None]:
    """Installs something in a module, now or when it is imported; the function that is returned undoes that.

    `install` returns the function that undoes it.
    """
    undo: list[Callable[[], None]] = []
    if name in sys.modules:
        undo.append(install(sys.modules[name]))
    else:
        finder = _OnImport(name, lambda module: undo.append(install(module)))
        sys.meta_path.insert(0, finder)
        undo.append(finder.remove)

    def remove() -> None:
        for function in reversed(undo):
            function()

    return remove


class _OnImport(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Calls a function when a module has been imported."""

    def __init__(self, name: str, function: Callable[[ModuleType], None]) -> None:
        self._name, self._function = name, function
        self._loader: Any = None

    def remove(self) -> None:
        if self in sys.meta_path:
            sys.meta_path.remove(self)

    def find_spec(self, name: str, path: Any, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        if name != self._name:
            return None
        self.remove()
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            self._loader, spec.loader = spec.loader, self
        return spec

    def create_module(self, spec: Any) -> Any:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        module.__loader__ = self._loader
        self._loader.exec_module(module)
        self._function(module)
