//! How a statement uses the registers that it reads. Only the sanitizer of undefined values needs this.

use warplens_isa::ptx::Mixing;
use warplens_sim_cuda::sanitizer::undefined_use::ReadKind;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Read {
    /// An index of `frame.registers`.
    pub register: u32,
    pub part: ReadKind,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Flow {
    pub(crate) reads: Vec<Read>,
    /// By statement: the index of its first read, and how its result depends on its sources.
    pub(crate) statements: Vec<(u32, Mixing)>,
    /// Registers that may be read before they are written, on some path and in some lane.
    pub suspects: Vec<u32>,
    /// Whether the carry flag may be read before it is written.
    pub suspects_carry: bool,
}

impl Flow {
    pub fn reads_of(&self, pc: u32) -> &[Read] {
        let start =
            |pc: usize| self.statements.get(pc).map_or(self.reads.len(), |(start, _)| *start as usize);
        &self.reads[start(pc as usize)..start(pc as usize + 1)]
    }

    pub fn mixing_of(&self, pc: u32) -> Mixing {
        self.statements.get(pc as usize).map_or(Mixing::Defined, |(_, mixing)| *mixing)
    }
}
