"""NVIDIA's driver API through `ctypes`: the first GPU, its modules, launches and tensor maps."""

import ctypes

# Of the driver API's enumerations.
COMPUTE_CAPABILITY_MAJOR, COMPUTE_CAPABILITY_MINOR = 75, 76
MAX_DYNAMIC_SHARED_SIZE = 8
JIT_ERROR_LOG, JIT_ERROR_LOG_SIZE = 5, 6
CLUSTER_DIMENSION = 4

# CUtensorMapDataType and its companions.
MAP_TYPES = {
    "u8": 0, "s8": 0, "u16": 1, "u32": 2, "s32": 3, "u64": 4, "s64": 5, "f16": 6, "f32": 7, "f64": 8, "bf16": 9,
}  # fmt: skip
MAP_INTERLEAVES = {"none": 0, "16b": 1, "32b": 2}
MAP_SWIZZLES = {"none": 0, "32b": 1, "64b": 2, "128b": 3}
MAP_FILLS = {"zero": 0, "nan": 1}
MAP_BYTES = 128
MAP_ALIGNMENT = 64


class DriverError(Exception):
    """A driver call failed."""


class LaunchAttribute(ctypes.Structure):
    """CUlaunchAttribute: a cluster's dimensions in its union of 64 bytes."""

    _fields_ = [("id", ctypes.c_uint), ("pad", ctypes.c_char * 4), ("value", ctypes.c_uint * 16)]


class LaunchConfig(ctypes.Structure):
    """CUlaunchConfig."""

    _fields_ = [
        ("grid", ctypes.c_uint * 3),
        ("block", ctypes.c_uint * 3),
        ("shared", ctypes.c_uint),
        ("stream", ctypes.c_void_p),
        ("attributes", ctypes.POINTER(LaunchAttribute)),
        ("count", ctypes.c_uint),
    ]


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

    def load(self, image):
        """A module from machine code, or from PTX text that ends with a null character."""
        module = ctypes.c_void_p()
        log = ctypes.create_string_buffer(4096)
        options = (ctypes.c_int * 2)(JIT_ERROR_LOG, JIT_ERROR_LOG_SIZE)
        values = (ctypes.c_void_p * 2)(ctypes.addressof(log), len(log))
        try:
            self.call("cuModuleLoadDataEx", ctypes.byref(module), image, 2, options, values)
        except DriverError as error:
            raise DriverError(f"{error} {log.value.decode(errors='replace').strip()}") from None
        return module

    def run(self, launch):
        """Runs a launch; gives the bytes of its buffers, in the order of the parameters."""
        module = self.load(launch["image"])
        function = ctypes.c_void_p()
        self.call("cuModuleGetFunction", ctypes.byref(function), module, launch["kernel"].encode())
        values, buffers = [], []
        for parameter in launch["parameters"]:
            values.append(self.argument(parameter, values, buffers))
        self.launch(function, launch, values)
        self.call("cuCtxSynchronize")
        results = []
        for pointer, length in buffers:
            contents = ctypes.create_string_buffer(max(length, 1))
            self.call("cuMemcpyDtoH_v2", contents, pointer, ctypes.c_size_t(length))
            self.call("cuMemFree_v2", pointer)
            results.append(contents.raw[:length])
        self.call("cuModuleUnload", module)
        return results

    def argument(self, parameter, values, buffers):
        """What is passed for a parameter. Adds the buffer that it needs, if any."""
        if "alias" in parameter:
            return values[parameter["alias"]]
        if "value" in parameter:
            value = parameter["value"]
            return (ctypes.c_char * len(value)).from_buffer_copy(value)
        contents = parameter["contents"]
        pointer = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(max(len(contents), 1)))
        self.call("cuMemcpyHtoD_v2", pointer, contents, ctypes.c_size_t(len(contents)))
        buffers.append((pointer, len(contents)))
        return self.tensor_map(parameter["map"], pointer) if "map" in parameter else pointer

    def tensor_map(self, given, pointer):
        """A tensor map over a buffer. The storage is aligned by hand: the driver requires 64 bytes."""
        storage = ctypes.create_string_buffer(MAP_BYTES + MAP_ALIGNMENT)
        start = -ctypes.addressof(storage) % MAP_ALIGNMENT
        aligned = (ctypes.c_char * MAP_BYTES).from_buffer(storage, start)
        rank = len(given["dims"])

        def array(kind, numbers):
            return (kind * max(len(numbers), 1))(*numbers)

        head = [
            ctypes.byref(aligned),
            MAP_TYPES[given["type"]],
            ctypes.c_uint(rank),
            pointer,
            array(ctypes.c_uint64, given["dims"]),
            array(ctypes.c_uint64, given["strides"]),
        ]
        tail = [
            array(ctypes.c_uint32, given["element_strides"]),
            MAP_INTERLEAVES[given["interleave"]],
            MAP_SWIZZLES[given["swizzle"]],
            0,
            MAP_FILLS[given["oob_fill"]],
        ]
        if "lower_corner" in given:
            corners = [array(ctypes.c_int, given[name]) for name in ("lower_corner", "upper_corner")]
            sizes = [ctypes.c_uint32(given[name]) for name in ("channels_per_pixel", "pixels_per_column")]
            self.call("cuTensorMapEncodeIm2col", *head, *corners, *sizes, *tail)
        else:
            self.call("cuTensorMapEncodeTiled", *head, array(ctypes.c_uint32, given["box"]), *tail)
        return aligned

    def launch(self, function, launch, values):
        arguments = (ctypes.c_void_p * max(len(values), 1))(*[ctypes.addressof(value) for value in values])
        shared = launch["dynamic_shared"]
        if shared > 48 * 1024:
            self.call("cuFuncSetAttribute", function, MAX_DYNAMIC_SHARED_SIZE, shared)
        config = LaunchConfig(shared=shared)
        config.grid[:], config.block[:] = launch["grid"], launch["block"]
        if launch["cluster"]:
            attribute = LaunchAttribute(id=CLUSTER_DIMENSION)
            attribute.value[:3] = launch["cluster"]
            config.attributes, config.count = ctypes.pointer(attribute), 1
        self.call("cuLaunchKernelEx", ctypes.byref(config), function, arguments, None)
