"""Compilers end a process when they meet a kernel that they were not made for. A parent process explains that."""

from __future__ import annotations

import os
import signal
import sys
from typing import Callable


def explain_crash(run: Callable[[], int]) -> int:
    """Runs a function in a child process, and returns its exit code.

    If a signal ends the child, a sentence says what that may mean. Without `fork` the function runs in this process.
    """
    if not hasattr(os, "fork"):
        return run()
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        return run()
    _leave_signals_to(child)
    _, status = os.waitpid(child, 0)
    # The child has run the functions that were registered for the end of the process.
    os._exit(_exit_code(status))


def _exit_code(status: int) -> int:
    if not os.WIFSIGNALED(status):
        return os.WEXITSTATUS(status)
    number = os.WTERMSIG(status)
    if number in (signal.SIGABRT, signal.SIGSEGV, signal.SIGILL, signal.SIGBUS):
        name = signal.Signals(number).name
        print(
            f"warplens: the script ended by {name}, most likely in Triton's compiler, which does that for a kernel "
            "that the target does not support, such as a Gluon kernel for another GPU: choose the target with --target",
            file=sys.stderr,
            flush=True,
        )
    return 128 + number


def _leave_signals_to(child: int) -> None:
    """A terminal interrupts both processes; other senders of a signal know only this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda number, frame: os.kill(child, number))
