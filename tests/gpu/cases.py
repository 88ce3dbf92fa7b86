"""The launches that are recorded: the lane-mask probes of `probes/`, and cases with the bytes that they have to leave."""

import json
import math
import pathlib
import re
import struct

PROBES = pathlib.Path(__file__).resolve().parent / "probes"
# Bytes of a probe's log: a count, and entries of eight bytes from the eighth byte on.
LOG_BYTES = 8 + 8 * 511


def probes():
    """The probes: name and launch."""
    for path in sorted(PROBES.glob("*.ptx")):
        yield f"probe/{path.stem}", {
            "text": path.read_text(),
            "kernel": path.stem,
            "grid": [1, 1, 1],
            "block": [32, 1, 1],
            "cluster": None,
            "dynamic_shared": 0,
            "parameters": [{"contents": bytes(LOG_BYTES)}],
            "expect": [],
        }


def cases(path):
    """The launches of a `cases.json`, a list of objects that name PTX files beside it: name and launch."""
    seen = set()
    for case in json.loads(path.read_text()):
        # The driver takes only programs with pointers of 64 bits. Addresses of several GPUs' buffers need several GPUs.
        kinds = {parameter["kind"] for parameter in case["params"]}
        if case.get("address_size", 64) != 64 or "multimem" in kinds or not case["ptx"]:
            continue
        name = case["id"]
        if "sass" in case:
            # One PTX text has a listing for each target.
            name = pathlib.PurePath(case["ptx"]).stem
            if name in seen:
                continue
            seen.add(name)
        parameters = [launch_parameter(case, parameter) for parameter in case["params"]]
        owners = [number for number, parameter in enumerate(parameters) if "contents" in parameter]
        yield name, {
            "text": (path.parent / case["ptx"]).read_text(),
            "kernel": case["kernel"],
            "grid": case["grid"],
            "block": case["block"],
            "cluster": case.get("cluster"),
            "dynamic_shared": case.get("dynamic_shared_bytes", 0),
            "parameters": parameters,
            "expect": [(owners.index(expected["param"]), expected) for expected in case.get("expect", [])],
        }


def launch_parameter(case, parameter):
    kind = parameter["kind"]
    if kind == "alias":
        return {"alias": parameter["of"]}
    if kind == "scalar":
        return {"value": bytes.fromhex(parameter["hex"])}
    if kind == "tensormap":
        described = case["tensormaps"][parameter["tensormap"]]
        return {"contents": buffer_contents(described["buffer"]), "map": described}
    return {"contents": buffer_contents(parameter)}


def buffer_contents(buffer):
    given = bytes.fromhex(buffer.get("init_hex", ""))
    return given + bytes(buffer["count"] * element_size(buffer["type"]) - len(given))


def element_size(kind):
    """Bytes of a type's element: `f32` has four, and so has `f16x2`."""
    bits = int(re.search(r"\d+", kind).group())
    return bits // 8 * (2 if kind.endswith("x2") else 1)


def differences(launch, buffers):
    """What the buffers after a launch hold other than expected: a line for each, none if everything is as expected."""
    for number, expected in launch["expect"]:
        size = element_size(expected["type"])
        wanted = bytes.fromhex(expected["hex"])
        start = size * expected.get("offset_elements", 0)
        found = buffers[number][start : start + len(wanted)]
        wrong = [
            at
            for at in range(0, len(wanted), size)
            if not equal(wanted[at : at + size], found[at : at + size], expected)
        ]
        if wrong:
            at = wrong[0]
            yield (
                f"parameter {expected['param']}: {len(wrong)} of {len(wanted) // size} elements, first {at // size}: "
                f"expected {wanted[at : at + size].hex()}, found {found[at : at + size].hex()}"
            )


def equal(wanted, found, expected):
    """Whether two elements are equal, by the comparison that the case names."""
    comparison = expected.get("compare", "bits")
    if wanted == found or comparison == "bits":
        return wanted == found
    one, other = number(wanted, expected["type"]), number(found, expected["type"])
    if comparison == "close":
        return abs(one - other) <= expected["atol"]
    return (math.isnan(one) and math.isnan(other)) or (comparison == "value_equal" and one == other)


def number(element, kind):
    """The value of an element; of a packed pair or an integer, the unsigned number."""
    if kind == "bf16":
        return struct.unpack("<f", b"\0\0" + element)[0]
    layout = {"f16": "<e", "f32": "<f", "f64": "<d"}.get(kind)
    return struct.unpack(layout, element)[0] if layout else int.from_bytes(element, "little")
