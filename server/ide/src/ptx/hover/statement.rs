//! The opcode and the modifiers of a statement, explained for its form.

use warplens_hir::ptx::{FormMatch, Mnemonic, Platform};
use warplens_ide_db::ptx::module_target;
use warplens_ide_db::{Database, File};
use warplens_isa::ptx as isa;
use warplens_syntax::SyntaxToken;
use warplens_syntax::ast::AstNode;
use warplens_syntax::ptx::ast;

use crate::explain::page::RULE;
use crate::ptx::explain;
use crate::ptx::explain::form;
use crate::ptx::explain::form::Statement;

pub(super) fn opcode(db: &Database, file: File, token: &SyntaxToken) -> Option<String> {
    let instruction = ast::Instruction::cast(token.parent()?)?;
    if instruction.opcode_token().as_ref() != Some(token) {
        return None;
    }
    let operands = operands(&instruction);
    form::page(&Statement {
        mnemonic: &mnemonic(&instruction)?,
        guard: instruction.guard().map(|guard| guard.syntax().text().to_string().trim().to_owned()),
        operands: Some(&operands),
        platform: platform(db, file),
    })
}

/// A modifier in its form: the meaning there, and the alternatives.
pub(super) fn modifier(instruction: &ast::Instruction, token: &SyntaxToken) -> Option<String> {
    let mnemonic = mnemonic(instruction)?;
    let index = instruction.modifiers().position(|modifier| modifier == *token)?;
    let found = form::form_of(&mnemonic, Some(operands(instruction).len()));
    let entry = found.as_ref().map(|found| found.entry).or_else(|| form::entry_of(&mnemonic))?;
    let meaning = form::meaning(entry, found.as_ref(), &mnemonic, index);
    let word = token.text();
    let Some(meaning) = meaning else { return explain::explain(word) };
    let mut text = format!("{meaning}\n\nin `{}`: {}", mnemonic, entry.summary);
    if let Some(others) = found.as_ref().and_then(|found| others(found, &mnemonic, index)) {
        text.push_str(&format!("\n\n{others}"));
    }
    let page = explain::type_(word).or_else(|| explain::space(word));
    Some(match page {
        Some(page) => text + RULE + &page,
        None => text,
    })
}

fn others(found: &FormMatch, mnemonic: &Mnemonic, index: usize) -> Option<String> {
    const MOST: usize = 16;
    let slot = form::slot_of(found, mnemonic, index)?;
    let (slot, chosen) = (&found.form.slots[slot], found.chosen[slot]?);
    let others = slot.values.iter().map(|value| value.words.concat());
    let mut others: Vec<String> = others.filter(|other| *other != chosen.words.concat()).collect();
    let more = others.len().saturating_sub(MOST);
    others.truncate(MOST);
    let mut others: Vec<String> = others.iter().map(|other| format!("`{other}`")).collect();
    if more > 0 {
        others.push(format!("{more} more"));
    }
    if slot.optional {
        others.push("nothing".to_owned());
    }
    (!others.is_empty()).then(|| format!("Alternatives: {}.", others.join(", ")))
}

pub(super) fn mnemonic(instruction: &ast::Instruction) -> Option<Mnemonic> {
    let opcode = instruction.opcode_token()?.text().into();
    let modifiers = instruction.modifiers().map(|word| word.text().trim_start_matches('.').into());
    Some(Mnemonic { opcode, modifiers: modifiers.collect() })
}

/// The operands of a statement, separated by commas.
pub(super) fn operands(instruction: &ast::Instruction) -> Vec<String> {
    instruction.operands().map(|operand| operand.syntax().text().to_string().trim().to_owned()).collect()
}

fn platform(db: &Database, file: File) -> Platform {
    let target = module_target(db, file);
    Platform { version: target.version, target: target.architecture.as_deref().and_then(isa::target) }
}
