//! Undefined values in memory: loads of bytes that were never written, and stores of undefined values.
//!
//! A store to the thread's own local memory only passes the value on. All other stores are visible to other threads.

use warplens_sim_cuda::registers::{FULL, PerLane, filter_lanes};
use warplens_sim_cuda::sanitizer::Sanitizer;
use warplens_sim_cuda::sanitizer::undefined_access::UndefinedResult;
use warplens_sim_cuda::sanitizer::undefined_use::{Cause, UndefinedOrigin, UndefinedUse};
use warplens_sim_cuda::slot::RegisterSlot;

use super::undefined::UndefinedValues;
use super::undefined_use::{StatementVisit, UndefinedBits, UndefinedUses};
use crate::program::{Access, Function, Op, ReadKind};

/// Records that the statement stores values, some of them undefined.
pub(super) fn note_stores(
    sanitizer: &mut Sanitizer,
    undefined: &UndefinedValues,
    visit: &StatementVisit<'_>,
    uses: &UndefinedUses,
) {
    let function = visit.function;
    let instruction = &function.code[visit.pc as usize];
    sanitizer.report.visit.undefined = uses.sources | uses.stored.map_or(0, |stored| stored.lanes);
    if sanitizer.report.visit.undefined == 0 {
        return;
    }
    sanitizer.undefined.stored_origin = uses.root;
    sanitizer.undefined.stored.fill(sanitizer.report.visit.undefined);
    note_matrix_sources(sanitizer, undefined, visit, uses);
    if let Op::Store(access) = instruction.op {
        note_elements(sanitizer, undefined, visit, uses, &function.tables[access]);
    }
}

/// Records the undefined bits of the registers of a matrix that is stored.
fn note_matrix_sources(
    sanitizer: &mut Sanitizer,
    undefined: &UndefinedValues,
    visit: &StatementVisit<'_>,
    uses: &UndefinedUses,
) {
    let function = visit.function;
    let registers = match function.code[visit.pc as usize].op {
        Op::FragmentAccess(id) => Some((&function.tables[id].registers, function.tables[id].store)),
        Op::MatrixAccess(id) => Some((&function.tables[id].registers, function.tables[id].store)),
        _ => None,
    };
    if let Some(((registers, true), root)) = registers.zip(uses.root) {
        let of = |place: &RegisterSlot| {
            let register = register_at(visit, *place);
            std::array::from_fn(|lane| register.map_or(0, |register| undefined.bits(register, lane)))
        };
        let statement = function.first_statement + visit.pc;
        let used = UndefinedUse { root, statement, part: ReadKind::Stored, lanes: 0 };
        sanitizer.undefined.sources = Some((used, registers.iter().map(of).collect()));
    }
}

/// Records the undefined bytes of each element of a store, and the value that others then see.
fn note_elements(
    sanitizer: &mut Sanitizer,
    undefined: &UndefinedValues,
    visit: &StatementVisit<'_>,
    uses: &UndefinedUses,
    access: &Access,
) {
    let function = visit.function;
    let size = access.size as usize;
    let whole = u64::MAX >> (64 - 8 * size.min(8));
    let (mut found, mut defined) = (Vec::new(), 0);
    for (element, place) in access.elements.iter().enumerate() {
        let register = place.and_then(|element| register_at(visit, element.place));
        let bits: PerLane<u64> =
            std::array::from_fn(|lane| register.map_or(0, |register| undefined.bits(register, lane)));
        for byte in 0..size {
            // 128-bit registers are undefined only as a whole.
            let shift = 8 * byte % 64;
            if let Some(stored) = sanitizer.undefined.stored.get_mut(element * size + byte) {
                *stored = filter_lanes(visit.executed, |lane| bits[lane] >> shift & 0xff != 0);
            }
        }
        // A copied structure may have padding.
        let copied = register.map_or(0, |register| undefined.bits_of(register).copied);
        let is_whole = |lane: usize| match bits[lane] & whole {
            0 => false,
            part => part == whole || copied >> lane & 1 == 0,
        };
        let lanes = filter_lanes(visit.executed, is_whole);
        defined |= visit.executed & !lanes;
        found.extend(register.filter(|_| lanes != 0).map(|register| (register, lanes)));
    }
    sanitizer.undefined.store = uses.stored.and_then(|used| {
        let used = |(register, lanes)| {
            let root = undefined.root(register, used.statement, lanes);
            let lanes = if loads_vector(function, &root) { lanes & !defined } else { lanes };
            (lanes != 0).then_some(UndefinedUse { root, lanes, ..used })
        };
        let mut found = found.into_iter().filter_map(used);
        let first = found.next()?;
        Some(UndefinedUse { lanes: found.fold(first.lanes, |all, next| all | next.lanes), ..first })
    });
    sanitizer.undefined.visible = 0;
    sanitizer.undefined.stays_in_tile =
        sanitizer.undefined.store.is_some_and(|store| is_of_matrix(function, &store.root));
    sanitizer.undefined.is_pending |= sanitizer.undefined.store.is_some();
}

/// Records the undefined results of an operation on a matrix.
pub(super) fn note_results(
    sanitizer: &mut Sanitizer,
    undefined: &mut UndefinedValues,
    function: &Function,
    pc: u32,
) {
    undefined.grow(function);
    for UndefinedResult { register, bits, origin } in sanitizer.undefined.results.drain(..) {
        let mut written = function.writes_of(pc).iter();
        let place = |written: &&u32| function.frame.registers[**written as usize].place == register;
        if let Some(&written) = written.find(place) {
            // A product may add to a sum that is undefined in other elements.
            let bits = std::array::from_fn(|lane| bits[lane] | undefined.bits(written, lane));
            undefined.set_bits(written, origin.lanes, &UndefinedBits { bits, copied: 0 }, Some(origin));
        }
    }
    sanitizer.undefined.origins.fill(None);
}

/// Whether a value comes from a matrix: `ldmatrix` loaded it, or a product computed it. Tiles have more rows and columns than the data,
/// and kernels put whole tiles into shared memory before they store the valid part.
fn is_of_matrix(function: &Function, root: &UndefinedOrigin) -> bool {
    let op = |statement: u32| {
        let pc = statement.checked_sub(function.first_statement);
        pc.and_then(|pc| function.code.get(pc as usize)).map(|instruction| instruction.op)
    };
    let is_product = |op| matches!(op, Op::MatrixProduct(_) | Op::Tensor(_));
    matches!(root.cause, Cause::Factor | Cause::Cell)
        || matches!(op(root.statement), Some(Op::MatrixAccess(_) | Op::FragmentAccess(_)))
        || root.through.and_then(op).is_some_and(is_product)
}

/// Whether the value comes from a vector load: an undefined element may be the padding of a structure.
pub(super) fn loads_vector(function: &Function, root: &UndefinedOrigin) -> bool {
    let pc = root.statement.checked_sub(function.first_statement);
    let instruction = pc.and_then(|pc| function.code.get(pc as usize));
    root.cause == Cause::Memory
        && instruction.is_some_and(
            |instruction| matches!(instruction.op, Op::Load(id) if function.tables[id].elements.len() > 1),
        )
}

/// Records undefined loaded values, after the load at `pc`.
pub(super) fn note_loads(
    sanitizer: &mut Sanitizer,
    undefined: &mut UndefinedValues,
    function: &Function,
    pc: u32,
) {
    let (size, signed, written): (u32, bool, Vec<bool>) = match function.code[pc as usize].op {
        Op::Load(id) => {
            let access = &function.tables[id];
            (access.size, access.signed, access.elements.iter().map(Option::is_some).collect())
        }
        Op::Atomic(id) => {
            let atomic = &function.tables[id];
            (atomic.ty.bytes() as u32, false, atomic.old.iter().map(Option::is_some).collect())
        }
        _ => return,
    };
    let written = (0..).zip(written).filter(|(_, is_written)| *is_written).map(|(element, _)| element);
    undefined.grow(function);
    for (element, &register) in written.zip(function.writes_of(pc)) {
        let lanes = sanitizer.undefined.uninitialized.get(element).copied().unwrap_or(0);
        if lanes == 0 {
            continue;
        }
        let statement = function.first_statement + pc;
        let memory = UndefinedOrigin { statement, cause: Cause::Memory, lanes, through: None };
        let origin = sanitizer.undefined.origins.get(element).copied().flatten().unwrap_or(memory);
        let bits = std::array::from_fn(|lane| sanitizer.undefined.loaded_bits(size, signed, element, lane));
        undefined.set_bits(register, lanes, &UndefinedBits { bits, copied: FULL }, Some(origin));
    }
    sanitizer.undefined.loaded.fill(0);
    sanitizer.undefined.origins.fill(None);
}

/// The register in this slot that a statement reads.
fn register_at(visit: &StatementVisit<'_>, place: RegisterSlot) -> Option<u32> {
    let function = visit.function;
    let mut reads = function.flow.reads_of(visit.pc).iter();
    reads.find_map(|read| {
        (function.frame.registers[read.register as usize].place == place).then_some(read.register)
    })
}
