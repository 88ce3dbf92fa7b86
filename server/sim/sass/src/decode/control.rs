//! Control instructions.

use super::decoder::Decoder;
use super::instruction::Inst;
use super::operands::Kind;
use super::predicates::{condition, is_data_register};
use super::unsupported::{Decoded, Unsupported};
use crate::program::{
    BarrierState, BarrierStep, Control, Jump, JumpWidth, Op, Operation, Reduction, Token, Uniformity,
};
use crate::registers::{CALL_LIMIT, Condition, Source};
use warplens_hir::sass::{Operand, Register, RegisterFile, RegisterTarget, Value};

impl Decoder<'_> {
    /// Decodes a control instruction; any other one is not simulated.
    pub(super) fn control(&mut self, inst: &Inst<'_>) -> Decoded {
        let control = match inst.ins.opcode.as_str() {
            "BRA" | "JMP" => return self.branch(inst),
            "BRX" | "JMX" | "BRXU" | "JMXU" | "JMXD" => Control::Indirect(self.jump(inst)?, Uniformity::None),
            "CAL" | "JCAL" => Control::Call(self.statement(inst)?),
            "CALL" => match self.register_target(inst) {
                Some(_) => Control::CallIndirect(self.jump(inst)?),
                None => Control::Call(self.statement(inst)?),
            },
            "RET" if self.target.has_barriers() => Control::Return(self.jump(inst)?),
            "RET" => Control::PopReturn,
            "SSY" => Control::Push(Token::Sync, self.resume(inst)?),
            "PBK" => Control::Push(Token::Break, self.resume(inst)?),
            "PCNT" => Control::Push(Token::Continue, self.resume(inst)?),
            "PRET" => Control::Push(Token::Return, self.resume(inst)?),
            "PLONGJMP" => Control::Push(Token::LongJump, self.resume(inst)?),
            "PEXIT" => Control::Push(Token::Exit, self.resume(inst)?),
            "SYNC" => Control::Pop(Token::Sync),
            "BRK" => Control::Pop(Token::Break),
            "CONT" => Control::Pop(Token::Continue),
            "LONGJMP" => Control::Pop(Token::LongJump),
            "EXIT" | "KIL" | "KILL" => Control::Exit,
            "BPT" if inst.has("TRAP") => Control::Trap,
            "BSSY" => Control::BarrierSet(inst.barrier()?, self.resume(inst).ok()),
            "BSYNC" => Control::BarrierWait(inst.barrier()?),
            "BREAK" => Control::BarrierBreak(inst.barrier()?),
            "BMOV" => return self.barrier_move(inst),
            "WARPSYNC" => {
                inst.allow(&["ALL COLLECTIVE EXCLUSIVE"])?;
                match (inst.has("ALL"), inst.has("COLLECTIVE")) {
                    // Compilers put it around barriers in divergent code. Here barriers count lanes, so each path can
                    // execute them by itself.
                    (true, true) => return self.nothing(inst),
                    (true, false) => Control::WarpSyncAll,
                    (false, _) => Control::WarpSync(self.members(inst)?),
                }
            }
            "YIELD" | "NANOSLEEP" => Control::Yield,
            "BAR" => return self.block_barrier(inst),
            "UCGABAR_ARV" => Control::Cluster { waits: false },
            "UCGABAR_WAIT" => Control::Cluster { waits: true },
            _ => return Err("".into()),
        };
        let mut operation = self.of(control, inst)?;
        if matches!(control, Control::Trap | Control::WarpSync(_) | Control::WarpSyncAll | Control::Yield) {
            operation.p[0] = Condition::ALWAYS;
        }
        Ok(operation)
    }

    /// A control operation with its second predicate and its test of the condition code.
    fn of(&mut self, control: Control, inst: &Inst<'_>) -> Decoded {
        let mut operation = self.effect(Op::Control(control));
        operation.test = inst.cc_test()?;
        if let Some(second) = inst.ops.iter().find_map(condition) {
            operation.p[0] = second;
        } else if inst.has("LMT") {
            operation.p[0] = Condition { predicate: CALL_LIMIT, negated: true };
        }
        Ok(operation)
    }

    fn branch(&mut self, inst: &Inst<'_>) -> Decoded {
        inst.allow(&["U LMT ANY CONV DIV INC DEC NOINC NODEC ABS REL"])?;
        let jump = self.constant_jump(inst)?;
        let target = if jump.is_some() { 0 } else { self.statement(inst)? };
        let mask = |decoder: &mut Self| -> Result<Option<Source>, Unsupported> {
            let operand = inst.ops.iter().find(|operand| {
                operand
                    .register()
                    .is_some_and(|it| it.file == RegisterFile::Uniform || it.file == RegisterFile::General)
            });
            match operand {
                // `~URZ` means all lanes.
                Some(operand)
                    if operand.register().is_some_and(Register::is_constant) && operand.inverted =>
                {
                    Ok(None)
                }
                Some(operand) => decoder.source(inst, operand, Kind::Int).map(Some),
                None => Ok(None),
            }
        };
        let uniformity = match () {
            () if inst.has("CONV") => Uniformity::Converged(mask(self)?),
            () if inst.has("DIV") => Uniformity::Diverged(mask(self)?),
            () if inst.has("U") && inst.has("ANY") => Uniformity::Any,
            () if inst.has("U") => Uniformity::All,
            () => Uniformity::None,
        };
        let control = match jump {
            Some(jump) => Control::Indirect(jump, uniformity),
            None => Control::Branch(target, uniformity),
        };
        self.of(control, inst)
    }

    /// The target of `BRA c[0x0][0x20]`, a signed offset from the next instruction, or of `JMP c[0x0][0x20]`, an
    /// unsigned address.
    fn constant_jump(&mut self, inst: &Inst<'_>) -> Result<Option<Jump>, Unsupported> {
        let Some(operand) = inst.ops.last().filter(|operand| matches!(operand.value, Value::Constant(_)))
        else {
            return Ok(None);
        };
        let source = self.source(inst, operand, Kind::Int)?;
        let (width, base) = match inst.ins.opcode.as_str() {
            "BRA" => (JumpWidth::Signed, self.next_address(inst)),
            _ => (JumpWidth::Unsigned, 0),
        };
        Ok(Some(Jump { source, width, base }))
    }

    /// The address that relative targets count from, even if it holds a control word.
    fn next_address(&self, inst: &Inst<'_>) -> i64 {
        i64::from(inst.ins.address) + i64::from(self.target.instruction_bytes())
    }

    fn register_target<'a>(&self, inst: &Inst<'a>) -> Option<&'a RegisterTarget> {
        inst.ops.iter().find_map(|operand| match &operand.value {
            Value::RegisterTarget(target) => Some(&**target),
            _ => None,
        })
    }

    /// The target of an indirect jump: relative to the next instruction for `BRX`, otherwise absolute.
    fn jump(&mut self, inst: &Inst<'_>) -> Result<Jump, Unsupported> {
        let is_relative = inst.ins.opcode.starts_with("BRX");
        let width = match self.target.has_barriers() {
            true => JumpWidth::Pair,
            false if is_relative => JumpWidth::Signed,
            false => JumpWidth::Unsigned,
        };
        let (register, offset) = match self.register_target(inst) {
            Some(target) => (target.register, target.offset),
            None => {
                let register = inst.ops.iter().find(|operand| is_data_register(operand));
                (register.and_then(Operand::register).ok_or("its register is missing")?, 0)
            }
        };
        let base = offset.saturating_add(if is_relative { self.next_address(inst) } else { 0 });
        Ok(Jump { source: Source::of(self.pool.row(register)), width, base })
    }

    /// The member mask of a `WARPSYNC`.
    fn members(&mut self, inst: &Inst<'_>) -> Result<Source, Unsupported> {
        let is_mask = |operand: &&Operand| match operand.value {
            Value::Register(register) => !register.is_predicate(),
            Value::Immediate(_) | Value::Constant(_) => true,
            _ => false,
        };
        let operand = inst.ops.iter().find(is_mask).ok_or("its mask is missing")?;
        self.source(inst, operand, Kind::Int)
    }

    fn barrier_move(&mut self, inst: &Inst<'_>) -> Decoded {
        inst.allow(&["32 64 CLEAR PQUAD"])?;
        let [to, from] = inst.ops else { return Err("an operand is missing".into()) };
        let barrier = |operand: &Operand| {
            operand.register().filter(|it| it.file == RegisterFile::Barrier).map(|it| it.number)
        };
        let clears = inst.has("CLEAR");
        let mut d = self.pool.dropped();
        let step = match (barrier(to), barrier(from)) {
            (Some(to), Some(from)) => BarrierStep::Copy { to, from, clears },
            (Some(to), None) => BarrierStep::Write(to, self.source(inst, from, Kind::Int)?),
            (None, Some(from)) => {
                d = self.destination(Some(to))?;
                BarrierStep::Read { barrier: from, clears }
            }
            (None, None) => match (&to.value, &from.value) {
                (Value::Word(_), _) => BarrierStep::Ignore,
                (_, Value::Word(name)) => {
                    d = self.destination(Some(to))?;
                    BarrierStep::State(match name.as_str() {
                        "MACTIVE" => BarrierState::Active,
                        "MEXITED" => BarrierState::Exited,
                        _ => BarrierState::Other,
                    })
                }
                _ => return Err("an operand is not simulated".into()),
            },
        };
        let mut operation = Operation::new(Op::Control(Control::BarrierMove(step)));
        operation.d = d;
        Ok(operation)
    }

    /// Such as `BAR.SYNC 0x1, 0x40` or `BAR.RED.POPC 0x0, P1`.
    fn block_barrier(&mut self, inst: &Inst<'_>) -> Decoded {
        inst.allow(&["SYNC ARV RED POPC AND OR DEFER_BLOCKING"])?;
        let values: Vec<&Operand> = inst
            .ops
            .iter()
            .filter(|operand| operand.register().is_none_or(|it| !it.is_predicate()))
            .filter(|operand| !matches!(operand.value, Value::Condition(_)))
            .collect();
        let number = match values.first() {
            Some(operand) => self.source(inst, operand, Kind::Int)?,
            None => Source::of(self.pool.zero()),
        };
        let count = values.get(1).map(|operand| self.source(inst, operand, Kind::Int)).transpose()?;
        let reduction = inst.has("RED").then(|| match () {
            () if inst.has("POPC") => Reduction::Count,
            () if inst.has("AND") => Reduction::And,
            () => Reduction::Or,
        });
        let control = Control::Block { number, count, waits: !inst.has("ARV"), reduction };
        let mut operation = self.of(control, inst)?;
        operation.p[0] = inst.ops.iter().find_map(condition).unwrap_or(Condition::ALWAYS);
        Ok(operation)
    }
}
