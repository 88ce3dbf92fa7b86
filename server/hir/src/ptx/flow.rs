//! The control flow of a PTX function: which instructions end a block, and where they lead.

use std::ops::Range;

use super::uniformity::Uniformity;
use super::{Function, Instruction, Mnemonic, NameId, Operand, Resolution, SymbolKind, TableKind};
use crate::cfg::{BasicBlock, BlockEnd, BlockId, Cfg};
use crate::post_dominators::PostDominators;

impl Function {
    /// The basic blocks of the function. `is_noreturn` tells whether a function of the module never returns.
    ///
    /// The end of the text acts like `ret`. If it is reachable, it is a block of its own without
    /// instructions.
    pub fn cfg(&self, is_noreturn: &dyn Fn(&str) -> bool) -> Cfg {
        // Each distinct mnemonic is classified once.
        let may_leave =
            |known: &Mnemonic| matches!(&*known.opcode, "bra" | "brx" | "ret" | "exit" | "trap" | "call");
        let may_leave: Vec<bool> = self.mnemonics().iter().map(may_leave).collect();
        let exit = |instruction: Instruction<'_>| match may_leave[instruction.mnemonic_id().index()] {
            true => Exit::of(self, instruction, is_noreturn),
            false => Exit::None,
        };
        let exits: Vec<Exit> = self.instructions().map(exit).collect();
        let starts = self.starts(&exits);
        let block_at =
            |instruction: u32| BlockId(starts.partition_point(|&start| start <= instruction) as u32 - 1);
        let mut blocks = Vec::with_capacity(starts.len());
        let mut edges = Vec::new();
        for (index, &start) in starts.iter().enumerate() {
            let id = BlockId(index as u32);
            let end = starts.get(index + 1).copied().unwrap_or(exits.len() as u32);
            let instructions: Range<u32> = start..end;
            let exit = instructions.clone().next_back().map(|last| &exits[last as usize]);
            edges.extend(exit.into_iter().flat_map(Exit::targets).map(|&target| (id, block_at(target))));
            if exit.is_some_and(Exit::falls_through) {
                edges.push((id, block_at(end)));
            }
            blocks.push(BasicBlock { instructions, end: exit.map_or(BlockEnd::Exits, Exit::end) });
        }
        Cfg::new(blocks, edges)
    }

    /// The reconvergence points by the primary-end rule. Uniformity is computed only if the rule has a
    /// choice.
    pub fn post_dominators(&self, cfg: &Cfg) -> PostDominators {
        let uniformity = std::cell::OnceCell::new();
        PostDominators::by_primary_end(cfg, |block| {
            uniformity.get_or_init(|| Uniformity::of(self, cfg, &[])).is_uniform_branch(block)
        })
    }

    /// The first instruction of each block, in order.
    fn starts(&self, exits: &[Exit]) -> Vec<u32> {
        let after =
            exits.iter().zip(1u32..).filter(|(exit, _)| !matches!(exit, Exit::None)).map(|(_, next)| next);
        let labels = self.labels().map(|label| label.target.index() as u32);
        let mut starts: Vec<u32> = [0].into_iter().chain(after).chain(labels).collect();
        starts.sort_unstable();
        starts.dedup();
        // The end of the text is a block only if it is reachable.
        let end = exits.len() as u32;
        let falls_off = exits.last().is_none_or(Exit::falls_through);
        let jumped_to = || exits.iter().any(|exit| exit.targets().contains(&end));
        if falls_off && starts.last() != Some(&end) {
            starts.push(end);
        } else if !falls_off && starts.last() == Some(&end) && !jumped_to() {
            starts.pop();
        }
        starts
    }
}

/// How an instruction leaves its block, if it does.
enum Exit {
    /// The instruction stays in its block.
    None,
    /// `bra`, `brx.idx`
    Branch { guarded: bool, targets: Vec<u32> },
    /// `ret`, `exit`
    Leave { guarded: bool },
    /// `trap`, a call that never returns
    Stop { guarded: bool },
}

impl Exit {
    fn of(function: &Function, instruction: Instruction<'_>, is_noreturn: &dyn Fn(&str) -> bool) -> Exit {
        let guarded = instruction.guard().is_some();
        match instruction.opcode() {
            "bra" | "brx" => {
                let operands = instruction.operands();
                let target = if instruction.opcode() == "bra" { operands.first() } else { operands.last() };
                Exit::Branch { guarded, targets: branch_targets(function, target) }
            }
            "ret" | "exit" => Exit::Leave { guarded },
            "trap" => Exit::Stop { guarded },
            "call" if call_stops(function, instruction, is_noreturn) => Exit::Stop { guarded },
            _ => Exit::None,
        }
    }

    fn targets(&self) -> &[u32] {
        match self {
            Exit::Branch { targets, .. } => targets,
            _ => &[],
        }
    }

    fn falls_through(&self) -> bool {
        match self {
            Exit::None => true,
            Exit::Branch { guarded, .. } | Exit::Leave { guarded } | Exit::Stop { guarded } => *guarded,
        }
    }

    fn end(&self) -> BlockEnd {
        match self {
            Exit::None => BlockEnd::Continues,
            Exit::Branch { guarded: false, targets } => match targets.len() {
                0 => BlockEnd::Unknown,
                1 => BlockEnd::Continues,
                _ => BlockEnd::Diverges,
            },
            Exit::Branch { guarded: true, .. } => BlockEnd::Diverges,
            Exit::Leave { guarded: true } => BlockEnd::ExitsGuarded,
            Exit::Stop { guarded: true } => BlockEnd::TrapsGuarded,
            Exit::Leave { guarded: false } => BlockEnd::Exits,
            Exit::Stop { guarded: false } => BlockEnd::Traps,
        }
    }
}

/// The instructions that a branch operand leads to: the target of a label, or of each label in a table.
/// Unknown labels are omitted.
fn branch_targets(function: &Function, operand: Option<&Operand>) -> Vec<u32> {
    let Some(Operand::Symbol(name)) = operand else { return Vec::new() };
    let kind = |name: &NameId| function.symbol_kind(function.name(*name).resolution);
    let label = |name: &NameId| match kind(name) {
        Some(SymbolKind::Label { target }) => Some(target.index() as u32),
        _ => None,
    };
    match kind(name) {
        Some(SymbolKind::Table { kind: TableKind::Branch, targets }) => {
            targets.iter().filter_map(label).collect()
        }
        _ => label(name).into_iter().collect(),
    }
}

/// Whether a call never returns: its callee or its prototype is `.noreturn`, or every function in its table
/// is.
fn call_stops(function: &Function, call: Instruction<'_>, is_noreturn: &dyn Fn(&str) -> bool) -> bool {
    let stops = |resolution: Resolution<'_>| match resolution {
        Resolution::External(name) => is_noreturn(name),
        Resolution::Symbol(symbol) => match &function.symbol(symbol).kind {
            SymbolKind::Prototype(signature) => signature.is_noreturn(),
            SymbolKind::Table { kind: TableKind::Call, targets } => {
                let resolutions = targets.iter().map(|target| function.name(*target).resolution);
                let stops = |target| matches!(target, Resolution::External(name) if is_noreturn(name));
                !targets.is_empty() && resolutions.into_iter().all(stops)
            }
            _ => false,
        },
        Resolution::Indexed { .. } | Resolution::Special(_) => false,
    };
    call.operands()
        .iter()
        .any(|operand| matches!(operand, Operand::Symbol(name) if stops(function.name(*name).resolution)))
}

#[cfg(test)]
mod tests;
