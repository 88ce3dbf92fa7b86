//! Mnemonics, and the words that follow them after a dot.

use warplens_hir::wave::Accepts;
use warplens_ide_db::wave::wave_code;
use warplens_ide_db::{CompletionKind, Database, Db, File, FilePosition, Item, items};
use warplens_ide_diagnostics::wave::dialect::Dialect;
use warplens_isa::List;
use warplens_isa::wave as isa;
use warplens_isa::wave::{Availability, Instruction, Suffix};

use crate::proposals::{Proposal, Proposals};
use crate::snippet::Snippet;
use crate::wave::completion::operands;

/// All instructions except those of constructs. They are in the dialect of the setting; without one, the dialect that the file
/// uses more comes first.
pub(super) fn instructions(position: &FilePosition<'_>, proposals: &mut Proposals) {
    let accepts = position.file.accepts(position.db);
    let common = prevalent(position.db, position.file);
    let rank = |dialect: Dialect| u32::from(dialect != common);
    for entry in isa::instructions().filter(|entry| !crate::wave::completion::structure::has(entry.mnemonic))
    {
        let toolchain =
            entry.toolchain.filter(|_| entry.available == Availability::Crates || accepts == Accepts::Both);
        let differs = toolchain.filter(|name| *name != entry.mnemonic);
        if accepts != Accepts::Toolchain || toolchain == Some(entry.mnemonic) {
            let rank = if differs.is_some() { rank(Dialect::Guide) } else { 0 };
            proposals.add(mnemonic(entry, entry.mnemonic, entry.operands, rank));
        }
        if let Some(name) = differs.filter(|_| accepts != Accepts::Guide) {
            proposals.add(mnemonic(entry, name, entry.toolchain_operands, rank(Dialect::Toolchain)));
        }
    }
}

fn mnemonic(
    entry: &'static Instruction,
    name: &'static str,
    operands: List<isa::Operand>,
    rank: u32,
) -> Proposal {
    let mut insert = Snippet::text(name);
    for (index, operand) in operands.iter().filter(|operand| !operand.optional).enumerate() {
        insert = insert.then(if index == 0 { " " } else { ", " }).placeholder(operand.name);
    }
    let rank = if entry.available == Availability::Nowhere { 2 } else { rank };
    let detail = format!("{} · {}", entry.category.title.to_lowercase(), entry.summary);
    Proposal { insert, ..Proposal::known(name, &detail, CompletionKind::Opcode, rank) }
}

/// The dialect that a file uses more; the guide's if neither.
fn prevalent(db: &Database, file: File) -> Dialect {
    let counts = items(db, file).iter().map(|item| dialect_counts(db, *item));
    let (guide, toolchain) =
        counts.fold((0, 0), |(guide, toolchain), next| (guide + next.0, toolchain + next.1));
    if toolchain > guide { Dialect::Toolchain } else { Dialect::Guide }
}

/// How many instructions of an item use the guide's name and the toolchain's name, counting only instructions whose
/// names differ.
#[salsa::tracked(returns(copy))]
fn dialect_counts<'db>(db: &'db dyn Db, item: Item<'db>) -> (u32, u32) {
    let code = wave_code(db, item);
    let named =
        code.instructions.iter().filter_map(|instruction| Some((instruction.entry?, &instruction.mnemonic)));
    let differing = named.filter(|(entry, _)| entry.toolchain.is_some_and(|name| name != entry.mnemonic));
    differing.fold((0, 0), |(guide, toolchain), (entry, mnemonic)| match *mnemonic == entry.mnemonic {
        true => (guide + 1, toolchain),
        false => (guide, toolchain + 1),
    })
}

/// The words that can follow a mnemonic after a dot: the rest of its name, a cache hint, a scope.
pub(super) fn suffix(name: &str, proposals: &mut Proposals) {
    for entry in isa::instructions() {
        let Some(rest) = entry.mnemonic.strip_prefix(name) else { continue };
        if rest.starts_with('.') {
            proposals.add(Proposal {
                explain: Some(entry.mnemonic.to_owned()),
                ..Proposal::known(rest, entry.summary, CompletionKind::Modifier, 0)
            });
        }
    }
    match isa::instruction(name).map(|entry| entry.suffix) {
        Some(Suffix::CacheHint) => proposals.extend(
            isa::cache_hints()
                .iter()
                .map(|hint| Proposal::known(hint.name, hint.summary, CompletionKind::Modifier, 1)),
        ),
        Some(Suffix::Scope) => operands::scopes(proposals),
        Some(Suffix::None) | None => {}
    }
}
