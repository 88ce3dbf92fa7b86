//! Which branches are proven to keep the lanes of a warp together.

use warplens_isa::ptx::{self as isa, Scope};

use super::{
    Function, FunctionKind, Guard, Instruction, NameId, Operand, ReferentId, Resolution, SymbolKind,
};
use crate::cfg::{BlockEnd, BlockId, Cfg};
use crate::post_dominators::PostDominators;

/// Block visits that the proof may cost; beyond it nothing counts as proven.
const BUDGET: usize = 20_000_000;

/// The result of the proof. It errs on one side only: what is called uniform is.
///
/// A value is uniform if it is computed from kernel parameters, constants, constant memory and special registers that a
/// warp shares, by instructions whose guard is uniform, in blocks that the lanes of a warp come to together.
pub struct Uniformity {
    /// By block: whether the branch at its end is proven.
    uniform: Vec<bool>,
}

impl Uniformity {
    /// Proves what it can about a function.
    pub fn of(function: &Function, cfg: &Cfg) -> Uniformity {
        let mut proof = Proof {
            function,
            cfg,
            varies: vec![false; function.referent_count()],
            apart: vec![false; cfg.blocks().len()],
            parted: vec![false; cfg.blocks().len()],
            meets: PostDominators::textbook(cfg),
            met: vec![None; cfg.blocks().len()],
            budget: BUDGET,
        };
        let done = proof.run();
        let uniform = cfg.ids().map(|id| done && !proof.parted[id.index()]).collect();
        Uniformity { uniform }
    }

    /// Whether the branch at the end of this block sends all lanes of a warp that come to it the same way.
    pub fn is_uniform_branch(&self, block: BlockId) -> bool {
        self.uniform[block.index()]
    }
}

struct Proof<'f> {
    function: &'f Function,
    cfg: &'f Cfg,
    /// By referent: whether lanes may hold different values.
    varies: Vec<bool>,
    /// Blocks to which the lanes of a warp may come at different times.
    apart: Vec<bool>,
    /// Blocks whose branch may part lanes.
    parted: Vec<bool>,
    meets: PostDominators,
    /// By block: the branch for which it was last met.
    met: Vec<Option<BlockId>>,
    budget: usize,
}

impl Proof<'_> {
    /// Grows the sets until nothing changes; `false` when that takes too long.
    fn run(&mut self) -> bool {
        loop {
            let mut changed = false;
            for block in self.cfg.ids() {
                let instructions = self.cfg.block(block).instructions.clone();
                let Some(budget) = self.budget.checked_sub(instructions.len() + 1) else { return false };
                self.budget = budget;
                for id in instructions {
                    let instruction = self.function.instruction(super::InstructionId::new(id as usize));
                    changed |= self.visit(instruction, block);
                }
                changed |= self.end(block);
            }
            if !changed {
                return true;
            }
        }
    }

    /// Marks what the instruction writes; `true` if that is news.
    fn visit(&mut self, instruction: Instruction<'_>, block: BlockId) -> bool {
        let guard_varies = instruction.guard().is_some_and(|guard| self.guard_varies(guard));
        let varies = guard_varies || self.apart[block.index()] || self.result_varies(instruction);
        let mut changed = false;
        if varies {
            for name in self.function.names_of(instruction).filter(|name| name.role.writes()) {
                changed |= !std::mem::replace(&mut self.varies[name.referent.index()], true);
            }
        }
        changed
    }

    /// Whether lanes that run the instruction together may get different results.
    fn result_varies(&self, instruction: Instruction<'_>) -> bool {
        let names = || self.function.names_of(instruction).filter(|name| !name.role.writes());
        let sources_vary = || names().any(|name| self.name_varies(name.resolution, name.referent));
        match instruction.opcode() {
            "ld" | "ldu" if instruction.has("const") => sources_vary(),
            "ld" if instruction.modifiers().iter().any(|modifier| modifier.starts_with("param")) => {
                self.function.kind != FunctionKind::Entry
                    || sources_vary()
                    || !names().any(|name| {
                        let symbol =
                            name.resolution.symbol().map(|symbol| &self.function.symbol(symbol).kind);
                        matches!(symbol, Some(SymbolKind::Param { .. }))
                    })
            }
            opcode => !is_arithmetic(opcode) || sources_vary(),
        }
    }

    fn name_varies(&self, resolution: Resolution<'_>, referent: ReferentId) -> bool {
        match resolution {
            Resolution::Special(name) => {
                isa::special_register(name).is_none_or(|register| matches!(register.scope, Scope::Thread))
            }
            // Registers, and addresses of variables, which are the same number in every lane.
            Resolution::Symbol(_) | Resolution::Indexed { .. } | Resolution::External(_) => {
                self.varies[referent.index()]
            }
        }
    }

    fn guard_varies(&self, guard: Guard) -> bool {
        self.varies[self.function.name(guard.name).referent.index()]
    }

    /// Marks the blocks that lanes come to apart because of the branch at the end of this one; `true` if that is news.
    fn end(&mut self, block: BlockId) -> bool {
        if self.parted[block.index()] || self.cfg.block(block).end != BlockEnd::Parts {
            return false;
        }
        let Some(last) = self.cfg.block(block).instructions.clone().next_back() else { return false };
        let branch = self.function.instruction(super::InstructionId::new(last as usize));
        let parts = branch.guard().is_some_and(|guard| self.guard_varies(guard))
            || branch.opcode() == "brx"
                && branch.operands().first().is_some_and(|index| self.operand_varies(*index));
        if !parts || branch.has("uni") {
            return false;
        }
        self.parted[block.index()] = true;
        let meeting = self.meets.immediate(block);
        let mut open: Vec<BlockId> = self.cfg.successors(block).collect();
        while let Some(next) = open.pop() {
            if Some(next) != meeting && self.met[next.index()].replace(block) != Some(block) {
                self.budget = self.budget.saturating_sub(1);
                self.apart[next.index()] = true;
                open.extend(self.cfg.successors(next));
            }
        }
        true
    }

    fn operand_varies(&self, operand: Operand) -> bool {
        let varies = |name: NameId| {
            let name = self.function.name(name);
            self.name_varies(name.resolution, name.referent)
        };
        match operand {
            Operand::Register { name, .. } | Operand::Special { name, .. } => varies(name),
            Operand::Constant(_) => false,
            _ => true,
        }
    }
}

/// Whether the result depends on nothing but the operands. Whatever is not listed may differ between lanes.
fn is_arithmetic(opcode: &str) -> bool {
    const OPCODES: &[&str] = &[
        "abs", "add", "and", "bfe", "bfi", "bfind", "bmsk", "brev", "clz", "cnot", "copysign", "cos", "cvt",
        "cvta", "div", "dp2a", "dp4a", "ex2", "fma", "fns", "isspacep", "lg2", "lop3", "mad", "mad24", "max",
        "min", "mov", "mul", "mul24", "neg", "not", "or", "popc", "prmt", "rcp", "rem", "rsqrt", "sad",
        "selp", "set", "setp", "shf", "shl", "shr", "sin", "slct", "sqrt", "sub", "szext", "tanh", "testp",
        "xor",
    ];
    OPCODES.binary_search(&opcode).is_ok()
}
