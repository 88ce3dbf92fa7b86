"""`python -m warplens SCRIPT.py`: runs a script, simulates its launches, and reports what was found."""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
import traceback
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Callable

from . import notes, program, report, session
from .crash import explain_crash
from .kernel_source import is_of_script
from .recorded import BadTrace
from .targets import Target, UnknownTarget
from .tritonparse import is_trace, run_trace

USAGE = 2
# The divergence models of PTX.
MODELS = ("stack", "ipdom", "frontier", "its")


def main(arguments: list[str] | None = None) -> int:
    """Runs a script as the arguments say, and returns the exit code: the script's own if it failed, otherwise that
    of the verdict.
    """
    options = _parser().parse_args(arguments)
    problem = _problem(options)
    if problem:
        print(f"warplens: {problem}", file=sys.stderr)
        return USAGE
    try:
        return explain_crash(lambda: _run(options))
    except BadTrace as error:
        print(f"warplens: {error}", file=sys.stderr)
        return USAGE


def _run(options: argparse.Namespace) -> int:
    settings = program.Settings(options.checks, options.model, options.max_steps, options.memory)
    save = Path(options.save).absolute() if options.save else None
    if save is not None and any(save.glob("*/warplens.toml")):
        notes.once(f"{options.save} has launches of an earlier run, which `warplens test {options.save}` tests as well")
    current = session.Session(options.target, settings, save, options.only, options.max_launches)
    code = 0
    if is_trace(options.script):
        run_trace(Path(options.script), current)
    else:
        code = _run_script(options, current)
    runs = current.collect()
    for line in report.as_json(runs) if options.format == "json" else ["", *report.as_text(runs)]:
        print(line)
    sys.stdout.flush()
    return code or runs.exit_code


def _run_script(options: argparse.Namespace, current: session.Session) -> int:
    from . import triton

    session.replace(current)
    triton.start(current)
    return run_script(options.script, options.args)


def run_script(script: str, arguments: list[str]) -> int:
    """Runs a script as `python SCRIPT` does, and returns its exit code."""
    path = os.path.abspath(script)
    module = ModuleType("__main__")
    module.__file__ = path
    module.__builtins__ = __builtins__  # type: ignore[attr-defined]
    sys.modules["__main__"] = module
    sys.argv = [script, *arguments]
    sys.path[0] = os.path.dirname(path)
    try:
        code = compile(Path(path).read_bytes(), path, "exec", dont_inherit=True)
        exec(code, module.__dict__)
    except SystemExit as stop:
        if stop.code is None or isinstance(stop.code, int):
            return stop.code or 0
        print(stop.code, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    except BaseException as error:
        _print_error(error)
        return 1
    finally:
        sys.stdout.flush()
    return 0


def _print_error(error: BaseException) -> None:
    """Prints a traceback that begins in the script."""
    own = error.__traceback__
    if type(error).__module__.startswith("warplens."):
        _end_in_script(own)
    # A script that cannot be compiled has no frame.
    traceback.print_exception(type(error), error, own.tb_next if own is not None else None)
    # Otherwise objects of Triton's compiler outlive it, which it reports.
    traceback.clear_frames(own)


def _end_in_script(frames: TracebackType | None) -> None:
    """Cuts the frames behind the last one of the script: what this package refuses is not a fault inside of Triton."""
    last = None
    while frames is not None:
        last = frames if is_of_script(frames.tb_frame.f_code.co_filename) else last
        frames = frames.tb_next
    if last is not None:
        last.tb_next = None


def _problem(options: argparse.Namespace) -> str | None:
    """Why nothing can be run, as a sentence."""
    if not os.path.isfile(options.script):
        return f"there is no file {options.script}"
    if not is_trace(options.script) and not any(map(importlib.util.find_spec, ("triton", "numba"))):
        return (
            f"{sys.executable} does not have the package triton or numba: "
            f"run `{sys.executable} -m pip install triton`, or name another interpreter with `--python PATH`"
        )
    try:
        program.find()
    except program.ProgramError as error:
        return str(error)
    return None


def _target(name: str) -> Target:
    try:
        return Target.parse(name)
    except UnknownTarget as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _at_least(least: int) -> Callable[[str], int]:
    def number(text: str) -> int:
        if not text.isascii() or not text.isdigit() or int(text) < least:
            raise argparse.ArgumentTypeError(f"`{text}` is not a whole number from {least}")
        return int(text)

    return number


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="warplens run", description="Run a Python script and simulate the Triton kernels that it launches."
    )
    parser.add_argument(
        "--target", type=_target, default=Target(80), metavar="sm_80", help="the GPU to compile for (default: sm_80)"
    )
    parser.add_argument("--save", metavar="DIR", help="save each launch in DIR, to be replayed by `warplens sim`")
    parser.add_argument(
        "--format", choices=("human", "json"), default="human", help="what is printed when the script has ended"
    )
    parser.add_argument("--only", metavar="KERNEL", help="simulate only this kernel")
    parser.add_argument("--max-launches", type=_at_least(0), metavar="N", help="simulate only the first N launches")
    parser.add_argument(
        "--no-checks", dest="checks", action="store_false", help="do not look for races and uninitialized reads"
    )
    parser.add_argument("--model", choices=MODELS, help="the divergence model")
    parser.add_argument("--max-steps", type=_at_least(1), metavar="N", help="limit of warp instructions of a launch")
    parser.add_argument("--memory", type=_at_least(1), metavar="MB", help="limit of memory of a launch")
    parser.add_argument("script", metavar="SCRIPT.py", help="a script, or a trace of TritonParse (.ndjson, .ndjson.gz)")
    arguments = parser.add_argument("args", nargs=argparse.REMAINDER, metavar="ARGS", help="arguments of the script")
    # So that a missing script is all that a message names.
    arguments.required = False
    return parser
