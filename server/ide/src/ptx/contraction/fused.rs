//! The statements that take part in a contraction, and the text of fused ones.

use warplens_hir::ptx::{Function, InstructionId, Mnemonic, Operand};

/// A product in a register, or its negation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Held {
    pub(super) product: usize,
    pub(super) is_negated: bool,
}

/// An operand of a sum, 0 or 1, that is a product.
#[derive(Debug, Clone, Copy)]
pub(super) struct Way {
    pub(super) operand: usize,
    pub(super) held: Held,
}

/// A type whose sums and products may be fused.
#[derive(Debug, PartialEq, Eq)]
struct Float {
    name: &'static str,
    /// The size of its registers.
    bits: &'static str,
    /// The type of a `mov` that takes its literals.
    moved: &'static str,
    /// The bits of the signs.
    signs: &'static str,
}

const fn float(name: &'static str, bits: &'static str, moved: &'static str, signs: &'static str) -> Float {
    Float { name, bits, moved, signs }
}

static FLOATS: [Float; 7] = [
    float("f32", "b32", "f32", "0x80000000"),
    float("f64", "b64", "f64", "0x8000000000000000"),
    float("f16", "b16", "b16", "0x8000"),
    float("bf16", "b16", "b16", "0x8000"),
    float("f16x2", "b32", "b32", "0x80008000"),
    float("bf16x2", "b32", "b32", "0x80008000"),
    float("f32x2", "b64", "b64", "0x8000000080000000"),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operation {
    Product,
    Sum,
    Difference,
    Negation,
    Move,
}

/// A statement that takes part in a contraction. It has no rounding modifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Arithmetic {
    operation: Operation,
    /// `None` for a move, which has any type.
    float: Option<&'static Float>,
    flushes: bool,
    saturates: bool,
}

impl Arithmetic {
    pub(super) fn of(mnemonic: &Mnemonic) -> Option<Arithmetic> {
        let operation = match &*mnemonic.opcode {
            "mul" => Operation::Product,
            "add" => Operation::Sum,
            "sub" => Operation::Difference,
            "neg" => Operation::Negation,
            "mov" => {
                let (flushes, saturates) = (false, false);
                return Some(Arithmetic { operation: Operation::Move, float: None, flushes, saturates });
            }
            _ => return None,
        };
        let [flags @ .., name] = &*mnemonic.modifiers else { return None };
        let float = FLOATS.iter().find(|float| float.name == name)?;
        let [flushes, saturates] = ["ftz", "sat"].map(|flag| flags.iter().any(|have| have == flag));
        let is_plain = flags.len() == usize::from(flushes) + usize::from(saturates);
        is_plain.then_some(Arithmetic { operation, float: Some(float), flushes, saturates })
    }

    pub(super) fn is_product(self) -> bool {
        self.operation == Operation::Product && !self.saturates
    }

    pub(super) fn is_sum(self) -> bool {
        matches!(self.operation, Operation::Sum | Operation::Difference)
    }

    pub(super) fn is_copy(self) -> bool {
        matches!(self.operation, Operation::Move | Operation::Negation)
    }

    pub(super) fn negates(self) -> bool {
        self.operation == Operation::Negation
    }

    /// Whether it may take a product into itself.
    pub(super) fn takes(self, product: Arithmetic) -> bool {
        self.float.is_none() || self.float == product.float && self.flushes == product.flushes
    }
}

/// A function and its text.
pub(super) struct Text<'f> {
    pub(super) function: &'f Function,
    pub(super) text: &'f str,
}

impl Text<'_> {
    /// The declaration of the registers that keep the factors of a product, and the statements that fill them; `None` if the factors
    /// are not registers or literals.
    pub(super) fn kept(&self, number: usize, at: InstructionId) -> Option<(String, String)> {
        let Float { bits, moved, .. } = self.float(at)?;
        let [one, other] = [self.operand(at, 1)?, self.operand(at, 2)?];
        let [kept_one, kept_other] = [0, 1].map(|factor| kept(number, factor));
        let declaration = format!(" .reg .{bits} {kept_one}, {kept_other};");
        Some((declaration, format!("mov.{moved} {kept_one}, {one}; mov.{moved} {kept_other}, {other}; ")))
    }

    /// The statements that compute a sum with one rounding, on as many lines as the sum.
    pub(super) fn fused(&self, at: InstructionId, Way { operand, held }: Way) -> Option<String> {
        let Float { name, bits, moved, signs } = self.float(at)?;
        let arithmetic = Arithmetic::of(self.function.instruction(at).mnemonic())?;
        let [result, addend] = [self.operand(at, 0)?, self.operand(at, 2 - operand)?];
        let negates = |at: usize| arithmetic.operation == Operation::Difference && at == 1;
        let negated = |register: &str, is_negated| match is_negated {
            true => format!("xor.{bits} {register}, {register}, {signs}; "),
            false => String::new(),
        };
        let [a, b] = ["a", "b"].map(|name| format!("%warplens_{name}"));
        let [factor, other] = [0, 1].map(|factor| kept(held.product, factor));
        let signs_of_product = negated(&a, held.is_negated != negates(operand));
        let signs_of_addend = negated(&b, negates(1 - operand));
        let flags = [(arithmetic.flushes, ".ftz"), (arithmetic.saturates, ".sat")];
        let flags: String = flags.into_iter().filter(|(has, _)| *has).map(|(_, flag)| flag).collect();
        let lines = "\n".repeat(self.text[self.function.instruction(at).range()].matches('\n').count());
        Some(format!(
            "{{ .reg .{bits} {a}, {b}; mov.{bits} {a}, {factor}; {signs_of_product}mov.{moved} {b}, {addend}; {signs_of_addend}\
             fma.rn{flags}.{name} {result}, {a}, {other}, {b}; }}{lines}"
        ))
    }

    fn float(&self, at: InstructionId) -> Option<&'static Float> {
        Arithmetic::of(self.function.instruction(at).mnemonic())?.float
    }

    /// The text of an operand that is a register or a literal.
    fn operand(&self, at: InstructionId, index: usize) -> Option<&str> {
        let instruction = self.function.instruction(at);
        match instruction.operands().get(index)? {
            Operand::Register { name, component: None } => Some(&self.text[self.function.name(*name).range]),
            Operand::Constant(_) => {
                let piece = self.text[instruction.range()].split([',', ';']).nth(index)?.trim();
                let is_literal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+');
                piece.chars().all(is_literal).then_some(piece)
            }
            _ => None,
        }
    }
}

/// The register that keeps a factor of a product.
fn kept(product: usize, factor: usize) -> String {
    format!("%warplens_{product}_{factor}")
}
