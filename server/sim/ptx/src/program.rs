//! A decoded kernel: everything that a run needs, without source positions.
//!
//! A program compares by value, so an edit of a comment or of the layout gives an equal one. Instruction `pc` of a function is
//! statement `first_statement + pc`; the caller that decoded the program maps statements to source positions.

use std::sync::Arc;

use smol_str::SmolStr;
use warplens_sim_warp::memory::DeviceMemory;
use warplens_sim_warp::trace::StatementId;

mod asynchronous;
mod flow;
mod frequent;
mod guard;
mod hammock;
mod operation;
mod patterns;
mod quick;
mod tables;
mod tensor;
mod tensor_memory;

pub use asynchronous::{BulkCopy, Completion, Fill, Mbarrier, MbarrierAction};
pub use flow::{Flow, Mixing, Read};
pub use guard::Guard;
pub use hammock::{Hammock, Path};
pub use operation::{Combining, CopyGroup, Instruction, Multimem, Op, SetTo, StackAction};
pub use patterns::{Patterns, Update};
pub use quick::Quick;
pub use tables::{
    Access, Atomic, Barrier, BarrierKind, Call, Callee, Copy, Element, Exchange, ExchangeKind,
    FragmentAccess, Lop3Predicate, MatrixAccess, MatrixProduct, MixedOperands, Note, Pack, PackedSources,
    ProductScales, Promise, Rows, SignatureShape, SparseFactor, Switch, System, Tables,
};
pub use tensor::{Compression, FactorSource, TensorCopy, TensorOp, WarpgroupProduct};
pub use tensor_memory::{
    CellAccess, CellCopy, CellNumber, CellReduction, CellShape, CopyShape, ProductKind, TensorFactor,
    TensorMemoryOp, TensorProduct,
};
pub use warplens_sim_cuda::address::{Address, AtomicOp, Relative, Space};
pub use warplens_sim_cuda::objects::{FrameObjects, ProgramObjects};
pub use warplens_sim_cuda::order::{Order, ProxyFence, SpecialOrder};
pub use warplens_sim_cuda::sanitizer::undefined_use::Part;
pub use warplens_sim_cuda::slot::{Formal, NO_SLOT, Passing, RegisterSlot, Slot, Slots};
pub use warplens_sim_cuda::tensor::box_mode::BoxMode;

/// An entry and all functions that it can reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The entry's name.
    pub name: SmolStr,
    /// The entry first, then the others as they were found.
    pub functions: Vec<Function>,
    /// The entry's parameters.
    pub params: Vec<ParamLayout>,
    /// Bytes of the parameter block.
    pub params_size: u32,
    /// `.global` variables with their initial contents.
    pub globals: DeviceMemory,
    /// `.const` variables with their contents.
    pub constants: DeviceMemory,
    /// The objects of the other state spaces.
    pub objects: Arc<ProgramObjects>,
    /// Blocks of a cluster, if the entry specifies them.
    pub cluster: Option<[u32; 3]>,
    /// Bytes of `.shared` variables; the dynamic arrays begin after them.
    pub shared_size: u32,
    /// Whether pointers have 64 bits.
    pub wide_addresses: bool,
    /// Whether lanes of a warp that run together stay in step, as they do before `sm_70`.
    pub lockstep: bool,
}

impl Program {
    /// Statements of all functions.
    pub fn statements(&self) -> usize {
        self.functions.iter().map(|function| function.code.len()).sum()
    }

    /// Whether it prints or uses the device heap: then its blocks must run in order.
    pub fn calls_system(&self) -> bool {
        let mut calls = self.functions.iter().flat_map(|function| &function.tables.calls);
        calls.any(|call| matches!(call.callee, Callee::System(_)))
    }

    /// The function that holds a statement, and the statement's number in it.
    pub fn locate(&self, statement: StatementId) -> Option<(usize, u32)> {
        let after = self.functions.partition_point(|function| function.first_statement <= statement.0);
        let function = after.checked_sub(1)?;
        let pc = statement.0 - self.functions[function].first_statement;
        ((pc as usize) < self.functions[function].code.len()).then_some((function, pc))
    }
}

/// The location of a kernel parameter in the parameter block.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ParamLayout {
    /// Its name.
    pub name: SmolStr,
    /// Its first byte.
    pub offset: u32,
    /// Its size in bytes.
    pub size: u32,
}

/// One function.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Function {
    /// Its name.
    pub name: SmolStr,
    /// The statement of `code[0]`.
    pub first_statement: u32,
    /// The instructions in text order; one a statement.
    pub code: Vec<Instruction>,
    /// By instruction: the next one that has a guard or is control flow, or the end.
    pub straight_runs: Vec<u32>,
    /// The branches whose paths have only frequent operations.
    pub hammocks: Vec<Hammock>,
    /// Its registers.
    pub frame: FrameLayout,
    /// Formal parameters, in order.
    pub params: Vec<Formal>,
    /// Formal return parameters, in order.
    pub returns: Vec<Formal>,
    /// The sizes of its parameters.
    pub signature: SignatureShape,
    /// Whether it is `.noreturn`.
    pub is_noreturn: bool,
    /// The reads of each instruction.
    pub flow: Flow,
    /// The memory order of each instruction.
    pub orders: Vec<Order>,
    /// The patterns of its memory accesses.
    pub patterns: Patterns,
    /// Whether it has warpgroup products.
    pub uses_products: bool,
    /// Side tables of the operations that need more than five slots.
    pub tables: Tables,
    /// Which registers each instruction writes: `written[writes[pc] .. writes[pc + 1]]`, numbers of `frame.registers`.
    pub writes: Vec<u32>,
    /// See `writes`.
    pub written: Vec<u32>,
    /// Which registers each instruction names, its guard's too, each once: `named[names[pc] .. names[pc + 1]]`.
    pub names: Vec<u32>,
    /// See `names`.
    pub named: Vec<u32>,
}

impl Function {
    /// Computes the straight runs: ranges of code in which the set of executing lanes does not change.
    pub(crate) fn find_straight_runs(&mut self) {
        self.uses_products = self.tables.tensors.iter().any(|op| matches!(op, TensorOp::Product(_)));
        let mut end = self.code.len() as u32;
        self.straight_runs = vec![end; self.code.len() + 1];
        for (pc, instruction) in self.code.iter().enumerate().rev() {
            if instruction.guard != Guard::ALWAYS || instruction.op.is_control() {
                end = pc as u32;
            }
            self.straight_runs[pc] = end;
        }
    }

    /// Finds the frequent operations, and the branches whose paths have only these.
    pub(crate) fn find_quick(&mut self) {
        for instruction in &mut self.code {
            instruction.quick = frequent::quick(instruction, &self.tables);
        }
        for pc in 0..self.code.len() {
            if let Some(hammock) = Hammock::find(&self.code, &self.straight_runs, pc as u32) {
                self.code[pc].s.e = self.hammocks.len() as u32;
                self.hammocks.push(hammock);
            }
        }
    }

    /// The access of the instruction at `pc`, if it is a weak `op` of one element.
    pub(crate) fn plain_access(&self, pc: u32, op: Op) -> Option<&Access> {
        let instruction = self.code.get(pc as usize).filter(|instruction| instruction.op == op)?;
        let access = self.tables.accesses.get(instruction.s.a as usize)?;
        (!self.orders[pc as usize].strong && access.elements.len() == 1).then_some(access)
    }

    /// The registers that the instruction at `pc` writes, as numbers of `frame.registers`.
    pub fn writes_of(&self, pc: u32) -> &[u32] {
        let pc = pc as usize;
        &self.written[self.writes[pc] as usize..self.writes[pc + 1] as usize]
    }

    /// The registers that the instruction at `pc` names, as numbers of `frame.registers`.
    pub fn registers_of(&self, pc: u32) -> &[u32] {
        let pc = pc as usize;
        &self.named[self.names[pc] as usize..self.names[pc + 1] as usize]
    }
}

/// The frame of a call: registers, constants in them, stack.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct FrameLayout {
    /// Slots of up to 32 bits.
    pub words: u32,
    /// 64-bit slots.
    pub doubles: u32,
    /// Predicate slots.
    pub predicates: u32,
    /// Constants, by slot.
    pub word_constants: Vec<(Slot, u32)>,
    /// Constants, by slot.
    pub double_constants: Vec<(Slot, u64)>,
    /// Constant predicates, by slot; the others start false.
    pub true_predicates: Vec<Slot>,
    /// Special registers that never change, by slot; 64-bit ones are marked.
    pub specials: Vec<(Special, RegisterSlot)>,
    /// The registers that have names.
    pub registers: Vec<Register>,
    /// Bytes of `.local` and `.param` variables, a multiple of 16.
    pub local_size: u32,
}

/// A register with a name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Register {
    /// Its name in the text.
    pub name: SmolStr,
    /// Width in bits.
    pub bits: u16,
    /// Its location.
    pub place: RegisterSlot,
}

/// A special register whose value does not change while a warp runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Special {
    /// `%tid`, by dimension
    ThreadId(u8),
    /// `%ntid`
    BlockSize(u8),
    /// `%ctaid`
    BlockId(u8),
    /// `%nctaid`
    GridSize(u8),
    /// `%laneid`
    Lane,
    /// `%warpid`
    Warp,
    /// `%nwarpid`
    Warps,
    /// `%lanemask_eq`
    MaskEqual,
    /// `%lanemask_lt`
    MaskLess,
    /// `%lanemask_le`
    MaskLessEqual,
    /// `%lanemask_gt`
    MaskGreater,
    /// `%lanemask_ge`
    MaskGreaterEqual,
    /// `%dynamic_smem_size`
    DynamicShared,
    /// `%total_smem_size`
    TotalShared,
    /// The upper word of the address of the grid workspace; 0 if the launch is not cooperative.
    WorkspaceHigh,
    /// The lower word.
    WorkspaceLow,
    /// `%clusterid`
    ClusterId(u8),
    /// `%nclusterid`
    Clusters(u8),
    /// `%cluster_ctaid`
    BlockInCluster(u8),
    /// `%cluster_nctaid`
    ClusterSize(u8),
    /// `%cluster_ctarank`
    ClusterRank,
    /// `%cluster_nctarank`
    ClusterBlocks,
    /// `%is_explicit_cluster`
    IsClustered,
    /// The address of a shared variable at this offset, with the rank of the block.
    SharedAddress(u32),
    /// A fixed number: `%smid`, `%gridid` …
    Number(u32),
}
