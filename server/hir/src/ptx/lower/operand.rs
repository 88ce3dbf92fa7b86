//! Operands of instructions.

use std::ops::Range;

use warplens_syntax::SyntaxKind::{self, *};
use warplens_syntax::{Node, Token};

use super::super::model::{Component, ConstantId, ListData, NameId, OperandList};
use super::super::{AddressForm, Constant, Operand, Problem, ProblemKind, Role, SymbolKind};
use super::body::Body;
use super::constant;
use super::scopes::Named;

/// Deeper operands are `Missing`, so that the recursion does not overflow the stack.
const DEPTH: u32 = 32;

#[derive(Clone, Copy)]
pub(super) struct Context {
    pub(super) role: Role,
    /// Whether the operand is inside brackets, where registers are only read.
    in_address: bool,
    depth: u32,
}

impl Context {
    pub(super) fn new(role: Role) -> Context {
        Context { role, in_address: false, depth: 0 }
    }

    fn inside(self) -> Context {
        Context { depth: self.depth + 1, ..self }
    }
}

/// An expression that contains names. Such an expression must be a sum.
struct Sum {
    base: Operand,
    index: Operand,
    offset: i64,
}

impl<'a> Body<'a> {
    /// Lowers one operand and records the names in it.
    pub(super) fn operand(&mut self, node: Node<'a>, context: Context) -> Operand {
        if context.depth == DEPTH {
            return Operand::Missing;
        }
        match node.kind() {
            NAME_REF => self.name(node, None, context),
            MEMBER => {
                let selector = node.token(DOT_WORD).map(|token| Component::from_name(token.word()));
                let Some(name) = node.child(NAME_REF) else { return Operand::Missing };
                let operand = self.name(name, selector, context);
                if let (Operand::Symbol(name), Some(selector)) = (operand, selector) {
                    let is_known = context.role != Role::Read || self.scopes.symbol_of(name).is_some();
                    let kind = match selector {
                        _ if is_known => ProblemKind::PartOfName,
                        // Such a word is a syntax error, and it is no address.
                        Component::Other => return operand,
                        _ if context.in_address => return operand,
                        _ => ProblemKind::PartOfExternal,
                    };
                    self.problems.push(Problem { range: node.range(), kind });
                    return Operand::Missing;
                }
                operand
            }
            SINK => Operand::Sink,
            VECTOR => Operand::Vector(self.list(node, context)),
            ARG_LIST if context.depth > 0 || !self.takes_arguments() => self.in_parentheses(node, context),
            ARG_LIST => Operand::Arguments(self.list(node, context)),
            PAIR => Operand::Pair(self.list(node, context)),
            ADDRESS => self.address(node, context),
            PREFIX_EXPR if has_names(node) => self.prefixed(node, context),
            kind if is_expression(kind) && has_names(node) => self.sum_operand(node, context),
            kind if is_expression(kind) => match constant::evaluate(node, &mut self.problems) {
                Constant::Invalid if kind == LITERAL => Operand::Missing,
                value => self.constant(value),
            },
            _ => Operand::Missing,
        }
    }

    fn list(&mut self, node: Node<'a>, context: Context) -> OperandList {
        let start = self.scratch.len();
        for child in node.nodes() {
            let operand = self.operand(child, context.inside());
            self.scratch.push(operand);
        }
        self.keep_list(start)
    }

    /// Whether the instruction is a call, or one that does not exist.
    fn takes_arguments(&self) -> bool {
        let opcode = self.mnemonics.words.first().copied().unwrap_or_default();
        opcode == "call" || warplens_isa::ptx::by_opcode(opcode).is_empty()
    }

    /// `(5)`, where no arguments are expected: only a constant may be in parentheses.
    fn in_parentheses(&mut self, node: Node<'a>, context: Context) -> Operand {
        let mut nodes = node.nodes();
        let (Some(inner), None) = (nodes.next(), nodes.next()) else {
            return Operand::Arguments(self.list(node, context));
        };
        if !is_expression(inner.kind()) && inner.kind() != ARG_LIST || has_names(inner) {
            self.problems.push(Problem { range: node.range(), kind: ProblemKind::NameInParentheses });
        }
        self.operand(inner, context.inside())
    }

    /// Moves the collected operands from `start` on to the operand table and returns their range there.
    pub(super) fn keep(&mut self, start: usize) -> Range<usize> {
        let first = self.operands.len();
        self.operands.extend(self.scratch.drain(start..));
        first..self.operands.len()
    }

    fn keep_list(&mut self, start: usize) -> OperandList {
        let range = self.keep(start);
        self.lists.push(ListData::new(range));
        OperandList(self.lists.len() as u32 - 1)
    }

    fn name(&mut self, node: Node<'a>, component: Option<Component>, context: Context) -> Operand {
        let Some(token) = node.token(IDENT) else { return Operand::Missing };
        let (name, named) = self.refer(token, context);
        match named {
            Named::Special if token.text == "WARP_SZ" => self.constant(Constant::Signed(32)),
            _ if context.role == Role::Target => Operand::Symbol(name),
            Named::Register => Operand::Register { name, component },
            Named::Special => Operand::Special { name, component },
            Named::Other => Operand::Symbol(name),
        }
    }

    fn refer(&mut self, token: Token<'a>, context: Context) -> (NameId, Named) {
        let name = self.scopes.refer(token, context.role);
        let named = self.scopes.named(name);
        // A register is read if it holds a pointer or a called function pointer. A branch target is never a
        // register.
        if named == Named::Register
            && (context.in_address || matches!(context.role, Role::Call | Role::Target))
        {
            self.scopes.set_role(name, Role::Read);
        }
        (name, named)
    }

    fn constant(&mut self, value: Constant) -> Operand {
        let next = self.constants.len();
        let id = *self.constant_ids.entry(value).or_insert_with(|| ConstantId::new(next));
        if id.index() == next {
            self.constants.push(value);
        }
        Operand::Constant(id)
    }

    /// `[base + constant, rest…]`
    fn address(&mut self, node: Node<'a>, context: Context) -> Operand {
        let context = Context { in_address: true, ..context.inside() };
        let mut parts = node.nodes();
        let Some(first) = parts.next() else { return Operand::Missing };
        if !is_address(first) {
            self.problems.push(Problem { range: first.range(), kind: ProblemKind::AddressForm });
        }
        let sum = if is_expression(first.kind()) && first.kind() != LITERAL {
            self.sum(first, context)
        } else {
            Sum { base: self.operand(first, context), index: Operand::Missing, offset: 0 }
        };
        let start = self.push_sum(sum);
        for part in parts {
            if part.kind() == LITERAL {
                self.problems.push(Problem { range: part.range(), kind: ProblemKind::AddressForm });
            }
            let operand = self.operand(part, Context { role: Role::Read, ..context });
            self.scratch.push(operand);
        }
        Operand::Address { form: AddressForm::Bracketed, parts: self.keep_list(start) }
    }

    /// `sym + 4`, `sym[4]`, `sym[%r1 + 4]`
    fn sum_operand(&mut self, node: Node<'a>, context: Context) -> Operand {
        let form = if node.kind() == INDEX_EXPR { AddressForm::Subscript } else { AddressForm::Sum };
        let sum = self.sum(node, Context { in_address: true, ..context.inside() });
        let start = self.push_sum(sum);
        Operand::Address { form, parts: self.keep_list(start) }
    }

    /// Pushes the layout that `Function::address` reads.
    fn push_sum(&mut self, sum: Sum) -> usize {
        let start = self.scratch.len();
        let offset = self.constant(Constant::Signed(sum.offset));
        self.scratch.extend([sum.base, sum.index, offset]);
        start
    }

    fn sum(&mut self, node: Node<'a>, context: Context) -> Sum {
        let plain = |base| Sum { base, index: Operand::Missing, offset: 0 };
        if !has_names(node) {
            return plain(self.operand(node, context));
        }
        match node.kind() {
            NAME_REF => plain(self.name(node, None, context)),
            BIN_EXPR | TERNARY_EXPR => self.sum_and_constant(node, context),
            INDEX_EXPR => self.indexed(node, context),
            _ => {
                self.problems.push(Problem { range: node.range(), kind: ProblemKind::OperandExpression });
                self.mention(node, context);
                plain(Operand::Missing)
            }
        }
    }

    /// `base + constant`. Operators after the `+` belong to the constant, so `%rd1+1<<3` adds 8.
    fn sum_and_constant(&mut self, node: Node<'a>, context: Context) -> Sum {
        let (mut base, mut first) = (node, node);
        let mut others = Vec::new();
        while matches!(base.kind(), BIN_EXPR | TERNARY_EXPR)
            && let Some(left) = base.nodes().next()
        {
            others.extend(base.nodes().skip(1).filter(|other| has_names(*other)));
            (base, first) = (left, base);
        }
        let mut sum = self.sum(base, context);
        others.sort_unstable_by_key(|other| other.range().start());
        others.iter().for_each(|other| self.mention(*other, context));
        let minus = first.token(MINUS);
        if let Some(minus) = minus {
            self.problems.push(Problem { range: minus.range(), kind: ProblemKind::SubtractedOffset });
        }
        if others.is_empty() && (minus.is_some() || first.token(PLUS).is_some()) {
            let value = constant::evaluate_after(base.range(), node, &mut self.problems);
            sum.offset = sum.offset.wrapping_add(self.as_offset(node, value));
        } else {
            self.problems.push(Problem { range: node.range(), kind: ProblemKind::OperandExpression });
        }
        sum
    }

    fn offset(&mut self, node: Node<'a>) -> i64 {
        let value = constant::evaluate(node, &mut self.problems);
        self.as_offset(node, value)
    }

    fn as_offset(&mut self, node: Node<'a>, value: Constant) -> i64 {
        if value.as_float().is_some() {
            self.problems.push(Problem { range: node.range(), kind: ProblemKind::FloatOffset });
        }
        value.as_integer().unwrap_or(0) as i64
    }

    /// `sym[constant]`, `sym[%r1 + constant]`
    fn indexed(&mut self, node: Node<'a>, context: Context) -> Sum {
        let mut parts = node.nodes();
        let mut sum = Sum { base: Operand::Missing, index: Operand::Missing, offset: 0 };
        if let Some(base) = parts.next() {
            sum.base = self.operand(base, context);
            if self.has_no_elements(sum.base) {
                self.problems.push(Problem { range: base.range(), kind: ProblemKind::NoArray });
            }
        }
        let context = Context { role: Role::Read, ..context };
        match parts.next() {
            Some(index) if has_names(index) && context.depth < DEPTH => {
                let inner = self.sum(index, context.inside());
                (sum.index, sum.offset) = (inner.base, inner.offset);
            }
            Some(index) => sum.offset = self.offset(index),
            None => {}
        }
        sum
    }

    /// Whether the base is declared in this function and is not an array.
    fn has_no_elements(&self, base: Operand) -> bool {
        match base {
            Operand::Register { .. } | Operand::Special { .. } => true,
            Operand::Symbol(name) => match self.scopes.symbol_of(name).map(|symbol| &symbol.kind) {
                Some(SymbolKind::Variable(variable)) => variable.dimensions.is_empty(),
                _ => false,
            },
            _ => false,
        }
    }

    /// `!%p1`, `-%r1`
    fn prefixed(&mut self, node: Node<'a>, context: Context) -> Operand {
        let operator = node.tokens().next().map(|token| token.kind);
        let list = self.list(node, context);
        match operator {
            Some(BANG) => Operand::Not(list),
            Some(MINUS) => Operand::Negated(list),
            _ => {
                self.problems.push(Problem { range: node.range(), kind: ProblemKind::OperandExpression });
                Operand::Missing
            }
        }
    }

    /// Records the names in text that is not an operand, so that they still count as references.
    fn mention(&mut self, node: Node<'a>, context: Context) {
        for name in std::iter::once(node).chain(node.descendants()).filter(|node| node.kind() == NAME_REF) {
            if let Some(token) = name.token(IDENT) {
                self.refer(token, Context { role: Role::Read, ..context });
            }
        }
    }
}

/// Whether an address can be written like this: a name or a number with constants added.
fn is_address(node: Node<'_>) -> bool {
    match node.kind() {
        ARG_LIST => !has_names(node) && node.nodes().next().is_some_and(is_address),
        INDEX_EXPR => false,
        kind => is_expression(kind),
    }
}

fn is_expression(kind: SyntaxKind) -> bool {
    matches!(
        kind,
        NAME_REF
            | LITERAL
            | PAREN_EXPR
            | PREFIX_EXPR
            | CAST_EXPR
            | BIN_EXPR
            | TERNARY_EXPR
            | INDEX_EXPR
            | CALL_EXPR
    )
}

/// Whether an expression contains a name other than `WARP_SZ`.
fn has_names(node: Node<'_>) -> bool {
    let is_name = |node: Node<'_>| {
        node.kind() == NAME_REF && node.token(IDENT).is_none_or(|token| token.text != "WARP_SZ")
    };
    is_name(node) || node.descendants().any(is_name)
}
