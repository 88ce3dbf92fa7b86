//! What registers and memory may hold: values of the entry's parameters, and addresses.
//!
//! An address is an object and an offset in it. A value that is stored at a known offset of an object is followed to the
//! loads from there, so pointers are found that a build without optimization keeps in its stack frame, in a structure, or
//! behind other pointers.

use rustc_hash::FxHashMap;

use super::pending::{Pending, Source};
use super::places::{Address, Object, Place};

/// The maximum number of offsets in one object that are told apart in one place.
const MAX_OFFSETS: usize = 8;
/// The maximum number of addresses that are followed in one place.
const MAX_ADDRESSES: usize = 64;

/// How values get from one place to another.
#[derive(Clone, Copy, Debug)]
pub(super) enum Flow {
    /// A constant is added, or `None` for another number.
    Value {
        from: Place,
        added: Option<i64>,
        to: Place,
    },
    Load {
        base: Place,
        offset: i64,
        to: Place,
    },
    Store {
        from: Place,
        base: Place,
        offset: i64,
    },
    /// A variable is passed as an argument or a result.
    Whole {
        from: Object,
        to: Object,
    },
}

/// The addresses that each place may hold, sorted.
#[derive(Default)]
pub(super) struct Values {
    held: FxHashMap<Place, Vec<Address>>,
    /// The offsets at which something is known to be stored in an object.
    stored: FxHashMap<Object, Vec<Option<i64>>>,
}

impl Values {
    /// Propagates the values along all flows, up to a fixed point.
    pub(super) fn solve(&mut self, flows: &[Flow]) {
        self.propagate(flows);
        for flow in flows {
            let (Flow::Load { base, .. } | Flow::Store { base, .. }) = *flow else { continue };
            if let Place::Name(function, name) = base
                && self.at(base).is_empty()
            {
                self.add(base, Address { object: Object::Unknown(function, name), offset: Some(0) });
            }
        }
        self.propagate(flows);
    }

    pub(super) fn at(&self, place: Place) -> &[Address] {
        self.held.get(&place).map_or(&[], Vec::as_slice)
    }

    /// Adds an address to those that a place may hold. Returns whether it is new.
    pub(super) fn add(&mut self, place: Place, address: Address) -> bool {
        let held = self.held.entry(place).or_default();
        let (is_new, is_first) = (insert(held, address), held.len() == 1);
        if let Place::Memory(Address { object, offset }) = place
            && is_new
            && is_first
        {
            let stored = self.stored.entry(object).or_default();
            if !stored.contains(&offset) {
                stored.push(offset);
            }
        }
        is_new
    }

    fn propagate(&mut self, flows: &[Flow]) {
        let mut pending = Pending::all(flows.len());
        while let Some(number) = pending.next() {
            let flow = flows[number];
            self.sources(flow).into_iter().for_each(|source| pending.reads(number, source));
            for (to, addresses) in self.moved(flow) {
                if self.add_all(to, addresses) {
                    pending.changed(to);
                }
            }
        }
    }

    /// What a flow reads now. A load reads other memory when its base holds another address.
    fn sources(&self, flow: Flow) -> Vec<Source> {
        match flow {
            Flow::Value { from, .. } => vec![Source::Place(from)],
            Flow::Store { from, base, .. } => vec![Source::Place(from), Source::Place(base)],
            Flow::Whole { from, .. } => vec![Source::Stored(from)],
            Flow::Load { base, offset, .. } => {
                let bases = self.at(base).iter().map(|address| address.plus(Some(offset)));
                let read = bases.flat_map(|address| match address.offset {
                    Some(_) => [address.offset, None]
                        .map(|offset| Source::Place(Place::Memory(Address { offset, ..address })))
                        .to_vec(),
                    None => vec![Source::Stored(address.object)],
                });
                std::iter::once(Source::Place(base)).chain(read).collect()
            }
        }
    }

    /// The addresses that a flow moves, and where.
    fn moved(&self, flow: Flow) -> Vec<(Place, Vec<Address>)> {
        match flow {
            Flow::Value { from, added, to } if from == to => {
                let updated = |address: &Address| self.updated(*address, from, added);
                vec![(to, self.at(from).iter().filter_map(updated).collect())]
            }
            Flow::Value { from, added, to } => {
                vec![(to, self.at(from).iter().map(|address| address.plus(added)).collect())]
            }
            Flow::Load { base, offset, to } => {
                let bases = self.at(base).iter().map(|address| address.plus(Some(offset)));
                vec![(to, bases.flat_map(|address| self.loaded(address)).collect())]
            }
            Flow::Store { from, base, offset } => {
                let targets = self.at(base).iter().map(|address| Place::Memory(address.plus(Some(offset))));
                targets.map(|to| (to, self.at(from).to_vec())).collect()
            }
            Flow::Whole { from, to } => {
                let copied = |&offset: &Option<i64>| {
                    let [from, to] = [from, to].map(|object| Place::Memory(Address { object, offset }));
                    (to, self.at(from).to_vec())
                };
                self.stored.get(&from).into_iter().flatten().map(copied).collect()
            }
        }
    }

    /// An address after an instruction that updates its register: `add %rd1, %rd1, 8`. In a loop the offset is unknown, which
    /// matters only for the stack frame, where it means an array.
    fn updated(&self, address: Address, register: Place, added: Option<i64>) -> Option<Address> {
        let mut others = self.at(register).iter().filter(|other| other.object == address.object);
        match address.object {
            Object::Frame(..) => Some(address.plus(None)),
            _ => (others.next().is_some() && others.next().is_none()).then(|| address.plus(added)),
        }
    }

    fn add_all(&mut self, to: Place, addresses: Vec<Address>) -> bool {
        let mut grew = false;
        for address in addresses {
            grew |= self.add(to, address);
        }
        grew
    }

    /// What a load from an address may return.
    fn loaded(&self, from: Address) -> Vec<Address> {
        let Address { object, offset } = from;
        let at = |offset| self.at(Place::Memory(Address { object, offset }));
        match (object, offset) {
            (Object::Param(param), Some(offset)) => {
                let at = u64::try_from(offset).into_iter();
                at.map(|at| Address { object: Object::Pointee(param, at), offset: Some(0) }).collect()
            }
            (_, Some(_)) => [at(offset), at(None)].concat(),
            // An array of pointers. Elsewhere, numbers are often loaded from and stored to unknown offsets.
            (Object::Frame(..), None) => {
                let stored = self.stored.get(&object).into_iter().flatten();
                stored.flat_map(|offset| at(*offset)).copied().collect()
            }
            (_, None) => Vec::new(),
        }
    }
}

/// Adds an address to a sorted set, with an unknown offset if the set has too many offsets in its object.
fn insert(held: &mut Vec<Address>, address: Address) -> bool {
    let others = held.iter().filter(|other| other.object == address.object);
    let unknown = Address { offset: None, ..address };
    let address = if others.count() >= MAX_OFFSETS { unknown } else { address };
    if held.binary_search(&unknown).is_ok() || held.binary_search(&address).is_ok() {
        return false;
    }
    if address == unknown {
        held.retain(|other| other.object != address.object);
    }
    if held.len() >= MAX_ADDRESSES {
        return false;
    }
    let at = held.partition_point(|other| *other < address);
    held.insert(at, address);
    true
}
