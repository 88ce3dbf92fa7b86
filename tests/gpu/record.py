#!/usr/bin/env python3
"""Records the results of kernels on a GPU, so that tests can compare the simulator with them without a GPU.

Requires only an NVIDIA driver, which assembles the PTX; `--ptxas` names another assembler.

    python3 tests/gpu/record.py                     # writes tests/fixtures/gpu/<device>.json
    python3 tests/gpu/record.py --cases ../shared/corpus/ptx-exec/cases.json

The recording has the buffers after each launch: of the lane-mask probes in `probes/`, and of the named cases. A buffer
that the launch left as it was is null. Kernels run in a separate process, which is replaced when a kernel faults or
hangs; the failure is then recorded instead of the buffers. What differs from the bytes that a case expects is printed.
`cargo nextest run --workspace gpu::` compares a recording with the simulator.
"""

import argparse
import concurrent.futures
import json
import multiprocessing
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from cases import cases, differences, probes
from driver import Device, DriverError

PROJECT = pathlib.Path(__file__).resolve().parent.parent.parent
# Time limit of a launch in seconds.
LAUNCH_SECONDS = 20


def serve(library, pipe):
    """The process that holds the context: answers launches until one goes wrong."""
    try:
        device = Device(library)
        pipe.send(device.describe())
    except (DriverError, OSError) as error:
        pipe.send(str(error))
        return
    while True:
        try:
            launch = pipe.recv()
        except EOFError:
            return
        try:
            pipe.send({"buffers": device.run(launch)})
        except DriverError as error:
            # The context may be lost with the kernel.
            pipe.send({"error": str(error)})
            return


class Recorder:
    """Launches, each in a process that is alive."""

    def __init__(self, library):
        self.library = library
        self.process = None
        self.about = self.start()

    def start(self):
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=serve, args=(self.library, theirs), daemon=True)
        self.process.start()
        about = self.pipe.recv() if self.pipe.poll(60) else "the driver does not answer"
        if isinstance(about, str):
            sys.exit(f"no GPU: {about}")
        return about

    def run(self, launch):
        if not self.process.is_alive():
            self.start()
        self.pipe.send(launch)
        try:
            answer = self.pipe.recv() if self.pipe.poll(LAUNCH_SECONDS) else {"error": "the launch does not end"}
        except EOFError:
            answer = {"error": "the process ended"}
        if "error" in answer:
            self.process.kill()
            self.process.join()
        return answer


class Assembler:
    """Machine code for the device, or the text itself for the driver's assembler."""

    def __init__(self, ptxas, level, capability):
        self.ptxas, self.level = ptxas, level
        self.major, self.minor = (int(part) for part in capability.split("."))

    def version(self):
        if not self.ptxas:
            return "the driver's"
        printed = subprocess.run([self.ptxas, "--version"], capture_output=True, text=True, check=True).stdout
        return f"ptxas {re.search(r'V([0-9.]+)', printed).group(1)} -O{self.level}"

    def runs_here(self, text):
        """Whether the device runs programs for the target of a text."""
        major, minor, suffix = re.search(r"^\s*\.target\s+sm_(\d+)(\d)([af]?)", text, re.MULTILINE).groups()
        target, own = (int(major), int(minor)), (self.major, self.minor)
        return target == own if suffix else target <= own

    def image(self, text):
        """What the driver loads, or the reason why there is nothing to load."""
        if not self.ptxas:
            return text.encode() + b"\0"
        suffix = re.search(r"^\s*\.target\s+sm_\d+([af]?)", text, re.MULTILINE).group(1)
        with tempfile.TemporaryDirectory() as folder:
            source, output = pathlib.Path(folder, "k.ptx"), pathlib.Path(folder, "k.cubin")
            source.write_text(text)
            arch = f"sm_{self.major}{self.minor}{suffix}"
            command = [self.ptxas, "-arch", arch, f"-O{self.level}", source, "-o", output]
            done = subprocess.run(command, capture_output=True, text=True)
            return output.read_bytes() if done.returncode == 0 else done.stderr.strip()


def recorded(launch, answer):
    """The form of an answer in the recording."""
    if "error" in answer:
        return answer
    given = [parameter["contents"] for parameter in launch["parameters"] if "contents" in parameter]
    return {"buffers": [None if old == new else new.hex() for old, new in zip(given, answer["buffers"])]}


def record(recorder, assembler, launches):
    """Runs all launches: what is recorded of each, and how many differ from what they have to leave."""
    answers, wrong = {}, 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        images = pool.map(lambda item: assembler.image(item[1]["text"]), launches)
        for number, ((name, launch), image) in enumerate(zip(launches, images), 1):
            if sys.stderr.isatty():
                print(f"\r{number} of {len(launches)}: {name:<60}", end="", file=sys.stderr, flush=True)
            if isinstance(image, str):
                answers[name] = {"error": image}
                continue
            answer = recorder.run({**launch, "image": image})
            answers[name] = recorded(launch, answer)
            found = list(differences(launch, answer["buffers"])) if "buffers" in answer else [answer["error"]]
            wrong += bool(found)
            for line in found:
                print(f"{name}: {line}", flush=True)
    if sys.stderr.isatty():
        print(file=sys.stderr)
    return answers, wrong


def write(out, about, answers):
    out.parent.mkdir(parents=True, exist_ok=True)
    lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(answer)}" for name, answer in answers.items())
    out.write_text(f'{json.dumps(about)[:-1]}, "launches": {{\n{lines}\n}}}}\n')


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=pathlib.Path, action="append", default=[], help="a cases.json")
    parser.add_argument("--out", type=pathlib.Path, help="where to write the recording")
    parser.add_argument("--library", default="libcuda.so.1", help="the driver's library")
    parser.add_argument("--ptxas", help="assembles the PTX instead of the driver")
    parser.add_argument("-O", dest="level", type=int, default=3, help="the level of optimization of ptxas")
    arguments = parser.parse_args()
    recorder = Recorder(arguments.library)
    assembler = Assembler(arguments.ptxas, arguments.level, recorder.about["compute_capability"])
    launches = list(probes())
    for path in arguments.cases:
        launches += cases(path)
    launches = [(name, launch) for name, launch in launches if assembler.runs_here(launch["text"])]
    answers, wrong = record(recorder, assembler, launches)
    name = re.sub(r"[^a-z0-9]+", "-", recorder.about["device"].lower()).strip("-")
    out = arguments.out or PROJECT / "tests" / "fixtures" / "gpu" / f"{name}.json"
    write(out, {**recorder.about, "assembler": assembler.version()}, answers)
    failed = sum("error" in answer for answer in answers.values())
    print(f"{len(answers)} launches recorded, {failed} of them refused or faulted, {wrong} not as expected: {out}")


if __name__ == "__main__":
    main()
