//! Control instructions.

use super::decoder::Decoder;
use super::instruction::Inst;
use super::operands::Kind;
use super::predicates::{condition, is_data_register};
use super::unsupported::{Decoded, Unsupported};
use crate::program::{BarrierState, BarrierStep, Control, Jump, Op, Operation, Reduction, Token, Uniformity};
use crate::registers::{Condition, Source};
use warplens_hir::sass::{Operand, Register, RegisterFile, RegisterTarget, Value};

impl Decoder<'_> {
    /// Decodes a control instruction; any other one is not simulated.
    pub(super) fn control(&mut self, inst: &Inst<'_>) -> Decoded {
        let control = match inst.ins.opcode.as_str() {
            "BRA" | "JMP" => return self.branch(inst),
            "BRX" | "JMX" | "BRXU" | "JMXU" | "JMXD" => Control::Indirect(self.jump(inst)?),
            "CAL" | "JCAL" => Control::Call(self.statement(inst)?),
            "CALL" => match self.register_target(inst) {
                Some(_) => Control::CallIndirect(self.jump(inst)?),
                None => Control::Call(self.statement(inst)?),
            },
            "RET" if self.target.has_barriers() => Control::Return(self.jump(inst)?),
            "RET" => Control::PopReturn,
            "SSY" => Control::Push(Token::Sync, self.statement(inst)?),
            "PBK" => Control::Push(Token::Break, self.statement(inst)?),
            "PCNT" => Control::Push(Token::Continue, self.statement(inst)?),
            "PRET" => Control::Push(Token::Return, self.statement(inst)?),
            "PLONGJMP" => Control::Push(Token::LongJump, self.statement(inst)?),
            "PEXIT" => Control::Push(Token::Exit, self.statement(inst)?),
            "SYNC" => Control::Pop(Token::Sync),
            "BRK" => Control::Pop(Token::Break),
            "CONT" => Control::Pop(Token::Continue),
            "LONGJMP" => Control::Pop(Token::LongJump),
            "EXIT" | "KIL" | "KILL" => Control::Exit,
            "BPT" if inst.has("TRAP") => Control::Trap,
            "BSSY" => Control::BarrierSet(inst.barrier()?, self.statement(inst).ok()),
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
        }
        Ok(operation)
    }

    fn branch(&mut self, inst: &Inst<'_>) -> Decoded {
        inst.allow(&["U LMT ANY CONV DIV INC DEC NOINC NODEC ABS REL"])?;
        let target = self.statement(inst)?;
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
        self.of(Control::Branch(target, uniformity), inst)
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
        // Offsets count from the next address, even if it holds a control word.
        let next = i64::from(inst.ins.address + self.target.instruction_bytes());
        let wide = self.target.has_barriers();
        let (register, offset) = match self.register_target(inst) {
            Some(target) => (target.register, target.offset),
            None => {
                let register = inst.ops.iter().find(|operand| is_data_register(operand));
                (register.and_then(Operand::register).ok_or("its register is missing")?, 0)
            }
        };
        let base = offset + if is_relative { next } else { 0 };
        Ok(Jump { register: Source::of(self.pool.row(register)), wide, base })
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
