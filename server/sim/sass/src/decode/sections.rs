//! Contents of sections other than code: parameters, shared memory, the stack, constant banks, device
//! variables.

use warplens_hir::sass::{Datum, DatumValue, Expression, Immediate, Section, Value};

use super::decoder::Decoder;
use super::decoder::function_name;
use crate::program::Op;

/// Stack bytes where calls may be nested.
const CALL_STACK: u32 = 32 << 10;
/// How many bytes of a bank are read at most.
const MAX_BANK: u32 = 1 << 20;

impl Decoder<'_> {
    /// Reads the device variables. Their names determine the addresses in operands and banks.
    pub(super) fn read_variables(&mut self) {
        let mut pointers = Vec::new();
        for (section, _) in self.listing.sections() {
            if !matches!(section.name.as_str(), ".nv.global" | ".nv.global.init") || section.size > MAX_BANK {
                continue;
            }
            let (bytes, unresolved) = section.bytes();
            for (index, (name, _, start)) in section.labels.iter().enumerate() {
                let next =
                    section.labels[index + 1..].iter().map(|(_, _, next)| *next).find(|next| next > start);
                let end = next.unwrap_or(section.size).min(section.size);
                // A label may name the section itself.
                if name.starts_with('.') || *start >= end {
                    continue;
                }
                self.variables.insert(name.clone(), self.program.globals.len() as u32);
                let contents = bytes.get(*start as usize..end as usize).unwrap_or_default();
                self.program.globals.push((name.clone(), contents.to_vec()));
                let inside = unresolved.iter().filter(|datum| (*start..end).contains(&datum.offset));
                pointers.extend(inside.filter_map(|datum| match &datum.value {
                    DatumValue::Expression(expression) => {
                        Some((name.clone(), datum.offset - start, expression.clone()))
                    }
                    _ => None,
                }));
            }
        }
        for (holder, offset, Expression { symbol, addend, .. }) in pointers {
            if let (Some(holder), Some(statement)) = (self.variables.get(&holder), self.label(&symbol)) {
                let address = self.program.address_of(statement).wrapping_add_signed(addend).to_le_bytes();
                let bytes = &mut self.program.globals[*holder as usize].1;
                if let Some(target) = bytes.get_mut(offset as usize..offset as usize + 8) {
                    target.copy_from_slice(&address);
                }
                continue;
            }
            if let (Some(holder), Some(variable)) = (self.variables.get(&holder), self.variables.get(&symbol))
            {
                self.program.pointers.push((*holder, offset, *variable, addend as u64));
            }
        }
    }

    /// Reads the sizes of parameters, shared memory and the stack.
    pub(super) fn read_facts(&mut self) {
        let listed = &self.listing.functions()[self.functions[0]];
        let facts = &listed.facts;
        self.program.shared_size = facts.shared_bytes;
        self.program.cluster = facts.cluster;
        if facts.shared_bytes.is_none() && self.has_data() {
            self.program.shared_size = Some(0);
        }
        let base = self.target.launch_constants().params;
        self.program.params =
            facts.parameters.iter().map(|parameter| (base + parameter.offset, parameter.size)).collect();
        self.program.stack_size = self.stack();
    }

    /// Whether the listing has the kernel's data sections and not only its code.
    fn has_data(&self) -> bool {
        let name = function_name(self.listing, &self.listing.functions()[self.functions[0]]);
        self.listing.section(&format!(".nv.info.{name}")).is_some()
    }

    /// The bytes of a sufficient stack: the sum of all frames, more where calls may be nested.
    fn stack(&self) -> u32 {
        let mut frames = 0u32;
        let mut calls = false;
        for number in 0..self.functions.len() {
            let function = self.function(number);
            for instruction in &function.instructions {
                let operands = function.operands(instruction);
                let is_stack =
                    operands.first().and_then(|operand| operand.register()).is_some_and(|register| {
                        register.number == 1 && register.file == warplens_hir::sass::RegisterFile::General
                    });
                calls |= matches!(instruction.opcode.as_str(), "CALL" | "CAL" | "JCAL" | "PRET");
                if is_stack && instruction.opcode.contains("ADD") {
                    let negative = operands.iter().find_map(|operand| match operand.value {
                        Value::Immediate(Immediate::Integer(value)) if value < 0 => {
                            Some(value.unsigned_abs())
                        }
                        Value::Immediate(Immediate::Integer(value @ 0x8_0000..=0xf_ffff)) => {
                            Some(0x10_0000 - value.unsigned_abs())
                        }
                        Value::Immediate(Immediate::Integer(value @ 0x8000_0000..=0xffff_ffff)) => {
                            Some((1 << 32) - value.unsigned_abs())
                        }
                        _ => None,
                    });
                    frames = frames.saturating_add(negative.unwrap_or(0).min(1 << 19) as u32);
                }
            }
        }
        let uses_local =
            self.program.accesses.values().any(|access| access.space == crate::program::Space::Local);
        let is_generic = self.program.code.iter().any(|operation| matches!(operation.op, Op::InWindow(_)));
        match (frames, uses_local || is_generic) {
            (0, false) => 16,
            (frames, _) if calls && frames > 0 => frames.saturating_add(CALL_STACK).next_multiple_of(16),
            (frames, _) => frames.max(64).next_multiple_of(16),
        }
    }

    /// Reads the constant banks other than bank 0.
    pub(super) fn read_banks(&mut self) {
        let name = function_name(self.listing, &self.listing.functions()[self.functions[0]]);
        for bank in 1..=17u8 {
            let Some(section) = self.listing.constant_bank(&name, bank.into()) else { continue };
            if section.size > MAX_BANK {
                continue;
            }
            let (mut bytes, unresolved) = section.bytes();
            for datum in unresolved {
                self.resolve(bank, &mut bytes, datum);
            }
            self.program.banks.push((bank, bytes));
        }
    }

    /// The size of a constant bank that the listing states, in bytes.
    pub(super) fn bank_size(&self, number: u8) -> u64 {
        let bank = self.program.banks.iter().find(|(bank, _)| *bank == number);
        bank.map_or(0, |(_, bytes)| bytes.len() as u64)
    }

    /// Whether words of a constant bank are known: the launch defines bank 0 and the end of the stack, and the listing may
    /// have the others.
    pub(super) fn has_bank(&self, bank: u8, offset: i64, words: u32) -> bool {
        let end = offset.saturating_add(4 * i64::from(words));
        let (stack_bank, stack_offset) = self.target.launch_constants().stack;
        let is_stack = (bank, offset, words) == (stack_bank, stack_offset.into(), 1);
        bank == 0 || is_stack || self.bank_size(bank) as i64 >= end
    }

    /// Fills in a value that a linker would compute: the address of an instruction or of a device variable.
    fn resolve(&mut self, bank: u8, bytes: &mut [u8], datum: &Datum) {
        let DatumValue::Expression(Expression { symbol, minus, addend, .. }) = &datum.value else { return };
        let (start, size) = (datum.offset as usize, (datum.size as usize).min(8));
        let address = |name: &str| self.label(name).map(|statement| self.program.address_of(statement));
        let value = if let Some(value) = address(symbol) {
            Some(value.wrapping_sub(minus.as_deref().and_then(address).unwrap_or(0)))
        } else if let Some(variable) = self.variables.get(symbol) {
            return self.program.symbol_words.push((bank, datum.offset, *variable, *addend as u64));
        } else {
            self.in_constant_bank(symbol)
        };
        if let (Some(value), Some(target)) = (value, bytes.get_mut(start..start + size)) {
            target.copy_from_slice(&value.wrapping_add_signed(*addend).to_le_bytes()[..size]);
        }
    }

    fn in_constant_bank(&self, symbol: &str) -> Option<u64> {
        let section: &Section = self.listing.section(".nv.constant3")?;
        let (_, _, offset) = section.labels.iter().find(|(name, _, _)| name == symbol)?;
        Some((*offset).into())
    }
}
