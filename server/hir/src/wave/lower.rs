//! Tree -> [`Code`], in one walk over its elements: a file is checked in the time that its tokens are looked at in.

use std::borrow::Cow;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use smol_str::SmolStr;
use text_size::{TextRange, TextSize};
use warplens_isa::wave as isa;
use warplens_syntax::SyntaxKind::*;
use warplens_syntax::{Node, NodeOrToken, SyntaxKind, Token};

use super::mnemonic::{self, Mnemonic};
use super::model::{
    Code, Guard, Half, Instruction, KernelHeader, Label, MOST_OPERANDS, Name, NameRef, Operand, Operands,
    Resource, Role, Scope, Value, WorkgroupSize,
};
use super::problem::{Problem, ProblemKind};
use super::{call_depth, divergence, operands, reach, recursion, structure};

/// General registers are `r0` to this one.
const LAST_REGISTER: u32 = 254;
/// Predicate registers are `p0` to this one.
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

    fn name(&mut self, range: TextRange, name: Name, role: Role) {
        self.code.names.push(NameRef { range, name, role });
    }

    fn kernel(&mut self, kernel: Node<'_>) {
        let header = kernel.child(KERNEL_HEADER);
        let name = header.and_then(|header| header.child(NAME)?.token(IDENT));
        let name = name.map(|token| (SmolStr::new(token.text), token.range()));
        if let Some((name, range)) = &name {
            self.name(*range, Name::Kernel(name.clone()), Role::Declaration);
        }
        let range = header.unwrap_or(kernel).range();
        let end = kernel.child(KERNEL_END).map(Node::range);
        self.code.kernel = Some(KernelHeader { name, range, end });
        if let Some(block) = kernel.child(BLOCK) {
            self.statements(block);
        }
    }

    fn statements(&mut self, parent: Node<'_>) {
        // So that the lists need not grow, most of the time.
        let count = parent.nodes().count();
        self.code.instructions.reserve(count);
        self.code.names.reserve(count * 3);
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
        self.name(range, Name::Label(name.clone()), Role::Declaration);
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
        let Parts { operands, torn, .. } = Parts::of(directive);
        self.negative_resources(known.name, &operands);
        let numbers: Option<Vec<u32>> = operands.iter().copied().map(resource_number).collect();
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
            _ if torn => {}
            (".workgroup_size", _) => {
                let takes = "one number or three, such as `256` or `256, 1, 1`";
                self.say(place, ProblemKind::DirectiveArguments { name: known.name, takes });
            }
            _ => self.say(place, ProblemKind::DirectiveArguments { name: known.name, takes: "one number" }),
        }
    }

    fn negative_resources(&mut self, name: &'static str, operands: &[Node<'_>]) {
        for operand in operands.iter().filter(|operand| operand.kind() == LITERAL) {
            if first_token(*operand).is_some_and(|token| token.text.starts_with('-')) {
                self.say(operand.range(), ProblemKind::NegativeResource(name));
            }
        }
    }

    fn instruction(&mut self, node: Node<'_>) {
        let parts = Parts::of(node);
        let guard = parts.guard.and_then(|guard| self.guard(guard));
        let Some(word) = parts.mnemonic else { return };
        let spelled: Vec<_> = parts.suffixes.iter().map(|suffix| suffix.text).collect();
        let Mnemonic { name, entry, taken } = Mnemonic::of(word.text, &spelled);
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
            operands: Operands::new(),
            complete: false,
        });
        for operand in parts.operands {
            let operand = self.operand(operand);
            self.code.instructions[at].operands.push(operand);
        }
        match entry {
            Some(entry) => self.suffixes(entry.0, &parts.suffixes[taken..], at),
            // The parser has reported an invalid or incomplete name.
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

    /// Resolves the operands, notes the names among them, and reads a word after a missing newline as the intended instruction.
    fn finish_instruction(&mut self, at: usize, torn: bool) {
        let Code { instructions, names, problems, .. } = &mut self.code;
        let instruction = &mut instructions[at];
        if let Some((range, word)) = operands::missing_newline(instruction) {
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
        for operand in &instruction.operands {
            let (name, length) = match &operand.value {
                Value::Register { index, half } => {
                    (Name::Register(*index), if half.is_some() { Some(digits(*index) + 1) } else { None })
                }
                Value::Predicate { index, negated } => {
                    (Name::Predicate(*index), if *negated { Some(2) } else { None })
                }
                Value::Special(name) => (Name::Special(name.clone()), None),
                Value::Label(name) => (Name::Label(name.clone()), None),
                _ => continue,
            };
            let range = match (length, &name) {
                (Some(length), Name::Predicate(_)) => {
                    TextRange::new(operand.range.end() - TextSize::new(length), operand.range.end())
                }
                (Some(length), _) => TextRange::at(operand.range.start(), TextSize::new(length)),
                (None, _) => operand.range,
            };
            let call = matches!(name, Name::Label(_)) && operand.role == Role::Read;
            let role = if call { Role::Call } else { operand.role };
            names.push(NameRef { range, name, role });
        }
    }

    /// The suffixes after the instruction's name.
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
        let token = guard.token(PREDICATE_REGISTER)?;
        let predicate = self.index(token, LAST_PREDICATE, || ProblemKind::PredicateIndex)?;
        self.name(token.range(), Name::Predicate(predicate), Role::Read);
        let negated = guard.token(BANG).is_some();
        Some(Guard { range: guard.range(), predicate, negated })
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
            REGISTER => {
                let token = operand.token(GENERAL_REGISTER)?;
                let index = self.index(token, LAST_REGISTER, || ProblemKind::RegisterIndex)?;
                let half = match operand.token(DOT_WORD).map(|half| half.text) {
                    Some(".lo") => Some(Half::Low),
                    Some(".hi") => Some(Half::High),
                    _ => None,
                };
                Value::Register { index, half }
            }
            PREDICATE => {
                let token = operand.token(PREDICATE_REGISTER)?;
                let index = self.index(token, LAST_PREDICATE, || ProblemKind::PredicateIndex)?;
                Value::Predicate { index, negated: operand.token(BANG).is_some() }
            }
            SPECIAL_REGISTER => {
                let token = operand.token(SPECIAL_NAME)?;
                let name = SmolStr::new(token.text);
                if isa::special_register(&name).is_none() {
                    self.say(token.range(), ProblemKind::UnknownSpecial(name));
                    return None;
                }
                Value::Special(name)
            }
            LITERAL => number(first_token(operand)?)?,
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
                Scope::of(word).map_or_else(|| Value::Label(word.into()), Value::Scope)
            }
            _ => return None,
        })
    }

    /// The number of a register, if it is one that machines have. Errors of the lexer are not reported again.
    fn index(&mut self, token: Token<'_>, last: u32, beyond: fn() -> ProblemKind) -> Option<u8> {
        let mut index = 0u32;
        for digit in token.text.bytes().skip(1) {
            index = index.saturating_mul(10).saturating_add(char::from(digit).to_digit(10)?);
        }
        if index > last {
            self.say(token.range(), beyond());
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
        self.code.names.sort_by_key(|name| name.range.start());
        self.code.problems.sort_by_key(|problem| problem.range.start());
        self.code
    }

    /// Every register that the kernel does not have, once.
    fn registers_beyond(&mut self) {
        let registers = self.code.resources.register_count();
        let declared = self.code.resources.registers.map(|registers| registers.range);
        let mut reported = [false; LAST_REGISTER as usize + 1];
        for index in 0..self.code.names.len() {
            if let NameRef { range, name: Name::Register(register), .. } = self.code.names[index]
                && u32::from(register) >= registers
                && !std::mem::replace(&mut reported[usize::from(register)], true)
            {
                self.say(range, ProblemKind::RegisterBeyond { registers, declared });
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

fn digits(index: u8) -> u32 {
    index.checked_ilog10().map_or(1, |digits| digits + 1)
}

/// The parts of a statement.
#[derive(Default)]
struct Parts<'a> {
    guard: Option<Node<'a>>,
    mnemonic: Option<Token<'a>>,
    suffixes: Vec<Token<'a>>,
    operands: SmallVec<[Node<'a>; MOST_OPERANDS]>,
    /// Whether the parser has reported the operands: a part is an error, or a comma lacks an operand.
    torn: bool,
    /// Whether the name ends with a dot.
    dangling: bool,
}

impl<'a> Parts<'a> {
    fn of(statement: Node<'a>) -> Parts<'a> {
        let mut parts = Parts::default();
        let mut commas = 0;
        for child in statement.elements() {
            match child {
                NodeOrToken::Node(node) => match node.kind() {
                    ERROR => {
                        parts.torn = true;
                        parts.dangling |= parts.ends_at_dot(node);
                    }
                    GUARD => parts.guard = Some(node),
                    kind if is_operand(kind) => parts.operands.push(node),
                    _ => {}
                },
                NodeOrToken::Token(token) => match token.kind {
                    COMMA => commas += 1,
                    IDENT => parts.mnemonic = Some(token),
                    DOT_WORD => parts.suffixes.push(token),
                    _ => {}
                },
            }
        }
        parts.torn |= commas > 0 && commas >= parts.operands.len();
        parts
    }

    fn ends_at_dot(&self, error: Node<'_>) -> bool {
        let name_end = self.suffixes.last().or(self.mnemonic.as_ref()).map(|word| word.range().end());
        let mut tokens = error.elements().filter_map(NodeOrToken::into_token);
        name_end == Some(error.range().start()) && tokens.next().is_some_and(|token| token.text == ".")
    }
}

fn is_operand(kind: SyntaxKind) -> bool {
    matches!(kind, REGISTER | PREDICATE | SPECIAL_REGISTER | LITERAL | SCOPE | NAME_REF)
}

/// The token of a number.
fn first_token(literal: Node<'_>) -> Option<Token<'_>> {
    literal.tokens().next()
}

/// A number of a directive. Negative numbers wrap, as they do for the assembler.
fn resource_number(operand: Node<'_>) -> Option<u32> {
    match (operand.kind(), number(first_token(operand)?)?) {
        (LITERAL, Value::Integer { value, .. }) => Some(value as u32),
        _ => None,
    }
}

/// A number as written; `None` if the lexer has reported it.
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
