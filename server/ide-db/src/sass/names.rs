//! SASS names: labels and functions, addresses used as targets, registers. A label belongs to its function,
//! but other sections also name it.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use smol_str::SmolStr;
use text_size::{TextRange, TextSize};
use warplens_hir::sass::{
    self, Access as RegisterAccess, Code, Destination, FlowGraph, Function, Operand, Reaching, Register,
    Value,
};
use warplens_syntax::SyntaxKind;

use crate::answer::{Access, Occurrence};
use crate::db::{Db, FilePosition, Item};
use crate::names::{ModuleUse, NameUse, Named, Namespace, Requirement, Subject};
use crate::sass::lowered::sass_code;

pub const SYMBOLS: Namespace = Namespace(0);

#[derive(Debug, Clone, PartialEq)]
enum Meaning {
    Symbol(SmolStr),
    /// An instruction, named by its address.
    Instruction(usize),
    Register(usize, RegisterAccess),
}

struct Found {
    range: TextRange,
    function: usize,
    meaning: Meaning,
}

fn find(code: &Code, offset: TextSize) -> Option<Found> {
    for (number, function) in code.functions.iter().enumerate() {
        let at = |range: TextRange, meaning| Found { range, function: number, meaning };
        if let Some(name) = function.name.as_ref().filter(|name| name.range.contains_inclusive(offset)) {
            return Some(at(name.range, Meaning::Symbol(name.text.clone())));
        }
        if let Some(label) = function.labels.iter().find(|label| label.range.contains_inclusive(offset)) {
            return Some(at(label.range, Meaning::Symbol(label.name.clone())));
        }
        let Some(index) = function.instruction_at(offset) else { continue };
        if let Some((range, meaning)) = in_instruction(function, index, offset) {
            return Some(at(range, meaning));
        }
    }
    None
}

fn in_instruction(function: &Function, index: usize, offset: TextSize) -> Option<(TextRange, Meaning)> {
    let instruction = &function.instructions[index];
    if let Some(range) = instruction.address_range.filter(|range| range.contains_inclusive(offset)) {
        return Some((range, Meaning::Instruction(index)));
    }
    let noted = function.noted_targets(instruction).iter().find(|word| word.range.contains_inclusive(offset));
    if let Some(word) = noted {
        return Some((word.range, Meaning::Symbol(word.text.clone())));
    }
    let operands = function.operands(instruction);
    let operand = operands.iter().find(|operand| operand.range.contains_inclusive(offset));
    if let Some(symbol) = operand.and_then(symbol)
        && symbol.range.contains_inclusive(offset)
    {
        return Some((symbol.range, Meaning::Symbol(symbol.name.clone())));
    }
    if let (Some(operand), Destination::Instruction(target)) = (operand, instruction.destination)
        && std::ptr::eq(operand, operands.last()?)
    {
        return Some((operand.range, Meaning::Instruction(target as usize)));
    }
    let accesses = sass::accesses(function, instruction);
    let here = accesses.iter().filter(|access| access.range.contains_inclusive(offset));
    let access = here.min_by_key(|access| access.range.len())?;
    let is_named =
        !matches!(access.register.file, sass::RegisterFile::Barrier | sass::RegisterFile::Scoreboard);
    is_named.then_some((access.range, Meaning::Register(index, *access)))
}

pub fn symbol(operand: &Operand) -> Option<&sass::Symbol> {
    match &operand.value {
        Value::Symbol(symbol) => Some(symbol),
        Value::Constant(constant) => constant.symbol.as_ref(),
        Value::Address(address) => address.symbol.as_ref(),
        Value::RegisterTarget(target) => target.symbol.as_ref(),
        _ => None,
    }
}

fn defines(function: &Function, name: &str) -> bool {
    function.label(name).is_some()
}

pub fn named(position: &FilePosition<'_>) -> Option<Named> {
    let code = sass_code(position.db, position.item);
    let Some(found) = find(&code, position.offset) else { return symbol_in_data(position) };
    let function = &code.functions[found.function];
    let number = |kind: u32, value: u32| Subject::Local((found.function as u32) << 28 | kind << 26 | value);
    let subject = match &found.meaning {
        Meaning::Symbol(name) if is_entry(function, name) => Subject::Module(SYMBOLS, name.clone()),
        Meaning::Symbol(name) if defines(function, name) => {
            number(0, function.labels.iter().position(|label| label.name == *name)? as u32)
        }
        Meaning::Symbol(name) => Subject::Module(SYMBOLS, name.clone()),
        Meaning::Instruction(index) => number(1, *index as u32),
        Meaning::Register(index, _) => number(2, *index as u32),
    };
    Some(Named { range: found.range, subject })
}

fn is_entry(function: &Function, name: &str) -> bool {
    function.name.as_ref().is_some_and(|known| known.text == name)
        || function.label(name).is_some_and(|label| label.is_function)
}

fn symbol_in_data(position: &FilePosition<'_>) -> Option<Named> {
    let token = position.token()?;
    let is_data =
        matches!(token.parent()?.kind(), SyntaxKind::DATA | SyntaxKind::DIRECTIVE | SyntaxKind::NAME);
    let is_symbol = token.kind() == SyntaxKind::IDENT && is_data;
    is_symbol
        .then(|| Named { range: token.text_range(), subject: Subject::Module(SYMBOLS, token.text().into()) })
}

pub fn occurrences(position: &FilePosition<'_>, _wanted: &Subject) -> Vec<Occurrence> {
    let code = sass_code(position.db, position.item);
    let Some(found) = find(&code, position.offset) else { return Vec::new() };
    let function = &code.functions[found.function];
    let mut all = match found.meaning {
        Meaning::Symbol(name) => symbol_occurrences(function, &name),
        Meaning::Instruction(index) => address_occurrences(function, index),
        Meaning::Register(index, access) => register_occurrences(function, index, access),
    };
    all.sort_by_key(|occurrence| occurrence.range.start());
    all.dedup_by_key(|occurrence| occurrence.range);
    all
}

fn symbol_occurrences(function: &Function, name: &str) -> Vec<Occurrence> {
    let labels = function.labels.iter().filter(|label| label.name == name);
    let labels = labels.map(|label| Occurrence { range: label.range, access: Access::Declaration });
    let read = |range| Occurrence { range, access: Access::Read };
    let symbols = function.operands.iter().filter_map(symbol).filter(|symbol| symbol.name == name);
    let noted = function.instructions.iter().flat_map(|instruction| function.noted_targets(instruction));
    let noted = noted.filter(|word| word.text == name).map(|word| read(word.range));
    labels.chain(symbols.map(|symbol| read(symbol.range))).chain(noted).collect()
}

fn address_occurrences(function: &Function, index: usize) -> Vec<Occurrence> {
    let target = &function.instructions[index];
    let declaration = Occurrence {
        range: target.address_range.unwrap_or(target.opcode_range),
        access: Access::Declaration,
    };
    let leads =
        |instruction: &&sass::Instruction| instruction.destination == Destination::Instruction(index as u32);
    let operand = |instruction| function.operands(instruction).last();
    let reads = function.instructions.iter().filter(leads).filter_map(operand);
    let reads = reads.filter(|operand| symbol(operand).is_none());
    let reads = reads.map(|operand| Occurrence { range: operand.range, access: Access::Read });
    std::iter::once(declaration).chain(reads).collect()
}

fn register_occurrences(function: &Function, index: usize, access: RegisterAccess) -> Vec<Occurrence> {
    let flow = FlowGraph::new(function);
    let reaching = Reaching::new(function, &flow);
    let web = reaching.web(index, access.register, access.is_write);
    let in_web = |at: &usize| reaching.accesses(*at).clone();
    let occurrence = |access: RegisterAccess| Occurrence {
        range: access.range,
        access: if access.is_write { Access::Write } else { Access::Read },
    };
    let is_it = |found: &RegisterAccess| found.covers(access.register);
    web.iter().flat_map(in_web).filter(is_it).map(occurrence).collect()
}

pub fn local_declarations(position: &FilePosition<'_>) -> Vec<(TextRange, TextRange)> {
    let code = sass_code(position.db, position.item);
    let Some(found) = find(&code, position.offset) else { return Vec::new() };
    let function = &code.functions[found.function];
    match found.meaning {
        Meaning::Symbol(name) => {
            let labels = function.labels.iter().filter(|label| label.name == name);
            labels.map(|label| (label.range, label.range)).collect()
        }
        Meaning::Instruction(index) => {
            let target = &function.instructions[index];
            vec![(target.address_range.unwrap_or(target.opcode_range), target.range)]
        }
        Meaning::Register(index, access) => {
            let flow = FlowGraph::new(function);
            let reaching = Reaching::new(function, &flow);
            let definitions =
                if access.is_write { vec![index] } else { reaching.definitions(index, access.register) };
            let place = |at: usize| {
                let range = written(reaching.accesses(at), access.register)?;
                Some((range, function.instructions[at].range))
            };
            definitions.into_iter().filter_map(place).collect()
        }
    }
}

fn written(accesses: &[RegisterAccess], register: Register) -> Option<TextRange> {
    accesses.iter().find(|access| access.is_write && access.covers(register)).map(|access| access.range)
}

pub fn module_uses<'db>(db: &'db dyn Db, item: Item<'db>) -> Box<[ModuleUse]> {
    let mut groups: IndexMap<SmolStr, Vec<NameUse>, FxBuildHasher> = IndexMap::default();
    let mut add = |name: &str, range, access| {
        let found = NameUse { range, access, requirement: Requirement::Nothing };
        groups.entry(name.into()).or_default().push(found);
    };
    let code = sass_code(db, item);
    for function in &code.functions {
        let declared = |name: &str| function.name.as_ref().is_some_and(|known| known.text == name);
        if let Some(name) = &function.name {
            let is_label = function.labels.iter().any(|label| label.name == name.text);
            add(&name.text, name.range, if is_label { Access::Read } else { Access::Declaration });
        }
        for label in &function.labels {
            if label.is_function || declared(&label.name) || !label.name.contains('(') {
                add(&label.name, label.range, Access::Declaration);
            }
        }
        for found in function.operands.iter().filter_map(symbol) {
            add(&found.name, found.range, Access::Read);
        }
    }
    if let Some(section) = &code.section {
        for (name, range, _) in &section.labels {
            add(name, *range, Access::Declaration);
        }
    }
    for (range, text) in symbols_of_data(db, item) {
        add(&text, range, Access::Read);
    }
    let uses = groups.into_iter().map(|(name, mut uses)| {
        uses.sort_by_key(|found| found.range.start());
        uses.dedup_by_key(|found| found.range);
        ModuleUse { namespace: SYMBOLS, name, uses: uses.into() }
    });
    uses.collect()
}

fn symbols_of_data(db: &dyn Db, item: Item<'_>) -> Vec<(TextRange, SmolStr)> {
    let parse = item.parse(db);
    let lines =
        parse.root().nodes().filter(|node| matches!(node.kind(), SyntaxKind::DATA | SyntaxKind::DIRECTIVE));
    let tokens = lines.flat_map(|node| node.tokens().collect::<Vec<_>>());
    let symbols = tokens.filter(|token| token.kind == SyntaxKind::IDENT);
    symbols.map(|token| (token.range(), token.text.into())).collect()
}
