//! Memory accesses in a recording.

/// The memory that an access concerns. All addresses of global memory are generic; shared and local addresses are offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Space {
    Global,
    /// Owned by a block, by its number in the launch.
    Shared,
    /// Owned by a lane: the number of its warp in the launch times 64, plus the lane.
    Local,
    Param,
    Const,
}

impl Space {
    pub(super) const ALL: [Space; 5] =
        [Space::Global, Space::Shared, Space::Local, Space::Param, Space::Const];

    /// The owner of a lane's local memory.
    pub fn local_owner(warp: u32, lane: u32) -> u64 {
        u64::from(warp) * 64 + u64::from(lane)
    }

    /// The warp and the lane of the owner of local memory.
    #[must_use]
    pub fn local_thread(owner: u64) -> (u32, u32) {
        ((owner / 64) as u32, (owner % 64) as u32)
    }
}

/// An access of the lanes of a warp, each to `bytes` bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    pub space: Space,
    /// Who owns the shared memory that is accessed; each lane owns its local memory.
    pub owner: u64,
    pub reads: bool,
    pub writes: bool,
    pub bytes: u64,
    /// Lanes and addresses.
    pub lanes: Vec<(u32, u64)>,
    /// What is at the addresses after the step, lane after lane; empty unless it writes.
    pub data: Vec<u8>,
}

impl Access {
    /// The owner of the memory that a lane of a warp accesses.
    pub fn owner_of(&self, warp: u32, lane: u32) -> u64 {
        if self.space == Space::Local { Space::local_owner(warp, lane) } else { self.owner }
    }

    pub fn address_of(&self, lane: u32) -> Option<u64> {
        self.lanes.iter().find(|(other, _)| *other == lane).map(|(_, address)| *address)
    }
}

/// Bytes that an asynchronous operation wrote when it completed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LateWrite {
    pub space: Space,
    pub owner: u64,
    pub address: u64,
    pub data: Vec<u8>,
    /// The space, the owner and the address from which it copied the bytes, if it copied them.
    pub source: Option<(Space, u64, u64)>,
    /// The issuing warp in its block, and its block's number in the launch.
    pub issuer: (u64, u32),
    pub lanes: u32,
    pub statement: u32,
}
