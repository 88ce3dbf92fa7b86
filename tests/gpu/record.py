#!/usr/bin/env python3
"""Records the results of kernels on a GPU, so that tests can compare the simulator with them without a GPU.

Requires only an NVIDIA driver: the driver API is called through `ctypes`, and the driver assembles the PTX.

    python3 tests/gpu/record.py                     # writes tests/fixtures/gpu/<device>.json
    python3 tests/gpu/record.py --cases ../shared/corpus/ptx-exec/cases.json

The recording has the bytes of every buffer after each launch: of the lane-mask probes in
`probes/`, and of the named cases. Kernels run in a separate process, which is replaced when a kernel faults or
hangs; the failure is then recorded instead of the buffers. `cargo nextest run -p warplens-sim gpu::` compares.
"""

import argparse
import ctypes
import json
import multiprocessing
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
PROJECT = HERE.parent.parent
# Bytes of a probe's log: a count, and entries of eight bytes from the eighth byte on.
LOG_BYTES = 8 + 8 * 511
# Time limit of a launch in seconds.
PATIENCE = 20

# Of the driver API's enumerations.
COMPUTE_CAPABILITY_MAJOR, COMPUTE_CAPABILITY_MINOR = 75, 76
MAX_DYNAMIC_SHARED_SIZE = 8
JIT_ERROR_LOG, JIT_ERROR_LOG_SIZE = 5, 6


class DriverError(Exception):
    """A driver call failed."""


class Device:
    """The first GPU, with a context."""

    def __init__(self, library):
        self.library = ctypes.CDLL(library)
        self.call("cuInit", 0)
        device = ctypes.c_int()
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        context = ctypes.c_void_p()
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)
        self.device = device

    def call(self, name, *arguments):
        status = getattr(self.library, name)(*arguments)
        if status != 0:
            text = ctypes.c_char_p()
            self.library.cuGetErrorName(status, ctypes.byref(text))
            raise DriverError(f"{name}: {text.value.decode() if text.value else status}")

    def describe(self):
        name = ctypes.create_string_buffer(256)
        self.call("cuDeviceGetName", name, len(name), self.device)
        version = ctypes.c_int()
        self.call("cuDriverGetVersion", ctypes.byref(version))
        attribute = ctypes.c_int()
        capability = []
        for number in (COMPUTE_CAPABILITY_MAJOR, COMPUTE_CAPABILITY_MINOR):
            self.call("cuDeviceGetAttribute", ctypes.byref(attribute), number, self.device)
            capability.append(attribute.value)
        return {
            "device": name.value.decode(),
            "compute_capability": "{}.{}".format(*capability),
            "driver": version.value,
        }

    def load(self, text):
        """A module from PTX text."""
        module = ctypes.c_void_p()
        log = ctypes.create_string_buffer(4096)
        options = (ctypes.c_int * 2)(JIT_ERROR_LOG, JIT_ERROR_LOG_SIZE)
        values = (ctypes.c_void_p * 2)(ctypes.addressof(log), len(log))
        try:
            self.call("cuModuleLoadDataEx", ctypes.byref(module), text.encode() + b"\0", 2, options, values)
        except DriverError as error:
            raise DriverError(f"{error} {log.value.decode(errors='replace').strip()}") from None
        return module

    def run(self, launch):
        """Runs a launch; gives the bytes of its buffers, in the order of the parameters."""
        module = self.load(launch["text"])
        function = ctypes.c_void_p()
        self.call("cuModuleGetFunction", ctypes.byref(function), module, launch["kernel"].encode())
        values, buffers = [], []
        for parameter in launch["parameters"]:
            if "alias" in parameter:
                values.append(values[parameter["alias"]])
                continue
            if "value" in parameter:
                value = parameter["value"]
                values.append((ctypes.c_char * len(value)).from_buffer_copy(value))
                continue
            contents = parameter["contents"]
            pointer = ctypes.c_uint64()
            self.call("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(max(len(contents), 1)))
            self.call("cuMemcpyHtoD_v2", pointer, contents, ctypes.c_size_t(len(contents)))
            values.append(pointer)
            buffers.append((pointer, len(contents)))
        arguments = (ctypes.c_void_p * max(len(values), 1))(*[ctypes.addressof(value) for value in values])
        shared = launch["dynamic_shared"]
        if shared > 48 * 1024:
            self.call("cuFuncSetAttribute", function, MAX_DYNAMIC_SHARED_SIZE, shared)
        self.call(
            "cuLaunchKernel", function, *launch["grid"], *launch["block"], shared, None, arguments, None
        )
        self.call("cuCtxSynchronize")
        results = []
        for pointer, length in buffers:
            contents = ctypes.create_string_buffer(max(length, 1))
            self.call("cuMemcpyDtoH_v2", contents, pointer, ctypes.c_size_t(length))
            self.call("cuMemFree_v2", pointer)
            results.append(contents.raw[:length].hex())
        self.call("cuModuleUnload", module)
        return results


def serve(library, pipe):
    """The process that holds the context: answers launches until one goes wrong."""
    try:
        device = Device(library)
        pipe.send(device.describe())
    except (DriverError, OSError) as error:
        pipe.send(str(error))
        return
    while True:
        launch = pipe.recv()
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
            answer = self.pipe.recv() if self.pipe.poll(PATIENCE) else {"error": "it does not end"}
        except EOFError:
            answer = {"error": "the process ended"}
        if "error" in answer:
            self.process.kill()
            self.process.join()
        return answer


def probes():
    for path in sorted((HERE / "probes").glob("*.ptx")):
        yield f"probe/{path.stem}", {
            "text": path.read_text(),
            "kernel": path.stem,
            "grid": [1, 1, 1],
            "block": [32, 1, 1],
            "dynamic_shared": 0,
            "parameters": [{"contents": bytes(LOG_BYTES)}],
        }


def element_size(kind):
    """Bytes of a type's element: `f32` has four, and so has `f16x2`."""
    bits = int(re.search(r"\d+", kind).group())
    return bits // 8 * (2 if kind.endswith("x2") else 1)


def cases(path):
    """The launches of a `cases.json`, a list of objects that name PTX files beside it."""
    for case in json.loads(path.read_text()):
        # The driver takes only programs with pointers of 64 bits.
        if case.get("address_size", 64) != 64:
            continue
        parameters = []
        for parameter in case["params"]:
            if parameter["kind"] == "alias":
                parameters.append({"alias": parameter["of"]})
            elif parameter["kind"] == "scalar":
                parameters.append({"value": bytes.fromhex(parameter["hex"])})
            else:
                size = parameter["count"] * element_size(parameter["type"])
                given = bytes.fromhex(parameter.get("init_hex", ""))
                parameters.append({"contents": given + bytes(size - len(given))})
        yield case["id"], {
            "text": (path.parent / case["ptx"]).read_text(),
            "kernel": case["kernel"],
            "grid": case["grid"],
            "block": case["block"],
            "dynamic_shared": case.get("dynamic_shared_bytes", 0),
            "parameters": parameters,
        }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=pathlib.Path, action="append", default=[], help="a cases.json")
    parser.add_argument("--out", type=pathlib.Path, help="where to write the recording")
    parser.add_argument("--library", default="libcuda.so.1", help="the driver's library")
    arguments = parser.parse_args()
    recorder = Recorder(arguments.library)
    launches = list(probes())
    for path in arguments.cases:
        launches += cases(path)
    recorded = {}
    for number, (name, launch) in enumerate(launches, 1):
        if sys.stderr.isatty():
            print(f"\r{number} of {len(launches)}: {name:<60}", end="", file=sys.stderr, flush=True)
        recorded[name] = recorder.run(launch)
    if sys.stderr.isatty():
        print(file=sys.stderr)
    name = re.sub(r"[^a-z0-9]+", "-", recorder.about["device"].lower()).strip("-")
    out = arguments.out or PROJECT / "tests" / "fixtures" / "gpu" / f"{name}.json"
    out.parent.mkdir(parents=True, exist_ok=True)
    lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(answer)}" for name, answer in recorded.items())
    about = json.dumps(recorder.about)[:-1]
    out.write_text(f'{about}, "launches": {{\n{lines}\n}}}}\n')
    failed = sum("error" in answer for answer in recorded.values())
    print(f"{len(recorded)} launches recorded, {failed} of them refused or faulted: {out}")


if __name__ == "__main__":
    main()
