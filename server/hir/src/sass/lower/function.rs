//! Lowers lines of code to functions.

use std::sync::Arc;

use smol_str::SmolStr;
use text_size::TextRange;
use warplens_syntax::{Node, NodeOrToken, SyntaxKind, Token};

use super::column_address::{self, ColumnAddress};
use super::operand::{self, Decimals};
use crate::sass::control::Control;
use crate::sass::flow;
use crate::sass::model::{
    Code, Destination, Encoding, Function, Guard, Instruction, Label, Name, Pair, Word,
};
use crate::sass::operand::{Immediate, Operand, Part, Symbol, Value};
use crate::sass::register::Register;
use crate::sass::target::{Generation, Target};
use warplens_isa::sass::Flow;

/// The functions of an item under construction.
#[derive(Default)]
pub(super) struct Builder {
    pub(super) name: Option<Name>,
    pub(super) is_kernel: Option<bool>,
    pub(super) registers: Option<u32>,
    pub(super) barriers: Option<u32>,
    pub(super) declared: Vec<SmolStr>,
    done: Vec<Function>,
    current: Lines,
    /// Whether the current line already has an instruction.
    on_line: bool,
    /// Whether the encoding of an instruction with `}` is still missing.
    awaits_encoding: bool,
}

#[derive(Default)]
struct Lines {
    instructions: Vec<Instruction>,
    has_addresses: bool,
    /// The addresses in the columns before the instructions.
    columns: Vec<Option<ColumnAddress>>,
    descends: Option<TextRange>,
    operands: Vec<Operand>,
    words: Vec<Word>,
    labels: Vec<Label>,
    /// Encodings on lines of their own: the number of instructions before each, and the word.
    alone: Vec<(u32, u64, TextRange)>,
}

impl Builder {
    pub(super) fn newline(&mut self) {
        self.on_line = false;
    }

    pub(super) fn label(&mut self, name: Token<'_>) {
        // In text without addresses, a demangled name begins a function.
        if name.text.contains('(') && !self.current.instructions.is_empty() {
            self.next_function(None);
        }
        self.current.labels.push(Label {
            name: name.text.into(),
            range: name.range(),
            before: self.current.instructions.len() as u32,
            is_function: false,
        });
    }

    /// Prose follows: the words with a colon before it are no labels.
    pub(super) fn prose(&mut self) {
        let count = self.current.instructions.len() as u32;
        self.current.labels.retain(|label| label.before < count || label.name.starts_with('.'));
    }

    /// An encoding belongs to the instruction on its line, or to the second instruction of a pair before it. What any
    /// other one means depends on the generation, which is known at the end.
    pub(super) fn encoding(&mut self, token: Token<'_>) {
        let Some(word) = word_of(token.text) else { return };
        let is_of_last = self.on_line || std::mem::take(&mut self.awaits_encoding);
        match self.current.instructions.last_mut() {
            Some(last) if is_of_last && last.encoding.is_none() => {
                last.encoding = Some(Encoding { low: word, range: token.range(), high: None });
                self.awaits_encoding = false;
            }
            _ => self.current.alone.push((self.current.instructions.len() as u32, word, token.range())),
        }
    }

    pub(super) fn instruction(&mut self, node: Node<'_>, column: Option<ColumnAddress>) {
        let address = node.token(SyntaxKind::ADDRESS_COMMENT);
        let address = address.map(|token| (hexadecimal(token.text), token.range()));
        if let Some((address, range)) = address
            && let [first, .., last] | [first @ last] = &self.current.instructions[..]
            && self.current.has_addresses
            && address <= last.address
        {
            let descends = (address > first.address).then_some(range);
            self.next_function(descends);
        }
        let line = Line::new(node, &mut self.current);
        let Some(opcode) = line.opcode else { return };
        let lines = &mut self.current;
        // Without an address, an instruction follows the previous one. The step is corrected once all lines
        // are known.
        let next = lines.instructions.last().map_or(0, |last| last.address.saturating_add(8));
        lines.has_addresses |= address.is_some();
        lines.columns.push(column);
        let encoding = line.encoding.and_then(|token| Some((word_of(token.text)?, token.range())));
        lines.instructions.push(Instruction {
            range: node.range(),
            address: address.map_or(next, |(address, _)| address),
            address_range: address.map(|(_, range)| range),
            guard: line.guard,
            opcode: opcode.text.into(),
            opcode_range: opcode.range(),
            pair: line.pair,
            // The old tool prints the halves of the word in reverse order.
            encoding: encoding.map(|(word, range)| Encoding { low: word.rotate_left(32), range, high: None }),
            control: None,
            destination: Destination::None,
            modifiers: line.modifiers,
            operands: line.operands,
            targets: line.targets,
        });
        self.on_line = true;
        self.awaits_encoding = line.pair == Pair::Second;
    }

    /// Adds an instruction that stands for a line that looks like one but could not be read.
    pub(super) fn unread(&mut self, opcode: SmolStr, range: TextRange) {
        let lines = &mut self.current;
        if self.on_line || lines.instructions.is_empty() && self.name.is_none() {
            return;
        }
        lines.operands.push(Operand::unread(range));
        let next = lines.instructions.last().map_or(0, |last| last.address.saturating_add(8));
        lines.columns.push(None);
        lines.instructions.push(Instruction {
            range,
            address: next,
            address_range: None,
            guard: None,
            opcode,
            opcode_range: range,
            pair: Pair::None,
            encoding: None,
            control: None,
            destination: Destination::None,
            modifiers: (lines.words.len() as u32, 0),
            operands: (lines.operands.len() as u32 - 1, 1),
            targets: (0, 0),
        });
    }

    /// Ends the function. Labels after its last instruction belong to the next function.
    fn next_function(&mut self, descends: Option<TextRange>) {
        let count = self.current.instructions.len() as u32;
        let first = self.current.labels.partition_point(|label| label.before < count);
        let labels = self.current.labels.split_off(first);
        let labels = labels.into_iter().map(|label| Label { before: 0, ..label }).collect();
        let before = std::mem::take(&mut self.current);
        self.current = Lines { labels, descends, ..Lines::default() };
        self.complete(before, None);
        (self.name, self.is_kernel) = (None, None);
    }

    pub(super) fn finish(mut self, target: Option<&Target>) -> Vec<Function> {
        let last = std::mem::take(&mut self.current);
        if !last.instructions.is_empty() || self.name.is_some() {
            self.complete(last, target);
        }
        for function in &mut self.done {
            function.target = target.cloned();
            if let Some(target) = target {
                function.generation = target.generation();
                let step = function.step();
                number(&mut function.instructions, step);
            }
            resolve(function);
        }
        self.done
    }

    fn complete(&mut self, lines: Lines, target: Option<&Target>) {
        let Lines { mut instructions, has_addresses, columns, descends, operands, words, mut labels, alone } =
            lines;
        let has_addresses = has_addresses || column_address::apply(&mut instructions, &columns);
        let joins = instructions.iter().any(|it| {
            let (first, count) = it.modifiers;
            count > 0 && words[first as usize + usize::from(count) - 1].text == "S" && it.opcode != "QSPC"
        });
        let guess = guess(&instructions, &operands, has_addresses, joins, &alone);
        let generation = target.map_or(guess, Target::generation);
        let step = generation.instruction_bytes();
        number(&mut instructions, step);
        match generation {
            Generation::Fermi | Generation::Kepler => {}
            Generation::Maxwell => control_words(&mut instructions, &alone),
            _ => high_words(&mut instructions, &alone),
        }
        for label in &mut labels {
            label.is_function = self.declared.contains(&label.name);
        }
        let first = labels.first().filter(|label| label.before == 0 && !label.name.starts_with(".L"));
        let named = first.map(|label| Name { text: label.name.clone(), range: label.range });
        let ranges = instructions.iter().map(|instruction| instruction.range);
        let range = ranges.chain(labels.iter().map(|label| label.range)).reduce(TextRange::cover);
        let name = self.name.clone().or(named);
        let range = range.or_else(|| name.as_ref().map(|name| name.range)).unwrap_or_default();
        // A header that describes a function as `nvdisasm` does, but not as an entry.
        let is_declared = name.as_ref().is_some_and(|name| self.declared.contains(&name.text));
        self.done.push(Function {
            name,
            range,
            target: None,
            generation,
            guessed: guess,
            is_kernel: self.is_kernel.or(is_declared.then_some(false)),
            registers: self.registers,
            barriers: self.barriers,
            has_addresses,
            descends,
            instructions,
            operands,
            words,
            labels,
        });
    }
}

/// The parts of a line that holds an instruction.
struct Line<'t> {
    encoding: Option<Token<'t>>,
    guard: Option<Guard>,
    opcode: Option<Token<'t>>,
    decimals: Decimals,
    pair: Pair,
    modifiers: (u32, u8),
    operands: (u32, u8),
    targets: (u32, u8),
}

impl<'t> Line<'t> {
    /// Reads a line, appending its words and operands to those of the function.
    fn new(node: Node<'t>, lines: &mut Lines) -> Line<'t> {
        let mut line = Line {
            encoding: None,
            guard: None,
            opcode: None,
            decimals: Decimals::Floats,
            pair: Pair::None,
            modifiers: (lines.words.len() as u32, 0),
            operands: (lines.operands.len() as u32, 0),
            targets: (0, 0),
        };
        let mut after_comma = None;
        for element in node.elements() {
            match element {
                NodeOrToken::Token(token) if token.kind == SyntaxKind::COMMA => {
                    after_comma = Some(token.range().end())
                }
                NodeOrToken::Token(token) => line.token(token, lines),
                NodeOrToken::Node(node) if node.kind() == SyntaxKind::GUARD => line.guard = guard(node),
                NodeOrToken::Node(node) if node.kind() == SyntaxKind::OPERAND => {
                    lines.operands.push(operand::lower(node, line.decimals, &mut lines.words));
                    line.operands.1 = line.operands.1.saturating_add(1);
                    after_comma = None;
                }
                NodeOrToken::Node(_) => {}
            }
        }
        // The list of operands is cut off.
        if let Some(end) = after_comma {
            lines.operands.push(Operand::missing(end));
            line.operands.1 = line.operands.1.saturating_add(1);
        }
        line
    }

    fn token(&mut self, token: Token<'t>, lines: &mut Lines) {
        match token.kind {
            SyntaxKind::ENCODING => self.encoding = Some(token),
            SyntaxKind::IDENT => {
                self.opcode = Some(token);
                self.decimals = Decimals::of(token.text);
            }
            SyntaxKind::L_BRACE => self.pair = Pair::First,
            SyntaxKind::R_BRACE => self.pair = Pair::Second,
            SyntaxKind::DOT_WORD => {
                lines.words.push(operand::word(token.word(), token));
                self.modifiers.1 = self.modifiers.1.saturating_add(1);
            }
            SyntaxKind::NOTE => self.note(token, lines),
            _ => {}
        }
    }

    /// `(*"BRANCH_TARGETS .L_x_6,.L_x_7"*)`
    fn note(&mut self, token: Token<'t>, lines: &mut Lines) {
        let Some(list) = token.text.find("TARGETS ").map(|at| at + 8) else { return };
        let end = token.text[list..].find('"').map_or(token.text.len(), |length| list + length);
        self.targets = (lines.words.len() as u32, 0);
        let mut at = list;
        for name in token.text[list..end].split(',') {
            let start =
                token.start + text_size::TextSize::new((at + name.len() - name.trim_start().len()) as u32);
            let range = TextRange::at(start, text_size::TextSize::of(name.trim()));
            lines.words.push(Word { text: name.trim().into(), range });
            self.targets.1 = self.targets.1.saturating_add(1);
            at += name.len() + 1;
        }
    }
}

fn guard(node: Node<'_>) -> Option<Guard> {
    let register = Register::parse(node.token(SyntaxKind::IDENT)?.text)?;
    let negated = node.token(SyntaxKind::BANG).is_some();
    Some(Guard { register, negated, range: node.range() })
}

/// The address in `/*0050*/`.
fn hexadecimal(comment: &str) -> u32 {
    u32::from_str_radix(comment.trim_matches(['/', '*']), 16).unwrap_or(u32::MAX)
}

/// The word in `/* 0x0000000404057981 */`.
fn word_of(comment: &str) -> Option<u64> {
    let digits = comment.trim_matches(['/', '*', ' ']);
    u64::from_str_radix(digits.strip_prefix("0x")?, 16).ok()
}

fn guess(
    instructions: &[Instruction],
    operands: &[Operand],
    has_addresses: bool,
    joins: bool,
    alone: &[(u32, u64, TextRange)],
) -> Generation {
    let has = |opcodes: &[&str]| instructions.iter().any(|it| opcodes.contains(&it.opcode.as_str()));
    let wide = has_addresses && instructions.len() > 1 && {
        instructions.iter().all(|it| it.address.is_multiple_of(16))
    };
    let uniform = operands.iter().any(|operand| operand.register().is_some_and(Register::is_uniform));
    let later = uniform || has(&["BSSY", "BSYNC", "WARPSYNC", "BMOV", "ULDC", "IMAD", "LOP3"]);
    let earlier =
        has(&["SSY", "SYNC", "PBK", "BRK", "XMAD", "PCNT", "CONT", "CAL", "ISCADD", "MOV32I", "IADD32I"]);
    if wide || !has_addresses && later && !earlier {
        return if has(&["LDCU"]) {
            Generation::Blackwell
        } else if uniform {
            Generation::Turing
        } else {
            Generation::Volta
        };
    }
    let has_stack = operands.iter().any(|it| matches!(&it.value, Value::Constant(it) if it.bank == Some(1)));
    let at = |multiple: u32| instructions.iter().any(|it| it.address.is_multiple_of(multiple));
    if has_addresses && at(0x20) && !at(0x40) && instructions.len() > 7 {
        Generation::Kepler
    } else if joins || has_stack || has(&["LDSLK", "STSUL"]) || has_addresses && at(0x20) && alone.is_empty()
    {
        Generation::Fermi
    } else {
        Generation::Maxwell
    }
}

/// Assigns addresses to the instructions whose lines have none.
fn number(instructions: &mut [Instruction], step: u32) {
    let mut next = 0_u32;
    for instruction in instructions {
        if instruction.address_range.is_none() {
            instruction.address = next;
        }
        next = instruction.address.saturating_add(step);
    }
}

/// From Volta on, an encoding on a line of its own is the high word of the instruction before it.
fn high_words(instructions: &mut [Instruction], alone: &[(u32, u64, TextRange)]) {
    for &(count, word, range) in alone {
        if let Some(last) = (count as usize).checked_sub(1)
            && let instruction = &mut instructions[last]
            && let Some(encoding) = &mut instruction.encoding
            && encoding.high.is_none()
        {
            encoding.high = Some((word, range));
            instruction.control = Some(Control::of_high_word(word));
        }
    }
}

/// Before Volta, an encoding on a line of its own is the control word of the instructions after it.
fn control_words(instructions: &mut [Instruction], alone: &[(u32, u64, TextRange)]) {
    for &(count, word, _) in alone {
        let Some(first) = instructions.get(count as usize) else { continue };
        let group = first.address / 0x20;
        let members = instructions[count as usize..].iter_mut();
        for instruction in members.take_while(|instruction| instruction.address / 0x20 == group) {
            let place =
                (instruction.address % 0x20 / 8).checked_sub(1).filter(|place| *place < Control::GROUP);
            instruction.control = place.map(|place| Control::of_word(word, place));
        }
    }
}

/// Finds the instructions that the targets refer to.
fn resolve(function: &mut Function) {
    let labels: rustc_hash::FxHashMap<SmolStr, u32> =
        function.labels.iter().map(|label| (label.name.clone(), label.before)).collect();
    // Assemblers write labels as plain words.
    if function.labels.iter().any(|label| !label.name.starts_with('.')) {
        for operand in &mut function.operands {
            let Value::Word(word) = &operand.value else { continue };
            if labels.contains_key(word) {
                let (name, range) = (word.clone(), operand.range);
                let symbol = Symbol { name, range, addend: 0, part: Part::Whole, base: None };
                operand.value = Value::Symbol(symbol);
            }
        }
    }
    let exits = function.instructions.iter().any(|instruction| instruction.opcode == "EXIT");
    for index in 0..function.instructions.len() {
        function.instructions[index].destination = destination(function, &labels, exits, index);
    }
}

impl Code {
    /// The code of an item, given the target stated before it, if any. The code may have been lowered for
    /// another target or for none.
    pub fn for_target(self: Arc<Code>, inherited: Option<&Target>) -> Arc<Code> {
        let wanted = |function: &Function| inherited.map_or(function.guessed, Target::generation);
        let differs =
            |function: &Function| function.target.is_none() && function.generation != wanted(function);
        if !self.functions.iter().any(differs) {
            return self;
        }
        let mut code = Arc::unwrap_or_clone(self);
        for function in code.functions.iter_mut().filter(|function| differs(function)) {
            function.generation = wanted(function);
            let step = function.step();
            number(&mut function.instructions, step);
            resolve(function);
        }
        Arc::new(code)
    }
}

fn destination(
    function: &Function,
    labels: &rustc_hash::FxHashMap<SmolStr, u32>,
    exits: bool,
    index: usize,
) -> Destination {
    let instruction = &function.instructions[index];
    if !flow::has_target(function, instruction) {
        return Destination::None;
    }
    let Some(operand) = function.operands(instruction).last() else { return Destination::None };
    let count = function.instructions.len() as u32;
    let at = |address: i64| {
        let known = u32::try_from(address).ok().and_then(|address| function.target_at(address));
        known.map_or(Destination::Missing, |index| Destination::Instruction(index as u32))
    };
    // Lanes may reconverge at the end of a listing that shows a part of a function.
    let resumes = matches!(flow::flow(instruction), Flow::Push | Flow::BarrierSet);
    let ends = |address: i64| resumes && function.ends_at(address);
    let relative = |offset: &i64| i64::from(function.next_address(index)).saturating_add(*offset);
    match &operand.value {
        Value::Immediate(Immediate::Integer(0)) | Value::Absolute(0)
            if flow::calls_unlinked(function, instruction, exits) =>
        {
            Destination::Symbol
        }
        Value::Immediate(Immediate::Integer(address)) | Value::Absolute(address) if ends(*address) => {
            Destination::End
        }
        Value::Relative(offset) if ends(relative(offset)) => Destination::End,
        Value::Symbol(symbol) => match labels.get(&symbol.name) {
            Some(before) if *before < count => Destination::Instruction(*before),
            Some(_) => Destination::End,
            None if function.name.as_ref().is_some_and(|name| name.text == symbol.name) && count > 0 => {
                Destination::Instruction(0)
            }
            None => Destination::Symbol,
        },
        Value::Immediate(Immediate::Integer(address)) | Value::Absolute(address) => at(*address),
        Value::Relative(offset) => at(relative(offset)),
        Value::RegisterTarget(_) | Value::Register(_) | Value::Constant(_) => Destination::Indirect,
        _ => Destination::None,
    }
}
