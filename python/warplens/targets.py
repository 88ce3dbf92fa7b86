"""The GPUs that launches are compiled for."""

from __future__ import annotations

import re
from dataclasses import dataclass

# The compute capabilities that PTX has targets for, without the point.
KNOWN = frozenset((50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 88, 89, 90, 100, 101, 103, 110, 120, 121))


class UnknownTarget(ValueError):
    """A name that is not one of a target."""


@dataclass(frozen=True)
class Target:
    """A compute capability, such as 80 for `sm_80`."""

    arch: int

    @staticmethod
    def parse(name: str) -> Target:
        """The target of a name such as `sm_80` or `sm_90a`."""
        match = re.fullmatch(r"(?:sm_)?(\d{2,3})[af]?", name)
        if match is None or int(match.group(1)) not in KNOWN:
            raise UnknownTarget(f"`{name}` is not a target: write one such as sm_80, sm_90 or sm_100")
        return Target(int(match.group(1)))

    @property
    def name(self) -> str:
        return f"sm_{self.arch}"

    @property
    def capability(self) -> tuple[int, int]:
        """The compute capability, major and minor."""
        return divmod(self.arch, 10)

    @property
    def multiprocessors(self) -> int:
        """The multiprocessors of the largest GPU of the target that is sold."""
        return {80: 108, 86: 84, 87: 16, 89: 142, 90: 132, 100: 148, 103: 148, 120: 188}.get(self.arch, 132)

    @property
    def shared_memory(self) -> int:
        """The most bytes of shared memory that a block may have."""
        small, ampere, hopper = 101_376, 166_912, 232_448
        by_arch = {75: 65_536, 80: ampere, 87: ampere, 86: small, 89: small, 120: small, 121: small}
        return by_arch.get(self.arch, hopper)

    def properties(self) -> dict[str, int]:
        """What Triton asks of a device. Clock rates are those of an H100: nothing is measured."""
        return {
            "max_shared_mem": self.shared_memory,
            "multiprocessor_count": self.multiprocessors,
            "warpSize": 32,
            "max_num_regs": 65_536,
            "sm_clock_rate": 1_980_000,
            "mem_clock_rate": 2_619_000,
            "mem_bus_width": 5_120,
        }
