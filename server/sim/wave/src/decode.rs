//! Lowers `hir` to [`Program`]: names become rows, literals become constants, structure becomes targets.
//!
//! Literals, where both dialects are accepted: a decimal number as a float operand is that number (`fadd r0,
//! r0, 1` adds 1.0), a hexadecimal number is always a bit pattern, and a float is a binary32 value unless the
//! operand has another format. So `mov_imm r0, 1.0` writes 0x3f800000, as the guide defines it, and not the
//! low half of a binary64 as toolchain 0.1.2 does.

use rustc_hash::FxHashMap;
use warplens_hir::wave::{Code, Guard, Half, Instruction, Link, Role, Value, literal};
use warplens_isa::Simulation;
use warplens_sim_warp::scalar_type::{Class, ScalarType};

use super::named_registers::named;
use super::op::{Action, Atomic, Condition, Control, Halves, Matrix, Op, Row, Shuffle, Space, Unary};
use super::operations;
use super::program::{Program, Refusal, SCRATCH_ROWS};
use super::quick::QuickOp;

const MAX_REGISTERS: u32 = 255;

/// Decodes the kernel in `code`. Instruction `i` becomes operation and statement `i`. An instruction that
/// cannot be run stops a run only when reached.
pub fn decode(code: &Code) -> Program {
    let registers = code.resources.register_count().min(MAX_REGISTERS) as u16;
    let mut decoder = Decoder {
        code,
        labels: code.labels.iter().rev().map(|label| (label.name.as_str(), label.before)).collect(),
        registers,
        constants: Vec::new(),
        rows: FxHashMap::default(),
        halves: Vec::new(),
        current: Halves::default(),
        refusals: Vec::new(),
    };
    let ops: Vec<Op> = (0..code.instructions.len()).map(|at| decoder.op(at)).collect();
    let name = code.kernel.as_ref().and_then(|kernel| kernel.name.as_ref());
    Program {
        name: name.map(|(name, _)| name.clone()).unwrap_or_default(),
        workgroup_size: code.resources.workgroup_size.map(|size| size.value).filter(|size| size[0] > 0),
        local_memory: code.resources.local_memory.map(|bytes| bytes.value).filter(|bytes| *bytes > 0),
        registers,
        constants: decoder.constants,
        quick: ops.iter().map(QuickOp::of).collect(),
        ops,
        halves: decoder.halves,
        refusals: decoder.refusals,
        named: code.instructions.iter().map(named).collect(),
    }
}

struct Decoder<'c> {
    code: &'c Code,
    /// The target of each label; the first one of duplicates.
    labels: FxHashMap<&'c str, u32>,
    registers: u16,
    constants: Vec<u32>,
    rows: FxHashMap<u32, Row>,
    halves: Vec<Halves>,
    /// The register halves of the current instruction.
    current: Halves,
    refusals: Vec<Refusal>,
}

impl Decoder<'_> {
    fn op(&mut self, at: usize) -> Op {
        let instruction = &self.code.instructions[at];
        self.current = Halves::default();
        let action = self.action(at, instruction).unwrap_or_else(|why| {
            self.refusals.push(why);
            Action::Control(Control::Refused { why: self.refusals.len() as u32 - 1 })
        });
        let halves = std::mem::take(&mut self.current);
        if halves != Halves::default() {
            self.halves.push(halves);
            return Op { action, guard: condition(instruction.guard), halves: self.halves.len() as u32 };
        }
        Op { action, guard: condition(instruction.guard), halves: 0 }
    }

    fn action(&mut self, at: usize, instruction: &Instruction) -> Result<Action, Refusal> {
        let name = &instruction.mnemonic;
        let Some(entry) = instruction.entry else {
            return unsupported(format!("unknown instruction `{name}`"));
        };
        if let Simulation::Unsupported(why) = entry.simulation {
            return unsupported(format!("`{name}`\n{why}"));
        }
        if !instruction.complete {
            return Err(mismatch(instruction));
        }
        let i = instruction;
        let mnemonic = entry.mnemonic;
        if i.operand("pd").is_some() && i.operand("ps1").is_some() {
            return self.logic(i, mnemonic);
        }
        if let Some((op, format)) = operations::unary(mnemonic) {
            return Ok(Action::Unary { op, d: self.target(i, "rd")?, a: self.source(i, "rs1", format)? });
        }
        if let Some((op, format)) = operations::binary(mnemonic) {
            let [a, b] = self.sources(i, ["rs1", "rs2"], format)?;
            return Ok(Action::Binary { op, d: self.target(i, "rd")?, a, b });
        }
        if let Some((op, format)) = operations::ternary(mnemonic) {
            let [a, b, c] = self.sources(i, ["rs1", "rs2", "rs3"], format)?;
            return Ok(Action::Ternary { op, d: self.target(i, "rd")?, a, b, c });
        }
        if let Some((op, format)) = operations::compare(mnemonic) {
            let [a, b] = self.sources(i, ["rs1", "rs2"], format)?;
            return Ok(Action::Compare { op, d: predicate(i, "pd")?.predicate, a, b });
        }
        if let Some((op, sources)) = operations::double(mnemonic) {
            let a = self.pair(i, "rs1")?;
            let b = if sources > 1 { self.pair(i, "rs2")? } else { a };
            let c = if sources > 2 { self.pair(i, "rs3")? } else { a };
            return Ok(Action::Double { op, d: self.target_wide(i, "rd")?, a, b, c });
        }
        if let Some(action) = self.memory(i, mnemonic) {
            return action;
        }
        self.other(at, i, mnemonic)
    }

    fn other(&mut self, at: usize, i: &Instruction, mnemonic: &str) -> Result<Action, Refusal> {
        Ok(match mnemonic {
            "mov" | "mov_sr" => return self.copy(i),
            "mov_imm" => Action::Constant { d: self.target(i, "rd")?, bits: immediate(i)? },
            "bfi" => {
                let [base, value] = self.sources(i, ["rs1", "rs2"], ScalarType::B32)?;
                let [offset, width] = self.sources(i, ["rs3", "rs4"], ScalarType::B32)?;
                Action::InsertBits { d: self.target(i, "rd")?, base, value, offset, width }
            }
            "cvt_f32_f64" => Action::Narrow { d: self.target(i, "rd")?, a: self.pair(i, "rs1")? },
            "cvt_f64_f32" => {
                Action::Widen { d: self.target_wide(i, "rd")?, a: self.source(i, "rs1", ScalarType::F32)? }
            }
            "select" => {
                let [a, b] = self.sources(i, ["rs1", "rs2"], ScalarType::B32)?;
                Action::Select { d: self.target(i, "rd")?, condition: predicate(i, "ps")?, a, b }
            }
            "wave_ballot" => Action::Ballot { d: self.target(i, "rd")?, condition: predicate(i, "ps")? },
            "wave_any" | "wave_all" => {
                let (d, condition) = (predicate(i, "pd")?.predicate, predicate(i, "ps")?);
                Action::Vote { all: mnemonic == "wave_all", d, condition }
            }
            "wave_broadcast" => {
                let [a, lane] = self.sources(i, ["rs1", "rs2"], ScalarType::B32)?;
                Action::Broadcast { d: self.target(i, "rd")?, a, lane }
            }
            "wave_prefix_sum" => {
                Action::PrefixSum { d: self.target(i, "rd")?, a: self.source(i, "rs1", ScalarType::B32)? }
            }
            "mma_load_a" | "mma_load_b" | "mma_compute" | "mma_store_c" => self.matrix(i, mnemonic)?,
            _ if mnemonic.starts_with("wave_shuffle") => {
                let kind = operations::shuffle(mnemonic).unwrap_or(Shuffle::Index);
                let [a, lane] = self.sources(i, ["rs1", "rs2"], ScalarType::B32)?;
                Action::Shuffle { kind, d: self.target(i, "rd")?, a, lane }
            }
            _ => match mnemonic.strip_prefix("wave_reduce_").and_then(operations::reduce) {
                Some(op) => Action::Reduce {
                    op,
                    d: self.target(i, "rd")?,
                    a: self.source(i, "rs1", ScalarType::B32)?,
                },
                None => return self.control(at, i, mnemonic),
            },
        })
    }

    fn control(&mut self, at: usize, i: &Instruction, mnemonic: &str) -> Result<Action, Refusal> {
        let link = self.code.links.get(at).copied().flatten();
        let masks = matches!(mnemonic, "else" | "endif" | "loop" | "endloop");
        if masks && i.guard.is_some() {
            return Err(Refusal::NoMeaning(format!(
                "a guard on `{mnemonic}`\n`{mnemonic}` applies to all lanes of its construct; remove the guard, and \
                 use its condition in the `if` or `break`"
            )));
        }
        Ok(Action::Control(match (mnemonic, link) {
            ("if", Some(Link::If { otherwise, end: Some(end) })) => {
                Control::If { condition: predicate(i, "ps")?, otherwise, end }
            }
            ("else", Some(Link::Else { end: Some(_), .. })) => Control::Else,
            ("endif", Some(Link::EndIf { .. })) => Control::EndIf,
            ("loop", Some(Link::Loop { end: Some(end) })) => Control::Loop { end },
            ("endloop", Some(Link::EndLoop { .. })) => Control::EndLoop,
            ("break", Some(_)) => Control::Break { condition: predicate(i, "ps")? },
            ("continue", Some(_)) => Control::Continue { condition: predicate(i, "ps")? },
            ("if" | "else" | "endif" | "loop" | "endloop" | "break" | "continue", _) => {
                return unsupported(format!("this `{mnemonic}` has no matching instruction"));
            }
            ("call", _) => {
                let Some(Value::Label(word)) = value(i, "target") else { return Err(mismatch(i)) };
                let label = self.code.word(*word);
                let target = self.labels.get(label.as_str()).copied();
                let Some(target) = target else {
                    return unsupported(format!(
                        "`{label}` is not a label of this kernel: calls to other kernels are not simulated"
                    ));
                };
                Control::Call { target }
            }
            ("return", _) => Control::Return,
            ("halt", _) => Control::Halt,
            ("barrier", _) => Control::Barrier,
            ("fence_acquire" | "fence_acq_rel", _) => return Ok(Action::Acquire),
            ("fence_release" | "wait" | "nop", _) => return Ok(Action::Nothing),
            _ => return unsupported(format!("`{mnemonic}` is not simulated")),
        }))
    }

    fn copy(&mut self, i: &Instruction) -> Result<Action, Refusal> {
        let d = self.target(i, "rd")?;
        let from = if i.operand("sr").is_some() { "sr" } else { "rs1" };
        if let Some(Value::Special(special)) = value(i, from) {
            let Some(register) = operations::special(special.name) else {
                return unsupported(format!("`{special}` is not simulated"));
            };
            return Ok(Action::Special { d, register });
        }
        Ok(Action::Unary { op: Unary::Copy, d, a: self.source(i, from, ScalarType::B32)? })
    }

    fn logic(&mut self, i: &Instruction, mnemonic: &str) -> Result<Action, Refusal> {
        let a = predicate(i, "ps1")?;
        let b = if i.operand("ps2").is_some() { predicate(i, "ps2")? } else { a };
        let op = operations::logic(mnemonic).ok_or_else(|| mismatch(i))?;
        Ok(Action::Logic { op, d: predicate(i, "pd")?.predicate, a, b })
    }

    fn memory(&mut self, i: &Instruction, mnemonic: &str) -> Option<Result<Action, Refusal>> {
        let (space, rest) = match mnemonic.strip_prefix("local_") {
            Some(rest) => (Space::Local, rest),
            None => (Space::Device, mnemonic.strip_prefix("device_").unwrap_or(mnemonic)),
        };
        if let Some(width) = rest.strip_prefix("load.u") {
            Some(self.load(i, space, width))
        } else if let Some(width) = rest.strip_prefix("store.u") {
            Some(self.store(i, space, width))
        } else {
            rest.strip_prefix("atomic_").map(|op| self.atomic(i, space, op))
        }
    }

    fn load(&mut self, i: &Instruction, space: Space, width: &str) -> Result<Action, Refusal> {
        let bytes = bytes(width).ok_or_else(|| mismatch(i))?;
        let address = self.source(i, "addr", ScalarType::B32)?;
        let d = match bytes {
            1..=4 => [self.target(i, "rd")?; 4],
            _ => self.target_wide(i, "rd")?,
        };
        Ok(Action::Load { space, bytes, d, address })
    }

    fn store(&mut self, i: &Instruction, space: Space, width: &str) -> Result<Action, Refusal> {
        let bytes = bytes(width).ok_or_else(|| mismatch(i))?;
        let address = self.source(i, "addr", ScalarType::B32)?;
        let value = match bytes {
            1..=4 => [self.source(i, "rs2", ScalarType::B32)?; 4],
            _ => self.source_wide(i, "rs2")?,
        };
        Ok(Action::Store { space, bytes, address, value })
    }

    fn atomic(&mut self, i: &Instruction, space: Space, op: &str) -> Result<Action, Refusal> {
        let op = operations::atomic(op).ok_or_else(|| mismatch(i))?;
        // The encoding has r0 as the result register if the result is unused.
        let used = i.operand("rd").is_some_and(|d| !matches!(d.value, Value::Register { index: 0, .. }));
        let d = if used { Some(self.target(i, "rd")?) } else { None };
        let address = self.source(i, "addr", ScalarType::B32)?;
        let (value, desired) =
            if op == Atomic::CompareAndSwap { ("expected", "desired") } else { ("rs2", "rs2") };
        let [value, desired] =
            [self.source(i, value, ScalarType::B32)?, self.source(i, desired, ScalarType::B32)?];
        Ok(Action::Atomic { space, op, d, address, value, desired })
    }

    fn matrix(&mut self, i: &Instruction, mnemonic: &str) -> Result<Action, Refusal> {
        let fragment = |name: &str| match value(i, name) {
            Some(Value::Fragment(index)) => Ok(*index),
            _ => Err(mismatch(i)),
        };
        if mnemonic == "mma_compute" {
            return Ok(Action::Matrix(Matrix::Compute {
                a: fragment("a")?,
                b: fragment("b")?,
                c: fragment("c")?,
            }));
        }
        let fragment = fragment("frag")?;
        let [address, stride] = self.sources(i, ["addr", "stride"], ScalarType::B32)?;
        Ok(Action::Matrix(match mnemonic {
            "mma_load_a" => Matrix::LoadA { fragment, address, stride },
            "mma_load_b" => Matrix::LoadB { fragment, address, stride },
            _ => Matrix::StoreC { address, stride, fragment },
        }))
    }

    fn sources<const N: usize>(
        &mut self,
        i: &Instruction,
        names: [&str; N],
        ty: ScalarType,
    ) -> Result<[Row; N], Refusal> {
        let mut rows = [0; N];
        for (row, name) in rows.iter_mut().zip(names) {
            *row = self.source(i, name, ty)?;
        }
        Ok(rows)
    }

    /// The row from which an operand is read.
    fn source(&mut self, i: &Instruction, name: &str, ty: ScalarType) -> Result<Row, Refusal> {
        Ok(match value(i, name) {
            Some(Value::Register { index, half }) => {
                let register = self.readable(Row::from(*index));
                match half {
                    Some(half) => self.read_half(register, *half),
                    None => register,
                }
            }
            Some(Value::Integer { value, hexadecimal }) => {
                let bits = if *hexadecimal || ty.class() != Class::Float {
                    *value as u32
                } else {
                    literal(*value as f64, ty.name())
                };
                self.constant(bits)
            }
            Some(Value::Float(bits)) => self.constant(literal(f64::from_bits(*bits), ty.name())),
            _ => return Err(mismatch(i)),
        })
    }

    fn target(&mut self, i: &Instruction, name: &str) -> Result<Row, Refusal> {
        let Some(Value::Register { index, half }) = value(i, name) else { return Err(mismatch(i)) };
        let register = self.writable(Row::from(*index));
        let Some(half) = half else { return Ok(register) };
        let scratch = Program::scratch(self.registers) + SCRATCH_ROWS - 1;
        self.current.write = Some((scratch, register, shift(*half)));
        Ok(scratch)
    }

    /// The rows of a 64-bit float: a pair of registers, or the two words of a constant.
    fn pair(&mut self, i: &Instruction, name: &str) -> Result<[Row; 2], Refusal> {
        let bits = match value(i, name) {
            Some(Value::Integer { value, hexadecimal: false }) => (*value as f64).to_bits(),
            Some(Value::Integer { value, hexadecimal: true }) => *value as u64,
            Some(Value::Float(bits)) => *bits,
            _ => return self.source_wide(i, name),
        };
        Ok([self.constant(bits as u32), self.constant((bits >> 32) as u32)])
    }

    /// The rows of consecutive registers, low word first, or of a sign-extended constant.
    fn source_wide<const N: usize>(&mut self, i: &Instruction, name: &str) -> Result<[Row; N], Refusal> {
        let constant = match value(i, name) {
            Some(Value::Register { index, .. }) => {
                return Ok(std::array::from_fn(|word| self.readable(Row::from(*index) + word as Row)));
            }
            Some(Value::Integer { value, .. }) => i128::from(*value),
            Some(Value::Float(bits)) => i128::from(*bits),
            _ => return Err(mismatch(i)),
        };
        Ok(std::array::from_fn(|word| self.constant((constant >> (32 * word)) as u32)))
    }

    fn target_wide<const N: usize>(&mut self, i: &Instruction, name: &str) -> Result<[Row; N], Refusal> {
        let Some(Value::Register { index, .. }) = value(i, name) else { return Err(mismatch(i)) };
        Ok(std::array::from_fn(|word| self.writable(Row::from(*index) + word as Row)))
    }

    /// The row of a register to read. An undeclared register reads as 0.
    fn readable(&mut self, register: Row) -> Row {
        if register < Row::from(self.registers) { register } else { self.constant(0) }
    }

    /// The row of a register to write. Writes to an undeclared register are discarded.
    fn writable(&self, register: Row) -> Row {
        register.min(Row::from(self.registers))
    }

    fn read_half(&mut self, register: Row, half: Half) -> Row {
        let scratch = Program::scratch(self.registers) + self.current.reads.len() as Row;
        self.current.reads.push((scratch, register, shift(half)));
        scratch
    }

    fn constant(&mut self, bits: u32) -> Row {
        let next = Program::first_constant(self.registers) + self.constants.len() as Row;
        let row = *self.rows.entry(bits).or_insert(next);
        if row == next {
            self.constants.push(bits);
        }
        row
    }
}

fn value<'i>(instruction: &'i Instruction, name: &str) -> Option<&'i Value> {
    instruction.operand(name).map(|operand| &operand.value)
}

fn predicate(instruction: &Instruction, name: &str) -> Result<Condition, Refusal> {
    match value(instruction, name) {
        Some(Value::Predicate { index, negated }) => Ok(Condition { predicate: *index, negated: *negated }),
        _ => Err(mismatch(instruction)),
    }
}

fn condition(guard: Option<Guard>) -> Option<Condition> {
    guard.map(|guard| Condition { predicate: guard.predicate, negated: guard.negated })
}

/// Rejects an instruction whose operands do not match its form. The grammar allows a special register there,
/// but the specification does not define its effect.
fn mismatch(instruction: &Instruction) -> Refusal {
    let name = &instruction.mnemonic;
    let reads_special = matches!(instruction.name(), "mov" | "mov_sr");
    let special = instruction.operands.iter().find_map(|operand| match &operand.value {
        Value::Special(special) if !(reads_special && operand.role == Role::Read) => {
            Some((special, operand.role))
        }
        _ => None,
    });
    match special {
        Some((special, Role::Read)) => Refusal::NoMeaning(format!(
            "`{special}` as an operand of `{name}`\nonly `mov` and `mov_sr` read special registers; copy it to a \
             general register first"
        )),
        Some((special, _)) => Refusal::NoMeaning(format!(
            "`{special}` as the result of `{name}`\nspecial registers are read-only; write to a general register"
        )),
        None => Refusal::Unsupported(format!("the operands of `{name}` do not match its form")),
    }
}

fn unsupported<T>(message: String) -> Result<T, Refusal> {
    Err(Refusal::Unsupported(message))
}

fn shift(half: Half) -> u32 {
    match half {
        Half::Low => 0,
        Half::High => 16,
    }
}

fn bytes(bits: &str) -> Option<u8> {
    let bits: u8 = bits.parse().ok()?;
    matches!(bits, 8 | 16 | 32 | 64 | 128).then_some(bits / 8)
}

fn immediate(instruction: &Instruction) -> Result<u32, Refusal> {
    match value(instruction, "imm") {
        Some(Value::Integer { value, .. }) => Ok(*value as u32),
        Some(Value::Float(bits)) => Ok(literal(f64::from_bits(*bits), "f32")),
        _ => Err(mismatch(instruction)),
    }
}
