//! One function: its frame, its formal parameters, and its instructions in order.

use rustc_hash::FxHashMap;
use warplens_hir::cfg::Cfg;
use warplens_hir::post_dominators::PostDominators;
use warplens_hir::ptx::{self as hir, FunctionKind, Operand, Parameter, Space, SymbolId, SymbolKind};
use warplens_sim_warp::objects::Object;

use super::module::Linked;
use super::order::order;
use super::patterns::patterns;
use super::slot_table::SlotTable;
use super::storage::{self, Storage};
use super::{Result, Why};
use crate::program::{
    self, Entry, Formal, FrameObjects, Function, Guard, Instruction, Note, Op, Passing, Quick,
    SignatureShape, Slots,
};

pub(super) struct FunctionDecoder<'l, 'm> {
    pub(super) linked: &'l Linked<'m>,
    pub(super) index: usize,
    pub(super) hir: &'l hir::Function,
    pub(super) out: Function,
    pub(super) slots: SlotTable,
    pub(super) frame_storage: FxHashMap<SymbolId, Storage>,
    frame_objects: FrameObjects,
    pub(super) cfg: Cfg,
    joins: PostDominators,
    plain_joins: PostDominators,
}

#[derive(Clone, Copy)]
pub(super) struct Mention {
    pub(super) name: hir::NameId,
    pub(super) component: Option<hir::Component>,
    pub(super) in_address: bool,
}

impl<'l, 'm> FunctionDecoder<'l, 'm> {
    pub(super) fn new(linked: &'l Linked<'m>, index: usize) -> FunctionDecoder<'l, 'm> {
        let hir = &*linked.functions[index];
        let cfg = hir.cfg(&|name| linked.is_noreturn(name));
        let mut decoder = FunctionDecoder {
            linked,
            index,
            hir,
            out: Function {
                name: hir.name.clone().unwrap_or_default(),
                signature: shape(&hir.signature),
                is_noreturn: hir.signature.is_noreturn(),
                ..Function::default()
            },
            slots: SlotTable::default(),
            frame_storage: FxHashMap::default(),
            frame_objects: FrameObjects::default(),
            joins: hir.post_dominators(&cfg),
            plain_joins: PostDominators::plain(&cfg),
            cfg,
        };
        decoder.lay_out_frame();
        decoder
    }

    /// Lays out the frame's variables in local memory. Kernel parameters are in the parameter block.
    fn lay_out_frame(&mut self) {
        // The module's own variables are below the first frame.
        let mut end = if self.index == 0 { u64::from(self.linked.local) } else { 0 };
        let entry = self.hir.kind == FunctionKind::Entry;
        let mut block_end = 0u64;
        let block: Vec<u64> =
            self.hir.signature.params.iter().map(|param| storage::place(&mut block_end, param)).collect();
        for (index, symbol) in self.hir.symbols().iter().enumerate() {
            let (bytes, align, shape, is_local) = match &symbol.kind {
                SymbolKind::Variable(variable) if matches!(variable.space, Space::Local | Space::Param) => {
                    let shape = storage::variable_shape(variable);
                    (variable.bytes(), variable.alignment(), shape, variable.space == Space::Local)
                }
                SymbolKind::Param { is_return: false, index: param } if entry => {
                    let at = block.get(*param as usize).copied().unwrap_or(0);
                    self.frame_storage.insert(SymbolId::new(index), Storage::At(program::Space::Param, at));
                    continue;
                }
                SymbolKind::Param { is_return, index: param } => {
                    match storage::formals(&self.hir.signature, *is_return).get(*param as usize) {
                        Some(param) if param.space == Space::Param => {
                            (param.bytes(), param.alignment(), storage::param_shape(param), false)
                        }
                        _ => continue,
                    }
                }
                _ => continue,
            };
            let at = end.checked_next_multiple_of(align.max(4)).unwrap_or(end);
            end = at.saturating_add(bytes.max(1));
            let object = Object { name: symbol.name.clone(), start: at, len: bytes, shape };
            if is_local {
                end = end.saturating_add(FrameObjects::GUARD);
                self.frame_objects.add_local(object);
            } else {
                self.frame_objects.add_param(object);
            }
            self.frame_storage.insert(SymbolId::new(index), Storage::Frame(at));
        }
        // A frame that exceeds local memory is an error only when it is entered.
        let size = end.checked_next_multiple_of(16).unwrap_or(end);
        self.out.frame.local_size = u32::try_from(size).unwrap_or(u32::MAX / 2);
    }

    pub(super) fn decode(mut self) -> (Function, FrameObjects) {
        self.out.returns = self.formals(true);
        self.out.params = if self.hir.kind == FunctionKind::Entry { Vec::new() } else { self.formals(false) };
        for instruction in self.hir.instructions() {
            let decoded = match self.guarded(instruction) {
                Ok(decoded) => decoded,
                Err(why) => self.unsupported(instruction, why),
            };
            let preconditions = self.preconditions(instruction, &decoded);
            self.out.preconditions.push(preconditions);
            self.out.code.push(decoded);
            self.out.orders.push(order(instruction));
            self.out.writes.push(self.out.written.len() as u32);
            self.out.names.push(self.out.named.len() as u32);
            let mut mentions = Vec::new();
            self.mentions(instruction.operands(), false, &mut mentions);
            self.note_registers(instruction, &mentions);
            self.note_reads(instruction, &mentions);
        }
        self.out.writes.push(self.out.written.len() as u32);
        self.out.names.push(self.out.named.len() as u32);
        self.find_suspects();
        self.out.find_straight_runs();
        self.out.find_quick();
        self.out.patterns = patterns(&self.out, &self.cfg);
        (self.out, self.frame_objects)
    }

    fn guarded(&mut self, instruction: hir::Instruction<'l>) -> Result<Instruction> {
        let guard = self.guard(instruction)?;
        let (op, s) = self.instruction(instruction)?;
        Ok(Instruction { guard, op, s, quick: Quick::No })
    }

    fn guard(&mut self, instruction: hir::Instruction<'l>) -> Result<Guard> {
        let Some(guard) = instruction.guard() else { return Ok(Guard::ALWAYS) };
        let (slot, negated) = self.predicate(Operand::Register { name: guard.name, component: None })?;
        Ok(Guard::new(slot, negated != guard.negated))
    }

    fn unsupported(&mut self, instruction: hir::Instruction<'l>, Why(why): Why) -> Instruction {
        let note = Note { name: instruction.mnemonic().to_string().into(), why };
        let op = Op::Unsupported(note.add_to(&mut self.out.tables));
        let guard = self.guard(instruction).unwrap_or(Guard::ALWAYS);
        Instruction { guard, op, s: Slots::default(), quick: Quick::No }
    }

    fn formals(&mut self, returns: bool) -> Vec<Formal> {
        let params = storage::formals(&self.hir.signature, returns);
        let mut formals = Vec::with_capacity(params.len());
        for param in params {
            let symbol = self.hir.param_symbol(param);
            self.formal(symbol, param, &mut formals);
        }
        formals
    }

    /// Adds a formal parameter; a vector register adds one for each element.
    fn formal(&mut self, symbol: Option<SymbolId>, param: &Parameter, formals: &mut Vec<Formal>) {
        let size = param.bytes() as u32;
        let frame = symbol.and_then(|symbol| self.frame_storage.get(&symbol));
        if let Some(Storage::Frame(at)) = frame {
            return formals.push(Formal { at: Passing::Local(*at as u32), size });
        }
        // A register parameter has a slot only if the body names it.
        let named = self.hir.names().position(|name| symbol.is_some() && name.resolution.symbol() == symbol);
        let elements = named.filter(|_| param.space == Space::Reg).and_then(|name| {
            self.elements(Operand::Register { name: hir::NameId::new(name), component: None }).ok()
        });
        match elements {
            None => formals.push(Formal { at: Passing::Nowhere, size }),
            Some(elements) => formals.extend(
                elements
                    .into_iter()
                    .map(|(place, bits)| Formal { at: Passing::Register(place), size: bits.div_ceil(8) }),
            ),
        }
    }

    /// Records the registers that an instruction writes and names.
    fn note_registers(&mut self, instruction: hir::Instruction<'l>, mentions: &[Mention]) {
        let start = self.out.named.len();
        let guard = instruction.guard().map(|guard| guard.name);
        for name in guard.into_iter().chain(mentions.iter().map(|mention| mention.name)) {
            for number in self.slots.numbers(self.hir.name(name).referent, None) {
                if !self.out.named[start..].contains(&number) {
                    self.out.named.push(number);
                }
            }
        }
        for &Mention { name, component, .. } in mentions {
            let name = self.hir.name(name);
            if name.role.writes() {
                self.out.written.extend(self.slots.numbers(name.referent, component));
            }
        }
    }

    fn mentions(&self, operands: &[Operand], in_address: bool, found: &mut Vec<Mention>) {
        for &operand in operands {
            match operand {
                Operand::Register { name, component } => {
                    found.push(Mention { name, component, in_address });
                }
                Operand::Vector(list)
                | Operand::Arguments(list)
                | Operand::Pair(list)
                | Operand::Not(list)
                | Operand::Negated(list) => self.mentions(self.hir.operands(list), in_address, found),
                Operand::Address { parts: list, .. } => self.mentions(self.hir.operands(list), true, found),
                _ => {}
            }
        }
    }

    /// Two reconvergence points for lanes that diverge at an instruction: one that ignores lanes that exit, and the plain
    /// immediate post-dominator.
    pub(super) fn joins(&self, instruction: hir::InstructionId) -> (u32, u32) {
        let block = self.cfg.block_of(instruction.index() as u32);
        let end = self.hir.instructions().len() as u32;
        let start = |joins: &PostDominators| {
            joins.immediate(block).map_or(end, |block| self.cfg.block(block).instructions.start)
        };
        (start(&self.joins), start(&self.plain_joins))
    }
}

pub(super) fn shape(signature: &hir::Signature) -> SignatureShape {
    let sizes = |params: &[Parameter]| params.iter().map(Parameter::bytes).collect();
    SignatureShape { params: sizes(&signature.params), returns: sizes(&signature.returns) }
}
