//! Documentation of SASS.

use warplens_isa::sass::{self as isa, Generation, Instruction, Proof, SpecialRegister};

use crate::explain::page::Page;

const JOINS: &str = "`.S`: the instruction also joins, as a `SYNC` does: the lanes that execute it then wait in the newest token \
    of an `SSY` for the others.";

/// The documentation of an opcode (with or without modifiers), a special register, a test of the condition code, or another
/// word.
pub(crate) fn explain(name: &str) -> Option<String> {
    let name = name.trim();
    let mut words = name.split('.');
    if let Some(entry) = words.next().and_then(isa::opcode) {
        let modifiers: Vec<&str> = words.collect();
        return Some(opcode(entry, &modifiers, None, false));
    }
    special_register_page(name).or_else(|| condition(name)).or_else(|| word(name))
}

pub(crate) fn names() -> Vec<&'static str> {
    let opcodes = isa::opcodes().map(|entry| entry.opcode);
    opcodes.chain(isa::special_registers().iter().map(|register| register.name)).collect()
}

/// The page of a statement's opcode. `joins` says whether its last modifier is the `.S` of Fermi and Kepler.
pub(super) fn statement(entry: &Instruction, modifiers: &[&str], on: Generation, joins: bool) -> String {
    opcode(entry, modifiers, Some(on), joins)
}

/// The page of an opcode. For a statement, it shows the written modifiers and the effect on its generation.
fn opcode(entry: &Instruction, modifiers: &[&str], on: Option<Generation>, joins: bool) -> String {
    let facts = ["SASS".to_owned(), entry.category.title.to_lowercase(), generations(entry.generations)];
    let written: String = modifiers.iter().map(|modifier| format!(".{modifier}")).collect();
    let mut page = Page::titled(&format!("{}{written}", entry.opcode), &facts);
    page.paragraph(entry.summary);
    if !entry.operands.is_empty() {
        page.code("sass", [format!("{} {}", entry.opcode, entry.operands)]);
    }
    effect(&mut page, entry, on);
    if modifiers.is_empty() {
        let all = entry.modifiers.iter();
        page.list("Modifiers", all.map(|modifier| format!("`.{}`: {}", modifier.name, modifier.meaning)));
    } else {
        page.list("Modifiers", modifiers.iter().map(|name| modifier(entry, name, joins)));
    }
    let of_memory = accesses_memory(entry).then_some(
        "A lane whose guard is false makes no memory traffic. A guard does not change which accesses can be coalesced.",
    );
    page.list("Notes", entry.notes.iter().copied().chain(of_memory));
    if on.is_none() {
        page.titled_code("Example", "sass", entry.example);
    }
    page.finish()
}

fn accesses_memory(entry: &Instruction) -> bool {
    match entry.category.id {
        "memory" | "tma" | "tmem" => entry.operands.contains('['),
        "texture" | "surface" => true,
        _ => false,
    }
}

/// A modifier of a statement, which may join.
pub(super) fn modifier(entry: &Instruction, name: &str, joins: bool) -> String {
    let test = isa::condition(name).filter(|_| matches!(entry.opcode, "CSET" | "CSETP"));
    match entry.modifier(name) {
        _ if let Some(test) = test => format!("`.{name}`: true {}", test.test),
        _ if joins && name == "S" => JOINS.to_owned(),
        Some(modifier) => format!("`.{name}`: {}", modifier.meaning),
        None if name.starts_with('?') => {
            format!("`.{name}`: an encoding that the disassembler does not name")
        }
        None => format!("`.{name}`: not documented"),
    }
}

fn effect(page: &mut Page, entry: &Instruction, on: Option<Generation>) {
    match on {
        Some(generation) => page.paragraph(entry.effect_on(generation)),
        None => {
            page.paragraph(entry.effect);
            if !entry.earlier.is_empty() {
                page.paragraph(&format!("**Before Volta.** {}", entry.earlier));
            }
        }
    }
    page.paragraph(match entry.proof {
        Proof::Run => {
            "*Certainty:* executed; the results equal those of the PTX that the code was assembled from."
        }
        Proof::Partly => "*Certainty:* executed in part; not all modifiers were.",
        Proof::Assumed => "*Certainty:* assumed; it was not executed.",
        Proof::None => "*Certainty:* what it computes is not established.",
    });
}

/// `Volta and later`, `Fermi to Maxwell`
pub(super) fn generations(all: &[Generation]) -> String {
    let (Some(first), Some(last)) = (all.first(), all.last()) else {
        return "in documents only".to_owned();
    };
    let name = |generation: &Generation| format!("{generation:?}");
    if first == last {
        format!("{} ({})", name(first), first.targets())
    } else if *last == Generation::Blackwell {
        format!("{} and later", name(first))
    } else {
        format!("{} to {}", name(first), name(last))
    }
}

fn special_register_page(name: &str) -> Option<String> {
    let known = isa::special_register(name);
    Some(special_register(known.or_else(|| isa::special_register(&format!("SR_{name}")))?))
}

pub(super) fn special_register(register: &SpecialRegister) -> String {
    let mut page = Page::titled(register.name, &["SASS".into(), "special register".into()]);
    page.paragraph(register.summary);
    if !register.ptx.is_empty() {
        page.paragraph(&format!("In PTX: `{}`.", register.ptx));
    }
    page.paragraph(if register.varies {
        "The lanes of a warp read different values."
    } else {
        "All lanes of a warp read the same value."
    });
    page.finish()
}

/// `CC.EQ`
fn condition(name: &str) -> Option<String> {
    let test = match name.strip_prefix("CC.")? {
        "TRUE" => "T",
        "FALSE" => "F",
        test => test,
    };
    let test = isa::condition(test)?;
    let mut page = Page::titled(name, &["SASS".into(), "test of the condition code".into()]);
    page.paragraph(&format!("True {}.", test.test));
    page.paragraph(
        "Z: the result is zero. S: its sign. C: carry; after a subtraction, no borrow. O: signed overflow. A NaN sets Z and S.",
    );
    Some(page.finish())
}

/// A word after an operand, or an operand that is a word.
pub(super) fn word(name: &str) -> Option<String> {
    let word = isa::operand_word(name)?;
    Some(format!("**`{name}`** · SASS · {}", word.meaning))
}
