//! Lowers a tree to [`Code`], in a single walk over its elements, so that checking a file costs little more
//! than reading its tokens.

use std::borrow::Cow;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use smol_str::SmolStr;
use text_size::TextRange;
use warplens_isa::wave as isa;
use warplens_syntax::SyntaxKind::*;
use warplens_syntax::{Node, NodeOrToken, SyntaxKind, Token};

use super::mnemonic::{self, Mnemonic};
use super::model::{
    Code, Guard, Half, Instruction, KernelHeader, Label, Operand, Operands, Resource, Role, Scope, Special,
    Value, Word, WorkgroupSize,
};
use super::problem::{Problem, ProblemKind};
use super::{call_depth, divergence, operands, reach, recursion, structure};

const LAST_REGISTER: u32 = 254;
const LAST_PREDICATE: u32 = 3;
/// After this many problems no similar names are suggested.
const MAX_GUESSES: usize = 1000;

/// Lowers an item. Ranges are relative to the item.
pub fn lower(item: Node<'_>) -> Code {
    let mut lowering = Lowering::default();
    for declaration in item.nodes() {
        if declaration.kind() == KERNEL {
            lowering.kernel(declaration);
        } else {
            lowering.statements(declaration);
        }
    }
    lowering.finish()
}

#[derive(Default)]
struct Lowering {
    code: Code,
    labels: FxHashMap<SmolStr, TextRange>,
}

impl Lowering {
    fn say(&mut self, range: TextRange, kind: ProblemKind) {
        self.code.problems.push(Problem { range, kind });
    }

    fn kernel(&mut self, kernel: Node<'_>) {
        let header = kernel.child(KERNEL_HEADER);
        let name = header.and_then(|header| header.child(NAME)?.token(IDENT));
        let name = name.map(|token| (SmolStr::new(token.text), token.range()));
        let range = header.unwrap_or(kernel).range();
        let end = kernel.child(KERNEL_END).map(Node::range);
        self.code.kernel = Some(KernelHeader { name, range, end });
        if let Some(block) = kernel.child(BLOCK) {
            self.statements(block);
        }
    }

    fn statements(&mut self, parent: Node<'_>) {
        // Avoids most reallocations of the list.
        self.code.instructions.reserve(parent.nodes().count());
        for node in parent.nodes() {
            match node.kind() {
                CHUNK => self.statements(node),
                DIRECTIVE => self.directive(node),
                LABEL => self.label(node),
                INSTRUCTION => self.instruction(node),
                _ => {}
            }
        }
    }

    fn label(&mut self, label: Node<'_>) {
        let Some(token) = label.child(NAME).and_then(|name| name.token(IDENT)) else { return };
        let (name, range) = (SmolStr::new(token.text), token.range());
        let first = *self.labels.entry(name.clone()).or_insert(range);
        if first != range {
            self.say(range, ProblemKind::DuplicateLabel { name: name.clone(), first: Some(first) });
        }
        let before = self.code.instructions.len() as u32;
        self.code.labels.push(Label { name, range, before });
    }

    fn directive(&mut self, directive: Node<'_>) {
        let Some(word) = directive.token(DOT_WORD) else { return };
        let place = word.range();
        let Some(known) = isa::directive(word.text) else {
            let lower = word.text.to_ascii_lowercase();
            let write = isa::directive(&lower).is_some().then(|| lower.into());
            return self.say(place, ProblemKind::UnknownDirective { name: word.text.into(), write });
        };
        if self.code.kernel.is_none() {
            self.say(place, ProblemKind::DirectiveOutside(known.name));
        }
        let mut operands: SmallVec<[Node<'_>; 3]> = SmallVec::new();
        let parts = Parts::of(directive, |operand| operands.push(operand));
        self.negative_resources(known.name, &operands);
        let numbers: Option<Vec<u32>> = operands.into_iter().map(resource_number).collect();
        let range = directive.range();
        let resources = &mut self.code.resources;
        match (known.name, numbers.as_deref()) {
            (".registers", Some([value])) => resources.registers = Some(Resource { value: *value, range }),
            (".local_memory", Some([value])) => {
                resources.local_memory = Some(Resource { value: *value, range })
            }
            (".workgroup_size", Some([x, rest @ ..])) if matches!(rest.len(), 0 | 2) => {
                let value = [*x, rest.first().copied().unwrap_or(1), rest.get(1).copied().unwrap_or(1)];
                resources.workgroup_size = Some(Resource { value, range });
                self.code.sizes.push(WorkgroupSize { range, written: rest.len() as u8 + 1 });
            }
            _ if parts.torn => {}
            (".workgroup_size", _) => {
                let takes = "one number or three, such as `256` or `256, 1, 1`";
                self.say(place, ProblemKind::DirectiveArguments { name: known.name, takes });
            }
            _ => self.say(place, ProblemKind::DirectiveArguments { name: known.name, takes: "one number" }),
        }
    }

    fn negative_resources(&mut self, name: &'static str, operands: &[Node<'_>]) {
        for operand in operands.iter().filter(|operand| operand.kind() == LITERAL) {
            if operand.first_token().is_some_and(|token| token.text.starts_with('-')) {
                self.say(operand.range(), ProblemKind::NegativeResource(name));
            }
        }
    }

    fn instruction(&mut self, node: Node<'_>) {
        let mut operands = Operands::new();
        let parts = Parts::of(node, |operand| operands.push(self.operand(operand)));
        let guard = parts.guard.and_then(|guard| self.guard(guard));
        let Some(word) = parts.mnemonic else { return self.code.bare_guards.extend(guard) };
        let Mnemonic { name, entry, taken } = Mnemonic::of(word.text, &parts.suffixes);
        let mnemonic_range = match parts.suffixes.last() {
            Some(last) => word.range().cover(last.range()),
            None => word.range(),
        };
        let at = self.code.instructions.len();
        self.code.instructions.push(Instruction {
            range: node.range(),
            mnemonic_range,
            mnemonic: name,
            entry,
            guard,
            hint: None,
            operands,
            complete: false,
        });
        match entry {
            Some(entry) => self.suffixes(entry.0, &parts.suffixes[taken..], at),
            // The parser has already reported an invalid or incomplete name.
            None if parts.dangling || !word.text.starts_with(|first: char| first.is_ascii()) => {}
            None => {
                let guess = self.code.problems.len() < MAX_GUESSES;
                let name = self.code.instructions[at].mnemonic.clone();
                let write = guess.then(|| mnemonic::meant(&name)).flatten();
                self.say(mnemonic_range, ProblemKind::UnknownInstruction { name, write });
            }
        }
        self.guard_oddities(at);
        self.finish_instruction(at, parts.torn);
    }

    /// Resolves the operands. A word after a missing newline is read as the intended instruction.
    fn finish_instruction(&mut self, at: usize, torn: bool) {
        let Code { instructions, words, problems, .. } = &mut self.code;
        let instruction = &mut instructions[at];
        if let Some((range, word)) = operands::missing_newline(instruction, words) {
            problems.push(Problem { range, kind: ProblemKind::MissingNewline(word.clone()) });
            instruction.operands.clear();
            instruction.complete = true;
            instruction.range = TextRange::new(instruction.range.start(), instruction.mnemonic_range.end());
            let entry = Mnemonic::of(&word, &[""; 0]).entry;
            instructions.push(Instruction {
                range,
                mnemonic_range: range,
                mnemonic: word,
                entry,
                guard: None,
                hint: None,
                operands: Operands::new(),
                complete: true,
            });
            return;
        }
        operands::resolve(instruction, torn, problems);
    }

    fn suffixes(&mut self, entry: &isa::Instruction, rest: &[Token<'_>], at: usize) {
        for suffix in rest {
            let range = suffix.range();
            let hint = isa::cache_hints().iter().position(|hint| hint.name == suffix.text);
            let instruction = &mut self.code.instructions[at];
            instruction.hint = instruction.hint.or(hint.map(|hint| hint as u8));
            match (Scope::of(suffix.text), isa::cache_hint(suffix.text)) {
                (Some(scope), _) if entry.suffix == isa::Suffix::Scope => {
                    instruction.operands.push(unresolved(range, Value::Scope(scope)));
                }
                (_, Some(_)) if entry.suffix == isa::Suffix::CacheHint => {}
                (_, Some(hint)) => self.say(range, ProblemKind::UnusedHint(hint.name.into())),
                _ => {
                    if entry.suffix == isa::Suffix::Scope {
                        instruction.operands.push(unresolved(range, Value::Invalid));
                    }
                    self.say(range, ProblemKind::UnknownSuffix(suffix.text.into()));
                }
            }
        }
    }

    fn guard(&mut self, guard: Node<'_>) -> Option<Guard> {
        let Value::Predicate { index: predicate, negated } = self.predicate(guard)? else { return None };
        let register = guard.token(PREDICATE_REGISTER)?.range();
        Some(Guard { range: guard.range(), register, predicate, negated })
    }

    fn guard_oddities(&mut self, at: usize) {
        let instruction = &self.code.instructions[at];
        let (Some(guard), Some(entry)) = (instruction.guard, instruction.entry) else { return };
        let control = entry.category.id == "control" || matches!(entry.mnemonic, "return" | "barrier");
        if control {
            let name = instruction.mnemonic.clone();
            self.say(guard.range, ProblemKind::GuardedControl(name));
        } else if guard.predicate == 0 && !guard.negated {
            self.say(guard.range, ProblemKind::GuardP0);
        }
    }

    fn operand(&mut self, operand: Node<'_>) -> Operand {
        unresolved(operand.range(), self.value(operand).unwrap_or(Value::Invalid))
    }

    fn value(&mut self, operand: Node<'_>) -> Option<Value> {
        Some(match operand.kind() {
            REGISTER => self.register(operand)?,
            PREDICATE => self.predicate(operand)?,
            SPECIAL_REGISTER => {
                let token = operand.token(SPECIAL_NAME)?;
                match isa::special_register(token.text) {
                    Some(known) => Value::Special(Special(known)),
                    None => {
                        self.say(token.range(), ProblemKind::UnknownSpecial(token.text.into()));
                        return None;
                    }
                }
            }
            LITERAL => number(operand.first_token()?)?,
            SCOPE => {
                let token = operand.token(DOT_WORD)?;
                match Scope::of(token.text) {
                    Some(scope) => Value::Scope(scope),
                    None => {
                        let kind = ProblemKind::OperandKind { expected: &[isa::OperandKind::Scope] };
                        self.say(token.range(), kind);
                        return None;
                    }
                }
            }
            NAME_REF => {
                let word = operand.token(IDENT)?.text;
                Scope::of(word).map_or_else(|| self.word(word), Value::Scope)
            }
            _ => return None,
        })
    }

    fn word(&mut self, word: &str) -> Value {
        let words = &mut self.code.words;
        words.push(word.into());
        Value::Label(Word(words.len() as u32 - 1))
    }

    /// `r3`, `r3.hi`
    fn register(&mut self, operand: Node<'_>) -> Option<Value> {
        let (mut index, mut half) = (None, None);
        for token in operand.tokens() {
            match (token.kind, token.text) {
                (GENERAL_REGISTER, _) => index = self.index(token, LAST_REGISTER, ProblemKind::RegisterIndex),
                (DOT_WORD, ".lo") => half = Some(Half::Low),
                (DOT_WORD, ".hi") => half = Some(Half::High),
                _ => {}
            }
        }
        Some(Value::Register { index: index?, half })
    }

    /// `p1`, `!p1`, also after `@`
    fn predicate(&mut self, operand: Node<'_>) -> Option<Value> {
        let (mut index, mut negated) = (None, false);
        for token in operand.tokens() {
            match token.kind {
                PREDICATE_REGISTER => index = self.index(token, LAST_PREDICATE, ProblemKind::PredicateIndex),
                BANG => negated = true,
                _ => {}
            }
        }
        Some(Value::Predicate { index: index?, negated })
    }

    /// The number of a register, if machines have it. Lexer errors are not reported again.
    fn index(&mut self, token: Token<'_>, last: u32, beyond: ProblemKind) -> Option<u8> {
        let mut index = 0u32;
        for digit in &token.text.as_bytes()[1..] {
            let digit = digit.wrapping_sub(b'0');
            if digit > 9 {
                return None;
            }
            index = index.saturating_mul(10).saturating_add(digit.into());
        }
        if index > last {
            self.say(token.range(), beyond);
            return None;
        }
        u8::try_from(index).ok()
    }

    fn finish(mut self) -> Code {
        self.registers_beyond();
        let before = self.code.problems.len();
        structure::join(&mut self.code);
        let joined = self.code.problems[before..].iter().all(|found| found.kind == ProblemKind::EndlessLoop);
        // With broken constructs the control flow is unknown.
        let mut ends = false;
        if joined && self.code.kernel.is_some() {
            ends = reach::check(&mut self.code);
            divergence::check(&mut self.code);
        }
        if !ends {
            self.missing_halt();
        }
        recursion::check(&mut self.code);
        if joined {
            call_depth::check(&mut self.code);
        }
        self.code.problems.sort_by_key(|problem| problem.range.start());
        self.code
    }

    /// Reports every register that the kernel does not have, once.
    fn registers_beyond(&mut self) {
        let registers = self.code.resources.register_count();
        let declared = self.code.resources.registers.map(|registers| registers.range);
        let mut reported = [false; LAST_REGISTER as usize + 1];
        let Code { instructions, problems, .. } = &mut self.code;
        for operand in instructions.iter().flat_map(|instruction| &instruction.operands) {
            if let Value::Register { index, .. } = operand.value
                && u32::from(index) >= registers
                && !std::mem::replace(&mut reported[usize::from(index)], true)
            {
                let kind = ProblemKind::RegisterBeyond { registers, declared };
                problems.push(Problem { range: operand.name_range(), kind });
            }
        }
    }

    fn missing_halt(&mut self) {
        let Some(kernel) = &self.code.kernel else { return };
        let (Some(end), Some(last)) = (kernel.end, self.code.instructions.last()) else { return };
        let ends = last.guard.is_none()
            && last.entry.is_none_or(|entry| matches!(entry.mnemonic, "halt" | "return"));
        if !ends {
            self.say(end, ProblemKind::MissingHalt);
        }
    }
}

/// An operand before its instruction's form is known.
fn unresolved(range: TextRange, value: Value) -> Operand {
    Operand { range, value, name: "", role: Role::Unknown, registers: 1 }
}

/// The parts of a statement other than its operands.
struct Parts<'a> {
    guard: Option<Node<'a>>,
    mnemonic: Option<Token<'a>>,
    suffixes: SmallVec<[Token<'a>; 2]>,
    /// Whether the parser has reported an error in the operands: a part is an error, or a comma lacks an
    /// operand.
    torn: bool,
    dangling: bool,
}

impl<'a> Parts<'a> {
    /// Splits a statement into its parts; passes its operands to `take` in order.
    fn of(statement: Node<'a>, mut take: impl FnMut(Node<'a>)) -> Parts<'a> {
        let (mut guard, mut mnemonic, mut suffixes) = (None, None, SmallVec::new());
        let (mut torn, mut dangling) = (false, false);
        let (mut commas, mut operands) = (0, 0);
        for part in statement.parts() {
            match part {
                NodeOrToken::Node(node) => match node.kind() {
                    ERROR => {
                        torn = true;
                        dangling |= ends_at_dot(suffixes.last().or(mnemonic.as_ref()), node);
                    }
                    GUARD => guard = Some(node),
                    kind if is_operand(kind) => {
                        operands += 1;
                        take(node);
                    }
                    _ => {}
                },
                NodeOrToken::Token(token) => match token.kind {
                    COMMA => commas += 1,
                    IDENT => mnemonic = Some(token),
                    DOT_WORD => suffixes.push(token),
                    _ => {}
                },
            }
        }
        torn |= commas > 0 && commas >= operands;
        Parts { guard, mnemonic, suffixes, torn, dangling }
    }
}

/// Whether an error is the dot after the last word of a name.
fn ends_at_dot(last_word: Option<&Token<'_>>, error: Node<'_>) -> bool {
    let name_end = last_word.map(|word| word.range().end());
    let mut tokens = error.elements().filter_map(NodeOrToken::into_token);
    name_end == Some(error.range().start()) && tokens.next().is_some_and(|token| token.text == ".")
}

fn is_operand(kind: SyntaxKind) -> bool {
    matches!(kind, REGISTER | PREDICATE | SPECIAL_REGISTER | LITERAL | SCOPE | NAME_REF)
}

/// A number in a directive. Negative numbers wrap, as in the assembler.
fn resource_number(operand: Node<'_>) -> Option<u32> {
    match (operand.kind(), number(operand.first_token()?)?) {
        (LITERAL, Value::Integer { value, .. }) => Some(value as u32),
        _ => None,
    }
}

/// The value of a number; `None` if the lexer has reported it.
fn number(token: Token<'_>) -> Option<Value> {
    let plain: Cow<'_, str> =
        if token.text.contains('_') { token.text.replace('_', "").into() } else { token.text.into() };
    if token.kind == FLOAT_NUMBER {
        return plain.parse::<f64>().ok().map(|value| Value::Float(value.to_bits()));
    }
    match plain.strip_prefix("0x") {
        Some(digits) => {
            i64::from_str_radix(digits, 16).ok().map(|value| Value::Integer { value, hexadecimal: true })
        }
        None => plain.parse().ok().map(|value| Value::Integer { value, hexadecimal: false }),
    }
}
