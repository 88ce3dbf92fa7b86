//! The condition of a branch as an expression of thread indices, parameters and constants: `(tid.x & 31) != 0`.

use rustc_hash::FxHashMap;
use warplens_hir::ptx::{
    Component, Function, FunctionKind, Instruction, InstructionId, NameId, Operand, ReferentId, Resolution,
    Type,
};
use warplens_sim_warp::{Class, ScalarType};

/// Longer conditions are not shown.
const MAX_LEN: usize = 40;
/// The maximum number of instructions from a branch to a thread index.
const MAX_DEPTH: usize = 12;

/// The conditions of the branches of a function.
pub(super) struct Conditions<'f> {
    function: &'f Function,
    /// The instruction that writes each register; `None` if several do, because its value then depends on the path.
    written: FxHashMap<ReferentId, Option<InstructionId>>,
}

/// An expression.
struct Term {
    text: String,
    rank: Rank,
    /// The negation of a comparison that has one.
    opposite: Option<String>,
}

/// How tightly the operators of an expression bind.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Logic,
    Comparison,
    Bits,
    Sum,
    Product,
    Atom,
}

impl<'f> Conditions<'f> {
    pub(super) fn new(function: &'f Function) -> Conditions<'f> {
        let mut written = FxHashMap::default();
        for (instruction, register) in function.writes() {
            written.entry(register).and_modify(|known| *known = None).or_insert(Some(instruction));
        }
        Conditions { function, written }
    }

    /// The condition under which lanes take a branch, if every register that it depends on is written once.
    pub(super) fn of(&self, branch: Instruction<'_>) -> Option<String> {
        let guard = branch.guard()?;
        let condition = self.register(self.function.referent(guard.name), MAX_DEPTH)?;
        let text = if guard.negated { condition.negated().text } else { condition.text };
        (text.len() <= MAX_LEN).then_some(text)
    }

    fn register(&self, register: ReferentId, depth: usize) -> Option<Term> {
        let instruction = self.function.instruction((*self.written.get(&register)?)?);
        let [Operand::Register { name, component: None }, sources @ ..] = instruction.operands() else {
            return None;
        };
        if instruction.guard().is_some() || self.function.referent(*name) != register {
            return None;
        }
        self.result(instruction, sources, depth.checked_sub(1)?)
    }

    fn result(&self, instruction: Instruction<'_>, sources: &[Operand], depth: usize) -> Option<Term> {
        let opcode = instruction.opcode();
        let term = |index: usize| self.operand(*sources.get(index)?, depth);
        if opcode == "setp" {
            return comparison(instruction, &term(0)?, &term(1)?).filter(|_| sources.len() == 2);
        }
        if opcode == "ld" && instruction.has("param") {
            return self.parameter(*sources.first()?);
        }
        if classes(instruction).any(|class| class == Class::Float) {
            return None;
        }
        let is_predicate = instruction.has("pred");
        let is_whole = instruction.has("lo") || instruction.has("wide");
        Some(match (opcode, sources.len()) {
            ("mov", 1) => term(0)?,
            ("cvt", 1) if keeps_value(instruction) => term(0)?,
            ("not", 1) if is_predicate => term(0)?.negated(),
            ("and", 2) if is_predicate => binary("&&", Rank::Logic, &term(0)?, &term(1)?),
            ("or", 2) if is_predicate => binary("||", Rank::Logic, &term(0)?, &term(1)?),
            ("and", 2) => binary("&", Rank::Bits, &term(0)?, &term(1)?),
            ("or", 2) => binary("|", Rank::Bits, &term(0)?, &term(1)?),
            ("xor", 2) if !is_predicate => binary("^", Rank::Bits, &term(0)?, &term(1)?),
            ("shl", 2) => binary("<<", Rank::Bits, &term(0)?, &term(1)?),
            ("shr", 2) => binary(">>", Rank::Bits, &term(0)?, &term(1)?),
            ("add", 2) => binary("+", Rank::Sum, &term(0)?, &term(1)?),
            ("sub", 2) => binary("-", Rank::Sum, &term(0)?, &term(1)?),
            ("mul", 2) if is_whole => binary("*", Rank::Product, &term(0)?, &term(1)?),
            ("div", 2) => binary("/", Rank::Product, &term(0)?, &term(1)?),
            ("rem", 2) => binary("%", Rank::Product, &term(0)?, &term(1)?),
            ("mad", 3) if is_whole => {
                let product = binary("*", Rank::Product, &term(0)?, &term(1)?);
                binary("+", Rank::Sum, &product, &term(2)?)
            }
            _ => return None,
        })
    }

    fn operand(&self, operand: Operand, depth: usize) -> Option<Term> {
        match operand {
            Operand::Register { name, component: None } => self.register(self.function.referent(name), depth),
            Operand::Special { name, component } => self.thread_index(name, component),
            Operand::Constant(_) => Some(atom(number(self.function.integer(operand)?))),
            _ => None,
        }
    }

    /// A special register that keeps its value during a run.
    fn thread_index(&self, name: NameId, component: Option<Component>) -> Option<Term> {
        let Resolution::Special(register) = self.function.name(name).resolution else { return None };
        let register = register.strip_prefix('%')?;
        let constant = ["tid", "ntid", "ctaid", "nctaid", "laneid", "warpid", "nwarpid"];
        let element = component
            .map(|component| component.element())
            .map_or(Some(""), |element| [".x", ".y", ".z"].get(element?).copied())?;
        constant.contains(&register).then(|| atom(format!("{register}{element}")))
    }

    /// A parameter of the kernel.
    fn parameter(&self, operand: Operand) -> Option<Term> {
        let address = self.function.address(operand)?;
        let Operand::Symbol(name) = address.base else { return None };
        let is_whole = address.index.is_none() && address.offset == 0;
        let is_kernel = self.function.kind == FunctionKind::Entry;
        (is_whole && is_kernel)
            .then(|| atom(self.function.referent_text(self.function.referent(name)).into()))
    }
}

impl Term {
    fn negated(self) -> Term {
        match self.opposite {
            Some(opposite) => Term { text: opposite, opposite: Some(self.text), ..self },
            None => atom(format!("!{}", self.inside(Rank::Atom, true))),
        }
    }

    /// As an operand of an operator, in parentheses where it needs them. Bits always have them: few know their order.
    fn inside(&self, rank: Rank, is_last: bool) -> String {
        let binds = self.rank > rank || self.rank == rank && !is_last;
        match self.rank {
            Rank::Atom => self.text.clone(),
            Rank::Sum | Rank::Product | Rank::Comparison if binds => self.text.clone(),
            _ => format!("({})", self.text),
        }
    }
}

fn atom(text: String) -> Term {
    Term { text, rank: Rank::Atom, opposite: None }
}

fn binary(sign: &str, rank: Rank, one: &Term, other: &Term) -> Term {
    let text = format!("{} {sign} {}", one.inside(rank, false), other.inside(rank, true));
    Term { text, rank, opposite: None }
}

/// The comparison of a `setp` without a further predicate.
fn comparison(instruction: Instruction<'_>, one: &Term, other: &Term) -> Option<Term> {
    let (sign, opposite) = match instruction.modifiers().first()?.as_str() {
        "eq" => ("==", "!="),
        "ne" => ("!=", "=="),
        "lt" | "lo" => ("<", ">="),
        "le" | "ls" => ("<=", ">"),
        "gt" | "hi" => (">", "<="),
        "ge" | "hs" => (">=", "<"),
        _ => return None,
    };
    let text = |sign| binary(sign, Rank::Comparison, one, other).text;
    // A comparison with NaN is false, and so is its opposite.
    let is_float = classes(instruction).any(|class| class == Class::Float);
    Some(Term { text: text(sign), rank: Rank::Comparison, opposite: (!is_float).then(|| text(opposite)) })
}

/// Whether a conversion drops no bits. Narrow sources do: the low bits of wider registers.
fn keeps_value(conversion: Instruction<'_>) -> bool {
    let widths: Vec<usize> = types(conversion).map(ScalarType::bytes).collect();
    matches!(*widths, [result, source] if source >= 4 && result >= source)
}

fn classes(instruction: Instruction<'_>) -> impl Iterator<Item = Class> {
    types(instruction).map(ScalarType::class)
}

fn types(instruction: Instruction<'_>) -> impl Iterator<Item = ScalarType> {
    let types = instruction.modifiers().iter().filter_map(|word| Type::from_name(word));
    types.filter_map(|ty| ScalarType::of_launches(ty.name()))
}

/// A constant; large ones are patterns of bits.
fn number(value: u64) -> String {
    match value as i64 {
        value @ -65536..65536 => value.to_string(),
        _ => format!("{value:#x}"),
    }
}

#[cfg(test)]
mod tests {
    use warplens_syntax::parse_item;

    use super::*;

    /// The conditions of the branches in a kernel.
    fn conditions(statements: &str) -> Vec<Option<String>> {
        let text = format!(
            ".entry k(.param .u32 size) {{ .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<2>; .reg .f32 %f<3>;
             mov.u32 %r1, %tid.x; ld.param.u32 %r2, [size];\n{statements}\nL: ret; }}"
        );
        let parse = parse_item(warplens_syntax::ptx::LANGUAGE, &text);
        assert_eq!(parse.errors(), []);
        let function = Function::lower(parse.root()).expect("the text is a function");
        let conditions = Conditions::new(&function);
        let branches = function.instructions().filter(|instruction| instruction.opcode() == "bra");
        branches.map(|branch| conditions.of(branch)).collect()
    }

    #[track_caller]
    fn check(statements: &str, expected: &str) {
        assert_eq!(conditions(statements), [Some(expected.to_owned())]);
    }

    #[test]
    fn a_mask_of_the_thread_index() {
        check("and.b32 %r3, %r1, 31; setp.ne.s32 %p1, %r3, 0; @%p1 bra L;", "(tid.x & 31) != 0");
        check("and.b32 %r3, %r1, 31; setp.ne.s32 %p1, %r3, 0; @!%p1 bra L;", "(tid.x & 31) == 0");
        check(
            "and.b32 %r3, %r1, 0xfffffff0; setp.eq.s32 %p1, %r3, -1; @%p1 bra L;",
            "(tid.x & 0xfffffff0) == -1",
        );
    }

    #[test]
    fn the_index_of_a_thread_in_the_grid() {
        let index = "mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mad.lo.s32 %r5, %r3, %r4, %r1;";
        check(&format!("{index} setp.ge.u32 %p1, %r5, %r2; @%p1 bra L;"), "ctaid.x * ntid.x + tid.x >= size");
        check(
            "add.s32 %r3, %r1, %r2; mul.lo.s32 %r4, %r3, 3; setp.lt.s32 %p1, %r4, 9; @%p1 bra L;",
            "(tid.x + size) * 3 < 9",
        );
        check(
            "sub.s32 %r3, %r1, %r2; sub.s32 %r4, %r2, %r3; setp.lt.s32 %p1, %r4, 9; @%p1 bra L;",
            "size - (tid.x - size) < 9",
        );
    }

    #[test]
    fn predicates_are_combined() {
        let both = "setp.lt.u32 %p1, %r1, 4; setp.gt.u32 %p2, %r1, %r2;";
        check(&format!("{both} and.pred %p3, %p1, %p2; @%p3 bra L;"), "tid.x < 4 && tid.x > size");
        check(&format!("{both} and.pred %p3, %p1, %p2; @!%p3 bra L;"), "!(tid.x < 4 && tid.x > size)");
        check("setp.lt.u32 %p1, %laneid, 4; not.pred %p2, %p1; @%p2 bra L;", "laneid >= 4");
    }

    #[test]
    fn no_condition_where_the_value_depends_on_memory_or_on_the_path() {
        for statements in [
            "ld.global.u32 %r3, [%rd1]; setp.lt.u32 %p1, %r3, 4; @%p1 bra L;",
            "mov.u32 %r3, 0; B: add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, %r1; @%p1 bra B;",
            "setp.lt.u32 %p1, %r1, 4; @%p1 mov.u32 %r3, 0; setp.lt.u32 %p2, %r3, 4; @%p2 bra L;",
            "cvt.u32.u8 %r3, %r1; setp.lt.u32 %p1, %r3, 4; @%p1 bra L;",
            "cvt.rn.f32.u32 %f1, %r1; setp.lt.f32 %p1, %f1, 0f3F800000; @%p1 bra L;",
            "mov.u32 %r3, %clock; setp.lt.u32 %p1, %r3, 4; @%p1 bra L;",
            "setp.lt.u32 %p1|%p2, %r1, 4; @%p1 bra L;",
            "bra L;",
        ] {
            assert_eq!(conditions(statements), [None], "{statements}");
        }
    }
}
