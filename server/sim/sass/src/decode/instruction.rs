//! An instruction of a listing, as the decoder sees it.

use smol_str::SmolStr;
use warplens_hir::sass::{Function, Instruction, Operand, Register, RegisterFile, Value};

use super::predicates::{condition, destination_predicate};
use super::unsupported::Unsupported;
use crate::program::CcTest;
use crate::registers::{Condition, Predicate};
use crate::target::Target;

pub(super) struct Inst<'a> {
    pub(super) function: &'a Function,
    pub(super) ins: &'a Instruction,
    pub(super) number: usize,
    /// Its index in the function.
    pub(super) index: usize,
    pub(super) mods: Vec<&'a str>,
    pub(super) ops: &'a [Operand],
    /// The `.S` of Fermi and Kepler, which is not among the modifiers.
    pub(super) joins: bool,
}

/// The operands of an instruction by their role. Destinations come first.
pub(super) struct Shape<'a> {
    pub(super) q: Vec<Predicate>,
    pub(super) d: Option<&'a Operand>,
    pub(super) sources: Vec<&'a Operand>,
    pub(super) p: Vec<Condition>,
}

impl<'a> Inst<'a> {
    pub(super) fn new(function: &'a Function, index: usize, number: usize, target: Target) -> Inst<'a> {
        let ins = &function.instructions[index];
        let mut mods: Vec<&str> = function.modifiers(ins).iter().map(|word| word.text.as_str()).collect();
        let joins = target.marks_joins() && mods.contains(&"S");
        mods.retain(|word| !joins || *word != "S");
        Inst { function, ins, number, index, mods, ops: function.operands(ins), joins }
    }

    /// The opcode with its modifiers.
    pub(super) fn full_name(&self) -> String {
        self.mods.iter().fold(self.ins.opcode.to_string(), |name, word| format!("{name}.{word}"))
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.mods.contains(&name)
    }

    /// Rejects modifiers that are in none of these lists, whose words are separated by spaces.
    pub(super) fn allow(&self, known: &[&str]) -> Result<(), Unsupported> {
        let is_known = |word: &str| known.iter().any(|list| list.split(' ').any(|known| known == word));
        match self.mods.iter().find(|word| !is_known(word)) {
            Some(word) => Err(format!("modifier `.{word}` is not simulated").into()),
            None => Ok(()),
        }
    }

    /// The first modifier that `f` maps to a value.
    pub(super) fn find<T>(&self, f: impl Fn(&str) -> Option<T>) -> Option<T> {
        self.mods.iter().find_map(|word| f(word))
    }

    /// The operands of an instruction with a destination.
    pub(super) fn shape(&self) -> Shape<'a> {
        self.split(true)
    }

    /// The operands of an instruction whose destinations are predicates.
    pub(super) fn predicate_shape(&self) -> Shape<'a> {
        self.split(false)
    }

    fn split(&self, has_register: bool) -> Shape<'a> {
        let mut left = self.ops;
        let (mut q, mut d) = (Vec::new(), None);
        let mut destinations = |left: &mut &'a [Operand]| {
            while let [first, rest @ ..] = *left
                && let Some(predicate) = destination_predicate(first)
                // `SEL R0, R1, R2, P0` has its sources before the predicate; destinations come before all
                // sources.
                && (!rest.is_empty())
            {
                q.push(predicate);
                *left = rest;
            }
        };
        if has_register {
            destinations(&mut left);
            if let [first, rest @ ..] = left {
                d = Some(first);
                left = rest;
            }
            destinations(&mut left);
        } else {
            for _ in 0..2 {
                if let [first, rest @ ..] = left
                    && let Some(predicate) = destination_predicate(first)
                {
                    q.push(predicate);
                    left = rest;
                }
            }
        }
        let is_predicate = |operand: &&Operand| operand.register().is_some_and(Register::is_predicate);
        let p = left.iter().filter(is_predicate).filter_map(condition).collect();
        let is_source = |operand: &&Operand| {
            !is_predicate(operand) && !matches!(operand.value, Value::Condition(_) | Value::Flags)
        };
        Shape { q, d, sources: left.iter().filter(is_source).collect(), p }
    }

    /// The test of the condition code among the operands; an error for a test of graphics code.
    pub(super) fn cc_test(&self) -> Result<CcTest, Unsupported> {
        let test = self.ops.iter().find_map(|operand| match operand.value {
            Value::Condition(condition) => Some(condition),
            _ => None,
        });
        if let Some(name) = self.function.unknown_test(self.ins) {
            return Err(format!("`CC.{name}` is not a test of the condition code").into());
        }
        match test {
            None => Ok(CcTest::ALWAYS),
            Some(condition) if condition.is_of_graphics() => {
                Err(format!("condition `CC.{}` depends on the state of graphics", condition.name()).into())
            }
            Some(condition) => Ok(CcTest(condition.0)),
        }
    }

    /// Whether a destination has the suffix `.CC`, or an operand is `CC`.
    pub(super) fn has_cc_suffix(&self, operand: &Operand) -> bool {
        self.function.suffixes(operand).iter().any(|word| word.text == "CC")
    }

    pub(super) fn suffix(&self, operand: &Operand) -> Option<&'a str> {
        self.function.suffixes(operand).first().map(|word| word.text.as_str())
    }

    pub(super) fn target_symbol(&self) -> Option<SmolStr> {
        self.ops.iter().rev().find_map(|operand| match &operand.value {
            Value::Symbol(symbol) => Some(symbol.name.clone()),
            _ => None,
        })
    }

    pub(super) fn barrier(&self) -> Result<u8, Unsupported> {
        let barrier = self
            .ops
            .iter()
            .filter_map(Operand::register)
            .find(|register| register.file == RegisterFile::Barrier);
        barrier.map(|register| register.number).ok_or("the barrier register is missing".into())
    }
}
