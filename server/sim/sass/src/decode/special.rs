//! Special registers and operations across lanes.

use super::decoder::Decoder;
use super::instruction::Inst;
use super::operands::Kind;
use super::predicates::{condition, destination_predicate, is_uniform};
use crate::exec::reduction_named;
use crate::program::{Op, Operation, SpecialRegister, VoteMode, WarpReduction};
use crate::registers::Condition;
use warplens_hir::sass::{Operand, Value};
use warplens_sim_cuda::address::AtomicOp;
use warplens_sim_cuda::semantics::shuffle::ShuffleMode;

type Decoded = Result<Operation, String>;

const INT: [Kind; 3] = [Kind::Int; 3];

impl Decoder<'_> {
    /// An instruction without effect on values and lanes.
    pub(super) fn nothing(&mut self, inst: &Inst<'_>) -> Decoded {
        let mut operation = Operation::new(Op::Nop);
        operation.d = self.pool.dropped();
        operation.test = inst.cc_test()?;
        Ok(operation)
    }

    pub(super) fn fence(&mut self, inst: &Inst<'_>) -> Decoded {
        let mut operation = Operation::new(Op::Fence { in_block: inst.has("CTA") });
        operation.d = self.pool.dropped();
        Ok(operation)
    }

    pub(super) fn special_register(&mut self, inst: &Inst<'_>) -> Decoded {
        inst.allow(&["32", "64"])?;
        let register = match inst.ops.get(1).map(|operand| &operand.value) {
            Some(Value::Special(name)) => special(name)?,
            _ => return Err("its special register is missing".to_owned()),
        };
        let counts = inst.ins.opcode.starts_with("CS2");
        let wide = counts && self.target.has_barriers() && !inst.has("32");
        let mut operation = Operation::new(Op::Special(register, wide));
        operation.d = self.destination(inst.ops.first())?;
        operation.uniform = inst.ops.first().is_some_and(is_uniform);
        Ok(operation)
    }

    pub(super) fn first_lane(&mut self, inst: &Inst<'_>) -> Decoded {
        inst.allow(&["OR", "FILL"])?;
        self.assemble(Op::FirstLane, inst, &inst.shape(), INT)
    }

    /// Such as `B2R.RESULT RZ, P0`.
    pub(super) fn barrier_result(&mut self, inst: &Inst<'_>) -> Decoded {
        inst.allow(&["RESULT"])?;
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
            _ => return Err("its mode is not simulated".to_owned()),
        };
        self.assemble(Op::Shuffle(mode), inst, &inst.shape(), INT)
    }

    /// Such as `VOTE.ANY R6, PT, P0` or `VOTE.ALL P0, P1`.
    pub(super) fn vote(&mut self, inst: &Inst<'_>) -> Decoded {
        inst.allow(&["ALL", "ANY", "EQ"])?;
        let mode = match () {
            () if inst.has("ALL") => VoteMode::All,
            () if inst.has("EQ") => VoteMode::Equal,
            () => VoteMode::Any,
        };
        let mut operation = Operation::new(Op::Vote(mode));
        operation.d = self.pool.dropped();
        let mut operands = inst.ops;
        operation.uniform = inst.ins.opcode == "VOTEU";
        if let [first, rest @ ..] = operands
            && first.register().is_some_and(|register| !register.is_predicate())
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
        inst.allow(&["ALL", "ANY", "U64", "U32"])?;
        self.assemble(Op::Match(inst.has("ALL"), inst.has("U64")), inst, &inst.shape(), INT)
    }

    pub(super) fn reduce(&mut self, inst: &Inst<'_>) -> Decoded {
        inst.allow(&["SUM", "OR", "XOR", "AND", "MIN", "MAX", "S32", "U32"])?;
        let op = inst.find(reduction_named).unwrap_or(AtomicOp::And);
        let reduction = WarpReduction { op, signed: inst.has("S32") };
        self.assemble(Op::Reduce(reduction), inst, &inst.shape(), INT)
    }

    /// Such as `ELECT P0, UR4, PT`.
    pub(super) fn elect(&mut self, inst: &Inst<'_>) -> Decoded {
        inst.allow(&[])?;
        let mut operation = Operation::new(Op::Elect);
        let [first, second, rest @ ..] = inst.ops else { return Err("an operand is missing".to_owned()) };
        operation.q[0] = destination_predicate(first).ok_or("its predicate is missing")?;
        operation.d = self.destination(Some(second))?;
        operation.p[0] = rest.iter().find_map(condition).unwrap_or(Condition::ALWAYS);
        let mask: Vec<&Operand> =
            rest.iter().filter(|operand| operand.register().is_some_and(|it| !it.is_predicate())).collect();
        if !mask.is_empty() {
            operation.s = self.sources(inst, &mask, INT)?;
            operation.n = 1;
        }
        Ok(operation)
    }
}

fn special(name: &str) -> Result<SpecialRegister, String> {
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
        "SR_VIRTUALSMID" | "SR_CGACTAID" | "SR_CGASIZE" | "SR_LMEMHIOFF" => SpecialRegister::Zero,
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
            return found.ok_or_else(|| format!("special register `{name}` is not simulated"));
        }
    })
}
