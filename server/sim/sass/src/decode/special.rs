//! Special registers and operations across lanes.

use super::decoder::Decoder;
use super::instruction::Inst;
use super::operands::INT;
use super::predicates::{condition, destination_predicate, is_data_register, is_uniform};
use super::unsupported::{Decoded, Unsupported};
use crate::exec::reduction_named;
use crate::program::{Constant, Op, Operation, SpecialRegister, VoteMode, WarpReduction};
use crate::registers::{Condition, DROPPED, Source};
use warplens_hir::sass::{Operand, Value};
use warplens_sim_cuda::address::AtomicOp;
use warplens_sim_cuda::semantics::shuffle::ShuffleMode;

impl Decoder<'_> {
    /// An instruction without effect on values and lanes.
    pub(super) fn nothing(&mut self, inst: &Inst<'_>) -> Decoded {
        let mut operation = self.effect(Op::Nop);
        operation.test = inst.cc_test()?;
        Ok(operation)
    }

    pub(super) fn fence(&mut self, inst: &Inst<'_>) -> Decoded {
        Ok(self.effect(Op::Fence { in_block: inst.has("CTA") }))
    }

    pub(super) fn special_register(&mut self, inst: &Inst<'_>) -> Decoded {
        let register = match inst.ops.get(1).map(|operand| &operand.value) {
            Some(Value::Special(name)) => special(name)?,
            _ => return Err("its special register is missing".into()),
        };
        let counts = inst.ins.opcode.starts_with("CS2");
        let wide = counts && self.target.has_barriers() && !inst.has("32");
        let mut operation = Operation::new(Op::Special { register, wide });
        operation.d = self.destination(inst.ops.first())?;
        operation.uniform = inst.ops.first().is_some_and(is_uniform);
        Ok(operation)
    }

    /// `LEPC R20`: the address of the instruction itself, or of its operand.
    pub(super) fn own_address(&mut self, inst: &Inst<'_>) -> Decoded {
        let statement = match inst.ops.len() {
            ..2 => self.firsts[inst.number] + inst.index as u32,
            _ => self.statement(inst)?,
        };
        let address = self.program.address_of(statement);
        let words = [address as u32, (address >> 32) as u32].map(Constant::Immediate);
        let mut operation = Operation::new(if self.target.has_barriers() { Op::MoveWide } else { Op::Move });
        let zero = Source::of(self.pool.zero());
        operation.s = [Source::of(self.pool.constants(words.into())), zero, zero];
        operation.d = self.destination(inst.ops.first())?;
        Ok(operation)
    }

    /// `USETMAXREG.TRY_ALLOC.CTAPOOL UP0, 0xf0`: the number of registers has no effect on values, and a request succeeds.
    pub(super) fn request_registers(&mut self, inst: &Inst<'_>) -> Decoded {
        let mut operation = self.effect(Op::RequestRegisters);
        operation.uniform = true;
        operation.q[0] = inst.ops.first().and_then(destination_predicate).unwrap_or(DROPPED);
        Ok(operation)
    }

    /// Such as `B2R.RESULT RZ, P0`.
    pub(super) fn barrier_result(&mut self, inst: &Inst<'_>) -> Decoded {
        let mut operation = Operation::new(Op::BarrierResult);
        operation.d = self.destination(inst.ops.first())?;
        if let Some(q) = inst.ops.get(1).and_then(destination_predicate) {
            operation.q[0] = q;
        }
        Ok(operation)
    }

    pub(super) fn shuffle(&mut self, inst: &Inst<'_>) -> Decoded {
        let mode = match inst.mods[..] {
            ["IDX"] => ShuffleMode::Index,
            ["UP"] => ShuffleMode::Up,
            ["DOWN"] => ShuffleMode::Down,
            ["BFLY"] => ShuffleMode::Butterfly,
            _ => return Err("its mode is not simulated".into()),
        };
        self.plain(inst, Op::Shuffle(mode), INT)
    }

    /// Such as `VOTE.ANY R6, PT, P0` or `VOTE.ALL P0, P1`.
    pub(super) fn vote(&mut self, inst: &Inst<'_>) -> Decoded {
        let mode = match () {
            () if inst.has("ALL") => VoteMode::All,
            () if inst.has("EQ") => VoteMode::Equal,
            () => VoteMode::Any,
        };
        let mut operation = self.effect(Op::Vote(mode));
        let mut operands = inst.ops;
        operation.uniform = inst.ins.opcode == "VOTEU";
        if let [first, rest @ ..] = operands
            && is_data_register(first)
        {
            operation.d = self.destination(Some(first))?;
            operands = rest;
        }
        if let [first, _, ..] = operands
            && let Some(q) = destination_predicate(first)
        {
            operation.q[0] = q;
        }
        operation.p[0] = operands.last().and_then(condition).ok_or("its predicate is missing")?;
        Ok(operation)
    }

    pub(super) fn match_values(&mut self, inst: &Inst<'_>) -> Decoded {
        self.plain(inst, Op::Match { all: inst.has("ALL"), wide: inst.has("U64") }, INT)
    }

    pub(super) fn reduce(&mut self, inst: &Inst<'_>) -> Decoded {
        let op = inst.find(reduction_named).unwrap_or(AtomicOp::And);
        let reduction = WarpReduction { op, signed: inst.has("S32") };
        self.plain(inst, Op::Reduce(reduction), INT)
    }

    /// Such as `ELECT P0, UR4, PT`.
    pub(super) fn elect(&mut self, inst: &Inst<'_>) -> Decoded {
        let mut operation = Operation::new(Op::Elect { masked: false });
        let [first, second, rest @ ..] = inst.ops else { return Err("an operand is missing".into()) };
        operation.q[0] = destination_predicate(first).ok_or("its predicate is missing")?;
        operation.d = self.destination(Some(second))?;
        operation.p[0] = rest.iter().find_map(condition).unwrap_or(Condition::ALWAYS);
        let mask: Vec<&Operand> = rest.iter().filter(|operand| is_data_register(operand)).collect();
        if !mask.is_empty() {
            operation.s = self.sources(inst, &mask, INT)?;
            operation.op = Op::Elect { masked: true };
        }
        Ok(operation)
    }
}

fn special(name: &str) -> Result<SpecialRegister, Unsupported> {
    let upper = name.to_ascii_uppercase().replace('.', "_");
    let axis = |prefix: &str| {
        let rest = upper.strip_prefix(prefix)?.trim_start_matches('_');
        ["X", "Y", "Z"].iter().position(|axis| *axis == rest).map(|axis| axis as u8)
    };
    Ok(match upper.as_str() {
        "SRZ" => SpecialRegister::Zero,
        "SR_LANEID" => SpecialRegister::Lane,
        "SR_EQMASK" => SpecialRegister::MaskEqual,
        "SR_LTMASK" => SpecialRegister::MaskLess,
        "SR_LEMASK" => SpecialRegister::MaskLessEqual,
        "SR_GTMASK" => SpecialRegister::MaskGreater,
        "SR_GEMASK" => SpecialRegister::MaskGreaterEqual,
        "SR_VIRTID" => SpecialRegister::WarpId,
        "SR_VIRTCFG" => SpecialRegister::WarpConfig,
        "SR_CGACTAID" => SpecialRegister::ClusterRank,
        "SR_VIRTUALSMID" | "SR_CGASIZE" | "SR_LMEMHIOFF" => SpecialRegister::Zero,
        "SR_SMEMSZ" => SpecialRegister::SharedBytes,
        "SR_SWINHI" => SpecialRegister::SharedWindowHigh,
        "SR_CLOCKLO" | "SR_CLOCK_LO" | "SR_GLOBALTIMERLO" => SpecialRegister::Clock,
        "SR_CLOCKHI" | "SR_CLOCK_HI" | "SR_GLOBALTIMERHI" => SpecialRegister::ClockHigh,
        _ => {
            let tid = axis("SR_TID").map(SpecialRegister::ThreadId);
            let cta = || axis("SR_CTAID").map(SpecialRegister::BlockId);
            let ntid = || axis("SR_NTID").map(SpecialRegister::BlockSize);
            let grid = || axis("SR_NCTAID").map(SpecialRegister::GridSize);
            let found = tid.or_else(cta).or_else(ntid).or_else(grid);
            return found.ok_or_else(|| format!("special register `{name}` is not simulated").into());
        }
    })
}
