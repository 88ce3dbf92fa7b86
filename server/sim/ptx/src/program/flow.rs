//! How a statement uses the registers that it reads. Only the sanitizer of undefined values needs it.

use warplens_sim_cuda::sanitizer::undefined_use::Part;

/// How a result depends on its sources.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mixing {
    /// Not by this rule: a load depends on memory, a warp-wide operation on other lanes.
    #[default]
    Defined,
    /// Undefined if any source is.
    Any,
    /// Undefined if all sources are: a selection, a combination of bits.
    All,
}

/// A register that a statement reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Read {
    /// Its number in `frame.registers`.
    pub register: u32,
    /// Its use.
    pub part: Part,
}

/// The reads of all statements of a function.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Flow {
    pub(crate) reads: Vec<Read>,
    /// By statement: its first read, and how its result depends on its sources.
    pub(crate) statements: Vec<(u32, Mixing)>,
    /// Registers that may be read before they are written, on some path and in some lane.
    pub suspects: Vec<u32>,
}

impl Flow {
    /// The reads of the instruction at `pc`.
    pub fn reads_of(&self, pc: u32) -> &[Read] {
        let start =
            |pc: usize| self.statements.get(pc).map_or(self.reads.len(), |(start, _)| *start as usize);
        &self.reads[start(pc as usize)..start(pc as usize + 1)]
    }

    /// How the result of the instruction at `pc` depends on its sources.
    pub fn mixing_of(&self, pc: u32) -> Mixing {
        self.statements.get(pc as usize).map_or(Mixing::Defined, |(_, mixing)| *mixing)
    }
}
