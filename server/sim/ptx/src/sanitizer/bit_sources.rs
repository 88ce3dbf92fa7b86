//! The undefined bits of the registers that a statement reads.

use warplens_sim_cuda::registers::{FULL, PerLane, WIDTH, each, filter_lanes};
use warplens_sim_cuda::slot::{RegisterSlot, Slot};
use warplens_sim_warp::scalar_type::ScalarType;

use super::undefined::UndefinedValues;
use super::undefined_access::loads_vector;
use super::undefined_use::StatementVisit;
use crate::program::{ReadKind, Width};

pub(super) struct BitSources<'v> {
    pub(super) visit: &'v StatementVisit<'v>,
    pub(super) undefined: &'v UndefinedValues,
}

impl BitSources<'_> {
    pub(super) fn register(&self, place: RegisterSlot) -> Option<u32> {
        let frame = &self.visit.function.frame;
        self.registers().find(|register| frame.registers[*register as usize].place == place)
    }

    /// The registers that the statement computes with.
    fn registers(&self) -> impl Iterator<Item = u32> {
        let reads = self.visit.function.flow.reads_of(self.visit.pc).iter();
        reads.filter(|read| read.part == ReadKind::Source).map(|read| read.register)
    }

    pub(super) fn written(&self, place: RegisterSlot) -> Option<u32> {
        let function = self.visit.function;
        let writes = function.writes_of(self.visit.pc).iter().copied();
        writes.into_iter().find(|write| function.frame.registers[*write as usize].place == place)
    }

    /// The lanes in which all sources still have the bytes that were loaded.
    pub(super) fn copied(&self) -> u32 {
        self.registers().fold(FULL, |all, register| all & self.undefined.copied(register))
    }

    /// The lanes in which these bits of a source are all undefined. Elements of vector loads do not count, because they may be
    /// the padding of a structure.
    pub(super) fn wholly(&self, place: RegisterSlot, bits: u64) -> u32 {
        let Some(register) = self.register(place) else { return 0 };
        let function = self.visit.function;
        let statement = function.first_statement + self.visit.pc;
        let root = self.undefined.root(register, statement, self.visit.executed);
        let is_padding = loads_vector(function, &root);
        let undefined = self.of(place);
        filter_lanes(self.visit.executed, |lane| !is_padding && undefined[lane] & bits == bits)
    }

    pub(super) fn is_undefined(&self, place: RegisterSlot) -> bool {
        self.lanes_of(place) != 0
    }

    /// The lanes that execute the statement and have an undefined bit in this slot.
    pub(super) fn lanes_of(&self, place: RegisterSlot) -> u32 {
        self.register(place).map_or(0, |register| self.undefined.lanes_of(register) & self.visit.executed)
    }

    /// The undefined bits in this slot, by lane; constants have none.
    pub(super) fn of(&self, place: RegisterSlot) -> PerLane<u64> {
        self.register(place).map_or([0; WIDTH], |register| self.undefined.bits_of(register).bits)
    }

    /// The values in these slots, and their undefined bits.
    pub(super) fn known_and_undefined<const N: usize>(
        &self,
        places: [RegisterSlot; N],
    ) -> [[PerLane<u64>; N]; 2] {
        [places.map(|place| self.values(place)), places.map(|place| self.of(place))]
    }

    /// The bits that are undefined in any source.
    pub(super) fn any(&self) -> PerLane<u64> {
        self.registers().fold([0; WIDTH], |all, register| {
            let bits = self.undefined.bits_of(register).bits;
            each(|lane| all[lane] | bits[lane])
        })
    }

    /// The low 64 bits in this slot, by lane.
    pub(super) fn values(&self, place: RegisterSlot) -> PerLane<u64> {
        let registers = self.visit.registers;
        match place {
            RegisterSlot::Word(slot) => registers.get::<u32>(slot).map(u64::from),
            RegisterSlot::Double(slot) | RegisterSlot::Quad(slot) => *registers.get::<u64>(slot),
            RegisterSlot::Predicate(slot) => {
                let predicate = registers.predicates[slot as usize];
                each(|lane| u64::from(predicate >> lane & 1))
            }
        }
    }
}

/// The register in a slot; `None` above 64 bits.
pub(super) fn slot(slot: Slot, width: ScalarType) -> Option<RegisterSlot> {
    match width.bits() {
        _ if width == ScalarType::Predicate => Some(RegisterSlot::Predicate(slot)),
        64 => Some(RegisterSlot::Double(slot)),
        ..64 => Some(RegisterSlot::Word(slot)),
        _ => None,
    }
}

pub(super) fn register(slot: Slot, width: Width) -> RegisterSlot {
    match width {
        Width::W32 => RegisterSlot::Word(slot),
        Width::W64 => RegisterSlot::Double(slot),
    }
}

/// The undefined bits of a result; all 64 if all bits of its width are undefined.
pub(super) fn of_width(bits: u64, width: u32) -> u64 {
    let known = u64::MAX >> 64u32.saturating_sub(width).min(63);
    match bits & known {
        bits if bits == known => u64::MAX,
        bits => bits,
    }
}
