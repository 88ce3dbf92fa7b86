"""PTX names the file that a kernel is in."""

from __future__ import annotations

import functools
from types import SimpleNamespace

from warplens.kernel_source import source_path, with_source_path

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
