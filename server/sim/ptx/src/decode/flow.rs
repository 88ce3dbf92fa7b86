//! How statements use the registers that they read, and which registers may be read before they are written.

use warplens_hir::cfg::BlockId;
use warplens_hir::ptx::{self as hir, Operand};
use warplens_isa::ptx as isa;

use super::function::{FunctionDecoder, Mention};
use crate::program::{Guard, Mixing, Op, Read, ReadKind};

/// Maximum number of blocks that the liveness search visits; once it is reached, no further registers are reported as
/// suspects.
const PATIENCE: usize = 4_000_000;

/// The register with the member mask, if the instruction has one.
fn member_mask(instruction: hir::Instruction<'_>) -> Option<hir::NameId> {
    let is_exchange = matches!(instruction.opcode(), "shfl" | "vote" | "match" | "redux" | "elect");
    match instruction.operands().last().filter(|_| is_exchange && instruction.has("sync")) {
        Some(&Operand::Register { name, .. }) => Some(name),
        _ => None,
    }
}

/// For each register and the carry flag, the blocks that read it before they write it, and those that write it.
struct Exposure {
    exposed: Vec<Vec<BlockId>>,
    killed: Vec<Vec<BlockId>>,
}

impl<'l> FunctionDecoder<'l, '_> {
    pub(super) fn note_reads(&mut self, instruction: hir::Instruction<'l>, mentions: &[Mention]) {
        let opcode = instruction.opcode();
        let packs = instruction.operands().iter().any(|operand| matches!(operand, Operand::Vector(_)));
        let mixing = match opcode {
            "mov" if packs => Mixing::All,
            _ => isa::by_opcode(opcode).first().map_or(Mixing::Defined, |entry| entry.undefined),
        };
        let start = self.out.flow.reads.len();
        self.out.flow.statements.push((start as u32, mixing));
        if let Some(guard) = instruction.guard() {
            self.note_read(guard.name, None, ReadKind::Guard);
        }
        // A value in private memory may never be read again, so storing it is not a use yet.
        let private = opcode == "st" && (instruction.has("local") || instruction.has("param"));
        let part = match opcode {
            "st" if private => ReadKind::Source,
            "st" | "atom" | "red" => ReadKind::Stored,
            "multimem" if instruction.has("st") || instruction.has("red") => ReadKind::Stored,
            "brx" | "bar" | "barrier" => ReadKind::Choice,
            _ => ReadKind::Source,
        };
        let members = member_mask(instruction);
        for (index, mention) in mentions.iter().enumerate().filter(|_| opcode != "call") {
            let is_members = members == Some(mention.name) && index + 1 == mentions.len();
            let part = match mention.in_address {
                true => ReadKind::Address,
                false if is_members => ReadKind::Members,
                false => part,
            };
            self.note_read(mention.name, mention.component, part);
        }
        // `xor %r, %r, %r` writes zero without reading a value.
        let reads = &mut self.out.flow.reads;
        if matches!(opcode, "xor" | "sub") && reads.len() == start + 2 && reads[start] == reads[start + 1] {
            reads.truncate(start);
        }
    }

    fn note_read(&mut self, name: hir::NameId, component: Option<hir::Component>, part: ReadKind) {
        let name = self.hir.name(name);
        if matches!(name.role, hir::Role::Read | hir::Role::ReadWrite) {
            let numbers = self.slots.numbers(name.referent, component);
            self.out.flow.reads.extend(numbers.map(|register| Read { register, part }));
        }
    }

    /// Finds the registers that are live at the function's start, except parameters, and whether the carry flag is.
    pub(super) fn find_suspects(&mut self) {
        let Exposure { mut exposed, killed } = self.exposure();
        let carry = self.carry_number();
        let params = self.register_params();
        let entry = BlockId(0);
        let (mut live_in, mut steps) = (vec![usize::MAX; self.cfg.blocks().len()], 0);
        for register in 0..=carry {
            if params.contains(&(register as u32)) {
                continue;
            }
            let mut work = std::mem::take(&mut exposed[register]);
            while let Some(block) = work.pop() {
                if std::mem::replace(&mut live_in[block.index()], register) == register {
                    continue;
                }
                if block == entry {
                    match register == carry {
                        true => self.out.flow.suspects_carry = true,
                        false => self.out.flow.suspects.push(register as u32),
                    }
                    break;
                }
                steps += 1;
                let kills = &killed[register];
                work.extend(
                    self.cfg
                        .predecessors(block)
                        .filter(|from| kills.binary_search_by_key(&from.index(), |id| id.index()).is_err()),
                );
            }
            if steps > PATIENCE {
                return;
            }
        }
    }

    /// The carry flag has the number after the last register.
    fn carry_number(&self) -> usize {
        self.out.frame.registers.len()
    }

    /// Where each register, and the carry flag, is read and written.
    fn exposure(&self) -> Exposure {
        let carry = self.carry_number();
        let mut found =
            Exposure { exposed: vec![Vec::new(); carry + 1], killed: vec![Vec::new(); carry + 1] };
        let mut written_in = vec![usize::MAX; carry + 1];
        for id in self.cfg.ids() {
            for pc in self.cfg.block(id).instructions.clone() {
                let instruction = &self.out.code[pc as usize];
                let (takes, gives) = match instruction.op {
                    Op::Carry(carry) => (carry.takes, carry.gives),
                    _ => (false, false),
                };
                let reads = self.out.flow.reads_of(pc).iter().map(|read| read.register as usize);
                for at in reads.chain(takes.then_some(carry)) {
                    if written_in[at] != id.index() && found.exposed[at].last() != Some(&id) {
                        found.exposed[at].push(id);
                    }
                }
                if instruction.guard != Guard::ALWAYS {
                    continue;
                }
                let writes = self.out.writes_of(pc).iter().map(|&register| register as usize);
                for at in writes.chain(gives.then_some(carry)) {
                    if std::mem::replace(&mut written_in[at], id.index()) != id.index() {
                        found.killed[at].push(id);
                    }
                }
            }
        }
        found
    }

    fn register_params(&self) -> Vec<u32> {
        let formals = self.out.params.iter().filter_map(|formal| match formal.at {
            crate::program::Passing::Register(place) => Some(place),
            _ => None,
        });
        let places: Vec<_> = formals.collect();
        let registers = self.out.frame.registers.iter().enumerate();
        registers
            .filter(|(_, register)| places.contains(&register.place))
            .map(|(number, _)| number as u32)
            .collect()
    }
}
