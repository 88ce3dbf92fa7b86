//! A warp's products in flight, and the registers that they use.

use std::sync::Arc;

use warplens_sim_cuda::grown::grown;
use warplens_sim_cuda::sanitizer::products::{MissingFence, Misuse};
use warplens_sim_cuda::tensor::descriptor::Descriptor;

use crate::program::{FactorSource, Function, Op, RegisterSlot, TensorOp, WarpgroupProduct};

/// Maximum number of a warp's products in flight. A product may complete at any time, so beyond it the oldest one does.
pub(super) const MAX_PENDING: usize = 256;

/// What a product of these extents costs, as the meter counts it.
pub(crate) fn product_cost(m: u32, n: u32, k: u32) -> u64 {
    u64::from(m) * u64::from(n) * u64::from(k) / 64
}

#[derive(Clone, Debug)]
pub(crate) struct Pending {
    pub(crate) product: Arc<WarpgroupProduct>,
    /// The descriptors of A (if it is in shared memory) and B.
    pub(crate) a: Option<Descriptor>,
    pub(crate) b: Descriptor,
    pub(crate) accumulates: bool,
    /// Number of groups that the warp had committed at issue.
    pub(crate) group: u32,
    pub(crate) statement: u32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum RegisterUse {
    #[default]
    None,
    Source(u32),
    Sum(u32),
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Products {
    /// In flight, oldest first.
    pub(crate) pending: Vec<Pending>,
    pub(crate) committed: u32,
    /// By word register: the product in flight that uses it.
    uses: Vec<RegisterUse>,
    /// By word register: the statement that wrote it since the last fence.
    written: Vec<Option<u32>>,
    /// By word register: N and K of the last product since then that has it in D, and its statement.
    sums: Vec<Option<([u32; 2], u32)>>,
    fenced: bool,
    pub(crate) meeting: Meeting,
    /// Whether the warp's warpgroup has 128 threads.
    pub(crate) is_whole: bool,
    /// The statements and descriptors that the warp has executed, for comparison with the warpgroup's other warps.
    pub(crate) issued: Vec<(u32, Option<u64>, u64)>,
    /// The statements of products that have completed, for a recording.
    pub(crate) completed: Option<Vec<u32>>,
}

/// Whether a warp that has waited for products goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Meeting {
    #[default]
    Over,
    /// Other warps of its warpgroup have not waited for the products yet.
    Awaited,
    /// They cannot: no other warp can run.
    GivenUp,
}

impl Products {
    /// A product of a statement has completed.
    pub(super) fn note_completion(&mut self, statement: u32) {
        self.completed.iter_mut().for_each(|completed| completed.push(statement));
    }

    /// The statements of products that have completed since the last call.
    pub(crate) fn take_completed(&mut self) -> Vec<u32> {
        self.completed.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// The products of a warp in a block of `threads` threads.
    pub(crate) fn new(warp: u32, threads: u32, is_recorded: bool) -> Products {
        let is_whole = (warp / 4 + 1) * 128 <= threads;
        Products { is_whole, completed: is_recorded.then(Vec::new), ..Products::default() }
    }

    /// The misuse of registers by an instruction that is about to run while products are in flight.
    pub(crate) fn misuse(&self, function: &Function, pc: u32) -> Option<Misuse> {
        let writes = function.writes_of(pc);
        let next = is_product(function, pc);
        function.registers_of(pc).iter().find_map(|&register| {
            let RegisterSlot::Word(slot) = function.frame.registers[register as usize].place else {
                return None;
            };
            match self.uses.get(slot as usize).copied().unwrap_or_default() {
                RegisterUse::Sum(started) if !next => {
                    Some(Misuse::Result { register, started, reads: !writes.contains(&register) })
                }
                RegisterUse::Source(started) if writes.contains(&register) => {
                    Some(Misuse::Source { register, started })
                }
                _ => None,
            }
        })
    }

    pub(crate) fn is_in_flight(&self) -> bool {
        !self.pending.is_empty()
    }

    /// Records that an ordinary instruction has written registers.
    pub(crate) fn note_writes(&mut self, function: &Function, pc: u32) {
        if is_product(function, pc) {
            return;
        }
        for &register in function.writes_of(pc) {
            if let RegisterSlot::Word(slot) = function.frame.registers[register as usize].place {
                *grown(&mut self.written, slot) = Some(function.first_statement + pc);
            }
        }
    }

    /// A product is about to start. Those that have been waited for are over.
    pub(crate) fn missing_fence(
        &mut self,
        product: &WarpgroupProduct,
        statement: u32,
    ) -> Option<MissingFence> {
        if self.pending.is_empty() {
            self.sums.clear();
        }
        let shape = [product.n, product.k];
        let last = product
            .d
            .iter()
            .filter_map(|place| grown(&mut self.sums, place.slot()).replace((shape, statement)));
        let other = last.filter(|(last, _)| *last != shape).last();
        if !self.fenced {
            return Some(MissingFence::First);
        }
        let sources = match &product.a {
            FactorSource::Registers(registers) => registers.as_slice(),
            FactorSource::Shared(_) => &[],
        };
        let slot = |place: &RegisterSlot| place.slot() as usize;
        let mut written =
            product.d.iter().chain(sources).filter_map(|place| *self.written.get(slot(place))?);
        let written = written.next().map(MissingFence::Write);
        written.or(other.map(|(_, statement)| MissingFence::OtherShape(statement)))
    }

    /// Updates the register uses after the products in flight have changed.
    pub(crate) fn note_uses(&mut self) {
        self.uses.clear();
        for Pending { product, statement, .. } in &self.pending {
            let mut mark = |place: &RegisterSlot, how| *grown(&mut self.uses, place.slot()) = how;
            if let FactorSource::Registers(registers) = &product.a {
                registers.iter().for_each(|place| mark(place, RegisterUse::Source(*statement)));
            }
            product.d.iter().for_each(|place| mark(place, RegisterUse::Sum(*statement)));
        }
    }

    pub(crate) fn fence(&mut self) {
        self.fenced = true;
        self.written.clear();
        self.sums.clear();
    }
}

fn is_product(function: &Function, pc: u32) -> bool {
    let Op::Tensor(id) = function.code[pc as usize].op else { return false };
    matches!(function.tables[id], TensorOp::Product(_))
}
