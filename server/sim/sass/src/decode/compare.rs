//! Integer comparisons, and predicates.

use super::decoder::Decoder;
use super::instruction::Inst;
use super::operands::{INT, Kind, int_kinds};
use super::predicates::{condition, is_uniform};
use super::unsupported::{Decoded, Unsupported};
use crate::exec::table_of;
use crate::program::{CcTest, IntCompare, Op, Operation, Relation, SetTo};
use crate::registers::Part;
use warplens_hir::sass::{Condition, Immediate, Operand, Value};
use warplens_sim_cuda::semantics::compare::{Combine, Comparison};

impl Decoder<'_> {
    pub(super) fn compare(&mut self, inst: &Inst<'_>) -> Decoded {
        let opcode = inst.ins.opcode.trim_start_matches('U');
        let relation = relation(inst)?;
        let combine = bool_of(inst);
        let compare = IntCompare {
            relation,
            signed: !(inst.has("U32") || inst.has("U64")),
            wide: inst.has("U64") || inst.has("S64"),
            extends: inst.has("EX") || inst.has("X"),
            combine,
        };
        let (kinds, to) = (int_kinds(compare.wide), set_to(inst));
        match opcode {
            "ICMP" => self.plain(inst, Op::CompareSelect(compare), kinds),
            "ISET" => self.plain(inst, Op::CompareTo(compare, to), kinds),
            _ => {
                let op = match compare.extends && !self.target.has_barriers() {
                    true => Op::CompareCc(compare),
                    false => Op::Compare(compare),
                };
                self.assemble(op, inst, &inst.predicate_shape(), kinds)
            }
        }
    }

    pub(super) fn plop3(&mut self, inst: &Inst<'_>) -> Decoded {
        let mut operation = self.effect(Op::Nop);
        operation.uniform = inst.ops.first().is_some_and(is_uniform);
        let shape = inst.predicate_shape();
        operation.q.iter_mut().zip(&shape.q).for_each(|(slot, q)| *slot = *q);
        let (mut signs, mut tables, mut at) = (0u8, Vec::new(), 0);
        for operand in &inst.ops[shape.q.len()..] {
            match &operand.value {
                Value::Immediate(Immediate::Integer(table)) => tables.push(*table as u32),
                _ if at >= 3 => return Err("it has too many operands".into()),
                _ => {
                    match condition(operand) {
                        Some(condition) => operation.p[at] = condition,
                        // The sign comes from a register or a constant.
                        None => {
                            operation.s[at] = self.source(inst, operand, Kind::Int)?;
                            operation.p[at].negated = operand.not;
                            signs |= 1 << at;
                        }
                    }
                    at += 1;
                }
            }
        }
        operation.op = Op::Plop3(signs);
        operation.n = tables.first().copied().unwrap_or(0) | tables.get(1).copied().unwrap_or(0) << 8;
        Ok(operation)
    }

    pub(super) fn combine_predicates(&mut self, inst: &Inst<'_>) -> Decoded {
        let ops: Vec<Combine> = inst.mods.iter().filter_map(|word| bool_named(word)).collect();
        let [first, second] = ops[..] else { return Err("its operations are missing".into()) };
        let (table, inverse) = (table_of(first, second, false), table_of(first, second, true));
        if inst.ins.opcode == "PSET" {
            let mut operation = Operation::new(Op::PredicatesTo(set_to(inst)));
            operation.d = self.destination(inst.ops.first())?;
            for (slot, operand) in operation.p.iter_mut().zip(inst.ops.iter().skip(1)) {
                *slot = condition(operand).ok_or("an operand is not simulated")?;
            }
            operation.n = table.into();
            operation.sets_cc = inst.ops.first().is_some_and(|operand| inst.has_cc_suffix(operand));
            return Ok(operation);
        }
        let mut operation = self.assemble(Op::Plop3(0), inst, &inst.predicate_shape(), INT)?;
        operation.n = u32::from(table) | u32::from(inverse) << 8;
        Ok(operation)
    }

    pub(super) fn test_cc(&mut self, inst: &Inst<'_>) -> Decoded {
        let named = inst.find(|word| Condition::parse(word).filter(|test| !test.is_of_graphics()));
        let test = named.map(|test| CcTest(test.0)).or_else(|| inst.cc_test().ok());
        let test = test.ok_or("its condition is not simulated")?;
        let mut operation = self.assemble(Op::TestCc(bool_of(inst)), inst, &inst.predicate_shape(), INT)?;
        operation.n = test.0.into();
        Ok(operation)
    }

    /// Such as `P2R R0, PR, R1, 0x7f`.
    pub(super) fn pack_predicates(&mut self, inst: &Inst<'_>) -> Decoded {
        let mut operation = self.packed(inst, Op::FromPredicates)?;
        operation.d = self.destination(inst.ops.first())?;
        operation.uniform = inst.ops.first().is_some_and(is_uniform);
        Ok(operation)
    }

    /// Such as `R2P PR, R0, 0x7f`.
    pub(super) fn unpack_predicates(&mut self, inst: &Inst<'_>) -> Decoded {
        let mut operation = self.packed(inst, Op::ToPredicates)?;
        operation.uniform = inst.ins.opcode.starts_with('U');
        Ok(operation)
    }

    fn packed(&mut self, inst: &Inst<'_>, op: Op) -> Decoded {
        let byte = |word: &str| match word {
            "B0" => Some(0),
            "B1" => Some(1),
            "B2" => Some(2),
            "B3" => Some(3),
            _ => None,
        };
        let mut operation = self.effect(op);
        let skipped = usize::from(op == Op::FromPredicates);
        let sources: Vec<&Operand> = inst
            .ops
            .iter()
            .skip(skipped)
            .filter(|operand| !matches!(operand.value, Value::Word(_) | Value::Flags))
            .collect();
        operation.s = self.sources(inst, &sources, INT)?;
        let suffix = sources.first().and_then(|operand| inst.suffix(operand)).and_then(byte);
        operation.n = inst.find(byte).or(suffix).unwrap_or(4);
        // `P2R R0, CC, RZ, 0xf` packs the flags instead of the predicates.
        operation.sets_cc = inst.ops.iter().any(|operand| matches!(operand.value, Value::Flags));
        operation.s[0].part = Part::Whole;
        if sources.len() < 2 {
            operation.s[1].row = self.pool.immediate(0x7f);
        }
        Ok(operation)
    }
}

pub(super) fn relation(inst: &Inst<'_>) -> Result<Relation, Unsupported> {
    let named = |word: &str| {
        Some(Relation::Is(match word {
            "F" => return Some(Relation::Never),
            "T" => return Some(Relation::Always),
            "LT" => Comparison::Less,
            "EQ" => Comparison::Equal,
            "LE" => Comparison::LessEqual,
            "GT" => Comparison::Greater,
            "NE" => Comparison::NotEqual,
            "GE" => Comparison::GreaterEqual,
            "NUM" => Comparison::Numbers,
            "NAN" => Comparison::AnyNan,
            "LTU" => Comparison::LessUnordered,
            "EQU" => Comparison::EqualUnordered,
            "LEU" => Comparison::LessEqualUnordered,
            "GTU" => Comparison::GreaterUnordered,
            "NEU" => Comparison::NotEqualUnordered,
            "GEU" => Comparison::GreaterEqualUnordered,
            _ => return None,
        }))
    };
    inst.find(named).ok_or("its comparison is missing".into())
}

fn bool_named(word: &str) -> Option<Combine> {
    match word {
        "AND" => Some(Combine::And),
        "OR" => Some(Combine::Or),
        "XOR" => Some(Combine::Xor),
        _ => None,
    }
}

/// The value of a true result.
pub(super) fn set_to(inst: &Inst<'_>) -> SetTo {
    if inst.has("BF") { SetTo::One } else { SetTo::Ones }
}

/// How a comparison is combined with the predicate source.
pub(super) fn bool_of(inst: &Inst<'_>) -> Combine {
    inst.find(bool_named).unwrap_or(Combine::And)
}
