//! The named objects of a running block (buffers, variables and parameters), at the addresses that a thread uses.

use warplens_sim_warp::memory::Buffer;
use warplens_sim_warp::objects::Object;

use super::local::Local;
use super::region::MemoryRegion;
use super::spaces::Spaces;
use crate::address::Space;
use crate::windows;

pub(super) struct NamedObject {
    pub(super) object: Object,
    pub(super) kind: ObjectKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ObjectKind {
    /// The launch, or `malloc`.
    Buffer,
    DynamicShared,
    Variable,
    /// Nothing: it was freed.
    Freed,
    /// A multimem address, which refers to several buffers.
    Multimem,
}

impl NamedObject {
    fn buffer(buffer: &Buffer, kind: ObjectKind) -> NamedObject {
        let mut object = buffer.object();
        let kind = match &buffer.multimem {
            Some(multimem) => {
                object.len = multimem.len;
                ObjectKind::Multimem
            }
            None if buffer.freed => ObjectKind::Freed,
            None => kind,
        };
        NamedObject { object, kind }
    }
}

/// The state space to which an address belongs, and the first address of its window; `None` near the null pointer.
pub(super) fn area(space: Space, address: u64) -> Option<(Space, u64)> {
    match (space, address) {
        (Space::Generic, windows::MODULE..) => Some((Space::Global, 0)),
        (Space::Generic, windows::CONST..) => Some((Space::Const, windows::CONST)),
        (Space::Generic, windows::PARAM..) => Some((Space::Param, windows::PARAM)),
        (Space::Generic, windows::LOCAL..) => Some((Space::Local, windows::LOCAL)),
        // A small negative index leads below the window.
        (Space::Generic, windows::BELOW_SHARED..) => Some((Space::Shared, windows::SHARED)),
        (Space::Generic, _) | (Space::Global, ..windows::SHARED) => None,
        (space, _) => Some((space, 0)),
    }
}

impl Spaces {
    pub(super) fn named(&self, space: Space, address: u64, local: &Local) -> Vec<NamedObject> {
        let Some((space, origin)) = area(space, address) else { return Vec::new() };
        let variable = |object: &Object, start: u64| NamedObject {
            object: Object { start: start + object.start, ..object.clone() },
            kind: ObjectKind::Variable,
        };
        match space {
            Space::Shared => self.named_shared(address, origin),
            Space::Local => {
                let objects = local.frames.objects(&self.objects).into_iter();
                objects.map(|(start, object)| variable(object, origin + start)).collect()
            }
            Space::Param => self.objects.params.iter().map(|object| variable(object, origin)).collect(),
            Space::Const => {
                let buffers = self.constants.buffers().iter();
                let constants = buffers.map(|buffer| {
                    let mut named = NamedObject::buffer(buffer, ObjectKind::Variable);
                    named.object.start = named.object.start - windows::CONST + origin;
                    named
                });
                constants.collect()
            }
            Space::Global | Space::Generic => {
                let buffers = self.launch.buffers().iter();
                let variables = self.globals.buffers().iter();
                let variables = variables.map(|buffer| NamedObject::buffer(buffer, ObjectKind::Variable));
                buffers
                    .map(|buffer| NamedObject::buffer(buffer, ObjectKind::Buffer))
                    .chain(variables)
                    .collect()
            }
        }
    }

    /// The objects in the shared memory of the block to which an address belongs.
    fn named_shared(&self, address: u64, origin: u64) -> Vec<NamedObject> {
        let (space, own) = (if origin == 0 { Space::Shared } else { Space::Generic }, self.window.rank);
        let rank = self.window.block_at(space, address).map_or(own.into(), |(rank, _)| rank);
        let rank = if rank >= u64::from(self.window.blocks) { own } else { rank as u32 };
        let start = self.window.mapped(space, origin, rank);
        let named = |object: &Object, kind| NamedObject {
            object: Object { start: start + object.start, ..object.clone() },
            kind,
        };
        let fixed = self.objects.shared.iter().map(|object| named(object, ObjectKind::Variable));
        let dynamic = self.objects.dynamic_shared.as_ref().map(|object| {
            let len = u64::from(self.window.size).saturating_sub(object.start);
            named(&Object { len, ..object.clone() }, ObjectKind::DynamicShared)
        });
        fixed.chain(dynamic).collect()
    }

    /// Names the element that an access of `size`-byte elements touches, such as `sdata[32]`, or else the address.
    pub fn element(&self, space: Space, address: u64, size: u64, local: &Local) -> String {
        let named = self.named(space, address, local);
        let inside = |named: &&NamedObject| (named.object.start..named.object.end()).contains(&address);
        let Some((area, origin)) = area(space, address) else { return format!("address {address:#x}") };
        match named.iter().find(inside) {
            Some(NamedObject { object, .. }) => object.element(address - object.start, size).to_string(),
            None if area == Space::Global => format!("global memory at {address:#x}"),
            None => format!("{} memory at offset {}", area.name(), address.wrapping_sub(origin)),
        }
    }

    /// Names an element of a region that all threads share.
    pub fn common_element(&self, region: MemoryRegion, index: u64, size: u64) -> String {
        let none = Local::default();
        let memory = match region {
            MemoryRegion::Launch => &self.launch,
            MemoryRegion::Globals => &self.globals,
            _ => return self.shared_element(index, size, &none),
        };
        self.element(Space::Global, memory.raw().0 + index, size, &none)
    }

    fn shared_element(&self, index: u64, size: u64, none: &Local) -> String {
        let block = u64::from(self.window.size).max(1);
        let (rank, within) = (index / block, index % block);
        let element = self.element(Space::Shared, within, size, none);
        match rank == u64::from(self.window.rank) {
            true => element,
            false => format!("{element} of block {rank} of the cluster"),
        }
    }
}
