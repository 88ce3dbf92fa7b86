"""Runs Triton kernels without a GPU, on the warp simulator of Warplens:

`python -m warplens SCRIPT.py`, or `warplens.triton` in code.
"""
