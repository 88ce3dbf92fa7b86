"""PTX names the file that a kernel is in."""

from __future__ import annotations

import functools
from types import SimpleNamespace

from warplens.kernel_source import source_line, source_path, with_source_path

PTX = """.visible .entry k(.param .u64 p)
{
	.loc	2 7 0
	ret;
}
	.file	1 "/lib/standard.py"
	.file	2 "/old/kernels.py"
"""


def test_the_file_of_the_kernel_is_replaced() -> None:
    replaced = with_source_path(PTX, '/new/"k".py')
    assert '.file	1 "/lib/standard.py"' in replaced
    assert '.file	2 "/new/\\"k\\".py"' in replaced


def test_ptx_without_lines_is_left_as_it_is() -> None:
    ptx = ".visible .entry k()\n{\n	ret;\n}\n"
    assert with_source_path(ptx, "/new/k.py") == ptx
    assert with_source_path(PTX, None) == PTX


def test_the_path_of_a_wrapped_function() -> None:
    def kernel() -> None:
        """Stands for a kernel."""

    @functools.wraps(kernel)
    def wrapper() -> None:
        """Stands for a decorated kernel."""

    assert source_path(SimpleNamespace(fn=SimpleNamespace(fn=wrapper))) == __file__
    assert source_path(SimpleNamespace()) is None


def test_the_python_line_of_a_line_of_ptx() -> None:
    ptx = '.version 8.0\n.loc 1 7 3\nadd.s32 %r1, %r2, 1;\nret;\n.file 1 "/a/kernel.py"\n.file 2 "/b.py"\n'
    assert source_line(ptx, 0) is None
    assert source_line(ptx, 2) == source_line(ptx, 3) == {"file": "/a/kernel.py", "line": 7}
    assert source_line(ptx.replace(".loc 1", ".loc 3"), 3) is None
