//! A decoded kernel: everything that a run needs, without source positions.
//!
//! Programs compare by value, so editing a comment or the layout yields an equal program. Instruction `pc` of a function is
//! statement `first_statement + pc`; the caller that decoded the program maps statements to source positions.

use std::sync::Arc;

use smol_str::SmolStr;
use warplens_sim_cuda::registers::WIDTH;
use warplens_sim_warp::memory::DeviceMemory;
use warplens_sim_warp::trace::StatementId;

mod asynchronous;
mod choices;
mod flow;
mod frequent;
mod guard;
mod hammock;
mod operation;
mod order_points;
mod patterns;
mod precondition;
mod quick;
mod tables;
mod tensor;
mod tensor_memory;
mod work;

pub use asynchronous::{BulkCopy, Completion, Fill, Mbarrier, MbarrierAction};
pub use choices::{Beyond, Sign, Signedness, Subnormals, Uniformity, Width};
pub use flow::{Flow, Read};
pub use guard::Guard;
pub use hammock::{Hammock, Path};
pub use operation::{Combining, CopyGroup, Instruction, Multimem, Op, SetTo, StackAction};
pub use patterns::{Patterns, Update};
pub use precondition::{LaneOperand, Precondition, Requirement, Window};
pub use quick::Quick;
pub(crate) use tables::Entry;
pub use tables::{
    Access, AccessId, Atomic, Barrier, BarrierKind, Call, CallId, Callee, Copy, Element, Exchange,
    ExchangeId, ExchangeKind, FragmentAccess, Lop3Predicate, MatrixAccess, MatrixProduct, MixedOperands,
    Note, Pack, PackedSources, ProductScales, Promise, Rows, SignatureShape, SparseFactor, Switch, SwitchId,
    System, Tables,
};
pub use tensor::{Compression, FactorSource, TensorCopy, TensorOp, WarpgroupProduct};
pub use tensor_memory::{
    CellAccess, CellCopy, CellNumber, CellReduction, CellShape, CopyShape, TensorFactor, TensorMemoryOp,
    TensorProduct,
};
pub use warplens_isa::ptx::Mixing;
pub use warplens_sim_cuda::address::{Address, AtomicOp, Relative, Space};
pub use warplens_sim_cuda::objects::{FrameObjects, ProgramObjects};
pub use warplens_sim_cuda::order::{AccessClass, Order, ProxyFence, Scope, SpecialOrder};
pub use warplens_sim_cuda::sanitizer::undefined_use::ReadKind;
pub use warplens_sim_cuda::slot::{Formal, NO_SLOT, Passing, RegisterSlot, Slot, Slots};
pub use warplens_sim_cuda::tensor::box_mode::BoxMode;

/// An entry and all functions that it can reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    pub name: SmolStr,
    /// The entry comes first, the others in the order in which they were found.
    pub functions: Vec<Function>,
    pub params: Vec<ParamLayout>,
    pub params_size: u32,
    /// `.global` variables with their initial contents.
    pub globals: DeviceMemory,
    /// `.const` variables with their contents.
    pub constants: DeviceMemory,
    pub objects: Arc<ProgramObjects>,
    /// Extents of a cluster in blocks, if the entry specifies them.
    pub cluster: Option<[u32; 3]>,
    /// Registers of a thread at entry, if directives specify them.
    pub entry_registers: Option<u32>,
    /// Bytes of `.shared` variables; the dynamic arrays start after them.
    pub shared_size: u32,
    pub wide_addresses: bool,
    /// The number of the target, such as 90; `None` if it is unknown.
    pub chip: Option<u16>,
    /// Whether lanes of a warp that run together stay in lockstep, as they do before `sm_70`.
    pub lockstep: bool,
}

impl Program {
    pub fn statements(&self) -> usize {
        self.functions.iter().map(|function| function.code.len()).sum()
    }

    /// Whether the program prints or uses the device heap; if so, its blocks must run in order.
    pub fn calls_system(&self) -> bool {
        let mut calls = self.functions.iter().flat_map(|function| &function.tables.calls);
        calls.any(|call| matches!(call.callee, Callee::System(_)))
    }

    /// The function that contains a statement, and the statement's index in it.
    pub fn locate(&self, statement: StatementId) -> Option<(usize, u32)> {
        let after = self.functions.partition_point(|function| function.first_statement <= statement.0);
        let function = after.checked_sub(1)?;
        let pc = statement.0 - self.functions[function].first_statement;
        ((pc as usize) < self.functions[function].code.len()).then_some((function, pc))
    }
}

/// A kernel parameter's location in the parameter block.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ParamLayout {
    pub name: SmolStr,
    pub offset: u32,
    /// In bytes.
    pub size: u32,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Function {
    pub name: SmolStr,
    /// The statement of `code[0]`.
    pub first_statement: u32,
    /// The instructions in text order, one per statement.
    pub code: Vec<Instruction>,
    /// By instruction: the next one that has a guard or is control flow, or the end.
    pub straight_runs: Vec<u32>,
    /// The branches whose paths contain only frequent operations.
    pub hammocks: Vec<Hammock>,
    pub frame: FrameLayout,
    pub params: Vec<Formal>,
    pub returns: Vec<Formal>,
    pub signature: SignatureShape,
    /// Whether the function is `.noreturn`.
    pub is_noreturn: bool,
    pub flow: Flow,
    pub orders: Vec<Order>,
    /// By instruction.
    pub preconditions: Vec<Box<[Precondition]>>,
    pub patterns: Patterns,
    pub uses_products: bool,
    /// Side tables for operations that need more than five slots.
    pub tables: Tables,
    /// The registers that each instruction writes: `written[writes[pc] .. writes[pc + 1]]`, as indices of `frame.registers`.
    pub writes: Vec<u32>,
    /// See `writes`.
    pub written: Vec<u32>,
    /// The registers that each instruction names, including its guard, each once: `named[names[pc] .. names[pc + 1]]`.
    pub names: Vec<u32>,
    /// See `names`.
    pub named: Vec<u32>,
}

impl Function {
    /// The address, the space and the bytes of a lane of a load, a store or an atomic.
    pub(crate) fn access(&self, op: Op) -> Option<(&Address, Space, u32)> {
        let tables = &self.tables;
        match op {
            Op::Load(id) | Op::Store(id) => Some((&tables[id].address, tables[id].space, tables[id].span())),
            Op::Atomic(id) => Some((&tables[id].address, tables[id].space, tables[id].span())),
            _ => None,
        }
    }

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

    /// Finds the frequent operations, and the branches whose paths contain only these.
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

    /// The access of the instruction at `pc`, if it is a weak load or store, as `kind` says, of a single element.
    pub(crate) fn plain_access(&self, pc: u32, kind: fn(Op) -> Option<AccessId>) -> Option<&Access> {
        let access = &self.tables[kind(self.code.get(pc as usize)?.op)?];
        (!self.orders[pc as usize].strong && access.elements.len() == 1).then_some(access)
    }

    /// Where an instruction that ends a basic block may jump.
    pub(crate) fn targets_of(&self, instruction: &Instruction) -> Option<Vec<u32>> {
        match instruction.op {
            Op::Branch(_) => Some(vec![instruction.s.a]),
            Op::Switch(id, _) => Some(self.tables[id].targets.clone()),
            Op::Return(_) | Op::Exit | Op::Trap => Some(Vec::new()),
            _ => None,
        }
    }

    pub(crate) fn call_site(&self, call: CallId) -> Option<u32> {
        let makes = |instruction: &Instruction| matches!(instruction.op, Op::Call(id, _) if id == call);
        Some(self.code.iter().position(makes)? as u32)
    }

    /// The registers that the instruction at `pc` writes, as indices of `frame.registers`.
    pub fn writes_of(&self, pc: u32) -> &[u32] {
        let pc = pc as usize;
        &self.written[self.writes[pc] as usize..self.writes[pc + 1] as usize]
    }

    /// The registers that the instruction at `pc` names, as indices of `frame.registers`.
    pub fn registers_of(&self, pc: u32) -> &[u32] {
        let pc = pc as usize;
        &self.named[self.names[pc] as usize..self.names[pc + 1] as usize]
    }
}

/// The frame of a call: registers, the constants in them, and stack.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct FrameLayout {
    pub words: u32,
    pub doubles: u32,
    pub predicates: u32,
    pub word_constants: Vec<(Slot, u32)>,
    pub double_constants: Vec<(Slot, u64)>,
    /// Predicates that are constant `true`; the others start as `false`.
    pub true_predicates: Vec<Slot>,
    /// Special registers that never change, by slot; 64-bit ones are marked.
    pub specials: Vec<(Special, RegisterSlot)>,
    pub registers: Vec<Register>,
    /// Bytes of `.local` and `.param` variables, a multiple of 16.
    pub local_size: u32,
}

impl FrameLayout {
    /// Bytes of the registers and of the local memory of a warp.
    pub(crate) fn bytes(&self) -> u64 {
        let lanes = WIDTH as u64;
        lanes * (4 * u64::from(self.words) + 8 * u64::from(self.doubles) + u64::from(self.local_size))
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Register {
    pub name: SmolStr,
    pub bits: u16,
    pub place: RegisterSlot,
}

/// A special register whose value does not change while a warp runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Special {
    /// `%tid`, by dimension.
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
    /// The upper word of the grid workspace's address; 0 if the launch is not cooperative.
    WorkspaceHigh,
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
    /// The address of a shared variable at this offset, including the rank of the block.
    SharedAddress(u32),
    /// A fixed number: `%smid`, `%gridid` …
    Number(u32),
}
