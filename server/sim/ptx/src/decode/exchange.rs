//! Operations between the lanes of a warp.

use warplens_hir::ptx::{Instruction, Operand, Type, TypeKind};
use warplens_sim_cuda::semantics::shuffle::ShuffleMode;

use super::function::FunctionDecoder;
use super::instruction::Decoded;
use super::modifiers::Modifiers;
use super::{Result, Why};
use crate::program::{Exchange, ExchangeId, ExchangeKind, Op, RegisterSlot};

impl<'l> FunctionDecoder<'l, '_> {
    pub(super) fn exchange(&mut self, instruction: Instruction<'l>, m: &mut Modifiers<'_>) -> Decoded {
        let sync = m.take("sync");
        let operands = instruction.operands();
        let (op, exchange): (fn(ExchangeId) -> Op, Exchange) = match instruction.opcode() {
            "activemask" => {
                let ty = m.ty()?;
                return Ok((Op::ActiveMask, self.typed_slots(operands, &[ty])?));
            }
            "shfl" => (Op::Shuffle, self.shuffle(operands, sync, m)?),
            "vote" => (Op::Vote, self.vote(operands, sync, m)?),
            "match" => (Op::Match, self.match_values(operands, m)?),
            "redux" => (Op::Reduce, self.reduce(operands, m)?),
            _ => (Op::Elect, self.elect(operands)?),
        };
        self.with_entry(op, exchange)
    }

    fn members(&mut self, operand: Option<&Operand>) -> Result<Option<u32>> {
        operand.map(|&operand| self.source(operand, Type::B32)).transpose()
    }

    fn shuffle(&mut self, operands: &[Operand], sync: bool, m: &mut Modifiers<'_>) -> Result<Exchange> {
        let mode = m.require(&[
            ("up", ShuffleMode::Up),
            ("down", ShuffleMode::Down),
            ("bfly", ShuffleMode::Butterfly),
            ("idx", ShuffleMode::Index),
        ])?;
        let ty = m.ty()?;
        let (&[d, a, b, c], rest) = operands.split_first_chunk().ok_or_else(Why::operands)?;
        let members = self.members(rest.first())?;
        if sync != members.is_some() {
            return Err(Why::operands());
        }
        let exchange = self.exchange_to(ExchangeKind::Shuffle(mode), d)?;
        Ok(Exchange {
            a: Some(self.source_place(a, ty)?.0),
            b: self.source(b, Type::U32)?,
            c: self.source(c, Type::U32)?,
            members,
            ..exchange
        })
    }

    fn result(&mut self, operand: Operand) -> Result<Option<RegisterSlot>> {
        if operand == Operand::Sink { Ok(None) } else { Ok(Some(self.place(operand)?.0)) }
    }

    /// An exchange with a result, and perhaps a predicate result.
    fn exchange_to(&mut self, kind: ExchangeKind, results: Operand) -> Result<Exchange> {
        let (d, p) = self.pair(results)?;
        let d = self.result(d)?;
        let p = p.map_or(Ok(None), |p| self.predicate_destination(p))?;
        Ok(Exchange { d, p, ..Exchange::new(kind) })
    }

    fn vote(&mut self, operands: &[Operand], sync: bool, m: &mut Modifiers<'_>) -> Result<Exchange> {
        let kind = m.require(&[
            ("all", ExchangeKind::VoteAll),
            ("any", ExchangeKind::VoteAny),
            ("uni", ExchangeKind::VoteUniform),
            ("ballot", ExchangeKind::VoteBallot),
        ])?;
        m.ty()?;
        let (&[d, a], rest) = operands.split_first_chunk().ok_or_else(Why::operands)?;
        let (slot, negated) = self.predicate(a)?;
        let members = self.members(rest.first())?;
        if sync != members.is_some() {
            return Err(Why::operands());
        }
        let (d, p) = match self.result(d)? {
            Some(RegisterSlot::Predicate(p)) => (None, Some(p)),
            place => (place, None),
        };
        Ok(Exchange { d, p, a: Some(RegisterSlot::Predicate(slot)), negated, members, ..Exchange::new(kind) })
    }

    fn match_values(&mut self, operands: &[Operand], m: &mut Modifiers<'_>) -> Result<Exchange> {
        let kind = m.require(&[("any", ExchangeKind::MatchAny), ("all", ExchangeKind::MatchAll)])?;
        let ty = m.ty()?;
        let &[d, a, members] = operands else { return Err(Why::operands()) };
        let exchange = self.exchange_to(kind, d)?;
        let a = Some(self.source_place(a, ty)?.0);
        Ok(Exchange { a, members: self.members(Some(&members))?, ..exchange })
    }

    fn reduce(&mut self, operands: &[Operand], m: &mut Modifiers<'_>) -> Result<Exchange> {
        let op = m.word(&["add", "min", "max", "and", "or", "xor"]).ok_or_else(Why::form)?;
        let (abs, nan) = (m.take("abs"), m.take("NaN"));
        let ty = m.ty()?;
        let signed = ty.kind() == TypeKind::Signed;
        let kind = match op {
            "min" | "max" if ty == Type::F32 => ExchangeKind::ReduceFloat { max: op == "max", abs, nan },
            "add" => ExchangeKind::ReduceAdd,
            "min" if signed => ExchangeKind::ReduceMinSigned,
            "max" if signed => ExchangeKind::ReduceMaxSigned,
            "min" => ExchangeKind::ReduceMinUnsigned,
            "max" => ExchangeKind::ReduceMaxUnsigned,
            "and" => ExchangeKind::ReduceAnd,
            "or" => ExchangeKind::ReduceOr,
            _ => ExchangeKind::ReduceXor,
        };
        let &[d, a, members] = operands else { return Err(Why::operands()) };
        Ok(Exchange {
            d: self.result(d)?,
            a: Some(self.source_place(a, ty)?.0),
            members: self.members(Some(&members))?,
            ..Exchange::new(kind)
        })
    }

    fn elect(&mut self, operands: &[Operand]) -> Result<Exchange> {
        let &[d, members] = operands else { return Err(Why::operands()) };
        let members = self.members(Some(&members))?;
        Ok(Exchange { members, ..self.exchange_to(ExchangeKind::Elect, d)? })
    }
}
