//! Constant expressions: their values, and the kind (signed, unsigned, float) that every operator yields.
//! Where the PTX documentation is silent, they follow ptxas: shift counts are taken modulo 64, and `? :` has
//! the kind of the selected arm.

use text_size::TextRange;
use warplens_syntax::Node;
use warplens_syntax::SyntaxKind::{self, *};

use super::super::{Constant, Problem, ProblemKind};
use super::literal;

/// Deeper expressions have no value, so that the recursion does not overflow the stack.
const DEPTH: u32 = 128;

/// The value of an expression in which `WARP_SZ` is the only allowed name.
pub(super) fn evaluate(expression: Node<'_>, problems: &mut Vec<Problem>) -> Constant {
    Evaluation { base: None, problems, depth: 0 }.value(expression)
}

/// The value of what follows `base +` in an expression, where `base` is the leftmost operand.
pub(super) fn evaluate_after(base: TextRange, expression: Node<'_>, problems: &mut Vec<Problem>) -> Constant {
    Evaluation { base: Some(base), problems, depth: 0 }.value(expression)
}

/// The value as a count, alignment or size.
pub(super) fn count(expression: Node<'_>, problems: &mut Vec<Problem>) -> Option<u64> {
    evaluate(expression, problems).as_integer()
}

struct Evaluation<'p> {
    /// An operand that is left out, with the operator after it.
    base: Option<TextRange>,
    problems: &'p mut Vec<Problem>,
    depth: u32,
}

impl Evaluation<'_> {
    fn value(&mut self, node: Node<'_>) -> Constant {
        if self.depth == DEPTH {
            return Constant::Invalid;
        }
        self.depth += 1;
        let value = match node.kind() {
            LITERAL if node.token(STRING).is_some() => self.problem(node, ProblemKind::StringOperand),
            LITERAL => self.number(node),
            NAME_REF => self.name(node),
            PAREN_EXPR => self.operand(node, 0),
            CAST_EXPR => self.cast(node),
            PREFIX_EXPR => self.prefix(node),
            BIN_EXPR => self.binary(node),
            TERNARY_EXPR => self.ternary(node),
            _ => Constant::Invalid,
        };
        self.depth -= 1;
        value
    }

    fn operand(&mut self, node: Node<'_>, index: usize) -> Constant {
        node.nodes().nth(index).map_or(Constant::Invalid, |operand| self.value(operand))
    }

    fn problem(&mut self, node: Node<'_>, kind: ProblemKind) -> Constant {
        self.problems.push(Problem { range: node.range(), kind });
        Constant::Invalid
    }

    fn number(&mut self, literal: Node<'_>) -> Constant {
        match literal.tokens().next() {
            Some(token) if token.kind == INT_NUMBER => {
                let value = literal::integer(token.text);
                if literal::is_cut_off(token.text) {
                    let kind = ProblemKind::CutOff(value.as_integer().unwrap_or(0));
                    self.problems.push(Problem { range: token.range(), kind });
                }
                value
            }
            Some(token) if token.kind == FLOAT_NUMBER => literal::float(token.text),
            _ => Constant::Invalid,
        }
    }

    fn name(&mut self, node: Node<'_>) -> Constant {
        match node.token(IDENT) {
            Some(token) if token.text == "WARP_SZ" => Constant::Signed(32),
            Some(token) => self.problem(node, ProblemKind::NameInConstant(token.text.into())),
            None => Constant::Invalid,
        }
    }

    fn cast(&mut self, node: Node<'_>) -> Constant {
        let value = self.operand(node, 0);
        match (value.as_integer(), node.token(DOT_WORD).map(|token| token.word())) {
            (None, _) if value != Constant::Invalid => self.problem(node, ProblemKind::ConstantTypes),
            (Some(bits), Some("s64")) => Constant::Signed(bits as i64),
            (Some(bits), Some("u64")) => Constant::Unsigned(bits),
            _ => Constant::Invalid,
        }
    }

    fn prefix(&mut self, node: Node<'_>) -> Constant {
        let value = self.operand(node, 0);
        let Some(operator) = node.tokens().next() else { return Constant::Invalid };
        match (operator.kind, value) {
            (_, Constant::Invalid) => Constant::Invalid,
            (PLUS, value) => value,
            (MINUS, Constant::Signed(value)) => Constant::Signed(value.wrapping_neg()),
            (MINUS, Constant::Unsigned(value)) => Constant::Unsigned(value.wrapping_neg()),
            (MINUS, Constant::Double(bits)) => Constant::Double((-f64::from_bits(bits)).to_bits()),
            (BANG, Constant::Signed(_) | Constant::Unsigned(_)) => truth(value.as_integer() == Some(0)),
            (TILDE, Constant::Signed(_) | Constant::Unsigned(_)) => {
                Constant::Unsigned(!value.as_integer().unwrap_or(0))
            }
            _ => self.problem(node, ProblemKind::ConstantTypes),
        }
    }

    fn binary(&mut self, node: Node<'_>) -> Constant {
        let is_after_base = self.base.is_some() && node.nodes().next().map(Node::range) == self.base;
        let left = match is_after_base {
            true if node.token(MINUS).is_none() => return self.operand(node, 1),
            // An error, but the offset that is meant is clear.
            true => Constant::Signed(0),
            false => self.operand(node, 0),
        };
        let right = self.operand(node, 1);
        let Some(operator) = node.tokens().next() else { return Constant::Invalid };
        let value = match (left, right) {
            (Constant::Invalid, _) | (_, Constant::Invalid) => return Constant::Invalid,
            (Constant::Signed(left), Constant::Signed(right)) => signed(operator.kind, left, right),
            _ => match (left.as_integer(), right.as_integer()) {
                (Some(bits), Some(right)) => mixed(operator.kind, left, bits, right),
                (None, None) => float(operator.kind, left, right),
                _ => Err(ProblemKind::ConstantTypes),
            },
        };
        value.unwrap_or_else(|kind| self.problem(node, kind))
    }

    /// All three parts must be integers, and both arms are evaluated.
    fn ternary(&mut self, node: Node<'_>) -> Constant {
        let condition = self.operand(node, 0);
        let (yes, no) = (self.operand(node, 1), self.operand(node, 2));
        if [condition, yes, no].contains(&Constant::Invalid) {
            return Constant::Invalid;
        }
        match (condition.as_integer(), yes.as_integer(), no.as_integer()) {
            (Some(0), Some(_), Some(_)) => no,
            (Some(_), Some(_), Some(_)) => yes,
            _ => self.problem(node, ProblemKind::ConstantTypes),
        }
    }
}

fn truth(value: bool) -> Constant {
    Constant::Signed(value.into())
}

fn signed(operator: SyntaxKind, left: i64, right: i64) -> Result<Constant, ProblemKind> {
    Ok(match operator {
        PLUS => Constant::Signed(left.wrapping_add(right)),
        MINUS => Constant::Signed(left.wrapping_sub(right)),
        STAR => Constant::Signed(left.wrapping_mul(right)),
        SLASH if right == 0 => return Err(ProblemKind::DivisionByZero),
        SLASH => Constant::Signed(left.wrapping_div(right)),
        AMP => Constant::Signed(left & right),
        CARET => Constant::Signed(left ^ right),
        PIPE => Constant::Signed(left | right),
        L_ANGLE => truth(left < right),
        LT_EQ => truth(left <= right),
        R_ANGLE => truth(left > right),
        GT_EQ => truth(left >= right),
        _ => return mixed(operator, Constant::Signed(left), left as u64, right as u64),
    })
}

/// An operation with an unsigned operand, or one that ignores signedness. A shift has the kind of its left
/// operand.
fn mixed(operator: SyntaxKind, left: Constant, bits: u64, right: u64) -> Result<Constant, ProblemKind> {
    let count = (right % 64) as u32;
    Ok(match operator {
        SLASH | PERCENT if right == 0 => return Err(ProblemKind::DivisionByZero),
        PLUS => Constant::Unsigned(bits.wrapping_add(right)),
        MINUS => Constant::Unsigned(bits.wrapping_sub(right)),
        STAR => Constant::Unsigned(bits.wrapping_mul(right)),
        SLASH => Constant::Unsigned(bits / right),
        PERCENT => Constant::Unsigned(bits % right),
        SHL => match left {
            Constant::Signed(value) => Constant::Signed(value << count),
            _ => Constant::Unsigned(bits << count),
        },
        SHR => match left {
            Constant::Signed(value) => Constant::Signed(value >> count),
            _ => Constant::Unsigned(bits >> count),
        },
        L_ANGLE => truth(bits < right),
        LT_EQ => truth(bits <= right),
        R_ANGLE => truth(bits > right),
        GT_EQ => truth(bits >= right),
        EQ2 => truth(bits == right),
        NEQ => truth(bits != right),
        AMP => Constant::Unsigned(bits & right),
        CARET => Constant::Unsigned(bits ^ right),
        PIPE => Constant::Unsigned(bits | right),
        AMP2 => truth(bits != 0 && right != 0),
        PIPE2 => truth(bits != 0 || right != 0),
        _ => return Err(ProblemKind::ConstantTypes),
    })
}

fn float(operator: SyntaxKind, left: Constant, right: Constant) -> Result<Constant, ProblemKind> {
    let exact = |value| matches!(value, Constant::Single(_));
    let (Some(left), Some(right), false) = (left.as_float(), right.as_float(), exact(left) || exact(right))
    else {
        return Err(ProblemKind::ConstantTypes);
    };
    let number = |value: f64| Constant::Double(value.to_bits());
    Ok(match operator {
        PLUS => number(left + right),
        MINUS => number(left - right),
        STAR => number(left * right),
        SLASH if right == 0.0 => return Err(ProblemKind::DivisionByZero),
        SLASH => number(left / right),
        L_ANGLE => truth(left < right),
        LT_EQ => truth(left <= right),
        R_ANGLE => truth(left > right),
        GT_EQ => truth(left >= right),
        EQ2 => truth(left == right),
        NEQ => truth(left != right),
        _ => return Err(ProblemKind::ConstantTypes),
    })
}
